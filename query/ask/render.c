/* render: see render.h. A statement's rows go to the sink of the mode. */
#include "query/ask/render.h"

#include "query/sink/sheet.h"
#include "query/sink/sink.h"
#include "sql/database.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ cells that hold JSON
 *
 *     SELECT input_dims FROM time_above_roofline    a report declares a column of this name as a
 * list SELECT json(input_dims) AS shape              a JSON function of SQLite has just made it
 *
 * A text that only looks like JSON stays a text.
 */

/* Gives the columns that reports declare so the form of JSON. A database that says nothing of
 * columns has none. */
static void json_forms_declare(sqlite3 *db, struct column *columns, size_t count)
{
    sqlite3_stmt *statement = NULL;
    int result = database_prepare(db,
                                  "SELECT 1 FROM main.report_column WHERE name = ?1 "
                                  "AND unit IN ('tuple', 'list', 'array') LIMIT 1",
                                  &statement, NULL);
    for (size_t i = 0; i < count && result == SQLITE_OK; i++) {
        sqlite3_bind_text(statement, 1, columns[i].name, -1, SQLITE_STATIC);
        columns[i].form = sqlite3_step(statement) == SQLITE_ROW ? FORM_ARRAY : FORM_PLAIN;
        result = sqlite3_reset(statement);
    }
    database_finalize(statement);
    if (result == SQLITE_NOMEM)
        memory_fail();
}

/* ------------------------------------------------------------------ rows to a sink */

/* True if a form tells lists from texts. */
static bool knows_lists(const struct form *form)
{
    return form && (form->make == sink_json || form->make == sink_json_lines ||
                    form->make == sink_envelope);
}

/* Steps the statement to its end; its last result code. `columns` may be NULL: their forms stay. */
static int send_rows(sqlite3_stmt *statement, struct sink *sink, size_t count, struct cell *cells,
                     struct column *columns, FILE *out, bool *done, struct error *error)
{
    struct text scratch = {0};
    int result = SQLITE_DONE;
    while (*done && !ferror(out) && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        cells_of_statement(statement, count, &scratch, cells);
        if (columns) {
            /* Makes the form of the other columns that of their cells in this row: FORM_LIST or
             * FORM_PLAIN. */
            const unsigned json = 'J'; /* the subtype that JSON functions of SQLite give */
            for (size_t i = 0; i < count; i++) {
                if (columns[i].form == FORM_ARRAY)
                    continue;
                columns[i].form = FORM_PLAIN;
                if (sqlite3_column_type(statement, (int)i) != SQLITE_TEXT)
                    continue;
                sqlite3_value *kept = sqlite3_value_dup(sqlite3_column_value(statement, (int)i));
                if (!kept)
                    memory_fail();
                if (sqlite3_value_subtype(kept) == json)
                    columns[i].form = FORM_LIST;
                sqlite3_value_free(kept);
            }
        }
        *done = sink->row(sink, cells, error);
    }
    return result;
}

/* A statement may be wrong in itself, or the database in trouble. */
static bool step_error(sqlite3 *db, int result, const char *what, struct error *error)
{
    switch (result & 0xFF) {
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_CANTOPEN: /* what it attaches */
        return error_set(error, STATUS_USAGE, "%s: %s", what, sqlite3_errmsg(db));
    case SQLITE_INTERRUPT:
        return error_set(error, STATUS_DATABASE, "%s: interrupted", what);
    default:
        return database_error(db, what, error);
    }
}

bool render_statement(sqlite3_stmt *statement, const struct render_options *options, FILE *out,
                      const char *what, struct error *error)
{
    size_t count = (size_t)sqlite3_column_count(statement);
    struct column *columns = memory_zeroed(count + 1, sizeof *columns);
    struct cell *cells = memory_zeroed(count + 1, sizeof *cells);
    struct sink_target target = {.out = out,
                                 .width = (size_t)options->width,
                                 .raw = options->csv_raw,
                                 .no_headers = options->no_headers,
                                 .wish = options->wish};
    struct sink *sink = options->book ? options->book : options->form->make(&target, error);
    bool done = sink != NULL;
    for (size_t i = 0; i < count && done; i++) {
        columns[i].name = columns[i].heading = sqlite3_column_name(statement, (int)i);
        columns[i].unit = columns[i].meaning = "";
    }
    bool has_lists = done && !options->book && knows_lists(options->form);
    if (has_lists)
        json_forms_declare(sqlite3_db_handle(statement), columns, count);
    struct sheet sheet = {.columns = columns, .column_count = count};
    if (options->book) {
        sheet.name = "sql";
        sheet.title = sqlite3_sql(statement);
    }
    if (done && count)
        done = sink->begin(sink, &sheet, error);
    int result;
    if (done)
        result =
            send_rows(statement, sink, count, cells, has_lists ? columns : NULL, out, &done, error);
    else
        result = SQLITE_DONE;
    if (done && result != SQLITE_DONE && result != SQLITE_ROW)
        done = step_error(sqlite3_db_handle(statement), result, what, error);
    if (done && count)
        done = sink->end(sink, error);
    if (done && count && !options->book)
        done = sink_finish(sink, error);
    if (!options->book)
        sink_free(sink);
    return done;
}

bool render_objects(sqlite3_stmt *statement, struct document *document, const char *what,
                    struct error *error)
{
    int count = sqlite3_column_count(statement), result = SQLITE_DONE;
    bool done = true;
    while (!ferror(document->out) && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        document_open(document, NULL, '{');
        for (int i = 0; i < count; i++) {
            /* A column whose name ends in _json is written as JSON, without the ending. */
            static const char ending[] = "_json";
            const char *name = sqlite3_column_name(statement, i);
            const char *text = (const char *)sqlite3_column_text(statement, i);
            int type = sqlite3_column_type(statement, i);
            if (!name || (!text && type == SQLITE_TEXT))
                memory_fail();
            size_t length = strlen(name), tail = strlen(ending);
            bool is_json = length > tail && strcmp(name + length - tail, ending) == 0;
            char *key = memory_part(name, is_json ? length - tail : length);
            if (is_json)
                document_raw(document, key, text);
            else if (type == SQLITE_INTEGER)
                document_integer(document, key, sqlite3_column_int64(statement, i));
            else if (type == SQLITE_FLOAT)
                document_real(document, key, sqlite3_column_double(statement, i));
            else
                document_text(document, key, text);
            memory_free(key);
        }
        document_close(document);
    }
    if (result != SQLITE_DONE && result != SQLITE_ROW)
        done = step_error(sqlite3_db_handle(statement), result, what, error);
    return done;
}
