/* launcher_rows: launchers read from the warehouse, a row each, with what is asked for.
 *
 * launcher_table.c and work_table.c hand them out. What costs something and is not always wanted
 * is made only on request. All functions that return int give a result code of SQLite.
 */
#ifndef TPQ_SQL_WORK_LAUNCHER_ROWS_H
#define TPQ_SQL_WORK_LAUNCHER_ROWS_H

#include "sql/work/kernel_list.h"
#include "sql/work/launcher.h"
#include "sql/work/module_names.h"
#include "sql/work/overlap.h"
#include "src/base/map.h"
#include "src/base/text.h"

#include <sqlite3ext.h>

enum {
    LAUNCHER_KERNELS = 1, /* lists of kernels */
    LAUNCHER_OVERLAP = 2, /* and of what ran beside them */
    LAUNCHER_TRACKS = 4,  /* the first track of the same names */
    LAUNCHER_NAMES = 8,   /* the number of the names of the kernels */
    LAUNCHER_MODULE = 16, /* the module around it, with the option group_by_parent_module */
};

/* What a launcher is, beside its work. */
struct launcher_words {
    int64_t name, op, track, start; /* op 0 = none */
    int8_t recompute;               /* -1 = not asked */
};

struct launcher_row {
    struct launcher_words words;
    int64_t id, count, direct, below; /* as in struct launcher */
    size_t launcher;                  /* index in its trace's set */
    int64_t first_uid, first_kernel;
    int64_t same_track,
        kernel_names;     /* a hash: the same names in the same order, the same number */
    size_t first_listed;  /* in `kernels`, as many as it launched */
    size_t first_partner; /* in `partners` */
    uint32_t partner_count, names_list; /* the number of the list of their names, from 1 */
    double overlap_share;
    int64_t left_out;
    uint32_t trace, position;
    uint32_t module; /* number of its name in `modules`, from 1 */
};

struct launcher_trace {
    char *run;
    int64_t run_id, id, clock_start;
    struct launcher_set set;
};

struct launcher_rows {
    sqlite3 *db;
    int parts;                                /* that are asked for */
    bool compat, count_kernels, name_modules; /* options */
    ARRAY(struct launcher_trace) traces;
    ARRAY(struct launcher_row) rows; /* trace by trace, in the order of the launchers' starts */
    ARRAY(struct listed_kernel) kernels, partners;

    /* while a trace is read */
    ARRAY(struct launcher_words) words; /* by launches */
    struct overlap_set overlap;
    struct overlap_found found;
    size_t *order;
    size_t order_room;

    /* answers of the catalog */
    ARRAY(char *) categories;
    struct module_names modules;
    struct map category_of; /* (name, first kernel) -> index + 1 */
    struct map is_collective;
    struct map same_track; /* track -> place in `tracks` + 1 */
    struct map lists;      /* (list so far, next name) -> number of the list */
    ARRAY(int64_t) tracks;
    sqlite3_stmt *ask_category, *ask_collective, *ask_call, *ask_named;
};

/* Reads the launchers of the selected traces: of one run, of some traces, or, with NULL, of all.
 * `traces` is a list of numbers as SQL has it. */
int launcher_rows_read(struct launcher_rows *self, sqlite3 *db, sqlite3_value *run,
                       const char *traces, int parts);

/* The same selection: run, trace, first and last event, is_recompute, number of the run, start of
 * the clock. */
int launcher_rows_ranges(sqlite3 *db, sqlite3_value *run, const char *traces,
                         sqlite3_stmt **ranges);

/* Whether an option of the connection is set. */
bool launcher_rows_option(sqlite3 *db, const char *name);

/* What the catalog says; each question is asked once. The category of a launcher comes from its
 * name and its first kernel; `*number` tells categories apart, from 1. */
int launcher_rows_category(struct launcher_rows *self, int64_t name, int64_t kernel,
                           uint32_t *number, const char **category);
int launcher_rows_collective(struct launcher_rows *self, int64_t name, bool *is_collective);

/* A duration as SQL sees it: nanoseconds. */
void launcher_rows_put_time(const struct launcher_rows *self, sqlite3_context *out, int64_t time);

/* Microseconds as the reference tools have them. */
double launcher_rows_reference_time(int64_t nanoseconds);

/* Start and duration as the option compat has them, and parts of a microsecond in which they then
 * are. */
void launcher_rows_make_compatible(int64_t clock_start, int64_t *start, int64_t *duration);
double launcher_rows_parts(bool compat);

/* Reads which tracks of a trace have the same names; the first track that is named like one. */
int launcher_rows_tracks(struct launcher_rows *self, int64_t trace);
int64_t launcher_rows_same_track(const struct launcher_rows *self, int64_t track);

/* The category of an op of this name whose first kernel is that; `category` is a text of the
 * caller, for a name that stands nowhere in the database. */
int launcher_rows_named_category(struct launcher_rows *self, const char *name, int64_t kernel,
                                 struct text *category);

void launcher_rows_free(struct launcher_rows *self);

#endif
