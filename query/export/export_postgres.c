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
#include "query/export/fact_types.h"
#include "src/base/map.h"
#include "src/base/number.h"

#include <string.h>

/* ------------------------------------------------------------------ tables, indexes and views
 *
 * Facts are numbers: tpq.gpu_row has a number for each text, tpq.text the texts, and the view
 * tpq.fact_gpu both. tpq.trace_row and sheets are in words. Views over many runs (sql/fleet) are
 * made as they stand here, where the script has what they stand on.
 */

/* One loader at a time makes tables: the number of the word tpq. */
#define POSTGRES_TABLES_LOCK "7631985"

/* ------------------------------------------------------------------ names */

/* True if texts of a table are written as numbers. */
static bool postgres_is_numbered(const struct export_table *table)
{
    return table->kind == FACT_OF_TRACE && !table->is_last;
}

/* A column that a table begins or ends with. */
struct fixed_column {
    const char *name, *type;
};

/* NULL behind the last one. */
static const struct fixed_column *first_columns(const struct export_table *table)
{
    static const struct fixed_column facts[] = {
        {"run_id", "bigint NOT NULL"}, {"trace_id", "bigint NOT NULL"}, {0}};
    static const struct fixed_column traces[] = {{"run_id", "bigint NOT NULL"},
                                                 {"trace_id", "bigint NOT NULL"},
                                                 {"run", "text COLLATE \"C\""},
                                                 {"trace", "text COLLATE \"C\""},
                                                 {0}};
    static const struct fixed_column sheets[] = {
        {"run_id", "bigint NOT NULL"}, {"trace_id", "bigint NOT NULL"},
        {"run", "text COLLATE \"C\""}, {"trace", "text COLLATE \"C\""},
        {"sheet_row", "bigint"},       {0}};
    static const struct fixed_column of_runs[] = {
        {"run_id", "bigint NOT NULL"}, {"run", "text COLLATE \"C\""}, {"sheet_row", "bigint"}, {0}};
    return table->kind == SHEET_OF_RUN     ? of_runs
           : table->kind == SHEET_OF_TRACE ? sheets
           : table->is_last                ? traces
                                           : facts;
}

/* The last columns of the last table. */
static const struct fixed_column last_columns[] = {
    {"options", "text COLLATE \"C\""}, {"layout", "bigint"}, {0}};

static const char *type_of(const struct export_column *column, bool is_numbered)
{
    static const char *const types[] = {[EXPORT_INTEGER] = "bigint",
                                        [EXPORT_REAL] = "double precision",
                                        [EXPORT_TEXT] = "text COLLATE \"C\""};
    return types[column->type == EXPORT_TEXT && is_numbered ? EXPORT_INTEGER : column->type];
}

/* A number stands for a text, under a name of its own. */
static void add_name(struct text *out, const struct export_column *column, bool is_numbered)
{
    if (is_numbered && column->type == EXPORT_TEXT)
        text_format(out, "\"%s_id\"", column->name);
    else
        text_add_sql_name(out, column->name);
}

static void add_fixed(struct text *out, const struct fixed_column *columns, bool with_types,
                      const char *before)
{
    for (; columns->name; columns++, before = ", ")
        text_format(out, "%s\"%s\"%s%s", before, columns->name, with_types ? " " : "",
                    with_types ? columns->type : "");
}

/* The names of its columns, each with its type or not, with commas between. */
static void postgres_add_columns(struct text *out, const struct export_table *table,
                                 bool with_types)
{
    bool is_numbered = postgres_is_numbered(table);
    add_fixed(out, first_columns(table), with_types, "");
    for (size_t i = 0; i < table->columns.count; i++) {
        const struct export_column *column = &table->columns.items[i];
        text_add_string(out, ", ");
        add_name(out, column, is_numbered);
        if (with_types)
            text_format(out, " %s", type_of(column, is_numbered));
    }
    if (table->is_last)
        add_fixed(out, last_columns, with_types, ", ");
}

