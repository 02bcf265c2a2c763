/* database: see database.h.
 *
 * A damaged or hostile file may show the same page many times, and a text that is longer than the
 * file. So a table has at most as many rows, and their texts at most as many bytes, as a file of
 * its size can hold; beyond that it is damaged.
 */
#include "ingest/input/database.h"

#include "ingest/input/database_file.h"
#include "sql/database.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/file.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROW_BYTES_MIN = 4, LENGTH_MIN = 1 << 20, LENGTH_MAX = 1000000000 };

/* A view or virtual table; sorted by name. */
struct other {
    char *name;
    bool is_asked_for;
};

struct database {
    struct source *source;
    struct database_files files;
    sqlite3 *db;
    int64_t bytes;        /* of the content */
    ARRAY(char *) tables; /* sorted */
    ARRAY(struct other) others;
    int64_t application;
};

struct rows_of {
    struct database *database;
    sqlite3_stmt *statement; /* NULL = no such table */
    char *table;
    int64_t row, bytes;
    bool is_lost; /* a text could not be given: the next step says so */
    ARRAY(bool) has;
};

static const char too_much[] = "the database is damaged: it says more than it can hold";

/* A result of SQLite as what it means: a row of absurd size is damage. */
static int meant(int result)
{
    return result == SQLITE_NOMEM && !allocation_failed() ? SQLITE_CORRUPT : result;
}

/* Why the last call failed. */
static const char *reason(const struct database *self)
{
    return sqlite3_errcode(self->db) == SQLITE_NOMEM ? too_much : sqlite3_errmsg(self->db);
}

static bool fail(struct database *self, struct error *error)
{
    if (meant(sqlite3_errcode(self->db)) == SQLITE_NOMEM)
        memory_fail();
    return error_set(error, STATUS_BAD_INPUT, "%s: the database cannot be read: %s",
                     source_path(self->source), reason(self));
}

/* ------------------------------------------------------------------ opening */

/* Nothing but reading tables, and asking what they are. */
static int authorise(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    (void)context, (void)second, (void)database, (void)trigger;
    bool is_question = action == SQLITE_PRAGMA &&
                       (strcmp(first, "table_xinfo") == 0 || strcmp(first, "table_list") == 0);
    return action == SQLITE_SELECT || action == SQLITE_READ || is_question ? SQLITE_OK
                                                                           : SQLITE_DENY;
}

static bool protect(struct database *self, struct error *error)
{
    sqlite3 *db = self->db;
    int64_t length = self->bytes < LENGTH_MIN ? LENGTH_MIN : self->bytes;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)(length > LENGTH_MAX ? LENGTH_MAX : length));
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    static const struct {
        int option, value;
    } options[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},          {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (sqlite3_db_config(db, options[i].option, options[i].value, NULL) != SQLITE_OK)
            return fail(self, error);
    if (sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
        return fail(self, error);
    sqlite3_set_authorizer(db, authorise, NULL);
    return true;
}

/* Opens a file beside the database, by what is added to its name; -1 = it is not there, or empty.
 */
static int open_beside(const char *path, const char *more)
{
    struct text name = {0};
    struct stat status;
    char *resolved = file_real_path(path);
    if (!resolved)
        return -1;
    text_format(&name, "%s%s", resolved, more);
    int file = open(name.items, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    text_free(&name);
    memory_free(resolved);
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !status.st_size)) {
        close(file);
        file = -1;
    }
    return file;
}

/* A text is not given when memory is out, or when it is too large. */
static bool is_lost(const struct database *self, const void *text)
{
    return !text && sqlite3_errcode(self->db) == SQLITE_NOMEM;
}

ORDER_BY(compare_names, char *, BY(strcmp(*a, *b)));
ORDER_BY(compare_others, struct other, WORDS(name));

static void keep_name(struct database *self, const unsigned char *name, bool is_table)
{
    char *copy = memory_text((const char *)name);
    if (is_table) {
        array_add(&self->tables, copy);
        return;
    }
    array_add(&self->others, (struct other){copy, false});
}

