/* difference: A walk with a stack, from each node with the nearest node of both traces above it;
 * work below a point of difference becomes rows. */
#include "sql/diff/difference.h"

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

/* Says of the rows from `first` on what the work that was listed last covers. */
static void state_busy(struct finding *self, size_t first)
{
    int64_t busy = 0, end = INT64_MIN;
    array_sort(&self->spans, compare_spans);
    for (size_t i = 0; i < self->spans.count; i++) {
        struct span span = self->spans.items[i];
        int64_t start = span.start > end ? span.start : end;
        if (span.end > start)
            busy += span.end - start;
        end = span.end > end ? span.end : end;
    }
    for (size_t i = first; i < self->out->rows.count; i++)
        self->out->rows.items[i].busy_ns = busy;
}

/* Lists one GPU activity. */
static void difference_add_work(struct finding *self, int side, uint32_t node, uint32_t point,
                                enum difference_sides named)
{
    const struct forest_node *work = &self->forests[side]->nodes.items[node];
    array_add(&self->spans, (struct span){work->ts, work->ts + (work->dur > 0 ? work->dur : 0)});
    uint32_t op = forest_op_above(self->forests[side], node);
    if (op != FOREST_NONE)
        array_add(&self->out->rows, (struct difference){.node = node,
                                                        .op = op,
                                                        .point = point,
                                                        .side = side == 0 ? SIDE_LEFT : SIDE_RIGHT,
                                                        .named = named});
}

/* Lists the work of a node: all below it, and a kernel itself. */
static void add_below(struct finding *self, int side, uint32_t node, uint32_t point,
                      enum difference_sides named)
{
    const struct forest *forest = self->forests[side];
    const struct forest_node *top = &forest->nodes.items[node];
    if (top->kind == FOREST_KERNEL)
        difference_add_work(self, side, node, point, named);
    for (uint32_t i = node + 1; i <= top->last; i++)
        if (forest_is_gpu(&forest->nodes.items[i]))
            difference_add_work(self, side, i, point, named);
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
static void add_side(struct finding *self, uint32_t number, int side)
{
    const struct merged_node *node = &self->tree->nodes.items[number];
    size_t first = self->out->rows.count;
    self->spans.count = 0;
    for (uint32_t i = 0, child; i < node->child_count; i++) {
        const struct merged_node *below = child_of(self, number, i, &child);
        if (!is_alone(below, side) || !is_on_way(self, below, side))
            continue;
        self->is_visited[child] = true;
        add_below(self, side, node_of(below, side), number, SIDE_BOTH);
    }
    if (is_kernel(self, node, 0) && is_kernel(self, node, 1))
        difference_add_work(self, side, node_of(node, side), number, SIDE_BOTH);
    state_busy(self, first);
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

static void visit(struct finding *self, struct visit visit)
{
    const struct merged_node *node = &self->tree->nodes.items[visit.number];
    bool left = is_on_way(self, node, 0), right = is_on_way(self, node, 1);
    if (self->is_visited[visit.number])
        return;
    self->is_visited[visit.number] = true;
    if (node->left == FOREST_NONE || node->right == FOREST_NONE) {
        /* A node of one side that no point of difference has: all of its work. */
        int side = node->left == FOREST_NONE;
        size_t first = self->out->rows.count;
        self->spans.count = 0;
        add_below(self, side, node_of(node, side), visit.above, side == 0 ? SIDE_LEFT : SIDE_RIGHT);
        state_busy(self, first);
        return;
    }
    if (left && right && is_point(self, visit.number)) {
        add_side(self, visit.number, 0);
        add_side(self, visit.number, 1);
    }
    for (uint32_t i = node->child_count, child; (left || right) && i-- > 0;) {
        child_of(self, visit.number, i, &child);
        array_add(&self->stack, (struct visit){child, visit.number});
    }
}

/* ------------------------------------------------------------------ the same on both sides */

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
        const struct difference *a = &self->out->rows.items[left];
        const struct difference *b = &self->out->rows.items[right];
        const struct forest_node *work = &self->forests[0]->nodes.items[a->node];
        const struct forest_node *other = &self->forests[1]->nodes.items[b->node];
        if (a->point != b->point || work->name != other->name || work->dur != other->dur ||
            work->ts != other->ts || a->node != b->node || a->op != b->op ||
            a->busy_ns != b->busy_ns)
            return false;
    }
}

/* ------------------------------------------------------------------ names */

