/* rocpd_link: what ranges of libraries have to do with work: calls of RCCL say what the kernels are
 * about that carry them out, and where no runtime was traced, work names the call of a library. */
#include "ingest/input/json_text.h"
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/collective.h"

/* ------------------------------------------------------------------ calls */

/* ------------------------------------------------------------------ what they are about */

static void add_integer(struct rocpd *self, const char *key, struct view value)
{
    int64_t number;
    if (value.length && json_integer(value, &number))
        desk_member(&self->desk, key, number);
}

/* Members that a kernel gets which carries a collective out. */
static void make_arguments(struct rocpd *self, const struct rocpd_library *library,
                           const char *name, uint32_t *number)
{
    const struct rocpd_event *event =
        library->event ? &self->part.events.items[library->event - 1] : NULL;
    bool is_out = false;

    /* Elements of a call, by the names of its parameters. */
    static const char *const names[] = {"count", "sendcount", "recvcount"};
    struct view count = {"", 0};
    for (size_t i = 0; i < sizeof names / sizeof *names && !count.length; i++) {
        count = rocpd_argument(self, event, names[i]);
        is_out = i == 2;
    }
    const char *type = nccl_type(rocpd_argument(self, event, "datatype"));
    const char *operation = nccl_operation(rocpd_argument(self, event, "op"));
    desk_member_text(&self->desk, "Collective name", view_of(name));
    if (!is_out)
        add_integer(self, "In msg nelems", count);
    if (is_out)
        add_integer(self, "Out msg nelems", count);
    if (operation)
        desk_member_text(&self->desk, "Reduction", view_of(operation));
    add_integer(self, "Peer", rocpd_argument(self, event, "peer"));
    add_integer(self, "Root Rank", rocpd_argument(self, event, "root"));
    if (type)
        desk_member_text(&self->desk, "dtype", view_of(type));
    draft_finish_arguments(library->draft, number);
}

void rocpd_link_libraries(struct rocpd *self)
{
    collective_calls calls = {0};

    /* Ranges by their ids, and by those of them that work names. */
    struct rocpd_part *part = &self->part;
    struct map named = {0}; /* id -> range + 1 */
    for (size_t i = 0; i < part->libraries.count; i++) {
        uint32_t event = part->libraries.items[i].event;
        int64_t stack = event ? part->events.items[event - 1].stack : NONE;
        if (stack != NONE)
            map_set(&named, stack, 0, (uint32_t)i + 1);
    }
    for (size_t i = part->first; i < self->processes.count && named.count; i++) {
        struct trace *trace = &self->processes.items[i].draft->trace;
        for (size_t j = 0; j < trace->gpus.count; j++) {
            int64_t stack = trace->gpus.items[j].correlation;
            uint32_t range = stack == NONE ? 0 : map_get(&named, stack, 0);
            const struct rocpd_library *library = range ? &part->libraries.items[range - 1] : NULL;
            if (library && &library->draft->trace == trace &&
                trace->slices.items[library->slice].category == CATEGORY_LIBRARY_CALL) {
                struct slice *slice = &trace->slices.items[library->slice];
                array_add(&trace->calls, (struct call_slice){.slice = library->slice,
                                                             .correlation = stack,
                                                             .external = NONE});
                slice->category = CATEGORY_RUNTIME;
                slice->side = (uint32_t)trace->calls.count - 1;
            }
        }
    }

    /* Calls of RCCL, and what their arguments say of the collective. */
    for (size_t i = 0; i < part->libraries.count; i++) {
        const struct rocpd_library *library = &part->libraries.items[i];
        const struct trace *trace = &library->draft->trace;
        struct view name = intern_view(&trace->strings, trace->slices.items[library->slice].name);
        struct collective_call call = {
            .draft = library->draft, .slice = library->slice, .bytes = NONE};
        const char *collective = nccl_collective(name);
        if (nccl_is_call(name)) {
            if (collective)
                make_arguments(self, library, collective, &call.arguments);
            collectives_add(&calls, &call);
        }
    }
    collectives_settle(&calls);
    for (size_t i = self->part.first; i < self->processes.count; i++)
        collectives_tell(&calls, self->processes.items[i].draft);
}
