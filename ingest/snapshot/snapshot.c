/* snapshot: memory snapshots of PyTorch: pickles of torch.cuda.memory._dump_snapshot. */
#include "ingest/snapshot/snapshot_reader.h"
#include "ingest/trace/format.h"

/* A pickle of protocol 2 to 5 that begins with a dict, a frame or a mark. */
static bool recognises(const unsigned char *bytes, size_t length)
{
    return length >= 3 && bytes[0] == PICKLE_PROTO && bytes[1] >= 2 && bytes[1] <= 5 &&
           (bytes[2] == PICKLE_EMPTY_DICT || bytes[2] == PICKLE_FRAME || bytes[2] == PICKLE_MARK);
}

/* Marks what is fetched from the memo. All opcodes are known and whole then. */
static bool find_fetched(struct snapshot *self)
{
    struct pickle *pickle = &self->pickle;
    do {
        if (!pickle_next(pickle))
            return false;
        if (pickle->opcode != PICKLE_BINGET && pickle->opcode != PICKLE_LONG_BINGET)
            continue;
        if (pickle->number >= pickle->place)
            return pickle_refuse(pickle, "fetches a value that is not there");
        size_t place = (size_t)pickle->number;
        if (place >= self->slots.count) {
            size_t more = place + 1 - self->slots.count;
            array_reserve(&self->slots, more);
            memset(self->slots.items + self->slots.count, 0, more * sizeof *self->slots.items);
            self->slots.count += more;
        }
        self->slots.items[place] = 1;
    } while (pickle->opcode != PICKLE_STOP);
    return source_drain(pickle->source, self->error);
}

static void add_words(struct snapshot *self)
{
    static const char *const words[] = {
#define WORD(name, text) text,
        SNAPSHOT_WORDS(WORD)
#undef WORD
    };
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        intern_add(&self->trace->strings, words[i], strlen(words[i]));
}

static bool read_top(struct snapshot *self)
{
    struct value top;
    const value_list *lists[3];
    static const enum snapshot_word keys[] = {WORD_SEGMENTS, WORD_DEVICE_TRACES, WORD_ANNOTATIONS};
    if (!snapshot_run(self, &top))
        return false;
    for (size_t i = 0; i < 3; i++) {
        /* The value of a key in a dict; None counts as none. */
        enum snapshot_word key = keys[i];
        const struct node *node = top.type == VALUE_NODE ? snapshot_node(self, &top) : NULL;
        const struct value *found = NULL;
        for (size_t j = 0; node && node->kind == NODE_DICT && j + 1 < node->items.count; j += 2)
            if (node->items.items[j].type == VALUE_TEXT && node->items.items[j].number == key)
                found = &node->items.items[j + 1];
        const struct value *value = found && found->type != VALUE_NONE ? found : NULL;
        lists[i] = value ? snapshot_list(self, value) : NULL;
        if (!lists[i] && (value || !i)) {
            snapshot_refuse(self, i ? "device_traces or external_annotations is no list"
                                    : "it has no list of segments");
            self->error->foreign = !i;
            return false;
        }
    }
    return snapshot_devices(self, lists[0], lists[1], lists[2]) &&
           source_drain(self->pickle.source, self->error);
}

struct snapshot *snapshot_open(struct source *source, struct trace *trace, const char *plain,
                               struct error *error)
{
    struct snapshot *self = memory_zeroed(1, sizeof *self);
    self->trace = trace;
    self->error = error;
    self->is_plain = plain != NULL;
    self->pickle.wanted = plain ? plain : "snapshots";
    pickle_open(&self->pickle, source, error);
    bool done = source_keep(source, error) && find_fetched(self) && source_rewind(source, error);
    pickle_open(&self->pickle, source, error);
    if (!done)
        return NULL;
    add_words(self);
    return self;
}

static bool snapshot_read_trace(struct source *source, const struct read_options *options,
                                struct trace *trace, struct error *error)
{
    trace->has_arrows = false;
    struct snapshot *self = snapshot_open(source, trace, NULL, error);
    if (self)
        self->has_no_labels = options->no_labels;
    bool done = self;
    if (done) {
        text_add_string(&trace->metadata, "{}");
        done = read_top(self);
    }
    trace->allocator_events = trace->events;
    if (trace->sampled != NONE)
        trace->clock_base = 0; /* Unix time */
    return done;
}

const struct format snapshot_format = {
    .name = "snapshot",
    .words = "PyTorch memory snapshot",
    .set = "snapshot",
    .endings = (const char *const[]){".pickle", ".pkl", NULL},
    .may_be_empty = true,
    .recognises = recognises,
    .read = snapshot_read_trace,
};
