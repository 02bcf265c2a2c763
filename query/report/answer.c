/* answer: Rows are kept as JSON, so that any client of SQLite reads them; long ones are compressed,
 * behind four bytes with their length. SQLite reads them again: they may be a stranger's. */
#include "query/report/answer.h"

#include "sql/database.h"
#include "sql/docs.h"
#include "sql/warehouse/rollup.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

bool answer_is_plain(const struct warehouse *warehouse, const struct selection *narrowed)
{
    static const struct selection all;
    const struct selection *own = narrowed ? narrowed : &all;
    return !warehouse->context->options.count && !warehouse->context->libraries.count &&
           !own->labels && !own->traces && !own->rank && !own->step && !own->iteration &&
           !own->time && !own->id_range && !own->signpost && !own->start_signpost &&
           !own->end_signpost && !own->where && !own->ignore_signposts && !own->detect_recompute;
}

/* ------------------------------------------------------------------ rows as text */

static void add_cell(const struct cell *cell, struct text *out)
{
    size_t before = out->count;
    if (cell->type == CELL_TEXT)
        text_add_json(out, cell->text);
    else if (cell->type == CELL_INTEGER)
        text_format(out, "%lld", (long long)cell->integer);
    else if (cell->type == CELL_REAL && isfinite(cell->real))
        text_format(out, "%.17g", cell->real);
    else
        text_add_string(out, "null");
    if (cell->type == CELL_REAL && !strpbrk(out->items + before, ".en"))
        text_add_string(out, ".0"); /* else it is read as an integer */
}

bool answer_take(struct warehouse *warehouse, const struct text *json, size_t columns,
                 struct result *result)
{
    static const char sql[] = "SELECT cell.value FROM json_each(?1) AS line, json_each(line.value) "
                              "AS cell ORDER BY line.key, cell.key";
    struct cell *cells = memory_zeroed(columns + 1, sizeof *cells);
    struct text texts = {0}; /* of a row */
    sqlite3_stmt *row = NULL;
    size_t column = 0;
    result_init(result, columns);
    int found = statements_take(warehouse->context, warehouse->db, sql, &row);
    sqlite3_bind_text(row, 1, json->items, (int)json->count, SQLITE_STATIC);
    while (found == SQLITE_OK && (found = sqlite3_step(row)) == SQLITE_ROW) {
        struct cell *cell = &cells[column];
        cells_of_statement(row, 1, &(struct text){0}, cell);
        if (column == 0) {
            text_clear(&texts);
            text_reserve(&texts, json->count + 1); /* cells point into it */
        }
        size_t start = texts.count;
        if (cell->type == CELL_TEXT) {
            text_add_view(&texts, cell->text);
            cell->text.bytes = texts.items + start;
        }
        column = (column + 1) % columns;
        if (column == 0)
            result_add(result, cells);
        found = SQLITE_OK;
    }
    statements_leave(warehouse->context, row);
    text_free(&texts);
    return found == SQLITE_DONE && column == 0;
}

/* ------------------------------------------------------------------ keeping */

enum { ROWS_MAX = 4096, PLAIN_MAX = 2000, BYTES_MAX = 16 << 20 };

bool answer_find(struct warehouse *warehouse, const char *run, const char *question, size_t columns,
                 struct text *json)
{
    struct text kept = {0};
    uint32_t length = 0;
    bool found = rollup_find(warehouse, run, question, &kept);
    if (found && *kept.items != '[' && kept.count > sizeof length) {
        memcpy(&length, kept.items, sizeof length);
        uLongf size = length < BYTES_MAX ? length : 0;
        text_clear(json);
        text_reserve(json, size + 1);
        found = size &&
                uncompress((Bytef *)json->items, &size, (const Bytef *)kept.items + sizeof length,
                           kept.count - sizeof length) == Z_OK &&
                size == length;
        json->count = size;
        json->items[size] = '\0';
        text_free(&kept);
    } else {
        text_free(json);
        *json = kept;
    }

