/* rocpd_names: what ids of rows name: texts, processes, threads, agents, kernels, events; and where
 * rows are: threads and streams, by what the row says or its track does. */
#include "ingest/input/json_text.h"
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/amd.h"
#include "src/base/hash.h"

/* ------------------------------------------------------------------ rows by their ids */

static int64_t id_of(const void *items, size_t size, size_t index)
{
    int64_t id;
    memcpy(&id, (const char *)items + index * size, sizeof id);
    return id;
}

static int compare_ids(const void *left, const void *right)
{
    int64_t a = id_of(left, 0, 0), b = id_of(right, 0, 0);
    return (a > b) - (a < b);
}

void rocpd_sort(void *items, size_t count, size_t size)
{
    array_put_in_order(items, count, size, compare_ids);
}

/* Mostly ids follow each other. */
const void *rocpd_find(const void *items, size_t count, size_t size, int64_t id)
{
    if (!count || id == NONE)
        return NULL;
    uint64_t guess = (uint64_t)id - (uint64_t)id_of(items, size, 0);
    size_t place = guess < count ? (size_t)guess : 0;
    if (id_of(items, size, place) != id)
        ARRAY_LOWER_BOUND(place, count, id_of(items, size, place) < id);
    return place < count && id_of(items, size, place) == id ? (const char *)items + place * size
                                                            : NULL;
}

/* ------------------------------------------------------------------ texts */

void rocpd_word(struct rocpd *self, struct draft *draft, uint32_t word, uint32_t *number)
{
    *number = 0;
    if (word)
        draft_keep(draft, intern_view(&self->words, word), number);
}

bool rocpd_string_of(struct rocpd *self, struct draft *draft, int64_t id, enum rocpd_text kind,
                     uint32_t *number)
{
    uint32_t *known = map_put(&draft->texts, id, kind);
    *number = 0;
    if (!*known) {
        uint32_t kept = 0;
        if (kind == ROCPD_TEXT_SYMBOL) {
            const struct rocpd_symbol *symbol = ROCPD_FIND(self->part.symbols, id);
            rocpd_word(self, draft, symbol ? symbol->name : 0, &kept);
        } else {
            /* A text of the tables, as it is to be called. */
            enum value_kind found;
            struct view text;
            if (!texts_find(self->part.strings, id, &found, &text, self->desk.error))
                return false;
            const char *copy =
                kind == ROCPD_TEXT_COPY && found == VALUE_FINE ? amd_copy_name(text) : NULL;
            if (found == VALUE_FINE)
                draft_keep(draft, copy ? view_of(copy) : text, &kept);
        }
        *known = kept + 1; /* 1 = there is none */
    }
    *number = *known - 1;
    if (!*number)
        draft_note(draft, NOTE_STRING_MISSING);
    return true;
}

bool rocpd_string(struct rocpd *self, struct draft *draft, struct rows_of *rows, size_t column,
                  enum rocpd_text kind, uint32_t *number)
{
    int64_t id;
    enum value_kind found = rows_integer(rows, column, &id);
    *number = 0;
    if (found == VALUE_ODD)
        draft_note(draft, NOTE_VALUE_ODD);
    return found != VALUE_FINE || rocpd_string_of(self, draft, id, kind, number);
}

bool rocpd_name(struct rocpd *self, struct draft *draft, struct rows_of *rows, size_t column,
                enum rocpd_text kind, uint32_t *number)
{
    if (!rocpd_string(self, draft, rows, column, kind, number))
        return false;
    if (!*number)
        draft_keep(draft, VIEW(""), number);
    return true;
}

/* ------------------------------------------------------------------ what stands in objects */

/* The value of a member as JSON, in self->extra; empty when there is none. */
static void find_member(struct rocpd *self, struct view object, const char *key, struct view *value)
{
    struct json_repairs ignored = {0};
    *value = (struct view){"", 0};
    if (object.length <= 2)
        return;
    text_clear(&self->extra);
    enum json_canon made = json_canonical(object, &self->extra, &ignored);
    if (made == JSON_CANON_DONE && self->extra.count && self->extra.items[0] == '{')
        *value = json_member(text_view(&self->extra), key);
}

