/* parted_views: Temporary tables are named "parted VIEW" and filled part by part, at most once per
 * view. The statement then gets a WITH clause that puts the table in the view's place. What there
 * is, documentation and steps, is read with the first statement. */
#include "query/select/parted_views.h"

#include "sql/database.h"
#include "sql/statement.h"

#include <string.h>

bool parted_views_read(struct parted_views *self, const char *verb, const char *list,
                       struct error *error)
{
    const char *given = list;
    for (struct view name; list && (name = docs_next_name(&list)).length;)
        if (view_equal(name, VIEW("step")))
            self->by_step = true;
        else if (view_equal(name, VIEW("rank")))
            self->by_rank = true;
        else
            return error_set(error, STATUS_USAGE,
                             "tpq %s: --by takes step, rank, or both with a comma, not '%.*s'",
                             verb, (int)name.length, name.bytes);
    return !given || self->by_step || self->by_rank ||
           error_set(error, STATUS_USAGE, "tpq %s: --by takes step, rank, or both", verb);
}

/* Columns that a view gets. */
struct extra {
    bool step, rank;
};

static bool fill(const struct doc_object *view, struct extra extra, struct warehouse *warehouse,
                 const struct step_part *part, bool is_first, struct error *error)
{
    struct text sql = {0};
    text_format(
        &sql, is_first ? "CREATE TEMP TABLE \"parted %s\" AS " : "INSERT INTO temp.\"parted %s\" ",
        view->name);

    /* The question to a view for one part: run and trace, then the extra columns, then the others.
     */
    const doc_columns *columns = docs_columns(view);
    bool is_behind = false;
    text_add_string(&sql, "SELECT ");
    for (size_t i = 0; i <= columns->count; i++) {
        const char *name = i < columns->count ? columns->items[i].name : NULL;
        bool is_place = name && (strcmp(name, "run") == 0 || strcmp(name, "trace_id") == 0);
        if (!is_place && !is_behind) {
            is_behind = true;
            if (extra.step && part && !part->is_outside)
                text_format(&sql, "%s%lld AS step", i ? ", " : "", (long long)part->step);
            else if (extra.step)
                text_format(&sql, "%sNULL AS step", i ? ", " : "");
            if (extra.rank)
                text_format(&sql,
                            "%s(SELECT rank FROM main.trace WHERE id = whole.trace_id) AS rank",
                            i || extra.step ? ", " : "");
            if (!i && name)
                text_add_string(&sql, ", ");
        }
        if (name)
            text_format(&sql, "%swhole.\"%s\"", i ? ", " : "", name);
    }
    text_format(&sql, " FROM \"%s\" AS whole", view->name);
    bool done = warehouse_run(warehouse, sql.items, error);
    text_free(&sql);
    return done;
}

/* Reads what there is, once. */
static bool parted_views_prepare(struct parted_views *self, struct warehouse *warehouse,
                                 struct error *error)
{
    if (self->is_read)
        return true;
    docs_read(sql_files, sql_file_count, &self->docs);
    self->is_read = true;
    if (!self->by_step)
        return true;
    return step_parts_read(&self->steps, warehouse, error) &&
           (!self->steps.parts.items[0].is_outside ||
            error_set(error, STATUS_USAGE,
                      "--by step: nothing that is selected is in a profiler step"));
}

bool parted_views_take(struct parted_views *self, struct warehouse *warehouse, const char *text,
                       struct text *taken, struct error *error)
{
    struct text list = {0}, statement = {0};
    size_t length = statement_length(text);
    text_add(&statement, text, length);
    bool done = (!self->by_step && !self->by_rank) || parted_views_prepare(self, warehouse, error);
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *view = &self->docs.items[i];
        if (!view->is_view || !statement_names(statement.items, view->name))
            continue;
        const char *unit = docs_declared(view, "unit");
        bool is_pair = unit && strcmp(unit, "pair") == 0;
        struct extra extra = (struct extra){
            .step =
                self->by_step && !is_pair && docs_column(view, "run") && !docs_column(view, "step"),
            .rank = self->by_rank && docs_column(view, "trace_id") && !docs_column(view, "rank"),
        };
        if (!extra.step && !extra.rank)
            continue;
        size_t at = 0;
        while (at < self->made.count && self->made.items[at] != view)
            at++;
        if (at == self->made.count) {
            array_add(&self->made, view);
            if (!extra.step)
                done = fill(view, extra, warehouse, NULL, true, error);
            for (size_t j = 0; extra.step && j < self->steps.parts.count && done; j++) {
                step_parts_select(&self->steps, j);
                done = fill(view, extra, warehouse, &self->steps.parts.items[j], j == 0, error);
            }
            if (extra.step)
                step_parts_restore(&self->steps);
        }
        text_format(&list, "%s%s AS (SELECT * FROM temp.\"parted %s\")", list.count ? ", " : "",
                    view->name, view->name);
    }
    if (list.count)
        database_put_with(statement.items, list.items, taken);
    else
        text_add_string(taken, statement.items);
    text_add_string(taken, text + length);
    text_free(&statement);
    text_free(&list);
    return done;
}
