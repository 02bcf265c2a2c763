/* reference_join: see reference_join.h.
 *
 * The join is whole on both sides, table by table: a row of the result has a row of each table, or
 * none. Its columns are the keys, then a difference and a share for each figure and each table but
 * the base, then what else the tables have, with the name of the table before it.
 */
#include "query/compare/reference_join.h"

#include "src/base/intern.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

/* One table with its cells where they are found by row and column. */
struct table {
    const struct kept_sheet *sheet;
    const char *name;
    struct cell *cells;
    size_t width, rows;
    uint32_t *keys; /* of each row */
};

enum source { FROM_KEY, FROM_DIFFERENCE, FROM_SHARE, FROM_TABLE };

/* Where a column of the result comes from. */
struct made_column {
    enum source source;
    size_t table, column; /* of a difference the column is the place among the figures */
    char *heading;
    enum column_form form;
};

struct joined {
    uint32_t key;
    size_t *rows; /* of each table; SIZE_MAX = none */
};

struct join {
    const struct join_rule *rule;
    struct table *tables;
    size_t table_count;
    ARRAY(char *) key_names;
    ARRAY(char *) metrics;
    struct intern keys;
    ARRAY(struct joined) rows;
    ARRAY(struct made_column) columns;
    struct sink *const *sinks;
    size_t sink_count;
    struct error *error;
};

/* ------------------------------------------------------------------ lists */

/* The next word of a list; empty at its end. */
static struct view next_word(const char **at)
{
    struct view word = {*at, strcspn(*at, "|")};
    *at += word.length + ((*at)[word.length] == '|');
    return word;
}

static bool has_word(const char *list, const char *word)
{
    for (struct view found; (found = next_word(&list)).length;)
        if (view_equal(found, view_of(word)))
            return true;
    return false;
}

static bool has_ending(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (struct view end; (end = next_word(&list)).length;)
        if (end.length <= length && memcmp(word + length - end.length, end.bytes, end.length) == 0)
            return true;
    return false;
}

static size_t column_named(const struct kept_sheet *sheet, const char *heading)
{
    for (size_t i = 0; i < sheet->columns.count; i++)
        if (strcmp(sheet->columns.items[i].heading, heading) == 0)
            return i;
    return SIZE_MAX;
}

static bool all_have(const struct join *self, const char *heading)
{
    for (size_t i = 0; i < self->table_count; i++)
        if (column_named(self->tables[i].sheet, heading) == SIZE_MAX)
            return false;
    return true;
}

ORDER_BY(compare_words, char *, BY(strcmp(*a, *b)));

static void add_word(void *list, const char *word, size_t length)
{
    ARRAY(char *) *words = list;
    char *copy = memory_part(word, length);
    array_add(words, copy);
}

static void read_metrics(struct join *self)
{
    const char *at = self->rule->metrics;
    for (struct view word; (word = next_word(&at)).length;) {
        add_word(&self->metrics, word.bytes, word.length);
        if (!all_have(self, self->metrics.items[self->metrics.count - 1]))
            memory_free(self->metrics.items[--self->metrics.count]);
    }
}

