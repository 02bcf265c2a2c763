/* nsys_nvtx: ranges and marks that programs made with NVTX.
 *
 * A range in the default domain whose text is one of PyTorch's is an op; every other one is what
 * someone marked. Domains and categories have their names in rows of the same table, in any order,
 * so those are read first.
 */
#include "ingest/nsys/nsys_reader.h"

#include <stdio.h>

enum nvtx_type {
    NVTX_CATEGORY = 33,
    NVTX_MARK = 34,
    NVTX_THREAD = 39,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTXT_PUSH_POP = 70,
    NVTXT_START_END = 71,
    NVTX_DOMAIN = 75,
    NVTX_DOMAIN_END = 76,
};

enum {
    TYPE = NSYS_WHOSE + 1,
    TEXT,
    TEXT_ID,
    DOMAIN,
    CATEGORY,
    END_THREAD,
    VALUE_UINT64,
    VALUE_INT64,
    VALUE_DOUBLE,
    VALUE_UINT32,
    VALUE_INT32,
    VALUE_FLOAT,
    PAYLOAD_BYTES,
    PAYLOAD_JSON,
    PAYLOAD_JSON_ID,
    EVENT_ID,
};
static const struct draft_column columns[] = {
    {"start", .type = DRAFT_NEEDED},
    {.name = "end"},
    {.name = "globalTid"},
    {"eventType", .type = DRAFT_NEEDED},
    {.name = "text"},
    {.name = "textId"},
    {.name = "domainId"},
    {.name = "category"},
    {.name = "endGlobalTid"},
    {.name = "uint64Value"},
    {.name = "int64Value"},
    {.name = "doubleValue"},
    {.name = "uint32Value"},
    {.name = "int32Value"},
    {.name = "floatValue"},
    {.name = "binaryData"},
    {.name = "jsonText"},
    {.name = "jsonTextId"},
    {.name = "eventId"},
};
static const struct nsys_payload_columns payload_columns = {PAYLOAD_BYTES, PAYLOAD_JSON,
                                                            PAYLOAD_JSON_ID, EVENT_ID};

/* The text of a row, 0 when it has none. */
static bool row_text(struct nsys *self, struct draft *trace, struct rows_of *rows,
                     struct view *text, bool *has_text)
{
    uint32_t number;
    if (!nsys_string(self, trace, rows, TEXT_ID, NSYS_TEXT, &number))
        return false;
    if (number)
        *text = intern_view(&trace->trace.strings, number);
    *has_text = number || rows_text(rows, TEXT, text) == VALUE_FINE;
    return true;
}

/* ------------------------------------------------------------------ names */

static bool read_name(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys *self = reader;
    (void)table;
    int64_t thread, type;
    struct view text;
    bool has_text;
    uint32_t number;
    if (rows_integer(rows, TYPE, &type) != VALUE_FINE ||
        (type != NVTX_CATEGORY && type != NVTX_THREAD && type != NVTX_DOMAIN))
        return true;
    struct nsys_process *process = nsys_process_of(self, rows, NSYS_WHOSE, &thread);
    struct draft *trace = nsys_trace_of(self, process);
    if (!row_text(self, trace, rows, &text, &has_text))
        return false;
    if (!has_text)
        return true;
    draft_keep(trace, text, &number);
    if (type == NVTX_THREAD) {
        uint32_t place = nsys_thread(trace, process, thread);
        if (!place)
            return false;
        struct label *label = array_push(&trace->trace.labels);
        struct place at = trace_place(&trace->trace, place);
        *label = (struct label){at.process, at.thread, LABEL_THREAD_NAME, number};
        return true;
    }
    int64_t domain = draft_integer(trace, rows, DOMAIN);
    int64_t category = draft_integer(trace, rows, CATEGORY);
    uint32_t *known =
        type == NVTX_DOMAIN
            ? map_put(&self->domains, process->number, domain)
            : map_put(&self->categories, process->number,
                      (int64_t)((uint64_t)domain << 32 | ((uint64_t)category & 0xFFFFFFFF)));
    if (!*known)
        *known = number;
    return true;
}

