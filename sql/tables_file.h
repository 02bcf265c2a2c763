/* tables_file: a warehouse as a file whose schema has no views of ours, so that opening it is
 * quick.
 *
 * SQLite parses all that a schema holds, and nine tenths of that are views, few of which are asked
 * for. What it reads of the first page leaves out the pages of the schema that hold nothing but
 * them; everything else is as it is, views of users, too. Nothing is ever written.
 */
#ifndef TPQ_SQL_TABLES_FILE_H
#define TPQ_SQL_TABLES_FILE_H

#include <sqlite3.h>

/* A file system of SQLite that reads such files (vfs=tpq-tables); a result code of SQLite. A file
 * with a log beside it cannot be read so (tables_file_has_log). Once in a process. */
#define TABLES_FILE_SYSTEM "tpq-tables"
int tables_file_register(void);

/* What is written into a log first, its header says. */
int tables_file_has_log(const char *path);

/* From now on the schema of a connection's file is as it is. No statement may be running. */
void tables_file_show_all(sqlite3 *db);

/* Puts another file in the place of that of a schema which was opened so, when it looks the same to
 * SQLite: pages of one size, tables of the same count of changes, no log. No transaction may be
 * open. Whether the tables are the same, and whether the file has a journal, which is looked for by
 * the name of the first file, is for the caller to see. A result code of SQLite; SQLITE_MISMATCH:
 * it does not look the same, and the old file stands. */
int tables_file_exchange(sqlite3 *db, const char *schema, const char *path);

#endif
