/* verb_tree: `tpq tree`, a part of the call tree as text. */
#include "query/ask/tree_text.h"
#include "src/command/session.h"

static bool run_tree(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    long depth;
    int64_t id;
    const char *trace = arguments_value(arguments, "trace");
    if (!session_operands(arguments, trace ? 0 : 1, trace ? 0 : 1, error) ||
        !arguments_number(arguments, "depth", 1, 1000000000, 0, &depth, error) ||
        !session_integer(arguments, trace ? "trace number" : "event id",
                         trace ? trace : arguments->operands.items[0], &id, error))
        return false;
    if (trace && arguments_has(arguments, "up"))
        return error_set(error, STATUS_USAGE, "tpq tree: --up needs an event, not a trace");
    struct tree_text_options options = {depth ? depth : INT64_MAX,
                                        arguments_has(arguments, "no-python")};
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    bool done = trace ? tree_text_trace(&warehouse, id, &options, stdout, error)
                : arguments_has(arguments, "up")
                    ? tree_text_above(&warehouse, id, &options, stdout, error)
                    : tree_text_below(&warehouse, id, &options, stdout, error);
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"trace", 0, "TRACE", "a whole trace, by its number", NULL},
    {"up", 0, NULL, "the way from the root down to the event", NULL},
    {"depth", 0, "N", "show only so many levels", NULL},
    {"no-python", 0, NULL, "pass over Python frames", NULL},
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
    .operands = "[OPTION]... EVENT | --trace TRACE",
    .summary = "show the call tree below or above an event",
    .details = "Prints one line an event: its name, duration, time without its children, start, "
               "and id. Accelerator work stands below the call that launched it, marked with >. "
               "Ids of events come from SQL: SELECT id, name FROM slice.",
    .options = options,
    .examples = examples,
    .run = run_tree,
};
