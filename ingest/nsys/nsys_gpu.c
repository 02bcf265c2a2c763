/* nsys_gpu: tables of what an accelerator did: kernels, copies, sets, graphs, waits, events. */
#include "ingest/nsys/nsys_reader.h"

#include <math.h>
#include <stdio.h>

static double product(const int64_t three[3])
{
    bool is_known = three[0] != NONE && three[1] != NONE && three[2] != NONE;
    return is_known ? (double)three[0] * (double)three[1] * (double)three[2] : NAN;
}

/* ------------------------------------------------------------------ work */

static const struct draft_column kernel_columns[] = {
    NSYS_WORK,
    {"demangledName", .type = DRAFT_NAME},
    {"shortName", .type = DRAFT_NAME},
    {"mangledName", .type = DRAFT_NAME},
    {"blockX", NSYS_AT(kernel.block[0]), "block", DRAFT_THREE},
    {"blockY", NSYS_AT(kernel.block[1])},
    {"blockZ", NSYS_AT(kernel.block[2])},
    {NULL, NSYS_AT(kernel.blocks), "blocks per SM", DRAFT_REAL},
    {"clusterX", NSYS_AT(kernel.cluster[0]), "cluster", DRAFT_THREE},
    {"clusterY", NSYS_AT(kernel.cluster[1])},
    {"clusterZ", NSYS_AT(kernel.cluster[2])},
    {"contextId", NSYS_AT(context), "context"},
    {"dynamicSharedMemory", NSYS_AT(kernel.dynamic), "dynamic shared memory", DRAFT_SOME},
    {"graphId", NSYS_AT(kernel.graph), "graph id", DRAFT_SOME},
    {"graphNodeId", NSYS_AT(node), "graph node id", DRAFT_SOME},
    {"greenContextId", NSYS_AT(green), "green context", DRAFT_SOME},
    {"gridX", NSYS_AT(kernel.grid[0]), "grid", DRAFT_THREE},
    {"gridY", NSYS_AT(kernel.grid[1])},
    {"gridZ", NSYS_AT(kernel.grid[2])},
    {"launchType", NSYS_AT(kernel.launch), "launch type"},
    {"localMemoryPerThread", NSYS_AT(kernel.local), "local memory per thread", DRAFT_SOME},
    {"registersPerThread", NSYS_AT(kernel.registers), "registers per thread"},
    {"staticSharedMemory", NSYS_AT(kernel.fixed)},
    {NULL, NSYS_AT(kernel.shared), "shared memory"},
    {NULL, NSYS_AT(kernel.warps), "warps per SM", DRAFT_REAL},
};

static bool add_kernel(void *row)
{
    struct nsys_row *self = row;
    double cores = (double)nsys_cores_of(self->nsys, self->process->pid, self->base.device);
    self->kernel.shared = draft_sum(self->kernel.fixed, self->kernel.dynamic);
    self->kernel.blocks = cores > 0 ? product(self->kernel.grid) / cores : NAN;
    double warps = product(self->kernel.block) / 32;
    self->kernel.warps = warps >= 0 ? self->kernel.blocks * warps : NAN;
    if (self->kernel.launch != 2 && self->kernel.launch != 3)
        self->kernel.launch = NONE;
    if (self->kernel.cluster[0] <= 0)
        self->kernel.cluster[0] = NONE;
    return nsys_add(self);
}