bool nsys_read_names(struct nsys *self)
{
    static const struct desk_table names = {"NVTX_EVENTS", DRAFT_COLUMNS(columns), read_name};
    bool has_types;
    if (!database_has_column(self->desk.database, names.name, "eventType", &has_types,
                             self->desk.error))
        return false;
    if (!has_types)
        return true;
    int64_t uid = self->desk.uid;
    size_t tables = self->desk.tables.count;
    bool done = desk_read_table(&self->desk, &names, self);
    self->desk.uid = uid; /* they are counted with the ranges */
    self->desk.tables.count = tables;
    return done;
}

/* ------------------------------------------------------------------ arguments */

/* The arguments of a range: no padding. */
struct mark {
    uint64_t domain, category, style, end_thread, payload_kind, payload, object, is_open;
};

/* The payload is one of six columns. */
static void read_payload(struct rows_of *rows, struct mark *mark)
{
    int64_t integer;
    double real;
    for (size_t column = VALUE_UINT64; column <= VALUE_FLOAT; column++) {
        bool is_real = column == VALUE_DOUBLE || column == VALUE_FLOAT;
        enum value_kind kind =
            is_real ? rows_real(rows, column, &real) : rows_integer(rows, column, &integer);
        if (kind != VALUE_FINE)
            continue;
        mark->payload_kind = column;
        if (is_real)
            memcpy(&mark->payload, &real, sizeof real);
        else
            mark->payload = (uint64_t)integer;
        return;
    }
}

static void add_payload(struct nsys *self, const struct mark *mark)
{
    char digits[24];
    double real;
    if (mark->object) {
        desk_member_object(&self->desk, "payload",
                           intern_view(&self->payloads.texts, (uint32_t)mark->object));
        return;
    }
    memcpy(&real, &mark->payload, sizeof real);
    if (mark->payload_kind == VALUE_UINT64) { /* databases know no unsigned numbers */
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)mark->payload);
        desk_member_object(&self->desk, "payload", view_of(digits));
        return;
    }
    switch (mark->payload_kind) {
    case 0:
        return;
    case VALUE_DOUBLE:
    case VALUE_FLOAT:
        if (real - real == 0)
            desk_member_real(&self->desk, "payload", real);
        else
            desk_member_text(&self->desk, "payload", VIEW("not finite"));
        return;
    default:
        desk_member(&self->desk, "payload", (int64_t)mark->payload);
        return;
    }
}

static void add_text(struct nsys *self, const struct draft *trace, const char *key, uint64_t number)
{
    if (number)
        desk_member_text(&self->desk, key, intern_view(&trace->trace.strings, (uint32_t)number));
}

static void mark_arguments(struct nsys *self, struct draft *trace, const struct mark *mark,
                           uint32_t *number)
{
    static const struct mark plain;
    uint32_t *known = draft_arguments(trace, mark, sizeof *mark);
    if (!*known && memcmp(mark, &plain, sizeof *mark) != 0) {
        static const char *const styles[] = {NULL, "push_pop", "start_end", "point"};
        add_text(self, trace, "category", mark->category);
        add_text(self, trace, "domain", mark->domain);
        if (mark->end_thread)
            desk_member(&self->desk, "end thread", (int64_t)(mark->end_thread & 0xFFFFFF));
        if (mark->is_open)
            desk_member(&self->desk, "open", 1);
        add_payload(self, mark);
        if (mark->style)
            desk_member_text(&self->desk, "style", view_of(styles[mark->style]));
        draft_finish_arguments(trace, known);
    }
    *number = *known;
}

/* ------------------------------------------------------------------ ranges */

struct range {
    struct nsys_process *process;
    struct draft *trace;
    struct draft_time time;
    int64_t type, domain, thread, end_thread;
    uint32_t place;
};

static bool is_push_pop(int64_t type)
{
    return type == NVTX_PUSH_POP || type == NVTXT_PUSH_POP;
}

static bool is_range(int64_t type)
{
    return is_push_pop(type) || type == NVTX_START_END || type == NVTXT_START_END;
}

