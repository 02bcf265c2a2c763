/* support: what the unit tests share. Every function fails the test when it cannot do its work. */
#pragma once

/* cmocka wants these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/formats.h"
#include "ingest/store/store.h"
#include "ingest/trace/link.h"

/* The tests of a file, `tests`, by the name of the file and between two fixtures, for main.c. */
struct test_group {
    const char *name;
    const struct CMUnitTest *tests;
    size_t count;
    CMFixtureFunction setup, teardown;
    struct test_group *next;
};

void group_add(struct test_group *group);

#define GROUP(name, setup, teardown)                                                     \
    __attribute__((constructor)) static void add_group_##name(void)                      \
    {                                                                                    \
        static struct test_group added = {#name, tests,    sizeof tests / sizeof *tests, \
                                          setup, teardown, NULL};                        \
        group_add(&added);                                                               \
    }

/* Fixtures of a group whose tests free nothing: all of it ends with the group. */
int memory_setup(void **state);
int memory_teardown(void **state);

/* A directory for the files of the running group, removed when the group ends. */
const char *scratch_directory(void);
void scratch_remove(void);

/* The path of a file in it; valid until the next call but seven. */
const char *scratch_path(const char *name);

/* Writes a file in it and gives its path. */
const char *scratch_file(const char *name, const void *bytes, size_t length);

/* Compresses like gzip. The caller frees. */
void *gzip_bytes(const void *bytes, size_t length, size_t *compressed);

/* Reads a text as a trace, links it and builds its tree. */
void trace_of_text(struct trace *trace, const char *text, const struct read_options *options,
                   enum tree_order order);

/* The same, expecting the reader to refuse; fills `error`. */
void refuse_text(const char *text, const struct read_options *options, struct error *error);

/* The slice with this uid, and its place in the tree by uids (-1 = root or none). */
const struct slice *slice_of(const struct trace *trace, uint32_t uid);
int64_t parent_of(const struct trace *trace, uint32_t uid);
int64_t launcher_of(const struct trace *trace, uint32_t uid);
const char *name_of(const struct trace *trace, uint32_t uid); /* valid until the next call */

/* Fails unless the numbers are a preorder of the parents. */
void assert_preorder(const struct trace *trace);

/* Stores a text as a trace of a run; gives the trace's id. */
int64_t store_text(struct warehouse *warehouse, const char *run, const char *text);

/* Opens a new warehouse in the scratch directory, published and open for writing. */
void scratch_warehouse(struct warehouse *warehouse, const char *name);

/* Runs statements whose rows do not matter. */
void run_sql(sqlite3 *db, const char *sql);

/* The first value of a query. */
int64_t query_integer(sqlite3 *db, const char *sql);
char *query_text(sqlite3 *db, const char *sql); /* the caller frees; NULL for NULL or no row */

/* Runs a query whose rows must look like `expected`: values separated by '|', rows by '\n'. */
void assert_query(sqlite3 *db, const char *sql, const char *expected);
