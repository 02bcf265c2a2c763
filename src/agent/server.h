/* server: the Model Context Protocol on standard input and output.
 *
 * It serves two eras: clients that begin with `initialize`, and clients that say with each request
 * who they are. Requests are served in order; while a call of a tool runs in its own process
 * (call.h), ping is answered and cancelling is heard.
 */
#pragma once

#include "src/agent/tools.h"

/* Until the input ends, a signal asks, or nobody reads any more. */
bool agent_serve(const struct agent *agent, struct error *error);
