/* verb_gate: `tpq gate`. */
#include "query/compare/comparison_sheet.h"
#include "query/compare/gate.h"
#include "query/compare/gate_sql.h"
#include "query/select/run_choice.h"
#include "src/base/file.h"
#include "src/base/visible.h"
#include "src/command/output.h"
#include "src/command/verb_options.h"
#include "src/report/comparing.h"
#include "src/report/report_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ pins */

/* Options that judge have no place beside --pin. */
static bool check_alone(const struct arguments *arguments, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const char *name = arguments->values.items[i].option->name;
        done = option_is_in("db wait pin allow-incomplete", name) ||
               error_set(error, STATUS_USAGE,
                         "tpq gate: --pin only keeps a run; --%s is for another call", name);
    }
    return done;
}

/* A run that lacks events is no measure for others, unless its user says so. */
static bool check_whole(const struct comparing *self, struct side *side)
{
    struct text words = {0};
    return side_add_damage(side, &words, self->error) &&
           (!words.count ||
            error_set(self->error, STATUS_UNDECIDED,
                      "tpq gate: %s is incomplete: %.400s (--allow-incomplete keeps it)",
                      side->name, words.items));
}

/* Keeps a run under a name. */
static bool pin(struct comparing *self)
{
    const struct arguments *arguments = self->arguments;
    const char *name = arguments_value(arguments, "pin");
    if (!check_alone(arguments, self->error))
        return false;
    if (!session_operands(arguments, 1, 1, self->error))
        return false;
    if (!name || !*name)
        return error_set(self->error, STATUS_USAGE, "tpq gate: --pin needs a name for the run");
    struct side side = {0};
    self->writes = true;
    self->is_open = session_open(arguments, WAREHOUSE_WRITE, &self->warehouse, self->error);
    if (!self->is_open ||
        !side_find(&side, &self->warehouse, arguments->operands.items[0], self->error))
        return false;
    if (side.runs.count != 1)
        return error_set(self->error, STATUS_USAGE,
                         "tpq gate: --pin keeps one run; '%.200s' stands for %zu",
                         arguments->operands.items[0], side.runs.count);
    if ((!arguments_has(arguments, "allow-incomplete") && !check_whole(self, &side)) ||
        !pin_keep(&self->warehouse, name, side.runs.items[0], self->error))
        return false;
    struct text words = {0};
    text_format(&words, "@pin:%s is now %s", name, side.runs.items[0]);
    session_say_lines(words.items);
    return true;
}

/* ------------------------------------------------------------------ rules */

/* A file of rules is SQL by its name, else CSV. */
static bool is_sql(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".sql") == 0;
}

/* Reads a file of rules, which is a text; the mark that some editors put before it is none of it.
 */
static bool read_gate_text(const char *path, struct text *text, struct error *error)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (!file_read(path, text, error))
        return false;
    if (text_starts_with(text->items, mark))
        memset(text->items, ' ', strlen(mark));
    return !memchr(text->items, '\0', text->count) ||
           error_set(error, STATUS_USAGE, "%s: a byte is 0, which no text has", path);
}

static bool read_rules(const struct comparing *self, const char *const *paths, gate_rules *rules)
{
    const char *level = arguments_value(self->arguments, "by");
    const char *metric = arguments_value(self->arguments, "metric");
    const char *limit = arguments_value(self->arguments, "max-regression");
    double percent = NAN;
    char *end;
    if (limit) {
        percent = strtod(limit, &end);
        end += *end == '%';
        if (end == limit || *end || percent < 0 || !isfinite(percent))
            return error_set(self->error, STATUS_USAGE,
                             "tpq gate: --max-regression is a percentage from 0, not '%.100s'",
                             limit);
    }
    if (!*paths)
        gate_rules_usual(rules, level, percent);
    for (; *paths; paths++) {
        struct text text = {0};
        if (!is_sql(*paths) && (!read_gate_text(*paths, &text, self->error) ||
                                !gate_rules_read(rules, text.items, *paths, self->error)))
            return false;
    }
    for (size_t i = 0; i < rules->count; i++) {
        /* Complete the rule; --metric is a column of the report that --by names. */
        struct gate_rule *rule = &rules->items[i];
        bool is_open = !rule->level || (level && strcmp(rule->level, level) == 0);
        rule->relative = isnan(rule->relative) ? percent : rule->relative;
        if (!rule->level && level)
            rule->level = memory_text(level);
        if (is_open && !rule->metric && metric)
            rule->metric = memory_text(metric);
    }
    return true;
}

