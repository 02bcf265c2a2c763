/* snapshot_device: from the events, segments and marks of a device to its allocations and curves.
 *
 * The number of an event is its place in the list of its device; times tie and may go back. What
 * was held before the first event is found from frees without an allocation and from live blocks at
 * the end.
 */
#include "ingest/snapshot/snapshot_reader.h"

#include "src/base/order.h"

struct span {
    int64_t start, end;
};

/* A segment or mark of the file, by its device. */
struct placed {
    int64_t device;
    size_t place;
};
typedef ARRAY(struct placed) placed_list;

struct snapshot_device {
    struct snapshot *reader;
    int64_t number;
    const value_list *events; /* NULL = none */
    const struct placed *segments;
    size_t segment_count;
    size_t count;                           /* of events */
    size_t first;                           /* of its allocations */
    struct map held;                        /* address -> index in allocations + 1; 0 = not held */
    int64_t *allocated, *active, *reserved; /* before all events, then after each */
    ARRAY(struct span) optimizer;           /* by start; ends never go back */
    ARRAY(int64_t) steps;                   /* ends */
    int64_t twice, open, unknown;
    struct memory_device row;
};

ORDER_BY(compare_placed, struct placed, UP(device) || UP(place));
ORDER_BY(compare_spans, struct span, UP(start) || UP(end));
ORDER_BY(compare_numbers, int64_t, BY_LESS(*a, *b));

static const struct raw_event *event_at(const struct snapshot_device *self, size_t place)
{
    return &self->reader->events.items[self->events->items[place].number];
}

static int64_t time_of(const struct snapshot_device *self, int64_t event)
{
    if (event < 0)
        return NONE;
    int64_t time = event_at(self, (size_t)event)->time;
    return time == NONE ? NONE : time - self->reader->trace->sampled;
}

/* ------------------------------------------------------------------ marks */

/* The step of a time, from 1. */
static int64_t step_at(const struct snapshot_device *self, int64_t time)
{
    size_t place;
    if (time == NONE || !self->steps.count)
        return NONE;
    ARRAY_LOWER_BOUND(place, self->steps.count, self->steps.items[place] <= time);
    return (int64_t)place + 1;
}

/* The row that a mark begins or ends. */
static void place_mark(struct snapshot_device *self, struct map *open, const struct raw_mark *raw)
{
    struct snapshot *reader = self->reader;
    uint32_t *row = map_put(open, raw->name, 0);
    int64_t time = raw->time == NONE ? NONE : raw->time - reader->trace->sampled;
    if (raw->is_end && *row) {
        reader->mark_rows.items[*row - 1].end = time;
        *row = 0;
        return;
    }
    struct memory_mark mark = {.number = (int64_t)reader->mark_rows.count,
                               .device = self->number,
                               .start = raw->is_end ? NONE : time,
                               .end = raw->is_end ? time : NONE,
                               .name = raw->name};
    array_add(&reader->mark_rows, mark);
    *row = raw->is_end ? 0 : (uint32_t)reader->mark_rows.count;
}

/* Steps end where those of the profiler do, else those of the optimizer. */
static void use_marks(struct snapshot_device *self, size_t first)
{
    const struct snapshot *reader = self->reader;
    size_t profiler = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = first; i < reader->mark_rows.count; i++) {
            const struct memory_mark *mark = &reader->mark_rows.items[i];
            struct view name = intern_view(&reader->trace->strings, mark->name);
            bool is_profiler = view_starts_with(name, "ProfilerStep#");
            bool is_optimizer = view_starts_with(name, "Optimizer.step#");
            if (mark->start == NONE || mark->end == NONE)
                continue;
            if (pass == 0) {
                profiler += is_profiler;
                if (is_optimizer)
                    array_add(&self->optimizer, (struct span){mark->start, mark->end});
            } else if (profiler ? is_profiler : is_optimizer) {
                array_add(&self->steps, mark->end);
            }
        }
    array_sort(&self->steps, compare_numbers);
    array_sort(&self->optimizer, compare_spans);
    for (size_t i = 1; i < self->optimizer.count; i++)
        if (self->optimizer.items[i].end < self->optimizer.items[i - 1].end)
            self->optimizer.items[i].end = self->optimizer.items[i - 1].end;
    self->row.steps = (int64_t)self->steps.count;
}

