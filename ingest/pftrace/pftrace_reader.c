/* pftrace_reader: texts, tracks and lists of numbers. Interned texts are found by generation,
 * dictionary and number: a sequence that begins again gets a new generation, and so forgets them
 * all. */
#include "ingest/pftrace/pftrace_reader.h"

#include "ingest/pftrace/pftrace_fields.h"

enum { TEXT_BYTES_MAX = 1 << 20 };

void pftrace_note(const struct pftrace *self, enum note note)
{
    note_count(&self->trace->notes, note, 1, self->trace->events, self->offset);
}

bool pftrace_corrupt(struct pftrace *self)
{
    return wire_corrupt(&self->wire, "this is no packet of a Perfetto trace");
}

void pftrace_keep(struct pftrace *self, struct view text, uint32_t *number)
{
    struct view plain;
    if (text.length > TEXT_BYTES_MAX) {
        text.length = TEXT_BYTES_MAX;
        pftrace_note(self, NOTE_VALUE_CUT);
    }
    plain_text(text, &self->scratch, &self->trace->notes, self->trace->events, &plain);
    *number = intern_add(&self->trace->strings, plain.length ? plain.bytes : "", plain.length);
}

static int64_t dictionary_key(const struct pftrace_sequence *sequence,
                              enum pftrace_dictionary dictionary)
{
    return (int64_t)sequence->generation * DICTIONARY_COUNT + (int64_t)dictionary;
}

uint32_t pftrace_text(struct pftrace *self, const struct pftrace_sequence *sequence,
                      enum pftrace_dictionary dictionary, uint64_t iid)
{
    uint32_t found = map_get(&self->texts, dictionary_key(sequence, dictionary), (int64_t)iid);
    if (!found)
        pftrace_note(self, NOTE_STRING_MISSING);
    return found;
}

bool pftrace_read_interned(struct pftrace *self, const struct pftrace_sequence *sequence,
                           struct message data)
{
    static const struct {
        uint32_t field;
        enum pftrace_dictionary dictionary;
    } lists[] = {{INTERNED_CATEGORIES, DICTIONARY_CATEGORIES},
                 {INTERNED_NAMES, DICTIONARY_NAMES},
                 {INTERNED_KEYS, DICTIONARY_KEYS},
                 {INTERNED_STRINGS, DICTIONARY_STRINGS}};
    struct wire_field field, part;
    enum wire_step step;
    while ((step = message_next(&data, &field)) == WIRE_FIELD) {
        size_t i = 0;
        while (i < sizeof lists / sizeof *lists && lists[i].field != field.number)
            i++;
        if (i == sizeof lists / sizeof *lists || field.type != WIRE_LENGTH)
            continue;
        uint64_t iid = 0;
        struct view text = {"", 0};
        while ((step = message_next(&field.bytes, &part)) == WIRE_FIELD)
            if (part.number == INTERNED_IID && part.type == WIRE_VARINT)
                iid = part.value;
            else if (part.number == INTERNED_TEXT && part.type == WIRE_LENGTH)
                text = message_view(part.bytes);
        if (step == WIRE_FAILED)
            return pftrace_corrupt(self);
        uint32_t *known =
            map_put(&self->texts, dictionary_key(sequence, lists[i].dictionary), (int64_t)iid);
        pftrace_keep(self, text, known);
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

uint32_t pftrace_track(struct pftrace *self, uint64_t uuid, int64_t space)
{
    uint32_t *known = map_put(&self->track_of, (int64_t)uuid, space);
    if (*known)
        return *known - 1;
    if (self->tracks.count >= (1u << 24) - 1)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: more than %u tracks",
                         source_path(self->wire.source), (1u << 24) - 1),
               UINT32_MAX;
    struct pftrace_track *added = array_push(&self->tracks);
    *added = (struct pftrace_track){.uuid = uuid, .pid = NONE, .tid = NONE};
    *known = (uint32_t)self->tracks.count;
    return *known - 1;
}

bool pftrace_next_number(struct pftrace *self, struct wire_field *field, bool is_fixed,
                         uint64_t *number)
{
    struct message *list = &field->bytes;
    if (field->type != WIRE_LENGTH) {
        *number = field->value;
        *field = (struct wire_field){.number = field->number, .type = WIRE_LENGTH};
        return true;
    }
    if (list->at == list->end)
        return false;
    if (!is_fixed)
        return message_number(list, number) || pftrace_corrupt(self);
    if (list->end - list->at < 8)
        return pftrace_corrupt(self);
    *number = 0;
    for (int i = 0; i < 8; i++)
        *number |= (uint64_t)list->at[i] << (8 * i);
    list->at += 8;
    return true;
}

bool pftrace_take_tracks(struct pftrace *self, struct wire_field field, pftrace_tracks *tracks)
{
    uint64_t uuid;
    while (pftrace_next_number(self, &field, false, &uuid))
        array_add(tracks, uuid);
    return self->error->status == STATUS_OK;
}
