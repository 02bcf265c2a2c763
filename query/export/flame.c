/* flame: call paths are read trace by trace, parents first, so that the place of a parent is known
 * when its children come. Each rank of several has a node of its own at the root. The form folded
 * is a line a call path, for programs that draw flame graphs. */
#include "query/export/flame.h"

#include "query/export/export_forms.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct flame *flame;
    const struct export *export;
    size_t first;   /* place of the first node of the trace at hand, but for its rank */
    size_t root;    /* node of the rank; SIZE_MAX = none */
    uint32_t trace; /* place */
};

enum { ROW_TRACE, ROW_NODE, ROW_PARENT, ROW_NAME, ROW_GPU, ROW_HOST, ROW_CALLS };

static const char node_rows[] = "SELECT trace_id, node, parent, name, own_gpu_ns, host_ns, calls "
                                "FROM call_tree ORDER BY trace_id, node";

static void add_node(struct flame *self, size_t above, uint32_t trace, const char *name,
                     size_t length)
{
    uint32_t number = intern_add(&self->names, name, length);
    array_add(&self->nodes, (struct flame_node){.above = above, .name = number, .trace = trace});
}

static uint32_t find_trace(const struct export *export, int64_t id)
{
    uint32_t place = 0;
    while (place + 1 < export->traces.count && export->traces.items[place].id != id)
        place++;
    return place;
}

/* Several traces have a node each around all others. */
static void begin_trace(struct reader *self, int64_t id)
{
    const struct export *export = self->export;
    self->trace = find_trace(export, id);
    self->root = SIZE_MAX;
    if (export->traces.count > 1) {
        const char *label = export->traces.items[self->trace].label;
        self->root = self->flame->nodes.count;
        add_node(self->flame, SIZE_MAX, self->trace, label, strlen(label));
    }
    self->first = self->flame->nodes.count;
}

/* Sums become what each node is itself. */
static void take_node(struct reader *self, sqlite3_stmt *row)
{
    struct flame *flame = self->flame;
    const char *name = database_text(row, ROW_NAME);
    size_t parent = (size_t)sqlite3_column_int64(row, ROW_PARENT);
    size_t above = parent ? self->first + parent - 1 : self->root;
    add_node(flame, above, self->trace, name, (size_t)sqlite3_column_bytes(row, ROW_NAME));
    struct flame_node *node = &flame->nodes.items[flame->nodes.count - 1];
    node->weights[WEIGHT_GPU] = sqlite3_column_int64(row, ROW_GPU);
    node->weights[WEIGHT_HOST] = sqlite3_column_int64(row, ROW_HOST);
    node->weights[WEIGHT_CALLS] = sqlite3_column_int64(row, ROW_CALLS);
    if (parent) {
        struct flame_node *around = &flame->nodes.items[above];
        around->weights[WEIGHT_HOST] -= node->weights[WEIGHT_HOST];
        around->weights[WEIGHT_CALLS] -= node->weights[WEIGHT_CALLS];
    }
}

bool flame_read(struct flame *self, const struct export *export)
{
    struct reader reader = {.flame = self, .export = export};
    struct error *error = export->error;
    int64_t trace = 0;
    const char *tree = export->options.tree;
    bool is_stack = !tree || strcmp(tree, "stack") == 0; /* without its frames that of ops */
    if (is_stack && export->options.no_frames)
        tree = "op";
    context_set(export->warehouse->context, "call-tree", tree);
    sqlite3_stmt *rows = warehouse_prepare(export->warehouse, node_rows, error);
    bool done = rows != NULL;
    while (warehouse_next(export->warehouse, rows, &done, error)) {
        int64_t id = sqlite3_column_int64(rows, ROW_TRACE);
        if (id != trace)
            begin_trace(&reader, id);
        take_node(&reader, rows);
        trace = id;
    }
    database_finalize(rows);
    for (size_t i = 0; i < self->nodes.count; i++) /* threads may work for an op at a time */
        if (self->nodes.items[i].weights[WEIGHT_HOST] < 0)
            self->nodes.items[i].weights[WEIGHT_HOST] = 0;
    return done;
}

void flame_free(struct flame *self)
{
    array_free(&self->nodes);
    intern_free(&self->names);
}

void flame_path(const struct flame *self, size_t place, struct flame_path *path)
{
    path->count = 0;
    for (; place != SIZE_MAX; place = self->nodes.items[place].above)
        array_add(path, &self->nodes.items[place]);
    for (size_t i = 0; i < path->count / 2; i++) {
        const struct flame_node *swap = path->items[i];
        path->items[i] = path->items[path->count - 1 - i];
        path->items[path->count - 1 - i] = swap;
    }
}

bool flame_source(struct view name, struct view *file, int64_t *line, struct view *function)
{
    const char *open = memchr(name.bytes, '(', name.length);
    const char *end = name.bytes + name.length;
    if (!open || open == name.bytes)
        return false;
    const char *at = open + 1;
    *line = 0;
    for (; at < end && *at >= '0' && *at <= '9' && *line < 1000000000; at++)
        *line = 10 * *line + (*at - '0');
    if (at == open + 1 || end - at < 4 || memcmp(at, "): ", 3) != 0)
        return false;
    *file = (struct view){name.bytes, (size_t)(open - name.bytes)};
    *function = (struct view){at + 3, (size_t)(end - at - 3)};
    return true;
}

/* ------------------------------------------------------------------ the form folded */

struct line {
    char *path;
    int64_t weight;
};

ORDER_BY(compare_lines, struct line, WORDS(path) || DOWN(weight));

typedef ARRAY(struct line) line_list;

static void add_line(const struct flame *flame, size_t place, int64_t weight,
                     struct flame_path *path, line_list *lines)
{
    struct text text = {0};
    flame_path(flame, place, path);
    for (size_t i = 0; i < path->count; i++) {
        if (i)
            text_add_byte(&text, ';');

        /* Characters that part a path or a line are replaced. */
        struct view name = intern_view(&flame->names, path->items[i]->name);
        for (size_t j = 0; j < name.length; j++) {
            char byte = name.bytes[j];
            bool is_end = byte == '\n' || byte == '\r';
            text_add_byte(&text, byte == ';' ? ',' : is_end ? ' ' : byte);
        }
    }
    array_add(lines, (struct line){text.items, weight});
}

bool export_folded(struct export *self)
{
    struct whole_file file;
    struct flame flame = {0};
    line_list lines = {0};
    bool done =
        whole_file_open(&file, self->path, self->packing, self->error) && flame_read(&flame, self);
    if (done) {
        enum export_weight weight = self->options.weight;
        struct flame_path path = {0};
        for (size_t i = 0; i < flame.nodes.count; i++)
            if (flame.nodes.items[i].weights[weight])
                add_line(&flame, i, flame.nodes.items[i].weights[weight], &path, &lines);
        array_free(&path);
        array_sort(&lines, compare_lines);
    }
    for (size_t i = 0; i < lines.count && done; i++) {
        text_format(&file.text, "%s %lld\n", lines.items[i].path, (long long)lines.items[i].weight);
        done = whole_file_spill(&file);
    }
    self->written = (int64_t)lines.count;
    for (size_t i = 0; i < lines.count; i++)
        memory_free(lines.items[i].path);
    array_free(&lines);
    flame_free(&flame);
    return whole_file_close(&file, done);
}
