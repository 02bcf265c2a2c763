/* ingest: see ingest.h.
 *
 * Readers take files in order and stay at most as many files ahead of the writer as there are
 * readers, so that memory is bounded whatever the sizes. With one job everything happens in the
 * calling thread.
 */
#include "ingest/ingest.h"

#include "ingest/capture.h"
#include "ingest/dialect.h"
#include "ingest/nsys/nsys_report.h"
#include "ingest/store/store.h"
#include "ingest/trace/link.h"
#include "sql/warehouse/schema.h"
#include "src/base/clock.h"
#include "src/base/file.h"
#include "src/base/intern.h"
#include "src/base/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A trace of a run that is in the warehouse already. */
struct known_trace {
    int64_t file_bytes, id, rank; /* -1 = none */
    int64_t mtime_ns; /* of its file, if it was stored with these options; 0 = unknown */
    const char *path;
    char hash[33];
};

struct run {
    struct text name; /* in UTF-8 as all texts of the warehouse */
    const char *const *labels;
    bool is_labelled;
    ARRAY(struct known_trace) known;
    _Atomic(const char *) refusal; /* why none of its files is stored; NULL = they are */
};

struct job {
    struct memory memory; /* of its trace and path */
    const struct input *input;
    struct run *run;
    char *path; /* in the warehouse */
    int64_t rank;
    struct trace trace;
    struct error error;
    enum ingest_result result; /* INGEST_STORED here: read, to be stored */
    int64_t known_id;
    double seconds;
    bool ready;
};

struct ingest {
    const struct ingest_options *options;
    const struct ingest_observer *observer;
    struct error *error;
    const input_list *inputs;
    struct intern texts; /* paths that are known, and refusals */
    struct run *runs;
    size_t run_count;
    struct rank_pattern *ranks;
    struct warehouse own, *warehouse; /* `warehouse` is the one that is open, or NULL */
    bool is_building;
    bool threaded_sources;
    struct dialects dialects;
    struct captures captures; /* read by one thread at a time: with them there is only one */

    struct job *jobs;             /* the inputs in hand, in turn: as many as `window` */
    struct error failed, foreign; /* of the first input that is so */
    bool any_trace;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next_to_read, next_to_store, window;
    bool stop;
};

/* ------------------------------------------------------------------ reading */

static const char *keep_text(struct ingest *self, const char *text)
{
    uint32_t number = intern_add(&self->texts, text, strlen(text) + 1);
    return intern_view(&self->texts, number).bytes;
}

static bool hash_content(struct ingest *self, const char *path, char hash[33], struct error *error)
{
    struct source *source = source_open(path, self->threaded_sources, NULL, error);
    bool done = source && source_drain(source, error);
    if (done)
        source_hash(source, hash);
    source_close(source);
    return done;
}

/* A file as long as one that the run has may be the same. Its path and time say so in a first
 * round; in a second one its content is hashed. */
static int64_t find_known(struct ingest *self, const struct run *run, const struct input *input,
                          const char *path)
{
    char hash[33] = "";
    struct error ignored = {0};
    size_t count = run->known.count;
    for (size_t i = 0; i < 2 * count && input->bytes; i++) {
        const struct known_trace *known = &run->known.items[i % count];
        if (known->file_bytes != input->bytes || (input->has_rank && input->rank != known->rank))
            continue;
        if (i < count && known->mtime_ns && known->mtime_ns == input->mtime_ns &&
            strcmp(path, known->path) == 0)
            return known->id;
        if (i < count)
            continue;
        if (!*hash && !hash_content(self, input->path, hash, &ignored))
            return 0; /* reading it will say why */
        if (strcmp(hash, known->hash) == 0)
            return known->id;
    }
    return 0;
}

/* Events that are kept, or would be, were it not for an option. */
static bool has_events(const struct trace *trace)
{
    for (; trace; trace = trace->next)
        if (trace->slices.count || trace->memory.count || trace->facts.count ||
            trace->notes.entries[NOTE_FRAME_LEFT_OUT].count)
            return true;
    return false;
}

