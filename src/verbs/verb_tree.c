/* verb_tree: `tpq tree`, a part of the call tree as text. */
#include "query/report/identify.h"
#include "sql/asked.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/document.h"
#include "src/base/number.h"
#include "src/base/text.h"
#include "src/base/visible.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"
#include "src/verbs/verb_tree.sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the tree as text */

/* Columns that every query about events gives. */
#define COLUMNS                                                                           \
    "event.id, event.last_id, string.text, category.role, event.ts_ns, event.dur_ns, "    \
    "event.self_ns, gpu_event.device, gpu_event.stream, event.trace_id, event.track_id, " \
    "event.parent_id "
#define JOINS                                                                                    \
    "JOIN string ON string.id = event.name_id JOIN category ON category.id = event.category_id " \
    "LEFT JOIN gpu_event ON gpu_event.id = event.id "

struct tree_event {
    const char *name, *role;
    int64_t id, last, start, duration, own, trace, track;
    int64_t device, stream, parent; /* INT64_MIN: none */
};

static bool next_event(struct asked *events, struct tree_event *event)
{
    return ASKED_ROW(events, &event->id, &event->last, &event->name, &event->role, &event->start,
                     &event->duration, &event->own, OR_NONE(&event->device),
                     OR_NONE(&event->stream), &event->trace, &event->track,
                     OR_NONE(&event->parent));
}

/* A call: an event, a trace, or the traces of runs. */
struct tree_call {
    const struct arguments *arguments;
    struct warehouse *warehouse;
    struct error *error;
    int64_t depth;             /* levels to show; INT64_MAX = all */
    bool no_frames;            /* pass over Python frames */
    struct document *document; /* gets an object for each event into a list that is open in it,
                                * instead of text; NULL */
    int64_t id;                /* of the event, or the trace */
    ARRAY(int64_t) traces;     /* that it is about */
    struct identity identity;  /* the same in words */

    /* while it is printed */
    ARRAY(int64_t) open; /* last ids of the events shown above */
    struct text line;
    struct asked counters; /* those of one event */
};

/* Deeper events get no more indent: the text would grow with the square of the depth. */
enum { DEEPEST_INDENT = 200 };

static int tree_indent(size_t depth)
{
    return 2 * (int)(depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT);
}

static void print_line(struct text *line)
{
    text_add_byte(line, '\n');
    fwrite(line->items, 1, line->count, stdout);
    text_clear(line);
}

/* NAME  DURATION (self SELF)  @START  #ID */
static void print_event(struct text *line, const struct tree_event *event, size_t depth)
{
    bool on_gpu = strcmp(event->role, "gpu") == 0;
    text_format(line, "%*s%s", tree_indent(depth), "", on_gpu ? "> " : "");
    visible_add(line, view_of(event->name));
    text_add_string(line, "  ");
    number_add_time(line, event->duration);
    if (!on_gpu && event->own != event->duration) {
        text_add_string(line, " (self ");
        number_add_time(line, event->own);
        text_add_byte(line, ')');
    }
    text_add_string(line, "  @");
    number_add_time(line, event->start);
    if (event->stream != INT64_MIN)
        text_format(line, "  device %lld stream %lld", (long long)event->device,
                    (long long)event->stream);
    text_format(line, "  #%lld", (long long)event->id);
    print_line(line);
}

/* Ends with the unit of a counter, which may be NULL. */
static void print_unit(struct text *line, const char *unit)
{
    if (unit) {
        text_add_byte(line, ' ');
        visible_add(line, view_of(unit));
    }
    print_line(line);
}

/* Counters of work stand below it: = NAME VALUE UNIT */
static void print_counters(struct tree_call *self, int64_t id, size_t depth)
{
    const char *name, *unit;
    int64_t instance;
    double value;
    if (!self->counters.db)
        asked_open(&self->counters, self->warehouse->db,
                   "SELECT name, unit, instance, value FROM gpu_counter JOIN counter_track ON "
                   "counter_track.id = counter_id WHERE gpu_counter.id = ?1 ORDER BY name, "
                   "instance");
    ASKED_ABOUT(&self->counters, id);
    while (ASKED_ROW(&self->counters, &name, OR_NULL(&unit), &instance, &value)) {
        text_format(&self->line, "%*s= ", tree_indent(depth) + 4, "");
        visible_add(&self->line, view_of(name));
        if (instance > 0)
            text_format(&self->line, "[%lld]", (long long)instance);
        text_add_byte(&self->line, ' ');
        number_add_rounded(&self->line, value, "");
        print_unit(&self->line, unit);
    }
}

