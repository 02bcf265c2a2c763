/* tools: The schema of a tool lists its own arguments and the shared ones that its verb has options
 * for. A call becomes words: fixed words, defaults for missing arguments, options, then "--" and
 * operands, so that no value can become an option. The verb then parses these words as it would
 * from a shell, behind the guard of the connection. */
#include "src/agent/tools.h"

#include "query/agent/guard.h"
#include "query/select/run_choice.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/file.h"
#include "src/base/hint.h"
#include "src/command/option.h"
#include "src/command/session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SELECTION "run trace rank step time signpost where file"

static const char *const runs_words[] = {"--sheet=recorded", NULL};
static const char *const overview_words[] = {"--sheet=overview_figures", NULL};
static const char *const findings_words[] = {"--sheet=findings", NULL};

const struct tool tools[] = {
    {"runs",
     "Traces in the warehouse",
     "Lists the traces in the warehouse, a row each: run, trace_id, rank, format, device, steps, "
     "events, and what the profiler recorded. Call it first. The names in the column run are what "
     "other tools take as run. Next: overview, then findings.",
     "which traces there are, and what each recorded",
     "report",
     runs_words,
     {{"run", TOOL_TEXT, TOOL_OPTION, false, "only this run; a pattern such as nightly-*"}},
     "",
     NULL},
    {"overview",
     "Main figures of a trace",
     "The main figures of a selection in one table: total, busy and idle time, computation, "
     "communication, counts of GPU activities and kernels, steps, the top kernels, launch delay, "
     "peak memory, MFU. Use it to see where time goes before asking for a report. Next: findings.",
     "the main figures: busy, idle, communication, kernels",
     "report",
     overview_words,
     {{0}},
     SELECTION,
     NULL},
    {"findings",
     "What to change first",
     "What to change first, a row each: the finding, its estimated saving, what the saving is "
     "based "
     "on, and the report that shows the evidence. Use it when somebody asks why a step is slow or "
     "how to make it faster. Next: call report with the name that the row gives.",
     "what to change first, with estimated savings",
     "report",
     findings_words,
     {{0}},
     SELECTION,
     NULL},
    {"report",
     "Rows of one report",
     "The rows of one report of tpq, such as gpu_timeline, kernel_breakdown, ops_summary or "
     "gpu_gaps. Find names with describe; never guess one. Each row has a key, which gives that "
     "row "
     "back in full. filter, order_by and columns narrow the answer; a cursor continues it.",
     "the rows of one report",
     "report",
     NULL,
     {{"name", TOOL_TEXT, TOOL_OPTION, false, "name of the report; describe finds it"},
      {"key", TOOL_TEXT, TOOL_OPTION, false, "key of one row, instead of name"}},
     SELECTION,
     "name or key"},
    {"compare",
     "Two runs side by side",
     "Compares two runs, the baseline a and the candidate b: key columns, value_1, value_2, diff, "
     "pct, status and verdict. Only a significant verdict is a regression or an improvement; with "
     "too few samples the difference is a fact, no verdict. Begin with by gpu_timeline, then "
     "kernel "
     "or op.",
     "what changed between two runs, and whether it is significant",
     "compare",
     NULL,
     {{"a", TOOL_TEXT, TOOL_SIDE, true, "baseline: a run, @last, trace:N, or a file below a root"},
      {"b", TOOL_TEXT, TOOL_SIDE, true, "candidate: the same"},
      {"by", TOOL_TEXT, TOOL_OPTION, false, "a level (op, kernel, ...) or a report [kernel]"},
      {"metric", TOOL_TEXT, TOOL_OPTION, false, "which figure of the report is compared"}},
     "rank step",
     NULL},
    {"sql",
     "One SQL statement",
     "Runs one SELECT on the warehouse (SQLite). Use it when no report has the answer; describe "
     "names tables, views and columns. A selection narrows slice, gpu_slice and the views of "
     "reports. Tables, and views for any SQLite (kernel, step_time, ...), have all runs: name the "
     "run in WHERE. Columns that end in _ns, _us, _ms, _bytes or _pct say their unit.",
     "one SELECT, where no report has the answer",
     "sql",
     NULL,
     {{"query", TOOL_TEXT, TOOL_OPERAND, true, "one statement: SELECT, WITH, VALUES or EXPLAIN"}},
     "run trace rank step",
     NULL},
    {"tree",
     "Call tree around an event",
     "What an event called and launched, a row each: depth, id, name, category, start, duration, "
     "own time, GPU time. With up the way from the root down to the event. Without event the roots "
     "of a run or trace. event is an id, or a key of another answer; it stands alone.",
     "what an event called and launched",
     "tree",
     NULL,
     {{"event", TOOL_WORD, TOOL_OPERAND, false, "id of an event, or the key of a row"},
      {"depth", TOOL_INTEGER, TOOL_OPTION, false, "levels below [3]"},
      {"up", TOOL_BOOLEAN, TOOL_OPTION, false, NULL},
      {"python", TOOL_BOOLEAN, TOOL_OPTION, false, "with Python frames [false]"}},
     "run trace",
     NULL},
    {"describe",
     "Meaning of names",
     "With name: the columns of a report, table or view, with unit and meaning. With find: "
     "reports, "
     "tables, views, columns, functions and recipes that the words fit, best first; the empty text "
     "finds all. Call it before report or sql when the name is not known.",
     "what a name means; which report answers a question",
     "describe",
     NULL,
     {{"name", TOOL_TEXT, TOOL_OPERAND, false, "name of a report, table, view or function"},
      {"find", TOOL_TEXT, TOOL_OPERAND, false, "words to look for, such as idle time"}},
     "",
     "name or find"},
    {"ingest",
     "Store a trace",
     "Reads a trace file below a root into the warehouse, as a run. Answers the traces that came "
     "in: run, trace_id, events. Use it before other tools when a trace is not in runs yet.",
     "store a trace file",
     "ingest",
     NULL,
     {{"path", TOOL_TEXT, TOOL_FILE, true, "file, below a directory of --root"},
      {"run", TOOL_TEXT, TOOL_OPTION, false, "name of the run [from the file name]"},
      {"label", TOOL_TEXT, TOOL_OPTION, false, "KEY=VALUE, a label of the run"},
      {"salvage", TOOL_BOOLEAN, TOOL_OPTION, false, "of a file that ends early, what came before"}},
     "",
     NULL},
    {0}};

