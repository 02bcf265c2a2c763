/* call_around: what the models say about a call, with what stands around it in its trace.
 *
 * Models may ask about the kernels below a call, its other arguments, the batch that a mark around
 * it tells, and the forward op of a backward one. This is looked up only for models that do.
 */
#include "sql/calls/call_reading.h"
#include "sql/database.h"
#include "src/base/deviation.h"

#include <assert.h>
#include <string.h>

enum { EVENT_START, EVENT_PARENT, EVENT_OP };

static int ask_event(struct call_reading *self, int64_t id)
{
    static const char sql[] = "SELECT ts_ns, parent_id, op_id FROM event WHERE id = ?1";
    return database_find(self->db, &self->ask_event, sql, id, 0);
}

/* ------------------------------------------------------------------ marks */

static int read_marks(struct call_reading *self)
{
    sqlite3_stmt *from = NULL;
    int result = database_prepare(
        self->db,
        "SELECT ts_ns, ts_ns + dur_ns, name FROM trace CROSS JOIN signpost ON signpost.id BETWEEN "
        "trace.first_event AND trace.last_event WHERE trace.id = ?1 AND dur_ns IS NOT NULL "
        "ORDER BY ts_ns, signpost.id",
        &from, NULL);
    sqlite3_bind_int64(from, 1, self->trace->id);
    self->has_marks = true;
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        const char *words = database_text(from, 2);
        struct signature probe = {0};
        result = SQLITE_OK;
        /* the reference takes the first mark, whether it says anything or not */
        if (!like_reference(self->rows->compat, "calls: batch of a step") &&
            !signature_annotate(&probe, words))
            continue;
        char *copy = memory_text(words);
        struct call_mark *mark = array_push(&self->marks);
        int64_t end = sqlite3_column_int64(from, 1);
        int64_t before = mark > self->marks.items ? mark[-1].latest : INT64_MIN;
        assert(mark == self->marks.items || mark[-1].start <= sqlite3_column_int64(from, 0));
        *mark = (struct call_mark){sqlite3_column_int64(from, 0), end, end > before ? end : before,
                                   copy};
    }
    return database_end(from, result);
}

/* The words of the first mark around a time; NULL when there is none. */
static const char *words_around(const struct call_reading *self, int64_t start, int64_t end)
{
    size_t place; /* of the first one with something that ends later up to it */
    ARRAY_LOWER_BOUND(place, self->marks.count, self->marks.items[place].latest <= end);
    return place < self->marks.count && self->marks.items[place].start <= start
               ? self->marks.items[place].words
               : NULL;
}

static int look_for_mark(struct call_reading *self, const struct call *call,
                         const struct model *model, struct op_around *around)
{
    if (like_reference(self->rows->compat, "calls: batch of a step") && !self->rows->inference &&
        strncmp(model->op, "vllm::unified_attention_with_output",
                strlen("vllm::unified_attention_with_output")) != 0)
        return SQLITE_OK;
    int result = self->has_marks ? SQLITE_OK : read_marks(self);
    if (result != SQLITE_OK || !self->marks.count)
        return result;
    result = ask_event(self, call->id - call->is_wrap);
    if (result == SQLITE_ROW) {
        int64_t start = sqlite3_column_int64(self->ask_event, EVENT_START);
        around->annotation =
            words_around(self, start, start + (call->host_ns > 0 ? call->host_ns : 0));
    }
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ the forward op */

/* Reads where backward ops of the trace are linked to; the first forward op counts. */
static int read_links(struct call_reading *self)
{
    sqlite3_stmt *from = NULL;
    int result = database_prepare(
        self->db,
        "SELECT from_id, to_id FROM edge WHERE kind = 'forward_backward' AND from_id BETWEEN "
        "(SELECT first_event FROM trace WHERE id = ?1) AND (SELECT last_event FROM trace "
        "WHERE id = ?1)",
        &from, NULL);
    sqlite3_bind_int64(from, 1, self->trace->id);
    self->has_links = true;
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        uint32_t *place = map_put(&self->links, sqlite3_column_int64(from, 1), 0);
        result = SQLITE_OK;
        if (*place == 0) {
            array_add(&self->forward, sqlite3_column_int64(from, 0));
            *place = (uint32_t)self->forward.count;
        }
    }
    return database_end(from, result);
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
        result = ask_event(self, id);
        if (result != SQLITE_ROW ||
            sqlite3_column_type(self->ask_event, EVENT_PARENT) == SQLITE_NULL)
            return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
        id = sqlite3_column_int64(self->ask_event, EVENT_PARENT);
        place = map_get(&self->links, id, 0);
    }
    if (!place)
        return SQLITE_OK;
    result = ask_event(self, self->forward.items[place - 1]);
    if (result == SQLITE_ROW)
        around->forward = sqlite3_column_int64(self->ask_event, EVENT_OP);
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ all of it */

/* The first kernels of a call by their start. */
static void list_first_kernels(const struct call_rows *rows, const struct call *call,
                               struct op_around *around)
{
    const struct call_kernel *first[AROUND_KERNELS];
    for (size_t i = 0; i < call->count && i < AROUND_KERNELS; i++) {
        const struct call_kernel *kernel = call_rows_kernel(rows, call, i);
        size_t at = around->kernel_count++;
        for (; at && first[at - 1]->start > kernel->start; at--)
            first[at] = first[at - 1];
        first[at] = kernel;
    }
    for (size_t i = 0; i < around->kernel_count; i++)
        around->kernels[i] = first[i]->name;
}

int call_evaluate(struct call_reading *self, struct call *call)
{
    struct call_rows *rows = self->rows;
    struct model *model = rows->models.items[call->model - 1].model;
    int needs = model->needs;
    struct op_around around = {0};
    int result = SQLITE_OK;
    if (needs & NEEDS_KERNELS)
        list_first_kernels(rows, call, &around);
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

void call_forget_around(struct call_reading *self)
{
    for (size_t i = 0; i < self->marks.count; i++)
        memory_free(self->marks.items[i].words);
    array_free(&self->marks);
    array_free(&self->forward);
    map_free(&self->links);
    self->links = (struct map){0};
    self->has_marks = self->has_links = false;
}
