/* draft: rows become slices, texts and places of a draft as they come. Once all are there, each
 * draft is put into order, drafts get their ranks, and their traces become one behind the other. */
#include "ingest/trace/draft.h"

#include "ingest/trace/op_text.h"
#include "ingest/trace/order.h"
#include "src/base/number.h"
#include "src/base/order.h"

enum { TEXT_BYTES_MAX = 16 << 20 };

bool desk_open(struct desk *self, struct source *source, const struct read_options *options,
               struct error *error)
{
    *self = (struct desk){.error = error,
                          .path = source_path(source),
                          .database = database_open(source, error),
                          .options = options,
                          .ending = "",
                          .window_end = NONE,
                          .last_end = INT64_MIN};
    if (!self->database || !database_is_cut(self->database))
        return self->database != NULL;
    note_count(&self->notes, NOTE_SALVAGED, 1, -1, -1);
    error_set(error, STATUS_BAD_INPUT,
              "%s: the file breaks off: it has fewer pages than its header says", self->path);
    return salvage_now(options, error);
}

struct draft *desk_add_draft(struct desk *self)
{
    struct draft *draft = memory_zeroed(1, sizeof *draft);
    trace_init(&draft->trace);
    draft->desk = self;
    draft->trace.has_arrows = false;
    draft->trace.has_domains = true;
    draft->trace.id_bits = ((int64_t)1 << DRAFT_ID_BITS) - 1;
    draft->device = draft->pid = draft->rank = NONE;
    array_add(&self->drafts, draft);
    return draft;
}

const char *desk_table_name(struct desk *self, const char *name)
{
    text_clear(&self->name);
    text_format(&self->name, "%s%s", name, self->ending);
    return self->name.items;
}

bool desk_count_unused(struct desk *self, const char *table)
{
    struct rows_of *rows = database_rows(self->database, table, NULL, 0, NULL, self->error);
    enum rows_step step = ROWS_FAILED;
    while (rows && (step = rows_step(rows, self->error)) == ROWS_NEXT)
        ;
    if (rows)
        note_count(&self->notes, NOTE_TABLE_UNUSED, rows_number(rows), -1, -1);
    database_rows_close(rows);
    return step == ROWS_END;
}

void desk_add_object(struct text *out, const char *key, const struct text *members)
{
    text_format(out, "%s\"%s\":{", out->count > 1 ? "," : "", key);
    if (members->count)
        text_add(out, members->items + 1, members->count - 1);
    text_add_byte(out, '}');
}

void draft_note(struct draft *self, enum note note)
{
    note_count(&self->trace.notes, note, 1, self->desk->uid, -1);
}

/* ------------------------------------------------------------------ texts */

void draft_keep(struct draft *self, struct view text, uint32_t *number)
{
    struct view plain;
    if (text.length > TEXT_BYTES_MAX) {
        text.length = TEXT_BYTES_MAX;
        draft_note(self, NOTE_VALUE_CUT);
    }
    plain_text(text, &self->desk->scratch, &self->trace.notes, self->desk->uid, &plain);
    *number = intern_add(&self->trace.strings, plain.bytes, plain.length);
}

struct view draft_base(struct view path)
{
    for (size_t i = path.length; i-- > 0;)
        if (path.bytes[i] == '/' || path.bytes[i] == '\\')
            return (struct view){path.bytes + i + 1, path.length - i - 1};
    return path;
}

/* ------------------------------------------------------------------ places */

uint32_t draft_place(struct draft *self, int64_t first, int64_t second, int64_t process,
                     int64_t thread)
{
    uint32_t *known = map_put(&self->places, first, second);
    if (!*known)
        *known =
            trace_add_place(&self->trace, process, thread, self->desk->path, self->desk->error);
    return *known;
}

/* ------------------------------------------------------------------ values */

