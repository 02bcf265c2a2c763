/* nsys_rows: what every table of an export needs: whose a row is, its texts, its time, a slice. */
#include "ingest/nsys/nsys_reader.h"

/* ------------------------------------------------------------------ processes */

struct nsys_process *nsys_known_process(struct nsys *self, int64_t key, int64_t kind)
{
    uint32_t found = map_get(&self->keys, key, kind);
    return found ? &self->processes.items[found - 1] : NULL;
}

/* The place in a map; what is there first stays. */
static void keep_first(struct map *map, int64_t first, int64_t second, size_t number)
{
    uint32_t *place = map_put(map, first, second);
    if (!*place)
        *place = (uint32_t)number;
}

static struct nsys_process *add_process(struct nsys *self, int64_t key)
{
    struct nsys_process *added = array_push(&self->processes);
    const struct nsys_process *some = self->some ? &self->processes.items[self->some - 1] : NULL;
    *added = (struct nsys_process){
        .key = key,
        .pid = key == NONE ? NONE : (int64_t)((uint64_t)key >> 24 & 0xFFFFFF),
        .number = (uint32_t)self->processes.count,
        .rank = NONE,
        .has_work = self->reads_work && key != NONE,
    };
    bool joins =
        key == NONE ? self->desk.drafts.count > 0 : !self->reads_work && self->working == 1;
    added->into = !joins ? (uint32_t)self->desk.drafts.count : self->working == 1 ? some->into : 0;
    if (!some || added->has_work > some->has_work ||
        (added->has_work == some->has_work && added->pid < some->pid))
        self->some = added->number;
    self->working += added->has_work;
    keep_first(&self->keys, key, 0, added->number);
    keep_first(&self->keys, added->pid, 1, added->number);
    if (!joins)
        desk_add_draft(&self->desk);
    return added;
}

struct nsys_process *nsys_process_with(struct nsys *self, int64_t key)
{
    struct nsys_process *process = nsys_known_process(self, key, 0);
    if (!process)
        process = add_process(self, key);
    if (key == NONE)
        draft_note(nsys_trace_of(self, process), NOTE_PROCESS_MISSING);
    return process;
}

struct nsys_process *nsys_process_of(struct nsys *self, struct rows_of *rows, size_t column,
                                     int64_t *id)
{
    enum value_kind kind = rows_integer(rows, column, id);
    if (kind != VALUE_FINE)
        *id = NONE;
    return nsys_process_with(self, kind == VALUE_FINE ? *id & NSYS_PROCESS_BITS : NONE);
}

/* Lists the processes whose calls have a correlation id. An id of several has the number behind
 * their list. */
static bool read_owner(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    (void)rows;
    if (values[0] == NONE || values[1] == NONE)
        return true;
    int64_t key = values[0] & NSYS_PROCESS_BITS;
    uint32_t *caller = map_put(&self->owners, key, 1);
    if (!*caller) {
        array_add(&self->callers, key);
        *caller = (uint32_t)self->callers.count;
    }
    uint32_t number = *caller, *owner = map_put(&self->owners, values[1], 0);
    *owner = *owner == 0 || *owner == number ? number : UINT32_MAX;
    return true;
}

int64_t nsys_work_key(struct nsys *self, struct rows_of *rows, size_t column, size_t correlation)
{
    static const struct desk_list calls[] = {
        {"CUPTI_ACTIVITY_KIND_RUNTIME", read_owner, 0, {"globalTid", "correlationId"}}, {0}};
    int64_t id;
    if (rows_integer(rows, column, &id) == VALUE_FINE && id & NSYS_PROCESS_BITS)
        return id & NSYS_PROCESS_BITS;
    if (!self->knows_owners) {
        struct error ignored = {0}, *error = self->desk.error;
        self->knows_owners = true;
        self->desk.error = &ignored; /* reading these rows later says it */
        desk_read_lists(&self->desk, calls, false, self);
        self->desk.error = error;
    }
    bool has_id = rows_integer(rows, correlation, &id) == VALUE_FINE && id > 0;
    uint32_t owner = self->callers.count == 1 ? 1 : has_id ? map_get(&self->owners, id, 0) : 0;
    bool is_unique = owner && owner <= self->callers.count;
    return is_unique ? self->callers.items[owner - 1] : NONE;
}

