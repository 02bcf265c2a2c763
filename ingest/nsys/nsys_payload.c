/* nsys_payload: what programs hand over with a range beside its text, and what NCCL says so.
 *
 * An export has it as bytes with a schema, as JSON, in tables of its own, or not at all. All of
 * them become one object, with the names of the fields that the schema gives. NCCL's are those of
 * its calls: what the kernels are about that carry them out, and which rank a process is.
 */
#include "ingest/nsys/nsys_reader.h"

#include "ingest/input/json_text.h"
#include "src/base/order.h"

#include <stdio.h>
#include <string.h>

enum {
    HEADER_BYTES = 32,
    NAME_MAX_BYTES = 256,
    FIELDS_MAX = 64, /* of a schema */
    GROWTH_MAX = 64, /* bytes of objects that are made of a byte of payloads */
    FREE_BYTES = 1 << 20,
};
#define CUSTOM_TYPE ((int64_t)1 << 24) /* schemas and enumerations are numbered from here */

/* ------------------------------------------------------------------ schemas */

ORDER_BY(compare_fields, struct nsys_field,
         UP(domain) || UP(schema) || UP(index) || UP(type) || UP(offset) || UP(name));
ORDER_BY(compare_words, struct nsys_word, UP(domain) || UP(schema) || UP(value) || UP(name));

/* A name, cut where it is longer than names are; 0 = there is none. */
static void keep_name(struct nsys *self, struct rows_of *rows, size_t column, uint32_t *number)
{
    struct view name;
    *number = 0;
    if (rows_text(rows, column, &name) != VALUE_FINE || !name.length)
        return;
    if (name.length > NAME_MAX_BYTES)
        name.length = NAME_MAX_BYTES;
    *number = intern_add(&self->payloads.names, name.bytes, name.length);
}

static bool read_field(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct nsys_field field = {values[0], values[1], values[2], values[3], values[4], 0};
    keep_name(self, rows, 5, &field.name);
    if (field.domain == NONE || field.schema == NONE || field.index == NONE || !field.name)
        return true;
    if (field.offset == NONE)
        field.offset = 0;
    array_add(&self->payloads.fields, field);
    return true;
}

static bool read_word(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct nsys_word word = {values[0], values[1], values[2], 0};
    keep_name(self, rows, 3, &word.name);
    if (word.name)
        array_add(&self->payloads.words, word);
    return true;
}

static bool read_translation(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct nsys_translation pair;
    (void)values;
    keep_name(self, rows, 0, &pair.original);
    keep_name(self, rows, 1, &pair.column);
    if (pair.original && pair.column)
        array_add(&self->payloads.translations, pair);
    return true;
}

/* Rows stand there once for each process: the first of them holds. */
static void drop_repeated_fields(struct nsys *self)
{
    size_t count = 0;
    struct nsys_field *fields = self->payloads.fields.items;
    for (size_t i = 0; i < self->payloads.fields.count; i++) {
        const struct nsys_field *last = count ? &fields[count - 1] : NULL;
        bool is_new = !last || last->domain != fields[i].domain ||
                      last->schema != fields[i].schema || last->index != fields[i].index;
        if (is_new)
            fields[count++] = fields[i];
        else if (compare_fields(&fields[i - 1], &fields[i]) != 0)
            note_count(&self->desk.notes, NOTE_PAYLOAD_AMBIGUOUS, 1, -1, -1);
    }
    self->payloads.fields.count = count;
}

/* The fields of a schema, and how many there are. */
static const struct nsys_field *fields_of(const struct nsys *self, int64_t domain, int64_t schema,
                                          size_t *count)
{
    const struct nsys_field wanted = {
        .domain = domain, .schema = schema, .index = INT64_MIN, .type = INT64_MIN};
    const struct nsys_field *fields = self->payloads.fields.items;
    size_t first, total = self->payloads.fields.count;
    ARRAY_LOWER_BOUND(first, total, compare_fields(&fields[first], &wanted) < 0);
    *count = 0;
    while (first + *count < total && *count < FIELDS_MAX &&
           fields[first + *count].domain == domain && fields[first + *count].schema == schema)
        ++*count;
    return *count ? fields + first : NULL;
}

