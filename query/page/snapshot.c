/* snapshot: what memory snapshots hold over their events, as a block "snapshot": a list of
 * {trace, device, events, peak, ooms, at, allocated, active, reserved, texts, parents, names,
 * stacks, segments, segment_count, segment_bytes}, one for each device.
 *
 * `at` has an event of each of equal parts of the events: the first with the most allocated bytes.
 * stacks are [node, text, columns, bytes]: by how much what a stack holds changes at which columns,
 * columns and bytes as differences. Stacks below a five-thousandth of the peak are not listed: the
 * rest has their bytes. Nodes are the tree of frames, the outermost first, and have a parent (0 =
 * the root) and a name. texts are the names of frames. Segments are
 * [title, blocks], and blocks [state, bytes, live bytes, text]: 0 = a hole, 1 = live, 2 = waits for
 * another stream, 3 = several that are too small to be seen.
 */
#include "query/page/page_parts.h"

#include "query/page/snapshot.sql.h"
#include "sql/database.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

enum { COLUMNS_MOST = 800, OF_PEAK = 5000, STACKS_MOST = 2000, CHANGES_MOST = 400000 };
enum { SEGMENTS_MOST = 200, OF_SEGMENT = 1000, DEPTH_MOST = 10000 };

struct held {
    int64_t from, to; /* events, + 1: 0 = before all of them */
    int64_t bytes, stack;
};

struct change {
    int64_t stack;
    size_t column;
    int64_t bytes;
};

struct holder {
    size_t first, count; /* of its changes */
    int64_t stack, most;
};

enum curve { ALLOCATED, ACTIVE, RESERVED, CURVES };

struct snapshot {
    struct warehouse *warehouse;
    struct error *error;
    int64_t trace, device, events, initial_reserved, peak;
    ARRAY(struct held) held;
    ARRAY(int64_t) curves[CURVES]; /* after each event + 1; differences first */
    ARRAY(size_t) columns;         /* events + 1 */
    ARRAY(struct change) changes;
    ARRAY(struct holder) holders;
    ARRAY(int64_t) chain; /* of stacks that have no node yet */
    struct map nodes;     /* of a stack: its node + 1 */
    struct map children;  /* of a node and a name */
    struct intern texts;
    struct text parents, names, stacks, json;
    uint32_t node_count;
    sqlite3_stmt *ask_stack;
};

ORDER_BY(compare_changes, struct change, UP(stack) || UP(column));
ORDER_BY(compare_holders, struct holder, DOWN(most) || UP(stack));

/* ------------------------------------------------------------------ curves */

static void add_change(struct snapshot *self, enum curve curve, int64_t event, int64_t bytes)
{
    if (event >= -1 && event < self->events)
        self->curves[curve].items[event + 1] =
            number_sum(self->curves[curve].items[event + 1], bytes);
}

static bool read_held(struct snapshot *self)
{
    static const char sql[] =
        "SELECT alloc, free_requested, free_completed, bytes, stack_id FROM memory_allocation "
        "WHERE trace_id = ?1 AND device = ?2 ORDER BY number";
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = rows != NULL;
    if (rows) {
        sqlite3_bind_int64(rows, 1, self->trace);
        sqlite3_bind_int64(rows, 2, self->device);
    }
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        int64_t from = sqlite3_column_int64(rows, 0), bytes = sqlite3_column_int64(rows, 3);
        int64_t ends[2] = {database_integer(rows, 1, self->events),
                           database_integer(rows, 2, self->events)};
        for (int i = 0; i < 2; i++) {
            add_change(self, i ? ACTIVE : ALLOCATED, from, bytes);
            add_change(self, i ? ACTIVE : ALLOCATED, ends[i], -bytes);
        }
        array_add(&self->held,
                  (struct held){from + 1, ends[0] + 1, bytes, sqlite3_column_int64(rows, 4)});
    }
    database_finalize(rows);
    return done;
}

static bool read_events(struct snapshot *self)
{
    static const char sql[] =
        "SELECT number, CASE WHEN action IN ('segment_alloc', 'segment_map') THEN bytes"
        " WHEN action IN ('segment_free', 'segment_unmap') THEN -bytes ELSE 0 END, action = 'oom' "
        "FROM snapshot_event WHERE trace_id = ?1 AND device = ?2 ORDER BY number";
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = rows != NULL;
    const char *between = "";
    if (rows) {
        sqlite3_bind_int64(rows, 1, self->trace);
        sqlite3_bind_int64(rows, 2, self->device);
    }
    text_add_string(&self->json, ",\"ooms\":[");
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        add_change(self, RESERVED, sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1));
        if (sqlite3_column_int(rows, 2)) {
            text_format(&self->json, "%s%lld", between, (long long)sqlite3_column_int64(rows, 0));
            between = ",";
        }
    }
    text_add_byte(&self->json, ']');
    database_finalize(rows);
    return done;
}

