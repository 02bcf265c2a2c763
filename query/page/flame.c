/* flame: accelerator time by what called it, as blocks of a page: one for each way of call_tree to
 * make paths that says more than ops alone. Traces are added up; of exactly two runs each has its
 * own time. What is below a five-thousandth of all time stands together beside its neighbours, so
 * that what is below a node adds up to it.
 */
#include "query/page/flame.sql.h"
#include "query/page/page_parts.h"

#include "src/base/intern.h"
#include "src/base/map.h"

#include <stdio.h>
#include <string.h>

enum { SIDES = 2, NODES_OF_ALL = 5000 };

/* Parts of a path that count. Stacks have all of it, and so serve for ops and modules, too. */
enum keep { KEEP_ALL, KEEP_OPS, KEEP_MODULES, KEEPS };

static const char *const keep_names[KEEPS] = {"stack", "op", "module"};

/* Other ways to make paths, where the answer to a question is not 0, and paths begin with so many
 * things at least. Of phases only those that some call may be in are asked for: which one it
 * is in costs more. */
static const struct mode {
    const char *name, *question;
    size_t roots;
} modes[] = {
    {"phase",
     "SELECT count(DISTINCT phase) > 1 FROM ("
     "SELECT coalesce(voted, otherwise, 'Mixed') AS phase FROM phase_answer WHERE NOT is_kernel"
     " UNION ALL SELECT CASE phase WHEN 'prefill_only' THEN 'Prefill' WHEN 'decode_only' THEN "
     "'Decode'"
     " END FROM inference_step"
     " UNION ALL SELECT 'Mixed' FROM scope WHERE trace_id NOT IN (SELECT trace_id FROM"
     " trace_with_ops))",
     2},
    {"program", "SELECT EXISTS (SELECT 1 FROM xla_event)", 0},
};

struct node {
    size_t parent; /* 0 = the root */
    uint32_t name;
    int64_t own[SIDES], sum, calls;
    int64_t longest, longest_own; /* an event, and the own time of the row that named it */
    uint32_t others;              /* nodes below it that stand together */
    bool is_part;                 /* what the path begins with */
    size_t place;                 /* in what is written; 0 = not there */
};

/* Where a row of the trace at hand went. */
struct went {
    size_t node;
    bool has_op; /* since the last module */
};

struct tree {
    enum keep keep;
    ARRAY(struct node) nodes;    /* the root first, parents before what is below them */
    ARRAY(struct went) of_trace; /* of each row of the trace at hand */
    struct intern names;         /* JSON: text, kind, short form */
    struct map children;
    struct text scratch;
};

struct kinds {
    bool has_frames, has_modules;
};

struct flame {
    struct warehouse *warehouse;
    const char *base; /* the run that is the first side; NULL: the first one by name */
    struct error *error;
    size_t runs;
};

enum {
    ROW_TRACE,
    ROW_SIDE,
    ROW_PARENT,
    ROW_NAME,
    ROW_KIND,
    ROW_SHORT,
    ROW_OWN,
    ROW_CALLS,
    ROW_LONGEST,
    ROW_PART
};

/* ------------------------------------------------------------------ reading */

static struct view flame_text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return (struct view){text ? text : "", text ? (size_t)sqlite3_column_bytes(row, column) : 0};
}

static uint32_t flame_name_of(struct tree *self, struct view name, struct view kind,
                              struct view brief)
{
    struct text *json = &self->scratch;
    text_clear(json);
    text_add_byte(json, '[');
    text_add_json(json, name);
    text_add_byte(json, ',');
    text_add_json(json, kind);
    text_add_string(json, brief.length ? "," : "");
    if (brief.length)
        text_add_json(json, brief);
    text_add_byte(json, ']');
    return intern_add(&self->names, json->items, json->count);
}

static size_t child_of(struct tree *self, size_t parent, uint32_t name)
{
    uint32_t *known = map_put(&self->children, (int64_t)parent, name);
    if (*known)
        return *known;
    struct node *node = array_push(&self->nodes);
    *node = (struct node){.parent = parent, .name = name};
    *known = (uint32_t)(self->nodes.count - 1);
    return *known;
}

static bool is_kind(struct view kind, const char *word)
{
    return view_equal(kind, view_of(word));
}

static bool counts(enum keep keep, struct view kind, bool has_op)
{
    bool is_op = is_kind(kind, "op"), is_module = is_kind(kind, "module");
    if (keep == KEEP_ALL)
        return true;
    if (is_kind(kind, "frame"))
        return false;
    return keep == KEEP_OPS ? !is_module : !is_op || !has_op;
}

