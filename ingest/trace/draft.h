/* draft: a trace in the making, for readers of rows that stand in no order.
 *
 * A reader has a desk: the database, and what the row in hand needs, whichever trace it goes to.
 * Every process that becomes a trace is a draft. A table of the database is a list of columns, and
 * each says which number of a row it fills and which argument that is. Rows are given to drafts as
 * they come; once all are there, they are put into order and handed over, one trace behind the
 * other.
 */
#pragma once

#include "ingest/input/database.h"
#include "ingest/trace/counter.h"
#include "ingest/trace/format.h"
#include "ingest/trace/shared_facts.h"
#include "src/base/map.h"

/* Correlation ids are unique in a process only: its number stands above these bits. */
enum { DRAFT_ID_BITS = 40 };

struct draft {
    struct desk *desk;
    struct trace trace;
    struct map texts;  /* id, kind of text -> text; the reader's own */
    struct map places; /* two numbers of the reader's -> place */
    struct map labels; /* process and thread of a place, kind -> whether it has one */
    struct map calls;  /* correlation -> slice + 1 of the call, once asked for */
    bool calls_indexed;
    struct intern shapes; /* of argument lists, as the numbers that they are made of */
    ARRAY(uint32_t) shape_arguments;
    op_range_list op_ranges;
    ARRAY(struct edge) edges; /* between slices as they came */
    struct counters counters;
    page_fault_list page_faults;
    int64_t device; /* least one that has work; NONE */

    /* To be set before they are handed over. */
    bool has_work;
    int64_t pid, rank; /* NONE = not stated */
};

struct desk {
    struct error *error;
    const char *path;
    struct database *database;
    const struct read_options *options;
    const char *ending;           /* of the names of its tables */
    struct text metadata, tables; /* objects without their last brace */
    int64_t uid;                  /* of the row in hand */
    int64_t clock_shift;          /* to be taken from times */
    int64_t window_end;           /* NONE = not stated */
    int64_t last_end;             /* of anything that was read */
    struct notes notes;           /* about the file as a whole */
    ARRAY(struct draft *) drafts;
    struct text scratch, json, name;
};

/* Opens the database of a source. False where it breaks off; with --salvage that is only counted.
 */
bool desk_open(struct desk *self, struct source *source, const struct read_options *options,
               struct error *error);

/* The name of a table with the ending of those in hand, in self->name. */
const char *desk_table_name(struct desk *self, const char *name);

/* Counts the rows of a table that is not read. */
bool desk_count_unused(struct desk *self, const char *table);

/* Adds a member that is an object without its last brace to another one. */
void desk_add_object(struct text *out, const char *key, const struct text *members);

/* Begins a trace. */
struct draft *desk_add_draft(struct desk *self);

/* Hands the traces over: work first, then by rank, device and process; where several have work and
 * nobody says which rank they are, it is that order. */
void desk_hand_over(struct desk *self, struct trace *first);

/* Counts something about the row in hand. */
void draft_note(struct draft *self, enum note note);

/* ------------------------------------------------------------------ texts and places */

/* A text of some bytes, as the warehouse has them. */
void draft_keep(struct draft *self, struct view text, uint32_t *number);

/* Where something is, by two numbers of the reader's that tell places apart; its texts are those
 * of two ids, NONE = not known. 0 = failed. */
uint32_t draft_place(struct draft *self, int64_t first, int64_t second, int64_t process,
                     int64_t thread);

/* The last part of a path. */
struct view draft_base(struct view path);

/* ------------------------------------------------------------------ slices */

/* An integer of a row; NONE when it is none, which is counted unless it is NULL. */
int64_t draft_integer(struct draft *self, struct rows_of *rows, size_t column);

/* The time in a column; false, with a note, when there is none that could be used. */
bool draft_moment(struct draft *self, struct rows_of *rows, size_t column, int64_t *time);

struct draft_time {
    int64_t start, duration;
    bool is_open;
};

/* The time of a row; false when it has none that could be used. */
bool draft_time(struct draft *self, struct rows_of *rows, size_t start, size_t end,
                bool may_be_open, struct draft_time *time);

/* Adds a slice without a side of its own. */
struct slice *draft_slice(struct draft *self, const struct draft_time *time, enum category category,
                          uint32_t place, uint32_t name, uint32_t arguments);

/* The call with a correlation id; NULL = none. */
const struct slice *draft_call(struct draft *self, int64_t correlation);

/* Adds an op when the text of a range is one's; otherwise `*is_op` stays false. Sequence numbers
 * are unique in a process only, whose number is given. */
void draft_op(struct draft *self, uint32_t process, const struct draft_time *time, uint32_t place,
              struct view text, bool *is_op);

