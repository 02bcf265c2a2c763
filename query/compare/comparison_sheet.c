/* comparison_sheet: see comparison_sheet.h. A column is its words and where its value stands in a
 * row; columns about a side come once for each side, those about a change once for each side but
 * the base. */
#include "query/compare/comparison_sheet.h"

#include "query/compare/sheet_parts.h"
#include "src/base/order.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ columns */

enum fact_kind { FACT_REAL, FACT_STATUS, FACT_VERDICT };

/* A column about a side or a change. */
struct fact {
    const char *name, *meaning;
    const char *unit; /* NULL: that of the metric */
    enum fact_kind kind;
    size_t offset;
    unsigned place; /* of two sides; 0 = not for people */
    bool for_sums;  /* only of figures that add up */
    bool is_signed; /* better or worse than 0 */
};

#define OF_CHANGE(field) offsetof(struct change, field)
#define OF_SIDE(field)   offsetof(struct compared, field)

static const struct fact change_facts[] = {
    {"diff", "candidate minus baseline", NULL, FACT_REAL, OF_CHANGE(difference), 4, false, true},
    {"pct", "difference in percent of the baseline", "%", FACT_REAL, OF_CHANGE(percent), 5, false,
     true},
    {"share", "part of all changes in the same direction", "%", FACT_REAL, OF_CHANGE(share), 6,
     true, false},
    {"status", "both, added (only in the candidate) or removed (only in the baseline)", "",
     FACT_STATUS, OF_CHANGE(status), 20, false, false},
    {"verdict",
     "regression, improvement or significant (neither way is worse), within noise, undecided, too "
     "few samples",
     "", FACT_VERDICT, OF_CHANGE(verdict), 7, false, false},
    {"p", "p-value of Welch's test, corrected for the number of rows", "", FACT_REAL, OF_CHANGE(p),
     0, false, false},
    {"rank p", "p-value of the test of Mann and Whitney, not corrected", "", FACT_REAL,
     OF_CHANGE(rank_p), 0, false, false},
    {"low", "least change of the median, with 95 % confidence", "%", FACT_REAL, OF_CHANGE(low), 0,
     false, false},
    {"high", "greatest change of the median, with 95 % confidence", "%", FACT_REAL, OF_CHANGE(high),
     0, false, false},
    {"mix", "part of the difference that comes from how often it ran", NULL, FACT_REAL,
     OF_CHANGE(mix), 21, true, false},
    {"rate", "part of the difference that comes from how long it takes each time", NULL, FACT_REAL,
     OF_CHANGE(rate), 22, true, false},
    {"excess", "change beyond what all rows have in common", "%", FACT_REAL, OF_CHANGE(excess), 0,
     true, false},
};

/* Verdicts of differences that a test found. */
static const char significant_words[] = "|regression|improvement|significant|";

/* As people see them in rows that a check touches. */
static const char *const marked_verdicts[] = {
    [VERDICT_NONE] = " *",
    [VERDICT_REGRESSION] = "regression *",
    [VERDICT_IMPROVEMENT] = "improvement *",
    [VERDICT_SIGNIFICANT] = "significant *",
    [VERDICT_NOISE] = "within noise *",
    [VERDICT_UNDECIDED] = "undecided *",
    [VERDICT_FEW] = "too few samples *",
};

static const struct fact side_facts[] = {
    {"count", "how often it ran", "", FACT_REAL, OF_SIDE(count), 0, true, false},
    {"median", "median of the samples", NULL, FACT_REAL, OF_SIDE(median), 0, false, false},
    {"spread", "median distance from the median, as a standard deviation", NULL, FACT_REAL,
     OF_SIDE(spread), 0, false, false},
};

enum {
    CHANGE_FACTS = sizeof change_facts / sizeof *change_facts,
    SIDE_FACTS = sizeof side_facts / sizeof *side_facts,
    SIDES_OF_A_PAIR = 2,
    LARGEST = 15,    /* bars of the chart */
    LAST_NEEDED = 5, /* place up to which a table is none without it */
    KEY_PLACE = 8,   /* of further columns of keys, where there is room */
};

struct maker {
    const struct comparison_sheets *sheets;
    const struct comparison *comparison;
    ARRAY(struct column) columns;
    ARRAY(struct cell) cells;
    ARRAY(size_t) order; /* of the columns, where values come first */
    ARRAY(struct column) ordered;
    ARRAY(struct cell) ordered_cells;
    struct text colours;
    struct text led; /* title behind the headline, for outputs that say this nowhere else */
};