static bool ingest_read_trace(struct ingest *self, struct job *job)
{
    struct error *error = &job->error;
    _Atomic int64_t *progress = self->observer->bytes_read;
    if (progress)
        progress += job->input - self->inputs->items;
    struct source *source = source_open(job->input->path, self->threaded_sources, progress, error);
    struct source *content = source; /* of a report of Nsight Systems, its export */
    bool is_open = source && nsys_report_export(source, &content, error);
    const struct format *format = is_open ? format_detect(content, error) : NULL;
    bool done = format && format_read(format, content, &self->options->read, &job->trace, error);
    if (done) {
        /* A file without events, or whose events were all left out, is none that can be read,
         * whatever else is in it. */
        const struct trace *trace = &job->trace;
        const char *path = job->input->path;
        enum note note = note_leaving_out(&trace->notes);
        if (!has_events(trace) && (note != NOTE_COUNT || !format->may_be_empty)) {
            const struct note_entry *entry = &trace->notes.entries[note < NOTE_COUNT ? note : 0];
            if (note == NOTE_COUNT)
                error_set(error, STATUS_BAD_INPUT,
                          "%s: nothing in it can be used: it has no events", path);
            else
                error_set(
                    error, STATUS_BAD_INPUT,
                    "%s: nothing in it can be used; %lld of its %lld events: %s (the first at byte "
                    "%lld)",
                    path, (long long)entry->count, (long long)trace->events, note_meaning(note),
                    (long long)entry->offset);
            error->foreign = true;
            done = false;
        }
    }
    if (done && (!self->options->read.salvage || content != source))
        done = source_drain(source, error);
    for (struct trace *trace = &job->trace; trace && done; trace = trace->next) {
        trace->format = format->name;
        trace->file_bytes = source_file_bytes(source);
        trace->content_bytes = source_content_bytes(content);
        source_hash(source, trace->hash);
        done = dialects_apply(&self->dialects, trace, self->options->read.no_frames, error);
        if (!done)
            break;
        link_trace(trace);

        /* With captures the tree has in it what they say about replayed graphs. */
        struct merged merged = {0};
        done = !self->options->captures || captures_merge(&self->captures, trace, &merged, error);
        if (done) {
            tree_build(trace, self->options->order);
            captures_settle(trace, &merged);
        }
        merged_free(&merged);
    }
    if (content != source)
        source_close(content);
    source_close(source);
    return done;
}

/* Ends what was read of a job. */
static void end_job(struct job *job)
{
    trace_free(&job->trace);
    memory_end(&job->memory);
}

static const char *ingest_name_of(const struct ingest *self, const struct input *input)
{
    return self->options->as ? self->options->as : input->path;
}

/* The path of an input in the warehouse, which the caller frees. */
static char *stored_path(const struct ingest *self, const struct input *input)
{
    bool is_stdin = strcmp(input->path, "-") == 0;
    char *resolved = is_stdin ? NULL : file_real_path(input->path);
    struct text path = {0};
    text_add_valid(&path, resolved ? resolved : ingest_name_of(self, input));
    memory_free(resolved);
    return path.items;
}

static void read_job(struct ingest *self, size_t index)
{
    struct job *job = &self->jobs[index % self->window];
    const struct input *input = &self->inputs->items[index];
    struct memory_attempt attempt;
    double start = clock_seconds();
    job->input = input;
    job->run = &self->runs[input->run];
    if (!memory_try(&attempt, &job->memory)) {
        error_memory(&job->error);
        job->result = INGEST_FAILED;
        return;
    }
    trace_init(&job->trace);
    job->path = stored_path(self, input);
    if (!self->options->replace)
        job->known_id = find_known(self, job->run, input, job->path);
    if (job->known_id)
        job->result = INGEST_KNOWN;
    else if (!job->run->refusal && ingest_read_trace(self, job))
        job->result = INGEST_STORED;
    else
        job->result = job->error.foreign && input->from_directory ? INGEST_FOREIGN : INGEST_FAILED;
    memory_leave(&attempt);
    if (job->result != INGEST_STORED)
        end_job(job);
    job->seconds = clock_seconds() - start;
}

static void *reader_run(void *context)
{
    struct ingest *self = context;
    for (;;) {
        pthread_mutex_lock(&self->lock);
        while (!self->stop && self->next_to_read < self->inputs->count &&
               self->next_to_read >= self->next_to_store + self->window)
            pthread_cond_wait(&self->changed, &self->lock);
        size_t index = self->next_to_read++;
        bool stop = self->stop || index >= self->inputs->count;
        pthread_mutex_unlock(&self->lock);
        if (stop)
            return NULL;
        read_job(self, index);
        pthread_mutex_lock(&self->lock);
        self->jobs[index % self->window].ready = true;
        pthread_cond_broadcast(&self->changed);
        pthread_mutex_unlock(&self->lock);
    }
}

/* ------------------------------------------------------------------ writing */

