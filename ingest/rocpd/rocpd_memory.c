/* rocpd_memory: memory that was allocated and released. What it took is a slice; how much there
 * was is a record of memory, but for scratch memory, which belongs to kernels. */
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/amd.h"
#include "src/base/order.h"

enum { TYPE = ROCPD_OWN, LEVEL, NAME };
static const struct draft_column columns[] = {
    ROCPD_ROW,
    {.name = "type"},
    {.name = "level"},
    {.name = "name_id"},
    {"address", ROCPD_AT(address)},
    {"size", ROCPD_AT(base.bytes)},
};

/* States of a record until all are there: kinds stand where sums will, and ways where reserved. */
enum level { LEVEL_REAL, LEVEL_VIRTUAL };
enum way { WAY_ALLOCATED, WAY_FREED };

/* Keeps how much memory there was. */
static void add_record(const struct rocpd_row *self, struct view type, struct view level)
{
    enum amd_memory way = amd_memory(type);
    int64_t device = self->base.device;
    if (way == AMD_MEMORY_UNKNOWN) {
        draft_note(self->base.draft, NOTE_VALUE_ODD);
        return;
    }
    array_add(&self->base.draft->trace.memory,
              (struct memory_record){
                  .time = self->base.time.start,
                  .bytes = self->base.bytes,
                  .address = self->address,
                  .allocated =
                      view_equal_ignoring_case(level, VIEW("VIRTUAL")) ? LEVEL_VIRTUAL : LEVEL_REAL,
                  .reserved = way == AMD_MEMORY_FREED ? WAY_FREED : WAY_ALLOCATED,
                  .device_type = device < 0 ? 0 : 1,
                  .device = (int32_t)device,
                  .place = self->base.place,
                  .uid = (uint32_t)self->rocpd->desk.uid,
              });
}

static bool add_memory(void *row)
{
    struct rocpd_row *self = row;
    struct draft_row *base = &self->base;
    struct draft *draft = base->draft;
    struct desk *desk = &self->rocpd->desk;
    struct view type, level;
    base->place = rocpd_thread(self->rocpd, draft, self->process, self->thread);
    if (!base->place)
        return false;
    rows_text(self->rows, TYPE, &type);
    rows_text(self->rows, LEVEL, &level);
    bool is_scratch = view_equal_ignoring_case(level, VIEW("SCRATCH"));
    base->category = (enum category)trace_category(
        &draft->trace, is_scratch ? VIEW("scratch_memory") : VIEW("memory_allocation"));
    if (level.length)
        desk_member_text(desk, "level", level);
    if (type.length)
        desk_member_text(desk, "type", type);
    draft_finish_arguments(draft, &base->arguments);

    /* As the profiler calls it; older ones do not say. */
    if (!rocpd_string(self->rocpd, draft, self->rows, NAME, ROCPD_TEXT, &base->name))
        return false;
    if (!base->name) {
        struct text *made = &self->rocpd->message;
        text_clear(made);
        text_add_string(made, is_scratch ? "SCRATCH_MEMORY_" : "MEMORY_ALLOCATION_");
        text_add(made, type.bytes, type.length < 100 ? type.length : 100);
        draft_keep(draft, text_view(made), &base->name);
    }
    draft_row_add(base);
    if (!is_scratch)
        add_record(self, type, level);
    return true;
}

const struct desk_table rocpd_memory_tables[] = {
    {"rocpd_memory_allocate", DRAFT_COLUMNS(columns), rocpd_read_row, .add = add_memory},
    {0},
};

/* ------------------------------------------------------------------ all records are there */

ORDER_BY(compare_records, struct memory_record, UP(time) || UP(uid));

void rocpd_sum_memory(struct draft *draft)
{
    struct map blocks = {0}; /* level and address -> record + 1 */
    if (!draft->trace.memory.count)
        return;
    array_sort(&draft->trace.memory, compare_records);
    for (size_t i = 0; i < draft->trace.memory.count; i++) {
        struct memory_record *record = &draft->trace.memory.items[i];
        uint32_t *block = map_put(&blocks, record->allocated, record->address);
        if (record->reserved == WAY_FREED) {
            /* A release states where, but not how much, nor on which device. */
            const struct memory_record *of = *block ? &draft->trace.memory.items[*block - 1] : NULL;
            if (of && (record->bytes == NONE || record->bytes == 0))
                record->bytes = of->bytes;
            if (of && record->device < 0) {
                record->device = of->device;
                record->device_type = of->device_type;
            }
            if (record->bytes != NONE && record->bytes > 0)
                record->bytes = -record->bytes;
        }
        *block = record->reserved == WAY_FREED ? 0 : (uint32_t)i + 1;
        record->reserved = NONE;
    }
    trace_sum_memory(&draft->trace);
}
