/* Strangers' databases: what is read of them, and what is not. */
#include "tests/unit/support.h"

#include "ingest/input/database.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *make(const char *name, const char *sql)
{
    const char *path = scratch_path(name);
    sqlite3 *db;
    unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return path;
}

struct opened {
    struct source *source;
    struct database *database;
    struct error error;
};

static bool try_open(struct opened *self, const char *path)
{
    *self = (struct opened){0};
    self->source = source_open(path, false, NULL, &self->error);
    assert_non_null(self->source);
    self->database = database_open(self->source, &self->error);
    return self->database != NULL;
}

static void done(struct opened *self)
{
    database_close(self->database);
    source_close(self->source);
}

/* The rows of a table as text: integers, or the kind of what is none. */
static const char *rows(struct opened *self, const char *table, const char *const *columns,
                        size_t count)
{
    static char text[4096];
    size_t length = 0;
    struct rows_of *found =
        database_rows(self->database, table, columns, count, NULL, &self->error);
    if (!found)
        return "refused";
    enum rows_step step;
    *text = '\0';
    while ((step = rows_step(found, &self->error)) == ROWS_NEXT && length < sizeof text - 100) {
        for (size_t i = 0; i < count; i++) {
            int64_t value;
            enum value_kind kind = rows_integer(found, i, &value);
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", i ? "|" : "");
            length += kind == VALUE_FINE
                          ? (size_t)snprintf(text + length, sizeof text - length, "%lld",
                                             (long long)value)
                          : (size_t)snprintf(text + length, sizeof text - length, "%s",
                                             kind == VALUE_NULL ? "null" : "odd");
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "\n");
    }
    database_rows_close(found);
    return step == ROWS_END ? text : "damaged";
}

static const char *const columns[] = {"a", "missing", "B"};

static void test_columns_go_by_name(void **state)
{
    (void)state;
    struct opened self;
    assert_true(try_open(&self, make("names.db", "CREATE TABLE t (b, a, c);"
                                                 "INSERT INTO t VALUES (1, 2, 3), (4, 5, 6)")));
    assert_string_equal(rows(&self, "t", columns, 3), "2|null|1\n5|null|4\n");
    assert_string_equal(rows(&self, "none", columns, 3), "");
    bool has;
    assert_true(database_has_column(self.database, "t", "A", &has, &self.error) && has);
    assert_true(database_has_column(self.database, "t", "missing", &has, &self.error) && !has);
    assert_true(database_has_column(self.database, "none", "a", &has, &self.error) && !has);
    done(&self);
}

static void test_types_are_those_of_values(void **state)
{
    (void)state;
    struct opened self;
    const char *path =
        make("types.db", "CREATE TABLE t (a INTEGER, b INTEGER);"
                         "INSERT INTO t VALUES ('soon', x'00'), (0, 1e300), (9223372036854775807, "
                         "-9223372036854775807 - 1), (NULL, 7)");
    assert_true(try_open(&self, path));
    assert_string_equal(rows(&self, "t", columns, 3),
                        "odd|null|odd\n0|null|odd\n"
                        "9223372036854775807|null|-9223372036854775808\nnull|null|7\n");
    struct rows_of *found = database_rows(self.database, "t", columns, 1, NULL, &self.error);
    struct view text;
    assert_int_equal(rows_step(found, &self.error), ROWS_NEXT);
    assert_int_equal(rows_text(found, 0, &text), VALUE_FINE);
    assert_true(view_equal(text, VIEW("soon")));
    assert_int_equal(rows_step(found, &self.error), ROWS_NEXT);
    assert_int_equal(rows_text(found, 0, &text), VALUE_ODD);
    database_rows_close(found);
    done(&self);
}

/* A view, a virtual table and a computed column are not read. */
static void test_only_tables_are_read(void **state)
{
    (void)state;
    struct opened self;
    const char *path =
        make("views.db",
             "CREATE TABLE t (a, b AS (a + 1), c);"
             "INSERT INTO t (a) VALUES (1);"
             "CREATE VIEW v AS SELECT * FROM w; CREATE VIEW w AS SELECT * FROM v;"
             "CREATE TABLE y (a);"
             "PRAGMA writable_schema = 1;"
             "UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE y USING fts5(a)', rootpage = 0 "
             "WHERE name = 'y';");
    assert_true(try_open(&self, path));
    assert_string_equal(rows(&self, "t", columns, 3), "1|null|null\n");
    for (const char *name = "vwy"; *name; name++) {
        char table[2] = {*name, '\0'};
        assert_false(database_has(self.database, table));
        assert_string_equal(rows(&self, table, columns, 1), "");
    }
    done(&self);
}

