/* fact_replay: Each work gets the greatest part that any place of the fact takes from it. The plan
 * kept for tables about the path is replayed, or one of our own where that was too large. */
#include "sql/advice/fact_replay.h"

#include "sql/database.h"
#include "sql/schedule/plan_read.h"
#include "sql/schedule/what_if.h"
#include "src/base/order.h"

/* The plan that is kept for tables about the path, or one of our own where that was too large. */
int fact_replay_open(struct fact_replay *self, sqlite3 *db, struct context *context,
                     const char *run, int64_t trace)
{
    int64_t ignored;
    *self = (struct fact_replay){0};
    int result = database_ask(db, "SELECT from_ns FROM path_stretch LIMIT 1", 0, &ignored);
    const struct path_rows *kept = table_kept(context, &path_reading);
    for (size_t i = 0; kept && i < kept->wholes.count && result == SQLITE_OK; i++)
        if (kept->wholes.items[i].trace == trace && !kept->wholes.items[i].is_trimmed)
            self->plan = kept->wholes.items[i].plan;
    if (result == SQLITE_OK && !self->plan)
        result = plan_read(db, context, run, trace, &self->made);
    if (!self->plan)
        self->plan = self->made;
    if (self->plan && self->plan->parts.items[0].untold)
        self->plan = NULL;
    return result;
}

ORDER_BY(compare_places, struct fact_place, UP(track) || UP(start));

/* Takes start-up out of the places: it is over when the loop runs. */
static void leave_out(struct fact *fact, const struct interval_set *start_up)
{
    struct fact cut = {0};
    for (size_t i = 0; i < fact->places.count; i++) {
        struct fact_place place = fact->places.items[i];
        size_t at;
        ARRAY_LOWER_BOUND(at, start_up->list.count, start_up->list.items[at].end <= place.start);
        for (; at < start_up->list.count && start_up->list.items[at].start < place.end; at++) {
            const struct interval *hole = &start_up->list.items[at];
            if (hole->start > place.start)
                array_add(&cut.places, (struct fact_place){place.start, hole->start, place.track});
            place.start = hole->end;
        }
        if (place.start < place.end)
            array_add(&cut.places, place);
    }
    array_free(&fact->places);
    fact->places = cut.places;
}

static void add_places(const struct fact_replay *self, const struct fact *fact,
                       struct effect *effect)
{
    const struct schedule *schedule = &self->plan->parts.items[0];
    for (uint32_t thread = 0; thread < schedule->threads.count; thread++)
        for (size_t i = 0; i < fact->places.count; i++) {
            const struct fact_place *place = &fact->places.items[i];
            if (!place->track || place->track == schedule->threads.items[thread].track)
                effect_inside(effect, (struct inside){0,
                                                      thread,
                                                      place->start + schedule->shift,
                                                      place->end + schedule->shift,
                                                      {0, 1},
                                                      true});
        }
}

static void index_works(struct fact_replay *self)
{
    const struct schedule *schedule = &self->plan->parts.items[0];
    size_t count = schedule->works.count;
    if (self->works)
        return;
    self->works = memory_list(count + 1, sizeof *self->works);
    for (size_t i = 0; i < count; i++)
        self->works[i] =
            (struct keyed){schedule->first_id + schedule->works.items[i].id, (uint32_t)i};
    keyed_sort(self->works, count);
}

/* Sets the part of a fact's works that goes, to the greatest that any of them says. */
static void set_factors(const struct fact_replay *self, const struct fact *fact, bool is_except,
                        float *factors)
{
    size_t count = self->plan->parts.items[0].works.count;
    for (size_t i = 0; i < fact->works.count; i++) {
        const struct fact_work *work = &fact->works.items[i];
        size_t at;
        ARRAY_LOWER_BOUND(at, count, self->works[at].key < work->id);
        for (; at < count && self->works[at].key <= work->last_id; at++)
            if (is_except)
                factors[at] = 0;
            else if (factors[at] < (float)work->factor)
                factors[at] = (float)work->factor;
    }
}

static void add_works(struct fact_replay *self, const struct fact *fact, const struct fact *asked,
                      const struct fact *except, struct effect *effect)
{
    enum { PARTS = 1 << 20 };
    size_t count = self->plan->parts.items[0].works.count;
    if (!fact->works.count && !asked)
        return;
    float *factors = memory_zeroed(count + 1, sizeof *factors);
    index_works(self);
    if (asked)
        set_factors(self, asked, false, factors);
    if (except)
        set_factors(self, except, true, factors);
    set_factors(self, fact, false, factors);
    for (size_t i = 0; i < count; i++)
        if (factors[i] > 0)
            effect_work(effect, 0, self->works[i].place,
                        (struct factor){(int64_t)((1 - (double)factors[i]) * PARTS), PARTS});
    memory_free(factors);
}

void fact_add(struct fact *self, const struct fact *other)
{
    for (size_t i = 0; i < other->places.count; i++)
        array_add(&self->places, other->places.items[i]);
    for (size_t i = 0; i < other->works.count; i++)
        array_add(&self->works, other->works.items[i]);
}

int64_t fact_replay_saved(struct fact_replay *self, struct fact *fact, const struct fact *asked,
                          const struct fact *except, const struct interval_set *start_up)
{
    struct effect effect;
    struct prediction prediction = {0};
    /* Sorts places and joins overlapping ones. */
    size_t kept = 0;
    array_sort(&fact->places, compare_places);
    struct fact_place *places = fact->places.items;
    for (size_t i = 1; i < fact->places.count; i++) {
        if (places[i].track != places[kept].track || places[i].start > places[kept].end)
            places[++kept] = places[i];
        else if (places[i].end > places[kept].end)
            places[kept].end = places[i].end;
    }
    fact->places.count = fact->places.count ? kept + 1 : 0;
    effect_init(&effect, self->plan);
    leave_out(fact, start_up);
    add_places(self, fact, &effect);
    add_works(self, fact, asked, except, &effect);
    effect_settle(&effect);
    effect_predict(&effect, &prediction);
    int64_t of_all = prediction.makespan - prediction.after;
    int64_t of_span = prediction.span - prediction.span_after;
    int64_t saved = of_all < of_span ? of_all : of_span;
    effect_free(&effect);
    return saved > 0 ? saved : 0;
}

void fact_replay_close(struct fact_replay *self)
{
    memory_free(self->works);
    plan_free(self->made);
}
