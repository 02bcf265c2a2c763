/* difference: A walk with a stack, from each node with the nearest node of both traces above it;
 * work below a point of difference becomes rows. */
#include "sql/diff/difference.h"

#include "sql/diff/call_name.h"
#include "src/base/order.h"

#include <string.h>

struct span {
    int64_t start, end;
};

/* A node to be looked at, and the nearest one of both traces above it. */
struct visit {
    uint32_t number, above;
};

struct finding {
    struct difference_list *out;
    const struct merged_tree *tree;
    const struct forest *forests[2];
    bool *is_visited;
    ARRAY(struct visit) stack;
    ARRAY(struct span) spans;
};

static uint32_t node_of(const struct merged_node *node, int side)
{
    return side == 0 ? node->left : node->right;
}

static bool is_kernel(const struct finding *self, const struct merged_node *node, int side)
{
    uint32_t at = node_of(node, side);
    return at != FOREST_NONE && self->forests[side]->nodes.items[at].kind == FOREST_KERNEL;
}

static bool is_on_way(const struct finding *self, const struct merged_node *node, int side)
{
    uint32_t at = node_of(node, side);
    return at != FOREST_NONE && forest_gpu_count(self->forests[side], at) > 0;
}

ORDER_BY(compare_spans, struct span, UP(start));

static int64_t cover(struct finding *self)
{
    int64_t covered = 0, end = INT64_MIN;
    array_sort(&self->spans, compare_spans);
    for (size_t i = 0; i < self->spans.count; i++) {
        struct span span = self->spans.items[i];
        int64_t start = span.start > end ? span.start : end;
        if (span.end > start)
            covered += span.end - start;
        end = span.end > end ? span.end : end;
    }
    return covered;
}

/* Says of the rows from `first` on what the work that was listed last covers. */
static void state_busy(struct finding *self, size_t first)
{
    int64_t busy = cover(self);
    for (size_t i = first; i < self->out->rows.count; i++)
        self->out->rows.items[i].busy_ns = busy;
}

/* Lists one GPU activity. */
static bool add_work(struct finding *self, int side, uint32_t node, uint32_t point,
                     enum difference_sides named)
{
    const struct forest_node *work = &self->forests[side]->nodes.items[node];
    if (!array_add(&self->spans,
                   (struct span){work->ts, work->ts + (work->dur > 0 ? work->dur : 0)}))
        return false;
    uint32_t op = forest_op_above(self->forests[side], node);
    struct difference *row = op == FOREST_NONE ? NULL : array_push(&self->out->rows);
    if (row)
        *row = (struct difference){.node = node,
                                   .op = op,
                                   .point = point,
                                   .side = side == 0 ? SIDE_LEFT : SIDE_RIGHT,
                                   .named = named};
    return row || op == FOREST_NONE;
}

/* Lists the work of a node: all below it, and a kernel itself. */
static bool add_below(struct finding *self, int side, uint32_t node, uint32_t point,
                      enum difference_sides named)
{
    const struct forest *forest = self->forests[side];
    const struct forest_node *top = &forest->nodes.items[node];
    bool done = top->kind != FOREST_KERNEL || add_work(self, side, node, point, named);
    for (uint32_t i = node + 1; i <= top->last && done; i++)
        if (forest_is_gpu(&forest->nodes.items[i]))
            done = add_work(self, side, i, point, named);
    return done;
}

static const struct merged_node *child_of(const struct finding *self, uint32_t number, uint32_t i,
                                          uint32_t *child)
{
    *child = self->tree->children.items[self->tree->nodes.items[number].first_child + i];
    return &self->tree->nodes.items[*child];
}

static bool is_alone(const struct merged_node *node, int side)
{
    return node_of(node, side) != FOREST_NONE && node_of(node, 1 - side) == FOREST_NONE;
}

/* The rows of one side of a point of difference. */
static bool add_side(struct finding *self, uint32_t number, int side)
{
    const struct merged_node *node = &self->tree->nodes.items[number];
    size_t first = self->out->rows.count;
    bool done = true;
    self->spans.count = 0;
    for (uint32_t i = 0, child; i < node->child_count && done; i++) {
        const struct merged_node *below = child_of(self, number, i, &child);
        if (!is_alone(below, side) || !is_on_way(self, below, side))
            continue;
        self->is_visited[child] = true;
        done = add_below(self, side, node_of(below, side), number, SIDE_BOTH);
    }
    if (done && is_kernel(self, node, 0) && is_kernel(self, node, 1))
        done = add_work(self, side, node_of(node, side), number, SIDE_BOTH);
    state_busy(self, first);
    return done;
}

static bool is_point(const struct finding *self, uint32_t number)
{
    const struct merged_node *node = &self->tree->nodes.items[number];
    if (is_kernel(self, node, 0) && is_kernel(self, node, 1))
        return true;
    for (uint32_t i = 0, child; i < node->child_count; i++) {
        const struct merged_node *below = child_of(self, number, i, &child);
        for (int side = 0; side < 2; side++)
            if (is_alone(below, side) && is_on_way(self, below, side))
                return true;
    }
    return false;
}

/* A node of one side that no point of difference has: all of its work. */
static bool add_alone(struct finding *self, const struct merged_node *node, uint32_t above)
{
    int side = node->left == FOREST_NONE;
    size_t first = self->out->rows.count;
    self->spans.count = 0;
    bool done =
        add_below(self, side, node_of(node, side), above, side == 0 ? SIDE_LEFT : SIDE_RIGHT);
    state_busy(self, first);
    return done;
}