int64_t draft_integer(struct draft *self, struct rows_of *rows, size_t column)
{
    int64_t value;
    if (!rows_have(rows, column))
        return NONE;
    enum value_kind kind = rows_integer(rows, column, &value);
    if (kind == VALUE_FINE && value != NONE)
        return value;
    if (kind != VALUE_NULL)
        draft_note(self, NOTE_VALUE_ODD);
    return NONE;
}

bool draft_moment(struct draft *self, struct rows_of *rows, size_t column, int64_t *time)
{
    enum value_kind kind = rows_integer(rows, column, time);
    if (kind != VALUE_FINE) {
        draft_note(self, kind == VALUE_NULL ? NOTE_TIME_MISSING : NOTE_VALUE_ODD);
        if (kind != VALUE_NULL)
            draft_note(self, NOTE_TIME_MISSING);
        return false;
    }
    if (__builtin_sub_overflow(*time, self->desk->clock_shift, time) || *time > TIME_MAX ||
        *time < -TIME_MAX) {
        draft_note(self, NOTE_TIME_OUT_OF_RANGE);
        return false;
    }
    return true;
}

bool draft_time(struct draft *self, struct rows_of *rows, size_t start, size_t end,
                bool may_be_open, struct draft_time *time)
{
    int64_t stop;
    *time = (struct draft_time){0};
    if (!draft_moment(self, rows, start, &time->start))
        return false;
    enum value_kind kind = rows_integer(rows, end, &stop);
    bool is_fine = kind == VALUE_FINE &&
                   !__builtin_sub_overflow(stop, self->desk->clock_shift, &stop) &&
                   !__builtin_sub_overflow(stop, time->start, &time->duration);
    time->is_open = may_be_open && kind == VALUE_NULL;
    if (may_be_open && is_fine && stop == self->desk->window_end) /* some exports end them there */
        draft_note(self, NOTE_RANGE_OPEN);
    if (time->is_open) {
        time->duration = 0;
        draft_note(self, NOTE_RANGE_OPEN);
        return true;
    }
    if (!is_fine) {
        time->duration = 0;
        draft_note(self, NOTE_DURATION_MISSING);
        return true;
    }
    trace_clip(&self->trace, &time->duration, self->desk->uid, -1);
    if (time->start + time->duration > self->desk->last_end)
        self->desk->last_end = time->start + time->duration;
    return true;
}

struct slice *draft_slice(struct draft *self, const struct draft_time *time, enum category category,
                          uint32_t place, uint32_t name, uint32_t arguments)
{
    struct slice *slice = array_push(&self->trace.slices);
    *slice = (struct slice){
        .start = time->start,
        .duration = time->duration,
        .name = name,
        .uid = (uint32_t)self->desk->uid,
        .arguments = arguments,
        .place = place & 0xFFFFFF,
        .category = (unsigned)category & 0xFF,
    };
    if (time->start < 0)
        draft_note(self, NOTE_BEFORE_WINDOW);
    return slice;
}

/* ------------------------------------------------------------------ arguments */

uint32_t *draft_arguments(struct draft *self, const void *numbers, size_t length)
{
    uint32_t shape = intern_add(&self->shapes, numbers, length);
    while (self->shape_arguments.count <= shape)
        array_add(&self->shape_arguments, 0);
    return &self->shape_arguments.items[shape];
}

static void begin_member(struct desk *self, const char *key)
{
    text_format(&self->json, "%c\"%s\":", self->json.count ? ',' : '{', key);
}

void desk_member(struct desk *self, const char *key, int64_t value)
{
    if (value == NONE)
        return;
    begin_member(self, key);
    text_format(&self->json, "%lld", (long long)value);
}

void desk_member_real(struct desk *self, const char *key, double value)
{
    begin_member(self, key);
    number_add_real(&self->json, value);
}

void desk_member_text(struct desk *self, const char *key, struct view text)
{
    begin_member(self, key);
    text_add_json(&self->json, text);
}

