/* tree_file: All nodes are read first and sorted by parent, so the children of a node are found by
 * binary search. The tree is printed with a stack of levels, not by recursion, and each level keeps
 * the length of its prefix. Names are kept once, by their key in the tables. */
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
    struct text shown, cut;   /* the name that is printed */
    ARRAY(struct node) nodes; /* by parent, roots first; of a parent as they are printed */
};

/* A node whose children are being printed. */
struct level {
    size_t next, end;
    size_t prefix; /* how long it is above this level */
};

enum { READ_NUMBER, READ_PARENT, READ_KEY1, READ_KEY2, READ_COUNT, READ_NS1, READ_NS2, READ_PLACE };

ORDER_BY(compare_nodes, struct node, UP(parent) || UP(kind) || UP(place));

/* Finds the name of a number in the tables, for a node that has it on a side. A result code. */
static int find_name(struct tree *self, int64_t node, int side, int64_t key, uint32_t *name)
{
    uint32_t *known = map_put(&self->known, key, 0);
    int result = SQLITE_ROW;
    if (!*known) {
        sqlite3_bind_int64(self->ask_name, 1, node);
        result = sqlite3_step(self->ask_name);
        if (result == SQLITE_ROW) {
            const char *text = database_text(self->ask_name, side);
            *known = intern_add(&self->names, text, strlen(text));
        }
        sqlite3_reset(self->ask_name);
    }
    *name = *known;
    return result == SQLITE_ROW ? SQLITE_OK : result == SQLITE_DONE ? SQLITE_CORRUPT : result;
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
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        result = SQLITE_OK;
        if (!prune || sqlite3_column_int64(from, READ_COUNT) > 0) {
            struct node *node = array_push(&self->nodes);
            bool is_root = sqlite3_column_type(from, READ_PARENT) == SQLITE_NULL;
            *node =
                (struct node){.number = sqlite3_column_int64(from, READ_NUMBER),
                              .parent = is_root ? NOBODY : sqlite3_column_int64(from, READ_PARENT),
                              .gpu_count = sqlite3_column_int64(from, READ_COUNT),
                              .ns1 = sqlite3_column_int64(from, READ_NS1),
                              .ns2 = sqlite3_column_int64(from, READ_NS2),
                              .place = sqlite3_column_int64(from, READ_PLACE)};
            int64_t left = sqlite3_column_int64(from, READ_KEY1);
            int64_t right = sqlite3_column_int64(from, READ_KEY2);
            if (left)
                result = find_name(self, node->number, 0, left, &node->name1);
            if (right && result == SQLITE_OK)
                result = find_name(self, node->number, 1, right, &node->name2);
            if (!is_root)
                node->kind = !node->name2 ? 1 : !node->name1 ? 2 : 0;
        }
    }
    bool done = result == SQLITE_DONE || warehouse_error(warehouse, error);
    database_finalize(from);
    database_finalize(self->ask_name);
    if (done)
        array_sort(&self->nodes, compare_nodes);
    return done;
}

static struct level children_of(const struct tree *self, int64_t number, size_t prefix)
{
    size_t first, end;
    ARRAY_LOWER_BOUND(first, self->nodes.count, self->nodes.items[first].parent < number);
    ARRAY_LOWER_BOUND(end, self->nodes.count, self->nodes.items[end].parent <= number);
    return (struct level){first, end, prefix};
}

/* In so many columns; 0 = in full. */
static void print_name(struct tree *self, uint32_t name, size_t width, FILE *out)
{
    struct view whole = intern_view(&self->names, name);
    if (!width) {
        visible_print(whole, out);
        return;
    }
    text_clear(&self->shown);
    text_clear(&self->cut);
    visible_add(&self->shown, whole);
    visible_add_cut(&self->cut, text_view(&self->shown), width);
    fwrite(self->cut.items, 1, self->cut.count, out);
}

/* Room for two times in digits of 64 bits, and a share. */
enum { TIMES_ROOM = 128 };

/* The width for a name, of `count` names, behind so much else; names are told apart by a few
 * letters, though. */
static size_t name_width(size_t width, size_t used, size_t count)
{
    enum { LEAST = 8 };
    size_t room = used < width ? (width - used) / count : 0;
    return !width ? 0 : room > LEAST ? room : LEAST;
}

bool tree_file_write(struct warehouse *warehouse, const struct tree_file_options *options,
                     FILE *out, struct error *error)
{
    struct tree tree = {0};
    bool done = read_tree(&tree, warehouse, options->prune, error);
    if (done) {
        enum { INDENT = 4 }; /* characters a level */
        ARRAY(struct level) levels = {0};
        struct text prefix = {0};
        array_add(&levels, children_of(&tree, NOBODY, 0));
        while (levels.count && !ferror(out)) {
            struct level *level = &levels.items[levels.count - 1];
            prefix.count = level->prefix;
            if (level->next == level->end) {
                levels.count--;
                continue;
            }
            const struct node *node = &tree.nodes.items[level->next++];
            bool is_last = level->next == level->end;
            fwrite(prefix.items ? prefix.items : "", 1, prefix.count, out);
            fputs(is_last ? "└── " : "├── ", out);

            size_t indent = INDENT * levels.count;
            static const char between[] = " | ";
            bool has_two = node->name1 && node->name2 && node->name1 != node->name2;
            const char *mark = !node->name2   ? ">> trace1: "
                               : !node->name1 ? "<< trace2: "
                               : has_two      ? "combined: "
                                              : "";
            char times[TIMES_ROOM] = "";
            if (options->with_times && node->gpu_count) {
                double first = (double)node->ns1 / 1000, second = (double)node->ns2 / 1000;
                if (node->ns1 > 0 && node->name2)
                    snprintf(times, TIMES_ROOM, " [%.2f us -> %.2f us, %+.1f %%]", first, second,
                             (second - first) / first * 100);
                else
                    snprintf(times, TIMES_ROOM, " [%.2f us -> %.2f us]", first, second);
            }
            size_t used = indent + strlen(mark) + strlen(times) + (has_two ? strlen(between) : 0);
            size_t width = name_width(options->width, used, has_two ? 2 : 1);
            fputs(mark, out);
            print_name(&tree, node->name1 ? node->name1 : node->name2, width, out);
            if (has_two) {
                fputs(between, out);
                print_name(&tree, node->name2, width, out);
            }
            fputs(times, out);
            fputc('\n', out);
            text_add_string(&prefix, is_last ? "    " : "│   ");
            array_add(&levels, children_of(&tree, node->number, prefix.count));
        }
    }
    return done;
}
