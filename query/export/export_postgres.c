/* export_postgres: a script that psql loads: tables where there are none, then for each run, in one
 * transaction, its rows in place of those that are there of the same traces.
 *
 * A text goes in once for each run, through a temporary table. Loaders ask each other nothing: the
 * number of a text is made of it, and two texts of one number are seen when both are there. Loaders
 * of one run wait for each other; texts go in by their numbers, so that loaders of different runs
 * never wait in a circle.
 */
#include "query/export/copy_text.h"
#include "query/export/export_forms.h"
#include "query/export/fact_runs.h"
#include "query/export/postgres.h"
#include "src/base/map.h"

struct writer {
    struct export *export;
    struct whole_file file;
    struct export_tables tables;
    struct fact_runs runs;
    const struct fact_run *run;
    int64_t run_number, trace_number;
    const char *trace;  /* key of the trace whose rows are written */
    struct map known;   /* texts of this run that were written */
    struct text words;  /* lines of texts that come next */
    struct text traces; /* lines of fact_trace */
    struct text room;
    const struct export_table *copying; /* whose lines come; NULL = none's */
};

/* Texts between two lots of which the lines of a table go on. */
enum { WORDS_MOST = 4 << 20 };

static bool explained(struct writer *self, bool done)
{
    return done || whole_file_explain(&self->file);
}

/* ------------------------------------------------------------------ texts */

/* False: memory is out. */
static bool keep_word(struct writer *self, struct view word, int64_t number)
{
    uint32_t *seen = map_put(&self->known, number, copy_other_number(word));
    if (!seen || *seen)
        return seen != NULL;
    *seen = 1;
    return copy_add_integer(&self->words, number) && text_add_byte(&self->words, '\t') &&
           copy_add_text(&self->words, word) && text_add_byte(&self->words, '\n');
}

static bool end_lines(struct writer *self)
{
    bool done = !self->copying || text_add_string(&self->file.text, "\\.\n");
    self->copying = NULL;
    if (done && self->words.count)
        done = text_add_string(&self->file.text, "COPY pg_temp.tpq_text FROM STDIN;\n") &&
               text_add(&self->file.text, self->words.items, self->words.count) &&
               text_add_string(&self->file.text, "\\.\n");
    text_clear(&self->words);
    return explained(self, done) && whole_file_spill(&self->file);
}

static bool begin_lines(struct writer *self, const struct export_table *table)
{
    if (self->copying == table)
        return true;
    struct postgres_table name = postgres_table(table);
    self->copying = table;
    text_format(&self->file.text, "COPY " POSTGRES_TABLE " (", name.name, name.ending);
    postgres_add_columns(&self->file.text, table, false);
    return text_add_string(&self->file.text, ") FROM STDIN;\n");
}

/* ------------------------------------------------------------------ rows */

static bool add_word(struct writer *self, struct text *out, struct view text, bool is_numbered)
{
    struct view word = copy_mended(text, &self->room);
    if (!word.bytes)
        return false;
    if (!is_numbered)
        return copy_add_text(out, word);
    int64_t number = copy_number(word);
    return keep_word(self, word, number) && copy_add_integer(out, number);
}

