/* split: Steps are read once when the split opens. A part gathers the events of its steps one by
 * one, measures the GPU activities of each, and then writes all events as one file. A part that
 * fails leaves the list, so the index has finished files only. Names of files are cleaned first. */
#include "query/split/split.h"

#include "query/select/window.h"
#include "query/split/kineto_text.h"
#include "sql/asked.h"
#include "sql/functions/interval.h"
#include "src/base/file.h"
#include "src/base/number.h"

#include <string.h>

/* Longest name of a file, without its ending and what mkostemp adds. */
enum { NAME_MAX_BYTES = 230 };

bool split_write_text(const char *directory, const char *name, const struct text *text,
                      struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/%s", directory, name);
    return file_write(path.items, text_view(text), error);
}

/* ------------------------------------------------------------------ the trace */

bool split_open(struct split *self, struct warehouse *warehouse, int64_t trace_id, const char *base,
                const char *directory, struct error *error)
{
    *self = (struct split){
        .warehouse = warehouse, .trace_id = trace_id, .base = base, .directory = directory};
    struct asked row;
    ASK(&row, warehouse->db, "SELECT first_event, last_event FROM trace WHERE id = ?1", trace_id);
    ASKED_ROW(&row, &self->events.first, &self->events.last);
    return asked_done(&row, warehouse->path, error) &&
           steps_read(warehouse, trace_id, &self->steps, error) &&
           (self->steps.list.count ||
            error_set(error, STATUS_BAD_INPUT,
                      "%s: nobody has marked steps in it, and nothing in it repeats", self->base));
}

/* ------------------------------------------------------------------ words about steps */

static void count_phases(const struct split *self, struct span span, size_t *phases)
{
    for (size_t i = span.first; i < span.end && self->steps.is_served; i++)
        phases[step_phase(&self->steps.list.items[i])]++;
}

static void means_of(const struct split *self, struct span span, double *batch, double *requests)
{
    double count = (double)(span.end - span.first);
    *batch = *requests = 0;
    for (size_t i = span.first; i < span.end; i++) {
        *batch += (double)self->steps.list.items[i].batch / count;
        *requests += (double)step_requests(&self->steps.list.items[i]) / count;
    }
}

void split_add_means(const struct split *self, struct span span, struct text *out)
{
    double batch, requests;
    means_of(self, span, &batch, &requests);
    text_format(out, "bs%lld_conc%lld", (long long)(batch + 1e-9), (long long)(requests + 1e-9));
}

void split_add_words(const struct split *self, struct span span, struct text *out)
{
    size_t phases[4] = {0};
    count_phases(self, span, phases);
    text_format(out, "prefill_%zu_prefilldecode_%zu_decode_%zu", phases[PHASE_PREFILL],
                phases[PHASE_BOTH], phases[PHASE_DECODE]);
}

/* ------------------------------------------------------------------ parts */

static bool measure_work(struct split *self, const struct ranges *events, struct part *part,
                         struct error *error)
{
    struct asked work;
    struct interval_set busy = {0};
    int64_t start, end;
    asked_open(&work, self->warehouse->db,
               "SELECT ts_ns, ts_ns + dur_ns FROM gpu_event WHERE id BETWEEN ?1 AND ?2");
    for (size_t i = 0; i < events->count; i++) {
        ASKED_ABOUT(&work, events->items[i].first, events->items[i].last);
        while (ASKED_ROW(&work, &start, &end)) {
            interval_add(&busy, start, end);
            part->work++;
            part->work_ns += self->steps.is_served ? end - start : 0;
        }
    }
    interval_settle(&busy);
    size_t count = busy.list.count;
    part->span_ns += count ? busy.list.items[count - 1].end - busy.list.items[0].start : 0;
    part->busy_ns += (int64_t)interval_length(&busy);
    part->work_ns += self->steps.is_served ? 0 : (int64_t)interval_length(&busy);
    interval_free(&busy);
    return asked_done(&work, self->warehouse->path, error);
}

/* The events of all steps of a part. */
static bool gather(struct split *self, struct part *part, struct ranges *events,
                   struct error *error)
{
    bool done = true;
    for (size_t i = part->span.first; i < part->span.end && done; i++) {
        const struct engine_step *step = &self->steps.list.items[i];
        int64_t last = step->start + (step->duration ? step->duration - 1 : 0);
        struct ranges times = {0}, own = {0};
        ranges_add(&times, step->start, last);
        done = window_events(self->warehouse, self->events, &times, &own, error);
        if (done)
            done = measure_work(self, &own, part, error);
        for (size_t j = 0; j < own.count && done; j++)
            ranges_add(events, own.items[j].first, own.items[j].last);
    }
    ranges_settle(events);
    return done;
}

static bool write_file(const struct split *self, const struct ranges *events, const char *path,
                       int64_t *elements, struct error *error)
{
    struct whole_file file;
    bool done = whole_file_open(&file, path, PACKED_QUICKLY, error) &&
                kineto_text_write(self->warehouse, self->trace_id, events, &file, elements, error);
    return whole_file_close(&file, done);
}

