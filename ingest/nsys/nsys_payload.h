/* nsys_payload: what programs hand over with a range beside its text.
 *
 * Schemas are read before ranges; the payload of a range is an object, by its number. Ranges of
 * NCCL are remembered with theirs, and told to kernels once all rows are there.
 */
#ifndef TPQ_INGEST_NSYS_NSYS_PAYLOAD_H
#define TPQ_INGEST_NSYS_NSYS_PAYLOAD_H

#include "ingest/trace/collective.h"

struct nsys;

struct nsys_field {
    int64_t domain, schema, index, type, offset;
    uint32_t name;
};

/* What an enumeration calls a value. */
struct nsys_word {
    int64_t domain, schema, value;
    uint32_t name;
};

/* The name of a field as a column has it. */
struct nsys_translation {
    uint32_t original, column;
};

/* A range of NCCL. */
struct nsys_nccl {
    uint32_t process;      /* its number */
    uint32_t trace, slice; /* indices: of desk.drafts, of its slices */
    uint32_t payload;      /* 0 = none */
};

struct nsys_payloads {
    ARRAY(struct nsys_field) fields; /* by domain, schema, index */
    ARRAY(struct nsys_word) words;   /* by domain, schema, value */
    ARRAY(struct nsys_translation) translations;
    ARRAY(struct nsys_nccl) calls;
    struct intern names;     /* of fields, values, columns */
    struct intern texts;     /* objects, in canonical form */
    struct map events;       /* id of an event -> its object, from tables */
    size_t read_bytes;       /* that objects were made of */
    struct text raw, object; /* the one in hand */
};

/* Columns that a payload may be in. */
struct nsys_payload_columns {
    size_t bytes, json, json_id, event;
};

bool nsys_is_payload_table(const char *name);
bool nsys_read_schemas(struct nsys *self);

/* The payload of the row in hand; 0 in `number` when it has none that could be read. */
bool nsys_payload(struct nsys *self, struct draft *trace, struct rows_of *rows,
                  const struct nsys_payload_columns *columns, uint32_t *number);

bool nsys_add_nccl(struct nsys *self, const struct nsys_nccl *call);

/* Tells kernels what they are about, and processes which rank they are. */
bool nsys_link_nccl(struct nsys *self);

void nsys_payloads_free(struct nsys_payloads *self);

#endif
