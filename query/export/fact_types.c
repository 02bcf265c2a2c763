/* fact_types: Tables are added in the order in which they are written: facts, sheets, and
 * fact_trace last. A report stands there once; naming it widens it to all runs. Shipped reports
 * declare their types; views of users are prepared for their columns, whose open types widen from
 * integer to real to text as rows are looked at. */
#include "query/export/fact_types.h"

#include "query/report/report.h"
#include "sql/database.h"
#include "sql/warehouse/catalog.h"

#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ which tables */

static enum export_type type_of(const struct doc_column *column)
{
    return strcmp(column->type, "integer") == 0 ? EXPORT_INTEGER
           : strcmp(column->type, "real") == 0  ? EXPORT_REAL
                                                : EXPORT_TEXT;
}

/* Columns that tell where a row is from. */
static bool is_place(const char *name)
{
    static const char *const places[] = {"run", "trace", "trace_id"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcasecmp(name, places[i]) == 0)
            return true;
    return false;
}

static void fact_types_add_column(struct export_table *self, const char *name,
                                  const struct doc_column *stated)
{
    struct export_column column = {
        .name = memory_text(name), .type = EXPORT_INTEGER, .stated = stated, .is_open = true};
    if (stated && *stated->type) {
        column.type = type_of(stated);
        column.is_label = strcmp(stated->unit, "label") == 0;
        column.is_open = false;
    }
    self->is_open |= column.is_open;
    array_add(&self->columns, column);
}

static struct export_table table_of(const struct doc_object *object, enum export_kind kind,
                                    const char *set)
{
    struct text name = {0}, postgres = {0};
    bool is_fact = kind == FACT_OF_TRACE;
    text_format(&name, "%s%s", is_fact ? "" : "sheet_", object->name);
    text_format(&postgres, "tpq.\"%s%s\"", name.items + (is_fact ? strlen("fact_") : 0),
                is_fact ? "_row" : "");
    return (struct export_table){.name = name.items,
                                 .postgres = postgres.items,
                                 .kind = kind,
                                 .view = object->name,
                                 .set = set,
                                 .has_traces =
                                     kind == SHEET_OF_TRACE && docs_column(object, "trace_id"),
                                 .is_last = strcmp(object->name, "fact_trace") == 0};
}

static void add_table(struct export_tables *self, const struct doc_object *object,
                      enum export_kind kind, const char *set)
{
    struct export_table table = table_of(object, kind, set);
    const doc_columns *columns = docs_columns(object);
    for (size_t i = 0; i < columns->count; i++) {
        const struct doc_column *column = &columns->items[i];
        if (!is_place(column->name))
            fact_types_add_column(&table, column->name, column);
    }
    array_add(self, table);
}

/* ------------------------------------------------------------------ of the user */

static bool is_shipped(const struct doc_object *object)
{
    for (int i = 0; i < sql_file_count; i++)
        if (object->file->text == sql_files[i].text)
            return true;
    return false;
}

/* The columns that a view has; what comments say of some may state their types. */
static bool ask_columns(struct export_table *self, const struct doc_object *object,
                        sqlite3_stmt *rows, struct error *error)
{
    const char *of_run = NULL, *of_trace = NULL;
    docs_columns(object);
    for (int i = 0; i < sqlite3_column_count(rows); i++) {
        const char *name = sqlite3_column_name(rows, i);
        if (!name)
            memory_fail();
        if (strcasecmp(name, "sheet_row") == 0)
            return error_set(error, STATUS_USAGE,
                             "%s: a sheet has a column sheet_row, the place of a row", self->view);
        of_run = strcasecmp(name, "run") == 0 ? "run" : of_run;
        of_trace = strcasecmp(name, "trace_id") == 0 ? "trace_id" : of_trace;
        if (!is_place(name))
            fact_types_add_column(self, name, docs_column(object, name));
    }
    self->place = self->kind == SHEET_OF_RUN ? of_run : of_trace;
    return true;
}

/* Numbers that mean something here alone are no facts. */
static bool is_fact(const struct doc_object *object, const struct fact_choice *choice)
{
    return object->is_view && text_starts_with(object->name, "fact_") && is_shipped(object) &&
           strcmp(object->name, "fact_key") != 0 &&
           (choice->has_events || strcmp(object->name, "fact_event") != 0);
}

