/* ttmetal_reader: the row of a tt-metal op table that is being read, and what is kept of those
 * before. ttmetal.c puts cells in, ttmetal_row.c takes them.
 */
#pragma once

#include "ingest/trace/format.h"
#include "ingest/ttmetal/ttmetal_header.h"

#include <csv.h>

enum { TTMETAL_FIRST_LINE = 2 };

struct ttmetal_reader {
    struct source *source;
    const struct read_options *options;
    struct trace *trace;
    struct error *error;
    struct csv_parser csv;
    struct ttmetal_header header;
    struct text row;    /* the cells of the row, one behind the other */
    ARRAY(size_t) ends; /* of each cell */
    size_t since_field; /* bytes read since a field ended */
    bool has_header, has_failed, in_last_row;
    int last_byte;
    int64_t last_start;      /* of the row before */
    struct text json, plain; /* for making texts */
    struct intern calls;     /* signatures as they stand in the file -> op, by `call_ops` */
    ARRAY(uint32_t) call_ops;
    ARRAY(struct device_op) ops; /* the rows so far */
    ARRAY(uint32_t) archs;
    ARRAY(int64_t) core_counts;
};

/* The line of the row in a spreadsheet. */
uint32_t ttmetal_row_number(const struct ttmetal_reader *self);
void ttmetal_note(struct ttmetal_reader *self, enum note kind, int64_t count);

/* A cell as it stands in the row. */
struct view ttmetal_cell(const struct ttmetal_reader *self, size_t field);
bool ttmetal_is_missing(struct view text);

/* The cell of a known column; empty when it is missing. */
struct view ttmetal_known_cell(const struct ttmetal_reader *self, enum ttmetal_column column);

/* The number in the cell of a known column; NONE for a missing one, and for one that is no number
 * in the range, which is noted. */
int64_t ttmetal_number(struct ttmetal_reader *self, enum ttmetal_column column, int64_t least,
                       int64_t most);
int64_t ttmetal_count(struct ttmetal_reader *self, enum ttmetal_column column);

/* A text's number; empty ones have one, too. */
void ttmetal_intern(struct ttmetal_reader *self, struct view text, uint32_t *number);

/* Adds a text to `json`, in quotes. */
void ttmetal_add_json(struct ttmetal_reader *self, struct view text);

/* Makes `json` an object of some of the cells. */
enum ttmetal_object {
    TTMETAL_OBJECT_SIGNATURE,
    TTMETAL_OBJECT_ARGUMENTS, /* what has no place of its own */
    TTMETAL_OBJECT_SIGNPOST,  /* all of them */
};
void ttmetal_object(struct ttmetal_reader *self, enum ttmetal_object kind, bool *is_empty);

/* Interns what `json` holds. */
void ttmetal_intern_json(struct ttmetal_reader *self, uint32_t *number);

void ttmetal_plain(struct ttmetal_reader *self, struct view text, struct view *plain);

/* The number of the row's signature. */
void ttmetal_find_op(struct ttmetal_reader *self, uint32_t name, uint32_t *number);

/* Takes the row. */
void ttmetal_add_row(struct ttmetal_reader *self);
