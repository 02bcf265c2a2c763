/* dataset_views: see dataset_views.h. */
#include "query/export/dataset_views.h"

#include "query/export/fact_types.h"
#include "sql/embed.h"
#include "src/base/file.h"

#include <stdlib.h>
#include <unistd.h>

static const char file_name[] = "views.sql", mark[] = "-- layout ";

static const char head[] =
    "%s%d: what tpq export --parquet has written here, for DuckDB: duckdb -init views.sql\n"
    "-- in this directory, or from elsewhere after SET file_search_path = '...'\n";

/* Without hive_types a run called 2025 would be a number. */
static const char view_of_table[] =
    "CREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet('%s/*/*.parquet', "
    "hive_partitioning = true, hive_types = {'run': VARCHAR}, union_by_name = true);\n";

bool dataset_views_check(struct dataset *self, bool may_replace)
{
    struct text path = {0}, text = {0};
    bool done = text_format(&path, "%s/%s", self->path, file_name) || error_memory(self->error);
    if (done && access(path.items, F_OK) == 0) {
        done = file_read(path.items, &text, self->error);
        bool is_ours = done && text_starts_with(text.items, mark);
        if (done && !is_ours && !may_replace)
            done = error_set(self->error, STATUS_DATABASE,
                             "%s: tpq has not written it; use --force", path.items);
        if (is_ours && strtol(text.items + strlen(mark), NULL, 10) > FACT_LAYOUT)
            done = error_set(self->error, STATUS_DATABASE,
                             "%s: a newer tpq has written into it, which this one would mix up",
                             self->path);
    }
    text_free(&path);
    text_free(&text);
    return done;
}

/* ------------------------------------------------------------------ views over many runs */

static bool has_table(const void *of, struct view name)
{
    const dataset_names *tables = of;
    for (size_t i = 0; i < tables->count; i++)
        if (view_equal(view_of(tables->items[i]), name))
            return true;
    return false;
}

/* Adds the view of a file unless something is missing that it stands on. */
static bool add_view(struct text *out, const char *text, const dataset_names *tables)
{
    static const char create[] = "CREATE VIEW ";
    const char *name = strstr(text, create);
    return !name || !export_view_can_be_made(name, has_table, tables) ||
           text_format(out, "\nCREATE OR REPLACE VIEW %s", name + strlen(create));
}

static bool add_views(struct text *out, const dataset_names *tables)
{
    bool done = text_format(out, head, mark, FACT_LAYOUT);
    for (size_t i = 0; i < tables->count && done; i++)
        done = text_format(out, view_of_table, tables->items[i], tables->items[i]);
    for (int i = 0; i < sql_file_count && done; i++)
        if (text_starts_with(sql_files[i].path, "fleet/"))
            done = add_view(out, sql_files[i].text, tables);
    return done;
}

/* ------------------------------------------------------------------ the file */

static bool write_once(struct dataset *self, const struct text *text)
{
    struct dataset_file file = {.out = NULL};
    bool done = dataset_begin(self, &file);
    if (done)
        fwrite(text->items, 1, text->count, file.out); /* dataset_end says whether it failed */
    done = done && dataset_end(self, &file) && dataset_place(self, &file, NULL, NULL, file_name);
    dataset_drop(&file);
    return done;
}

static bool make(struct dataset *self, struct text *out)
{
    dataset_names tables = {0};
    text_clear(out);
    bool done =
        dataset_tables(self, &tables) && (add_views(out, &tables) || error_memory(self->error));
    dataset_names_free(&tables);
    return done;
}

/* Additions of another process since are seen after writing, by this one or by that. */
bool dataset_views_write(struct dataset *self)
{
    struct text written = {0}, now = {0};
    bool done = make(self, &now), is_same = false;
    while (done && !is_same) {
        text_clear(&written);
        done = (text_add(&written, now.items, now.count) || error_memory(self->error)) &&
               write_once(self, &written) && make(self, &now);
        is_same =
            done && written.count == now.count && memcmp(written.items, now.items, now.count) == 0;
    }
    text_free(&written);
    text_free(&now);
    return done;
}
