/* time_span: a window of time as users write it: FROM-TO, FROM- or -TO.
 *
 *     1.2s-1.3s   500us-2ms   3-4.5        units ns, us, ms and s; without one, ms
 *
 * Times count from the start of the trace. What starts at TO is not in the window.
 */
#pragma once

#include "query/select/ranges.h"

/* The first and the last nanosecond of the window; false where the text is none, or it is empty. */
bool time_span_read(const char *text, struct range *span);
