/* nsys_nvtx: ranges and marks that programs made with NVTX.
 *
 * A range in the default domain whose text is one of PyTorch's is an op; every other one is what
 * someone marked. Domains and categories have their names in rows of the same table, in any order,
 * so those are read first.
 */
#include "ingest/nsys/nsys_reader.h"

#include "ingest/trace/op_text.h"

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
    START,
    END,
    TYPE,
    THREAD,
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
    COLUMN_COUNT
};
static const char *const columns[COLUMN_COUNT] = {
    "start",      "end",         "eventType",   "globalTid",    "text",
    "textId",     "domainId",    "category",    "endGlobalTid", "uint64Value",
    "int64Value", "doubleValue", "uint32Value", "int32Value",   "floatValue"};

/* The text of a row, 0 when it has none. */
static bool row_text(struct nsys *self, struct nsys_trace *trace, struct rows_of *rows,
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

static bool name_thread(struct nsys *self, struct nsys_trace *trace,
                        const struct nsys_process *process, int64_t thread, uint32_t text)
{
    uint32_t place = nsys_thread(self, trace, process, thread);
    struct label *label = place ? array_push(&trace->trace.labels) : NULL;
    if (!label)
        return place ? error_memory(self->error) : false;
    struct place at = trace_place(&trace->trace, place);
    *label = (struct label){at.process, at.thread, LABEL_THREAD_NAME, text};
    return true;
}

static bool read_name(struct nsys *self, struct rows_of *rows)
{
    int64_t thread, type;
    struct view text;
    bool has_text;
    uint32_t number;
    struct nsys_process *process = nsys_process_of(self, rows, THREAD, &thread);
    if (!process)
        return false;
    struct nsys_trace *trace = nsys_trace_of(self, process);
    if (!row_text(self, trace, rows, &text, &has_text))
        return false;
    if (!has_text || rows_integer(rows, TYPE, &type) != VALUE_FINE)
        return true;
    if (!nsys_keep(self, trace, text, &number))
        return false;
    if (type == NVTX_THREAD)
        return name_thread(self, trace, process, thread, number);
    int64_t domain = nsys_integer(self, trace, rows, DOMAIN);
    int64_t category = nsys_integer(self, trace, rows, CATEGORY);
    uint32_t *known =
        type == NVTX_DOMAIN
            ? map_put(&self->domains, process->number, domain)
            : map_put(&self->categories, process->number,
                      (int64_t)((uint64_t)domain << 32 | ((uint64_t)category & 0xFFFFFFFF)));
    if (!known)
        return error_memory(self->error);
    if (!*known)
        *known = number;
    return true;
}

bool nsys_read_names(struct nsys *self)
{
    static const struct nsys_table names = {"NVTX_EVENTS", columns,
                                            COLUMN_COUNT,  1u << TYPE,
                                            read_name,     "\"eventType\" IN (33, 39, 75)"};
    bool has_types;
    if (!database_has_column(self->database, names.name, "eventType", &has_types, self->error))
        return false;
    if (!has_types)
        return true;
    int64_t uid = self->uid;
    size_t tables = self->tables.count;
    bool done = nsys_read_table(self, &names);
    self->uid = uid; /* they are counted with the ranges */
    self->tables.count = tables;
    return done;
}

/* ------------------------------------------------------------------ arguments */

/* What the arguments of a range are made of: no padding. */
struct mark {
    uint64_t domain, category, style, end_thread, payload_kind, payload, is_open;
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

static bool add_payload(struct nsys *self, const struct mark *mark)
{
    double real;
    memcpy(&real, &mark->payload, sizeof real);
    switch (mark->payload_kind) {
    case 0:
        return true;
    case VALUE_DOUBLE:
    case VALUE_FLOAT:
        return real - real == 0 ? nsys_member_real(self, "payload", real)
                                : nsys_member_text(self, "payload", VIEW("not finite"));
    default:
        return nsys_member(self, "payload", (int64_t)mark->payload);
    }
}

static bool add_text(struct nsys *self, const struct nsys_trace *trace, const char *key,
                     uint64_t number)
{
    return !number ||
           nsys_member_text(self, key, intern_view(&trace->trace.strings, (uint32_t)number));
}

static bool make_arguments(struct nsys *self, struct nsys_trace *trace, const struct mark *mark,
                           uint32_t *number)
{
    static const char *const styles[] = {NULL, "push_pop", "start_end", "point"};
    return add_text(self, trace, "category", mark->category) &&
           add_text(self, trace, "domain", mark->domain) &&
           (!mark->end_thread ||
            nsys_member(self, "end thread", (int64_t)(mark->end_thread & 0xFFFFFF))) &&
           (!mark->is_open || nsys_member(self, "open", 1)) && add_payload(self, mark) &&
           (!mark->style || nsys_member_text(self, "style", view_of(styles[mark->style]))) &&
           nsys_finish_arguments(self, trace, number);
}

/* ------------------------------------------------------------------ ops */

static bool keep_op(struct nsys *self, struct nsys_trace *trace, const struct op_text *read,
                    uint32_t *name, uint32_t *number)
{
    struct op op = {0};
    if (!nsys_keep(self, trace, read->name, &op.name))
        return false;
    if (read->has_sizes)
        op.dims = intern_add(&trace->trace.strings, self->json.items, self->json.count);
    if (read->has_sizes && !op.dims)
        return error_memory(self->error);
    *name = op.name;
    *number = intern_add(&trace->trace.ops, &op, sizeof op);
    return *number || error_memory(self->error);
}

static bool keep_op_range(struct nsys *self, struct nsys_trace *trace,
                          const struct nsys_process *process, const struct op_text *read,
                          struct view text, uint32_t slice)
{
    struct op_range *call = array_push(&trace->op_ranges);
    if (!call)
        return error_memory(self->error);
    *call = (struct op_range){
        .slice = slice,
        .sequence = read->sequence >= 0 ? read->sequence : NONE,
        .number = read->call ? read->call : NONE,
    };
    if (!read->is_as_made && !nsys_keep(self, trace, text, &call->text))
        return false;
    if (read->has_inputs)
        nsys_note(self, trace, NOTE_DATA_EDGES_LEFT_OUT);
    if (read->sequence < 0 || read->sequence >> NSYS_ID_BITS)
        return true;
    struct sequence *sequence = array_push(&trace->trace.sequences);
    if (!sequence)
        return error_memory(self->error);
    *sequence = (struct sequence){(int64_t)process->number << NSYS_ID_BITS | read->sequence, slice};
    return true;
}

/* Adds an op when the text is one's; otherwise `*is_op` stays false. */
static bool try_op(struct nsys *self, struct nsys_trace *trace, const struct nsys_process *process,
                   const struct nsys_time *time, uint32_t place, struct view text, bool *is_op)
{
    struct op_text read;
    uint32_t name = 0, op = 0;
    text_clear(&self->json);
    enum op_text_kind kind = op_text_read(text, &read, &self->json);
    if (kind == OP_TEXT_UNREAD)
        nsys_note(self, trace, NOTE_OP_TEXT_UNREAD);
    if (kind == OP_TEXT_MEMORY)
        return error_memory(self->error);
    *is_op = kind == OP_TEXT_OP;
    bool done = !*is_op || keep_op(self, trace, &read, &name, &op);
    text_clear(&self->json);
    if (!done || !*is_op)
        return done;
    struct slice *slice = nsys_slice(self, trace, time, CATEGORY_OP, place, name);
    if (!slice)
        return false;
    slice->op = op;
    return keep_op_range(self, trace, process, &read, text,
                         (uint32_t)trace->trace.slices.count - 1);
}

/* ------------------------------------------------------------------ ranges */

struct range {
    struct nsys_process *process;
    struct nsys_trace *trace;
    struct nsys_time time;
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

static bool remember_open(struct nsys *self, const struct range *range)
{
    struct nsys_open *open = array_push(&self->open);
    if (!open)
        return error_memory(self->error);
    *open =
        (struct nsys_open){range->process->into, (uint32_t)range->trace->trace.slices.count - 1};
    return true;
}

static bool add_mark(struct nsys *self, struct rows_of *rows, const struct range *range,
                     struct view text, bool has_text)
{
    struct nsys_trace *trace = range->trace;
    bool is_point = range->type == NVTX_MARK;
    int64_t category = nsys_integer(self, trace, rows, CATEGORY);
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
    uint32_t name;
    if (!has_text)
        nsys_note(self, trace, NOTE_NAME_MISSING);
    if (!nsys_keep(self, trace, has_text ? text : VIEW(""), &name))
        return false;
    uint32_t *known = nsys_arguments(self, trace, &mark, sizeof mark);
    static const struct mark plain;
    if (!known || (!*known && memcmp(&mark, &plain, sizeof mark) != 0 &&
                   !make_arguments(self, trace, &mark, known)))
        return false;
    struct slice *slice =
        nsys_slice(self, trace, &range->time, is_point ? CATEGORY_SIGNPOST : CATEGORY_MARK,
                   range->place, name);
    if (slice)
        slice->arguments = *known;
    return slice != NULL;
}

static bool read_range_time(struct nsys *self, struct rows_of *rows, struct range *range)
{
    if (range->type == NVTX_MARK) /* has no end */
        return nsys_time(self, range->trace, rows, START, START, false, &range->time);
    return nsys_time(self, range->trace, rows, START, END, true, &range->time);
}

static bool add_range(struct nsys *self, struct rows_of *rows, struct range *range)
{
    struct view text = {"", 0};
    bool has_text, is_op = false;
    struct nsys_trace *trace = range->trace;
    if (!row_text(self, trace, rows, &text, &has_text))
        return false;
    range->place = nsys_thread(self, trace, range->process, range->thread);
    if (!range->place)
        return false;
    range->domain = nsys_integer(self, trace, rows, DOMAIN);
    range->end_thread = nsys_integer(self, trace, rows, END_THREAD);
    if (is_push_pop(range->type) && (range->domain == 0 || range->domain == NONE) && has_text &&
        !try_op(self, trace, range->process, &range->time, range->place, text, &is_op))
        return false;
    if (!is_op && !add_mark(self, rows, range, text, has_text))
        return false;
    return !range->time.is_open || remember_open(self, range);
}

static bool read_range(struct nsys *self, struct rows_of *rows)
{
    struct range range = {0};
    range.process = nsys_process_of(self, rows, THREAD, &range.thread);
    if (!range.process)
        return false;
    range.trace = nsys_trace_of(self, range.process);
    range.type = nsys_integer(self, range.trace, rows, TYPE);
    if (range.type == NVTX_CATEGORY || range.type == NVTX_THREAD || range.type == NVTX_DOMAIN ||
        range.type == NVTX_DOMAIN_END)
        return true;
    if (range.type != NVTX_MARK && !is_range(range.type)) {
        nsys_note(self, range.trace, NOTE_RANGE_UNKNOWN);
        return true;
    }
    if (!read_range_time(self, rows, &range))
        return self->error->status == STATUS_OK;
    return add_range(self, rows, &range);
}

const struct nsys_table nsys_range_tables[] = {
    {"NVTX_EVENTS", columns, COLUMN_COUNT, 1u << START | 1u << TYPE, read_range, NULL},
    {"NVTXT_EVENTS", columns, COLUMN_COUNT, 1u << START | 1u << TYPE, read_range, NULL},
    {0},
};