/* Makes differences sums, and finds the event of each column. */
static void find_columns(struct snapshot *self)
{
    size_t count = (size_t)self->events + 1;
    size_t parts = count < COLUMNS_MOST ? count : COLUMNS_MOST;
    const int64_t *allocated = self->curves[ALLOCATED].items;
    for (int curve = 0; curve < CURVES; curve++)
        for (size_t i = 1; i < count; i++)
            self->curves[curve].items[i] =
                number_sum(self->curves[curve].items[i], self->curves[curve].items[i - 1]);
    for (size_t part = 0; part < parts; part++) {
        size_t best = part * count / parts;
        for (size_t i = best; i < (part + 1) * count / parts; i++)
            best = allocated[i] > allocated[best] ? i : best;
        array_add(&self->columns, best);
    }
}

/* Allocated bytes are those of the event of a column; of the others the most in its part. */
static void add_curves(struct snapshot *self)
{
    static const char *const names[CURVES] = {"allocated", "active", "reserved"};
    size_t count = (size_t)self->events + 1, parts = self->columns.count;
    text_add_string(&self->json, ",\"at\":[");
    for (size_t i = 0; i < parts; i++)
        text_format(&self->json, i ? ",%lld" : "%lld", (long long)self->columns.items[i] - 1);
    for (int curve = 0; curve < CURVES; curve++) {
        const int64_t *values = self->curves[curve].items;
        text_format(&self->json, "],\"%s\":[", names[curve]);
        for (size_t part = 0; part < parts; part++) {
            int64_t most = values[self->columns.items[part]];
            for (size_t i = part * count / parts; i < (part + 1) * count / parts; i++)
                most = values[i] > most ? values[i] : most;
            text_format(&self->json, part ? ",%lld" : "%lld", (long long)most);
        }
    }
    text_add_byte(&self->json, ']');
}

/* ------------------------------------------------------------------ stacks */

static bool snapshot_ask(struct snapshot *self, int64_t stack)
{
    static const char sql[] =
        "SELECT CASE WHEN stack.parent_id < stack.id THEN stack.parent_id END, frame.text,"
        " frame.is_noise, stack.frame FROM memory_stack AS stack "
        "JOIN memory_frame AS frame ON frame.id = stack.frame_id WHERE stack.id = ?1";
    int result = database_find(self->warehouse->db, &self->ask_stack, sql, stack, 0);
    return result == SQLITE_ROW || database_error(self->warehouse->db, "memory_stack", self->error);
}

static uint32_t intern_text(struct snapshot *self, struct view text)
{
    return intern_add(&self->texts, text.bytes, text.length);
}

static uint32_t text_number(struct snapshot *self, int column)
{
    const char *text = database_text(self->ask_stack, column);
    return intern_text(self, view_of(text ? text : ""));
}

/* The node of a frame below another node. Frames of the interpreter are none. */
static bool add_node(struct snapshot *self, int64_t stack, uint32_t *node)
{
    if (!snapshot_ask(self, stack))
        return false;
    uint32_t name = text_number(self, 1);
    uint32_t *of_stack = map_put(&self->nodes, stack, 0);
    uint32_t *child = map_put(&self->children, *node, name);
    bool is_noise = sqlite3_column_int(self->ask_stack, 2);
    if (!is_noise && !*child) {
        text_format(&self->parents, self->node_count ? ",%u" : "%u", *node);
        text_format(&self->names, self->node_count ? ",%u" : "%u", name);
        *child = ++self->node_count;
    }
    *node = is_noise ? *node : *child;
    *of_stack = *node + 1;
    return true;
}

static bool find_node(struct snapshot *self, int64_t stack, uint32_t *node)
{
    self->chain.count = 0;
    *node = 0;
    for (int64_t at = stack; at && self->chain.count < DEPTH_MOST;) {
        uint32_t known = map_get(&self->nodes, at, 0);
        if (known) {
            *node = known - 1;
            break;
        }
        array_add(&self->chain, at);
        if (!snapshot_ask(self, at))
            return false;
        at = sqlite3_column_int64(self->ask_stack, 0);
    }
    while (self->chain.count)
        if (!add_node(self, self->chain.items[--self->chain.count], node))
            return false;
    return true;
}