static bool is_key(const struct join *self, const char *heading)
{
    for (size_t i = 0; i < self->key_names.count; i++)
        if (strcmp(self->key_names.items[i], heading) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ tables */

/* The number of a row's key. Figures are equal by value, other cells by how they are written. */
static uint32_t key_of_row(struct join *self, const struct table *table, size_t row)
{
    struct text bytes = {0};
    text_add(&bytes, "", 0);
    for (size_t i = 0; i < self->key_names.count; i++) {
        size_t column = column_named(table->sheet, self->key_names.items[i]);
        const struct cell *cell =
            column == SIZE_MAX ? NULL : &table->cells[row * table->width + column];
        struct cell number = {.type = CELL_REAL};
        if (cell && cell->type == CELL_INTEGER) {
            number.real = (double)cell->integer;
            cell = &number;
        }
        if (cell)
            cell_add_text(cell, FORM_PLAIN, &bytes);
        text_add(&bytes, cell && cell->type != CELL_NULL ? "\x1f" : "\x1e", 1);
    }
    uint32_t key = intern_add(&self->keys, bytes.items, bytes.count);
    text_free(&bytes);
    return key;
}

static void open_table(struct join *self, struct table *table)
{
    struct result_cursor cursor = {0};
    table->width = table->sheet->columns.count;
    table->rows = (size_t)table->sheet->rows.rows;
    table->cells = memory_zeroed(table->rows * table->width + 1, sizeof *table->cells);
    table->keys = memory_zeroed(table->rows + 1, sizeof *table->keys);
    for (size_t i = 0; i < table->rows; i++)
        result_next(&table->sheet->rows, &cursor, &table->cells[i * table->width]);
    for (size_t i = 0; i < table->rows * table->width; i++) /* so missing values are written */
        if (table->cells[i].type == CELL_TEXT && view_equal(table->cells[i].text, VIEW("nan")))
            table->cells[i].type = CELL_NULL;
    for (size_t i = 0; i < table->rows; i++)
        table->keys[i] = key_of_row(self, table, i);
}

static const struct cell *cell_at(const struct table *table, size_t row, size_t column)
{
    static const struct cell none = {.type = CELL_NULL};
    return row == SIZE_MAX || column == SIZE_MAX ? &none
                                                 : &table->cells[row * table->width + column];
}

/* ------------------------------------------------------------------ joining */

static void reference_join_add_row(struct join *self, uint32_t key, const size_t *before,
                                   size_t table, size_t row)
{
    struct joined *joined = array_push(&self->rows);
    *joined = (struct joined){key, memory_list(self->table_count, sizeof *joined->rows)};
    for (size_t i = 0; i < self->table_count; i++)
        joined->rows[i] = before ? before[i] : SIZE_MAX;
    joined->rows[table] = row;
}

/* Each row of the result that there is meets each row of the table with its key. */
static void join_table(struct join *self, size_t index)
{
    const struct table *table = &self->tables[index];
    size_t count = self->rows.count, keys = intern_count(&self->keys);

    /* The rows of the table by their keys: the first of each key, and the next one of each row. */
    size_t *first = memory_list(keys + 1, sizeof *first);
    size_t *next = memory_list(table->rows + 1, sizeof *next);
    bool *is_met = memory_zeroed(keys + 1, sizeof *is_met);
    for (size_t i = 0; i <= keys; i++)
        first[i] = SIZE_MAX;
    for (size_t i = table->rows; i-- > 0;) {
        next[i] = first[table->keys[i]];
        first[table->keys[i]] = i;
    }
    for (size_t i = 0; i < count; i++) {
        struct joined row = self->rows.items[i];
        size_t match = first[row.key];
        is_met[row.key] = true;
        if (match == SIZE_MAX)
            continue;
        row.rows[index] = match;
        while ((match = next[match]) != SIZE_MAX)
            reference_join_add_row(self, row.key, row.rows, index, match);
    }
    for (size_t i = 0; i < table->rows; i++)
        if (!is_met[table->keys[i]])
            reference_join_add_row(self, table->keys[i], NULL, index, i);
    memory_free(first);
    memory_free(next);
    memory_free(is_met);
}

/* ------------------------------------------------------------------ columns */

static void reference_join_add_column(struct join *self, struct made_column made,
                                      const char *format, const char *first, const char *second)
{
    struct text heading = {0};
    if (strcmp(format, "::") == 0)
        text_format(&heading, "%s::%s", first, second);
    else if (strcmp(format, "diff") == 0)
        text_format(&heading, "%s__%s_diff", first, second);
    else if (strcmp(format, "pct") == 0)
        text_format(&heading, "%s__%s_pct", first, second);
    else
        text_add_string(&heading, first);
    struct made_column *column = array_push(&self->columns);
    made.heading = heading.items;
    *column = made;
}

static void add_columns(struct join *self)
{
    const struct join_rule *rule = self->rule;
    for (size_t i = 0; i < self->key_names.count; i++) {
        size_t column = column_named(self->tables[0].sheet, self->key_names.items[i]);
        enum column_form form =
            column == SIZE_MAX ? FORM_PLAIN : self->tables[0].sheet->columns.items[column].form;
        reference_join_add_column(
            self, (struct made_column){.source = FROM_KEY, .column = i, .form = form}, "",
            self->key_names.items[i], NULL);
    }
    for (size_t i = 0; i < self->metrics.count; i++)
        for (size_t j = 1; j < self->table_count; j++) {
            const char *metric = self->metrics.items[i], *name = self->tables[j].name;
            struct made_column made = {.source = FROM_DIFFERENCE, .table = j, .column = i};
            reference_join_add_column(self, made, "diff", metric, name);
            made.source = FROM_SHARE;
            reference_join_add_column(self, made, "pct", metric, name);
        }
    for (size_t i = 0; i < self->table_count; i++)
        for (size_t j = 0; j < self->tables[i].width; j++) {
            const struct column *column = &self->tables[i].sheet->columns.items[j];
            bool is_left_out = is_key(self, column->heading) ||
                               has_word(rule->dropped, column->heading) ||
                               (i && has_word(rule->dropped_later, column->heading));
            struct made_column made = {
                .source = FROM_TABLE, .table = i, .column = j, .form = column->form};
            if (!is_left_out)
                reference_join_add_column(self, made, "::", self->tables[i].name, column->heading);
        }
}

/* ------------------------------------------------------------------ cells */

static bool reference_join_number_of(const struct cell *cell, double *number)
{
    *number = cell->type == CELL_REAL ? cell->real : (double)cell->integer;
    return cell_is_number(cell);
}

static struct cell cell_of(const struct join *self, const struct joined *row,
                           const struct made_column *column)
{
    if (column->source == FROM_KEY) {
        /* The cell of a key, from a table that has the row. */
        size_t key = column->column;
        for (size_t i = 0; i < self->table_count; i++)
            if (row->rows[i] != SIZE_MAX)
                return *cell_at(&self->tables[i], row->rows[i],
                                column_named(self->tables[i].sheet, self->key_names.items[key]));
        return (struct cell){.type = CELL_NULL};
    }
    if (column->source == FROM_TABLE)
        return *cell_at(&self->tables[column->table], row->rows[column->table], column->column);
    const char *metric = self->metrics.items[column->column];
    const struct table *base = &self->tables[0], *other = &self->tables[column->table];
    double left, right;
    struct cell none = {.type = CELL_NULL};
    if (!reference_join_number_of(cell_at(base, row->rows[0], column_named(base->sheet, metric)),
                                  &left) ||
        !reference_join_number_of(
            cell_at(other, row->rows[column->table], column_named(other->sheet, metric)), &right))
        return none;
    if (column->source == FROM_DIFFERENCE)
        return (struct cell){.type = CELL_REAL, .real = right - left};
    return left == 0 ? none : (struct cell){.type = CELL_REAL, .real = 100 * (right - left) / left};
}

/* ------------------------------------------------------------------ order */

struct placed {
    const struct joined *row;
    bool has_figure;
    double figure;
    struct view key;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->has_figure != b->has_figure)
        return a->has_figure ? -1 : 1;
    if (a->has_figure && a->figure != b->figure)
        return a->figure > b->figure ? -1 : 1;
    size_t length = a->key.length < b->key.length ? a->key.length : b->key.length;
    int by_key = memcmp(a->key.bytes, b->key.bytes, length);
    return by_key ? by_key : (a->key.length > b->key.length) - (a->key.length < b->key.length);
}

/* By the first figure of a table, the greatest first; `by_figure` false: by the key alone. */
static void place(const struct join *self, const struct joined *row, size_t table, bool by_figure,
                  struct placed *placed)
{
    const struct table *of = &self->tables[table];
    *placed = (struct placed){.row = row, .key = intern_view(&self->keys, row->key)};
    if (by_figure && self->metrics.count)
        placed->has_figure = reference_join_number_of(
            cell_at(of, row->rows[table], column_named(of->sheet, self->metrics.items[0])),
            &placed->figure);
}

/* ------------------------------------------------------------------ sheets */

/* Rows of a sheet: a part has rows that the base and a table have, or one of them. */
enum part { PART_ALL, PART_BOTH, PART_BASE, PART_OTHER };

struct sheet_of {
    const char *name;
    const char *title, *page; /* may be NULL */
    enum part part;
    size_t table;
};

static bool has_figure(const struct join *self, const struct joined *row, size_t table)
{
    const struct table *of = &self->tables[table];
    double figure;
    return self->metrics.count &&
           reference_join_number_of(
               cell_at(of, row->rows[table], column_named(of->sheet, self->metrics.items[0])),
               &figure);
}

/* True if a column is about the tables of the sheet. */
static bool is_about(const struct made_column *column, const struct sheet_of *sheet)
{
    if (sheet->part == PART_ALL || column->source == FROM_KEY)
        return true;
    bool is_base = column->source == FROM_TABLE && column->table == 0;
    bool is_other = column->table == sheet->table;
    return sheet->part == PART_BOTH   ? is_base || is_other
           : sheet->part == PART_BASE ? is_base
                                      : is_other;
}

static bool is_empty(const struct join *self, const struct made_column *column,
                     const struct placed *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cell_of(self, rows[i].row, column).type != CELL_NULL)
            return false;
    return true;
}

