/* annotations: the words of slices, each with a number of its own in a sequence of packets.
 *
 * A word that is new goes into a message that the packet which first uses it must carry:
 * annotations_take_new puts it there. What is said of an argument list or a signature is encoded
 * once and kept, as far as there is room.
 */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/intern.h"
#include "src/base/map.h"

/* Encoded annotations of one id. */
struct annotation_kept {
    uint32_t id;
    struct text bytes;
};

struct annotations {
    struct warehouse *warehouse;
    struct error *error;
    sqlite3_stmt *name, *category, *args, *op;
    struct map names, categories; /* numbers by id */
    struct intern keys, strings;
    struct annotation_kept *kept; /* of argument lists, then of signatures */
    ARRAY(struct annotation_metric) metrics;
    struct text fresh; /* words that are new */
};

struct annotation_metric {
    int64_t op, flops, bytes; /* INT64_MIN = not known */
};

bool annotations_open(struct annotations *self, struct warehouse *warehouse, struct error *error);

/* Texts are cut at 4,096 bytes, not within a character. */
struct view annotations_cut(struct view text);

/* Numbers of a name and of a category; 0 with an error. */
uint32_t annotations_name(struct annotations *self, uint32_t id);
uint32_t annotations_category(struct annotations *self, uint32_t id);

/* Fields of a TrackEvent; nothing for id 0. */
bool annotations_add_args(struct annotations *self, uint32_t id, struct text *out);
bool annotations_add_op(struct annotations *self, uint32_t id, struct text *out);
void annotations_add_number(struct annotations *self, const char *key, int64_t value,
                            struct text *out);

/* The field of a packet with what is new, if anything is. */
void annotations_take_new(struct annotations *self, struct text *out);
