/* model_event: see model_event.h. */
#include "query/ask/model_event.h"

#include "query/ask/model.h"

#include <inttypes.h>

/* ------------------------------------------------------------------ one event */

#define SIGNATURE_MEMBERS(prefix)                                                          \
    "'op', " prefix "name.text, 'input_dims', json(" prefix                                \
    "dims.text), 'input_types', json(" prefix "types.text), 'input_strides', json(" prefix \
    "strides.text), 'concrete_inputs', json(" prefix "concrete.text)"
#define SIGNATURE_JOINS(prefix, event)                                                         \
    " JOIN string AS " prefix "name ON " prefix "name.id = " event ".name_id "                 \
    "LEFT JOIN op AS " prefix "op ON " prefix "op.id = " event ".op_id "                       \
    "LEFT JOIN string AS " prefix "dims ON " prefix "dims.id = " prefix "op.dims_id "          \
    "LEFT JOIN string AS " prefix "types ON " prefix "types.id = " prefix "op.types_id "       \
    "LEFT JOIN string AS " prefix "strides ON " prefix "strides.id = " prefix "op.strides_id " \
    "LEFT JOIN string AS " prefix "concrete ON " prefix "concrete.id = " prefix "op.concrete_id "

/* The call as JSON, in the form that signature_read takes. */
static const char call_of_event[] = "SELECT json_object(" SIGNATURE_MEMBERS(
    "") ", 'extra_args', json(args.json), 'kernel_names', "
        "(SELECT json_group_array(text) FROM (SELECT string.text AS text FROM gpu_event "
        "JOIN string ON string.id = gpu_event.name_id "
        "WHERE gpu_event.id BETWEEN event.id AND event.last_id "
        "ORDER BY gpu_event.ts_ns, gpu_event.id LIMIT 16)), 'linked_fwd', "
        "json((SELECT json_object(" SIGNATURE_MEMBERS(
            "f_") ") FROM edge "
                  "JOIN event AS forward ON forward.id = edge.from_id" SIGNATURE_JOINS(
                      "f_", "forward") "WHERE edge.kind = 'forward_backward' AND edge.to_id "
                                       "IN (SELECT event.id UNION ALL SELECT id FROM "
                                       "ancestors(event.id) WHERE depth <= 5) "
                                       "ORDER BY edge.to_id DESC, forward.id LIMIT 1))) "
                                       "FROM event" SIGNATURE_JOINS(
                                           "", "event") "LEFT JOIN args ON args.id = event.args_id "
                                                        "WHERE event.id = ?1";

/* Marked ranges around an event, the first one first. */
static const char ranges_of_event[] =
    "SELECT signpost.name FROM event JOIN trace ON trace.id = event.trace_id "
    "CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event "
    "AND signpost.ts_ns <= event.ts_ns "
    "AND signpost.ts_ns + signpost.dur_ns > event.ts_ns + event.dur_ns "
    "WHERE event.id = ?1 ORDER BY signpost.ts_ns, signpost.id";

bool model_read_event(struct warehouse *warehouse, int64_t event, struct signature *call,
                      struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, call_of_event, error);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, event);
    int result = sqlite3_step(statement);
    const char *json =
        result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool done = json && signature_read(call, view_of(json));
    if (!done && result != SQLITE_ROW && result != SQLITE_DONE)
        warehouse_error(warehouse, error);
    else if (!done && call->values.out_of_memory)
        error_memory(error);
    else if (!done)
        error_set(error, STATUS_USAGE, "event %" PRId64 " is no call of an op", event);
    sqlite3_finalize(statement);
    statement = done ? warehouse_prepare(warehouse, ranges_of_event, error) : NULL;
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, event);
    while (!call->has_step && sqlite3_step(statement) == SQLITE_ROW)
        signature_annotate(call, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return true;
}

/* ------------------------------------------------------------------ the calls of an op */

/* The distinct signatures of an op in a trace: the first event of each, and the number of calls. */
static const char calls_of_op[] =
    "SELECT min(event.id), count(*) FROM trace "
    "JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event "
    "WHERE trace.id = ?1 AND event.name_id = (SELECT id FROM string WHERE text = ?2) "
    "AND event.op_id IS NOT NULL GROUP BY event.op_id ORDER BY 1";

