/* sink_tables: ordinary tables that hold what the sheets held when they were made.
 *
 * The sheet ops_summary becomes the table frozen_ops_summary: the plain name is that of the view.
 * A mark in the text of its definition tells such a table from any other, which is never replaced.
 * Where one of the name is there, the new one is made beside it and takes its place at the end.
 * What is to be said of the tables stands in frozen_meta, a fact a row: what they are about, what
 * they leave out, why they are empty.
 */
#include "query/sink/own_names.h"
#include "query/sink/sink.h"

#include "sql/database.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "frozen_", mark[] = " /* frozen */ (";
static const char meta[] = "frozen_meta";

/* A table that has been made beside the one that it replaces. */
struct replacement {
    char *made, *name;
};

struct tables_sink {
    struct sink base;
    sqlite3 *db;
    const char *tables; /* what their names begin with behind the prefix */
    size_t columns;
    sqlite3_stmt *insert;
    const char *name;       /* of the table in hand */
    struct own_names names; /* frozen_meta and the tables so far, as they will be */
    const struct identity *identity;
    sqlite3_stmt *say; /* a row of frozen_meta */
    ARRAY(struct replacement) replacements;
};

static bool sink_tables_fail(struct tables_sink *self, const char *name, struct error *error)
{
    return database_error(self->db, name, error);
}

/* ------------------------------------------------------------------ names */

/* The name as it is or with a number. */
static char *numbered(const char *name, int number)
{
    struct text made = {0};
    text_add_string(&made, name);
    if (number >= 2)
        text_format(&made, "_%d", number);
    return made.items;
}

/* True if a definition is that of a frozen table: the mark comes right after the quoted name. */
static bool is_frozen(const char *type, const char *sql)
{
    static const char start[] = "CREATE TABLE \"";
    if (!sql || strcmp(type, "table") != 0 || strncmp(sql, start, sizeof start - 1) != 0)
        return false;
    const char *at = sql + sizeof start - 1;
    while (*at && (*at != '"' || at[1] == '"'))
        at += *at == '"' ? 2 : 1;
    return *at && strncmp(at + 1, mark, sizeof mark - 1) == 0;
}

enum presence { ABSENT, FROZEN, FOREIGN };

static bool look_up(struct tables_sink *self, const char *name, enum presence *presence,
                    struct error *error)
{
    sqlite3_stmt *found = NULL;
    *presence = ABSENT;
    int result = database_prepare(
        self->db, "SELECT type, sql FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE", &found,
        NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(found, 1, name, -1, SQLITE_STATIC);
    if (result == SQLITE_OK && (result = sqlite3_step(found)) == SQLITE_ROW)
        *presence = is_frozen((const char *)sqlite3_column_text(found, 0),
                              (const char *)sqlite3_column_text(found, 1))
                        ? FROZEN
                        : FOREIGN;
    bool done =
        result == SQLITE_ROW || result == SQLITE_DONE || sink_tables_fail(self, name, error);
    database_finalize(found);
    return done;
}

/* ------------------------------------------------------------------ one sheet */

/* Columns have a name of their own each, and no type, so values stay as they are. A sheet without
 * columns has no rows either. */
static bool make_table(struct tables_sink *self, const char *name, const struct sheet *sheet,
                       struct error *error)
{
    struct text sql = {0};
    struct own_names names = {0};
    text_add_string(&sql, database_format("CREATE TABLE main.\"%w\"%s", name, mark));
    if (!sheet->column_count)
        text_add_string(&sql, "no_columns");
    for (size_t i = 0; i < sheet->column_count; i++)
        text_add_string(&sql, database_format("%s\"%w\"", i ? ", " : "",
                                              own_names_add(&names, sheet->columns[i].name)));
    text_add_byte(&sql, ')');
    if (!database_run_made(self->db, sql.items, name, error))
        return false;
    sql = (struct text){0};
    text_add_string(&sql, database_format("INSERT INTO main.\"%w\" VALUES (?", name));
    for (size_t i = 1; i < sheet->column_count; i++)
        text_add_string(&sql, ", ?");
    text_add_byte(&sql, ')');
    bool done = database_prepare(self->db, sql.items, &self->insert, NULL) == SQLITE_OK ||
                sink_tables_fail(self, name, error);
    return done;
}

/* ------------------------------------------------------------------ what is said of them */

static bool refuse(const char *name, struct error *error)
{
    return error_set(error, STATUS_DATABASE,
                     "%s: is there already and was not made by --into-tables; rename or drop it",
                     name);
}

static struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = view_of(text)};
}

/* -1 is not known. */
static struct cell number_cell(int64_t number)
{
    return (struct cell){.type = number < 0 ? CELL_NULL : CELL_INTEGER, .integer = number};
}

/* A row about the table in hand. */
static bool say(struct tables_sink *self, const char *name, const char *value, int64_t count,
                int64_t time_ns, struct error *error)
{
    const struct cell cells[] = {text_cell(self->name), text_cell(name), text_cell(value),
                                 number_cell(count), number_cell(time_ns)};
    return cells_insert(self->say, cells, sizeof cells / sizeof *cells) ||
           sink_tables_fail(self, meta, error);
}

