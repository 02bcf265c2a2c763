/* sheet: a table of results on its way out: columns with their words, rows of cells.
 *
 * A statement or a stored table makes the cells, sinks (sink.h) take them. Nothing here prints.
 */
#pragma once

#include "query/sink/short_names.h"
#include "src/base/text.h"

#include <sqlite3.h>

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT };

struct cell {
    enum cell_type type;
    bool is_abstained; /* NULL because the figure has no basis */
    int64_t integer;
    double real;
    struct view text;  /* of texts; someone else's bytes */
    struct view shown; /* as people see the text, where that is another one */
};

enum column_form {
    FORM_PLAIN,
    FORM_BOOLEAN, /* 0 and 1 */
    FORM_NAME,    /* a number that counts nothing: its digits are not grouped */
    FORM_TUPLE,   /* JSON that other tools write as Python tuples */
    FORM_LIST,    /* JSON that they write as Python lists */
    FORM_ARRAY,   /* as a trace states it: it may be JSON */
    FORM_KERNEL,  /* name of a kernel */
    FORM_CALL,    /* name of an op, with that of a kernel behind -> */
};

enum polarity { POLARITY_NONE, POLARITY_LOWER, POLARITY_HIGHER };

struct column {
    const char *name, *heading, *unit, *meaning;
    enum column_form form;
    enum cell_type type; /* of its values, where that is stated; CELL_NULL = not */
    enum polarity polarity;
    enum polarity change;    /* of differences: which side of 0 is better; NONE = not one */
    const char *significant; /* its words, between bars, for significant changes in columns before
                              * it; NULL = it is not about them */
    const struct short_names *names; /* how texts are shown in tables; NULL = as they are */
    bool is_wide;                    /* is not narrowed as far as other texts */
    bool has_bar;                    /* on a page its figures have bars behind them */
    bool is_detail;                  /* left out where there is little room */
    bool is_key;                     /* tells rows apart */
    bool is_needed;                  /* without it rows say nothing, however well told apart */
    const char *stem,
        *of;        /* of several made of one: its name, and whose this is; NULL = it is not */
    unsigned place; /* of importance where there is little room: 1 comes first; 0 = none is given */
    bool is_number; /* every cell that is not empty, where that is known beforehand */
    size_t width;   /* characters of the widest cell, where that is known; 0 = not */
};

/* Something that is selected, and in none of the rows of a sheet. */
struct sheet_note {
    const char *what;
    int64_t count, time_ns; /* -1: not told */
};

struct sheet {
    const char *name;  /* NULL for the rows of a statement */
    const char *asked; /* the name that one asks for, where its own is another; may be NULL */
    const char *title; /* what it shows, in a sentence */
    const char *page;  /* its name in a workbook, where its own is too long; may be NULL */
    const char *chart; /* its picture (chart.h); may be NULL */
    const char *tab;   /* the view of a page that shows it; may be NULL */
    const struct column *columns;
    size_t column_count;
    /* Behind the last cell of a row stands one more, a text: "COLUMN COLOUR, ..." for the cells of
     * the row, or "grey" for all of them, or "hidden" for a row that is not printed for people. */
    bool has_colours;
    bool in_paragraphs;   /* on a terminal: a row is a few lines of words */
    int64_t rows_skipped; /* further rows, which a terminal does not show */
    bool is_brief; /* in texts that people read: only columns with a place, and rounded figures */
    const struct sheet_note *not_included;
    size_t not_included_count;
    const char *why_empty;  /* of a sheet without rows; may be NULL */
    const char *unanswered; /* why the column that answers is empty in all rows; may be NULL */
    const char
        *why_code; /* either in a word: not_recorded, no_shapes, ...; NULL: the trace can tell */
    const char *window;    /* what was cut to the selected windows; may be NULL */
    const char *abstained; /* which columns have no figures, and why; may be NULL */
    const char *warning;   /* what lines above the first sheet tell people; may be NULL */
};

/* The heading where people read; the sheet's own name is for files and worksheets. */
static inline const char *sheet_heading(const struct sheet *self)
{
    return self->asked ? self->asked : self->name;
}

/* The values of a row; `scratch` holds the texts that had to be made. */
void cells_of_statement(sqlite3_stmt *row, size_t count, struct text *scratch, struct cell *cells);

/* Runs a statement that inserts a row. False: the database says why. */
bool cells_insert(sqlite3_stmt *insert, const struct cell *cells, size_t count);

/* Appends what is left out as a sentence without a full stop, or why there are no rows; nothing
 * where there is nothing to say. */
void sheet_add_notes(const struct sheet *self, struct text *out);

/* A text as people see it. */
static inline struct view cell_shown(const struct cell *cell)
{
    return cell->shown.length ? cell->shown : cell->text;
}

static inline bool cell_is_number(const struct cell *cell)
{
    return cell->type == CELL_INTEGER || cell->type == CELL_REAL;
}

/* The number in a cell; of one without: `otherwise`. */
static inline double cell_number(const struct cell *cell, double otherwise)
{
    return cell->type == CELL_REAL      ? cell->real
           : cell->type == CELL_INTEGER ? (double)cell->integer
                                        : otherwise;
}

/* The place of the column with a name; SIZE_MAX: there is none. */
size_t sheet_column(const struct sheet *self, struct view name);

bool cell_is_same(const struct cell *left, const struct cell *right);

/* Whether the cell as plain text is like a GLOB pattern; `text` gets that, and keeps a failure. */
bool cell_is_like(const struct cell *self, const char *pattern, struct text *text);

/* Appends the cell as plain text: numbers so that they read back, nothing for NULL. */
void cell_add_text(const struct cell *cell, enum column_form form, struct text *out);

/* Appends a JSON text as a Python literal, its arrays as tuples or lists. */
void cell_add_python(struct view json, bool tuples, struct text *out);

/* True where cells of people are sizes with a unit of their own; keys keep their digits. */
bool column_has_sizes(const struct column *column);

/* Headings are the words above a column of a table for people, broken into few lines.
 *
 * The unit, where the heading does not name it already; else empty. */
const char *heading_unit(const struct column *column);

/* Appends the heading with this unit behind it. */
void heading_add(const struct column *column, struct text *out);

/* Takes the part of a heading that belongs in one line: whole words, as many as fit. */
struct view heading_next_line(const char **at, size_t width);

/* The width that a heading needs to stand in few lines. */
size_t heading_width(const char *heading, size_t least);

size_t heading_lines(const char *heading, size_t width);