void desk_member_object(struct desk *self, const char *key, struct view json)
{
    begin_member(self, key);
    text_add_view(&self->json, json);
}

void desk_member_three(struct desk *self, const char *key, const int64_t values[3])
{
    if (values[0] == NONE || values[1] == NONE || values[2] == NONE)
        return;
    begin_member(self, key);
    text_format(&self->json, "[%lld,%lld,%lld]", (long long)values[0], (long long)values[1],
                (long long)values[2]);
}

void desk_finish_arguments(struct desk *self, struct trace *trace, uint32_t *number)
{
    *number = 0;
    if (!self->json.count)
        return;
    text_add_byte(&self->json, '}');
    *number = intern_add(&trace->arguments, self->json.items, self->json.count);
    text_clear(&self->json);
}

void draft_finish_arguments(struct draft *self, uint32_t *number)
{
    desk_finish_arguments(self->desk, &self->trace, number);
}

/* ------------------------------------------------------------------ calls and ops */

const struct slice *draft_call(struct draft *self, int64_t correlation)
{
    if (correlation == NONE)
        return NULL;
    if (!self->calls_indexed) {
        for (size_t i = 0; i < self->trace.calls.count; i++) {
            const struct call_slice *call = &self->trace.calls.items[i];
            if (call->correlation != NONE)
                map_set(&self->calls, 0, call->correlation, call->slice + 1);
        }
        self->calls_indexed = true;
    }
    uint32_t slice = map_get(&self->calls, 0, correlation);
    return slice ? &self->trace.slices.items[slice - 1] : NULL;
}

static void keep_op(struct draft *self, const struct op_text *read, uint32_t *name,
                    uint32_t *number)
{
    struct op op = {0};
    draft_keep(self, read->name, &op.name);
    if (read->has_sizes)
        op.dims = intern_add(&self->trace.strings, self->desk->json.items, self->desk->json.count);
    *name = op.name;
    *number = intern_add(&self->trace.ops, &op, sizeof op);
}

static void keep_op_range(struct draft *self, uint32_t process, const struct op_text *read,
                          struct view text, uint32_t slice)
{
    struct op_range *call = array_push(&self->op_ranges);
    *call = (struct op_range){
        .slice = slice,
        .sequence = read->sequence >= 0 ? read->sequence : NONE,
        .number = read->call ? read->call : NONE,
    };
    if (!read->is_as_made)
        draft_keep(self, text, &call->text);
    if (read->has_inputs)
        draft_note(self, NOTE_DATA_EDGES_LEFT_OUT);
    if (read->sequence < 0 || read->sequence >> DRAFT_ID_BITS)
        return;
    struct sequence *sequence = array_push(&self->trace.sequences);
    *sequence = (struct sequence){.number = (int64_t)process << DRAFT_ID_BITS | read->sequence,
                                  .slice = slice};
}

void draft_op(struct draft *self, uint32_t process, const struct draft_time *time, uint32_t place,
              struct view text, bool *is_op)
{
    struct op_text read;
    uint32_t name = 0, op = 0;
    text_clear(&self->desk->json);
    enum op_text_kind kind = op_text_read(text, &read, &self->desk->json);
    if (kind == OP_TEXT_UNREAD)
        draft_note(self, NOTE_OP_TEXT_UNREAD);
    *is_op = kind == OP_TEXT_OP;
    if (*is_op)
        keep_op(self, &read, &name, &op);
    text_clear(&self->desk->json);
    if (!*is_op)
        return;
    struct slice *slice = draft_slice(self, time, CATEGORY_OP, place, name, 0);
    slice->op = op;
    keep_op_range(self, process, &read, text, (uint32_t)self->trace.slices.count - 1);
}

/* ------------------------------------------------------------------ tables */

