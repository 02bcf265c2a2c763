/* reading: see reading.h. */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

#include "ingest/formats.h"
#include "ingest/input/json_text.h"
#include "ingest/trace/link.h"
#include "sql/warehouse/warehouse.h"

/* So much white space stands before JSON in pieces, so that looking ahead does not join the pieces
 * again. Nothing else may begin with white space. */
enum { PADDING = SOURCE_PEEK_MAX - 64, PIECE_BYTES = 31 };

/* ------------------------------------------------------------------ reading */

static void open_pieces(struct piece *piece, const void *bytes, size_t length)
{
    const char *text = bytes;
    if (length && text[0] != '{' && text[0] != '[') {
        piece_open_gzip(piece, bytes, length, PIECE_BYTES);
        return;
    }
    char *padded = memory_take(PADDING + length);
    MUST(padded);
    memset(padded, ' ', PADDING);
    if (length)
        memcpy(padded + PADDING, bytes, length);
    piece_open_gzip(piece, padded, PADDING + length, PIECE_BYTES);
    memory_free(padded);
}

static void read_source(struct reading *self, const struct format *format, struct source *source,
                        unsigned way)
{
    struct error *error = &self->error;
    struct read_options options = {.salvage = way & READING_SALVAGE,
                                   .no_frames = way & READING_NO_FRAMES,
                                   .keep_metadata = way & READING_METADATA};
    if (source && !format)
        format = format_detect(source, error);
    self->done = source && format && format_read(format, source, &options, &self->trace, error);
    bool is_said =
        self->done ? error->status == STATUS_OK : error->status == STATUS_BAD_INPUT && *error->text;
    if (!is_said)
        fprintf(stderr, "%d: %s\n", (int)error->status, error->text);
    MUST(is_said);
    for (struct trace *each = &self->trace; each && self->done; each = each->next) {
        each->format = format->name;
        each->file_bytes = source_file_bytes(source);
        each->content_bytes = source_content_bytes(source);
        source_hash(source, each->hash);
    }
}

void reading_start(void)
{
    static bool is_started;
    struct error error = {0};
    MUST(is_started || warehouse_start(&error));
    is_started = true;
}

void reading_make(struct reading *self, const struct format *format, const void *bytes,
                  size_t length, unsigned way)
{
    struct piece piece;
    reading_start();
    self->error = (struct error){0};
    trace_init(&self->trace);
    if (way & READING_PIECES)
        open_pieces(&piece, bytes, length);
    else if (way & READING_THREADED)
        piece_open_gzip(&piece, bytes, length, 0);
    else
        piece_open(&piece, bytes, length);
    /* two threads wait for each other in any order */
    bool threaded = way & READING_THREADED && !getenv("FUZZ_FIXED");
    struct source *source = source_open(piece.path, threaded, NULL, &self->error);
    read_source(self, format, source, way);
    source_close(source);
    piece_close(&piece);
}

void reading_free(struct reading *self)
{
    trace_free(&self->trace);
}

/* ------------------------------------------------------------------ what must hold */

static bool is_json(struct view text)
{
    struct text out = {0};
    struct json_repairs repairs = {0};
    bool is = json_canonical(text, &out, &repairs) == JSON_CANON_DONE &&
              view_equal(text, (struct view){out.items, out.count});
    text_free(&out);
    return is;
}

static bool is_json_or_none(const struct trace *trace, uint32_t text)
{
    return text <= intern_count(&trace->strings) &&
           (!text || is_json(intern_view(&trace->strings, text)));
}

/* Texts that are to be JSON are, in its one form. */
static void check_texts(const struct trace *trace)
{
    for (uint32_t i = 1; i <= intern_count(&trace->arguments); i++)
        MUST(is_json(intern_view(&trace->arguments, i)));
    for (uint32_t i = 1; i <= intern_count(&trace->ops); i++) {
        struct op op = trace_op(trace, i);
        MUST(op.name && op.name <= intern_count(&trace->strings));
        MUST(is_json_or_none(trace, op.dims) && is_json_or_none(trace, op.types));
        MUST(is_json_or_none(trace, op.strides) && is_json_or_none(trace, op.concrete));
    }
    for (size_t i = 0; i < trace->devices.count; i++)
        MUST(is_json_or_none(trace, trace->devices.items[i].properties));
    if (trace->metadata.count)
        MUST(is_json((struct view){trace->metadata.items, trace->metadata.count}));
}

