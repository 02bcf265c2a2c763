/* kept_sheets: Columns are copied with their names and headings; units, meanings and short names
 * are not kept. Rows are kept as results. A kept sheet is sent to all outputs row by row, so that
 * they read it in one pass. */
#include "query/compare/kept_sheets.h"

#include <stdlib.h>
#include <string.h>

static bool keep_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct kept_sheets *self = (struct kept_sheets *)sink;
    struct kept_sheet *kept = array_push(&self->sheets);
    *kept = (struct kept_sheet){.name = memory_text(sheet->name),
                                .title = memory_text(sheet->title ? sheet->title : ""),
                                .page = sheet->page ? memory_text(sheet->page) : NULL};
    result_init(&kept->rows, sheet->column_count);
    array_reserve(&kept->columns, sheet->column_count + 1);
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct column *column = &kept->columns.items[kept->columns.count++];
        *column = sheet->columns[i];
        column->unit = column->meaning = "";
        column->names = NULL;
        column->name = memory_text(sheet->columns[i].name);
        column->heading = memory_text(sheet->columns[i].heading);
    }
    return true;
}

static bool keep_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct kept_sheets *self = (struct kept_sheets *)sink;
    result_add(&self->sheets.items[self->sheets.count - 1].rows, cells);
    return true;
}

static bool keep_end(struct sink *sink, struct error *error)
{
    (void)sink, (void)error;
    return true;
}

static void keep_free(struct sink *sink)
{
    kept_sheets_free((struct kept_sheets *)sink);
}

void kept_sheets_init(struct kept_sheets *self)
{
    *self = (struct kept_sheets){.base = {.begin = keep_begin,
                                          .row = keep_row,
                                          .end = keep_end,
                                          .finish = keep_end,
                                          .free = keep_free}};
}

const struct kept_sheet *kept_sheets_find(const struct kept_sheets *self, const char *name)
{
    for (size_t i = 0; i < self->sheets.count; i++)
        if (strcmp(self->sheets.items[i].name, name) == 0)
            return &self->sheets.items[i];
    return NULL;
}

size_t kept_sheet_column(const struct kept_sheet *sheet, const char *heading)
{
    size_t i = 0;
    while (i < sheet->columns.count && strcmp(sheet->columns.items[i].heading, heading) != 0)
        i++;
    return i < sheet->columns.count ? i : SIZE_MAX;
}

bool kept_sheets_send(const struct kept_sheets *self, struct sink *const *sinks, size_t count,
                      struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->sheets.count && done; i++) {
        const struct kept_sheet *kept = &self->sheets.items[i];
        const struct sheet sheet = {.name = kept->name,
                                    .title = kept->title,
                                    .page = kept->page,
                                    .columns = kept->columns.items,
                                    .column_count = kept->columns.count};
        struct cell *cells = memory_zeroed(kept->columns.count + 1, sizeof *cells);
        struct result_cursor cursor = {0};
        for (size_t j = 0; j < count && done; j++)
            done = sinks[j]->begin(sinks[j], &sheet, error);
        while (done && result_next(&kept->rows, &cursor, cells))
            for (size_t j = 0; j < count && done; j++)
                done = sinks[j]->row(sinks[j], cells, error);
        for (size_t j = 0; j < count && done; j++)
            done = sinks[j]->end(sinks[j], error);
    }
    return done;
}

void kept_sheets_free(struct kept_sheets *self)
{
    for (size_t i = 0; i < self->sheets.count; i++)
        result_free(&self->sheets.items[i].rows);
    array_free(&self->sheets);
}
