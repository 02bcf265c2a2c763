/* flame: accelerator time by call path (call_tree), for programs that draw it. */
#pragma once

#include "query/export/export.h"
#include "src/base/intern.h"

struct flame_node {
    size_t above;                    /* place; SIZE_MAX = none */
    uint32_t name;                   /* number */
    uint32_t trace;                  /* place in the export */
    int64_t weights[EXPORT_WEIGHTS]; /* of the node itself, by enum export_weight */
};

struct flame {
    ARRAY(struct flame_node) nodes; /* what is above before what is below */
    struct intern names;
};

bool flame_read(struct flame *self, const struct export *export);
void flame_free(struct flame *self);

/* The node, and what is above it, from the outside in. The list is made anew. False: memory is
 * out. */
struct flame_path {
    const struct flame_node **items;
    size_t count, room;
};
void flame_path(const struct flame *self, size_t place, struct flame_path *path);

/* FILE(LINE): NAME in parts; false where it is none. */
bool flame_source(struct view name, struct view *file, int64_t *line, struct view *function);
