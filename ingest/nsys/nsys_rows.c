/* nsys_rows: what every table of an export needs: whose a row is, its texts, its time, a slice. */
#include "ingest/nsys/nsys_reader.h"

#include "ingest/trace/plain.h"
#include "src/base/number.h"

#include <stdio.h>

enum { TEXT_BYTES_MAX = 16 << 20 };

/* Times beyond are no times: 146 years. */
#define TIME_MAX ((int64_t)1 << 62)

void nsys_note(const struct nsys *self, struct nsys_trace *trace, enum note note)
{
    note_count(&trace->trace.notes, note, 1, self->uid, -1);
}

static bool no_memory(struct nsys *self)
{
    return error_memory(self->error);
}

/* ------------------------------------------------------------------ processes */

static struct nsys_trace *add_trace(struct nsys *self)
{
    struct nsys_trace **added = array_push(&self->traces);
    struct nsys_trace *trace = added ? calloc(1, sizeof *trace) : NULL;
    if (!trace) {
        self->traces.count -= added != NULL;
        no_memory(self);
        return NULL;
    }
    trace_init(&trace->trace);
    trace->trace.has_arrows = false;
    trace->trace.has_domains = true;
    trace->trace.id_bits = ((int64_t)1 << NSYS_ID_BITS) - 1;
    trace->device = NONE;
    return *added = trace;
}

/* The number of traces that have work, and the last of them. */
static size_t traces_with_work(const struct nsys *self, uint32_t *which)
{
    size_t count = 0;
    for (size_t i = 0; i < self->processes.count; i++)
        if (self->processes.items[i].has_work) {
            *which = self->processes.items[i].into;
            count++;
        }
    return count;
}

static struct nsys_process *add_process(struct nsys *self, int64_t key)
{
    struct nsys_process *added = array_push(&self->processes);
    uint32_t into = 0;
    if (!added) {
        no_memory(self);
        return NULL;
    }
    *added = (struct nsys_process){
        .key = key,
        .pid = key == NONE ? NONE : (int64_t)((uint64_t)key >> 24 & 0xFFFFFF),
        .number = (uint32_t)self->processes.count,
        .rank = NONE,
    };
    bool joins = key == NONE ? self->traces.count > 0
                             : !self->reads_work && traces_with_work(self, &into) == 1;
    added->into = joins ? into : (uint32_t)self->traces.count;
    added->has_work = self->reads_work && key != NONE;
    if (!joins && !add_trace(self)) {
        self->processes.count--;
        return NULL;
    }
    return added;
}

struct nsys_process *nsys_process_of(struct nsys *self, struct rows_of *rows, size_t column,
                                     int64_t *id)
{
    enum value_kind kind = rows_integer(rows, column, id);
    int64_t key = kind == VALUE_FINE ? *id & NSYS_PROCESS_BITS : NONE;
    struct nsys_process *process = NULL;
    if (kind != VALUE_FINE)
        *id = NONE;
    if (self->last_process && self->processes.items[self->last_process - 1].key == key)
        process = &self->processes.items[self->last_process - 1];
    for (size_t i = 0; !process && i < self->processes.count; i++)
        if (self->processes.items[i].key == key)
            process = &self->processes.items[i];
    if (!process)
        process = add_process(self, key);
    if (!process)
        return NULL;
    self->last_process = (uint32_t)(process - self->processes.items) + 1;
    if (key == NONE)
        nsys_note(self, nsys_trace_of(self, process), NOTE_PROCESS_MISSING);
    return process;
}

struct nsys_process *nsys_some_process(struct nsys *self)
{
    struct nsys_process *some = NULL;
    for (size_t i = 0; i < self->processes.count; i++) {
        struct nsys_process *process = &self->processes.items[i];
        if (!some || process->has_work > some->has_work ||
            (process->has_work == some->has_work && process->pid < some->pid))
            some = process;
    }
    return some ? some : add_process(self, NONE);
}

