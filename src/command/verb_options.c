/* verb_options: Structs of options borrow their words from the command line. The hash of a call
 * leaves out cursor, top and max-tokens, so that a cursor continues the same question, and adds up
 * options in any order. Of many traces an envelope lists eight. */
#include "src/command/verb_options.h"

#include "sql/asked.h"
#include "src/base/hash.h"
#include "src/base/visible.h"
#include "src/command/option.h"
#include "src/command/session.h"
#include "src/command/verb_options.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ selection */

static void read_selection_lists(const struct arguments *arguments,
                                 struct selection_options *options)
{
    options->runs = arguments_values(arguments, "run");
    options->labels = arguments_values(arguments, "label");
    struct selection *selection = &options->selection;
    selection->runs = *options->runs ? options->runs : NULL;
    selection->labels = *options->labels ? options->labels : NULL;
}

void selection_options_windows(const struct arguments *arguments, struct selection *selection)
{
    selection->id_range = arguments_value(arguments, "id-range");
    selection->signpost = arguments_value(arguments, "signpost");
    selection->start_signpost = arguments_value(arguments, "start-signpost");
    selection->end_signpost = arguments_value(arguments, "end-signpost");
    selection->occurrence = arguments_value(arguments, "signpost-occurrence");
    selection->ignore_signposts = arguments_has(arguments, "ignore-signposts");
}

struct selection selection_options_narrow(const struct arguments *arguments)
{
    return (struct selection){.rank = arguments_value(arguments, "rank"),
                              .step = arguments_value(arguments, "step"),
                              .iteration = arguments_value(arguments, "iteration"),
                              .time = arguments_value(arguments, "time"),
                              .where = arguments_value(arguments, "where"),
                              .detect_recompute = arguments_has(arguments, "detect-recompute")};
}

bool selection_options_read(const struct arguments *arguments, bool with_windows,
                            struct selection_options *options, struct error *error)
{
    *options = (struct selection_options){.selection = selection_options_narrow(arguments)};
    struct selection *selection = &options->selection;
    const char *trace = arguments_value(arguments, "trace");
    if (with_windows)
        selection_options_windows(arguments, selection);
    if (trace) {
        selection->traces = &options->trace;
        selection->trace_count = 1;
    }
    read_selection_lists(arguments, options);
    return !trace || session_integer(arguments, "trace number", trace, &options->trace, error);
}

bool selection_options_are_given(const struct selection_options *options)
{
    const struct selection *selection = &options->selection;
    return selection->runs || selection->labels || selection->traces || selection->rank ||
           selection->step || selection->iteration || selection->time || selection->id_range ||
           selection->signpost || selection->start_signpost || selection->end_signpost ||
           selection->occurrence || selection->where || selection->ignore_signposts;
}

bool selection_options_apply(const struct selection *selection, struct warehouse *warehouse,
                             struct error *error)
{
    bool is_empty = false;
    struct text words = {0};
    bool done = selection_apply(warehouse, selection, &is_empty, &words, error);
    if (done && is_empty)
        session_say(words.count ? text_view(&words) : VIEW("nothing is selected"));
    return done;
}

bool selection_options_runs(const struct arguments *arguments, struct warehouse *warehouse,
                            bool whole, struct run_list *runs, struct error *error)
{
    struct selection_options options = {0};
    *runs = (struct run_list){0};
    read_selection_lists(arguments, &options);
    struct run_choice choice = {options.selection.runs, options.selection.labels, whole};
    return run_choice_find(warehouse, &choice, runs, error);
}

/* ------------------------------------------------------------------ extension files */

bool extension_options_read(const struct arguments *arguments, struct extensions *extensions,
                            struct error *error)
{
    bool done = true;
    if (arguments_has(arguments, "enable-pseudo-ops"))
        extensions_add_pseudo_ops(extensions);
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        if (strcmp(value->option->name, "extension-file") == 0)
            done = extensions_add(extensions, value->value, error);
        else if (strcmp(value->option->name, "ext-param") == 0)
            done = extensions_set(extensions, value->value, error);
        else if (strcmp(value->option->name, "health-rule") == 0)
            array_add(&extensions->rules, value->value);
    }
    if (done && extensions->params.count && !extensions->files.count)
        done = error_set(error, STATUS_USAGE, "tpq %s: --ext-param is about --extension-file",
                         arguments->verb->name);
    return done;
}

static void print_extension_lines(const struct text *lines, const char *end)
{
    for (const char *at = lines->count ? lines->items : ""; *at;) {
        size_t length = strcspn(at, "\n");
        session_sayf("%.*s%s", (int)length, at, end);
        at += length + 1;
    }
}

bool extension_options_run(const struct arguments *arguments, struct extensions *extensions,
                           struct warehouse *warehouse, struct error *error)
{
    struct text complaints = {0};
    bool done = extensions_run(extensions, warehouse, &complaints, error);
    print_extension_lines(&complaints, " (skipped)");
    print_extension_lines(&extensions->notes, "");
    if (done && complaints.count && arguments_has(arguments, "strict-extensions"))
        done = error_set(error, STATUS_BAD_INPUT, "tpq %s: an extension file failed",
                         arguments->verb->name);
    return done;
}

/* ------------------------------------------------------------------ envelopes */

enum { TRACES_SHOWN = 8 };

