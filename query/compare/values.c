/* values: sides are read one after the other, run by run; keys get their numbers in the order in
 * which they come, the same for all sides. A run with steps is asked step by step, unless its rows
 * state their sample; a side of sheets in files is one sample.
 */
#include "query/compare/values.h"

#include "query/compare/key_text.h"
#include "query/compare/sheet_files.h"
#include "sql/database.h"
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct values *self;
    const struct values_options *options;
    struct side *side;
    struct side_values *values;
    struct question question; /* whose rows are values, with what counts them */
    struct cell *cells;       /* of a key */
    int64_t first_step;       /* rows of steps before it are of warming up */
    ARRAY(int64_t) cut;       /* steps of a run that the recording cuts, ascending */
    struct text sql, scratch_key, bytes;
    struct error *error;
};

/* ------------------------------------------------------------------ what is read */

/* Where a column stands among the key; SIZE_MAX: it does not. */
static size_t place_in_key(const struct layout *layout, const char *column)
{
    for (size_t i = 0; column && i < layout->key.count; i++)
        if (view_equal_ignoring_case(layout->key.items[i], view_of(column)))
            return i;
    return SIZE_MAX;
}

static bool find_metric(struct values *self, const char *name, struct error *error)
{
    const struct doc_object *report = self->report;
    const doc_columns *columns = docs_columns(report);
    struct view measure = self->layout.measure;
    const char *names[200];
    size_t count = 0;
    for (size_t i = 0; i < columns->count && !self->metric; i++) {
        const struct doc_column *column = &columns->items[i];

        /* The values of a column are figures, also where no type is stated. */
        if (strcmp(column->type, "text") == 0 || strcmp(column->name, "run") == 0 ||
            strcmp(column->name, "trace_id") == 0 ||
            place_in_key(&self->layout, column->name) != SIZE_MAX)
            continue;
        if (count < sizeof names / sizeof *names)
            names[count++] = column->name;
        bool is_first = measure.length ? view_equal_ignoring_case(measure, view_of(column->name))
                                       : *column->polarity != '\0';
        if (name ? strcasecmp(column->name, name) == 0 || strcasecmp(column->heading, name) == 0
                 : is_first)
            self->metric = column;
    }
    const char *near = name && !self->metric ? nearest_name(name, names, count) : NULL;
    if (near)
        return error_set(error, STATUS_USAGE, "%s has no figures '%.200s'; did you mean %s?",
                         report->name, name, near);
    if (name && !self->metric)
        return error_set(error, STATUS_USAGE, "%s has no figures '%.200s'; see tpq describe %s",
                         report->name, name, report->name);
    self->is_sum = !self->metric ||
                   (measure.length && !self->layout.has_no_sum &&
                    view_equal_ignoring_case(measure, view_of(self->metric->name))) ||
                   (self->layout.count.length &&
                    view_equal_ignoring_case(self->layout.count, view_of(self->metric->name)));
    return true;
}

static void add_name(struct text *sql, struct view name, const char *after)
{
    text_add_string(sql, database_format("\"%.*w\"%s", (int)name.length, name.bytes, after));
}

static void make_question(struct reader *reader)
{
    /* Only these columns are asked for: what a view need not compute it does not. */
    struct text *sql = &reader->sql;
    const struct values *self = reader->self;
    const char *figures = self->layout.figures;
    struct view metric = view_of(self->metric ? self->metric->name : "");
    bool is_enough = figures && self->metric &&
                     (view_equal_ignoring_case(self->layout.measure, metric) ||
                      view_equal_ignoring_case(self->layout.count, metric));
    text_add_string(sql, "SELECT ");
    for (size_t i = 0; i < self->layout.key.count; i++)
        add_name(sql, self->layout.key.items[i], ", ");
    if (self->metric)
        add_name(sql, metric, ", ");
    else
        text_add_string(sql, "1, ");
    if (self->layout.count.length)
        add_name(sql, self->layout.count, ", ");
    else
        text_add_string(sql, "1, ");
    text_add_string(sql, "(SELECT count(DISTINCT trace_id) FROM scope) FROM ");
    add_name(sql, view_of(is_enough ? figures : self->report->name), "");
    reader->question =
        (struct question){self->report->name, sql->items, self->layout.key.count + 3};
}

