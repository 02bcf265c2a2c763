/* call_read: Ranges of the selection come by trace. A trace is read when all of its ranges are
 * known.
 *
 * Models may ask about the kernels below a call, its other arguments, the batch that a mark around
 * it tells, and the forward op of a backward one. This is looked up only for models that do.
 */
#include "sql/binding/ranges.h"
#include "sql/calls/call_reading.h"
#include "sql/kernels/gpu_row.h"
#include "src/base/deviation.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------ marks */

static int read_marks(struct call_reading *self)
{
    struct asked asked;
    const char *words;
    int64_t start, end;
    ASK(&asked, self->db,
        "SELECT ts_ns, ts_ns + dur_ns, name FROM trace CROSS JOIN signpost ON signpost.id BETWEEN "
        "trace.first_event AND trace.last_event WHERE trace.id = ?1 AND dur_ns IS NOT NULL "
        "ORDER BY ts_ns, signpost.id",
        self->trace->id);
    self->has_marks = true;
    while (ASKED_ROW(&asked, &start, &end, &words)) {
        struct signature probe = {0};
        /* the reference takes the first mark, whether it says anything or not */
        if (!like_reference(self->rows->compat, "calls: batch of a step") &&
            !signature_annotate(&probe, words))
            continue;
        char *copy = memory_text(words);
        struct call_mark *mark = array_push(&self->marks);
        int64_t before = mark > self->marks.items ? mark[-1].latest : INT64_MIN;
        assert(mark == self->marks.items || mark[-1].start <= start);
        *mark = (struct call_mark){start, end, end > before ? end : before, copy};
    }
    return asked_end(&asked);
}

static int look_for_mark(struct call_reading *self, const struct call *call,
                         const struct model *model, struct op_around *around)
{
    if (like_reference(self->rows->compat, "calls: batch of a step") && !self->rows->inference &&
        strncmp(model->op, "vllm::unified_attention_with_output",
                strlen("vllm::unified_attention_with_output")) != 0)
        return SQLITE_OK;
    int64_t start;
    int result = self->has_marks ? SQLITE_OK : read_marks(self);
    if (result != SQLITE_OK || !self->marks.count)
        return result;
    ASK_AGAIN(&self->ask_start, self->db, "SELECT ts_ns FROM event WHERE id = ?1",
              call->id - call->is_wrap);
    if (ASKED_ROW(&self->ask_start, &start)) {
        /* The words of the first mark around a time; NULL when there is none. */
        int64_t end = start + (call->host_ns > 0 ? call->host_ns : 0);
        size_t place; /* of the first one with something that ends later up to it */
        ARRAY_LOWER_BOUND(place, self->marks.count, self->marks.items[place].latest <= end);
        around->annotation = place < self->marks.count && self->marks.items[place].start <= start
                                 ? self->marks.items[place].words
                                 : NULL;
    }
    return asked_code(&self->ask_start);
}

/* ------------------------------------------------------------------ forward ops */

/* Reads where backward ops of the trace are linked to; the first forward op counts. */
static int read_links(struct call_reading *self)
{
    struct asked asked;
    int64_t from, to;
    ASK(&asked, self->db,
        "SELECT from_id, to_id FROM edge WHERE kind = 'forward_backward' AND from_id BETWEEN "
        "(SELECT first_event FROM trace WHERE id = ?1) AND (SELECT last_event FROM trace "
        "WHERE id = ?1)",
        self->trace->id);
    self->has_links = true;
    while (ASKED_ROW(&asked, &from, &to)) {
        uint32_t *place = map_put(&self->links, to, 0);
        if (*place == 0) {
            array_add(&self->forward, from);
            *place = (uint32_t)self->forward.count;
        }
    }
    return asked_end(&asked);
}

