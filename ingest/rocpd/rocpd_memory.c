/* rocpd_memory: memory that was allocated and released. What it took is a slice; how much there
 * was is a record of memory, but for scratch memory, which belongs to kernels. */
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/amd.h"
#include "src/base/order.h"

enum {
    START = ROCPD_PLACE_COUNT,
    END,
    EVENT,
    GUID,
    TYPE,
    LEVEL,
    NAME,
    ADDRESS,
    BYTES,
    COLUMN_COUNT
};
static const char *const columns[COLUMN_COUNT] = {
    ROCPD_PLACE_COLUMNS, "start",   "end", "event_id", "guid", "type", "level",
    "name_id",           "address", "size"};

/* States of a record until all are there: kinds stand where sums will, and ways where reserved. */
enum level { LEVEL_REAL, LEVEL_VIRTUAL };
enum way { WAY_ALLOCATED, WAY_FREED };

/* As the profiler calls it; older ones do not say. */
static bool read_name(struct rocpd *self, struct draft *draft, struct rows_of *rows,
                      struct view type, bool is_scratch, uint32_t *name)
{
    struct text *made = &self->message;
    if (!rocpd_string(self, draft, rows, NAME, ROCPD_TEXT, name))
        return false;
    if (*name)
        return true;
    text_clear(made);
    text_add_string(made, is_scratch ? "SCRATCH_MEMORY_" : "MEMORY_ALLOCATION_");
    text_add(made, type.bytes, type.length < 100 ? type.length : 100);
    draft_keep(draft, text_view(made), name);
    return true;
}

/* The slice of what it took. */
static bool add_slice(struct rocpd *self, struct draft *draft, struct rows_of *rows,
                      const struct draft_time *time, uint32_t place, bool is_scratch)
{
    struct view type, level;
    uint32_t name, arguments;
    int category = trace_category(&draft->trace,
                                  is_scratch ? VIEW("scratch_memory") : VIEW("memory_allocation"));
    rows_text(rows, TYPE, &type);
    rows_text(rows, LEVEL, &level);
    if (level.length)
        desk_member_text(&self->desk, "level", level);
    if (type.length)
        desk_member_text(&self->desk, "type", type);
    draft_finish_arguments(draft, &arguments);
    if (!read_name(self, draft, rows, type, is_scratch, &name))
        return false;
    draft_slice(draft, time, (enum category)category, place, name, arguments);
    return true;
}

static void add_record(struct rocpd *self, struct draft *draft, struct rows_of *rows, int64_t time,
                       uint32_t place, int64_t device)
{
    struct view type, level;
    rows_text(rows, TYPE, &type);
    rows_text(rows, LEVEL, &level);
    enum amd_memory way = amd_memory(type);
    if (way == AMD_MEMORY_UNKNOWN) {
        draft_note(draft, NOTE_VALUE_ODD);
        return;
    }
    struct memory_record *record = array_push(&draft->trace.memory);
    *record = (struct memory_record){
        .time = time,
        .bytes = draft_integer(draft, rows, BYTES),
        .address = draft_integer(draft, rows, ADDRESS),
        .allocated = view_equal_ignoring_case(level, VIEW("VIRTUAL")) ? LEVEL_VIRTUAL : LEVEL_REAL,
        .reserved = way == AMD_MEMORY_FREED ? WAY_FREED : WAY_ALLOCATED,
        .device_type = device < 0 ? 0 : 1,
        .device = (int32_t)device,
        .place = place,
        .uid = (uint32_t)self->desk.uid,
    };
}

static bool read_memory(struct rocpd *self, struct rows_of *rows)
{
    struct draft_time time;
    struct view level;
    struct draft *draft = rocpd_draft(self, rows, GUID);
    if (!draft_time(draft, rows, START, END, false, &time))
        return true;
    struct rocpd_place at = rocpd_place(self, draft, rows);
    uint32_t place = rocpd_thread(self, draft, at.process, at.thread);
    rows_text(rows, LEVEL, &level);
    bool is_scratch = view_equal_ignoring_case(level, VIEW("SCRATCH"));
    if (!place)
        return false;
    if (!add_slice(self, draft, rows, &time, place, is_scratch))
        return false;
    if (!is_scratch)
        add_record(self, draft, rows, time.start, place, rocpd_device(self, at.agent));
    return true;
}

const struct rocpd_table rocpd_memory_tables[] = {
    {"rocpd_memory_allocate", columns, COLUMN_COUNT, 1u << START | 1u << END, read_memory, true},
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
    map_free(&blocks);
    trace_sum_memory(&draft->trace);
}