/* ------------------------------------------------------------------ one sample */

static uint32_t key_number(struct reader *reader)
{
    struct values *self = reader->self;
    struct text *bytes = &reader->bytes;
    text_clear(bytes);
    key_text_of(reader->cells, self->layout.key.count, bytes, &reader->scratch_key);
    uint32_t number = intern_add(&self->keys, bytes->items, bytes->count);
    if ((int64_t)number > self->cells.rows)
        result_add(&self->cells, reader->cells);
    return number;
}

struct value *values_at(struct side_values *values, uint32_t key, uint32_t sample)
{
    uint32_t *place = map_put(&values->places, key, sample);
    if (!*place) {
        array_add(&values->values, (struct value){.key = key, .sample = sample});
        *place = (uint32_t)values->values.count;
    }
    return &values->values.items[*place - 1];
}

/* The sample that a row says it is of: a new one, or one that another row was of. */
static uint32_t find_sample(struct reader *reader, size_t run)
{
    struct side_values *values = reader->values;
    size_t column = reader->self->sample_column;
    struct text *bytes = &reader->bytes;
    if (column == SIZE_MAX) {
        array_add(&values->samples, run);
        return (uint32_t)values->samples.count - 1;
    }
    text_clear(bytes);
    text_format(bytes, "%zu ", run);
    cell_add_text(&reader->cells[column], FORM_PLAIN, bytes);
    uint32_t number = intern_add(&values->stated, bytes->items, bytes->count);
    if (number > values->samples.count)
        array_add(&values->samples, run);
    return number - 1;
}

static bool is_cut(const struct reader *reader, int64_t step)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, reader->cut.count, reader->cut.items[place] < step);
    return place < reader->cut.count && reader->cut.items[place] == step;
}

/* Takes a figure of the key in the reader's cells. */
static void take_figure(struct reader *reader, size_t run, double figure, double count,
                        double share)
{
    struct values *self = reader->self;

    /* Rows of steps that do not count are skipped. */
    size_t column = self->sample_column;
    const struct cell *step = column == SIZE_MAX ? NULL : &reader->cells[column];
    if (step && step->type == CELL_INTEGER &&
        (step->integer < reader->first_step || is_cut(reader, step->integer)))
        return;
    uint32_t sample;
    if (self->are_rows_samples)
        sample = find_sample(reader, run);
    else
        sample = (uint32_t)reader->values->samples.count - 1;
    struct value *value = values_at(reader->values, key_number(reader), sample);
    value->sum += figure * (self->is_sum ? share : 1);
    value->count += count * share;
    value->rows++;
}

static void take_sheet_row(void *context, const struct cell *key, const struct cell *figure,
                           const struct cell *count)
{
    struct reader *reader = context;
    size_t width = reader->self->layout.key.count;
    if (!cell_is_number(figure))
        return;
    for (size_t i = 0; i < width; i++)
        reader->cells[i] = key[i];
    take_figure(reader, 0, cell_number(figure, 0), cell_number(count, 0), 1);
}

/* How many tokens the runs that are selected served; 1 where values are not by token. */
static bool find_tokens(struct reader *reader, int64_t *tokens)
{
    struct side *side = reader->side;
    *tokens = 1;
    if (!reader->self->is_by_token)
        return true;
    *tokens = 0;
    /* each rank is given all of them; the rank that tells of most counts */
    static const char sql[] = "SELECT max(tokens) FROM (SELECT run, sum(c_sq + g_sq) AS tokens "
                              "FROM inference_step GROUP BY run, trace_id) GROUP BY run";
    if (database_ask(side->warehouse->db, sql, 0, tokens) != SQLITE_OK)
        return warehouse_error(side->warehouse, reader->error);
    return *tokens > 0 ||
           error_set(reader->error, STATUS_BAD_INPUT,
                     "%s: no step says how many tokens it served; values by token need that",
                     side->name);
}

