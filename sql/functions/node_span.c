/* node_span: whether a group of ranks is on one node.
 *
 *     node_span(ranks, size)      ranks 0 to size - 1 are on the first node, and so on
 *
 *     SELECT node_span('[0, 3]', 4), node_span('[3, 4]', 4)      -> intra_node, inter_node
 *
 * The numbers in the text are the ranks. NULL without a size; without ranks "unknown".
 */
#include "sql/binding/function.h"

#include <stdlib.h>
#include <string.h>

static SQL_FUNCTION(node_span)
{
    const char *ranks = (const char *)sqlite3_value_text(arguments[0]);
    int64_t size = sqlite3_value_int64(arguments[1]);
    if (sqlite3_value_type(arguments[1]) == SQLITE_NULL || size < 1)
        return;
    const char *span = "unknown";
    long long first = -1;
    for (char *at = (char *)ranks; at && *(at += strcspn(at, "0123456789"));) {
        long long node = strtoll(at, &at, 10) / size;
        first = first < 0 ? node : first;
        span = node == first ? "intra_node" : "inter_node";
        if (node != first)
            break;
    }
    sqlite3_result_text(context, span, -1, SQLITE_STATIC);
}

const struct function node_functions[] = {
    SCALAR("node_span", "ranks, size", 2, SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, node_span,
           "intra_node where all ranks that a text lists are on one node, of which each has size, "
           "else inter_node; unknown where it lists none; NULL without a size."),
    {0},
};