/* The names of a point, of the sides that count, without lines of code. */
static void write_name(const struct finding *self, struct intern *symbols,
                       const struct difference *row, struct text *out)
{
    const struct merged_node *point = &self->tree->nodes.items[row->point];
    size_t middle = 0;
    text_clear(out);
    for (int side = 0; side < 2; side++) {
        if (!(row->named & (side == 0 ? SIDE_LEFT : SIDE_RIGHT)))
            continue;
        uint32_t name = self->forests[side]->nodes.items[node_of(point, side)].name;
        if (out->count)
            text_add_string(out, " | ");
        size_t from = out->count;
        call_name_without_lines(out, intern_view(symbols, name));
        struct view first = {out->items, middle}, second = {out->items + from, out->count - from};
        if (middle && view_equal(first, second))
            out->count = middle;
        middle = out->count;
    }
}

static void name_rows(struct finding *self, struct intern *symbols, struct text *text)
{
    const struct difference *before = NULL;
    for (size_t i = 0; i < self->out->rows.count; i++) {
        struct difference *row = &self->out->rows.items[i];

        /* The innermost module is the last one of the list. */
        const struct forest *forest = self->forests[row->side == SIDE_RIGHT];
        uint32_t modules = forest->nodes.items[row->op].modules;
        if (modules) {
            struct view inner = intern_view(symbols, modules);
            const char *last = memrchr(inner.bytes, ';', inner.length);
            if (last)
                inner = (struct view){last + 1, inner.length - (size_t)(last + 1 - inner.bytes)};
            row->module = intern_add(symbols, inner.bytes, inner.length);
        }
        if (before && before->point == row->point && before->named == row->named)
            row->point_name = before->point_name;
        else if (row->point != FOREST_NONE) {
            write_name(self, symbols, row, text);
            row->point_name = intern_add(symbols, text->items, text->count);
        }
        before = row;
    }
}

void difference_find(struct difference_list *self, struct intern *symbols,
                     const struct merged_tree *tree, const struct forest forests[2])
{
    struct finding finding = {.out = self, .tree = tree, .forests = {&forests[0], &forests[1]}};
    struct text text = {0};
    finding.is_visited = memory_zeroed(tree->nodes.count + 1, 1);
    for (size_t i = 0; i < tree->roots.count; i++) {
        finding.stack.count = 0;
        visit(&finding, (struct visit){tree->roots.items[i], FOREST_NONE});
        while (finding.stack.count)
            visit(&finding, finding.stack.items[--finding.stack.count]);
    }
    name_rows(&finding, symbols, &text);
    if (is_identical(&finding)) {
        /* Rows of one side are enough. */
        size_t kept = 0;
        for (size_t i = 0; i < self->rows.count; i++)
            if (self->rows.items[i].side == SIDE_LEFT) {
                self->rows.items[kept] = self->rows.items[i];
                self->rows.items[kept++].side = SIDE_BOTH;
            }
        self->rows.count = kept;
    }
    memory_free(finding.is_visited);
    arrays_free(&finding.stack, &finding.spans);
    text_free(&text);
}

/* Kernels of a side are a set of names with counts, numbered where it is new. */

/* A name of a set, and how often. */
struct member {
    uint32_t name, count;
};

struct gathering {
    struct point_list *out;
    const struct difference_list *differences;
    const struct forest *forests;
    ARRAY(uint32_t) names;
    ARRAY(struct member) members;
};

ORDER_BY(compare_numbers, uint32_t, BY_LESS(*a, *b));

/* The number of the set of names in hand; 0 of none. */
static uint32_t find_set(struct gathering *self)
{
    self->members.count = 0;
    if (!self->names.count)
        return 0;
    array_sort(&self->names, compare_numbers);
    for (size_t i = 0; i < self->names.count; i++) {
        uint32_t name = self->names.items[i];
        size_t count = self->members.count;
        if (count && self->members.items[count - 1].name == name) {
            self->members.items[count - 1].count++;
            continue;
        }
        array_add(&self->members, (struct member){name, 1});
    }
    return intern_add(&self->out->sets, self->members.items,
                      self->members.count * sizeof *self->members.items);
}

static int64_t change_of(const struct point *point)
{
    return llabs(point->busy_ns2 - point->busy_ns1);
}

ORDER_BY(compare_points, struct point, BY_LESS(change_of(b), change_of(a)) || UP(first));