/* Reads the report about a run, or a step of it. Each of its traces has its share of the values. */
static bool read_sample(struct reader *reader, size_t run, enum side_part part, int64_t step)
{
    const struct values *self = reader->self;
    struct side *side = reader->side;
    size_t metric = self->layout.key.count;
    int64_t tokens = 1;
    struct result rows = {0};
    struct result_cursor cursor = {0};
    bool done = !self->is_by_token ||
                (side_select_all(side, run, reader->error) && find_tokens(reader, &tokens));
    done = done && side_ask(side, run, part, step, &reader->question, &rows, reader->error);
    if (!done)
        return error_context(reader->error, "report %s", self->report->name);
    if (!self->are_rows_samples)
        array_add(&reader->values->samples, run);
    struct cell *cells = reader->cells;
    while (result_next(&rows, &cursor, cells)) {
        double traces = self->layout.is_about_runs ? 1 : cell_number(&cells[metric + 2], 1);
        if (cell_is_number(&cells[metric]))
            take_figure(reader, run, cell_number(&cells[metric], 0),
                        cell_number(&cells[metric + 1], 0), 1 / traces / (double)tokens);
    }
    result_free(&rows);
    return true;
}

static bool read_run(struct reader *reader, size_t run)
{
    side_note_all(reader->side, run);
    return read_sample(reader, run, SIDE_WHOLE, 0);
}

/* ------------------------------------------------------------------ steps */

struct traced_step {
    int64_t step, trace;
    double ns; /* from its start to its end */
};
typedef ARRAY(struct traced_step) step_list;

/* The steps of a run's traces, in order; only those of the traces that count. */
static bool find_steps(struct side *side, size_t run, step_list *steps, struct error *error)
{
#define STEPS_OF(TRACE)                                                                    \
    "WITH marked AS MATERIALIZED (SELECT trace.id AS trace_id, kind, step, ts_ns, dur_ns " \
    "FROM run JOIN trace ON trace.run_id = run.id "                                        \
    "CROSS JOIN step_mark ON step_mark.trace_id = trace.id "                               \
    "WHERE run.name = ?1 AND step IS NOT NULL) "                                           \
    "SELECT step, " TRACE ", 1.0 * (max(ts_ns + dur_ns) - min(ts_ns)) FROM marked "        \
    "WHERE kind = 'step' OR trace_id NOT IN "                                              \
    "(SELECT trace_id FROM marked WHERE kind = 'step') GROUP BY step, trace_id ORDER BY step"
    /* Ids of traces are this file's. */
    static const struct question kept = {"steps", STEPS_OF("0"), 3},
                                 asked = {"steps", STEPS_OF("trace_id"), 3};
    struct result rows;
    struct result_cursor cursor = {0};
    struct cell cells[3];
    bool done = side_ask(side, run, SIDE_WHOLE, 0, side_keeps(side) ? &kept : &asked, &rows, error);
    steps->count = 0;
    while (done && result_next(&rows, &cursor, cells)) {
        struct traced_step step = {cells[0].integer, cells[1].integer, cell_number(&cells[2], 0)};
        bool counts = !side->traces.count;
        for (size_t i = 0; i < side->traces.count; i++)
            counts |= side->traces.items[i] == step.trace;
        if (counts)
            array_add(steps, step);
    }
    return done;
}

/* The place behind those of the step at `first`. */
static size_t step_end(const step_list *steps, size_t first)
{
    size_t end = first;
    while (end < steps->count && steps->items[end].step == steps->items[first].step)
        end++;
    return end;
}

/* Finds the steps of a run, and the first one that counts: what is before it is warming up. */
static bool find_counted(struct reader *reader, size_t run, step_list *steps, size_t *first)
{
    size_t count = 0, warmup = 0;
    *first = 0;
    struct side *side = reader->side;
    if (!find_steps(side, run, steps, reader->error))
        return false;

    /* Takes the steps of a run that the recording cuts, on any of its traces, out of a list. */
    static const struct question cut = {"cut_step",
                                        "SELECT DISTINCT step FROM cut_step ORDER BY step", 1};
    struct result rows;
    struct result_cursor cursor = {0};
    struct cell step;
    bool done = side_ask(side, run, SIDE_READ, 0, &cut, &rows, reader->error);
    reader->cut.count = 0;
    while (done && result_next(&rows, &cursor, &step))
        array_add(&reader->cut, step.integer);
    size_t kept = 0;
    for (size_t i = 0; i < steps->count; i++)
        if (!is_cut(reader, steps->items[i].step))
            steps->items[kept++] = steps->items[i];
    steps->count = kept;
    reader->values->cut_steps += reader->cut.count;
    if (!done)
        return false;
    for (size_t i = 0; i < steps->count; i = step_end(steps, i))
        count++;
    if (count) {
        /* Steps at the start of a run are left out. */
        enum { ENOUGH = 3 };
        long asked = reader->options->warmup;
        warmup = asked >= 0 ? (size_t)asked : count > ENOUGH;
        if (warmup >= count)
            return error_set(reader->error, STATUS_BAD_INPUT,
                             "%s: --warmup %zu leaves none of its %zu steps", reader->side->name,
                             warmup, count);
    }
    for (size_t i = 0; i < warmup; i++)
        *first = step_end(steps, *first);
    reader->values->not_included += warmup;
    return true;
}

