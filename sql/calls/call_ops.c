/* call_ops: reads the ops of a trace that have a model or launch work, and the pseudo ops that
 * stand around them.
 *
 * What goes in are the selected ranges and the work that was read before; what comes out are the
 * calls of the trace, in preorder. A step of the engine whose forward op has a model lends that to
 * the one op below it. call_read.c asks for it.
 */
#include "sql/binding/ranges.h"
#include "sql/calls/call_ops.sql.h"
#include "sql/calls/call_reading.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* call_pseudo: the pseudo ops of extension files (sql/overlay), as calls of a trace.
 *
 * A pseudo op is a range of ids, so that it has the work there like any op. */

/* True if a pseudo op is the nearest op of some work: then it launches like other ops. */
static bool is_nearest(const struct call_reading *self, int64_t first, int64_t last)
{
    const struct call_trace *trace = self->trace;
    const struct call_kernel *kernels = self->rows->kernels.items + trace->first_kernel;
    for (size_t i = call_reading_first_kernel(self, first); i < trace->kernel_count; i++) {
        if (kernels[i].id > last)
            break;
        if (kernels[i].op < first)
            return true;
    }
    return false;
}

/* The host's side of one is that of the event that it was put around; what is around a launch only
 * has none. */
static int call_read_pseudo(struct call_reading *self, int64_t first, int64_t last,
                            int8_t recompute)
{
    struct call_rows *rows = self->rows;
    struct call call = {.trace = (uint32_t)(rows->traces.count - 1), .recompute = recompute};
    struct asked asked;
    int64_t number;
    bool is_wrap;
    int result = SQLITE_OK;
    ASK(&asked, self->db, pseudo_calls, first, last);
    while (result == SQLITE_OK &&
           ASKED_ROW(&asked, &call.id, &call.last, &call.name, &call.op, &call.uid, &call.track,
                     &call.host_ns, &call.args, &number, &is_wrap, &call.start)) {
        call.pseudo = (uint32_t)number;
        call.is_wrap = is_wrap;
        result = call_reading_model(self, call.name, &call.model);
        call.is_leaf = is_nearest(self, call.id, call.last);
        if (result == SQLITE_OK && (call.model || call.is_leaf))
            array_add(&rows->calls, call);
    }
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

/* A step of the engine that is being read, whose forward op has a model. */
struct open_step {
    int64_t last, name; /* of the op that is looked for; 0 = any */
    uint32_t edge;
};

/* Where in its lists the reading of ops stands: ids rise within a range. */
struct scan {
    struct call_reading *reading;
    ARRAY(int64_t) leaves;     /* ops that launch work themselves, sorted */
    size_t leaf, kernel, step; /* of the leaves, the work, the steps of the engine */
    ARRAY(struct open_step) open;
    ARRAY(size_t) soles; /* calls that may be the only op of a step */
    int64_t before;
    int8_t recompute; /* of the range */
};

ORDER_BY(compare_ids, int64_t, BY_LESS(*a, *b));

static void find_leaves(struct scan *self)
{
    const struct call_rows *rows = self->reading->rows;
    const struct call_trace *trace = self->reading->trace;
    for (size_t i = 0; i < trace->kernel_count; i++) {
        const struct call_kernel *kernel = &rows->kernels.items[trace->first_kernel + i];
        int64_t last = self->leaves.count ? self->leaves.items[self->leaves.count - 1] : 0;
        if (kernel->op && kernel->is_leaf && kernel->op != last)
            array_add(&self->leaves, kernel->op);
    }
    array_sort(&self->leaves, compare_ids);
}

static int open_step(struct scan *self, int64_t id, int64_t last)
{
    struct call_reading *reading = self->reading;
    while (self->step < reading->steps.count && reading->steps.items[self->step].op < id)
        self->step++;
    if (self->step == reading->steps.count || reading->steps.items[self->step].op != id)
        return SQLITE_OK;
    uint32_t edge = reading->steps.items[self->step].edge;
    struct open_step *open = array_push(&self->open);
    *open = (struct open_step){.last = last, .edge = edge};

    /* The name that an op below a step of the engine has: what stands behind ": " in its name. 0 =
     * any, -1 = there is none. */
    int64_t step = reading->edges.items[edge - 1].backward_name;
    uint32_t *known = map_put(&reading->below_of, step, 0);
    if (*known == 0) {
        const char *text;
        int result = call_reading_text(reading, step, &text);
        if (result != SQLITE_OK)
            return result;
        const char *behind = strstr(text, ": ");
        struct asked asked;
        int64_t id_of_name = -1;
        ASK(&asked, reading->db, "SELECT id FROM string WHERE text = ?1", behind ? behind + 2 : "");
        ASKED_ROW(&asked, &id_of_name);
        array_add(&reading->below, behind ? id_of_name : 0);
        *known = (uint32_t)reading->below.count;
        if ((result = asked_end(&asked)) != SQLITE_OK)
            return result;
    }
    open->name = reading->below.items[*known - 1];
    return SQLITE_OK;
}

/* The step of the engine that may have this op as its only one; 0 = none. */
static uint32_t edge_around(struct scan *self, int64_t id, int64_t name)
{
    while (self->open.count && self->open.items[self->open.count - 1].last < id)
        self->open.count--;
    if (!self->open.count)
        return 0;
    const struct open_step *open = &self->open.items[self->open.count - 1];
    return open->name == 0 || open->name == name ? open->edge : 0;
}

enum { OP_NAME, OP_TRACK, OP_START, OP_DURATION, OP_BELOW, OP_SIGNATURE, OP_ARGS, OP_UID };

/* An id, or 0 where there is none. */
static int64_t id_or_none(int64_t value)
{
    return value == INT64_MIN ? 0 : value;
}

static int scan_op(void *scan, int64_t id, const int64_t *op)
{
    struct scan *self = scan;
    struct call_reading *reading = self->reading;
    struct call_rows *rows = reading->rows;
    int64_t name = op[OP_NAME], last = number_sum(id, op[OP_BELOW]);

    /* Busy: work was launched below the op. Ids rise from call to call, but between ranges. */
    const struct call_trace *trace = self->reading->trace;
    const struct call_kernel *kernels = self->reading->rows->kernels.items + trace->first_kernel;
    if (id < self->before) {
        self->kernel = self->leaf = self->step = 0;
        self->open.count = 0;
    }
    self->before = id;
    while (self->kernel < trace->kernel_count && kernels[self->kernel].id <= id)
        self->kernel++;
    while (self->leaf < self->leaves.count && self->leaves.items[self->leaf] < id)
        self->leaf++;
    bool is_busy = self->kernel < trace->kernel_count && kernels[self->kernel].id <= last;
    if (rows->only_times && !is_busy)
        return SQLITE_OK;
    uint32_t model, edge = 0;
    int result = call_reading_model(reading, name, &model);
    bool is_leaf = self->leaf < self->leaves.count && self->leaves.items[self->leaf] == id;
    if (result == SQLITE_OK && reading->edges.count) {
        if (is_busy)
            edge = edge_around(self, id, name);
        else
            edge = 0;
        result = open_step(self, id, last);
    }
    if (result != SQLITE_OK || (!model && !is_leaf && !edge))
        return result;
    struct call call = {
        .id = id,
        .last = last,
        .uid = rows->only_times ? 0 : op[OP_UID],
        .name = name,
        .op = id_or_none(op[OP_SIGNATURE]),
        .track = op[OP_TRACK],
        .args = rows->only_times ? 0 : id_or_none(op[OP_ARGS]),
        .start = op[OP_START],
        .host_ns = op[OP_DURATION],
        .trace = (uint32_t)(rows->traces.count - 1),
        .model = model,
        .recompute = self->recompute,
        .edge = edge,
        .is_leaf = is_leaf,
    };
    array_add(&rows->calls, call);
    if (edge) {
        array_add(&self->soles, rows->calls.count - 1);
        reading->edges.items[edge - 1].found++;
    }
    return SQLITE_OK;
}

/* Preorder: a pseudo op goes before what it is around, as those with lower numbers do. */
ORDER_BY(compare_calls, struct call,
         UP(id) || DOWN(last) || BY_LESS(!a->pseudo, !b->pseudo) || UP(pseudo));

int call_read_ops(struct call_reading *self, const struct range_list *ranges)
{
    struct call_rows *rows = self->rows;
    struct call_trace *trace = self->trace;
    struct scan scan = {.reading = self};
    trace->first_call = rows->calls.count;
    find_leaves(&scan);
    static const char *const columns[] = {"name_id", "track_id", "ts_ns",   "dur_ns",
                                          "below",   "op_id",    "args_id", "uid"};
    struct text wanted = {0};
    int result =
        rows_add_kinds(self->db, self->context, "role = 'op' AND name = 'cpu_op'", &wanted);
    if (rows->only_times)
        text_add_string(&wanted, " AND below > 0"); /* work is below something */
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK; i++) {
        struct rows_wish wish = {.table = "event",
                                 .columns = columns,
                                 .count = rows->only_times ? OP_ARGS : OP_UID + 1,
                                 .only = wanted.items,
                                 .first = ranges->items[i].first,
                                 .last = ranges->items[i].last};
        scan.recompute = ranges->items[i].recompute;
        result = rows_each_number(self->db, self->context, &wish, scan_op, &scan);
    }
    text_free(&wanted);
    for (size_t i = 0; i < scan.soles.count; i++) {
        struct call *call = &rows->calls.items[scan.soles.items[i]];
        if (self->edges.items[call->edge - 1].found != 1)
            call->edge = 0;
    }
    arrays_free(&scan.leaves, &scan.open, &scan.soles);
    bool has_pseudo = false;
    if (result == SQLITE_OK) {
        int64_t count = 0;
        result = database_ask(self->db,
                              "SELECT count(*) FROM temp.sqlite_schema WHERE name = 'pseudo_event'",
                              0, &count);
        has_pseudo = count > 0;
    }
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK && has_pseudo; i++)
        result = call_read_pseudo(self, ranges->items[i].first, ranges->items[i].last,
                                  ranges->items[i].recompute);
    trace->call_count = rows->calls.count - trace->first_call;
    struct call *calls = rows->calls.items + trace->first_call;
    array_put_in_order(calls, trace->call_count, sizeof *calls, compare_calls);
    return result;
}
