/* answers: One table has all methods, with their eras. A request is checked first for types, its
 * era and the method; the method then writes the members of the result. Work that reads the
 * warehouse runs in a call of its own, with a time limit; its output is the answer. Sentences for
 * clients have no directories. */
#include "src/agent/answers.h"

#include "query/agent/rpc.h"
#include "src/agent/texts.h"
#include "src/base/clock.h"
#include "src/base/json.h"
#include "src/base/visible.h"
#include "src/command/option.h"
#include "src/command/topics.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool request_refuse(struct request *self, int fault, const char *format, ...)
{
    struct text sentence = {0};
    va_list arguments;
    va_start(arguments, format);
    self->fault = fault;
    text_clear(&self->why);
    text_vformat(&sentence, format, arguments);
    va_end(arguments);
    visible_add(&self->why, text_view(&sentence));
    text_free(&sentence);
    return false;
}

/* A parameter that is a text; NULL: none is. */
static const char *request_param(const struct request *self, const char *name)
{
    return literal_text(self->json, literal_member(self->json, self->params, name));
}

void request_add_reply(const struct request *self, struct text *out)
{
    text_add_string(out, out->count > 1 ? ",{" : "{");
    text_add_string(out, "\"jsonrpc\":\"2.0\",\"id\":");
    literal_add_json(self->json, self->id, out);
    if (!self->fault) {
        text_add_string(out, ",\"result\":{");
        text_add_text(out, &self->members);
    } else {
        text_format(out, ",\"error\":{\"code\":%d", self->fault);
        text_format_json(out, ",\"message\":%s", self->why.items);
        if (self->data.count) {
            text_add_string(out, ",\"data\":");
            text_add_text(out, &self->data);
        }
    }
    text_add_string(out, "}}");
}

void request_free(struct request *self)
{
    text_free(&self->members);
    text_free(&self->why);
    text_free(&self->data);
}

enum {
    NO_SUCH_RESOURCE = -32002,
    SENTENCE_MAX = 1000, /* bytes of what is wrong with a call */
    COMPLETIONS_MAX = 100
};

static const double for_ever = 1e9;

/* ------------------------------------------------------------------ tools */

static bool ends_word(char byte)
{
    return !byte || strchr(" \t\n'\",;()", byte);
}

/* Words for users of the command line, and what an assistant has instead. */
static const char *const said_otherwise[][2] = {
    {"see tpq report --list all", "describe with find finds reports"},
    {"see tpq report --list", "describe with find finds reports"},
    {"see tpq describe ", "call describe with the name "},
    {"see tpq describe", "describe with find finds names"},
    {"see tpq traces", "runs lists the traces"},
    {"see tpq runs", "runs lists them"},
    {"tpq report: ", ""},
    {"tpq compare: ", ""},
    {"tpq describe: ", ""},
    {"tpq ingest TRACE... makes one", "nothing is stored yet"},
    {"tpq ingest and tpq report keep what came before with --salvage",
     "ingest with salvage keeps what came before"},
    {"--names ", "another run, or trace:N, "},
    {"tpq: ", ""},
    {"tpq ", "the tool "},
};

/* The sentence of a call as a client may read it: of a path only the last part. */
static void add_said_sentence(const struct client *self, const struct text *said, struct text *out)
{
    const char *database = self->agent->database, *at = said->count ? said->items : "";
    struct text plain = {0};
    bool starts = true;
    while (*at) {
        size_t whole = strcspn(at, " \t\n'\",;()"), known = strlen(database);
        if (starts && strncmp(at, database, known) == 0)
            whole = known;
        size_t i = 0, words = sizeof said_otherwise / sizeof *said_otherwise;
        while (i < words && !(starts && text_starts_with(at, said_otherwise[i][0])))
            i++;
        if (i < words) {
            text_add_string(&plain, said_otherwise[i][1]);
            at += strlen(said_otherwise[i][0]);
            continue;
        }
        bool is_path = starts && (*at == '/' || text_starts_with(at, "./") ||
                                  text_starts_with(at, "../") || whole == known);
        const char *last = is_path ? memrchr(at, '/', whole) : NULL;
        if (last && last + 1 < at + whole)
            at = last + 1;
        starts = ends_word(*at);
        if (*at == '\n' && at[1])
            text_add_string(&plain, "; ");
        else if (*at != '\n')
            text_add_byte(&plain, *at);
        at++;
    }
    if (plain.count > SENTENCE_MAX) {
        plain.count = SENTENCE_MAX;
        while (((unsigned char)plain.items[plain.count] & 0xC0) == 0x80)
            plain.count--;
        text_add_string(&plain, "...");
    }
    if (plain.count)
        text_add_text(out, &plain);
    else
        text_add_string(out, "the call failed and did not say why");
    text_free(&plain);
}

