/* export_folded: a line a call path, for programs that draw flame graphs. */
#include "query/export/export_forms.h"
#include "query/export/flame.h"
#include "src/base/order.h"

struct line {
    char *path;
    int64_t weight;
};

ORDER_BY(compare_lines, struct line, WORDS(path) || DOWN(weight));

typedef ARRAY(struct line) line_list;

/* Characters that part a path or a line are replaced. */
static void add_name(struct text *out, struct view name)
{
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.bytes[i];
        bool is_end = byte == '\n' || byte == '\r';
        text_add_byte(out, byte == ';' ? ',' : is_end ? ' ' : byte);
    }
}

static bool add_line(const struct flame *flame, size_t place, int64_t weight,
                     struct flame_path *path, line_list *lines)
{
    struct text text = {0};
    bool done = flame_path(flame, place, path);
    for (size_t i = 0; i < path->count && done; i++) {
        if (i)
            text_add_byte(&text, ';');
        add_name(&text, intern_view(&flame->names, path->items[i]->name));
    }
    if (done && array_add(lines, (struct line){text.items, weight}))
        return true;
    text_free(&text);
    return false;
}

static bool add_lines(const struct flame *flame, enum export_weight weight, line_list *lines)
{
    struct flame_path path = {0};
    bool done = true;
    for (size_t i = 0; i < flame->nodes.count && done; i++)
        if (flame->nodes.items[i].weights[weight])
            done = add_line(flame, i, flame->nodes.items[i].weights[weight], &path, lines);
    array_free(&path);
    array_sort(lines, compare_lines);
    return done;
}

bool export_folded(struct export *self)
{
    struct whole_file file;
    struct flame flame = {0};
    line_list lines = {0};
    bool done = whole_file_open(&file, self->path, self->packing, self->error) &&
                flame_read(&flame, self) &&
                (add_lines(&flame, self->options.weight, &lines) || error_memory(self->error));
    for (size_t i = 0; i < lines.count && done; i++) {
        text_format(&file.text, "%s %lld\n", lines.items[i].path, (long long)lines.items[i].weight);
        done = whole_file_spill(&file) || whole_file_explain(&file);
    }
    self->written = (int64_t)lines.count;
    for (size_t i = 0; i < lines.count; i++)
        memory_free(lines.items[i].path);
    array_free(&lines);
    flame_free(&flame);
    return whole_file_close(&file, done);
}