static void add_facts(struct export_tables *self, const struct fact_choice *choice, bool last)
{
    for (size_t i = 0; i < self->docs->count; i++) {
        const struct doc_object *object = &self->docs->items[i];
        if (is_fact(object, choice) && (strcmp(object->name, "fact_trace") == 0) == last)
            add_table(self, object, FACT_OF_TRACE, NULL);
    }
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

/* The choice of tables, and its source. */
struct choosing {
    struct export_tables *tables;
    const struct fact_choice *choice;
    struct warehouse *warehouse;
    struct error *error;
};

/* `is_named`: it is asked for by its name. A report of the user's goes with all runs, as what tells
 * the formats of the program's apart is none of his. */
static bool add_report(const struct choosing *self, const struct doc_object *report,
                       const char *set, bool is_named)
{
    if (self->choice->reports.docs && is_shipped(report)) /* the user's may have its name */
        report = report_find(self->tables->docs, report->name, NULL);
    bool of_runs = has_unit(report, "run");
    struct export_table *known = NULL;
    for (size_t i = 0; i < self->tables->count; i++)
        if (strcasecmp(self->tables->items[i].view, report->name) == 0) {
            known = &self->tables->items[i];
            break;
        }
    if (known && !set)
        known->set = NULL; /* what is named is of all runs */
    if (known)
        return true;
    if (of_runs && !self->choice->has_runs)
        return ++self->tables->not_included;
    enum export_kind kind = of_runs ? SHEET_OF_RUN : SHEET_OF_TRACE;
    if (is_shipped(report)) {
        add_table(self->tables, report, kind, set);
        return true;
    }

    /* Without an error, a missing view means that its file did not run. */
    int64_t has = 0;
    warehouse_ask_about(
        self->warehouse,
        "SELECT 1 FROM temp.sqlite_schema WHERE type = 'view' AND lower(name) = lower(?1)",
        report->name, &has, self->error);
    if (has != 0) {
        struct error *error = self->error;
        struct export_table table = table_of(report, kind, NULL);
        char *sql = database_format("SELECT * FROM \"%w\"", report->name);
        sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, error);
        bool done = rows && ask_columns(&table, report, rows, error);
        if (done)
            array_add(self->tables, table);
        database_finalize(rows);
        return done;
    }
    return !self->error->status &&
           (!is_named || error_set(self->error, STATUS_USAGE,
                                   "--sheets: %s: its extension file did not run", report->name));
}

/* The sheets that are views here, too: views over many runs stand on them, whatever the formats. */
static bool add_foundations(const struct choosing *self)
{
    static const char prefix[] = "sheet_";
    const doc_list *docs = self->tables->docs;
    bool done = true;
    for (size_t i = 0; i < docs->count && done; i++) {
        const struct doc_object *object = &docs->items[i];
        if (object->is_view && text_starts_with(object->name, prefix) && is_shipped(object))
            done = add_report(self, report_find(docs, object->name + strlen(prefix), NULL), NULL,
                              false);
    }
    return done;
}

static bool add_all_of(const struct choosing *self, const doc_list *docs)
{
    bool done = true;
    for (size_t i = 0; docs && i < docs->count && done; i++) {
        const struct doc_object *object = &docs->items[i];
        done = !catalog_is_report(object) || !is_sheet(object) ||
               add_report(self, object, NULL, false);
    }
    return done;
}

/* A word of --sheets. */
static bool add_word(const struct choosing *self, const char *word)
{
    const doc_list *sheets = self->choice->reports.sheets;
    if (strcmp(word, "none") == 0)
        return true;
    if (strcmp(word, "default") == 0) {
        bool done = true;
        for (size_t i = 0; self->choice->sets[i] && done; i++) {
            const char *set = self->choice->sets[i];
            report_list reports = {0};
            report_defaults(self->tables->docs, self->warehouse->context, set, &reports);
            for (size_t j = 0; j < reports.count && done; j++)
                done =
                    !is_sheet(reports.items[j]) || add_report(self, reports.items[j], set, false);
        }
        return done && add_foundations(self) && add_all_of(self, sheets);
    }
    if (strcmp(word, "all") == 0)
        return add_all_of(self, self->tables->docs) && add_all_of(self, sheets);
    const struct doc_object *report = report_find(self->tables->docs, word, NULL);
    if (!report && sheets)
        report = report_find(sheets, word, NULL);
    if (!report)
        return error_set(self->error, STATUS_USAGE,
                         "--sheets takes default, all, none and names of reports, and '%s' is "
                         "none of them; tpq report --list has their names",
                         word);
    return is_sheet(report) ? add_report(self, report, NULL, true)
                            : error_set(self->error, STATUS_USAGE,
                                        "--sheets: %s is about more than one run, and is no sheet "
                                        "of any",
                                        word);
}

bool export_tables_open(struct export_tables *self, struct warehouse *warehouse,
                        const struct fact_choice *choice, struct error *error)
{
    struct choosing choosing = {self, choice, warehouse, error};
    *self = (struct export_tables){.docs = choice->reports.docs};
    if (!self->docs) {
        docs_read(sql_files, sql_file_count, &self->shipped);
        self->docs = &self->shipped;
    }
    add_facts(self, choice, false);

    const char *list = choosing.choice->sheets ? choosing.choice->sheets : "default";
    bool done = true;
    do {
        struct view name = docs_next_name(&list);
        struct text word = {0};
        text_add_view(&word, name);
        done = add_word(&choosing, word.items);
    } while (done && *list);
    if (!done)
        return false;
    add_facts(self, choice, true);

    /* All views at once. Without them each statement asks for its own. */
    struct text names = {0};
    text_add(&names, "", 0);
    for (size_t i = 0; i < self->count; i++)
        text_format(&names, " %s", self->items[i].view);
    database_provide(warehouse->db, names.items);
    return true;
}

