/* launcher: what each launching op kept the accelerator busy with.
 *
 * Fed with GPU activities in the order of ids (preorder, so that the work below an op is a run
 * of it), it gives for every launcher its own work and the time covered by all work below it. Plain
 * C; launcher_rows.c makes a table of it.
 */
#pragma once

#include "sql/functions/interval.h"
#include "src/base/array.h"

/* One GPU activity. */
struct launch {
    int64_t id, launcher, launcher_last; /* last id below the launcher */
    int64_t start, duration, stated;     /* the duration that is listed */
    int64_t name, stream;                /* stream INT64_MIN = not given */
    int64_t uid;
    bool is_counted; /* among the launcher's own work; otherwise only in time below */
    uint32_t work;   /* for the caller */
    size_t next;     /* of the same launcher, + 1 */
};

struct launcher {
    int64_t id, last;
    int64_t direct, below; /* time covered by its own work; by all work below it */
    int64_t inside;        /* of `below`: time covered by what is below launchers inside it */
    size_t first_launch, last_launch, count;
    bool is_placed;
};

struct launcher_set {
    ARRAY(struct launch) launches;
    ARRAY(struct launcher)
    launchers; /* after launcher_compute: those placed or with counted work, by id */
};

/* Adds work; ids must rise. */
void launcher_add(struct launcher_set *self, const struct launch *launch);

/* Adds a launcher that stays even without work of its own. */
void launcher_place(struct launcher_set *self, int64_t id, int64_t last);

/* Works out the times. */
void launcher_compute(struct launcher_set *self);

/* The launcher's own work by start or by place in the file; `order` has room for `count` indexes.
 */
enum launcher_key { LAUNCHER_BY_START, LAUNCHER_BY_UID };
void launcher_order(const struct launcher_set *self, const struct launcher *launcher,
                    enum launcher_key key, size_t *order);

void launcher_free(struct launcher_set *self);
