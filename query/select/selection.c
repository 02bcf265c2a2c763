/* selection: see selection.h.
 *
 * Ids are the warehouse's own, so the selected events of all traces are one set of ranges. Each
 * thing that narrows the selection makes such a set, and what they share is selected. At the end
 * the set is cut where traces end.
 */
#include "query/select/selection.h"

#include "query/select/condition.h"
#include "query/select/run_choice.h"
#include "query/select/signpost.h"
#include "query/select/window.h"
#include "sql/asked.h"
#include "src/base/order.h"

#include <ctype.h>
#include <string.h>

struct trace_row {
    int64_t id;
    char *run;
    struct range ids; /* last < first: it has no events */
    struct ranges times;
    bool has_times; /* only these count of its time */
};

struct piece {
    struct range ids;
    int is_recompute;
};

struct selector {
    struct warehouse *warehouse;
    const struct selection *selection;
    struct text *words;
    struct error *error;
    ARRAY(struct trace_row) traces; /* chosen by run, number and rank */
    struct ranges candidates;       /* events of those chosen by run and number */
    struct ranges ranks;            /* that these state */
    struct ranges events;
    struct ranges around; /* the same but for windows */
    bool is_narrowed;     /* by anything else */
};

/* ------------------------------------------------------------------ numbers */

/* Reads digits, and commas between them where they are allowed. */
static bool read_number(const char **at, bool with_commas, int64_t *number)
{
    const char *begin = *at;
    int64_t value = 0;
    for (; isdigit((unsigned char)**at) || (with_commas && **at == ',' && *at > begin); (*at)++)
        if (**at != ',' && (__builtin_mul_overflow(value, 10, &value) ||
                            __builtin_add_overflow(value, **at - '0', &value)))
            return false;
    *number = value;
    return *at > begin;
}

static bool read_whole_number(const char *text, int64_t *number)
{
    return read_number(&text, false, number) && !*text;
}

/* A-B, B not below A, or A; with `is_open` also A- and -B, and commas between thousands. */
static bool read_range(const char *text, bool is_open, struct range *range)
{
    *range = (struct range){0, INT64_MAX};
    bool has_first = read_number(&text, is_open, &range->first);
    if (!has_first && !(is_open && *text == '-'))
        return false;
    if (!*text) {
        range->last = range->first;
        return true;
    }
    if (*text++ != '-')
        return false;
    if (!*text)
        return has_first && is_open;
    return read_number(&text, is_open, &range->last) && !*text && range->first <= range->last;
}

static bool bad_value(struct selector *self, const char *what, const char *text,
                      const char *expected)
{
    return error_set(self->error, STATUS_USAGE, "bad %s \"%.300s\": expected %s", what, text,
                     expected);
}

/* ------------------------------------------------------------------ statements */

static bool selection_done(struct selector *self, struct asked *asked)
{
    return asked_done(asked, self->warehouse->path, self->error);
}