/* ------------------------------------------------------------------ rows */

sqlite3_stmt *export_table_rows(const struct export_table *self, struct warehouse *warehouse,
                                struct error *error)
{
    struct text sql = {0};
    text_add_string(&sql, "SELECT ");
    for (size_t i = 0; i < self->columns.count; i++) {
        const char *decimals = report_decimals(warehouse, self->columns.items[i].stated);
        text_format(&sql, "%s%s", i ? ", " : "", *decimals ? "round(" : "");
        text_add_sql_name(&sql, self->columns.items[i].name);
        text_format(&sql, *decimals ? ", %s)" : "%s", decimals);
    }
    text_format(&sql, "%s FROM \"%s\"", self->columns.count ? "" : "NULL", self->view);
    if (self->place)
        text_format(&sql, " WHERE %s IN (SELECT %s FROM scope)", self->place, self->place);
    else if (self->has_traces) /* rows about the run once, beside those of its last trace */
        text_add_string(&sql, " WHERE trace_id IS NOT NULL OR (SELECT max(trace_id) FROM scope) IN "
                              "(SELECT max(id) FROM trace GROUP BY run_id)");
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql.items, error);
    text_free(&sql);
    return rows;
}

bool export_table_look(struct export_table *self, struct warehouse *warehouse, sqlite3_stmt *rows,
                       struct error *error)
{
    static const enum export_type types[] = {[SQLITE_INTEGER] = EXPORT_INTEGER,
                                             [SQLITE_FLOAT] = EXPORT_REAL,
                                             [SQLITE_TEXT] = EXPORT_TEXT,
                                             [SQLITE_BLOB] = EXPORT_TEXT,
                                             [SQLITE_NULL] = EXPORT_INTEGER};
    bool done = true;
    while (warehouse_next(warehouse, rows, &done, error))
        for (size_t i = 0; i < self->columns.count; i++) {
            struct export_column *column = &self->columns.items[i];
            int type = sqlite3_column_type(rows, (int)i);
            column->has_values |= type != SQLITE_NULL;
            if (column->is_open && types[type] > column->type)
                column->type = types[type];
        }
    return done;
}

void export_table_settle(struct export_table *self)
{
    for (size_t i = 0; i < self->columns.count; i++)
        if (self->columns.items[i].is_open && !self->columns.items[i].has_values)
            self->columns.items[i].type = EXPORT_TEXT;
}

bool export_cell_check(const struct export_table *self, int column, int type, int64_t place,
                       struct error *error)
{
    const struct export_column *stated = &self->columns.items[column];
    bool is_right[] = {
        [EXPORT_INTEGER] = type == SQLITE_INTEGER,
        [EXPORT_REAL] = type == SQLITE_INTEGER || type == SQLITE_FLOAT,
        [EXPORT_TEXT] =
            type == SQLITE_TEXT || stated->is_open || (stated->is_label && type == SQLITE_INTEGER),
    };
    static const char *const types[] = {
        [EXPORT_INTEGER] = "a whole number", [EXPORT_REAL] = "a number", [EXPORT_TEXT] = "a text"};
    return type == SQLITE_NULL || is_right[stated->type] ||
           error_set(error, STATUS_DATABASE, "%s: %s of row %lld is not %s", self->view,
                     stated->name, (long long)place, types[stated->type]);
}

/* ------------------------------------------------------------------ views over many runs */

bool export_tables_have(const struct export_tables *self, struct view name)
{
    for (size_t i = 0; i < self->count; i++)
        if (view_equal(view_of(self->items[i].name), name))
            return true;
    return false;
}

static bool has_table(const name_list *tables, struct view name)
{
    for (size_t i = 0; i < tables->count; i++)
        if (view_equal(view_of(tables->items[i]), name))
            return true;
    return false;
}

/* Whether there are all facts and sheets that the text of a view names outside of its comments. */
static bool can_be_made(const char *text, const name_list *tables)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    while (*text) {
        struct view word = {text, strspn(text, letters)};
        if ((view_starts_with(word, "fact_") || view_starts_with(word, "sheet_") ||
             view_equal(word, VIEW("shape_time"))) &&
            !has_table(tables, word))
            return false;
        text += word.length ? word.length : text_starts_with(text, "--") ? strcspn(text, "\n") : 1;
    }
    return true;
}

void export_add_fleet_views(const name_list *tables, const char *before, struct text *out)
{
    static const char create[] = "CREATE VIEW ";
    for (int i = 0; i < sql_file_count; i++) {
        const char *text = text_starts_with(sql_files[i].path, "fleet/")
                               ? strstr(sql_files[i].text, create)
                               : NULL;
        if (text && can_be_made(text, tables))
            text_format(out, "%sCREATE OR REPLACE VIEW %s", before, text + strlen(create));
    }
}
