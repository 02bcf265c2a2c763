/* table_file: see table_file.h. */
#include "query/export/table_file.h"

#include "query/export/copy_text.h"

#include <stdio.h>

/* ------------------------------------------------------------------ columns */

static enum cell_type cell_type_of(enum export_type type)
{
    static const enum cell_type types[] = {
        [EXPORT_INTEGER] = CELL_INTEGER, [EXPORT_REAL] = CELL_REAL, [EXPORT_TEXT] = CELL_TEXT};
    return types[type];
}

static void add_field(struct table_file *self, const char *name, enum cell_type type)
{
    array_add(&self->fields, (struct parquet_field){name, type});
}

/* Fields of the table between the columns that tell where a row is from and, for traces, how it was
 * made. The run is a folder. */
static void list_fields(struct table_file *self)
{
    const struct export_table *table = self->table;
    if (table->kind != SHEET_OF_RUN)
        add_field(self, "trace", CELL_TEXT);
    if (table->kind != FACT_OF_TRACE)
        add_field(self, "sheet_row", CELL_INTEGER);
    for (size_t i = 0; i < table->columns.count; i++)
        add_field(self, table->columns.items[i].name, cell_type_of(table->columns.items[i].type));
    if (table->is_last) {
        add_field(self, "options", CELL_TEXT);
        add_field(self, "layout", CELL_INTEGER);
    }
}

static bool begin(struct table_file *self)
{
    if (self->is_open)
        return true;
    list_fields(self);
    self->cells = memory_zeroed(self->fields.count + 1, sizeof *self->cells);
    self->rooms = memory_zeroed(self->fields.count + 1, sizeof *self->rooms);
    if (!dataset_begin(self->dataset, &self->place))
        return false;
    self->is_open = true;
    return parquet_open(&self->parquet, self->place.out, self->place.building.items,
                        self->fields.items, self->fields.count, self->tools, self->error);
}

/* ------------------------------------------------------------------ rows */

static struct cell integer_cell(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

/* NULL bytes: memory is out. */
static bool set_text(struct table_file *self, size_t at, struct view text)
{
    self->cells[at] = (struct cell){.type = CELL_TEXT, .text = copy_mended(text, &self->rooms[at])};
    return self->cells[at].text.bytes != NULL;
}

/* A value of what its column's type is, or a whole number for a real one. */
static bool set_value(struct table_file *self, size_t at, sqlite3_stmt *row, int column,
                      int64_t place)
{
    struct cell *cell = &self->cells[at];
    int type = sqlite3_column_type(row, column);
    *cell = (struct cell){.type = type == SQLITE_NULL ? CELL_NULL : self->fields.items[at].type};
    if (!export_cell_check(self->table, column, type, place, self->error))
        return false;
    if (cell->type == CELL_TEXT) {
        const char *text = (const char *)sqlite3_column_text(row, column);
        struct view view = {text, (size_t)sqlite3_column_bytes(row, column)};
        return (text && set_text(self, at, view)) || error_memory(self->error);
    }
    if (cell->type == CELL_REAL)
        cell->real = sqlite3_column_double(row, column);
    else if (cell->type == CELL_INTEGER)
        cell->integer = sqlite3_column_int64(row, column);
    return true;
}

static bool set_cells(struct table_file *self, sqlite3_stmt *row, const char *trace, int64_t place)
{
    const struct export_table *table = self->table;
    size_t at = 0;
    if (table->kind != SHEET_OF_RUN && !set_text(self, at++, view_of(trace)))
        return error_memory(self->error);
    if (table->kind != FACT_OF_TRACE)
        self->cells[at++] = integer_cell(place);
    for (int i = 0; i < (int)table->columns.count; i++)
        if (!set_value(self, at++, row, i, place))
            return false;
    if (table->is_last && !set_text(self, at++, view_of(self->options)))
        return error_memory(self->error);
    if (table->is_last)
        self->cells[at] = integer_cell(FACT_LAYOUT);
    return true;
}

static bool add_row(struct table_file *self, sqlite3_stmt *row, const char *trace, int64_t place)
{
    return begin(self) && set_cells(self, row, trace, place) &&
           parquet_add(&self->parquet, self->cells);
}

bool table_file_add(struct table_file *self, struct warehouse *warehouse, const char *trace,
                    int64_t *rows)
{
    if (!self->rows)
        self->rows = export_table_rows(self->table, warehouse, self->error);
    bool done = self->rows != NULL;
    for (int64_t place = 0; warehouse_next(warehouse, self->rows, &done, self->error); place++) {
        done = add_row(self, self->rows, trace, place);
        *rows += done;
    }
    sqlite3_reset(self->rows);
    return done;
}

/* ------------------------------------------------------------------ the file */

bool table_file_finish(struct table_file *self, const char *run)
{
    char layout[16];
    if (!self->is_open)
        return true;
    snprintf(layout, sizeof layout, "%d", FACT_LAYOUT);
    struct text name = {0};
    struct view mended = copy_mended(view_of(run), &name);
    if (!mended.bytes)
        return error_memory(self->error);
    const struct parquet_fact facts[] = {
        {"tpq.table", self->table->name}, {"tpq.layout", layout}, {"tpq.run", mended.bytes}};
    bool done = parquet_finish(&self->parquet, facts, sizeof facts / sizeof *facts) &&
                dataset_end(self->dataset, &self->place);
    text_free(&name);
    return done;
}

void table_file_drop(struct table_file *self)
{
    if (self->is_open)
        parquet_close(&self->parquet);
    dataset_drop(&self->place);
    for (size_t i = 0; i < self->fields.count && self->rooms; i++)
        text_free(&self->rooms[i]);
    array_free(&self->fields);
    memory_free(self->cells);
    memory_free(self->rooms);
    *self = (struct table_file){.table = self->table,
                                .options = self->options,
                                .dataset = self->dataset,
                                .tools = self->tools,
                                .error = self->error,
                                .rows = self->rows};
}

void table_file_close(struct table_file *self)
{
    table_file_drop(self);
    database_finalize(self->rows);
    self->rows = NULL;
}