    /* Each row must have all cells. */
    static const char sql[] =
        "SELECT count(*) = 0 FROM json_each(?1) WHERE json_array_length(value) <> ?2";
    sqlite3_stmt *row = NULL;
    found = found && statements_take(warehouse->context, warehouse->db, sql, &row) == SQLITE_OK;
    sqlite3_bind_text(row, 1, json->items, (int)json->count, SQLITE_STATIC);
    sqlite3_bind_int64(row, 2, (sqlite3_int64)columns);
    found = found && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
    statements_leave(warehouse->context, row);
    return found;
}

static void add_rows(const struct result *rows, struct text *json)
{
    struct cell *cells = memory_zeroed(rows->column_count + 1, sizeof *cells);
    struct result_cursor cursor = {0};
    text_clear(json);
    text_add_byte(json, '[');
    while (result_next(rows, &cursor, cells)) {
        for (size_t i = 0; i < rows->column_count; i++) {
            text_add_string(json, i ? "," : json->count > 1 ? ",[" : "[");
            add_cell(&cells[i], json);
        }
        text_add_byte(json, ']');
    }
    text_add_byte(json, ']');
}

void answer_keep(struct warehouse *warehouse, const char *run, const char *question,
                 const struct result *rows, struct text *json)
{
    struct text packed = {0};
    add_rows(rows, json);

    /* Rows that JSON cannot say to the last bit are not kept. */
    struct result again = {0};
    bool can =
        rows->rows <= ROWS_MAX && json->count < BYTES_MAX && rollup_is_kept(warehouse) &&
        answer_take(warehouse, json, rows->column_count, &again) &&
        again.bytes.count == rows->bytes.count &&
        (!rows->rows || memcmp(again.bytes.items, rows->bytes.items, rows->bytes.count) == 0);
    result_free(&again);
    if (can && json->count > PLAIN_MAX) {
        uint32_t length = (uint32_t)json->count;
        uLongf size = compressBound(length);
        text_reserve(&packed, sizeof length + size);
        memcpy(packed.items, &length, sizeof length);
        can = compress((Bytef *)packed.items + sizeof length, &size, (const Bytef *)json->items,
                       length) == Z_OK;
        packed.count = sizeof length + size;
    }
    if (can)
        rollup_keep(warehouse, run, question, text_view(packed.count ? &packed : json),
                    !packed.count);
    text_free(&packed);
}

bool answer_ask(struct warehouse *warehouse, const char *sql, const char *run,
                const int64_t numbers[2], struct result *result, struct error *error)
{
    struct text scratch = {0};
    sqlite3_stmt *rows = NULL;
    bool done = statements_take(warehouse->context, warehouse->db, sql, &rows) == SQLITE_OK ||
                warehouse_error(warehouse, error);
    sqlite3_bind_text(rows, 1, run, -1, SQLITE_STATIC);
    for (int i = 0; numbers && i < 2; i++)
        sqlite3_bind_int64(rows, i + 2, numbers[i]);
    size_t count = done ? (size_t)sqlite3_column_count(rows) : 0;
    struct cell *cells = memory_zeroed(count + 1, sizeof *cells);
    result_init(result, count);
    while (done && result_read(rows, &scratch, cells, warehouse->path, &done, error))
        result_add(result, cells);
    statements_leave(warehouse->context, rows);
    return done;
}

bool asker_ask(const struct asker *self, const struct question *question, struct result *rows,
               struct error *error)
{
    return self->ask ? self->ask(self->context, question, rows, error)
                     : answer_ask(self->warehouse, question->sql, NULL, NULL, rows, error);
}

/* ------------------------------------------------------------------ views */

/* A view about runs, and the table with its rows. */
struct shadow {
    struct warehouse *warehouse;
    const char *view;
    struct text make, ask, fill; /* SQL: the table, rows of what is selected, those of a run */
    struct text show;            /* and the table in front of the view */
    size_t columns;              /* but for the run's name */
    sqlite3_stmt *insert;
    struct error *error;
};

