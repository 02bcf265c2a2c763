/* verb_rm: `tpq rm`, which takes runs or single traces out of a warehouse. */
#include "sql/asked.h"
#include "sql/warehouse/belongings.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"

#include <string.h>

enum { DAYS_MOST = 100000 };

/* The runs that were named, and all traces that go; for SQL as JSON lists, too. */
struct doomed {
    ARRAY(int64_t) runs, traces;
    struct text run_list, trace_list;
    int64_t events;
};

static void add_doomed(struct text *list, int64_t id)
{
    text_format(list, list->count > 1 ? ",%lld" : "%lld", (long long)id);
}

/* Finds what operands, labels, age and --trace mean. */
static bool choose_doomed(const struct arguments *arguments, struct warehouse *warehouse,
                          struct run_list *chosen, struct text *traces, struct error *error)
{
    const char **labels = arguments_values(arguments, "label");
    const char **names = memory_zeroed(arguments->operands.count + 1, sizeof *names);
    for (size_t i = 0; i < arguments->operands.count; i++)
        names[i] = arguments->operands.items[i];
    bool by_age = arguments_has(arguments, "older-than");
    struct run_choice choice = {names, labels, .whole = by_age};
    if ((run_choice_is_given(&choice) || by_age) &&
        !run_choice_find(warehouse, &choice, chosen, error))
        return false;
    for (size_t i = 0; i < chosen->traces.count; i++)
        add_doomed(traces, chosen->traces.items[i].id);
    for (const char **trace = arguments_values(arguments, "trace"); *trace; trace++) {
        int64_t id, is_there = 0;
        if (!session_integer(arguments, "trace number", *trace, &id, error) ||
            !warehouse_ask(warehouse, "SELECT 1 FROM trace WHERE id = ?1", id, &is_there, error))
            return false;
        if (!is_there)
            return error_set(error, STATUS_USAGE, "%s: there is no trace %s; see tpq traces",
                             warehouse->path, *trace);
        add_doomed(traces, id);
    }
    return true;
}

/* Keeps of the runs that are meant only those into which nothing came for some days, where that is
 * asked; with all their traces. */
static bool collect(const struct arguments *arguments, struct warehouse *warehouse,
                    struct doomed *doomed, struct error *error)
{
    long days;
    struct run_list chosen = {0};
    struct text among = {0}, traces = {0};
    struct asked rows;
    int64_t id, events;
    text_add_byte(&among, '[');
    text_add_byte(&traces, '[');
    text_add_byte(&doomed->run_list, '[');
    text_add_byte(&doomed->trace_list, '[');
    if (!arguments_number(arguments, "older-than", 0, DAYS_MOST, -1, &days, error) ||
        !choose_doomed(arguments, warehouse, &chosen, &traces, error))
        return false;
    for (size_t i = 0; i < chosen.count; i++)
        add_doomed(&among, chosen.items[i]);
    text_add_byte(&among, ']');
    text_add_byte(&traces, ']');
    ASK(&rows, warehouse->db,
        "SELECT id FROM run WHERE id IN (SELECT value FROM json_each(?1)) AND (?2 < 0 OR "
        "coalesce((SELECT max(ingested_at) FROM trace WHERE run_id = run.id), created_at) "
        "< datetime('now', format('-%d days', ?2))) ORDER BY id",
        among.items, days);
    while (ASKED_ROW(&rows, &id)) {
        array_add(&doomed->runs, id);
        add_doomed(&doomed->run_list, id);
    }
    text_add_byte(&doomed->run_list, ']');
    if (!asked_done(&rows, warehouse->path, error))
        return false;
    ASK(&rows, warehouse->db,
        "SELECT id, last_event - first_event + 1 FROM trace WHERE run_id IN (SELECT value FROM "
        "json_each(?1)) OR id IN (SELECT value FROM json_each(?2)) ORDER BY id",
        doomed->run_list.items, traces.items);
    while (ASKED_ROW(&rows, &id, &events)) {
        array_add(&doomed->traces, id);
        add_doomed(&doomed->trace_list, id);
        doomed->events += events;
    }
    text_add_byte(&doomed->trace_list, ']');
    return asked_done(&rows, warehouse->path, error);
}

/* "2 traces, 1,234 events" */
static void print_counts(int64_t traces, int64_t events)
{
    printf("%lld trace%s", (long long)traces, traces == 1 ? "" : "s");
    session_print_count(stdout, ", ", events, "event\n", "events\n");
}

/* Each run that goes, while it is there. */
static bool print_runs(struct warehouse *warehouse, const struct doomed *doomed,
                       struct error *error)
{
    struct asked runs;
    const char *name;
    int64_t traces, events;
    ASK(&runs, warehouse->db,
        "SELECT name, count(trace.id), coalesce(sum(last_event - first_event + 1), 0) FROM run "
        "LEFT JOIN trace ON run_id = run.id WHERE run.id IN (SELECT value FROM json_each(?1)) "
        "GROUP BY run.id ORDER BY run.id",
        doomed->run_list.items);
    while (ASKED_ROW(&runs, &name, &traces, &events)) {
        fputs("run ", stdout);
        session_print(stdout, name);
        fputs(": ", stdout);
        print_counts(traces, events);
    }
    return asked_done(&runs, warehouse->path, error);
}

