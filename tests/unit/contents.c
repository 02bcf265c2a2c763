/* contents: see contents.h. */
#include "tests/unit/contents.h"

#include "ingest/ingest.h"
#include "sql/warehouse/integrity.h"
#include "src/base/hash.h"
#include "src/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ warehouses */

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    return statement;
}

/* "WHAT COUNT HASH", of all rows of a query. */
static void add_rows(sqlite3 *db, const char *what, const char *sql, struct text *out)
{
    sqlite3_stmt *statement = prepare(db, sql);
    uint64_t hash = 0;
    long long count = 0;
    int result;
    for (; (result = sqlite3_step(statement)) == SQLITE_ROW; count++)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            size_t length = (size_t)sqlite3_column_bytes(statement, i);
            hash = value ? hash64(value, length, hash + length + 1) : hash * 31 + 7;
        }
    if (result != SQLITE_DONE)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    database_finalize(statement);
    text_format(out, "%s %lld %016llx\n", what, count, (unsigned long long)hash);
}

char *contents_of(const char *path)
{
    sqlite3 *db;
    struct text out = {0};
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_stmt *tables =
        prepare(db, "SELECT name, 'SELECT ' || (SELECT group_concat(iif(name = 'mtime_ns', '0', "
                    "'\"' || name || '\"')) FROM "
                    "pragma_table_info(tables.name) WHERE name NOT LIKE '%\\_at' ESCAPE '\\') || "
                    "' FROM \"' || name || '\" ORDER BY 1, 2' FROM sqlite_schema AS tables WHERE "
                    "type = 'table' AND name <> 'rollup' " /* answers that can be asked again */
                    "ORDER BY name");
    while (sqlite3_step(tables) == SQLITE_ROW)
        add_rows(db, (const char *)sqlite3_column_text(tables, 0),
                 (const char *)sqlite3_column_text(tables, 1), &out);
    database_finalize(tables);
    add_rows(db, "(schema)", "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name", &out);
    add_rows(db, "(version)", "SELECT * FROM pragma_user_version", &out);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return out.items;
}

/* ------------------------------------------------------------------ the rest */

const char *made_trace(const char *name, const char *options)
{
    char command[1024];
    const char *path = scratch_path(name);
    snprintf(command, sizeof command, "%s %s > %s", MAKE_TRACE, options, path);
    assert_int_equal(system(command), 0);
    return path;
}

static void ignore_outcome(void *context, const struct ingest_outcome *outcome)
{
    (void)context, (void)outcome;
}

bool ingest_files(const char *database, const char *run, const char *const *paths, int jobs,
                  struct error *error)
{
    struct ingest_options options = {.database = database, .run = run, .jobs = jobs};
    struct ingest_observer observer = {.finished = ignore_outcome};
    input_list inputs = {0};
    size_t count = 0;
    while (paths[count])
        count++;
    *error = (struct error){0};
    bool done = discover_inputs(paths, count, &inputs, error) &&
                ingest_run(&options, &inputs, &observer, error);
    discover_free(&inputs);
    return done;
}

static void report_finding(void *context, const char *check, const char *finding)
{
    (void)context;
    if (finding)
        fail_msg("%s: %s", check, finding);
}

void assert_sound(const char *path)
{
    struct warehouse warehouse;
    struct error error = {0};
    int64_t findings = 0;
    if (!warehouse_open(&warehouse, path, WAREHOUSE_READ, 0, &error) ||
        !warehouse_show_views(&warehouse, &error) ||
        !integrity_check(&warehouse, report_finding, NULL, &findings, &error))
        fail_msg("%s", error.text);
    warehouse_close(&warehouse);
}

static size_t each_file(const char *path, bool removed)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (removed)
            assert_int_equal(unlinkat(dirfd(directory), entry->d_name, 0), 0);
    }
    closedir(directory);
    return count;
}

size_t count_files(const char *path)
{
    return each_file(path, false);
}

void empty_directory(const char *path)
{
    assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
    each_file(path, true);
}

void copy_file(const char *from, const char *to)
{
    char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, got, out), got);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* The bytes of a file, which has some; the caller unmaps. */
static void *map_file(const char *path, size_t *size)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0 && fstat(file, &status) == 0);
    *size = (size_t)status.st_size;
    void *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    assert_true(bytes != MAP_FAILED);
    close(file);
    return bytes;
}

bool same_bytes(const char *path, const char *other)
{
    struct stat first, second;
    size_t size;
    if (stat(path, &first) != 0 || stat(other, &second) != 0 || first.st_size != second.st_size)
        return false;
    if (first.st_size == 0)
        return true;
    void *bytes = map_file(path, &size), *others = map_file(other, &size);
    bool same = memcmp(bytes, others, size) == 0;
    munmap(bytes, size);
    munmap(others, size);
    return same;
}
