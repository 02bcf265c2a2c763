/* gate_output: what a gate found, in words, as sheets and for machines (gate.h). */
#include "query/compare/gate.h"
#include "query/compare/sheet_parts.h"

#include "src/base/number.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

bool gate_words(const struct gate *self, struct text *words)
{
    size_t rows = 0;
    for (size_t i = 0; i < self->rules.count; i++)
        rows += self->rules.items[i].rows;
    const char *why = "";
    for (size_t i = self->rules.count; i-- > 0;)
        why = self->rules.items[i].undecided ? self->rules.items[i].undecided : why;
    bool done =
        self->regressions ? text_format(words, "%zu regression%s", self->regressions,
                                        self->regressions == 1 ? "" : "s")
        : self->undecided
            ? text_format(words, "undecided%s%s", *why ? ": " : "", why)
            : text_add_string(words, gate_judged_any(self) ? "passed" : "nothing was judged");
    done = done &&
           text_format(words, " (%zu rule%s", self->rules.count, self->rules.count == 1 ? "" : "s");
    if (done && self->nothing && gate_judged_any(self))
        done = text_format(words, ", %zu of them without a row", self->nothing);
    return done && text_format(words, ", %zu row%s)", rows, rows == 1 ? "" : "s");
}

bool gate_judged_any(const struct gate *self)
{
    return self->nothing < self->rules.count;
}

/* "100.00 -> 120.00 us", or what there is of it */
static bool add_values(const struct gate_finding *finding, struct text *out)
{
    bool has_base = !isnan(finding->base), has_candidate = !isnan(finding->candidate);
    bool done = true;
    if (has_base)
        done = number_add_rounded(out, finding->base, finding->unit);
    if (has_base && has_candidate)
        done = done && text_add_string(out, " -> ");
    if (has_candidate)
        done = done && number_add_rounded(out, finding->candidate, finding->unit);
    if ((has_base || has_candidate) && *finding->unit)
        done = done && text_format(out, " %s", finding->unit);
    return done && (has_base == has_candidate ||
                    text_add_string(out, has_base ? ", no candidate" : ", no baseline"));
}

/* "aten::mm: kernel_time_sum 100.00 -> 120.00 us (+20.0 %)" */
static bool add_finding(const struct gate_finding *finding, struct text *out)
{
    if (finding->verdict == GATE_NOTHING)
        return text_format(out, "%s: no such row%s%s", finding->name, *finding->level ? " in " : "",
                           finding->level);
    bool has_values = !isnan(finding->base) || !isnan(finding->candidate);
    bool done =
        text_add_string(out, finding->name) &&
        (!has_values || text_format(out, ": %s%s", finding->metric, *finding->metric ? " " : "")) &&
        add_values(finding, out);
    return done && (isnan(finding->percent)
                        ? text_format(out, " (%s)", gate_verdict_names[finding->verdict])
                        : text_format(out, " (%+.1f %%)", finding->percent));
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
            "improvement"),
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
    bool done = gate_words(self, &title) || error_memory(error);
    struct sheet sheet = {.name = "findings",
                          .title = title.items,
                          .columns = found,
                          .column_count = sizeof found / sizeof *found,
                          .is_brief = true,
                          .not_included = account->notes.items,
                          .not_included_count = account->notes.count};
    bool has_findings = sheets != GATE_ONE_SHEET_SHOWN || self->findings.count;
    if (done && has_findings)
        done =
            send_rows(self, &sheet, self->findings.count, finding_cells, sinks, sink_count, error);
    sheet.name = "rules";
    sheet.columns = rules;
    sheet.column_count = sizeof rules / sizeof *rules;
    if (has_findings) {
        sheet.title = "Rules and their verdicts.";
        sheet.not_included_count = 0;
    }
    if (done && (sheets == GATE_BOTH_SHEETS || !has_findings))
        done = send_rows(self, &sheet, self->rules.count, rule_cells, sinks, sink_count, error);
    text_free(&title);
    return done;
}

/* ------------------------------------------------------------------ machines */

