/* rpc: messages of JSON-RPC 2.0 over two descriptors, one a line.
 *
 * Whoever waits for input calls rpc_read when there is some, and finds what has arrived in
 * `waiting`; a line that is no message stands there with its fault. Nothing here waits to read.
 */
#pragma once

#include "src/base/literal.h"

enum {
    RPC_NO_JSON = -32700,
    RPC_NO_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_BAD_PARAMS = -32602,
    RPC_FAULT = -32603
};

struct message {
    struct literals json;
    int root;
    int fault; /* a code of JSON-RPC; 0: none */
    const char *why;
    bool is_cancelled;
};

struct rpc {
    int in, out;
    struct text line;      /* what has arrived of it */
    bool skips;            /* the rest of a line that is too long */
    bool has_ended;        /* no more input comes */
    bool is_gone;          /* nobody reads what is sent */
    volatile bool *is_off; /* set by a signal: sending gives up */
    ARRAY(struct message) waiting;
};

/* Reads the input that has arrived. */
void rpc_read(struct rpc *self);

/* The next message, which the caller frees; false: there is none. */
bool rpc_take(struct rpc *self, struct message *message);
void message_free(struct message *self);

/* Sends one message, whole and with its line end. */
void rpc_send(struct rpc *self, struct view message);
void rpc_free(struct rpc *self);

/* Whether two values, each a text or an integer, are the same. */
bool rpc_is_same_id(const struct literals *left, int one, const struct literals *right, int other);