static bool push_children(struct finding *self, uint32_t number, uint32_t above)
{
    const struct merged_node *node = &self->tree->nodes.items[number];
    for (uint32_t i = node->child_count, child; i-- > 0;) {
        child_of(self, number, i, &child);
        if (!array_add(&self->stack, (struct visit){child, above}))
            return false;
    }
    return true;
}

static bool visit(struct finding *self, struct visit visit)
{
    const struct merged_node *node = &self->tree->nodes.items[visit.number];
    bool left = is_on_way(self, node, 0), right = is_on_way(self, node, 1);
    if (self->is_visited[visit.number])
        return true;
    self->is_visited[visit.number] = true;
    if (node->left == FOREST_NONE || node->right == FOREST_NONE)
        return add_alone(self, node, visit.above);
    if (left && right && is_point(self, visit.number) &&
        !(add_side(self, visit.number, 0) && add_side(self, visit.number, 1)))
        return false;
    return (!left && !right) || push_children(self, visit.number, visit.number);
}

/* ------------------------------------------------------------------ the same on both sides */

static bool is_like(const struct finding *self, const struct difference *a,
                    const struct difference *b)
{
    const struct forest_node *left = &self->forests[0]->nodes.items[a->node];
    const struct forest_node *right = &self->forests[1]->nodes.items[b->node];
    return a->point == b->point && left->name == right->name && left->dur == right->dur &&
           left->ts == right->ts && a->node == b->node && a->op == b->op &&
           a->busy_ns == b->busy_ns;
}

static bool is_identical(const struct finding *self)
{
    size_t count = self->out->rows.count, left = 0, right = 0;
    for (;; left++, right++) {
        while (left < count && self->out->rows.items[left].side != SIDE_LEFT)
            left++;
        while (right < count && self->out->rows.items[right].side != SIDE_RIGHT)
            right++;
        if (left == count || right == count)
            return left == count && right == count;
        if (!is_like(self, &self->out->rows.items[left], &self->out->rows.items[right]))
            return false;
    }
}

/* ------------------------------------------------------------------ names */

/* The names of a point, of the sides that count, without lines of code. */
static bool write_name(const struct finding *self, struct intern *symbols,
                       const struct difference *row, struct text *out)
{
    const struct merged_node *point = &self->tree->nodes.items[row->point];
    size_t middle = 0;
    text_clear(out);
    for (int side = 0; side < 2; side++) {
        if (!(row->named & (side == 0 ? SIDE_LEFT : SIDE_RIGHT)))
            continue;
        uint32_t name = self->forests[side]->nodes.items[node_of(point, side)].name;
        if (out->count && !text_add_string(out, " | "))
            return false;
        size_t from = out->count;
        if (!call_name_without_lines(out, intern_view(symbols, name)))
            return false;
        struct view first = {out->items, middle}, second = {out->items + from, out->count - from};
        if (middle && view_equal(first, second))
            out->count = middle;
        middle = out->count;
    }
    return true;
}

static bool name_module(struct finding *self, struct intern *symbols, struct difference *row)
{
    const struct forest *forest = self->forests[row->side == SIDE_RIGHT];
    uint32_t modules = forest->nodes.items[row->op].modules;
    if (!modules)
        return true;
    struct view inner = intern_view(symbols, modules);
    const char *last = memrchr(inner.bytes, ';', inner.length);
    if (last)
        inner = (struct view){last + 1, inner.length - (size_t)(last + 1 - inner.bytes)};
    row->module = intern_add(symbols, inner.bytes, inner.length);
    return row->module != 0;
}

static bool name_rows(struct finding *self, struct intern *symbols, struct text *text)
{
    const struct difference *before = NULL;
    for (size_t i = 0; i < self->out->rows.count; i++) {
        struct difference *row = &self->out->rows.items[i];
        if (!name_module(self, symbols, row))
            return false;
        if (before && before->point == row->point && before->named == row->named)
            row->point_name = before->point_name;
        else if (row->point != FOREST_NONE) {
            if (!write_name(self, symbols, row, text))
                return false;
            row->point_name = intern_add(symbols, text->items, text->count);
            if (!row->point_name)
                return false;
        }
        before = row;
    }
    return true;
}

/* Rows of one side are enough. */
static void fold(struct difference_list *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->rows.count; i++)
        if (self->rows.items[i].side == SIDE_LEFT) {
            self->rows.items[kept] = self->rows.items[i];
            self->rows.items[kept++].side = SIDE_BOTH;
        }
    self->rows.count = kept;
}

bool difference_find(struct difference_list *self, struct intern *symbols,
                     const struct merged_tree *tree, const struct forest forests[2])
{
    struct finding finding = {.out = self, .tree = tree, .forests = {&forests[0], &forests[1]}};
    struct text text = {0};
    finding.is_visited = memory_zeroed(tree->nodes.count + 1, 1);
    bool done = finding.is_visited;
    for (size_t i = 0; i < tree->roots.count && done; i++) {
        finding.stack.count = 0;
        done = visit(&finding, (struct visit){tree->roots.items[i], FOREST_NONE});
        while (done && finding.stack.count)
            done = visit(&finding, finding.stack.items[--finding.stack.count]);
    }
    done = done && name_rows(&finding, symbols, &text);
    if (done && is_identical(&finding))
        fold(self);
    memory_free(finding.is_visited);
    array_free(&finding.stack);
    array_free(&finding.spans);
    text_free(&text);
    return done;
}

void difference_free(struct difference_list *self)
{
    array_free(&self->rows);
}