static const struct draft_column copy_columns[] = {
    NSYS_WORK,
    {"bytes", NSYS_AT(base.bytes)},
    {"copyKind", NSYS_AT(copy.kind)},
    {"srcKind", NSYS_AT(copy.from)},
    {"dstKind", NSYS_AT(copy.to)},
    {"virtualAddress", NSYS_AT(copy.address), "address"},
    {"migrationCause", NSYS_AT(copy.cause), "cause"},
    {"contextId", NSYS_AT(context), "context"},
    {"copyCount", NSYS_AT(copy.times), "copies"},
    {"dstDeviceId", NSYS_AT(copy.to_device), "dst device"},
    {"graphNodeId", NSYS_AT(node), "graph node id", DRAFT_SOME},
    {"greenContextId", NSYS_AT(green), "green context", DRAFT_SOME},
    {"srcDeviceId", NSYS_AT(copy.from_device), "src device"},
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

static bool add_copy(void *row)
{
    static const char *const words[] = {
        "Unknown", "HtoD", "DtoH", "HtoA", "AtoH",         "AtoA",         "AtoD",
        "DtoA",    "DtoD", "HtoH", "PtoP", "Unified HtoD", "Unified DtoH", "Unified DtoD"};
    enum { MIGRATION_FIRST = 11, MIGRATION_LAST = 13 };
    struct nsys_row *self = row;
    char text[80];
    int64_t kind = self->copy.kind;
    int length = snprintf(text, sizeof text, "Memcpy %s (%s -> %s)",
                          word_of(words, sizeof words / sizeof *words, kind),
                          memory_word(self->copy.from), memory_word(self->copy.to));
    draft_keep(self->base.draft, (struct view){text, (size_t)length}, &self->base.name);
    if (kind < MIGRATION_FIRST || kind > MIGRATION_LAST)
        self->copy.address = self->copy.cause = NONE;
    if (self->copy.times <= 1)
        self->copy.times = NONE;
    return nsys_add(self);
}

static const struct draft_column set_columns[] = {
    NSYS_WORK,
    {"bytes", NSYS_AT(base.bytes)},
    {"memKind", NSYS_AT(set.kind)},
    {"contextId", NSYS_AT(context), "context"},
    {"graphNodeId", NSYS_AT(node), "graph node id", DRAFT_SOME},
    {"greenContextId", NSYS_AT(green), "green context", DRAFT_SOME},
    {"value", NSYS_AT(set.value), "value"},
};

static bool add_set(void *row)
{
    struct nsys_row *self = row;
    char text[40];
    int length = snprintf(text, sizeof text, "Memset (%s)", memory_word(self->set.kind));
    draft_keep(self->base.draft, (struct view){text, (size_t)length}, &self->base.name);
    return nsys_add(self);
}

static const struct draft_column graph_columns[] = {
    NSYS_WORK,
    {"contextId", NSYS_AT(context), "context"},
    {"graphExecId", NSYS_AT(graph.executable), "graph exec id"},
    {"graphId", NSYS_AT(graph.id), "graph id"},
    {"greenContextId", NSYS_AT(green), "green context", DRAFT_SOME},
};

static bool add_graph(void *row)
{
    struct nsys_row *self = row;
    char text[40] = "CUDA graph";
    if (self->graph.id != NONE)
        snprintf(text, sizeof text, "CUDA graph %lld", (long long)self->graph.id);
    draft_note(self->base.draft, NOTE_GRAPH_OPAQUE);
    self->unnamed = view_of(text);
    return nsys_add(self);
}

static const struct draft_column decompress_columns[] = {
    NSYS_WORK, {"contextId", NSYS_AT(context)}, {"sourceBytes", NSYS_AT(base.bytes)}};

static bool add_decompress(void *row)
{
    struct nsys_row *self = row;
    self->unnamed = VIEW("Mem decompress");
    return nsys_add(self);
}

/* ------------------------------------------------------------------ what is no work */

static const struct draft_column sync_columns[] = {
    NSYS_WORK,
    {"contextId", NSYS_AT(context)},
    {"syncType", NSYS_AT(sync.type)},
    {"eventId", NSYS_AT(sync.event)},
    {"eventSyncId", NSYS_AT(sync.record)},
};

static bool add_sync(void *row)
{
    enum { OF_EVENT = 1, OF_STREAM = 2 };
    static const char *const words[] = {"Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                        "Context Sync"};
    struct nsys_row *self = row;
    int64_t type = self->sync.type;
    if (type == OF_EVENT || type == OF_STREAM)
        nsys_add_moment(self->nsys, true, self->process, self->base.correlation, self->sync.event,
                        self->sync.record);
    bool is_known = type > 0 && (size_t)type < sizeof words / sizeof *words;
    self->unnamed = view_of(words[is_known ? type : 0]);
    return nsys_add(self);
}

enum { EVENT_DEVICE = NSYS_CORRELATION + 1, EVENT_STREAM, EVENT_ID, EVENT_RECORD };
static const struct draft_column event_columns[] = {
    {.name = "timestamp"}, {.name = "end"},      {.name = "globalPid"}, {.name = "correlationId"},
    {.name = "deviceId"},  {.name = "streamId"}, {.name = "eventId"},   {.name = "eventSyncId"},
};

/* An event has no time of its own before 2026: then it has that of its call. */
static bool read_event(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys *self = reader;
    int64_t time, key = nsys_work_key(self, rows, NSYS_WHOSE, NSYS_CORRELATION);
    const struct nsys_process *process = nsys_process_with(self, key);
    struct draft *draft = nsys_trace_of(self, process);
    struct draft_row row = {.draft = draft, .category = table->category};
    int64_t correlation = nsys_correlation(process, rows, NSYS_CORRELATION);
    bool is_stated = rows_integer(rows, NSYS_START, &time) == VALUE_FINE && time > 0 &&
                     !__builtin_sub_overflow(time, self->desk.clock_shift, &time);
    const struct slice *call = is_stated ? NULL : draft_call(draft, correlation);
    nsys_add_moment(self, false, process, correlation, draft_integer(draft, rows, EVENT_ID),
                    draft_integer(draft, rows, EVENT_RECORD));
    if (!is_stated && !call) {
        draft_note(draft, NOTE_TIME_MISSING);
        return true;
    }
    row.time.start = call ? call->start : time;
    row.place = nsys_stream(draft, draft_integer(draft, rows, EVENT_DEVICE),
                            draft_integer(draft, rows, EVENT_STREAM));
    if (!row.place)
        return false;
    draft_keep(draft, VIEW("Event record"), &row.name);
    draft_row_add(&row);
    return true;
}

static const struct draft_column host_node_columns[] = {NSYS_WORK, {"contextId", NSYS_AT(context)}};

static bool add_host_node(void *row)
{
    struct nsys_row *self = row;
    self->unnamed = VIEW("Host node");
    return nsys_add(self);
}

const struct desk_table nsys_work_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", DRAFT_COLUMNS(kernel_columns), nsys_read_work, CATEGORY_KERNEL,
     add_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", DRAFT_COLUMNS(copy_columns), nsys_read_work, CATEGORY_MEMCPY,
     add_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET", DRAFT_COLUMNS(set_columns), nsys_read_work, CATEGORY_MEMSET,
     add_set},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", DRAFT_COLUMNS(graph_columns), nsys_read_work,
     CATEGORY_GPU_GRAPH, add_graph},
    {"CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS", DRAFT_COLUMNS(decompress_columns), nsys_read_work,
     CATEGORY_MEMCPY, add_decompress},
    {0},
};

const struct desk_table nsys_gpu_mark_tables[] = {
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", DRAFT_COLUMNS(sync_columns), nsys_read_work,
     CATEGORY_CUDA_SYNC, add_sync},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", DRAFT_COLUMNS(event_columns), read_event,
     CATEGORY_CUDA_EVENT},
    {"CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH", DRAFT_COLUMNS(host_node_columns),
     nsys_read_work, CATEGORY_HOST_CALLBACK, add_host_node},
    {0},
};