/* Judges by a file of SQL, asked of the warehouse that has both sides. */
static bool judge_by_sql(struct comparing *self, const char *path, struct gate *gate)
{
    const struct side *sides = self->sides.items;
    struct gate_sql sql = {sides[0].warehouse, &sides[0], &sides[1]};
    struct text text = {0};
    if (sides[0].warehouse != sides[1].warehouse || sides[0].sheets || sides[1].sheets)
        return error_set(self->error, STATUS_USAGE,
                         "%s: rules in SQL need both sides in one warehouse, or both as traces in "
                         "files",
                         path);
    return read_gate_text(path, &text, self->error) && gate_sql_begin(&sql, self->error) &&
           comparing_select(self) && gate_sql_judge(&sql, gate, path, text.items, self->error);
}

/* A rule says something about a report and a figure of it; what is wrong with it names its line. */
static bool judge_rule(struct comparing *self, const struct gate_rule *rule, struct gate *gate,
                       struct text *headline)
{
    struct comparison comparison = {0};
    const struct doc_object *report = comparing_report(self, rule->level);
    bool done = report && comparing_make(self, report, rule->metric, &comparison) &&
                gate_judge(gate, rule, &comparison, self->error) &&
                comparing_add_notes(self, report, false);
    if (done && !comparison.rows.count)
        done = error_set(self->error, STATUS_BAD_INPUT, "%s has no %s in either run", report->name,
                         comparison.values.metric ? comparison.values.metric->name : "rows");
    if (done && !comparison.shared && !comparison.values.are_rows_samples)
        done = error_set(self->error, STATUS_BAD_INPUT,
                         "%s: the runs have no row in common (rows are told apart by %s)",
                         report->name, docs_declared(report, "key"));
    if (done && !headline->count && comparison.values.is_sum)
        comparison_headline(&comparison, headline);
    if (done && rule->line && !gate->rules.items[gate->rules.count - 1].rows)
        session_sayf("%s:%d: no row of %s matches '%s'", rule->path, rule->line, report->name,
                     rule->key ? rule->key : "");
    comparison_free(&comparison);
    enum status status = self->error->status;
    if (!done && rule->may_lack && (status == STATUS_USAGE || status == STATUS_BAD_INPUT)) {
        *self->error = (struct error){0};
        return true;
    }
    if (!done && rule->line)
        error_context(self->error, "%s:%d", rule->path, rule->line);
    return done;
}

static bool judge_gate(struct comparing *self, const gate_rules *rules, const char *const *paths,
                       struct gate *gate, struct text *headline)
{
    bool done = true;
    gate->single_ok = arguments_has(self->arguments, "single-ok");
    if (self->is_incomplete)
        text_add_view(&gate->incomplete, text_view(&self->undecided[0]));
    for (size_t i = 0; i < rules->count && done; i++)
        done = judge_rule(self, &rules->items[i], gate, headline);
    for (; done && *paths; paths++)
        done = !is_sql(*paths) || judge_by_sql(self, *paths, gate);
    if (done)
        gate_sort(gate);
    return done;
}

/* ------------------------------------------------------------------ outputs */

static bool write_gate_text(struct comparing *self, const char *option, const struct text *text)
{
    const char *path = arguments_value(self->arguments, option);
    if (path && strcmp(path, "-") != 0)
        return sink_check_path(path, self->inputs.items, self->error) &&
               file_write(path, text_view(text), self->error);
    fwrite(text->items, 1, text->count, stdout);
    return sink_check_stream(stdout, "the output", self->error);
}

/* JUnit and annotations, where they are asked for. */
static bool write_for_machines(struct comparing *self, const struct gate *gate, bool *any)
{
    struct text text = {0};
    bool done = true;
    if (arguments_has(self->arguments, "junit")) {
        *any = true;
        gate_junit(gate, &self->account.identity, &text);
        done = write_gate_text(self, "junit", &text);
    }
    text_clear(&text);
    if (done && arguments_has(self->arguments, "github")) {
        const char *path = arguments_value(self->arguments, "github");
        *any |= !path || strcmp(path, "-") == 0;
        gate_annotations(gate, &text);
        done = write_gate_text(self, "github", &text);
    }
    return done;
}

