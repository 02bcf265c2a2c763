/* nsys_gpu: tables of what an accelerator did: kernels, copies, sets, graphs, waits, events. */
#include "ingest/nsys/nsys_reader.h"

#include <stdio.h>

/* Columns that all of them begin with. */
enum { START, END, DEVICE, CONTEXT, GREEN, STREAM, CORRELATION, PROCESS, COMMON_COUNT };
#define COMMON                                                                              \
    "start", "end", "deviceId", "contextId", "greenContextId", "streamId", "correlationId", \
        "globalPid"
#define NEEDED (1u << START | 1u << END)

struct work {
    struct nsys_process *process;
    struct draft *trace;
    struct draft_time time;
    int64_t device, stream, correlation, context, green;
    uint32_t place;
};

enum row { ROW_FINE, ROW_LEFT_OUT, ROW_FAILED };

static int64_t null_stream(const struct nsys *self, const struct work *work)
{
    uint32_t found = map_get(&self->contexts, work->process->pid, work->context);
    return found ? self->null_streams.items[found - 1].stream : NONE;
}

static enum row read_work(struct nsys *self, struct rows_of *rows, struct work *work)
{
    *work = (struct work){
        .process = nsys_process_with(self, nsys_work_key(self, rows, PROCESS, CORRELATION))};
    work->trace = nsys_trace_of(self, work->process);
    if (!draft_time(work->trace, rows, START, END, false, &work->time))
        return ROW_LEFT_OUT;
    work->device = draft_integer(work->trace, rows, DEVICE);
    work->stream = draft_integer(work->trace, rows, STREAM);
    work->context = draft_integer(work->trace, rows, CONTEXT);
    work->green = draft_integer(work->trace, rows, GREEN);
    work->correlation = nsys_correlation(work->process, rows, CORRELATION);
    if (work->stream == NONE)
        work->stream = null_stream(self, work);
    work->place = nsys_stream(work->trace, work->device, work->stream);
    return work->place ? ROW_FINE : ROW_FAILED;
}

static void nsys_gpu_add_work(const struct work *work, enum category category, uint32_t name,
                              uint32_t arguments, int64_t bytes)
{
    struct trace *trace = &work->trace->trace;
    struct gpu_slice *gpu = array_push(&trace->gpus);
    *gpu = (struct gpu_slice){
        .slice = (uint32_t)trace->slices.count,
        .device = work->device >= 0 && work->device <= INT32_MAX ? (int32_t)work->device : -1,
        .stream = work->stream,
        .bytes = bytes,
        .correlation = work->correlation,
        .external = NONE,
    };
    struct slice *slice =
        draft_slice(work->trace, &work->time, category, work->place, name, arguments);
    slice->side = (uint32_t)trace->gpus.count - 1;
    if (work->device >= 0 && (work->trace->device == NONE || work->device < work->trace->device))
        work->trace->device = work->device;
}

/* How much a row moved; no accelerator moves a pebibyte at a time. */
static int64_t read_bytes(const struct work *work, struct rows_of *rows, size_t column)
{
    const int64_t most = (int64_t)1 << 50;
    int64_t bytes = draft_integer(work->trace, rows, column);
    if (bytes == NONE || (bytes >= 0 && bytes <= most))
        return bytes;
    draft_note(work->trace, NOTE_VALUE_ODD);
    return NONE;
}

/* The node of a graph that work just added is, if it is one. */
static void add_node(struct nsys *self, struct rows_of *rows, const struct work *work,
                     size_t column)
{
    int64_t node;
    bool is_node = rows_integer(rows, column, &node) == VALUE_FINE && node != 0;
    if (is_node)
        nsys_add_node_work(self, work->process, node);
}

/* ------------------------------------------------------------------ kernels */