struct nsys_trace *nsys_trace_of(struct nsys *self, const struct nsys_process *process)
{
    return self->traces.items[process->into];
}

int64_t nsys_correlation(const struct nsys_process *process, struct rows_of *rows, size_t column)
{
    int64_t id;
    enum value_kind kind = rows_integer(rows, column, &id);
    if (kind != VALUE_FINE || id <= 0 || id >> NSYS_ID_BITS || process->key == NONE)
        return NONE;
    return (int64_t)process->number << NSYS_ID_BITS | id;
}

/* ------------------------------------------------------------------ texts */

bool nsys_keep(struct nsys *self, struct nsys_trace *trace, struct view text, uint32_t *number)
{
    struct view plain;
    if (text.length > TEXT_BYTES_MAX) {
        text.length = TEXT_BYTES_MAX;
        nsys_note(self, trace, NOTE_VALUE_CUT);
    }
    if (!plain_text(text, &self->scratch, &trace->trace.notes, self->uid, &plain))
        return no_memory(self);
    *number = intern_add(&trace->trace.strings, plain.bytes, plain.length);
    return *number || no_memory(self);
}

/* Without `_v` and the four or five digits of the version of CUDA that a call came with. */
static struct view without_version(struct view name)
{
    size_t digits = 0;
    while (digits < name.length && name.bytes[name.length - 1 - digits] >= '0' &&
           name.bytes[name.length - 1 - digits] <= '9')
        digits++;
    size_t tail = digits + 2;
    if ((digits == 4 || digits == 5) && name.length > tail &&
        memcmp(name.bytes + name.length - tail, "_v", 2) == 0)
        name.length -= tail;
    return name;
}

struct view nsys_base(struct view path)
{
    for (size_t i = path.length; i-- > 0;)
        if (path.bytes[i] == '/' || path.bytes[i] == '\\')
            return (struct view){path.bytes + i + 1, path.length - i - 1};
    return path;
}

/* Keeps the version that a name is stripped of, for those who want the name as it was. */
static bool keep_version(struct nsys *self, struct view full, size_t stripped)
{
    struct text *out = &self->versions;
    struct view name = {full.bytes, stripped};
    struct view version = {full.bytes + stripped, full.length - stripped};
    if (!version.length)
        return true;
    return (text_add_byte(out, out->count ? ',' : '{') && text_add_json(out, name) &&
            text_add_byte(out, ':') && text_add_json(out, version)) ||
           no_memory(self);
}

bool nsys_string(struct nsys *self, struct nsys_trace *trace, struct rows_of *rows, size_t column,
                 enum nsys_text kind, uint32_t *number)
{
    int64_t id;
    enum value_kind found = rows_integer(rows, column, &id);
    *number = 0;
    if (found == VALUE_NULL)
        return true;
    if (found == VALUE_ODD) {
        nsys_note(self, trace, NOTE_VALUE_ODD);
        return true;
    }
    uint32_t *known = map_put(&trace->texts, id, kind);
    if (!known)
        return no_memory(self);
    if (!*known) {
        struct view text;
        uint32_t kept = 0;
        if (!texts_find(self->strings, id, &found, &text, self->error))
            return false;
        if (kind == NSYS_TEXT_CALL) {
            struct view full = text;
            text = without_version(text);
            if (!keep_version(self, full, text.length))
                return false;
        }
        if (kind == NSYS_TEXT_BASE)
            text = nsys_base(text);
        if (found == VALUE_FINE && !nsys_keep(self, trace, text, &kept))
            return false;
        *known = kept + 1; /* 1 = there is none */
    }
    *number = *known - 1;
    if (!*number)
        nsys_note(self, trace, NOTE_STRING_MISSING);
    return true;
}