/* ------------------------------------------------------------------ arguments */

/* The arguments that some numbers stand for, once made: `*arguments` is where they are kept, 0 when
 * they are to be made. */
uint32_t *draft_arguments(struct draft *self, const void *numbers, size_t length);

/* The sum of two, or the one of them that is stated. */
static inline int64_t draft_sum(int64_t left, int64_t right)
{
    int64_t sum;
    if (left == NONE || right == NONE)
        return left == NONE ? right : left;
    return __builtin_add_overflow(left, right, &sum) ? NONE : sum;
}

/* Members of an object in desk.json, in the order of their keys; NONE is left out. */
void desk_member(struct desk *self, const char *key, int64_t value);
void desk_member_real(struct desk *self, const char *key, double value);
void desk_member_text(struct desk *self, const char *key, struct view text);
void desk_member_object(struct desk *self, const char *key, struct view json);
void desk_member_three(struct desk *self, const char *key, const int64_t values[3]);

/* Ends the object and keeps it; an empty one is none. */
void draft_finish_arguments(struct draft *self, uint32_t *number);
void desk_finish_arguments(struct desk *self, struct trace *trace, uint32_t *number);

/* ------------------------------------------------------------------ tables */

enum { DRAFT_COLUMNS_MAX = 48, DESK_LIST_COLUMNS_MAX = 16 };

enum draft_type {
    DRAFT_INTEGER, /* NONE when it is none, which is counted unless it is NULL */
    DRAFT_SOME,    /* likewise; as an argument 0 is none */
    DRAFT_THREE,   /* the first of three that are one argument */
    DRAFT_WORD,    /* one of the words by its number; a NULL word is none */
    DRAFT_REAL,    /* a double of the reader's own; NAN = none */
    DRAFT_TEXT,    /* by an id that the reader looks up; then its number, 0 = none */
    DRAFT_NAME,    /* likewise: the first text found is what the row is called */
    DRAFT_NEEDED,  /* the reader takes it; rows of a table without this column mean nothing */
};

struct draft_column {
    const char *name; /* NULL = the reader fills the number */
    size_t at;        /* of the number in the row; 0 = it has none */
    const char *key;  /* of the argument; NULL = it is none. Keys stand in their order */
    enum draft_type type;
    const char *const *words;
    size_t word_count;
};
#define DRAFT_WORDS(list) DRAFT_WORD, (list), sizeof(list) / sizeof *(list)

/* A row that becomes a slice, and whatever stands beside slices of its category. The reader's row
 * begins with it. */
struct draft_row {
    struct draft *draft;
    struct draft_time time;
    enum category category;
    uint32_t place, name, arguments;
    int64_t device, stream, bytes; /* of work */
    int64_t correlation, external; /* of work and of calls */
};

struct desk_table {
    const char *name; /* without the ending */
    const struct draft_column *columns;
    size_t count;
    bool (*read)(void *reader, struct rows_of *rows, const struct desk_table *table);
    enum category category; /* for `read`, like the rest */
    bool (*add)(void *row);
    int64_t kind;
};
#define DRAFT_COLUMNS(list) .columns = (list), .count = sizeof(list) / sizeof *(list)

/* Reads all rows of a table and counts them. With --salvage, damage behind the first row only ends
 * the table. */
bool desk_read_table(struct desk *self, const struct desk_table *table, void *reader);

/* Reads tables, up to one without a name. */
bool desk_read_tables(struct desk *self, const struct desk_table *tables, void *reader);

/* A table beside the slices: all its columns as integers, NONE where they are none. */
struct desk_list {
    const char *name;
    bool (*read)(void *reader, struct rows_of *rows, const int64_t *values);
    uint32_t needed;                            /* bits of columns, as DRAFT_NEEDED */
    const char *columns[DESK_LIST_COLUMNS_MAX]; /* NULL behind the last */
};

/* Reads tables up to one without a name; their rows are no events. Where `may_break_off` is true,
 * damage only ends a table with --salvage. */
bool desk_read_lists(struct desk *self, const struct desk_list *lists, bool may_break_off,
                     void *reader);

/* Fills the numbers of a row that are integers. */
void draft_row_read(struct draft_row *self, struct rows_of *rows, const struct desk_table *table);

/* Makes the arguments of a row, where it has any: rows with the same numbers share them. */
void draft_row_arguments(struct draft_row *self, const struct desk_table *table);

struct slice *draft_row_add(const struct draft_row *self);

/* ------------------------------------------------------------------ all rows are there */

/* Sums what was allocated of each kind of memory (where the record says which) and device. */
void trace_sum_memory(struct trace *into);

/* Puts all into order and gives the trace its facts. */
void draft_finish(struct draft *self);