/* ------------------------------------------------------------------ objects */

static void begin_field(struct nsys *self, const struct nsys_field *field)
{
    struct text *out = &self->payloads.raw;
    text_add_byte(out, out->count ? ',' : '{');
    text_add_json(out, intern_view(&self->payloads.names, field->name));
    text_add_byte(out, ':');
}

static void add_integer(struct nsys *self, const struct nsys_field *field, int64_t value)
{
    struct view word = {"", 0};
    if (field->type >= CUSTOM_TYPE) {
        /* An enumeration may have a word for the value. */
        const struct nsys_word wanted = {
            .domain = field->domain, .schema = field->type, .value = value};
        const struct nsys_word *words = self->payloads.words.items;
        size_t at, count = self->payloads.words.count;
        ARRAY_LOWER_BOUND(at, count, compare_words(&words[at], &wanted) < 0);
        if (at < count && words[at].domain == wanted.domain && words[at].schema == wanted.schema &&
            words[at].value == value)
            word = intern_view(&self->payloads.names, words[at].name);
    }
    begin_field(self, field);
    if (word.length)
        text_add_json(&self->payloads.raw, word);
    else
        text_format(&self->payloads.raw, "%lld", (long long)value);
}

static void add_unsigned(struct nsys *self, const struct nsys_field *field, uint64_t value)
{
    begin_field(self, field);
    text_format(&self->payloads.raw, "%llu", (unsigned long long)value);
}

static void add_real(struct nsys *self, const struct nsys_field *field, double value)
{
    if (value - value == 0) {
        begin_field(self, field);
        text_format(&self->payloads.raw, "%.17g", value);
    }
}

/* Keeps an object; 0 in `number` when it is none, or more than what was read can be about. */
static void keep_object(struct nsys *self, struct view raw, size_t read, uint32_t *number)
{
    struct nsys_payloads *payloads = &self->payloads;
    struct json_repairs ignored = {0};
    *number = 0;
    payloads->read_bytes += read;
    text_clear(&payloads->object);
    enum json_canon made = raw.length && raw.bytes[0] == '{'
                               ? json_canonical(raw, &payloads->object, &ignored)
                               : JSON_CANON_MALFORMED;
    if (made != JSON_CANON_DONE ||
        payloads->texts.bytes > FREE_BYTES + GROWTH_MAX * payloads->read_bytes)
        return;
    *number = intern_add(&payloads->texts, payloads->object.items, payloads->object.count);
}

/* ------------------------------------------------------------------ bytes */

static uint64_t unsigned_of(const char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return value;
}

/* How a type lies in memory, on the machines that there are profiles of. */
static bool layout_of(int64_t type, size_t *size, bool *is_signed)
{
    static const signed char sizes[] = {
        /* negative: signed */
        [1] = -1,  [2] = 1,  [3] = -2,  [4] = 2,  [5] = -4,  [6] = 4,  [7] = -8,  [8] = 8,
        [9] = -8,  [10] = 8, [11] = -1, [12] = 1, [13] = -2, [14] = 2, [15] = -4, [16] = 4,
        [17] = -8, [18] = 8, [19] = 4,  [20] = 8, [22] = 8,  [23] = 8};
    int bytes = type >= CUSTOM_TYPE                        ? -4
                : type > 0 && type < (int64_t)sizeof sizes ? sizes[type]
                                                           : 0;
    *is_signed = bytes < 0;
    *size = (size_t)(bytes < 0 ? -bytes : bytes);
    return bytes != 0;
}

enum { TYPE_FLOAT = 19, TYPE_DOUBLE = 20 };

static void read_value(struct nsys *self, const struct nsys_field *field, struct view payload)
{
    size_t size;
    bool is_signed;
    if (!layout_of(field->type, &size, &is_signed) || field->offset < 0 || payload.length < size ||
        (uint64_t)field->offset > payload.length - size)
        return;
    uint64_t bits = unsigned_of(payload.bytes + field->offset, size);
    if (field->type == TYPE_DOUBLE) {
        double value;
        memcpy(&value, &bits, sizeof value);
        add_real(self, field, value);
        return;
    }
    if (field->type == TYPE_FLOAT) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        add_real(self, field, (double)value);
        return;
    }
    if (!is_signed) {
        add_unsigned(self, field, bits);
        return;
    }
    if (size < sizeof bits && bits >> (8 * size - 1))
        bits |= UINT64_MAX << 8 * size;
    add_integer(self, field, (int64_t)bits);
}

