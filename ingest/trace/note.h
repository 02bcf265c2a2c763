/* note: what an ingest could not use as it stood, counted by kind.
 *
 * Every kind is one row of the table in note.c. The counts end up in the table `ingest_note` and,
 * but for those of no consequence, in the closing summary, each with the place of its first
 * example.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum note {
    /* the text */
    NOTE_LONE_SURROGATE,
    NOTE_INVALID_UTF8,
    NOTE_NUL_CHARACTER,
    NOTE_DUPLICATE_KEY,
    NOTE_NOT_FINITE,
    NOTE_VALUE_CUT,
    NOTE_VALUE_ODD,
    NOTE_MEMBER_UNUSED,
    NOTE_EXPANSION,
    NOTE_END_MISSING, /* the view trace_verdict says these three at the head of reports */
    NOTE_LIST_OPEN,
    NOTE_SALVAGED,
    NOTE_METADATA_LEFT_OUT,
    /* single events */
    NOTE_NOT_AN_OBJECT,
    NOTE_PHASE_MISSING,
    NOTE_PHASE_UNUSED,
    NOTE_METADATA_UNKNOWN,
    NOTE_NAME_MISSING,
    NOTE_TIME_MISSING,
    NOTE_TIME_OUT_OF_RANGE,
    NOTE_DURATION_MISSING,
    NOTE_DURATION_NEGATIVE,
    NOTE_DURATION_CLIPPED,
    NOTE_DURATION_ZERO,
    NOTE_CATEGORY_UNKNOWN,
    NOTE_FRAME_LEFT_OUT,
    NOTE_RANK_DISAGREES,
    NOTE_SAMPLE_REPEATED,
    NOTE_END_WITHOUT_START,
    /* rows of a table */
    NOTE_ROW_SHORT,
    NOTE_COLUMN_REPEATED,
    NOTE_TIME_ASSUMED,
    NOTE_DEVICE_MISSING,
    /* profiles of XLA */
    NOTE_METADATA_MISSING,
    NOTE_INTERNAL_EVENT,
    NOTE_LINE_LEFT_OUT,
    NOTE_INSTRUCTION_MISSING,
    NOTE_COLLECTIVE_GUESSED,
    /* databases of profilers */
    NOTE_TABLE_UNUSED,
    NOTE_VIEW_UNUSED,
    NOTE_COLUMN_MISSING,
    NOTE_VERSION_NEWER,
    NOTE_STRING_MISSING,
    NOTE_PROCESS_MISSING,
    NOTE_DEVICE_ASSUMED,
    NOTE_RANK_GUESSED,
    NOTE_CLOCK_MISSING,
    NOTE_BEFORE_WINDOW,
    NOTE_BACKTRACE_ROW,
    NOTE_GRAPH_OPAQUE,
    NOTE_GRAPH_NODE_UNKNOWN,
    NOTE_RANGE_OPEN,
    NOTE_RANGE_UNKNOWN,
    NOTE_OP_TEXT_UNREAD,
    NOTE_DATA_EDGES_LEFT_OUT,
    NOTE_MEMORY_FROM_ZERO,
    NOTE_CALLS_SKIPPED,
    NOTE_PROFILER_WARNING,
    NOTE_PROFILER_ERROR,
    NOTE_EXPORTED_IN_PART,
    NOTE_DUPLICATE_PROCESS,
    NOTE_COLLECTIVE_GROUPED,
    NOTE_PAYLOAD_MISSING,
    NOTE_PAYLOAD_AMBIGUOUS,
    NOTE_PAYLOAD_UNREAD,
    /* links */
    NOTE_STATE_MISSING,
    NOTE_PACKET_UNUSED,
    NOTE_POINT_UNUSED,
    NOTE_END_ALONE,
    NOTE_FLOW_UNUSED,
    NOTE_FLOW_HALF,
    NOTE_FLOW_WITHOUT_EVENT,
    NOTE_DEMAND_UNUSED,
    NOTE_GPU_WITHOUT_LAUNCH,
    NOTE_LAUNCH_BY_CORRELATION,
    NOTE_LAUNCH_BY_POSITION,
    NOTE_GRAPH_FALLBACK,
    NOTE_LAUNCH_BEFORE_CALL,
    NOTE_GRAPH_MERGED,
    NOTE_GRAPH_WITHOUT_CAPTURE,
    /* the tree */
    NOTE_OUTSIDE_PARENT,
    NOTE_LEFT_OUT_OF_TREE,
    NOTE_FRAME_LEFT_OUT_OF_TREE,
    NOTE_CATEGORY_OVERFLOW,
    NOTE_COUNT,
};

struct note_entry {
    int64_t count;
    int64_t uid;    /* of the first example, -1 = none */
    int64_t offset; /* in the input, -1 = not known */
};

struct notes {
    struct note_entry entries[NOTE_COUNT];
    struct note_entry phases[256]; /* NOTE_PHASE_UNUSED by phase letter */
};

const char *note_kind(enum note note);    /* as in the table: bleed_out, ... */
const char *note_meaning(enum note note); /* a sentence for the user */

/* Whether ordinary traces have it and nobody can act on it: then it is kept, and not told at each
 * ingest. */
bool note_is_usual(enum note note);

/* Whether events are missing: said in full wherever notes are. */
bool note_is_damage(enum note note);

/* Of the kinds that leave out a whole event, the one that comes most often; NOTE_COUNT = none. */
enum note note_leaving_out(const struct notes *self);

static inline void note_add(struct note_entry *entry, int64_t count, int64_t uid, int64_t offset)
{
    if (entry->count == 0 && count > 0) {
        entry->uid = uid;
        entry->offset = offset;
    }
    entry->count += count;
}

static inline void note_count(struct notes *self, enum note note, int64_t count, int64_t uid,
                              int64_t offset)
{
    note_add(&self->entries[note], count, uid, offset);
}
