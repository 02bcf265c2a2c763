/* side: see side.h. */
#include "query/compare/side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void side_free(struct side *self)
{
    for (size_t i = 0; i < self->runs.count; i++)
        free(self->runs.items[i]);
    array_free(&self->runs);
    array_free(&self->traces);
    for (size_t i = 0; i < self->steps.count; i++)
        step_parts_free(&self->steps.items[i].found);
    array_free(&self->steps);
    if (self->sheets)
        kept_sheets_free(self->sheets);
    free(self->sheets);
    free(self->name);
    *self = (struct side){0};
}

bool side_rename(struct side *self, const char *name)
{
    char *copy = strdup(name);
    if (copy) {
        free(self->name);
        self->name = copy;
    }
    return copy != NULL;
}

bool side_add_run(struct side *self, const char *run)
{
    char *copy = strdup(run);
    return array_take(&self->runs, copy);
}

/* ------------------------------------------------------------------ what is read of it */

static struct side_steps *steps_of(struct side *self, size_t run)
{
    while (self->steps.count <= run) {
        struct side_steps *added = array_push(&self->steps);
        if (!added)
            return NULL;
        *added = (struct side_steps){0};
    }
    return &self->steps.items[run];
}

static bool select_run(const struct side *self, size_t run, const struct selection *common,
                       struct error *error)
{
    const char *const runs[] = {self->runs.items[run], NULL};
    struct selection selection = *common;
    struct text words = {0};
    bool is_empty;
    selection.runs = runs;
    selection.is_part = true;
    if (self->traces.count) {
        selection.traces = self->traces.items;
        selection.trace_count = self->traces.count;
    }
    bool done = selection_apply(self->warehouse, &selection, &is_empty, &words, error);
    text_free(&words);
    return done;
}

bool side_select_all(struct side *self, size_t run, const struct selection *common,
                     struct error *error)
{
    struct side_steps *steps = steps_of(self, run);
    if (!steps)
        return error_memory(error);
    steps->all = true;
    return select_run(self, run, common, error);
}

/* Finds all steps of a run, once. */
static bool find_steps(struct side *self, size_t run, const struct selection *common,
                       struct side_steps *steps, struct error *error)
{
    if (steps->are_found)
        return true;
    steps->are_found = true;
    return select_run(self, run, common, error) &&
           step_parts_find(&steps->found, self->warehouse, error);
}

bool side_select_step(struct side *self, size_t run, int64_t step, const struct selection *common,
                      struct error *error)
{
    struct side_steps *steps = steps_of(self, run);
    if (!steps)
        return error_memory(error);
    steps->first = steps->any && steps->first < step ? steps->first : step;
    steps->last = steps->any && steps->last > step ? steps->last : step;
    steps->any = true;
    return find_steps(self, run, common, steps, error) &&
           step_parts_select_steps(&steps->found, step, step, error);
}

bool side_select(const struct side *self, size_t run, const struct selection *common,
                 struct error *error)
{
    struct side_steps *steps = run < self->steps.count ? &self->steps.items[run] : NULL;
    return steps && steps->any && !steps->all
               ? step_parts_select_steps(&steps->found, steps->first, steps->last, error)
               : select_run(self, run, common, error);
}

bool side_take_sheets(struct side *self)
{
    if ((self->sheets = malloc(sizeof *self->sheets)))
        kept_sheets_init(self->sheets);
    return self->sheets != NULL;
}

bool side_is_reference(const char *word)
{
    return word[0] == '@' || text_starts_with(word, "trace:");
}

/* ------------------------------------------------------------------ asking */

/* Adds the run of each row. */
static bool take_runs(struct side *self, sqlite3_stmt *rows, struct error *error)
{
    bool done = true;
    while (warehouse_next(self->warehouse, rows, &done, error)) {
        const char *run = (const char *)sqlite3_column_text(rows, 0);
        done = side_add_run(self, run ? run : "") || error_memory(error);
    }
    return done;
}

/* The runs that a question with up to two parameters gives. */
static bool ask_runs(struct side *self, const char *sql, const char *first, const char *second,
                     struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, error);
    if (!rows)
        return false;
    sqlite3_bind_text(rows, 1, first, -1, SQLITE_STATIC);
    if (second)
        sqlite3_bind_text(rows, 2, second, -1, SQLITE_STATIC);
    bool done = take_runs(self, rows, error);
    sqlite3_finalize(rows);
    return done;
}