static const struct tool_argument selection[] = {
    {"run", TOOL_TEXT, TOOL_OPTION, false,
     "name of a run; also a pattern (nightly-*), a label (KEY=VALUE), @last or @pin:NAME"},
    {"trace", TOOL_INTEGER, TOOL_OPTION, false, "only this trace: a trace_id of runs"},
    {"rank", TOOL_INTEGER, TOOL_OPTION, false, NULL},
    {"step", TOOL_WORD, TOOL_OPTION, false, "profiler steps: 6, or 4-6"},
    {"time", TOOL_TEXT, TOOL_OPTION, false, "from the start of the trace: 1.2s-1.3s"},
    {"signpost", TOOL_TEXT, TOOL_OPTION, false, NULL},
    {"where", TOOL_TEXT, TOOL_OPTION, false, "SQL condition on the columns of slice"},
    {"file", TOOL_TEXT, TOOL_FILE, false, "trace file below a root, instead of run"},
    {0}};

static const struct tool_argument output[] = {
    {"top", TOOL_INTEGER, TOOL_OPTION, false, "rows [20]; 0: all that fit"},
    {"columns", TOOL_LIST, TOOL_OPTION, false, "these columns, in this order"},
    {"order_by", TOOL_TEXT, TOOL_OPTION, false, "a column; -time_ms: descending"},
    {"filter", TOOL_OBJECT, TOOL_OPTION, false, "column: value; * stands for any text"},
    {"cursor", TOOL_TEXT, TOOL_OPTION, false, "next.cursor of the answer to continue"},
    {"max_tokens", TOOL_INTEGER, TOOL_OPTION, false, "length of the answer, 100 to 8000"},
    {"precise", TOOL_BOOLEAN, TOOL_OPTION, false, "all digits, whole texts"},
    {0}};

