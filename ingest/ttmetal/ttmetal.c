/* ttmetal: the file of a tt-metal op table; see ttmetal_header.h.
 *
 * libcsv parses; its fields have no limit of their own, so one is set here. A file that ends
 * within a row, or within quotes, has broken off.
 */
#include "ingest/ttmetal/ttmetal_reader.h"

#include <stdlib.h>
#include <string.h>

#ifndef TPQ_SMALL_WINDOWS
enum { CHUNK = 64 << 10, FIELD_MAX = 8 << 20, COLUMNS_MAX = 4096 };
#else
enum { CHUNK = 16, FIELD_MAX = 4096, COLUMNS_MAX = 64 };
#endif

static void take_row(struct ttmetal_reader *self)
{
    if (!self->has_header) {
        for (size_t i = 0; i < self->ends.count; i++)
            ttmetal_header_add(&self->header, ttmetal_cell(self, i));
        self->has_header = true;
        if (!ttmetal_header_settle(&self->header, source_path(self->source), self->error)) {
            self->has_failed = true;
            return;
        }
        if (self->header.repeated)
            note_count(&self->trace->notes, NOTE_COLUMN_REPEATED, (int64_t)self->header.repeated,
                       -1, -1);
        return;
    }
    if (self->ends.count > self->header.fields.count) {
        self->has_failed = true;
        error_set(self->error, STATUS_BAD_INPUT, "%s: row %u has %zu cells, the header has %zu",
                  source_path(self->source), ttmetal_row_number(self), self->ends.count,
                  self->header.fields.count);
        return;
    }
    if (self->trace->events >= UINT32_MAX - TTMETAL_FIRST_LINE) {
        self->has_failed = true;
        error_set(self->error, STATUS_BAD_INPUT, "%s: too many rows", source_path(self->source));
        return;
    }
    if (self->ends.count < self->header.fields.count)
        ttmetal_note(self, NOTE_ROW_SHORT, 1);
    ttmetal_add_row(self);
}

/* ------------------------------------------------------------------ the file */

static void field_ended(void *bytes, size_t length, void *context)
{
    struct ttmetal_reader *self = context;
    self->since_field = 0;
    if (self->has_failed)
        return;
    if (!self->has_header && self->ends.count >= COLUMNS_MAX) {
        self->has_failed = true;
        error_set(self->error, STATUS_BAD_INPUT, "%s: more than %d columns",
                  source_path(self->source), COLUMNS_MAX);
        return;
    }
    size_t *end = array_push(&self->ends);
    text_add(&self->row, length ? bytes : "", length);
    *end = self->row.count;
}

/* In the last row of an input that has no line end, cells may be missing for another reason than
 * in others. */
static bool breaks_off(const struct ttmetal_reader *self)
{
    return self->in_last_row && (!self->has_header || self->ends.count < self->header.fields.count);
}

static void row_ended(int terminator, void *context)
{
    struct ttmetal_reader *self = context;
    (void)terminator;
    if (!self->has_failed && breaks_off(self)) {
        self->has_failed = true;
        error_set(self->error, STATUS_BAD_INPUT, "%s: breaks off in row %lld",
                  source_path(self->source),
                  self->has_header ? (long long)ttmetal_row_number(self) : 1LL);
    }
    if (!self->has_failed)
        take_row(self);
    self->ends.count = 0;
    text_clear(&self->row);
}

static int never_space(unsigned char byte)
{
    (void)byte;
    return 0; /* cells are what stands between the commas */
}

