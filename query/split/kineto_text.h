/* kineto_text: events of the warehouse as a trace in Kineto's JSON, which every viewer opens.
 *
 *     kineto_text_write(&warehouse, trace_id, &events, &file, &written, &error)
 *
 * Written are the slices of a trace whose ids are in `events`, the arrows from calls to the work
 * that they launched, samples of counters from the first start to the last end of them, the labels
 * of processes and threads, and what the file said beside its events. Ids that nothing needs are
 * not in the warehouse and so not in the file.
 */
#pragma once

#include "query/select/ranges.h"
#include "query/sink/whole_file.h"
#include "sql/warehouse/warehouse.h"

/* `*written` is the number of elements of the event list. */
bool kineto_text_write(struct warehouse *warehouse, int64_t trace_id, const struct ranges *events,
                       struct whole_file *file, int64_t *written, struct error *error);
