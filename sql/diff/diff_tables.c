/* diff_tables: the call trees of two traces as one, and where the accelerator's work differs.
 *
 *     diff_node               each node of the merged tree, with the events of both traces
 *     diff_gpu                the work that differs, and the lowest node that both traces have
 *                             above it
 *
 *     SELECT name1, name2, gpu_ns1, gpu_ns2 FROM diff_node WHERE parent_merged_id IS NULL
 *     SELECT source, count(*) FROM diff_gpu GROUP BY source
 *
 * The two traces are those of the selection; the first one is the baseline, or the one that the
 * option diff_base names. Both
 * tables share one reading (merged_tree.h, difference.h), which the connection keeps.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/diff/call_name.h"
#include "sql/diff/difference.h"
#include "sql/diff/op_names.h"
#include "src/base/deviation.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

struct diff {
    char *run; /* of the baseline */
    struct forest_names names;
    struct forest forests[2];
    struct merged_tree tree;
    struct difference_list differences;
    struct op_names op_names;
};

/* What rows are made of. */
enum { ROW, DIFF, LEFT, RIGHT, WORK, OP };

/* ------------------------------------------------------------------ reading */

/* The two traces of the selection; the first one is the baseline, unless an option names it. */
static int find_traces(struct diff *self, sqlite3 *db, const char *base, int64_t traces[2],
                       bool *found)
{
    sqlite3_stmt *from = NULL;
    int count = 0,
        result = sqlite3_prepare_v2(db, "SELECT trace_id, run FROM scope", -1, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        int64_t trace = sqlite3_column_int64(from, 0);
        bool is_known = (count > 0 && traces[0] == trace) || (count > 1 && traces[1] == trace);
        const char *run = (const char *)sqlite3_column_text(from, 1);
        result = SQLITE_OK;
        if (is_known)
            continue;
        if (count < 2)
            traces[count] = trace;
        bool is_base = base ? strtoll(base, NULL, 10) == trace : count == 0;
        if (count == 1 && is_base) {
            traces[1] = traces[0];
            traces[0] = trace;
        }
        if (count++ == 0 || is_base) {
            free(self->run);
            self->run = strdup(run ? run : "");
            result = self->run ? SQLITE_OK : SQLITE_NOMEM;
        }
    }
    sqlite3_finalize(from);
    if (result != SQLITE_DONE)
        return result;
    *found = count == 2;
    return SQLITE_OK;
}

static bool is_asked(const struct context *context, const char *option, const char *value)
{
    const char *given = context_get(context, option);
    return given && strcmp(given, value) == 0;
}