/* The number behind a prefix; false when there is none. */
static bool read_number(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return *text && !*end && errno == 0 && *number >= 0;
}

static bool unknown(const struct side *self, const char *word, struct error *error)
{
    struct side all = {.warehouse = self->warehouse};
    bool done =
        ask_runs(&all, "SELECT name FROM run WHERE ?1 IS NOT NULL ORDER BY id", word, NULL, error);
    const char *near = done && all.runs.count
                           ? nearest_name(word, (const char *const *)all.runs.items, all.runs.count)
                           : NULL;
    if (done && near)
        error_set(error, STATUS_USAGE, "%s: there is no run '%.200s'; did you mean %.200s?",
                  self->warehouse->path, word, near);
    else if (done)
        error_set(error, STATUS_USAGE,
                  strpbrk(word, "*?[") ? "%s: no run is called like '%.200s'; see tpq runs"
                                       : "%s: there is no run '%.200s'; see tpq runs",
                  self->warehouse->path, word);
    side_free(&all);
    return false;
}

/* ------------------------------------------------------------------ the forms of a word */

static bool find_last(struct side *self, const char *word, struct error *error)
{
    int64_t before = 0;
    const char *rest = word + strlen("@last");
    if (*rest && (*rest != '~' || !read_number(rest + 1, &before)))
        return error_set(error, STATUS_USAGE,
                         "'%.200s': the newest run is @last, the one before it @last~1", word);
    char number[32];
    sqlite3_snprintf(sizeof number, number, "%lld", (long long)before);
    if (!ask_runs(self, "SELECT name FROM run ORDER BY id DESC LIMIT 1 OFFSET CAST(?1 AS INTEGER)",
                  number, NULL, error))
        return false;
    return self->runs.count ||
           error_set(error, STATUS_USAGE, "%s: there are not so many runs as '%.200s' needs",
                     self->warehouse->path, word);
}

static bool unknown_pin(const struct side *self, const char *name, struct error *error)
{
    struct side all = {.warehouse = self->warehouse}; /* names of pins in place of runs */
    bool done = ask_runs(&all,
                         "SELECT substr(setting.name, length('pin:') + 1) FROM setting "
                         "JOIN run ON run.name = setting.value "
                         "WHERE setting.name GLOB 'pin:*' AND ?1 IS NOT NULL ORDER BY setting.name",
                         name, NULL, error);
    const char *near = done && all.runs.count
                           ? nearest_name(name, (const char *const *)all.runs.items, all.runs.count)
                           : NULL;
    if (done && near)
        error_set(error, STATUS_USAGE, "%s: no run is kept as '%.200s'; did you mean @pin:%.200s?",
                  self->warehouse->path, name, near);
    else if (done)
        error_set(error, STATUS_USAGE,
                  "%s: no run is kept as '%.200s'; tpq gate --pin %.200s RUN does that",
                  self->warehouse->path, name, name);
    side_free(&all);
    return false;
}

static bool find_pin(struct side *self, const char *word, struct error *error)
{
    const char *name = word + strlen("@pin:");
    if (!ask_runs(self,
                  "SELECT run.name FROM setting JOIN run ON run.name = setting.value "
                  "WHERE setting.name = 'pin:' || ?1",
                  name, NULL, error))
        return false;
    return self->runs.count || unknown_pin(self, name, error);
}

static bool find_trace(struct side *self, const char *word, struct error *error)
{
    const char *number = word + strlen("trace:");
    int64_t trace = 0, *added;
    if (!read_number(number, &trace))
        return error_set(error, STATUS_USAGE, "'%.200s': trace: needs the number of a trace", word);
    if (!ask_runs(self,
                  "SELECT run.name FROM trace JOIN run ON run.id = run_id "
                  "WHERE trace.id = CAST(?1 AS INTEGER)",
                  number, NULL, error))
        return false;
    if (!self->runs.count)
        return error_set(error, STATUS_USAGE, "%s: there is no trace %.200s; see tpq traces",
                         self->warehouse->path, number);
    if (!(added = array_push(&self->traces)))
        return error_memory(error);
    *added = trace;
    return true;
}

static bool find_label(struct side *self, const char *word, struct error *error)
{
    const char *sign = strchr(word, '=');
    char *key = strndup(word, (size_t)(sign - word));
    bool done = key ? ask_runs(self,
                               "SELECT run.name FROM run JOIN json_each(run.labels) AS label "
                               "WHERE label.key = ?1 AND CAST(label.value AS TEXT) = ?2 "
                               "ORDER BY run.id",
                               key, sign + 1, error)
                    : error_memory(error);
    free(key);
    return done &&
           (self->runs.count || error_set(error, STATUS_USAGE, "%s: no run has the label %.200s",
                                          self->warehouse->path, word));
}

