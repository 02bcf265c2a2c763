/* tree_file: see tree_file.h. */
#include "query/diff/tree_file.h"

#include "sql/database.h"
#include "src/base/array.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/order.h"
#include "src/base/visible.h"

#include <string.h>

enum { NOBODY = -1 };

struct node {
    int64_t number, parent;
    uint32_t name1, name2; /* 0 = not in that trace */
    int64_t gpu_count, ns1, ns2;
    int64_t place; /* among its siblings */
    int kind;      /* of children: those of both traces come first, then those of one */
};

struct tree {
    struct intern names;
    struct map known; /* by the numbers of names in the tables: those of `names` */
    sqlite3_stmt *ask_name;
    ARRAY(struct node) nodes; /* by parent, roots first; of a parent as they are printed */
};

/* A node whose children are being printed. */
struct level {
    size_t next, end;
    size_t prefix; /* how long it is above this level */
};

enum { READ_NUMBER, READ_PARENT, READ_KEY1, READ_KEY2, READ_COUNT, READ_NS1, READ_NS2, READ_PLACE };

ORDER_BY(compare_nodes, struct node, UP(parent) || UP(kind) || UP(place));

/* What a name is that has a number in the tables, of a node that has it on a side. */
static bool add_name(struct tree *self, int64_t node, int side, int64_t key, uint32_t *name)
{
    uint32_t *known = map_put(&self->known, key, 0);
    if (known && !*known) {
        sqlite3_bind_int64(self->ask_name, 1, node);
        bool found = sqlite3_step(self->ask_name) == SQLITE_ROW;
        const char *text = found ? (const char *)sqlite3_column_text(self->ask_name, side) : NULL;
        *known = text ? intern_add(&self->names, text, strlen(text)) : 0;
        sqlite3_reset(self->ask_name);
    }
    *name = known ? *known : 0;
    return *name != 0;
}

static bool add_node(struct tree *self, sqlite3_stmt *from)
{
    struct node *node = array_push(&self->nodes);
    if (!node)
        return false;
    bool is_root = sqlite3_column_type(from, READ_PARENT) == SQLITE_NULL;
    *node = (struct node){.number = sqlite3_column_int64(from, READ_NUMBER),
                          .parent = is_root ? NOBODY : sqlite3_column_int64(from, READ_PARENT),
                          .gpu_count = sqlite3_column_int64(from, READ_COUNT),
                          .ns1 = sqlite3_column_int64(from, READ_NS1),
                          .ns2 = sqlite3_column_int64(from, READ_NS2),
                          .place = sqlite3_column_int64(from, READ_PLACE)};
    int64_t left = sqlite3_column_int64(from, READ_KEY1);
    int64_t right = sqlite3_column_int64(from, READ_KEY2);
    bool done = (!left || add_name(self, node->number, 0, left, &node->name1)) &&
                (!right || add_name(self, node->number, 1, right, &node->name2));
    if (!is_root)
        node->kind = !node->name2 ? 1 : !node->name1 ? 2 : 0;
    return done;
}

static bool read_tree(struct tree *self, struct warehouse *warehouse, bool prune,
                      struct error *error)
{
    static const char sql[] =
        "SELECT merged_id, parent_merged_id, name1_key, name2_key, "
        "coalesce(gpu_count1, 0) + coalesce(gpu_count2, 0), gpu_ns1, gpu_ns2, ord FROM diff_node";
    static const char name_sql[] = "SELECT name1, name2 FROM diff_node WHERE merged_id = ?1";
    sqlite3_stmt *from = NULL;
    int result = database_prepare(warehouse->db, sql, &from, NULL);
    if (result == SQLITE_OK)
        result = database_prepare(warehouse->db, name_sql, &self->ask_name, NULL);
    bool done = true;
    while (result == SQLITE_OK && done && (result = sqlite3_step(from)) == SQLITE_ROW) {
        result = SQLITE_OK;
        if (!prune || sqlite3_column_int64(from, READ_COUNT) > 0)
            done = add_node(self, from);
    }
    bool failed = result != SQLITE_DONE && done;
    if (failed)
        warehouse_error(warehouse, error);
    sqlite3_finalize(from);
    sqlite3_finalize(self->ask_name);
    if (done && !failed)
        array_sort(&self->nodes, compare_nodes);
    return !failed && (done || error_memory(error));
}

static struct level children_of(const struct tree *self, int64_t number, size_t prefix)
{
    size_t first, end;
    ARRAY_LOWER_BOUND(first, self->nodes.count, self->nodes.items[first].parent < number);
    ARRAY_LOWER_BOUND(end, self->nodes.count, self->nodes.items[end].parent <= number);
    return (struct level){first, end, prefix};
}

static void print_name(const struct tree *self, uint32_t name, FILE *out)
{
    visible_print(intern_view(&self->names, name), out);
}

static void print_times(const struct node *node, FILE *out)
{
    double first = (double)node->ns1 / 1000, second = (double)node->ns2 / 1000;
    fprintf(out, " [%.2f us -> %.2f us", first, second);
    if (node->ns1 > 0 && node->name2)
        fprintf(out, ", %+.1f %%", (second - first) / first * 100);
    fputc(']', out);
}

static void print_node(const struct tree *self, const struct node *node, bool with_times, FILE *out)
{
    if (!node->name2)
        fputs(">> trace1: ", out);
    else if (!node->name1)
        fputs("<< trace2: ", out);
    else if (node->name1 != node->name2)
        fputs("combined: ", out);
    print_name(self, node->name1 ? node->name1 : node->name2, out);
    if (node->name1 && node->name2 && node->name1 != node->name2) {
        fputs(" | ", out);
        print_name(self, node->name2, out);
    }
    if (with_times && node->gpu_count)
        print_times(node, out);
    fputc('\n', out);
}

static bool print_tree(const struct tree *self, bool with_times, FILE *out)
{
    ARRAY(struct level) levels = {0};
    struct text prefix = {0};
    struct level *first = array_push(&levels);
    bool done = first;
    if (first)
        *first = children_of(self, NOBODY, 0);
    while (done && levels.count && !ferror(out)) {
        struct level *level = &levels.items[levels.count - 1];
        prefix.count = level->prefix;
        if (level->next == level->end) {
            levels.count--;
            continue;
        }
        const struct node *node = &self->nodes.items[level->next++];
        bool is_last = level->next == level->end;
        fwrite(prefix.items ? prefix.items : "", 1, prefix.count, out);
        fputs(is_last ? "└── " : "├── ", out);
        print_node(self, node, with_times, out);
        done = text_add_string(&prefix, is_last ? "    " : "│   ");
        struct level *below = done ? array_push(&levels) : NULL;
        done = below;
        if (below)
            *below = children_of(self, node->number, prefix.count);
    }
    array_free(&levels);
    text_free(&prefix);
    return done;
}

bool tree_file_write(struct warehouse *warehouse, const struct tree_file_options *options,
                     FILE *out, struct error *error)
{
    struct tree tree = {0};
    bool done = read_tree(&tree, warehouse, options->prune, error) &&
                (print_tree(&tree, options->with_times, out) || error_memory(error));
    intern_free(&tree.names);
    map_free(&tree.known);
    array_free(&tree.nodes);
    return done;
}