/* Reads the rows of a table, which is one or the other. */
static bool read_rows(struct desk *self, const char *const *columns, size_t count, uint64_t needed,
                      const struct desk_table *table, const struct desk_list *list,
                      bool may_break_off, void *reader)
{
    int64_t values[DESK_LIST_COLUMNS_MAX], first = self->uid;
    enum rows_step step = ROWS_FAILED;
    struct rows_of *rows =
        database_rows(self->database, self->name.items, columns, count, NULL, self->error);
    bool done = rows != NULL, is_readable = done;
    for (size_t i = 0; done && i < count; i++)
        is_readable &= !(needed >> i & 1) || rows_have(rows, i);
    while (done && (step = rows_step(rows, self->error)) == ROWS_NEXT) {
        for (size_t i = 0; list && i < count; i++)
            if (rows_integer(rows, i, &values[i]) != VALUE_FINE)
                values[i] = NONE;
        if (is_readable)
            done = table ? table->read(reader, rows, table) : list->read(reader, rows, values);
        if (done && may_break_off && ++self->uid >= UINT32_MAX)
            done = error_set(self->error, STATUS_BAD_INPUT, "%s: more than %lld rows", self->path,
                             (long long)UINT32_MAX);
    }
    done &= step == ROWS_END;
    if (rows && !is_readable)
        note_count(&self->notes, NOTE_COLUMN_MISSING, rows_number(rows), -1, -1);
    if (!done && self->error->status == STATUS_BAD_INPUT && self->uid > first &&
        salvage_now(self->options, self->error)) {
        note_count(&self->notes, NOTE_SALVAGED, 1, self->uid, -1);
        text_clear(&self->json); /* the row that broke off may have begun an object */
        done = true;
    }
    database_rows_close(rows);
    return done;
}

bool desk_read_table(struct desk *self, const struct desk_table *table, void *reader)
{
    const char *names[DRAFT_COLUMNS_MAX];
    uint64_t needed = 0;
    int64_t first = self->uid;
    if (!database_has(self->database, desk_table_name(self, table->name)))
        return true;
    for (size_t i = 0; i < table->count; i++) {
        names[i] = table->columns[i].name;
        needed |= (uint64_t)(table->columns[i].type == DRAFT_NEEDED) << i;
    }
    if (!read_rows(self, names, table->count, needed, table, NULL, true, reader))
        return false;
    text_format(&self->tables, "%c\"%s\":[%lld,%lld]", self->tables.count ? ',' : '{', table->name,
                (long long)first, (long long)(self->uid - first));
    return true;
}

bool desk_read_tables(struct desk *self, const struct desk_table *tables, void *reader)
{
    bool done = true;
    for (; tables->name && done; tables++)
        done = desk_read_table(self, tables, reader);
    return done;
}

bool desk_read_lists(struct desk *self, const struct desk_list *lists, bool may_break_off,
                     void *reader)
{
    int64_t first = self->uid;
    bool done = true;
    for (; lists->name && done; lists++) {
        size_t count = 0;
        while (lists->columns[count])
            count++;
        desk_table_name(self, lists->name);
        done = read_rows(self, lists->columns, count, lists->needed, NULL, lists, may_break_off,
                         reader);
        self->uid = first;
    }
    return done;
}

void draft_row_read(struct draft_row *self, struct rows_of *rows, const struct desk_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct draft_column *column = &table->columns[i];
        if (!column->at || !column->name || column->type >= DRAFT_REAL)
            continue;
        int64_t value = draft_integer(self->draft, rows, i);
        memcpy((char *)self + column->at, &value, sizeof value);
    }
}

/* Adds an argument to the object in hand; false: it is none, or would be none where `adds` is
 * false. */
