/* nsys_beside: what stands beside the slices of an export: clocks, devices, names, ranks, and of
 * its metadata what is listed here. Exports carry whole environments and command lines; nothing
 * else of them is looked at. */
#include "ingest/nsys/nsys_reader.h"

#include "ingest/input/json_text.h"

#include <fnmatch.h>
#include <stdio.h>

static const char *const kept_metadata[] = {
    "EXPORT_PRODUCT_VERSION",
    "EXPORT_SCHEMA_VERSION",
    "EXPORT_PARAM_LAZY",
    "EXPORT_PARAM_INCLUDE_*",
    "EXPORT_PARAM_TIME_*",
    "EXPORT_PARAM_TABLES_TO_EXPORT",
    "EXPORT_PARAM_TIMES_TO_EXPORT",
    "CUDA_GRAPH_TRACE_OPTIONS:MODE",
    "CUDA_SKIP_SOME_API_CALLS",
    "*:COLLECT_*",
};

static const char *const kept_environment[] = {
    "CudaDriverVersion", "NvDriverVersion", "OsDescription", "CpuArchitecture", "CpuCores",
};

/* ------------------------------------------------------------------ metadata */

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(list[i], name, 0) == 0)
            return true;
    return false;
}

static void read_pair(struct nsys *self, struct rows_of *rows, const char *const *list,
                      size_t count, bool keeps_all)
{
    struct view value;

    /* The text of a column, as one that ends; empty when it is none. */
    struct view text;
    rows_text(rows, 0, &text);
    text_clear(&self->desk.scratch);
    text_add_view(&self->desk.scratch, text);
    text_add_string(&self->desk.scratch, "");
    const char *name = self->desk.scratch.items;
    rows_text(rows, 1, &value);
    /* Reading depends on these lines of the metadata. */
    int64_t number;
    bool is_true = view_equal_ignoring_case(value, VIEW("true"));
    bool is_number = json_integer(value, &number);
    if (strcmp(name, "EXPORT_PARAM_TIME_NORMALIZE") == 0)
        self->is_normal = is_true;
    else if (strcmp(name, "EXPORT_PARAM_TIME_SHIFT") == 0 && is_number)
        self->desk.clock_shift = number;
    else if (strcmp(name, "EXPORT_SCHEMA_VERSION_MAJOR") == 0 && is_number)
        note_count(&self->desk.notes, NOTE_VERSION_NEWER, number > 3, -1, -1);
    else if (strcmp(name, "CUDA_SKIP_SOME_API_CALLS") == 0)
        note_count(&self->desk.notes, NOTE_CALLS_SKIPPED, is_true, -1, -1);
    else if (strcmp(name, "EXPORT_PARAM_TABLES_TO_EXPORT") == 0 ||
             strcmp(name, "EXPORT_PARAM_TIMES_TO_EXPORT") == 0)
        note_count(&self->desk.notes, NOTE_EXPORTED_IN_PART, value.length > 0, -1, -1);
    if (keeps_all || is_listed(name, list, count)) {
        /* Keeps a pair of texts; `name` is what identifies it. */
        struct text *out = &self->desk.metadata;
        text_add_byte(out, out->count ? ',' : '{');
        text_add_json(out, view_of(name));
        text_add_byte(out, ':');
        text_add_json(out, value);
    } else
        note_count(&self->desk.notes, NOTE_METADATA_LEFT_OUT, 1, -1, -1);
}

static bool read_metadata(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    (void)values;
    read_pair(self, rows, kept_metadata, sizeof kept_metadata / sizeof *kept_metadata,
              self->desk.options->keep_metadata);
    return true;
}

static bool read_environment(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    (void)values;
    read_pair(self, rows, kept_environment, sizeof kept_environment / sizeof *kept_environment,
              false);
    return true;
}

static bool read_diagnostic(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    int64_t severity = values[0];
    struct view text;
    if (severity != NONE) {
        note_count(&self->desk.notes, NOTE_PROFILER_WARNING, severity == 2, -1, -1);
        note_count(&self->desk.notes, NOTE_PROFILER_ERROR, severity == 3, -1, -1);
        bool is_lost = severity >= 2 && rows_text(rows, 1, &text) == VALUE_FINE;
        if (is_lost) {
            /* Words of messages about lost data. */
            static const char *const words[] = {"lost",
                                                "dropped",
                                                "droped",
                                                "overflow",
                                                "truncat",
                                                "buffer full",
                                                "buffers full",
                                                "buffer is full",
                                                "buffers are full",
                                                "buffer was full",
                                                "buffers were full"};
            is_lost = view_contains_ignoring_case(text, "not all") &&
                      view_contains_ignoring_case(text, "collect");
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                is_lost |= view_contains_ignoring_case(text, words[i]);
        }
        note_count(&self->desk.notes, NOTE_PROFILER_LOST, is_lost, -1, -1);
    }
    return true;
}

