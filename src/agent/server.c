/* server: one loop takes messages, a request at a time. While a call runs, `look` goes through the
 * messages that have come: pings are answered, and a cancellation marks the request in hand or one
 * that waits. After the end of the input a second is left for what was read before. */
#include "src/agent/server.h"

#include "src/agent/answers.h"
#include "src/base/clock.h"

#include <string.h>
#include <unistd.h>

enum { GRACE_SECONDS = 1 /* to answer what was read before the input ended */ };

struct server {
    struct client client;
    struct rpc *rpc;
    call_runner *run;
    struct request *current;
    double end; /* of the time after the input has ended; 0: it has not */
};

/* ------------------------------------------------------------------ calls */

/* True if a message has a method, of this name where one is given. */
static bool is_method(const struct message *message, const char *name)
{
    const char *method =
        literal_text(&message->json, literal_member(&message->json, message->root, "method"));
    return method && (!name || strcmp(method, name) == 0);
}

/* Among the requests that wait the first `count` came before the message. */
static void cancel(struct server *self, const struct message *message, size_t count)
{
    const struct literals *json = &message->json;
    int id = literal_member(json, literal_member(json, message->root, "params"), "requestId");
    struct request *current = self->current;
    if (rpc_is_same_id(json, id, current->json, current->id))
        current->is_dropped = true;
    for (size_t i = 0; i < count; i++) {
        struct message *other = &self->rpc->waiting.items[i];
        int its = literal_member(&other->json, other->root, "id");
        other->is_cancelled |= rpc_is_same_id(json, id, &other->json, its);
    }
}

static bool is_in_time(struct server *self)
{
    double now = clock_seconds();
    if (self->rpc->has_ended && self->end == 0)
        self->end = now + GRACE_SECONDS;
    return self->end == 0 || now < self->end;
}

/* Pings and cancels do not wait until a call is done. They leave the queue, and so do other
 * notifications, which have no effect: only requests fill it. */
static bool look(void *context)
{
    struct server *self = context;
    struct rpc *rpc = self->rpc;
    size_t kept = 0;
    for (size_t i = 0; i < rpc->waiting.count; i++) {
        struct message message = rpc->waiting.items[i];
        int id = literal_member(&message.json, message.root, "id");
        enum literal_type type = literal_type(&message.json, id);
        bool is_ping =
            is_method(&message, "ping") && (type == LITERAL_TEXT || type == LITERAL_INTEGER);
        if (is_ping) {
            struct text reply = {0};
            text_add_string(&reply, "{\"jsonrpc\":\"2.0\",\"id\":");
            literal_add_json(&message.json, literal_member(&message.json, message.root, "id"),
                             &reply);
            text_add_string(&reply, ",\"result\":{}}");
            rpc_send(self->rpc, text_view(&reply));
            text_free(&reply);
        }
        if (is_method(&message, "notifications/cancelled"))
            cancel(self, &message, kept);
        if (is_ping || (id == LITERAL_NONE && is_method(&message, NULL)))
            message_free(&message);
        else
            rpc->waiting.items[kept++] = message;
    }
    rpc->waiting.count = kept;
    return is_in_time(self) && !self->current->is_dropped;
}

static void tell(void *context, double seconds)
{
    struct server *self = context;
    const struct request *current = self->current;
    struct text line = {0};
    int token = literal_member(
        current->json, literal_member(current->json, current->params, "_meta"), "progressToken");
    if (token == LITERAL_NONE)
        return;
    text_add_string(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                           "\"progressToken\":");
    literal_add_json(current->json, token, &line);
    text_format(&line, ",\"progress\":%.1f,\"message\":\"seconds\"}}", seconds);
    rpc_send(self->rpc, text_view(&line));
    text_free(&line);
}

static enum call_end run(struct client *client, struct call *call, double seconds)
{
    struct server *self = (struct server *)client;
    call->seconds = seconds;
    call->look = look;
    call->tell = tell;
    call->server = self;
    enum call_end end = self->run(call, self->rpc);
    self->current->is_dropped |= end == CALL_STOPPED;
    return end;
}

/* ------------------------------------------------------------------ messages */

/* Adds the reply to one message, or nothing. */
static void serve_one(struct server *self, const struct literals *json, int root, struct text *out)
{
    struct request request = {.json = json, .id = LITERAL_NONE, .params = LITERAL_NONE};
    int id = literal_member(json, root, "id");
    const char *version = literal_text(json, literal_member(json, root, "jsonrpc"));
    const char *method = literal_text(json, literal_member(json, root, "method"));
    bool is_response =
        literal_member(json, root, "result") >= 0 || literal_member(json, root, "error") >= 0;
    bool has_id =
        literal_type(json, id) == LITERAL_TEXT || literal_type(json, id) == LITERAL_INTEGER;
    if (id == LITERAL_NONE && method)
        return; /* a notification */
    if (!method && is_response)
        return;
    request.id = has_id ? id : LITERAL_NONE;
    request.params = literal_member(json, root, "params");
    self->current = &request;
    if (!has_id || !method || !version || strcmp(version, "2.0") != 0)
        request_refuse(&request, RPC_NO_REQUEST, "the message is no request of JSON-RPC 2.0");
    else
        request_serve(&self->client, &request, method);
    self->current = NULL;
    if (!request.is_dropped)
        request_add_reply(&request, out);
    request_free(&request);
}

void agent_serve_rpc(const struct agent *agent, struct rpc *rpc, call_runner *runner)
{
    struct server self = {.client = {.agent = agent, .run = run}, .rpc = rpc, .run = runner};
    struct message message;
    while (!*rpc->is_off && !rpc->is_gone && (rpc->waiting.count || !rpc->has_ended)) {
        if (!rpc_take(rpc, &message)) {
            call_wait(rpc, -1);
            continue;
        }
        if (!message.is_cancelled && is_in_time(&self)) {
            struct text out = {0};
            const struct literals *json = &message.json;
            bool is_batch =
                literal_count(json, message.root) > 0 && client_has_batches(&self.client);
            if (message.fault) {
                struct request request = {.json = json, .id = LITERAL_NONE};
                request_refuse(&request, message.fault, "%s", message.why);
                request_add_reply(&request, &out);
                request_free(&request);
            } else if (is_batch) {
                text_add_byte(&out, '[');
                for (int at = literal_at(json, message.root)->first; at >= 0;
                     at = literal_at(json, at)->next)
                    serve_one(&self, json, at, &out);
                text_add_byte(&out, ']');
                out.count = out.count > 2 ? out.count : 0;
            } else {
                serve_one(&self, json, message.root, &out);
            }
            if (out.count)
                rpc_send(self.rpc, text_view(&out));
            text_free(&out);
        }
        message_free(&message);
    }
    rpc_free(rpc);
}

void agent_serve(const struct agent *agent)
{
    struct rpc rpc = {.in = STDIN_FILENO, .out = STDOUT_FILENO, .is_off = &call_is_off};
    call_listen();
    agent_serve_rpc(agent, &rpc, call_run);
}