__attribute__((format(printf, 2, 3))) static void tell(struct selector *self, const char *format,
                                                       ...)
{
    if (self->words->count)
        return;
    va_list arguments;
    va_start(arguments, format);
    text_vformat(self->words, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------ traces */

static bool check_traces(struct selector *self)
{
    struct asked asked;
    bool done = true;
    asked_open(&asked, self->warehouse->db, "SELECT 1 FROM trace WHERE id = ?1");
    for (size_t i = 0; done && self->selection->traces && i < self->selection->trace_count; i++) {
        int64_t trace = self->selection->traces[i];
        ASKED_ABOUT(&asked, trace);
        if (!asked_next(&asked) && asked.result == SQLITE_DONE)
            done =
                error_set(self->error, STATUS_USAGE, "%s: there is no trace %lld; see tpq traces",
                          self->warehouse->path, (long long)trace);
    }
    return selection_done(self, &asked) && done;
}

ORDER_BY(compare_numbers, int64_t, BY_LESS(*a, *b));

/* The numbers of the wanted traces in order, for a binary search. */
static int64_t *sort_traces(const struct selection *selection)
{
    if (!selection->traces || !selection->trace_count)
        return NULL;
    int64_t *sorted = memory_list(selection->trace_count, sizeof *sorted);
    memcpy(sorted, selection->traces, selection->trace_count * sizeof *sorted);
    qsort(sorted, selection->trace_count, sizeof *sorted, compare_numbers);
    return sorted;
}

static bool is_wanted_trace(const struct selection *selection, const int64_t *sorted, int64_t id)
{
    return !selection->traces || (sorted && bsearch(&id, sorted, selection->trace_count,
                                                    sizeof *sorted, compare_numbers));
}

/* Names of the selection that no trace of the chosen runs has are wrong usage, but where the caller
 * looks at one part of what was asked for. `numbers` are those that there are. */
static bool unknown_number(struct selector *self, const char *word, const char *text,
                           const struct ranges *numbers, const char *otherwise)
{
    struct text sentence = {0};
    text_format(&sentence, "there is no %s %.300s; ", word, text);
    if (numbers->count) {
        text_add_string(&sentence,
                        numbers->count == 1 && numbers->items[0].first == numbers->items[0].last
                            ? "there is only "
                            : "there are ");

        /* "WORD 3", or "WORDs 0 to 3, 5 and more". */
        enum { SHOWN = 8 };
        bool is_one = numbers->count == 1 && numbers->items[0].first == numbers->items[0].last;
        text_format(&sentence, is_one ? "%s" : "%ss", word);
        for (size_t i = 0; i < numbers->count && i < SHOWN; i++) {
            const struct range *range = &numbers->items[i];
            text_format(&sentence, "%s%lld", i ? ", " : " ", (long long)range->first);
            if (range->first != range->last)
                text_format(&sentence, " to %lld", (long long)range->last);
        }
        if (numbers->count > SHOWN)
            text_add_string(&sentence, " and more");
    } else
        text_add_string(&sentence, otherwise);
    bool done = true;
    if (self->selection->is_part)
        tell(self, "%s", sentence.items);
    else
        done = error_set(self->error, STATUS_USAGE, "%s", sentence.items);
    text_free(&sentence);
    return done;
}

/* Reads the traces that are chosen by run, number and rank. */
static bool read_traces(struct selector *self)
{
    const struct selection *selection = self->selection;
    int64_t rank = 0;
    struct run_choice choice = {selection->runs, selection->labels, false};
    struct run_list runs = {0};
    if (selection->rank && !read_whole_number(selection->rank, &rank))
        return bad_value(self, "rank", selection->rank, "a number");
    if (!run_choice_find(self->warehouse, &choice, &runs, self->error))
        return false;
    struct asked asked = {0};
    const char *name;
    int64_t id, stated, run;
    struct range ids;
    int64_t *sorted = sort_traces(selection);
    bool done = check_traces(self), any = false;
    if (done)
        asked_open(&asked, self->warehouse->db,
                   "SELECT trace.id, run.name, rank, first_event, last_event, run.id "
                   "FROM trace JOIN run ON run.id = trace.run_id ORDER BY trace.id");
    while (done && ASKED_ROW(&asked, &id, &name, OR_NONE(&stated), &ids.first, &ids.last, &run)) {
        if (!run_list_has_trace(&runs, run, id) || !is_wanted_trace(selection, sorted, id))
            continue;
        any = true;
        ranges_add(&self->candidates, ids.first, ids.last);
        if (stated != INT64_MIN)
            ranges_add(&self->ranks, stated, stated);
        if (!selection->rank || stated == rank) {
            char *copy = memory_text(name);
            struct trace_row *trace = array_push(&self->traces);
            *trace = (struct trace_row){.id = id, .run = copy, .ids = ids};
            if (trace->ids.first < 0 || trace->ids.last > INT64_MAX / 2)
                trace->ids = (struct range){1, 0}; /* damaged, which tpq check tells of */
            ranges_add(&self->events, trace->ids.first, trace->ids.last);
            ranges_add(&self->around, trace->ids.first, trace->ids.last);
        }
    }
    done = done && selection_done(self, &asked);
    memory_free(sorted);
    ranges_settle(&self->events);
    ranges_settle(&self->around);
    ranges_settle(&self->ranks);
    ranges_settle(&self->candidates);
    if (done && !any)
        tell(self, "no trace is selected");
    else if (done && selection->rank && !self->traces.count)
        done = unknown_number(self, "rank", selection->rank, &self->ranks,
                              "no trace records its rank");
    return done;
}

/* Tells the connection which range is the iteration. A trace of the chosen runs must have it. */
static bool check_iteration(struct selector *self)
{
    const char *name = self->selection->iteration;
    struct context *context = self->warehouse->context;
    const char *before = context_get(context, "iteration");
    if (!name)
        return true;
    if (!(before && strcmp(before, name) == 0))
        context_set(context, "iteration", name);
    bool done = true;
    bool has = strcmp(name, "none") == 0 || !self->candidates.count || self->selection->is_part;
    for (size_t i = 0; i < self->candidates.count && done && !has; i++)
        done = signpost_has_steps(self->warehouse, self->candidates.items[i], &has, self->error);
    struct text words = {0};
    if (done && !has)
        done = signpost_tell_iterations(self->warehouse, self->candidates.items[0], name, &words,
                                        self->error) &&
               error_set(self->error, STATUS_USAGE, "--iteration: %s", words.items);
    text_free(&words);
    return done;
}

/* A trace of the chosen runs, of whatever rank, must have one of the wanted steps. */
static bool check_steps(struct selector *self)
{
    struct range wanted;
    struct ranges there = {0}, found = {0};
    if (!self->selection->step || !self->candidates.count)
        return true;
    read_range(self->selection->step, false, &wanted);
    bool done = true;
    for (size_t i = 0; i < self->candidates.count && done; i++)
        done =
            signpost_step_numbers(self->warehouse, self->candidates.items[i], &there, self->error);
    ranges_settle(&there);
    if (done) {
        ranges_add(&found, wanted.first, wanted.last);
        ranges_intersect(&found, &there);
    }
    if (done && !found.count)
        done = unknown_number(self, "step", self->selection->step, &there,
                              "there are no profiler steps");
    arrays_free(&there, &found);
    return done;
}

/* A trace of the chosen runs, of whatever rank, must have the wanted signposts. */
static bool check_signposts(struct selector *self)
{
    const struct selection *selection = self->selection;
    const char *wanted[] = {selection->signpost, selection->start_signpost,
                            selection->end_signpost};
    struct text words = {0};
    bool done = true;
    for (size_t i = 0; done && i < sizeof wanted / sizeof *wanted; i++) {
        bool is_there = !wanted[i] || !self->candidates.count || selection->is_part;
        text_clear(&words);
        for (size_t j = 0; done && !is_there && j < self->candidates.count; j++)
            done = signpost_find(self->warehouse, self->candidates.items[j], wanted[i], &is_there,
                                 &words, self->error);
        if (done && !is_there)
            done = error_set(self->error, STATUS_USAGE, "%s", words.items);
    }
    text_free(&words);
    return done;
}

/* ------------------------------------------------------------------ narrowing */

/* Narrows the selection to `found`, which is used up; windows narrow `around` not. */
static bool narrow(struct selector *self, bool done, bool by_time, struct ranges *found)
{
    bool is_new = self->events.count > 0;
    if (done) {
        ranges_settle(found);
        bool any = found->count > 0;
        self->is_narrowed = true;
        ranges_intersect(&self->events, found);
        if (!by_time)
            ranges_intersect(&self->around, found);
        if (done && any)
            text_clear(self->words); /* what one trace lacks, another has */
        if (done && is_new && any && !self->events.count)
            tell(self, "no event fulfils all that was asked for");
    }
    array_free(found);
    return done;
}

static bool is_done(const struct selector *self)
{
    return self->events.count == 0;
}

static bool narrow_to_ids(struct selector *self)
{
    struct range uids;
    struct ranges found = {0};
    if (!self->selection->id_range || is_done(self))
        return true;
    read_range(self->selection->id_range, true, &uids);
    struct asked asked;
    int64_t id;
    asked_open(&asked, self->warehouse->db,
               "SELECT id FROM event WHERE id BETWEEN ?1 AND ?2 AND uid BETWEEN ?3 AND ?4 "
               "ORDER BY id");
    for (size_t i = 0; i < self->events.count; i++) {
        ASKED_ABOUT(&asked, self->events.items[i].first, self->events.items[i].last, uids.first,
                    uids.last);
        while (ASKED_ROW(&asked, &id))
            ranges_add(&found, id, id);
    }
    bool done = selection_done(self, &asked);
    if (done && !found.count)
        tell(self, "no event has an id in %s", self->selection->id_range);
    return narrow(self, done, false, &found);
}

/* The windows of a trace for one of the options; false on failure. */
typedef bool find_times(struct selector *self, struct range ids, struct ranges *times);

static bool find_steps(struct selector *self, struct range ids, struct ranges *times)
{
    struct range steps;
    read_range(self->selection->step, false, &steps);
    if (!signpost_steps(self->warehouse, ids, steps, times, self->words, self->error))
        return false;
    ranges_settle(times); /* the time between several steps is theirs */
    if (times->count && steps.first < steps.last)
        times->items[0].last = times->items[times->count - 1].last;
    times->count = steps.first < steps.last ? times->count > 0 : times->count;
    return true;
}

static bool find_time(struct selector *self, struct range ids, struct ranges *times)
{
    struct range span;
    (void)ids;
    time_span_read(self->selection->time, &span);
    ranges_add(times, span.first, span.last);
    return true;
}

static int64_t occurrence_of(const struct selection *selection)
{
    int64_t occurrence = 0;
    if (selection->occurrence)
        read_whole_number(selection->occurrence, &occurrence);
    return occurrence;
}

static bool find_inside(struct selector *self, struct range ids, struct ranges *times)
{
    return signpost_inside(self->warehouse, ids, self->selection->signpost,
                           occurrence_of(self->selection), times, self->words, self->error);
}

static bool find_between(struct selector *self, struct range ids, struct ranges *times)
{
    return signpost_between(self->warehouse, ids, self->selection->start_signpost,
                            self->selection->end_signpost, occurrence_of(self->selection), times,
                            self->words, self->error);
}

static bool narrow_to_times(struct selector *self, find_times *find)
{
    struct ranges times = {0}, found = {0};
    bool done = true, any = false;
    if (is_done(self))
        return true;
    for (size_t i = 0; done && i < self->traces.count; i++) {
        struct trace_row *trace = &self->traces.items[i];
        if (trace->ids.last < trace->ids.first)
            continue;
        times.count = 0;
        done = find(self, trace->ids, &times);
        ranges_settle(&times);
        any |= times.count > 0;
        if (done && times.count)
            done = window_events(self->warehouse, trace->ids, &times, &found, self->error);
        if (done) {
            /* Takes windows that were found; of several kinds of them what they share. */
            if (trace->has_times)
                ranges_intersect(&times, &trace->times);
            struct ranges before = trace->times;
            trace->times = times;
            trace->has_times = true;
            times = before;
        }
    }
    array_free(&times);
    if (done && !found.count) {
        if (any)
            text_clear(self->words);
        tell(self, "no event starts in the time that was asked for");
    }
    return narrow(self, done, true, &found);
}

/* ------------------------------------------------------------------ recomputation */

/* Everything below frames of these names. */
static bool find_recompute(struct selector *self, const struct ranges *names,
                           struct ranges *recompute)
{
    struct asked asked;
    int64_t id, last, name;
    asked_open(
        &asked, self->warehouse->db,
        "SELECT id, last_id, name_id FROM event WHERE id BETWEEN ?1 AND ?2 AND category_id IN "
        "(SELECT id FROM category WHERE role = 'frame') ORDER BY id");
    for (size_t i = 0; names->count && i < self->traces.count; i++) {
        ASKED_ABOUT(&asked, self->traces.items[i].ids.first, self->traces.items[i].ids.last);
        while (ASKED_ROW(&asked, &id, &last, &name))
            if (ranges_contain(names, name))
                ranges_add(recompute, id, last);
    }
    ranges_settle(recompute);
    return selection_done(self, &asked);
}

/* ------------------------------------------------------------------ rows of scope */

struct pieces {
    struct piece *items;
    size_t count, room;
};

static void add_pieces(const struct ranges *ranges, int is_recompute, struct pieces *pieces)
{
    array_reserve(pieces, ranges->count);
    for (size_t i = 0; i < ranges->count; i++)
        pieces->items[pieces->count++] = (struct piece){ranges->items[i], is_recompute};
}

ORDER_BY(compare_pieces, struct piece, UP(ids.first));

/* Selected events, parted where asked for, in order. */
static bool make_pieces(struct selector *self, const struct ranges *events, struct pieces *pieces)
{
    if (!self->selection->detect_recompute) {
        add_pieces(events, -1, pieces);
        return true;
    }
    struct ranges names = {0}, recompute = {0}, rest = {0};

    /* The numbers of the names of functions that recompute activations, in order. */
    struct asked asked;
    int64_t id;
    asked_open(&asked, self->warehouse->db,
               "SELECT id FROM string WHERE instr(text, 'torch/utils/checkpoint.py') "
               "AND instr(text, 'recompute_fn') ORDER BY id");
    while (ASKED_ROW(&asked, &id))
        ranges_add(&names, id, id);
    bool done = selection_done(self, &asked) && find_recompute(self, &names, &recompute);
    if (done) {
        ranges_subtract(events, &recompute, &rest);
        ranges_intersect(&recompute, events);
        add_pieces(&rest, 0, pieces);
        add_pieces(&recompute, 1, pieces);

        array_sort(pieces, compare_pieces);
    }
    arrays_free(&names, &recompute, &rest);
    return done;
}

/* The first piece that ends at or after the id. */
static size_t first_piece(const struct pieces *pieces, int64_t id)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, pieces->count, pieces->items[place].ids.last < id);
    return place;
}