static void take_row(struct tree *self, sqlite3_stmt *row, size_t side)
{
    size_t above = (size_t)sqlite3_column_int64(row, ROW_PARENT);
    struct view kind = flame_text_of(row, ROW_PART);
    struct went went = {0};
    if (above && above <= self->of_trace.count)
        went = self->of_trace.items[above - 1];
    if (counts(self->keep, kind, went.has_op)) {
        uint32_t name = flame_name_of(self, flame_text_of(row, ROW_NAME),
                                      flame_text_of(row, ROW_KIND), flame_text_of(row, ROW_SHORT));
        went.node = child_of(self, went.node, name);
        self->nodes.items[went.node].is_part = !above && is_kind(kind, "part");
        struct node *node = &self->nodes.items[went.node];
        int64_t own = sqlite3_column_int64(row, ROW_OWN);
        node->own[side] += own;
        node->calls += sqlite3_column_int64(row, ROW_CALLS);
        if (!node->longest || own > node->longest_own) {
            node->longest = sqlite3_column_int64(row, ROW_LONGEST);
            node->longest_own = own;
        }
    }
    went.has_op = is_kind(kind, "op") || (went.has_op && !is_kind(kind, "module"));
    array_add(&self->of_trace, went);
}

/* Several trees of the same paths; `kinds` becomes which kinds of nodes there are. */
static bool read_trees(const struct flame *self, const char *mode, struct tree *trees, size_t count,
                       struct kinds *kinds)
{
    context_set(self->warehouse->context, "call-tree", mode);
    for (size_t i = 0; i < count; i++) {
        struct node *root = array_push(&trees[i].nodes);
        *root = (struct node){0};
        trees[i].keep = (enum keep)i;
    }
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, node_rows, self->error);
    bool done = rows != NULL;
    if (rows)
        sqlite3_bind_text(rows, 1, self->base, -1, SQLITE_STATIC);
    for (int64_t last = 0; done && warehouse_next(self->warehouse, rows, &done, self->error);) {
        bool is_new = sqlite3_column_int64(rows, ROW_TRACE) != last;
        last = sqlite3_column_int64(rows, ROW_TRACE);
        kinds->has_frames |= is_kind(flame_text_of(rows, ROW_PART), "frame");
        kinds->has_modules |= is_kind(flame_text_of(rows, ROW_PART), "module");
        size_t side = (size_t)sqlite3_column_int64(rows, ROW_SIDE);
        if (side >= SIDES)
            continue;
        for (size_t i = 0; i < count; i++) {
            trees[i].of_trace.count = is_new ? 0 : trees[i].of_trace.count;
            take_row(&trees[i], rows, side);
        }
    }
    database_finalize(rows);
    return done;
}

static void free_tree(struct tree *self)
{
    arrays_free(&self->nodes, &self->of_trace);
    intern_free(&self->names);
    map_free(&self->children);
    text_free(&self->scratch);
}

/* ------------------------------------------------------------------ what is kept */

/* Small nodes go to the one node of their parent that stands for them, with all below them. */
static void put_together(struct tree *self)
{
    size_t count = self->nodes.count;
    int64_t least = self->nodes.items[0].sum / NODES_OF_ALL;
    for (size_t i = count; i-- > 1;) { /* what is below small nodes goes to them first */
        struct node *node = &self->nodes.items[i], *parent = &self->nodes.items[node->parent];
        if (node->sum >= least || parent->sum >= least)
            continue;
        for (int side = 0; side < SIDES; side++)
            parent->own[side] += node->own[side];
        node->sum = -1;
    }
    for (size_t i = 1; i < count; i++) {
        struct node node = self->nodes.items[i];
        if (node.sum < 0 || node.sum >= least)
            continue;
        size_t place = child_of(self, node.parent, UINT32_MAX); /* which may move the nodes */
        struct node *others = &self->nodes.items[place];
        for (int side = 0; side < SIDES; side++)
            others->own[side] += node.own[side];
        others->calls += node.calls;
        others->longest = others->longest ? others->longest : node.longest;
        others->others++;
        self->nodes.items[i].sum = -1;
    }
}

/* ------------------------------------------------------------------ writing */

enum column { COLUMN_PARENT, COLUMN_NAME, COLUMN_CALLS, COLUMN_LONGEST, COLUMN_OWN };

static int64_t value_of(const struct tree *self, const struct node *node, int column)
{
    switch ((enum column)column) {
    case COLUMN_PARENT:
        return (int64_t)self->nodes.items[node->parent].place;
    case COLUMN_NAME:
        return node->name - 1;
    case COLUMN_CALLS:
        return node->calls;
    case COLUMN_LONGEST:
        return node->longest;
    case COLUMN_OWN:
        break;
    }
    return node->own[column - COLUMN_OWN];
}

static void flame_add_column(const struct tree *self, const char *key, int column, struct text *out)
{
    bool any = false;
    text_add_string(out, key);
    for (size_t i = 1; i < self->nodes.count; i++) {
        const struct node *node = &self->nodes.items[i];
        if (node->place)
            text_format(out, any ? ",%lld" : "[%lld", (long long)value_of(self, node, column));
        any |= node->place > 0;
    }
    text_add_string(out, any ? "]" : "[]");
}

