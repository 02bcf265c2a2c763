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

static const struct fixed_column *last_columns(const struct export_table *table)
{
    static const struct fixed_column none[] = {{0}};
    static const struct fixed_column traces[] = {
        {"options", "text COLLATE \"C\""}, {"layout", "bigint"}, {0}};
    return table->is_last ? traces : none;
}

static const char *type_of(const struct export_column *column, bool is_numbered)
{
    static const char *const types[] = {[EXPORT_INTEGER] = "bigint",
                                        [EXPORT_REAL] = "double precision",
                                        [EXPORT_TEXT] = "text COLLATE \"C\""};
    return types[column->type == EXPORT_TEXT && is_numbered ? EXPORT_INTEGER : column->type];
}

/* A number stands for a text, under a name of its own. */
static bool add_name(struct text *out, const struct export_column *column, bool is_numbered)
{
    return is_numbered && column->type == EXPORT_TEXT ? text_format(out, "\"%s_id\"", column->name)
                                                      : export_add_name(out, column->name);
}

static bool add_fixed(struct text *out, const struct fixed_column *columns, bool with_types,
                      bool is_first)
{
    bool done = true;
    for (; columns->name && done; columns++, is_first = false)
        done = text_format(out, "%s\"%s\"%s%s", is_first ? "" : ", ", columns->name,
                           with_types ? " " : "", with_types ? columns->type : "");
    return done;
}

bool postgres_add_columns(struct text *out, const struct export_table *table, bool with_types)
{
    bool is_numbered = postgres_is_numbered(table);
    bool done = add_fixed(out, first_columns(table), with_types, true);
    for (size_t i = 0; i < table->columns.count && done; i++) {
        const struct export_column *column = &table->columns.items[i];
        done = text_add_string(out, ", ") && add_name(out, column, is_numbered) &&
               text_format(out, "%s%s", with_types ? " " : "",
                           with_types ? type_of(column, is_numbered) : "");
    }
    return done && add_fixed(out, last_columns(table), with_types, false);
}

/* ------------------------------------------------------------------ tables */

/* A text between quotes. */
static bool add_literal(struct text *out, const char *text)
{
    bool done = text_add_byte(out, '\'');
    for (; *text && done; text++)
        done = (*text != '\'' || text_add_byte(out, '\'')) && text_add_byte(out, *text);
    return done && text_add_byte(out, '\'');
}

static bool add_names(struct text *out, const struct export_table *table)
{
    bool is_numbered = postgres_is_numbered(table), done = true;
    for (size_t i = 0; i < table->columns.count && done; i++) {
        const struct export_column *column = &table->columns.items[i];
        const char *ending = is_numbered && column->type == EXPORT_TEXT ? "_id" : "";
        done = text_add_string(out, i ? ", (" : "(") && add_literal(out, column->name) &&
               text_format(out, " || '%s')", ending);
    }
    return done;
}

/* Columns that came with another version. */
static bool add_later(struct text *out, const struct export_table *table,
                      const struct postgres_table *name)
{
    bool is_numbered = postgres_is_numbered(table);
    bool done = text_add_string(out, "ELSIF EXISTS (SELECT FROM (VALUES ") &&
                add_names(out, table) &&
                text_format(out,
                            ") AS come (name) WHERE name NOT IN (SELECT attname FROM pg_attribute "
                            "WHERE attrelid = '" POSTGRES_TABLE
                            "'::regclass)) THEN\n  ALTER TABLE " POSTGRES_TABLE,
                            name->name, name->ending, name->name, name->ending);
    for (size_t i = 0; i < table->columns.count && done; i++) {
        const struct export_column *column = &table->columns.items[i];
        done = text_format(out, "%s ADD COLUMN IF NOT EXISTS ", i ? "," : "") &&
               add_name(out, column, is_numbered) &&
               text_format(out, " %s", type_of(column, is_numbered));
    }
    return done && text_add_string(out, ";\n");
}

/* A column that has the type of its values may have had narrower ones. */
static bool add_wider(struct text *out, const struct export_column *column,
                      const struct postgres_table *name)
{
    return text_format(out,
                       "IF (SELECT atttypid FROM pg_attribute WHERE attrelid = '" POSTGRES_TABLE
                       "'::regclass AND attname = ",
                       name->name, name->ending) &&
           add_literal(out, column->name) &&
           text_format(out,
                       ") IN ('bigint'::regtype%s) THEN\n  ALTER TABLE " POSTGRES_TABLE
                       " ALTER COLUMN ",
                       column->type == EXPORT_TEXT ? ", 'double precision'::regtype" : "",
                       name->name, name->ending) &&
           export_add_name(out, column->name) &&
           text_format(out, " TYPE %s;\nEND IF;\n", type_of(column, false));
}

