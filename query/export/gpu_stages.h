/* gpu_stages: GPU activities as Perfetto's render stages: viewers from version 55 on lay overlaps
 * out themselves, list kernels with how they were launched, and compare two of them. A stream is a
 * queue, what kind of work it is a stage.
 */
#pragma once

#include "query/export/places.h"
#include "query/export/slices.h"

struct gpu_stages {
    struct error *error;
    sqlite3_stmt *kind, *launch;
    struct map tracks; /* of the work */
    struct map kinds;  /* stages by category */
    int64_t first_gpu; /* number of the first accelerator of the trace */
};

/* All return false with an error. */
bool gpu_stages_open(struct gpu_stages *self, struct warehouse *warehouse,
                     const struct slices *slices, int64_t first_gpu, struct error *error);

/* Whether slices of a track are stages. */
bool gpu_stages_have(const struct gpu_stages *self, int64_t track_id);

/* The accelerators of a trace: fields of a packet. */
bool gpu_stages_add_devices(struct gpu_stages *self, struct warehouse *warehouse, int64_t trace_id,
                            struct text *out);

/* Streams and stages, which the packets of work name by numbers: fields of a packet. `process` is
 * the number of the one that launched. */
void gpu_stages_add_words(const struct gpu_stages *self, const struct slices *slices,
                          const struct places *places, uint64_t process, struct text *out);

/* A GPU activity: fields of a packet. `name` is a number of a name, `track` the place of its
 * stream. */
void gpu_stages_add(struct gpu_stages *self, const struct slice *slice, uint32_t name, int64_t id,
                    bool has_args, struct text *out);
