/* contents: what tests of failure compare: the contents of a warehouse in one line for each table,
 * and the files around it.
 */
#pragma once

#include "tests/unit/support.h"

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
bool same_bytes(const char *path, const char *other);
