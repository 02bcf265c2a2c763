/* kernel_order: what calls on several ranks are compared by.
 *
 *     kernel_layout(name)                            how the operands of a matrix product lie
 *     kernels_in_order(ts_ns, name_id, stream, dur_ns)   kernels as a list for kernel_details
 *
 *     SELECT kernel_layout('Cijk_Alik_Bljk_MT64x64x32')                    -> [true,false]
 *     SELECT kernel_details(1, kernels_in_order(ts_ns, name_id, stream, dur_ns)) FROM gpu_event
 *
 * NULL: kernel_layout gives NULL, also where a name tells nothing. Rows of kernels_in_order whose
 * start is NULL are left out; without any it is NULL.
 */
#include "sql/binding/function.h"
#include "sql/kernels/kernel_list.h"
#include "sql/models/models.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

static SQL_FUNCTION(layout)
{
    static const char *const words[] = {"null", "false", "true"};
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    int transposed[2];
    if (!name || gemm_layout_of(name, transposed) <= 0)
        return;
    char *json = sqlite3_mprintf("[%s,%s]", words[transposed[0] + 1], words[transposed[1] + 1]);
    if (json)
        sqlite3_result_text(context, json, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

struct started_kernel {
    int64_t start;
    size_t row;
    struct listed_kernel kernel;
};

struct started_list {
    ARRAY(struct started_kernel) kernels;
    bool failed;
};

static SQL_FUNCTION(add_kernel)
{
    struct started_list *self = function_state(context, sizeof *self);
    if (self && (self->failed || sqlite3_value_type(arguments[0]) == SQLITE_NULL))
        return;
    struct started_kernel *added = self ? array_push(&self->kernels) : NULL;
    if (!added) {
        if (self)
            self->failed = true;
        sqlite3_result_error_nomem(context);
        return;
    }
    bool has_stream = sqlite3_value_type(arguments[2]) != SQLITE_NULL;
    *added = (struct started_kernel){
        .start = sqlite3_value_int64(arguments[0]),
        .row = self->kernels.count,
        .kernel = {.name = sqlite3_value_int64(arguments[1]),
                   .duration = sqlite3_value_int64(arguments[3]),
                   .stream = has_stream ? sqlite3_value_int64(arguments[2]) : INT64_MIN,
                   .share = -1}};
}

ORDER_BY(compare_starts, struct started_kernel, UP(start) || UP(row));

static void finish_kernels(sqlite3_context *context)
{
    struct started_list *self = function_state(context, 0);
    if (!self)
        return;
    size_t count = self->kernels.count, bytes = count * sizeof(struct listed_kernel);
    struct listed_kernel *list = count && !self->failed ? sqlite3_malloc64(bytes) : NULL;
    if (list) {
        qsort(self->kernels.items, count, sizeof *self->kernels.items, compare_starts);
        for (size_t i = 0; i < count; i++)
            list[i] = self->kernels.items[i].kernel;
        sqlite3_result_blob64(context, list, bytes, sqlite3_free);
    } else if (count && !self->failed) {
        sqlite3_result_error_nomem(context);
    }
    array_free(&self->kernels);
}

const struct function rank_functions[] = {
    SCALAR("kernel_layout", "name", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, layout,
           "Which operands of a matrix product are transposed, as a JSON array of two truth "
           "values, where the name of the kernel tells; NULL where it does not."),
    AGGREGATE("kernels_in_order", "ts_ns, name_id, stream, dur_ns", 4,
              SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, add_kernel, finish_kernels,
              "The kernels of all rows in the order of their starts, for kernel_details. Rows "
              "whose start is NULL are left out; NULL without any."),
    {0},
};
