/* scenario: the grammar of --what-if: what would be faster, and by how much.
 *
 *     SCENARIO [; SCENARIO ...]      each is a prediction of its own
 *     CHANGE [, CHANGE ...]          what changes in it, together
 *     SELECTOR [& SELECTOR ...] xF   what all selectors hold for takes F times as long
 *
 * Names may have commas and spaces in them: what follows a selector's '=' or '~' goes on until
 * ' & ' or a factor with a ',', a ';' or the end behind it.
 *
 * Plain C; options.c refuses what is no scenario, sql/schedule makes predictions of them.
 */
#pragma once

#include "src/base/array.h"
#include "src/base/error.h"

#include <stdint.h>

enum selector_kind {
    SELECT_KERNEL,
    SELECT_CLASS,
    SELECT_RANK,
    SELECT_DEVICE,
    SELECT_ALL,
    SELECT_OP,
    SELECT_CATEGORY,
    SELECT_MODULE,
    SELECT_HOST,
    SELECT_LAUNCH,
    SELECT_WAIT,
    SELECT_ROOFLINE,
    SELECT_HIDDEN,
    SELECT_BALANCED,
    SELECT_IDENTITY,
    SELECTORS
};

struct selector {
    enum selector_kind kind;
    bool is_pattern, with_host;
    char *value; /* NULL = none */
};

/* So many times as long: up / down. */
struct factor {
    int64_t up, down;
};

struct change {
    ARRAY(struct selector) selectors;
    struct factor factor;
};

struct scenario {
    char *text;
    ARRAY(struct change) changes;
};

typedef ARRAY(struct scenario) scenario_list;

/* Adds the scenarios of a text. What is wrong with it is said with `caller` and `name` before it:
 * "tpq report: --", "what-if". */
bool scenario_parse(scenario_list *self, const char *text, const char *caller, const char *name,
                    struct error *error);

void scenario_free(scenario_list *self);

extern const struct factor factor_same;
bool factor_is_same(struct factor factor);
struct factor factor_times(struct factor a, struct factor b);

/* A time by a factor, rounded down; what is not above 0 stays. */
int64_t factor_of(struct factor factor, int64_t time);