/* Who changes a table waits for all that use it, and they for him: so nobody does who need not. */
static bool add_table(struct text *out, const struct export_table *table)
{
    struct postgres_table name = postgres_table(table);
    const char *index = table->kind == SHEET_OF_RUN ? "run_id" : "run_id, trace_id";
    bool done =
        text_format(out,
                    "DO $tpq$ BEGIN\nIF to_regclass('" POSTGRES_TABLE "') IS NULL THEN\n"
                    "  CREATE TABLE " POSTGRES_TABLE " (",
                    name.name, name.ending, name.name, name.ending) &&
        postgres_add_columns(out, table, true) &&
        text_format(out, "%s);\n", table->is_last ? ", PRIMARY KEY (run_id, trace_id)" : "") &&
        (table->is_last || text_format(out,
                                       "  CREATE INDEX ON " POSTGRES_TABLE
                                       " USING brin (%s) WITH (pages_per_range = 32);\n",
                                       name.name, name.ending, index)) &&
        (!table->columns.count || add_later(out, table, &name)) &&
        text_add_string(out, "END IF;\n");
    for (size_t i = 0; i < table->columns.count && done; i++) {
        const struct export_column *column = &table->columns.items[i];
        done = !column->is_open || column->type == EXPORT_INTEGER || add_wider(out, column, &name);
    }
    return done && text_add_string(out, "END $tpq$;\n");
}

/* The text of a numbered column is joined on a primary key: where it is not read, it is not
 * joined. */
static bool add_view(struct text *out, const struct export_table *table)
{
    struct postgres_table name = postgres_table(table);
    struct text joins = {0};
    bool done = text_format(out,
                            "CREATE OR REPLACE VIEW tpq.\"%s\" AS SELECT trace_row.run, "
                            "trace_row.trace",
                            table->name);
    for (size_t i = 0; i < table->columns.count && done; i++) {
        const struct export_column *column = &table->columns.items[i];
        if (column->type == EXPORT_TEXT && postgres_is_numbered(table))
            done = text_format(out, ", word_%zu.text AS \"%s\"", i, column->name) &&
                   text_format(&joins,
                               " LEFT JOIN tpq.text AS word_%zu ON word_%zu.id = fact.\"%s_id\"", i,
                               i, column->name);
        else
            done = text_format(out, ", fact.\"%s\"", column->name);
    }
    done = done && (!table->is_last || text_add_string(out, ", fact.options, fact.layout")) &&
           text_format(out,
                       " FROM " POSTGRES_TABLE
                       " AS fact LEFT JOIN tpq.trace_row ON trace_row.run_id = fact.run_id AND "
                       "trace_row.trace_id = fact.trace_id%s;\n",
                       name.name, name.ending, joins.items ? joins.items : "");
    text_free(&joins);
    return done;
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

/* The texts of the files themselves: the path of the script leads to its own tables. */
static bool add_fleet(struct text *out, const struct export_tables *tables)
{
    static const char create[] = "CREATE VIEW ";
    bool done = true;
    for (int i = 0; i < sql_file_count && done; i++) {
        const char *text = text_starts_with(sql_files[i].path, "fleet/")
                               ? strstr(sql_files[i].text, create)
                               : NULL;
        if (text && export_view_can_be_made(text, has_table, tables))
            done = text_format(out, "CREATE OR REPLACE VIEW %s", text + strlen(create));
    }
    return done;
}

/* ------------------------------------------------------------------ Citus */

static bool add_citus(struct text *out, const char *table, bool is_everywhere)
{
    return text_format(out,
                       "DO $$ BEGIN\nIF '%s'::regclass NOT IN (SELECT logicalrelid FROM "
                       "pg_dist_partition) THEN\n  PERFORM %s('%s'%s);\nEND IF;\nEND $$;\n",
                       table, is_everywhere ? "create_reference_table" : "create_distributed_table",
                       table, is_everywhere ? "" : ", 'run_id'");
}

static bool distribute(struct text *out, const struct export_tables *tables)
{
    bool done = add_citus(out, "tpq.text", true);
    for (size_t i = 0; i < tables->count && done; i++) {
        struct postgres_table name = postgres_table(&tables->items[i]);
        struct text table = {0};
        done = text_format(&table, POSTGRES_TABLE, name.name, name.ending) &&
               add_citus(out, table.items, tables->items[i].is_last);
        text_free(&table);
    }
    return done;
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

bool postgres_add_schema(struct text *out, const struct export_tables *tables, bool for_citus)
{
    bool done = text_add_string(out, beginning);
    for (size_t i = 0; i < tables->count && done; i++)
        done = add_table(out, &tables->items[i]);
    for (size_t i = 0; i < tables->count && done; i++)
        done = tables->items[i].kind != FACT_OF_TRACE || add_view(out, &tables->items[i]);
    done = done && add_fleet(out, tables);
    return done && text_add_string(out, "COMMIT;\n") && (!for_citus || distribute(out, tables));
}
