/* call_tree: a table with accelerator time by call path, a row a node.
 *
 *     SELECT depth, name, gpu_ns FROM call_tree ORDER BY trace_id, node
 *     SELECT tpq_set('call_tree', 'op')
 *
 * A path is what is around a piece of work, from the outside in, and the work itself. The option
 * call_tree says what of it counts: stack (frames and ops), op (ops), module (modules, in each the
 * outermost op), phase (prefill or decode, then ops), program (of XLA: program, place in the
 * source, instruction).
 *
 * Work is read in the order of ids. What is around the one before is kept, so that every event on
 * the way is looked at once.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <string.h>

enum kind { KIND_FRAME, KIND_MODULE, KIND_OP, KIND_PART, KIND_WORK, KIND_COPY, KINDS = 8 };

static const char *const kind_words[] = {
    [KIND_FRAME] = "frame", [KIND_MODULE] = "module", [KIND_OP] = "op",
    [KIND_PART] = "part",   [KIND_WORK] = "kernel",   [KIND_COPY] = "copy",
};

enum { ROLE_FRAME = 1, ROLE_OP = 2 };

enum mode { MODE_STACK, MODE_OP, MODE_MODULE, MODE_PHASE, MODE_PROGRAM, MODES };

static const char *const mode_words[MODES] = {"stack", "op", "module", "phase", "program"};

struct node {
    int64_t number;  /* place among the nodes of its trace, from 1 */
    int64_t name_id; /* 0 = the warehouse has no such text */
    int64_t gpu_ns, own_ns, host_ns, calls, longest_id, longest_ns;
    int64_t parent, depth; /* number of the parent, 0 = none */
    const char *name;
    const char *kind;
    size_t above, trace; /* places */
};

#define NOWHERE SIZE_MAX

struct tree_rows {
    trace_list traces;
    size_t trace;             /* place of the one in hand */
    ARRAY(struct node) nodes; /* trace by trace, in preorder, the heaviest first */
    struct intern texts;
};

/* What is open around the work at hand. */
struct open {
    int64_t id, last, name, duration;
    size_t node; /* its own, or that of what is around it */
    bool is_frame, is_op;
    bool has_op; /* since the last module */
};

struct reading {
    const struct table_wish *wish;
    struct tree_rows *rows;
    struct error *error;
    enum mode mode;
    int64_t trace;
    size_t first;         /* place of its first node */
    struct map known;     /* places + 1 by the place of the parent and what the node is */
    struct map roles;     /* by categories */
    struct map is_module; /* names */
    struct map texts;     /* numbers of texts by names */
    struct map phases;    /* numbers of texts by launchers */
    size_t base;          /* node that the path begins with */
    ARRAY(struct open) opened, chain;
    int64_t before; /* the piece of work whose path is open; 0 = none */
    sqlite3_stmt *event, *around, *string, *instruction;
};

/* ------------------------------------------------------------------ words */

static bool find_mode(struct reading *self)
{
    const char *word = context_get(self->wish->context, "call_tree");
    for (self->mode = MODE_STACK; self->mode < MODES; self->mode++)
        if (strcmp(mode_words[self->mode], word ? word : mode_words[MODE_STACK]) == 0)
            return true;
    return error_set(self->error, STATUS_USAGE,
                     "call_tree is stack, op, module, phase or program, not '%.300s'", word);
}

static int text_of(struct reading *self, int64_t name, uint32_t *number)
{
    uint32_t *known = map_put(&self->texts, name, 0);
    if (!known)
        return SQLITE_NOMEM;
    if (!*known) {
        const char *text = NULL;
        int result = database_find_text(self->wish->db, &self->string,
                                        "SELECT text FROM string WHERE id = ?1", name, &text);
        if (result != SQLITE_OK)
            return result;
        *known = intern_add(&self->rows->texts, text, strlen(text) + 1);
    }
    *number = *known;
    return *number ? SQLITE_OK : SQLITE_NOMEM;
}

/* ------------------------------------------------------------------ nodes */

/* The node of a text below another one, made when it is new. */
static int find_node(struct reading *self, size_t above, uint32_t text, int64_t name,
                     enum kind kind, size_t *place)
{
    struct tree_rows *rows = self->rows;
    uint32_t *known =
        map_put(&self->known, above == NOWHERE ? -1 : (int64_t)above, (int64_t)text * KINDS + kind);
    if (!known)
        return SQLITE_NOMEM;
    if (!*known) {
        if (!array_add(&rows->nodes, (struct node){.name_id = name,
                                                   .name = intern_view(&rows->texts, text).bytes,
                                                   .kind = kind_words[kind],
                                                   .longest_ns = -1,
                                                   .above = above,
                                                   .trace = rows->trace}))
            return SQLITE_NOMEM;
        *known = (uint32_t)(rows->nodes.count - self->first);
    }
    *place = self->first + *known - 1;
    return SQLITE_OK;
}