/* Tables are found by their row in the schema, by its text and by SQLite's reading of it. */
static bool find_tables(struct database *self, struct error *error)
{
    static const char list[] = "PRAGMA main.table_list",
                      schema[] = "SELECT type, sql FROM main.sqlite_schema WHERE name = ?1";
    sqlite3_stmt *tables = NULL, *rows = NULL;
    bool done = (sqlite3_prepare_v2(self->db, schema, -1, &rows, NULL) == SQLITE_OK &&
                 sqlite3_prepare_v2(self->db, list, -1, &tables, NULL) == SQLITE_OK) ||
                fail(self, error);
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(tables)) == SQLITE_ROW) {
        const unsigned char *name = sqlite3_column_text(tables, 1);
        const unsigned char *kind = sqlite3_column_text(tables, 2);
        if (is_lost(self, name) || is_lost(self, kind)) {
            done = fail(self, error);
            break;
        }
        if (!name || !kind)
            continue;
        if (strcmp((const char *)kind, "table") != 0) {
            keep_name(self, name, false);
            continue;
        }
        sqlite3_bind_text(rows, 1, (const char *)name, -1, SQLITE_STATIC);
        int found = sqlite3_step(rows);
        const unsigned char *type = found == SQLITE_ROW ? sqlite3_column_text(rows, 0) : NULL;
        const unsigned char *sql = type ? sqlite3_column_text(rows, 1) : NULL;
        if (found == SQLITE_NOMEM || is_lost(self, type) || is_lost(self, sql))
            done = fail(self, error);
        else
            keep_name(self, name,
                      sql && strcmp((const char *)type, "table") == 0 &&
                          strncasecmp((const char *)sql, "CREATE TABLE", strlen("CREATE TABLE")) ==
                              0);
        sqlite3_reset(rows);
    }
    if (done && result != SQLITE_DONE)
        done = fail(self, error);
    database_finalize(tables);
    database_finalize(rows);
    array_sort(&self->tables, compare_names);
    array_sort(&self->others, compare_others);
    return done;
}

