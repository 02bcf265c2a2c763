/* report_beside: see report_beside.h. */
#include "src/report/report_beside.h"

#include "ingest/graph_notes.h"
#include "src/command/request_log.h"

#include <stdlib.h>

bool report_beside_read(const struct arguments *arguments, struct context *context,
                        struct error *error)
{
    const char **graphs = arguments_values(arguments, "graph-annotations");
    struct text notes = {0};
    bool done = (graphs || error_memory(error)) && request_log_read(arguments, context, error) &&
                (!*graphs || graph_notes_read(graphs, &notes, error)) &&
                (!notes.items || context_set(context, "graph-annotations", notes.items) ||
                 error_memory(error));
    text_free(&notes);
    free(graphs);
    return done;
}
