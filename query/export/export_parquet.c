/* export_parquet: facts and sheets as a dataset of Parquet files (dataset.h). Each table is asked
 * for trace by trace, so that what is held is about one trace and a row group of each table. Files
 * get their places together: those of all runs, of a run, or of a trace. fact_trace comes last, as
 * it tells that the others are there.
 */
#include "query/export/dataset.h"
#include "query/export/export_forms.h"
#include "query/export/fact_runs.h"
#include "query/export/fact_types.h"
#include "sql/build/embed.h"
#include "src/base/file.h"

#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ views.sql
 *
 * Each table of the dataset is a view of DuckDB, then come the views over many runs that stand on
 * nothing else. The first line says the version of the layout.
 */

static const char file_name[] = "views.sql", mark[] = "-- layout ";

static const char head[] =
    "%s%d: what tpq export --parquet has written here, for DuckDB: duckdb -init views.sql\n"
    "-- in this directory, or from elsewhere after SET file_search_path = '...'\n";

/* Without hive_types a run called 2025 would be a number. */
static const char view_of_table[] =
    "CREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet('%s.parquet');\n";
static const char view_by_run[] =
    "CREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet('%s/*/*.parquet', "
    "hive_partitioning = true, hive_types = {'run': VARCHAR}, union_by_name = true);\n";

/* ------------------------------------------------------------------ the file */

static bool make(struct dataset *self, struct text *out)
{
    name_list tables = {0};
    text_clear(out);
    bool done = dataset_tables(self, &tables);
    if (done) {
        text_format(out, head, mark, FACT_LAYOUT);
        for (size_t i = 0; i < tables.count; i++)
            text_format(out, self->by_run ? view_by_run : view_of_table, tables.items[i],
                        tables.items[i]);
        export_add_fleet_views(&tables, "\n", out);
    }
    name_list_free(&tables);
    return done;
}

/* Additions of another process are seen after the write, by this one or by that. */
static bool dataset_views_write(struct dataset *self)
{
    struct text written = {0}, now = {0};
    bool done = make(self, &now), is_same = false;
    while (done && !is_same) {
        text_clear(&written);
        text_add(&written, now.items, now.count);
        struct dataset_file file = {.out = NULL};
        done = dataset_begin(self, &file);
        if (done)
            fwrite(written.items, 1, written.count,
                   file.out); /* dataset_end says whether it failed */
        done =
            done && dataset_end(self, &file) && dataset_place(self, &file, NULL, NULL, file_name);
        dataset_drop(&file);
        done = done && make(self, &now);
        is_same =
            done && written.count == now.count && memcmp(written.items, now.items, now.count) == 0;
    }
    return done;
}

struct writer {
    struct export *export;
    struct dataset dataset;
    struct export_tables tables;
    struct fact_runs runs;
    struct table_file *files; /* one a table */
    struct chunk_tools tools;
    const struct fact_run *run; /* in hand; NULL: all of them are in the files */
    bool replaces;              /* what is there of the run goes first */
};

/* ------------------------------------------------------------------ what is there */

static void name_traces(const struct fact_run *run, name_list *names)
{
    for (size_t i = 0; i < run->traces.count; i++) {
        struct text name = {0};
        dataset_add_name(&name, run->traces.items[i].key);
        array_add(names, name.items);
    }
}

/* Checks that a run may be written. With --force it replaces what is there, and files of all runs
 * always do. */
static bool check_run(struct writer *self, const struct fact_run *run)
{
    if (!self->dataset.by_run)
        return true;
    name_list traces = {0};
    bool is_there = false;
    bool done = dataset_check_run(&self->dataset, run->name);
    if (done) {
        name_traces(run, &traces);
        done = dataset_check_manner(&self->dataset, run->name, self->export->options.is_per_trace,
                                    &traces, &is_there);
        self->replaces = is_there && self->export->options.is_forced;
        done |= self->replaces;
    }
    name_list_free(&traces);
    return done;
}

/* ------------------------------------------------------------------ rows and places */

static bool add_rows(void *writer, size_t table, const char *trace)
{
    struct writer *self = writer;
    return table_file_add(&self->files[table], self->export->warehouse, self->run->name, trace,
                          &self->export->written);
}

/* Ends the files and puts them where they belong: by the name of a trace or of "run"; NULL: they
 * have all runs. An earlier export makes way, once; fact_trace is the last of the tables. */
