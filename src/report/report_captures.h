/* report_captures: a hint at traces in which graphs were recorded that lie beside one which
 * launches graphs: --capture-folder takes them. Among the traces of a report they are known by what
 * is in them; beside a file that was named, by the list that engines write with them or by their
 * name.
 */
#pragma once

#include "src/report/report_call.h"

/* False with an error: the warehouse cannot be read, or memory is out. */
bool report_captures_say(struct report_call *self);
