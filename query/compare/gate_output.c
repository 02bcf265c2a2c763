/* gate_output: what a gate found, in words, as sheets and for machines (gate.h). */
#include "query/compare/gate.h"
#include "query/compare/sheet_parts.h"

#include "src/base/number.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

void gate_words(const struct gate *self, struct text *words)
{
    size_t rows = 0, rules = self->rules.count;
    const char *why = "";
    for (size_t i = rules; i-- > 0;) {
        rows += self->rules.items[i].rows;
        why = self->rules.items[i].undecided ? self->rules.items[i].undecided : why;
    }
    if (self->incomplete.count)
        text_format(words, "undecided: %s%s", self->incomplete.items,
                    self->regressions ? "; " : "");
    if (self->regressions)
        text_format(words, "%zu regression%s", self->regressions,
                    self->regressions == 1 ? "" : "s");
    else if (self->undecided && !self->incomplete.count)
        text_format(words, "undecided%s%s", *why ? ": " : "", why);
    else if (!self->incomplete.count)
        text_add_string(words, gate_judged_any(self) ? "passed" : "nothing was judged");
    text_format(words, " (%zu rule%s", rules, rules == 1 ? "" : "s");
    if (self->nothing && gate_judged_any(self))
        text_format(words, ", %zu of them without a row", self->nothing);
    text_format(words, ", %zu row%s)", rows, rows == 1 ? "" : "s");
}

bool gate_judged_any(const struct gate *self)
{
    return self->nothing < self->rules.count;
}

/* "aten::mm: kernel_time_sum 100.00 -> 120.00 us (+20.0 %)" */
static void add_finding(const struct gate_finding *finding, struct text *out)
{
    text_add_string(out, finding->name);
    if (finding->verdict == GATE_NOTHING) {
        text_format(out, ": no such row%s%s", *finding->level ? " in " : "", finding->level);
        return;
    }
    if (!isnan(finding->base) || !isnan(finding->candidate))
        text_format(out, ": %s%s", finding->metric, *finding->metric ? " " : "");

    /* "100.00 -> 120.00 us", or the side that has a value */
    bool has_base = !isnan(finding->base), has_candidate = !isnan(finding->candidate);
    if (has_base)
        number_add_rounded(out, finding->base, finding->unit);
    if (has_base && has_candidate)
        text_add_string(out, " -> ");
    if (has_candidate)
        number_add_rounded(out, finding->candidate, finding->unit);
    if ((has_base || has_candidate) && *finding->unit)
        text_format(out, " %s", finding->unit);
    if (has_base != has_candidate)
        text_add_string(out, has_base ? ", no candidate" : ", no baseline");
    if (isnan(finding->percent))
        text_format(out, " (%s)", gate_verdict_names[finding->verdict]);
    else
        text_format(out, " (%+.1f %%)", finding->percent);
}

/* ------------------------------------------------------------------ sheets */

typedef void make_cells(const struct gate *self, size_t row, struct cell *cells);

static void finding_cells(const struct gate *self, size_t row, struct cell *cells)
{
    const struct gate_finding *finding = &self->findings.items[row];
    cells[0] = text_cell(gate_verdict_names[finding->verdict]);
    cells[1] = text_cell(finding->name);
    cells[2] = text_cell(finding->level);
    cells[3] = text_cell(finding->metric);
    cells[4] = real_cell(finding->base);
    cells[5] = real_cell(finding->candidate);
    cells[6] = real_cell(finding->difference);
    cells[7] = text_cell(*finding->unit ? finding->unit : NULL);
    cells[8] = real_cell(finding->percent);
    cells[9] = real_cell(finding->share);
    cells[10] = real_cell(finding->p);
    cells[11] = count_cell(finding->rule + 1);
}

static void rule_cells(const struct gate *self, size_t row, struct cell *cells)
{
    const struct gate_judged *rule = &self->rules.items[row];
    cells[0] = count_cell(row + 1);
    cells[1] = text_cell(rule->words);
    cells[2] = count_cell(rule->rows);
    cells[3] = count_cell(rule->regressions);
    cells[4] = text_cell(gate_rule_verdict(rule));
}

static bool send_rows(const struct gate *self, const struct sheet *sheet, size_t rows,
                      make_cells *make, struct sink *const *sinks, size_t sink_count,
                      struct error *error)
{
    struct cell cells[16];
    bool done = true;
    for (size_t i = 0; i < sink_count && done; i++)
        done = sinks[i]->begin(sinks[i], sheet, error);
    for (size_t row = 0; row < rows && done; row++) {
        make(self, row, cells);
        for (size_t i = 0; i < sink_count && done; i++)
            done = sinks[i]->row(sinks[i], cells, error);
    }
    for (size_t i = 0; i < sink_count && done; i++)
        done = sinks[i]->end(sinks[i], error);
    return done;
}

