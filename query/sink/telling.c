/* telling: rows stand in classes, and a column that is taken parts them. Columns are taken until
 * there are as many classes as all candidates together make; rows that no column tells apart stay
 * together.
 */
#include "query/sink/telling.h"

#include "src/base/intern.h"
#include "src/base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ rows in classes */

/* The classes with one more column, which may be written over those without. */
static void refine(const struct apart *self, const uint32_t *column, uint32_t *classes,
                   size_t *count)
{
    struct map seen = {0};
    *count = 0;
    for (size_t i = 0; i < self->rows; i++) {
        uint32_t *class = map_put(&seen, self->classes[i], column[i]);
        if (!*class)
            *class = (uint32_t)++ * count;
        if (classes)
            classes[i] = *class;
    }
    map_free(&seen);
}

static void apart_take(struct apart *self, const uint32_t *column)
{
    refine(self, column, self->classes, &self->count);
}

static struct view text_at(const struct telling *self, size_t row, size_t column)
{
    size_t i = row * self->sheet->column_count + column;
    size_t start = i ? self->ends[i - 1] : 0;
    return (struct view){self->texts ? self->texts + start : "", self->ends[i] - start};
}

/* The candidates of a choice, and the chosen ones. */
struct choice {
    const struct telling *table;
    const bool *candidates; /* NULL: all columns */
    bool *tells;
    struct apart rows;
    size_t goal;       /* so many classes there would be with all candidates */
    uint32_t *numbers; /* of the texts of a column */
};

static void number_texts(struct choice *self, size_t column)
{
    struct intern texts = {0};
    for (size_t row = 0; row < self->table->rows; row++) {
        struct view text = text_at(self->table, row, column);
        self->numbers[row] = intern_add(&texts, text.bytes, text.length);
    }
    intern_free(&texts);
}

/* All rows are of one class at first. */
static void begin(struct choice *self)
{
    self->numbers = memory_zeroed(self->table->rows + 1, sizeof *self->numbers);
    size_t rows = self->table->rows;
    self->rows = (struct apart){.classes = memory_zeroed(rows + 1, sizeof *self->rows.classes),
                                .rows = rows};
    for (size_t i = 0; i < rows; i++)
        self->rows.classes[i] = 1;
    self->rows.count = rows > 0;
}

/* Takes all columns that are marked; NULL: all. */
static void take_all(struct choice *self, const bool *columns)
{
    for (size_t i = 0; i < self->table->sheet->column_count; i++)
        if ((!columns || columns[i]) && self->rows.count < self->table->rows) {
            number_texts(self, i);
            apart_take(&self->rows, self->numbers);
        }
}

/* The candidate of this importance that tells most rows apart; SIZE_MAX where none does. */
static size_t find_best(struct choice *self, unsigned place)
{
    const struct sheet *sheet = self->table->sheet;
    size_t most = self->rows.count, count, best = SIZE_MAX;
    for (size_t i = 0; i < sheet->column_count; i++) {
        if (sheet->columns[i].place != place || self->tells[i] ||
            (self->candidates && !self->candidates[i]))
            continue;
        number_texts(self, i);
        refine(&self->rows, self->numbers, NULL, &count);
        best = count > most ? i : best;
        most = count > most ? count : most;
    }
    return best;
}

static void choose_of(struct choice *self, unsigned place)
{
    size_t best;
    while (self->rows.count < self->goal && (best = find_best(self, place)) != SIZE_MAX) {
        self->tells[best] = true;
        number_texts(self, best);
        apart_take(&self->rows, self->numbers);
    }
}

/* The most important first; those without a place come last. */
static void choose(struct choice *self)
{
    const struct sheet *sheet = self->table->sheet;
    unsigned last = 0;
    for (size_t i = 0; i < sheet->column_count; i++)
        last = sheet->columns[i].place > last ? sheet->columns[i].place : last;
    for (unsigned place = 1; place <= last; place++)
        choose_of(self, place);
    choose_of(self, 0);
}

static void find_goal(struct choice *self, const bool *columns)
{
    begin(self);
    take_all(self, columns);
    self->goal = self->rows.count;
}

void telling_choose(const struct telling *self, bool *tells)
{
    const struct sheet *sheet = self->sheet;
    bool *keys = memory_zeroed(sheet->column_count + 1, sizeof *keys);
    struct choice choice = {.table = self, .candidates = keys, .tells = tells};
    for (size_t i = 0; i < sheet->column_count; i++)
        keys[i] = sheet->columns[i].is_key;
    /* The name of a row is shown even of a single one: the first text of the key, or of the most
     * important column. */
    size_t name = SIZE_MAX;
    bool has_key = false;
    for (size_t i = 0; i < sheet->column_count; i++)
        has_key |= sheet->columns[i].is_key;
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct column *column = &sheet->columns[i];
        unsigned first = name == SIZE_MAX ? 0 : sheet->columns[name].place;
        if ((column->is_key || (!has_key && column->place)) && !column->is_number &&
            !column->is_detail &&
            (name == SIZE_MAX || (column->place && (!first || column->place < first)))) {
            bool any = false;
            for (size_t row = 0; row < self->rows && !any; row++)
                any = text_at(self, row, i).length > 0;
            if (any)
                name = i;
        }
    }
    if (name != SIZE_MAX)
        tells[name] = true;
    find_goal(&choice, keys);
    begin(&choice);
    take_all(&choice, tells);
    choose(&choice);
}

bool telling_extend(const struct telling *self, const bool *shown, bool *tells)
{
    struct choice choice = {.table = self, .tells = tells};
    find_goal(&choice, NULL);
    begin(&choice);
    take_all(&choice, shown);
    bool any = choice.rows.count < choice.goal;
    if (any)
        choose(&choice);
    return any;
}

void telling_classes(const struct telling *self, const bool *columns, struct apart *rows)
{
    struct choice choice = {.table = self};
    begin(&choice);
    take_all(&choice, columns);
    *rows = choice.rows;
}