static void add_failure(struct request *request, const char *sentence)
{
    struct text seen = {0};
    visible_add(&seen, view_of(sentence));
    text_format_json(&request->members,
                     "\"content\":[{\"type\":\"text\",\"text\":%s}],"
                     "\"isError\":true",
                     seen.items);
    text_free(&seen);
}

/* The first of several tables. */
static struct view first_line(const struct text *out)
{
    return (struct view){out->items, strcspn(out->items, "\n")};
}

static void run_tool(struct client *self, struct request *request, struct tool_call *tool_call)
{
    const struct tool *tool = tool_call->tool;
    struct call call = {.work = tool_call_run, .context = tool_call};
    struct text sentence = {0};
    bool is_ingest = strcmp(tool->name, "ingest") == 0;
    double start = clock_seconds();
    switch (self->run(self, &call, is_ingest ? for_ever : (double)self->agent->timeout)) {
    case CALL_DONE:
        if (call.out.count && json_is_structure(first_line(&call.out))) {
            /* The document of the verb, under the name of the tool. */
            struct text document = {0}, begin = {0};
            text_format(&begin, "{\"meta\":{\"tool\":\"%s\"", tool->verb);
            struct view rest = first_line(&call.out);
            if (view_starts_with(rest, begin.items)) {
                text_format(&document, "{\"meta\":{\"tool\":\"%s\"", tool->name);
                rest = (struct view){rest.bytes + begin.count, rest.length - begin.count};
            }
            text_add_view(&document, rest);
            text_add_string(&request->members, "\"content\":[{\"type\":\"text\",\"text\":");
            text_add_json(&request->members, text_view(&document));
            text_add_string(&request->members, "}],\"structuredContent\":");
            text_add_text(&request->members, &document);
            text_add_string(&request->members, ",\"isError\":false");
            text_free(&document);
            text_free(&begin);
            break;
        } /* fall through */
    case CALL_FAILED:
        add_said_sentence(self, &call.said, &sentence);
        add_failure(request, sentence.items);
        break;
    case CALL_LATE:
        text_format(&sentence,
                    "stopped after %ld s; narrow the call by run, step, time or where, or ask for "
                    "less",
                    self->agent->timeout);
        add_failure(request, sentence.items);
        break;
    case CALL_STOPPED:
        break;
    }
    if (!self->agent->is_quiet) {
        const char *subject = request_param(request, "name");
        int arguments = literal_member(request->json, request->params, "arguments");
        const char *report =
            literal_text(request->json, literal_member(request->json, arguments, "name"));
        fprintf(stderr, "%s ", subject);
        visible_print(view_of(report ? report : ""), stderr);
        fprintf(stderr, "%s%.0f ms %zu tokens\n", report ? " " : "",
                (clock_seconds() - start) * 1e3, (call.out.count + 2) / 3);
    }
    text_free(&sentence);
    call_free(&call);
}

static bool answer_call(struct client *self, struct request *request)
{
    const char *name = request_param(request, "name");
    int arguments = literal_member(request->json, request->params, "arguments");
    const struct tool *tool = name ? tool_find(self->agent, name) : NULL;
    struct tool_call call = {.agent = self->agent, .tool = tool};
    struct error error = {0};
    if (!name)
        return request_refuse(request, RPC_BAD_PARAMS, "tools/call needs the name of a tool");
    if (!tool)
        return request_refuse(request, RPC_BAD_PARAMS, "there is no tool '%.60s'; see tools/list",
                              name);
    if (tool_call_read(&call, request->json, arguments, &error))
        run_tool(self, request, &call);
    else if (error.memory)
        request_refuse(request, RPC_FAULT, "out of memory");
    else
        add_failure(request, error.text);
    tool_call_free(&call);
    return true;
}

static bool answer_tools(struct client *self, struct request *request)
{
    text_add_string(&request->members, "\"tools\":");
    tools_list(self->agent, &request->members);
    return true;
}

/* ------------------------------------------------------------------ resources */