static int64_t big_endian(const unsigned char *bytes, size_t count)
{
    int64_t number = 0;
    for (size_t i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

static void close_lost(void *database)
{
    database_close(database);
}

struct database *database_open(struct source *source, struct error *error)
{
    const char *path = source_path(source);
    struct database *self = memory_zeroed(1, sizeof *self);
    self->source = source;
    self->files.log = -1;
    memory_at_end(close_lost, self);
    self->files.main = source_file(source, error);
    if (self->files.main < 0)
        goto fail;

    /* A journal whose header is not zero tells of a writer that was stopped: what it had begun
     * stands in the database, and only the journal can take it out. */
    char first = 0;
    int file = open_beside(path, "-journal");
    bool is_hot = file >= 0 && pread(file, &first, 1, 0) == 1 && first;
    if (file >= 0)
        close(file);
    if (is_hot) {
        error_set(error, STATUS_BAD_INPUT,
                  "%s: its writer was stopped before it was done; open it once with sqlite3, "
                  "which puts it right",
                  path);
        goto fail;
    }
    self->files.log = open_beside(path, "-wal");
    self->bytes = source_content_bytes(source);

    /* The file's header. Its number of pages only holds where its last writer knew that number, and
     * where no log goes on. */
    enum { PAGE_BYTES = 16, CHANGES = 24, PAGES = 28, APPLICATION = 68, PAGES_AT = 92 };
    unsigned char bytes[100];
    if (pread(self->files.main, bytes, sizeof bytes, 0) == sizeof bytes) {
        int64_t page = big_endian(bytes + PAGE_BYTES, 2); /* 65536 is written as 1 */
        int64_t whole = big_endian(bytes + PAGES, 4) * (page == 1 ? 65536 : page);
        bool is_known = memcmp(bytes + CHANGES, bytes + PAGES_AT, 4) == 0 && self->files.log < 0;
        self->application = big_endian(bytes + APPLICATION, 4);
        if (is_known && whole > self->bytes)
            self->files.whole = whole;
    }
    if (database_files_open(&self->files, &self->db) != SQLITE_OK) {
        if (!self->db)
            memory_fail();
        fail(self, error);
        goto fail;
    }
    struct stat log = {0};
    if (self->files.log >= 0 && fstat(self->files.log, &log) == 0)
        self->bytes += log.st_size;
    if (protect(self, error) && find_tables(self, error))
        return self;
fail:
    database_close(self);
    return NULL;
}

void database_close(struct database *self)
{
    if (!self)
        return;
    memory_forget(self);
    for (sqlite3_stmt *left; self->db && (left = sqlite3_next_stmt(self->db, NULL));)
        sqlite3_finalize(left);
    sqlite3_close(self->db);
    if (self->files.log >= 0)
        close(self->files.log);
    for (size_t i = 0; i < self->tables.count; i++)
        memory_free(self->tables.items[i]);
    array_free(&self->tables);
    for (size_t i = 0; i < self->others.count; i++)
        memory_free(self->others.items[i].name);
    array_free(&self->others);
    memory_free(self);
}

bool database_recognises(const unsigned char *bytes, size_t length)
{
    static const char magic[16] = "SQLite format 3";
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool database_is_cut(const struct database *self)
{
    return self->files.whole != 0;
}

int64_t database_application(const struct database *self)
{
    return self->application;
}

const char *database_table(const struct database *self, size_t index)
{
    return index < self->tables.count ? self->tables.items[index] : NULL;
}

bool database_has(const struct database *self, const char *table)
{
    if (self->tables.count && bsearch(&table, self->tables.items, self->tables.count,
                                      sizeof *self->tables.items, compare_names))
        return true;
    size_t at;
    ARRAY_LOWER_BOUND(at, self->others.count, strcmp(self->others.items[at].name, table) < 0);
    if (at < self->others.count && strcmp(self->others.items[at].name, table) == 0)
        self->others.items[at].is_asked_for = true;
    return false;
}

int64_t database_passed_over(const struct database *self)
{
    int64_t count = 0;
    for (size_t i = 0; i < self->others.count; i++)
        count += self->others.items[i].is_asked_for;
    return count;
}

/* ------------------------------------------------------------------ columns */

static sqlite3_stmt *prepare(struct database *self, const struct text *sql, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(self->db, sql->items, (int)sql->count, &statement, NULL) != SQLITE_OK)
        fail(self, error);
    return statement;
}

/* A column as the table has it; those that are computed do not count. */
struct column {
    bool is_there, is_integer;
    int key; /* place in the primary key, 0 = it is not in it */
};

static bool find_column(struct database *self, const char *table, const char *name,
                        struct column *column, struct error *error)
{
    struct text sql = {0};
    sqlite3_stmt *columns = NULL;
    text_add_string(&sql, "PRAGMA main.table_xinfo(");
    text_add_sql_name(&sql, table);
    text_add_byte(&sql, ')');
    columns = prepare(self, &sql, error);
    text_free(&sql);
    int result = SQLITE_ERROR;
    *column = (struct column){0};
    while (columns && !column->is_there && (result = sqlite3_step(columns)) == SQLITE_ROW) {
        const char *found = (const char *)sqlite3_column_text(columns, 1);
        const char *type = (const char *)sqlite3_column_text(columns, 2);
        if (is_lost(self, found) || is_lost(self, type)) {
            result = SQLITE_NOMEM;
            break;
        }
        if (!found || sqlite3_stricmp(found, name) != 0 || sqlite3_column_int(columns, 6) != 0)
            continue;
        *column = (struct column){true, type && sqlite3_stricmp(type, "INTEGER") == 0,
                                  sqlite3_column_int(columns, 5)};
    }
    bool done = column->is_there || result == SQLITE_DONE;
    if (!done && columns)
        done = fail(self, error);
    database_finalize(columns);
    return done && columns;
}

bool database_has_column(struct database *self, const char *table, const char *column, bool *has,
                         struct error *error)
{
    struct column found = {0};
    bool done = !database_has(self, table) || find_column(self, table, column, &found, error);
    *has = found.is_there;
    return done;
}

/* ------------------------------------------------------------------ rows */

struct rows_of *database_rows(struct database *self, const char *table, const char *const *columns,
                              size_t count, const char *condition, struct error *error)
{
    struct text sql = {0};
    struct rows_of *rows = memory_zeroed(1, sizeof *rows);
    rows->table = memory_text(table);
    rows->database = self;
    if (!database_has(self, table))
        return rows;
    text_add_string(&sql, count ? "SELECT " : "SELECT 1");

    for (size_t i = 0; i < count; i++) {
        struct column column = {0};
        if (columns[i] && !find_column(self, table, columns[i], &column, error))
            goto fail;
        array_add(&rows->has, column.is_there);
        if (i != 0)
            text_add_string(&sql, ", ");
        if (column.is_there)
            text_add_sql_name(&sql, columns[i]);
        else
            text_add_string(&sql, "NULL");
    }
    text_add_string(&sql, " FROM main.");
    text_add_sql_name(&sql, table);
    text_add_string(&sql, " NOT INDEXED");
    if (condition)
        text_format(&sql, " WHERE %s", condition);
    rows->statement = prepare(self, &sql, error);
    text_free(&sql);
    if (rows->statement)
        return rows;
fail:
    text_free(&sql);
    database_rows_close(rows);
    return NULL;
}

void database_rows_close(struct rows_of *self)
{
    if (!self)
        return;
    database_finalize(self->statement);
    array_free(&self->has);
    memory_free(self->table);
    memory_free(self);
}

bool rows_have(const struct rows_of *self, size_t column)
{
    return column < self->has.count && self->has.items[column];
}

static enum rows_step fail_row(struct rows_of *self, const char *why, struct error *error)
{
    error_set(error, STATUS_BAD_INPUT, "%s: table %s, row %lld: %s",
              source_path(self->database->source), self->table, (long long)self->row, why);
    return ROWS_FAILED;
}

enum rows_step rows_step(struct rows_of *self, struct error *error)
{
    if (!self->statement)
        return ROWS_END;
    int result = meant(self->is_lost ? SQLITE_NOMEM : sqlite3_step(self->statement));
    if (result == SQLITE_DONE || (result == SQLITE_CORRUPT && database_is_cut(self->database)))
        return ROWS_END;
    self->row++;
    if (result == SQLITE_NOMEM)
        memory_fail();
    if (result != SQLITE_ROW)
        return fail_row(
            self, self->is_lost || result == SQLITE_TOOBIG ? too_much : reason(self->database),
            error);
    if (self->row > self->database->bytes / ROW_BYTES_MIN || self->bytes > self->database->bytes)
        return fail_row(self, too_much, error);
    return ROWS_NEXT;
}

int64_t rows_number(const struct rows_of *self)
{
    return self->row;
}

/* ------------------------------------------------------------------ values */

enum value_kind rows_integer(const struct rows_of *self, size_t column, int64_t *value)
{
    *value = sqlite3_column_int64(self->statement, (int)column);
    if (*value != 0 && *value != INT64_MAX && *value != INT64_MIN)
        return VALUE_FINE;

    /* No number is read as 0, none of 64 bits as the greatest: only then the type is worth a look.
     */
    switch (sqlite3_column_type(self->statement, (int)column)) {
    case SQLITE_INTEGER:
        return VALUE_FINE;
    case SQLITE_NULL:
        return VALUE_NULL;
    case SQLITE_FLOAT:
        return sqlite3_column_double(self->statement, (int)column) == 0 ? VALUE_FINE : VALUE_ODD;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_column_text(self->statement, (int)column);

        /* A text that says so is the number 0, as others are theirs. */
        return text && view_equal(view_of(text), VIEW("0")) ? VALUE_FINE : VALUE_ODD;
    }
    default:
        return VALUE_ODD;
    }
}

enum value_kind rows_real(const struct rows_of *self, size_t column, double *value)
{
    int type = sqlite3_column_type(self->statement, (int)column);
    *value = sqlite3_column_double(self->statement, (int)column);
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? VALUE_FINE
           : type == SQLITE_NULL                          ? VALUE_NULL
                                                          : VALUE_ODD;
}

static enum value_kind database_text_of(sqlite3_stmt *statement, int column, struct view *text)
{
    int type = sqlite3_column_type(statement, column);
    *text = (struct view){"", 0};
    if (type != SQLITE_TEXT)
        return type == SQLITE_NULL ? VALUE_NULL : VALUE_ODD;
    const char *start = (const char *)sqlite3_column_text(statement, column);
    if (start)
        *text = (struct view){start, (size_t)sqlite3_column_bytes(statement, column)};
    return VALUE_FINE;
}

enum value_kind rows_text(struct rows_of *self, size_t column, struct view *text)
{
    enum value_kind kind = database_text_of(self->statement, (int)column, text);
    self->bytes += (int64_t)text->length;
    self->is_lost |= is_lost(self->database, text->length ? text->bytes : NULL);
    return kind;
}

enum value_kind rows_blob(struct rows_of *self, size_t column, struct view *blob)
{
    int type = sqlite3_column_type(self->statement, (int)column);
    *blob = (struct view){"", 0};
    if (type != SQLITE_BLOB)
        return type == SQLITE_NULL ? VALUE_NULL : VALUE_ODD;
    const void *start = sqlite3_column_blob(self->statement, (int)column);
    if (start)
        *blob = (struct view){start, (size_t)sqlite3_column_bytes(self->statement, (int)column)};
    self->bytes += (int64_t)blob->length;
    self->is_lost |= !start && is_lost(self->database, start);
    return VALUE_FINE;
}

/* ------------------------------------------------------------------ texts */

struct texts_of {
    struct database *database;
    char *table;
    sqlite3_stmt *find; /* NULL = no such table */
    struct map places;  /* key -> number of the row, where the key is not that itself */
    bool by_place;
    int64_t bytes;
};

/* Keys that are no keys are looked up in memory, not by going through the table each time. */
static bool place_texts(struct texts_of *self, const char *key, struct error *error)
{
    const char *const columns[] = {key, "rowid"};
    struct text sql = {0};
    sqlite3_stmt *statement = NULL;
    text_add_string(&sql, "SELECT ");
    text_add_sql_name(&sql, columns[0]);
    text_add_string(&sql, ", rowid FROM main.");
    text_add_sql_name(&sql, self->table);
    text_add_string(&sql, " NOT INDEXED");
    statement = prepare(self->database, &sql, error);
    text_free(&sql);
    bool done = statement != NULL;
    int64_t rows = 0;
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t place = sqlite3_column_int64(statement, 1);
        if (++rows > self->database->bytes / ROW_BYTES_MIN)
            break;
        if (sqlite3_column_type(statement, 0) != SQLITE_INTEGER || place < 0 || place > UINT32_MAX)
            continue;
        map_set(&self->places, 0, sqlite3_column_int64(statement, 0), (uint32_t)place);
    }
    bool is_missing = meant(result) == SQLITE_CORRUPT && database_is_cut(self->database);
    if (done && result != SQLITE_DONE && !is_missing)
        done = fail(self->database, error);
    database_finalize(statement);
    return done;
}