void points_find(struct point_list *self, const struct difference_list *differences,
                 const struct forest forests[2])
{
    struct gathering gathering = {.out = self, .differences = differences, .forests = forests};
    size_t count = differences->rows.count;
    for (size_t first = 0, end; first < count; first = end) {
        uint32_t number = differences->rows.items[first].point;
        for (end = first + 1; end < count && differences->rows.items[end].point == number;)
            end++;
        if (number == FOREST_NONE)
            continue;
        struct point *point = array_push(&self->points);
        *point = (struct point){.number = number, .first = (uint32_t)first};
        for (int side = 0; side < 2; side++) {
            /* Gathers one side of a point from the rows `first` up to `end`. */
            int64_t busy = 0;
            gathering.names.count = 0;
            for (size_t i = first; i < end; i++) {
                const struct difference *row = &gathering.differences->rows.items[i];
                if (!(row->side & (side == 0 ? SIDE_LEFT : SIDE_RIGHT)))
                    continue;
                array_add(&gathering.names,
                          gathering.forests[row->side == SIDE_RIGHT].nodes.items[row->node].name);
                busy = row->busy_ns;
            }
            *(side == 0 ? &point->busy_ns1 : &point->busy_ns2) = busy;
            *(side == 0 ? &point->kernels1 : &point->kernels2) = (uint32_t)gathering.names.count;
            *(side == 0 ? &point->set1 : &point->set2) = find_set(&gathering);
        }
    }
    array_sort(&self->points, compare_points);
    arrays_free(&gathering.names, &gathering.members);
}

void points_write_set(const struct point_list *self, const struct intern *symbols, uint32_t set,
                      struct text *out)
{
    struct view bytes = intern_view(&self->sets, set);
    for (size_t at = 0; at < bytes.length; at += sizeof(struct member)) {
        struct member member;
        memcpy(&member, bytes.bytes + at, sizeof member);
        struct view name = intern_view(symbols, member.name);
        if (at != 0)
            text_add_string(out, "; ");
        text_add_view(out, name);
        if (member.count != 1)
            text_format(out, " x%u", member.count);
    }
}

/* Two names share their last part or its beginning, else their module, else the nearest
 * op around the point. */

enum { BEGINNING = 20 }; /* bytes that names which belong together may have in common */

struct symbols {
    uint32_t *items;
    size_t count, room;
};

struct naming {
    struct intern *texts;
    struct difference_list *differences;
    struct map of_name; /* symbol -> symbol */
    const struct merged_tree *tree;
    const struct forest *forests;
    bool like_reference;
    struct map module_of[2]; /* op -> innermost module around it, or SEVERAL */
    struct map seen;         /* names of points before */
    struct symbols ops[2];   /* of the point in hand, each once, in order */
    struct text text;
};

#define SEVERAL UINT32_MAX

static struct view view_at(const struct naming *self, uint32_t symbol)
{
    return intern_view(self->texts, symbol);
}

static uint32_t op_of(const struct naming *self, const struct difference *row)
{
    return self->forests[row->side == SIDE_RIGHT].nodes.items[row->op].name;
}

/* ------------------------------------------------------------------ what two names share */

/* The part behind the last "::". */
static struct view last_part(struct view name)
{
    for (size_t i = name.length; i-- > 1;)
        if (name.bytes[i] == ':' && name.bytes[i - 1] == ':')
            return (struct view){name.bytes + i + 1, name.length - i - 1};
    return name;
}

static bool is_inside(struct view whole, struct view part)
{
    return part.length <= whole.length &&
           (part.length == 0 || memmem(whole.bytes, whole.length, part.bytes, part.length));
}

static void join(struct naming *self, struct view left, struct view right)
{
    text_clear(&self->text);
    text_add_view(&self->text, left);
    text_add_byte(&self->text, '/');
    text_add_view(&self->text, right);
}

static void put(struct naming *self, struct view words)
{
    text_clear(&self->text);
    text_add_view(&self->text, words);
}

/* The last part of the name of the nearest op around the point that is called the same on both
 * sides. */
static void put_point(struct naming *self, uint32_t point)
{
    text_clear(&self->text);
    for (; point != FOREST_NONE; point = self->tree->nodes.items[point].parent) {
        const struct merged_node *node = &self->tree->nodes.items[point];
        if (node->left == FOREST_NONE || node->right == FOREST_NONE)
            return;
        const struct forest_node *left = &self->forests[0].nodes.items[node->left];
        const struct forest_node *right = &self->forests[1].nodes.items[node->right];
        if (left->kind == FOREST_OP && left->name == right->name) {
            put(self, last_part(view_at(self, left->name)));
            return;
        }
    }
}

/* Puts the common name into `text`, which stays empty when there is none. */
static void find_common(struct naming *self, uint32_t left, uint32_t right, uint32_t point)
{
    struct view a = last_part(view_at(self, left)), b = last_part(view_at(self, right));
    uint32_t module = map_get(&self->module_of[0], left, 0);
    text_clear(&self->text);
    if (view_equal(a, b) || is_inside(a, b)) {
        put(self, b);
        return;
    }
    if (is_inside(b, a)) {
        put(self, a);
        return;
    }
    if (a.length >= BEGINNING && b.length >= BEGINNING &&
        memcmp(a.bytes, b.bytes, BEGINNING) == 0) {
        join(self, a, b);
        return;
    }
    bool is_one = module && module != SEVERAL && module == map_get(&self->module_of[1], right, 0);
    if (is_one && (self->like_reference || !view_equal(view_at(self, module), VIEW("root")))) {
        put(self, view_at(self, module));
        return;
    }
    if (self->like_reference)
        return;
    put_point(self, point);
    if (!self->text.count)
        join(self, a, b);
}