/* Mostly what the engine wraps around a backward op is what is linked. */
static int look_for_forward(struct call_reading *self, const struct call *call,
                            struct op_around *around)
{
    enum { CLIMB_MAX = 5 };
    int result = self->has_links ? SQLITE_OK : read_links(self);
    if (result != SQLITE_OK || !self->forward.count)
        return result;
    int64_t id = call->id;
    uint32_t place = map_get(&self->links, id, 0);
    for (int i = 0; i < CLIMB_MAX && !place; i++) {
        ASK_AGAIN(&self->ask_parent, self->db,
                  "SELECT parent_id FROM event WHERE id = ?1 AND parent_id IS NOT NULL", id);
        if (!ASKED_ROW(&self->ask_parent, &id))
            return asked_code(&self->ask_parent);
        place = map_get(&self->links, id, 0);
    }
    if (!place)
        return SQLITE_OK;
    ASK_AGAIN(&self->ask_op, self->db, "SELECT op_id FROM event WHERE id = ?1",
              self->forward.items[place - 1]);
    ASKED_ROW(&self->ask_op, &around->forward);
    return asked_code(&self->ask_op);
}

/* ------------------------------------------------------------------ what models say */

/* Asks the model of a call about it. */
static int evaluate_call(struct call_reading *self, struct call *call)
{
    struct call_rows *rows = self->rows;
    struct model *model = rows->models.items[call->model - 1].model;
    int needs = model->needs;
    struct op_around around = {0};
    int result = SQLITE_OK;
    if (needs & NEEDS_KERNELS) {
        /* The first kernels of a call by their start. */
        const struct call_kernel *first[AROUND_KERNELS];
        for (size_t i = 0; i < call->count && i < AROUND_KERNELS; i++) {
            const struct call_kernel *kernel = call_rows_kernel(rows, call, i);
            size_t at = around.kernel_count++;
            for (; at && first[at - 1]->start > kernel->start; at--)
                first[at] = first[at - 1];
            first[at] = kernel;
        }
        for (size_t i = 0; i < around.kernel_count; i++)
            around.kernels[i] = first[i]->name;
    }
    if (needs & NEEDS_ARGS)
        around.args = call->args;
    if (needs & NEEDS_FORWARD)
        result = look_for_forward(self, call, &around);
    if (result == SQLITE_OK && needs & NEEDS_STEP)
        result = look_for_mark(self, call, model, &around);
    if (result != SQLITE_OK || !call->op)
        return result;
    result = op_cache_get(rows->cache, call->op, needs ? &around : NULL, &call->entry);
    if (result == SQLITE_OK)
        call->has_model = strcmp(model->match, "exact") == 0 || call_is_usable(call);
    return result;
}

/* ------------------------------------------------------------------ traces */

static int call_read_read_trace(struct call_reading *self, const struct range_list *ranges)
{
    struct call_rows *rows = self->rows;
    int result =
        rows->only_times ? SQLITE_OK : catalog_answers_tracks(&self->catalog, self->trace->id);
    if (result == SQLITE_OK)
        result = call_reading_kernels(self, ranges);
    if (result == SQLITE_OK)
        result = call_read_edges(self, ranges);
    if (result == SQLITE_OK)
        result = call_read_ops(self, ranges);
    if (result == SQLITE_OK)
        call_measure(self);
    struct call *calls = rows->calls.items + self->trace->first_call;
    for (size_t i = 0; i < self->trace->call_count && result == SQLITE_OK; i++) {
        if (!rows->only_times)
            calls[i].track = catalog_answers_same_track(&self->catalog, calls[i].track);
        if (calls[i].model)
            result = evaluate_call(self, &calls[i]);
    }
    if (result == SQLITE_OK && !rows->only_times)
        call_measure_modelled(self);
    if (result == SQLITE_OK)
        result = call_collect(self);
    if (result != SQLITE_OK || rows->only_times)
        return result;
    if (!rows->inference) /* that form has no sheets for them */
        call_backward(self);
    return call_overlap(self, ranges->items, ranges->count);
}

