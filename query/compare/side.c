/* side: all steps of a run are found when its first step is selected, and kept. The first and
 * the last step that values were read of are kept, too: side_select selects the same again.
 */
#include "query/compare/side.h"

#include "query/select/run_choice.h"
#include "sql/database.h"
#include "src/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void side_rename(struct side *self, const char *name)
{
    self->name = memory_text(name);
}

void side_add_run(struct side *self, const char *run)
{
    array_add(&self->runs, memory_text(run));
}

/* ------------------------------------------------------------------ selecting */

static struct side_steps *steps_of(struct side *self, size_t run)
{
    while (self->steps.count <= run)
        array_add(&self->steps, (struct side_steps){0});
    return &self->steps.items[run];
}

static bool select_runs(const struct side *self, size_t first, size_t count, struct error *error)
{
    const char **runs = memory_zeroed(count + 1, sizeof *runs);
    struct selection selection = self->common;
    struct text words = {0};
    bool is_empty;
    for (size_t i = 0; i < count; i++)
        runs[i] = self->runs.items[first + i];
    selection.runs = runs;
    if (self->traces.count) {
        selection.traces = self->traces.items;
        selection.trace_count = self->traces.count;
    }
    return selection_apply(self->warehouse, &selection, &is_empty, &words, error);
}

static bool select_run(const struct side *self, size_t run, struct error *error)
{
    return select_runs(self, run, 1, error);
}

bool side_select_runs(const struct side *self, struct error *error)
{
    return select_runs(self, 0, self->runs.count, error);
}

bool side_select_all(struct side *self, size_t run, struct error *error)
{
    side_note_all(self, run);
    return select_run(self, run, error);
}

/* Finds all steps of a run, once. */
static bool find_steps(const struct side *self, size_t run, struct side_steps *steps,
                       struct error *error)
{
    if (steps->are_found)
        return true;
    steps->are_found = true;
    return select_run(self, run, error) && step_parts_find(&steps->found, self->warehouse, error);
}

void side_note_all(struct side *self, size_t run)
{
    steps_of(self, run)->all = true;
}

void side_note_step(struct side *self, size_t run, int64_t step)
{
    struct side_steps *steps = steps_of(self, run);
    steps->first = steps->any && steps->first < step ? steps->first : step;
    steps->last = steps->any && steps->last > step ? steps->last : step;
    steps->any = true;
}

bool side_select_step(struct side *self, size_t run, int64_t step, struct error *error)
{
    struct side_steps *steps = steps_of(self, run);
    side_note_step(self, run, step);
    return find_steps(self, run, steps, error) &&
           step_parts_select_steps(&steps->found, step, step, error);
}

bool side_select(const struct side *self, size_t run, struct error *error)
{
    struct side_steps *steps = run < self->steps.count ? &self->steps.items[run] : NULL;
    return steps && steps->any && !steps->all
               ? find_steps(self, run, steps, error) &&
                     step_parts_select_steps(&steps->found, steps->first, steps->last, error)
               : select_run(self, run, error);
}

/* ------------------------------------------------------------------ questions */

bool side_keeps(const struct side *self)
{
    return !self->traces.count && self->warehouse->mode == WAREHOUSE_READ &&
           answer_is_plain(self->warehouse, &self->common);
}

/* Appends the steps that an answer is about. */
static void add_steps(const struct side *self, size_t run, enum side_part part, int64_t step,
                      struct text *name)
{
    const struct side_steps *steps = &self->steps.items[run];
    if (part == SIDE_STEP)
        text_format(name, " %lld", (long long)step);
    else if (steps->any && !(part == SIDE_READ && steps->all))
        text_format(name, " %lld-%lld", (long long)steps->first, (long long)steps->last);
}

bool side_find_rows(struct side *self, size_t run, enum side_part part, int64_t step,
                    const char *name, size_t columns, struct result *rows)
{
    struct text key = {0}, json = {0};
    text_add_string(&key, name);
    steps_of(self, run);
    add_steps(self, run, part, step, &key);
    bool found = side_keeps(self) &&
                 answer_find(self->warehouse, self->runs.items[run], key.items, columns, &json) &&
                 answer_take(self->warehouse, &json, columns, rows);
    text_free(&json);
    return found;
}

void side_keep_rows(struct side *self, size_t run, enum side_part part, int64_t step,
                    const char *name, const struct result *rows)
{
    struct text key = {0}, json = {0};
    text_add_string(&key, name);
    add_steps(self, run, part, step, &key);
    if (side_keeps(self))
        answer_keep(self->warehouse, self->runs.items[run], key.items, rows, &json);
    text_free(&json);
}

