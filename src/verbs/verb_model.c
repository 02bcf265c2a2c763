/* verb_model: `tpq model`, the models behind FLOPs and bytes. */
#include "query/ask/model.h"
#include "query/ask/model_event.h"
#include "query/ask/shell.h"
#include "src/base/deviation.h"
#include "src/command/extension_options.h"
#include "src/command/session.h"

#include <string.h>

/* The warehouse whose catalog holds: the one that is named, else what ships with tpq. */
static bool open_catalog(const struct arguments *arguments, bool has_trace,
                         struct warehouse *warehouse, struct error *error)
{
    if (has_trace || arguments_has(arguments, "db"))
        return session_open(arguments, WAREHOUSE_READ, warehouse, error);
    return warehouse_open(warehouse, ":memory:", WAREHOUSE_MEMORY, 0, error);
}

/* State of a subject. */
struct session {
    const struct arguments *arguments;
    struct warehouse warehouse;
    struct evaluator *evaluator;
    bool json;
};

static const char *operand(const struct session *self, size_t place)
{
    return self->arguments->operands.items[place];
}

/* One call, in words. */
static bool calculate(struct session *self, struct error *error)
{
    struct signature call = {0};
    struct outcome outcome = {0};
    const char *device = arguments_value(self->arguments, "device");
    const char *const *words = (const char *const *)self->arguments->operands.items + 2;
    bool done = (!device || model_print_roofline(&self->warehouse, device, NULL, stdout, error)) &&
                model_read_words(operand(self, 1), words, self->arguments->operands.count - 2,
                                 &call, error);
    struct model *model = done ? evaluator_find(self->evaluator, call.op) : NULL;
    if (evaluator_out_of_memory(self->evaluator))
        done = error_memory(error);
    else if (model)
        done = evaluator_run(self->evaluator, model, &call, &outcome) || error_memory(error);
    done = done && model_print(&call, model, &outcome, self->json, stdout, error);
    if (done && model && device && outcome.status == OUTCOME_OK && !self->json)
        done = model_print_roofline(&self->warehouse, device, &outcome, stdout, error);
    outcome_free(&outcome);
    signature_free(&call);
    return done;
}

static bool run_eval(struct session *self, struct error *error)
{
    if (self->arguments->operands.count > 2)
        return calculate(self, error);
    return model_eval_file(self->evaluator, operand(self, 1), self->json, stdout, error);
}

static bool run_show(struct session *self, struct error *error)
{
    return model_show(self->evaluator, operand(self, 1), stdout, error);
}

static bool write_list(struct session *self, const char *sql, struct error *error)
{
    struct document document = {.out = stdout};
    sqlite3_stmt *rows = warehouse_prepare(&self->warehouse, sql, error);
    if (!rows)
        return false;
    document_begin(&document);
    document_close(&document);
    document_open(&document, "models", '[');
    bool done = render_objects(rows, &document, "tpq model list", error);
    sqlite3_finalize(rows);
    return document_finish(&document, done ? error : NULL) && done;
}

static bool run_list(struct session *self, struct error *error)
{
    struct shell shell = {.warehouse = &self->warehouse, .out = stdout};
    session_render_options(self->arguments, &shell.render);
    bool compat = arguments_has(self->arguments, "compat");
    char *sql = sqlite3_mprintf("SELECT op, match, coalesce(family, '') AS family, "
                                "coalesce(category, '') AS category, source FROM perf_model "
                                "WHERE profile IN ('both', %Q) ORDER BY op, match",
                                like_reference(compat, "models:") ? "compat" : "fixed");
    bool done = sql || error_memory(error);
    if (done)
        done = self->json ? write_list(self, sql, error)
                          : shell_run_text(&shell, "tpq model list", sql, error);
    sqlite3_free(sql);
    return done;
}

static bool run_helpers(struct session *self, struct error *error)
{
    (void)self;
    return model_helpers(stdout, error);
}

static bool run_args(struct session *self, struct error *error)
{
    int64_t trace;
    return session_integer(self->arguments, "trace number", operand(self, 1), &trace, error) &&
           model_args(&self->warehouse, trace, operand(self, 2), stdout, error);
}

/* A trial of a file: how many rows of each table it would add. */
static bool try_file(struct session *self, const char *path, struct error *error)
{
    struct extensions extensions = {0};
    struct text complaints = {0};
    bool done = extensions_add(&extensions, path, error) &&
                extensions_run(&extensions, &self->warehouse, &complaints, error);
    if (done && complaints.count) {
        complaints.items[strcspn(complaints.items, "\n")] = '\0';
        done = error_set(error, STATUS_BAD_INPUT, "%s", complaints.items);
    }
    for (size_t i = 0; i < extensions.files.count && done; i++)
        done = model_print_rows(&self->warehouse, extensions.files.items[i].path, stdout, error);
    text_free(&complaints);
    extensions_free(&extensions);
    return done;
}

static bool run_test(struct session *self, struct error *error)
{
    int64_t trace;
    if (self->arguments->operands.count == 2)
        return try_file(self, operand(self, 1), error);
    return session_integer(self->arguments, "trace number", operand(self, 1), &trace, error) &&
           model_test(&self->warehouse, self->evaluator, trace, operand(self, 2), self->json,
                      stdout, error);
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

static const struct subject *subject_named(const char *name)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(subjects[i].name, name) == 0)
            return &subjects[i];
    return NULL;
}

static bool run_model(const struct arguments *arguments, struct error *error)
{
    struct session session = {.arguments = arguments, .json = arguments_has(arguments, "json")};
    const char *name = arguments->operands.count ? arguments->operands.items[0] : "";
    const struct subject *subject = subject_named(name);
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
    bool is_open =
        done && open_catalog(arguments, subject->has_trace && !is_try, &session.warehouse, error);
    done = is_open && extension_options_run(arguments, &extensions, &session.warehouse, error);
    bool compat = arguments_has(arguments, "compat");
    if (done)
        session.evaluator =
            evaluator_open(session.warehouse.db, session.warehouse.context, compat, error);
    done = session.evaluator && subject->run(&session, error);
    evaluator_close(session.evaluator);
    if (is_open)
        warehouse_close(&session.warehouse);
    extensions_free(&extensions);
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