bool split_write(struct split *self, struct span span, const char *name, const char *folder,
                 struct error *error)
{
    struct text path = {0}, directory = {0};
    struct ranges events = {0};
    struct part *part = array_push(&self->parts);
    char *own = memory_text(name);
    *part = (struct part){.span = span};

    /* Characters that a name should not have, whoever made it up. */
    for (char *at = own; *at; at++)
        if (*at == '/' || (unsigned char)*at < 0x20 || *at == 0x7F || (*at == '.' && at == own))
            *at = '_';
    if (strlen(own) > NAME_MAX_BYTES)
        own[NAME_MAX_BYTES] = '\0';
    text_format(&directory, folder ? "%s/%s" : "%s", self->directory, folder);
    text_format(&path, "%s/%s.json.gz", directory.items, own);
    bool done = file_make_folder(self->directory, error) &&
                (!folder || file_make_own_folder(directory.items, error));
    if (done)
        done = gather(self, part, &events, error);
    if (done)
        done = write_file(self, &events, path.items, &part->elements, error);
    if (done)
        part->path = path.items;
    else
        self->parts.count--;
    return done;
}

/* ------------------------------------------------------------------ the index */

static double in_us(int64_t nanoseconds)
{
    return (double)nanoseconds / 1000;
}

static void add_number(struct text *out, const char *key, double value)
{
    text_format(out, ", \"%s\": ", key);
    number_add_real(out, value);
}

static void add_json(const struct split *self, size_t index, struct text *out)
{
    const struct part *part = &self->parts.items[index];
    size_t phases[4] = {0};
    double batch, requests;
    count_phases(self, part->span, phases);
    means_of(self, part->span, &batch, &requests);
    text_format(out, "%s{\"idx\": %zu, \"output_path\": ", index ? ",\n" : "[\n", index);
    text_add_json(out, view_of(part->path));
    text_format(out, ", \"event_count\": %lld, \"num_gpu_events\": %lld", (long long)part->elements,
                (long long)part->work);
    add_number(out, "gpu_duration", in_us(part->span_ns));
    add_number(out, "gpu_busy_duration", in_us(part->work_ns));

    struct span span = part->span;
    text_add_string(out, ", \"steps\": [");
    for (size_t i = span.first; i < span.end; i++) {
        const struct engine_step *step = &self->steps.list.items[i];
        text_format(out,
                    "%s{\"batch_size\": %lld, \"num_requests\": %lld, "
                    "\"context_requests\": %lld, \"context_sum\": %lld, "
                    "\"generation_requests\": %lld, \"generation_sum\": %lld}",
                    i > span.first ? ", " : "", (long long)step->batch,
                    (long long)step_requests(step), (long long)step->context,
                    (long long)step->context_sum, (long long)step->generation,
                    (long long)step->generation_sum);
    }
    text_add_byte(out, ']');
    if (!self->steps.is_served) {
        text_add_byte(out, '}');
        return;
    }
    text_format(out,
                ", \"phase\": {\"num_prefill\": %zu, \"num_prefilldecode\": %zu, "
                "\"num_decode\": %zu",
                phases[PHASE_PREFILL], phases[PHASE_BOTH], phases[PHASE_DECODE]);
    add_number(out, "avg_bs", batch);
    add_number(out, "avg_conc", requests);
    text_add_string(out, "}}");
}

bool split_index(const struct split *self, struct error *error)
{
    struct text json = {0}, csv = {0};
    text_add_string(&csv, "idx,output_path,event_count,num_gpu_events,gpu_duration,"
                          "gpu_busy_duration,phase_num_prefill,"
                          "phase_num_prefilldecode,phase_num_decode,phase_avg_bs,"
                          "phase_avg_conc,num_steps\n");
    for (size_t i = 0; i < self->parts.count; i++) {
        add_json(self, i, &json);
        const struct part *part = &self->parts.items[i];
        size_t phases[4] = {0};
        double batch, requests;
        count_phases(self, part->span, phases);
        means_of(self, part->span, &batch, &requests);
        text_format(&csv, "%zu,", i);

        /* A name that has a comma, a quote mark or what looks like a formula is quoted. */
        const char *field = part->path;
        text_add_byte(&csv, '"');
        if (strchr("=+-@\t\r", *field))
            text_add_byte(&csv, '\'');
        for (; *field; field++) {
            if (*field == '"')
                text_add_byte(&csv, '"');
            text_add_byte(&csv, *field);
        }
        text_add_byte(&csv, '"');
        text_format(&csv, ",%lld,%lld,%.2f,%.2f,%zu,%zu,%zu,%.2f,%.2f,%zu\n",
                    (long long)part->elements, (long long)part->work, in_us(part->span_ns),
                    in_us(part->work_ns), phases[PHASE_PREFILL], phases[PHASE_BOTH],
                    phases[PHASE_DECODE], batch, requests, part->span.end - part->span.first);
    }
    text_add_string(&json, self->parts.count ? "\n]\n" : "[]\n");
    return file_make_folder(self->directory, error) &&
           split_write_text(self->directory, "execution_details.json", &json, error) &&
           split_write_text(self->directory, "execution_details.csv", &csv, error);
}
