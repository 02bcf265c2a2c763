/* kernel_details: what the kernels of many calls have in common, as JSON.
 *
 * Figures are of the kernels of one name and stream: of calls with several of them the first ones
 * come together, the second ones, and so on. By place, as the reference has it, the call with the
 * least position says which kernels there are, whatever others have at their places, and calls with
 * another number of them are left out. SQL has aggregates of it; calls/call_tables.c
 * uses it itself.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/text.h"

/* The statement that kernel_details_write takes. */
#define KERNEL_DETAILS_NAMES "SELECT text FROM string WHERE id = ?"

/* A kernel of one launcher, as launcher_work hands them over. */
struct listed_kernel {
    int64_t name;     /* id of its name */
    int64_t duration; /* nanoseconds */
    int64_t stream;   /* INT64_MIN = not given */
    double share;     /* of work that ran beside a launcher's: part of its time; -1 = no such */
};

struct detailed_call {
    int64_t position;
    size_t first, count; /* its kernels */
};

struct kernel_details {
    ARRAY(struct detailed_call) calls;
    ARRAY(struct listed_kernel) kernels;
    bool by_place;
};

/* Adds a call; one without kernels says nothing. */
void kernel_details_add(struct kernel_details *self, int64_t position,
                        const struct listed_kernel *kernels, size_t count);

/* Whether all calls have the same kernels: then places and names say the same. */
bool kernel_details_are_alike(const struct kernel_details *self);

/* Appends a JSON array: of each kernel its name, stream and the statistics of its durations; in
 * `brief` only a shortened name, the stream and the mean. Either may be NULL. */
bool kernel_details_write(const struct kernel_details *self, sqlite3_stmt *names,
                          struct text *whole, struct text *brief);

void kernel_details_clear(struct kernel_details *self);
