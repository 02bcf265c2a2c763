/* verb_model: `tpq model`, the models behind FLOPs and bytes. */
#include "query/ask/model.h"
#include "query/ask/shell.h"
#include "sql/asked.h"
#include "sql/evaluate/evaluator.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/deviation.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Reads the call that an event is: its inputs, other arguments, kernels, the batch of the step
 * around it, and its forward op. */
static bool model_read_event(struct warehouse *warehouse, int64_t event, struct signature *call,
                             struct error *error)
{
    struct asked row;
    const char *json = NULL, *range;
    ASK(&row, warehouse->db, call_of_event, event);
    bool is_call = ASKED_ROW(&row, OR_NULL(&json)) && json && signature_read(call, view_of(json));
    if (!asked_done(&row, warehouse->path, error))
        return false;
    if (!is_call)
        return error_set(error, STATUS_USAGE, "event %" PRId64 " is no call of an op", event);
    ASK(&row, warehouse->db, ranges_of_event, event);
    while (!call->has_step && ASKED_ROW(&row, &range))
        signature_annotate(call, range);
    return asked_done(&row, warehouse->path, error);
}

/* ------------------------------------------------------------------ the calls of an op */

/* The distinct signatures of an op in a trace: the first event of each, and the number of calls. */
static const char calls_of_op[] =
    "SELECT min(event.id), count(*) FROM trace "
    "JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event "
    "WHERE trace.id = ?1 AND event.name_id = (SELECT id FROM string WHERE text = ?2) "
    "AND event.op_id IS NOT NULL GROUP BY event.op_id ORDER BY 1";

/* State of a subject. */
struct session {
    const struct arguments *arguments;
    struct warehouse warehouse;
    struct evaluator *evaluator;
    struct signature call;
    struct outcome outcome;
    bool json;
};

static const char *model_operand(const struct session *self, size_t place)
{
    return self->arguments->operands.items[place];
}

/* The inputs of the call in hand: place, dimensions, type, strides, concrete value. */
static void print_args(const struct session *self, int64_t event, int64_t count)
{
    const struct signature *call = &self->call;
    const int lists[] = {call->dims, call->types, call->strides, call->concrete};
    struct text line = {0};
    int inputs = 0;
    for (int i = 0; i < 4; i++)
        if (literal_count(&call->values, lists[i]) > inputs)
            inputs = literal_count(&call->values, lists[i]);
    text_format(&line,
                "event %" PRId64 ", one of %" PRId64 " calls like it\n"
                "input  dims  type  strides  concrete value\n",
                event, count);
    for (int i = 0; i < inputs; i++) {
        text_format(&line, "%5d", i);
        for (int part = 0; part < 4; part++) {
            int item = literal_item(&call->values, lists[part], i);
            const char *text = literal_text(&call->values, item);
            text_add_string(&line, "  ");
            if (item >= 0 && !text)
                literal_add_json(&call->values, item, &line);
            else
                text_add_string(&line, item >= 0 && *text ? text : "-");
        }
        text_add_byte(&line, '\n');
    }
    fwrite(line.items, 1, line.count, stdout);
}

/* Prints what the model says about the call in hand. */
static void print_outcome(struct session *self)
{
    struct model *model = evaluator_find(self->evaluator, self->call.op);
    if (model)
        evaluator_run(self->evaluator, model, &self->call, &self->outcome);
    model_print(&self->call, model, &self->outcome, self->json, stdout);
}

/* The inputs of an example of an op in a trace, or the outcome of each distinct call of it. */
static bool show_calls(struct session *self, bool only_args, struct error *error)
{
    const char *op = model_operand(self, 2);
    struct asked calls;
    int64_t trace, event, count, found = 0;
    if (!session_integer(self->arguments, "trace number", model_operand(self, 1), &trace, error))
        return false;
    bool done = true;
    ASK(&calls, self->warehouse.db, calls_of_op, trace, op);
    for (; done && !(only_args && found) && ASKED_ROW(&calls, &event, &count); found++) {
        done = model_read_event(&self->warehouse, event, &self->call, error);
        if (done && only_args) {
            print_args(self, event, count);
        } else if (done) {
            if (!self->json)
                printf("%s%" PRId64 " calls, the first one event %" PRId64 ": ", found ? "\n" : "",
                       count, event);
            print_outcome(self);
        }
    }
    done = asked_done(&calls, self->warehouse.path, error) && done;
    return done &&
           (found || error_set(error, STATUS_USAGE,
                               "trace %" PRId64 " has no call of '%s' with arguments", trace, op));
}

