/* rocpd_link: what ranges of libraries have to do with work.
 *
 * A kernel of RCCL is launched from within the call of RCCL that it carries out, or from within the
 * end of the group that the call is in; what that call was called with, is what the kernel is
 * about. And where no runtime was traced, work names the call of a library itself.
 */
#include "ingest/input/json_text.h"
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/nccl.h"
#include "src/base/order.h"

/* ------------------------------------------------------------------ calls */

/* Makes a call of a range that work names. */
static bool make_call(struct rocpd *self, const struct rocpd_library *library, int64_t stack)
{
    struct trace *trace = &library->draft->trace;
    struct call_slice *call = array_push(&trace->calls);
    if (!call)
        return error_memory(self->desk.error);
    *call = (struct call_slice){.slice = library->slice, .correlation = stack, .external = NONE};
    trace->slices.items[library->slice].category = CATEGORY_RUNTIME;
    trace->slices.items[library->slice].side = (uint32_t)trace->calls.count - 1;
    return true;
}

static int64_t stack_of(const struct rocpd *self, const struct rocpd_library *library)
{
    return library->event ? self->part.events.items[library->event - 1].stack : NONE;
}

/* Ranges by their ids, and by those of them that work names. */
static bool make_calls(struct rocpd *self)
{
    struct rocpd_part *part = &self->part;
    struct map named = {0}; /* id -> range + 1 */
    bool done = true;
    for (size_t i = 0; i < part->libraries.count && done; i++) {
        int64_t stack = stack_of(self, &part->libraries.items[i]);
        uint32_t *range = stack == NONE ? NULL : map_put(&named, stack, 0);
        if (range)
            *range = (uint32_t)i + 1;
        done = stack == NONE || range || error_memory(self->desk.error);
    }
    for (size_t i = part->first; i < self->processes.count && done && named.count; i++) {
        const struct trace *trace = &self->processes.items[i].draft->trace;
        for (size_t j = 0; j < trace->gpus.count && done; j++) {
            int64_t stack = trace->gpus.items[j].correlation;
            uint32_t range = stack == NONE ? 0 : map_get(&named, stack, 0);
            const struct rocpd_library *library = range ? &part->libraries.items[range - 1] : NULL;
            if (library && &library->draft->trace == trace &&
                trace->slices.items[library->slice].category == CATEGORY_LIBRARY_CALL)
                done = make_call(self, library, stack);
        }
    }
    map_free(&named);
    return done;
}

/* ------------------------------------------------------------------ ranges of RCCL */

struct range {
    const struct draft *draft;
    int64_t start, end;
    uint32_t place, library;
    uint32_t above;     /* range + 1 that it stands in */
    uint32_t arguments; /* of a kernel that carries it out; 0 = none */
    bool is_group;      /* of several collectives */
};
typedef ARRAY(struct range) range_list;

ORDER_BY(compare_ranges, struct range, UP(draft) || UP(place) || UP(start) || DOWN(end));

static struct view name_of(const struct rocpd *self, const struct range *range)
{
    const struct rocpd_library *library = &self->part.libraries.items[range->library];
    const struct trace *trace = &library->draft->trace;
    return intern_view(&trace->strings, trace->slices.items[library->slice].name);
}

static bool gather_ranges(struct rocpd *self, range_list *ranges)
{
    for (size_t i = 0; i < self->part.libraries.count; i++) {
        const struct rocpd_library *library = &self->part.libraries.items[i];
        const struct slice *slice = &library->draft->trace.slices.items[library->slice];
        if (!nccl_is_call(intern_view(&library->draft->trace.strings, slice->name)))
            continue;
        struct range *range = array_push(ranges);
        if (!range)
            return error_memory(self->desk.error);
        *range = (struct range){.draft = library->draft,
                                .start = slice->start,
                                .end = slice->start + slice->duration,
                                .place = slice->place,
                                .library = (uint32_t)i};
    }
    array_sort(ranges, compare_ranges);
    for (size_t i = 1; i < ranges->count; i++) {
        struct range *range = &ranges->items[i];
        uint32_t above = (uint32_t)i; /* the one before it, then those that it stands in */
        while (above && (ranges->items[above - 1].draft != range->draft ||
                         ranges->items[above - 1].place != range->place ||
                         ranges->items[above - 1].end < range->end))
            above = ranges->items[above - 1].above;
        range->above = above;
    }
    return true;
}

/* ------------------------------------------------------------------ what they are about */

/* Elements of a call, by the names of its parameters. */
static struct view count_of(const struct rocpd *self, const struct rocpd_event *event, bool *is_out)
{
    static const char *const names[] = {"count", "sendcount", "recvcount"};
    struct view value = {"", 0};
    for (size_t i = 0; i < sizeof names / sizeof *names && !value.length; i++) {
        value = rocpd_argument(self, event, names[i]);
        *is_out = i == 2;
    }
    return value;
}

static bool add_integer(struct rocpd *self, const char *key, struct view value)
{
    int64_t number;
    return !value.length || !json_integer(value, &number) || desk_member(&self->desk, key, number);
}

static const struct rocpd_event *event_of(const struct rocpd *self, const struct range *range)
{
    uint32_t event = self->part.libraries.items[range->library].event;
    return event ? &self->part.events.items[event - 1] : NULL;
}

