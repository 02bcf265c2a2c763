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

#endif
