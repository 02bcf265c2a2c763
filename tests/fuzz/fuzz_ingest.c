/* fuzz_ingest: any input as a trace in memory.
 *
 * The first byte tells how it is read; what follows is the file. Whatever it is, the reader
 * refuses it with a sentence or takes it, and then what must hold of a trace does, and reading it
 * again in another way gives the same: as gzip, in small pieces, with --salvage.
 */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

#include <string.h>

/* The bits of the first byte. */
enum {
    BIT_NO_FRAMES = 1,
    BIT_KEEP_METADATA = 2,
    BIT_SALVAGE = 4,
    BIT_FILE_ORDER = 8,
    BIT_PIECES = 16, /* as gzip with small members */
    BIT_TWICE = 64,  /* read again in another way */
};

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
                       unsigned way)
{
    struct reading second;
    bool compressed = length > 1 && ((bytes[0] == 0x1F && bytes[1] == 0x8B) ||
                                     (bytes[0] == 'P' && bytes[1] == 'K'));
    bool marked =
        length && (bytes[0] == 0xEF || bytes[0] == 0x28 || bytes[0] == 'B' || bytes[0] == 0xFD);
    bool salvages = way & READING_SALVAGE;
    if (first->done && !salvages) {
        reading_make(&second, NULL, bytes, length, way | READING_SALVAGE);
        check_same(first, &second);
        reading_free(&second);
    }
    if (compressed || marked || salvages || any_cut(first))
        return;
    reading_make(&second, NULL, bytes, length, way ^ READING_PIECES);
    if (!any_cut(&second))
        check_same(first, &second);
    reading_free(&second);
}

static unsigned way_of(unsigned bits)
{
    return (bits & BIT_NO_FRAMES ? READING_NO_FRAMES : 0u) |
           (bits & BIT_KEEP_METADATA ? READING_METADATA : 0u) |
           (bits & BIT_SALVAGE ? READING_SALVAGE : 0u) | (bits & BIT_PIECES ? READING_PIECES : 0u);
}

FUZZ_TARGET(ingest)
{
    struct reading reading;
    if (length < 1)
        return 0;
    unsigned way = way_of(bytes[0]);
    reading_make(&reading, NULL, bytes + 1, length - 1, way);
    if (reading.done && strcmp(reading.trace.format, "kineto") == 0)
        check_elements(&reading.trace);
    if (bytes[0] & BIT_TWICE && !reading.trace.next) /* several: the reader's own target */
        read_again(&reading, bytes + 1, length - 1, way);
    reading_check(&reading, bytes[0] & BIT_FILE_ORDER ? TREE_FILE_ORDER : TREE_LONGEST_FIRST);
    reading_free(&reading);
    return 0;
}