static int find_named(struct reading *self, size_t above, int64_t name, enum kind kind,
                      size_t *place)
{
    uint32_t text = 0;
    int result = text_of(self, name, &text);
    return result == SQLITE_OK ? find_node(self, above, text, name, kind, place) : result;
}

static void add_time(struct node *node, int64_t id, int64_t duration, bool is_host)
{
    if (is_host)
        node->host_ns += duration;
    else
        node->own_ns += duration;
    if (duration > node->longest_ns) {
        node->longest_ns = duration;
        node->longest_id = id;
    }
}

/* ------------------------------------------------------------------ what is around work */

enum { EVENT_ID, EVENT_UP, EVENT_BELOW, EVENT_NAME, EVENT_DURATION, EVENT_CATEGORY };

#define EVENT_SQL "SELECT id, up, below, name_id, dur_ns, category_id FROM event WHERE "

/* An event, or those of a piece that are around one. */
static const char event_sql[] = EVENT_SQL "id = ?1";
static const char around_sql[] = EVENT_SQL "id BETWEEN ?1 AND ?2 AND below > ?2 - id ORDER BY id";

static struct open open_of(struct reading *self, sqlite3_stmt *row)
{
    int64_t id = sqlite3_column_int64(row, EVENT_ID);
    uint32_t role = map_get(&self->roles, sqlite3_column_int64(row, EVENT_CATEGORY), 0);
    return (struct open){.id = id,
                         .last = id + sqlite3_column_int64(row, EVENT_BELOW),
                         .name = sqlite3_column_int64(row, EVENT_NAME),
                         .duration = sqlite3_column_int64(row, EVENT_DURATION),
                         .is_frame = role == ROLE_FRAME,
                         .is_op = role == ROLE_OP};
}

/* Reads an event into the chain, and which one is around it; 0 = none. */
static int read_event(struct reading *self, int64_t id, int64_t *parent)
{
    sqlite3_stmt *row = self->event;
    sqlite3_bind_int64(row, 1, id);
    int result = sqlite3_step(row);
    *parent = 0;
    if (result == SQLITE_ROW) {
        int64_t up = sqlite3_column_int64(row, EVENT_UP);
        *parent = up > 0 && up < id ? id - up : 0;
        result = array_add(&self->chain, open_of(self, row)) ? SQLITE_OK : SQLITE_NOMEM;
    } else if (result == SQLITE_DONE) {
        result = SQLITE_CORRUPT;
    }
    sqlite3_reset(row);
    return result;
}

/* Whether what is around work is a node of its own, and of which kind. */
static bool counts(const struct reading *self, const struct open *open, enum kind *kind)
{
    bool is_module = open->is_frame && map_get(&self->is_module, open->name, 0);
    *kind = open->is_op ? KIND_OP : is_module ? KIND_MODULE : KIND_FRAME;
    switch (self->mode) {
    case MODE_STACK:
        return open->is_frame || open->is_op;
    case MODE_MODULE:
        return open->is_op ? !open->has_op : is_module;
    case MODE_OP:
    case MODE_PHASE:
        return open->is_op;
    default:
        return false;
    }
}

/* Puts an event onto what is open, with its node. */
static int open_event(struct reading *self, struct open open)
{
    size_t count = self->opened.count;
    const struct open *around = count ? &self->opened.items[count - 1] : NULL;
    enum kind kind;
    int result = SQLITE_OK;
    open.node = around ? around->node : self->base;
    open.has_op = around && around->has_op;
    if (counts(self, &open, &kind)) {
        open.has_op = kind == KIND_OP;
        result = find_named(self, open.node, open.name, kind, &open.node);
        if (result == SQLITE_OK)
            add_time(&self->rows->nodes.items[open.node], open.id, open.duration, true);
    }
    if (result == SQLITE_OK && !array_add(&self->opened, open))
        result = SQLITE_NOMEM;
    return result;
}

