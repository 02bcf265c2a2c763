/* rocpd_names: what ids of rows name: texts, processes, threads, agents, kernels, events; what all
 * rows of slices say, or their tracks do; and where these are: threads and streams. */
#include "ingest/input/json_text.h"
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/amd.h"
#include "src/base/hash.h"

uint32_t rocpd_keep(struct rocpd *self, struct view text)
{
    return intern_add(&self->words, text.bytes, text.length);
}

/* ------------------------------------------------------------------ processes */

struct rocpd_process *rocpd_process(struct rocpd *self, struct view guid)
{
    uint32_t word = rocpd_keep(self, guid);
    for (size_t i = 0; i < self->processes.count; i++)
        if (self->processes.items[i].guid == word)
            return &self->processes.items[i];
    struct draft *draft = desk_add_draft(&self->desk);
    array_add(&self->processes, (struct rocpd_process){.guid = word, .draft = draft});
    return &self->processes.items[self->processes.count - 1];
}

struct draft *rocpd_draft(struct rocpd *self, struct rows_of *rows, size_t guid)
{
    struct view text;
    if (self->part.draft)
        return self->part.draft;
    rows_text(rows, guid, &text);
    return rocpd_process(self, text)->draft;
}

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

const void *rocpd_find(const void *items, size_t count, size_t size, int64_t id)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, count, id_of(items, size, place) < id);
    bool is_there = id != NONE && place < count && id_of(items, size, place) == id;
    return is_there ? (const char *)items + place * size : NULL;
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

uint32_t rocpd_read_word(struct rocpd *self, struct rows_of *rows, size_t column)
{
    struct view text;
    bool has_text = rows_text(rows, column, &text) == VALUE_FINE && text.length;
    return has_text ? rocpd_keep(self, text) : 0;
}

static bool read_process(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    struct draft *draft = rocpd_draft(self, rows, 2);
    array_add(&self->part.processes, (struct rocpd_named){values[0], values[1], 0});
    if (draft->pid == NONE)
        draft->pid = values[1];
    return true;
}

static bool read_thread(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    array_add(&self->part.threads,
              (struct rocpd_named){values[0], values[1], rocpd_read_word(self, rows, 2)});
    return true;
}

static bool read_stream(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    array_add(&self->part.streams,
              (struct rocpd_named){values[0], 0, rocpd_read_word(self, rows, 1)});
    return true;
}

static bool read_track(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    (void)rows;
    array_add(&self->part.tracks, (struct rocpd_track){values[0], values[1], values[2], values[3],
                                                       values[4], values[5], values[6]});
    return true;
}

/* The host, as a number: files of one have one clock. */
static bool read_node(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    struct view machine, system;
    struct text *out = &self->desk.metadata;
    (void)values;
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

/* Columns of agents: first what they say of an accelerator, in the order of its keys. */
enum {
    AGENT_ABSOLUTE,
    AGENT_ID,
    AGENT_LOGICAL,
    AGENT_MODEL,
    AGENT_NAME,
    AGENT_PRODUCT,
    AGENT_INDEX,
    AGENT_TYPE,
    AGENT_EXTRA,
    AGENT_GUID
};

/* Keeps properties of an accelerator, sorted. */
static void make_properties(struct rocpd *self, struct rows_of *rows, const int64_t *values,
                            struct rocpd_agent *agent)
{
    static const struct {
        const char *key;
        int column; /* -1 = stands in the object */
    } members[] = {
        {"absolute_index", AGENT_ABSOLUTE},
        {"agent", AGENT_ID},
        {"cu_count", -1},
        {"gfx_target_version", -1},
        {"logical_index", AGENT_LOGICAL},
        {"model_name", AGENT_MODEL},
        {"name", AGENT_NAME},
        {"product_name", AGENT_PRODUCT},
        {"simd_count", -1},
        {"type_index", AGENT_INDEX},
    };
    struct view extra, text;
    rows_text(rows, AGENT_EXTRA, &extra);
    text_clear(&self->desk.json);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        int column = members[i].column;
        bool is_text = column >= AGENT_MODEL && column <= AGENT_PRODUCT;
        int64_t value = column < 0 ? NONE : values[column];
        if (column < 0) {
            find_member(self, extra, members[i].key, &text);
            if (!text.length || !json_integer(text, &value))
                value = NONE;
        }
        if (strcmp(members[i].key, "cu_count") == 0)
            agent->cores = value;
        if (!is_text)
            desk_member(&self->desk, members[i].key, value);
        else if (rows_text(rows, (size_t)column, &text) == VALUE_FINE && text.length)
            desk_member_text(&self->desk, members[i].key, text);
    }
    text_add_string(&self->desk.json, self->desk.json.count ? "}" : "{}");
    agent->properties = rocpd_keep(self, text_view(&self->desk.json));
    text_clear(&self->desk.json);
}