static bool read_steps(struct reader *reader, size_t run)
{
    step_list steps = {0};
    size_t first = 0;
    if (!find_counted(reader, run, &steps, &first))
        return false;
    for (size_t i = first; i < steps.count; i = step_end(&steps, i)) {
        if (steps.items[i].step < 0)
            continue;
        if (!read_sample(reader, run, SIDE_STEP, steps.items[i].step))
            return false;

        /* The time of a step: the mean of the traces that are selected. */
        const struct context *context = reader->side->warehouse->context;
        double sum = 0;
        size_t count = 0;
        for (size_t j = i; j < step_end(&steps, i); j++) {
            bool is_selected = !steps.items[j].trace;
            for (size_t k = 0; k < context->selection.count && !is_selected; k++)
                is_selected = context->selection.items[k].trace_id == steps.items[j].trace;
            sum += is_selected ? steps.items[j].ns : 0;
            count += is_selected;
        }
        array_add(&reader->values->step_ns, count ? sum / (double)count : 0);
    }
    return true;
}

/* Reads rows that name their step; rows of warm-up steps are skipped. */
static bool read_stated(struct reader *reader, size_t run)
{
    step_list steps = {0};
    size_t first = 0;
    bool is_given = reader->side->common.step != NULL;
    bool done = is_given || find_counted(reader, run, &steps, &first);
    reader->first_step = done && first < steps.count ? steps.items[first].step : INT64_MIN;
    struct side *side = reader->side;
    bool was_all = run < side->steps.count && side->steps.items[run].all;
    done = done && read_run(reader, run);
    if (done && steps.count && (first || reader->cut.count)) { /* only they count of all */
        side->steps.items[run].all = was_all;
        side_note_step(side, run, steps.items[steps.count - 1].step);
        side_note_step(side, run, steps.items[first].step);
    }
    return done;
}