enum { ARGUMENTS_MAX = 24 };

static const struct verb *find_tool_verb(const struct agent *agent, const char *name)
{
    const struct verb *const *verb = agent->verbs;
    while (*verb && strcmp((*verb)->name, name) != 0)
        verb++;
    return *verb;
}

const struct tool *tool_find(const struct agent *agent, const char *name)
{
    for (const struct tool *tool = tools; tool->name; tool++)
        if (strcmp(tool->name, name) == 0)
            return strcmp(name, "ingest") != 0 || agent->may_ingest ? tool : NULL;
    return NULL;
}

static bool takes_option(const struct verb *verb, const char *name)
{
    const struct option *option = verb->options;
    while (option->name && strcmp(option->name, name) != 0)
        option++;
    return option->name != NULL;
}

/* The option of an argument: of the same name, unless that means something else to a verb. */
static void name_option(const struct tool_argument *argument, char name[32])
{
    static const char *const others[][2] = {{"name", "sheet"}, {"filter", "only"}, {"key", "row"}};
    snprintf(name, 32, "%s", argument->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(argument->name, others[i][0]) == 0)
            snprintf(name, 32, "%s", others[i][1]);
    for (char *at = name; (at = strchr(at, '_')); at++)
        *at = '-';
}

/* All arguments of a tool, ended by NULL: its own, and the shared ones that its verb knows. */
static void list_arguments(const struct agent *agent, const struct tool *tool,
                           const struct tool_argument *list[ARGUMENTS_MAX])
{
    static const struct tool_argument *const others[] = {selection, output};
    const struct verb *verb = find_tool_verb(agent, tool->verb);
    size_t count = 0;
    char name[32];
    for (size_t i = 0; i < sizeof tool->own / sizeof *tool->own && tool->own[i].name; i++)
        list[count++] = &tool->own[i];
    for (size_t i = 0; i < 2; i++)
        for (const struct tool_argument *one = others[i]; one->name; one++) {
            name_option(one, name);
            if ((one->form == TOOL_FILE || takes_option(verb, name)) &&
                (i ? strcmp(tool->name, "ingest") != 0 : option_is_in(tool->selection, one->name)))
                list[count++] = one;
        }
    list[count] = NULL;
}

/* ------------------------------------------------------------------ the list */