bool side_ask(struct side *self, size_t run, enum side_part part, int64_t step,
              const struct question *question, struct result *rows, struct error *error)
{
    struct text name = {0};
    text_format(&name, "%s %016" PRIx64, question->about,
                hash64(question->sql, strlen(question->sql), 0));
    if (part == SIDE_STEP)
        side_note_step(self, run, step);
    *rows = (struct result){0};
    bool done = side_find_rows(self, run, part, step, name.items, question->columns, rows);
    if (!done) {
        const struct side_steps *steps = &self->steps.items[run];
        int64_t numbers[] = {steps->first, steps->last};
        done = part == SIDE_STEP   ? side_select_step(self, run, step, error)
               : part == SIDE_READ ? side_select(self, run, error)
                                   : select_run(self, run, error);
        done = done && answer_ask(self->warehouse, question->sql, self->runs.items[run], numbers,
                                  rows, error);
        if (done)
            side_keep_rows(self, run, part, step, name.items, rows);
    }
    return done;
}

void side_take_sheets(struct side *self)
{
    self->sheets = memory_take(sizeof *self->sheets);
    kept_sheets_init(self->sheets);
}

bool side_is_reference(const char *word)
{
    return run_word_is_reference(word);
}

/* ------------------------------------------------------------------ asking */

bool side_find(struct side *self, struct warehouse *warehouse, const char *word,
               struct error *error)
{
    struct run_word found = {0};
    *self = (struct side){.warehouse = warehouse};
    side_rename(self, word);
    if (!run_word_find(&found, warehouse, word, error))
        return false;

    /* The side is called as the word has it, but for the newest run, which tells its name. */
    sqlite3_stmt *row = warehouse_prepare(warehouse, "SELECT name FROM run WHERE id = ?1", error);
    bool done = row != NULL;
    for (size_t i = 0; i < found.runs.count && done; i++) {
        sqlite3_bind_int64(row, 1, found.runs.items[i]);
        while (warehouse_next(warehouse, row, &done, error))
            side_add_run(self, database_text(row, 0));
        sqlite3_reset(row);
    }
    database_finalize(row);
    if (done && found.trace)
        array_add(&self->traces, found.trace);
    self->is_pattern = found.is_pattern;
    if (done && text_starts_with(word, "@last")) {
        side_rename(self, self->runs.items[0]);
        self->word = memory_text(word);
    }
    return done;
}

/* ------------------------------------------------------------------ machines */

/* Adds the values that a question gives about the traces of each run, each once. */
static bool list_values(const struct side *self, const char *sql, struct text *list,
                        struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(self->warehouse, sql, error);
    bool done = row != NULL;
    ARRAY(char *) seen = {0};
    for (size_t i = 0; done && i < self->runs.count; i++) {
        sqlite3_bind_text(row, 1, self->runs.items[i], -1, SQLITE_STATIC);
        while (warehouse_next(self->warehouse, row, &done, error)) {
            const char *value = (const char *)sqlite3_column_text(row, 0);
            bool is_known = !value;
            for (size_t j = 0; j < seen.count && !is_known; j++)
                is_known = strcmp(seen.items[j], value) == 0;
            if (is_known)
                continue;
            array_add(&seen, memory_text(value));
            text_format(list, "%s%s", list->count ? ", " : "", value);
        }
        sqlite3_reset(row);
    }
    database_finalize(row);
    return done;
}

bool side_list_facts(const struct side *self, size_t kinds, struct text facts[SIDE_FACT_KINDS],
                     struct error *error)
{
    static const char *const questions[SIDE_FACT_KINDS] = {
        [SIDE_DEVICES] = "SELECT DISTINCT coalesce(device.name, architecture) FROM run "
                         "JOIN trace ON trace.run_id = run.id JOIN device ON trace_id = trace.id "
                         "WHERE run.name = ?1 ORDER BY 1",
        [SIDE_WORLD_SIZES] = "SELECT DISTINCT world_size FROM run JOIN trace ON trace.run_id = "
                             "run.id WHERE run.name = ?1 ORDER BY 1",
        [SIDE_STEP_COUNTS] =
            "SELECT DISTINCT nullif((SELECT count(DISTINCT step) FROM step_mark WHERE "
            "kind = 'step' AND step_mark.trace_id = trace.id), 0) FROM run JOIN trace ON "
            "trace.run_id = run.id "
            "WHERE run.name = ?1 ORDER BY 1",
    };
    for (size_t i = 0; i < kinds; i++)
        if (!list_values(self, questions[i], &facts[i], error))
            return false;
    return true;
}

bool side_add_damage(struct side *self, struct text *words, struct error *error)
{
    static const struct question damage = {
        "damage",
        "SELECT findings FROM trace_verdict WHERE verdict = 'not comparable' AND trace_id IS NULL",
        1};
    size_t before = words->count;
    for (size_t i = 0; i < self->runs.count && words->count == before; i++) {
        struct result rows;
        struct result_cursor cursor = {0};
        struct cell finding;
        if (!side_ask(self, i, SIDE_READ, 0, &damage, &rows, error))
            return false;
        while (result_next(&rows, &cursor, &finding))
            text_add_view(words, finding.text);
    }
    return true;
}