static bool place(struct writer *self, const char *name)
{
    struct dataset *dataset = &self->dataset;
    const char *run = self->run ? self->run->name : NULL;
    struct text path = {0};
    if (name) {
        dataset_add_name(&path, name);
        text_add_string(&path, ".parquet");
    }
    bool done = true;
    for (size_t i = 0; i < self->tables.count && done; i++)
        done = table_file_finish(&self->files[i], run);

    /* Tables that an export of other reports left would have other runs. */
    name_list left = {0};
    done = done && (run || dataset_tables(dataset, &left)) &&
           (!self->replaces || dataset_remove_run(dataset, run));
    for (size_t i = 0; i < left.count && done; i++)
        done = export_tables_have(&self->tables, view_of(left.items[i])) ||
               dataset_remove(dataset, left.items[i], NULL, NULL);
    name_list_free(&left);
    self->replaces = false;
    for (size_t i = 0; i < self->tables.count && done; i++) {
        /* A table without rows has no file, and what it had before goes. */
        struct table_file *file = &self->files[i];
        if (!run || fact_run_has(self->run, file->table))
            done = file->is_open
                       ? dataset_place(dataset, &file->place, file->table->name, run, path.items)
                       : dataset_remove(dataset, file->table->name, run, path.items);
    }
    text_free(&path);
    for (size_t i = 0; i < self->tables.count; i++)
        table_file_drop(&self->files[i]);
    return done;
}

/* ------------------------------------------------------------------ runs */

static bool end_trace(void *writer, const char *trace)
{
    struct writer *self = writer;
    return !self->export->options.is_per_trace || place(self, trace);
}

static bool write_run(struct writer *self)
{
    if (!check_run(self, self->run) ||
        !fact_run_write(self->run, self->export, &self->tables, add_rows, end_trace, self))
        return false;
    if (self->export->options.is_per_trace || !self->dataset.by_run)
        return true;
    if (!place(self, "run"))
        return false;

    /* The traces in the file of the run. */
    struct dataset_file file = {.out = NULL};
    name_list traces = {0};
    name_traces(self->run, &traces);
    bool done = dataset_begin(&self->dataset, &file);
    for (size_t i = 0; i < traces.count && done; i++)
        fprintf(file.out, "%s\n", traces.items[i]); /* dataset_end says whether it failed */
    done = done && dataset_end(&self->dataset, &file) &&
           dataset_place(&self->dataset, &file, "fact_trace", self->run->name, "_traces");
    dataset_drop(&file);
    name_list_free(&traces);
    return done;
}

bool export_parquet(struct export *self)
{
    struct writer writer = {.export = self};
    bool done = fact_runs_open(&writer.runs, self, &writer.tables);
    if (done) {
        writer.files = memory_zeroed(writer.tables.count + 1, sizeof *writer.files);
        for (size_t i = 0; i < writer.tables.count; i++)
            writer.files[i] = (struct table_file){.table = &writer.tables.items[i],
                                                  .options = writer.export->options.figures,
                                                  .dataset = &writer.dataset,
                                                  .tools = &writer.tools,
                                                  .error = writer.export->error};
        done = dataset_open(&writer.dataset, self->path, self->options.is_by_run, self->error);
        if (done) {
            /* Fails where a newer tpq has written into the directory, or views.sql is somebody
             * else's and may not be replaced. */
            bool may_replace = self->options.is_forced;
            struct text path = {0}, text = {0};
            text_format(&path, "%s/%s", writer.dataset.path, file_name);
            if (access(path.items, F_OK) == 0) {
                done = file_read(path.items, &text, writer.dataset.error);
                if (!done) /* what is there is an output, too */
                    writer.dataset.error->status = STATUS_DATABASE;
                bool is_ours = done && text_starts_with(text.items, mark);
                if (done && !is_ours && !may_replace)
                    done = error_set(writer.dataset.error, STATUS_DATABASE,
                                     "%s: tpq has not written it; use --force", path.items);
                if (is_ours && strtol(text.items + strlen(mark), NULL, 10) > FACT_LAYOUT)
                    done = error_set(
                        writer.dataset.error, STATUS_DATABASE,
                        "%s: a newer tpq has written into it, which this one would mix up",
                        writer.dataset.path);
            }
        }

        /* Before anything is written. */
        for (size_t i = 0; i < writer.runs.count && done; i++)
            done = check_run(&writer, &writer.runs.items[i]);
    }
    for (size_t i = 0; i < writer.runs.count && done; i++) {
        writer.run = &writer.runs.items[i];
        done = write_run(&writer);
    }
    writer.run = NULL;
    if (!writer.dataset.by_run)
        done = done && place(&writer, NULL);
    done = done && dataset_views_write(&writer.dataset);
    self->not_included = writer.tables.not_included;
    for (size_t i = 0; i < writer.tables.count && writer.files; i++) {
        table_file_drop(&writer.files[i]);
        database_finalize(writer.files[i].rows);
    }
    chunk_tools_free(&writer.tools);
    return done;
}
