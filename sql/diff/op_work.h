/* op_work: the work that differs, by what the files about ops tell of it: each op, kernel and
 * module of a side once, and how much time the op takes where it takes most.
 */
#pragma once

#include "sql/diff/difference.h"

struct op_work {
    uint32_t first;     /* its first row */
    uint32_t most_name; /* symbol: of the work of the op that takes most time; of equal ones the
                           first name */
    int64_t most_ns;    /* that time, of calls that are alike */
};

struct op_work_list {
    ARRAY(struct op_work) works;
};

/* False when memory is out. */
bool op_work_find(struct op_work_list *self, const struct difference_list *differences,
                  const struct intern *symbols, const struct forest forests[2]);
void op_work_free(struct op_work_list *self);
