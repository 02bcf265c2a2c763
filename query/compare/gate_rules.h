/* gate_rules: what a gate lets pass: rows that say which figure of which rows may get how much
 * worse.
 *
 * A file of rules is CSV, or has tabs between its fields. Its header names columns, in any order;
 * all but one may be missing, and a field that is empty is as if it were. Lines that begin with #
 * say nothing.
 *
 *     level,key,metric,direction,relative,absolute,share,alpha
 *     op_shape,aten::mm*,,,3,,,            products may get 3 % slower
 *     timeline,,,,2,,,                     the whole timeline 2 %
 *     step,,mfu_pct,down,5,,,              and MFU must not go down by 5 %
 *
 * level      as compare --by has it, or a report (op_shape)
 * key        pattern of rows (* and ?), against their first cell or their name; empty = the total
 * metric     column or heading (what the report declares)
 * direction  up or down: what is worse (as the column says)
 * relative   percent of the base that it may get worse by (2 of a total, 5 of rows)
 * absolute   the same in the metric's unit (of times 10 us for rows, else 0)
 * share      percent of the total that a row must have on one side (0.5)
 * alpha      chance that is taken for none (0.01)
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <math.h>

struct gate_rule {
    char *level, *key, *metric;              /* NULL = not given */
    int direction;                           /* 1: more is worse, -1: less; 0: as the column says */
    double relative, absolute, share, alpha; /* NaN = not given */
    const char *path;                        /* of the file; the caller's */
    int line;                                /* of the file; 0 = of the program */
    bool may_lack; /* says nothing where the sides have no such report or no rows in it */
};

typedef ARRAY(struct gate_rule) gate_rules;

/* Adds the rules of a file, which `path` names in errors. */
bool gate_rules_read(gate_rules *self, const char *text, const char *path, struct error *error);

/* Rules without a file: the total, and each row; without a level the time from end to end, too.
 * `relative` NaN: the usual. False: memory is out. */
bool gate_rules_usual(gate_rules *self, const char *level, double relative);

void gate_rules_free(gate_rules *self);