static bool answer_resources(struct client *self, struct request *request)
{
    (void)self;
    text_add_string(&request->members, "\"resources\":[");
    for (const struct agent_resource *one = agent_resources; one->uri; one++) {
        text_add_string(&request->members, one > agent_resources ? "," : "");
        text_format_json(&request->members,
                         "{\"uri\":%s,\"name\":%s,\"title\":%s,\"description\":%s,\"mimeType\":"
                         "\"text/markdown\"}",
                         one->uri, one->uri + strlen("tpq://"), one->title, one->description);
    }
    text_add_byte(&request->members, ']');
    return true;
}

static bool answer_templates(struct client *self, struct request *request)
{
    (void)self;
    text_add_string(&request->members,
                    "\"resourceTemplates\":[{\"uriTemplate\":\"tpq://describe/{name}\",\"name\":"
                    "\"describe\",\"title\":\"Meaning of a name\",\"description\":\"what a report, "
                    "table, view or function is, with its columns\",\"mimeType\":"
                    "\"text/markdown\"}]");
    return true;
}

struct name_list {
    const struct agent *agent;
    const char *kind;
};

static bool print_names(void *context, struct error *error)
{
    const struct name_list *self = context;
    setenv("TPQ_DB", self->agent->database, 1);
    return names_print(self->kind, stdout, error);
}

/* The names of a kind, a line each; none where they cannot be read. */
static void list_names(struct client *self, const char *kind, struct call *call)
{
    struct name_list list = {self->agent, kind};
    *call = (struct call){.work = print_names, .context = &list};
    self->run(self, call, (double)self->agent->timeout);
    text_add(&call->out, "", 0);
}

static bool answer_read(struct client *self, struct request *request)
{
    static const char template[] = "tpq://describe/";
    const char *uri = request_param(request, "uri");
    char name[256] = "";
    struct agent_reading reading = {self->agent, uri, NULL};
    const struct agent_resource *one = agent_resources;
    while (uri && one->uri && strcmp(one->uri, uri) != 0)
        one++;
    if (uri && text_starts_with(uri, template)) {
        size_t count = 0;
        for (const char *from = uri + strlen(template); *from && count + 1 < sizeof name; from++) {
            char digits[3] = {from[0] == '%' ? from[1] : '\0', 0, 0};
            digits[1] = digits[0] ? from[2] : '\0';
            bool is_code = isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1]);
            name[count++] = is_code ? (char)strtol(digits, NULL, 16) : *from;
            from += is_code ? 2 : 0;
        }
        name[count] = '\0';

        /* The name is a line of the list of names. */
        struct call call;
        struct text line = {0};
        list_names(self, "described", &call);
        bool is_name = *name && !strchr(name, '\n');
        if (is_name) {
            text_format(&line, "\n%s\n", name);
            is_name = call.out.items && (strstr(call.out.items, line.items) ||
                                         text_starts_with(call.out.items, line.items + 1));
        }
        text_free(&line);
        call_free(&call);
        reading.name = is_name ? name : NULL;
    }
    struct call call = {.work = texts_print_resource, .context = &reading};
    if (!uri)
        request_refuse(request, RPC_BAD_PARAMS, "resources/read needs a uri");
    else if ((!one->uri && !reading.name) ||
             self->run(self, &call, (double)self->agent->timeout) != CALL_DONE)
        request_refuse(request, request->is_stateless ? RPC_BAD_PARAMS : NO_SUCH_RESOURCE,
                       "there is no resource '%.60s'", uri);
    else {
        text_format_json(&request->members,
                         "\"contents\":[{\"uri\":%s,\"mimeType\":\"text/markdown\",\"text\":", uri);
        text_add_json(&request->members, text_view(&call.out));
        text_add_string(&request->members, "}]");
    }
    call_free(&call);
    return true;
}

/* ------------------------------------------------------------------ prompts */

static bool answer_prompts(struct client *self, struct request *request)
{
    struct text *out = &request->members;
    (void)self;
    text_add_string(out, "\"prompts\":[");
    for (const struct agent_prompt *one = agent_prompts; one->name; one++) {
        text_add_string(out, one > agent_prompts ? "," : "");
        text_format_json(out, "{\"name\":%s,\"title\":%s,\"description\":%s,\"arguments\":[",
                         one->name, one->title, one->description);
        for (const struct prompt_argument *argument = one->arguments; argument->name; argument++) {
            text_add_string(out, argument > one->arguments ? "," : "");
            text_format_json(out, "{\"name\":%s,\"description\":%s,\"required\":", argument->name,
                             argument->words);
            text_add_string(out, argument->is_needed ? "true}" : "false}");
        }
        text_add_string(out, "]}");
    }
    text_add_byte(out, ']');
    return true;
}