bool nsys_name(struct nsys *self, struct nsys_trace *trace, struct rows_of *rows, size_t column,
               enum nsys_text kind, uint32_t *number)
{
    return nsys_string(self, trace, rows, column, kind, number) &&
           (*number || nsys_keep(self, trace, VIEW(""), number));
}

/* ------------------------------------------------------------------ places */

static uint32_t add_place(struct nsys *self, struct nsys_trace *trace, int64_t process,
                          int64_t thread)
{
    int64_t ids[2] = {process, thread};
    uint32_t texts[2];
    char digits[32];
    for (int i = 0; i < 2; i++) {
        if (ids[i] == NONE)
            snprintf(digits, sizeof digits, "\"?\"");
        else
            snprintf(digits, sizeof digits, "%lld", (long long)ids[i]);
        texts[i] = intern_add(&trace->trace.strings, digits, strlen(digits));
        if (!texts[i])
            return no_memory(self), 0;
    }
    struct place place = {texts[0], texts[1]};
    uint32_t number = intern_add(&trace->trace.places, &place, sizeof place);
    if (number >= 1u << 24)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: more than %u threads and streams",
                         database_path(self->database), (1u << 24) - 1),
               0;
    return number ? number : (no_memory(self), 0u);
}

/* Places by their two numbers: what is below 0 are streams. */
static uint32_t find_place(struct nsys *self, struct nsys_trace *trace, int64_t first,
                           int64_t second, int64_t process, int64_t thread)
{
    if (trace->last_place.place && trace->last_place.first == first &&
        trace->last_place.second == second)
        return trace->last_place.place;
    uint32_t *known = map_put(&trace->places, first, second);
    if (!known)
        return no_memory(self), 0;
    if (!*known)
        *known = add_place(self, trace, process, thread);
    trace->last_place.first = first;
    trace->last_place.second = second;
    return trace->last_place.place = *known;
}

uint32_t nsys_thread(struct nsys *self, struct nsys_trace *trace,
                     const struct nsys_process *process, int64_t thread)
{
    int64_t id = thread == NONE ? NONE : thread & 0xFFFFFF;
    return find_place(self, trace, process->number, id, process->pid, id);
}

uint32_t nsys_stream(struct nsys *self, struct nsys_trace *trace, int64_t device, int64_t stream)
{
    int64_t key = device == NONE ? NONE : -1 - (device & 0xFFFFFFFF);
    if (stream == NSYS_WHOLE_CONTEXT)
        stream = -1;
    return find_place(self, trace, key, stream, device, stream);
}

/* ------------------------------------------------------------------ values */

int64_t nsys_integer(struct nsys *self, struct nsys_trace *trace, struct rows_of *rows,
                     size_t column)
{
    int64_t value;
    enum value_kind kind = rows_integer(rows, column, &value);
    if (kind == VALUE_FINE && value != NONE)
        return value;
    if (kind != VALUE_NULL)
        nsys_note(self, trace, NOTE_VALUE_ODD);
    return NONE;
}

bool nsys_moment(struct nsys *self, struct nsys_trace *trace, struct rows_of *rows, size_t column,
                 int64_t *time)
{
    enum value_kind kind = rows_integer(rows, column, time);
    if (kind != VALUE_FINE) {
        nsys_note(self, trace, kind == VALUE_NULL ? NOTE_TIME_MISSING : NOTE_VALUE_ODD);
        if (kind != VALUE_NULL)
            nsys_note(self, trace, NOTE_TIME_MISSING);
        return false;
    }
    if (__builtin_sub_overflow(*time, self->clock_shift, time) || *time > TIME_MAX ||
        *time < -TIME_MAX) {
        nsys_note(self, trace, NOTE_TIME_OUT_OF_RANGE);
        return false;
    }
    return true;
}

