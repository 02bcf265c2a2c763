/* verb_tree: `tpq tree`, a part of the call tree as text. */
#include "query/ask/tree_text.h"
#include "src/command/selection_options.h"
#include "src/command/session.h"

/* The traces of the runs that are meant, one after another. */
static bool print_runs(const struct arguments *arguments, struct warehouse *warehouse,
                       const struct tree_text_options *options, struct error *error)
{
    struct run_list runs;
    if (!selection_options_runs(arguments, warehouse, &runs, error))
        return false;
    sqlite3_stmt *rows =
        warehouse_prepare(warehouse, "SELECT id, run_id FROM trace ORDER BY id", error);
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error))
        if (run_list_has(&runs, sqlite3_column_int64(rows, 1)))
            done =
                tree_text_trace(warehouse, sqlite3_column_int64(rows, 0), options, stdout, error);
    sqlite3_finalize(rows);
    array_free(&runs);
    return done;
}

static bool print_tree(const struct arguments *arguments, struct warehouse *warehouse, int64_t id,
                       const struct tree_text_options *options, struct error *error)
{
    if (arguments_has(arguments, "run") || arguments_has(arguments, "label"))
        return print_runs(arguments, warehouse, options, error);
    if (arguments_has(arguments, "trace"))
        return tree_text_trace(warehouse, id, options, stdout, error);
    if (arguments_has(arguments, "up"))
        return tree_text_above(warehouse, id, options, stdout, error);
    return tree_text_below(warehouse, id, options, stdout, error);
}

/* For programs: one list of events, of whatever traces. */
static bool write_tree(const struct arguments *arguments, struct warehouse *warehouse, int64_t id,
                       struct tree_text_options *options, struct error *error)
{
    static const char *const times[] = {"ts_ns", "dur_ns", "self_ns"};
    struct document document = {.out = stdout};
    document_begin(&document);
    document_open(&document, "units", '{');
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        document_text(&document, times[i], "ns");
    document_close(&document);
    document_close(&document);
    document_open(&document, "events", '[');
    options->document = &document;
    bool done = print_tree(arguments, warehouse, id, options, error);
    return document_finish(&document, done ? error : NULL) && done;
}

static bool run_tree(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    long depth;
    int64_t id = 0;
    const char *trace = arguments_value(arguments, "trace");
    bool of_runs = arguments_has(arguments, "run") || arguments_has(arguments, "label");
    size_t operands = trace || of_runs ? 0 : 1;
    if (!session_operands(arguments, operands, operands, error) ||
        !arguments_number(arguments, "depth", 1, 1000000000, 0, &depth, error))
        return false;
    if (trace && of_runs)
        return error_set(error, STATUS_USAGE, "tpq tree: either a trace, or runs");
    if (!of_runs && !session_integer(arguments, trace ? "trace number" : "event id",
                                     trace ? trace : arguments->operands.items[0], &id, error))
        return false;
    if ((trace || of_runs) && arguments_has(arguments, "up"))
        return error_set(error, STATUS_USAGE, "tpq tree: --up needs an event, not a trace");
    struct tree_text_options options = {depth ? depth : INT64_MAX,
                                        arguments_has(arguments, "no-python"), NULL};
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    bool done = arguments_has(arguments, "json")
                    ? write_tree(arguments, &warehouse, id, &options, error)
                    : print_tree(arguments, &warehouse, id, &options, error);
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"trace", 0, "TRACE", "a whole trace, by its number", NULL},
    {"run", 0, "NAME", "all traces of a run; may be repeated", NULL},
    OPTION_LABEL,
    {"up", 0, NULL, "the way from the root down to the event", NULL},
    {"depth", 0, "N", "show only so many levels", NULL},
    {"no-python", 0, NULL, "pass over Python frames", NULL},
    OPTION_JSON,
    OPTION_WAIT,
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq tree 4711", "what event 4711 called and launched"},
    {"tpq tree 4711 --up --no-python", "which ops it was called from"},
    {"tpq tree --trace 1 --depth 2 | less", "an overview of a trace"},
    {NULL, NULL},
};

const struct verb verb_tree = {
    .name = "tree",
    .operands = "[OPTION]... EVENT | --trace TRACE | --run NAME",
    .summary = "show the call tree below or above an event",
    .details = "Prints one line an event: its name, duration, time without its children, start, "
               "and id. Accelerator work stands below the call that launched it, marked with >, "
               "and what counters say of it below, marked with =. A whole trace ends with the "
               "counters that were sampled. "
               "Ids of events come from SQL: SELECT id, name FROM slice.",
    .options = options,
    .examples = examples,
    .run = run_tree,
};
