/* fuzz_ingest: the whole way of an input, from its bytes into a warehouse.
 *
 * The first byte tells how it is read; what follows is the file. Whatever it is, the reader
 * refuses it with a sentence or takes it; then its numbers are a preorder, the warehouse that it
 * is stored in passes every check of `tpq check`, and reading it again in another way gives the
 * same: as gzip, in small pieces, with --salvage.
 */
#include "tests/fuzz/piece.h"

#include "ingest/formats.h"
#include "ingest/store/store.h"
#include "ingest/trace/link.h"
#include "sql/belongings.h"
#include "sql/integrity.h"

#include <string.h>

/* The bits of the first byte. */
enum {
    BIT_NO_FRAMES = 1,
    BIT_KEEP_METADATA = 2,
    BIT_SALVAGE = 4,
    BIT_FILE_ORDER = 8,
    BIT_PIECES = 16,   /* as gzip with small members */
    BIT_THREADED = 32, /* decompressed in a thread */
    BIT_TWICE = 64,    /* read again in another way */
    BIT_REPLACE = 128, /* stored again over itself, and removed */
};

/* So much white space stands before an input in pieces, so that looking ahead does not join the
 * pieces again. */
enum { PADDING = SOURCE_PEEK_MAX - 64, PIECE_BYTES = 7 };

/* ------------------------------------------------------------------ reading */

struct reading {
    struct trace trace;
    struct error error;
    bool done;
};

static void read_piece(struct reading *self, const struct piece *piece, bool threaded,
                       const struct read_options *options)
{
    struct error *error = &self->error;
    *error = (struct error){0};
    trace_init(&self->trace);
    struct source *source = source_open(piece->path, threaded, NULL, error);
    const struct format *format = source ? format_detect(source, error) : NULL;
    self->done = format && format->read(source, options, &self->trace, error);
    if (self->done) {
        self->trace.format = format->name;
        self->trace.file_bytes = source_file_bytes(source);
        self->trace.content_bytes = source_content_bytes(source);
        source_hash(source, self->trace.hash);
        MUST(error->status == STATUS_OK);
    } else {
        MUST(error->status == STATUS_BAD_INPUT && *error->text);
    }
    source_close(source);
}

static void read_bytes(struct reading *self, const uint8_t *bytes, size_t length, unsigned way,
                       const struct read_options *options)
{
    struct piece piece;
    if (way & BIT_PIECES) {
        char *padded = malloc(PADDING + length);
        MUST(padded);
        memset(padded, ' ', PADDING);
        if (length)
            memcpy(padded + PADDING, bytes, length);
        piece_open_gzip(&piece, padded, PADDING + length, PIECE_BYTES);
        free(padded);
    } else if (way & BIT_THREADED) {
        piece_open_gzip(&piece, bytes, length, 0);
    } else {
        piece_open(&piece, bytes, length);
    }
    read_piece(self, &piece, way & BIT_THREADED, options);
    piece_close(&piece);
}

/* ------------------------------------------------------------------ what must hold */

static void check_preorder(const struct trace *trace)
{
    const struct tree *tree = &trace->tree;
    size_t count = trace->slices.count, depth = 0;
    uint32_t *open = calloc(count + 1, sizeof *open);
    MUST(open);
    for (size_t number = 0; number < count; number++) {
        uint32_t slice = tree->order[number];
        MUST(tree->number[slice] == number);
        while (depth && tree->number[open[depth - 1]] + tree->descendants[open[depth - 1]] < number)
            depth--;
        MUST(tree->parent[slice] == (depth ? open[depth - 1] + 1 : 0));
        size_t last = number + tree->descendants[slice], limit = count - 1;
        if (depth)
            limit = tree->number[open[depth - 1]] + tree->descendants[open[depth - 1]];
        MUST(last <= limit);
        MUST(tree->child_time[slice] >= 0);
        MUST(tree->child_time[slice] <= trace->slices.items[slice].duration);
        open[depth++] = slice;
    }
    free(open);
}