static bool read_all(struct ttmetal_reader *self)
{
    char *chunk = memory_take(CHUNK);
    bool is_first = true;
    ptrdiff_t got = 0;
    const unsigned char *start;
    size_t skip = 0;
    if (source_peek(self->source, &start, 3, self->error) >= 3 &&
        memcmp(start, "\xEF\xBB\xBF", 3) == 0)
        skip = 3;
    while (!self->has_failed && (got = source_read(self->source, chunk, CHUNK, self->error)) > 0) {
        size_t from = is_first && (size_t)got >= skip ? skip : 0;
        is_first = false;
        self->trace->allowance.input += (uint64_t)got;
        self->last_byte = chunk[got - 1];
        size_t length = (size_t)got - from;
        if (csv_parse(&self->csv, chunk + from, length, field_ended, row_ended, self) != length) {
            csv_free(&self->csv);
            memory_fail();
        }
        self->since_field += length;
        if (self->since_field > FIELD_MAX + CHUNK && !self->has_failed) {
            self->has_failed = true;
            error_set(self->error, STATUS_BAD_INPUT, "%s: a cell of row %u is longer than %d bytes",
                      source_path(self->source), ttmetal_row_number(self), FIELD_MAX);
        }
    }
    memory_free(chunk);
    if (self->has_failed || got != 0)
        return false;

    /* Ends the last row. Quotes that are open there were to be closed. */
    csv_set_opts(&self->csv, CSV_STRICT | CSV_STRICT_FINI);
    self->in_last_row = self->last_byte != '\n' && self->last_byte != '\r';
    if (csv_fini(&self->csv, field_ended, row_ended, self) != 0) {
        self->has_failed = true;
        return error_set(self->error, STATUS_BAD_INPUT, "%s: breaks off within quotes in row %u",
                         source_path(self->source), ttmetal_row_number(self));
    }
    if (!self->has_failed && !self->has_header) {
        self->has_failed = true;
        return error_set(self->error, STATUS_BAD_INPUT, "%s: there is no header",
                         source_path(self->source));
    }
    return !self->has_failed;
}

/* The rows of a damaged input before the damage. */
static bool salvage(struct ttmetal_reader *self)
{
    if (!self->has_header || !self->trace->events || self->error->status != STATUS_BAD_INPUT ||
        !salvage_now(self->options, self->error))
        return false;
    note_count(&self->trace->notes, NOTE_SALVAGED, 1, ttmetal_row_number(self), -1);
    return true;
}

static void add_list(struct ttmetal_reader *self, const char *name, size_t count)
{
    text_format(&self->json, "%s\"%s\":[", self->json.count > 1 ? "," : "", name);
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_add_byte(&self->json, ',');
        if (strcmp(name, "worker_cores") == 0)
            text_format(&self->json, "%lld", (long long)self->core_counts.items[i]);
        else if (strcmp(name, "architectures") == 0)
            ttmetal_add_json(self, intern_view(&self->trace->strings, self->archs.items[i]));
        else
            ttmetal_add_json(self, view_of(self->header.fields.items[i].name));
    }
    text_add_byte(&self->json, ']');
}

static bool recognises(const unsigned char *bytes, size_t length)
{
    struct view text = {(const char *)bytes, length};
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        text = (struct view){text.bytes + 3, length - 3};
    while (text.length && (*text.bytes == '\n' || *text.bytes == '\r'))
        text = (struct view){text.bytes + 1, text.length - 1};
    size_t line = 0;
    while (line < text.length && text.bytes[line] != '\n' && text.bytes[line] != '\r')
        line++;
    return ttmetal_is_header((struct view){text.bytes, line});
}

static bool ttmetal_read_trace(struct source *source, const struct read_options *options,
                               struct trace *trace, struct error *error)
{
    struct ttmetal_reader self = {
        .source = source, .options = options, .trace = trace, .error = error};
    if (csv_init(&self.csv, 0) != 0)
        memory_fail();
    csv_set_space_func(&self.csv, never_space);
    csv_set_blk_size(&self.csv, CHUNK);
    trace->has_launches = false;
    bool done = read_all(&self) || salvage(&self);
    if (done) {
        /* Metadata of the whole file: its columns, architectures and core counts. */
        text_clear(&self.json);
        text_add_byte(&self.json, '{');
        add_list(&self, "architectures", self.archs.count);
        add_list(&self, "columns", self.header.fields.count);
        text_format(&self.json, ",\"version\":\"%s\"", self.header.version);
        add_list(&self, "worker_cores", self.core_counts.count);
        text_add_byte(&self.json, '}');
        text_add(&self.trace->metadata, self.json.items, self.json.count);
        facts_give(&trace->facts, &device_op_facts, &self.ops);
    }
    csv_free(&self.csv);
    return done;
}

const struct format ttmetal_format = {
    .name = "ttmetal",
    .words = "tt-metal op CSV",
    .set = "tt",
    .endings = (const char *const[]){".csv", NULL},
    .prefix = "ops_perf_results", /* other CSV files may be anything */
    .plain_names = (const char *const[]){"ops_perf_results", NULL},
    .may_be_empty = true, /* the header of a table is enough */
    .recognises = recognises,
    .read = ttmetal_read_trace,
};
