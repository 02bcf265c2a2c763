/* op_names: Two names share their last part or its beginning, else their module, else the nearest
 * op around the point. */
#include "sql/diff/op_names.h"

#include <string.h>

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

/* The innermost module around the op of a row, without blanks; 0 when memory is out. */
static uint32_t module_at(struct naming *self, const struct difference *row)
{
    struct view text = row->module ? view_at(self, row->module) : VIEW("root");
    text_clear(&self->text);
    for (size_t from = 0; from < text.length; from++)
        if (text.bytes[from] != ' ' && !text_add_byte(&self->text, text.bytes[from]))
            return 0;
    return intern_add(self->texts, self->text.items, self->text.count);
}

static bool read_modules(struct naming *self)
{
    for (size_t i = 0; i < self->differences->rows.count; i++) {
        const struct difference *row = &self->differences->rows.items[i];
        uint32_t module = module_at(self, row);
        for (int side = 0; side < 2; side++) {
            uint32_t *known = NULL;
            if (!(row->side & (side == 0 ? SIDE_LEFT : SIDE_RIGHT)))
                continue;
            if (!module || !(known = map_put(&self->module_of[side], op_of(self, row), 0)))
                return false;
            *known = *known == 0 || *known == module ? module : SEVERAL;
        }
    }
    return true;
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

static bool join(struct naming *self, struct view left, struct view right)
{
    text_clear(&self->text);
    return text_add_view(&self->text, left) && text_add_byte(&self->text, '/') &&
           text_add_view(&self->text, right);
}

static bool put(struct naming *self, struct view words)
{
    text_clear(&self->text);
    return text_add_view(&self->text, words);
}

/* The last part of the name of the nearest op around the point that is called the same on both
 * sides. */
static bool put_point(struct naming *self, uint32_t point)
{
    text_clear(&self->text);
    for (; point != FOREST_NONE; point = self->tree->nodes.items[point].parent) {
        const struct merged_node *node = &self->tree->nodes.items[point];
        if (node->left == FOREST_NONE || node->right == FOREST_NONE)
            return true;
        const struct forest_node *left = &self->forests[0].nodes.items[node->left];
        const struct forest_node *right = &self->forests[1].nodes.items[node->right];
        if (left->kind == FOREST_OP && left->name == right->name)
            return put(self, last_part(view_at(self, left->name)));
    }
    return true;
}

/* Puts the common name into `text`, which stays empty when there is none. */
static bool find_common(struct naming *self, uint32_t left, uint32_t right, uint32_t point)
{
    struct view a = last_part(view_at(self, left)), b = last_part(view_at(self, right));
    uint32_t module = map_get(&self->module_of[0], left, 0);
    text_clear(&self->text);
    if (view_equal(a, b) || is_inside(a, b))
        return put(self, b);
    if (is_inside(b, a))
        return put(self, a);
    if (a.length >= BEGINNING && b.length >= BEGINNING && memcmp(a.bytes, b.bytes, BEGINNING) == 0)
        return join(self, a, b);
    bool is_one = module && module != SEVERAL && module == map_get(&self->module_of[1], right, 0);
    if (is_one && (self->like_reference || !view_equal(view_at(self, module), VIEW("root"))))
        return put(self, view_at(self, module));
    if (self->like_reference)
        return true;
    return put_point(self, point) && (self->text.count || join(self, a, b));
}

/* ------------------------------------------------------------------ points */

static bool add_once(struct symbols *list, uint32_t symbol)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == symbol)
            return true;
    uint32_t *added = array_push(list);
    if (added)
        *added = symbol;
    return added;
}

static bool unify(struct naming *self, uint32_t left, uint32_t right, uint32_t point, bool *done)
{
    *done = false;
    if (left == right)
        return true;
    if (!find_common(self, left, right, point))
        return false;
    if (!self->text.count)
        return true;
    uint32_t common = intern_add(self->texts, self->text.items, self->text.count);
    *done = common && map_set(&self->of_name, left, 0, common) &&
            map_set(&self->of_name, right, 0, common);
    return *done;
}

static bool is_among(const struct symbols *list, uint32_t symbol)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == symbol)
            return true;
    return false;
}

/* Names that only one side has are each unified with the first that shares something with them. */
static bool unify_rest(struct naming *self, uint32_t point)
{
    for (size_t i = 0; i < self->ops[0].count; i++) {
        uint32_t left = self->ops[0].items[i];
        bool done = is_among(&self->ops[1], left);
        for (size_t k = 0; k < self->ops[1].count && !done; k++) {
            uint32_t right = self->ops[1].items[k];
            if (is_among(&self->ops[0], right) || map_get(&self->of_name, right, 0))
                continue;
            if (!unify(self, left, right, point, &done))
                return false;
        }
    }
    return true;
}

static bool are_seen(struct naming *self, bool *seen)
{
    *seen = true;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < self->ops[side].count; i++) {
            uint32_t *known = map_put(&self->seen, self->ops[side].items[i], 0);
            if (!known)
                return false;
            *seen = *seen && *known;
            *known = 1;
        }
    return true;
}

/* The rows of one point, from `first` up to `end`. */
static bool name_point(struct naming *self, size_t first, size_t end)
{
    const struct difference *rows = self->differences->rows.items;
    bool seen = true, done = true, is_common;
    self->ops[0].count = self->ops[1].count = 0;
    for (size_t i = first; i < end && done; i++)
        for (int side = 0; side < 2 && done; side++)
            done = !(rows[i].side & (side == 0 ? SIDE_LEFT : SIDE_RIGHT)) ||
                   add_once(&self->ops[side], op_of(self, &rows[i]));
    if (!done || !self->ops[0].count || !self->ops[1].count)
        return done;
    if (!are_seen(self, &seen))
        return false;
    if (seen)
        return true;
    if (self->ops[0].count != self->ops[1].count)
        return unify_rest(self, rows[first].point);
    for (size_t i = 0; i < self->ops[0].count && done; i++)
        done = unify(self, self->ops[0].items[i], self->ops[1].items[i], rows[first].point,
                     &is_common);
    return done;
}

bool op_names_find(struct difference_list *differences, struct intern *symbols,
                   const struct merged_tree *tree, const struct forest forests[2],
                   bool like_reference)
{
    struct naming naming = {.texts = symbols,
                            .differences = differences,
                            .tree = tree,
                            .forests = forests,
                            .like_reference = like_reference};
    size_t count = differences->rows.count;
    bool done = read_modules(&naming);
    for (size_t first = 0, end; first < count && done; first = end) {
        uint32_t point = differences->rows.items[first].point;
        for (end = first + 1; end < count && differences->rows.items[end].point == point;)
            end++;
        if (point != FOREST_NONE)
            done = name_point(&naming, first, end);
    }
    for (size_t i = 0; i < count && done; i++) {
        struct difference *row = &differences->rows.items[i];
        uint32_t unified = map_get(&naming.of_name, op_of(&naming, row), 0);
        row->op_name = unified ? unified : op_of(&naming, row);
    }
    map_free(&naming.of_name);
    map_free(&naming.module_of[0]);
    map_free(&naming.module_of[1]);
    map_free(&naming.seen);
    array_free(&naming.ops[0]);
    array_free(&naming.ops[1]);
    text_free(&naming.text);
    return done;
}
