/* evidence_read: what a trace shows that rules are about, from the warehouse. Each kind of row is
 * read once, by id; what a name says is asked once for each name. */
#include "sql/advice/evidence.h"

#include "sql/advice/evidence_read.sql.h"
#include "sql/asked.h"
#include "sql/binding/ranges.h"
#include "sql/schedule/path_rows.h"
#include "sql/schedule/plan.h"
#include "sql/schedule/what_if.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

/* Each work gets the greatest part that any place of the fact takes from it. The plan
 * kept for tables about the path is replayed, or one of our own where that was too large. */

/* The plan that is kept for tables about the path, or one of our own where that was too large. */
int fact_replay_open(struct fact_replay *self, sqlite3 *db, struct context *context,
                     const char *run, int64_t trace)
{
    int64_t ignored;
    *self = (struct fact_replay){0};
    int result = database_ask(db, "SELECT nodes FROM path_graph LIMIT 1", 0, &ignored);
    const struct path_rows *kept = table_kept(context, &path_reading);
    for (size_t i = 0; kept && i < kept->wholes.count && result == SQLITE_OK; i++)
        if (kept->wholes.items[i].trace == trace)
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

    /* Takes start-up out of the places: it is over when the loop runs. */
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

    /* Time that the host loses in the places of the fact is taken away there. */
    const struct schedule *schedule = &self->plan->parts.items[0];
    for (uint32_t thread = 0; thread < schedule->threads.count; thread++)
        for (size_t i = 0; i < fact->places.count; i++) {
            const struct fact_place *place = &fact->places.items[i];
            if (!place->track || place->track == schedule->threads.items[thread].track)
                effect_inside(&effect, (struct inside){0,
                                                       thread,
                                                       place->start + schedule->shift,
                                                       place->end + schedule->shift,
                                                       {0, 1},
                                                       true});
        }
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

/* Kernels are asked for their blocks where that counts; so many, whether they state them. */
enum { TRIED = 10, TRIED_OPS = 1000 };

enum { MARKS_OF_FRAMES = MARK_COLLECTS | MARK_COMPILES };

enum subject {
    SUBJECT_CALL,
    SUBJECT_OP,
    SUBJECT_RANGE,
    SUBJECT_COPY,
    SUBJECT_KERNEL,
    SUBJECT_LAUNCHER,
    SUBJECT_FRAME
};

struct reader {
    sqlite3 *db;
    struct context *context;
    struct evidence *seen;
    const char *run;
    int64_t trace;
    struct asked ask_marks, ask_class, ask_blocks;
    struct map marks;   /* names by subject -> bits + 1 */
    struct map classes; /* names of kernels by category -> enum seen_class + 1 */
    struct map blocks;  /* arguments, name -> place in `stated` + 1 */
    ARRAY(double) stated;
    struct map stream, device; /* device and number -> place + 1 */
    int tried_ops;
    int64_t covered; /* the last id below an op or a call */
};

/* ------------------------------------------------------------------ names */

static uint32_t mark_called(const char *word)
{
    static const struct {
        const char *word;
        uint32_t mark;
    } words[] = {
        {"blocking copy", MARK_BLOCKING_COPY},
        {"asynchronous", MARK_ASYNC},
        {"wait", MARK_WAIT},
        {"graph launch", MARK_GRAPH_LAUNCH},
        {"launch", MARK_LAUNCH},
        {"allocation", MARK_ALLOCATION},
        {"code loading", MARK_CODE_LOADING},
        {"value read", MARK_READS_VALUE},
        {"data parallel", MARK_DATA_PARALLEL},
        {"convolution", MARK_CONVOLUTION},
        {"pageable", MARK_PAGEABLE},
        {"to host", MARK_TO_HOST},
        {"to device", MARK_TO_DEVICE},
        {"copy or cast", MARK_MOVES},
        {"pointwise", MARK_POINTWISE},
        {"layout change", MARK_LAYOUT},
        {"many tensors", MARK_MANY_TENSORS},
        {"data loading", MARK_LOADER},
        {"optimizer", MARK_OPTIMIZER},
        {"garbage collection", MARK_COLLECTS},
        {"compilation", MARK_COMPILES},
        {"softmax", MARK_SOFTMAX},
        {"product", MARK_PRODUCT},
        {"compiled code", MARK_COMPILED},
        {"capture begin", MARK_CAPTURE_BEGIN},
        {"capture end", MARK_CAPTURE_END},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].mark;
    return 0;
}

static int find_marks(struct reader *self, int64_t name, enum subject subject, int64_t time,
                      uint32_t *marks)
{
    static const char *const words[] = {
        [SUBJECT_CALL] = "call",  [SUBJECT_OP] = "op",         [SUBJECT_RANGE] = "range",
        [SUBJECT_COPY] = "copy",  [SUBJECT_KERNEL] = "kernel", [SUBJECT_LAUNCHER] = "launcher",
        [SUBJECT_FRAME] = "frame"};
    uint32_t *known = map_put(&self->marks, name, subject), found = 0;
    const char *word;
    if (!*known) {
        ASK_AGAIN(&self->ask_marks, self->db,
                  "SELECT advice_name.mark FROM advice_name JOIN string ON string.id = ?1 "
                  "WHERE advice_name.subject = ?2 AND string.text REGEXP advice_name.pattern",
                  name, words[subject]);
        while (ASKED_ROW(&self->ask_marks, &word))
            found |= mark_called(word);
        if (asked_code(&self->ask_marks) != SQLITE_OK)
            return asked_code(&self->ask_marks);
        /* events come by id: this one is the first of its name */
        bool is_slow = subject == SUBJECT_OP && time >= START_UP_CALL;
        *known = (is_slow ? found | MARK_SLOW_FIRST : found) + 1;
    }
    *marks = *known - 1;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ the host */

static int64_t end_of(int64_t start, int64_t duration)
{
    int64_t end;
    if (duration < 0)
        duration = 0;
    return __builtin_add_overflow(start, duration, &end) ? INT64_MAX / 4 : end;
}

static bool is_sane(int64_t time)
{
    return time > -INT64_MAX / 4 && time < INT64_MAX / 4;
}

/* Finds out if shapes were recorded: ops are asked until one has them. */
static int find_shapes(struct reader *self, int64_t op)
{
    if (self->seen->has_shapes || op == INT64_MIN || self->tried_ops >= TRIED_OPS)
        return SQLITE_OK;
    int64_t has_shapes = 0;
    int result =
        database_ask(self->db, "SELECT dims_id IS NOT NULL FROM op WHERE id = ?1", op, &has_shapes);
    self->seen->has_shapes = has_shapes != 0;
    self->tried_ops++;
    return result;
}

static void add_name(struct evidence *seen, const struct seen_host *host, bool is_frame)
{
    bool is_long = host->end - host->start >= (is_frame ? NAMED_FRAME_TIME : NAMED_TIME);
    if (is_long && host->name > 0) /* no name of ours has another number */
        array_add(&seen->names.items,
                  (struct host_name){.track = host->track,
                                     .start = host->start,
                                     .end = host->end,
                                     .name = is_frame ? -host->name : host->name,
                                     .holds = host->marks & MARK_LOADER});
}

/* Kinds of events are few: their numbers are places of bits. A set that is asked for every row must
 * cost nothing. */
#define KINDS(condition) "SELECT sum(1 << id) FROM category WHERE id < 63 AND " condition

static int read_frames(struct reader *self)
{
    struct asked asked;
    int64_t frames = 0, duration;
    struct seen_host frame = {0};
    int result = database_ask(self->db, KINDS("role = 'frame'"), 0, &frames);
    ASK(&asked, self->db,
        "SELECT event.ts_ns, event.dur_ns, event.name_id, event.track_id FROM scope CROSS JOIN "
        "event ON event.id BETWEEN scope.first_event AND scope.last_event "
        "WHERE scope.trace_id = ?1 AND scope.run = ?2 AND event.dur_ns >= 1000000 "
        "AND (?3 >> event.category_id) & 1",
        self->trace, self->run, frames);
    while (result == SQLITE_OK &&
           ASKED_ROW(&asked, &frame.start, &duration, &frame.name, &frame.track)) {
        frame.end = end_of(frame.start, duration);
        if (!is_sane(frame.start))
            continue;
        self->seen->has_frames = true;
        result = find_marks(self, frame.name, SUBJECT_FRAME, 0, &frame.marks);
        add_name(self->seen, &frame, true);
        if (result == SQLITE_OK && frame.marks)
            array_add(&self->seen->ranges, frame);
    }
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

enum {
    HOST_IS_CALL,
    HOST_NAME,
    HOST_TRACK,
    HOST_START,
    HOST_DURATION,
    HOST_BELOW,
    HOST_OP,
    HOST_COLUMNS
};

static int take_host(void *reader, int64_t id, const int64_t *row)
{
    struct reader *self = reader;
    struct evidence *seen = self->seen;
    bool is_call = row[HOST_IS_CALL];
    int64_t start = row[HOST_START], duration = row[HOST_DURATION];
    struct seen_host host = {.id = id,
                             .last_id = id + row[HOST_BELOW],
                             .start = start,
                             .end = end_of(start, duration),
                             .track = row[HOST_TRACK],
                             .name = row[HOST_NAME]};
    if (!is_sane(start))
        return SQLITE_OK;
    if (id > self->covered) { /* what is below lies within */
        self->covered = host.last_id;
        interval_add(&seen->host, host.start, host.end);
    }
    seen->has_ops |= !is_call;
    int result = find_shapes(self, row[HOST_OP]);
    if (result == SQLITE_OK)
        result =
            find_marks(self, host.name, is_call ? SUBJECT_CALL : SUBJECT_OP, duration, &host.marks);
    if (result != SQLITE_OK)
        return result;
    seen->has_frames |= (host.marks & MARKS_OF_FRAMES) != 0;
    add_name(seen, &host, false);
    if (is_call)
        array_add(&seen->calls, host);
    else if (host.marks)
        array_add(&seen->ops, host);
    return SQLITE_OK;
}

static int read_host(struct reader *self)
{
    struct text calls = {0}, wanted = {0};
    struct asked asked;
    int result = rows_add_kinds(self->db, self->context, "role = 'call'", &calls);
    if (result == SQLITE_OK)
        result = rows_add_kinds(self->db, self->context,
                                "role IN ('op', 'call') AND name <> 'cuda_sync'", &wanted);
    const char *columns[HOST_COLUMNS] = {calls.items, "name_id", "track_id", "ts_ns",
                                         "dur_ns",    "below",   "op_id"};
    struct rows_wish wish = {
        .table = "event", .columns = columns, .count = HOST_COLUMNS, .only = wanted.items};
    ASK(&asked, self->db,
        "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 AND run = ?2", self->trace,
        self->run);
    while (result == SQLITE_OK && ASKED_ROW(&asked, &wish.first, &wish.last))
        result = rows_each_number(self->db, self->context, &wish, take_host, self);
    text_free(&calls);
    text_free(&wanted);
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

/* Ranges stand on tracks of their own: the thread of the host that they are of is the track. */
static int read_ranges(struct reader *self, const char *sql)
{
    struct evidence *seen = self->seen;
    struct asked asked;
    struct seen_host range = {0};
    int64_t duration;
    bool is_step;
    int result = SQLITE_OK;
    ASK(&asked, self->db, sql, self->trace);
    while (result == SQLITE_OK && ASKED_ROW(&asked, &range.id, &range.start, &duration, &range.name,
                                            &is_step, &range.track)) {
        range.end = end_of(range.start, duration);
        if (!is_sane(range.start))
            continue;
        if (is_step) {
            if (seen->steps++ == 0 || range.end < seen->first_step_end)
                seen->first_step_end = range.end;
            continue;
        }
        seen->has_ranges = true;
        range.last_id = range.id;
        result = find_marks(self, range.name, SUBJECT_RANGE, 0, &range.marks);
        add_name(seen, &range, false);
        seen->has_frames |= (range.marks & MARKS_OF_FRAMES) != 0;
        if (range.marks)
            array_add(&seen->ranges, range);
    }
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

/* ------------------------------------------------------------------ the accelerator */

static int find_class(struct reader *self, int64_t name, int64_t category, uint8_t *class)
{
    uint32_t *known = map_put(&self->classes, name, category);
    const char *word;
    if (!*known) {
        ASK_AGAIN(&self->ask_class, self->db, "SELECT kernel_class('timeline', ?1, ?2)", category,
                  name);
        if (!ASKED_ROW(&self->ask_class, &word))
            return asked_code(&self->ask_class);
        *known = 1 + (strcmp(word, "communication") == 0 ? SEEN_COMMUNICATION
                      : strcmp(word, "computation") == 0 ? SEEN_COMPUTATION
                      : strcmp(word, "wait") == 0        ? SEEN_WAIT
                                                         : SEEN_OTHER);
    }
    *class = (uint8_t)(*known - 1);
    return SQLITE_OK;
}

/* Blocks for each multiprocessor, by the name and arguments of a kernel. */
static int find_blocks(struct reader *self, int64_t args, struct seen_work *work)
{
    uint32_t *known = map_put(&self->blocks, args, work->name);
    if (!*known) {
        double stated = 0;
        ASK_AGAIN(&self->ask_blocks, self->db,
                  "SELECT coalesce(arg(json, 'blocks per SM'), blocks * 1.0 / cores) "
                  "FROM args LEFT JOIN launch_shape AS shape ON shape.id = ?2 WHERE args.id = ?1",
                  args, work->id);
        ASKED_ROW(&self->ask_blocks, &stated);
        if (asked_code(&self->ask_blocks) != SQLITE_OK)
            return asked_code(&self->ask_blocks);
        array_add(&self->stated, isfinite(stated) ? stated : 0);
        *known = (uint32_t)self->stated.count;
    }
    work->blocks = self->stated.items[*known - 1];
    self->seen->has_blocks |= work->blocks > 0;
    return SQLITE_OK;
}

static uint32_t find_stream(struct reader *self, int64_t device, int64_t number)
{
    uint32_t *place = map_put(&self->stream, device, number);
    uint32_t *of_device = map_put(&self->device, device, 0);
    if (!*place)
        *place = (uint32_t)self->stream.count;
    if (!*of_device && device != INT64_MIN)
        self->seen->devices++;
    *of_device = 1;
    return *place;
}

/* Adds a GPU activity, without its stream and class so far; NULL is INT64_MIN. */
static int add_work(struct reader *self, struct seen_work work, int64_t device, int64_t stream,
                    int64_t launcher, int64_t args)
{
    uint32_t of_launcher = 0;
    work.stream = find_stream(self, device, stream);
    work.launcher = launcher == INT64_MIN ? 0 : launcher;
    work.class = SEEN_OTHER;
    int result = work.kind == SEEN_KERNEL ? find_class(self, work.name, work.category, &work.class)
                                          : SQLITE_OK;
    if (result == SQLITE_OK && work.class == SEEN_WAIT) {
        tally_add(&self->seen->waits, work.name, work.end - work.start, 1);
        return SQLITE_OK;
    }
    if (result == SQLITE_OK)
        result = find_marks(self, work.name, work.kind == SEEN_COPY ? SUBJECT_COPY : SUBJECT_KERNEL,
                            0, &work.marks);
    if (result == SQLITE_OK && work.marks & MARK_LAYOUT && launcher != INT64_MIN)
        result = find_marks(self, launcher, SUBJECT_LAUNCHER, 0, &of_launcher);
    bool is_asked = work.end - work.start >= FEW_BLOCKS_TIME || self->stated.count < TRIED;
    if (result == SQLITE_OK && work.kind == SEEN_KERNEL && is_asked && args != INT64_MIN)
        result = find_blocks(self, args, &work);
    work.marks |= of_launcher;
    if (result == SQLITE_OK)
        array_add(&self->seen->works, work);
    return result;
}

static int read_work(struct reader *self)
{
    struct asked asked;
    struct seen_work work = {0};
    int64_t copies = 0, sets = 0, duration, device, stream, kind, launcher, args;
    int result = database_ask(self->db, KINDS("name = 'gpu_memcpy'"), 0, &copies);
    if (result == SQLITE_OK)
        result = database_ask(self->db, KINDS("name = 'gpu_memset'"), 0, &sets);
    ASK(&asked, self->db, works_selected, self->trace, self->run, copies, sets);
    while (result == SQLITE_OK && ASKED_ROW(&asked, &work.id, &work.start, &duration, &work.name,
                                            OR_NONE(&device), OR_NONE(&stream), &work.call, &kind,
                                            &work.category, OR_NONE(&launcher), OR_NONE(&args))) {
        work.end = end_of(work.start, duration);
        work.kind = (uint8_t)kind;
        if (is_sane(work.start))
            result = add_work(self, work, device, stream, launcher, args);
    }
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

/* ------------------------------------------------------------------ all of it */

int evidence_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct evidence *evidence)
{
    struct reader self = {
        .db = db, .context = context, .seen = evidence, .run = run, .trace = trace};

    int result = read_host(&self);
    if (result == SQLITE_OK)
        result = read_ranges(&self, marked_ranges);
    if (result == SQLITE_OK)
        result = read_ranges(&self, "SELECT id, ts_ns, dur_ns, NULL, 1, track_id FROM step_mark "
                                    "WHERE trace_id = ?1 AND iteration = 'kernels'");
    if (result == SQLITE_OK)
        result = read_frames(&self);
    if (result == SQLITE_OK)
        result = read_work(&self);
    if (result == SQLITE_OK)
        evidence_find(evidence);
    asked_end(&self.ask_marks);
    asked_end(&self.ask_class);
    asked_end(&self.ask_blocks);
    map_free(&self.marks);
    map_free(&self.classes);
    map_free(&self.blocks);
    map_free(&self.stream);
    map_free(&self.device);
    array_free(&self.stated);
    return result;
}