/* The runs that a pattern means, in the order of time; none where it is no pattern, too. */
static bool find_pattern(struct side *self, const char *word, struct error *error)
{
    if (!strpbrk(word, "*?["))
        return true;
    bool done = ask_runs(self,
                         "SELECT run.name FROM run LEFT JOIN trace ON trace.run_id = run.id "
                         "WHERE run.name GLOB ?1 GROUP BY run.id "
                         "ORDER BY min(wall_start_ns) IS NULL, min(wall_start_ns), run.id",
                         word, NULL, error);
    self->is_pattern = self->runs.count > 0;
    return done;
}

bool side_find(struct side *self, struct warehouse *warehouse, const char *word,
               struct error *error)
{
    *self = (struct side){.warehouse = warehouse};
    if (!side_rename(self, word))
        return error_memory(error);
    if (text_starts_with(word, "@last"))
        return find_last(self, word, error) &&
               (side_rename(self, self->runs.items[0]) || error_memory(error));
    if (text_starts_with(word, "@pin:"))
        return find_pin(self, word, error);
    if (word[0] == '@')
        return error_set(error, STATUS_USAGE, "'%.200s' is neither @last nor @pin:NAME", word);
    if (text_starts_with(word, "trace:"))
        return find_trace(self, word, error);
    if (!ask_runs(self, "SELECT name FROM run WHERE name = ?1", word, NULL, error))
        return false;
    if (!self->runs.count && !find_pattern(self, word, error))
        return false;
    if (!self->runs.count && strchr(word, '='))
        return find_label(self, word, error);
    return self->runs.count || unknown(self, word, error);
}

/* ------------------------------------------------------------------ pins and machines */

bool side_pin(struct warehouse *warehouse, const char *name, const char *run, struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(
        warehouse, "INSERT OR REPLACE INTO setting (name, value) VALUES ('pin:' || ?1, ?2)", error);
    if (!row)
        return false;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 2, run, -1, SQLITE_STATIC);
    bool done = sqlite3_step(row) == SQLITE_DONE || warehouse_error(warehouse, error);
    sqlite3_finalize(row);
    return done;
}

/* Adds the values that a question gives about the traces of each run, each once. */
static bool list_values(const struct side *self, const char *sql, struct text *list,
                        struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(self->warehouse, sql, error);
    bool done = row != NULL;
    ARRAY(char *) seen = {0};
    for (size_t i = 0; done && i < self->runs.count; i++) {
        int result;
        sqlite3_bind_text(row, 1, self->runs.items[i], -1, SQLITE_STATIC);
        while (done && (result = sqlite3_step(row)) == SQLITE_ROW) {
            const char *value = (const char *)sqlite3_column_text(row, 0);
            bool is_known = !value;
            for (size_t j = 0; j < seen.count && !is_known; j++)
                is_known = strcmp(seen.items[j], value) == 0;
            char *copy = is_known ? NULL : strdup(value);
            char **added = copy ? array_push(&seen) : NULL;
            if (added)
                *added = copy;
            else
                free(copy);
            done = is_known || added
                       ? is_known || text_format(list, "%s%s", list->count ? ", " : "", value)
                       : false;
        }
        if (!done)
            error_memory(error);
        else if (result != SQLITE_DONE)
            done = warehouse_error(self->warehouse, error);
        sqlite3_reset(row);
    }
    for (size_t i = 0; i < seen.count; i++)
        free(seen.items[i]);
    array_free(&seen);
    sqlite3_finalize(row);
    return done;
}

bool side_machine(const struct side *self, struct text *devices, struct text *worlds,
                  struct error *error)
{
    return list_values(self,
                       "SELECT DISTINCT coalesce(device.name, architecture) FROM run "
                       "JOIN trace ON trace.run_id = run.id JOIN device ON trace_id = trace.id "
                       "WHERE run.name = ?1 ORDER BY 1",
                       devices, error) &&
           list_values(self,
                       "SELECT DISTINCT world_size FROM run JOIN trace ON trace.run_id = run.id "
                       "WHERE run.name = ?1 ORDER BY 1",
                       worlds, error);
}
