/* call_tree: a table with accelerator time by call path, a row a node.
 *
 *     SELECT depth, name, gpu_ns FROM call_tree ORDER BY trace_id, node
 *     SELECT tpq_set('call-tree', 'op')
 *
 * A path is what is around a GPU activity, from the outside in, and the work itself. The option
 * call_tree says what of it counts: stack (frames and ops), op (ops), module (modules, in each the
 * outermost op), phase (prefill or decode, then ops), program (of XLA: program, place in the
 * source, instruction).
 *
 * Events are gone through once, in the order of ids; what is open at a GPU activity is around it,
 * and becomes nodes then.
 */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/number.h"
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
    size_t above; /* a place, as the trace is */
    uint32_t trace;
};

#define NOWHERE SIZE_MAX

struct tree_rows {
    trace_list traces;
    size_t trace;             /* place of the one in hand */
    ARRAY(struct node) nodes; /* trace by trace, in preorder, the heaviest first */
    struct intern texts;
};

/* An event that is open around the one at hand. */
struct open {
    int64_t id, last, name, duration, category;
    bool is_placed; /* has a node, as has all that is around it */
    bool has_op;    /* since the last module */
    size_t node;    /* its own, or that of what is around it */
};

struct work {
    int64_t id, launcher;
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
    ARRAY(struct work) works; /* of the range in hand */
    size_t next;              /* of them */
    bool is_first;            /* event of the range */
    int64_t kernels;          /* their category */
    sqlite3_stmt *string;
    struct asked event, instruction;
};

/* ------------------------------------------------------------------ words */

static bool find_mode(struct reading *self)
{
    const char *word = context_get(self->wish->context, "call-tree");
    for (self->mode = MODE_STACK; self->mode < MODES; self->mode++)
        if (strcmp(mode_words[self->mode], word ? word : mode_words[MODE_STACK]) == 0)
            return true;
    return error_set(self->error, STATUS_USAGE,
                     "call_tree is stack, op, module, phase or program, not '%.300s'", word);
}

