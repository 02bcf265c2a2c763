/* diff_tables: the call trees of two traces as one, and where the accelerator's work differs.
 *
 *     diff_node               each node of the merged tree, with the events of both traces
 *     diff_gpu                the work that differs, and the lowest node that both traces have
 *                             above it
 *     diff_point              these nodes, with their work in both traces
 *
 *     SELECT name1, name2, gpu_ns1, gpu_ns2 FROM diff_node WHERE parent_merged_id IS NULL
 *     SELECT source, count(*) FROM diff_gpu GROUP BY source
 *
 * The two traces are those of the selection; the first one is the baseline, or the one that the
 * --diff-base names. With --diff-other the selection is one trace, the baseline, and
 * the option says which events the other one is. All tables share one reading (merged_tree.h,
 * difference.h), which the connection keeps.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/diff/difference.h"
#include "src/base/deviation.h"
#include "src/base/map.h"

#include <string.h>

struct diff {
    char *run; /* of the baseline */
    struct forest_names names;
    struct forest forests[2];
    struct merged_tree tree;
    struct difference_list differences;
    struct point_list points;
};

/* Parts of a row. */
enum { ROW, DIFF, LEFT, RIGHT, WORK, OP, FIRST };

/* ------------------------------------------------------------------ reading */

/* The two traces of the selection; the first one is the baseline, unless an option names it. */
static int find_traces(struct diff *self, sqlite3 *db, const char *base, int64_t traces[2],
                       int *found)
{
    sqlite3_stmt *from = NULL;
    int count = 0, result = database_prepare(db, "SELECT trace_id, run FROM scope", &from, NULL);
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
            memory_free(self->run);
            self->run = memory_text(run ? run : "");
            result = SQLITE_OK;
        }
    }
    database_finalize(from);
    if (result != SQLITE_DONE)
        return result;
    *found = count;
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
    bool has_frames = context_get(context, "include-call-stack") != NULL;
    struct forest_options options = {
        .has_frames = has_frames,
        .has_modules = has_frames || !like_reference(compat, "diff_stats: modules"),
        .is_equivalent = !is_asked(context, "launch-equivalence", "off") &&
                         (!like_reference(compat, "diff_stats: names of calls") ||
                          is_asked(context, "launch-equivalence", "on")),
    };
    bool by_place =
        !is_asked(context, "roots", "names") &&
        (like_reference(compat, "diff_stats: roots") || is_asked(context, "roots", "positional"));
    const char *other = context_get(context, "diff-other");
    int64_t traces[2] = {0};
    int found = 0;
    int result = find_traces(self, wish->db, context_get(context, "diff-base"), traces, &found);
    if (result != SQLITE_OK || found != (other ? 1 : 2))
        return result;
    for (int i = 0; i < 2 && result == SQLITE_OK; i++)
        result = forest_read(&self->forests[i], &self->names, wish->db, traces[i],
                             i == 1 ? other : NULL, &options);
    if (result != SQLITE_OK)
        return result;
    struct intern *symbols = &self->names.symbols;
    merged_tree_make(&self->tree, &self->forests[0], &self->forests[1], by_place);
    difference_find(&self->differences, symbols, &self->tree, self->forests);
    op_names_find(&self->differences, symbols, &self->tree, self->forests,
                  like_reference(compat, "diff_stats: names of ops"));
    points_find(&self->points, &self->differences, self->forests);
    return SQLITE_OK;
}

static const struct table_reading reading = {
    .size = sizeof(struct diff), .read = read_diff, .is_kept = true};

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

/* A number at the offset, NULL where there is none. */
static int give_number(sqlite3_context *out, struct table_cursor *cursor)
{
    const char *node = cursor->parts[ROW];
    uint32_t number = *(const uint32_t *)(const void *)(node + cursor->column->offset);
    if (number != FOREST_NONE)
        sqlite3_result_int64(out, number);
    return SQLITE_OK;
}