/* Says which pins mean nothing afterwards. */
static bool say_pins(struct warehouse *warehouse, const struct doomed *doomed, struct error *error)
{
    struct asked pins;
    const char *words;
    ASK(&pins, warehouse->db,
        "SELECT DISTINCT '@' || setting.name || ' loses its run ' || run.name FROM setting JOIN "
        "run ON run.name = value LEFT JOIN trace ON run_id = run.id WHERE setting.name GLOB "
        "'pin:*' AND (run.id IN (SELECT value FROM json_each(?1)) OR trace.id IN (SELECT value "
        "FROM json_each(?2))) ORDER BY 1",
        doomed->run_list.items, doomed->trace_list.items);
    while (ASKED_ROW(&pins, &words))
        session_say(view_of(words));
    return asked_done(&pins, warehouse->path, error);
}

/* In one transaction, so that nothing comes in between what is found and what is deleted. */
static bool remove_all(const struct arguments *arguments, struct warehouse *warehouse,
                       struct doomed *doomed, struct error *error)
{
    const char *begin = arguments_has(arguments, "dry-run") ? "BEGIN" : "BEGIN IMMEDIATE";
    bool done = warehouse_run(warehouse, begin, error);
    done = done && collect(arguments, warehouse, doomed, error);
    done = done && (arguments_has(arguments, "quiet") ||
                    (print_runs(warehouse, doomed, error) && say_pins(warehouse, doomed, error)));
    done = done && session_printed("nothing was removed", error);
    if (done && arguments_has(arguments, "dry-run"))
        return warehouse_run(warehouse, "ROLLBACK", error);
    for (size_t i = 0; i < doomed->traces.count && done; i++)
        done = belongings_delete_trace(warehouse, doomed->traces.items[i], error);
    for (size_t i = 0; i < doomed->runs.count && done; i++)
        done = belongings_delete_run(warehouse, doomed->runs.items[i], error);
    if (done && warehouse_run(warehouse, "COMMIT", error))
        return true;
    sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* Takes out what nothing refers to any more, and gives the space back. */
static bool vacuum(struct warehouse *warehouse, struct error *error)
{
    if (warehouse_run(warehouse, "BEGIN IMMEDIATE", error) && belongings_clean(warehouse, error) &&
        warehouse_run(warehouse, "COMMIT", error))
        return warehouse_attach(warehouse, "VACUUM", error);
    sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool shrinks(const struct arguments *arguments)
{
    return arguments_has(arguments, "shrink") || arguments_has(arguments, "vacuum");
}

/* How much of the file is free, and who gives it back. */
static bool say_free(struct warehouse *warehouse, struct error *error)
{
    int64_t bytes = 0;
    bool done = warehouse_ask(
        warehouse, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
        0, &bytes, error);
    double megabytes = (double)bytes / 1e6;
    if (megabytes >= 0.1)
        printf("%.1f MB of %s are free for the next ingest; tpq rm --shrink gives them back\n",
               megabytes, warehouse->path);
    return done;
}

static bool run_rm(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct doomed doomed = {0};
    bool is_dry = arguments_has(arguments, "dry-run");
    if (!arguments->operands.count && !arguments_has(arguments, "trace") &&
        !arguments_has(arguments, "label") && !arguments_has(arguments, "older-than") &&
        !shrinks(arguments))
        return session_operands(arguments, 1, SIZE_MAX, error);
    if (!session_open(arguments, is_dry ? WAREHOUSE_READ : WAREHOUSE_WRITE, &warehouse, error))
        return false;
    bool done = remove_all(arguments, &warehouse, &doomed, error);
    if (done && !is_dry && shrinks(arguments))
        done = vacuum(&warehouse, error) ||
               error_context(error, "removed, but the file was not shrunk");
    if (done && !arguments_has(arguments, "quiet")) {
        fputs(is_dry ? "would remove " : "removed ", stdout);
        print_counts((int64_t)doomed.traces.count, doomed.events);
        done = (is_dry || say_free(&warehouse, error)) &&
               session_printed(is_dry ? "nothing was removed" : "the traces are removed", error);
    }
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    OPTION_LABEL,
    {"trace", 0, "TRACE", "remove this trace, by its number; may be repeated", NULL},
    {"older-than", 0, "DAYS",
     "only runs into which nothing came for so many days; without RUN and --label: of all", NULL},
    {"dry-run", 'n', NULL, "only say what would go", NULL},
    {"shrink", 0, NULL, "also drop unused texts, and give the free space back to the system", NULL},
    {"vacuum", 0, NULL, "former name of --shrink", NULL},
    OPTION_WAIT,
    {"quiet", 'q', NULL, "print nothing but failures", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq rm baseline tuned", "two runs with all their traces"},
    {"tpq rm --dry-run 'bert*' --label pr=812", "what a pattern and a label mean"},
    {"tpq rm --older-than 90 'ci-*' --shrink", "what is kept for a quarter of a year"},
    {"tpq rm --trace 7 --shrink", "one trace, and the file gets smaller"},
    {NULL, NULL},
};

const struct verb verb_rm = {
    .name = "rm",
    .operands = "[OPTION]... RUN...",
    .also = "delete remove",
    .summary = "remove runs or traces",
    .details = "Removes runs with all their traces, or single traces, and says which. " RUN_WORDS
               " A pin whose run goes is named, and means nothing until another run is kept so. "
               "The next ingest uses the free space. --shrink gives it back to the system.",
    .takes_warehouses = true,
    .options = options,
    .examples = examples,
    .run = run_rm,
};