static int read_diff(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct diff *self = reading;
    const struct context *context = wish->context;
    bool compat = context_get(context, "compat") != NULL;
    bool has_frames = context_get(context, "include_call_stack") != NULL;
    struct forest_options options = {
        .has_frames = has_frames,
        .has_modules = has_frames || !like_reference(compat, "diff_stats: modules"),
        .is_equivalent = !is_asked(context, "launch_equivalence", "off") &&
                         (!like_reference(compat, "diff_stats: names of calls") ||
                          is_asked(context, "launch_equivalence", "on")),
    };
    bool by_place =
        !is_asked(context, "roots", "names") &&
        (like_reference(compat, "diff_stats: roots") || is_asked(context, "roots", "positional"));
    int64_t traces[2];
    bool found = false;
    int result = find_traces(self, wish->db, context_get(context, "diff_base"), traces, &found);
    for (int i = 0; i < 2 && found && result == SQLITE_OK; i++)
        result = forest_read(&self->forests[i], &self->names, wish->db, traces[i], &options);
    if (result != SQLITE_OK || !found)
        return result;
    bool done =
        merged_tree_make(&self->tree, &self->forests[0], &self->forests[1], by_place) &&
        difference_find(&self->differences, &self->tree, &self->forests[0], &self->forests[1]) &&
        op_names_find(&self->op_names, &self->names.symbols, &self->differences, &self->tree,
                      self->forests, like_reference(compat, "diff_stats: names of ops"));
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

static void free_diff(void *reading)
{
    struct diff *self = reading;
    free(self->run);
    for (int i = 0; i < 2; i++)
        forest_free(&self->forests[i]);
    forest_names_free(&self->names);
    merged_tree_free(&self->tree);
    difference_free(&self->differences);
    op_names_free(&self->op_names);
}

static const struct table_reading reading = {
    .size = sizeof(struct diff), .read = read_diff, .free = free_diff, .is_kept = true};

/* ------------------------------------------------------------------ the merged tree */

static const struct forest_node *node_at(const struct forest *forest, uint32_t node)
{
    return node == FOREST_NONE ? NULL : &forest->nodes.items[node];
}

static bool find_nodes(struct table_cursor *cursor, size_t index)
{
    const struct diff *self = cursor->reading;
    const struct merged_node *node = &self->tree.nodes.items[index];
    cursor->parts[DIFF] = self;
    cursor->parts[LEFT] = node_at(&self->forests[0], node->left);
    cursor->parts[RIGHT] = node_at(&self->forests[1], node->right);
    return true;
}

static int give_index(sqlite3_context *out, struct table_cursor *cursor,
                      const struct table_column *column)
{
    (void)column;
    const struct diff *self = cursor->reading;
    const struct merged_node *node = cursor->parts[ROW];
    sqlite3_result_int64(out, node - self->tree.nodes.items);
    return SQLITE_OK;
}

/* A number at the offset, NULL where there is none. */
static int give_number(sqlite3_context *out, struct table_cursor *cursor,
                       const struct table_column *column)
{
    const char *node = cursor->parts[ROW];
    uint32_t number = *(const uint32_t *)(const void *)(node + column->offset);
    if (number != FOREST_NONE)
        sqlite3_result_int64(out, number);
    return SQLITE_OK;
}

static int give_type(sqlite3_context *out, struct table_cursor *cursor,
                     const struct table_column *column)
{
    (void)column;
    const struct merged_node *node = cursor->parts[ROW];
    const char *type = node->left == FOREST_NONE    ? "trace2"
                       : node->right == FOREST_NONE ? "trace1"
                                                    : "combined";
    sqlite3_result_text(out, type, -1, SQLITE_STATIC);
    return SQLITE_OK;
}

static void give_symbol(sqlite3_context *out, const struct diff *self, uint32_t symbol)
{
    struct view text = intern_view(&self->names.symbols, symbol);
    sqlite3_result_text(out, text.bytes, (int)text.length, SQLITE_TRANSIENT);
}

/* The name of the node in the part of a column. */
static int give_name(sqlite3_context *out, struct table_cursor *cursor,
                     const struct table_column *column)
{
    const struct forest_node *node = cursor->parts[column->part];
    if (node)
        give_symbol(out, cursor->reading, node->name);
    return SQLITE_OK;
}

static const struct forest *forest_of(const struct table_cursor *cursor,
                                      const struct table_column *column)
{
    const struct diff *self = cursor->reading;
    return &self->forests[column->part == RIGHT];
}

static int give_count(sqlite3_context *out, struct table_cursor *cursor,
                      const struct table_column *column)
{
    const struct forest_node *node = cursor->parts[column->part];
    const struct forest *forest = forest_of(cursor, column);
    if (node)
        sqlite3_result_int64(out, forest_gpu_count(forest, (uint32_t)(node - forest->nodes.items)));
    return SQLITE_OK;
}

static int give_time(sqlite3_context *out, struct table_cursor *cursor,
                     const struct table_column *column)
{
    const struct forest_node *node = cursor->parts[column->part];
    const struct forest *forest = forest_of(cursor, column);
    if (node)
        sqlite3_result_int64(out, forest_gpu_ns(forest, (uint32_t)(node - forest->nodes.items)));
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ what differs */

static bool find_work(struct table_cursor *cursor, size_t index)
{
    const struct diff *self = cursor->reading;
    const struct difference *row = &self->differences.rows.items[index];
    const struct forest *forest = &self->forests[row->side == SIDE_RIGHT];
    cursor->parts[DIFF] = self;
    cursor->parts[WORK] = node_at(forest, row->node);
    cursor->parts[OP] = node_at(forest, row->op);
    return true;
}

static int give_source(sqlite3_context *out, struct table_cursor *cursor,
                       const struct table_column *column)
{
    (void)column;
    const struct difference *row = cursor->parts[ROW];
    sqlite3_result_text(out, row->side == SIDE_LEFT ? "trace1" : "trace2", -1, SQLITE_STATIC);
    return SQLITE_OK;
}

/* The names of a point of difference, of the sides that count. */
static int give_point_name(sqlite3_context *out, struct table_cursor *cursor,
                           const struct table_column *column)
{
    (void)column;
    const struct diff *self = cursor->reading;
    const struct difference *row = cursor->parts[ROW];
    if (row->point == FOREST_NONE)
        return SQLITE_OK;
    const struct merged_node *point = &self->tree.nodes.items[row->point];
    struct text left = {0}, right = {0};
    bool done = true;
    if (row->named & SIDE_LEFT)
        done = call_name_without_lines(
            &left,
            intern_view(&self->names.symbols, node_at(&self->forests[0], point->left)->name));
    if (done && row->named & SIDE_RIGHT)
        done = call_name_without_lines(
            &right,
            intern_view(&self->names.symbols, node_at(&self->forests[1], point->right)->name));
    bool is_same = left.count == right.count &&
                   (!left.count || memcmp(left.items, right.items, left.count) == 0);
    if (done && left.count && right.count && !is_same)
        done = text_add_string(&left, " | ");
    if (done && right.count && !is_same)
        done = text_add(&left, right.items, right.count);
    if (done)
        sqlite3_result_text(out, left.count ? left.items : "", (int)left.count, SQLITE_TRANSIENT);
    text_free(&left);
    text_free(&right);
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

static int give_modules(sqlite3_context *out, struct table_cursor *cursor,
                        const struct table_column *column)
{
    const struct diff *self = cursor->reading;
    const struct forest_node *op = cursor->parts[OP];
    if (!op->modules) {
        sqlite3_result_text(out, "root", -1, SQLITE_STATIC);
        return SQLITE_OK;
    }
    struct view modules = intern_view(&self->names.symbols, op->modules);
    size_t from = column->offset ? modules.length : 0;
    while (from > 0 && modules.bytes[from - 1] != ';')
        from--;
    sqlite3_result_text(out, modules.bytes + from, (int)(modules.length - from), SQLITE_TRANSIENT);
    return SQLITE_OK;
}

static int give_op_name(sqlite3_context *out, struct table_cursor *cursor,
                        const struct table_column *column)
{
    (void)column;
    const struct diff *self = cursor->reading;
    const struct forest_node *op = cursor->parts[OP];
    uint32_t unified = map_get(&self->op_names.of_name, op->name, 0);
    give_symbol(out, self, unified ? unified : op->name);
    return SQLITE_OK;
}

static int give_ord(sqlite3_context *out, struct table_cursor *cursor,
                    const struct table_column *column)
{
    (void)column;
    const struct diff *self = cursor->reading;
    const struct difference *row = cursor->parts[ROW];
    sqlite3_result_int64(out, row - self->differences.rows.items);
    return SQLITE_OK;
}

static int give_identical(sqlite3_context *out, struct table_cursor *cursor,
                          const struct table_column *column)
{
    (void)column;
    const struct diff *self = cursor->reading;
    sqlite3_result_int(out, self->differences.is_identical);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ the tables */

#define GIVEN(function)     .origin = TABLE_GIVEN, .give = (function)
#define OF(side, function)  GIVEN(function), .part = (side)
#define NUMBER(member)      GIVEN(give_number), .offset = offsetof(struct merged_node, member)
#define NODE(kind, side, m) TABLE_AT(kind, side, struct forest_node, m)
#define RUN_COLUMN                                                                    \
    {                                                                                 \
        "run", "TEXT", "run of the baseline", TABLE_AT(TEXT, DIFF, struct diff, run), \
            .role = TABLE_RUN                                                         \
    }

static const struct table_column node_columns[] = {
    RUN_COLUMN,
    {"merged_id", "INTEGER", "number of the node in the merged tree, in preorder, from 0",
     GIVEN(give_index)},
    {"parent_merged_id", "INTEGER", "node above it; NULL for a root", NUMBER(parent)},
    {"root_index", "INTEGER", "number of the root that it is below", NUMBER(root)},
    {"ord", "INTEGER", "place among its siblings, from 0", NUMBER(place)},
    {"type", "TEXT", "combined, or trace1 or trace2 when it is there only", GIVEN(give_type)},
    {"id1", "INTEGER", "event in the baseline", NODE(ID, LEFT, id)},
    {"id2", "INTEGER", "event in the variant", NODE(ID, RIGHT, id)},
    {"name1", "TEXT", "name in the baseline", OF(LEFT, give_name)},
    {"name2", "TEXT", "name in the variant", OF(RIGHT, give_name)},
    {"gpu_count1", "INTEGER", "accelerator work below it in the baseline, itself included",
     OF(LEFT, give_count)},
    {"gpu_count2", "INTEGER", "the same in the variant", OF(RIGHT, give_count)},
    {"gpu_ns1", "INTEGER", "time of that work in the baseline, summed", OF(LEFT, give_time)},
    {"gpu_ns2", "INTEGER", "the same in the variant", OF(RIGHT, give_time)},
    {0},
};

static const struct table_column gpu_columns[] = {
    RUN_COLUMN,
    {"ord", "INTEGER", "place in the list, from 0, in the order of the merged tree",
     GIVEN(give_ord)},
    {"source", "TEXT", "trace1 for the baseline, trace2 for the variant", GIVEN(give_source)},
    {"id", "INTEGER", "event that the work is", NODE(ID, WORK, id)},
    {"cpu_op_id", "INTEGER", "nearest op above it", NODE(ID, OP, id)},
    {"op_name", "TEXT", "name of that op that both traces agree on", GIVEN(give_op_name)},
    {"lca_id", "INTEGER",
     "lowest node of the merged tree above it that both traces have, or itself; NULL when there is "
     "none",
     GIVEN(give_number), .offset = offsetof(struct difference, point)},
    {"lca_name", "TEXT", "name of that node, with | between where they differ",
     GIVEN(give_point_name)},
    {"busy_ns", "INTEGER", "time covered by all work of that node in this trace",
     TABLE_AT(INT64, ROW, struct difference, busy_ns)},
    {"nn_module_stack", "TEXT", "modules around the op, outermost first, or root",
     GIVEN(give_modules)},
    {"nn_module_parent", "TEXT", "the innermost of them", GIVEN(give_modules), .offset = 1},
    {"is_identical", "INTEGER", "whether all of this is the same in both traces",
     GIVEN(give_identical)},
    {0},
};

static const struct table nodes = {
    .columns = node_columns,
    .all = 1e5,
    .found = 1e5,
    .reading = &reading,
    .rows = offsetof(struct diff, tree.nodes),
    .row_size = sizeof(struct merged_node),
    .row = find_nodes,
};

static const struct table works = {
    .columns = gpu_columns,
    .all = 1e4,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct diff, differences.rows),
    .row_size = sizeof(struct difference),
    .row = find_work,
};

const struct function diff_functions[] = {
    {.name = "diff_node",
     .meaning = "A table: the call trees of the two selected traces merged into one, a row a node, "
                "with the events of both. Without rows unless two traces are selected.",
     .kind = FUNCTION_TABLE,
     .table = &nodes},
    {.name = "diff_gpu",
     .meaning = "A table: the accelerator work of the two selected traces that differs, in which "
                "trace it ran, and the lowest node of diff_node that both traces have above it.",
     .kind = FUNCTION_TABLE,
     .table = &works},
    {0},
};
