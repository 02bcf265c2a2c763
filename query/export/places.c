/* places: One query reads all tracks by id, so that a track is found by binary search. A process is
 * added with the first of its tracks; host and device with the same number are two processes. Names
 * are made here once, for all viewers. */
#include "query/export/places.h"

#include "query/export/places.sql.h"

#include <stdio.h>
#include <string.h>

enum {
    TRACK_ID,
    TRACK_KIND,
    TRACK_PROCESS,
    TRACK_THREAD,
    TRACK_PROCESS_NAME,
    TRACK_THREAD_NAME,
    TRACK_PROCESS_SORT,
    TRACK_THREAD_SORT,
    TRACK_ON_DEVICE,
    TRACK_MODEL,
    TRACK_IS_TT,
    TRACK_PROCESS_LABELS,
};

struct reader {
    struct places *places;
    const char *rank;
    sqlite3_stmt *row;
};

static const char *places_text_of(const struct reader *self, int column)
{
    return database_text(self->row, column);
}

static bool is_there(const struct reader *self, int column)
{
    return sqlite3_column_type(self->row, column) != SQLITE_NULL;
}

/* A copy of a text; NULL where there is none. */
static char *copy_of(const struct reader *self, int column)
{
    return is_there(self, column) ? memory_text(places_text_of(self, column)) : NULL;
}

static bool places_is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static void name_process(const struct reader *self, bool is_device, struct text *name)
{
    const char *key = places_text_of(self, TRACK_PROCESS),
               *own = places_text_of(self, TRACK_PROCESS_NAME);
    const char *model = places_text_of(self, TRACK_MODEL);
    bool is_tt = sqlite3_column_int(self->row, TRACK_IS_TT);
    const char *word = is_device ? (is_tt ? "device " : "GPU ") : "host ";
    const char *words = is_device ? key : *own ? own : key;
    text_format(name, "%s%s%s%s", self->rank, *self->rank ? " · " : "",
                is_device && !places_is_number(key) ? "" : word, words);
    if (is_device && *model)
        text_format(name, " %s", model);
}

/* The place of the process of a row, which is new where none came before. */
static uint32_t find_process(struct reader *self)
{
    struct places *places = self->places;
    bool is_device = sqlite3_column_int(self->row, TRACK_ON_DEVICE) != 0;
    const char *key = places_text_of(self, TRACK_PROCESS);
    for (uint32_t i = 0; i < places->processes.count; i++)
        if (strcmp(places->processes.items[i].key, key) == 0 &&
            places->processes.items[i].is_device == is_device)
            return i;
    struct text name = {0};
    struct place_process process = {.key = memory_text(key),
                                    .own_name = copy_of(self, TRACK_PROCESS_NAME),
                                    .labels = copy_of(self, TRACK_PROCESS_LABELS),
                                    .is_device = is_device,
                                    .has_sort = is_there(self, TRACK_PROCESS_SORT),
                                    .sort = sqlite3_column_int64(self->row, TRACK_PROCESS_SORT)};
    name_process(self, is_device, &name);
    process.name = name.items;
    array_add(&places->processes, process);
    return (uint32_t)places->processes.count - 1;
}

bool places_read(struct places *self, struct warehouse *warehouse, int64_t trace_id,
                 const char *rank, struct error *error)
{
    struct reader reader = {.places = self, .rank = rank};
    bool done = true;
    *self = (struct places){0};
    reader.row = warehouse_prepare(warehouse, track_rows, error);
    if (!reader.row)
        return false;
    sqlite3_bind_int64(reader.row, 1, trace_id);
    while (warehouse_next(warehouse, reader.row, &done, error)) {
        const char *kind = places_text_of(&reader, TRACK_KIND),
                   *key = places_text_of(&reader, TRACK_THREAD);
        struct place_track track = {.id = sqlite3_column_int64(reader.row, TRACK_ID),
                                    .has_sort = is_there(&reader, TRACK_THREAD_SORT),
                                    .sort = sqlite3_column_int64(reader.row, TRACK_THREAD_SORT)};
        struct text name = {0};
        track.is_thread = strcmp(kind, "thread") == 0;
        track.is_stream = strcmp(kind, "stream") == 0;
        track.key = memory_text(key);
        track.own_name = copy_of(&reader, TRACK_THREAD_NAME);
        track.process = find_process(&reader);
        const char *word = track.is_thread ? "thread " : track.is_stream ? "stream " : "";
        if (track.own_name && *track.own_name)
            text_add_string(&name, track.own_name);
        else
            text_format(&name, "%s%s", places_is_number(track.key) ? word : "", track.key);
        if (!track.is_thread && !track.is_stream)
            text_add_string(&name, " (marks)");
        track.name = name.items;
        array_add(&reader.places->tracks, track);
    }
    return done;
}

const struct place_track *places_find(const struct places *self, int64_t track_id)
{
    size_t place; /* they are read in this order */
    ARRAY_LOWER_BOUND(place, self->tracks.count, self->tracks.items[place].id < track_id);
    const struct place_track *track =
        place < self->tracks.count ? &self->tracks.items[place] : NULL;
    return track && track->id == track_id ? track : NULL;
}

size_t places_device(const struct places *self, int64_t device)
{
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)device);
    for (size_t i = 0; i < self->processes.count; i++)
        if (self->processes.items[i].is_device && strcmp(self->processes.items[i].key, key) == 0)
            return i;
    return SIZE_MAX;
}

size_t places_host(const struct places *self, const char *key)
{
    for (size_t i = 0; i < self->processes.count; i++)
        if (!self->processes.items[i].is_device &&
            (!key || strcmp(self->processes.items[i].key, key) == 0))
            return i;
    return SIZE_MAX;
}
