/* report_beside: see report_beside.h. */
#include "src/report/report_beside.h"

#include "ingest/graph_notes.h"
#include "src/command/request_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list is an option, "requests 0" and so on: as one text all requests would be taken apart at
 * once. */
static bool set_requests(struct context *context, char *lists)
{
    char name[32];
    bool done = true;
    for (int number = 0; lists && done; number++) {
        char *next = strchr(lists, '\n');
        if (next)
            *next++ = '\0';
        snprintf(name, sizeof name, "requests %d", number);
        done = context_set(context, name, lists) && context_set(context, "requests", "given");
        lists = next;
    }
    return done;
}

bool report_beside_read(const struct arguments *arguments, struct context *context,
                        struct error *error)
{
    const char **graphs = arguments_values(arguments, "graph-annotations");
    struct text notes = {0}, requests = {0};
    bool done = (graphs || error_memory(error)) && request_log_read(arguments, &requests, error) &&
                (!*graphs || graph_notes_read(graphs, &notes, error)) &&
                (((!notes.items || context_set(context, "graph-annotations", notes.items)) &&
                  set_requests(context, requests.items)) ||
                 error_memory(error));
    text_free(&notes);
    text_free(&requests);
    free(graphs);
    return done;
}