bool gate_send(const struct gate *self, const struct account *account, struct sink *const *sinks,
               size_t sink_count, enum gate_sheets sheets, struct error *error)
{
    static const struct column found[] = {
        TEXT_COLUMN(
            "verdict", "", 1,
            "regression; added: a new row; undecided; nothing: no row is like what the rule names; "
            "improvement, tested or not"),
        TEXT_COLUMN("name", "", 2, "the row, or the total", .is_wide = true),
        TEXT_COLUMN("level", "", 0, "report"),
        TEXT_COLUMN("metric", "", 8, "column"),
        NUMBER_COLUMN("base", "", 3, "value of the baseline"),
        NUMBER_COLUMN("candidate", "", 4, "value of the candidate"),
        NUMBER_COLUMN("diff", "", 7, "candidate minus baseline"),
        TEXT_COLUMN("unit", "", 5, "of these three"),
        NUMBER_COLUMN("pct", "%", 6, "difference in percent of the baseline"),
        NUMBER_COLUMN("share", "%", 0, "part of all changes in the same direction"),
        NUMBER_COLUMN("p", "", 0, "p-value of the difference"),
        NUMBER_COLUMN("rule", "", 0, "number of the rule"),
    };
    static const struct column rules[] = {
        NUMBER_COLUMN("rule", "", 1, "its number"),
        TEXT_COLUMN("says", "", 2, "limit of the rule", .is_wide = true),
        NUMBER_COLUMN("rows", "", 3, "rows that it is about"),
        NUMBER_COLUMN("regressions", "", 4, "rows that it does not let pass"),
        TEXT_COLUMN("verdict", "", 5,
                    "regression, undecided, improvement, or within noise: no significant "
                    "difference beyond the limit; nothing: no row"),
    };
    struct text title = {0};
    gate_words(self, &title);
    struct sheet sheet = {.name = "findings",
                          .title = title.items,
                          .columns = found,
                          .column_count = sizeof found / sizeof *found,
                          .is_brief = true,
                          .not_included = account->notes.items,
                          .not_included_count = account->notes.count};
    bool has_findings = sheets != GATE_ONE_SHEET_SHOWN || self->findings.count;
    if (has_findings &&
        !send_rows(self, &sheet, self->findings.count, finding_cells, sinks, sink_count, error))
        return false;
    sheet.name = "rules";
    sheet.columns = rules;
    sheet.column_count = sizeof rules / sizeof *rules;
    if (has_findings) {
        sheet.title = "Rules and their verdicts.";
        sheet.not_included_count = 0;
    }
    return (sheets != GATE_BOTH_SHEETS && has_findings) ||
           send_rows(self, &sheet, self->rules.count, rule_cells, sinks, sink_count, error);
}

/* ------------------------------------------------------------------ machines */

