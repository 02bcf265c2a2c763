/* ttmetal_row: a row of a tt-metal op table becomes a slice.
 *
 * An op on a device is a GPU activity, a signpost a mark, all else what its OP TYPE says. The
 * place of a row is its line in a spreadsheet, the header being line 1. Times are the host's, of
 * when the op was called; the duration is that of the kernel.
 */
#include "ingest/ttmetal/ttmetal_reader.h"

#include <string.h>

static const struct fact_column device_op_columns[] = {
    {"id", FACT_EVENT, offsetof(struct device_op, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"device", FACT_INTEGER, offsetof(struct device_op, device), NULL},
    {"call_count", FACT_INTEGER, offsetof(struct device_op, calls), NULL},
    {"fidelity_id", FACT_STRING, offsetof(struct device_op, fidelity), NULL},
    {"cores", FACT_INTEGER, offsetof(struct device_op, cores), NULL},
    {"available_cores", FACT_INTEGER, offsetof(struct device_op, available_cores), NULL},
    {"sub_device", FACT_INTEGER, offsetof(struct device_op, sub_device), NULL},
    {"kernel_ns", FACT_INTEGER, offsetof(struct device_op, kernel), NULL},
    {"firmware_ns", FACT_INTEGER, offsetof(struct device_op, firmware), NULL},
    {"host_ns", FACT_INTEGER, offsetof(struct device_op, host), NULL},
    {"gap_ns", FACT_INTEGER, offsetof(struct device_op, gap), NULL},
    {"host_start_ns", FACT_INTEGER, offsetof(struct device_op, host_start), NULL},
    {"start_cycle", FACT_INTEGER, offsetof(struct device_op, start_cycle), NULL},
    {"end_cycle", FACT_INTEGER, offsetof(struct device_op, end_cycle), NULL},
    {"metal_trace", FACT_INTEGER, offsetof(struct device_op, metal_trace), NULL},
    {"replay", FACT_INTEGER, offsetof(struct device_op, replay), NULL},
    {0},
};

const struct fact_table device_op_facts = {"device_op", sizeof(struct device_op),
                                           device_op_columns};

enum { LISTED_MAX = 16 };

/* An op on a device, as the column OP TYPE has it. */
static const struct view signpost_type = VIEW_OF("signpost");

/* A device that no row before has named. */
static void add_device(struct ttmetal_reader *self, int64_t ordinal)
{
    struct view arch = ttmetal_known_cell(self, TTMETAL_ARCH);
    struct device *device = array_push(&self->trace->devices);
    *device = (struct device){.ordinal = ordinal, .memory_bytes = NONE, .cores = NONE};
    if (self->header.places[TTMETAL_AVAILABLE_CORES])
        device->cores = ttmetal_count(self, TTMETAL_AVAILABLE_CORES);
    uint32_t text = 0;
    if (arch.length)
        ttmetal_intern(self, arch, &text);
    device->architecture = text;
}

/* Where the row stands: a device, or the host. */
static void find_place(struct ttmetal_reader *self, int64_t device, uint32_t *place)
{
    char process[32] = "\"host\"";
    if (device != NONE)
        snprintf(process, sizeof process, "%lld", (long long)device);
    struct place found = {
        .process = intern_add(&self->trace->strings, process, strlen(process)),
        .thread = intern_add(&self->trace->strings, "0", 1),
    };
    size_t before = intern_count(&self->trace->places);
    *place = intern_add(&self->trace->places, &found, sizeof found);
    if (device != NONE && intern_count(&self->trace->places) != before)
        add_device(self, device);
}

/* A row without a start is taken to follow the one before. */
static int64_t find_start(struct ttmetal_reader *self, int64_t start)
{
    if (start == NONE && self->header.places[TTMETAL_HOST_START])
        ttmetal_note(self, NOTE_TIME_ASSUMED, 1);
    if (start == NONE)
        return self->last_start;
    return self->last_start = start;
}

static int64_t find_duration(struct ttmetal_reader *self, int64_t duration)
{
    if (duration == NONE)
        ttmetal_note(self, NOTE_DURATION_MISSING, 1);
    else if (duration < 0)
        ttmetal_note(self, NOTE_DURATION_NEGATIVE, 1);
    else if (duration > DURATION_MAX)
        ttmetal_note(self, NOTE_DURATION_CLIPPED, 1);
    else
        return duration;
    return duration > DURATION_MAX ? DURATION_MAX : 0;
}

static void keep_facts(struct ttmetal_reader *self)
{
    struct view arch = ttmetal_known_cell(self, TTMETAL_ARCH);
    int64_t cores = self->header.places[TTMETAL_AVAILABLE_CORES]
                        ? ttmetal_count(self, TTMETAL_AVAILABLE_CORES)
                        : NONE;
    bool is_new = cores != NONE && cores != 0 && self->core_counts.count < LISTED_MAX;
    for (size_t i = 0; i < self->core_counts.count && is_new; i++)
        is_new = self->core_counts.items[i] != cores;
    if (is_new)
        array_add(&self->core_counts, cores);
    uint32_t text;
    if (!arch.length)
        return;
    ttmetal_intern(self, arch, &text);
    is_new = self->archs.count < LISTED_MAX;
    for (size_t i = 0; i < self->archs.count && is_new; i++)
        is_new = self->archs.items[i] != text;
    if (is_new)
        array_add(&self->archs, text);
}

static void add_gpu(struct ttmetal_reader *self, struct slice *slice, int64_t device)
{
    array_add(&self->trace->gpus, (struct gpu_slice){
                                      .slice = (uint32_t)self->trace->slices.count,
                                      .device = device == NONE ? -1 : (int32_t)device,
                                      .stream = NONE,
                                      .bytes = NONE,
                                      .correlation = NONE,
                                      .external = NONE,
                                  });
    slice->side = (uint32_t)self->trace->gpus.count - 1;
}

static void add_device_op(struct ttmetal_reader *self, int64_t device, int64_t kernel, int64_t host,
                          int64_t start)
{
    struct device_op op = {
        .slice = (uint32_t)self->trace->slices.count,
        .device = device,
        .kernel = kernel,
        .host = host,
        .host_start = start,
        .calls = ttmetal_count(self, TTMETAL_CALLS),
        .cores = ttmetal_count(self, TTMETAL_CORES),
        .available_cores = ttmetal_count(self, TTMETAL_AVAILABLE_CORES),
        .sub_device = ttmetal_count(self, TTMETAL_SUB_DEVICE),
        .gap = ttmetal_number(self, TTMETAL_GAP, -DURATION_MAX, DURATION_MAX),
        .firmware = ttmetal_count(self, TTMETAL_FIRMWARE),
        .start_cycle = ttmetal_count(self, TTMETAL_START_CYCLE),
        .end_cycle = ttmetal_count(self, TTMETAL_END_CYCLE),
        .metal_trace = ttmetal_count(self, TTMETAL_TRACE),
        .replay = ttmetal_count(self, TTMETAL_REPLAY),
    };
    struct view fidelity = ttmetal_known_cell(self, TTMETAL_FIDELITY);
    if (fidelity.length)
        ttmetal_intern(self, fidelity, &op.fidelity);
    array_add(&self->ops, op);
}

static void keep_arguments(struct ttmetal_reader *self, bool is_signpost, uint32_t *number)
{
    bool is_empty;
    *number = 0;
    if (self->options->no_arguments)
        return;
    ttmetal_object(self, is_signpost ? TTMETAL_OBJECT_SIGNPOST : TTMETAL_OBJECT_ARGUMENTS,
                   &is_empty);
    *number =
        is_empty ? 0 : intern_add(&self->trace->arguments, self->json.items, self->json.count);
}

void ttmetal_add_row(struct ttmetal_reader *self)
{
    struct trace *trace = self->trace;
    struct view type = ttmetal_known_cell(self, TTMETAL_TYPE);
    struct view plain;
    ttmetal_plain(self, type, &plain);
    int found = trace_category(self->trace, plain);
    if (found >= CATEGORY_KNOWN_COUNT)
        ttmetal_note(self, NOTE_CATEGORY_UNKNOWN, 1);
    uint8_t category = (uint8_t)found;
    enum role role = category_role(category); /* types may be words of other producers, too */
    struct view code = self->header.places[TTMETAL_CODE] - 1 < self->ends.count
                           ? ttmetal_cell(self, self->header.places[TTMETAL_CODE] - 1)
                           : (struct view){"", 0};
    bool is_device = role == ROLE_GPU, is_signpost = view_equal(type, signpost_type);
    if (!is_signpost && ttmetal_is_missing(code))
        code.length = 0;
    int64_t device = is_signpost ? NONE : ttmetal_number(self, TTMETAL_DEVICE, 0, INT32_MAX - 1);
    int64_t kernel =
        is_signpost ? NONE : ttmetal_number(self, TTMETAL_KERNEL, INT64_MIN + 1, INT64_MAX);
    int64_t host = ttmetal_number(self, TTMETAL_HOST_DURATION, INT64_MIN + 1, INT64_MAX);
    int64_t start =
        ttmetal_number(self, TTMETAL_HOST_START, -DURATION_MAX * 512, DURATION_MAX * 512);
    struct slice slice = {.uid = ttmetal_row_number(self), .start = find_start(self, start)};
    if (code.length == 0)
        ttmetal_note(self, NOTE_NAME_MISSING, 1);
    if (is_device && device == NONE)
        ttmetal_note(self, NOTE_DEVICE_MISSING, 1);
    if (is_device)
        slice.duration = find_duration(self, kernel);
    else if (!is_signpost && host != NONE)
        slice.duration = find_duration(self, host);
    uint32_t place = 0, name = 0, op = 0, arguments = 0;
    find_place(self, is_device ? device : NONE, &place);
    ttmetal_intern(self, code, &name);
    if (!is_signpost)
        ttmetal_find_op(self, name, &op);
    if (!is_signpost)
        keep_facts(self);
    keep_arguments(self, is_signpost, &arguments);
    if (!is_signpost)
        add_device_op(self, device, kernel, host, start);
    if (is_device)
        add_gpu(self, &slice, device);
    if (role == ROLE_CALL) {
        array_add(&self->trace->calls,
                  (struct call_slice){.slice = (uint32_t)self->trace->slices.count,
                                      .correlation = NONE,
                                      .external = NONE});
        slice.side = (uint32_t)self->trace->calls.count - 1;
    }
    slice.category = category;
    slice.place = place & 0xFFFFFF;
    slice.name = name;
    slice.op = op;
    slice.arguments = arguments;
    array_add(&trace->slices, slice);
    trace->events++;
}
