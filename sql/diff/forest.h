/* forest: the call trees of a trace, in memory, as they are compared.
 *
 * Nodes are ops, calls of the runtime and GPU activities (and Python frames where they are asked
 * for), in preorder, so that a subtree is a range; frames and marks that are left out are passed
 * over. Names are numbers of the symbols that two forests share: what they say exactly, in a form
 * that two traces can agree on, and in a short one (call_name). A node is on the way to the
 * accelerator when there are GPU activities below it, or it is that.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/text.h"

/* call_name: names of calls as two traces can agree on them.
 *
 *     name                              norm                         short
 *     /p/model.py(42): forward          /p/model.py: forward         model.py
 *     model.py(42): forward 0xabc123    model.py: forward 0xXXXX     the same
 *     nn.Module: Linear_3               the same                     nn.Module
 *     hipModuleLaunchKernel             __kernel_launch__            the same
 *
 * Addresses and line numbers differ from run to run; the short form also forgets the function.
 * Plain C without SQLite; forest.c calls it for each distinct name. */

/* Append to `out`. */
void call_name_norm(struct text *out, struct view name);
void call_name_short(struct text *out, struct view name);

/* The name without any "(123)" in it. */
void call_name_without_lines(struct text *out, struct view name);

/* A module's name without the number at its end that tells it from others of its kind. */
struct view call_name_module(struct view name);

#define FOREST_NONE UINT32_MAX

enum forest_kind { FOREST_OP, FOREST_CALL, FOREST_GRAPH, FOREST_KERNEL, FOREST_SET, FOREST_FRAME };

struct forest_node {
    int64_t id, ts, dur;
    int64_t signature; /* of an op, or 0 */
    int64_t uid;       /* place in the file */
    uint32_t name, norm, brief;
    uint32_t parent, last; /* FOREST_NONE for a root; the last descendant, or itself */
    uint32_t modules;      /* around it: a symbol, "A;B", or 0 */
    enum forest_kind kind;
};

struct forest {
    int64_t trace_id;
    ARRAY(struct forest_node) nodes;
    ARRAY(uint32_t) gpu_before; /* GPU activities before each node, and in all */
    ARRAY(int64_t) ns_before;   /* its time */
    ARRAY(uint32_t) roots;      /* by their start */
};

/* A name in its three forms, as symbols. */
struct known_name {
    uint32_t name, norm, brief;
};

/* Names that two forests share. */
struct forest_names {
    struct intern symbols;
    struct map of_string; /* id in the warehouse -> place in `known` + 1 */
    ARRAY(struct known_name) known;
};

struct forest_options {
    bool has_frames;    /* frames are nodes */
    bool has_modules;   /* say which modules are around an op */
    bool is_equivalent; /* names that the catalog takes for one are one */
};

/* Reads the selected part of a trace; with `ranges`, a JSON list of first and last ids, instead
 * these events, which need not be selected. Gives a result code of SQLite. */
int forest_read(struct forest *self, struct forest_names *names, sqlite3 *db, int64_t trace_id,
                const char *ranges, const struct forest_options *options);

static inline bool forest_is_gpu(const struct forest_node *node)
{
    return node->kind == FOREST_KERNEL || node->kind == FOREST_SET;
}

/* How many GPU activities are below a node, itself included. */
static inline uint32_t forest_gpu_count(const struct forest *self, uint32_t node)
{
    return self->gpu_before.items[self->nodes.items[node].last + 1] - self->gpu_before.items[node];
}

/* The time of that work, one after the other. */
static inline int64_t forest_gpu_ns(const struct forest *self, uint32_t node)
{
    return self->ns_before.items[self->nodes.items[node].last + 1] - self->ns_before.items[node];
}

/* The child after a child, or the first one of a node; FOREST_NONE when there is none. */
uint32_t forest_first_child(const struct forest *self, uint32_t node);
uint32_t forest_next_child(const struct forest *self, uint32_t node, uint32_t child);

/* The nearest op above a node; FOREST_NONE when there is none. */
uint32_t forest_op_above(const struct forest *self, uint32_t node);
