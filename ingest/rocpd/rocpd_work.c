/* rocpd_work: tables of what accelerators did: kernels, copies, waits. */
#include "ingest/rocpd/rocpd_reader.h"

/* Makes the arguments of a row, and the slice that it is on its stream. */
static bool add_work(struct rocpd_row *self)
{
    struct draft_row *base = &self->base;
    draft_row_arguments(base, self->table);
    base->place = rocpd_stream(self->rocpd, base->draft, base->device, base->stream);
    if (!base->place)
        return false;
    base->external = self->event ? self->event->external : NONE;
    draft_row_add(base);
    struct rocpd_event *events = self->rocpd->part.events.items;
    if (self->event)
        events[self->event - events].slice = (uint32_t)base->draft->trace.slices.count;
    return true;
}

/* ------------------------------------------------------------------ kernels */

static const char *const missing_words[] = {NULL, "thread", "region", "thread, region"};
enum { MISSING_THREAD = 1, MISSING_REGION = 2 };

enum { KERNEL_SYMBOL = ROCPD_OWN, KERNEL_REGION };
static const struct draft_column kernel_columns[] = {
    ROCPD_ROW,
    {"kernel_id", ROCPD_AT(kernel.symbol)},
    {.name = "region_name_id"},
    {NULL, ROCPD_AT(kernel.accumulators), "accum vgprs"},
    {"workgroup_size_x", ROCPD_AT(kernel.block[0]), "block", DRAFT_THREE},
    {"workgroup_size_y", ROCPD_AT(kernel.block[1])},
    {"workgroup_size_z", ROCPD_AT(kernel.block[2])},
    {"graph_exec_id", ROCPD_AT(kernel.graph), "graph exec id", DRAFT_SOME},
    {"graph_node_id", ROCPD_AT(kernel.node), "graph node id", DRAFT_SOME},
    {NULL, ROCPD_AT(kernel.grid), "grid", DRAFT_THREE},
    {"grid_size_x", ROCPD_AT(kernel.items[0]), "grid work-items", DRAFT_THREE},
    {"grid_size_y", ROCPD_AT(kernel.items[1])},
    {"grid_size_z", ROCPD_AT(kernel.items[2])},
    {NULL, ROCPD_AT(kernel.missing), "missing", DRAFT_WORDS(missing_words)},
    {NULL, ROCPD_AT(queue), "queue"},
    {NULL, ROCPD_AT(kernel.region), "region", DRAFT_TEXT},
    {NULL, ROCPD_AT(kernel.registers), "registers per thread"},
    {"private_segment_size", ROCPD_AT(kernel.scratch), "scratch"},
    {NULL, ROCPD_AT(kernel.sgprs), "sgprs"},
    {"group_segment_size", ROCPD_AT(kernel.shared), "shared memory"},
    {NULL, ROCPD_AT(kernel.vgprs), "vgprs"},
};

static bool add_kernel(void *row)
{
    struct rocpd_row *self = row;
    struct draft *draft = self->base.draft;
    uint32_t region;
    if (self->base.device < 0)
        draft_note(draft, NOTE_DEVICE_MISSING);
    if (!rocpd_name(self->rocpd, draft, self->rows, KERNEL_SYMBOL, ROCPD_TEXT_SYMBOL,
                    &self->base.name) ||
        !rocpd_string(self->rocpd, draft, self->rows, KERNEL_REGION, ROCPD_TEXT, &region))
        return false;
    const struct rocpd_symbol *symbol = ROCPD_FIND(self->rocpd->part.symbols, self->kernel.symbol);
    self->kernel.vgprs = symbol ? symbol->vgprs : NONE;
    self->kernel.accumulators = symbol ? symbol->accumulators : NONE;
    self->kernel.sgprs = symbol ? symbol->sgprs : NONE;
    self->kernel.registers = draft_sum(self->kernel.vgprs, self->kernel.accumulators);
    bool is_named = region && intern_view(&draft->trace.strings, region).length;
    self->kernel.region = is_named && region != self->base.name ? region : 0;
    self->kernel.missing =
        (self->thread == NONE ? MISSING_THREAD : 0) | (region ? 0 : MISSING_REGION);
    for (int i = 0; i < 3; i++) { /* work-items to blocks */
        int64_t items = self->kernel.items[i], block = self->kernel.block[i];
        self->kernel.grid[i] =
            items < 0 || block <= 0 ? NONE : items / block + (items % block != 0);
    }
    return add_work(self);
}

/* ------------------------------------------------------------------ copies and waits */

static const struct draft_column copy_columns[] = {
    ROCPD_ROW,
    {.name = "name_id"},
    {"size", ROCPD_AT(base.bytes)},
    {"dst_agent_id", ROCPD_AT(copy.to), "dst agent"},
    {"graph_exec_id", ROCPD_AT(copy.graph), "graph exec id", DRAFT_SOME},
    {"graph_node_id", ROCPD_AT(copy.node), "graph node id", DRAFT_SOME},
    {NULL, ROCPD_AT(queue), "queue"},
    {"src_agent_id", ROCPD_AT(copy.from), "src agent"},
};

static bool add_copy(void *row)
{
    struct rocpd_row *self = row;
    int64_t device = rocpd_device(self->rocpd, self->copy.to);
    if (device < 0)
        device = rocpd_device(self->rocpd, self->copy.from);
    if (device >= 0)
        self->base.device = device;
    return rocpd_name(self->rocpd, self->base.draft, self->rows, ROCPD_OWN, ROCPD_TEXT_COPY,
                      &self->base.name) &&
           add_work(self);
}

static const struct draft_column wait_columns[] = {ROCPD_ROW, {.name = "type"}};

static bool add_wait(void *row)
{
    struct rocpd_row *self = row;
    struct draft_row *base = &self->base;
    struct view type;
    rows_text(self->rows, ROCPD_OWN, &type);
    bool is_wait = view_equal_ignoring_case(type, VIEW("WAIT"));
    bool is_signal = view_equal_ignoring_case(type, VIEW("SIGNAL"));
    base->place = rocpd_stream(self->rocpd, base->draft, base->device, base->stream);
    if (!base->place)
        return false;
    draft_keep(base->draft,
               is_wait     ? VIEW("Stream Wait Event")
               : is_signal ? VIEW("Event Signal")
                           : VIEW("Sync"),
               &base->name);
    draft_row_add(base);
    return true;
}

const struct desk_table rocpd_work_tables[] = {
    {"rocpd_kernel_dispatch", DRAFT_COLUMNS(kernel_columns), rocpd_read_row, CATEGORY_KERNEL,
     add_kernel},
    {"rocpd_memory_copy", DRAFT_COLUMNS(copy_columns), rocpd_read_row, CATEGORY_MEMCPY, add_copy},
    {"rocpd_event_operation", DRAFT_COLUMNS(wait_columns), rocpd_read_row, CATEGORY_CUDA_SYNC,
     add_wait},
    {0},
};