/* ------------------------------------------------------------------ allocations */

static struct memory_allocation *add_allocation(struct snapshot_device *self, int64_t address,
                                                int64_t bytes)
{
    struct memory_allocation *added = array_push(&self->reader->allocations);
    *added = (struct memory_allocation){.device = self->number,
                                        .address = address,
                                        .stream = NONE,
                                        .bytes = bytes,
                                        .block = NONE,
                                        .alloc = -1,
                                        .requested = NONE,
                                        .freed = NONE,
                                        .alloc_time = NONE,
                                        .requested_time = NONE,
                                        .freed_time = NONE,
                                        .step = NONE,
                                        .is_initial = true};
    return added;
}

static void end_allocation(struct snapshot_device *self, struct memory_allocation *allocation,
                           int64_t event, bool completed)
{
    if (allocation->requested == NONE) {
        allocation->requested = event;
        allocation->requested_time = time_of(self, event);
    }
    if (completed) {
        allocation->freed = event;
        allocation->freed_time = time_of(self, event);
    }
}

static struct memory_allocation *held_at(const struct snapshot_device *self, const uint32_t *held)
{
    return &self->reader->allocations.items[*held - 1];
}

static bool allocate(struct snapshot_device *self, int64_t number, const struct raw_event *event)
{
    uint32_t *held = map_put(&self->held, event->address, 0);
    if (*held) {
        self->twice++;
        end_allocation(self, held_at(self, held), number, true);
    }
    struct memory_allocation *added = add_allocation(self, event->address, event->size);
    if (!added)
        return false;
    added->is_initial = false;
    added->stream = event->stream;
    added->alloc = number;
    added->alloc_time = time_of(self, number);
    added->stack = event->stack;
    added->pool = event->pool;
    added->category = event->category;
    added->context = event->context;
    added->metadata = event->metadata;
    added->step = step_at(self, added->alloc_time);
    int64_t time = added->alloc_time;
    size_t behind;
    if (time == NONE)
        added->in_optimizer = false;
    else {
        ARRAY_LOWER_BOUND(behind, self->optimizer.count,
                          self->optimizer.items[behind].start <= time);
        added->in_optimizer = behind && self->optimizer.items[behind - 1].end > time;
    }
    *held = (uint32_t)self->reader->allocations.count;
    self->row.allocations++;
    return true;
}

static bool deallocate(struct snapshot_device *self, int64_t number, const struct raw_event *event)
{
    uint32_t *held = map_put(&self->held, event->address, 0);
    if (!*held) {
        struct memory_allocation *added = add_allocation(self, event->address, event->size);
        if (!added)
            return false;
        added->stream = event->stream;
        *held = (uint32_t)self->reader->allocations.count;
    }
    bool completed = event->action != WORD_FREE_REQUESTED;
    end_allocation(self, held_at(self, held), number, completed);
    if (completed)
        *held = 0;
    return true;
}

static bool keep_event(struct snapshot_device *self, int64_t number, const struct raw_event *event)
{
    struct snapshot_event row = {.device = self->number,
                                 .number = number,
                                 .address = event->has_address ? event->address : NONE,
                                 .bytes = event->has_size ? event->size : NONE,
                                 .stream = event->stream,
                                 .time = time_of(self, number),
                                 .device_free = event->device_free,
                                 .action = event->action,
                                 .stack = event->stack};
    array_add(&self->reader->event_rows, row);
    return true;
}

/* The change of reserved memory by an event. */
static int64_t reserving(const struct raw_event *event)
{
    switch (event->action) {
    case WORD_SEGMENT_ALLOC:
    case WORD_SEGMENT_MAP:
        return event->size;
    case WORD_SEGMENT_FREE:
    case WORD_SEGMENT_UNMAP:
        return -event->size;
    default:
        return 0;
    }
}

