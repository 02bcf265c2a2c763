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
#include "src/base/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A trace of the run that is in the warehouse already. */
struct known_trace {
    int64_t file_bytes, id, rank; /* -1 = none */
    char hash[33];
};

struct job {
    struct memory memory; /* of its trace */
    const struct input *input;
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
    struct text run; /* its name, in UTF-8 as all texts of the warehouse */
    struct rank_pattern *ranks;
    struct warehouse own, *warehouse; /* `warehouse` is the one that is open, or NULL */
    bool is_building, is_labelled;
    ARRAY(struct known_trace) known;
    bool threaded_sources;
    struct dialects dialects;
    struct captures captures; /* read by one thread at a time: with them there is only one */

    struct job *jobs;
    size_t job_count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next_to_read, next_to_store, window;
    bool stop;
};

/* ------------------------------------------------------------------ reading */

static bool hash_content(struct ingest *self, const char *path, char hash[33], struct error *error)
{
    struct source *source = source_open(path, self->threaded_sources, NULL, error);
    unsigned char *buffer = memory_take(1 << 16);
    ptrdiff_t got = source && buffer ? 1 : -1;
    while (got > 0)
        got = source_read(source, buffer, 1 << 16, error);
    if (got == 0)
        source_hash(source, hash);
    memory_free(buffer);
    source_close(source);
    return got == 0;
}