static void add_block(const struct flame *self, struct tree *tree, const char *mode,
                      struct page_blocks *blocks)
{
    struct text json = {0};
    char members[40];
    for (size_t i = tree->nodes.count; i-- > 0;) {
        struct node *node = &tree->nodes.items[i];
        for (int side = 0; side < SIDES; side++)
            node->sum += node->own[side];
        if (i)
            tree->nodes.items[node->parent].sum += node->sum;
    }
    put_together(tree);

    /* A node that stands for several is named after their number. */
    char words[32];
    for (size_t i = 1; i < tree->nodes.count; i++) {
        struct node *node = &tree->nodes.items[i];
        if (!node->others)
            continue;
        sqlite3_snprintf(sizeof words, words, "%u other%s", node->others,
                         node->others == 1 ? "" : "s");
        node->name = flame_name_of(tree, view_of(words), VIEW("other"), VIEW(""));
    }
    size_t place = 0;
    for (size_t i = 1; i < tree->nodes.count; i++)
        tree->nodes.items[i].place = tree->nodes.items[i].sum < 0 ? 0 : ++place;
    text_add_string(&json, "{\"names\":[");
    for (uint32_t i = 1; i <= intern_count(&tree->names); i++) {
        text_add_string(&json, i > 1 ? "," : "");
        text_add_view(&json, intern_view(&tree->names, i));
    }
    flame_add_column(tree, "],\"parent\":", COLUMN_PARENT, &json);
    flame_add_column(tree, ",\"name\":", COLUMN_NAME, &json);
    flame_add_column(tree, ",\"calls\":", COLUMN_CALLS, &json);
    flame_add_column(tree, ",\"longest\":", COLUMN_LONGEST, &json);
    flame_add_column(tree, ",\"own\":[", COLUMN_OWN, &json);
    if (self->runs >= SIDES)
        flame_add_column(tree, ",", COLUMN_OWN + 1, &json);
    text_add_string(&json, "]}");
    snprintf(members, sizeof members, "\"mode\":\"%s\"", mode);
    page_blocks_add(blocks, "flame", &json, members);
}

static bool add_mode(const struct flame *self, const struct mode *mode, struct page_blocks *blocks)
{
    struct tree tree = {0};
    struct kinds kinds = {0};
    int64_t asked = 0;
    bool done = warehouse_ask(self->warehouse, mode->question, 0, &asked, self->error);
    if (!done || !asked)
        return done;
    size_t roots = 0;
    done = read_trees(self, mode->name, &tree, 1, &kinds);
    for (size_t i = 1; i < tree.nodes.count; i++)
        roots += tree.nodes.items[i].is_part;
    if (done && roots >= mode->roots && tree.nodes.count >= 2)
        add_block(self, &tree, mode->name, blocks);
    free_tree(&tree);
    return done;
}

bool flame_add_blocks(struct warehouse *warehouse, const char *base, struct page_blocks *blocks,
                      struct text *sides, size_t *runs, struct error *error)
{
    struct flame self = {.warehouse = warehouse, .base = base, .error = error};
    const char *set = context_get(warehouse->context, "call-tree");
    char *before = set ? memory_text(set) : NULL;

    /* The names of the first two runs, where there are two; and how many there are. */
    static const char sql[] = "SELECT DISTINCT run FROM scope ORDER BY run IS NOT ?1, run";
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    if (rows)
        sqlite3_bind_text(rows, 1, base, -1, SQLITE_STATIC);
    for (; warehouse_next(warehouse, rows, &done, error); self.runs++)
        if (self.runs < SIDES) {
            text_add_byte(sides, self.runs ? ',' : '[');
            text_add_json(sides, flame_text_of(rows, 0));
        }
    database_finalize(rows);
    if (self.runs < SIDES)
        text_clear(sides);
    text_add_string(sides, self.runs < SIDES ? "[]" : "]");
    if (done) {
        /* Stacks and modules are worth a block where there are frames and modules. */
        struct tree trees[KEEPS] = {0};
        struct kinds kinds = {0};
        done = read_trees(&self, "stack", trees, KEEPS, &kinds);
        bool worth[KEEPS] = {[KEEP_ALL] = kinds.has_frames || kinds.has_modules,
                             [KEEP_OPS] = true,
                             [KEEP_MODULES] = kinds.has_modules};
        for (int i = 0; i < KEEPS; i++) {
            if (done && worth[i] && trees[i].nodes.count >= 2)
                add_block(&self, &trees[i], keep_names[i], blocks);
            free_tree(&trees[i]);
        }
    }
    for (size_t i = 0; i < sizeof modes / sizeof *modes && done; i++)
        done = add_mode(&self, &modes[i], blocks);
    context_set(warehouse->context, "call-tree", before);
    *runs = self.runs;
    return done;
}