void rocpd_member(struct rocpd *self, struct view object, const char *key, struct text *out)
{
    struct json_repairs ignored = {0};
    struct view value;
    text_clear(out);
    find_member(self, object, key, &value);
    if (value.length < 2 || value.bytes[0] != '"')
        return;
    json_unescape((struct view){value.bytes + 1, value.length - 2}, out, &ignored);
}

/* ------------------------------------------------------------------ processes, threads, streams */

static int64_t integer(struct rows_of *rows, size_t column)
{
    int64_t value;
    return rows_integer(rows, column, &value) == VALUE_FINE ? value : NONE;
}

bool rocpd_read_word(struct rocpd *self, struct rows_of *rows, size_t column, uint32_t *word)
{
    struct view text;
    *word = 0;
    if (rows_text(rows, column, &text) != VALUE_FINE || !text.length)
        return true;
    *word = rocpd_keep(self, text);
    return *word;
}

static bool read_process(struct rocpd *self, struct rows_of *rows)
{
    struct rocpd_named *added = array_push(&self->part.processes);
    struct draft *draft = rocpd_draft(self, rows, 2);
    *added = (struct rocpd_named){.id = integer(rows, 0), .number = integer(rows, 1)};
    if (draft->pid == NONE)
        draft->pid = added->number;
    return true;
}

static bool read_thread(struct rocpd *self, struct rows_of *rows)
{
    struct rocpd_named *added = array_push(&self->part.threads);
    *added = (struct rocpd_named){.id = integer(rows, 0), .number = integer(rows, 1)};
    return rocpd_read_word(self, rows, 2, &added->name);
}

static bool read_stream(struct rocpd *self, struct rows_of *rows)
{
    struct rocpd_named *added = array_push(&self->part.streams);
    *added = (struct rocpd_named){.id = integer(rows, 0)};
    return rocpd_read_word(self, rows, 1, &added->name);
}

static bool read_track(struct rocpd *self, struct rows_of *rows)
{
    struct rocpd_track *added = array_push(&self->part.tracks);
    *added = (struct rocpd_track){
        .id = integer(rows, 0),
        .process = integer(rows, 1),
        .thread = integer(rows, 2),
        .agent = integer(rows, 3),
        .queue = integer(rows, 4),
        .stream = integer(rows, 5),
        .name = integer(rows, 6),
    };
    return true;
}

/* The host, as a number: files of one have one clock. */
static bool read_node(struct rocpd *self, struct rows_of *rows)
{
    struct view machine, system;
    struct text *out = &self->metadata;
    bool is_named = rows_text(rows, 0, &machine) == VALUE_FINE && machine.length;
    if (is_named)
        text_format(out, "%c\"host\":\"%016llx\"", out->count ? ',' : '{',
                    (unsigned long long)hash64(machine.bytes, machine.length, 0));
    bool is_known = rows_text(rows, 1, &system) == VALUE_FINE && system.length < 100;
    if (is_known) {
        text_format(out, "%c\"system\":", out->count ? ',' : '{');
        text_add_json(out, system);
    }
    return true;
}

/* ------------------------------------------------------------------ agents */

enum {
    AGENT_ID,
    AGENT_TYPE,
    AGENT_ABSOLUTE,
    AGENT_LOGICAL,
    AGENT_INDEX,
    AGENT_NAME,
    AGENT_PRODUCT,
    AGENT_MODEL,
    AGENT_EXTRA,
    AGENT_GUID,
    AGENT_COUNT
};
static const char *const agent_columns[AGENT_COUNT] = {
    "id",   "type",         "absolute_index", "logical_index", "type_index",
    "name", "product_name", "model_name",     "extdata",       "guid"};