/* Every element of a list is a slice, a record, an end of an arrow, a name, or counted. */
static void check_elements(const struct trace *trace)
{
    const struct note_entry *notes = trace->notes.entries;
    static const enum note unused[] = {
        NOTE_NOT_AN_OBJECT, NOTE_PHASE_MISSING, NOTE_PHASE_UNUSED,      NOTE_METADATA_UNKNOWN,
        NOTE_TIME_MISSING,  NOTE_FLOW_UNUSED,   NOTE_TIME_OUT_OF_RANGE, NOTE_FRAME_LEFT_OUT,
    };
    int64_t sum = (int64_t)(trace->slices.count + trace->memory.count + trace->flows.count +
                            trace->labels.count);
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        sum += notes[unused[i]].count;
    bool again = notes[NOTE_DUPLICATE_KEY].count || notes[NOTE_SALVAGED].count;
    MUST(sum == trace->events || (again && sum > trace->events));
}

static void check_same(const struct reading *one, const struct reading *other)
{
    MUST(one->done == other->done);
    if (!one->done)
        return;
    const struct trace *a = &one->trace, *b = &other->trace;
    MUST(a->events == b->events && a->slices.count == b->slices.count);
    MUST(a->gpus.count == b->gpus.count && a->calls.count == b->calls.count);
    MUST(a->flows.count == b->flows.count && a->sequences.count == b->sequences.count);
    MUST(a->memory.count == b->memory.count && a->labels.count == b->labels.count);
    MUST(a->devices.count == b->devices.count && a->rank == b->rank);
    MUST(intern_count(&a->strings) == intern_count(&b->strings));
    MUST(intern_count(&a->arguments) == intern_count(&b->arguments));
    MUST(intern_count(&a->ops) == intern_count(&b->ops));
    MUST(intern_count(&a->places) == intern_count(&b->places));
    MUST(view_equal((struct view){a->metadata.items, a->metadata.count},
                    (struct view){b->metadata.items, b->metadata.count}));
    for (int i = 0; i < NOTE_COUNT; i++)
        MUST(a->notes.entries[i].count == b->notes.entries[i].count);
    if (a->slices.count)
        MUST(memcmp(a->slices.items, b->slices.items, a->slices.count * sizeof *a->slices.items) ==
             0);
}

static bool any_cut(const struct reading *reading)
{
    return reading->trace.notes.entries[NOTE_VALUE_CUT].count ||
           strstr(reading->error.text, "too deep") || strstr(reading->error.text, "too large");
}

/* What is not damaged is the same with --salvage, and in whatever pieces it comes. */
static void read_again(const struct reading *first, const uint8_t *bytes, size_t length,
                       unsigned way, const struct read_options *options)
{
    struct reading second;
    bool compressed = length > 1 && ((bytes[0] == 0x1F && bytes[1] == 0x8B) ||
                                     (bytes[0] == 'P' && bytes[1] == 'K'));
    bool marked =
        length && (bytes[0] == 0xEF || bytes[0] == 0x28 || bytes[0] == 'B' || bytes[0] == 0xFD);
    if (first->done && !options->salvage) {
        struct read_options salvage = *options;
        salvage.salvage = true;
        read_bytes(&second, bytes, length, way, &salvage);
        check_same(first, &second);
        trace_free(&second.trace);
    }
    if (compressed || marked || options->salvage || any_cut(first))
        return;
    read_bytes(&second, bytes, length, way ^ BIT_PIECES, options);
    if (!any_cut(&second))
        check_same(first, &second);
    trace_free(&second.trace);
}

/* ------------------------------------------------------------------ the warehouse */

static void report(void *context, const char *check, const char *finding)
{
    (void)context;
    if (finding)
        fprintf(stderr, "%s: %s\n", check, finding);
}

