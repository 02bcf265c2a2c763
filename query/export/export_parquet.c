/* export_parquet: facts and sheets as a dataset of Parquet files (dataset.h). Each table is asked
 * for trace by trace, so that what is held is about one trace and a row group of each table. The
 * files of a run, or of a trace, get their places together; fact_trace comes last, as it tells that
 * the others are there.
 */
#include "query/export/dataset_views.h"
#include "query/export/export_forms.h"
#include "query/export/fact_runs.h"
#include "query/export/table_file.h"

struct writer {
    struct export *export;
    struct dataset dataset;
    struct export_tables tables;
    struct fact_runs runs;
    struct table_file *files; /* one a table */
    struct chunk_tools tools;
    const struct fact_run *run;
    bool replaces; /* what is there of the run goes first */
};

static bool is_per_trace(const struct writer *self)
{
    return self->export->options.is_per_trace;
}

/* ------------------------------------------------------------------ what is there */

static bool name_traces(const struct writer *self, const struct fact_run *run, dataset_names *names)
{
    bool done = true;
    for (size_t i = 0; i < run->traces.count && done; i++) {
        struct text name = {0};
        done = dataset_add_name(&name, run->traces.items[i].key);
        if (!done)
            text_free(&name);
        done = (done && array_take(names, name.items)) || error_memory(self->export->error);
    }
    return done;
}

/* Whether a run may be written; where not --force replaces what is there. */
static bool check_run(struct writer *self, const struct fact_run *run)
{
    dataset_names traces = {0};
    bool is_there = false;
    bool done = dataset_check_run(&self->dataset, run->name) && name_traces(self, run, &traces);
    if (done) {
        done =
            dataset_check_manner(&self->dataset, run->name, is_per_trace(self), &traces, &is_there);
        self->replaces = is_there && self->export->options.is_forced;
        done |= self->replaces;
    }
    dataset_names_free(&traces);
    return done;
}

/* Before anything is written. */
static bool check_runs(struct writer *self)
{
    bool done = true;
    for (size_t i = 0; i < self->runs.count && done; i++)
        done = check_run(self, &self->runs.items[i]);
    return done;
}

/* ------------------------------------------------------------------ rows */

static bool add_rows(struct writer *self, bool of_runs, const char *trace)
{
    bool done = true;
    for (size_t i = 0; i < self->tables.count && done; i++) {
        const struct export_table *table = &self->tables.items[i];
        if ((table->kind == SHEET_OF_RUN) == of_runs && fact_run_has(self->run, table))
            done = table_file_add(&self->files[i], self->export->warehouse, trace,
                                  &self->export->written);
    }
    return done;
}

static bool finish(struct writer *self)
{
    bool done = true;
    for (size_t i = 0; i < self->tables.count && done; i++)
        done = table_file_finish(&self->files[i], self->run->name);
    return done;
}

static void drop(struct writer *self)
{
    for (size_t i = 0; i < self->tables.count; i++)
        table_file_drop(&self->files[i]);
}

/* ------------------------------------------------------------------ places */

/* A table without rows has no file, and what it had before goes. */
static bool place_file(struct writer *self, struct table_file *file, const char *name)
{
    const char *table = file->table->name, *run = self->run->name;
    if (!fact_run_has(self->run, file->table))
        return true;
    return file->is_open ? dataset_place(&self->dataset, &file->place, table, run, name)
                         : dataset_remove(&self->dataset, table, run, name);
}

/* An earlier export makes way, once; fact_trace is the last of the tables. */
static bool place(struct writer *self, const char *name)
{
    struct text path = {0};
    bool done = (text_format(&path, "%s.parquet", name) || error_memory(self->export->error)) &&
                (!self->replaces || dataset_remove_run(&self->dataset, self->run->name));
    self->replaces = false;
    for (size_t i = 0; i < self->tables.count && done; i++)
        done = place_file(self, &self->files[i], path.items);
    text_free(&path);
    drop(self);
    return done;
}

/* The traces in the file of the run. */
static bool place_names(struct writer *self)
{
    struct dataset_file file = {.out = NULL};
    dataset_names traces = {0};
    bool done = name_traces(self, self->run, &traces) && dataset_begin(&self->dataset, &file);
    for (size_t i = 0; i < traces.count && done; i++)
        fprintf(file.out, "%s\n", traces.items[i]); /* dataset_end says whether it failed */
    done = done && dataset_end(&self->dataset, &file) &&
           dataset_place(&self->dataset, &file, "fact_trace", self->run->name, "_traces");
    dataset_drop(&file);
    dataset_names_free(&traces);
    return done;
}

/* ------------------------------------------------------------------ runs */

static bool place_trace(struct writer *self, const char *key)
{
    struct text name = {0};
    bool done = (dataset_add_name(&name, key) || error_memory(self->export->error)) &&
                finish(self) && place(self, name.items);
    text_free(&name);
    return done;
}

static bool add_trace(struct writer *self, size_t index)
{
    const char *key = self->run->traces.items[index].key;
    return fact_run_select(self->run, index, self->export) && add_rows(self, false, key) &&
           (!is_per_trace(self) || place_trace(self, key));
}

static bool write_run(struct writer *self)
{
    bool done = check_run(self, self->run);
    for (size_t i = 0; i < self->run->traces.count && done; i++)
        done = add_trace(self, i);
    if (!done || is_per_trace(self))
        return done;
    return fact_run_select(self->run, SIZE_MAX, self->export) && add_rows(self, true, NULL) &&
           finish(self) && place(self, "run") && place_names(self);
}

static bool open_files(struct writer *self)
{
    self->files = calloc(self->tables.count + 1, sizeof *self->files);
    for (size_t i = 0; i < self->tables.count && self->files; i++)
        self->files[i] = (struct table_file){.table = &self->tables.items[i],
                                             .options = self->export->options.figures,
                                             .dataset = &self->dataset,
                                             .tools = &self->tools,
                                             .error = self->export->error};
    return self->files || error_memory(self->export->error);
}

bool export_parquet(struct export *self)
{
    struct writer writer = {.export = self};
    bool done = fact_runs_open(&writer.runs, self, &writer.tables) && open_files(&writer) &&
                dataset_open(&writer.dataset, self->path, self->error) &&
                dataset_views_check(&writer.dataset, self->options.is_forced) &&
                check_runs(&writer);
    for (size_t i = 0; i < writer.runs.count && done; i++) {
        writer.run = &writer.runs.items[i];
        done = write_run(&writer);
    }
    done = done && dataset_views_write(&writer.dataset);
    self->not_included = writer.tables.not_included;
    for (size_t i = 0; i < writer.tables.count && writer.files; i++)
        table_file_close(&writer.files[i]);
    free(writer.files);
    chunk_tools_free(&writer.tools);
    fact_runs_close(&writer.runs);
    export_tables_close(&writer.tables);
    return done;
}