/* Keeps properties of an accelerator, sorted. */
static bool make_properties(struct rocpd *self, struct rows_of *rows, struct rocpd_agent *agent)
{
    static const struct {
        const char *key;
        int column; /* -1 = stands in the object */
        bool is_text;
    } members[] = {
        {"absolute_index", AGENT_ABSOLUTE, false},
        {"agent", AGENT_ID, false},
        {"cu_count", -1, false},
        {"gfx_target_version", -1, false},
        {"logical_index", AGENT_LOGICAL, false},
        {"model_name", AGENT_MODEL, true},
        {"name", AGENT_NAME, true},
        {"product_name", AGENT_PRODUCT, true},
        {"simd_count", -1, false},
        {"type_index", AGENT_INDEX, false},
    };
    struct view extra, text;
    rows_text(rows, AGENT_EXTRA, &extra);
    text_clear(&self->desk.json);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        int64_t value = members[i].column < 0 ? NONE : integer(rows, (size_t)members[i].column);
        if (members[i].column < 0) {
            find_member(self, extra, members[i].key, &text);
            if (!text.length || !json_integer(text, &value))
                value = NONE;
        }
        if (strcmp(members[i].key, "cu_count") == 0)
            agent->cores = value;
        if (!members[i].is_text)
            desk_member(&self->desk, members[i].key, value);
        else if (rows_text(rows, (size_t)members[i].column, &text) == VALUE_FINE && text.length)
            desk_member_text(&self->desk, members[i].key, text);
    }
    text_add_string(&self->desk.json, self->desk.json.count ? "}" : "{}");
    agent->properties = rocpd_keep(self, text_view(&self->desk.json));
    text_clear(&self->desk.json);
    return agent->properties;
}

static bool read_agent(struct rocpd *self, struct rows_of *rows)
{
    static const int indexes[] = {AGENT_INDEX, AGENT_LOGICAL, AGENT_ABSOLUTE, AGENT_ID};
    struct view type;
    struct rocpd_agent agent = {.id = integer(rows, AGENT_ID), .ordinal = NONE};
    struct draft *draft = rocpd_draft(self, rows, AGENT_GUID);
    rows_text(rows, AGENT_TYPE, &type);
    agent.is_gpu = view_equal_ignoring_case(type, VIEW("GPU"));
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes && agent.ordinal == NONE; i++)
        agent.ordinal = integer(rows, (size_t)indexes[i]);
    if (agent.ordinal < 0 || agent.ordinal > INT32_MAX)
        agent.ordinal = -1;
    if (!rocpd_read_word(self, rows, AGENT_PRODUCT, &agent.name) ||
        (!agent.name && !rocpd_read_word(self, rows, AGENT_MODEL, &agent.name)) ||
        !rocpd_read_word(self, rows, AGENT_NAME, &agent.architecture) ||
        !make_properties(self, rows, &agent))
        return false;

    /* Agents by kind: copies name agents that are no accelerators, too. */
    struct text *out = &self->agents;
    text_format(out, "%c\"%lld\":", out->count ? ',' : '{', (long long)agent.id);
    text_add_json(out, type);
    if (!agent.name)
        agent.name = agent.architecture;
    if (agent.is_gpu) {
        struct device *device = array_push(&draft->trace.devices);
        *device = (struct device){.ordinal = agent.ordinal, .memory_bytes = NONE};
        device->cores = agent.cores;
        rocpd_word(self, draft, agent.name, &device->name);
        rocpd_word(self, draft, agent.architecture, &device->architecture);
        rocpd_word(self, draft, agent.properties, &device->properties);
    }
    struct rocpd_agent *added = array_push(&self->part.agents);
    *added = agent;
    return true;
}

/* ------------------------------------------------------------------ kernels */

enum {
    SYMBOL_ID,
    SYMBOL_SHOWN,
    SYMBOL_RAW,
    SYMBOL_VGPRS,
    SYMBOL_ACCUMULATORS,
    SYMBOL_SGPRS,
    SYMBOL_EXTRA,
    SYMBOL_COUNT
};
static const char *const symbol_columns[SYMBOL_COUNT] = {
    "id",         "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count",
    "sgpr_count", "extdata"};

static bool read_symbol(struct rocpd *self, struct rows_of *rows)
{
    struct rocpd_symbol *added = array_push(&self->part.symbols);
    *added = (struct rocpd_symbol){
        .id = integer(rows, SYMBOL_ID),
        .vgprs = integer(rows, SYMBOL_VGPRS),
        .accumulators = integer(rows, SYMBOL_ACCUMULATORS),
        .sgprs = integer(rows, SYMBOL_SGPRS),
    };

    /* As it is shown, else as its source has it, else as its code object does. */
    uint32_t *name = &added->name;
    struct view extra, raw;
    if (!rocpd_read_word(self, rows, SYMBOL_SHOWN, name) || *name)
        return *name;
    rows_text(rows, SYMBOL_EXTRA, &extra);
    rocpd_member(self, extra, "demangled_kernel_name", &self->desk.scratch);
    if (self->desk.scratch.count) {
        *name = rocpd_keep(self, text_view(&self->desk.scratch));
        return *name;
    }
    if (rows_text(rows, SYMBOL_RAW, &raw) != VALUE_FINE || !raw.length)
        return true;
    if (raw.length > 3 && memcmp(raw.bytes + raw.length - 3, ".kd", 3) == 0)
        raw.length -= 3;
    *name = rocpd_keep(self, raw);
    return *name;
}