/* ------------------------------------------------------------------ tables */

/* A text between quotes. */
static void add_literal(struct text *out, const char *text)
{
    text_add_byte(out, '\'');
    for (; *text; text++)
        text_add(out, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    text_add_byte(out, '\'');
}

/* Who changes a table waits for all that use it, and they for him: so nobody does who need not. */
static void add_table(struct text *out, const struct export_table *table)
{
    text_format(out,
                "DO $tpq$ BEGIN\nIF to_regclass('%s') IS NULL THEN\n"
                "  CREATE TABLE %s (",
                table->postgres, table->postgres);
    postgres_add_columns(out, table, true);
    text_format(out, "%s);\n", table->is_last ? ", PRIMARY KEY (run_id, trace_id)" : "");
    if (!table->is_last)
        text_format(out, "  CREATE INDEX ON %s USING brin (%s) WITH (pages_per_range = 32);\n",
                    table->postgres, table->kind == SHEET_OF_RUN ? "run_id" : "run_id, trace_id");
    if (table->columns.count) {
        /* Columns that came with another version. */
        bool is_numbered = postgres_is_numbered(table);
        text_add_string(out, "ELSIF EXISTS (SELECT FROM (VALUES ");
        for (size_t i = 0; i < table->columns.count; i++) {
            const struct export_column *column = &table->columns.items[i];
            text_add_string(out, i ? ", (" : "(");
            add_literal(out, column->name);
            text_format(out, " || '%s')", is_numbered && column->type == EXPORT_TEXT ? "_id" : "");
        }
        text_format(out,
                    ") AS come (name) WHERE name NOT IN (SELECT attname FROM pg_attribute "
                    "WHERE attrelid = '%s'::regclass)) THEN\n  ALTER TABLE %s",
                    table->postgres, table->postgres);
        for (size_t i = 0; i < table->columns.count; i++) {
            const struct export_column *column = &table->columns.items[i];
            text_format(out, "%s ADD COLUMN IF NOT EXISTS ", i ? "," : "");
            add_name(out, column, is_numbered);
            text_format(out, " %s", type_of(column, is_numbered));
        }
        text_add_string(out, ";\n");
    }
    text_add_string(out, "END IF;\n");
    for (size_t i = 0; i < table->columns.count; i++)
        if (table->columns.items[i].is_open && table->columns.items[i].type != EXPORT_INTEGER) {
            /* A column that has the type of its values may have had narrower ones. */
            const struct export_column *column = &table->columns.items[i];
            text_format(out,
                        "IF (SELECT atttypid FROM pg_attribute WHERE attrelid = '%s'::regclass AND "
                        "attname = ",
                        table->postgres);
            add_literal(out, column->name);
            text_format(out, ") IN ('bigint'::regtype%s) THEN\n  ALTER TABLE %s ALTER COLUMN ",
                        column->type == EXPORT_TEXT ? ", 'double precision'::regtype" : "",
                        table->postgres);
            text_add_sql_name(out, column->name);
            text_format(out, " TYPE %s;\nEND IF;\n", type_of(column, false));
        }
    text_add_string(out, "END $tpq$;\n");
}

/* ------------------------------------------------------------------ Citus */

static void add_citus(struct text *out, const char *table, bool is_everywhere)
{
    text_format(out,
                "DO $$ BEGIN\nIF '%s'::regclass NOT IN (SELECT logicalrelid FROM "
                "pg_dist_partition) THEN\n  PERFORM %s('%s'%s);\nEND IF;\nEND $$;\n",
                table, is_everywhere ? "create_reference_table" : "create_distributed_table", table,
                is_everywhere ? "" : ", 'run_id'");
}

/* ------------------------------------------------------------------ the schema */

/* Where a script is cut off its transaction is, too. */
static const char beginning[] =
    "-- for psql: psql -X -q CONNECTION < this\n"
    "\\set ON_ERROR_STOP on\n"
    "\\set QUIET on\n"
    "SET client_encoding = 'UTF8';\n"
    "SET client_min_messages = warning;\n"
    "SET standard_conforming_strings = on;\n"
    "BEGIN;\n"
    "DO $$ BEGIN PERFORM pg_advisory_xact_lock(" POSTGRES_TABLES_LOCK "); END $$;\n"
    "CREATE SCHEMA IF NOT EXISTS tpq;\n"
    "SET search_path = tpq;\n"
    "CREATE TABLE IF NOT EXISTS tpq.text (id bigint PRIMARY KEY, text text COLLATE \"C\" NOT "
    "NULL);\n";

/* Everything up to the rows. */
static void postgres_add_schema(struct text *out, const struct export_tables *tables,
                                bool for_citus)
{
    text_add_string(out, beginning);
    for (size_t i = 0; i < tables->count; i++)
        add_table(out, &tables->items[i]);
    for (size_t i = 0; i < tables->count; i++)
        if (tables->items[i].kind == FACT_OF_TRACE) {
            /* The text of a numbered column is joined on a primary key: where it is not read, it is
             * not joined. */
            const struct export_table *table = &tables->items[i];
            bool is_numbered = postgres_is_numbered(table);
            text_format(
                out, "CREATE OR REPLACE VIEW tpq.\"%s\" AS SELECT trace_row.run, trace_row.trace",
                table->name);
            for (size_t j = 0; j < table->columns.count; j++) {
                const struct export_column *column = &table->columns.items[j];
                if (column->type == EXPORT_TEXT && is_numbered)
                    text_format(out, ", word_%zu.text AS \"%s\"", j, column->name);
                else
                    text_format(out, ", fact.\"%s\"", column->name);
            }
            text_format(
                out,
                "%s FROM %s AS fact LEFT JOIN tpq.trace_row ON trace_row.run_id = fact.run_id AND "
                "trace_row.trace_id = fact.trace_id",
                table->is_last ? ", fact.options, fact.layout" : "", table->postgres);
            for (size_t j = 0; j < table->columns.count && is_numbered; j++)
                if (table->columns.items[j].type == EXPORT_TEXT)
                    text_format(out,
                                " LEFT JOIN tpq.text AS word_%zu ON word_%zu.id = fact.\"%s_id\"",
                                j, j, table->columns.items[j].name);
            text_add_string(out, ";\n");
        }
    /* The texts of the files themselves: the path of the script leads to its own tables. */
    name_list names = {0};
    for (size_t i = 0; i < tables->count; i++)
        array_add(&names, tables->items[i].name);
    export_add_fleet_views(&names, "", out);
    text_add_string(out, "COMMIT;\n");
    if (for_citus) {
        add_citus(out, "tpq.text", true);
        for (size_t i = 0; i < tables->count; i++) {
            add_citus(out, tables->items[i].postgres, tables->items[i].is_last);
        }
    }
}

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

/* ------------------------------------------------------------------ texts */

static bool end_lines(struct writer *self)
{
    if (self->copying)
        text_add_string(&self->file.text, "\\.\n");
    self->copying = NULL;
    if (self->words.count) {
        text_add_string(&self->file.text, "COPY pg_temp.tpq_text FROM STDIN;\n");
        text_add(&self->file.text, self->words.items, self->words.count);
        text_add_string(&self->file.text, "\\.\n");
    }
    text_clear(&self->words);
    return whole_file_spill(&self->file);
}

static void begin_lines(struct writer *self, const struct export_table *table)
{
    if (self->copying == table)
        return;
    self->copying = table;
    text_format(&self->file.text, "COPY %s (", table->postgres);
    postgres_add_columns(&self->file.text, table, false);
    text_add_string(&self->file.text, ") FROM STDIN;\n");
}

/* ------------------------------------------------------------------ rows */

static void add_word(struct writer *self, struct text *out, struct view text, bool is_numbered)
{
    struct view word = copy_mended(text, &self->room);
    if (!is_numbered) {
        copy_add_text(out, word);
        return;
    }
    int64_t number = copy_number(word);
    uint32_t *seen = map_put(&self->known, number, copy_other_number(word));
    if (!*seen) {
        *seen = 1;
        number_add_integer(&self->words, number);
        text_add_byte(&self->words, '\t');
        copy_add_text(&self->words, word);
        text_add_byte(&self->words, '\n');
    }
    number_add_integer(out, number);
}

static void add_cell(struct writer *self, struct text *out, sqlite3_stmt *row, int column,
                     const struct export_table *table)
{
    bool is_text = table->columns.items[column].type == EXPORT_TEXT;
    int type = sqlite3_column_type(row, column);
    switch (is_text && type == SQLITE_FLOAT ? SQLITE_TEXT : type) {
    case SQLITE_NULL:
        text_add_string(out, "\\N");
        return;
    case SQLITE_INTEGER:
        number_add_integer(out, sqlite3_column_int64(row, column));
        return;
    case SQLITE_FLOAT:
        copy_add_real(out, sqlite3_column_double(row, column));
        return;
    default: {
        const char *text = database_text(row, column);
        size_t length = (size_t)sqlite3_column_bytes(row, column);
        add_word(self, out, (struct view){text, length}, postgres_is_numbered(table));
        return;
    }
    }
}

static bool export_postgres_add_row(struct writer *self, const struct export_table *table,
                                    sqlite3_stmt *row, int64_t place)
{
    struct text *out = table->is_last ? &self->traces : &self->file.text;
    const char *figures = self->export->options.figures;
    if (!table->is_last)
        begin_lines(self, table);

    /* Columns in front of the columns of a table. */
    bool has_trace = table->kind != SHEET_OF_RUN, has_words = !postgres_is_numbered(table);
    number_add_integer(out, self->run_number);
    if (has_trace) {
        text_add_byte(out, '\t');
        number_add_integer(out, self->trace_number);
    }
    if (has_words) {
        text_add_byte(out, '\t');
        add_word(self, out, view_of(self->run->name), false);
    }
    if (has_words && has_trace) {
        text_add_byte(out, '\t');
        add_word(self, out, view_of(self->trace), false);
    }
    if (table->kind != FACT_OF_TRACE) {
        text_add_byte(out, '\t');
        number_add_integer(out, place);
    }
    for (int i = 0; i < (int)table->columns.count; i++) {
        text_add_byte(out, '\t');
        add_cell(self, out, row, i, table);
    }
    if (table->is_last) {
        text_add_byte(out, '\t');
        add_word(self, out, view_of(figures), false);
        text_format(out, "\t%d", FACT_LAYOUT);
    }
    text_add_byte(out, '\n');
    self->export->written++;
    return (self->words.count < WORDS_MOST || end_lines(self)) && whole_file_spill(&self->file);
}

static bool add_rows(void *writer, size_t at, const char *trace)
{
    struct writer *self = writer;
    const struct export_table *table = &self->tables.items[at];
    struct error *error = self->export->error;
    self->trace = trace;
    if (trace)
        copy_trace_number(self->run->name, trace, &self->trace_number);
    sqlite3_stmt *rows = export_table_rows(table, self->export->warehouse, error);
    bool done = rows != NULL;
    int64_t place = 0;
    while (warehouse_next(self->export->warehouse, rows, &done, error)) {
        for (int i = 0; i < (int)table->columns.count && done; i++)
            done = export_cell_check(table, i, sqlite3_column_type(rows, i), place, error);
        if (done)
            done = export_postgres_add_row(self, table, rows, place++);
    }
    database_finalize(rows);
    return done && end_lines(self);
}

/* ------------------------------------------------------------------ runs */

static void delete_rows(struct writer *self, const struct export_table *table)
{
    struct text *out = &self->file.text;
    text_format(out, "DELETE FROM %s WHERE run_id = %lld", table->postgres,
                (long long)self->run_number);
    if (table->kind == SHEET_OF_RUN) {
        text_add_string(out, ";\n");
        return;
    }
    for (size_t i = 0; i < self->run->traces.count; i++) {
        int64_t number;
        copy_trace_number(self->run->name, self->run->traces.items[i].key, &number);
        text_format(out, "%s%lld", i ? ", " : " AND trace_id IN (", (long long)number);
    }
    text_add_string(out, ");\n");
}

/* A BRIN index knows nothing of rows that came since the server last told it to look, and without
 * it each run would read what all before it have brought, to find what makes way. Only its owner
 * may; who makes tables waits, as he and this would wait in a circle. */
static const char summary[] =
    "DO $$ BEGIN PERFORM pg_advisory_xact_lock(" POSTGRES_TABLES_LOCK ");\n"
    "PERFORM brin_summarize_new_values(pg_class.oid) FROM pg_class JOIN pg_am ON pg_am.oid = relam "
    "WHERE relkind = 'i' AND relnamespace = 'tpq'::regnamespace AND amname = 'brin' AND "
    "pg_has_role(relowner, 'USAGE');\nEND $$;\n";

static const char new_texts[] =
    "INSERT INTO tpq.text SELECT id, text FROM pg_temp.tpq_text ORDER BY id "
    "ON CONFLICT DO NOTHING;\n"
    "DO $$ BEGIN\nIF EXISTS (SELECT FROM pg_temp.tpq_text AS come JOIN tpq.text AS known "
    "ON known.id = come.id WHERE known.text <> come.text) THEN\n"
    "  RAISE EXCEPTION 'two texts have the same number';\nEND IF;\nEND $$;\n";

static bool write_run(struct writer *self)
{
    /* The row that tells of a trace goes first. */
    struct text *out = &self->file.text;
    self->run_number = copy_number(view_of(self->run->name));
    text_format(out,
                "%sBEGIN;\nDO $$ BEGIN PERFORM pg_advisory_xact_lock('%lld'); END $$;\n"
                "CREATE TEMPORARY TABLE tpq_text (id bigint, text text COLLATE \"C\") "
                "ON COMMIT DROP;\n",
                summary, (long long)self->run_number);
    for (size_t i = self->tables.count; i-- > 0;)
        if (fact_run_has(self->run, &self->tables.items[i]))
            delete_rows(self, &self->tables.items[i]);
    if (!fact_run_write(self->run, self->export, &self->tables, add_rows, NULL, self))
        return false;

    /* The rows of traces go last, behind the texts that the other rows brought. */
    const struct export_table *traces = &self->tables.items[self->tables.count - 1];
    text_add_string(out, new_texts);
    begin_lines(self, traces);
    text_add(out, self->traces.items, self->traces.count);
    text_clear(&self->traces);
    map_free(&self->known);
    self->known = (struct map){0};
    if (!end_lines(self))
        return false;
    text_add_string(out, "COMMIT;\n");
    return true;
}

bool export_postgres(struct export *self)
{
    struct writer writer = {.export = self};
    bool is_open = false;
    bool done = fact_runs_open(&writer.runs, self, &writer.tables) &&
                (is_open = whole_file_open(&writer.file, self->path, self->packing, self->error));
    if (done)
        postgres_add_schema(&writer.file.text, &writer.tables, self->options.for_citus);
    for (size_t i = 0; i < writer.runs.count && done; i++) {
        writer.run = &writer.runs.items[i];
        done = write_run(&writer);
    }
    if (done) {
        /* A tenth of the usual rows tells how many runs, traces and names there are; all of them
         * would take as long as the rows themselves. The server looks again when it has time. */
        struct text *out = &writer.file.text;
        text_add_string(out, "SET default_statistics_target = 10;\nANALYZE tpq.text");
        for (size_t i = 0; i < writer.tables.count; i++) {
            text_format(out, ", %s", writer.tables.items[i].postgres);
        }
        text_add_string(out, ";\n");
    }
    self->not_included = writer.tables.not_included;
    return is_open && whole_file_close(&writer.file, done);
}