static bool add_argument(const struct draft_row *self, const struct draft_column *column, bool adds)
{
    int64_t values[3];
    double real;
    struct desk *desk = self->draft->desk;
    memcpy(values, (const char *)self + column->at,
           (column->type == DRAFT_THREE ? 3 : 1) * sizeof *values);
    bool is_word = values[0] >= 0 && (uint64_t)values[0] < column->word_count;
    const char *word = is_word ? column->words[values[0]] : NULL;
    switch (column->type) {
    case DRAFT_THREE:
        if (adds)
            desk_member_three(desk, column->key, values);
        return values[0] != NONE && values[1] != NONE && values[2] != NONE;
    case DRAFT_REAL:
        memcpy(&real, values, sizeof real);
        if (adds && real == real)
            desk_member_real(desk, column->key, real);
        return real == real;
    case DRAFT_TEXT:
        if (adds && values[0])
            desk_member_text(desk, column->key,
                             intern_view(&self->draft->trace.strings, (uint32_t)values[0]));
        return values[0];
    case DRAFT_WORD:
        if (adds && word)
            desk_member_text(desk, column->key, view_of(word));
        return word;
    default:
        if (column->type == DRAFT_SOME)
            values[0] = unless_zero(values[0]);
        if (adds)
            desk_member(desk, column->key, values[0]);
        return values[0] != NONE;
    }
}

void draft_row_arguments(struct draft_row *self, const struct desk_table *table)
{
    int64_t numbers[3 * DRAFT_COLUMNS_MAX] = {(int64_t)(intptr_t)table->columns};
    size_t count = 1;
    bool has_any = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct draft_column *column = &table->columns[i];
        if (!column->key)
            continue;
        size_t length = column->type == DRAFT_THREE ? 3 : 1;
        memcpy(numbers + count, (const char *)self + column->at, length * sizeof *numbers);
        count += length;
        has_any |= add_argument(self, column, false);
    }
    self->arguments = 0;
    if (!has_any)
        return;
    uint32_t *known = draft_arguments(self->draft, numbers, count * sizeof *numbers);
    if (!*known) {
        for (size_t i = 0; i < table->count; i++)
            if (table->columns[i].key)
                add_argument(self, &table->columns[i], true);
        draft_finish_arguments(self->draft, known);
    }
    self->arguments = *known;
}

struct slice *draft_row_add(const struct draft_row *self)
{
    struct draft *draft = self->draft;
    struct trace *trace = &draft->trace;
    uint32_t index = (uint32_t)trace->slices.count, side = 0;
    enum role role = category_role((int)self->category);
    if (role == ROLE_GPU) {
        bool has_device = self->device >= 0 && self->device <= INT32_MAX;
        array_add(&trace->gpus,
                  (struct gpu_slice){.slice = index,
                                     .device = has_device ? (int32_t)self->device : -1,
                                     .stream = self->stream,
                                     .bytes = self->bytes,
                                     .correlation = self->correlation,
                                     .external = self->external});
        if (self->device >= 0 && (draft->device == NONE || self->device < draft->device))
            draft->device = self->device;
        side = (uint32_t)trace->gpus.count - 1;
    } else if (role == ROLE_CALL) {
        array_add(&trace->calls, (struct call_slice){.slice = index,
                                                     .correlation = self->correlation,
                                                     .external = self->external});
        side = (uint32_t)trace->calls.count - 1;
    }
    struct slice *slice =
        draft_slice(draft, &self->time, self->category, self->place, self->name, self->arguments);
    slice->side = side;
    return slice;
}

/* ------------------------------------------------------------------ memory */

ORDER_BY(compare_records, struct memory_record, UP(time) || UP(uid));

void trace_sum_memory(struct trace *into)
{
    struct map places = {0};
    ARRAY(int64_t) sums = {0};
    if (!into->memory.count)
        return;
    note_count(&into->notes, NOTE_MEMORY_FROM_ZERO, 1, -1, -1);
    array_sort(&into->memory, compare_records);
    for (size_t i = 0; i < into->memory.count; i++) {
        struct memory_record *record = &into->memory.items[i];
        uint32_t *place = map_put(&places, record->device, record->allocated);
        if (!*place) {
            int64_t *added = array_push(&sums);
            *added = 0;
            *place = (uint32_t)sums.count;
        }
        int64_t *sum = &sums.items[*place - 1];
        if (record->bytes != NONE && __builtin_add_overflow(*sum, record->bytes, sum))
            *sum = 0;
        record->allocated = *sum;
    }
    map_free(&places);
    array_free(&sums);
}