struct nsys_process *nsys_some_process(struct nsys *self)
{
    return self->some ? &self->processes.items[self->some - 1] : add_process(self, NONE);
}

struct draft *nsys_trace_of(struct nsys *self, const struct nsys_process *process)
{
    return self->desk.drafts.items[process->into];
}

int64_t nsys_correlation(const struct nsys_process *process, struct rows_of *rows, size_t column)
{
    int64_t id;
    enum value_kind kind = rows_integer(rows, column, &id);
    if (kind != VALUE_FINE || id <= 0 || id >> DRAFT_ID_BITS || process->key == NONE)
        return NONE;
    return (int64_t)process->number << DRAFT_ID_BITS | id;
}

/* ------------------------------------------------------------------ texts */

bool nsys_string(struct nsys *self, struct draft *trace, struct rows_of *rows, size_t column,
                 enum nsys_text kind, uint32_t *number)
{
    int64_t id;
    enum value_kind found = rows_integer(rows, column, &id);
    *number = 0;
    if (found == VALUE_NULL)
        return true;
    if (found == VALUE_ODD) {
        draft_note(trace, NOTE_VALUE_ODD);
        return true;
    }
    uint32_t *known = map_put(&trace->texts, id, kind);
    if (!*known) {
        struct view text;
        uint32_t kept = 0;
        if (!texts_find(self->strings, id, &found, &text, self->desk.error))
            return false;
        if (kind == NSYS_TEXT_CALL) {
            struct view full = text;

            /* Without `_v` and the four or five digits of the version of CUDA that a call came
             * with. */
            size_t digits = 0;
            while (digits < text.length && text.bytes[text.length - 1 - digits] >= '0' &&
                   text.bytes[text.length - 1 - digits] <= '9')
                digits++;
            size_t tail = digits + 2;
            if ((digits == 4 || digits == 5) && text.length > tail &&
                memcmp(text.bytes + text.length - tail, "_v", 2) == 0)
                text.length -= tail;

            /* Keeps the version that a name is stripped of, for those who want the name as it was.
             */
            size_t stripped = text.length;
            struct text *out = &self->versions;
            struct view name = {full.bytes, stripped};
            struct view version = {full.bytes + stripped, full.length - stripped};
            if (version.length) {
                text_add_byte(out, out->count ? ',' : '{');
                text_add_json(out, name);
                text_add_byte(out, ':');
                text_add_json(out, version);
            }
        }
        if (kind == NSYS_TEXT_BASE)
            text = draft_base(text);
        if (found == VALUE_FINE)
            draft_keep(trace, text, &kept);
        *known = kept + 1; /* 1 = there is none */
    }
    *number = *known - 1;
    if (!*number)
        draft_note(trace, NOTE_STRING_MISSING);
    return true;
}

/* ------------------------------------------------------------------ places */

uint32_t nsys_thread(struct draft *trace, const struct nsys_process *process, int64_t thread)
{
    int64_t id = thread == NONE ? NONE : thread & 0xFFFFFF;
    return draft_place(trace, process->number, id, process->pid, id);
}

uint32_t nsys_stream(struct draft *trace, int64_t device, int64_t stream)
{
    int64_t key = device == NONE ? NONE : -1 - (device & 0xFFFFFFFF);
    if (stream == NSYS_WHOLE_CONTEXT)
        stream = -1;
    return draft_place(trace, key, stream, device, stream);
}

/* ------------------------------------------------------------------ devices */

const struct nsys_gpu *nsys_gpu_with(const struct nsys *self, int64_t number, enum nsys_key kind)
{
    uint32_t found = map_get(&self->gpu_rows, number, kind);
    return found ? &self->gpus.items[found - 1] : NULL;
}