static void forget_trace(struct call_reading *self)
{
    for (size_t i = 0; i < self->marks.count; i++)
        memory_free(self->marks.items[i].words);
    arrays_free(&self->marks, &self->forward);
    map_free(&self->links);
    self->links = (struct map){0};
    self->has_marks = self->has_links = false;
    arrays_free(&self->edges, &self->steps);
}

static int finish_trace(struct call_reading *self, struct range_list *ranges)
{
    int result = self->trace ? call_read_read_trace(self, ranges) : SQLITE_OK;
    forget_trace(self);
    ranges->count = 0;
    return result;
}

static int read_ranges(struct call_reading *self, sqlite3_stmt *from, struct range_list *ranges)
{
    int result;
    while ((result = sqlite3_step(from)) == SQLITE_ROW) {
        result = SQLITE_OK;
        if (!self->trace || self->trace->id != sqlite3_column_int64(from, 1)) {
            result = finish_trace(self, ranges);
            if (result != SQLITE_OK)
                return result;
            char *copy = memory_text(database_text(from, 0));
            self->trace = array_push(&self->rows->traces);
            *self->trace = (struct call_trace){.run = copy,
                                               .id = sqlite3_column_int64(from, 1),
                                               .clock_start = sqlite3_column_int64(from, 2),
                                               .first_backward = self->rows->backward.count,
                                               .first_alone = self->rows->alone.count};
        }
        array_add(ranges, (struct range){sqlite3_column_int64(from, RANGE_FIRST),
                                         sqlite3_column_int64(from, RANGE_LAST),
                                         (int8_t)database_integer(from, RANGE_RECOMPUTE, -1)});
    }
    return result == SQLITE_DONE ? finish_trace(self, ranges) : result;
}

static int read_calls(void *rows, const struct table_wish *wish, struct error *error)
{
    struct call_rows *self = rows;
    sqlite3 *db = wish->db;
    struct context *context = wish->context;
    struct call_reading reading = {.rows = self, .db = db, .context = context, .error = error};
    struct op_cache *cache = op_cache_of(db, context, error);
    if (!cache)
        return error->memory ? SQLITE_NOMEM : SQLITE_ERROR;
    self->cache = op_cache_retain(cache);
    self->compat = context_get(context, "compat") != NULL;
    self->inference = context_get(context, "inference") != NULL;
    self->parts = reference_time_parts(self->compat);
    sqlite3_stmt *from = NULL;
    struct range_list ranges = {0};
    catalog_answers_take(&reading.catalog, db, context);
    array_reserve(&self->kernels, 1);
    array_reserve(&self->calls, 1);
    int result = ranges_prepare(wish, &from);
    if (result == SQLITE_OK) /* lists that are there, also without anything in them */
        result = read_ranges(&reading, from, &ranges);
    database_finalize(from);
    array_free(&ranges);
    forget_trace(&reading);
    map_free(&reading.model_of);
    map_free(&reading.below_of);
    array_free(&reading.below);
    asked_end(&reading.ask_start);
    asked_end(&reading.ask_parent);
    asked_end(&reading.ask_op);
    database_finalize(reading.ask_name);
    catalog_answers_free(&reading.catalog);
    return result;
}

static int read_times(void *rows, const struct table_wish *wish, struct error *error)
{
    ((struct call_rows *)rows)->only_times = true;
    return read_calls(rows, wish, error);
}

static void call_rows_free(void *rows)
{
    op_cache_release(((struct call_rows *)rows)->cache);
}

const struct table_reading call_rows_reading = {.size = sizeof(struct call_rows),
                                                .read = read_calls,
                                                .free = call_rows_free,
                                                .is_kept = true,
                                                .bytes = call_rows_bytes};

const struct table_reading call_times_reading = {
    .size = sizeof(struct call_rows), .read = read_times, .free = call_rows_free};