static void judge_duration(struct nsys *self, struct nsys_trace *trace, int64_t *duration)
{
    if (*duration < 0) {
        nsys_note(self, trace, NOTE_DURATION_NEGATIVE);
        *duration = 0;
    } else if (*duration == 0) {
        nsys_note(self, trace, NOTE_DURATION_ZERO);
    } else if (*duration > DURATION_MAX) {
        nsys_note(self, trace, NOTE_DURATION_CLIPPED);
        *duration = DURATION_MAX;
    }
}

bool nsys_time(struct nsys *self, struct nsys_trace *trace, struct rows_of *rows, size_t start,
               size_t end, bool may_be_open, struct nsys_time *time)
{
    int64_t stop;
    *time = (struct nsys_time){0};
    if (!nsys_moment(self, trace, rows, start, &time->start))
        return false;
    enum value_kind kind = rows_integer(rows, end, &stop);
    bool is_fine = kind == VALUE_FINE && !__builtin_sub_overflow(stop, self->clock_shift, &stop) &&
                   !__builtin_sub_overflow(stop, time->start, &time->duration);
    time->is_open = may_be_open && kind == VALUE_NULL;
    if (may_be_open && is_fine && stop == self->window_end) /* some exports end them there */
        nsys_note(self, trace, NOTE_RANGE_OPEN);
    if (time->is_open) {
        time->duration = 0;
        nsys_note(self, trace, NOTE_RANGE_OPEN);
        return true;
    }
    if (!is_fine) {
        time->duration = 0;
        nsys_note(self, trace, NOTE_DURATION_MISSING);
        return true;
    }
    judge_duration(self, trace, &time->duration);
    if (time->start + time->duration > self->last_end)
        self->last_end = time->start + time->duration;
    return true;
}

struct slice *nsys_slice(struct nsys *self, struct nsys_trace *trace, const struct nsys_time *time,
                         enum category category, uint32_t place, uint32_t name)
{
    struct slice *slice = array_push(&trace->trace.slices);
    if (!slice) {
        no_memory(self);
        return NULL;
    }
    *slice = (struct slice){
        .start = time->start,
        .duration = time->duration,
        .name = name,
        .uid = (uint32_t)self->uid,
        .place = place & 0xFFFFFF,
        .category = (unsigned)category & 0xFF,
    };
    if (time->start < 0)
        nsys_note(self, trace, NOTE_BEFORE_WINDOW);
    return slice;
}

/* ------------------------------------------------------------------ arguments */

uint32_t *nsys_arguments(struct nsys *self, struct nsys_trace *trace, const void *numbers,
                         size_t length)
{
    uint32_t shape = intern_add(&trace->shapes, numbers, length);
    while (shape && trace->shape_arguments.count <= shape) {
        uint32_t *added = array_push(&trace->shape_arguments);
        if (!added)
            shape = 0;
        else
            *added = 0;
    }
    if (!shape)
        no_memory(self);
    return shape ? &trace->shape_arguments.items[shape] : NULL;
}

static bool begin_member(struct nsys *self, const char *key)
{
    return text_format(&self->json, "%c\"%s\":", self->json.count ? ',' : '{', key);
}

bool nsys_member(struct nsys *self, const char *key, int64_t value)
{
    return value == NONE ||
           (begin_member(self, key) && text_format(&self->json, "%lld", (long long)value)) ||
           no_memory(self);
}

bool nsys_member_real(struct nsys *self, const char *key, double value)
{
    return (begin_member(self, key) && number_add_real(&self->json, value)) || no_memory(self);
}

bool nsys_member_text(struct nsys *self, const char *key, struct view text)
{
    return (begin_member(self, key) && text_add_json(&self->json, text)) || no_memory(self);
}

bool nsys_member_three(struct nsys *self, const char *key, const int64_t values[3])
{
    if (values[0] == NONE || values[1] == NONE || values[2] == NONE)
        return true;
    return (begin_member(self, key) &&
            text_format(&self->json, "[%lld,%lld,%lld]", (long long)values[0], (long long)values[1],
                        (long long)values[2])) ||
           no_memory(self);
}