/* Text between tags or in quotes; what XML cannot hold becomes U+FFFD. */
static bool add_xml(struct text *out, const char *words)
{
    static const char *const entities[][2] = {
        {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&apos;"}};
    const unsigned char *at = (const unsigned char *)words;
    bool done = true;
    for (size_t left = strlen(words); left && done;) {
        uint32_t code;
        size_t size = utf8_decode(at, left, &code);
        bool can_hold = size && (code >= 0x20 || code == '\n') && code != 0xFFFE && code != 0xFFFF;
        const char *entity = can_hold ? NULL : "\xEF\xBF\xBD";
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (*at == (unsigned char)*entities[i][0])
                entity = entities[i][1];
        done = entity ? text_add_string(out, entity) : text_add(out, at, size);
        at += size ? size : 1;
        left -= size ? size : 1;
    }
    return done;
}

static bool is_against(const struct gate_finding *finding, size_t rule)
{
    return finding->rule == rule && finding->counts;
}

static bool add_failures(const struct gate *self, size_t rule, struct text *out)
{
    struct text words = {0};
    bool done = text_add(&words, "", 0);
    for (size_t i = 0; i < self->findings.count && done; i++)
        if (is_against(&self->findings.items[i], rule))
            done = add_finding(&self->findings.items[i], &words) && text_add_byte(&words, '\n');
    done = done &&
           text_format(out, "    <failure message=\"%zu regression%s\">",
                       self->rules.items[rule].regressions,
                       self->rules.items[rule].regressions == 1 ? "" : "s") &&
           add_xml(out, words.items) && text_add_string(out, "</failure>\n");
    text_free(&words);
    return done;
}

/* A rule that is undecided, or that nothing was held against, is no success. */
static bool add_skipped(const struct gate *self, size_t rule, struct text *out)
{
    const char *why = self->rules.items[rule].undecided;
    struct text words = {0};
    bool done = text_add_string(out, "    <skipped message=\"") &&
                (!why || text_format(&words, "undecided%s%s", *why ? ": " : "", why));
    for (size_t i = 0; i < self->findings.count && done; i++)
        if (self->findings.items[i].rule == rule && self->findings.items[i].verdict == GATE_NOTHING)
            done = (!words.count || text_add_string(&words, "; ")) &&
                   add_finding(&self->findings.items[i], &words);
    done = done && add_xml(out, words.items) && text_add_string(out, "\"/>\n");
    text_free(&words);
    return done;
}

/* A property for each fact; before the name of one of a side stands that of the side. */
static bool add_properties(const struct identity *identity, struct text *out)
{
    bool done = true;
    for (size_t i = 0; i < identity->facts.count && done; i++) {
        const struct identity_fact *fact = &identity->facts.items[i];
        done = text_add_string(out, "    <property name=\"") &&
               (!identity->side || (add_xml(out, identity->side) && text_add_string(out, " "))) &&
               text_format(out, "%s\" value=\"", fact->name);
        for (size_t j = 0; j < fact->values.count && done; j++)
            done = text_add_string(out, j ? ", " : "") && add_xml(out, fact->values.items[j]);
        done = done && text_add_string(out, "\"/>\n");
    }
    if (done && identity->health && identity->side)
        done = text_add_string(out, "    <property name=\"") && add_xml(out, identity->side) &&
               text_add_string(out, " health\" value=\"") && add_xml(out, identity->health) &&
               text_add_string(out, "\"/>\n");
    for (size_t i = 0; i < identity->sides.count && done; i++)
        done = add_properties(&identity->sides.items[i], out);
    return done;
}

static bool is_skipped(const struct gate_judged *rule)
{
    return !rule->regressions && (rule->nothing || rule->undecided);
}

bool gate_junit(const struct gate *self, const struct identity *identity, struct text *out)
{
    size_t failed = 0, skipped = 0;
    for (size_t i = 0; i < self->rules.count; i++) {
        failed += self->rules.items[i].regressions > 0;
        skipped += is_skipped(&self->rules.items[i]);
    }
    bool done = text_format(out,
                            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                            "<testsuite name=\"tpq gate\" tests=\"%zu\" failures=\"%zu\" "
                            "skipped=\"%zu\">\n",
                            self->rules.count, failed, skipped) &&
                text_add_string(out, "  <properties>\n") && add_properties(identity, out) &&
                text_add_string(out, "  </properties>\n");
    for (size_t i = 0; i < self->rules.count && done; i++) {
        const struct gate_judged *rule = &self->rules.items[i];
        done = text_add_string(out, "  <testcase classname=\"tpq.gate\" name=\"") &&
               add_xml(out, rule->words) && text_add_string(out, "\">\n");
        if (done && rule->regressions)
            done = add_failures(self, i, out);
        else if (done && is_skipped(rule))
            done = add_skipped(self, i, out);
        done = done && text_add_string(out, "  </testcase>\n");
    }
    return done && text_add_string(out, "</testsuite>\n");
}

/* Texts of an annotation: what ends it, or a line, is written as its code. */
static bool add_escaped(struct text *out, const char *words)
{
    bool done = true;
    for (const char *at = words; *at && done; at++)
        done = (unsigned char)*at < 0x20 || *at == '%' ? text_format(out, "%%%02X", (unsigned)*at)
                                                       : text_add_byte(out, *at);
    return done;
}

bool gate_annotations(const struct gate *self, struct text *out)
{
    bool done = text_add(out, "", 0);
    for (size_t i = 0; i < self->findings.count && done; i++) {
        const struct gate_finding *finding = &self->findings.items[i];
        struct text words = {0};
        const char *kind = is_against(finding, finding->rule) ? "error"
                           : finding->verdict == GATE_IMPROVEMENT || finding->verdict == GATE_ADDED
                               ? "notice"
                               : "warning";
        done = add_finding(finding, &words) &&
               text_format(out, "::%s title=tpq gate: %s::", kind,
                           gate_verdict_names[finding->verdict]) &&
               add_escaped(out, words.items) && text_add_byte(out, '\n');
        text_free(&words);
    }
    return done;
}
