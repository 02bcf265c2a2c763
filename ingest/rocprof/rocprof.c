/* rocprof: the JSON that rocprofv3 writes (--output-format json).
 *
 * The file is one object with the member "rocprofiler-sdk-tool", a list with an object a process.
 * Members may come in any order. Each process becomes a trace.
 */
#include "ingest/rocprof/rocprof_reader.h"

static const char member[] = "\"rocprofiler-sdk-tool\"";

/* The first place of some bytes from `at` on; `length` when they are not there. */
static size_t find(const unsigned char *bytes, size_t length, size_t at, const char *wanted)
{
    size_t size = strlen(wanted);
    for (; at + size <= length; at++)
        if (memcmp(bytes + at, wanted, size) == 0)
            return at;
    return length;
}

/* An object with that member, in front of which no list of events begins. */
static bool recognises(const unsigned char *bytes, size_t length)
{
    size_t at = json_front(bytes, length);
    if (at == length || bytes[at] != '{')
        return false;
    size_t place = find(bytes, length, at, member);
    size_t behind = place + sizeof member - 1;
    while (behind < length && memchr(" \t\r\n", bytes[behind], 4))
        behind++;
    return behind < length && bytes[behind] == ':' &&
           find(bytes, place, at, "\"traceEvents\"") == place;
}

/* ------------------------------------------------------------------ the file */

/* Members of a process that are known and of no use here: code that is loaded, and the like. */
static bool is_left_out(struct view key)
{
    static const struct view keys[] = {
        VIEW_OF("code_objects"),
        VIEW_OF("host_functions"),
        VIEW_OF("summary"),
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (view_equal(key, keys[i]))
            return true;
    return false;
}

static bool read_member(struct rocprof *self, struct view key)
{
    static const struct {
        struct view key;
        bool (*read)(struct rocprof *self);
    } members[] = {
        {VIEW_OF("metadata"), rocprof_read_metadata},
        {VIEW_OF("agents"), rocprof_read_agents},
        {VIEW_OF("strings"), rocprof_read_strings},
        {VIEW_OF("kernel_symbols"), rocprof_read_symbols},
        {VIEW_OF("buffer_records"), rocprof_read_records},
        {VIEW_OF("callback_records"), rocprof_read_callbacks},
        {VIEW_OF("counters"), rocprof_read_counters},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (view_equal(key, members[i].key))
            return members[i].read(self);
    struct json_value value;
    if (!is_left_out(key))
        rocprof_note(self, NOTE_METADATA_LEFT_OUT);
    return json_value(&self->json, &value);
}

/* One entry of the list. */
static bool read_process(struct rocprof *self)
{
    struct rocprof_process *process = memory_zeroed(1, sizeof *process);
    trace_init(&process->trace);
    process->trace.has_arrows = false;
    process->entry = (int64_t)self->processes.count;
    process->pid = NONE;
    array_add(&self->processes, process);
    self->process = process;
    return json_peek(&self->json) == '{' ? rocprof_each_key(self, read_member)
                                         : rocprof_pass(self, NOTE_VALUE_ODD);
}

static bool read_top(struct rocprof *self, struct view key)
{
    struct json_value value;
    bool is_it = view_equal(key, VIEW("rocprofiler-sdk-tool"));
    self->is_one |= is_it;
    return is_it ? rocprof_each(self, read_process) : json_value(&self->json, &value);
}

static bool salvage(struct rocprof *self)
{
    bool broke_off = self->json.ended_early || source_truncated(self->json.source) ||
                     (self->json.input_ended && self->error->status == STATUS_BAD_INPUT);
    if (!broke_off || !self->process || !salvage_now(self->options, self->error))
        return false;
    note_count(&self->process->trace.notes, NOTE_SALVAGED, 1, self->process->trace.events,
               json_offset(&self->json));
    return true;
}

static bool read_file(struct rocprof *self)
{
    const unsigned char *bytes;
    ptrdiff_t length = source_peek(self->json.source, &bytes, SOURCE_PEEK_MAX, self->error);
    if (length < 0)
        return false;
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        json_peek(&self->json);
        self->json.position += 3;
    }
    if (!(json_peek(&self->json) == '{' ? rocprof_each_key(self, read_top)
                                        : json_fail(&self->json, "there is no object")))
        return salvage(self);
    if (json_peek(&self->json) >= 0)
        return json_fail(&self->json, "something follows the end of the file's object");
    if (self->error->status != STATUS_OK)
        return salvage(self);
    return self->is_one || error_set(self->error, STATUS_BAD_INPUT,
                                     "%s: not a file of rocprofv3: it has no list %s",
                                     source_path(self->json.source), member);
}

/* ------------------------------------------------------------------ the format */

static bool rocprof_read_trace(struct source *source, const struct read_options *options,
                               struct trace *trace, struct error *error)
{
    struct rocprof self = {.options = options, .error = error};
    json_init(&self.json, source, error);
    return read_file(&self) && rocprof_finish(&self, trace);
}

const struct format rocprof_format = {
    .name = "rocprof",
    .words = "rocprofv3 JSON",
    .set = "rocprof",
    .endings = (const char *const[]){"_results.json", NULL},
    .recognises = recognises,
    .read = rocprof_read_trace,
};
