/* fact_types: see fact_types.h. */
#include "query/export/fact_types.h"

#include "query/report/report.h"
#include "sql/catalog.h"
#include "sql/database.h"

#include <string.h>

/* ------------------------------------------------------------------ which tables */

static enum export_type type_of(const struct doc_column *column)
{
    return strcmp(column->type, "integer") == 0 ? EXPORT_INTEGER
           : strcmp(column->type, "real") == 0  ? EXPORT_REAL
                                                : EXPORT_TEXT;
}

static bool add_columns(struct export_table *self, const struct doc_object *object)
{
    for (size_t i = 0; i < object->columns.count; i++) {
        const struct doc_column *column = &object->columns.items[i];
        static const char *const places[] = {"run", "trace", "trace_id"};
        bool is_place = false;
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            is_place |= strcmp(column->name, places[p]) == 0;
        if (!is_place &&
            !array_add(&self->columns, (struct export_column){column->name, type_of(column),
                                                              strcmp(column->unit, "label") == 0}))
            return false;
    }
    return true;
}

static bool add_table(struct export_tables *self, const struct doc_object *object,
                      enum export_kind kind, const char *set)
{
    struct text name = {0};
    bool done = text_format(&name, "%s%s", kind == FACT_OF_TRACE ? "" : "sheet_", object->name);
    struct export_table table = {.name = name.items,
                                 .kind = kind,
                                 .view = object->name,
                                 .set = set,
                                 .is_last = strcmp(object->name, "fact_trace") == 0};
    struct doc_object *whole = &self->docs.items[object - self->docs.items];
    done =
        done && (whole->columns.count || docs_read_columns(whole)) && add_columns(&table, object);
    if (done && array_add(self, table))
        return true;
    array_free(&table.columns);
    text_free(&name);
    return false;
}

/* Numbers that mean something here alone are no facts. */
static bool is_fact(const struct doc_object *object, const struct fact_choice *choice)
{
    return object->is_view && text_starts_with(object->name, "fact_") &&
           strcmp(object->name, "fact_key") != 0 &&
           (choice->has_events || strcmp(object->name, "fact_event") != 0);
}

static bool add_facts(struct export_tables *self, const struct fact_choice *choice, bool last)
{
    bool done = true;
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *object = &self->docs.items[i];
        if (is_fact(object, choice) && (strcmp(object->name, "fact_trace") == 0) == last)
            done = add_table(self, object, FACT_OF_TRACE, NULL);
    }
    return done;
}

static struct export_table *find_report(const struct export_tables *self,
                                        const struct doc_object *report)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->items[i].view == report->name)
            return &self->items[i];
    return NULL;
}

static bool has_unit(const struct doc_object *report, const char *unit)
{
    const char *declared = docs_declared(report, "unit");
    return declared && strcmp(declared, unit) == 0;
}

/* Not those about two traces, which have no rows where nothing is compared, nor views that other
 * engines have themselves, over what they are given. */
static bool is_sheet(const struct doc_object *report)
{
    return !has_unit(report, "pair") && strcmp(docs_declared(report, "set"), "fleet") != 0;
}

static bool add_report(struct export_tables *self, const struct fact_choice *choice,
                       const struct doc_object *report, const char *set)
{
    bool of_runs = has_unit(report, "run");
    struct export_table *known = find_report(self, report);
    if (known && !set)
        known->set = NULL; /* what is named is of all runs */
    if (known)
        return true;
    if (of_runs && !choice->has_runs)
        return ++self->left_out;
    return add_table(self, report, of_runs ? SHEET_OF_RUN : SHEET_OF_TRACE, set);
}

static bool add_list(struct export_tables *self, const struct fact_choice *choice,
                     const report_list *reports, const char *set)
{
    bool done = true;
    for (size_t i = 0; i < reports->count && done; i++)
        done = add_report(self, choice, reports->items[i], set);
    return done;
}

/* The sheets that are views here, too: views over many runs stand on them, whatever the formats. */
static bool add_foundations(struct export_tables *self, const struct fact_choice *choice)
{
    static const char prefix[] = "sheet_";
    bool done = true;
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *object = &self->docs.items[i];
        if (object->is_view && text_starts_with(object->name, prefix))
            done = add_report(self, choice,
                              report_find(&self->docs, object->name + strlen(prefix), NULL), NULL);
    }
    return done;
}

static bool add_defaults(struct export_tables *self, const struct fact_choice *choice,
                         struct warehouse *warehouse)
{
    bool done = true;
    for (size_t i = 0; choice->sets[i] && done; i++) {
        report_list reports = {0};
        done = report_defaults(&self->docs, warehouse->context, choice->sets[i], &reports) &&
               add_list(self, choice, &reports, choice->sets[i]);
        array_free(&reports);
    }
    return done && add_foundations(self, choice);
}

