/* faults: what tests of failure share: a disk that fails or a process that dies at the n-th write,
 * and the contents of a warehouse in one line for each table.
 *
 * Writes are the modifying calls of SQLite's files (write, truncate, sync, delete) and those that
 * the warehouse itself makes (link, rename, unlink, write, fsync, mkostemp), for which the test
 * must be linked with --wrap (tests/CMakeLists.txt).
 */
#ifndef TPQ_TESTS_FAULTS_H
#define TPQ_TESTS_FAULTS_H

#include "support.h"

#include "ingest.h"

enum fault {
    FAULT_NONE, /* only counts */
    FAULT_FAIL, /* the n-th write of SQLite and all after it fail */
    FAULT_DIE,  /* the process ends with the n-th write, which may be half done */
};

/* What a process that died ends with. */
enum { DIED = 113 };

/* Makes SQLite use files that can be faulty; nothing is wrong with them yet. */
void faults_install(void);

/* The n-th write from now on is the one that `fault` means. */
void faults_start(enum fault fault, int64_t at);

/* From now on all is well again; gives the number of writes since faults_start. */
int64_t faults_stop(void);

/* The next file that the warehouse makes for a building is gone before it is locked. */
void faults_clear_away_next(void);

/* Every table with the number of its rows and a hash of them, without times of day; then schema
 * and version. Works on any SQLite file. The caller frees. */
char *contents_of(const char *path);

/* A trace made by make_trace with these options, as a file in the scratch directory. */
const char *made_trace(const char *name, const char *options);

/* Ingests files into a database; false with an error on failure. */
bool ingest_files(const char *database, const char *run, const char *const *paths, int jobs,
                  struct error *error);

/* Opens a warehouse as `tpq check` does and fails the test unless every check is passed. */
void assert_sound(const char *path);

/* The number of files in a directory; the directory without its files, made when it is not there.
 */
size_t count_files(const char *path);
void empty_directory(const char *path);

void copy_file(const char *from, const char *to);

#endif
