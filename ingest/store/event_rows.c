/* event_rows: events are appended in the order of their numbers, a row at once, since appending is
 * what a b-tree does best. */
#include "ingest/store/event_rows.h"

enum {
    EVENT_ID,
    EVENT_TRACE,
    EVENT_CATEGORY,
    EVENT_NAME,
    EVENT_TRACK,
    EVENT_START,
    EVENT_DURATION,
    EVENT_UP,
    EVENT_BELOW,
    EVENT_CHILDREN,
    EVENT_SIGNATURE,
    EVENT_ARGUMENTS,
    EVENT_CORRELATION,
    EVENT_UID,
};

enum {
    GPU_ID,
    GPU_TRACE,
    GPU_CATEGORY,
    GPU_NAME,
    GPU_TRACK,
    GPU_DEVICE,
    GPU_STREAM,
    GPU_START,
    GPU_DURATION,
    GPU_BYTES,
    GPU_CORRELATION,
    GPU_EXTERNAL,
    GPU_ARGUMENTS,
    GPU_CALL,
    GPU_OP,
    GPU_LAUNCHER,
    GPU_LAUNCHER_NAME,
    GPU_LAUNCHER_SIGNATURE,
    GPU_LAUNCHER_TRACK,
    GPU_LAUNCHER_START,
    GPU_LAUNCHER_BELOW,
    GPU_NESTED,
    GPU_UID,
    GPU_LINK,
};

int64_t rows_event(const struct rows *rows, uint32_t slice)
{
    return rows->first_event + rows->trace->tree.number[slice];
}

int64_t rows_track(const struct rows *rows, uint32_t place, enum track_kind kind)
{
    size_t key = (size_t)place * TRACK_KIND_COUNT + kind;
    return rows->first_track + rows->trace->tree.track[key] - 1;
}

/* Ids that were texts in the file have no integer form. */
static int64_t id_or_none(const struct trace *trace, int64_t id)
{
    return id > NONE + UINT32_MAX ? id & trace->id_bits : NONE;
}

static int64_t slice_track(const struct rows *rows, uint32_t index)
{
    const struct slice *slice = &rows->trace->slices.items[index];
    return rows_track(rows, slice->place, track_kind_of(trace_role(rows->trace, slice)));
}

static int64_t correlation_of(const struct trace *trace, const struct slice *slice)
{
    switch (trace_role(trace, slice)) {
    case ROLE_GPU:
        return trace->gpus.items[slice->side].correlation;
    case ROLE_CALL:
        return trace->calls.items[slice->side].correlation;
    default:
        return slice->side && !(slice->side & SIDE_OF_IDS)
                   ? trace->correlations.items[slice->side - 1]
                   : NONE;
    }
}

static int64_t signature_of(const struct rows *rows, const struct slice *slice)
{
    return slice->op ? rows->ops[slice->op] : NONE;
}

static int64_t arguments_of(const struct rows *rows, const struct slice *slice)
{
    return slice->arguments ? rows->arguments[slice->arguments] : NONE;
}

static void launch_values(const struct rows *rows, const struct gpu_slice *gpu, uint32_t side,
                          int64_t *values)
{
    if (!gpu->call) {
        for (int i = GPU_CALL; i <= GPU_NESTED; i++)
            values[i] = NONE;
        values[GPU_LINK] = NONE;
        return;
    }
    const struct call_slice *call = &rows->trace->calls.items[gpu->call - 1];
    uint32_t op = trace_origin(rows->trace, side, call->op);
    uint32_t launcher = trace_origin(rows->trace, side, call->launcher);
    launcher = launcher ? launcher - 1 : call->slice; /* an op, else the call */
    const struct slice *slice = &rows->trace->slices.items[launcher];
    values[GPU_CALL] = rows_event(rows, call->slice);
    values[GPU_OP] = op ? rows_event(rows, op - 1) : NONE;
    values[GPU_LAUNCHER] = rows_event(rows, launcher);
    values[GPU_LAUNCHER_NAME] = rows->strings[slice->name];
    values[GPU_LAUNCHER_SIGNATURE] = signature_of(rows, slice);
    values[GPU_LAUNCHER_TRACK] = slice_track(rows, launcher);
    values[GPU_LAUNCHER_START] = slice->start - rows->trace->start;
    values[GPU_LAUNCHER_BELOW] = rows->trace->tree.descendants[launcher];
    values[GPU_NESTED] = call->nested;
    values[GPU_LINK] = rows->trace->links.items[side];
}

void event_row(const struct rows *rows, uint32_t index, int64_t *values)
{
    const struct trace *trace = rows->trace;
    const struct tree *tree = &trace->tree;
    const struct slice *slice = &trace->slices.items[index];
    uint32_t parent = tree->parent[index];
    values[EVENT_ID] = rows_event(rows, index);
    values[EVENT_TRACE] = rows->trace_id;
    values[EVENT_CATEGORY] = rows->categories[slice->category];
    values[EVENT_NAME] = rows->strings[slice->name];
    values[EVENT_TRACK] = slice_track(rows, index);
    values[EVENT_START] = slice->start - trace->start;
    values[EVENT_DURATION] = slice->duration;
    values[EVENT_UP] =
        parent ? (int64_t)tree->number[index] - (int64_t)tree->number[parent - 1] : NONE;
    values[EVENT_BELOW] = tree->descendants[index];
    values[EVENT_CHILDREN] = tree->child_time[index];
    values[EVENT_SIGNATURE] = signature_of(rows, slice);
    values[EVENT_ARGUMENTS] = arguments_of(rows, slice);
    values[EVENT_CORRELATION] = id_or_none(trace, correlation_of(trace, slice));
    values[EVENT_UID] = slice->uid;
}

void gpu_event_row(const struct rows *rows, uint32_t index, int64_t *values)
{
    const struct trace *trace = rows->trace;
    const struct slice *slice = &trace->slices.items[index];
    const struct gpu_slice *gpu = &trace->gpus.items[slice->side];
    values[GPU_ID] = rows_event(rows, index);
    values[GPU_TRACE] = rows->trace_id;
    values[GPU_CATEGORY] = rows->categories[slice->category];
    values[GPU_NAME] = rows->strings[slice->name];
    values[GPU_TRACK] = slice_track(rows, index);
    values[GPU_DEVICE] = gpu->device >= 0 ? gpu->device : NONE;
    values[GPU_STREAM] = gpu->stream;
    values[GPU_START] = slice->start - trace->start;
    values[GPU_DURATION] = slice->duration;
    values[GPU_BYTES] = gpu->bytes;
    values[GPU_CORRELATION] = id_or_none(trace, gpu->correlation);
    values[GPU_EXTERNAL] = id_or_none(trace, gpu->external);
    values[GPU_ARGUMENTS] = arguments_of(rows, slice);
    values[GPU_UID] = slice->uid;
    launch_values(rows, gpu, slice->side, values);
}