/* The ids of traces are kept as places among those of their run. */
static bool open_shadow(struct shadow *self, const struct doc_object *view)
{
    const doc_columns *columns = docs_columns(view); /* SQLite would read all views below it */
    text_format(&self->make, "CREATE TEMP TABLE kept_%s (run", self->view);
    text_format(&self->fill, "INSERT INTO temp.kept_%s SELECT ?1", self->view);
    text_add_string(&self->ask, "SELECT run");
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = columns->items[i].name;
        if (strcmp(name, "run") == 0)
            continue;
        bool is_trace = strcmp(name, "trace_id") == 0;
        text_format(&self->make, ", \"%s\"", name);
        text_format(&self->ask,
                    is_trace ? ", (SELECT nullif(count(*), 0) FROM trace AS own JOIN "
                               "trace AS before ON before.run_id = own.run_id AND "
                               "before.id <= own.id WHERE own.id = asked.\"%s\")"
                             : ", \"%s\"",
                    name);
        text_format(&self->fill, ", max(CASE cell.key WHEN %zu THEN cell.value END)",
                    self->columns++);
        if (is_trace)
            text_format(&self->show,
                        "UPDATE temp.kept_%s AS kept SET trace_id = (SELECT id FROM "
                        "(SELECT trace.id AS id, row_number() OVER (ORDER BY "
                        "trace.id) AS place FROM run JOIN trace ON trace.run_id = "
                        "run.id WHERE run.name = kept.run) WHERE place = "
                        "kept.trace_id);",
                        self->view);
    }
    text_format(&self->show,
                "DROP VIEW IF EXISTS temp.%s; CREATE TEMP TABLE %s AS SELECT * FROM "
                "temp.kept_%s ORDER BY run, rowid; DROP TABLE temp.kept_%s",
                self->view, self->view, self->view, self->view);
    text_format(&self->ask, " FROM \"%s\" AS asked", self->view);
    text_add_string(&self->make, ")");
    text_add_string(&self->fill, " FROM json_each(?2) AS line, json_each(line.value) AS cell GROUP "
                                 "BY line.key ORDER BY line.key");
    bool done = warehouse_run(self->warehouse, self->make.items, self->error);
    self->insert = done ? warehouse_prepare(self->warehouse, self->fill.items, self->error) : NULL;
    return self->insert != NULL;
}

static bool insert_rows(struct shadow *self, const char *run, const struct text *json)
{
    sqlite3_bind_text(self->insert, 1, run, -1, SQLITE_STATIC);
    sqlite3_bind_text(self->insert, 2, json->items, (int)json->count, SQLITE_STATIC);
    sqlite3_step(self->insert);
    return sqlite3_reset(self->insert) == SQLITE_OK ||
           warehouse_error(self->warehouse, self->error);
}

/* Asks about runs, whose names are ended by NULL. */
static bool select_and_ask(struct shadow *self, char *const *runs, struct result *found)
{
    struct selection selection = {.runs = (const char *const *)runs, .is_part = true};
    struct text words = {0};
    bool is_empty;
    bool done = selection_apply(self->warehouse, &selection, &is_empty, &words, self->error);
    context_begin_aside(self->warehouse->context);
    return done && answer_ask(self->warehouse, self->ask.items, NULL, NULL, found, self->error);
}

/* Asks about runs, and keeps the rows of each. */
static bool ask_runs(struct shadow *self, char *const *runs)
{
    struct text json = {0};
    struct result found = {0};
    bool done = select_and_ask(self, runs, &found);
    struct cell *cells = memory_zeroed(self->columns + 2, sizeof *cells);
    for (; done && *runs; runs++) {
        struct result rows;
        struct result_cursor cursor = {0};
        result_init(&rows, self->columns);
        while (result_next(&found, &cursor, cells))
            if (view_equal(cells->text, view_of(*runs)))
                result_add(&rows, cells + 1);
        answer_keep(self->warehouse, *runs, self->view, &rows, &json);
        done = insert_rows(self, *runs, &json);
        result_free(&rows);
    }
    result_free(&found);
    text_free(&json);
    return done;
}