/* ------------------------------------------------------------------ events */

enum { EVENT_ID, EVENT_CATEGORY, EVENT_STACK, EVENT_EXTERNAL, EVENT_COUNT };
static const char *const event_columns[EVENT_COUNT] = {"id", "category_id", "stack_id",
                                                       "correlation_id"};

/* Calls and marks of programs have categories of their own; all others are some library's. */
static enum category category_of(struct view text)
{
    int category = amd_category(text);
    return category == CATEGORY_RUNTIME || category == CATEGORY_DRIVER || category == CATEGORY_MARK
               ? (enum category)category
               : CATEGORY_LIBRARY_CALL;
}

/* The domain of a category, index + 1; 0 = none. */
static bool domain_of(struct rocpd *self, int64_t id, uint32_t *number)
{
    *number = 0;
    if (id == NONE)
        return true;
    if (self->part.last_domain && self->part.last_category == id) {
        *number = self->part.last_domain;
        return true;
    }
    uint32_t *known = map_put(&self->part.domain_numbers, id, 0);
    if (!*known) {
        enum value_kind found;
        struct view text;
        if (!texts_find(self->categories ? self->categories : self->part.strings, id, &found, &text,
                        self->desk.error))
            return false;
        array_add(&self->part.domains, (struct rocpd_domain){.text = rocpd_keep(self, text),
                                                             .category = category_of(text)});
        *known = (uint32_t)self->part.domains.count;
    }
    *number = self->part.last_domain = *known;
    self->part.last_category = id;
    return true;
}

static bool read_event(struct rocpd *self, struct rows_of *rows)
{
    uint32_t domain;
    if (!domain_of(self, integer(rows, EVENT_CATEGORY), &domain))
        return false;
    struct rocpd_event *added = array_push(&self->part.events);
    int64_t stack = integer(rows, EVENT_STACK), external = integer(rows, EVENT_EXTERNAL);
    *added = (struct rocpd_event){
        .id = integer(rows, EVENT_ID),
        .stack = stack > 0 && !(stack >> DRAFT_ID_BITS) ? stack : NONE,
        .external = external ? external : NONE,
        .domain = domain,
    };
    return true;
}

const struct rocpd_event *rocpd_event(const struct rocpd *self, struct rows_of *rows, size_t column)
{
    return ROCPD_FIND(self->part.events, integer(rows, column));
}

/* ------------------------------------------------------------------ all of them */

bool rocpd_read_names(struct rocpd *self)
{
    static const char *const process_columns[] = {"id", "pid", "guid"};
    static const char *const thread_columns[] = {"id", "tid", "name"};
    static const char *const stream_columns[] = {"id", "name"};
    static const char *const track_columns[] = {"id",       "pid",       "tid",    "agent_id",
                                                "queue_id", "stream_id", "name_id"};
    static const char *const node_columns[] = {"machine_id", "system_name"};
    static const struct rocpd_table tables[] = {
        {"rocpd_info_node", ROCPD_COLUMNS(node_columns), 0, read_node, false},
        {"rocpd_info_process", ROCPD_COLUMNS(process_columns), 1, read_process, false},
        {"rocpd_info_thread", ROCPD_COLUMNS(thread_columns), 1, read_thread, false},
        {"rocpd_info_stream", ROCPD_COLUMNS(stream_columns), 1, read_stream, false},
        {"rocpd_info_agent", agent_columns, AGENT_COUNT, 1, read_agent, false},
        {"rocpd_info_kernel_symbol", symbol_columns, SYMBOL_COUNT, 1, read_symbol, false},
        {"rocpd_track", ROCPD_COLUMNS(track_columns), 1, read_track, false},
        {0},
    };
    struct rocpd_part *part = &self->part;
    if (!rocpd_read_tables(self, tables))
        return false;

    /* Names of categories stand among all texts, or in a table of their own. */
    static const struct rocpd_table table = {"rocpd_event",  event_columns, EVENT_COUNT,
                                             1u << EVENT_ID, read_event,    false};
    text_clear(&self->name);
    text_format(&self->name, "rocpd_info_category%s", self->part.ending);
    if (database_has(self->database, self->name.items) &&
        !(self->categories =
              database_texts(self->database, self->name.items, "id", "name", self->desk.error)))
        return false;
    bool done = rocpd_read_table(self, &table);
    database_texts_close(self->categories);
    self->categories = NULL;
    if (!done)
        return false;
    ROCPD_SORT(part->processes);
    ROCPD_SORT(part->threads);
    ROCPD_SORT(part->streams);
    ROCPD_SORT(part->agents);
    ROCPD_SORT(part->symbols);
    ROCPD_SORT(part->tracks);
    ROCPD_SORT(part->events);
    return true;
}

