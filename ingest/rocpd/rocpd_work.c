/* rocpd_work: tables of what accelerators did: kernels, copies, waits. */
#include "ingest/rocpd/rocpd_reader.h"

/* Columns that all of them begin with, behind those of the place. */
enum { START = ROCPD_PLACE_COUNT, END, EVENT, GUID, COMMON_COUNT };
#define COMMON ROCPD_PLACE_COLUMNS, "start", "end", "event_id", "guid"
#define NEEDED (1u << START | 1u << END)

struct work {
    struct draft *draft;
    struct draft_time time;
    struct rocpd_place place;
    const struct rocpd_event *event; /* NULL = none */
    int64_t device;
};

enum row { ROW_FINE, ROW_LEFT_OUT, ROW_FAILED };

static enum row read_work(struct rocpd *self, struct rows_of *rows, struct work *work)
{
    *work = (struct work){.draft = rocpd_draft(self, rows, GUID)};
    if (!work->draft)
        return ROW_FAILED;
    if (!draft_time(work->draft, rows, START, END, false, &work->time))
        return ROW_LEFT_OUT;
    work->place = rocpd_place(self, work->draft, rows);
    work->event = rocpd_event(self, rows, EVENT);
    work->device = rocpd_device(self, work->place.agent);
    return ROW_FINE;
}

static bool rocpd_work_add_work(struct rocpd *self, const struct work *work, enum category category,
                                uint32_t name, uint32_t arguments, int64_t bytes)
{
    struct draft *draft = work->draft;
    uint32_t place = rocpd_stream(self, draft, work->device, work->place.stream);
    if (!place)
        return false;
    struct gpu_slice *gpu = array_push(&draft->trace.gpus);
    *gpu = (struct gpu_slice){
        .slice = (uint32_t)draft->trace.slices.count,
        .device = (int32_t)work->device,
        .stream = work->place.stream,
        .bytes = bytes,
        .correlation = work->event ? work->event->stack : NONE,
        .external = work->event ? work->event->external : NONE,
    };
    struct slice *slice = draft_slice(draft, &work->time, category, place, name, arguments);
    slice->side = (uint32_t)draft->trace.gpus.count - 1;
    if (work->event)
        self->part.events.items[work->event - self->part.events.items].slice =
            (uint32_t)draft->trace.slices.count;
    if (work->device >= 0 && (draft->device == NONE || work->device < draft->device))
        draft->device = work->device;
    return true;
}

/* ------------------------------------------------------------------ kernels */

enum {
    KERNEL_SYMBOL = COMMON_COUNT,
    KERNEL_PRIVATE,
    KERNEL_GROUP,
    KERNEL_BLOCK,
    KERNEL_ITEMS = KERNEL_BLOCK + 3,
    KERNEL_GRAPH = KERNEL_ITEMS + 3,
    KERNEL_NODE,
    KERNEL_REGION,
    KERNEL_COUNT,
};
static const char *const kernel_columns[KERNEL_COUNT] = {
    COMMON,
    "kernel_id",
    "private_segment_size",
    "group_segment_size",
    "workgroup_size_x",
    "workgroup_size_y",
    "workgroup_size_z",
    "grid_size_x",
    "grid_size_y",
    "grid_size_z",
    "graph_exec_id",
    "graph_node_id",
    "region_name_id",
};

/* The arguments of a kernel: no padding; `scratch` to `node` as the columns are. */
struct shape {
    int64_t vgprs, accumulators, sgprs, queue, scratch, shared, block[3], items[3], graph, node,
        region, missing;
};
enum missing { MISSING_THREAD = 1, MISSING_REGION = 2 };