/* A sheet without rows has no columns, too. */
static bool send_sheet(struct join *self, const struct sheet_of *of)
{
    struct placed *rows = memory_zeroed(self->rows.count + 1, sizeof *rows);
    struct column *columns = memory_zeroed(self->columns.count + 1, sizeof *columns);
    size_t *shown = memory_zeroed(self->columns.count + 1, sizeof *shown), count = 0, width = 0;
    bool by_figure = strcmp(self->rule->result, "gpu_timeline") != 0;
    for (size_t i = 0; i < self->rows.count; i++) {
        const struct joined *row = &self->rows.items[i];
        bool base = has_figure(self, row, 0), other = has_figure(self, row, of->table);
        if (of->part == PART_ALL    ? true
            : of->part == PART_BOTH ? base && other
            : of->part == PART_BASE ? base && !other
                                    : other && !base)
            place(self, &self->rows.items[i], of->part == PART_OTHER ? of->table : 0, by_figure,
                  &rows[count++]);
    }
    if (count)
        qsort(rows, count, sizeof *rows, compare_placed);
    for (size_t i = 0; i < self->columns.count; i++) {
        const struct made_column *made = &self->columns.items[i];
        if (!is_about(made, of) || (of->part != PART_ALL && is_empty(self, made, rows, count)))
            continue;
        columns[width] =
            (struct column){.name = made->heading,
                            .heading = made->heading,
                            .unit = "",
                            .meaning = "",
                            .form = made->form,
                            .is_detail = has_ending(self->rule->hidden, made->heading)};
        if (made->source == FROM_DIFFERENCE || made->source == FROM_SHARE)
            columns[width].is_number = true;
        shown[width++] = i;
    }
    struct sheet sheet = {.name = of->name,
                          .title = of->title ? of->title : "",
                          .page = of->page,
                          .columns = columns,
                          .column_count = width};
    struct cell *cells = memory_zeroed(sheet.column_count + 1, sizeof *cells);
    bool done = true;
    for (size_t i = 0; i < self->sink_count && done; i++)
        done = self->sinks[i]->begin(self->sinks[i], &sheet, self->error);
    for (size_t i = 0; i < count && done; i++) {
        for (size_t j = 0; j < sheet.column_count; j++)
            cells[j] = cell_of(self, rows[i].row, &self->columns.items[shown[j]]);
        for (size_t j = 0; j < self->sink_count && done; j++)
            done = self->sinks[j]->row(self->sinks[j], cells, self->error);
    }
    for (size_t i = 0; i < self->sink_count && done; i++)
        done = self->sinks[i]->end(self->sinks[i], self->error);
    memory_free(cells);
    memory_free(rows);
    memory_free(columns);
    memory_free(shown);
    return done;
}

