/* tree_walk: walks through the call tree, as tables.
 *
 *     ancestors(event)              the events above it, nearest first: id, depth (1, 2, ...)
 *     descendants(event [, depth [, without]])
 *                                   the events below it in preorder: id, depth; not deeper than
 *                                   `depth` levels; events whose category has the role `without`
 *                                   are skipped, and their children move up
 *     kernels_below(event)          GPU activities below it: id, call_id (what launched it)
 *
 *     SELECT name FROM ancestors(4711) JOIN slice USING (id)
 *     SELECT sum(dur_ns) FROM kernels_below(4711) JOIN gpu_event USING (id)
 *
 * They live on the numbering: what is below an event is the ids up to its last descendant. NULL, or
 * an id that does not exist, gives no rows.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"

struct walk_cursor {
    struct table_cursor base;
    sqlite3_stmt *statement;
    ARRAY(sqlite3_int64) open; /* last ids of the events that are open, outermost first */
    int64_t event, id, depth, levels;
};

/* The rows are the cursor itself; `question` is about the event ?1. */
static int tree_walk_prepare(struct table_cursor *base, const struct table_wish *wish,
                             const char *question)
{
    struct walk_cursor *cursor = (struct walk_cursor *)base;
    sqlite3_value *event = wish->keys[0], *levels = wish->keys[1];
    base->parts[0] = cursor;
    cursor->levels = levels && sqlite3_value_type(levels) != SQLITE_NULL
                         ? sqlite3_value_int64(levels)
                         : INT64_MAX;
    if (!event || sqlite3_value_type(event) == SQLITE_NULL)
        return SQLITE_OK;
    cursor->event = sqlite3_value_int64(event);
    int result = statements_take(wish->context, wish->db, question, &cursor->statement);
    return result == SQLITE_OK ? sqlite3_bind_int64(cursor->statement, 1, cursor->event) : result;
}

static void tree_walk_stop(struct table_cursor *base)
{
    statements_leave(table_context(base), ((struct walk_cursor *)base)->statement);
}

