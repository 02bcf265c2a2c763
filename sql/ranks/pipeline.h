/* pipeline: schedules of pipelines, replayed and recognised.
 *
 * Slots come by rank and position there. Each runs after the one before it on its rank and after
 * the slot that it needs:
 *
 *     forward of a stage      the forward of the stage before
 *     backward of a stage     the backward of the next stage; of the last stage: its forward
 *     weight gradients        the backward (of the inputs) of the same stage
 *
 * always of the same microbatch. What is needed and not there counts as done. Plain C;
 * pipeline_table.c makes tables of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pipeline_kind {
    PIPELINE_FORWARD,
    PIPELINE_BACKWARD,
    PIPELINE_INPUT,
    PIPELINE_WEIGHT,
    PIPELINE_KINDS
};

struct pipeline_step {
    uint32_t rank; /* place in the pipeline */
    enum pipeline_kind kind;
    int64_t stage, microbatch;
    uint32_t round; /* of slots that come several times on a rank: which time, from 0 */
    double ns;      /* duration */
};

/* From the start of the first slot to the end of the last one, where nothing but the slots takes
 * time. NAN: slots wait for each other. False when memory is out. */
bool pipeline_replay(const struct pipeline_step *steps, size_t count, double *length);

/* The name of the schedule, by the first round; "unknown" for no known one. */
const char *pipeline_schedule(const struct pipeline_step *steps, size_t count);