static int call_tree_text_of(struct reading *self, int64_t name, uint32_t *number)
{
    uint32_t *known = map_put(&self->texts, name, 0);
    if (!*known) {
        const char *text = NULL;
        int result = database_find_text(self->wish->db, &self->string,
                                        "SELECT text FROM string WHERE id = ?1", name, &text);
        if (result != SQLITE_OK)
            return result;
        *known = intern_add(&self->rows->texts, text, strlen(text) + 1);
    }
    *number = *known;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ nodes */

/* The node of a text below another one, made when it is new. */
static void find_node(struct reading *self, size_t above, uint32_t text, int64_t name,
                      enum kind kind, size_t *place)
{
    struct tree_rows *rows = self->rows;
    uint32_t *known =
        map_put(&self->known, above == NOWHERE ? -1 : (int64_t)above, (int64_t)text * KINDS + kind);
    if (!*known) {
        array_add(&rows->nodes, (struct node){.name_id = name,
                                              .name = intern_view(&rows->texts, text).bytes,
                                              .kind = kind_words[kind],
                                              .longest_ns = -1,
                                              .above = above,
                                              .trace = (uint32_t)rows->trace});
        *known = (uint32_t)(rows->nodes.count - self->first);
    }
    *place = self->first + *known - 1;
}

static int find_named(struct reading *self, size_t above, int64_t name, enum kind kind,
                      size_t *place)
{
    uint32_t text = 0;
    int result = call_tree_text_of(self, name, &text);
    if (result == SQLITE_OK)
        find_node(self, above, text, name, kind, place);
    return result;
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

enum { EVENT_UP, EVENT_BELOW, EVENT_NAME, EVENT_DURATION, EVENT_CATEGORY, EVENT_COLUMNS };

static struct open open_of(int64_t id, const int64_t event[EVENT_COLUMNS])
{
    return (struct open){.id = id,
                         .last = number_sum(id, event[EVENT_BELOW]),
                         .name = event[EVENT_NAME],
                         .duration = event[EVENT_DURATION],
                         .category = event[EVENT_CATEGORY]};
}

static void close_before(struct reading *self, int64_t id)
{
    while (self->opened.count && self->opened.items[self->opened.count - 1].last < id)
        self->opened.count--;
}

/* Opens what is around the first event of a range, up to what is open already. */
static int climb(struct reading *self, int64_t id, int64_t up)
{
    close_before(self, id);
    int64_t known = self->opened.count ? self->opened.items[self->opened.count - 1].id : 0;
    self->chain.count = 0;
    while (up > 0 && up < id && id - up > known) {
        int64_t event[EVENT_COLUMNS];
        id -= up;
        ASK_AGAIN(&self->event, self->wish->db,
                  "SELECT up, below, name_id, dur_ns, category_id FROM event WHERE id = ?1", id);
        if (!ASKED_ROW(&self->event, &event[EVENT_UP], &event[EVENT_BELOW], &event[EVENT_NAME],
                       &event[EVENT_DURATION], &event[EVENT_CATEGORY])) {
            int result = asked_code(&self->event);
            return result == SQLITE_OK ? SQLITE_CORRUPT : result;
        }
        array_add(&self->chain, open_of(id, event));
        up = event[EVENT_UP];
    }
    while (self->chain.count)
        array_add(&self->opened, self->chain.items[--self->chain.count]);
    return SQLITE_OK;
}

/* True if the event around work is a node of its own; `*kind` is that node's kind. */
static bool counts(const struct reading *self, const struct open *open, enum kind *kind)
{
    uint32_t role = map_get(&self->roles, open->category, 0);
    bool is_frame = role == ROLE_FRAME, is_op = role == ROLE_OP;
    bool is_module = is_frame && map_get(&self->is_module, open->name, 0);
    *kind = is_op ? KIND_OP : is_module ? KIND_MODULE : KIND_FRAME;
    switch (self->mode) {
    case MODE_STACK:
        return is_frame || is_op;
    case MODE_MODULE:
        return is_op ? !open->has_op : is_module;
    case MODE_OP:
    case MODE_PHASE:
        return is_op;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ what paths begin with */

/* A GPU activity of XLA begins with its program, the place in the source and the instruction. */
static int begin_with_program(struct reading *self, int64_t id)
{
    const char *parts[3];
    self->base = NOWHERE;
    ASK_AGAIN(&self->instruction, self->wish->db,
              "SELECT hlo_module.name, coalesce(source_file || coalesce(':' || source_line, ''), "
              "op_name), hlo_instruction.name FROM xla_event JOIN hlo_instruction "
              "ON hlo_instruction.id = instruction_id JOIN hlo_module ON hlo_module.id = module_id "
              "WHERE xla_event.id = ?1",
              id);
    if (ASKED_ROW(&self->instruction, OR_NULL(&parts[0]), OR_NULL(&parts[1]), OR_NULL(&parts[2])))
        for (int i = 0; i < 3; i++)
            if (parts[i]) {
                uint32_t number = intern_add(&self->rows->texts, parts[i], strlen(parts[i]) + 1);
                find_node(self, self->base, number, 0, KIND_PART, &self->base);
            }
    return asked_code(&self->instruction);
}

static void begin_with_phase(struct reading *self, int64_t launcher)
{
    uint32_t phase = map_get(&self->phases, launcher, 0);
    size_t base = NOWHERE;
    if (phase)
        find_node(self, NOWHERE, phase, 0, KIND_PART, &base);
    for (size_t i = 0; i < self->opened.count && base != self->base; i++)
        self->opened.items[i].is_placed = false; /* other nodes stand for it */
    self->base = base;
}

/* ------------------------------------------------------------------ work */

static int call_tree_add_work(struct reading *self, const struct work *work, const int64_t *event)
{
    int result = SQLITE_OK;
    if (self->mode == MODE_PROGRAM) {
        result = begin_with_program(self, work->id);
        self->opened.count = 0;
    } else if (self->mode == MODE_PHASE)
        begin_with_phase(self, work->launcher);
    if (result == SQLITE_OK) {
        /* Finds the nodes of what is open and has none. */
        size_t at = self->opened.count;
        while (at && !self->opened.items[at - 1].is_placed)
            at--;
        for (; at < self->opened.count && result == SQLITE_OK; at++) {
            struct open *open = &self->opened.items[at];
            const struct open *around = at ? open - 1 : NULL;
            enum kind kind;
            open->node = around ? around->node : self->base;
            open->has_op = around && around->has_op;
            open->is_placed = true;
            if (!counts(self, open, &kind))
                continue;
            open->has_op = kind == KIND_OP;
            result = find_named(self, open->node, open->name, kind, &open->node);
            if (result == SQLITE_OK)
                add_time(&self->rows->nodes.items[open->node], open->id, open->duration, true);
        }
    }
    if (result != SQLITE_OK)
        return result;
    size_t count = self->opened.count, place;
    size_t around = count ? self->opened.items[count - 1].node : self->base;
    enum kind kind = event[EVENT_CATEGORY] == self->kernels ? KIND_WORK : KIND_COPY;
    result = find_named(self, around, event[EVENT_NAME], kind, &place);
    if (result != SQLITE_OK)
        return result;
    struct node *node = &self->rows->nodes.items[place];
    add_time(node, work->id, event[EVENT_DURATION], false);
    node->calls++;
    return SQLITE_OK;
}

static int take_event(void *reading, int64_t id, const int64_t *event)
{
    struct reading *self = reading;
    int result = self->is_first ? climb(self, id, event[EVENT_UP]) : SQLITE_OK;
    self->is_first = false;
    close_before(self, id);
    while (self->next < self->works.count && self->works.items[self->next].id < id)
        self->next++;
    const struct work *work = &self->works.items[self->next];
    if (result == SQLITE_OK && self->next < self->works.count && work->id == id)
        result = call_tree_add_work(self, work, event);
    if (result == SQLITE_OK && event[EVENT_BELOW] > 0)
        array_add(&self->opened, open_of(id, event));
    return result;
}

static int take_work(void *reading, int64_t id, const int64_t *launcher)
{
    struct reading *self = reading;
    array_add(&self->works, (struct work){id, *launcher});
    return SQLITE_OK;
}

static int read_range(struct reading *self, int64_t first, int64_t last)
{
    static const char *const launcher[] = {"launcher_id"};
    static const char *const of_event[] = {"up", "below", "name_id", "dur_ns", "category_id"};
    struct rows_wish works = {
        .table = "gpu_event", .columns = launcher, .count = 1, .first = first, .last = last};
    struct rows_wish events = works;
    events.table = "event";
    events.columns = of_event;
    events.count = EVENT_COLUMNS;
    self->works.count = self->next = 0;
    self->is_first = true;
    sqlite3 *db = self->wish->db;
    int result = rows_each_number(db, self->wish->context, &works, take_work, self);
    if (result != SQLITE_OK || !self->works.count)
        return result;
    return rows_each_number(db, self->wish->context, &events, take_event, self);
}

/* ------------------------------------------------------------------ order */

struct place_of_node {
    size_t place, above;
    int64_t gpu_ns;
};

ORDER_BY(compare_places, struct place_of_node,
         BY_LESS(a->above + 1, b->above + 1) || DOWN(gpu_ns) || UP(place));

/* Preorder: children of a node stand together once sorted; each is numbered behind all that is
 * below its elder sisters. */
static void put_in_preorder(struct tree_rows *rows, size_t first)
{
    size_t count = rows->nodes.count - first;
    struct node *nodes = rows->nodes.items, *sorted = memory_list(count + 1, sizeof *sorted);
    struct place_of_node *places = memory_list(count + 1, sizeof *places);
    size_t *below = memory_zeroed(count + 1, sizeof *below),
           *next = memory_zeroed(count + 1, sizeof *next);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place_of_node){i, nodes[first + i].above, nodes[first + i].gpu_ns};
    for (size_t i = count; i-- > 0;) {
        below[i]++;
        if (nodes[first + i].above != NOWHERE)
            below[nodes[first + i].above - first] += below[i];
    }
    if (count)
        qsort(places, count, sizeof *places, compare_places);
    /* Parents are numbered before their children, as their places are lower. */
    int64_t roots = 1;
    for (size_t i = 0; i < count; i++) {
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
    for (size_t i = 0; i < count; i++)
        sorted[nodes[first + i].number - 1] = nodes[first + i];
    if (count)
        memcpy(nodes + first, sorted, count * sizeof *nodes);
    memory_free(sorted);
    memory_free(places);
    memory_free(below);
    memory_free(next);
}

/* ------------------------------------------------------------------ reading */

static int call_tree_read_trace(struct reading *self, int64_t trace)
{
    struct tree_rows *rows = self->rows;
    self->first = rows->nodes.count;
    self->base = NOWHERE;
    self->opened.count = 0;
    map_free(&self->known);
    struct asked asked;
    int64_t first_event, last_event;
    int result = SQLITE_OK;
    ASK(&asked, self->wish->db,
        "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 ORDER BY first_event",
        trace);
    while (result == SQLITE_OK && ASKED_ROW(&asked, &first_event, &last_event))
        result = read_range(self, first_event, last_event);
    int end = asked_end(&asked);
    result = result == SQLITE_OK ? end : result;
    if (result != SQLITE_OK)
        return result;

    /* Parents stand before their children, so sums go up in one pass. */
    struct node *nodes = rows->nodes.items;
    size_t first = self->first;
    size_t count = rows->nodes.count;
    for (size_t i = first; i < count; i++)
        nodes[i].gpu_ns = nodes[i].own_ns;
    for (size_t i = count; i-- > first;) {
        if (nodes[i].above == NOWHERE)
            continue;
        struct node *above = &nodes[nodes[i].above];
        above->gpu_ns += nodes[i].gpu_ns;
        above->calls += nodes[i].calls;
    }
    put_in_preorder(rows, self->first);
    return SQLITE_OK;
}

/* Reads roles of categories, names of modules, and phases of launchers. */
static int read_roles(struct reading *self)
{
    sqlite3 *db = self->wish->db;
    struct asked asked;
    int64_t id;
    bool is_frame;
    const char *phase;
    int result =
        database_ask(db, "SELECT id FROM category WHERE name = 'kernel'", 0, &self->kernels);
    if (result != SQLITE_OK)
        return result;
    asked_open(&asked, db, "SELECT id, role = 'frame' FROM category WHERE role IN ('frame', 'op')");
    while (ASKED_ROW(&asked, &id, &is_frame))
        map_set(&self->roles, id, 0, is_frame ? ROLE_FRAME : ROLE_OP);
    if ((result = asked_end(&asked)) != SQLITE_OK)
        return result;
    asked_open(&asked, db,
               "SELECT id FROM string WHERE text >= 'nn.Module: ' AND text < 'nn.Module:!'");
    while (ASKED_ROW(&asked, &id))
        map_set(&self->is_module, id, 0, 1);
    if ((result = asked_end(&asked)) != SQLITE_OK || self->mode != MODE_PHASE)
        return result;
    asked_open(&asked, db, "SELECT launcher_id, phase FROM launcher_phase WHERE phase IS NOT NULL");
    while (ASKED_ROW(&asked, &id, &phase))
        map_set(&self->phases, id, 0, intern_add(&self->rows->texts, phase, strlen(phase) + 1));
    return asked_end(&asked);
}

static int call_tree_read_rows(void *rows, const struct table_wish *wish, struct error *error)
{
    struct reading self = {.wish = wish, .rows = rows, .error = error};
    int result = find_mode(&self) ? read_roles(&self) : SQLITE_ERROR;
    if (result == SQLITE_OK)
        result = ranges_traces(wish, &self.rows->traces);
    size_t *trace = &self.rows->trace;
    for (; result == SQLITE_OK && *trace < self.rows->traces.count; ++*trace)
        result = call_tree_read_trace(&self, self.rows->traces.items[*trace].id);
    map_free(&self.known);
    map_free(&self.roles);
    map_free(&self.is_module);
    map_free(&self.texts);
    map_free(&self.phases);
    arrays_free(&self.opened, &self.chain, &self.works);
    asked_end(&self.event);
    database_finalize(self.string);
    asked_end(&self.instruction);
    return result;
}

/* ------------------------------------------------------------------ the table */

enum { PART_NODE, PART_TRACE };

#define OF_NODE(kind, member) TABLE_AT(kind, PART_NODE, struct node, member)

static const struct table_column columns[] = {
    RANGES_TRACE(PART_TRACE, 0, TABLE_TRACE),
    {"node",
     "number of the node in its trace, from 1: parents before children, the "
     "heaviest first",
     OF_NODE(INT64, number)},
    {"parent", "number of the node above; NULL for the outermost", OF_NODE(ID, parent)},
    {"depth", "number of nodes above the node", OF_NODE(INT64, depth)},
    {"name_id", "id of the name of the node; NULL for a name that is no text of the warehouse",
     OF_NODE(ID, name_id)},
    {"name", "name of the node", OF_NODE(TEXT, name)},
    {"kind",
     "kind of the node: frame, module, op, part (a phase, or a part of an XLA program), kernel or "
     "copy (memcpy and other GPU activities)",
     OF_NODE(TEXT, kind)},
    {"gpu_ns", "sum of the durations of GPU activities of the node and below",
     OF_NODE(INT64, gpu_ns)},
    {"own_gpu_ns", "sum of the durations of GPU activities of the node itself",
     OF_NODE(INT64, own_ns)},
    {"host_ns", "sum of the host durations of the calls that launched GPU activities",
     OF_NODE(INT64, host_ns)},
    {"calls", "number of GPU activities", OF_NODE(INT64, calls)},
    {"longest_id", "id of the longest event of the node", OF_NODE(ID, longest_id)},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct tree_rows),
                                             .read = call_tree_read_rows};

static const struct table table = {
    TABLE_ROWS(columns, 1e5, 1e4, reading, struct tree_rows, nodes),
    TABLE_OWNER(PART_TRACE, struct tree_rows, traces, struct node, trace),
};

const struct function call_tree_functions[] = {
    TABLE("call_tree", table,
          "A table: accelerator time by call path, a row a node, in preorder. The option call_tree "
          "says what paths are made of: stack (frames and ops), op, module, phase or program."),
    {0},
};