/* Comes to the next row of the statement; without one there are none. */
static int step(struct walk_cursor *cursor)
{
    int result = cursor->statement ? sqlite3_step(cursor->statement) : SQLITE_DONE;
    cursor->base.at_end = result != SQLITE_ROW;
    if (result == SQLITE_ROW)
        cursor->id = sqlite3_column_int64(cursor->statement, 0);
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

/* An ancestor has a smaller id; a broken tree is no reason to walk in circles. */
static int start_ancestors(struct table_cursor *cursor, const struct table_wish *wish,
                           struct error *error)
{
    (void)error;
    return tree_walk_prepare(
        cursor, wish,
        "SELECT id FROM event WHERE id = (SELECT parent_id FROM event WHERE id = ?1) "
        "AND id < ?1");
}

static int next_ancestor(struct table_cursor *base)
{
    struct walk_cursor *cursor = (struct walk_cursor *)base;
    int result = step(cursor);
    if (result == SQLITE_OK && !base->at_end) {
        cursor->depth++;
        sqlite3_reset(cursor->statement);
        sqlite3_bind_int64(cursor->statement, 1, cursor->id);
    }
    return result;
}

static int start_descendants(struct table_cursor *cursor, const struct table_wish *wish,
                             struct error *error)
{
    (void)error;
    int result = tree_walk_prepare(
        cursor, wish,
        "SELECT below.id, below.last_id, below.category_id IN (SELECT id FROM "
        "category WHERE role = ?2) FROM event AS top CROSS JOIN event AS below ON "
        "below.id > top.id AND below.id <= top.last_id WHERE top.id = ?1");
    sqlite3_stmt *statement = ((struct walk_cursor *)cursor)->statement;
    if (result == SQLITE_OK && statement)
        result = wish->keys[2] ? sqlite3_bind_value(statement, 2, wish->keys[2])
                               : sqlite3_bind_null(statement, 2);
    return result;
}

static int next_descendant(struct table_cursor *base)
{
    struct walk_cursor *cursor = (struct walk_cursor *)base;
    bool is_left_out = false;
    int result;
    do {
        result = step(cursor);
        if (result == SQLITE_OK && !base->at_end) {
            /* Depth in the preorder: how many of the events opened before still last. */
            is_left_out = sqlite3_column_int(cursor->statement, 2);
            if (!is_left_out) {
                while (cursor->open.count &&
                       cursor->open.items[cursor->open.count - 1] < cursor->id)
                    cursor->open.count--;
                cursor->depth = (int64_t)cursor->open.count + 1;
                array_add(&cursor->open, sqlite3_column_int64(cursor->statement, 1));
            }
        }
    } while (result == SQLITE_OK && !base->at_end &&
             (is_left_out || cursor->depth > cursor->levels));
    return result;
}

static int start_kernels(struct table_cursor *cursor, const struct table_wish *wish,
                         struct error *error)
{
    (void)error;
    return tree_walk_prepare(
        cursor, wish,
        "SELECT gpu_event.id, call_id FROM event AS top CROSS JOIN gpu_event ON "
        "gpu_event.id > top.id AND gpu_event.id <= top.last_id WHERE top.id = ?1");
}

static int next_kernel(struct table_cursor *base)
{
    return step((struct walk_cursor *)base);
}

static int give_call(sqlite3_context *out, struct table_cursor *cursor)
{
    sqlite3_result_value(out, sqlite3_column_value(((struct walk_cursor *)cursor)->statement, 1));
    return SQLITE_OK;
}

/* With the event, ids tell the rows of several walks apart. */
enum { ROW, NOTHING };
#define ID(words)                                                                        \
    {                                                                                    \
        "id", words, TABLE_AT(INT64, ROW, struct walk_cursor, id), .role = TABLE_PRIMARY \
    }
#define DEPTH(words)                                                    \
    {                                                                   \
        "depth", words, TABLE_AT(INT64, ROW, struct walk_cursor, depth) \
    }
#define EVENT                                                  \
    {                                                          \
        "event", "argument: the event to start from",          \
            TABLE_AT(INT64, ROW, struct walk_cursor, event),   \
            .role = TABLE_ARGUMENT | TABLE_PRIMARY, .type = "" \
    }

static const struct table_column ancestor_columns[] = {
    ID("id of the event above"),
    DEPTH("levels above the event: 1 = parent"),
    EVENT,
    {0},
};

static const struct table_column descendant_columns[] = {
    ID("id of the event below"),
    DEPTH("levels below the event: 1 = child"),
    EVENT,
    {"levels", "argument: the greatest depth; NULL = any",
     TABLE_AT(INT64, NOTHING, struct walk_cursor, levels), .role = TABLE_ARGUMENT, .type = ""},
    {"without", "argument: the role of categories to leave out; NULL = none",
     TABLE_AT(INT64, NOTHING, struct walk_cursor, levels), .role = TABLE_ARGUMENT, .type = ""},
    {0},
};

static const struct table_column kernel_columns[] = {
    ID("GPU activities"),
    {"call_id", "id of the runtime call that launched the GPU activity", .origin = TABLE_GIVEN,
     .give = give_call},
    EVENT,
    {0},
};

static const struct table ancestors = {TABLE_MADE(ancestor_columns, 1e9, 100, struct walk_cursor,
                                                  start_ancestors, next_ancestor, tree_walk_stop)};
static const struct table descendants = {TABLE_MADE(descendant_columns, 1e9, 100,
                                                    struct walk_cursor, start_descendants,
                                                    next_descendant, tree_walk_stop)};
static const struct table kernels = {TABLE_MADE(kernel_columns, 1e9, 100, struct walk_cursor,
                                                start_kernels, next_kernel, tree_walk_stop)};

const struct function tree_functions[] = {
    {.name = "ancestors",
     .call = "ancestors(event)",
     .meaning = "A table: the events above an event, nearest first, with their distance: id, "
                "depth. No rows for NULL or an id that does not exist.",
     .example = "SELECT max(above.depth) FROM gpu_event "
                "CROSS JOIN ancestors(gpu_event.call_id) AS above GROUP BY gpu_event.id LIMIT 5",
     .table = &ancestors},
    {.name = "descendants",
     .call = "descendants(event [, depth [, without]])",
     .meaning = "A table: the events below an event in preorder, with their depth below it, not "
                "deeper than the second argument: id, depth. Events whose category has the role "
                "of the third ('frame') are skipped, and their children move up. No rows "
                "for NULL or an id that does not exist.",
     .example = "SELECT below.depth, count(*) FROM "
                "(SELECT id FROM event ORDER BY below DESC LIMIT 1) AS parent "
                "CROSS JOIN descendants(parent.id, 3) AS below GROUP BY below.depth",
     .table = &descendants},
    {.name = "kernels_below",
     .call = "kernels_below(event)",
     .meaning = "A table: the GPU activities that was launched below an event, and the call that "
                "launched it: id, call_id. No rows for "
                "NULL or an id that does not exist.",
     .example = "SELECT count(DISTINCT work.call_id), count(*) FROM "
                "(SELECT id FROM event ORDER BY below DESC LIMIT 1) AS parent "
                "CROSS JOIN kernels_below(parent.id) AS work",
     .table = &kernels},
    {0},
};
