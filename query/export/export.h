/* export: what is selected, handed over to other programs as a file.
 *
 *     struct export export = {.warehouse = &warehouse, .path = "trace.json", .error = &error};
 *     export_open(&export) && form->write(&export);
 *     export_close(&export);
 *
 * export_forms has the list of forms. A form is a file with a function that writes it, and a row
 * there.
 */
#ifndef TPQ_QUERY_EXPORT_EXPORT_H
#define TPQ_QUERY_EXPORT_EXPORT_H

#include "query/select/ranges.h"
#include "sql/warehouse.h"
#include "src/base/text.h"

/* A trace that something of is selected, in the order of the export. */
struct export_trace {
    int64_t id;
    struct ranges events; /* that are selected */
};

struct export
{
    struct warehouse *warehouse; /* with a selection */
    const char *path;            /* where it goes; "-" = standard output */
    bool packs;                  /* compressed */
    struct error *error;
    ARRAY(struct export_trace) traces;
    int64_t written; /* what the form counts: events */
};

/* Reads which traces are selected. */
bool export_open(struct export *self);
void export_close(struct export *self);

#endif