static int give_type(sqlite3_context *out, struct table_cursor *cursor)
{
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
static int give_name(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct forest_node *node = cursor->parts[cursor->column->part];
    if (node)
        give_symbol(out, cursor->reading, node->name);
    return SQLITE_OK;
}

static const struct forest *forest_shown(const struct table_cursor *cursor)
{
    const struct diff *self = cursor->reading;
    return &self->forests[cursor->column->part == RIGHT];
}

static int give_count(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct forest_node *node = cursor->parts[cursor->column->part];
    const struct forest *forest = forest_shown(cursor);
    if (node)
        sqlite3_result_int64(out, forest_gpu_count(forest, (uint32_t)(node - forest->nodes.items)));
    return SQLITE_OK;
}

static int give_time(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct forest_node *node = cursor->parts[cursor->column->part];
    const struct forest *forest = forest_shown(cursor);
    if (node)
        sqlite3_result_int64(out, forest_gpu_ns(forest, (uint32_t)(node - forest->nodes.items)));
    return SQLITE_OK;
}

static int give_is_op(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct forest_node *node =
        cursor->parts[LEFT] ? cursor->parts[LEFT] : cursor->parts[RIGHT];
    sqlite3_result_int(out, node->kind == FOREST_OP);
    return SQLITE_OK;
}

/* By how much the work below a node of both takes longer in the variant. */
static int64_t change_of(const struct diff *self, const struct merged_node *node)
{
    if (node->left == FOREST_NONE || node->right == FOREST_NONE)
        return 0;
    return forest_gpu_ns(&self->forests[1], node->right) -
           forest_gpu_ns(&self->forests[0], node->left);
}

static int give_own(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct diff *self = cursor->reading;
    const struct merged_node *node = cursor->parts[ROW];
    int64_t change = change_of(self, node);
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint32_t child = self->tree.children.items[node->first_child + i];
        change -= change_of(self, &self->tree.nodes.items[child]);
    }
    if (node->left != FOREST_NONE && node->right != FOREST_NONE)
        sqlite3_result_int64(out, change);
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

static int give_source(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct difference *row = cursor->parts[cursor->column->part];
    if (row->side != SIDE_BOTH)
        sqlite3_result_text(out, row->side == SIDE_LEFT ? "trace1" : "trace2", -1, SQLITE_STATIC);
    return SQLITE_OK;
}

/* The symbol at the offset in the part of a column; without one NULL. */
static int give_symbol_at(sqlite3_context *out, struct table_cursor *cursor)
{
    const char *part = cursor->parts[cursor->column->part];
    uint32_t symbol = part ? *(const uint32_t *)(const void *)(part + cursor->column->offset) : 0;
    if (symbol)
        give_symbol(out, cursor->reading, symbol);
    return SQLITE_OK;
}

/* The same of modules, which are called root where there are none. */
static int give_modules(sqlite3_context *out, struct table_cursor *cursor)
{
    const char *part = cursor->parts[cursor->column->part];
    if (*(const uint32_t *)(const void *)(part + cursor->column->offset)) {
        give_symbol_at(out, cursor);
        return SQLITE_OK;
    }
    sqlite3_result_text(out, "root", -1, SQLITE_STATIC);
    return SQLITE_OK;
}

/* Tells if the row is of a side, whose number is the offset. */
static int give_is_in(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct difference *row = cursor->parts[cursor->column->part];
    sqlite3_result_int(out, (row->side & cursor->column->offset) != 0);
    return SQLITE_OK;
}

/* A table whose rows are found by their number, too. */
static int choose_row(struct table_cursor *cursor, const struct table_wish *wish,
                      struct error *error)
{
    (void)error;
    sqlite3_value *number = wish->keys[0];
    if (!number)
        return SQLITE_OK;
    int64_t place = sqlite3_value_int64(number);
    bool is_there = sqlite3_value_numeric_type(number) == SQLITE_INTEGER && place >= 0 &&
                    (uint64_t)place < cursor->end;
    cursor->at = is_there ? (size_t)place : 0;
    cursor->end = is_there ? (size_t)place + 1 : 0;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ points of difference */

static bool find_point(struct table_cursor *cursor, size_t index)
{
    const struct diff *self = cursor->reading;
    const struct point *point = &self->points.points.items[index];
    const struct difference *first = &self->differences.rows.items[point->first];
    cursor->parts[DIFF] = self;
    cursor->parts[FIRST] = first;
    cursor->parts[OP] = node_at(&self->forests[first->side == SIDE_RIGHT], first->op);
    return true;
}

/* The names of the set whose number is at the offset. */
static int give_set(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct diff *self = cursor->reading;
    const char *point = cursor->parts[ROW];
    uint32_t set = *(const uint32_t *)(const void *)(point + cursor->column->offset);
    struct text words = {0};
    if (!set)
        return SQLITE_OK;
    points_write_set(&self->points, &self->names.symbols, set, &words);
    sqlite3_result_text(out, words.count ? words.items : "", (int)words.count, SQLITE_TRANSIENT);
    text_free(&words);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ the tables */

#define GIVEN(function)     .origin = TABLE_GIVEN, .give = (function)
#define OF(side, function)  GIVEN(function), .part = (side)
#define NUMBER(member)      GIVEN(give_number), .offset = offsetof(struct merged_node, member)
#define NODE(kind, side, m) TABLE_AT(kind, side, struct forest_node, m)
#define RUN_COLUMN                                                           \
    {                                                                        \
        "run", "run of the baseline", TABLE_AT(TEXT, DIFF, struct diff, run) \
    }

static const struct table_column node_columns[] = {
    RUN_COLUMN,
    {"merged_id", "number of the node in the merged tree, in preorder, from 0",
     .origin = TABLE_PLACE, .role = TABLE_KEY | TABLE_ALONE},
    {"parent_merged_id", "number of the node above; NULL for a root", NUMBER(parent)},
    {"root_index", "number of the root above the node", NUMBER(root)},
    {"ord", "place among the siblings, from 0", NUMBER(place)},
    {"type", "combined, or trace1 or trace2 for a node of one trace", GIVEN(give_type),
     .type = "TEXT"},
    {"depth", "number of nodes above the node", TABLE_AT(UINT32, ROW, struct merged_node, depth)},
    {"is_op", "whether the node is an op", GIVEN(give_is_op)},
    {"own_ns", "GPU time in the variant beyond the baseline, without the common nodes right below",
     GIVEN(give_own)},
    {"id1", "event in the baseline", NODE(ID, LEFT, id)},
    {"id2", "event in the variant", NODE(ID, RIGHT, id)},
    {"name1", "name in the baseline", OF(LEFT, give_name), .type = "TEXT"},
    {"name2", "name in the variant", OF(RIGHT, give_name), .type = "TEXT"},
    {"name1_key", "number of the name in the baseline",
     TABLE_AT(UINT32, LEFT, struct forest_node, name)},
    {"name2_key", "number of the name in the variant",
     TABLE_AT(UINT32, RIGHT, struct forest_node, name)},
    {"gpu_count1", "GPU activities of the node and below in the baseline", OF(LEFT, give_count)},
    {"gpu_count2", "GPU activities of the node and below in the variant", OF(RIGHT, give_count)},
    {"gpu_ns1", "GPU time of the node and below in the baseline, summed", OF(LEFT, give_time)},
    {"gpu_ns2", "GPU time of the node and below in the variant, summed", OF(RIGHT, give_time)},
    {0},
};

#define SYMBOL(side, kind, m) \
    GIVEN(give_symbol_at), .part = (side), .offset = offsetof(struct kind, m)
#define MODULES(side, kind, m) \
    GIVEN(give_modules), .part = (side), .offset = offsetof(struct kind, m)
#define KEY(side, kind, m) TABLE_AT(UINT32, side, struct kind, m)

static const struct table_column gpu_columns[] = {
    RUN_COLUMN,
    {"ord", "place in the list, from 0, in the order of the merged tree", .origin = TABLE_PLACE,
     .role = TABLE_KEY | TABLE_ALONE},
    {"source",
     "trace1 for the baseline, trace2 for the variant; NULL when both have the same, which is then "
     "listed once",
     GIVEN(give_source), .type = "TEXT"},
    {"is_in1", "whether the row is in the baseline", GIVEN(give_is_in), .offset = SIDE_LEFT},
    {"is_in2", "whether the row is in the variant", GIVEN(give_is_in), .offset = SIDE_RIGHT},
    {"id", "id of the GPU activity", NODE(ID, WORK, id)},
    {"uid", "place in the file", NODE(INT64, WORK, uid)},
    {"name", "name of the GPU activity", SYMBOL(WORK, forest_node, name), .type = "TEXT"},
    {"name_key", "number of the name of the GPU activity", KEY(WORK, forest_node, name)},
    {"dur_ns", "duration of the GPU activity", NODE(INT64, WORK, dur)},
    {"side", "1 for the baseline, 2 for the variant, 3 for both", KEY(ROW, difference, side)},
    {"cpu_op_id", "id of the nearest op above the GPU activity", NODE(ID, OP, id)},
    {"cpu_op_uid", "place of the nearest op in the file", NODE(INT64, OP, uid)},
    {"cpu_op_name", "name of the nearest op", SYMBOL(OP, forest_node, name), .type = "TEXT"},
    {"cpu_op_key", "number of the name of the nearest op", KEY(OP, forest_node, name)},
    {"op_id", "call signature of the nearest op", NODE(ID, OP, signature)},
    {"op_name", "name of the nearest op that both traces agree on",
     SYMBOL(ROW, difference, op_name), .type = "TEXT"},
    {"op_key", "number of the op name that both traces agree on", KEY(ROW, difference, op_name)},
    {"lca_id",
     "lowest node of the merged tree that both traces have, the GPU activity or above; NULL for "
     "none",
     GIVEN(give_number), .offset = offsetof(struct difference, point)},
    {"lca_name", "name of the lowest common node, with | between where the traces differ",
     SYMBOL(ROW, difference, point_name), .type = "TEXT"},
    {"lca_key", "number of the name of the lowest common node", KEY(ROW, difference, point_name)},
    {"busy_ns", "GPU busy time of the lowest common node in the trace",
     TABLE_AT(INT64, ROW, struct difference, busy_ns)},
    {"nn_module_stack", "modules around the op, outermost first, or root",
     MODULES(OP, forest_node, modules), .type = "TEXT"},
    {"nn_module_parent", "innermost module around the op, or root",
     MODULES(ROW, difference, module), .type = "TEXT"},
    {"module_key", "number of the name of the innermost module", KEY(ROW, difference, module)},
    {0},
};

static const struct table_column point_columns[] = {
    RUN_COLUMN,
    {"place", "place in the list, from 0: the largest changes first", .origin = TABLE_PLACE,
     .role = TABLE_KEY | TABLE_ALONE | TABLE_ORDER},
    {"lca_id", "lowest node of the merged tree above the GPU activities that both traces have",
     TABLE_AT(UINT32, ROW, struct point, number)},
    {"lca_name", "name of the lowest common node, with | between where the traces differ",
     SYMBOL(FIRST, difference, point_name), .type = "TEXT"},
    {"cpu_op_id", "id of the op above the GPU activities, of the baseline where it has one",
     NODE(ID, OP, id)},
    {"op_id", "call signature of the op", NODE(ID, OP, signature)},
    {"op_name", "name of the op that both traces agree on", SYMBOL(FIRST, difference, op_name),
     .type = "TEXT"},
    {"op_key", "number of the op name that both traces agree on", KEY(FIRST, difference, op_name)},
    {"nn_module_stack", "modules around the op, outermost first, or root",
     MODULES(OP, forest_node, modules), .type = "TEXT"},
    {"nn_module_parent", "innermost module around the op, or root",
     MODULES(FIRST, difference, module), .type = "TEXT"},
    {"busy1_ns", "GPU busy time in the baseline", TABLE_AT(INT64, ROW, struct point, busy_ns1)},
    {"busy2_ns", "GPU busy time in the variant", TABLE_AT(INT64, ROW, struct point, busy_ns2)},
    {"kernels1", "number of GPU activities in the baseline",
     TABLE_AT(UINT32, ROW, struct point, kernels1)},
    {"kernels2", "number of GPU activities in the variant",
     TABLE_AT(UINT32, ROW, struct point, kernels2)},
    {"kernel_names1", "names of the GPU activities in the baseline, with their number",
     GIVEN(give_set), .offset = offsetof(struct point, set1), .type = "TEXT"},
    {"kernel_names2", "names of the GPU activities in the variant, with their number",
     GIVEN(give_set), .offset = offsetof(struct point, set2), .type = "TEXT"},
    {"set1_key", "number of the set of names in the baseline; 0 for none", KEY(ROW, point, set1)},
    {"set2_key", "number of the set of names in the variant; 0 for none", KEY(ROW, point, set2)},
    {0},
};

static const struct table nodes = {
    TABLE_ROWS(node_columns, 1e5, 1, reading, struct diff, tree.nodes),
    .row = find_nodes,
    .start = choose_row,
};

static const struct table works = {
    TABLE_ROWS(gpu_columns, 1e4, 1, reading, struct diff, differences.rows),
    .row = find_work,
    .start = choose_row,
};

static const struct table points = {
    TABLE_ROWS(point_columns, 1e4, 1, reading, struct diff, points.points),
    .row = find_point,
    .start = choose_row,
};

const struct function diff_functions[] = {
    TABLE("diff_node", nodes,
          "A table: the call trees of the two selected traces merged into one, a row a node, with "
          "the events of both. Without rows unless two traces are selected."),
    TABLE("diff_gpu", works,
          "A table: the GPU activities of the two selected traces that differs, in which trace it "
          "ran, and the lowest node of diff_node that both traces have above it."),
    TABLE("diff_point", points,
          "A table: each node of diff_node right below which the work of the two selected traces "
          "differs, with what work that is."),
    {0},
};
