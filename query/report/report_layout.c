/* report_layout: columns, values, names and rows of a report, as the files that make its sheets
 * share them (report_maker.h). */
#include "query/report/report_choice.h"
#include "query/report/report_maker.h"
#include "sql/database.h"
#include "sql/warehouse/catalog.h"

#include <string.h>

char *report_keep(struct maker *self, char *word)
{
    char **kept = word ? array_push(&self->made) : NULL;
    if (!kept) {
        memory_free(word);
        return NULL;
    }
    return *kept = word;
}

size_t report_column(const struct maker *self, struct view name)
{
    for (size_t i = 0; i < self->columns.count; i++)
        if (view_equal_ignoring_case(view_of(self->columns.items[i].name), name))
            return i;
    return SIZE_MAX;
}

char *report_put_value(const char *heading, const char *value, const char *between)
{
    const char *at = strstr(heading, "{}");
    struct text text = {0};
    if (at)
        text_format(&text, "%.*s%s%s", (int)(at - heading), heading, value, at + 2);
    else
        text_format(&text, "%s%s%s", heading, between, value);
    return text.items;
}

bool report_keeps_empty(const struct maker *self)
{
    const char *kept = self->layout.keep_empty;
    return kept &&
           (strcmp(kept, "yes") == 0 || report_is_met(view_of(kept), self->warehouse->context));
}

const char *report_sheet_name(struct maker *self, const char *value)
{
    const char *sheet = catalog_sheet(self->report, self->options->set);
    const char *alias = self->layout.alias;
    if (self->options->legacy_sheet_names && alias)
        return report_keep(self, memory_part(alias, strcspn(alias, ", ")));
    if (value && *value) /* an empty one is that of the report */
        return sheet && strstr(sheet, "{}") ? report_keep(self, report_put_value(sheet, value, ""))
                                            : report_keep(self, memory_text(value));
    return sheet && !strstr(sheet, "{}") ? sheet : self->report->name;
}

void report_free_words(struct maker *self)
{
    for (size_t i = 0; i < self->made.count; i++)
        memory_free(self->made.items[i]);
    array_free(&self->made);
}

void report_free_layout(struct maker *self)
{
    report_free_words(self);
    array_free(&self->columns);
    result_free(&self->result);
    array_free(&self->notes);
    memory_free(self->why_empty);
    memory_free(self->unanswered);
    memory_free(self->window);
    memory_free(self->why_code);
}

void report_abstain(struct maker *self, struct cell *cells)
{
    if (self->abstained.count)
        abstain(self->options->abstentions, &self->abstained, self->columns.items,
                self->columns.count, cells);
}

sqlite3_stmt *report_rows(struct maker *self, const char *view)
{
    long most = self->options->rows;
    char *sql = database_format(most ? "SELECT * FROM \"%w\" LIMIT %lld" : "SELECT * FROM \"%w\"",
                                view, (long long)most);
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    memory_free(sql);
    if (!rows)
        error_context(self->error, "report %s", self->report->name);
    return rows;
}
