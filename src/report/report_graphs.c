/* report_graphs: see report_graphs.h. */
#include "src/report/report_graphs.h"

#include "ingest/graph_notes.h"

#include <stdlib.h>

bool report_graphs_read(const struct arguments *arguments, struct context *context,
                        struct error *error)
{
    const char **paths = arguments_values(arguments, "graph-annotations");
    struct text json = {0};
    bool done = paths || error_memory(error);
    if (done && *paths)
        done = graph_notes_read(paths, &json, error) &&
               (context_set(context, "graph-annotations", json.items) || error_memory(error));
    text_free(&json);
    free(paths);
    return done;
}
