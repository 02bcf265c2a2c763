/* answers: one request of a client, with its result or error, and its reply.
 *
 * The protocol has two eras. A client of the handshake begins with `initialize`; one of the
 * stateless era says with each request who it is. The era decides which methods there are, and what
 * stands beside an answer.
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

/* Appends the reply, behind others of a batch. */
void request_add_reply(const struct request *self, struct text *out);
void request_free(struct request *self);

/* Answers a request of this method, or refuses it. */
bool request_serve(struct client *self, struct request *request, const char *method);

/* Whether the client may send several messages in one. */
bool client_has_batches(const struct client *self);