static bool write_gate(struct comparing *self, const struct gate *gate, const struct text *headline,
                       const struct output_context *context)
{
    struct outputs outputs = {0};
    struct text words = {0}, first = {0};
    bool is_for_machines = false;
    text_format(&first, "%s%s", gate->setup.count ? gate->setup.items : "",
                gate->setup.count && (gate->incomplete.count || headline->count) ? "\n" : "");
    if (gate->incomplete.count)
        text_format(&first, "Undecided: %s%s", gate->incomplete.items, headline->count ? "\n" : "");
    text_add_view(&first, text_view(headline));
    bool is_first = gate->incomplete.count > 0;
    if (is_first)
        comparing_add_first_lines(self, &first);
    bool done = write_for_machines(self, gate, &is_for_machines);
    struct output_context own = *context;
    own.has_output = is_for_machines;
    gate_words(gate, &words);
    done = done && comparing_open_outputs(self, &own, &outputs);
    if (!outputs.on_terminal && !is_first)
        comparing_add_first_lines(self, &gate->setup);
    if (done && outputs.on_terminal && !is_first && first.count) {
        visible_print_text(first.items, outputs.width, stdout);
        putchar('\n');
    }
    done = done &&
           gate_send(gate, &self->account, outputs.sinks.items, outputs.sinks.count,
                     outputs.on_terminal ? GATE_ONE_SHEET_SHOWN
                     : outputs.one_sheet ? GATE_ONE_SHEET
                                         : GATE_BOTH_SHEETS,
                     self->error) &&
           comparing_finish_outputs(self, &outputs);
    if (done)
        outputs_say(&outputs, self->arguments);
    outputs_close(&outputs);
    if (!done)
        return false;
    if (gate->regressions && !is_first)
        return error_set(self->error, STATUS_CHECK_FAILED, "gate: %s", words.items);
    if (!gate_judged_any(gate))
        return error_set(self->error, STATUS_BAD_INPUT, "gate: %s", words.items);
    if (gate->nothing && arguments_has(self->arguments, "strict-compare"))
        return error_set(self->error, STATUS_BAD_INPUT,
                         "gate: %zu of %zu rules %s no row, which --strict-compare does not allow",
                         gate->nothing, gate->rules.count, gate->nothing == 1 ? "has" : "have");
    return (!gate->undecided && !is_first) || comparing_end_undecided(self, words.items);
}

/* ------------------------------------------------------------------ the call */

static bool run(struct comparing *self)
{
    static const char *const texts[] = {"junit", "github", NULL};
    struct output_context context = {
        .input = "gate", .tables = "gate_", .sheets = 1, .texts = texts};
    gate_rules rules = {0};
    struct gate gate = {0};
    struct text headline = {0};
    self->level = arguments_value(self->arguments, "by");
    const char **paths = arguments_values(self->arguments, "rules");
    for (const char **path = paths; *path; path++) /* inputs, too */
        array_add(&self->inputs, *path);
    const char *named = arguments_value(self->arguments, "baseline");
    const char *other = arguments_value(self->arguments, "candidate");
    if (!read_rules(self, paths, &rules) || !session_operands(self->arguments, 0, 0, self->error))
        return false;
    if (!named)
        return error_set(self->error, STATUS_USAGE,
                         "tpq gate: --baseline is required: a run, label, trace or file");
    if (!comparing_add(self, named) || !comparing_add(self, other ? other : "@last"))
        return false;

    /* A run is not compared with itself. */
    const struct side *base = &self->sides.items[0], *candidate = &self->sides.items[1];
    bool is_same = base->runs.count == candidate->runs.count &&
                   base->traces.count == candidate->traces.count &&
                   base->warehouse == candidate->warehouse && !base->sheets;
    for (size_t i = 0; is_same && i < base->runs.count; i++)
        is_same = strcmp(base->runs.items[i], candidate->runs.items[i]) == 0;
    for (size_t i = 0; is_same && i < base->traces.count; i++)
        is_same = base->traces.items[i] == candidate->traces.items[i];
    if (is_same)
        return error_set(self->error, STATUS_USAGE,
                         "tpq gate: baseline and candidate are the same: '%.200s'", base->name);
    if (!comparing_open(self))
        return false;
    comparing_place(self, &context);
    if (!outputs_check(self->arguments, &context, self->error) || !comparing_check_machines(self) ||
        !judge_gate(self, &rules, paths, &gate, &headline) || !comparing_identify(self))
        return false;
    text_add_view(&gate.setup, text_view(&self->setup));
    return write_gate(self, &gate, &headline, &context);
}