static bool add_cell(struct writer *self, struct text *out, sqlite3_stmt *row, int column,
                     const struct export_table *table)
{
    bool is_text = table->columns.items[column].type == EXPORT_TEXT;
    int type = sqlite3_column_type(row, column);
    switch (is_text && type == SQLITE_FLOAT ? SQLITE_TEXT : type) {
    case SQLITE_NULL:
        return copy_add_null(out);
    case SQLITE_INTEGER:
        return copy_add_integer(out, sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return copy_add_real(out, sqlite3_column_double(row, column));
    default: {
        const char *text = (const char *)sqlite3_column_text(row, column);
        size_t length = (size_t)sqlite3_column_bytes(row, column);
        return text &&
               add_word(self, out, (struct view){text, length}, postgres_is_numbered(table));
    }
    }
}

/* Columns in front of the columns of a table. */
static bool add_place(struct writer *self, struct text *out, const struct export_table *table,
                      int64_t place)
{
    bool has_trace = table->kind != SHEET_OF_RUN, has_words = !postgres_is_numbered(table);
    bool done = copy_add_integer(out, self->run_number);
    if (done && has_trace)
        done = text_add_byte(out, '\t') && copy_add_integer(out, self->trace_number);
    if (done && has_words)
        done = text_add_byte(out, '\t') && add_word(self, out, view_of(self->run->name), false);
    if (done && has_words && has_trace)
        done = text_add_byte(out, '\t') && add_word(self, out, view_of(self->trace), false);
    if (done && table->kind != FACT_OF_TRACE)
        done = text_add_byte(out, '\t') && copy_add_integer(out, place);
    return done;
}

static bool add_row(struct writer *self, const struct export_table *table, sqlite3_stmt *row,
                    int64_t place)
{
    struct text *out = table->is_last ? &self->traces : &self->file.text;
    const char *figures = self->export->options.figures;
    bool done = (table->is_last || begin_lines(self, table)) && add_place(self, out, table, place);
    for (int i = 0; i < (int)table->columns.count && done; i++)
        done = text_add_byte(out, '\t') && add_cell(self, out, row, i, table);
    if (done && table->is_last)
        done = text_add_byte(out, '\t') && add_word(self, out, view_of(figures), false) &&
               text_format(out, "\t%d", FACT_LAYOUT);
    done = explained(self, done && text_add_byte(out, '\n'));
    self->export->written++;
    return done && (self->words.count < WORDS_MOST || end_lines(self)) &&
           whole_file_spill(&self->file);
}

static bool add_rows(struct writer *self, const struct export_table *table)
{
    struct error *error = self->export->error;
    sqlite3_stmt *rows = export_table_rows(table, self->export->warehouse, error);
    bool done = rows != NULL;
    int64_t place = 0;
    while (warehouse_next(self->export->warehouse, rows, &done, error)) {
        for (int i = 0; i < (int)table->columns.count && done; i++)
            done = export_cell_check(table, i, sqlite3_column_type(rows, i), place, error);
        done = done && add_row(self, table, rows, place++);
    }
    sqlite3_finalize(rows);
    return done && end_lines(self);
}

static bool add_tables(struct writer *self, bool of_runs)
{
    bool done = true;
    for (size_t i = 0; i < self->tables.count && done; i++) {
        const struct export_table *table = &self->tables.items[i];
        if ((table->kind == SHEET_OF_RUN) == of_runs && fact_run_has(self->run, table))
            done = add_rows(self, table);
    }
    return done;
}

/* ------------------------------------------------------------------ runs */

static bool delete_rows(struct writer *self, const struct export_table *table)
{
    struct text *out = &self->file.text;
    struct postgres_table name = postgres_table(table);
    bool done = true;
    text_format(out, "DELETE FROM " POSTGRES_TABLE " WHERE run_id = %lld", name.name, name.ending,
                (long long)self->run_number);
    if (table->kind == SHEET_OF_RUN)
        return text_add_string(out, ";\n");
    for (size_t i = 0; i < self->run->traces.count && done; i++) {
        int64_t number;
        done = copy_trace_number(self->run->name, self->run->traces.items[i].key, &number) &&
               text_format(out, "%s%lld", i ? ", " : " AND trace_id IN (", (long long)number);
    }
    return done && text_add_string(out, ");\n");
}

/* A BRIN index knows nothing of rows that came since the server last told it to look, and without
 * it each run would read what all before it have brought, to find what makes way. Only its owner
 * may; who makes tables waits, as he and this would wait in a circle. */
static const char summary[] =
    "DO $$ BEGIN PERFORM pg_advisory_xact_lock(" POSTGRES_TABLES_LOCK ");\n"
    "PERFORM brin_summarize_new_values(pg_class.oid) FROM pg_class JOIN pg_am ON pg_am.oid = relam "
    "WHERE relkind = 'i' AND relnamespace = 'tpq'::regnamespace AND amname = 'brin' AND "
    "pg_has_role(relowner, 'USAGE');\nEND $$;\n";

/* The row that tells of a trace goes first. */
static bool begin_run(struct writer *self)
{
    struct text *out = &self->file.text;
    self->run_number = copy_number(view_of(self->run->name));
    bool done = text_format(out,
                            "%sBEGIN;\nDO $$ BEGIN PERFORM pg_advisory_xact_lock('%lld'); END $$;\n"
                            "CREATE TEMPORARY TABLE tpq_text (id bigint, text text COLLATE \"C\") "
                            "ON COMMIT DROP;\n",
                            summary, (long long)self->run_number);
    for (size_t i = self->tables.count; i-- > 0 && done;)
        done = !fact_run_has(self->run, &self->tables.items[i]) ||
               delete_rows(self, &self->tables.items[i]);
    return explained(self, done);
}

static const char new_texts[] =
    "INSERT INTO tpq.text SELECT id, text FROM pg_temp.tpq_text ORDER BY id "
    "ON CONFLICT DO NOTHING;\n"
    "DO $$ BEGIN\nIF EXISTS (SELECT FROM pg_temp.tpq_text AS come JOIN tpq.text AS known "
    "ON known.id = come.id WHERE known.text <> come.text) THEN\n"
    "  RAISE EXCEPTION 'two texts have the same number';\nEND IF;\nEND $$;\n";

static bool end_run(struct writer *self)
{
    struct text *out = &self->file.text;
    const struct export_table *traces = &self->tables.items[self->tables.count - 1];
    bool done = text_add_string(out, new_texts) && begin_lines(self, traces) &&
                text_add(out, self->traces.items, self->traces.count);
    text_clear(&self->traces);
    map_free(&self->known);
    self->known = (struct map){0};
    return explained(self, done) && end_lines(self) &&
           explained(self, text_add_string(out, "COMMIT;\n"));
}

static bool write_run(struct writer *self)
{
    struct export *export = self->export;
    bool done = begin_run(self);
    for (size_t i = 0; i < self->run->traces.count && done; i++) {
        self->trace = self->run->traces.items[i].key;
        done = (copy_trace_number(self->run->name, self->trace, &self->trace_number) ||
                error_memory(export->error)) &&
               fact_run_select(self->run, i, export) && add_tables(self, false);
    }
    done = done && fact_run_select(self->run, SIZE_MAX, export) && add_tables(self, true);
    return done && end_run(self);
}

/* A tenth of the usual rows tells how many runs, traces and names there are; all of them would take
 * as long as the rows themselves. The server looks again when it has time. */
static bool add_end(struct writer *self)
{
    struct text *out = &self->file.text;
    text_add_string(out, "SET default_statistics_target = 10;\nANALYZE tpq.text");
    for (size_t i = 0; i < self->tables.count; i++) {
        struct postgres_table name = postgres_table(&self->tables.items[i]);
        text_format(out, ", " POSTGRES_TABLE, name.name, name.ending);
    }
    return explained(self, text_add_string(out, ";\n"));
}

bool export_postgres(struct export *self)
{
    struct writer writer = {.export = self};
    bool is_open = false;
    bool done = fact_runs_open(&writer.runs, self, &writer.tables) &&
                (is_open = whole_file_open(&writer.file, self->path, self->packing, self->error));
    if (done)
        postgres_add_schema(&writer.file.text, &writer.tables, self->options.for_citus);
    done = done && explained(&writer, !writer.file.text.failed);
    for (size_t i = 0; i < writer.runs.count && done; i++) {
        writer.run = &writer.runs.items[i];
        done = write_run(&writer);
    }
    done = done && add_end(&writer);
    self->not_included = writer.tables.not_included;
    done = is_open ? whole_file_close(&writer.file, done) : false;
    fact_runs_close(&writer.runs);
    export_tables_close(&writer.tables);
    map_free(&writer.known);
    text_free(&writer.words);
    text_free(&writer.traces);
    text_free(&writer.room);
    return done;
}
