/* merge_file: a warehouse as a file whose schema has no views, so that opening it is quick.
 *
 * SQLite parses all that a schema holds, and nine tenths of that are views, which nobody asks for
 * where only tables are read. What it reads of the first page leaves out the pages of the schema
 * that hold nothing but views; everything else is as it is. Nothing is ever written.
 */
#ifndef TPQ_SQL_MERGE_FILE_H
#define TPQ_SQL_MERGE_FILE_H

#include <sqlite3.h>

/* A file system of SQLite that reads such files (vfs=tpq-tables); a result code of SQLite. A file
 * with a log beside it cannot be read so. Once in a process. */
#define MERGE_FILE_SYSTEM "tpq-tables"
int merge_file_register(void);

#endif