static struct column *comparison_sheet_add_column(struct maker *self, const char *name,
                                                  const char *heading, const char *meaning)
{
    struct column *column = array_push(&self->columns);
    *column = (struct column){.name = name, .heading = heading, .unit = "", .meaning = meaning};
    return column;
}

/* True if any row has this part of its key. */
static bool is_used(const struct comparison *comparison, size_t index)
{
    for (size_t i = 0; i < comparison->rows.count; i++)
        if (comparison_key(comparison, comparison->rows.items[i].key)[index].type != CELL_NULL)
            return true;
    return false;
}

static size_t first_used(const struct comparison *comparison)
{
    size_t count = comparison->values.layout.key.count, index = 0;
    while (index < count && !is_used(comparison, index))
        index++;
    return index < count ? index : 0;
}

/* The values of many sides stand side by side, behind them their changes, best and worst. */
static unsigned change_place(const struct maker *self, size_t side)
{
    return (unsigned)(self->comparison->side_count + 1 + side);
}

static void add_key(struct maker *self, size_t index)
{
    struct view key = self->comparison->values.layout.key.items[index];
    const doc_columns *columns = docs_columns(self->comparison->values.report);
    const struct doc_column *doc = NULL;
    for (size_t i = 0; columns && i < columns->count; i++)
        if (view_equal_ignoring_case(view_of(columns->items[i].name), key)) {
            doc = &columns->items[i];
            break;
        }
    struct text copy = {0};
    text_add_view(&copy, key);
    const char *name = copy.items;
    struct column *column =
        comparison_sheet_add_column(self, name, doc ? doc->heading : name, doc ? doc->meaning : "");
    bool is_first = index == first_used(self->comparison);
    size_t sides = self->comparison->side_count;
    unsigned place = sides == SIDES_OF_A_PAIR ? KEY_PLACE : change_place(self, sides) + 1;
    column->place = is_first ? 1 : is_used(self->comparison, index) ? place + (unsigned)index : 0;
    column->is_detail = !column->place;
    column->is_wide = is_first;
    column->is_key = true;
    bool is_list = doc && (strcmp(doc->unit, "tuple") == 0 || strcmp(doc->unit, "list") == 0);
    column->form = is_list                                  ? FORM_LIST
                   : doc && strcmp(doc->unit, "array") == 0 ? FORM_ARRAY
                                                            : FORM_PLAIN;
}

/* A heading: alone where it can be about one side only, else with the name of that. */
static const char *heading_of(struct maker *self, const char *name, size_t side, bool is_pair)
{
    struct text words = {0};
    text_format(&words, is_pair ? "%s" : "%s %s", name, self->comparison->values.sides[side].name);
    return words.items;
}

static void add_fact(struct maker *self, const struct fact *fact, size_t side, bool is_alone)
{
    const struct doc_column *metric = self->comparison->values.metric;
    struct text name = {0};
    text_format(&name, is_alone ? "%s" : "%s_%zu", fact->name, side + 1);
    for (size_t i = 0; i < name.count; i++)
        name.items[i] = name.items[i] == ' ' ? '_' : name.items[i];
    struct column *column = comparison_sheet_add_column(
        self, name.items, heading_of(self, fact->name, side, is_alone), fact->meaning);
    column->unit = fact->unit ? fact->unit : metric ? metric->unit : "";
    column->place = fact->place && (is_alone || fact->offset == OF_CHANGE(percent))
                        ? is_alone ? fact->place : change_place(self, side)
                        : 0;
    column->is_detail = !fact->place;
    column->is_needed = column->place && fact->place <= LAST_NEEDED;
    column->is_number = fact->kind == FACT_REAL;
    column->type = fact->kind == FACT_REAL ? CELL_REAL : CELL_TEXT;
    if (fact->is_signed)
        column->change = polarity_of(metric);
    if (fact->kind == FACT_VERDICT)
        column->significant = significant_words;
}

/* Some columns are shown only with figures that add up. */
static bool is_shown(const struct maker *self, const struct fact *fact)
{
    return self->comparison->values.is_sum || !fact->for_sums;
}

