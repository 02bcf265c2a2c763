/* postgres: see postgres.h. */
#include "query/export/postgres.h"

#include <string.h>

/* ------------------------------------------------------------------ names */

struct postgres_table postgres_table(const struct export_table *table)
{
    bool is_sheet = table->kind != FACT_OF_TRACE;
    return (struct postgres_table){is_sheet ? table->name : table->name + strlen("fact_"),
                                   is_sheet ? "" : "_row"};
}

bool postgres_is_numbered(const struct export_table *table)
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
        export_add_name(out, column->name);
}

static void add_fixed(struct text *out, const struct fixed_column *columns, bool with_types,
                      const char *before)
{
    for (; columns->name; columns++, before = ", ")
        text_format(out, "%s\"%s\"%s%s", before, columns->name, with_types ? " " : "",
                    with_types ? columns->type : "");
}

void postgres_add_columns(struct text *out, const struct export_table *table, bool with_types)
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

/* Columns that came with another version. */
static void add_later(struct text *out, const struct export_table *table,
                      const struct postgres_table *name)
{
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
                "WHERE attrelid = '" POSTGRES_TABLE
                "'::regclass)) THEN\n  ALTER TABLE " POSTGRES_TABLE,
                name->name, name->ending, name->name, name->ending);
    for (size_t i = 0; i < table->columns.count; i++) {
        const struct export_column *column = &table->columns.items[i];
        text_format(out, "%s ADD COLUMN IF NOT EXISTS ", i ? "," : "");
        add_name(out, column, is_numbered);
        text_format(out, " %s", type_of(column, is_numbered));
    }
    text_add_string(out, ";\n");
}

/* A column that has the type of its values may have had narrower ones. */
static void add_wider(struct text *out, const struct export_column *column,
                      const struct postgres_table *name)
{
    text_format(out,
                "IF (SELECT atttypid FROM pg_attribute WHERE attrelid = '" POSTGRES_TABLE
                "'::regclass AND attname = ",
                name->name, name->ending);
    add_literal(out, column->name);
    text_format(out,
                ") IN ('bigint'::regtype%s) THEN\n  ALTER TABLE " POSTGRES_TABLE " ALTER COLUMN ",
                column->type == EXPORT_TEXT ? ", 'double precision'::regtype" : "", name->name,
                name->ending);
    export_add_name(out, column->name);
    text_format(out, " TYPE %s;\nEND IF;\n", type_of(column, false));
}

/* Who changes a table waits for all that use it, and they for him: so nobody does who need not. */
static void add_table(struct text *out, const struct export_table *table)
{
    struct postgres_table name = postgres_table(table);
    text_format(out,
                "DO $tpq$ BEGIN\nIF to_regclass('" POSTGRES_TABLE "') IS NULL THEN\n"
                "  CREATE TABLE " POSTGRES_TABLE " (",
                name.name, name.ending, name.name, name.ending);
    postgres_add_columns(out, table, true);
    text_format(out, "%s);\n", table->is_last ? ", PRIMARY KEY (run_id, trace_id)" : "");
    if (!table->is_last)
        text_format(
            out,
            "  CREATE INDEX ON " POSTGRES_TABLE " USING brin (%s) WITH (pages_per_range = 32);\n",
            name.name, name.ending, table->kind == SHEET_OF_RUN ? "run_id" : "run_id, trace_id");
    if (table->columns.count)
        add_later(out, table, &name);
    text_add_string(out, "END IF;\n");
    for (size_t i = 0; i < table->columns.count; i++)
        if (table->columns.items[i].is_open && table->columns.items[i].type != EXPORT_INTEGER)
            add_wider(out, &table->columns.items[i], &name);
    text_add_string(out, "END $tpq$;\n");
}

/* The text of a numbered column is joined on a primary key: where it is not read, it is not
 * joined. */
static void add_view(struct text *out, const struct export_table *table)
{
    struct postgres_table name = postgres_table(table);
    bool is_numbered = postgres_is_numbered(table);
    text_format(out, "CREATE OR REPLACE VIEW tpq.\"%s\" AS SELECT trace_row.run, trace_row.trace",
                table->name);
    for (size_t i = 0; i < table->columns.count; i++) {
        const struct export_column *column = &table->columns.items[i];
        if (column->type == EXPORT_TEXT && is_numbered)
            text_format(out, ", word_%zu.text AS \"%s\"", i, column->name);
        else
            text_format(out, ", fact.\"%s\"", column->name);
    }
    text_format(out,
                "%s FROM " POSTGRES_TABLE
                " AS fact LEFT JOIN tpq.trace_row ON trace_row.run_id = fact.run_id AND "
                "trace_row.trace_id = fact.trace_id",
                table->is_last ? ", fact.options, fact.layout" : "", name.name, name.ending);
    for (size_t i = 0; i < table->columns.count && is_numbered; i++)
        if (table->columns.items[i].type == EXPORT_TEXT)
            text_format(out, " LEFT JOIN tpq.text AS word_%zu ON word_%zu.id = fact.\"%s_id\"", i,
                        i, table->columns.items[i].name);
    text_add_string(out, ";\n");
}

/* ------------------------------------------------------------------ views over many runs */

static bool has_table(const void *of, struct view name)
{
    const struct export_tables *tables = of;
    for (size_t i = 0; i < tables->count; i++)
        if (view_equal(view_of(tables->items[i].name), name))
            return true;
    return false;
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

void postgres_add_schema(struct text *out, const struct export_tables *tables, bool for_citus)
{
    text_add_string(out, beginning);
    for (size_t i = 0; i < tables->count; i++)
        add_table(out, &tables->items[i]);
    for (size_t i = 0; i < tables->count; i++)
        if (tables->items[i].kind == FACT_OF_TRACE)
            add_view(out, &tables->items[i]);
    /* The texts of the files themselves: the path of the script leads to its own tables. */
    static const char create[] = "CREATE VIEW ";
    for (int i = 0; i < sql_file_count; i++) {
        const char *text = text_starts_with(sql_files[i].path, "fleet/")
                               ? strstr(sql_files[i].text, create)
                               : NULL;
        if (text && export_view_can_be_made(text, has_table, tables))
            text_format(out, "CREATE OR REPLACE VIEW %s", text + strlen(create));
    }
    text_add_string(out, "COMMIT;\n");
    if (for_citus) {
        add_citus(out, "tpq.text", true);
        for (size_t i = 0; i < tables->count; i++) {
            struct postgres_table name = postgres_table(&tables->items[i]);
            struct text table = {0};
            if (text_format(&table, POSTGRES_TABLE, name.name, name.ending))
                add_citus(out, table.items, tables->items[i].is_last);
            out->failed |= table.failed;
            text_free(&table);
        }
    }
}