enum {
    KERNEL_NAME = COMMON_COUNT,
    KERNEL_SHORT,
    KERNEL_MANGLED,
    KERNEL_LAUNCH,
    KERNEL_REGISTERS,
    KERNEL_GRID,
    KERNEL_BLOCK = KERNEL_GRID + 3,
    KERNEL_STATIC = KERNEL_BLOCK + 3,
    KERNEL_DYNAMIC,
    KERNEL_LOCAL,
    KERNEL_NODE,
    KERNEL_GRAPH,
    KERNEL_CLUSTER,
    KERNEL_COUNT = KERNEL_CLUSTER + 3,
};
static const char *const kernel_columns[KERNEL_COUNT] = {
    COMMON,
    "demangledName",
    "shortName",
    "mangledName",
    "launchType",
    "registersPerThread",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "localMemoryPerThread",
    "graphNodeId",
    "graphId",
    "clusterX",
    "clusterY",
    "clusterZ",
};

/* The arguments of a kernel: no padding, from `launch` on as the columns are. */
struct shape {
    int64_t context, green, cores, launch, registers, grid[3], block[3], fixed, dynamic, local,
        node, graph, cluster[3];
};

static void add_launch_share(struct nsys *self, const struct shape *shape, const char *key,
                             double factor)
{
    double blocks = (double)shape->grid[0] * (double)shape->grid[1] * (double)shape->grid[2];
    if (shape->cores <= 0 || shape->grid[0] == NONE || shape->grid[1] == NONE ||
        shape->grid[2] == NONE || factor < 0)
        return;
    desk_member_real(&self->desk, key, blocks / (double)shape->cores * factor);
}

static bool read_kernel(struct nsys *self, struct rows_of *rows)
{
    struct work work;
    uint32_t name = 0;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    for (size_t column = KERNEL_NAME; column <= KERNEL_MANGLED && !name; column++)
        if (!nsys_string(self, work.trace, rows, column, NSYS_TEXT, &name))
            return false;
    if (!name)
        draft_keep(work.trace, VIEW(""), &name);

    /* The arguments: kernels of one shape share them. */
    struct shape shape = {.context = work.context,
                          .green = work.green,
                          .cores = nsys_cores_of(self, work.process->pid, work.device)};
    for (size_t i = 0; i < KERNEL_COUNT - KERNEL_LAUNCH; i++) {
        int64_t value = draft_integer(work.trace, rows, KERNEL_LAUNCH + i);
        memcpy((char *)&shape + offsetof(struct shape, launch) + i * sizeof value, &value,
               sizeof value);
    }
    uint32_t *known = draft_arguments(work.trace, &shape, sizeof shape);
    if (!*known) {
        int64_t launch = shape.launch == 2 || shape.launch == 3 ? shape.launch : NONE;
        bool is_cluster = shape.cluster[0] > 0;
        desk_member_three(&self->desk, "block", shape.block);
        add_launch_share(self, &shape, "blocks per SM", 1);
        if (is_cluster)
            desk_member_three(&self->desk, "cluster", shape.cluster);
        desk_member(&self->desk, "context", shape.context);
        desk_member(&self->desk, "dynamic shared memory", unless_zero(shape.dynamic));
        desk_member(&self->desk, "graph id", unless_zero(shape.graph));
        desk_member(&self->desk, "graph node id", unless_zero(shape.node));
        desk_member(&self->desk, "green context", unless_zero(shape.green));
        desk_member_three(&self->desk, "grid", shape.grid);
        desk_member(&self->desk, "launch type", launch);
        desk_member(&self->desk, "local memory per thread", unless_zero(shape.local));
        desk_member(&self->desk, "registers per thread", shape.registers);
        desk_member(&self->desk, "shared memory", draft_sum(shape.fixed, shape.dynamic));
        double warps = -1;
        if (shape.block[0] != NONE && shape.block[1] != NONE && shape.block[2] != NONE)
            warps = (double)shape.block[0] * (double)shape.block[1] * (double)shape.block[2] / 32;
        add_launch_share(self, &shape, "warps per SM", warps);
        draft_finish_arguments(work.trace, known);
    }
    nsys_gpu_add_work(&work, CATEGORY_KERNEL, name, *known, NONE);
    add_node(self, rows, &work, KERNEL_NODE);
    return true;
}

