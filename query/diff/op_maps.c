/* op_maps: see op_maps.h. */
#include "query/diff/op_maps.h"

#include "sql/database.h"
#include "src/base/file.h"
#include "src/base/text.h"

#include <string.h>

enum { DEPTH = 4 };

/* A JSON object of objects and lists, from rows that say what is at each depth: as long as the
 * texts of two rows agree they are in the same place. */
struct writing {
    struct text out;
    struct text path[DEPTH];
    int depth; /* of what is open */
};

static bool indent(struct writing *self, int depth)
{
    bool done = text_add_byte(&self->out, '\n');
    for (int i = 0; i < depth && done; i++)
        done = text_add_string(&self->out, "  ");
    return done;
}

/* Closes what is open below a depth; the innermost of `levels` is a list. */
static bool close_to(struct writing *self, int depth, int levels)
{
    bool done = true;
    for (; self->depth > depth && done; self->depth--)
        done = indent(self, self->depth) &&
               text_add_byte(&self->out, self->depth == levels - 1 ? ']' : '}');
    return done;
}

static bool add_string(struct writing *self, const char *text)
{
    return text_add_json(&self->out, view_of(text));
}

/* A row: keys, and the last text in their list. */
static bool add_row(struct writing *self, sqlite3_stmt *from, int levels, bool is_first)
{
    int same = 0;
    bool done = true;
    while (same < levels - 1 && !is_first &&
           strcmp(self->path[same].items, (const char *)sqlite3_column_text(from, same)) == 0)
        same++;
    done = close_to(self, same, levels) && (is_first || text_add_byte(&self->out, ','));
    for (int i = same; i < levels && done; i++) {
        const char *text = (const char *)sqlite3_column_text(from, i);
        text_clear(&self->path[i]);
        done = text && text_add(&self->path[i], text, strlen(text) + 1) &&
               indent(self, self->depth + 1) && add_string(self, text);
        if (done && i < levels - 1) {
            done = text_add_string(&self->out, i == levels - 2 ? ": [" : ": {");
            self->depth++;
        }
    }
    return done;
}

static bool write_map(struct warehouse *warehouse, const char *folder, const char *file,
                      const char *sql, struct error *error)
{
    struct writing writing = {0};
    sqlite3_stmt *from = NULL;
    int result = database_prepare(warehouse->db, sql, &from, NULL);
    int levels = result == SQLITE_OK ? sqlite3_column_count(from) : 0;
    bool is_first = true, done = text_add_byte(&writing.out, '{');
    while (result == SQLITE_OK && done && (result = sqlite3_step(from)) == SQLITE_ROW) {
        result = SQLITE_OK;
        done = add_row(&writing, from, levels, is_first);
        is_first = false;
    }
    bool failed = done && result != SQLITE_DONE;
    if (failed)
        warehouse_error(warehouse, error);
    sqlite3_finalize(from);
    struct text path = {0};
    done = done && close_to(&writing, 0, levels) && (is_first || indent(&writing, 0)) &&
           text_add_byte(&writing.out, '}') && text_format(&path, "%s/%s", folder, file);
    if (!failed)
        done = done ? file_write(path.items, text_view(&writing.out), error) : error_memory(error);
    text_free(&path);
    text_free(&writing.out);
    for (int i = 0; i < DEPTH; i++)
        text_free(&writing.path[i]);
    return done && !failed;
}

/* Ops and kernels of one trace, each pair once. */
#define PAIRS_OF(is_in) \
    "SELECT DISTINCT cpu_op_name, name FROM diff_op_work WHERE " is_in " ORDER BY 1, 2"

/* Ops by the row of diff_stats_unique_args_summary in which they come first: that with the most
 * time. */
#define LINES(source)                                                                            \
    "WITH line AS (SELECT most_ns, most_name, op_name, source, 'kernels' AS what, name AS text " \
    "FROM diff_op_work UNION ALL SELECT most_ns, most_name, op_name, source, "                   \
    "'nn_module_parents', replace(nn_module_parent, ' ', '') FROM diff_op_work) "                \
    "SELECT DISTINCT op_name, " source "what, text FROM line "                                   \
    "ORDER BY most_ns DESC, most_name, op_name, " source "what, text"

bool op_maps_write(struct warehouse *warehouse, const char *folder, struct error *error)
{
    static const char first[] = PAIRS_OF("is_in1"), second[] = PAIRS_OF("is_in2");
    static const char both[] = LINES("source, "), same[] = LINES("");
    static const char is_same[] = "SELECT 1 FROM diff_gpu WHERE source IS NULL LIMIT 1";
    sqlite3_stmt *from = NULL;
    bool found = database_prepare(warehouse->db, is_same, &from, NULL) == SQLITE_OK &&
                 sqlite3_step(from) == SQLITE_ROW;
    bool failed = sqlite3_finalize(from) != SQLITE_OK;
    if (failed)
        return warehouse_error(warehouse, error);
    return write_map(warehouse, folder, "cpu_op_map_trace1.json", first, error) &&
           write_map(warehouse, folder, "cpu_op_map_trace2.json", second, error) &&
           write_map(warehouse, folder, "cpu_op_map.json", found ? same : both, error);
}