bool nsys_finish_arguments(struct nsys *self, struct nsys_trace *trace, uint32_t *number)
{
    *number = 0;
    if (!self->json.count)
        return true;
    if (text_add_byte(&self->json, '}'))
        *number = intern_add(&trace->trace.arguments, self->json.items, self->json.count);
    text_clear(&self->json);
    return *number || no_memory(self);
}

/* ------------------------------------------------------------------ calls and devices */

static bool index_calls(struct nsys *self, struct nsys_trace *trace)
{
    for (size_t i = 0; i < trace->trace.calls.count; i++) {
        const struct call_slice *call = &trace->trace.calls.items[i];
        uint32_t *at =
            call->correlation == NONE ? NULL : map_put(&trace->calls, 0, call->correlation);
        if (at)
            *at = call->slice + 1;
        else if (call->correlation != NONE)
            return no_memory(self);
    }
    return trace->calls_indexed = true;
}

const struct slice *nsys_call(struct nsys *self, struct nsys_trace *trace, int64_t correlation)
{
    if (correlation == NONE || (!trace->calls_indexed && !index_calls(self, trace)))
        return NULL;
    uint32_t slice = map_get(&trace->calls, 0, correlation);
    return slice ? &trace->trace.slices.items[slice - 1] : NULL;
}

const struct nsys_gpu *nsys_gpu_of(const struct nsys *self, int64_t pid, int64_t ordinal)
{
    int64_t id = NONE;
    bool is_described = false;
    for (size_t i = 0; i < self->devices.count; i++) {
        const struct nsys_device *device = &self->devices.items[i];
        is_described |= device->pid == pid;
        if (device->pid == pid && device->ordinal == ordinal)
            id = device->gpu;
    }
    for (size_t i = 0; i < self->gpus.count; i++) {
        const struct nsys_gpu *gpu = &self->gpus.items[i];
        if (is_described ? gpu->id == id : gpu->ordinal == ordinal)
            return gpu;
    }
    return NULL;
}

/* ------------------------------------------------------------------ tables */

static bool has_needed(const struct nsys_table *table, const struct rows_of *rows)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->needed >> i & 1 && !rows_have(rows, i))
            return false;
    return true;
}

static bool note_table(struct nsys *self, const struct nsys_table *table, int64_t first)
{
    return text_format(&self->tables, "%c\"%s\":[%lld,%lld]", self->tables.count ? ',' : '{',
                       table->name, (long long)first, (long long)(self->uid - first)) ||
           no_memory(self);
}

static bool step_through(struct nsys *self, const struct nsys_table *table, struct rows_of *rows)
{
    bool is_readable = has_needed(table, rows);
    enum rows_step step;
    while ((step = rows_step(rows, self->error)) == ROWS_NEXT) {
        if (is_readable && !table->read(self, rows))
            return false;
        if (++self->uid >= UINT32_MAX)
            return error_set(self->error, STATUS_BAD_INPUT, "%s: more than %lld rows",
                             database_path(self->database), (long long)UINT32_MAX);
    }
    if (!is_readable)
        note_count(&self->notes, NOTE_COLUMN_MISSING, rows_number(rows), -1, -1);
    return step == ROWS_END;
}

bool nsys_read_table(struct nsys *self, const struct nsys_table *table)
{
    if (!database_has(self->database, table->name))
        return true;
    struct rows_of *rows = database_rows(self->database, table->name, table->columns, table->count,
                                         table->condition, self->error);
    int64_t first = self->uid;
    bool done = rows && step_through(self, table, rows);
    if (!done && rows && self->options->salvage && self->error->status == STATUS_BAD_INPUT &&
        self->uid > first) {
        note_count(&self->notes, NOTE_SALVAGED, 1, self->uid, -1);
        *self->error = (struct error){0};
        done = true;
    }
    database_rows_close(rows);
    return done && note_table(self, table, first);
}