/* Members that a kernel gets which carries out one collective, or several of a group: then the
 * elements are not told. */
static bool make_arguments(struct rocpd *self, struct range *range, const struct range *what,
                           const char *name)
{
    const struct rocpd_event *event = what ? event_of(self, what) : NULL;
    bool is_out = false;
    struct view count = count_of(self, event, &is_out);
    const char *type = nccl_type(rocpd_argument(self, event, "datatype"));
    const char *operation = nccl_operation(rocpd_argument(self, event, "op"));
    uint32_t number;
    bool done = desk_member_text(&self->desk, "Collective name", view_of(name)) &&
                (is_out || add_integer(self, "In msg nelems", count)) &&
                (!is_out || add_integer(self, "Out msg nelems", count)) &&
                (!operation || desk_member_text(&self->desk, "Reduction", view_of(operation))) &&
                add_integer(self, "Peer", rocpd_argument(self, event, "peer")) &&
                add_integer(self, "Root Rank", rocpd_argument(self, event, "root")) &&
                (!type || desk_member_text(&self->desk, "dtype", view_of(type)));
    done =
        done && draft_finish_arguments(self->part.libraries.items[range->library].draft, &number);
    if (done)
        range->arguments = number;
    return done;
}

/* The end of a group is about the collectives since its start, which is told by counting. */
static bool settle_groups(struct rocpd *self, range_list *ranges)
{
    const struct range *only = NULL;
    int64_t depth = 0, count = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        struct range *range = &ranges->items[i];
        struct view name = name_of(self, range);
        bool is_first =
            i == 0 || range[-1].draft != range->draft || range[-1].place != range->place;
        const char *collective = nccl_collective(name);
        if (is_first)
            depth = count = 0;
        if (view_equal(name, VIEW("ncclGroupStart")) && depth++ == 0)
            count = 0;
        if (collective) {
            count++;
            only = range;
            if (!make_arguments(self, range, range, collective))
                return false;
        }
        if (!view_equal(name, VIEW("ncclGroupEnd")) || depth == 0 || --depth > 0)
            continue;
        range->is_group = count > 1;
        if (count == 1)
            range->arguments = only->arguments;
        else if (count > 1 && !make_arguments(self, range, NULL, "group"))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ kernels */

static const struct range *range_around(const range_list *ranges, const struct draft *draft,
                                        const struct slice *call)
{
    struct range wanted = {
        .draft = draft, .place = call->place, .start = call->start, .end = INT64_MIN};
    size_t behind;
    ARRAY_LOWER_BOUND(behind, ranges->count, compare_ranges(&ranges->items[behind], &wanted) <= 0);
    for (size_t at = behind; at; at = ranges->items[at - 1].above) {
        const struct range *range = &ranges->items[at - 1];
        if (range->draft != draft || range->place != call->place)
            return NULL;
        if (range->end >= call->start && range->arguments)
            return range;
    }
    return NULL;
}

/* Both lists of arguments as one. */
static bool join_arguments(struct draft *draft, uint32_t first, uint32_t second, uint32_t *number)
{
    uint32_t both[3] = {first, second, UINT32_MAX};
    struct json_repairs ignored = {0};
    struct text *raw = &draft->desk->scratch, *out = &draft->desk->json;
    uint32_t *known = draft_arguments(draft, both, sizeof both);
    if (known && !*known) {
        struct view left = first ? intern_view(&draft->trace.arguments, first) : VIEW("{}");
        struct view right = intern_view(&draft->trace.arguments, second);
        text_clear(raw);
        text_clear(out);
        bool made =
            text_add(raw, left.bytes, left.length - 1) &&
            (left.length == 2 || text_add_byte(raw, ',')) &&
            text_add(raw, right.bytes + 1, right.length - 1) &&
            json_canonical((struct view){raw->items, raw->count}, out, &ignored) == JSON_CANON_DONE;
        *known = made ? intern_add(&draft->trace.arguments, out->items, out->count) : 0;
        text_clear(out);
        if (!*known)
            return error_memory(draft->desk->error);
    }
    *number = known ? *known : 0;
    return known;
}

static bool tell_kernels(struct draft *draft, const range_list *ranges)
{
    struct trace *trace = &draft->trace;
    for (size_t i = 0; i < trace->gpus.count; i++) {
        struct slice *kernel = &trace->slices.items[trace->gpus.items[i].slice];
        const struct slice *call = draft_call(draft, trace->gpus.items[i].correlation);
        if (draft->desk->error->status != STATUS_OK)
            return false;
        const struct range *range =
            call && kernel->category == CATEGORY_KERNEL ? range_around(ranges, draft, call) : NULL;
        uint32_t number = 0;
        if (!range)
            continue;
        if (!join_arguments(draft, kernel->arguments, range->arguments, &number))
            return false;
        kernel->arguments = number;
        note_count(&trace->notes, NOTE_COLLECTIVE_GROUPED, range->is_group, kernel->uid, -1);
    }
    return true;
}

bool rocpd_link_libraries(struct rocpd *self)
{
    range_list ranges = {0};
    bool done = make_calls(self) && gather_ranges(self, &ranges) && settle_groups(self, &ranges);
    for (size_t i = self->part.first; i < self->processes.count && done && ranges.count; i++)
        done = tell_kernels(self->processes.items[i].draft, &ranges);
    array_free(&ranges);
    return done;
}