/* ------------------------------------------------------------------ clocks and devices */

static bool read_session(void *reader, struct rows_of *rows, const int64_t *values)
{
    (void)rows;
    ((struct nsys *)reader)->session = values[0];
    return true;
}

static bool read_window(void *reader, struct rows_of *rows, const int64_t *values)
{
    (void)rows;
    ((struct nsys *)reader)->desk.window_end = values[0];
    return true;
}

static bool read_gpu(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    (void)rows;
    array_add(&self->gpus, (struct nsys_gpu){values[0], values[1], values[2]});
    return true;
}

/* A row without an accelerator tells nothing, and of several about one number the first holds. */
static bool read_device(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct nsys_device device = {values[0], values[1], values[2], values[3], 0};
    (void)rows;
    if (device.gpu == NONE)
        return true;
    uint32_t *known = map_put(&self->numbers, device.pid, device.ordinal);
    if (*known == 0)
        array_add(&self->devices, device);
    *known = *known ? *known : (uint32_t)self->devices.count;
    return true;
}

static bool read_null_stream(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    (void)rows;
    uint32_t *first = map_put(&self->contexts, values[0], values[1]);
    array_add(&self->null_streams, (struct nsys_null_stream){values[0], values[1], values[2]});
    *first = *first ? *first : (uint32_t)self->null_streams.count;
    return true;
}

bool nsys_prepare(struct nsys *self)
{
    static const struct desk_list lists[] = {
        {"META_DATA_CAPTURE", read_metadata, 0, {"name", "value"}},
        {"META_DATA_EXPORT", read_metadata, 0, {"name", "value"}},
        {"EXPORT_META_DATA", read_metadata, 0, {"name", "value"}},
        {"TARGET_INFO_SYSTEM_ENV", read_environment, 0, {"name", "value"}},
        {"TARGET_INFO_SESSION_START_TIME", read_session, 0, {"utcEpochNs"}},
        {"ANALYSIS_DETAILS", read_window, 0, {"duration"}},
        {"TARGET_INFO_GPU", read_gpu, 0, {"id", "cuDevice", "smCount"}},
        {"TARGET_INFO_CUDA_DEVICE",
         read_device,
         0,
         {"pid", "cudaId", "gpuId", "numMultiprocessors"}},
        {"TARGET_INFO_CUDA_CONTEXT_INFO",
         read_null_stream,
         0,
         {"processId", "contextId", "nullStreamId"}},
        {"TARGET_INFO_CUDA_NULL_STREAM",
         read_null_stream,
         0,
         {"processId", "contextId", "streamId"}},
        {"DIAGNOSTIC_EVENT", read_diagnostic, 0, {"severity", "text"}},
        {0},
    };
    if (!desk_read_lists(&self->desk, lists, false, self))
        return false;

    /* Finds accelerators and parts of them; from the last to the first, which hold. */
    for (size_t i = self->gpus.count; i-- > 0;) {
        uint32_t *by_id = map_put(&self->gpu_rows, self->gpus.items[i].id, NSYS_GPU_ID);
        *by_id = (uint32_t)i + 1;
        uint32_t *by_ordinal =
            map_put(&self->gpu_rows, self->gpus.items[i].ordinal, NSYS_GPU_ORDINAL);
        *by_ordinal = (uint32_t)i + 1;
    }
    for (size_t i = self->devices.count; i-- > 0;) {
        struct nsys_device *device = &self->devices.items[i];
        uint32_t *first = map_put(&self->parts, device->pid, device->gpu);
        uint32_t *is_described = map_put(&self->gpu_rows, device->pid, NSYS_DESCRIBED);
        device->next = *first;
        *first = (uint32_t)i + 1;
        *is_described = 1;
    }
    note_count(&self->desk.notes, NOTE_CLOCK_MISSING, self->session == NONE && !self->is_normal, -1,
               -1);
    if (self->is_normal && self->desk.window_end != NONE &&
        (self->session == NONE ||
         __builtin_add_overflow(self->desk.window_end, self->session, &self->desk.window_end)))
        self->desk.window_end = NONE;
    return true;
}

