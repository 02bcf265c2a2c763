/* eras: the revisions of the protocol. A client of the handshake begins with `initialize`; one of
 * the stateless era says with each request who it is. What a request may ask for, and what stands
 * beside the answer, depends on that.
 */
#pragma once

#include "src/agent/request.h"

/* Answers a request of this method, or refuses it. */
bool eras_serve(struct client *self, struct request *request, const char *method);

/* Whether the client may send several messages in one. */
bool eras_have_batches(const struct client *self);
