/* merge_source: A source is attached for reading only. Tables with the same words as here need no
 * look at their columns. */
#include "sql/merge/merge_source.h"

#include "sql/database.h"
#include "sql/warehouse/opening.h"
#include "sql/warehouse/schema.h"
#include "sql/warehouse/tables.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A lookup tries the entry of the last search, then a guess by distance, then a search. */

/* ------------------------------------------------------------------ entries */

bool merge_map_add(struct merge_map *self, struct merge_entry entry)
{
    size_t count = self->entries.count;
    if (entry.last < entry.first || (count && entry.first <= self->entries.items[count - 1].last))
        return false;
    array_add(&self->entries, entry);
    return true;
}

/* The entry with a number there; NULL when there is none. */
static const struct merge_entry *find_entry(const struct merge_map *self, int64_t number)
{
    const struct merge_entry *items = self->entries.items;
    size_t place;
    ARRAY_LOWER_BOUND(place, self->entries.count, items[place].last < number);
    bool is_in = place < self->entries.count && number >= items[place].first;
    return is_in ? &items[place] : NULL;
}

/* ------------------------------------------------------------------ functions */

static const struct merge_entry *ask(sqlite3_context *out, struct merge_map *map,
                                     sqlite3_value *number)
{
    bool is_number = sqlite3_value_type(number) == SQLITE_INTEGER;
    const struct merge_entry *entry =
        is_number ? find_entry(map, sqlite3_value_int64(number)) : NULL;
    if (entry && map->maps->asked++ <= map->maps->asked_most)
        return entry;
    char words[200];
    sqlite3_snprintf(sizeof words, words,
                     entry ? "a table has more rows than fit into it"
                           : "something refers to a row of %s that is not there",
                     map->table);
    sqlite3_result_error(out, words, -1);
    return NULL;
}

static void merged(sqlite3_context *out, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    const struct merge_entry *entry = ask(out, sqlite3_user_data(out), values[0]);
    if (entry && entry->here != MERGE_AWAY)
        sqlite3_result_int64(out, entry->here + (sqlite3_value_int64(values[0]) - entry->first));
}

/* The shift of the event ids of a trace; 0 is possible. */
static void merged_shift(sqlite3_context *out, int count, sqlite3_value **values)
{
    (void)count;
    const struct merge_entry *entry = ask(out, sqlite3_user_data(out), values[0]);
    if (entry)
        sqlite3_result_int64(out, entry->here);
}

/* ------------------------------------------------------------------ all maps */

struct merge_map *merge_maps_open(struct merge_maps *self, sqlite3 *db, const char *table)
{
    for (size_t i = 0; i < self->maps.count; i++)
        if (strcmp(self->maps.items[i]->table, table) == 0)
            return self->maps.items[i];
    struct merge_map *map = memory_zeroed(1, sizeof *map);
    *map = (struct merge_map){.maps = self, .table = memory_text(table)};
    array_add(&self->maps, map);
    bool is_shift = strcmp(map->table, MERGE_SHIFT) == 0;
    char *name = database_format("merged_%s", map->table);
    int result = sqlite3_create_function_v2(db, name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, map,
                                            is_shift ? merged_shift : merged, NULL, NULL, NULL);
    memory_free(name);
    if (result != SQLITE_OK)
        memory_fail();
    return map;
}

void merge_maps_clear(struct merge_maps *self, int64_t asked_most)
{
    for (size_t i = 0; i < self->maps.count; i++)
        self->maps.items[i]->entries.count = 0;
    self->asked = 0;
    self->asked_most = asked_most;
}

void merge_maps_free(struct merge_maps *self)
{
    for (size_t i = 0; i < self->maps.count; i++) {
        array_free(&self->maps.items[i]->entries);
        memory_free(self->maps.items[i]->table);
        memory_free(self->maps.items[i]);
    }
    array_free(&self->maps);
}

bool merge_source_damaged(const struct merge_source *self, const char *words, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%s: the warehouse is damaged: %s", self->path,
                     words);
}

bool merge_source_unreadable(const struct merge_source *self, const char *words,
                             struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", self->path, words);
}

/* Reading the file through says whether it is the one to blame, and for what. */
static int read_through(const struct merge_source *self)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *check = NULL;
    int result = sqlite3_open_v2(self->path, &db, SQLITE_OPEN_READONLY, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &check, NULL);
    if (result == SQLITE_OK && (result = sqlite3_step(check)) == SQLITE_ROW)
        result = sqlite3_stricmp((const char *)sqlite3_column_text(check, 0), "ok") == 0
                     ? SQLITE_OK
                     : SQLITE_CORRUPT;
    sqlite3_finalize(check);
    sqlite3_close(db);
    return result & 0xFF;
}