static void add_columns(struct maker *self)
{
    size_t sides = self->comparison->side_count;
    const struct doc_column *metric = self->comparison->values.metric;
    bool is_pair = sides == SIDES_OF_A_PAIR;
    for (size_t i = 0; i < self->comparison->values.layout.key.count; i++)
        add_key(self, i);
    for (size_t i = 0; i < sides; i++) {
        struct text name = {0};
        text_format(&name, "value_%zu", i + 1);
        struct column *column =
            comparison_sheet_add_column(self, name.items, self->comparison->values.sides[i].name,
                                        metric ? metric->meaning : "rows");
        column->unit = metric ? metric->unit : "";
        column->place = (unsigned)i + 2;
        column->is_needed = column->is_number = true;
        column->type = CELL_REAL;
    }
    for (size_t i = 1; i < sides; i++)
        for (size_t j = 0; j < CHANGE_FACTS; j++)
            if (is_shown(self, &change_facts[j]))
                add_fact(self, &change_facts[j], i, is_pair);
    for (int i = 0; i < 2 && !is_pair; i++) {
        static const char *const names[][2] = {{"best", "side with the best value"},
                                               {"worst", "side with the worst value"}};
        struct column *column =
            comparison_sheet_add_column(self, names[i][0], names[i][0], names[i][1]);
        column->place = change_place(self, sides);
    }
    for (size_t i = 0; i < sides; i++)
        for (size_t j = 0; j < SIDE_FACTS; j++)
            if (is_shown(self, &side_facts[j]))
                add_fact(self, &side_facts[j], i, false);
}

/* ------------------------------------------------------------------ rows */

static struct cell fact_cell(const struct fact *fact, const void *facts)
{
    const char *at = (const char *)facts + fact->offset;
    if (fact->kind == FACT_STATUS)
        return text_cell(change_status_names[*(const enum change_status *)(const void *)at]);
    if (fact->kind == FACT_VERDICT) {
        const struct change *change = facts;
        struct cell cell = text_cell(change_verdict_names[change->verdict]);
        if (change->is_touched)
            cell.shown = view_of(marked_verdicts[change->verdict]);
        return cell;
    }
    return real_cell(*(const double *)(const void *)at);
}

/* The side whose value is best, or worst, of those that have the row; NULL: nobody says which is
 * better, or there is no difference. */
static const char *extreme_side(const struct maker *self, const struct compared_row *row,
                                bool is_best)
{
    const struct comparison *comparison = self->comparison;
    enum polarity polarity = polarity_of(comparison->values.metric);
    size_t found = SIZE_MAX, others = 0;
    for (size_t i = 0; i < comparison->side_count; i++) {
        if (!row->sides[i].is_there)
            continue;
        double gap = found == SIZE_MAX ? 0 : row->sides[i].value - row->sides[found].value;
        bool is_less = (polarity == POLARITY_LOWER) == is_best ? gap < 0 : gap > 0;
        others += gap != 0;
        if (found == SIZE_MAX || is_less)
            found = i;
    }
    return polarity == POLARITY_NONE || !others ? NULL : self->comparison->values.sides[found].name;
}

/* The cells of a row, in the order of the columns. */
static void make_row(struct maker *self, const struct compared_row *row)
{
    const struct comparison *comparison = self->comparison;
    size_t sides = comparison->side_count, keys = comparison->values.layout.key.count;
    const struct cell *key = comparison_key(comparison, row->key);
    array_reserve(&self->cells, self->columns.count + 1);
    struct cell *at = self->cells.items;
    for (size_t i = 0; i < keys; i++)
        *at++ = key[i];
    for (size_t i = 0; i < sides; i++)
        *at++ = real_cell(row->sides[i].is_there ? row->sides[i].value : NAN);
    for (size_t i = 1; i < sides; i++)
        for (size_t j = 0; j < CHANGE_FACTS; j++)
            if (is_shown(self, &change_facts[j]))
                *at++ = fact_cell(&change_facts[j], &row->changes[i - 1]);
    for (int i = 0; i < 2 && sides != SIDES_OF_A_PAIR; i++)
        *at++ = text_cell(extreme_side(self, row, i == 0));
    for (size_t i = 0; i < sides; i++)
        for (size_t j = 0; j < SIDE_FACTS; j++)
            if (is_shown(self, &side_facts[j]))
                *at++ = fact_cell(&side_facts[j], &row->sides[i]);

    /* Significant changes are red or green, noise is grey. */
    const struct change *change = &row->changes[0];
    bool is_noise = change->verdict == VERDICT_NOISE || change->verdict == VERDICT_NONE;
    const char *name = change->verdict == VERDICT_REGRESSION ? "red" : "green";
    text_clear(&self->colours);
    text_add(&self->colours, "", 0);
    if (sides == SIDES_OF_A_PAIR && polarity_of(comparison->values.metric) != POLARITY_NONE) {
        if (is_noise)
            text_add_string(&self->colours, "grey");
        else if (!comparison_is_open(change->verdict) && !change->is_common)
            text_format(&self->colours, "diff %s, pct %s, verdict %s", name, name, name);
    }
    *at = (struct cell){.type = CELL_TEXT, .text = text_view(&self->colours)};
}