static bool run_gate(const struct arguments *arguments, struct error *error)
{
    struct comparing self;
    bool done = comparing_begin(&self, arguments, error) &&
                (arguments_has(arguments, "pin") ? pin(&self) : run(&self));
    comparing_end(&self);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    OPTION_WAIT,
    {"baseline", 0, "SIDE", "baseline: a run, label, trace or file", NULL},
    {"candidate", 0, "SIDE", "candidate: a run, label, trace or file (@last)", NULL},
    {"pin", 0, "NAME", "keep the run that is named as @pin:NAME, and do nothing else", NULL},
    {"max-regression", 0, "P",
     "largest regression that passes, in percent (2 of the total, 5 of a row)", NULL},
    {"rules", 0, "FILE",
     "CSV (or with tabs) with a rule a line; columns level, key, metric, direction, relative, "
     "absolute, share, alpha, of which all but one may be missing; or .sql, whose rows are "
     "findings; may be repeated",
     NULL},
    OPTIONS_UNDECIDED,
    OPTIONS_COMPARING,
    OPTIONS_VALUES,
    OPTIONS_OF_VIEWS(COMMON) OPTIONS_EXTENSION,
    OPTION_HEALTH_RULE,
    {"junit", 0, "[FILE]", "JUnit, a case for each rule, to standard output or FILE", NULL},
    {"github", 0, "[FILE]", "annotations of GitHub, to standard output or FILE", NULL},
    OPTIONS_OUTPUT,
    OPTION_CSV_RAW,
    OPTION_WIDE,
    OPTION_END,
};

static const struct section sections[] = {
    {"db", "Inputs"},        {"max-regression", "Rules"},
    {"by", "Comparison"},    {"compat", "Reports and models"},
    {"junit", FORM_HEADING}, {NULL, NULL},
};

static const struct example examples[] = {
    {"tpq gate --pin green base", "keep the run base as the baseline"},
    {"tpq gate --baseline @pin:green --max-regression 3%", "may the newest run pass?"},
    {"tpq gate --baseline old.json.gz --candidate new.json.gz --junit=gate.xml",
     "two files, for a build server"},
    {"tpq gate --baseline @pin:green --rules gate.csv --github", "as annotations of GitHub"},
    {NULL, NULL},
};

const struct verb verb_gate = {
    .name = "gate",
    .operands = "[OPTION]... | --pin NAME RUN",
    .summary = "exit status 1 for a regression, 5 if undecided",
    .details =
        "Holds a candidate against a baseline, as tpq compare does. The exit status is 1 when a "
        "rule is broken. By default it is broken when the total of all rows or the end-to-end "
        "step time is worse by more than 2 %. It is also broken when a row of half a "
        "percent of the total is worse by more than 5 % and 10 us. Only significant differences "
        "count. Rows of half a percent are tested together, and again within their op. "
        "A row that only the candidate has counts where the total is worse. When all "
        "kernels take longer by a common factor, only the total tells of it.\n\nThe verdict is "
        "regression, improvement, within noise or undecided. It is undecided, and the status 5, "
        "when too few samples tell of a regression beyond the limit. So it is when "
        "baseline and candidate have other devices or world sizes, or a trace that may lack "
        "events. The line says how many steps a side would decide. An improvement of too few "
        "samples passes (improvement, not tested). With whole traces (--normalize trace) other "
        "numbers of steps leave it "
        "undecided, too. --single-ok takes a difference of few samples as it is, "
        "--allow-incomplete compares incomplete traces, and --undecided pass or fail makes the "
        "status 0 or 1.\n\nA rule is a line of a CSV file: level (as --by), key, metric, "
        "direction, relative, absolute, share and alpha. key is a pattern of rows, empty for "
        "the total; direction is what is worse, up or down. relative is in percent, absolute in "
        "the metric's unit; share is the percentage of the total that a row must have. What a "
        "line leaves open is as usual. The verdict of a rule without a row is nothing (JUnit: "
        "skipped, as undecided rules are). With --strict-compare, or when no rule has a row, "
        "the status is 3.\n\nIn a file of SQL every SELECT is a rule, and every row that it "
        "gives a finding. A row has a name, and may have a verdict (regression, added, "
        "undecided, nothing, improvement), level, metric, unit, base, candidate, diff, pct, "
        "share and p. :baseline and :candidate are the names of the runs, the table gate_side "
        "lists runs and traces of both, and views are about these alone. The comment above a "
        "statement is what outputs call the rule.",
    .preferred = "html",
    .options = options,
    .sections = sections,
    .common = "db baseline candidate max-regression rules pin junit markdown json",
    .examples = examples,
    .run = run_gate,
};