/* ------------------------------------------------------------------ copies */

enum {
    COPY_BYTES = COMMON_COUNT,
    COPY_KIND,
    COPY_FROM,
    COPY_TO,
    COPY_FROM_DEVICE,
    COPY_TO_DEVICE,
    COPY_CAUSE,
    COPY_NODE,
    COPY_ADDRESS,
    COPY_TIMES,
    COPY_COUNT,
};
static const char *const copy_columns[COPY_COUNT] = {
    COMMON,        "bytes",          "copyKind",    "srcKind",        "dstKind",   "srcDeviceId",
    "dstDeviceId", "migrationCause", "graphNodeId", "virtualAddress", "copyCount",
};

static const char *word_of(const char *const *words, size_t count, int64_t number)
{
    return number >= 0 && (size_t)number < count ? words[number] : "Unknown";
}

static const char *memory_word(int64_t kind)
{
    static const char *const words[] = {"Pageable", "Pinned",        "Device",        "Array",
                                        "Managed",  "Device Static", "Managed Static"};
    return word_of(words, sizeof words / sizeof *words, kind);
}

static void copy_name(const struct work *work, const int64_t kinds[3], uint32_t *name)
{
    static const char *const words[] = {
        "Unknown", "HtoD", "DtoH", "HtoA", "AtoH",         "AtoA",         "AtoD",
        "DtoA",    "DtoD", "HtoH", "PtoP", "Unified HtoD", "Unified DtoH", "Unified DtoD"};
    char text[80];
    int length = snprintf(text, sizeof text, "Memcpy %s (%s -> %s)",
                          word_of(words, sizeof words / sizeof *words, kinds[0]),
                          memory_word(kinds[1]), memory_word(kinds[2]));
    draft_keep(work->trace, (struct view){text, (size_t)length}, name);
}

static bool is_migration(int64_t kind)
{
    return kind >= 11 && kind <= 13;
}

static void make_copy_arguments(struct nsys *self, struct draft *trace, const int64_t *values,
                                uint32_t *number)
{
    enum { CONTEXT_AT, GREEN_AT, ADDRESS, CAUSE, TIMES, TO, NODE, FROM };
    desk_member(&self->desk, "address", values[ADDRESS]);
    desk_member(&self->desk, "cause", values[CAUSE]);
    desk_member(&self->desk, "context", values[CONTEXT_AT]);
    desk_member(&self->desk, "copies", values[TIMES]);
    desk_member(&self->desk, "dst device", values[TO]);
    desk_member(&self->desk, "graph node id", values[NODE]);
    desk_member(&self->desk, "green context", values[GREEN_AT]);
    desk_member(&self->desk, "src device", values[FROM]);
    draft_finish_arguments(trace, number);
}

static bool read_copy(struct nsys *self, struct rows_of *rows)
{
    struct work work;
    uint32_t name, arguments;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    int64_t kinds[3];
    for (size_t i = 0; i < 3; i++)
        kinds[i] = draft_integer(work.trace, rows, COPY_KIND + i);
    int64_t bytes = read_bytes(&work, rows, COPY_BYTES);
    copy_name(&work, kinds, &name);

    /* The arguments; hardly a migration is like another one. */
    int64_t kind = kinds[0];
    struct draft *trace = work.trace;
    int64_t times = draft_integer(trace, rows, COPY_TIMES);
    int64_t values[] = {
        work.context,
        unless_zero(work.green),
        is_migration(kind) ? draft_integer(trace, rows, COPY_ADDRESS) : NONE,
        is_migration(kind) ? draft_integer(trace, rows, COPY_CAUSE) : NONE,
        times > 1 ? times : NONE,
        draft_integer(trace, rows, COPY_TO_DEVICE),
        unless_zero(draft_integer(trace, rows, COPY_NODE)),
        draft_integer(trace, rows, COPY_FROM_DEVICE),
    };
    if (is_migration(kind)) {
        make_copy_arguments(self, trace, values, &arguments);
    } else {
        uint32_t *known = draft_arguments(trace, values, sizeof values);
        if (!*known)
            make_copy_arguments(self, trace, values, known);
        arguments = *known;
    }
    nsys_gpu_add_work(&work, CATEGORY_MEMCPY, name, arguments, bytes);
    add_node(self, rows, &work, COPY_NODE);
    return true;
}