static bool read_agent(void *reader, struct rows_of *rows, const int64_t *values)
{
    static const int indexes[] = {AGENT_INDEX, AGENT_LOGICAL, AGENT_ABSOLUTE, AGENT_ID};
    struct rocpd *self = reader;
    struct view type;
    struct rocpd_agent agent = {.id = values[AGENT_ID], .ordinal = NONE};
    struct draft *draft = rocpd_draft(self, rows, AGENT_GUID);
    rows_text(rows, AGENT_TYPE, &type);
    agent.is_gpu = view_equal_ignoring_case(type, VIEW("GPU"));
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes && agent.ordinal == NONE; i++)
        agent.ordinal = values[indexes[i]];
    if (agent.ordinal < 0 || agent.ordinal > INT32_MAX)
        agent.ordinal = -1;
    agent.name = rocpd_read_word(self, rows, AGENT_PRODUCT);
    if (!agent.name)
        agent.name = rocpd_read_word(self, rows, AGENT_MODEL);
    agent.architecture = rocpd_read_word(self, rows, AGENT_NAME);
    make_properties(self, rows, values, &agent);

    /* Agents by kind: copies name agents that are no accelerators, too. */
    struct text *out = &self->agents;
    text_format(out, "%c\"%lld\":", out->count ? ',' : '{', (long long)agent.id);
    text_add_json(out, type);
    if (!agent.name)
        agent.name = agent.architecture;
    if (agent.is_gpu) {
        struct device device = {
            .ordinal = agent.ordinal, .memory_bytes = NONE, .cores = agent.cores};
        rocpd_word(self, draft, agent.name, &device.name);
        rocpd_word(self, draft, agent.architecture, &device.architecture);
        rocpd_word(self, draft, agent.properties, &device.properties);
        array_add(&draft->trace.devices, device);
    }
    array_add(&self->part.agents, agent);
    return true;
}

/* ------------------------------------------------------------------ kernels */

enum { SYMBOL_SHOWN = 4, SYMBOL_RAW, SYMBOL_EXTRA };

/* As it is shown, else as its source has it, else as its code object does. */
static uint32_t read_symbol_name(struct rocpd *self, struct rows_of *rows)
{
    uint32_t name = rocpd_read_word(self, rows, SYMBOL_SHOWN);
    struct view extra, raw;
    if (name)
        return name;
    rows_text(rows, SYMBOL_EXTRA, &extra);
    rocpd_member(self, extra, "demangled_kernel_name", &self->desk.scratch);
    if (self->desk.scratch.count)
        return rocpd_keep(self, text_view(&self->desk.scratch));
    if (rows_text(rows, SYMBOL_RAW, &raw) != VALUE_FINE || !raw.length)
        return 0;
    if (raw.length > 3 && view_ends_with(raw, ".kd"))
        raw.length -= 3;
    return rocpd_keep(self, raw);
}

static bool read_symbol(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    array_add(&self->part.symbols, (struct rocpd_symbol){values[0], values[1], values[2], values[3],
                                                         read_symbol_name(self, rows)});
    return true;
}

/* ------------------------------------------------------------------ events */

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
    *number = *known;
    return true;
}

