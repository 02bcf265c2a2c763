/* docs: what the comments in the .sql files say about tables, views and columns.
 *
 *     -- What a row of it is: the lines right above CREATE.
 *     -- key: value               a declaration, of the keys in doc_keys
 *     CREATE VIEW name AS
 *     SELECT
 *       expression AS column, -- "Heading" [unit] (lower) meaning
 *
 * Heading, unit and polarity (lower or higher is better) may be left out; the unit also where the
 * name ends in it: _ns, _us, _ms, _bytes, _pct. A column without a unit may have the type of its
 * values there: [integer], [real] or [text]; else the unit says it. Of texts [list] and [tuple] are
 * JSON, [array] is as a trace states it, which may be JSON, [kernel] is the name of a kernel, which
 * tables show short, and [call] that of an op, with a kernel behind ->. [unit ~1] has one decimal
 * in reports with --compat, as the reference has. A view that declares
 * columns-of: takes the words that it does not say from there; its outermost SELECT stands at the
 * start of a line, and what it lists with a comma in brackets on one line.
 */
#pragma once

#include "sql/build/embed.h"
#include "src/base/text.h"

struct doc_column {
    char *name, *unit, *meaning; /* unit may be empty; all texts are one block, from the name on */
    char *heading;               /* the name where none is given */
    char *polarity;              /* lower, higher or empty */
    char *decimals;              /* a digit; empty = all */
    const char *type;            /* of its values: integer, real, text; empty = not stated */
};

struct doc_declaration {
    const char *key, *value;
};

/* Columns of an object that have a comment. */
typedef ARRAY(struct doc_column) doc_columns;

struct doc_object {
    char *name, *meaning;
    bool is_view;
    const struct sql_file *file;
    const char *body;              /* in the text of the file: behind its first line */
    char *words;                   /* the comment above it, cut up into what it declares */
    doc_columns *columns;          /* NULL until they are asked for */
    const struct doc_object *like; /* in the same list: its columns-of; or NULL */
    ARRAY(struct doc_declaration) declarations;
};

typedef ARRAY(struct doc_object) doc_list;

/* Declarations in the comment above a view, about its sheets; query/report/layout.h reads them. */
enum doc_key_type {
    DOC_TEXT,           /* words that have no columns */
    DOC_WORD,           /* one of them */
    DOC_FLAG,           /* yes */
    DOC_PLACES,         /* N, or N VALUE, ..., M */
    DOC_FIRST,          /* N, perhaps a column behind it */
    DOC_OTHER_SET,      /* a set, N and words */
    DOC_COLUMN,         /* a column */
    DOC_COLUMNS,        /* several, with commas between */
    DOC_COLUMN_PAIRS,   /* two columns each */
    DOC_COLUMN_OPTIONS, /* a column and an option, perhaps with "not" before that */
    DOC_SPREAD,         /* columns with commas or + between, " over " and a column */
    DOC_UNFOLD,         /* a column, a word, a column */
    DOC_VIEWS,          /* views, with commas between */
};

struct doc_key {
    const char *name;
    enum doc_key_type type;
    const char *meaning;
};

extern const struct doc_key doc_keys[]; /* ended by one without a name */

/* Everything that the files create, in their order. */
void docs_read(const struct sql_file *files, int count, doc_list *docs);

/* Finds the view of each columns-of. Needed again after objects move within a list. */
void docs_relate(doc_list *docs);

void docs_free(doc_list *docs);

/* The columns of an object, which are read from its text when they are first asked for: few need
 * those of all. */
const doc_columns *docs_columns(const struct doc_object *object);

/* Asks for those of all objects, for who looks through them. */
void docs_read_columns(const doc_list *docs);

/* The object or column with this name, or NULL. Of objects capitals are no matter, as in SQL. */
const struct doc_object *docs_find(const doc_list *docs, const char *name);
const struct doc_column *docs_column(const struct doc_object *object, const char *name);

/* The unit that the name of a column ends in; empty when there is none. */
const char *docs_unit_of_name(struct view name);

/* The next of the names in a declaration, which have commas between; empty at its end. */
struct view docs_next_name(const char **list);

/* The value of a declaration; NULL when there is none. */
const char *docs_declared(const struct doc_object *object, const char *key);