static bool add_stack(struct snapshot *self, const struct holder *holder)
{
    const struct change *changes = self->changes.items + holder->first;
    uint32_t node, text;
    if (!find_node(self, holder->stack, &node))
        return false;
    if (holder->stack && !snapshot_ask(self, holder->stack))
        return false;
    text = holder->stack ? text_number(self, 3) : intern_text(self, VIEW("(no stack)"));
    text_format(&self->stacks, self->stacks.count ? ",[%u,%u,[" : "[%u,%u,[", node, text);
    for (size_t i = 0; i < holder->count; i++)
        text_format(&self->stacks, i ? ",%zu" : "%zu",
                    changes[i].column - (i ? changes[i - 1].column : 0));
    text_add_string(&self->stacks, "],[");
    for (size_t i = 0; i < holder->count; i++)
        text_format(&self->stacks, i ? ",%lld" : "%lld", (long long)changes[i].bytes);
    text_add_string(&self->stacks, "]]");
    return true;
}

/* The stacks that hold most, while there is room. */
static bool add_stacks(struct snapshot *self)
{
    size_t room = CHANGES_MOST;

    /* Blocks that no column sees are left out. */
    for (size_t i = 0; i < self->held.count; i++) {
        const struct held *held = &self->held.items[i];
        size_t from, to, count = self->columns.count;
        ARRAY_LOWER_BOUND(from, count, (int64_t)self->columns.items[from] < held->from);
        ARRAY_LOWER_BOUND(to, count, (int64_t)self->columns.items[to] < held->to);
        if (from >= to)
            continue;
        array_add(&self->changes, (struct change){held->stack, from, held->bytes});
        if (to < count)
            array_add(&self->changes, (struct change){held->stack, to, -held->bytes});
    }
    array_sort(&self->changes, compare_changes);

    /* Puts the changes of a stack in one column together, and finds the most that each stack holds.
     */
    struct change *changes = self->changes.items;
    size_t kept = 0;
    int64_t now = 0;
    for (size_t i = 0; i < self->changes.count; i++) {
        bool is_new = !self->holders.count || changes[i].stack != changes[kept - 1].stack;
        if (is_new)
            array_add(&self->holders, (struct holder){.first = kept, .stack = changes[i].stack});
        if (!is_new && changes[i].column == changes[kept - 1].column)
            changes[kept - 1].bytes = number_sum(changes[kept - 1].bytes, changes[i].bytes);
        else
            changes[kept++] = changes[i];
        self->holders.items[self->holders.count - 1].count =
            kept - self->holders.items[self->holders.count - 1].first;
    }
    for (size_t i = 0; i < self->holders.count; i++, now = 0) {
        struct holder *holder = &self->holders.items[i];
        for (size_t j = holder->first; j < holder->first + holder->count; j++) {
            now = number_sum(now, changes[j].bytes);
            holder->most = now > holder->most ? now : holder->most;
        }
    }
    array_sort(&self->holders, compare_holders);
    bool done = true;
    for (size_t i = 0; i < self->holders.count && i < STACKS_MOST && done; i++) {
        const struct holder *holder = &self->holders.items[i];
        if (holder->count > room || holder->most < self->peak / OF_PEAK)
            break;
        room -= holder->count;
        done = add_stack(self, holder);
    }
    database_finalize(self->ask_stack);
    self->ask_stack = NULL;
    return done;
}

/* ------------------------------------------------------------------ segments */

enum { ROW_ID, ROW_TITLE, ROW_TOTAL, ROW_BYTES, ROW_STATE, ROW_FRAME, ROW_SEGMENTS, ROW_ALL };
enum state { HOLE, LIVE, WAITING, SEVERAL };

struct block {
    enum state state;
    int64_t bytes, live;
    uint32_t text;
};

static void add_block(struct snapshot *self, const struct block *block, const char **between)
{
    if (block->bytes)
        text_format(&self->json, "%s[%d,%lld,%lld,%u]", *between, block->state,
                    (long long)block->bytes, (long long)block->live, block->text);
    *between = block->bytes ? "," : *between;
}

static struct block read_block(struct snapshot *self, sqlite3_stmt *row)
{
    struct block block = {.state = (enum state)sqlite3_column_int(row, ROW_STATE),
                          .bytes = sqlite3_column_int64(row, ROW_BYTES)};
    block.live = block.state ? block.bytes : 0;
    const char *frame = database_text(row, ROW_FRAME);
    if (block.state)
        block.text = intern_text(self, view_of(frame ? frame : ""));
    return block;
}