static bool read_event(struct snapshot_device *self, size_t place)
{
    const struct raw_event *event = event_at(self, place);
    bool needs_both = true;
    bool (*take)(struct snapshot_device *, int64_t, const struct raw_event *) = keep_event;
    switch (event->action) {
    case WORD_ALLOC:
        take = allocate;
        break;
    case WORD_FREE_REQUESTED:
    case WORD_FREE_COMPLETED:
    case WORD_FREE:
        take = deallocate;
        break;
    case WORD_SEGMENT_ALLOC:
    case WORD_SEGMENT_FREE:
    case WORD_SEGMENT_MAP:
    case WORD_SEGMENT_UNMAP:
        break;
    case WORD_OOM:
    case WORD_SNAPSHOT:
        needs_both = false;
        break;
    default:
        self->unknown++;
        return true;
    }
    if (needs_both && !(event->has_address && event->has_size))
        return snapshot_refuse(self->reader, "an event has no addr or size");
    return take(self, (int64_t)place, event);
}

/* ------------------------------------------------------------------ blocks */

static bool is_live(const struct raw_block *block)
{
    return block->state == WORD_ACTIVE_ALLOCATED || block->state == WORD_ACTIVE_PENDING ||
           block->state == WORD_ACTIVE_AWAITING;
}

static bool place_block(struct snapshot_device *self, const struct raw_block *block,
                        int64_t address)
{
    uint32_t *held = map_put(&self->held, address, 0);
    struct memory_allocation *allocation = *held ? held_at(self, held) : NULL;
    if (!allocation) {
        if (!(allocation = add_allocation(self, address, block->requested)))
            return false;
        allocation->stack = block->stack;
        if (block->state != WORD_ACTIVE_ALLOCATED)
            allocation->requested = -1;
    } else {
        self->open--;
    }
    allocation->block = block->bytes;
    *held = 0;
    return true;
}

static bool read_segment(struct snapshot_device *self, const struct raw_segment *segment)
{
    struct snapshot *reader = self->reader;
    uint32_t number = (uint32_t)reader->segment_rows.count;
    uint64_t address = (uint64_t)segment->row.address;
    array_add(&reader->segment_rows, segment->row);
    bool done = true;
    for (size_t i = 0; i < segment->block_count && done; i++) {
        const struct raw_block *block = &reader->blocks.items[segment->first_block + i];
        if (block->has_address)
            address = (uint64_t)block->address;
        struct memory_block row = {.number = (int64_t)reader->block_rows.count,
                                   .segment = number,
                                   .address = (int64_t)address,
                                   .bytes = block->bytes,
                                   .requested = block->requested,
                                   .state = block->state ? block->state : WORD_KEY_COUNT,
                                   .stack = block->stack};
        array_add(&reader->block_rows, row);
        done = !is_live(block) || place_block(self, block, (int64_t)address);
        address += (uint64_t)block->bytes;
    }
    return done;
}

/* ------------------------------------------------------------------ curves */

static void add_curves(struct snapshot_device *self)
{
    const struct snapshot *reader = self->reader;
    for (size_t i = self->first; i < reader->allocations.count; i++) {
        const struct memory_allocation *one = &reader->allocations.items[i];
        self->row.initial += one->is_initial;
        if (one->requested != -1)
            self->allocated[one->alloc + 1] += one->bytes;
        if (one->requested != -1 && one->requested != NONE)
            self->allocated[one->requested + 1] -= one->bytes;
        self->active[one->alloc + 1] += one->bytes;
        if (one->freed != NONE)
            self->active[one->freed + 1] -= one->bytes;
    }
    int64_t now = 0;
    for (size_t i = 0; i < self->segment_count; i++)
        now += reader->segments.items[self->segments[i].place].row.total;
    for (size_t i = self->count; i-- > 0; now -= reserving(event_at(self, i)))
        self->reserved[i + 1] = now;
    self->reserved[0] = now;
}

static void find_peaks(struct snapshot_device *self)
{
    struct memory_device *row = &self->row;
    row->peak_at = -1;
    row->initial_bytes = row->peak = self->allocated[0];
    row->initial_active = row->peak_active = self->active[0];
    row->initial_reserved = row->reserved_at_peak = row->peak_reserved = self->reserved[0];
    for (size_t i = 1; i <= self->count; i++) {
        int64_t allocated = self->allocated[i] += self->allocated[i - 1];
        int64_t active = self->active[i] += self->active[i - 1];
        if (allocated > row->peak) {
            row->peak = allocated;
            row->peak_at = (int64_t)i - 1;
            row->reserved_at_peak = self->reserved[i];
        }
        if (active > row->peak_active)
            row->peak_active = active;
        if (self->reserved[i] > row->peak_reserved)
            row->peak_reserved = self->reserved[i];
    }
    row->end = self->allocated[self->count];
    row->end_active = self->active[self->count];
    row->end_reserved = self->reserved[self->count];
    row->peak_time = self->count ? time_of(self, row->peak_at < 0 ? 0 : row->peak_at) : NONE;
    row->first_time = self->count ? time_of(self, 0) : NONE;
}