/* ------------------------------------------------------------------ names */

static void add_label(struct draft *trace, struct place place, enum label_kind kind, uint32_t text)
{
    uint32_t *known =
        map_put(&trace->labels, (int64_t)place.process << 32 | place.thread, (int64_t)kind);
    if (!*known)
        array_add(&trace->trace.labels, (struct label){place.process, place.thread, kind, text});
    *known = 1; /* the first one holds */
}

/* The process of a thread or of itself; NULL = no row of a slice names it. */
static struct nsys_process *known_process(struct nsys *self, int64_t id)
{
    return id == NONE ? NULL : nsys_known_process(self, id & NSYS_PROCESS_BITS, 0);
}

static bool read_process(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct view name;
    char digits[32];
    uint32_t text;
    struct nsys_process *process = known_process(self, values[0]);
    if (!process || rows_text(rows, 1, &name) != VALUE_FINE)
        return true;
    struct draft *trace = nsys_trace_of(self, process);
    int length = snprintf(digits, sizeof digits, "%lld", (long long)process->pid);
    uint32_t place = intern_find(&trace->trace.strings, digits, (size_t)length);
    if (place) {
        draft_keep(trace, draft_base(name), &text);
        add_label(trace, (struct place){.process = place}, LABEL_PROCESS_NAME, text);
    }
    return true;
}

static bool read_thread(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    uint32_t text;
    int64_t id = values[0], priority = values[2];
    struct nsys_process *process = known_process(self, id);
    if (!process)
        return true;
    struct draft *trace = nsys_trace_of(self, process);
    uint32_t place = map_get(&trace->places, process->number, id & 0xFFFFFF);
    if (!place)
        return true;
    struct text *out = &self->priorities;
    if (priority != NONE)
        text_format(out, "%c\"%lld\":%lld", out->count ? ',' : '{', (long long)(id & 0xFFFFFF),
                    (long long)priority);
    if (!nsys_string(self, trace, rows, 1, NSYS_TEXT_BASE, &text))
        return false;
    if (text)
        add_label(trace, trace_place(&trace->trace, place), LABEL_THREAD_NAME, text);
    return true;
}

/* Names all streams of this number that the process uses, on whichever device. */
static void name_stream(struct nsys *self, int64_t pid, int64_t stream, struct view name)
{
    uint32_t text;
    struct nsys_process *process = pid == NONE ? NULL : nsys_known_process(self, pid, 1);
    if (!process)
        return;
    struct draft *trace = nsys_trace_of(self, process);
    for (int64_t device = 0; device < 64; device++) {
        uint32_t place = map_get(&trace->places, -1 - device, stream);
        if (place) {
            draft_keep(trace, name, &text);
            add_label(trace, trace_place(&trace->trace, place), LABEL_THREAD_NAME, text);
        }
    }
}

static bool read_stream_name(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct view name;
    if (rows_text(rows, 2, &name) == VALUE_FINE)
        name_stream(self, values[0], values[1], name);
    return true;
}

static bool read_stream(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    enum { FLAG_DEFAULT = 3 };
    int64_t pid = values[0], stream = values[1], flag = values[2], priority = values[3];
    char words[40];
    (void)rows;
    if (flag == FLAG_DEFAULT) {
        name_stream(self, pid, stream, VIEW("default"));
        return true;
    }
    if (priority == NONE || priority == 0)
        return true;
    int length = snprintf(words, sizeof words, "priority %d", (int)(int32_t)(uint32_t)priority);
    name_stream(self, pid, stream, (struct view){words, (size_t)length});
    return true;
}

static bool read_rank(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct nsys_process *process = known_process(self, values[0]);
    (void)rows;
    if (process && values[1] >= 0 && process->rank == NONE)
        process->rank = values[1];
    return true;
}

/* ------------------------------------------------------------------ devices */

/* Properties of an accelerator in the order of their keys, and the columns that have them. */
enum { DEVICE_NAME = 6, DEVICE_CORES, DEVICE_MEMORY = 10, DEVICE_MAJOR, DEVICE_MINOR };
static const char *const device_keys[] = {
    "busLocation",
    "chipName",
    "clockRate",
    "l2CacheSize",
    "maxWarpsPerSm",
    "memoryBandwidth",
    "name",
    "numSms",
    "regsPerMultiprocessor",
    "sharedMemPerMultiprocessor",
    "totalGlobalMem",
};

