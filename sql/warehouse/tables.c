/* tables: Statements of schema/ are found by the words that they begin with. Triggers are made from
 * the tables that they stand on. */
#include "sql/warehouse/tables.h"

#include "sql/statement.h"

#include <assert.h>
#include <strings.h>

const char tables_catalog[] = "schema/3_";

static const char *const tables_later[] = {
    "health_fact",    "health_check",     "health_touch",      "memory_frame", "memory_stack",
    "memory_segment", "memory_block",     "memory_allocation", "memory_mark",  "snapshot_event",
    "memory_device",  "graph_annotation", "served_request",    "host_lever",   "roofline_lever",
    "advice_tie",     "search_word",      "setup_pattern",     "thread_state", "rollup",
    "trace_file",     "identity_key"};

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

void tables_triggers(struct text *lines)
{
    /* Tables about a run, by the column of its id, and about a trace. Labels are no part of
     * answers. Events come and go with their trace. */
    static const char *const about_runs[][2] = {
        {"run", "id"}, {"trace", "run_id"}, {"replay_result", "run_id"}};
    static const char *const about_traces[] = {"device", "ingest_note", "health_fact",
                                               "graph_annotation", "served_request"};
    /* A row that takes the place of another one does not delete it for triggers. */
    static const char *const times[] = {"BEFORE INSERT", "AFTER UPDATE", "AFTER DELETE"};
    static const char *const rows[][2] = {{"NEW", "NEW"}, {"OLD", "NEW"}, {"OLD", "OLD"}};
    static const char *const names[] = {"insert", "update", "delete"};
    enum {
        RUNS = sizeof about_runs / sizeof *about_runs,
        TRACES = sizeof about_traces / sizeof *about_traces
    };
    struct schema_statement ours[SCHEMA_STATEMENTS_MAX];
    size_t count = schema_statements(ours);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const char *one = rows[i][0], *other = rows[i][1];
        for (size_t j = 0; j < RUNS + TRACES; j++) {
            const char *table = j < RUNS ? about_runs[j][0] : about_traces[j - RUNS];
            const char *column = j < RUNS ? about_runs[j][1] : "trace_id";
            bool is_run = strcmp(table, "run") == 0, is_trace = strcmp(table, "trace") == 0;
            text_format(lines,
                        "TRIGGER rollup_%s_%s %s%s ON %s BEGIN DELETE FROM rollup WHERE run_id ",
                        names[i], table, times[i], is_run && i == 1 ? " OF id, name" : "", table);
            if (j < RUNS)
                text_format(lines, "IN (%s.%s, %s.%s%s", one, column, other, column,
                            is_trace ? ", (SELECT run_id FROM trace WHERE id = " : ")");
            else
                text_format(lines, "IN (SELECT run_id FROM trace WHERE id IN (%s.%s, %s.%s))", one,
                            column, other, column);
            if (is_trace)
                text_format(lines, "%s.id))", other);
            text_add_string(lines, "; END\n");
        }
        for (size_t j = 0; j < count; j++) {
            int length = (int)ours[j].name.length;
            const char *name = ours[j].name.bytes;
            if (ours[j].is_table && text_starts_with(ours[j].path, tables_catalog))
                text_format(lines,
                            "TRIGGER rollup_%s_%.*s %s ON %.*s BEGIN DELETE FROM rollup; END\n",
                            names[i], length, name, times[i], length, name);
        }
    }
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