/* Text between tags or in quotes; what XML cannot hold becomes U+FFFD. */
static void add_xml(struct text *out, const char *words)
{
    static const char *const entities[][2] = {
        {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&apos;"}};
    const unsigned char *at = (const unsigned char *)words;
    for (size_t left = strlen(words); left;) {
        uint32_t code;
        size_t size = utf8_decode(at, left, &code);
        bool can_hold = size && (code >= 0x20 || code == '\n') && code != 0xFFFE && code != 0xFFFF;
        const char *entity = can_hold ? NULL : "\xEF\xBF\xBD";
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (*at == (unsigned char)*entities[i][0])
                entity = entities[i][1];
        text_add_view(out, entity ? view_of(entity) : (struct view){(const char *)at, size});
        at += size ? size : 1;
        left -= size ? size : 1;
    }
}

static bool is_against(const struct gate_finding *finding, size_t rule)
{
    return finding->rule == rule && finding->counts;
}

static void add_failures(const struct gate *self, size_t rule, struct text *out)
{
    size_t regressions = self->rules.items[rule].regressions;
    struct text words = {0};
    for (size_t i = 0; i < self->findings.count; i++)
        if (is_against(&self->findings.items[i], rule)) {
            add_finding(&self->findings.items[i], &words);
            text_add_byte(&words, '\n');
        }
    text_format(out, "    <failure message=\"%zu regression%s\">", regressions,
                regressions == 1 ? "" : "s");
    add_xml(out, words.count ? words.items : "");
    text_add_string(out, "</failure>\n");
}

/* A rule that is undecided, or that nothing was held against, is no success. */
static void add_skipped(const struct gate *self, size_t rule, struct text *out)
{
    const char *why = self->rules.items[rule].undecided;
    struct text words = {0};
    why = why || !self->incomplete.count ? why : self->incomplete.items;
    if (why)
        text_format(&words, "undecided%s%s", *why ? ": " : "", why);
    for (size_t i = 0; i < self->findings.count; i++)
        if (self->findings.items[i].rule == rule &&
            self->findings.items[i].verdict == GATE_NOTHING) {
            text_add_string(&words, words.count ? "; " : "");
            add_finding(&self->findings.items[i], &words);
        }
    text_add_string(out, "    <skipped message=\"");
    add_xml(out, words.count ? words.items : "");
    text_add_string(out, "\"/>\n");
}

/* A property for each fact; before the name of one of a side stands that of the side. */
static void add_properties(const struct identity *identity, struct text *out)
{
    for (size_t i = 0; i < identity->facts.count; i++) {
        const struct identity_fact *fact = &identity->facts.items[i];
        text_add_string(out, "    <property name=\"");
        add_xml(out, identity->side ? identity->side : "");
        text_format(out, "%s%s\" value=\"", identity->side ? " " : "", fact->name);
        for (size_t j = 0; j < fact->values.count; j++) {
            text_add_string(out, j ? ", " : "");
            add_xml(out, fact->values.items[j]);
        }
        text_add_string(out, "\"/>\n");
    }
    if (identity->side && identity_is_doubtful(identity)) {
        text_add_string(out, "    <property name=\"");
        add_xml(out, identity->side);
        text_add_string(out, " health\" value=\"");
        add_xml(out, identity->health);
        text_add_string(out, "\"/>\n");
    }
    for (size_t i = 0; i < identity->sides.count; i++)
        add_properties(&identity->sides.items[i], out);
}

static bool is_failed(const struct gate *self, const struct gate_judged *rule)
{
    return rule->regressions && !self->incomplete.count;
}

static bool is_skipped(const struct gate *self, const struct gate_judged *rule)
{
    return !is_failed(self, rule) && (rule->nothing || rule->undecided || rule->regressions);
}

void gate_junit(const struct gate *self, const struct identity *identity, struct text *out)
{
    size_t failed = 0, skipped = 0;
    for (size_t i = 0; i < self->rules.count; i++) {
        failed += is_failed(self, &self->rules.items[i]);
        skipped += is_skipped(self, &self->rules.items[i]);
    }
    text_format(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuite name=\"tpq gate\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n"
                "  <properties>\n",
                self->rules.count, failed, skipped);
    for (size_t i = 0; i < identity->first_lines.count; i++) {
        text_add_string(out, "    <property name=\"headline\" value=\"");
        add_xml(out, identity->first_lines.items[i].line);
        text_add_string(out, "\"/>\n");
    }
    if (self->setup.count) {
        text_add_string(out, "    <property name=\"other setup\" value=\"");
        add_xml(out, self->setup.items);
        text_add_string(out, "\"/>\n");
    }
    add_properties(identity, out);
    text_add_string(out, "  </properties>\n");
    for (size_t i = 0; i < self->rules.count; i++) {
        const struct gate_judged *rule = &self->rules.items[i];
        text_add_string(out, "  <testcase classname=\"tpq.gate\" name=\"");
        add_xml(out, rule->words);
        text_add_string(out, "\">\n");
        if (is_failed(self, rule))
            add_failures(self, i, out);
        else if (is_skipped(self, rule))
            add_skipped(self, i, out);
        text_add_string(out, "  </testcase>\n");
    }
    text_add_string(out, "</testsuite>\n");
}

/* Words of an annotation: what ends it, or a line, is written as its code. */
static void add_escaped(struct text words, struct text *out)
{
    for (size_t i = 0; i < words.count; i++)
        if ((unsigned char)words.items[i] < 0x20 || words.items[i] == '%')
            text_format(out, "%%%02X", (unsigned)words.items[i]);
        else
            text_add_byte(out, words.items[i]);
    text_add_byte(out, '\n');
}

void gate_annotations(const struct gate *self, struct text *out)
{
    text_add(out, "", 0);
    if (self->setup.count) {
        text_add_string(out, "::notice title=tpq gate: other setup::");
        add_escaped(self->setup, out);
    }
    if (self->incomplete.count) {
        text_add_string(out, "::warning title=tpq gate: undecided::");
        add_escaped(self->incomplete, out);
    }
    for (size_t i = 0; i < self->findings.count; i++) {
        const struct gate_finding *finding = &self->findings.items[i];
        struct text words = {0};
        const char *kind = is_against(finding, finding->rule) ? "error"
                           : finding->verdict == GATE_UNDECIDED || finding->verdict == GATE_NOTHING
                               ? "warning"
                               : "notice";
        add_finding(finding, &words);
        text_format(out, "::%s title=tpq gate: %s::", kind, gate_verdict_names[finding->verdict]);
        add_escaped(words, out);
    }
}
