/* verb_model: `tpq model`, the models behind FLOPs and bytes. */
#include "model.h"
#include "verb.h"

#include <string.h>

/* The warehouse whose catalog holds: the one that is named, else what ships with tpq. */
static bool open_catalog(const struct arguments *arguments, struct warehouse *warehouse,
                         struct error *error)
{
    if (arguments_has(arguments, "db"))
        return verb_open(arguments, WAREHOUSE_READ, warehouse, error);
    return warehouse_open(warehouse, ":memory:", WAREHOUSE_MEMORY, 0, error);
}

static bool run_eval(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    if (!verb_operands(arguments, 2, 2, error) || !open_catalog(arguments, &warehouse, error))
        return false;
    struct evaluator *evaluator =
        evaluator_open(warehouse.db, arguments_has(arguments, "compat"), error);
    bool done = evaluator && model_eval_file(evaluator, arguments->operands.items[1],
                                             arguments_has(arguments, "json"), stdout, error);
    evaluator_close(evaluator);
    warehouse_close(&warehouse);
    return done;
}

static bool run_model(const struct arguments *arguments, struct error *error)
{
    static const struct {
        const char *name;
        bool (*run)(const struct arguments *, struct error *);
    } subjects[] = {{"eval", run_eval}};
    const char *name = arguments->operands.count ? arguments->operands.items[0] : "";
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(subjects[i].name, name) == 0)
            return subjects[i].run(arguments, error);
    return error_set(error, STATUS_USAGE, "tpq model: say what to do: eval");
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"compat", 0, NULL, "the figures of the tools that tpq replaces", NULL},
    {"json", 0, NULL, "one JSON object a line", NULL},
    OPTION_WAIT,
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq model eval calls.jsonl", "parameters, FLOPs and bytes of calls in a file"},
    {NULL, NULL},
};

const struct verb verb_model = {
    .name = "model",
    .operands = "[OPTION]... eval FILE|-",
    .summary = "FLOPs and bytes of ops: what the models say",
    .details = "eval takes calls as JSON Lines: op, input_dims, input_types, input_strides, "
               "concrete_inputs, and where a model needs them kernel_names, annotation, "
               "extra_args and linked_fwd. Models are rows of the tables perf_model and "
               "perf_family; those of the warehouse that is named with --db hold, else those "
               "that ship with tpq.",
    .options = options,
    .examples = examples,
    .run = run_model,
};
