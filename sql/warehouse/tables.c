/* tables: see tables.h. */
#include "sql/warehouse/tables.h"

#include "sql/statement.h"

#include <assert.h>
#include <strings.h>

const char tables_catalog[] = "schema/3_";

static const char *const tables_later[] = {
    "health_fact",    "health_check",     "health_touch",      "memory_frame", "memory_stack",
    "memory_segment", "memory_block",     "memory_allocation", "memory_mark",  "snapshot_event",
    "memory_device",  "graph_annotation", "served_request",    "host_lever",   "roofline_lever",
    "advice_tie",     "search_word",      "setup_pattern",     "thread_state", "identity_key"};

struct view tables_words(const char *name)
{
    struct schema_statement list[SCHEMA_STATEMENTS_MAX];
    size_t count = schema_statements(list), head = strlen("CREATE TABLE ");
    for (size_t i = 0; i < count; i++)
        if (list[i].is_stored && list[i].is_table && view_equal(list[i].name, view_of(name)))
            return (struct view){list[i].text.bytes + head, list[i].text.length - head};
    return (struct view){"", 0};
}

bool tables_came_later(struct view table)
{
    return VIEW_IS_AMONG(table, tables_later);
}

size_t schema_statements(struct schema_statement list[SCHEMA_STATEMENTS_MAX])
{
    static const char start[] = "\nCREATE ";
    size_t count = 0;
    for (int i = 0; i < sql_file_count; i++) {
        const char *path = sql_files[i].path, *at = sql_files[i].text;
        bool is_schema = text_starts_with(path, "schema/");
        if (!is_schema && !text_starts_with(path, "overlay/"))
            continue;
        while ((at = strstr(at, start))) {
            bool is_table = text_starts_with(at + strlen(start), "TABLE ");
            const char *name = at + strlen(start) + strlen("TABLE "); /* INDEX is as long */
            struct view text = {at + 1, statement_length(at + 1)};
            assert(count < SCHEMA_STATEMENTS_MAX);
            struct view table = {name, strcspn(name, " \n")};
            bool is_later = is_table ? tables_came_later(table) : list[count - 1].is_later;
            list[count++] =
                (struct schema_statement){path, table, text, is_table, is_schema, is_later};
            at = text.bytes + text.length;
        }
    }
    return count;
}

const struct sql_view *views_find(struct view name)
{
    int first = 0, end = sql_view_count;
    while (first < end) {
        int middle = first + (end - first) / 2;
        const char *there = sql_views[middle].name;
        int order = strncasecmp(name.bytes, there, name.length);
        if (order == 0 && there[name.length] == '\0')
            return &sql_views[middle];
        if (order > 0)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}
