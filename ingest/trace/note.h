/* note: what an ingest could not use as it stood, counted by kind.
 *
 * Every kind is one row of note_kinds.h. The counts end up in the table `ingest_note` and,
 * but for those of no consequence, in the closing summary, each with the place of its first
 * example.
 */
#pragma once

#include "src/base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum note {
#define NOTE(name, kind, meaning) NOTE_##name,
#include "ingest/trace/note_kinds.h"
#undef NOTE
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

/* The most frequent kind of notes that leave out a whole event; NOTE_COUNT = none. */
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

/* Gives a text of any bytes as the warehouse has texts, UTF-8 without zeros: itself, or what
 * `scratch` then holds. Bytes that had to be replaced are counted. */
void plain_text(struct view text, struct text *scratch, struct notes *notes, int64_t uid,
                struct view *plain);