static bool read_event(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    int64_t stack = values[2];
    uint32_t domain;
    (void)rows;
    if (!domain_of(self, values[1], &domain))
        return false;
    array_add(&self->part.events,
              (struct rocpd_event){
                  .id = values[0],
                  .stack = stack > 0 && !(stack >> DRAFT_ID_BITS) ? stack : NONE,
                  .external = unless_zero(values[3]),
                  .domain = domain,
              });
    return true;
}

/* ------------------------------------------------------------------ all of them */

bool rocpd_read_names(struct rocpd *self)
{
    static const struct desk_list lists[] = {
        {"rocpd_info_node", read_node, 0, {"machine_id", "system_name"}},
        {"rocpd_info_process", read_process, 1, {"id", "pid", "guid"}},
        {"rocpd_info_thread", read_thread, 1, {"id", "tid", "name"}},
        {"rocpd_info_stream", read_stream, 1, {"id", "name"}},
        {"rocpd_info_agent",
         read_agent,
         1 << AGENT_ID,
         {"absolute_index", "id", "logical_index", "model_name", "name", "product_name",
          "type_index", "type", "extdata", "guid"}},
        {"rocpd_info_kernel_symbol",
         read_symbol,
         1,
         {"id", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count", "display_name", "kernel_name",
          "extdata"}},
        {"rocpd_track",
         read_track,
         1,
         {"id", "pid", "tid", "agent_id", "queue_id", "stream_id", "name_id"}},
        {0},
    };
    static const struct desk_list events[] = {
        {"rocpd_event", read_event, 1, {"id", "category_id", "stack_id", "correlation_id"}}, {0}};
    struct rocpd_part *part = &self->part;
    if (!desk_read_lists(&self->desk, lists, true, self))
        return false;

    /* Names of categories stand among all texts, or in a table of their own. */
    struct database *database = self->desk.database;
    const char *categories = desk_table_name(&self->desk, "rocpd_info_category");
    if (database_has(database, categories) &&
        !(self->categories = database_texts(database, categories, "id", "name", self->desk.error)))
        return false;
    bool done = desk_read_lists(&self->desk, events, true, self);
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

/* ------------------------------------------------------------------ rows of slices, places */

int64_t rocpd_device(const struct rocpd *self, int64_t agent)
{
    const struct rocpd_agent *found = ROCPD_FIND(self->part.agents, agent);
    return found && found->is_gpu ? found->ordinal : -1;
}

bool rocpd_read_row(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct rocpd *self = reader;
    int64_t event;
    struct rocpd_row row = {.base = {.draft = rocpd_draft(self, rows, ROCPD_GUID),
                                     .category = table->category,
                                     .bytes = NONE,
                                     .correlation = NONE,
                                     .external = NONE},
                            .rocpd = self,
                            .rows = rows,
                            .table = table,
                            .track_name = NONE};
    if (!draft_time(row.base.draft, rows, ROCPD_START, ROCPD_END, false, &row.base.time))
        return true;
    draft_row_read(&row.base, rows, table);
    const struct rocpd_track *track = ROCPD_FIND(self->part.tracks, row.track);
    if (track) {
        row.process = row.process == NONE ? track->process : row.process;
        row.thread = row.thread == NONE ? track->thread : row.thread;
        row.agent = row.agent == NONE ? track->agent : row.agent;
        row.queue = row.queue == NONE ? track->queue : row.queue;
        row.base.stream = row.base.stream == NONE ? track->stream : row.base.stream;
        row.track_name = track->name;
    }
    if (rows_integer(rows, ROCPD_EVENT, &event) == VALUE_FINE)
        row.event = ROCPD_FIND(self->part.events, event);
    if (row.event)
        row.base.correlation = row.event->stack;
    row.base.device = rocpd_device(self, row.agent);
    return table->add(&row);
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
    const struct rocpd_named *named = ROCPD_FIND(self->part.streams, stream);
    return find_place(self, draft, (int64_t[]){key, stream}, device < 0 ? NONE : device, stream,
                      named ? named->name : 0);
}