static void write_event(struct document *document, const struct tree_event *event, size_t depth)
{
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"id", event->id},          {"parent_id", event->parent}, {"trace_id", event->trace},
        {"track_id", event->track}, {"ts_ns", event->start},      {"dur_ns", event->duration},
        {"self_ns", event->own},    {"device", event->device},    {"stream", event->stream}};
    document_open(document, NULL, '{');
    document_integer(document, "depth", (int64_t)depth);
    document_text(document, "name", event->name);
    document_text(document, "role", event->role);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value == INT64_MIN)
            document_text(document, numbers[i].key, NULL);
        else
            document_integer(document, numbers[i].key, numbers[i].value);
    document_close(document);
}

/* Prints the events of a question, in preorder, and counts them. */
static bool print_events(struct tree_call *self, const char *sql, int64_t first, int64_t second,
                         int64_t *count)
{
    struct asked events;
    struct tree_event event;
    ASK(&events, self->warehouse->db, sql, first, second);
    for (*count = 0;
         !ferror(stdout) && (!self->counters.db || asked_code(&self->counters) == SQLITE_OK) &&
         next_event(&events, &event);
         ++*count) {
        while (self->open.count && self->open.items[self->open.count - 1] < event.id)
            self->open.count--;
        if (self->no_frames && strcmp(event.role, "frame") == 0)
            continue;
        size_t depth = self->open.count;
        array_add(&self->open, event.last);
        if ((int64_t)depth >= self->depth)
            continue;
        if (self->document) {
            write_event(self->document, &event, depth);
            continue;
        }
        print_event(&self->line, &event, depth);
        if (strcmp(event.role, "gpu") == 0)
            print_counters(self, event.id, depth);
    }
    self->open.count = 0;
    return asked_done(&events, self->warehouse->path, self->error);
}

/* ?1 with the ?2 - 1 nearest events above it that fulfil a condition. */
#define WAY_UP(condition)                                                                  \
    "SELECT " COLUMNS "FROM (SELECT id FROM (SELECT above.id FROM ancestors(?1) AS above " \
    "JOIN event ON event.id = above.id JOIN category ON category.id = "                    \
    "event.category_id " condition " ORDER BY depth LIMIT ?2 - 1) "                        \
    "UNION ALL SELECT ?1) AS way JOIN event ON event.id = way.id " JOINS "ORDER BY event.id"

/* ------------------------------------------------------------------ a whole trace */

static bool print_tracks(struct tree_call *self, int64_t trace)
{
    struct text *line = &self->line;
    struct asked tracks;
    int64_t first, last, count;
    const char *kind, *process, *thread, *name;
    bool done = true;
    ASK(&tracks, self->warehouse->db,
        "SELECT first_event, last_event, kind, process, thread, thread_name FROM track "
        "WHERE trace_id = ?1 AND last_event >= first_event ORDER BY first_event",
        trace);
    while (done && !ferror(stdout) &&
           ASKED_ROW(&tracks, &first, &last, &kind, &process, &thread, OR_NULL(&name))) {
        bool is_stream = strcmp(kind, "stream") == 0;
        text_add_string(line, is_stream                     ? "device "
                              : strcmp(kind, "thread") == 0 ? "process "
                                                            : "marks of process ");
        visible_add(line, view_of(process));
        text_add_string(line, is_stream ? " stream " : " thread ");
        visible_add(line, view_of(thread));
        if (name) {
            text_add_string(line, " - ");
            visible_add(line, view_of(name));
        }
        if (!self->document)
            print_line(line);
        text_clear(line);
        done = print_events(self,
                            "SELECT " COLUMNS "FROM event " JOINS
                            "WHERE event.id BETWEEN ?1 AND ?2 ORDER BY event.id",
                            first, last, &count);
    }
    return asked_done(&tracks, self->warehouse->path, self->error) && done;
}

/* counter NAME, device 0, process 7: 12 samples, 0 to 98 % */
static bool print_sampled(struct tree_call *self, int64_t trace)
{
    struct text *line = &self->line;
    struct asked counters;
    const char *name, *unit, *place;
    int64_t device, count;
    double least, most;
    ASK(&counters, self->warehouse->db,
        "SELECT name, unit, device, place, count(*), min(value), max(value) FROM counter_track "
        "JOIN counter_sample ON counter_id = counter_track.id WHERE trace_id = ?1 "
        "GROUP BY counter_track.id ORDER BY device, place, name, unit",
        trace);
    while (!ferror(stdout) && ASKED_ROW(&counters, &name, OR_NULL(&unit), OR_NONE(&device),
                                        OR_NULL(&place), &count, &least, &most)) {
        text_add_string(line, "counter ");
        visible_add(line, view_of(name));
        if (device != INT64_MIN)
            text_format(line, ", device %lld", (long long)device);
        if (place) {
            text_add_string(line, ", ");
            visible_add(line, view_of(place));
        }
        text_add_string(line, ": ");
        number_add_grouped(line, count);
        text_add_string(line, count == 1 ? " sample, " : " samples, ");
        number_add_rounded(line, least, "");
        text_add_string(line, " to ");
        number_add_rounded(line, most, "");
        print_unit(line, unit);
    }
    return asked_done(&counters, self->warehouse->path, self->error);
}

