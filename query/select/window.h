/* window: the events of a trace that belong to windows of time.
 *
 * An event on the host belongs to the window that it starts in, and so does all work that it
 * launched, whenever that ran. Accelerator work without a launcher belongs to the window that it
 * starts in itself.
 *
 * The events of a trace are gone through once for all windows that do not overlap.
 */
#pragma once

#include "query/select/ranges.h"
#include "sql/warehouse/warehouse.h"

/* A window, and what gets its events. */
struct window {
    struct range time;
    struct ranges *events;
};

typedef ARRAY(struct window) window_list;

/* Adds to each window the events of a trace, whose ids are `ids`, that belong to it; they are not
 * settled. Windows may overlap, and several may share their events; the list is used up. */
bool window_events_each(struct warehouse *warehouse, struct range ids, window_list *windows,
                        struct error *error);

/* Adds the events of a trace, whose ids are `ids`, that belong to `times`: settled ranges of
 * nanoseconds from the start of the trace. */
bool window_events(struct warehouse *warehouse, struct range ids, const struct ranges *times,
                   struct ranges *events, struct error *error);

/* Reads a window of time as users write it: FROM-TO, FROM- or -TO.
 *
 *     1.2s-1.3s   500us-2ms   3-4.5        units ns, us, ms and s; without one, ms
 *
 * Times count from the start of the trace. What starts at TO is not in the window. `span` becomes
 * its first and its last nanosecond; false where the text is none, or the window is empty.
 */
bool time_span_read(const char *text, struct range *span);