static bool open_warehouse(struct ingest *self, bool may_build)
{
    self->is_building = may_build && !warehouse_exists(self->options->database);
    bool opened = warehouse_open(&self->own, self->options->database,
                                 self->is_building ? WAREHOUSE_BUILD : WAREHOUSE_WRITE,
                                 self->options->wait_ms, self->error);
    const char *saved = self->options->saved_views;
    if (opened && saved && !views_choose(self->own.db, strcmp(saved, "all") == 0, self->error)) {
        warehouse_close(&self->own);
        opened = false;
    }
    self->warehouse = opened ? &self->own : NULL;
    return opened;
}

static void close_warehouse(struct ingest *self)
{
    if (self->warehouse == &self->own)
        warehouse_close(&self->own);
    self->warehouse = self->options->into;
}

/* The rank that the name of an input says; -1 = none. */
static int64_t named_rank(const struct ingest *self, const struct input *input)
{
    return input->has_rank ? input->rank
                           : rank_pattern_find(self->ranks, ingest_name_of(self, input));
}

static void settle_rank(const struct ingest *self, struct job *job)
{
    const struct input *input = job->input;
    int64_t rank = named_rank(self, input), stated = job->trace.rank;
    if (rank >= 0 && stated != NONE && stated != rank)
        job->trace.notes.entries[NOTE_RANK_DISAGREES] = (struct note_entry){1, -1, -1};
    /* A pattern that the user gave is meant; the usual one only helps out. */
    if (rank < 0 || (stated != NONE && !self->options->rank_pattern && !input->has_rank))
        rank = stated;
    if (rank == NONE || rank < 0) /* hosts of one profile are ranks of one run */
        rank = input->host;
    job->rank = rank;
}

/* Refuses a run that has a rank from another path already: it is another run of that name. */
static void refuse_other_path(struct ingest *self, struct run *run, const char *path, int64_t rank,
                              const char *hash)
{
    const char *other = NULL, *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    struct text words = {0};
    for (size_t i = 0; i < run->known.count; i++) {
        const struct known_trace *known = &run->known.items[i];
        if (strcmp(known->path, path) == 0 || strcmp(known->hash, hash) == 0)
            return;
        /* Without ranks, files of one folder are one run, or files that an expression names so. */
        bool is_beside =
            strncmp(known->path, path, folder) == 0 && !strchr(known->path + folder, '/');
        if (known->rank == rank && (rank >= 0 || !(self->inputs->by_pattern || is_beside)))
            other = known->path;
    }
    if (!other)
        return;
    text_format(&words, "run %s has the rank of %s from %s already; name runs with --run-per REGEX",
                run->name.items, path, other);
    run->refusal = keep_text(self, words.items);
    text_free(&words);
}

static enum store_result store_once(struct ingest *self, struct job *job, int64_t *trace_id)
{
    struct store_options options = {
        .run = job->run->name.items,
        .labels = job->run->labels,
        .path = job->path,
        .mtime_ns = self->options->captures ? 0 : job->input->mtime_ns,
        .rank = job->rank < 0 ? NONE : job->rank,
        .parts_ranks = job->input->has_rank,
        .graph_notes = self->options->graph_notes,
        .requests = self->options->requests,
        .told = &job->trace.notes,
        .order = self->options->order,
        .no_frames = self->options->read.no_frames,
        .replace = self->options->replace,
    };
    return store_trace(self->warehouse, &job->trace, &options, trace_id, self->error);
}

/* The first trace of a new warehouse goes into a building, which is then put in its place; if
 * another process has put one there meanwhile, the trace goes into that. */
static enum store_result store_job(struct ingest *self, struct job *job, int64_t *trace_id)
{
    if (!self->warehouse && !open_warehouse(self, true))
        return STORE_FAILED;
    enum store_result result = store_once(self, job, trace_id);
    if (!self->is_building || result == STORE_FAILED)
        return result;
    bool taken;
    if (!warehouse_publish(self->warehouse, &taken, self->error))
        return STORE_FAILED;
    close_warehouse(self);
    if (!taken)
        return result;
    return open_warehouse(self, false) ? store_once(self, job, trace_id) : STORE_FAILED;
}