static void check_slice(const struct trace *trace, const struct slice *slice)
{
    MUST(slice->name && slice->name <= intern_count(&trace->strings));
    MUST(slice->op <= intern_count(&trace->ops));
    MUST(slice->arguments <= intern_count(&trace->arguments));
    MUST(slice->place && slice->place <= intern_count(&trace->places));
    MUST(slice->category < trace->categories.count);
    MUST(slice->duration >= 0 && slice->duration <= DURATION_MAX);
    enum role role = trace_role(trace, slice);
    if (role == ROLE_GPU)
        MUST(slice->side < trace->gpus.count);
    else if (role == ROLE_CALL)
        MUST(slice->side < trace->calls.count);
    else if (slice->side & SIDE_OF_IDS)
        MUST(role == ROLE_OP || role == ROLE_FRAME);
    else
        MUST(slice->side <= trace->correlations.count);
}

/* Work and calls are slices that say so, and a call's list holds what says that it launched it. */
static void check_launches(const struct trace *trace)
{
    size_t slices = trace->slices.count, linked = 0;
    for (size_t i = 0; i < trace->gpus.count; i++) {
        const struct gpu_slice *gpu = &trace->gpus.items[i];
        MUST(gpu->slice < slices && trace->slices.items[gpu->slice].side == i);
        MUST(gpu->call <= trace->calls.count && gpu->next <= trace->gpus.count);
        linked += gpu->call != 0;
    }
    for (size_t i = 0; i < trace->calls.count; i++) {
        const struct call_slice *call = &trace->calls.items[i];
        MUST(call->slice < slices);
        /* Where no call is known, an op stands for it. */
        const struct slice *slice = &trace->slices.items[call->slice];
        MUST(slice->side == i || trace_role(trace, slice) == ROLE_OP);
        MUST(call->op <= slices && call->launcher <= slices);
        uint32_t count = 0;
        for (uint32_t at = call->first; at; at = trace->gpus.items[at - 1].next, count++)
            MUST(at <= trace->gpus.count && trace->gpus.items[at - 1].call == i + 1 &&
                 count < call->count);
        MUST(count == call->count);
        linked -= count;
    }
    for (size_t i = 0; i < trace->replays.count; i++)
        for (uint32_t at = trace->replays.items[i].first; at; linked--) {
            MUST(at <= trace->gpus.count && trace->gpus.items[at - 1].call);
            at = trace->gpus.items[at - 1].next;
        }
    MUST(linked == 0);
    for (size_t i = 0; i < trace->origins.count; i++)
        MUST(trace->origins.count == trace->gpus.count && trace->origins.items[i] <= slices);
    for (size_t i = 0; i < trace->edges.count; i++)
        MUST(trace->edges.items[i].from < slices && trace->edges.items[i].to < slices);
}

static void check_preorder(const struct trace *trace)
{
    const struct tree *tree = &trace->tree;
    size_t count = trace->slices.count, depth = 0;
    uint32_t *open = memory_zeroed(count + 1, sizeof *open);
    MUST(open);
    for (size_t number = 0; number < count; number++) {
        uint32_t slice = tree->order[number];
        MUST(slice < count && tree->number[slice] == number);
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
    memory_free(open);
}

/* Rows that only some formats state name slices, texts and rows that are there. */
static void check_fact(const struct trace *trace, const void *row, const struct fact_column *column)
{
    size_t count = SIZE_MAX;
    switch (column->type) {
    case FACT_EVENT:
        count = trace->slices.count - 1;
        break;
    case FACT_TEXT:
    case FACT_WORD:
    case FACT_STRING:
        count = intern_count(&trace->strings);
        break;
    case FACT_OP:
        count = intern_count(&trace->ops);
        break;
    default:
        return;
    }
    MUST(fact_number(row, column) <= count);
}

static void check_facts(const struct trace *trace)
{
    for (size_t i = 0; i < trace->facts.count; i++) {
        const struct fact_list *list = &trace->facts.items[i];
        for (size_t row = 0; row < list->count; row++)
            for (const struct fact_column *column = list->table->columns; column->name; column++)
                check_fact(trace, fact_row(list, row), column);
    }
}

void reading_check(struct reading *self, enum tree_order order)
{
    for (struct trace *each = &self->trace; each && self->done; each = each->next) {
        link_trace(each);
        tree_build(each, order);
        check_texts(each);
        for (size_t i = 0; i < each->slices.count; i++)
            check_slice(each, &each->slices.items[i]);
        check_launches(each);
        check_facts(each);
        check_preorder(each);
    }
}

void reading_try(const struct format *format, const void *bytes, size_t length, unsigned way)
{
    struct reading reading;
    reading_make(&reading, format, bytes, length, way);
    reading_check(&reading, TREE_LONGEST_FIRST);
    reading_free(&reading);
}