/* ------------------------------------------------------------------ sheets */

/* Opens the sheet everywhere, hands over its rows, and ends it. */
static bool send_rows(struct maker *self, const struct sheet *sheet, struct error *error)
{
    const struct comparison_sheets *sheets = self->sheets;

    /* Name, values, and of two sides difference and percent; then the rest of the key, and the
     * rest. */
    size_t keys = self->comparison->values.layout.key.count, first = first_used(self->comparison);
    size_t end = keys, count = self->columns.count;
    while (end < count && self->columns.items[end].is_needed)
        end++;
    array_reserve(&self->order, count + 1);
    array_reserve(&self->ordered, count + 1);
    array_reserve(&self->ordered_cells, count + 1);
    size_t *at = self->order.items;
    *at++ = first;
    for (size_t i = keys; i < end; i++)
        *at++ = i;
    for (size_t i = 0; i < keys; i++)
        if (i != first)
            *at++ = i;
    for (size_t i = end; i <= count; i++) /* behind the columns is the cell of colours */
        *at++ = i;
    for (size_t i = 0; i < count; i++)
        self->ordered.items[i] = self->columns.items[self->order.items[i]];
    bool done = true;
    struct sheet ordered = *sheet, led = *sheet;
    ordered.columns = self->ordered.items;
    led.title = self->led.items;
    for (size_t i = 0; i < sheets->sink_count && done; i++) {
        struct sink *sink = sheets->sinks[i];
        done = sink->begin(sink,
                           sink->values_first  ? &ordered
                           : sink->titles_lead ? &led
                                               : sheet,
                           error);
    }
    for (size_t i = 0; i < self->comparison->rows.count && done; i++) {
        make_row(self, &self->comparison->rows.items[i]);
        for (size_t j = 0; j <= self->columns.count; j++)
            self->ordered_cells.items[j] = self->cells.items[self->order.items[j]];
        for (size_t j = 0; j < sheets->sink_count && done; j++)
            done = sheets->sinks[j]->row(sheets->sinks[j],
                                         sheets->sinks[j]->values_first ? self->ordered_cells.items
                                                                        : self->cells.items,
                                         error);
    }
    for (size_t i = 0; i < sheets->sink_count && done; i++)
        done = sheets->sinks[i]->end(sheets->sinks[i], error);
    return done;
}

/* Makes the title behind the sentences that say it all, where this is the first sheet. */
static void lead_title(struct maker *self, const struct text *title, bool is_first)
{
    const struct comparison_sheets *sheets = self->sheets;
    struct text lines = {0};
    if (is_first && sheets->with_headline)
        comparison_lines(sheets->comparison, &lines);
    for (const char *at = lines.count ? lines.items : ""; *at;) {
        size_t length = strcspn(at, "\n");
        text_format(&self->led, "%.*s. ", (int)length, at);
        at += length + (at[length] == '\n');
    }
    text_add_view(&self->led, text_view(title));
}

static bool leads_with_parts(const struct comparison_sheets *sheets)
{
    return sheets->with_parts && sheets->comparison->parts && sheets->parts_first;
}

/* The meaning of the marks of rows; nothing where there are none. */
static void add_touched(const chosen_touches *touches, struct text *words)
{
    if (!touches->count)
        return;
    text_add_string(words, "* touched by findings of trace_health: ");
    touches_add_found(touches, 0, false, words);
}

