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

void apart_free(struct apart *self)
{
    memory_free(self->classes);
    *self = (struct apart){0};
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

static bool number_texts(struct choice *self, size_t column)
{
    struct intern texts = {0};
    bool done = true;
    for (size_t row = 0; row < self->table->rows && done; row++) {
        struct view text = text_at(self->table, row, column);
        self->numbers[row] = intern_add(&texts, text.bytes, text.length);
        done = self->numbers[row] != 0;
    }
    intern_free(&texts);
    return done;
}

static bool begin(struct choice *self)
{
    self->numbers = memory_zeroed(self->table->rows + 1, sizeof *self->numbers);

    /* All return false when memory is out. */
    size_t rows = self->table->rows;
    self->rows = (struct apart){.classes = memory_zeroed(rows + 1, sizeof *self->rows.classes),
                                .rows = rows};
    for (size_t i = 0; i < rows && self->rows.classes; i++)
        self->rows.classes[i] = 1;
    self->rows.count = rows > 0;
    return self->rows.classes != NULL;
}

static void end(struct choice *self)
{
    apart_free(&self->rows);
    memory_free(self->numbers);
    self->numbers = NULL;
}

/* Takes all columns that are marked; NULL: all. */
static bool take_all(struct choice *self, const bool *columns)
{
    bool done = true;
    for (size_t i = 0; i < self->table->sheet->column_count && done; i++)
        if ((!columns || columns[i]) && self->rows.count < self->table->rows) {
            done = number_texts(self, i);
            if (done)
                apart_take(&self->rows, self->numbers);
        }
    return done;
}

/* The candidate of this importance that tells most rows apart; SIZE_MAX where none does. */
static bool find_best(struct choice *self, unsigned place, size_t *best)
{
    const struct sheet *sheet = self->table->sheet;
    size_t most = self->rows.count, count;
    *best = SIZE_MAX;
    for (size_t i = 0; i < sheet->column_count; i++) {
        if (sheet->columns[i].place != place || self->tells[i] ||
            (self->candidates && !self->candidates[i]))
            continue;
        if (!number_texts(self, i))
            return false;

        /* How many classes there would be with one more column. */
        refine(&self->rows, self->numbers, NULL, &count);
        *best = count > most ? i : *best;
        most = count > most ? count : most;
    }
    return true;
}

static bool choose_of(struct choice *self, unsigned place)
{
    bool done = true;
    for (size_t best = 0; best != SIZE_MAX && self->rows.count < self->goal && done;) {
        done = find_best(self, place, &best);
        if (done && best != SIZE_MAX) {
            self->tells[best] = true;
            done = number_texts(self, best);
            if (done)
                apart_take(&self->rows, self->numbers);
        }
    }
    return done;
}

/* The most important first; those without a place come last. */
static bool choose(struct choice *self)
{
    const struct sheet *sheet = self->table->sheet;
    unsigned last = 0;
    for (size_t i = 0; i < sheet->column_count; i++)
        last = sheet->columns[i].place > last ? sheet->columns[i].place : last;
    bool done = true;
    for (unsigned place = 1; place <= last && done; place++)
        done = choose_of(self, place);
    return done && choose_of(self, 0);
}

static bool find_goal(struct choice *self, const bool *columns)
{
    bool done = begin(self) && take_all(self, columns);
    self->goal = self->rows.count;
    end(self);
    return done;
}

bool telling_choose(const struct telling *self, bool *tells)
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
    bool done = find_goal(&choice, keys);
    done = done && begin(&choice) && take_all(&choice, tells) && choose(&choice);
    end(&choice);
    memory_free(keys);
    return done;
}

bool telling_extend(const struct telling *self, const bool *shown, bool *tells, bool *any)
{
    struct choice choice = {.table = self, .tells = tells};
    bool done = find_goal(&choice, NULL) && begin(&choice) && take_all(&choice, shown);
    *any = done && choice.rows.count < choice.goal;
    done = done && (!*any || choose(&choice));
    end(&choice);
    return done;
}

bool telling_classes(const struct telling *self, const bool *columns, struct apart *rows)
{
    struct choice choice = {.table = self};
    bool done = begin(&choice) && take_all(&choice, columns);
    *rows = choice.rows;
    choice.rows = (struct apart){0};
    end(&choice);
    return done;
}