/* ------------------------------------------------------------------ points */

static void add_once(struct symbols *list, uint32_t symbol)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == symbol)
            return;
    array_add(list, symbol);
}

/* True if the names have something in common, which is the name of both from then on. */
static bool unify(struct naming *self, uint32_t left, uint32_t right, uint32_t point)
{
    if (left == right)
        return false;
    find_common(self, left, right, point);
    if (!self->text.count)
        return false;
    uint32_t common = intern_add(self->texts, self->text.items, self->text.count);
    map_set(&self->of_name, left, 0, common);
    map_set(&self->of_name, right, 0, common);
    return true;
}

static bool is_among(const struct symbols *list, uint32_t symbol)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == symbol)
            return true;
    return false;
}

/* The rows of one point, from `first` up to `end`. */
static void name_point(struct naming *self, size_t first, size_t end)
{
    const struct difference *rows = self->differences->rows.items;
    bool seen = true;
    self->ops[0].count = self->ops[1].count = 0;
    for (size_t i = first; i < end; i++)
        for (int side = 0; side < 2; side++)
            if (rows[i].side & (side == 0 ? SIDE_LEFT : SIDE_RIGHT))
                add_once(&self->ops[side], op_of(self, &rows[i]));
    if (!self->ops[0].count || !self->ops[1].count)
        return;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < self->ops[side].count; i++) {
            uint32_t *known = map_put(&self->seen, self->ops[side].items[i], 0);
            seen = seen && *known;
            *known = 1;
        }
    if (seen)
        return;
    if (self->ops[0].count != self->ops[1].count) {
        /* Names that only one side has are each unified with the first that shares something with
         * them. */
        uint32_t point = rows[first].point;
        for (size_t i = 0; i < self->ops[0].count; i++) {
            uint32_t left = self->ops[0].items[i];
            bool done = is_among(&self->ops[1], left);
            for (size_t k = 0; k < self->ops[1].count && !done; k++) {
                uint32_t right = self->ops[1].items[k];
                if (!is_among(&self->ops[0], right) && !map_get(&self->of_name, right, 0))
                    done = unify(self, left, right, point);
            }
        }
        return;
    }
    for (size_t i = 0; i < self->ops[0].count; i++)
        unify(self, self->ops[0].items[i], self->ops[1].items[i], rows[first].point);
}

void op_names_find(struct difference_list *differences, struct intern *symbols,
                   const struct merged_tree *tree, const struct forest forests[2],
                   bool like_reference)
{
    struct naming naming = {.texts = symbols,
                            .differences = differences,
                            .tree = tree,
                            .forests = forests,
                            .like_reference = like_reference};
    size_t count = differences->rows.count;

    /* Each op gets the module around it; in several modules it has none. */
    for (size_t i = 0; i < naming.differences->rows.count; i++) {
        const struct difference *row = &naming.differences->rows.items[i];

        /* The innermost module around the op of the row, without blanks. */
        struct view text = row->module ? view_at(&naming, row->module) : VIEW("root");
        text_clear(&naming.text);
        for (size_t from = 0; from < text.length; from++)
            if (text.bytes[from] != ' ')
                text_add_byte(&naming.text, text.bytes[from]);
        uint32_t module = intern_add(naming.texts, naming.text.items, naming.text.count);
        for (int side = 0; side < 2; side++) {
            uint32_t *known = NULL;
            if (!(row->side & (side == 0 ? SIDE_LEFT : SIDE_RIGHT)))
                continue;
            known = map_put(&naming.module_of[side], op_of(&naming, row), 0);
            *known = *known == 0 || *known == module ? module : SEVERAL;
        }
    }
    for (size_t first = 0, end; first < count; first = end) {
        uint32_t point = differences->rows.items[first].point;
        for (end = first + 1; end < count && differences->rows.items[end].point == point;)
            end++;
        if (point != FOREST_NONE)
            name_point(&naming, first, end);
    }
    for (size_t i = 0; i < count; i++) {
        struct difference *row = &differences->rows.items[i];
        uint32_t unified = map_get(&naming.of_name, op_of(&naming, row), 0);
        row->op_name = unified ? unified : op_of(&naming, row);
    }
    map_free(&naming.of_name);
    map_free(&naming.module_of[0]);
    map_free(&naming.module_of[1]);
    map_free(&naming.seen);
    arrays_free(&naming.ops[0], &naming.ops[1]);
    text_free(&naming.text);
}