static bool prepare_texts(struct texts_of *self, const char *key, const char *column,
                          struct error *error)
{
    struct column id, text;
    struct text sql = {0};
    if (!find_column(self->database, self->table, key, &id, error) ||
        !find_column(self->database, self->table, column, &text, error))
        return false;
    if (!id.is_there || !text.is_there)
        return true;
    self->by_place = id.key != 1 || !id.is_integer;
    if (self->by_place && !place_texts(self, key, error))
        return false;
    text_add_string(&sql, "SELECT ");
    text_add_sql_name(&sql, column);
    text_add_string(&sql, " FROM main.");
    text_add_sql_name(&sql, self->table);
    text_add_string(&sql, " WHERE ");
    if (self->by_place)
        text_add_string(&sql, "rowid");
    else
        text_add_sql_name(&sql, key);
    text_add_string(&sql, " = ?1");
    self->find = prepare(self->database, &sql, error);
    text_free(&sql);
    return self->find != NULL;
}

struct texts_of *database_texts(struct database *self, const char *table, const char *key,
                                const char *column, struct error *error)
{
    struct texts_of *texts = memory_zeroed(1, sizeof *texts);
    texts->table = memory_text(table);
    texts->database = self;
    if (!database_has(self, table) || prepare_texts(texts, key, column, error))
        return texts;

    database_texts_close(texts);
    return NULL;
}

