/* docs: what the comments in the .sql files say about tables, views and columns.
 *
 *     -- What a row of it is: the lines right above CREATE.
 *     -- key: value               a declaration, of the keys that docs.c knows
 *     CREATE VIEW name AS
 *     SELECT
 *       expression AS column, -- "Heading" [unit] (lower) meaning
 *
 * Heading, unit and polarity (lower or higher is better) may be left out; the unit also where the
 * name ends in it: _ns, _us, _ms, _bytes, _pct.
 */
#ifndef TPQ_SQL_DOCS_H
#define TPQ_SQL_DOCS_H

#include "sql/embed.h"
#include "src/base/array.h"

struct doc_column {
    char *name, *unit, *meaning; /* unit may be empty */
    char *heading;               /* the name where none is given */
    char *polarity;              /* lower, higher or empty */
};

struct doc_declaration {
    char *key, *value;
};

struct doc_object {
    char *name, *meaning;
    bool is_view;
    const struct sql_file *file;
    ARRAY(struct doc_column) columns; /* those that have a comment */
    ARRAY(struct doc_declaration) declarations;
};

typedef ARRAY(struct doc_object) doc_list;

/* Everything that the files create, in their order. False: memory is out. */
bool docs_read(const struct sql_file *files, int count, doc_list *docs);
void docs_free(doc_list *docs);

/* The object or column with this name, or NULL. Of objects capitals are no matter, as in SQL. */
const struct doc_object *docs_find(const doc_list *docs, const char *name);
const struct doc_column *docs_column(const struct doc_object *object, const char *name);

/* The value of a declaration; NULL when there is none. */
const char *docs_declared(const struct doc_object *object, const char *key);

#endif