/* ------------------------------------------------------------------ one trace */

void draft_finish(struct draft *self)
{
    uint32_t *places;
    order_trace(&self->trace, &places);
    op_ranges_sort(&self->op_ranges, places);
    counters_sort_work(&self->counters, places);
    for (size_t i = 0; i < self->trace.recorded.count; i++) {
        struct recorded *recorded = &self->trace.recorded.items[i];
        *recorded = (struct recorded){places[recorded->work], places[recorded->op]};
    }

    /* Edges between slices as they stand now. */
    for (size_t i = 0; i < self->edges.count; i++) {
        const struct edge *edge = &self->edges.items[i];
        array_add(&self->trace.edges,
                  (struct edge){places[edge->from], places[edge->to], edge->kind});
    }
    memory_free(places);
    facts_give(&self->trace.facts, &op_range_facts, &self->op_ranges);
    counters_give(&self->counters, &self->trace);
    page_faults_give(&self->page_faults, &self->trace);
    threads_give(&self->trace, self->desk->window_end > self->desk->last_end
                                   ? self->desk->window_end
                                   : self->desk->last_end);
}

/* ------------------------------------------------------------------ ranks */

/* Work first, then by rank, device and process. */
ORDER_BY(compare_drafts, struct draft *,
         BY_LESS((*b)->has_work, (*a)->has_work) || BY_LESS((*a)->rank, (*b)->rank) ||
             BY_LESS((*a)->device, (*b)->device) || BY_LESS((*a)->pid, (*b)->pid));

void desk_hand_over(struct desk *self, struct trace *first)
{
    note_count(&self->notes, NOTE_VIEW_UNUSED, database_passed_over(self->database), -1, -1);
    array_sort(&self->drafts, compare_drafts);
    if (!self->drafts.count)
        first->has_arrows = false;

    /* Where several processes have work and nobody says which rank they are, it is their order. */
    struct draft **drafts = self->drafts.items;
    size_t count = self->drafts.count, working = 0, stated = 0;
    bool is_clear = true;
    for (size_t i = 0; i < count; i++) {
        working += drafts[i]->has_work;
        stated += drafts[i]->has_work && drafts[i]->rank != NONE;
        for (size_t j = 0; j < i && drafts[i]->rank != NONE; j++)
            is_clear &= drafts[j]->rank != drafts[i]->rank;
    }
    is_clear &= stated == working || working < 2;
    for (size_t i = 0; i < count && !is_clear; i++)
        drafts[i]->rank = i < working && working > 1 ? (int64_t)i : NONE;
    if (!is_clear && working >= 2)
        note_count(&self->notes, NOTE_RANK_GUESSED, (int64_t)working, -1, -1);

    /* Moves the traces into `first` and those behind it. */
    for (size_t i = self->drafts.count; i-- > 0;) {
        struct trace *made = &self->drafts.items[i]->trace;
        made->rank = self->drafts.items[i]->rank;
        trace_move(made, first, i == 0);
    }
    static const enum note of_all[] = {NOTE_SALVAGED, NOTE_PROFILER_LOST}; /* of all processes */
    for (struct trace *other = first->next; other; other = other->next)
        for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
            note_count(&other->notes, of_all[i], self->notes.entries[of_all[i]].count, -1, -1);
    for (int i = 0; i < NOTE_COUNT; i++) {
        const struct note_entry *entry = &self->notes.entries[i];
        note_add(&first->notes.entries[i], entry->count, entry->uid, entry->offset);
    }
}