/* Several small runs are asked about at once: preparing costs as much as they do. */
static bool fill_shadow(struct shadow *self, bool of_all)
{
    enum { RUNS = 24, EVENTS = 100000 };
    static const char sql[] =
        "SELECT run.name, (SELECT sum(last_event - first_event + 1) FROM trace WHERE run_id = "
        "run.id) FROM run WHERE ?2 OR name IN (SELECT run FROM scope) ORDER BY name";
    struct result runs;
    struct result_cursor cursor = {0};
    struct cell run[2];
    struct text json = {0};
    ARRAY(char *) names = {0}; /* to be asked about */
    int64_t events = 0;
    bool done = answer_ask(self->warehouse, sql, NULL, (int64_t[]){of_all, 0}, &runs, self->error),
         goes_on = done;
    struct context_aside aside;
    context_put_aside(self->warehouse->context, &aside);
    while (done && goes_on) {
        goes_on = result_next(&runs, &cursor, run);
        char *name = goes_on ? memory_part(run->text.bytes, run->text.length) : NULL;
        bool is_kept =
            goes_on && answer_find(self->warehouse, name, self->view, self->columns, &json);
        if (is_kept)
            done = insert_rows(self, name, &json);
        if (names.count && (!goes_on || names.count == RUNS || events > EVENTS)) {
            array_add(&names, NULL);
            done = done && ask_runs(self, names.items);
            names.count = 0;
            events = 0;
        }
        if (!is_kept && goes_on) {
            array_add(&names, name);
            events += run[1].integer;
        }
    }
    context_take_back(self->warehouse->context, &aside);
    return done;
}

bool answer_view(struct warehouse *warehouse, const char *view, bool of_all, struct error *error)
{
    struct shadow self = {.warehouse = warehouse, .view = view, .error = error};
    doc_list docs;
    docs_read(sql_files, sql_file_count, &docs);
    const struct doc_object *object = docs_find(&docs, view);
    bool done = true;
    /* Columns are known of tables alone: the rows stand there already. */
    if (object && answer_is_plain(warehouse, NULL) && !warehouse_is_guarded() &&
        sqlite3_table_column_metadata(warehouse->db, "temp", view, "run", NULL, NULL, NULL, NULL,
                                      NULL) != SQLITE_OK) {
        done = open_shadow(&self, object) && fill_shadow(&self, of_all);
        database_finalize(self.insert);
        done = done && warehouse_run(warehouse, self.show.items, error);
    }
    docs_free(&docs);
    return done;
}

bool answer_check(struct warehouse *warehouse, const char *view, int most, struct text *differs,
                  struct error *error)
{
    static const char sql[] = "SELECT name FROM (SELECT run.name AS name, row_number() OVER (ORDER "
                              "BY run.name) AS place, "
                              "count(*) OVER () AS count FROM main.rollup JOIN main.run ON run.id "
                              "= run_id WHERE question "
                              "= ?1) WHERE place * ?2 / count > (place - 1) * ?2 / count";
    struct shadow self = {.warehouse = warehouse, .view = view, .error = error};
    struct result runs = {0};
    struct result_cursor cursor = {0};
    struct cell run;
    struct text kept = {0}, now = {0};
    doc_list docs;
    docs_read(sql_files, sql_file_count, &docs);
    bool done = !rollup_is_kept(warehouse) ||
                (open_shadow(&self, docs_find(&docs, view)) &&
                 answer_ask(warehouse, sql, view, (const int64_t[]){most, 0}, &runs, error));
    while (done && !differs->count && result_next(&runs, &cursor, &run)) {
        char *names[] = {memory_part(run.text.bytes, run.text.length), NULL};
        struct result found = {0};
        text_clear(&now);
        done = select_and_ask(&self, names, &found);
        add_rows(&found, &now);
        if (done && answer_find(warehouse, *names, view, self.columns, &kept)) {
            /* The run's name is not among the cells that are kept. */
            bool is_same =
                found.rows ? kept.count > 2 && now.count > kept.count &&
                                 strcmp(now.items + now.count - kept.count + 2, kept.items + 2) == 0
                           : strcmp(kept.items, "[]") == 0;
            text_add_string(differs, is_same ? "" : *names);
        }
        result_free(&found);
    }
    database_finalize(self.insert);
    return done;
}