static bool answer_prompt(struct client *self, struct request *request)
{
    const char *name = request_param(request, "name");
    int arguments = literal_member(request->json, request->params, "arguments");
    const struct agent_prompt *one = agent_prompts;
    struct text words = {0};
    (void)self;
    while (name && one->name && strcmp(one->name, name) != 0)
        one++;
    if (!name || !one->name)
        return request_refuse(request, RPC_BAD_PARAMS, "there is no prompt '%.60s'",
                              name ? name : "");
    for (const struct prompt_argument *argument = one->arguments; argument->name; argument++)
        if (argument->is_needed &&
            !literal_text(request->json, literal_member(request->json, arguments, argument->name)))
            return request_refuse(request, RPC_BAD_PARAMS, "the prompt %s needs the argument %s",
                                  name, argument->name);
    texts_add_prompt(one, request->json, arguments, &words);
    text_format_json(&request->members,
                     "\"description\":%s,\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                     "\"text\",\"text\":%s}}]",
                     one->description, words.items ? words.items : "");
    text_free(&words);
    return true;
}

static bool answer_completion(struct client *self, struct request *request)
{
    int argument = literal_member(request->json, request->params, "argument");
    const char *name = literal_text(request->json, literal_member(request->json, argument, "name"));
    const char *value =
        literal_text(request->json, literal_member(request->json, argument, "value"));
    size_t found = 0;
    struct call call = {0};
    if (!name || !value)
        return request_refuse(request, RPC_BAD_PARAMS, "completion/complete needs an argument");
    if (option_is_in("run a b", name))
        list_names(self, "runs", &call);
    else if (strcmp(name, "name") == 0)
        list_names(self, "described", &call);
    text_add_string(&request->members, "\"completion\":{\"values\":[");
    for (const char *at = call.out.items; at && *at;) {
        struct view line = {at, strcspn(at, "\n")};
        at += line.length + (at[line.length] == '\n');
        if (!view_starts_with(line, value) || ++found > COMPLETIONS_MAX)
            continue;
        text_add_string(&request->members, found > 1 ? "," : "");
        struct text seen = {0};
        visible_add(&seen, line);
        text_add_json(&request->members, text_view(&seen));
        text_free(&seen);
    }
    text_format(&request->members, "],\"total\":%zu,\"hasMore\":%s}", found,
                found > COMPLETIONS_MAX ? "true" : "false");
    call_free(&call);
    return true;
}

/* ------------------------------------------------------------------ eras */

#define STATELESS "2026-07-28"
#define PREFIX    "io.modelcontextprotocol/"

enum { NO_SUCH_REVISION = -32022 };

