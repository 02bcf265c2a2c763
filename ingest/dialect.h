/* dialect: slices of trace JSON whose producer writes no kinds of events.
 *
 *     struct dialects dialects;
 *     dialects_init(&dialects);
 *     dialects_learn(&dialects, &warehouse, &error);           rows of users, where there is one
 *     dialects_apply(&dialects, &trace, no_frames, &error);    before link_trace; by any thread
 *     dialects_close(&dialects);
 *
 * The rows of trace_dialect tell by the names of processes which producer it was, those of
 * dialect_slice by the names of process, thread and slice what a slice without a category is. They
 * are asked in a warehouse in memory, made when the first trace asks for them: the one that traces
 * go to may be busy then.
 */
#pragma once

#include "ingest/trace/trace.h"
#include "sql/warehouse/warehouse.h"

#include <pthread.h>

struct dialects {
    struct memory memory; /* of the rules */
    pthread_mutex_t lock;
    struct text learnt; /* SQL that adds the rows of users */
    struct warehouse rules;
    bool is_open;
};

void dialects_init(struct dialects *self);
bool dialects_learn(struct dialects *self, struct warehouse *from, struct error *error);
void dialects_close(struct dialects *self);

bool dialects_apply(struct dialects *self, struct trace *trace, bool no_frames,
                    struct error *error);
