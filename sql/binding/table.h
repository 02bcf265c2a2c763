/* table: the contract of a table that C computes: columns with their words, and an iterator.
 *
 * A table says what its columns are, a row each, and where in memory their values lie; binding it,
 * agreeing with SQLite on what is asked, handing out values and sorting is done here, for
 * all of them. Rows are of one of two kinds:
 *
 *     read        from a reading, which has them as an ARRAY: `rows`, `row_size` and perhaps `row`
 *     made        one after another: `start` and `next`
 *
 * A reading is made for a cursor, or kept with the connection's context for all tables that share
 * it, until the database, the selection or an option changes. What a row is made of may lie in
 * several places (the row, its trace, its call signature): these are its parts, by number.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/sqlite.h"
#include "src/base/error.h"
#include "src/base/text.h"

enum { TABLE_PARTS = 7, TABLE_KEYS = 4 };

/* Types of values at the offset of a column in its part. */
enum table_origin {
    TABLE_INT64,  /* int64_t */
    TABLE_ID,     /* int64_t, 0 = NULL */
    TABLE_STATED, /* int64_t, INT64_MIN = NULL */
    TABLE_UINT32, /* uint32_t */
    TABLE_COUNT,  /* uint32_t, 0 = NULL */
    TABLE_INT8,   /* int8_t, below 0 = NULL */
    TABLE_BOOL,   /* bool */
    TABLE_REAL,   /* double, NAN = NULL */
    TABLE_TEXT,   /* char *, NULL = NULL */
    TABLE_WORD,   /* the same, and the text stays as long as the reading */
    TABLE_VALUE,  /* sqlite3_value *, NULL = NULL */
    TABLE_PLACE,  /* rowid of the cursor: that of a row that is read is its place in the list */
    TABLE_GIVEN,  /* `give` gives it; the offset is for its use */
};

/* Uses of a column beside being read. */
enum table_role {
    TABLE_RUN = 1,       /* `=` becomes table_wish.run */
    TABLE_TRACE = 2,     /* `=` and IN become table_wish.traces */
    TABLE_KEY = 4,       /* `=` becomes one of table_wish.keys */
    TABLE_ALONE = 8,     /* and then nothing else is needed to find rows */
    TABLE_ARGUMENT = 16, /* hidden: the argument of a call, as a key */
    TABLE_ORDER = 64,    /* rows come sorted by these columns, in this order */
    TABLE_PRIMARY = 128, /* in place of a number these columns tell rows apart */
};

struct table_cursor;

struct table_column {
    const char *name;
    const char *words; /* for tpq describe */
    enum table_origin origin;
    int part;
    size_t offset;
    int (*give)(sqlite3_context *out, struct table_cursor *cursor);
    unsigned role, needs; /* needs: parts of a reading, as bits of the table's own */
    const char *unit;     /* NULL = what the name ends in */
    const char *type;     /* NULL = what the origin says; may be empty */
};

/* Where the value of a column lies. */
#define TABLE_AT(kind, number, structure, member) \
    .origin = TABLE_##kind, .part = (number), .offset = offsetof(structure, member)

struct table_wish {
    sqlite3 *db;
    struct context *context;
    sqlite3_value *run;              /* NULL = all */
    const char *traces;              /* a list of numbers as SQL has it; NULL = all */
    sqlite3_value *keys[TABLE_KEYS]; /* by columns that are keys or arguments; NULL = not given */
    unsigned needs;                  /* of the columns that are used */
    bool in_order;                   /* rows must come in the table's order */
};

/* The source of rows. Tables that name the same one share it. */
struct table_reading {
    size_t size; /* of the structure, which is zero at first */
    int (*read)(void *reading, const struct table_wish *wish, struct error *error);
    void (*free)(void *reading); /* ends what is no block of its memory; NULL = there is none */
    unsigned (*needed)(const struct context *context, unsigned needs); /* NULL = all of them */
    const struct table_reading *unless_windows; /* what serves where none are chosen; NULL = this */
    bool is_kept;
    bool makes_way; /* only until another such one is made: memory is not held for both */
    size_t (*bytes)(const void *reading); /* that it holds: it makes way where that is much; NULL =
                                             it never does */
};

/* A table whose rows are made puts it first in a structure of its own. */
struct table_cursor {
    sqlite3_vtab_cursor base;
    struct memory memory;           /* of what is made for it */
    const void *parts[TABLE_PARTS]; /* of the row in hand; what is NULL has columns that are NULL */
    const struct table_column *column; /* that is asked for, while it is given */
    sqlite3_int64 rowid;               /* tells rows apart, however they were found */
    void *reading;
    const uint32_t *order; /* places of rows in the reading; NULL = as they stand */
    size_t at, end;        /* of the row in hand, counted in that order, and behind the last one */
    bool at_end;
    struct table_shared *shared;
};

/* Whose a row is: it has the place (uint32_t) of an item in another list of the reading, which is
 * this part. */
struct table_owner {
    int part;
    size_t list, size, place;
};

#define TABLE_OWNER(number, structure, items_in, row, member)                                  \
    .owner = {number, offsetof(structure, items_in), sizeof *((structure *)0)->items_in.items, \
              offsetof(row, member)}

struct table {
    const struct table_column *columns; /* ended by one without a name */
    double all, found; /* about how many rows; with a key, if need be one that is alone */
    const struct table_reading *reading;
    unsigned needs; /* of each row, whatever columns are asked for: with count(*) none are */

    /* of rows that are read */
    size_t rows, row_size; /* the array in the reading: rows are the first part */
    struct table_owner owner;
    bool (*row)(struct table_cursor *cursor, size_t index); /* the others; false: it is no row */

    /* of rows that are made; the first one, too, comes from `next`. `start` may also choose among
     * rows that are read. */
    size_t cursor_size; /* 0 = struct table_cursor */
    int (*start)(struct table_cursor *cursor, const struct table_wish *wish, struct error *error);
    int (*next)(struct table_cursor *cursor);
    void (*stop)(struct table_cursor *cursor);
};

/* The beginning of a table: its columns, and about how many rows it has, in all and with a key.
 * TABLE_ROWS takes rows from a reading with a list in it. TABLE_MADE makes rows in a structure of
 * the cursor, by `start`, `next` and `stop`; `start` and `stop` may be NULL. */
#define TABLE_ROWS(of_columns, most, some, from, structure, list)          \
    .columns = of_columns, .all = most, .found = some, .reading = &(from), \
    .rows = offsetof(structure, list), .row_size = sizeof *((structure *)0)->list.items
#define TABLE_MADE(of_columns, most, some, structure, first, after, last)                \
    .columns = of_columns, .all = most, .found = some, .cursor_size = sizeof(structure), \
    .start = first, .next = after, .stop = last

sqlite3 *table_db(const struct table_cursor *cursor);

/* That of the reading, for what is added to it later. */
struct memory *table_memory(const struct table_cursor *cursor);
struct context *table_context(const struct table_cursor *cursor);

/* Says what went wrong, in place of SQLite's words; gives a result code. */
int table_fail(const struct table_cursor *cursor, const struct error *error);

/* The reading of this kind that the connection keeps now, made last; NULL: it keeps none. */
const void *table_kept(const struct context *context, const struct table_reading *reading);

/* Whether it keeps one. */
bool table_keeps(const struct context *context, const struct table_reading *reading);

/* Binds a table to a connection, which then owns a share of the context. */
int table_bind(sqlite3 *db, const char *name, const struct table *table, struct context *context);
