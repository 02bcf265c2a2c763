/* call_reading: Each text and model is looked up once. GPU activities are added to the call that
 * launched them. */
#include "sql/calls/call_reading.h"

#include "sql/database.h"
#include "sql/kernels/gpu_row.h"
#include "src/base/deviation.h"
#include "src/base/order.h"

#include <string.h>

int call_reading_text(struct call_reading *self, int64_t id, const char **text)
{
    return database_find_text(self->db, &self->ask_name, "SELECT text FROM string WHERE id = ?1",
                              id, text);
}

static uint32_t number_sheet(const struct call_rows *rows, const char *sheet)
{
    uint32_t greatest = 0;
    if (!*sheet)
        return 0;
    for (size_t i = 0; i < rows->models.count; i++) { /* there are few */
        const struct call_model *other = &rows->models.items[i];
        if (other->sheet && strcmp(other->sheet, sheet) == 0)
            return other->sheet_number;
        greatest = other->sheet_number > greatest ? other->sheet_number : greatest;
    }
    return greatest + 1;
}

int call_reading_model(struct call_reading *self, int64_t name, uint32_t *model)
{
    uint32_t *known = map_put(&self->model_of, name, 0);
    if (*known == 0) {
        const char *text;
        int result = call_reading_text(self, name, &text);
        if (result != SQLITE_OK)
            return result;
        struct model *found = op_cache_model(self->rows->cache, name, text);
        if (found) {
            struct call_rows *rows = self->rows;
            static const char *const whole[] = {"GEMM", "UnaryElementwise", "BinaryElementwise",
                                                "Normalization"};
            char *sheet = model_sheet(found);
            uint32_t number = number_sheet(rows, sheet);
            struct call_model *added = array_push(&rows->models);
            *added = (struct call_model){.model = found, .sheet = sheet, .sheet_number = number};
            size_t count =
                sizeof whole / sizeof *whole - rows->inference; /* the last one is parted, too */
            for (size_t i = 0; i < count; i++)
                added->is_whole = added->is_whole || strcmp(sheet, whole[i]) == 0;
        }
        *known = found ? (uint32_t)self->rows->models.count + 1 : 1;
    }
    *model = *known - 1;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ GPU activities */

static int add_kernel(struct call_reading *self, sqlite3_stmt *from, int8_t recompute)
{
    struct call_rows *rows = self->rows;
    struct gpu_row row;
    int more = rows->only_times ? GPU_ROW_MORE_OF_TIMES : GPU_ROW_MORE;
    if (rows->only_times)
        gpu_row_read_times(from, rows->compat, self->trace->clock_start, &row);
    else
        gpu_row_read(from, rows->compat, self->trace->clock_start, &row);
    struct call_kernel kernel = {
        .id = row.id,
        .start = row.start,
        .duration = row.duration,
        .stated = row.stated,
        .name = row.name,
        .stream = row.stream,
        .uid = row.uid,
        .op = row.cpu_op,
        .launcher = row.launcher,
        .is_nested = row.is_nested,
        .call_uid = sqlite3_column_int64(from, more + 1),
        .is_leaf = !sqlite3_column_int(from, more),
        .recompute = recompute,
    };
    int result = catalog_answers_collective(&self->catalog, kernel.name, &kernel.is_collective);
    if (result == SQLITE_OK)
        array_add(&rows->kernels, kernel);
    return result;
}

/* The reference does not take an op for one that launches when a call of the driver does it, and
 * lists work in the order in which the file has the calls that launched it. */
static const char of_call[] = ", (SELECT category_id FROM event WHERE event.id = call_id) = "
                              "(SELECT id FROM category WHERE name = 'cuda_driver'), "
                              "(SELECT uid FROM event WHERE event.id = call_id)";

ORDER_BY(compare_kernels, struct call_kernel, UP(id));

int call_reading_kernels(struct call_reading *self, const struct range_list *ranges)
{
    struct call_rows *rows = self->rows;
    struct call_trace *trace = self->trace;
    sqlite3_stmt *from = NULL;
    trace->first_kernel = rows->kernels.count;
    bool asks_calls =
        like_reference(rows->compat, "unified_perf_summary: ops that launch through the driver") ||
        like_reference(rows->compat, "unified_perf_summary: order of kernels");
    const char *more = asks_calls ? of_call : ", 0, 0";
    int result = rows->only_times
                     ? gpu_row_prepare_times(self->db, rows->compat, more, &from)
                     : gpu_row_prepare(self->db, rows->compat, GPU_ROWS_LINKED, more, &from);
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK; i++) {
        gpu_row_range(from, ranges->items[i].first, ranges->items[i].last);
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
            result = add_kernel(self, from, ranges->items[i].recompute);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    database_finalize(from);
    trace->kernel_count = rows->kernels.count - trace->first_kernel;
    struct call_kernel *kernels = rows->kernels.items + trace->first_kernel;
    array_put_in_order(kernels, trace->kernel_count, sizeof *kernels, compare_kernels);
    return result;
}

size_t call_reading_first_kernel(const struct call_reading *self, int64_t id)
{
    const struct call_trace *trace = self->trace;
    const struct call_kernel *kernels = self->rows->kernels.items + trace->first_kernel;
    size_t place;
    ARRAY_LOWER_BOUND(place, trace->kernel_count, kernels[place].id < id);
    return place;
}

const struct call_kernel *call_rows_kernel(const struct call_rows *self, const struct call *call,
                                           size_t index)
{
    size_t place = call->first + index;
    return &self->kernels.items[call->is_picked ? self->picked.items[place] : place];
}

size_t call_rows_bytes(const void *rows)
{
    const struct call_rows *self = rows;
    return self->kernels.room * sizeof *self->kernels.items +
           (self->calls.room + self->backward.room + self->alone.room) * sizeof *self->calls.items +
           self->picked.room * sizeof *self->picked.items +
           self->besides.room * sizeof *self->besides.items +
           self->partners.room * sizeof *self->partners.items;
}