static void make_curves(struct snapshot_device *self, size_t first_row)
{
    struct snapshot *reader = self->reader;
    self->allocated = memory_zeroed(self->count + 1, sizeof *self->allocated);
    self->active = memory_zeroed(self->count + 1, sizeof *self->active);
    self->reserved = memory_zeroed(self->count + 1, sizeof *self->reserved);
    add_curves(self);
    find_peaks(self);
    for (size_t i = first_row; i < reader->event_rows.count; i++) {
        struct snapshot_event *row = &reader->event_rows.items[i];
        row->allocated = self->allocated[row->number + 1];
        row->active = self->active[row->number + 1];
        row->reserved = self->reserved[row->number + 1];
    }
}

static bool read_device(struct snapshot_device *self, const struct placed *marks, size_t mark_count)
{
    struct snapshot *reader = self->reader;
    size_t first_row = reader->event_rows.count;
    self->count = self->events ? self->events->count : 0;
    self->first = reader->allocations.count;
    self->row.device = self->number;
    self->row.events = (int64_t)self->count;
    struct map open = {0};
    size_t first = self->reader->mark_rows.count;
    for (size_t i = 0; i < mark_count; i++)
        place_mark(self, &open, &self->reader->raw_marks.items[marks[i].place]);
    use_marks(self, first);
    bool done = true;
    for (size_t i = 0; i < self->count && done; i++)
        done = read_event(self, i);
    for (size_t i = 0; i < self->held.slot_count && done; i++)
        self->open += self->held.slots[i].used && self->held.slots[i].value;
    for (size_t i = 0; i < self->segment_count && done; i++)
        done = read_segment(self, &reader->segments.items[self->segments[i].place]);
    if (done) {
        make_curves(self, first_row);

        /* The events and blocks that did not fit, as a note. */
        const struct {
            const char *word;
            int64_t count;
        } notes[] = {{"allocated_twice", self->twice},
                     {"open_without_block", self->open},
                     {"unknown_action", self->unknown}};
        struct text *text = &self->reader->scratch;
        text_clear(text);
        for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
            if (notes[i].count)
                text_format(text, "%s%s=%lld", text->count ? "," : "", notes[i].word,
                            (long long)notes[i].count);
        if (text->count)
            self->row.notes = intern_add(&self->reader->trace->strings, text->items, text->count);
        array_add(&reader->devices, self->row);
    }
    map_free(&self->held);
    memory_free(self->allocated);
    memory_free(self->active);
    memory_free(self->reserved);
    arrays_free(&self->optimizer, &self->steps);
    return done;
}

/* ------------------------------------------------------------------ all devices */

/* The items of a list, which all must be rows of one type. */
static bool check_list(struct snapshot *self, const value_list *list, enum value_type type,
                       const char *words)
{
    for (size_t i = 0; list && i < list->count; i++) {
        size_t place = (size_t)list->items[i].number;
        if (list->items[i].type != type)
            return snapshot_refuse(self, words);
        if (!snapshot_use(self, type == VALUE_EVENT     ? &self->events.items[place].is_used
                                : type == VALUE_SEGMENT ? &self->segments.items[place].is_used
                                                        : &self->raw_marks.items[place].is_used))
            return false;
    }
    return true;
}

static bool check_lists(struct snapshot *self, const value_list *segments, const value_list *traces,
                        const value_list *marks)
{
    if (!check_list(self, segments, VALUE_SEGMENT, "segments has an item that is no segment") ||
        !check_list(self, marks, VALUE_MARK,
                    "external_annotations has an item that is no annotation"))
        return false;
    for (size_t i = 0; traces && i < traces->count; i++) {
        const value_list *events = snapshot_list(self, &traces->items[i]);
        if (!events)
            return snapshot_refuse(self, "device_traces has an item that is no list");
        if (!check_list(self, events, VALUE_EVENT, "device_traces has an item that is no event"))
            return false;
        self->trace->events += (int64_t)events->count;
    }
    return true;
}