static void add_device(struct nsys *self, struct draft *trace, struct rows_of *rows,
                       const int64_t *values, int64_t ordinal, int64_t cores)
{
    int64_t major = values[DEVICE_MAJOR], minor = values[DEVICE_MINOR];
    struct view name;
    char version[48];
    struct device *device = array_push(&trace->trace.devices);
    *device =
        (struct device){.ordinal = ordinal,
                        .memory_bytes = draft_integer(trace, rows, DEVICE_MEMORY),
                        .cores = cores > 0 ? cores : draft_integer(trace, rows, DEVICE_CORES)};
    if (rows_text(rows, DEVICE_NAME, &name) == VALUE_FINE)
        draft_keep(trace, name, &device->name);
    if (major != NONE && minor != NONE) {
        int length =
            snprintf(version, sizeof version, "%lld.%lld", (long long)major, (long long)minor);
        draft_keep(trace, (struct view){version, (size_t)length}, &device->architecture);
    }
    draft_keep(trace, text_view(&self->desk.json), &device->properties);
}

/* The number that a process has for a device; NONE = it does not see it. */
int64_t nsys_ordinal_of(const struct nsys *self, const struct nsys_process *process,
                        const struct nsys_gpu *gpu)
{
    uint32_t part = map_get(&self->parts, process->pid, gpu->id);
    if (part)
        return self->devices.items[part - 1].ordinal;
    return map_get(&self->gpu_rows, process->pid, NSYS_DESCRIBED) ? NONE : gpu->ordinal;
}

static bool read_device_row(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    size_t row = (size_t)rows_number(rows) - 1;

    text_clear(&self->desk.json);
    for (size_t i = 0; i < sizeof device_keys / sizeof *device_keys; i++) {
        struct view text;
        bool is_text = i < 2 || i == DEVICE_NAME;
        if (is_text && rows_text(rows, i, &text) == VALUE_FINE)
            desk_member_text(&self->desk, device_keys[i], text);
        else if (!is_text)
            desk_member(&self->desk, device_keys[i], values[i]);
    }
    text_add_string(&self->desk.json, self->desk.json.count ? "}" : "{}");
    for (size_t i = 0; i < self->processes.count; i++)
        if (row < self->gpus.count && self->processes.items[i].has_work) {
            /* The devices of a process that are this accelerator, or parts of it. */
            const struct nsys_process *process = &self->processes.items[i];
            const struct nsys_gpu *gpu = &self->gpus.items[row];
            struct draft *trace = nsys_trace_of(self, process);
            for (uint32_t part = map_get(&self->parts, process->pid, gpu->id); part;) {
                const struct nsys_device *device = &self->devices.items[part - 1];
                if (device->ordinal != NONE)
                    add_device(self, trace, rows, values, device->ordinal, device->cores);
                part = device->next;
            }
            if (!map_get(&self->gpu_rows, process->pid, NSYS_DESCRIBED) && gpu->ordinal != NONE)
                add_device(self, trace, rows, values, gpu->ordinal, NONE);
        }
    text_clear(&self->desk.json);
    return true;
}

bool nsys_describe(struct nsys *self)
{
    static const struct desk_list devices[] = {
        {"TARGET_INFO_GPU",
         read_device_row,
         0,
         {"busLocation", "chipName", "clockRate", "l2CacheSize", "maxWarpsPerSm", "memoryBandwidth",
          "name", "smCount", "maxRegistersPerSm", "maxShmemPerSm", "totalMemory", "computeMajor",
          "computeMinor"}},
        {0},
    };
    static const struct desk_list lists[] = {
        {"PROCESSES", read_process, 0, {"globalPid", "name"}},
        {"ThreadNames", read_thread, 0, {"globalTid", "nameId", "priority"}},
        {"TARGET_INFO_NVTX_CUDA_STREAM", read_stream_name, 0, {"processId", "streamId", "name"}},
        {"TARGET_INFO_CUDA_STREAM", read_stream, 0, {"processId", "streamId", "flag", "priority"}},
        {"MPI_RANKS", read_rank, 0, {"globalTid", "rank"}},
        {0},
    };
    note_count(&self->desk.notes, NOTE_DEVICE_ASSUMED,
               !self->devices.count && self->gpus.count > 1 && self->working > 1, -1, -1);
    if (!desk_read_lists(&self->desk, lists, false, self))
        return false;
    for (size_t i = 0; i < self->null_streams.count; i++)
        name_stream(self, self->null_streams.items[i].pid, self->null_streams.items[i].stream,
                    VIEW("default"));
    return desk_read_lists(&self->desk, devices, false, self);
}