/* ------------------------------------------------------------------ the call */

static bool run_eval(struct session *self, struct error *error)
{
    if (self->arguments->operands.count > 2) {
        /* One call, in words. */
        struct outcome *outcome = &self->outcome;
        const char *device = arguments_value(self->arguments, "device");
        const char *const *words = (const char *const *)self->arguments->operands.items + 2;
        bool done =
            (!device || model_print_roofline(&self->warehouse, device, NULL, stdout, error)) &&
            model_read_words(model_operand(self, 1), words, self->arguments->operands.count - 2,
                             &self->call, error);
        if (done)
            print_outcome(self);
        if (done && device && outcome->status == OUTCOME_OK && !self->json &&
            evaluator_find(self->evaluator, self->call.op))
            done = model_print_roofline(&self->warehouse, device, outcome, stdout, error);
        return done;
    }
    return model_eval_file(self->evaluator, model_operand(self, 1), self->json, stdout, error);
}

static bool run_show(struct session *self, struct error *error)
{
    return model_show(self->evaluator, model_operand(self, 1), stdout, error);
}

static bool write_model_list(struct session *self, const char *sql, struct error *error)
{
    struct document document = {.out = stdout};
    sqlite3_stmt *rows = warehouse_prepare(&self->warehouse, sql, error);
    if (!rows)
        return false;
    document_begin(&document);
    document_close(&document);
    document_open(&document, "models", '[');
    bool done = render_objects(rows, &document, "tpq model list", error);
    database_finalize(rows);
    document_finish(&document);
    return done;
}

static bool run_list(struct session *self, struct error *error)
{
    struct shell shell = {.warehouse = &self->warehouse, .out = stdout};
    session_render_options(self->arguments, &shell.render);
    bool compat = arguments_has(self->arguments, "compat");
    char *sql = database_format("SELECT op, match, coalesce(family, '') AS family, "
                                "coalesce(category, '') AS category, source FROM perf_model "
                                "WHERE profile IN ('both', %Q) ORDER BY op, match",
                                like_reference(compat, "models:") ? "compat" : "fixed");
    return self->json ? write_model_list(self, sql, error)
                      : shell_run_text(&shell, "tpq model list", sql, error);
}

static bool run_helpers(struct session *self, struct error *error)
{
    (void)self, (void)error;
    model_helpers(stdout);
    return true;
}

static bool run_args(struct session *self, struct error *error)
{
    return show_calls(self, true, error);
}

static bool run_test(struct session *self, struct error *error)
{
    if (self->arguments->operands.count != 2)
        return show_calls(self, false, error);

    /* A trial of a file: how many rows of each table it would add. */
    struct extensions extensions = {0};
    struct text complaints = {0};
    bool done = extensions_add(&extensions, model_operand(self, 1), error) &&
                extensions_run(&extensions, &self->warehouse, &complaints, error);
    if (done && complaints.count)
        done = error_set(error, STATUS_BAD_INPUT, "%.*s", (int)strcspn(complaints.items, "\n"),
                         complaints.items);
    for (size_t i = 0; i < extensions.files.count && done; i++)
        done = model_print_rows(&self->warehouse, extensions.files.items[i].path, stdout, error);
    return done;
}

struct subject {
    const char *name;
    size_t least, most; /* operands, with the name */
    bool has_trace;     /* it is about a trace, and needs the warehouse */
    bool (*run)(struct session *, struct error *);
};

static const struct subject subjects[] = {
    {"list", 1, 1, false, run_list},    {"show", 2, 2, false, run_show},
    {"args", 3, 3, true, run_args},     {"test", 2, 3, true, run_test},
    {"eval", 2, 1000, false, run_eval}, {"helpers", 1, 1, false, run_helpers},
};

