/* server: the Model Context Protocol on two descriptors.
 *
 * It serves two eras (answers.h). Requests are served in order; while a call of a tool runs in its
 * own process (call.h), ping is answered and cancelling is heard.
 */
#pragma once

#include "src/agent/call.h"
#include "src/agent/tools.h"

/* call_run, or what stands in its place. */
typedef enum call_end call_runner(struct call *call, struct rpc *rpc);

/* Until the input ends, a signal asks, or nobody reads any more. */
void agent_serve(const struct agent *agent);

/* The same on descriptors of the caller, with its way to run calls; frees what is in `rpc`. */
void agent_serve_rpc(const struct agent *agent, struct rpc *rpc, call_runner *runner);