static bool send_changes(struct maker *self, struct error *error)
{
    const struct comparison_sheets *sheets = self->sheets;
    const struct comparison *comparison = self->comparison;
    const struct doc_column *metric = comparison->values.metric;
    struct text title = {0}, touched = {0}, reasons = {0};
    add_touched(&comparison->touches, &touched);

    /* Why sides are undecided, up to what traces say of themselves: that stands in no note. */
    for (size_t i = 0; i + 1 < comparison->side_count; i++) {
        const struct text *why = &comparison->undecided[i];
        if (why->count)
            text_format(&reasons, "%sside %zu is undecided: %.*s", reasons.count ? "; " : "", i + 2,
                        (int)strcspn(why->items, ":"), why->items);
    }
    text_format(&title, "%s of %s", metric ? metric->heading : "rows",
                comparison->values.report->name);
    const char *of = comparison->is_by_run               ? "run"
                     : comparison_is_by_step(comparison) ? "step"
                                                         : "sample";
    for (size_t i = 0; i < comparison->side_count; i++)
        text_format(&title, "%s%zu", i ? " against " : ", mean of ", comparison->sample_counts[i]);
    size_t last = comparison->sample_counts[comparison->side_count - 1];
    text_format(&title, " %s%s", of, last == 1 ? "" : "s");
    common_key_add_title(&comparison->values, &title);
    add_columns(self);
    lead_title(self, &title, !leads_with_parts(sheets));
    struct sheet sheet = {.name = sheets->level,
                          .title = title.items,
                          .tab = "compare",
                          .columns = self->columns.items,
                          .column_count = self->columns.count,
                          .has_colours = true,
                          .is_brief = true,
                          .not_included = sheets->account->notes.items,
                          .not_included_count = sheets->account->notes.count,
                          .why_empty = sheets->account->why_empty,
                          .abstained = touched.items,
                          .warning = reasons.items};
    return send_rows(self, &sheet, error);
}

ORDER_BY(by_weight, struct compared_row, DOWN(weight) || UP(key));

/* The largest differences of two sides, whichever way they go, as bars. */
static bool send_largest(struct maker *self, struct error *error)
{
    const struct comparison *comparison = self->comparison;
    const struct comparison_sheets *sheets = self->sheets;
    const struct doc_column *metric = comparison->values.metric;
    const char *unit = metric ? metric->unit : "";
    ARRAY(struct compared_row) rows = {0};
    bool done = true;
    for (size_t i = 0; i < comparison->rows.count; i++) {
        struct compared_row row = comparison->rows.items[i];
        bool is_total = row.weight == 0;
        row.weight = fabs(row.changes[0].difference);
        if (!is_total && row.weight > 0)
            array_add(&rows, row);
    }
    array_sort(&rows, by_weight);
    struct text title = {0};
    text_format(&title, "Largest differences of %s, candidate minus baseline",
                metric ? metric->heading : "rows");
    const struct column columns[] = {
        TEXT_COLUMN("name", "", 1, "name of the row", .is_key = true, .is_wide = true),
        NUMBER_COLUMN("baseline", unit, 2, "value of the baseline"),
        NUMBER_COLUMN("candidate", unit, 3, "value of the candidate"),
        NUMBER_COLUMN("difference", unit, 4, "candidate minus baseline",
                      .change = polarity_of(metric)),
        NUMBER_COLUMN("percent", "%", 5, "difference in percent of the baseline",
                      .change = polarity_of(metric)),
    };
    struct sheet sheet = {.name = "largest_differences",
                          .title = title.items,
                          .chart = "bar name difference",
                          .columns = columns,
                          .column_count = sizeof columns / sizeof *columns,
                          .is_brief = true};
    for (size_t i = 0; i < sheets->sink_count && rows.count && done; i++) {
        struct sink *sink = sheets->sinks[i];
        if (!sink->values_first || !sink->has_charts) /* others have these rows already */
            continue;
        done = sink->begin(sink, &sheet, error);
        for (size_t j = 0; j < rows.count && j < LARGEST && done; j++) {
            const struct compared_row *row = &rows.items[j];
            struct text name = {0};
            comparison_row_name(comparison, row->key, &name);
            const struct cell cells[] = {
                text_cell(name.items),
                real_cell(row->sides[0].is_there ? row->sides[0].value : NAN),
                real_cell(row->sides[1].is_there ? row->sides[1].value : NAN),
                real_cell(row->changes[0].difference),
                real_cell(row->changes[0].percent),
            };
            done = sink->row(sink, cells, error);
        }
        done = done && sink->end(sink, error);
    }
    return done;
}