static bool send_part(struct join *self, enum part part, size_t table)
{
    static const char *const names[] = {
        [PART_BOTH] = "intersect", [PART_BASE] = "only_baseline", [PART_OTHER] = "only_variant"};
    static const char *const words[] = {[PART_BOTH] = "in both",
                                        [PART_BASE] = "only in the former",
                                        [PART_OTHER] = "only in the latter"};
    const char *base = self->tables[0].name, *other = self->tables[table].name;
    struct text name = {0}, title = {0}, page = {0};
    text_format(&name, "%s_%s_%s", self->rule->result, names[part], other);
    if (self->table_count > 2) {
        text_format(&title, "%s of %s and %s: rows that are %s.", self->rule->result, base, other,
                    words[part]);

        /* A name for a worksheet, which has room for 31 characters: so that of several tables the
         * one that the sheet is about can be told, the name of what is joined gives way first. */
        enum { ROOM = 31, TABLE_ROOM = 12 };
        size_t length = strlen(other);
        int kept = length > TABLE_ROOM ? TABLE_ROOM : (int)length;
        int rest = ROOM - kept - (int)strlen(names[part]) - (int)strlen("__");
        bool is_cut = (int)strlen(self->rule->result) > rest;
        text_format(&page, "%.*s%s_%s_%.*s", is_cut ? rest - 1 : rest, self->rule->result,
                    is_cut ? "~" : "", names[part], kept, other);
    }
    struct sheet_of sheet = {name.items, title.items, page.items, part, table};
    bool done = send_sheet(self, &sheet);
    text_free(&name);
    text_free(&title);
    text_free(&page);
    return done;
}

