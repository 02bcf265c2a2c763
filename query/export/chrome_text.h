/* chrome_text: events of the warehouse as JSON that chrome://tracing, Perfetto and tpq read.
 *
 *     struct chrome_text text = {.warehouse = &warehouse, .file = &file, .error = &error};
 *     chrome_text_begin(&text, &trace, 1) && chrome_text_trace(&text, &trace) &&
 *     chrome_text_end(&text);
 *
 * Written are slices, the arrows from calls to the work that they launched and those of the trace,
 * samples of counters from the first start to the last end of them, the labels of processes and
 * threads, and what the file said beside its events. Ids that nothing needs are not in the
 * warehouse and so not in the file.
 *
 * Viewers drop a slice that overlaps with another one on its thread: it gets a thread of its own,
 * and tid_raw among its arguments says which one is meant. Of several ranks in one file the numbers
 * of processes and links are moved apart; rank, and what they were (pid_raw, correlation_raw), are
 * arguments. With the option compat they are moved by the numbers of the first one alone, times are
 * those of each file, and Python frames, counters and what is said beside the events stay out.
 */
#pragma once

#include "query/export/export.h"
#include "query/export/meetings.h"

struct chrome_text {
    struct warehouse *warehouse;
    struct whole_file *file;
    struct error *error;
    struct export_options options;
    const struct meetings *meetings; /* NULL = none */
    int64_t written;                 /* elements of the event list */
    int64_t slices;
    bool is_fused, is_plain;         /* several ranks; as the reference puts them together */
    int64_t passed_over;             /* category; 0 = none */
    int64_t process_step, link_step; /* from rank to rank */
    uint64_t arrows;                 /* numbers of arrows that are taken */
};

/* Metadata of the traces, before the events. */
bool chrome_text_begin(struct chrome_text *self, const struct export_trace *traces, size_t count);
bool chrome_text_trace(struct chrome_text *self, const struct export_trace *trace);
bool chrome_text_end(struct chrome_text *self);