/* Errors about rows and values are always the source's. */
bool merge_source_failed(struct merge_source *self, struct error *error)
{
    sqlite3 *db = self->warehouse->db;
    char words[256];
    int code = sqlite3_errcode(db) & 0xFF;
    snprintf(words, sizeof words, "%s", sqlite3_errmsg(db));
    switch (code) {
    case SQLITE_NOMEM:
        memory_fail();
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
        return merge_source_damaged(self, words, error);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_IOERR:
        code = read_through(self);
        return code == SQLITE_OK      ? warehouse_error(self->warehouse, error)
               : code == SQLITE_IOERR ? merge_source_unreadable(self, words, error)
                                      : merge_source_damaged(self, words, error);
    default:
        return warehouse_error(self->warehouse, error);
    }
}

/* ------------------------------------------------------------------ all sources */

ORDER_BY(compare_tables, struct merge_table, WORDS(name));

/* Tables of the catalog have a column that says whose a row is. */
static const char own_tables[] =
    "SELECT name, sql, iif(instr(sql, 'source TEXT NOT NULL DEFAULT ''user'''), "
    "format(' + (SELECT count(*) FROM source.\"%w\" WHERE source <> ''tpq'')', name), '') "
    "FROM main.sqlite_schema WHERE type = 'table'";

sqlite3_stmt *merge_source_prepare(struct merge_source *self, const char *sql, struct error *error)
{
    struct merge_statement made = {0};
    for (size_t i = 0; i < self->statements.count; i++)
        if (strcmp(self->statements.items[i].sql, sql) == 0)
            return self->statements.items[i].statement;
    if (database_prepare(self->warehouse->db, sql, &made.statement, NULL) != SQLITE_OK) {
        merge_source_failed(self, error);
        return NULL;
    }
    made.sql = memory_text(sql);
    array_add(&self->statements, made);
    return made.statement;
}

void merge_source_done(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

bool merge_source_ask(struct merge_source *self, const char *sql, int64_t number, int64_t *answer,
                      struct error *error)
{
    sqlite3_stmt *question = merge_source_prepare(self, sql, error);
    if (!question)
        return false;
    if (sqlite3_bind_parameter_count(question))
        sqlite3_bind_int64(question, 1, number);
    int result = sqlite3_step(question);
    *answer = result == SQLITE_ROW ? sqlite3_column_int64(question, 0) : 0;
    bool done = result == SQLITE_ROW || result == SQLITE_DONE || merge_source_failed(self, error);
    merge_source_done(question);
    return done;
}

bool merge_source_init(struct merge_source *self, struct warehouse *warehouse, struct error *error)
{
    *self = (struct merge_source){.warehouse = warehouse};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, own_tables, error);
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error))
        array_add(&self->tables,
                  (struct merge_table){.name = memory_text(database_text(rows, 0)),
                                       .words = memory_text(database_text(rows, 1)),
                                       .count = memory_text(database_text(rows, 2))});
    database_finalize(rows);
    array_sort(&self->tables, compare_tables);
    return done;
}

void merge_source_free(struct merge_source *self)
{
    for (size_t i = 0; i < self->tables.count; i++)
        memory_free(self->tables.items[i].name), memory_free(self->tables.items[i].words),
            memory_free(self->tables.items[i].count);
    array_free(&self->tables);
    for (size_t i = 0; i < self->statements.count; i++) {
        memory_free(self->statements.items[i].sql);
        database_finalize(self->statements.items[i].statement);
    }
    array_free(&self->statements);
}

/* ------------------------------------------------------------------ opening */

/* The first failures to read it are its own: nothing has been written. */
static bool unreadable(struct merge_source *self, struct error *error)
{
    sqlite3 *db = self->warehouse->db;
    switch (sqlite3_errcode(db) & 0xFF) {
    case SQLITE_NOMEM:
        memory_fail();
    case SQLITE_NOTADB:
        return error_set(error, STATUS_BAD_INPUT, "%s: not a tpq warehouse", self->path);
    case SQLITE_READONLY:
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: a process died while it wrote; tpq rm --shrink --db undoes that",
                         self->path);
    case SQLITE_BUSY:
        return error_set(error, STATUS_BAD_INPUT, "%s: another process holds the database",
                         self->path);
    case SQLITE_ERROR: /* an encoding that is not that of the warehouse here */
        return error_set(error, STATUS_BAD_INPUT, "%s: not merged into %s: %s", self->path,
                         self->warehouse->path, sqlite3_errmsg(db));
    default:
        return merge_source_unreadable(self, sqlite3_errmsg(db), error);
    }
}

static bool attach(struct merge_source *self, struct error *error)
{
    struct text address = {0};
    struct error ignored = {0};

    /* A name of a file as SQLite takes it with a condition: that it is only read. */
    const char *path = self->path;
    text_add_string(&address, *path == '/' ? "file:" : "file:./");
    for (; *path; path++) {
        unsigned char byte = (unsigned char)*path;
        text_format(&address, isalnum(byte) || strchr("/._-", byte) ? "%c" : "%%%02x", byte);
    }
    text_add_string(&address, "?mode=ro");
    char *sql = database_format("ATTACH %Q AS source", address.items);
    /* a warehouse that is being built belongs to one process, a source does not */
    bool done = (warehouse_run(self->warehouse, "PRAGMA locking_mode = normal", &ignored) &&
                 warehouse_attach(self->warehouse, sql, &ignored)) ||
                unreadable(self, error);
    memory_free(sql);
    text_free(&address);
    return done;
}