static bool add_segments(struct snapshot *self)
{
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, largest_segments, self->error);
    bool done = rows != NULL, any = false;
    int64_t last = 0, count = 0, bytes = 0;
    struct block small = {.state = SEVERAL};
    const char *between = "";
    if (rows) {
        sqlite3_bind_int64(rows, 1, self->trace);
        sqlite3_bind_int64(rows, 2, self->device);
        sqlite3_bind_int(rows, 3, SEGMENTS_MOST);
    }
    text_add_string(&self->json, ",\"segments\":[");
    for (; warehouse_next(self->warehouse, rows, &done, self->error); any = true) {
        struct block block = read_block(self, rows);
        bool is_new = !any || sqlite3_column_int64(rows, ROW_ID) != last;
        bool is_small = block.bytes < sqlite3_column_int64(rows, ROW_TOTAL) / OF_SEGMENT;
        last = sqlite3_column_int64(rows, ROW_ID);
        count = sqlite3_column_int64(rows, ROW_SEGMENTS);
        bytes = sqlite3_column_int64(rows, ROW_ALL);
        if (is_new || !is_small) {
            add_block(self, &small, &between);
            small = (struct block){.state = SEVERAL};
        }
        if (is_new) {
            bool is_first = !any;
            const char *title = database_text(rows, ROW_TITLE);
            text_format_json(&self->json, is_first ? "[%s,[" : "]],[%s,[", title ? title : "");
            between = "";
        }
        if (!is_small)
            add_block(self, &block, &between);
        else {
            small.bytes = number_sum(small.bytes, block.bytes);
            small.live = number_sum(small.live, block.live);
        }
    }
    add_block(self, &small, &between);
    text_format(&self->json, "%s,\"segment_count\":%lld,\"segment_bytes\":%lld", any ? "]]]" : "]",
                (long long)count, (long long)bytes);
    database_finalize(rows);
    return done;
}

/* ------------------------------------------------------------------ devices */

static bool add_device(struct snapshot *self, sqlite3_stmt *row)
{
    enum { NTH, TRACE, DEVICE, EVENTS, PEAK_AT, PEAK, RESERVED_BYTES };
    self->trace = sqlite3_column_int64(row, TRACE);
    self->device = sqlite3_column_int64(row, DEVICE);
    self->events = sqlite3_column_int64(row, EVENTS);
    self->peak = sqlite3_column_int64(row, PEAK);
    self->initial_reserved = sqlite3_column_int64(row, RESERVED_BYTES);
    if (self->events < 0 || self->events > UINT32_MAX)
        return true;
    text_format(&self->json, "%s{\"trace\":%lld,\"device\":%lld,\"events\":%lld,\"peak\":%lld",
                self->json.count > 1 ? "," : "", (long long)sqlite3_column_int64(row, NTH),
                (long long)self->device, (long long)self->events,
                (long long)sqlite3_column_int64(row, PEAK_AT));
    size_t count = (size_t)self->events + 1;
    for (int i = 0; i < CURVES; i++) {
        array_reserve(&self->curves[i], count);
        memset(self->curves[i].items, 0, count * sizeof *self->curves[i].items);
        self->curves[i].count = count;
    }
    self->curves[RESERVED].items[0] = self->initial_reserved;
    bool done = read_held(self) && read_events(self);
    if (done) {
        find_columns(self);
        add_curves(self);
    }
    done = done && add_segments(self) && add_stacks(self);
    text_add_string(&self->json, ",\"texts\":[\"\"");
    for (uint32_t i = 1; i <= intern_count(&self->texts); i++) {
        text_add_byte(&self->json, ',');
        text_add_json(&self->json, intern_view(&self->texts, i));
    }
    text_add_string(&self->json, "],\"parents\":[");
    text_add_text(&self->json, &self->parents);
    text_add_string(&self->json, "],\"names\":[");
    text_add_text(&self->json, &self->names);
    text_add_string(&self->json, "],\"stacks\":[");
    text_add_text(&self->json, &self->stacks);
    text_add_string(&self->json, "]}");

    /* The next device begins with empty lists. */
    for (int i = 0; i < CURVES; i++)
        array_free(&self->curves[i]);
    arrays_free(&self->held, &self->columns, &self->changes, &self->holders, &self->chain);
    map_free(&self->nodes);
    map_free(&self->children);
    self->nodes = self->children = (struct map){0};
    intern_free(&self->texts);
    self->texts = (struct intern){0};
    text_clear(&self->parents);
    text_clear(&self->names);
    text_clear(&self->stacks);
    self->node_count = 0;
    return done;
}

bool snapshot_add_block(struct warehouse *warehouse, struct page_blocks *blocks,
                        struct error *error)
{
    struct snapshot self = {.warehouse = warehouse, .error = error};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, snapshot_devices, error);
    bool done = rows != NULL;
    text_add_byte(&self.json, '[');
    while (warehouse_next(warehouse, rows, &done, error))
        done = add_device(&self, rows);
    database_finalize(rows);
    text_add_byte(&self.json, ']');
    if (done && (self.json.count > 2))
        page_blocks_add(blocks, "snapshot", &self.json, NULL);
    return done;
}
