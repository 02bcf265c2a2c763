/* server: the Model Context Protocol on standard input and output.
 *
 * Two eras of it in one process: clients that begin with `initialize`, and those that send what
 * they are with each request. A request is served when it stands first; while a call of a tool runs
 * in its own process (call.h), ping is answered and cancelling is heard.
 */
#pragma once

#include "src/agent/tools.h"

/* Until the input ends, a signal asks, or nobody reads any more. */
bool agent_serve(const struct agent *agent, struct error *error);