static bool send_parts(struct join *self)
{
    bool done = true;
    for (size_t i = 1; i < self->table_count && done; i++)
        done = send_part(self, PART_BOTH, i) && send_part(self, PART_BASE, i) &&
               send_part(self, PART_OTHER, i);
    return done;
}

bool join_send(const struct join_rule *rule, const struct kept_sheet *const *tables,
               const char *const *names, size_t table_count, struct sink *const *sinks,
               size_t sink_count, struct error *error)
{
    struct join self = {.rule = rule,
                        .table_count = table_count,
                        .sinks = sinks,
                        .sink_count = sink_count,
                        .error = error};
    self.tables = memory_zeroed(table_count, sizeof *self.tables);
    for (size_t i = 0; i < table_count; i++)
        self.tables[i] = (struct table){.sheet = tables[i], .name = names[i]};

    /* The keys; NAME* stands for all columns that begin so, in the order of their names. */
    const char *at = self.rule->keys;
    for (struct view word; (word = next_word(&at)).length;) {
        size_t first = self.key_names.count;
        bool is_open = word.bytes[word.length - 1] == '*';
        if (!is_open) {
            add_word(&self.key_names, word.bytes, word.length);
            continue;
        }
        const struct kept_sheet *base = self.tables[0].sheet;
        for (size_t i = 0; i < base->columns.count; i++) {
            const char *heading = base->columns.items[i].heading;
            if (strncmp(heading, word.bytes, word.length - 1) == 0 && all_have(&self, heading))
                add_word(&self.key_names, heading, strlen(heading));
        }
        if (self.key_names.count > first)
            qsort(&self.key_names.items[first], self.key_names.count - first,
                  sizeof *self.key_names.items, compare_words);
    }
    read_metrics(&self);
    for (size_t i = 0; i < table_count; i++)
        open_table(&self, &self.tables[i]);
    for (size_t i = 0; i < table_count; i++)
        join_table(&self, i);
    add_columns(&self);
    bool done = rule->is_parted ? send_parts(&self)
                                : send_sheet(&self, &(struct sheet_of){.name = rule->result});
    for (size_t i = 0; i < table_count; i++) {
        memory_free(self.tables[i].cells);
        memory_free(self.tables[i].keys);
    }
    memory_free(self.tables);
    for (size_t i = 0; i < self.key_names.count; i++)
        memory_free(self.key_names.items[i]);
    for (size_t i = 0; i < self.metrics.count; i++)
        memory_free(self.metrics.items[i]);
    for (size_t i = 0; i < self.rows.count; i++)
        memory_free(self.rows.items[i].rows);
    for (size_t i = 0; i < self.columns.count; i++)
        memory_free(self.columns.items[i].heading);
    arrays_free(&self.key_names, &self.metrics, &self.rows, &self.columns);
    intern_free(&self.keys);
    return done;
}
