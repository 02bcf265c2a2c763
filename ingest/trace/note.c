/* note: see note.h. */
#include "ingest/trace/note.h"

#include <stddef.h>

static const struct {
    const char *kind, *meaning;
} table[NOTE_COUNT] = {
#define NOTE(name, kind, meaning) {kind, meaning},
#include "ingest/trace/note_kinds.h"
#undef NOTE
};

const char *note_kind(enum note note)
{
    return table[note].kind;
}

const char *note_meaning(enum note note)
{
    return table[note].meaning;
}

bool note_is_damage(enum note note)
{
    return note == NOTE_END_MISSING || note == NOTE_LIST_OPEN || note == NOTE_SALVAGED;
}

bool note_is_usual(enum note note)
{
    static const bool usual[NOTE_COUNT] = {[NOTE_MEMBER_UNUSED] = true,
                                           [NOTE_METADATA_LEFT_OUT] = true,
                                           [NOTE_PHASE_UNUSED] = true,
                                           [NOTE_INTERNAL_EVENT] = true,
                                           [NOTE_FLOW_HALF] = true};
    return usual[note];
}

enum note note_leaving_out(const struct notes *self)
{
    static const enum note kinds[] = {NOTE_NOT_AN_OBJECT, NOTE_PHASE_MISSING, NOTE_PHASE_UNUSED,
                                      NOTE_TIME_MISSING, NOTE_TIME_OUT_OF_RANGE};
    enum note found = NOTE_COUNT;
    int64_t most = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (self->entries[kinds[i]].count > most) {
            found = kinds[i];
            most = self->entries[found].count;
        }
    return found;
}

void plain_text(struct view text, struct text *scratch, struct notes *notes, int64_t uid,
                struct view *plain)
{
    size_t good = 0;
    *plain = text;
    while (good < text.length && (unsigned char)(text.bytes[good] - 1) < 127)
        good++;
    if (good == text.length)
        return;
    text_clear(scratch);
    text_add(scratch, text.bytes, good);
    for (size_t i = good; i < text.length;) {
        uint32_t code;
        size_t length = utf8_decode((const unsigned char *)text.bytes + i, text.length - i, &code);
        bool is_good = length && code;
        if (!is_good)
            note_count(notes, length ? NOTE_NUL_CHARACTER : NOTE_INVALID_UTF8, 1, uid, -1);
        if (is_good)
            text_add(scratch, text.bytes + i, length);
        else
            text_add_string(scratch, "\xEF\xBF\xBD");
        i += length ? length : 1;
    }
    *plain = text_view(scratch);
}