static bool print_trace(struct tree_call *self, int64_t trace)
{
    int64_t is_there = 0;
    return warehouse_ask(self->warehouse, "SELECT 1 FROM trace WHERE id = ?1", trace, &is_there,
                         self->error) &&
           (is_there ||
            error_set(self->error, STATUS_USAGE, "%s: there is no trace %lld; see tpq traces",
                      self->warehouse->path, (long long)trace)) &&
           print_tracks(self, trace) && (self->document || print_sampled(self, trace));
}

/* ------------------------------------------------------------------ what it is about */

/* Ids are numbers; any other word means runs. */
static bool is_of_event(const struct arguments *arguments)
{
    const char *word = arguments->operands.count ? arguments->operands.items[0] : "";
    return *word && !word[strspn(word, "-0123456789")];
}

/* An event that is not there has no trace. */
static bool find_tree_traces(struct tree_call *self)
{
    int64_t trace = 0;
    const char *sql = is_of_event(self->arguments)
                          ? "SELECT coalesce((SELECT trace_id FROM event WHERE id = ?1), 0)"
                          : "SELECT coalesce((SELECT id FROM trace WHERE id = ?1), 0)";
    bool is_named = !is_of_event(self->arguments) && self->arguments->operands.count;
    if (is_named || arguments_any(self->arguments, "run label")) {
        /* The traces of the runs that are meant, one after another. */
        struct run_list runs;
        const char *names[] = {is_named ? self->arguments->operands.items[0] : NULL, NULL};
        struct run_choice choice = {.names = names};
        if (is_named ? !run_choice_find(self->warehouse, &choice, &runs, self->error)
                     : !selection_options_runs(self->arguments, self->warehouse, false, &runs,
                                               self->error))
            return false;
        struct asked traces;
        int64_t id, run;
        asked_open(&traces, self->warehouse->db, "SELECT id, run_id FROM trace ORDER BY id");
        while (ASKED_ROW(&traces, &id, &run))
            if (run_list_has_trace(&runs, run, id))
                array_add(&self->traces, id);
        return asked_done(&traces, self->warehouse->path, self->error);
    }
    if (database_ask(self->warehouse->db, sql, self->id, &trace) != SQLITE_OK)
        return warehouse_error(self->warehouse, self->error);
    if (trace)
        array_add(&self->traces, trace);
    return true;
}

static void add_tree_words(struct identity *identity, const char *words, const char *value)
{
    struct text text = {0};
    text_format(&text, "%s%s%s", words, value ? " " : "", value ? value : "");
    identity_add(identity, "selection", IDENTITY_LIST, text.items);
}

static bool identify_traces(struct tree_call *self)
{
    struct text words = {0};
    bool is_empty;
    if (!find_tree_traces(self))
        return false;
    if (!self->traces.count)
        return true;
    struct selection selection = {.traces = self->traces.items, .trace_count = self->traces.count};
    if (!selection_apply(self->warehouse, &selection, &is_empty, &words, self->error) ||
        !identify_traces_of(self->warehouse, &self->identity, self->error))
        return false;
    const struct arguments *arguments = self->arguments;
    const char *trace = arguments_value(arguments, "trace");
    const char *depth = arguments_value(arguments, "depth");
    if (is_of_event(arguments))
        add_tree_words(&self->identity, arguments_has(arguments, "up") ? "above event" : "event",
                       arguments->operands.items[0]);
    else
        add_tree_words(&self->identity, trace ? "trace" : "all events", trace);
    if (depth)
        add_tree_words(&self->identity, "depth", depth);
    if (self->no_frames)
        add_tree_words(&self->identity, "without Python frames", NULL);
    return true;
}

/* ------------------------------------------------------------------ saying it */

/* The way down to an event, or the event and all below it. */
static bool print_around(struct tree_call *self)
{
    int64_t rows, depth = self->depth;
    bool is_up = arguments_has(self->arguments, "up");
    if (is_up) /* it may be longer than the options allow: then the outermost ones are left out */
        self->depth = INT64_MAX;
    return print_events(self,
                        !is_up ? "SELECT " COLUMNS "FROM event AS top CROSS JOIN event "
                                 "ON event.id BETWEEN top.id AND top.last_id " JOINS
                                 "WHERE top.id = ?1 ORDER BY event.id"
                        : self->no_frames ? WAY_UP("WHERE role <> 'frame'")
                                          : WAY_UP(""),
                        self->id, depth, &rows) &&
           (rows || error_set(self->error, STATUS_USAGE, "%s: there is no event %lld",
                              self->warehouse->path, (long long)self->id));
}