static bool finish_job(struct ingest *self, struct job *job)
{
    int64_t trace_id = job->known_id;
    bool is_read = job->result == INGEST_STORED;
    double start = clock_seconds();
    if (is_read) {
        settle_rank(self, job);
        if (self->inputs->runs.count)
            refuse_other_path(self, job->run, job->path, job->rank, job->trace.hash);
    }
    if (job->run->refusal && job->result != INGEST_KNOWN) {
        error_set(&job->error, STATUS_BAD_INPUT, "%s: %s", job->input->path, job->run->refusal);
        job->result = INGEST_FAILED;
    } else if (is_read) {
        switch (store_job(self, job, &trace_id)) {
        case STORE_DONE:
            break;
        case STORE_KNOWN_ALREADY:
            job->result = INGEST_KNOWN;
            break;
        case STORE_FAILED:
            end_job(job);
            return false;
        }
    } else if (job->result == INGEST_KNOWN && job->run->labels && !job->run->is_labelled) {
        /* Labels are meant for the run, also when it has all the content already. */
        struct store_options labels = {.run = job->run->name.items, .labels = job->run->labels};
        if (!store_labels(self->warehouse, &labels, self->error))
            return false;
        job->run->is_labelled = true;
    }
    job->seconds += clock_seconds() - start;
    struct ingest_outcome outcome = {
        .path = ingest_name_of(self, job->input),
        .run = job->run->name.items,
        .result = job->result,
        .trace_id = trace_id,
        .seconds = job->seconds,
        .error = &job->error,
    };
    struct notes notes = {0};
    if (job->result == INGEST_STORED) {
        outcome.counts[COUNT_BYTES] = job->trace.content_bytes;
        outcome.notes = &notes;
        for (const struct trace *trace = &job->trace; trace; trace = trace->next) {
            int64_t kernels = 0;
            outcome.traces++;
            outcome.counts[COUNT_EVENTS] += (int64_t)trace->slices.count;
            outcome.counts[COUNT_MEMORY] += (int64_t)trace->memory.count + trace->allocator_events;
            for (int i = 0; i < NOTE_COUNT; i++)
                note_add(&notes.entries[i], trace->notes.entries[i].count,
                         trace->notes.entries[i].uid, trace->notes.entries[i].offset);
            for (size_t i = 0; i < trace->slices.count; i++)
                outcome.counts[COUNT_OPS] += trace_role(trace, &trace->slices.items[i]) == ROLE_OP;
            for (size_t i = 0; i < trace->gpus.count; i++)
                kernels +=
                    trace->slices.items[trace->gpus.items[i].slice].category == CATEGORY_KERNEL;
            outcome.counts[COUNT_KERNELS] += kernels;
            outcome.counts[COUNT_OTHER] += (int64_t)trace->gpus.count - kernels;
        }
    }
    struct error *first = job->result == INGEST_FAILED ? &self->failed : &self->foreign;
    if (!first->status)
        *first = job->error;
    self->any_trace |= job->result != INGEST_FOREIGN;
    self->observer->finished(self->observer->context, &outcome);
    if (is_read)
        end_job(job);
    return true;
}

/* ------------------------------------------------------------------ all of it */

static bool load_known(struct ingest *self)
{
    if (self->warehouse || !warehouse_exists(self->options->database))
        return true;
    if (!open_warehouse(self, false))
        return false;
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse,
        "SELECT file_bytes, trace.id, coalesce(rank, -1), iif(tree = ?2 AND frames = ?3, mtime_ns, "
        "0), path, content_hash FROM trace JOIN run ON run.id = trace.run_id LEFT JOIN trace_file "
        "ON trace_id = trace.id WHERE run.name = ?1",
        self->error);
    bool done = statement != NULL;
    for (size_t i = 0; i < self->run_count && done; i++) {
        struct run *run = &self->runs[i];
        sqlite3_bind_text(statement, 1, run->name.items, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2,
                          self->options->order == TREE_FILE_ORDER ? "reference" : "default", -1,
                          SQLITE_STATIC);
        sqlite3_bind_int(statement, 3,
                         self->options->captures ? -1 : !self->options->read.no_frames);
        while (warehouse_next(self->warehouse, statement, &done, self->error)) {
            struct known_trace known = {
                sqlite3_column_int64(statement, 0),           sqlite3_column_int64(statement, 1),
                sqlite3_column_int64(statement, 2),           sqlite3_column_int64(statement, 3),
                keep_text(self, database_text(statement, 4)), ""};
            strncpy(known.hash, database_text(statement, 5), sizeof known.hash - 1);
            array_add(&run->known, known);
        }
        sqlite3_reset(statement);
    }
    database_finalize(statement);
    return done;
}

/* Whole runs are refused where the names of files say their ranks. A pattern of the user knows
 * better than these: they may be ranks of a host. */
