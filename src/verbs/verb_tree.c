/* verb_tree: `tpq tree`, a part of the call tree as text. */
#include "query/ask/tree_text.h"
#include "query/report/identify.h"
#include "sql/database.h"
#include "src/base/visible.h"
#include "src/command/envelope_options.h"
#include "src/command/selection_options.h"
#include "src/command/session.h"

/* A call: an event, a trace, or the traces of runs. */
struct call {
    const struct arguments *arguments;
    struct warehouse *warehouse;
    struct tree_text_options options;
    int64_t id;               /* of the event */
    ARRAY(int64_t) traces;    /* that it is about */
    struct identity identity; /* the same in words */
    struct error *error;
};

static bool is_of_event(const struct arguments *arguments)
{
    return arguments->operands.count > 0;
}

/* ------------------------------------------------------------------ what it is about */

static bool add_trace(struct call *self, int64_t trace)
{
    int64_t *added = array_push(&self->traces);
    if (added)
        *added = trace;
    return added || error_memory(self->error);
}

/* The traces of the runs that are meant, one after another. */
static bool find_runs(struct call *self)
{
    struct run_list runs;
    if (!selection_options_runs(self->arguments, self->warehouse, false, &runs, self->error))
        return false;
    sqlite3_stmt *rows =
        warehouse_prepare(self->warehouse, "SELECT id, run_id FROM trace ORDER BY id", self->error);
    bool done = rows != NULL;
    while (warehouse_next(self->warehouse, rows, &done, self->error))
        if (run_list_has_trace(&runs, sqlite3_column_int64(rows, 1), sqlite3_column_int64(rows, 0)))
            done = add_trace(self, sqlite3_column_int64(rows, 0));
    sqlite3_finalize(rows);
    run_list_free(&runs);
    return done;
}

/* An event that is not there adds no trace. */
static bool find_traces(struct call *self)
{
    int64_t trace = 0;
    const char *sql = is_of_event(self->arguments)
                          ? "SELECT coalesce((SELECT trace_id FROM event WHERE id = ?1), 0)"
                          : "SELECT coalesce((SELECT id FROM trace WHERE id = ?1), 0)";
    if (arguments_any(self->arguments, "run label"))
        return find_runs(self);
    if (database_ask(self->warehouse->db, sql, self->id, &trace) != SQLITE_OK)
        return warehouse_error(self->warehouse, self->error);
    return !trace || add_trace(self, trace);
}

static bool add_words(struct identity *identity, const char *words, const char *value)
{
    struct text text = {0};
    bool done = text_format(&text, "%s%s%s", words, value ? " " : "", value ? value : "") &&
                identity_add(identity, "selection", IDENTITY_LIST, text.items);
    text_free(&text);
    return done;
}

static bool say_selection(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    const char *event = is_of_event(arguments) ? arguments->operands.items[0] : NULL;
    const char *trace = arguments_value(arguments, "trace");
    const char *depth = arguments_value(arguments, "depth");
    struct identity *identity = &self->identity;
    return (event   ? add_words(identity, arguments_has(arguments, "up") ? "above event" : "event",
                                event)
            : trace ? add_words(identity, "trace", trace)
                    : add_words(identity, "all events", NULL)) &&
           (!depth || add_words(identity, "depth", depth)) &&
           (!self->options.no_frames || add_words(identity, "without Python frames", NULL));
}

static bool identify_traces(struct call *self)
{
    struct selection selection = {0};
    struct text words = {0};
    bool is_empty;
    if (!find_traces(self))
        return false;
    selection.traces = self->traces.items;
    selection.trace_count = self->traces.count;
    bool done = !self->traces.count ||
                (selection_apply(self->warehouse, &selection, &is_empty, &words, self->error) &&
                 identify_traces_of(self->warehouse, &self->identity, self->error) &&
                 (say_selection(self) || error_memory(self->error)));
    text_free(&words);
    return done;
}

/* ------------------------------------------------------------------ saying it */

static bool print_tree(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    bool done = true;
    if (is_of_event(arguments))
        return arguments_has(arguments, "up")
                   ? tree_text_above(self->warehouse, self->id, &self->options, stdout, self->error)
                   : tree_text_below(self->warehouse, self->id, &self->options, stdout,
                                     self->error);
    if (arguments_has(arguments, "trace"))
        return tree_text_trace(self->warehouse, self->id, &self->options, stdout, self->error);
    for (size_t i = 0; i < self->traces.count && done; i++)
        done = tree_text_trace(self->warehouse, self->traces.items[i], &self->options, stdout,
                               self->error);
    return done;
}

static bool print_identity(const struct call *self)
{
    struct text line = {0};
    bool done = !self->traces.count ||
                (text_format(&line, "tpq %s · ", TPQ_VERSION) &&
                 identity_add_line(&self->identity, 0, &line)) ||
                error_memory(self->error);
    visible_print(text_view(&line), stdout);
    fputs(line.count ? "\n" : "", stdout);
    text_clear(&line);
    if (done && self->traces.count && identity_is_doubtful(&self->identity)) {
        visible_print(view_of(self->identity.health), stdout);
        fputc('\n', stdout);
    }
    fputs(self->traces.count ? "\n" : "", stdout);
    text_free(&line);
    return done;
}

/* For programs: one list of events, of whatever traces. */
static bool write_tree(struct call *self)
{
    static const char *const times[] = {"ts_ns", "dur_ns", "self_ns"};
    struct document document = {.out = stdout};
    document_begin(&document);
    identity_write(&self->identity, &document);
    document_open(&document, "units", '{');
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        document_text(&document, times[i], "ns");
    document_close(&document);
    document_close(&document);
    document_open(&document, "events", '[');
    self->options.document = &document;
    bool done = print_tree(self);
    return document_finish(&document, done ? self->error : NULL) && done;
}

