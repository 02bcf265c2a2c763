/* database_file: how SQLite reads the bytes of a stranger's database: a file system with two files,
 * the database and the write-ahead log beside it, that nothing can be written to.
 *
 * There are no locks and no shared memory: nobody else writes what a source holds, and the index
 * of the log is kept in memory. database.c is the only caller.
 */
#pragma once

#include <sqlite3.h>

struct database_files {
    sqlite3_vfs system; /* registered from opening a connection until that is open */
    char name[40];
    int main, log;       /* descriptors; -1 = there is none */
    sqlite3_int64 whole; /* bytes that the database should have; what is not there reads as zeros */
};

/* Opens a connection that can only read. Returns a code of SQLite. */
int database_files_open(struct database_files *self, sqlite3 **db);