int64_t nsys_cores_of(const struct nsys *self, int64_t pid, int64_t ordinal)
{
    uint32_t found = map_get(&self->numbers, pid, ordinal);
    const struct nsys_device *device = found ? &self->devices.items[found - 1] : NULL;
    if (device && device->cores > 0)
        return device->cores;
    const struct nsys_gpu *gpu = device ? nsys_gpu_with(self, device->gpu, NSYS_GPU_ID)
                                 : map_get(&self->gpu_rows, pid, NSYS_DESCRIBED)
                                     ? NULL
                                     : nsys_gpu_with(self, ordinal, NSYS_GPU_ORDINAL);
    return gpu ? gpu->cores : NONE;
}

/* ------------------------------------------------------------------ tables */

bool nsys_read_texts(struct nsys_row *self)
{
    struct draft_row *base = &self->base;
    for (size_t i = 0; i < self->table->count; i++) {
        const struct draft_column *column = &self->table->columns[i];
        bool is_name = column->type == DRAFT_NAME;
        uint32_t number;
        if (column->type != DRAFT_TEXT && (!is_name || base->name))
            continue;
        bool is_call = is_name && category_role((int)base->category) == ROLE_CALL;
        if (!nsys_string(self->nsys, base->draft, self->rows, i,
                         is_call ? NSYS_TEXT_CALL : NSYS_TEXT, &number))
            return false;
        if (is_name)
            base->name = number;
        else
            memcpy((char *)self + column->at, &(int64_t){number}, sizeof(int64_t));
    }
    if (!base->name)
        draft_keep(base->draft, self->unnamed, &base->name);
    return true;
}

bool nsys_add(struct nsys_row *self)
{
    if (!self->base.name && !nsys_read_texts(self))
        return false;
    draft_row_arguments(&self->base, self->table);
    draft_row_add(&self->base);
    if (self->node != 0 && self->node != NONE) {
        uint32_t slice = (uint32_t)self->base.draft->trace.slices.count - 1;
        array_add(
            &self->nsys->node_works,
            (struct nsys_node_work){self->process->number, self->process->into, slice, self->node});
    }
    return true;
}

bool nsys_read_host(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys_row row = {.base.category = table->category,
                           .nsys = reader,
                           .rows = rows,
                           .table = table,
                           .unnamed = VIEW("")};
    row.process = nsys_process_of(reader, rows, NSYS_WHOSE, &row.thread);
    row.base.draft = nsys_trace_of(reader, row.process);
    if (!draft_time(row.base.draft, rows, NSYS_START, NSYS_END, false, &row.base.time))
        return true;
    row.base.place = nsys_thread(row.base.draft, row.process, row.thread);
    if (!row.base.place)
        return false;
    draft_row_read(&row.base, rows, table);
    return table->add ? table->add(&row) : nsys_add(&row);
}

bool nsys_read_work(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    const struct nsys *self = reader;
    struct nsys_row row = {.base = {.category = table->category, .bytes = NONE, .external = NONE},
                           .nsys = reader,
                           .rows = rows,
                           .table = table,
                           .unnamed = VIEW("")};
    row.process =
        nsys_process_with(reader, nsys_work_key(reader, rows, NSYS_WHOSE, NSYS_CORRELATION));
    struct draft *draft = row.base.draft = nsys_trace_of(reader, row.process);
    if (!draft_time(draft, rows, NSYS_START, NSYS_END, false, &row.base.time))
        return true;
    draft_row_read(&row.base, rows, table);
    row.base.correlation = nsys_correlation(row.process, rows, NSYS_CORRELATION);
    if (row.base.stream == NONE) {
        uint32_t found = map_get(&self->contexts, row.process->pid, row.context);
        row.base.stream = found ? self->null_streams.items[found - 1].stream : NONE;
    }

    /* No accelerator moves a pebibyte at a time. */
    int64_t bytes = row.base.bytes;
    if (bytes != NONE && (bytes < 0 || bytes > (int64_t)1 << 50)) {
        draft_note(draft, NOTE_VALUE_ODD);
        row.base.bytes = NONE;
    }
    row.base.place = nsys_stream(draft, row.base.device, row.base.stream);
    if (!row.base.place)
        return false;
    return table->add ? table->add(&row) : nsys_add(&row);
}