static void test_a_schema_that_lies(void **state)
{
    (void)state;
    struct opened self;
    const char *path =
        make("lies.db", "CREATE TABLE x (a); PRAGMA writable_schema = 1;"
                        "UPDATE sqlite_schema SET sql = 'CREATE VIEW x AS SELECT 1'");
    assert_false(try_open(&self, path));
    assert_int_equal(self.error.status, STATUS_BAD_INPUT);
    done(&self);
}

static void test_nothing_is_written(void **state)
{
    (void)state;
    struct opened self;
    struct stat before, after;
    const char *path = make("still.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (a);"
                                        "INSERT INTO t VALUES (1)");
    assert_int_equal(stat(path, &before), 0);
    assert_true(try_open(&self, path));
    assert_string_equal(rows(&self, "t", columns, 1), "1\n");
    done(&self);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_not_equal(access(scratch_path("still.db-wal"), F_OK), 0);
    assert_int_not_equal(access(scratch_path("still.db-shm"), F_OK), 0);
}

static void copy_file(const char *from, const char *to)
{
    char command[2048];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

/* What stands in a write-ahead log only is read, and the log stays as it is. */
static void test_a_log_is_read(void **state)
{
    (void)state;
    struct opened self;
    sqlite3 *db;
    const char *path = make("busy.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, "PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (8), (9)");
    copy_file(path, scratch_path("left.db"));
    copy_file(scratch_path("busy.db-wal"), scratch_path("left.db-wal"));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_true(try_open(&self, scratch_path("left.db")));
    assert_string_equal(rows(&self, "t", columns, 1), "8\n9\n");
    done(&self);
    assert_int_equal(access(scratch_path("left.db-wal"), F_OK), 0);
    assert_int_not_equal(access(scratch_path("left.db-shm"), F_OK), 0);
}

static void test_a_writer_that_was_stopped(void **state)
{
    (void)state;
    struct opened self;
    const char *path = make("hot.db", "CREATE TABLE t (a)");
    scratch_file("hot.db-journal", "\xd9\xd5\x05\xf9", 4);
    assert_false(try_open(&self, path));
    assert_int_equal(self.error.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(self.error.text, "was stopped"));
    done(&self);
    scratch_file("hot.db-journal", "\0\0\0\0", 4); /* one that is done with */
    assert_true(try_open(&self, path));
    done(&self);
}

static void test_compressed(void **state)
{
    (void)state;
    struct opened self;
    char bytes[1 << 16];
    const char *path = make("plain.db", "CREATE TABLE t (a); INSERT INTO t VALUES (3)");
    FILE *file = fopen(path, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file), compressed;
    fclose(file);
    void *packed = gzip_bytes(bytes, length, &compressed);
    path = scratch_file("packed.db.gz", packed, compressed);
    memory_free(packed);
    assert_true(try_open(&self, path));
    assert_string_equal(rows(&self, "t", columns, 1), "3\n");
    assert_int_equal(source_content_bytes(self.source), (int64_t)length);
    done(&self);
}

/* A file that shows its pages again and again ends. */
static void test_pages_in_a_circle(void **state)
{
    (void)state;
    struct opened self;
    char bytes[1 << 16];
    const char *path =
        make("circle.db", "PRAGMA page_size = 512; CREATE TABLE t (a);"
                          "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
                          "INSERT INTO t SELECT i FROM n");
    FILE *file = fopen(path, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    unsigned char *root = (unsigned char *)bytes + 512; /* an interior page */
    assert_int_equal(root[0], 5);
    for (int cell = 0; cell < root[3] * 256 + root[4]; cell++) /* all point to the first child */
        memcpy(root + root[12 + 2 * cell] * 256 + root[13 + 2 * cell],
               root + root[12] * 256 + root[13], 4);
    path = scratch_file("circle.db", bytes, length);
    assert_true(try_open(&self, path));
    struct rows_of *found = database_rows(self.database, "t", columns, 1, NULL, &self.error);
    enum rows_step step;
    int64_t count = 0;
    while ((step = rows_step(found, &self.error)) == ROWS_NEXT)
        count++;
    assert_true(count <= (int64_t)length / 4);
    database_rows_close(found);
    done(&self);
}

static void test_damage_is_a_sentence(void **state)
{
    (void)state;
    struct opened self;
    char bytes[1 << 16];
    const char *path =
        make("torn.db", "CREATE TABLE t (a);"
                        "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
                        "INSERT INTO t SELECT i FROM n");
    FILE *file = fopen(path, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    memset(bytes + 3 * 4096, 0x5a, 4096);
    path = scratch_file("torn.db", bytes, length);
    assert_true(try_open(&self, path));
    assert_string_equal(rows(&self, "t", columns, 1), "damaged");
    assert_int_equal(self.error.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(self.error.text, "table t, row "));
    done(&self);
    memset(bytes + 100, 0xff, 3000);
    path = scratch_file("schema.db", bytes, length);
    assert_false(try_open(&self, path));
    assert_int_equal(self.error.status, STATUS_BAD_INPUT);
    done(&self);
}

/* Makes the first row of a page claim all the bytes that a row can; it goes to a free place. */
static void enlarge(char *page)
{
    enum { PLACE = 1000, SIZE = 9 };
    unsigned char *pointer = (unsigned char *)page + 8;
    size_t from = (size_t)pointer[0] << 8 | pointer[1];
    memset(page + PLACE, 0xff, SIZE);
    memcpy(page + PLACE + SIZE, page + from + 2, 600); /* the size had two bytes */
    pointer[0] = PLACE >> 8;
    pointer[1] = PLACE & 0xff;
}

/* SQLite says that memory is out, where the column is not the last one. */
static void test_a_row_of_absurd_size_is_damage(void **state)
{
    (void)state;
    enum { PAGE = 4096 };
    struct opened self;
    char bytes[1 << 16];
    const char *path = make("large.db", "CREATE TABLE t (b, a);"
                                        "INSERT INTO t VALUES (printf('%.5000c', 'x'), 7)");
    FILE *file = fopen(path, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_int_equal(length, 3 * PAGE);
    enlarge(bytes + PAGE);
    path = scratch_file("large.db", bytes, length);
    assert_true(try_open(&self, path));
    assert_string_equal(rows(&self, "t", (const char *const[]){"b"}, 1), "damaged");
    assert_int_equal(self.error.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(self.error.text, "it says more than it can hold"));
    done(&self);
}

static void assert_text(struct opened *self, const char *table, int64_t key, const char *expected)
{
    struct texts_of *texts = database_texts(self->database, table, "id", "value", &self->error);
    enum value_kind kind;
    struct view text;
    assert_non_null(texts);
    assert_true(texts_find(texts, key, &kind, &text, &self->error));
    assert_int_equal(kind, expected ? VALUE_FINE : VALUE_NULL);
    if (expected)
        assert_true(view_equal(text, view_of(expected)));
    database_texts_close(texts);
}

/* By a key, and where the column is none. */
static void test_texts(void **state)
{
    (void)state;
    struct opened self;
    const char *path =
        make("texts.db", "CREATE TABLE k (id INTEGER PRIMARY KEY, value TEXT);"
                         "CREATE TABLE p (id, value TEXT);"
                         "CREATE TABLE w (id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID;"
                         "CREATE TABLE other (value TEXT);"
                         "INSERT INTO k VALUES (5, 'five'), (900000000000, 'many');"
                         "INSERT INTO p SELECT * FROM k; INSERT INTO w SELECT * FROM k");
    assert_true(try_open(&self, path));
    for (size_t i = 0; i < 3; i++) {
        static const char *const tables[] = {"k", "p", "w"};
        assert_text(&self, tables[i], 5, "five");
        assert_text(&self, tables[i], 900000000000, "many");
        assert_text(&self, tables[i], 1, NULL);
    }
    assert_text(&self, "other", 1, NULL);
    assert_text(&self, "none", 1, NULL);
    done(&self);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_columns_go_by_name),
    cmocka_unit_test(test_types_are_those_of_values),
    cmocka_unit_test(test_only_tables_are_read),
    cmocka_unit_test(test_a_schema_that_lies),
    cmocka_unit_test(test_nothing_is_written),
    cmocka_unit_test(test_a_log_is_read),
    cmocka_unit_test(test_a_writer_that_was_stopped),
    cmocka_unit_test(test_compressed),
    cmocka_unit_test(test_pages_in_a_circle),
    cmocka_unit_test(test_damage_is_a_sentence),
    cmocka_unit_test(test_a_row_of_absurd_size_is_damage),
    cmocka_unit_test(test_texts),
};
GROUP(database, NULL, NULL)