static void sort_by_device(const value_list *list, placed_list *placed, const struct snapshot *self)
{
    for (size_t i = 0; list && i < list->count; i++) {
        const struct value *value = &list->items[i];
        size_t place = (size_t)value->number;
        int64_t device = value->type == VALUE_MARK ? self->raw_marks.items[place].device
                                                   : self->segments.items[place].row.device;
        array_add(placed, (struct placed){device, place});
    }
    array_sort(placed, compare_placed);
}

static const struct placed *from(const placed_list *list, size_t at)
{
    return list->count ? list->items + at : NULL;
}

/* How many from `at` on are of the device. */
static size_t count_of(const placed_list *list, size_t at, int64_t device)
{
    size_t end = at;
    while (end < list->count && list->items[end].device == device)
        end++;
    return end - at;
}

static bool give_rows(struct snapshot *self)
{
    fact_lists *facts = &self->trace->facts;
    for (size_t i = 0; i < self->allocations.count; i++)
        self->allocations.items[i].number = (int64_t)i;
    for (size_t i = 0; i < self->segment_rows.count; i++) {
        struct memory_segment *segment = &self->segment_rows.items[i];
        if (!segment->pool)
            segment->pool = intern_add(&self->trace->strings, "0.0", 3);
    }
    if (!snapshot_name_stacks(self))
        return false;
    facts_give(facts, &memory_frame_facts, &self->frames);
    facts_give(facts, &memory_stack_facts, &self->stacks);
    facts_give(facts, &memory_segment_facts, &self->segment_rows);
    facts_give(facts, &memory_block_facts, &self->block_rows);
    facts_give(facts, &memory_allocation_facts, &self->allocations);
    facts_give(facts, &memory_mark_facts, &self->mark_rows);
    facts_give(facts, &snapshot_event_facts, &self->event_rows);
    facts_give(facts, &memory_device_facts, &self->devices);
    return true;
}

bool snapshot_devices(struct snapshot *self, const value_list *segments, const value_list *traces,
                      const value_list *marks)
{
    placed_list segment_places = {0}, mark_places = {0};
    bool done = check_lists(self, segments, traces, marks);
    if (done) {
        /* Times are told from the earliest one. */
        int64_t *start = &self->trace->sampled;
        for (size_t i = 0; i < self->events.count; i++)
            if (self->events.items[i].time != NONE &&
                (*start == NONE || self->events.items[i].time < *start))
                *start = self->events.items[i].time;
        for (size_t i = 0; i < self->raw_marks.count; i++)
            if (self->raw_marks.items[i].time != NONE &&
                (*start == NONE || self->raw_marks.items[i].time < *start))
                *start = self->raw_marks.items[i].time;
        sort_by_device(segments, &segment_places, self);
        sort_by_device(marks, &mark_places, self);

        /* Devices have events or segments, or both. */
        size_t trace = 0, segment = 0, mark = 0, trace_count = traces ? traces->count : 0;
        while (done) {
            while (trace < trace_count && !snapshot_list(self, &traces->items[trace])->count)
                trace++;
            if (trace == trace_count && segment == segment_places.count)
                break;
            bool by_segment =
                trace == trace_count || (segment < segment_places.count &&
                                         segment_places.items[segment].device < (int64_t)trace);
            struct snapshot_device device = {
                .reader = self,
                .number = by_segment ? segment_places.items[segment].device : (int64_t)trace};
            if (!by_segment)
                device.events = snapshot_list(self, &traces->items[trace++]);
            device.segments = from(&segment_places, segment);
            device.segment_count = count_of(&segment_places, segment, device.number);
            segment += device.segment_count;
            while (mark < mark_places.count && mark_places.items[mark].device < device.number)
                mark++;
            done = read_device(&device, from(&mark_places, mark),
                               count_of(&mark_places, mark, device.number));
        }
        if (done)
            done = give_rows(self);
    }
    return done;
}
