/* call: work for a client, in a process of its own.
 *
 * What the work prints is the answer. Its process can be ended at any moment, whatever it is at,
 * and takes its memory and its locks with it; meanwhile this one reads what the client sends.
 */
#pragma once

#include "query/agent/rpc.h"
#include "src/base/error.h"

enum call_end {
    CALL_DONE,
    CALL_FAILED,  /* `said` is the sentence */
    CALL_LATE,    /* it took too long */
    CALL_STOPPED, /* nobody waits for it any more */
};

struct call {
    bool (*work)(void *context, struct error *error);
    void *context;
    double seconds;             /* that it may take */
    bool (*look)(void *server); /* at what has arrived; false: nobody waits any more */
    void (*tell)(void *server, double seconds); /* now and then, how long it takes */
    void *server;
    struct text out, said;
};

/* Set when a signal asks the program to end; rpc_send and call_run give up then. */
extern volatile bool call_is_off;

/* From now on SIGINT and SIGTERM end the program in its own time. */
void call_listen(void);

/* Waits for input, for so many seconds at most; negative: for ever. Then reads it. */
void call_wait(struct rpc *rpc, double seconds);

enum call_end call_run(struct call *self, struct rpc *rpc);
void call_free(struct call *self);
