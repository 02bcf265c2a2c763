/* request: one request of a client, with its result or error, and its reply.
 */
#pragma once

#include "src/agent/call.h"
#include "src/agent/tools.h"

/* Who is served. */
struct client {
    const struct agent *agent;
    const char *revision; /* of the handshake; NULL: there was none */
    /* runs work for the request at hand, for so many seconds at most */
    enum call_end (*run)(struct client *client, struct call *call, double seconds);
};

struct request {
    const struct literals *json;
    int id, params; /* LITERAL_NONE: none, as the fields of a line that is no request */
    bool is_stateless;
    struct text members; /* of the result */
    int fault;           /* a code, and the rest of an error */
    struct text why, data;
    bool is_dropped; /* nobody waits for an answer */
};

/* The reply is an error with this sentence; always false. */
__attribute__((format(printf, 3, 4))) bool request_refuse(struct request *self, int fault,
                                                          const char *format, ...);

/* A parameter that is a text; NULL: none is. */
const char *request_param(const struct request *self, const char *name);

/* Appends the reply, behind others of a batch. */
void request_add_reply(const struct request *self, struct text *out);
void request_free(struct request *self);