static bool say_all(struct tables_sink *self, const struct sheet *sheet, struct error *error)
{
    const struct identity *identity = self->identity;
    bool done = !sheet->title || say(self, "title", sheet->title, -1, -1, error);
    for (size_t i = 0; identity && i < identity->facts.count && done; i++) {
        const struct identity_fact *fact = &identity->facts.items[i];
        for (size_t j = 0; j < fact->values.count && done; j++)
            done = say(self, fact->name, fact->values.items[j], -1, -1, error);
    }
    for (size_t i = 0; identity && i < identity->sides.count && done; i++) {
        struct text words = {0};
        text_format(&words, "%s: ", identity->sides.items[i].side);
        identity_add_facts(&identity->sides.items[i], &words);
        done = say(self, "side", words.items, -1, -1, error);
    }
    if (done && identity && identity->health)
        done = say(self, "health", identity->health, -1, -1, error);
    for (size_t i = 0; i < sheet->not_included_count && done; i++)
        done = say(self, "left_out", sheet->not_included[i].what, sheet->not_included[i].count,
                   sheet->not_included[i].time_ns, error);
    return done && (!sheet->why_empty || say(self, "no_rows", sheet->why_empty, -1, -1, error));
}

/* ------------------------------------------------------------------ sheets */

/* Where a frozen table is there, a name for the one that is made beside it: no sheet's. */
static bool plan_replacement(struct tables_sink *self, const char *name, struct error *error)
{
    struct text beside = {0};
    enum presence presence = FOREIGN;
    struct replacement *next = array_push(&self->replacements);
    *next = (struct replacement){.name = memory_text(name)};
    text_format(&beside, "new_%s", name);
    bool done = true;
    for (int number = 1; done && presence != ABSENT; number++) {
        next->made = numbered(beside.items, number);
        done = look_up(self, next->made, &presence, error);
    }
    return done;
}

static bool tables_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct tables_sink *self = (struct tables_sink *)sink;
    struct text name = {0};
    if (!self->say) {
        /* Rows about tables that are gone, or made again, go. */
        static const char made[] =
            "CREATE TABLE main.\"frozen_meta\" /* frozen */ (table_name, name, "
            "value, count, time_ns)";
        static const char cleared[] =
            "DELETE FROM main.frozen_meta WHERE table_name NOT IN (SELECT "
            "name FROM main.sqlite_schema)";
        enum presence presence;
        if (!look_up(self, meta, &presence, error))
            return false;
        if (presence == FOREIGN)
            return refuse(meta, error);
        own_names_add(&self->names, meta); /* no sheet's */
        if (!((sqlite3_exec(self->db, presence == ABSENT ? made : cleared, NULL, NULL, NULL) ==
                   SQLITE_OK &&
               database_prepare(self->db, "INSERT INTO main.frozen_meta VALUES (?, ?, ?, ?, ?)",
                                &self->say, NULL) == SQLITE_OK) ||
              sink_tables_fail(self, meta, error)))
            return false;
    }
    text_format(&name, "%s%s%s", prefix, self->tables, sheet->name);
    self->name = own_names_add(&self->names, name.items);
    enum presence presence;
    if (!look_up(self, self->name, &presence, error))
        return false;
    if (presence == FOREIGN)
        return refuse(self->name, error);
    if (presence == FROZEN && !plan_replacement(self, self->name, error))
        return false;
    self->columns = sheet->column_count;
    const char *made = presence == FROZEN
                           ? self->replacements.items[self->replacements.count - 1].made
                           : self->name;
    if (!make_table(self, made, sheet, error))
        return false;

    /* Nothing is known of the table in hand any more. */
    sqlite3_stmt *rows = NULL;
    bool done = database_prepare(self->db, "DELETE FROM main.frozen_meta WHERE table_name = ?1",
                                 &rows, NULL) == SQLITE_OK &&
                sqlite3_bind_text(rows, 1, self->name, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(rows) == SQLITE_DONE;
    done = done || sink_tables_fail(self, meta, error);
    database_finalize(rows);
    if (!done)
        return false;
    return say_all(self, sheet, error);
}

static bool tables_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct tables_sink *self = (struct tables_sink *)sink;
    return cells_insert(self->insert, cells, self->columns) ||
           sink_tables_fail(self, self->name, error);
}

static bool tables_end(struct sink *sink, struct error *error)
{
    struct tables_sink *self = (struct tables_sink *)sink;
    (void)error;
    database_finalize(self->insert);
    self->insert = NULL;
    return true;
}

static bool tables_finish(struct sink *sink, struct error *error)
{
    struct tables_sink *self = (struct tables_sink *)sink;
    int legacy = 0; /* else renaming wants every view to be in order */
    sqlite3_db_config(self->db, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, -1, &legacy);
    sqlite3_db_config(self->db, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 1, NULL);
    bool done = true;
    for (size_t i = 0; i < self->replacements.count && done; i++) {
        const struct replacement *next = &self->replacements.items[i];
        done = database_run_made(self->db, database_format("DROP TABLE main.\"%w\"", next->name),
                                 next->name, error) &&
               database_run_made(self->db,
                                 database_format("ALTER TABLE main.\"%w\" RENAME TO \"%w\"",
                                                 next->made, next->name),
                                 next->made, error);
    }
    sqlite3_db_config(self->db, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, legacy, NULL);
    return done;
}

static void tables_free(struct sink *sink)
{
    struct tables_sink *self = (struct tables_sink *)sink;
    database_finalize(self->insert);
    database_finalize(self->say);
}

struct sink *sink_tables(const struct sink_target *target, struct error *error)
{
    struct sink base = {.begin = tables_begin,
                        .row = tables_row,
                        .end = tables_end,
                        .finish = tables_finish,
                        .free = tables_free,
                        .has_notes = true,
                        .says_where = true};
    (void)error;
    struct tables_sink *self = sink_new(sizeof *self, base);
    self->db = target->db;
    self->tables = target->tables ? target->tables : "";
    self->identity = target->identity;
    return &self->base;
}
