/* forest: Events come in order, with the open ones on a stack. Roots are found from the top down,
 * past single children that neither are ops nor launch work. */
#include "sql/diff/forest.h"

#include "sql/asked.h"
#include "src/base/order.h"

#include <ctype.h>
#include <string.h>

/* Addresses, line numbers and folders are cut off, and launches of all runtimes get one
 * name. */

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The length of "(123)" at a place, or 0. */
static size_t measure_line(struct view name, size_t at)
{
    size_t end = at + 1;
    if (at >= name.length || name.bytes[at] != '(')
        return 0;
    while (end < name.length && is_digit(name.bytes[end]))
        end++;
    return end > at + 1 && end < name.length && name.bytes[end] == ')' ? end + 1 - at : 0;
}

static bool ends_in(const struct text *text, size_t from, const char *end)
{
    size_t length = strlen(end);
    return text->count - from >= length &&
           memcmp(text->items + text->count - length, end, length) == 0;
}

/* Without addresses and lines. */
static void add_placeless(struct text *out, struct view name)
{
    size_t from = out->count;
    for (size_t i = 0; i < name.length;) {
        size_t digits = 0, line = 0;
        if (name.bytes[i] == '0' && i + 1 < name.length && name.bytes[i + 1] == 'x') {
            size_t at = i + 2;
            size_t end = at;
            while (end < name.length && isxdigit((unsigned char)name.bytes[end]))
                end++;
            digits = end - at;
        } else if (ends_in(out, from, ".py"))
            line = measure_line(name, i);
        if (line && (i + line == name.length || name.bytes[i + line] != ':'))
            line = 0;
        if (digits)
            text_add_string(out, "0xXXXX");
        else if (line == 0)
            text_add_byte(out, name.bytes[i]);
        i += digits ? digits + 2 : line ? line : 1;
    }
}

static void unify_launches(struct text *out, size_t from)
{
    if (out->count == from)
        return;
    struct view name = {out->items + from, out->count - from};
    if (!view_equal(name, VIEW("hipModuleLaunchKernel")) &&
        !view_equal(name, VIEW("cuLaunchKernel")))
        return;
    out->count = from;
    text_add_string(out, "__kernel_launch__");
}

void call_name_norm(struct text *out, struct view name)
{
    size_t from = out->count;
    add_placeless(out, name);
    unify_launches(out, from);
}

static void cut_folders(struct text *out, size_t from)
{
    size_t at = out->count;
    if (!ends_in(out, from, ".py"))
        return;
    while (at > from && out->items[at - 1] != '/')
        at--;
    if (at == from || out->count - at == strlen(".py"))
        return;
    memmove(out->items + from, out->items + at, out->count - at);
    out->count -= at - from;
}

void call_name_short(struct text *out, struct view name)
{
    size_t from = out->count;
    add_placeless(out, name);
    /* Cuts ": word" off the end. */
    size_t at = out->count;
    while (at > from && !isspace((unsigned char)out->items[at - 1]))
        at--;
    bool is_cut = at < out->count && at >= from + 2 && out->items[at - 1] == ' ';
    if (is_cut && out->items[at - 2] == ':')
        out->count = at - 2;
    cut_folders(out, from);
    unify_launches(out, from);
}

void call_name_without_lines(struct text *out, struct view name)
{
    for (size_t i = 0; i < name.length;) {
        size_t line = measure_line(name, i);
        if (!line)
            text_add_byte(out, name.bytes[i]);
        i += line ? line : 1;
    }
}

struct view call_name_module(struct view name)
{
    size_t length = name.length;
    while (length > 0 && is_digit(name.bytes[length - 1]))
        length--;
    bool is_numbered = length < name.length && length > 0 && name.bytes[length - 1] == '_';
    return (struct view){name.bytes, is_numbered ? length - 1 : name.length};
}

/* State of reading a trace. */
struct growth {
    struct forest *forest;
    struct forest_names *names;
    const struct forest_options *options;
    sqlite3 *db;
    sqlite3_stmt *ask_name, *ask_same;
    struct text text;
    struct map kinds; /* of categories, less NO_KIND */
    int64_t latest;   /* id */
    ARRAY(struct open_node {
        int64_t last;  /* id */
        uint32_t node; /* FOREST_NONE = one that is skipped */
        uint32_t modules;
    })
    open;
};

/* ------------------------------------------------------------------ names */