static bool run_model(const struct arguments *arguments, struct error *error)
{
    struct session session = {.arguments = arguments, .json = arguments_has(arguments, "json")};
    const char *name = arguments->operands.count ? arguments->operands.items[0] : "";
    const struct subject *subject = NULL;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(subjects[i].name, name) == 0) {
            subject = &subjects[i];
            break;
        }
    if (!subject)
        return error_set(error, STATUS_USAGE,
                         "tpq model: what is to be done: list, show, args, test, eval or helpers?");
    bool is_try = strcmp(name, "test") == 0 && arguments->operands.count == 2;
    struct extensions extensions = {0};
    if (is_try && arguments_has(arguments, "extension-file"))
        return error_set(error, STATUS_USAGE,
                         "tpq model test FILE tries that file, and takes no --extension-file");
    if (!session_operands(arguments, subject->least, subject->most, error))
        return false;
    if (arguments_has(arguments, "device") &&
        (session.json || subject->run != run_eval || arguments->operands.count == 2))
        return error_set(error, STATUS_USAGE,
                         "tpq model: --device goes with eval OP INPUT..., and not with --json");
    bool done = is_try || extension_options_read(arguments, &extensions, error);
    bool is_open = done;
    if (is_open) {
        /* The warehouse whose catalog holds: the one that is named, else what ships with tpq. */
        bool has_trace = subject->has_trace && !is_try;
        if (has_trace || arguments_has(arguments, "db"))
            is_open = session_open(arguments, WAREHOUSE_READ, &session.warehouse, error);
        else
            is_open = warehouse_open(&session.warehouse, ":memory:", WAREHOUSE_MEMORY, 0, error);
    }
    done = is_open && extension_options_run(arguments, &extensions, &session.warehouse, error);
    bool compat = arguments_has(arguments, "compat");
    if (done)
        session.evaluator =
            evaluator_open(session.warehouse.db, session.warehouse.context, compat, error);
    done = session.evaluator && subject->run(&session, error);
    evaluator_close(session.evaluator);
    if (is_open)
        warehouse_close(&session.warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"compat", 0, NULL, "the figures of the tools that tpq replaces", NULL},
    {"json", 0, "[FILE]", "JSON: of list one document, else an object a line", NULL},
    {"device", 0, "NAME", "also the roofline time on this device", NULL},
    OPTIONS_EXTENSION,
    OPTION_MODE,
    OPTION_CSV_RAW,
    OPTION_WIDE,
    OPTION_WAIT,
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq model eval aten::mm 'bf16[4096,4096]' 'bf16[4096,8192]' --device H100",
     "FLOPs, bytes and least time of one call"},
    {"tpq model eval calls.jsonl", "the same of calls in a file, one JSON object a line"},
    {"tpq model show aten::mm", "the row that holds for an op"},
    {"tpq model test 1 aten::mm --db w.db", "what it says about the calls of trace 1"},
    {"tpq model test mine.sql", "whether the rows of an extension file can be used"},
    {NULL, NULL},
};

const struct verb verb_model = {
    .name = "model",
    .operands = "[OPTION]... list | helpers | show OP | args|test TRACE OP | test FILE | eval ...",
    .summary = "performance models: FLOPs and bytes of ops",
    .details =
        "Models are rows of the tables perf_model and perf_family: of the warehouse that --db "
        "names, else the rows that ship with tpq. list has all rows, show the "
        "one that holds for an op, helpers what their expressions may call. args has the inputs "
        "of an example in a trace. test has what the model says about each distinct call there; "
        "test FILE tries an extension file and counts its rows. eval FILE takes calls as JSON "
        "Lines: op, input_dims, input_types, input_strides and concrete_inputs. Where a model "
        "needs them, kernel_names, annotation, extra_args and linked_fwd follow. eval OP "
        "INPUT... takes one call in words. DTYPE[DIMS] is an operand, N=VALUE the concrete "
        "input N (from 0). kernel=NAME and annotation=WORDS are what they say, any other "
        "KEY=VALUE an argument of the call.",
    .options = options,
    .examples = examples,
    .run = run_model,
};