static void refuse_by_name(struct ingest *self)
{
    for (size_t i = 0; i < self->inputs->count && !self->inputs->by_pattern; i++) {
        const struct input *input = &self->inputs->items[i];
        struct run *run = &self->runs[input->run];
        int64_t rank = run->known.count ? named_rank(self, input) : -1;
        char *path = rank >= 0 ? stored_path(self, input) : NULL;
        if (path && !find_known(self, run, input, path))
            refuse_other_path(self, run, path, rank, "");
        memory_free(path);
    }
}

/* The readers are still at work. */
static bool finish_beside_readers(struct ingest *self, struct job *job)
{
    struct memory_attempt attempt;
    if (!memory_try_in(&attempt, memory_in_use())) {
        memory_end(&job->memory);
        return error_memory(self->error);
    }
    bool done = finish_job(self, job);
    memory_leave(&attempt);
    return done;
}

/* Without readers each input is read when it is its turn. */
static bool run_jobs(struct ingest *self, size_t readers)
{
    pthread_t *threads = memory_zeroed(readers + 1, sizeof *threads);
    size_t started = 0;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    while (started < readers && pthread_create(&threads[started], NULL, reader_run, self) == 0)
        started++;
    bool done = started > 0 || !readers;
    if (!done)
        error_set(self->error, STATUS_DATABASE, "threads cannot be started");
    for (size_t i = 0; i < self->inputs->count && done; i++) {
        struct job *job = &self->jobs[i % self->window];
        if (!readers)
            read_job(self, i);
        pthread_mutex_lock(&self->lock);
        while (readers && !job->ready)
            pthread_cond_wait(&self->changed, &self->lock);
        pthread_mutex_unlock(&self->lock);
        done = readers ? finish_beside_readers(self, job) : finish_job(self, job);
        pthread_mutex_lock(&self->lock);
        *job = (struct job){0};
        self->next_to_store = i + 1;
        self->stop = !done;
        pthread_cond_broadcast(&self->changed);
        pthread_mutex_unlock(&self->lock);
    }
    pthread_mutex_lock(&self->lock);
    self->stop = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < self->window; i++) /* read, never stored */
        if (self->jobs[i].ready && self->jobs[i].result == INGEST_STORED)
            end_job(&self->jobs[i]);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    memory_free(threads);
    return done;
}

bool ingest_run(const struct ingest_options *options, const input_list *inputs,
                const struct ingest_observer *observer, struct error *error)
{
    struct ingest self = {.options = options,
                          .observer = observer,
                          .warehouse = options->into,
                          .error = error,
                          .inputs = inputs};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = options->captures   ? 1
                     : options->jobs > 0 ? (size_t)options->jobs
                     : processors > 1    ? (size_t)processors
                                         : 1;
    self.threaded_sources = threads > inputs->count;
    threads = threads < inputs->count ? threads : inputs->count;
    dialects_init(&self.dialects);
    self.window = threads + 1; /* so that no reader waits for the writer */
    self.jobs = memory_zeroed(self.window, sizeof *self.jobs);
    self.run_count = inputs->runs.count ? inputs->runs.count : 1;
    self.runs = memory_zeroed(self.run_count, sizeof *self.runs);
    for (size_t i = 0; i < self.run_count; i++) {
        const struct input_run *run = inputs->runs.count ? &inputs->runs.items[i] : NULL;
        text_add_valid(&self.runs[i].name, run ? run->name : options->run);
        self.runs[i].labels = run ? (const char *const *)run->labels.items : options->labels;
        self.runs[i].is_labelled = run && run->labels.count == 1;
    }
    self.ranks = rank_pattern_open(options->rank_pattern, error);
    bool done = self.ranks && load_known(&self) &&
                (!self.warehouse || dialects_learn(&self.dialects, self.warehouse, error)) &&
                (!options->captures ||
                 captures_open(&self.captures, options->captures, options->read.no_frames, error));
    if (done) {
        if (inputs->runs.count)
            refuse_by_name(&self);
        done = run_jobs(&self, threads > 1 ? threads : 0);
    }
    if (done && (self.failed.status || (inputs->count && !self.any_trace))) {
        *error = self.failed.status ? self.failed : self.foreign;
        size_t others = strlen(error->text);
        if (!self.any_trace && inputs->count > 1)
            snprintf(error->text + others, sizeof error->text - others,
                     "; none of %zu files is a trace", inputs->count);
        done = false;
    }
    captures_close(&self.captures);
    dialects_close(&self.dialects);
    close_warehouse(&self);
    rank_pattern_close(self.ranks);
    for (size_t i = 0; i < self.run_count; i++)
        arrays_free(&self.runs[i].known, &self.runs[i].name);
    intern_free(&self.texts);
    memory_free(self.runs);
    memory_free(self.jobs);
    return done;
}