/* ------------------------------------------------------------------ tables of their own */

/* The column that has a field. */
static bool column_of(const struct nsys *self, const struct nsys_field *field, char *column)
{
    const struct nsys_payloads *payloads = &self->payloads;
    struct view name = intern_view(&payloads->names, field->name);
    for (size_t i = 0; i < payloads->translations.count; i++)
        if (payloads->translations.items[i].original == field->name) {
            name = intern_view(&payloads->names, payloads->translations.items[i].column);
            break;
        }
    bool has_zero = memchr(name.bytes, '\0', name.length) != NULL;
    for (size_t i = 0; i < name.length; i++) {
        char c = name.bytes[i];
        bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        column[i] = is_plain ? c : '_';
    }
    column[name.length] = '\0';
    return !has_zero;
}

struct payload_table {
    const struct nsys_field *fields[FIELDS_MAX];
    size_t count;
};

/* A cell by the type of its field: databases know no unsigned numbers. */
static void read_cell(struct nsys *self, struct rows_of *rows, size_t column,
                      const struct nsys_field *field)
{
    int64_t integer;
    double real;
    size_t size;
    bool is_signed, is_real = field->type == TYPE_FLOAT || field->type == TYPE_DOUBLE;
    struct view text;
    if (rows_text(rows, column, &text) == VALUE_FINE && !json_integer(text, &integer)) {
        begin_field(self, field);
        text_add_json(&self->payloads.raw, text);
        return;
    }
    if (is_real && rows_real(rows, column, &real) == VALUE_FINE) {
        add_real(self, field, real);
        return;
    }
    if (rows_integer(rows, column, &integer) != VALUE_FINE) {
        if (rows_real(rows, column, &real) == VALUE_FINE)
            add_real(self, field, real);
        return;
    }
    if (layout_of(field->type, &size, &is_signed) && !is_signed)
        add_unsigned(self, field, (uint64_t)integer);
    else
        add_integer(self, field, integer);
}

static bool read_payload_table(struct nsys *self, const char *name, int64_t domain, int64_t schema)
{
    char columns[FIELDS_MAX][NAME_MAX_BYTES + 1];
    const char *names[FIELDS_MAX + 1] = {"eventId"};
    struct payload_table table = {0};
    size_t count;
    const struct nsys_field *fields = fields_of(self, domain, schema, &count);
    for (size_t i = 0; i < count; i++)
        if (column_of(self, &fields[i], columns[table.count])) {
            names[table.count + 1] = columns[table.count];
            table.fields[table.count++] = &fields[i];
        }
    struct rows_of *rows =
        database_rows(self->desk.database, name, names, table.count + 1, NULL, self->desk.error);
    enum rows_step step = ROWS_FAILED;
    while (rows && (step = rows_step(rows, self->desk.error)) == ROWS_NEXT) {
        int64_t event;
        uint32_t number;
        struct text *raw = &self->payloads.raw;
        text_clear(raw);
        if (rows_integer(rows, 0, &event) != VALUE_FINE)
            continue;
        for (size_t i = 0; i < table.count; i++)
            read_cell(self, rows, i + 1, table.fields[i]);
        if (raw->count)
            text_add_byte(raw, '}');
        keep_object(self, text_view(raw), 8 * (table.count + 1), &number);
        if (number)
            map_set(&self->payloads.events, 0, event, number);
    }
    database_rows_close(rows);
    return step == ROWS_END;
}

#define TABLE_BEGINNING "DYNAMIC_NVTXPAYLOAD_DATATYPE_"

