/* time_parts: what the time of a step is made of on each side of a comparison (view time_parts):
 * computation, exposed communication, exposed memcpy, idle time by cause.
 *
 * Times are the mean of the steps that the values of a comparison are of, else the sum of all
 * marked steps; without marks those of the time with GPU activities. They are whole ns, and the
 * parts of a side add up to its time.
 */
#pragma once

#include "query/compare/touch.h"

struct time_part {
    char *name;
    double *means; /* of each side, in ns */
    int64_t *ns;   /* the same in whole ns */
    int64_t weight;
    bool is_touched, is_baseless; /* a check of a side found something that touches it */
};

struct time_parts {
    size_t side_count; /* 0: nothing was read */
    bool is_by_step;
    bool are_steps_given;          /* the time is that of steps that a call names */
    ARRAY(struct time_part) parts; /* greatest change first */
    int64_t *total_ns;             /* of each side: sum of the parts */
    double *activities;            /* of each side: GPU activities, mean of the runs */
    chosen_touches touches;        /* those about some part */
    bool is_touched;               /* the sum of the parts is */
};

/* Groups that the greatest change of a side may be in. */
enum time_group { GROUP_COMPUTATION, GROUP_COMMUNICATION, GROUP_MEMCPY, GROUP_IDLE, GROUP_OTHER };

/* Reads the parts of all sides; none where values are of sheets in files, of tokens, or of what
 * has no time of its own. */
bool time_parts_read(struct time_parts *self, const struct values *values, struct side *sides,
                     struct error *error);

/* Finds the parts that findings about the sides touch. */
void time_parts_touch(struct time_parts *self, const touch_list *touches);

/* Change of a part on side `side` + 1 in ns; NULL: of the total. */
int64_t time_parts_change(const struct time_parts *self, const struct time_part *part, size_t side);

/* The part that changed most in the direction of all of it, or in the other one, of those
 * with a basis; NULL: none. */
const struct time_part *time_parts_main(const struct time_parts *self, size_t side, bool with_it);

/* The kind of time that changed most. */
enum time_group time_parts_group(const struct time_parts *self, size_t side);

/* Time of a side with GPU activities. */
int64_t time_parts_busy(const struct time_parts *self, size_t side);

/* Whether times are of windows, and those of the baseline and side `side` + 1 are as long, but not
 * as much was done in them. */
bool time_parts_are_windows(const struct time_parts *self, size_t side);