/* Finds a side with a run that has no steps. */
static bool find_lacking_side(struct side *sides, size_t side_count, const char **lacking,
                              struct error *error)
{
    step_list steps = {0};
    *lacking = NULL;
    for (size_t i = 0; i < side_count; i++) {
        *lacking = sides[i].sheets ? sides[i].name : *lacking;
        for (size_t j = 0; j < sides[i].runs.count && !*lacking; j++) {
            if (!find_steps(&sides[i], j, &steps, error))
                return false;
            *lacking = steps.count ? NULL : sides[i].name;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ all of it */

/* --warmup leaves out steps, which values must be of. */
static bool check_warmup(const struct values *self, const struct values_options *options,
                         bool is_given, const char *lacking, struct error *error)
{
    bool are_steps = self->is_by_step || self->sample_column != SIZE_MAX;
    if (options->warmup <= 0 || (are_steps && !is_given))
        return true;
    if (lacking && !is_given)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: there are no profiler steps that --warmup could leave out", lacking);
    return error_set(error, STATUS_USAGE, "--warmup goes with values of steps, but not with %s",
                     is_given ? "--step, which names them"
                              : "those of a trace or token (--normalize)");
}

static bool choose_samples(struct values *self, struct side *sides,
                           const struct values_options *options, struct error *error)
{
    const char *lacking;
    const struct selection *common = &sides->common;
    bool is_given = common->step != NULL;
    bool is_narrowed = is_given || common->time || common->where || common->rank;
    for (size_t i = 0; i < self->side_count; i++)
        if (sides[i].sheets && (is_narrowed || options->unit == VALUES_BY_TOKEN))
            return error_set(error, STATUS_USAGE,
                             "%s: nothing can be selected of sheets in a file, and they do not "
                             "tell tokens",
                             sides[i].name);
    self->are_rows_samples = self->layout.sample != NULL;
    self->sample_column = place_in_key(&self->layout, self->layout.sample);
    self->is_by_token = options->unit == VALUES_BY_TOKEN;
    if (options->unit == VALUES_BY_TRACE || self->is_by_token || self->are_rows_samples ||
        self->layout.is_whole)
        return check_warmup(self, options, is_given, NULL, error);
    if (is_given)
        return options->unit == VALUES_BY_STEP_IF_ANY
                   ? check_warmup(self, options, is_given, NULL, error)
                   : error_set(error, STATUS_USAGE, "values are either of --step or of each step");
    if (!find_lacking_side(sides, self->side_count, &lacking, error))
        return false;
    self->is_by_step = !lacking;
    self->has_step_times = self->is_by_step && !common->where && !common->time;
    if (lacking && options->unit == VALUES_BY_STEP)
        return error_set(error, STATUS_BAD_INPUT, "%s: there are no profiler steps", lacking);
    return check_warmup(self, options, is_given, lacking, error);
}

static bool read_side(struct values *self, struct side *side, struct side_values *values,
                      const struct values_options *options, struct error *error)
{
    struct reader reader = {.self = self,
                            .options = options,
                            .side = side,
                            .values = values,
                            .first_step = INT64_MIN,
                            .error = error};
    bool are_stated = self->sample_column != SIZE_MAX;
    values->name = side->name;
    values->run_count = side->sheets ? 1 : side->runs.count;
    reader.cells = memory_zeroed(self->layout.key.count + 3, sizeof *reader.cells);
    if (side->sheets) {
        /* Sheets in a file are one sample. */
        struct sheet_rows rows = {side->sheets, side->name, &self->layout, self->metric};
        if (!self->are_rows_samples)
            array_add(&values->samples, 0);
        return sheet_rows_read(&rows, take_sheet_row, &reader, error);
    }
    make_question(&reader);
    for (size_t i = 0; i < side->runs.count; i++)
        if (!(self->is_by_step ? read_steps(&reader, i)
              : are_stated     ? read_stated(&reader, i)
                               : read_run(&reader, i)))
            return false;
    return true;
}

bool values_read(struct values *self, const struct doc_object *report, struct side *sides,
                 size_t side_count, const struct values_options *options, struct error *error)
{
    *self = (struct values){.report = report, .side_count = side_count};
    self->sides = memory_zeroed(side_count + 1, sizeof *self->sides);
    if (!layout_read(&self->layout, report, error))
        return false;
    if (!self->layout.key.count)
        return error_set(error, STATUS_USAGE,
                         "%s cannot be compared: it declares no key (a line \"-- key: COLUMN, "
                         "...\" in its file)",
                         report->name);
    if (!find_metric(self, options->metric, error) || !choose_samples(self, sides, options, error))
        return false;
    result_init(&self->cells, self->layout.key.count);
    for (size_t i = 0; i < side_count; i++)
        if (!read_side(self, &sides[i], &self->sides[i], options, error))
            return false;
    return true;
}

/* ------------------------------------------------------------------ a common key
 *
 * Keys are read into one array of cells. Columns that some side never fills become NULL there, and
 * all keys are numbered anew; values whose keys are now equal are added. The first column of the
 * key always stays. */

/* Finds what a side lacks in all of its rows and another one has; the first column always counts.
 */
static void find_lacking(struct values *self, const struct cell *cells)
{
    size_t width = self->layout.key.count;
    bool *any = memory_zeroed(width + 1, sizeof *any);
    size_t *lacking = memory_zeroed(width + 1, sizeof *lacking); /* the side + 1 */
    for (size_t i = 0; i < self->side_count; i++) {
        const struct side_values *side = &self->sides[i];
        for (size_t j = 1; j < width && side->values.count; j++) {
            bool is_used = false;
            for (size_t k = 0; k < side->values.count && !is_used; k++)
                is_used = cells[(side->values.items[k].key - 1) * width + j].type != CELL_NULL;
            any[j] |= is_used;
            lacking[j] = is_used ? lacking[j] : i + 1;
        }
    }
    for (size_t j = 1; j < width; j++)
        if (any[j] && lacking[j])
            array_add(&self->not_included, (struct not_included_key){j, lacking[j] - 1});
}

/* Numbers the keys anew, without the columns that are left out. */
static void number_keys(struct values *self, struct cell *cells, uint32_t *keys)
{
    size_t width = self->layout.key.count, count = intern_count(&self->keys);
    struct intern numbers = {0};
    struct result rows = {0};
    struct text bytes = {0}, scratch = {0};
    result_init(&rows, width);
    for (size_t i = 0; i < count; i++) {
        struct cell *key = &cells[i * width];
        for (size_t j = 0; j < self->not_included.count; j++)
            key[self->not_included.items[j].column] = (struct cell){.type = CELL_NULL};
        text_clear(&bytes);
        key_text_of(key, width, &bytes, &scratch);
        keys[i] = intern_add(&numbers, bytes.items, bytes.count);
        if ((int64_t)keys[i] > rows.rows)
            result_add(&rows, key);
    }
    intern_free(&self->keys);
    result_free(&self->cells);
    self->keys = numbers;
    self->cells = rows;
}

void common_key_take(struct values *self)
{
    size_t width = self->layout.key.count, count = intern_count(&self->keys);
    struct result_cursor cursor = {0};
    struct cell *cells = memory_zeroed(count * width + 1, sizeof *cells);
    uint32_t *keys = memory_zeroed(count + 1, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        result_next(&self->cells, &cursor, &cells[i * width]);
    find_lacking(self, cells);
    if (self->not_included.count) {
        number_keys(self, cells, keys);
        for (size_t i = 0; i < self->side_count; i++) {
            /* The values of a side move to the new keys; values of one key come together. */
            struct side_values *side = &self->sides[i];
            struct side_values moved = {0};
            for (size_t j = 0; j < side->values.count; j++) {
                const struct value *from = &side->values.items[j];
                struct value *to = values_at(&moved, keys[from->key - 1], from->sample);
                to->sum += from->sum;
                to->count += from->count;
                to->rows += from->rows;
            }
            map_free(&side->places);
            array_free(&side->values);
            side->places = moved.places;
            side->values.items = moved.values.items;
            side->values.count = moved.values.count;
            side->values.room = moved.values.room;
        }
    }
    memory_free(cells);
}

/* Adds the columns that are left out for want of a side, with commas between, behind the words
 * before them; none: nothing is added. How many there are. */
static size_t add_names(const struct values *self, size_t side, const char *before,
                        struct text *words)
{
    size_t count = 0;
    for (size_t i = 0; i < self->not_included.count; i++) {
        const struct not_included_key *left = &self->not_included.items[i];
        const struct view name = self->layout.key.items[left->column];
        if (left->side == side)
            text_format(words, "%s%.*s", count++ ? ", " : before, (int)name.length, name.bytes);
    }
    return count;
}

void common_key_remarks(const struct values *self, struct text *words)
{
    for (size_t i = 0; i < self->side_count; i++) {
        size_t count = add_names(self, i, "rows are not told apart by ", words);
        if (!count)
            continue;
        text_add_string(words, ", which ");
        visible_add(words, view_of(self->sides[i].name));
        text_format(words, " does not have; rows that differ in %s alone are one\n",
                    count == 1 ? "it" : "them");
    }
}

void common_key_add_title(const struct values *self, struct text *words)
{
    for (size_t i = 0; i < self->side_count; i++)
        if (add_names(self, i, "; without ", words))
            text_format(words, ", which %s lacks", self->sides[i].name);
}

bool values_are_work(const struct values *self)
{
    return self->layout.work && self->metric && self->is_sum &&
           view_equal_ignoring_case(self->layout.measure, view_of(self->metric->name));
}

void values_free(struct values *self)
{
    for (size_t i = 0; self->sides && i < self->side_count; i++) {
        arrays_free(&self->sides[i].samples, &self->sides[i].step_ns, &self->sides[i].values);
        map_free(&self->sides[i].places);
        intern_free(&self->sides[i].stated);
    }
    intern_free(&self->keys);
    result_free(&self->cells);
}