/* ------------------------------------------------------------------ sets, graphs, the rest */

enum { SET_BYTES = COMMON_COUNT, SET_VALUE, SET_KIND, SET_NODE, SET_COUNT };
static const char *const set_columns[SET_COUNT] = {COMMON, "bytes", "value", "memKind",
                                                   "graphNodeId"};

/* Arguments that are a few numbers under keys in the order of these. */
static void few_arguments(struct nsys *self, struct draft *trace, const char *const *keys,
                          const int64_t *values, size_t count, uint32_t *number)
{
    for (size_t i = 0; i < count; i++)
        desk_member(&self->desk, keys[i], values[i]);
    draft_finish_arguments(trace, number);
}

static bool read_set(struct nsys *self, struct rows_of *rows)
{
    static const char *const keys[] = {"context", "graph node id", "green context", "value"};
    struct work work;
    char text[40];
    uint32_t name, arguments;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    int64_t values[] = {work.context, unless_zero(draft_integer(work.trace, rows, SET_NODE)),
                        unless_zero(work.green), draft_integer(work.trace, rows, SET_VALUE)};
    int64_t kind = draft_integer(work.trace, rows, SET_KIND);
    int length = snprintf(text, sizeof text, "Memset (%s)", memory_word(kind));
    draft_keep(work.trace, (struct view){text, (size_t)length}, &name);
    few_arguments(self, work.trace, keys, values, 4, &arguments);
    nsys_gpu_add_work(&work, CATEGORY_MEMSET, name, arguments, read_bytes(&work, rows, SET_BYTES));
    add_node(self, rows, &work, SET_NODE);
    return true;
}

enum { GRAPH_ID = COMMON_COUNT, GRAPH_EXECUTABLE, GRAPH_COUNT };
static const char *const graph_columns[GRAPH_COUNT] = {COMMON, "graphId", "graphExecId"};

static bool read_graph(struct nsys *self, struct rows_of *rows)
{
    static const char *const keys[] = {"context", "graph exec id", "graph id", "green context"};
    struct work work;
    char text[40];
    uint32_t name, arguments;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    int64_t values[] = {work.context, draft_integer(work.trace, rows, GRAPH_EXECUTABLE),
                        draft_integer(work.trace, rows, GRAPH_ID), unless_zero(work.green)};
    int length = values[2] == NONE
                     ? snprintf(text, sizeof text, "CUDA graph")
                     : snprintf(text, sizeof text, "CUDA graph %lld", (long long)values[2]);
    draft_note(work.trace, NOTE_GRAPH_OPAQUE);
    draft_keep(work.trace, (struct view){text, (size_t)length}, &name);
    few_arguments(self, work.trace, keys, values, 4, &arguments);
    nsys_gpu_add_work(&work, CATEGORY_GPU_GRAPH, name, arguments, NONE);
    return true;
}

static const char *const decompress_columns[] = {COMMON, "sourceBytes"};

static bool read_decompress(struct nsys *self, struct rows_of *rows)
{
    struct work work;
    uint32_t name;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    draft_keep(work.trace, VIEW("Mem decompress"), &name);
    nsys_gpu_add_work(&work, CATEGORY_MEMCPY, name, 0, read_bytes(&work, rows, COMMON_COUNT));
    return true;
}

/* ------------------------------------------------------------------ what is no work */

enum { SYNC_TYPE = COMMON_COUNT, SYNC_EVENT, SYNC_RECORD, SYNC_COUNT };
static const char *const sync_columns[SYNC_COUNT] = {COMMON, "syncType", "eventId", "eventSyncId"};

