/* tables: see tables.h. */
#include "sql/tables.h"

#include "sql/embed.h"

#include <stdio.h>

const char *const tables_later[] = {"health_fact",    "health_check",
                                    "health_touch",   "memory_frame",
                                    "memory_stack",   "memory_segment",
                                    "memory_block",   "memory_allocation",
                                    "memory_mark",    "snapshot_event",
                                    "memory_device",  "graph_annotation",
                                    "served_request", NULL};

/* The words of a statement of the schema between the one that it begins with and its end. */
static struct view words_behind(const char *create, const char *start)
{
    for (int i = 0; i < sql_file_count; i++) {
        const char *found = text_starts_with(sql_files[i].path, "schema/")
                                ? strstr(sql_files[i].text, start)
                                : NULL;
        const char *end = found ? strstr(found, ";\n") : NULL;
        if (end) {
            found += strlen(create);
            return (struct view){found, (size_t)(end - found)};
        }
    }
    return (struct view){"", 0};
}

struct view tables_words(const char *name)
{
    char start[128];
    snprintf(start, sizeof start, "CREATE TABLE %s (", name);
    return words_behind("CREATE TABLE ", start);
}

struct view tables_index_words(const char *name)
{
    char start[128];
    snprintf(start, sizeof start, "CREATE INDEX %s_by_trace ON", name);
    return words_behind("CREATE INDEX ", start);
}

bool tables_came_later(struct view table)
{
    for (const char *const *later = tables_later; *later; later++)
        if (view_equal(table, view_of(*later)))
            return true;
    return false;
}