/* The domain and schema in the name of a table: BEGINNING, process, domain, schema. */
static bool table_is_about(const char *name, int64_t *domain, int64_t *schema)
{
    long long process, first, second;
    int end = 0;
    if (!text_starts_with(name, TABLE_BEGINNING) ||
        sscanf(name + strlen(TABLE_BEGINNING), "%lld_%lld_%lld%n", &process, &first, &second,
               &end) != 3 ||
        name[strlen(TABLE_BEGINNING) + (size_t)end])
        return false;
    *domain = first;
    *schema = second;
    return true;
}

bool nsys_is_payload_table(const char *name)
{
    int64_t domain, schema;
    return table_is_about(name, &domain, &schema);
}

bool nsys_read_schemas(struct nsys *self)
{
    static const struct desk_list lists[] = {
        {"NVTX_PAYLOAD_SCHEMA_ENTRIES",
         read_field,
         0,
         {"domainId", "schemaId", "idx", "type", "offset", "name"}},
        {"NVTX_PAYLOAD_ENUM_ENTRIES", read_word, 0, {"domainId", "schemaId", "value", "name"}},
        {"NVTX_EXPORT_TRANSLATION", read_translation, 0, {"originalName", "sanitizedName"}},
        {0},
    };
    const char *name;
    int64_t domain, schema;
    if (!desk_read_lists(&self->desk, lists, false, self))
        return false;
    array_sort(&self->payloads.fields, compare_fields);
    array_sort(&self->payloads.words, compare_words);
    drop_repeated_fields(self);
    for (size_t i = 0; (name = database_table(self->desk.database, i)); i++)
        if (table_is_about(name, &domain, &schema) &&
            !read_payload_table(self, name, domain, schema))
            return false;
    return true;
}

/* ------------------------------------------------------------------ a range's */

bool nsys_payload(struct nsys *self, struct draft *trace, struct rows_of *rows,
                  const struct nsys_payload_columns *columns, uint32_t *number)
{
    struct view bytes;
    int64_t event;
    *number = 0;
    if (rows_blob(rows, columns->bytes, &bytes) == VALUE_FINE) {
        /* A header names the schema and the size of the fields behind it. */
        if (bytes.length >= HEADER_BYTES) {
            int64_t domain = (int64_t)unsigned_of(bytes.bytes, 8);
            int64_t schema = (int64_t)unsigned_of(bytes.bytes + 8, 8);
            uint64_t size = unsigned_of(bytes.bytes + 16, 8);
            if (size <= bytes.length - HEADER_BYTES) {
                size_t count;
                const struct nsys_field *fields = fields_of(self, domain, schema, &count);
                struct text *raw = &self->payloads.raw;
                text_clear(raw);
                for (size_t i = 0; i < count; i++)
                    read_value(self, &fields[i],
                               (struct view){bytes.bytes + HEADER_BYTES, (size_t)size});
                if (raw->count)
                    text_add_byte(raw, '}');
                keep_object(self, text_view(raw), bytes.length, number);
            }
        }
    } else if (rows_text(rows, columns->json, &bytes) == VALUE_FINE)
        keep_object(self, bytes, bytes.length, number);
    else {
        uint32_t text;
        if (!nsys_string(self, trace, rows, columns->json_id, NSYS_TEXT, &text))
            return false;
        if (text) {
            bytes = intern_view(&trace->trace.strings, text);
            keep_object(self, bytes, bytes.length, number);
        } else {
            if (self->payloads.events.count &&
                rows_integer(rows, columns->event, &event) == VALUE_FINE)
                *number = map_get(&self->payloads.events, 0, event);
            return true;
        }
    }
    if (!*number)
        draft_note(trace, NOTE_PAYLOAD_UNREAD);
    return true;
}

/* ------------------------------------------------------------------ NCCL */

void nsys_add_nccl(struct nsys *self, const struct nsys_nccl *call)
{
    struct nsys_nccl *added = array_push(&self->payloads.calls);
    *added = *call;
}

static struct view member_of(const struct nsys *self, const struct nsys_nccl *call, const char *key)
{
    return call->payload ? json_member(intern_view(&self->payloads.texts, call->payload), key)
                         : (struct view){"", 0};
}

static int64_t integer_of(const struct nsys *self, const struct nsys_nccl *call, const char *key)
{
    int64_t value;
    return json_integer(member_of(self, call, key), &value) ? value : NONE;
}