static struct merge_table *find_table(const struct merge_source *self, const char *name)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->tables.count, strcmp(self->tables.items[place].name, name) < 0);
    bool is_it = place < self->tables.count && strcmp(self->tables.items[place].name, name) == 0;
    return is_it ? &self->tables.items[place] : NULL;
}

bool merge_source_open(struct merge_source *self, const char *path, struct error *error)
{
    self->path = path;
    struct stat status;
    const char *reason = stat(self->path, &status) != 0 ? strerror(errno)
                         : S_ISREG(status.st_mode)      ? NULL
                                                        : "not a file";
    self->bytes = reason ? 0 : status.st_size;
    if (reason)
        return error_set(error, STATUS_BAD_INPUT, "%s: %s", self->path, reason);
    if (self->is_attached) {
        sqlite3_exec(self->warehouse->db, "DETACH source", NULL, NULL, NULL);
        self->is_attached = false;
    }
    self->is_attached = attach(self, error);
    if (!self->is_attached)
        return false;

    sqlite3 *db = self->warehouse->db;
    int64_t application = 0, version = 0, tables = 0;
    if (database_ask(db, "SELECT count(*) FROM source.sqlite_schema", 0, &tables) != SQLITE_OK ||
        database_ask(db, "PRAGMA source.application_id", 0, &application) != SQLITE_OK ||
        database_ask(db, "PRAGMA source.user_version", 0, &version) != SQLITE_OK)
        return unreadable(self, error);
    enum status ignored;
    const char *objection = schema_objection(application, version, &ignored);
    if (objection)
        return error_set(error, STATUS_BAD_INPUT, "%s: %s", self->path, objection);
    if (!opening_check(db, "source", self->path, error)) {
        if (!error->memory)
            error->status = STATUS_BAD_INPUT;
        return false;
    }

    /* Tables of ours that it has, with the same columns or not. */
    for (size_t i = 0; i < self->tables.count; i++)
        self->tables.items[i].is_there = false;
    self->other_tables = 0;
    sqlite3_stmt *rows = merge_source_prepare(
        self, "SELECT name, sql FROM source.sqlite_schema WHERE type = 'table'", error);
    bool done = rows != NULL;
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        /* Where the words are the same, so are the columns: of most tables nothing more need be
         * asked. */
        const char *name = database_text(rows, 0);
        const char *words = database_text(rows, 1);
        struct merge_table *table = find_table(self, name);
        if (table) {
            table->is_there = true;
            table->is_same = strcmp(words, table->words) == 0;
        } else if (!text_starts_with(name, "sqlite_")) {
            self->other_tables++;
        }
    }
    done = done && (result == SQLITE_DONE || merge_source_failed(self, error));
    if (rows)
        merge_source_done(rows);
    return done;
}

/* ------------------------------------------------------------------ tables */

bool merge_source_has(struct merge_source *self, const char *table, bool *has, struct error *error)
{
    const struct merge_table *own = find_table(self, table);
    *has = own && own->is_there;
    bool may_lack = !tables_words(table).length || tables_came_later(view_of(table));
    if (!*has && !may_lack)
        return merge_source_damaged(self, "a table is missing", error);
    if (!*has || own->is_same)
        return true;

    /* Where the table here has a column more, it is for whoever added that to say what goes in. */
    static const char columns[] =
        "SELECT name FROM pragma_table_info(?1, 'main') WHERE name COLLATE nocase NOT IN "
        "(SELECT name FROM pragma_table_info(?1, 'source'))";
    sqlite3_stmt *missing = merge_source_prepare(self, columns, error);
    if (!missing)
        return false;
    sqlite3_bind_text(missing, 1, table, -1, SQLITE_STATIC);
    int result = sqlite3_step(missing);
    bool done = result == SQLITE_DONE;
    if (result == SQLITE_ROW)
        error_set(error, STATUS_BAD_INPUT,
                  "%s: table %s has no column %s, which %s has; merge into a new warehouse",
                  self->path, table, database_text(missing, 0), self->warehouse->path);
    else if (!done)
        merge_source_failed(self, error);
    merge_source_done(missing);
    return done;
}

/* ------------------------------------------------------------------ choices */

bool merge_source_count_choices(struct merge_source *self, int64_t *catalog_rows, int64_t *settings,
                                int64_t *tables, struct error *error)
{
    static const char own_settings[] =
        "SELECT count(*) FROM source.setting WHERE name NOT IN ('views', 'view_names')";
    *tables = self->other_tables;

    /* Rows of the catalog that are not ours. */
    struct text sql = {0};
    text_add_string(&sql, "SELECT 0");
    for (size_t i = 0; i < self->tables.count; i++)
        if (self->tables.items[i].is_there)
            text_add_string(&sql, self->tables.items[i].count);
    bool done = merge_source_ask(self, sql.items, 0, catalog_rows, error);
    text_free(&sql);
    return done && merge_source_ask(self, own_settings, 0, settings, error);
}