static bool add_all(struct export_tables *self, const struct fact_choice *choice)
{
    bool done = true;
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *object = &self->docs.items[i];
        if (catalog_is_report(object) && is_sheet(object))
            done = add_report(self, choice, object, NULL);
    }
    return done;
}

/* A word of --sheets. */
static bool add_word(struct export_tables *self, const struct fact_choice *choice, const char *word,
                     struct warehouse *warehouse, struct error *error)
{
    if (strcmp(word, "none") == 0)
        return true;
    if (strcmp(word, "default") == 0)
        return add_defaults(self, choice, warehouse) || error_memory(error);
    if (strcmp(word, "all") == 0)
        return add_all(self, choice) || error_memory(error);
    const struct doc_object *report = report_find(&self->docs, word, NULL);
    if (!report)
        return error_set(error, STATUS_USAGE,
                         "--sheets takes default, all, none and names of reports, and '%s' is "
                         "none of them; tpq report --list has their names",
                         word);
    return is_sheet(report) ? add_report(self, choice, report, NULL) || error_memory(error)
                            : error_set(error, STATUS_USAGE,
                                        "--sheets: %s is about more than one run, and is no sheet "
                                        "of any",
                                        word);
}

static bool add_sheets(struct export_tables *self, const struct fact_choice *choice,
                       struct warehouse *warehouse, struct error *error)
{
    const char *list = choice->sheets ? choice->sheets : "default";
    bool done = true;
    do {
        struct view name = docs_next_name(&list);
        struct text word = {0};
        done = (text_add(&word, name.bytes, name.length) || error_memory(error)) &&
               add_word(self, choice, word.items, warehouse, error);
        text_free(&word);
    } while (done && *list);
    return done;
}

/* All views at once. Without them each statement asks for its own. */
static bool ask_for_views(const struct export_tables *self, struct warehouse *warehouse)
{
    struct text names = {0};
    bool done = text_add(&names, "", 0);
    for (size_t i = 0; i < self->count && done; i++)
        done = text_format(&names, " %s", self->items[i].view);
    if (done)
        database_provide(warehouse->db, names.items);
    text_free(&names);
    return done;
}

bool export_tables_open(struct export_tables *self, struct warehouse *warehouse,
                        const struct fact_choice *choice, struct error *error)
{
    *self = (struct export_tables){0};
    bool done = (docs_read_heads(sql_files, sql_file_count, &self->docs) &&
                 add_facts(self, choice, false)) ||
                error_memory(error);
    return done && add_sheets(self, choice, warehouse, error) &&
           ((add_facts(self, choice, true) && ask_for_views(self, warehouse)) ||
            error_memory(error));
}

void export_tables_close(struct export_tables *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free(self->items[i].name);
        array_free(&self->items[i].columns);
    }
    array_free(self);
    docs_free(&self->docs);
}

/* ------------------------------------------------------------------ rows */

sqlite3_stmt *export_table_rows(const struct export_table *self, struct warehouse *warehouse,
                                struct error *error)
{
    struct text sql = {0};
    bool done = text_add_string(&sql, "SELECT ");
    for (size_t i = 0; i < self->columns.count && done; i++)
        done = text_format(&sql, "%s\"%s\"", i ? ", " : "", self->columns.items[i].name);
    done = done && text_format(&sql, " FROM \"%s\"", self->view);
    sqlite3_stmt *rows = NULL;
    if (done)
        rows = warehouse_prepare(warehouse, sql.items, error);
    else
        error_memory(error);
    text_free(&sql);
    return rows;
}

bool export_cell_check(const struct export_table *self, int column, int type, int64_t place,
                       struct error *error)
{
    const struct export_column *stated = &self->columns.items[column];
    bool is_right[] = {
        [EXPORT_INTEGER] = type == SQLITE_INTEGER,
        [EXPORT_REAL] = type == SQLITE_INTEGER || type == SQLITE_FLOAT,
        [EXPORT_TEXT] = type == SQLITE_TEXT || (stated->is_label && type == SQLITE_INTEGER),
    };
    static const char *const types[] = {
        [EXPORT_INTEGER] = "a whole number", [EXPORT_REAL] = "a number", [EXPORT_TEXT] = "a text"};
    return type == SQLITE_NULL || is_right[stated->type] ||
           error_set(error, STATUS_DATABASE, "%s: %s of row %lld is not %s", self->view,
                     stated->name, (long long)place, types[stated->type]);
}

bool export_view_can_be_made(const char *text, export_has_table *has_table, const void *tables)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    while (*text) {
        struct view word = {text, strspn(text, letters)};
        if ((view_starts_with(word, "fact_") || view_starts_with(word, "sheet_")) &&
            !has_table(tables, word))
            return false;
        text += word.length ? word.length : text_starts_with(text, "--") ? strcspn(text, "\n") : 1;
    }
    return true;
}
