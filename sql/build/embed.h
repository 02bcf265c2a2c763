/* embed: the .sql files of this folder as they were at build time.
 *
 * embed_tool.c writes the list when the program is built. Schema, views and the words
 * of `tpq describe` come from here, so that each stands in one place.
 */
#pragma once

enum { SCHEMA_VERSION = 1 }; /* of the tables in schema/ */

struct sql_file {
    const char *path; /* from the folder sql: schema/1_run.sql */
    const char *text;
};

extern const struct sql_file sql_files[]; /* sorted by path */
extern const int sql_file_count;

/* A view of views/ or reports/, and what stands behind CREATE VIEW, without its semicolon. */
struct sql_view {
    const char *name, *text;
    unsigned long length; /* of the text */
    const short *needs;   /* places of views that it names, ended by -1 */
    int is_saved;         /* in each warehouse: any client can run it */
};

extern const struct sql_view sql_views[]; /* sorted by name */
extern const int sql_view_count;

/* An empty warehouse as bytes (image_tool.c): making schema and catalog from SQL text costs ten
 * milliseconds, copying them none. Views are not in it: SQLite would parse them when it opens the
 * copy. Whoever fills the copy writes them in the end (views_save). */
extern const unsigned char image_bytes[];
extern const unsigned long image_size;
