/* rocpd_places: where rows are: threads and streams, by what the row says or its track does. */
#include "ingest/rocpd/rocpd_reader.h"

struct rocpd_place rocpd_place(const struct rocpd *self, struct draft *draft, struct rows_of *rows)
{
    struct rocpd_place place = {
        .process = draft_integer(draft, rows, ROCPD_PROCESS),
        .thread = draft_integer(draft, rows, ROCPD_THREAD),
        .agent = draft_integer(draft, rows, ROCPD_AGENT),
        .queue = draft_integer(draft, rows, ROCPD_QUEUE),
        .stream = draft_integer(draft, rows, ROCPD_STREAM),
        .name = NONE,
    };
    if (!rows_have(rows, ROCPD_TRACK))
        return place;
    int64_t id = draft_integer(draft, rows, ROCPD_TRACK);
    const struct rocpd_track *track = ROCPD_FIND(self->part.tracks, id);
    if (!track)
        return place;
    place.process = place.process == NONE ? track->process : place.process;
    place.thread = place.thread == NONE ? track->thread : place.thread;
    place.agent = place.agent == NONE ? track->agent : place.agent;
    place.queue = place.queue == NONE ? track->queue : place.queue;
    place.stream = place.stream == NONE ? track->stream : place.stream;
    place.name = track->name;
    return place;
}

int64_t rocpd_device(const struct rocpd *self, int64_t agent)
{
    const struct rocpd_agent *found = ROCPD_FIND(self->part.agents, agent);
    return found && found->is_gpu ? found->ordinal : -1;
}

static bool label(struct rocpd *self, struct draft *draft, uint32_t place, uint32_t word)
{
    struct place at = trace_place(&draft->trace, place);
    struct label made = {at.process, at.thread, LABEL_THREAD_NAME, 0};
    if (!word)
        return true;
    if (!rocpd_word(self, draft, word, &made.text))
        return false;
    struct label *added = array_push(&draft->trace.labels);
    *added = made;
    return true;
}

static bool is_last(const struct draft *draft, int64_t first, int64_t second)
{
    return draft->last_place.place && draft->last_place.first == first &&
           draft->last_place.second == second;
}

/* The place by its ids; where it is new, it gets its name. */
static uint32_t find_place(struct rocpd *self, struct draft *draft, const int64_t ids[2],
                           int64_t process, int64_t thread, uint32_t word)
{
    bool is_new = !map_get(&draft->places, ids[0], ids[1]);
    uint32_t place = draft_place(draft, ids[0], ids[1], process, thread);
    return place && (!is_new || label(self, draft, place, word)) ? place : 0;
}

uint32_t rocpd_thread(struct rocpd *self, struct draft *draft, int64_t process, int64_t thread)
{
    if (is_last(draft, process, thread))
        return draft->last_place.place;
    const struct rocpd_named *of = ROCPD_FIND(self->part.processes, process);
    const struct rocpd_named *named = ROCPD_FIND(self->part.threads, thread);
    int64_t pid = of && of->number != NONE ? of->number : process;
    int64_t tid = named && named->number != NONE ? named->number : thread;
    return find_place(self, draft, (int64_t[]){process, thread}, pid == NONE ? draft->pid : pid,
                      tid, named ? named->name : 0);
}

/* Numbers of processes are far from those that tell streams. */
uint32_t rocpd_stream(struct rocpd *self, struct draft *draft, int64_t device, int64_t stream)
{
    int64_t key = NONE + 2 + device;
    if (is_last(draft, key, stream))
        return draft->last_place.place;
    const struct rocpd_named *named = ROCPD_FIND(self->part.streams, stream);
    return find_place(self, draft, (int64_t[]){key, stream}, device < 0 ? NONE : device, stream,
                      named ? named->name : 0);
}