typedef bool use_call(void *context, int64_t event, int64_t count, struct error *error);

static bool each_call(struct warehouse *warehouse, int64_t trace, const char *op, use_call *use,
                      void *context, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, calls_of_op, error);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, trace);
    sqlite3_bind_text(statement, 2, op, -1, SQLITE_STATIC);
    int found = 0;
    bool done = true;
    while (warehouse_next(warehouse, statement, &done, error)) {
        found++;
        done = use(context, sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                   error);
    }
    if (done && !found)
        done = error_set(error, STATUS_USAGE,
                         "trace %" PRId64 " has no call of '%s' with arguments", trace, op);
    sqlite3_finalize(statement);
    return done;
}

struct testing {
    struct warehouse *warehouse;
    struct evaluator *evaluator;
    struct signature call;
    struct outcome outcome;
    bool json, is_shown;
    FILE *out;
};

static bool add_part(const struct signature *call, int list, int place, struct text *line)
{
    int item = literal_item(&call->values, list, place);
    const char *text = literal_text(&call->values, item);
    if (item < 0)
        return text_add_string(line, "-");
    return text ? text_add_string(line, *text ? text : "-")
                : literal_add_json(&call->values, item, line);
}

static bool show_args(void *context, int64_t event, int64_t count, struct error *error)
{
    struct testing *self = context;
    struct text line = {0};
    if (self->is_shown)
        return true;
    self->is_shown = true;
    if (!model_read_event(self->warehouse, event, &self->call, error))
        return false;
    const struct signature *call = &self->call;
    const int lists[] = {call->dims, call->types, call->strides, call->concrete};
    int inputs = literal_count(&call->values, call->dims);
    for (int i = 0; i < 4; i++)
        if (literal_count(&call->values, lists[i]) > inputs)
            inputs = literal_count(&call->values, lists[i]);
    bool done = text_format(&line,
                            "event %" PRId64 ", one of %" PRId64 " calls like it\n"
                            "input  dims  type  strides  concrete value\n",
                            event, count);
    for (int i = 0; i < inputs && done; i++) {
        done = text_format(&line, "%5d", i);
        for (int part = 0; part < 4 && done; part++)
            done = text_add_string(&line, "  ") && add_part(call, lists[part], i, &line);
        done = done && text_add_byte(&line, '\n');
    }
    if (done)
        fwrite(line.items, 1, line.count, self->out);
    else
        error_memory(error);
    text_free(&line);
    return done;
}

bool model_args(struct warehouse *warehouse, int64_t trace, const char *op, FILE *out,
                struct error *error)
{
    struct testing self = {.warehouse = warehouse, .out = out};
    bool done = each_call(warehouse, trace, op, show_args, &self, error);
    signature_free(&self.call);
    return done;
}

static bool test_call(void *context, int64_t event, int64_t count, struct error *error)
{
    struct testing *self = context;
    if (!model_read_event(self->warehouse, event, &self->call, error))
        return false;
    struct model *model = evaluator_find(self->evaluator, self->call.op);
    if (evaluator_out_of_memory(self->evaluator) ||
        (model && !evaluator_run(self->evaluator, model, &self->call, &self->outcome)))
        return error_memory(error);
    if (!self->json)
        fprintf(self->out, "%s%" PRId64 " calls, the first one event %" PRId64 ": ",
                self->is_shown ? "\n" : "", count, event);
    self->is_shown = true;
    return model_print(&self->call, model, &self->outcome, self->json, self->out, error);
}

bool model_test(struct warehouse *warehouse, struct evaluator *evaluator, int64_t trace,
                const char *op, bool json, FILE *out, struct error *error)
{
    struct testing self = {
        .warehouse = warehouse, .evaluator = evaluator, .json = json, .out = out};
    bool done = each_call(warehouse, trace, op, test_call, &self, error);
    signature_free(&self.call);
    outcome_free(&self.outcome);
    return done;
}