/* Adds the pieces of a trace, to what is around its windows or to what is selected. */
static void select_of_trace(struct context *context, const struct trace_row *trace,
                            const struct pieces *pieces, bool is_around)
{
    for (size_t j = first_piece(pieces, trace->ids.first); j < pieces->count; j++) {
        const struct piece *piece = &pieces->items[j];
        int64_t first = piece->ids.first, last = piece->ids.last;
        if (first > trace->ids.last)
            break;
        first = first < trace->ids.first ? trace->ids.first : first;
        last = last > trace->ids.last ? trace->ids.last : last;
        if (is_around)
            context_select_around(context, trace->id, first, last, piece->is_recompute);
        else
            context_select(context, trace->run, trace->id, first, last, piece->is_recompute);
    }
}

/* ------------------------------------------------------------------ all of it */

static bool check(struct selector *self)
{
    const struct selection *selection = self->selection;
    struct range range;
    int64_t number;
    bool has_signpost = selection->signpost || selection->start_signpost || selection->end_signpost;
    if (selection->id_range && !read_range(selection->id_range, true, &range))
        return bad_value(self, "id range", selection->id_range, "A-B");
    if (selection->step && !read_range(selection->step, false, &range))
        return bad_value(self, "step", selection->step, "N or N-M");
    if (selection->time && !time_span_read(selection->time, &range))
        return bad_value(self, "time", selection->time,
                         "FROM-TO, like 1.2s-1300ms, with TO behind FROM");
    if (selection->occurrence && (!read_whole_number(selection->occurrence, &number) || number < 1))
        return bad_value(self, "occurrence of a signpost", selection->occurrence,
                         "a number from 1");
    if (selection->occurrence && !has_signpost)
        return error_set(self->error, STATUS_USAGE,
                         "the occurrence of a signpost needs the name of a signpost");
    if (selection->ignore_signposts && has_signpost)
        return error_set(self->error, STATUS_USAGE,
                         "a signpost cannot be chosen while signposts are ignored");
    return true;
}