static int64_t ask(struct warehouse *warehouse, const char *sql)
{
    struct error error = {0};
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, &error);
    MUST(statement && sqlite3_step(statement) == SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static void check_warehouse(struct warehouse *warehouse)
{
    struct error error = {0};
    int64_t findings;
    MUST(integrity_check(warehouse, report, NULL, &findings, &error));
    MUST(findings == 0);
}

static void store_again(struct warehouse *warehouse, const struct trace *trace,
                        enum tree_order order)
{
    struct store_options options = {
        .run = "run", .path = "path", .rank = NONE, .order = order, .replace = true};
    struct error error = {0};
    int64_t id;
    MUST(store_trace(warehouse, trace, &options, &id, &error) == STORE_DONE);
    MUST(ask(warehouse, "SELECT count(*) FROM trace") == 1);
    check_warehouse(warehouse);
    MUST(belongings_delete_trace(warehouse, id, &error));
    MUST(ask(warehouse, "SELECT count(*) FROM event") == 0);
    check_warehouse(warehouse);
}

static void store(struct warehouse *warehouse, const struct trace *trace, enum tree_order order)
{
    struct store_options options = {.run = "run", .path = "path", .rank = NONE, .order = order};
    struct error error = {0};
    int64_t id, again;
    enum store_result result = store_trace(warehouse, trace, &options, &id, &error);
    if (result != STORE_DONE)
        fprintf(stderr, "%s\n", error.text);
    MUST(result == STORE_DONE);
    check_warehouse(warehouse);
    MUST(ask(warehouse, "SELECT count(*) FROM event") == (int64_t)trace->slices.count);
    MUST(ask(warehouse, "SELECT count(*) FROM gpu_event") == (int64_t)trace->gpus.count);
    MUST(ask(warehouse, "SELECT count(*) FROM slice") == (int64_t)trace->slices.count);
    MUST(ask(warehouse, "SELECT count(*) FROM args WHERE NOT json_valid(json)") == 0);
    MUST(ask(warehouse, "SELECT count(*) FROM trace WHERE NOT json_valid(metadata)") == 0);
    MUST(ask(warehouse,
             "SELECT count(*) FROM device WHERE NOT json_valid(coalesce(properties, 1))") == 0);
    MUST(ask(warehouse,
             "SELECT count(*) FROM signature WHERE NOT json_valid(coalesce(input_dims, 1)) OR NOT "
             "json_valid(coalesce(input_types, 1)) OR NOT json_valid(coalesce(input_strides, 1)) "
             "OR NOT json_valid(coalesce(concrete_inputs, 1))") == 0);
    MUST(store_trace(warehouse, trace, &options, &again, &error) == STORE_KNOWN_ALREADY);
    MUST(again == id);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct reading reading;
    if (length < 1)
        return 0;
    unsigned way = bytes[0];
    struct read_options options = {
        .no_frames = way & BIT_NO_FRAMES,
        .keep_metadata = way & BIT_KEEP_METADATA,
        .salvage = way & BIT_SALVAGE,
    };
    enum tree_order order = way & BIT_FILE_ORDER ? TREE_FILE_ORDER : TREE_LONGEST_FIRST;
    read_bytes(&reading, bytes + 1, length - 1, way, &options);
    reading.done = reading.done && !reading.trace.next; /* several are for fuzz_database */
    if (reading.done && strcmp(reading.trace.format, "kineto") == 0)
        check_elements(&reading.trace);
    if (way & BIT_TWICE)
        read_again(&reading, bytes + 1, length - 1, way, &options);
    if (reading.done) {
        struct warehouse warehouse;
        MUST(link_trace(&reading.trace, &reading.error));
        MUST(tree_build(&reading.trace, order, &reading.error));
        check_preorder(&reading.trace);
        MUST(warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &reading.error));
        store(&warehouse, &reading.trace, order);
        if (way & BIT_REPLACE)
            store_again(&warehouse, &reading.trace, order);
        MUST(sqlite3_next_stmt(warehouse.db, NULL) == NULL);
        warehouse_close(&warehouse);
    }
    trace_free(&reading.trace);
    return 0;
}