static bool add_mark(struct nsys *self, struct rows_of *rows, const struct range *range,
                     struct view text, bool has_text)
{
    struct draft *trace = range->trace;
    bool is_point = range->type == NVTX_MARK;
    int64_t category = draft_integer(trace, rows, CATEGORY);
    bool ends_elsewhere = range->end_thread != NONE && range->end_thread != range->thread &&
                          !is_push_pop(range->type);
    struct mark mark = {
        .domain = map_get(&self->domains, range->process->number, range->domain),
        .style = is_point                   ? 3
                 : is_push_pop(range->type) ? 0
                                            : 2,
        .end_thread = ends_elsewhere ? (uint64_t)range->end_thread : 0,
        .is_open = range->time.is_open,
    };
    if (category != NONE && category != 0)
        mark.category =
            map_get(&self->categories, range->process->number,
                    (int64_t)((uint64_t)range->domain << 32 | ((uint64_t)category & 0xFFFFFFFF)));
    read_payload(rows, &mark);
    uint32_t name, object, arguments;
    if (!nsys_payload(self, trace, rows, &payload_columns, &object))
        return false;
    mark.object = object;
    if (!has_text)
        draft_note(trace, NOTE_NAME_MISSING);
    draft_keep(trace, has_text ? text : VIEW(""), &name);
    mark_arguments(self, trace, &mark, &arguments);
    draft_slice(trace, &range->time, is_point ? CATEGORY_SIGNPOST : CATEGORY_MARK, range->place,
                name, arguments);

    /* Calls of NCCL are kept for its collectives. */
    const struct intern *strings = &trace->trace.strings;
    if (mark.domain && name &&
        view_equal(intern_view(strings, (uint32_t)mark.domain), VIEW("NCCL")) &&
        nccl_is_call(intern_view(strings, name)))
        nsys_add_nccl(self, &(struct nsys_nccl){.process = range->process->number,
                                                .trace = range->process->into,
                                                .slice = (uint32_t)trace->trace.slices.count - 1,
                                                .payload = object});
    return true;
}

static bool read_range(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys *self = reader;
    (void)table;
    struct range range = {0};
    range.process = nsys_process_of(self, rows, NSYS_WHOSE, &range.thread);
    range.trace = nsys_trace_of(self, range.process);
    range.type = draft_integer(range.trace, rows, TYPE);
    if (range.type == NVTX_CATEGORY || range.type == NVTX_THREAD || range.type == NVTX_DOMAIN ||
        range.type == NVTX_DOMAIN_END)
        return true;
    if (range.type != NVTX_MARK && !is_range(range.type)) {
        draft_note(range.trace, NOTE_RANGE_UNKNOWN);
        return true;
    }
    bool is_point = range.type == NVTX_MARK; /* has no end */
    if (!draft_time(range.trace, rows, NSYS_START, is_point ? NSYS_START : NSYS_END, !is_point,
                    &range.time))
        return true;

    /* A range of PyTorch may be an op; else it is a mark. */
    struct view text = {"", 0};
    bool has_text, is_op = false;
    struct draft *trace = range.trace;
    if (!row_text(self, trace, rows, &text, &has_text))
        return false;
    range.place = nsys_thread(trace, range.process, range.thread);
    if (!range.place)
        return false;
    range.domain = draft_integer(trace, rows, DOMAIN);
    range.end_thread = draft_integer(trace, rows, END_THREAD);
    if (is_push_pop(range.type) && (range.domain == 0 || range.domain == NONE) && has_text)
        draft_op(trace, range.process->number, &range.time, range.place, text, &is_op);
    if (!is_op && !add_mark(self, rows, &range, text, has_text))
        return false;
    if (!range.time.is_open)
        return true;
    struct slice *slice = &trace->trace.slices.items[trace->trace.slices.count - 1];
    struct nsys_open *open = array_push(&self->open);
    *open = (struct nsys_open){range.process->into, (uint32_t)range.trace->trace.slices.count - 1};
    if (is_op)
        mark_arguments(self, trace, &(struct mark){.is_open = 1}, &slice->arguments);
    return true;
}

const struct desk_table nsys_range_tables[] = {
    {"NVTX_EVENTS", DRAFT_COLUMNS(columns), read_range},
    {"NVTXT_EVENTS", DRAFT_COLUMNS(columns), read_range},
    {0},
};