/* A file as long as one that the run has may be the same: then its content is hashed first. */
static int64_t find_known(struct ingest *self, const struct input *input)
{
    char hash[33] = "";
    struct error ignored = {0};
    for (size_t i = 0; i < self->known.count; i++) {
        const struct known_trace *known = &self->known.items[i];
        if (input->bytes == 0 || known->file_bytes != input->bytes || self->options->replace ||
            (input->has_rank && input->rank != known->rank))
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
        progress += job - self->jobs;
    struct source *source = source_open(job->input->path, self->threaded_sources, progress, error);
    struct source *content = source; /* of a report of Nsight Systems, its export */
    bool is_open = source && nsys_report_export(source, &content, error);
    const struct format *format = is_open ? format_detect(content, error) : NULL;
    bool done = format && format->read(content, &self->options->read, &job->trace, error);
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

static void read_job(struct ingest *self, struct job *job)
{
    struct memory_attempt attempt;
    double start = clock_seconds();
    if (!memory_try(&attempt, &job->memory)) {
        error_memory(&job->error);
        job->result = INGEST_FAILED;
        return;
    }
    trace_init(&job->trace);
    job->known_id = find_known(self, job->input);
    if (job->known_id)
        job->result = INGEST_KNOWN;
    else if (ingest_read_trace(self, job))
        job->result = INGEST_STORED;
    else
        job->result =
            job->error.foreign && job->input->from_directory ? INGEST_FOREIGN : INGEST_FAILED;
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
        while (!self->stop && self->next_to_read < self->job_count &&
               self->next_to_read >= self->next_to_store + self->window)
            pthread_cond_wait(&self->changed, &self->lock);
        size_t index = self->next_to_read++;
        bool stop = self->stop || index >= self->job_count;
        pthread_mutex_unlock(&self->lock);
        if (stop)
            return NULL;
        read_job(self, &self->jobs[index]);
        pthread_mutex_lock(&self->lock);
        self->jobs[index].ready = true;
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

static const char *ingest_name_of(const struct ingest *self, const struct input *input)
{
    return self->options->as ? self->options->as : input->path;
}

static enum store_result store_once(struct ingest *self, struct job *job, int64_t *trace_id)
{
    const struct input *input = job->input;
    const char *name = ingest_name_of(self, input);
    int64_t rank = input->has_rank ? input->rank : rank_pattern_find(self->ranks, name);
    int64_t stated = job->trace.rank;
    if (rank >= 0 && stated != NONE && stated != rank && job->result == INGEST_STORED)
        job->trace.notes.entries[NOTE_RANK_DISAGREES] = (struct note_entry){1, -1, -1};
    /* A pattern that the user gave is meant; the usual one only helps out. */
    if (rank < 0 || (stated != NONE && !self->options->rank_pattern && !input->has_rank))
        rank = stated;
    if (rank == NONE || rank < 0) /* hosts of one profile are ranks of one run */
        rank = input->host;
    bool is_stdin = strcmp(input->path, "-") == 0;
    char *resolved = is_stdin ? NULL : file_real_path(input->path);
    struct text path = {0};
    text_add_valid(&path, resolved ? resolved : name);
    memory_free(resolved);
    struct store_options options = {
        .run = self->run.items,
        .labels = self->options->labels,
        .path = path.items,
        .rank = rank < 0 ? NONE : rank,
        .parts_ranks = input->has_rank,
        .graph_notes = self->options->graph_notes,
        .requests = self->options->requests,
        .told = &job->trace.notes,
        .order = self->options->order,
        .no_frames = self->options->read.no_frames,
        .replace = self->options->replace,
    };
    enum store_result result =
        store_trace(self->warehouse, &job->trace, &options, trace_id, self->error);
    text_free(&path);
    return result;
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

/* The labels of this call are meant for the run, also when it has all the content already. */
static bool label_run(struct ingest *self)
{
    if (!self->options->labels || self->is_labelled)
        return true;
    struct store_options options = {.run = self->run.items, .labels = self->options->labels};
    self->is_labelled = store_labels(self->warehouse, &options, self->error);
    return self->is_labelled;
}

static bool finish_job(struct ingest *self, struct job *job)
{
    int64_t trace_id = job->known_id;
    bool is_read = job->result == INGEST_STORED;
    double start = clock_seconds();
    if (is_read) {
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
    } else if (job->result == INGEST_KNOWN && !label_run(self)) {
        return false;
    }
    job->seconds += clock_seconds() - start;
    struct ingest_outcome outcome = {
        .path = ingest_name_of(self, job->input),
        .result = job->result,
        .trace_id = trace_id,
        .seconds = job->seconds,
        .error = &job->error,
    };
    struct notes notes = {0};
    if (job->result == INGEST_STORED) {
        outcome.content_bytes = job->trace.content_bytes;
        outcome.notes = &notes;
        for (const struct trace *trace = &job->trace; trace; trace = trace->next) {
            int64_t kernels = 0;
            outcome.slices += (int64_t)trace->slices.count;
            outcome.memory_records += (int64_t)trace->memory.count + trace->allocator_events;
            for (int i = 0; i < NOTE_COUNT; i++)
                note_add(&notes.entries[i], trace->notes.entries[i].count,
                         trace->notes.entries[i].uid, trace->notes.entries[i].offset);
            for (size_t i = 0; i < trace->slices.count; i++)
                outcome.ops += trace_role(trace, &trace->slices.items[i]) == ROLE_OP;
            for (size_t i = 0; i < trace->gpus.count; i++)
                kernels +=
                    trace->slices.items[trace->gpus.items[i].slice].category == CATEGORY_KERNEL;
            outcome.kernels += kernels;
            outcome.other_gpu_work += (int64_t)trace->gpus.count - kernels;
        }
    }
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
    sqlite3_stmt *statement =
        warehouse_prepare(self->warehouse,
                          "SELECT file_bytes, trace.id, coalesce(rank, -1), content_hash "
                          "FROM trace "
                          "JOIN run ON run.id = trace.run_id WHERE run.name = ?1",
                          self->error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, self->run.items, -1, SQLITE_STATIC);
    bool done = true;
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        struct known_trace *known = array_push(&self->known);
        *known = (struct known_trace){sqlite3_column_int64(statement, 0),
                                      sqlite3_column_int64(statement, 1),
                                      sqlite3_column_int64(statement, 2), ""};
        const char *hash = (const char *)sqlite3_column_text(statement, 3);
        strncpy(known->hash, hash ? hash : "", sizeof known->hash - 1);
    }
    if (result != SQLITE_DONE)
        done = warehouse_error(self->warehouse, self->error);
    database_finalize(statement);
    return done;
}

static bool run_alone(struct ingest *self)
{
    for (size_t i = 0; i < self->job_count; i++) {
        read_job(self, &self->jobs[i]);
        if (!finish_job(self, &self->jobs[i]))
            return false;
    }
    return true;
}

/* The readers are still at work. */
static bool finish_beside_readers(struct ingest *self, struct job *job)
{
    struct memory_attempt attempt;
    if (!memory_try_in(&attempt, memory_in_use()))
        return error_memory(self->error);
    bool done = finish_job(self, job);
    memory_leave(&attempt);
    return done;
}

static bool run_with_readers(struct ingest *self, size_t readers)
{
    pthread_t *threads = memory_zeroed(readers, sizeof *threads);
    size_t started = 0;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->window = readers + 1; /* so that no reader waits for the writer */
    while (started < readers && pthread_create(&threads[started], NULL, reader_run, self) == 0)
        started++;
    bool done = started > 0;
    if (!done)
        error_set(self->error, STATUS_DATABASE, "threads cannot be started");
    for (size_t i = 0; i < self->job_count && done; i++) {
        pthread_mutex_lock(&self->lock);
        while (!self->jobs[i].ready)
            pthread_cond_wait(&self->changed, &self->lock);
        pthread_mutex_unlock(&self->lock);
        done = finish_beside_readers(self, &self->jobs[i]);
        pthread_mutex_lock(&self->lock);
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
    for (size_t i = self->next_to_store; i < self->job_count; i++) /* read, never stored */
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
    struct ingest self = {
        .options = options, .observer = observer, .warehouse = options->into, .error = error};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = options->captures   ? 1
                     : options->jobs > 0 ? (size_t)options->jobs
                     : processors > 1    ? (size_t)processors
                                         : 1;
    self.threaded_sources = threads > inputs->count;
    dialects_init(&self.dialects);
    self.jobs = memory_zeroed(inputs->count + 1, sizeof *self.jobs);
    self.job_count = inputs->count;
    for (size_t i = 0; i < inputs->count; i++)
        self.jobs[i].input = &inputs->items[i];
    text_add_valid(&self.run, options->run);
    self.ranks = rank_pattern_open(options->rank_pattern, error);
    bool done = self.ranks && load_known(&self) &&
                (!self.warehouse || dialects_learn(&self.dialects, self.warehouse, error)) &&
                (!options->captures ||
                 captures_open(&self.captures, options->captures, options->read.no_frames, error));
    if (done)
        done = threads > 1 && inputs->count > 1
                   ? run_with_readers(&self, threads < inputs->count ? threads : inputs->count)
                   : run_alone(&self);
    bool any_trace = false;
    for (size_t i = 0; done && i < self.job_count; i++)
        any_trace |= self.jobs[i].result != INGEST_FOREIGN;
    for (size_t i = 0; done && i < self.job_count; i++)
        if (self.jobs[i].result == INGEST_FAILED || !any_trace) {
            *error = self.jobs[i].error;
            size_t others = strlen(error->text);
            if (!any_trace && self.job_count > 1)
                snprintf(error->text + others, sizeof error->text - others,
                         "; none of %zu files is a trace", self.job_count);
            done = false;
        }
    captures_close(&self.captures);
    dialects_close(&self.dialects);
    close_warehouse(&self);
    rank_pattern_close(self.ranks);
    text_free(&self.run);
    array_free(&self.known);
    memory_free(self.jobs);
    return done;
}