static void add_mark(const struct work *work, enum category category, struct view text)
{
    uint32_t name;
    draft_keep(work->trace, text, &name);
    draft_slice(work->trace, &work->time, category, work->place, name, 0);
}

static bool read_sync(struct nsys *self, struct rows_of *rows)
{
    enum { OF_EVENT = 1, OF_STREAM = 2 };
    static const char *const words[] = {"Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                        "Context Sync"};
    struct work work;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    int64_t type = draft_integer(work.trace, rows, SYNC_TYPE);
    bool is_known = type > 0 && (size_t)type < sizeof words / sizeof *words;
    if (type == OF_EVENT || type == OF_STREAM)
        nsys_add_moment(self, true, work.process, work.correlation,
                        draft_integer(work.trace, rows, SYNC_EVENT),
                        draft_integer(work.trace, rows, SYNC_RECORD));
    add_mark(&work, CATEGORY_CUDA_SYNC, view_of(words[is_known ? type : 0]));
    return true;
}

/* An event has no time of its own before 2026: then it has that of its call. */
enum { EVENT_ID = COMMON_COUNT, EVENT_RECORD, EVENT_COUNT };
static const char *const event_columns[EVENT_COUNT] = {
    "timestamp", "end",           "deviceId",  "contextId", "greenContextId",
    "streamId",  "correlationId", "globalPid", "eventId",   "eventSyncId"};

static bool read_event(struct nsys *self, struct rows_of *rows)
{
    int64_t time;
    struct work work = {
        .process = nsys_process_with(self, nsys_work_key(self, rows, PROCESS, CORRELATION))};
    work.trace = nsys_trace_of(self, work.process);
    work.correlation = nsys_correlation(work.process, rows, CORRELATION);
    bool is_stated = rows_integer(rows, START, &time) == VALUE_FINE && time > 0 &&
                     !__builtin_sub_overflow(time, self->desk.clock_shift, &time);
    const struct slice *call = is_stated ? NULL : draft_call(work.trace, work.correlation);
    nsys_add_moment(self, false, work.process, work.correlation,
                    draft_integer(work.trace, rows, EVENT_ID),
                    draft_integer(work.trace, rows, EVENT_RECORD));
    if (!is_stated && !call) {
        draft_note(work.trace, NOTE_TIME_MISSING);
        return true;
    }
    work.time = (struct draft_time){.start = call ? call->start : time};
    work.place = nsys_stream(work.trace, draft_integer(work.trace, rows, DEVICE),
                             draft_integer(work.trace, rows, STREAM));
    if (!work.place)
        return false;
    add_mark(&work, CATEGORY_CUDA_EVENT, VIEW("Event record"));
    return true;
}

static const char *const host_node_columns[] = {COMMON};

static bool read_host_node(struct nsys *self, struct rows_of *rows)
{
    struct work work;
    enum row row = read_work(self, rows, &work);
    if (row != ROW_FINE)
        return row == ROW_LEFT_OUT;
    add_mark(&work, CATEGORY_HOST_CALLBACK, VIEW("Host node"));
    return true;
}

#define COLUMNS(names) (names), sizeof(names) / sizeof *(names)

const struct nsys_table nsys_work_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", COLUMNS(kernel_columns), NEEDED, read_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", COLUMNS(copy_columns), NEEDED, read_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET", COLUMNS(set_columns), NEEDED, read_set},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", COLUMNS(graph_columns), NEEDED, read_graph},
    {"CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS", COLUMNS(decompress_columns), NEEDED, read_decompress},
    {0},
};

const struct nsys_table nsys_gpu_mark_tables[] = {
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", COLUMNS(sync_columns), NEEDED, read_sync},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", COLUMNS(event_columns), 0, read_event},
    {"CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH", COLUMNS(host_node_columns), NEEDED,
     read_host_node},
    {0},
};