/* ------------------------------------------------------------------ places */

struct rocpd_place rocpd_place(const struct rocpd *self, struct draft *draft, struct rows_of *rows)
{
    struct rocpd_place place = {
        .process = draft_integer(draft, rows, ROCPD_PROCESS),
        .thread = draft_integer(draft, rows, ROCPD_THREAD),
        .agent = draft_integer(draft, rows, ROCPD_AGENT),
        .queue = draft_integer(draft, rows, ROCPD_QUEUE),
        .stream = draft_integer(draft, rows, ROCPD_STREAM),
        .name = NONE,
    };
    if (!rows_have(rows, ROCPD_TRACK))
        return place;
    int64_t id = draft_integer(draft, rows, ROCPD_TRACK);
    const struct rocpd_track *track = ROCPD_FIND(self->part.tracks, id);
    if (!track)
        return place;
    place.process = place.process == NONE ? track->process : place.process;
    place.thread = place.thread == NONE ? track->thread : place.thread;
    place.agent = place.agent == NONE ? track->agent : place.agent;
    place.queue = place.queue == NONE ? track->queue : place.queue;
    place.stream = place.stream == NONE ? track->stream : place.stream;
    place.name = track->name;
    return place;
}

int64_t rocpd_device(const struct rocpd *self, int64_t agent)
{
    const struct rocpd_agent *found = ROCPD_FIND(self->part.agents, agent);
    return found && found->is_gpu ? found->ordinal : -1;
}

static void label(struct rocpd *self, struct draft *draft, uint32_t place, uint32_t word)
{
    struct place at = trace_place(&draft->trace, place);
    struct label made = {at.process, at.thread, LABEL_THREAD_NAME, 0};
    if (!word)
        return;
    rocpd_word(self, draft, word, &made.text);
    array_add(&draft->trace.labels, made);
}

static bool is_last(const struct draft *draft, int64_t first, int64_t second)
{
    return draft->last_place.place && draft->last_place.first == first &&
           draft->last_place.second == second;
}

/* The place by its ids; where it is new, it gets its name. */
static uint32_t find_place(struct rocpd *self, struct draft *draft, const int64_t ids[2],
                           int64_t process, int64_t thread, uint32_t word)
{
    bool is_new = !map_get(&draft->places, ids[0], ids[1]);
    uint32_t place = draft_place(draft, ids[0], ids[1], process, thread);
    if (place && is_new)
        label(self, draft, place, word);
    return place;
}

uint32_t rocpd_thread(struct rocpd *self, struct draft *draft, int64_t process, int64_t thread)
{
    if (is_last(draft, process, thread))
        return draft->last_place.place;
    const struct rocpd_named *of = ROCPD_FIND(self->part.processes, process);
    const struct rocpd_named *named = ROCPD_FIND(self->part.threads, thread);
    int64_t pid = of && of->number != NONE ? of->number : process;
    int64_t tid = named && named->number != NONE ? named->number : thread;
    return find_place(self, draft, (int64_t[]){process, thread}, pid == NONE ? draft->pid : pid,
                      tid, named ? named->name : 0);
}

/* Streams have numbers far from any process number. */
uint32_t rocpd_stream(struct rocpd *self, struct draft *draft, int64_t device, int64_t stream)
{
    int64_t key = NONE + 2 + device;
    if (is_last(draft, key, stream))
        return draft->last_place.place;
    const struct rocpd_named *named = ROCPD_FIND(self->part.streams, stream);
    return find_place(self, draft, (int64_t[]){key, stream}, device < 0 ? NONE : device, stream,
                      named ? named->name : 0);
}