/* The whole as a sheet: a row a side. */
static bool send_summary(struct maker *self, struct error *error)
{
    const struct comparison *comparison = self->comparison;
    const struct comparison_sheets *sheets = self->sheets;
    const struct doc_column *metric = comparison->values.metric;
    const char *unit = metric ? metric->unit : "";
    const struct column columns[] = {
        TEXT_COLUMN("side", "", 0, "what is compared"),
        NUMBER_COLUMN("samples", "", 0, "steps or runs"),
        NUMBER_COLUMN("total", unit, 0, "of all rows"),
        NUMBER_COLUMN("diff", unit, 0, "difference from the baseline",
                      .change = polarity_of(metric)),
        NUMBER_COLUMN("pct", "%", 0, "difference in percent of the baseline",
                      .change = polarity_of(metric)),
        NUMBER_COLUMN("p", "", 0, "p-value of the difference"),
        NUMBER_COLUMN("step_ms", "ms", 0, "step time, where all sides have steps"),
        NUMBER_COLUMN("step_pct", "%", 0, "difference of the step time from the baseline",
                      .change = POLARITY_LOWER),
        TEXT_COLUMN(
            "verdict", "", 0,
            "regression, improvement, significant, within noise, undecided, or too few samples",
            .significant = significant_words),
        {.name = "common_factor",
         .heading = "common factor",
         .unit = "",
         .meaning = "what nearly all rows have in common; 1 = nothing",
         .is_number = true},
        {.name = "common_share",
         .heading = "common share",
         .unit = "%",
         .meaning = "part of the total in rows that all sides have",
         .is_number = true},
    };
    struct sheet sheet = {.name = "summary",
                          .title = "Totals; the first side is the baseline.",
                          .tab = "compare",
                          .columns = columns,
                          .column_count = sizeof columns / sizeof *columns,
                          .is_brief = true};
    bool done = true;
    for (size_t i = 0; i < sheets->sink_count && done; i++)
        done = sheets->sinks[i]->begin(sheets->sinks[i], &sheet, error);
    for (size_t i = 0; i < comparison->side_count && done; i++) {
        const struct change none = {.p = NAN, .difference = NAN, .percent = NAN};
        const struct change *change = i ? &comparison->total.changes[i - 1] : &none;
        const struct compared_row *steps = comparison->steps.changes ? &comparison->steps : NULL;
        const struct cell cells[] = {
            text_cell(comparison->values.sides[i].name),
            count_cell(comparison->sample_counts[i]),
            real_cell(comparison->total.sides[i].value),
            real_cell(change->difference),
            real_cell(change->percent),
            real_cell(change->p),
            real_cell(steps ? steps->sides[i].value / 1e6 : NAN),
            real_cell(steps && i ? steps->changes[i - 1].percent : NAN),
            text_cell(i ? change_verdict_names[comparison_verdict(comparison, i - 1)] : "baseline"),
            real_cell(i ? comparison->factors[i - 1].factor : NAN),
            real_cell(comparison->values.layout.total ? NAN : comparison->covered[i]),
        };
        for (size_t j = 0; j < sheets->sink_count && done; j++)
            done = sheets->sinks[j]->row(sheets->sinks[j], cells, error);
    }
    for (size_t i = 0; i < sheets->sink_count && done; i++)
        done = sheets->sinks[i]->end(sheets->sinks[i], error);
    return done;
}

/* A figure of the parts for each side, or for each candidate, in whole ns. */
static void add_parts_columns(struct maker *self, const char *stem, const char *meaning,
                              bool is_change)
{
    const struct side_values *sides = self->comparison->values.sides;
    size_t count = self->comparison->side_count;
    bool is_pair = count == SIDES_OF_A_PAIR;
    for (size_t i = is_change; i < count; i++) {
        struct text name = {0};
        text_format(&name, is_change && is_pair ? "%s" : "%s_%zu", stem, i + 1);
        const char *kept = name.items;
        struct column *column = comparison_sheet_add_column(
            self, kept, is_change ? heading_of(self, stem, i, is_pair) : sides[i].name, meaning);
        column->unit = "ns";
        column->place = (unsigned)self->columns.count;
        column->is_number = column->is_needed = true;
        column->type = CELL_INTEGER;
        column->change = is_change ? POLARITY_LOWER : POLARITY_NONE;
    }
}