/* The catalog's name for a name, or the name itself. */
static int find_same(struct growth *self, struct view name, uint32_t *symbol)
{
    static const char sql[] =
        "SELECT category FROM kernel_category WHERE purpose = 'same name' AND ?1 REGEXP pattern "
        "ORDER BY priority LIMIT 1";
    int result = SQLITE_OK;
    if (!self->ask_same)
        result = database_prepare(self->db, sql, &self->ask_same, NULL);
    if (result != SQLITE_OK)
        return result;
    sqlite3_reset(self->ask_same);
    sqlite3_bind_text(self->ask_same, 1, name.bytes, (int)name.length, SQLITE_STATIC);
    result = sqlite3_step(self->ask_same);
    if (result == SQLITE_ROW) {
        const char *same = database_text(self->ask_same, 0);
        *symbol = intern_add(&self->names->symbols, same, strlen(same));
        return SQLITE_OK;
    }
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int make_name(struct growth *self, struct view name, struct known_name *out)
{
    struct intern *symbols = &self->names->symbols;
    text_clear(&self->text);
    call_name_norm(&self->text, name);
    size_t middle = self->text.count;
    call_name_short(&self->text, name);
    out->name = intern_add(symbols, name.bytes, name.length);
    out->norm = intern_add(symbols, self->text.items, middle);
    out->brief = intern_add(symbols, self->text.items + middle, self->text.count - middle);
    if (!self->options->is_equivalent)
        return SQLITE_OK;
    bool is_brief = out->brief != out->norm;
    int result = find_same(self, name, &out->norm);
    if (!is_brief)
        out->brief = out->norm;
    return result;
}

static int find_name(struct growth *self, int64_t string, struct known_name *out)
{
    static const char sql[] = "SELECT text FROM string WHERE id = ?1";
    struct forest_names *names = self->names;
    uint32_t *known = map_put(&names->of_string, string, 0);
    if (*known) {
        *out = names->known.items[*known - 1];
        return SQLITE_OK;
    }
    int result = database_find(self->db, &self->ask_name, sql, string, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    const char *name = database_text(self->ask_name, 0);
    struct view text = {name, (size_t)sqlite3_column_bytes(self->ask_name, 0)};
    result = make_name(self, text, out);
    if (result != SQLITE_OK)
        return result;
    array_add(&names->known, *out);
    *known = (uint32_t)names->known.count;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ nodes */

enum { NO_NODE = -1, NO_KIND = -2 }; /* a mark or the like; a category that is not there */

static void close_before(struct growth *self, int64_t id)
{
    struct forest *forest = self->forest;
    while (self->open.count && self->open.items[self->open.count - 1].last < id) {
        uint32_t node = self->open.items[--self->open.count].node;
        if (node != FOREST_NONE)
            forest->nodes.items[node].last = (uint32_t)forest->nodes.count - 1;
    }
}

/* The nearest node that is open. */
static uint32_t find_parent(const struct growth *self)
{
    for (size_t i = self->open.count; i-- > 0;)
        if (self->open.items[i].node != FOREST_NONE)
            return self->open.items[i].node;
    return FOREST_NONE;
}

static void add_node(struct growth *self, const struct forest_node *node)
{
    struct forest *forest = self->forest;
    size_t last = forest->gpu_before.count - 1;
    bool is_gpu = forest_is_gpu(node);
    if (forest->nodes.count + 1 >= FOREST_NONE)
        memory_fail();
    int64_t sum = forest->ns_before.items[last];
    (void)__builtin_add_overflow(sum, is_gpu ? node->dur : 0, &sum);
    array_add(&forest->nodes, *node);
    array_add(&forest->ns_before, sum);
    array_add(&forest->gpu_before, forest->gpu_before.items[last] + is_gpu);
}

/* An event as it is read, up to its node. */
struct grown_event {
    struct forest_node node;
    int64_t last, category, name;
};

static int add_event(struct growth *self, const struct grown_event *event)
{
    int kind = (int)map_get(&self->kinds, event->category, 0) + NO_KIND;
    int64_t id = event->node.id;
    self->latest = id;
    if (kind == NO_KIND)
        return SQLITE_OK;
    close_before(self, id);
    uint32_t around = self->open.count ? self->open.items[self->open.count - 1].modules : 0;
    struct known_name name = {0};
    bool is_node = kind >= 0 && (kind != FOREST_FRAME || self->options->has_frames);
    int result = SQLITE_OK;
    if (is_node || (kind == FOREST_FRAME && self->options->has_modules))
        result = find_name(self, event->name, &name);
    if (result != SQLITE_OK)
        return result;
    struct forest_node node = event->node;
    node.name = name.name;
    node.norm = name.norm;
    node.brief = name.brief;
    node.parent = find_parent(self);
    node.last = (uint32_t)self->forest->nodes.count;
    node.modules = around;
    node.kind = is_node ? (enum forest_kind)kind : FOREST_FRAME;
    struct view text = name.name ? intern_view(&self->names->symbols, name.name) : (struct view){0};
    if (kind == FOREST_CALL &&
        (view_equal(text, VIEW("cudaGraphLaunch")) || view_equal(text, VIEW("hipGraphLaunch"))))
        node.kind = FOREST_GRAPH;
    /* an orphan of the accelerator is no part of the tree */
    bool is_alone = is_node && forest_is_gpu(&node) && node.parent == FOREST_NONE;
    if (is_alone)
        return SQLITE_OK;
    if (kind == FOREST_FRAME && self->options->has_modules &&
        view_starts_with(text, "nn.Module:")) {
        /* The modules around what is inside a frame. */
        struct view module = call_name_module(text);
        text_clear(&self->text);
        if (around) {
            text_add_view(&self->text, intern_view(&self->names->symbols, around));
            text_add_byte(&self->text, ';');
        }
        text_add_view(&self->text, module);
        around = intern_add(&self->names->symbols, self->text.items, self->text.count);
    }
    uint32_t place = is_node ? (uint32_t)self->forest->nodes.count : FOREST_NONE;
    if (is_node)
        add_node(self, &node);
    array_add(&self->open, (struct open_node){event->last, place, around});
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ roots */

/* From the top down, while there is one child that neither is an op nor launches work. */
static uint32_t go_down(const struct forest *self, uint32_t top)
{
    for (;;) {
        uint32_t child = forest_first_child(self, top);
        if (child == FOREST_NONE || forest_next_child(self, top, child) != FOREST_NONE ||
            self->nodes.items[child].kind == FOREST_OP ||
            self->nodes.items[child].kind == FOREST_CALL)
            return top;
        top = child;
    }
}

struct root {
    int64_t ts;
    uint32_t node;
};

ORDER_BY(compare_roots, struct root, UP(ts) || UP(node));

/* ------------------------------------------------------------------ the whole */

static int read_events(struct growth *self, const char *ranges)
{
    struct asked parts, events;
    struct grown_event event = {0};
    struct forest_node *node = &event.node;
    int64_t first, last;
    int result = SQLITE_OK;
    /* Ranges of ids come in the order of events, and may overlap. */
    if (ranges)
        ASK(&parts, self->db, "SELECT value ->> 0, value ->> 1 FROM json_each(?1) ORDER BY 1",
            ranges);
    else
        ASK(&parts, self->db,
            "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 ORDER BY first_event",
            self->forest->trace_id);
    asked_open(&events, self->db,
               "SELECT id, last_id, category_id, name_id, ts_ns, dur_ns, op_id, uid FROM event "
               "WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
    while (result == SQLITE_OK && ASKED_ROW(&parts, &first, &last)) {
        if (last <= self->latest)
            continue;
        ASKED_ABOUT(&events, first > self->latest ? first : self->latest + 1, last);
        while (result == SQLITE_OK &&
               ASKED_ROW(&events, &node->id, &event.last, &event.category, &event.name, &node->ts,
                         &node->dur, &node->signature, &node->uid))
            result = add_event(self, &event);
    }
    int ended = asked_end(&parts), events_ended = asked_end(&events);
    return result != SQLITE_OK ? result : ended != SQLITE_OK ? ended : events_ended;
}

int forest_read(struct forest *self, struct forest_names *names, sqlite3 *db, int64_t trace_id,
                const char *ranges, const struct forest_options *options)
{
    struct growth growth = {.forest = self, .names = names, .options = options, .db = db};
    self->trace_id = trace_id;
    array_add(&self->gpu_before, 0);
    array_add(&self->ns_before, 0);

    /* Kinds of tree nodes by category. */
    struct asked asked;
    int64_t category, kind;
    asked_open(&asked, db,
               "SELECT id, CASE WHEN role = 'op' THEN 0 WHEN role = 'call' THEN 1 "
               "WHEN role = 'frame' THEN 5 WHEN role <> 'gpu' THEN -1 "
               "WHEN name = 'gpu_memset' THEN 4 ELSE 3 END FROM category");
    while (ASKED_ROW(&asked, &category, &kind))
        map_set(&growth.kinds, category, 0, (uint32_t)(kind - NO_KIND));
    int result = asked_end(&asked);
    if (result == SQLITE_OK)
        result = read_events(&growth, ranges);
    if (result == SQLITE_OK) {
        close_before(&growth, INT64_MAX);

        /* The tops that have an op below them, in the order in which their first ops start. */
        ARRAY(struct root) roots = {0};
        for (uint32_t i = 0; i < self->nodes.count; i = self->nodes.items[i].last + 1) {
            uint32_t op = i;
            while (op <= self->nodes.items[i].last && self->nodes.items[op].kind != FOREST_OP)
                op++;
            if (op > self->nodes.items[i].last)
                continue;
            array_add(&roots, (struct root){self->nodes.items[op].ts, i});
        }
        array_sort(&roots, compare_roots);
        for (size_t i = 0; i < roots.count; i++)
            array_add(&self->roots, go_down(self, roots.items[i].node));
        array_free(&roots);
    }
    database_finalize(growth.ask_name);
    database_finalize(growth.ask_same);
    text_free(&growth.text);
    map_free(&growth.kinds);
    array_free(&growth.open);
    return result;
}

uint32_t forest_first_child(const struct forest *self, uint32_t node)
{
    return self->nodes.items[node].last > node ? node + 1 : FOREST_NONE;
}

uint32_t forest_next_child(const struct forest *self, uint32_t node, uint32_t child)
{
    uint32_t next = self->nodes.items[child].last + 1;
    return next <= self->nodes.items[node].last ? next : FOREST_NONE;
}

uint32_t forest_op_above(const struct forest *self, uint32_t node)
{
    do
        node = self->nodes.items[node].parent;
    while (node != FOREST_NONE && self->nodes.items[node].kind != FOREST_OP);
    return node;
}