/* The newest first, as lists of them have it. */
static const char *const handshakes[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
static const char with_batches[] = "2025-03-26";

bool client_has_batches(const struct client *self)
{
    return self->revision && strcmp(self->revision, with_batches) == 0;
}

static void add_server_info(struct text *out)
{
    text_add_string(
        out,
        "\"name\":\"tpq\",\"title\":\"tpq: accelerator traces\",\"version\":\"" TPQ_VERSION "\"}");
}

static void add_capabilities(struct text *out)
{
    text_add_string(out, "\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{},"
                         "\"completions\":{}},\"serverInfo\":{");
    add_server_info(out);
    text_format_json(out, ",\"instructions\":%s", texts_instructions);
}

static bool answer_initialize(struct client *self, struct request *request)
{
    const char *asked = request_param(request, "protocolVersion");
    self->revision = handshakes[0];
    for (size_t i = 0; asked && i < sizeof handshakes / sizeof *handshakes; i++)
        if (strcmp(asked, handshakes[i]) == 0)
            self->revision = handshakes[i];
    text_format_json(&request->members, "\"protocolVersion\":%s,", self->revision);
    add_capabilities(&request->members);
    return true;
}

static void add_revisions(struct text *out)
{
    text_add_string(out, "[\"" STATELESS "\"");
    for (size_t i = 0; i < sizeof handshakes / sizeof *handshakes; i++)
        text_format(out, ",\"%s\"", handshakes[i]);
    text_add_byte(out, ']');
}

static bool answer_discover(struct client *self, struct request *request)
{
    (void)self;
    text_add_string(&request->members, "\"supportedVersions\":");
    add_revisions(&request->members);
    text_add_byte(&request->members, ',');
    add_capabilities(&request->members);
    return true;
}

static bool answer_ping(struct client *self, struct request *request)
{
    (void)self, (void)request;
    return true;
}

enum { HANDSHAKE = 1, BY_REQUEST = 2, IN_BOTH = 3 };

static const struct method {
    const char *name;
    int eras;
    bool is_list, is_kept; /* takes a cursor; clients may keep the answer for a while */
    bool (*answer)(struct client *self, struct request *request);
} methods[] = {
    {"initialize", HANDSHAKE, false, false, answer_initialize},
    {"ping", HANDSHAKE, false, false, answer_ping},
    {"server/discover", BY_REQUEST, false, true, answer_discover},
    {"tools/list", IN_BOTH, true, true, answer_tools},
    {"tools/call", IN_BOTH, false, false, answer_call},
    {"resources/list", IN_BOTH, true, true, answer_resources},
    {"resources/templates/list", IN_BOTH, true, true, answer_templates},
    {"resources/read", IN_BOTH, false, true, answer_read},
    {"prompts/list", IN_BOTH, true, true, answer_prompts},
    {"prompts/get", IN_BOTH, false, false, answer_prompt},
    {"completion/complete", IN_BOTH, false, false, answer_completion},
};

/* Reads the revision of the request; refuses an unknown one, and one without capabilities. */
static bool read_era(struct request *request)
{
    const struct literals *json = request->json;
    int meta = literal_member(json, request->params, "_meta");
    int version = literal_member(json, meta, PREFIX "protocolVersion");
    const char *asked = literal_text(json, version);
    request->is_stateless = version != LITERAL_NONE;
    if (!request->is_stateless)
        return true;
    if (!asked || strcmp(asked, STATELESS) != 0) {
        request_refuse(request, NO_SUCH_REVISION, "this revision is not known");
        text_add_string(&request->data, "{\"supported\":");
        add_revisions(&request->data);
        text_format_json(&request->data, ",\"requested\":%s}", asked);
        return false;
    }
    int capabilities = literal_member(json, meta, PREFIX "clientCapabilities");
    if (literal_type(json, capabilities) != LITERAL_OBJECT)
        request_refuse(request, RPC_BAD_PARAMS, "_meta lacks " PREFIX "clientCapabilities");
    return !request->fault;
}

static bool is_object_or_missing(const struct literals *json, int place)
{
    return place == LITERAL_NONE || literal_type(json, place) == LITERAL_OBJECT;
}

bool request_serve(struct client *self, struct request *request, const char *name)
{
    const struct method *method = methods, *end = methods + sizeof methods / sizeof *methods;
    int arguments = literal_member(request->json, request->params, "arguments");
    if (!is_object_or_missing(request->json, request->params))
        return request_refuse(request, RPC_BAD_PARAMS, "params is no object");
    if (!is_object_or_missing(request->json, arguments))
        return request_refuse(request, RPC_BAD_PARAMS, "arguments is no object");
    if (!read_era(request))
        return false;
    int era = request->is_stateless ? BY_REQUEST : HANDSHAKE;
    while (method < end && strcmp(method->name, name) != 0)
        method++;
    if (method == end || !(method->eras & era))
        return request_refuse(request, RPC_NO_METHOD, "there is no method '%.60s'", name);
    if (!request->is_stateless && !self->revision && method->eras != HANDSHAKE)
        return request_refuse(request, RPC_BAD_PARAMS,
                              "neither initialize came before, nor has _meta a " PREFIX
                              "protocolVersion");
    if (method->is_list && literal_member(request->json, request->params, "cursor") >= 0)
        return request_refuse(request, RPC_BAD_PARAMS, "this cursor is not known");
    if (!method->answer(self, request) || !request->is_stateless)
        return !request->fault;
    struct text *out = &request->members;
    text_format(out, "%s\"resultType\":\"complete\",\"_meta\":{\"" PREFIX "serverInfo\":{",
                out->count ? "," : "");
    add_server_info(out);
    text_add_byte(out, '}');
    if (method->is_kept)
        text_add_string(out, ",\"ttlMs\":3600000,\"cacheScope\":\"private\"");
    return true;
}