static bool print_tree(struct tree_call *self)
{
    bool is_event = is_of_event(self->arguments);
    bool is_trace = arguments_has(self->arguments, "trace");
    bool done = is_event ? print_around(self) : !is_trace || print_trace(self, self->id);
    for (size_t i = 0; i < self->traces.count && done && !is_event && !is_trace; i++)
        done = print_trace(self, self->traces.items[i]);
    done =
        (!self->counters.db || asked_done(&self->counters, self->warehouse->path, self->error)) &&
        done;
    return done && ((fflush(stdout) == 0 && !ferror(stdout)) ||
                    error_set(self->error, STATUS_DATABASE, "the output cannot be written: %s",
                              strerror(errno)));
}

static void print_tree_identity(const struct tree_call *self)
{
    struct text line = {0};
    if (!self->traces.count)
        return;
    text_format(&line, "tpq %s · ", TPQ_VERSION);
    identity_add_line(&self->identity, 0, &line);
    visible_print(text_view(&line), stdout);
    fputc('\n', stdout);
    if (identity_is_doubtful(&self->identity)) {
        visible_print(view_of(self->identity.health), stdout);
        fputc('\n', stdout);
    }
    fputc('\n', stdout);
}

/* For assistants and programs. */
static bool send_tree_envelope(struct tree_call *self)
{
    struct envelope_words words = {0};
    struct render_options render = {.form = form_of_mode("envelope"), .wish = &words.wish};
    bool done = envelope_words_read(&words, self->arguments, self->warehouse, self->error);
    sqlite3_stmt *rows = done ? warehouse_prepare(self->warehouse, tree_rows, self->error) : NULL;
    if (rows) {
        sqlite3_bind_int64(rows, 1, self->id);
        sqlite3_bind_int(rows, 2, is_of_event(self->arguments));
        sqlite3_bind_int64(rows, 3, self->depth);
        sqlite3_bind_int(rows, 4, arguments_has(self->arguments, "up"));
        sqlite3_bind_text(rows, 5, self->no_frames ? "frame" : NULL, -1, SQLITE_STATIC);
    }
    done = rows && render_statement(rows, &render, stdout, self->warehouse->path, self->error);
    database_finalize(rows);
    return done;
}

static bool run_tree(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct tree_call self = {.arguments = arguments, .warehouse = &warehouse, .error = error};
    long depth;
    const char *trace = arguments_value(arguments, "trace");
    bool of_runs = arguments_any(arguments, "run label");
    size_t operands = trace || of_runs ? 0 : 1;
    if ((trace || of_runs) && arguments->operands.count)
        return error_set(error, STATUS_USAGE, "tpq tree: either an event, or a trace or runs");
    if (!session_operands(arguments, operands, operands, error) ||
        !arguments_number(arguments, "depth", 1, 1000000000, 0, &depth, error))
        return false;
    if (trace && of_runs)
        return error_set(error, STATUS_USAGE, "tpq tree: either a trace, or runs");
    of_runs |= operands && !is_of_event(arguments);
    if (!of_runs && !session_integer(arguments, trace ? "trace number" : "event id",
                                     trace ? trace : arguments->operands.items[0], &self.id, error))
        return false;
    if ((trace || of_runs) && arguments_has(arguments, "up"))
        return error_set(error, STATUS_USAGE, "tpq tree: --up needs an event, not a trace");
    self.depth = depth ? depth : INT64_MAX;
    self.no_frames = arguments_has(arguments, "no-python");
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    bool done = identify_traces(&self);
    if (done && arguments_has(arguments, "envelope")) {
        done = send_tree_envelope(&self);
    } else if (done && arguments_has(arguments, "json")) {
        /* For programs: one list of events, of whatever traces. */
        static const char *const times[] = {"ts_ns", "dur_ns", "self_ns"};
        struct document document = {.out = stdout};
        document_begin(&document);
        identity_write(&self.identity, &document);
        document_open(&document, "units", '{');
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            document_text(&document, times[i], "ns");
        document_close(&document);
        document_close(&document);
        document_open(&document, "events", '[');
        self.document = &document;
        done = print_tree(&self);
        document_finish(&document);
    } else if (done) {
        print_tree_identity(&self);
        done = print_tree(&self);
    }
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
    .operands = "[OPTION]... EVENT | RUN | --trace TRACE",
    .summary = "print the call tree around an event",
    .details = "Prints one line an event: its name, duration, time without its children, start, "
               "and id. A GPU activity stands below its launch, marked with >, and what counters "
               "say of it below, marked with =. A whole trace ends with the counters that were "
               "sampled. Ids of events come from SQL: SELECT id, name FROM slice.",
    .options = options,
    .examples = examples,
    .run = run_tree,
};