static bool read_kernel(struct rocpd *self, struct rows_of *rows)
{
    struct work work;
    uint32_t name, arguments;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    if (work.device < 0)
        draft_note(work.draft, NOTE_DEVICE_MISSING);
    if (!rocpd_name(self, work.draft, rows, KERNEL_SYMBOL, ROCPD_TEXT_SYMBOL, &name))
        return false;

    /* Arguments of a kernel: one JSON text for each shape, written when it first occurs. */
    uint32_t region;
    int64_t id = draft_integer(work.draft, rows, KERNEL_SYMBOL);
    const struct rocpd_symbol *symbol = ROCPD_FIND(self->part.symbols, id);
    struct shape shape = {.vgprs = symbol ? symbol->vgprs : NONE,
                          .accumulators = symbol ? symbol->accumulators : NONE,
                          .sgprs = symbol ? symbol->sgprs : NONE,
                          .queue = work.place.queue};
    for (size_t i = 0; i < KERNEL_REGION - KERNEL_PRIVATE; i++) {
        int64_t value = draft_integer(work.draft, rows, KERNEL_PRIVATE + i);
        memcpy((char *)&shape + offsetof(struct shape, scratch) + i * sizeof value, &value,
               sizeof value);
    }
    if (!rocpd_string(self, work.draft, rows, KERNEL_REGION, ROCPD_TEXT, &region))
        return false;
    bool is_named = region && intern_view(&work.draft->trace.strings, region).length;
    shape.region = is_named && region != name ? region : 0;
    shape.missing =
        (work.place.thread == NONE ? MISSING_THREAD : 0) | (region ? 0 : MISSING_REGION);
    uint32_t *known = draft_arguments(work.draft, &shape, sizeof shape);
    if (!*known) {
        int64_t grid[3];
        struct desk *desk = &self->desk;
        for (int i = 0; i < 3; i++) { /* work-items to blocks */
            int64_t items = shape.items[i], block = shape.block[i];
            grid[i] = items < 0 || block <= 0 ? NONE : items / block + (items % block != 0);
        }
        desk_member(desk, "accum vgprs", shape.accumulators);
        desk_member_three(desk, "block", shape.block);
        desk_member(desk, "graph exec id", unless_zero(shape.graph));
        desk_member(desk, "graph node id", unless_zero(shape.node));
        desk_member_three(desk, "grid", grid);
        desk_member_three(desk, "grid work-items", shape.items);
        static const char *const words[] = {NULL, "thread", "region", "thread, region"};
        if (shape.missing)
            desk_member_text(&self->desk, "missing", view_of(words[shape.missing]));
        desk_member(desk, "queue", shape.queue);
        if (shape.region)
            desk_member_text(&self->desk, "region",
                             intern_view(&work.draft->trace.strings, (uint32_t)shape.region));
        desk_member(desk, "registers per thread", draft_sum(shape.vgprs, shape.accumulators));
        desk_member(desk, "scratch", shape.scratch);
        desk_member(desk, "sgprs", shape.sgprs);
        desk_member(desk, "shared memory", shape.shared);
        desk_member(desk, "vgprs", shape.vgprs);
        draft_finish_arguments(work.draft, known);
    }
    arguments = *known;
    return rocpd_work_add_work(self, &work, CATEGORY_KERNEL, name, arguments, NONE);
}

/* ------------------------------------------------------------------ copies */

enum {
    COPY_NAME = COMMON_COUNT,
    COPY_TO,
    COPY_FROM,
    COPY_BYTES,
    COPY_GRAPH,
    COPY_NODE,
    COPY_COUNT
};
static const char *const copy_columns[COPY_COUNT] = {
    COMMON, "name_id", "dst_agent_id", "src_agent_id", "size", "graph_exec_id", "graph_node_id"};

static bool read_copy(struct rocpd *self, struct rows_of *rows)
{
    struct work work;
    uint32_t name;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    int64_t values[] = {
        draft_integer(work.draft, rows, COPY_TO),
        unless_zero(draft_integer(work.draft, rows, COPY_GRAPH)),
        unless_zero(draft_integer(work.draft, rows, COPY_NODE)),
        work.place.queue,
        draft_integer(work.draft, rows, COPY_FROM),
    };
    int64_t device = rocpd_device(self, values[0]);
    if (device < 0)
        device = rocpd_device(self, values[4]);
    work.device = device < 0 ? work.device : device;
    uint32_t *known = draft_arguments(work.draft, values, sizeof values);
    if (!*known) {
        static const char *const keys[] = {"dst agent", "graph exec id", "graph node id", "queue",
                                           "src agent"};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            desk_member(&self->desk, keys[i], values[i]);
        draft_finish_arguments(work.draft, known);
    }
    uint32_t arguments = *known;
    return rocpd_name(self, work.draft, rows, COPY_NAME, ROCPD_TEXT_COPY, &name) &&
           rocpd_work_add_work(self, &work, CATEGORY_MEMCPY, name, arguments,
                               draft_integer(work.draft, rows, COPY_BYTES));
}

/* ------------------------------------------------------------------ waits */

static const char *const wait_columns[] = {COMMON, "type"};

static bool read_wait(struct rocpd *self, struct rows_of *rows)
{
    struct work work;
    struct view type;
    uint32_t name;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    rows_text(rows, COMMON_COUNT, &type);
    bool is_wait = view_equal_ignoring_case(type, VIEW("WAIT"));
    bool is_signal = view_equal_ignoring_case(type, VIEW("SIGNAL"));
    uint32_t place = rocpd_stream(self, work.draft, work.device, work.place.stream);
    if (!place)
        return false;
    draft_keep(work.draft,
               is_wait     ? VIEW("Stream Wait Event")
               : is_signal ? VIEW("Event Signal")
                           : VIEW("Sync"),
               &name);
    draft_slice(work.draft, &work.time, CATEGORY_CUDA_SYNC, place, name, 0);
    return true;
}

const struct rocpd_table rocpd_work_tables[] = {
    {"rocpd_kernel_dispatch", kernel_columns, KERNEL_COUNT, NEEDED, read_kernel, true},
    {"rocpd_memory_copy", copy_columns, COPY_COUNT, NEEDED, read_copy, true},
    {"rocpd_event_operation", ROCPD_COLUMNS(wait_columns), NEEDED, read_wait, true},
    {0},
};