/* For assistants and programs: the event first, whatever it is. Of the roots of traces those with
 * the most below them are the first. `top`: what has the depth 0. */
static bool send_envelope(struct call *self)
{
    static const char sql[] =
        "WITH root(id, is_out) AS (SELECT event.id, ?5 IS category.role FROM event JOIN category "
        "ON category.id = category_id WHERE NOT ?2 AND parent_id IS NULL AND trace_id IN "
        "(SELECT trace_id FROM scope)), "
        "top(id) AS (SELECT ?1 WHERE ?2 UNION ALL SELECT id FROM root WHERE NOT is_out UNION ALL "
        "SELECT below.id FROM root CROSS JOIN descendants(root.id, 1, ?5) AS below WHERE is_out), "
        "walk(id, depth, top) AS (SELECT id, 0, id FROM top UNION ALL "
        "SELECT below.id, below.depth, top.id FROM top CROSS JOIN descendants(top.id, ?3, ?5) AS "
        "below WHERE NOT ?4 UNION ALL "
        "SELECT above.id, -row_number() OVER (ORDER BY above.depth), ?1 FROM ancestors(?1) AS "
        "above JOIN event ON event.id = above.id JOIN category ON category.id = category_id "
        "WHERE ?4 AND category.role IS NOT ?5) "
        "SELECT 'event?trace=' || event.trace_id || '&uid=' || event.uid AS event_key, walk.depth "
        "AS depth, walk.id AS id, string.text AS name, category.name AS "
        "category, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, event.self_ns AS self_ns, "
        "(SELECT coalesce(sum(dur_ns), 0) FROM gpu_event WHERE gpu_event.id BETWEEN event.id AND "
        "event.last_id) AS gpu_ns, (SELECT count(*) FROM gpu_event WHERE gpu_event.id BETWEEN "
        "event.id AND event.last_id) AS gpu_events "
        "FROM walk JOIN event ON event.id = walk.id JOIN event AS top ON top.id = walk.top "
        "JOIN string ON string.id = event.name_id JOIN category ON category.id = event.category_id "
        "ORDER BY top.id - top.last_id, top.id, iif(?4, -walk.id, walk.id)";
    struct envelope_words words = {0};
    struct render_options render = {.form = form_of_mode("envelope"), .wish = &words.wish};
    bool done = envelope_words_read(&words, self->arguments, self->warehouse, self->error);
    sqlite3_stmt *rows = done ? warehouse_prepare(self->warehouse, sql, self->error) : NULL;
    if (rows) {
        sqlite3_bind_int64(rows, 1, self->id);
        sqlite3_bind_int(rows, 2, is_of_event(self->arguments));
        sqlite3_bind_int64(rows, 3, self->options.depth);
        sqlite3_bind_int(rows, 4, arguments_has(self->arguments, "up"));
        sqlite3_bind_text(rows, 5, self->options.no_frames ? "frame" : NULL, -1, SQLITE_STATIC);
    }
    done = rows && render_statement(rows, &render, stdout, self->warehouse->path, self->error);
    sqlite3_finalize(rows);
    envelope_words_free(&words);
    return done;
}

static bool run_tree(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct call self = {.arguments = arguments, .warehouse = &warehouse, .error = error};
    long depth;
    const char *trace = arguments_value(arguments, "trace");
    bool of_runs = arguments_any(arguments, "run label");
    size_t operands = trace || of_runs ? 0 : 1;
    if ((trace || of_runs) && is_of_event(arguments))
        return error_set(error, STATUS_USAGE, "tpq tree: either an event, or a trace or runs");
    if (!session_operands(arguments, operands, operands, error) ||
        !arguments_number(arguments, "depth", 1, 1000000000, 0, &depth, error))
        return false;
    if (trace && of_runs)
        return error_set(error, STATUS_USAGE, "tpq tree: either a trace, or runs");
    if (!of_runs && !session_integer(arguments, trace ? "trace number" : "event id",
                                     trace ? trace : arguments->operands.items[0], &self.id, error))
        return false;
    if ((trace || of_runs) && arguments_has(arguments, "up"))
        return error_set(error, STATUS_USAGE, "tpq tree: --up needs an event, not a trace");
    self.options = (struct tree_text_options){depth ? depth : INT64_MAX,
                                              arguments_has(arguments, "no-python"), NULL};
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    bool done = identify_traces(&self);
    if (done)
        done = arguments_has(arguments, "envelope") ? send_envelope(&self)
               : arguments_has(arguments, "json")   ? write_tree(&self)
                                                    : print_identity(&self) && print_tree(&self);
    array_free(&self.traces);
    identity_free(&self.identity);
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"trace", 0, "TRACE", "a whole trace, by its number", NULL},
    {"run", 0, "NAME", "all traces of " RUN_OPTION_WORDS, NULL},
    OPTION_LABEL,
    {"up", 0, NULL, "the way from the root down to the event", NULL},
    {"depth", 0, "N", "show only so many levels", NULL},
    {"no-python", 0, NULL, "pass over Python frames", NULL},
    OPTION_JSON,
    OPTION_ENVELOPE,
    OPTION_ENVELOPE_TOP,
    OPTIONS_ENVELOPE,
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
    .summary = "print the call tree around an event",
    .details = "Prints one line an event: its name, duration, time without its children, start, "
               "and id. A GPU activity stands below its launch, marked with >, and what counters "
               "say of it below, marked with =. A whole trace ends with the counters that were "
               "sampled. Ids of events come from SQL: SELECT id, name FROM slice.",
    .options = options,
    .examples = examples,
    .run = run_tree,
};