/* Arguments of a kernel that carries out a call, but for the length of its message. */
static void make_arguments(struct nsys *self, const struct nsys_nccl *call, const char *name,
                           const struct nsys_nccl *communicator, uint32_t *number)
{
    struct desk *desk = &self->desk;
    struct view reduction = member_of(self, call, "Reduction operation");
    const char *word = nccl_operation(reduction);
    int64_t id = integer_of(self, call, "NCCL communicator ID");
    char group[32];
    /* of a smaller communicator it is not known which ranks are in it */
    bool is_world = communicator && integer_of(self, communicator, "No. of ranks") ==
                                        self->processes.items[call->process - 1].communicator_size;
    int64_t peer = is_world ? integer_of(self, call, "Peer rank") : NONE;
    int length = snprintf(group, sizeof group, "0x%llx", (unsigned long long)id);
    desk_member_text(desk, "Collective name", view_of(name));
    if (communicator)
        desk_member(desk, "Group size", integer_of(self, communicator, "No. of ranks"));
    desk_member(desk, "Peer", integer_of(self, call, "Peer rank"));
    desk_member(desk, "Dst Rank", strcmp(name, "send") == 0 ? peer : NONE);
    desk_member(desk, "Src Rank", strcmp(name, "recv") == 0 ? peer : NONE);
    if (id != NONE)
        desk_member_text(desk, "Process Group Name", (struct view){group, (size_t)length});
    if (communicator)
        desk_member(desk, "Rank", integer_of(self, communicator, "Rank"));
    if (word)
        desk_member_text(desk, "Reduction", view_of(word));
    desk_member(desk, "Root Rank", integer_of(self, call, "Root"));
    draft_finish_arguments(self->desk.drafts.items[call->trace], number);
}

void nsys_link_nccl(struct nsys *self)
{
    struct map communicators = {0};
    collective_calls calls = {0};

    /* Communicators of a process, by the calls that make them; the largest says which rank it is.
     */
    for (size_t i = 0; i < self->payloads.calls.count; i++) {
        const struct nsys_nccl *call = &self->payloads.calls.items[i];
        int64_t id = integer_of(self, call, "NCCL communicator ID");
        int64_t size = integer_of(self, call, "No. of ranks");
        int64_t rank = integer_of(self, call, "Rank");
        if (id == NONE || size <= 0 || rank < 0)
            continue;
        uint32_t *known = map_put(&communicators, call->process, id);
        if (!*known)
            *known = (uint32_t)i + 1;
        struct nsys_process *process = &self->processes.items[call->process - 1];
        struct trace *trace = &self->desk.drafts.items[call->trace]->trace;
        if (size > process->communicator_size && rank < size) {
            process->communicator_size = trace->world_size = size;
            process->communicator_rank = rank;
        }
    }
    for (size_t i = 0; i < self->payloads.calls.count; i++) {
        const struct nsys_nccl *call = &self->payloads.calls.items[i];
        int64_t id = integer_of(self, call, "NCCL communicator ID");
        uint32_t made_by = id == NONE ? 0 : map_get(&communicators, call->process, id);
        struct draft *draft = self->desk.drafts.items[call->trace];
        uint32_t text = draft->trace.slices.items[call->slice].name;
        const char *name = nccl_collective(intern_view(&draft->trace.strings, text));
        struct collective_call collective = {.draft = draft, .slice = call->slice, .bytes = NONE};
        if (name) {
            collective.bytes = integer_of(self, call, "Message size [bytes]");
            collective.is_out = strcmp(name, "reduce_scatter") == 0 || strcmp(name, "recv") == 0;
            make_arguments(self, call, name,
                           made_by ? &self->payloads.calls.items[made_by - 1] : NULL,
                           &collective.arguments);
            note_count(&draft->trace.notes, NOTE_PAYLOAD_MISSING,
                       !call->payload && self->payloads.fields.count,
                       draft->trace.slices.items[call->slice].uid, -1);
        }
        collectives_add(&calls, &collective);
    }
    collectives_settle(&calls);
    for (size_t i = 0; i < self->desk.drafts.count; i++)
        collectives_tell(&calls, self->desk.drafts.items[i]);
}