static const char output_schema[] =
    "{\"type\":\"object\",\"required\":[\"meta\",\"columns\",\"rows\",\"keys\",\"notes\",\"trust\","
    "\"total_rows\",\"truncated\",\"next\"],\"properties\":{\"meta\":{\"type\":\"object\"},"
    "\"columns\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":{"
    "\"type\":\"string\"},\"unit\":{\"type\":[\"string\",\"null\"]},\"type\":{\"type\":\"string\"}}"
    "}"
    "},\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\"}},\"keys\":{\"type\":\"array\"},"
    "\"notes\":{\"type\":\"array\"},\"trust\":{\"type\":\"object\"},\"total_rows\":{\"type\":"
    "\"integer\"},\"truncated\":{\"type\":\"boolean\"},\"next\":{\"type\":[\"object\",\"null\"]}}}";

void tools_list(const struct agent *agent, struct text *out)
{
    text_add_byte(out, '[');
    for (const struct tool *tool = tools; tool->name; tool++) {
        if (!tool_find(agent, tool->name))
            continue;
        text_add_string(out, tool > tools ? "," : "");
        const struct tool_argument *list[ARGUMENTS_MAX];
        const struct verb *verb = find_tool_verb(agent, tool->verb);
        const char *mark = "";
        list_arguments(agent, tool, list);
        text_format_json(out,
                         "{\"name\":%s,\"title\":%s,\"description\":%s,\"inputSchema\":{"
                         "\"type\":\"object\",\"additionalProperties\":false,\"required\":[",
                         tool->name, tool->title, tool->description);
        for (size_t i = 0; list[i]; i++)
            if (list[i]->is_needed) {
                text_add_string(out, mark);
                text_add_json(out, view_of(list[i]->name));
                mark = ",";
            }
        text_add_string(out, "],\"properties\":{");
        for (size_t i = 0; list[i]; i++) {
            text_add_string(out, i ? "," : "");
            const struct tool_argument *argument = list[i];
            static const char *const types[] = {
                [TOOL_TEXT] = "\"string\"",
                [TOOL_INTEGER] = "\"integer\"",
                [TOOL_WORD] = "[\"string\",\"integer\"]",
                [TOOL_BOOLEAN] = "\"boolean\"",
                [TOOL_LIST] = "\"array\",\"items\":{\"type\":\"string\"}",
                [TOOL_OBJECT] =
                    ("\"object\",\"additionalProperties\":{\"type\":[\"string\",\"number\","
                     "\"boolean\",\"null\"]}")};
            text_add_json(out, view_of(argument->name));
            text_add_string(out, ":{\"type\":");
            text_add_string(out, types[argument->type]);
            const struct option *option = verb->options;
            while (!argument->words && option->name && strcmp(option->name, argument->name) != 0)
                option++;
            const char *words = argument->words ? argument->words : option->help;
            text_format_json(out, ",\"description\":%s}", words);
        }
        text_format(out,
                    "}},\"outputSchema\":%s,\"annotations\":{\"readOnlyHint\":%s,"
                    "\"destructiveHint\":false,\"idempotentHint\":true,\"openWorldHint\":false}}",
                    output_schema, strcmp(tool->name, "ingest") == 0 ? "false" : "true");
    }
    text_add_byte(out, ']');
}

/* ------------------------------------------------------------------ arguments */

__attribute__((format(printf, 2, 3))) static void add_word(struct tool_call *self,
                                                           const char *format, ...)
{
    struct text word = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vformat(&word, format, arguments);
    va_end(arguments);
    array_add(&self->words, word.items);
}

static bool is_of_type(const struct literals *json, int value, enum tool_type type)
{
    enum literal_type is = literal_type(json, value);
    switch (type) {
    case TOOL_TEXT:
        return is == LITERAL_TEXT;
    case TOOL_INTEGER:
        return is == LITERAL_INTEGER;
    case TOOL_WORD:
        return is == LITERAL_TEXT || is == LITERAL_INTEGER;
    case TOOL_BOOLEAN:
        return is == LITERAL_TRUE || is == LITERAL_FALSE;
    case TOOL_LIST:
        for (int i = 0; i < literal_count(json, value); i++)
            if (!literal_text(json, literal_item(json, value, i)))
                return false;
        return is == LITERAL_LIST;
    default:
        return is == LITERAL_OBJECT;
    }
}

/* A text as it is, anything else as JSON has it. */
static void add_plain_option(const struct literals *json, int value, struct text *out)
{
    const char *text = literal_text(json, value);
    if (text)
        text_add_string(out, text);
    else
        literal_add_json(json, value, out);
}

/* The option of an argument: --order-by=VALUE, --filter=COLUMN=VALUE, ... */
static void add_option(struct tool_call *self, const struct tool_argument *argument,
                       const struct literals *json, int value)
{
    const struct literal *given = literal_at(json, value);
    char name[32];
    name_option(argument, name);
    if (argument->type == TOOL_BOOLEAN) {
        bool is_python = strcmp(name, "python") == 0;
        if (!given->integer == is_python)
            add_word(self, "--%s", is_python ? "no-python" : name);
        return;
    }
    struct text text = {0};
    int at = given->type == LITERAL_OBJECT || given->type == LITERAL_LIST ? given->first : value;
    if (argument->type == TOOL_LIST)
        for (int i = 0; at >= 0; i++, at = literal_at(json, at)->next)
            text_format(&text, "%s%s", i ? "," : "", literal_text(json, at));
    else if (argument->type == TOOL_OBJECT)
        for (; at >= 0; at = literal_at(json, literal_at(json, at)->next)->next) {
            text_clear(&text);
            text_format(&text, "%s=", literal_text(json, at));
            add_plain_option(json, literal_at(json, at)->next, &text);
            add_word(self, "--%s=%s", name, text.items);
        }
    else
        add_plain_option(json, value, &text);
    if (argument->type != TOOL_OBJECT)
        add_word(self, "--%s=%s", name, text.items ? text.items : "");
    text_free(&text);
}

static bool check_names(const struct tool *tool, const struct tool_argument *const *list,
                        const struct literals *json, int arguments, struct error *error)
{
    const char *names[ARGUMENTS_MAX];
    size_t count = 0;
    bool given = false;
    for (; list[count]; count++)
        names[count] = list[count]->name;
    int at = literal_type(json, arguments) == LITERAL_OBJECT ? literal_at(json, arguments)->first
                                                             : LITERAL_NONE;
    for (; at >= 0; at = literal_at(json, literal_at(json, at)->next)->next) {
        const char *name = literal_text(json, at);
        size_t i = 0;
        while (i < count && strcmp(names[i], name) != 0)
            i++;
        given |= tool->otherwise && (option_is_in(tool->otherwise, name));
        if (i < count && is_of_type(json, literal_at(json, at)->next, list[i]->type))
            continue;
        static const char *const types[] = {
            [TOOL_TEXT] = "a text",          [TOOL_INTEGER] = "an integer",
            [TOOL_WORD] = "a text",          [TOOL_BOOLEAN] = "true or false",
            [TOOL_LIST] = "a list of texts", [TOOL_OBJECT] = "an object"};
        if (i < count)
            return error_set(error, STATUS_USAGE, "the argument %s of %s takes %s", name,
                             tool->name, types[list[i]->type]);
        struct text hint = {0};
        hint_add(&hint, name, names, count, "see its inputSchema");
        error_set(error, STATUS_USAGE, "%s has no argument '%.60s'%s", tool->name, name,
                  hint.items);
        text_free(&hint);
        return false;
    }
    if (literal_member(json, arguments, "file") != LITERAL_NONE &&
        (literal_member(json, arguments, "run") != LITERAL_NONE ||
         literal_member(json, arguments, "trace") != LITERAL_NONE))
        return error_set(error, STATUS_USAGE, "give either file, or run and trace");
    int tokens = literal_member(json, arguments, "max_tokens");
    if (tokens >= 0 &&
        (literal_at(json, tokens)->integer < 100 || literal_at(json, tokens)->integer > 8000))
        return error_set(error, STATUS_USAGE, "max_tokens is from 100 to 8000");
    for (size_t i = 0; i < count; i++)
        if (list[i]->is_needed && literal_member(json, arguments, names[i]) == LITERAL_NONE)
            return error_set(error, STATUS_USAGE, "%s needs the argument %s", tool->name, names[i]);
    return !tool->otherwise || given ||
           error_set(error, STATUS_USAGE, "%s needs the argument %s", tool->name, tool->otherwise);
}

/* Operands stand behind "--", so that none is taken for an option. */
static bool add_tool_operands(struct tool_call *self, const struct tool_argument *const *list,
                              const struct literals *json, int arguments, struct error *error)
{
    bool done = true;
    self->options = self->words.count;
    for (size_t i = 0; list[i] && done; i++) {
        int value = literal_member(json, arguments, list[i]->name);
        if (list[i]->form == TOOL_OPTION || value == LITERAL_NONE)
            continue;
        struct text text = {0};
        if (list[i]->form == TOOL_FILE)
            done = guard_find_file(self->agent->roots, literal_text(json, value), &text, error);
        else
            add_plain_option(json, value, &text);
        if (done && strcmp(list[i]->name, "query") == 0)
            done = guard_one_statement(text.items ? text.items : "", error);
        if (done && self->words.count == self->options)
            add_word(self, "--");
        if (done)
            add_word(self, "%s", text.items ? text.items : "");
        text_free(&text);
    }
    return done;
}

bool tool_call_read(struct tool_call *self, const struct literals *json, int arguments,
                    struct error *error)
{
    const struct tool_argument *list[ARGUMENTS_MAX];
    list_arguments(self->agent, self->tool, list);
    for (size_t i = 0; i < json->values.count; i++)
        if (literal_text(json, (int)i) &&
            strlen(literal_text(json, (int)i)) < literal_at(json, (int)i)->length)
            return error_set(error, STATUS_USAGE, "the arguments hold a NUL character");
    if (!check_names(self->tool, list, json, arguments, error))
        return false;
    self->reads_file = literal_member(json, arguments, "file") != LITERAL_NONE;

    /* The words that the tool always adds, and those for arguments that are not given. */
    const struct agent *agent = self->agent;
    const struct tool *tool = self->tool;
    const struct verb *verb = find_tool_verb(agent, tool->verb);
    if (strcmp(tool->name, "describe") != 0 && !self->reads_file)
        add_word(self, "--db=%s", agent->database);
    add_word(self, "%s",
             strcmp(tool->name, "ingest") == 0 ? "--json"
             : takes_option(verb, "envelope")  ? "--envelope"
                                               : "--mode=envelope");
    for (size_t i = 0; tool->words && tool->words[i]; i++)
        add_word(self, "%s", tool->words[i]);
    if (takes_option(verb, "max-tokens") &&
        literal_member(json, arguments, "max_tokens") == LITERAL_NONE)
        add_word(self, "--max-tokens=%ld", agent->max_tokens);
    if (takes_option(verb, "top") && literal_member(json, arguments, "top") == LITERAL_NONE)
        add_word(self, "--top=%d", strcmp(tool->name, "overview") == 0 ? 25 : 20);
    if (literal_member(json, arguments, "find") != LITERAL_NONE)
        add_word(self, "--find");
    const char *key = literal_text(json, literal_member(json, arguments, "key"));
    if (key && literal_member(json, arguments, "name") == LITERAL_NONE)
        add_word(self, "--sheet=%.*s", (int)strcspn(key, "?"), key);
    if (strcmp(tool->name, "tree") == 0) {
        if (literal_member(json, arguments, "event") == LITERAL_NONE &&
            literal_member(json, arguments, "run") == LITERAL_NONE &&
            literal_member(json, arguments, "trace") == LITERAL_NONE)
            add_word(self, "--run=*");
        if (literal_member(json, arguments, "depth") == LITERAL_NONE)
            add_word(self, "--depth=3");
        if (literal_member(json, arguments, "python") == LITERAL_NONE)
            add_word(self, "--no-python");
    }
    for (const struct option *option = verb->options; option->name; option++) {
        const char **values = strcmp(option->name, "report-dir") == 0       ? agent->report_folders
                              : strcmp(option->name, "extension-file") == 0 ? agent->extensions
                                                                            : NULL;
        for (; values && *values; values++)
            add_word(self, "--%s=%s", option->name, *values);
    }
    for (size_t i = 0; list[i]; i++) {
        int value = literal_member(json, arguments, list[i]->name);
        if (list[i]->form == TOOL_OPTION && value != LITERAL_NONE)
            add_option(self, list[i], json, value);
    }
    return add_tool_operands(self, list, json, arguments, error);
}

void tool_call_free(struct tool_call *self)
{
    for (size_t i = 0; i < self->words.count; i++)
        memory_free(self->words.items[i]);
    array_free(&self->words);
}

/* ------------------------------------------------------------------ running */

bool tool_run_verb(const struct agent *agent, const char *verb, int count, char *const *words,
                   struct error *error)
{
    struct arguments arguments;
    const struct verb *found = find_tool_verb(agent, verb);
    bool help = false;
    return arguments_parse(&arguments, found, count, words, &help, error) &&
           session_run(found, &arguments, error);
}

/* A side is a run, or else a file below a root, and nothing else. */
static bool find_side(struct tool_call *self, char **side, struct error *error)
{
    struct warehouse warehouse;
    struct run_word word = {0};
    struct error ignored = {0};
    struct text found = {0};
    bool is_open = warehouse_open(&warehouse, self->agent->database, WAREHOUSE_READ, 0, error);
    bool is_run = is_open && run_word_find(&word, &warehouse, *side, error);
    if (is_open)
        warehouse_close(&warehouse);
    if (is_run)
        return true;
    bool is_file = guard_find_file(self->agent->roots, *side, &found, &ignored);
    if (is_file)
        *side = found.items;
    return is_file;
}

/* The id of an event, which is named by it or by a key: event?trace=1&uid=124742. */
static bool find_tool_event(struct tool_call *self, char **word, struct error *error)
{
    static const char *const questions[] = {
        "SELECT id FROM event WHERE id = ?1",
        "SELECT event.id FROM trace JOIN event ON event.id BETWEEN trace.first_event AND "
        "trace.last_event WHERE trace.id = ?1 AND event.uid = ?2"};
    long long first = 0, uid = 0;
    int end = 0;
    bool is_key =
        sscanf(*word, "event?trace=%lld&uid=%lld%n", &first, &uid, &end) == 2 && !(*word)[end];
    struct warehouse warehouse;
    struct text id = {0};
    if ((!is_key && (sscanf(*word, "%lld%n", &first, &end) != 1 || (*word)[end])))
        return error_set(error, STATUS_USAGE, "'%.60s' is no id or key of an event", *word);
    if (!warehouse_open(&warehouse, self->agent->database, WAREHOUSE_READ, 0, error))
        return false;
    sqlite3_stmt *row = warehouse_prepare(&warehouse, questions[is_key], error);
    bool done = row != NULL;
    if (row) {
        sqlite3_bind_int64(row, 1, first);
        sqlite3_bind_int64(row, 2, uid);
    }
    if (warehouse_next(&warehouse, row, &done, error))
        text_format(&id, "%lld", (long long)sqlite3_column_int64(row, 0));
    database_finalize(row);
    warehouse_close(&warehouse);
    if (done && !id.count)
        return error_set(error, STATUS_USAGE, "there is no event '%.60s'", *word);
    if (done)
        *word = id.items;
    return done;
}

bool tool_call_run(void *context, struct error *error)
{
    struct tool_call *self = context;
    const struct tool *tool = self->tool;
    if (strcmp(tool->name, "ingest") == 0) {
        /* The answer is about the run that came in. */
        char database[4200];
        struct text run = {0};
        snprintf(database, sizeof database, "--db=%s", self->agent->database);
        text_add_string(&run, "--run=");
        bool done =
            tool_run_verb(self->agent, "ingest", (int)self->words.count, self->words.items, error);
        if (done) {
            /* Takes what was printed so far back, and gives the first run that it names. */
            struct text printed = {0};
            struct literals json = {0};
            fflush(stdout);
            done = file_read("/proc/self/fd/1", &printed, error);
            int meta = done
                           ? literal_member(&json, literal_read(&json, text_view(&printed)), "meta")
                           : LITERAL_NONE;
            const char *name =
                literal_text(&json, literal_item(&json, literal_member(&json, meta, "run"), 0));
            if (done && (!name || ftruncate(STDOUT_FILENO, 0) != 0 ||
                         lseek(STDOUT_FILENO, 0, SEEK_SET) != 0))
                done = error_set(error, STATUS_DATABASE, "stored, but what came in cannot be told");
            if (done)
                text_add_string(&run, name);
        }
        char *words[] = {database, run.items, (char[]){"--sheet=recorded"}, (char[]){"--envelope"}};
        return done && tool_run_verb(self->agent, "report", 4, words, error);
    }
    warehouse_guard(guard_connection, guard_texts);
    bool done = guard_memory(self->reads_file, error);
    if (strcmp(tool->name, "compare") == 0)
        for (size_t i = self->options + 1; i < self->words.count && done; i++)
            done = find_side(self, &self->words.items[i], error);
    if (strcmp(tool->name, "tree") == 0 && self->words.count > self->options)
        done = done && find_tool_event(self, &self->words.items[self->options + 1], error);
    done = done &&
           tool_run_verb(self->agent, tool->verb, (int)self->words.count, self->words.items, error);
    bool is_refused =
        strcmp(error->text, "SQL: not authorized") == 0 || strstr(error->text, "--write");
    if (!done && is_refused && strcmp(tool->name, "sql") == 0)
        error_set(error, STATUS_USAGE, "%s", guard_takes);
    return done;
}
