/* eras: see eras.h. */
#include "src/agent/eras.h"

#include "src/agent/answers.h"
#include "src/agent/texts.h"

#include <string.h>

#define STATELESS "2026-07-28"
#define PREFIX    "io.modelcontextprotocol/"

enum { NO_SUCH_REVISION = -32022 };

/* The newest first, as lists of them have it. */
static const char *const handshakes[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
static const char with_batches[] = "2025-03-26";

bool eras_have_batches(const struct client *self)
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

bool eras_serve(struct client *self, struct request *request, const char *name)
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