/* Opens those of the events up to here that are around the next one. */
static int open_between(struct reading *self, int64_t first, int64_t last)
{
    sqlite3_stmt *row = self->around;
    int result = SQLITE_OK;
    sqlite3_bind_int64(row, 1, first);
    sqlite3_bind_int64(row, 2, last);
    while (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW)
        result = open_event(self, open_of(self, row));
    sqlite3_reset(row);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Opens what is around work, up to what is open already. What is not lies behind the work before;
 * where that is near, going through what lies between is faster than climbing. */
static int open_around(struct reading *self, int64_t id, int64_t parent)
{
    enum { NEAR = 64 };
    int result = SQLITE_OK;
    while (self->opened.count && self->opened.items[self->opened.count - 1].last < id)
        self->opened.count--;
    int64_t known = self->opened.count ? self->opened.items[self->opened.count - 1].id : 0;
    int64_t before = self->before > known ? self->before : known;
    self->before = id;
    if (parent > known && before && id - before <= NEAR)
        return open_between(self, before + 1, id - 1);
    self->chain.count = 0;
    while (result == SQLITE_OK && parent > known)
        result = read_event(self, parent, &parent);
    while (result == SQLITE_OK && self->chain.count)
        result = open_event(self, self->chain.items[--self->chain.count]);
    return result;
}

/* ------------------------------------------------------------------ what paths begin with */

static int part(struct reading *self, const char *text, size_t *place)
{
    uint32_t number = intern_add(&self->rows->texts, text, strlen(text) + 1);
    return number ? find_node(self, *place, number, 0, KIND_PART, place) : SQLITE_NOMEM;
}

/* Of a piece of work of XLA its program, the place in the source and the instruction. */
static int begin_with_program(struct reading *self, int64_t id)
{
    sqlite3_stmt *row = self->instruction;
    self->base = NOWHERE;
    sqlite3_bind_int64(row, 1, id);
    int result = sqlite3_step(row);
    for (int i = 0; i < 3 && result == SQLITE_ROW; i++) {
        const char *text = (const char *)sqlite3_column_text(row, i);
        int found = text ? part(self, text, &self->base) : SQLITE_OK;
        result = found == SQLITE_OK ? result : found;
    }
    sqlite3_reset(row);
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

static int begin_with_phase(struct reading *self, int64_t launcher)
{
    uint32_t phase = map_get(&self->phases, launcher, 0);
    size_t base = NOWHERE;
    int result = phase ? find_node(self, NOWHERE, phase, 0, KIND_PART, &base) : SQLITE_OK;
    if (base != self->base)
        self->opened.count = 0, self->before = 0; /* other nodes stand for what is open */
    self->base = base;
    return result;
}

/* ------------------------------------------------------------------ work */

enum { WORK_ID, WORK_NAME, WORK_DURATION, WORK_UP, WORK_LAUNCHER, WORK_CATEGORY };

static const char work_sql[] =
    "SELECT gpu_event.id, gpu_event.name_id, gpu_event.dur_ns, event.up, gpu_event.launcher_id, "
    "gpu_event.category_id = (SELECT id FROM category WHERE name = 'kernel') "
    "FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN first_event AND last_event "
    "CROSS JOIN event ON event.id = gpu_event.id WHERE scope.trace_id = ?1 ORDER BY gpu_event.id";

static int add_work(struct reading *self, sqlite3_stmt *row)
{
    int64_t id = sqlite3_column_int64(row, WORK_ID), up = sqlite3_column_int64(row, WORK_UP);
    int result = self->mode == MODE_PROGRAM ? begin_with_program(self, id)
                 : self->mode == MODE_PHASE
                     ? begin_with_phase(self, sqlite3_column_int64(row, WORK_LAUNCHER))
                     : SQLITE_OK;
    if (result == SQLITE_OK && self->mode != MODE_PROGRAM)
        result = open_around(self, id, up > 0 && up < id ? id - up : 0);
    if (result != SQLITE_OK)
        return result;
    size_t count = self->opened.count, place;
    size_t around = count ? self->opened.items[count - 1].node : self->base;
    enum kind kind = sqlite3_column_int(row, WORK_CATEGORY) ? KIND_WORK : KIND_COPY;
    result = find_named(self, around, sqlite3_column_int64(row, WORK_NAME), kind, &place);
    if (result != SQLITE_OK)
        return result;
    struct node *node = &self->rows->nodes.items[place];
    add_time(node, id, sqlite3_column_int64(row, WORK_DURATION), false);
    node->calls++;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ order */

/* What is above stands before what is below, so sums go up in one pass. */
static void add_up(struct node *nodes, size_t first, size_t count)
{
    for (size_t i = first; i < count; i++)
        nodes[i].gpu_ns = nodes[i].own_ns;
    for (size_t i = count; i-- > first;) {
        if (nodes[i].above == NOWHERE)
            continue;
        struct node *above = &nodes[nodes[i].above];
        above->gpu_ns += nodes[i].gpu_ns;
        above->calls += nodes[i].calls;
    }
}

struct place_of_node {
    size_t place, above;
    int64_t gpu_ns;
};

ORDER_BY(compare_places, struct place_of_node,
         BY_LESS(a->above + 1, b->above + 1) || DOWN(gpu_ns) || UP(place));

/* Preorder: children of a node stand together once sorted; each is numbered behind all that is
 * below its elder sisters. */
static bool put_in_preorder(struct tree_rows *rows, size_t first)
{
    size_t count = rows->nodes.count - first;
    struct node *nodes = rows->nodes.items, *sorted = malloc((count + 1) * sizeof *sorted);
    struct place_of_node *places = malloc((count + 1) * sizeof *places);
    size_t *below = calloc(count + 1, sizeof *below), *next = calloc(count + 1, sizeof *next);
    bool done = sorted && places && below && next;
    for (size_t i = 0; i < count && done; i++)
        places[i] = (struct place_of_node){i, nodes[first + i].above, nodes[first + i].gpu_ns};
    for (size_t i = count; i-- > 0 && done;) {
        below[i]++;
        if (nodes[first + i].above != NOWHERE)
            below[nodes[first + i].above - first] += below[i];
    }
    if (done && count)
        qsort(places, count, sizeof *places, compare_places);
    /* Parents are numbered before their children, as their places are lower. */
    int64_t roots = 1;
    for (size_t i = 0; i < count && done; i++) {
        struct node *node = &nodes[first + places[i].place];
        struct node *above = node->above == NOWHERE ? NULL : &nodes[node->above];
        node->number = above ? above->number + 1 + (int64_t)next[node->above - first] : roots;
        node->parent = above ? above->number : 0;
        node->depth = above ? above->depth + 1 : 0;
        if (above)
            next[node->above - first] += below[places[i].place];
        else
            roots += (int64_t)below[places[i].place];
    }
    for (size_t i = 0; i < count && done; i++)
        sorted[nodes[first + i].number - 1] = nodes[first + i];
    if (done && count)
        memcpy(nodes + first, sorted, count * sizeof *nodes);
    free(sorted);
    free(places);
    free(below);
    free(next);
    return done;
}

/* ------------------------------------------------------------------ reading */

static int read_numbers(sqlite3 *db, const char *sql, int64_t id,
                        int (*take)(struct reading *, sqlite3_stmt *), struct reading *self)
{
    sqlite3_stmt *rows = NULL;
    int result = database_prepare(db, sql, &rows, NULL);
    if (result == SQLITE_OK && sqlite3_bind_parameter_count(rows))
        result = sqlite3_bind_int64(rows, 1, id);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW)
        result = take(self, rows);
    sqlite3_finalize(rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int take_module(struct reading *self, sqlite3_stmt *row)
{
    uint32_t *known = map_put(&self->is_module, sqlite3_column_int64(row, 0), 0);
    if (known)
        *known = 1;
    return known ? SQLITE_OK : SQLITE_NOMEM;
}

static int take_role(struct reading *self, sqlite3_stmt *row)
{
    uint32_t *known = map_put(&self->roles, sqlite3_column_int64(row, 0), 0);
    if (known)
        *known = sqlite3_column_int(row, 1) ? ROLE_FRAME : ROLE_OP;
    return known ? SQLITE_OK : SQLITE_NOMEM;
}

static int take_phase(struct reading *self, sqlite3_stmt *row)
{
    const char *text = (const char *)sqlite3_column_text(row, 1);
    uint32_t *known = text ? map_put(&self->phases, sqlite3_column_int64(row, 0), 0) : NULL;
    if (known)
        *known = intern_add(&self->rows->texts, text, strlen(text) + 1);
    return known && *known ? SQLITE_OK : SQLITE_NOMEM;
}

static int prepare(struct reading *self)
{
    static const char instruction_sql[] =
        "SELECT hlo_module.name, coalesce(source_file || coalesce(':' || source_line, ''), "
        "op_name), hlo_instruction.name FROM xla_event JOIN hlo_instruction "
        "ON hlo_instruction.id = instruction_id JOIN hlo_module ON hlo_module.id = module_id "
        "WHERE xla_event.id = ?1";
    sqlite3 *db = self->wish->db;
    int result = database_prepare(db, event_sql, &self->event, NULL);
    if (result == SQLITE_OK)
        result = database_prepare(db, around_sql, &self->around, NULL);
    if (result == SQLITE_OK)
        result = database_prepare(db, instruction_sql, &self->instruction, NULL);
    if (result == SQLITE_OK)
        result = read_numbers(
            db, "SELECT id, role = 'frame' FROM category WHERE role IN ('frame', 'op')", 0,
            take_role, self);
    if (result == SQLITE_OK)
        result = read_numbers(
            db, "SELECT id FROM string WHERE text >= 'nn.Module: ' AND text < 'nn.Module:!'", 0,
            take_module, self);
    if (result == SQLITE_OK && self->mode == MODE_PHASE)
        result = read_numbers(
            db, "SELECT launcher_id, phase FROM launcher_phase WHERE phase IS NOT NULL", 0,
            take_phase, self);
    return result;
}

static int read_trace(struct reading *self, int64_t trace)
{
    struct tree_rows *rows = self->rows;
    self->first = rows->nodes.count;
    self->base = NOWHERE;
    self->opened.count = 0;
    self->before = 0;
    map_free(&self->known);
    int result = read_numbers(self->wish->db, work_sql, trace, add_work, self);
    if (result != SQLITE_OK)
        return result;
    add_up(rows->nodes.items, self->first, rows->nodes.count);
    return put_in_preorder(rows, self->first) ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_rows(void *rows, const struct table_wish *wish, struct error *error)
{
    struct reading self = {.wish = wish, .rows = rows, .error = error};
    int result = find_mode(&self) ? prepare(&self) : SQLITE_ERROR;
    if (result == SQLITE_OK)
        result = ranges_traces(wish, &self.rows->traces);
    size_t *trace = &self.rows->trace;
    for (; result == SQLITE_OK && *trace < self.rows->traces.count; ++*trace)
        result = read_trace(&self, self.rows->traces.items[*trace].id);
    map_free(&self.known);
    map_free(&self.roles);
    map_free(&self.is_module);
    map_free(&self.texts);
    map_free(&self.phases);
    array_free(&self.opened);
    array_free(&self.chain);
    sqlite3_finalize(self.event);
    sqlite3_finalize(self.around);
    sqlite3_finalize(self.string);
    sqlite3_finalize(self.instruction);
    return result;
}

static void free_rows(void *reading)
{
    struct tree_rows *rows = reading;
    ranges_free_traces(&rows->traces);
    array_free(&rows->nodes);
    intern_free(&rows->texts);
}

/* ------------------------------------------------------------------ the table */

enum { PART_NODE, PART_TRACE };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct tree_rows *rows = cursor->reading;
    cursor->parts[PART_TRACE] = &rows->traces.items[rows->nodes.items[index].trace];
    return true;
}

#define OF_NODE(kind, member) TABLE_AT(kind, PART_NODE, struct node, member)

static const struct table_column columns[] = {
    {"run", "TEXT", "run", TABLE_AT(WORD, PART_TRACE, struct selected_trace, run)},
    {"trace_id", "INTEGER", "trace", TABLE_AT(INT64, PART_TRACE, struct selected_trace, id),
     .role = TABLE_TRACE},
    {"node", "INTEGER",
     "number of the node in its trace, from 1: parents before children, the "
     "heaviest first",
     OF_NODE(INT64, number)},
    {"parent", "INTEGER", "node that it is below; NULL for the outermost", OF_NODE(ID, parent)},
    {"depth", "INTEGER", "nodes above it", OF_NODE(INT64, depth)},
    {"name_id", "INTEGER", "its name; NULL where that is no text of the warehouse",
     OF_NODE(ID, name_id)},
    {"name", "TEXT", "the same as a text", OF_NODE(TEXT, name)},
    {"kind", "TEXT",
     "what it is: frame, module, op, part (a phase, or what a program of XLA is parted into), "
     "kernel or copy (and other work that is no kernel)",
     OF_NODE(TEXT, kind)},
    {"gpu_ns", "INTEGER", "sum of the durations of work below it, and its own",
     OF_NODE(INT64, gpu_ns)},
    {"own_gpu_ns", "INTEGER", "of that what the node itself is", OF_NODE(INT64, own_ns)},
    {"host_ns", "INTEGER", "sum of the durations of its calls on the host that launched work",
     OF_NODE(INT64, host_ns)},
    {"calls", "INTEGER", "pieces of work", OF_NODE(INT64, calls)},
    {"longest_id", "INTEGER", "the longest event that it stands for", OF_NODE(ID, longest_id)},
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct tree_rows), .read = read_rows, .free = free_rows};

static const struct table table = {
    .columns = columns,
    .all = 1e5,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct tree_rows, nodes),
    .row_size = sizeof(struct node),
    .row = find_parts,
};

const struct function call_tree_functions[] = {
    {.name = "call_tree",
     .meaning = "A table: accelerator time by call path, a row a node, in preorder. The option "
                "call_tree says what paths are made of: stack (frames and ops), op, module, phase "
                "or program.",
     .table = &table},
    {0},
};