static bool send_part(struct maker *self, const char *name, const struct time_part *part,
                      struct error *error)
{
    const struct comparison_sheets *sheets = self->sheets;
    const struct time_parts *parts = self->comparison->parts;
    size_t count = self->comparison->side_count;
    const int64_t *ns = part ? part->ns : parts->total_ns;
    array_reserve(&self->cells, 2 * count);
    struct cell *cells = self->cells.items;
    cells[0] = text_cell(name);
    if (part ? part->is_touched : parts->is_touched) {
        struct text shown = {0};
        text_format(&shown, "%s *", name);
        cells[0].shown = view_of(shown.items);
    }
    for (size_t i = 0; i < count; i++)
        cells[1 + i] = (struct cell){.type = CELL_INTEGER, .integer = ns[i]};
    for (size_t i = 0; i + 1 < count; i++)
        cells[1 + count + i] =
            part && part->is_baseless
                ? (struct cell){.type = CELL_NULL, .is_abstained = true}
                : (struct cell){.type = CELL_INTEGER, .integer = time_parts_change(parts, part, i)};
    bool done = true;
    for (size_t i = 0; i < sheets->sink_count && done; i++)
        done = sheets->sinks[i]->row(sheets->sinks[i], cells, error);
    return done;
}

/* The parts of the time, greatest change first; the last row is their sum. */
static bool send_parts(const struct comparison_sheets *sheets, struct error *error)
{
    static const char by_step[] = "Parts of the step time, which add up to it (mean of the steps).",
                      by_window[] = "Parts of the time from the first start to the last end of GPU "
                                    "activities, which add up to it.",
                      moved[] = " Idle time moved most: --by op_shape compares ops.";
    struct maker self = {.sheets = sheets, .comparison = sheets->comparison};
    const struct time_parts *parts = sheets->comparison->parts;
    struct column *part = comparison_sheet_add_column(&self, "part", "part", "part of the time");
    part->place = 1;
    part->is_key = part->is_wide = true;
    struct text title = {0}, touched = {0};
    add_touched(&parts->touches, &touched);
    text_format(&title, "%s%s", parts->is_by_step ? by_step : by_window,
                sheets->only_parts ? moved : "");
    add_parts_columns(&self, "value", "time of the part", false);
    add_parts_columns(&self, "diff", "candidate minus baseline", true);
    lead_title(&self, &title, leads_with_parts(sheets));
    struct sheet sheet = {.name = "time_parts",
                          .title = title.items,
                          .tab = "compare",
                          .columns = self.columns.items,
                          .column_count = self.columns.count,
                          .is_brief = true,
                          .abstained = touched.items};
    struct sheet led = sheet;
    led.title = self.led.items;
    bool done = true;
    for (size_t i = 0; i < sheets->sink_count && done; i++)
        done = sheets->sinks[i]->begin(sheets->sinks[i],
                                       sheets->sinks[i]->titles_lead ? &led : &sheet, error);
    for (size_t i = 0; i < parts->parts.count && done; i++)
        done = send_part(&self, parts->parts.items[i].name, &parts->parts.items[i], error);
    done = done && send_part(&self, parts->is_by_step ? "step time" : "window", NULL, error);
    for (size_t i = 0; i < sheets->sink_count && done; i++)
        done = sheets->sinks[i]->end(sheets->sinks[i], error);
    return done;
}

bool comparison_send(const struct comparison_sheets *sheets, struct error *error)
{
    struct maker self = {.sheets = sheets, .comparison = sheets->comparison};
    const struct time_parts *parts = sheets->comparison->parts;
    bool has_parts = sheets->with_parts && parts && parts->parts.count;
    return (!has_parts || !sheets->parts_first || send_parts(sheets, error)) &&
           ((has_parts && sheets->only_parts) || send_changes(&self, error)) &&
           (!sheets->with_summary || send_summary(&self, error)) &&
           (!sheets->with_summary || sheets->comparison->side_count != SIDES_OF_A_PAIR ||
            send_largest(&self, error)) &&
           (!has_parts || sheets->parts_first || send_parts(sheets, error));
}