static bool read_filters(struct envelope_words *self, const struct arguments *arguments,
                         struct error *error)
{
    const char **filters = arguments_values(arguments, "only");
    bool done = true;
    for (size_t i = 0; done && filters[i]; i++) {
        const char *equals = strchr(filters[i], '=');
        if (!equals) {
            done =
                error_set(error, STATUS_USAGE, "--only is COLUMN=TEXT, not '%.100s'", filters[i]);
            continue;
        }
        char *name = memory_part(filters[i], (size_t)(equals - filters[i]));
        array_add(&self->names, name);
        array_add(&self->filters, (struct envelope_filter){name, equals + 1});
    }
    return done;
}

bool envelope_words_add_traces(struct envelope_words *self, struct warehouse *warehouse,
                               struct error *error)
{
    struct asked rows;
    const char *run, *format, *device, *hash;
    int64_t trace, rank, version;
    asked_open(&rows, warehouse->db, traces_selected);
    for (; ASKED_ROW(&rows, &run, &trace, OR_NONE(&rank), &format, OR_NULL(&device), OR_NULL(&hash),
                     &version);
         self->wish.traces_total++) {
        self->wish.version = (uint64_t)version;
        if (self->wish.traces_total >= TRACES_SHOWN)
            continue;
        text_add_string(&self->traces, self->traces.count ? "," : "");
        text_format_json(&self->traces, "{\"run\":%s,\"trace_id\":%lld,\"rank\":", run,
                         (long long)trace);
        if (rank == INT64_MIN)
            text_add_string(&self->traces, "null");
        else
            text_format(&self->traces, "%lld", (long long)rank);
        text_format_json(&self->traces, ",\"format\":%s,\"device\":%s,\"hash\":%s}", format, device,
                         hash);
    }
    self->wish.traces = self->traces.items;
    return asked_done(&rows, warehouse->path, error);
}

static bool ask_explained(struct envelope_words *self, struct warehouse *warehouse,
                          struct error *error)
{
    struct asked row;
    const char *share;
    asked_open(
        &row, warehouse->db,
        "SELECT format('%.6g', sum(linked_ns) * 100.0 / nullif(sum(busy_ns), 0)) FROM coverage");
    if (ASKED_ROW(&row, &share))
        text_add_string(&self->explained, *share && *share != 'N' ? share : "null");
    return asked_done(&row, warehouse->path, error);
}

/* A number for the question of a call, whatever the order of its options; a cursor is of one call.
 */
static uint64_t hash_call(const struct arguments *arguments)
{
    struct text one = {0};
    uint64_t hash = hash64(arguments->verb->name, strlen(arguments->verb->name), 1);
    for (size_t i = 0; i < arguments->values.count; i++) {
        const struct argument_value *given = &arguments->values.items[i];
        if (option_is_in("cursor top max-tokens", given->option->name))
            continue;
        text_clear(&one);
        text_format(&one, "--%s=%s", given->option->name, given->value ? given->value : "");
        hash += hash64(one.items, one.count, 1);
    }
    for (size_t i = 0; i < arguments->operands.count; i++)
        hash += hash64(arguments->operands.items[i], strlen(arguments->operands.items[i]), 2 + i);
    return hash;
}

bool envelope_words_read(struct envelope_words *self, const struct arguments *arguments,
                         struct warehouse *warehouse, struct error *error)
{
    long tokens = 0, top = 0;
    *self = (struct envelope_words){0};

    /* The selection of a call, by the names of the options. */
    struct text *out = &self->selection;
    static const char *const names[] = {"run",  "trace",    "rank",  "step",
                                        "time", "signpost", "where", NULL};
    text_add(out, "", 0);
    for (const char *const *name = names; *name; name++) {
        const char *value = arguments_value(arguments, *name);
        if (value)
            text_format_json(out, out->count ? ",%s:%s" : "%s:%s", *name, value);
    }
    if (strcmp(arguments->verb->name, "compare") == 0 && arguments->operands.count == 2)
        text_format_json(out, out->count ? ",\"a\":%s,\"b\":%s" : "\"a\":%s,\"b\":%s",
                         arguments->operands.items[0], arguments->operands.items[1]);
    text_add(&self->traces, "", 0);
    self->wish.call = hash_call(arguments);
    bool done =
        arguments_number(arguments, "max-tokens", 0, 1000000, 0, &tokens, error) &&
        arguments_number(arguments, "top", 0, 1000000000, 0, &top, error) &&
        read_filters(self, arguments, error) &&
        (!warehouse ||
         (envelope_words_add_traces(self, warehouse, error) &&
          (strcmp(arguments->verb->name, "report") != 0 || ask_explained(self, warehouse, error))));
    const char *path = warehouse ? sqlite3_db_filename(warehouse->db, "main") : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    self->wish.tool = arguments->verb->name;
    self->wish.selection = self->selection.items;
    self->wish.columns = arguments_value(arguments, "columns");
    self->wish.order_by = arguments_value(arguments, "order-by");
    self->wish.filters = self->filters.items;
    self->wish.filter_count = self->filters.count;
    self->wish.key = arguments_value(arguments, "row");
    self->wish.cursor = arguments_value(arguments, "cursor");
    self->wish.top = top;
    self->wish.tokens = tokens;
    self->wish.precise = arguments_has(arguments, "precise");
    self->wish.warehouse = slash ? slash + 1 : path ? path : "";
    self->wish.traces = self->traces.items;
    self->wish.explained = self->explained.count ? self->explained.items : "null";
    return done;
}