static bool choose_events(struct selector *self)
{
    const struct selection *selection = self->selection;
    if (!(check(self) && read_traces(self) && check_iteration(self) && check_steps(self) &&
          check_signposts(self) && narrow_to_ids(self) &&
          (!selection->step || narrow_to_times(self, find_steps)) &&
          (!selection->time || narrow_to_times(self, find_time)) &&
          (!selection->signpost || narrow_to_times(self, find_inside)) &&
          (!(selection->start_signpost || selection->end_signpost) ||
           narrow_to_times(self, find_between))))
        return false;

    /* A condition is looked at even when nothing can be selected any more, for the sake of errors.
     */
    struct ranges found = {0};
    if (!self->selection->where)
        return true;

    /* Traces as a whole, for conditions to look at. */
    context_select_none(self->warehouse->context);
    for (size_t i = 0; i < self->traces.count; i++) {
        const struct trace_row *trace = &self->traces.items[i];
        context_select(self->warehouse->context, trace->run, trace->id, trace->ids.first,
                       trace->ids.last, -1);
    }
    bool done = condition_events(self->warehouse, self->selection->where, &found, self->error);
    if (done && !found.count)
        tell(self, "no event fulfils the condition");
    return narrow(self, done, false, &found);
}

bool selection_apply(struct warehouse *warehouse, const struct selection *selection, bool *is_empty,
                     struct text *words, struct error *error)
{
    struct selector self = {
        .warehouse = warehouse, .selection = selection, .words = words, .error = error};
    struct pieces pieces = {0}, around = {0};
    text_clear(words);
    bool done = choose_events(&self);
    done = done && make_pieces(&self, &self.events, &pieces) &&
           make_pieces(&self, &self.around, &around);
    if (done) {
        /* A trace with a window in which no event starts has a range without events. */
        struct context *context = self.warehouse->context;
        context_select_none(context);
        for (size_t i = 0; i < self.traces.count; i++) {
            const struct trace_row *trace = &self.traces.items[i];
            bool has_events = trace->ids.first <= trace->ids.last,
                 has_times = trace->times.count > 0;
            size_t before = context->selection.count;
            if (has_events)
                select_of_trace(context, trace, &pieces, false);
            if (context->selection.count == before && (has_events ? has_times : !self.is_narrowed))
                context_select(context, trace->run, trace->id, trace->ids.first,
                               has_events ? trace->ids.first - 1 : trace->ids.last,
                               self.selection->detect_recompute ? 0 : -1);
            if (has_events && has_times)
                select_of_trace(context, trace, &around, true);
            for (size_t j = 0; j < trace->times.count; j++)
                context_select_time(context, trace->id, trace->times.items[j].first,
                                    trace->times.items[j].last);
        }
    }
    *is_empty = done && (warehouse->context->selection.count == 0 ||
                         (warehouse->context->times.count && pieces.count == 0));
    if (done && !*is_empty)
        text_clear(words);
    for (size_t i = 0; i < self.traces.count; i++) {
        memory_free(self.traces.items[i].run);
        array_free(&self.traces.items[i].times);
    }
    arrays_free(&self.traces, &self.candidates, &self.ranks, &self.events, &self.around, &pieces,
                &around);
    return done;
}