void database_texts_close(struct texts_of *self)
{
    if (!self)
        return;
    database_finalize(self->find);
    map_free(&self->places);
    memory_free(self->table);
    memory_free(self);
}

bool texts_find(struct texts_of *self, int64_t key, enum value_kind *kind, struct view *text,
                struct error *error)
{
    *kind = VALUE_NULL;
    *text = (struct view){"", 0};
    if (!self->find)
        return true;
    sqlite3_reset(self->find);
    if (self->by_place && !(key = map_get(&self->places, 0, key)))
        return true;
    sqlite3_bind_int64(self->find, 1, key);
    int result = sqlite3_step(self->find);
    if (result == SQLITE_ROW)
        *kind = database_text_of(self->find, 0, text);
    self->bytes += (int64_t)text->length;
    if (is_lost(self->database, text->length ? text->bytes : NULL))
        result = SQLITE_NOMEM;
    result = meant(result);
    if (result == SQLITE_NOMEM)
        memory_fail();
    if (result == SQLITE_CORRUPT && database_is_cut(self->database))
        return true;
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return error_set(error, STATUS_BAD_INPUT, "%s: table %s, key %lld: %s",
                         source_path(self->database->source), self->table, (long long)key,
                         reason(self->database));
    if (self->bytes > self->database->bytes)
        return error_set(error, STATUS_BAD_INPUT, "%s: table %s: %s",
                         source_path(self->database->source), self->table, too_much);
    return true;
}
