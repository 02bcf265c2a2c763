/* common_key: Keys are read into one array of cells. Columns that some side never fills become NULL
 * there, and all keys are numbered anew; values whose keys are now equal are added. The first
 * column of the key always stays. */
#include "query/compare/common_key.h"

#include "query/compare/key_text.h"
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>

/* Finds columns of the key that are not empty in some row of a side. */
static bool find_used(const struct values *self, const struct side_values *side,
                      const struct cell *cells, bool *used)
{
    size_t width = self->layout.key.count;
    memset(used, 0, width * sizeof *used);
    for (size_t i = 0; i < side->values.count; i++) {
        const struct cell *key = &cells[(side->values.items[i].key - 1) * width];
        for (size_t j = 0; j < width; j++)
            used[j] |= key[j].type != CELL_NULL;
    }
    return side->values.count > 0;
}

/* Finds what a side lacks and another one has; the first column always counts. */
static void find_lacking(struct values *self, const struct cell *cells, bool *used, size_t *lacking)
{
    size_t width = self->layout.key.count;
    bool *any = memory_zeroed(width + 1, sizeof *any);
    for (size_t i = 0; i < width; i++)
        lacking[i] = SIZE_MAX;
    for (size_t i = 0; i < self->side_count; i++) {
        bool has_rows = find_used(self, &self->sides[i], cells, used);
        for (size_t j = 1; j < width && has_rows; j++) {
            any[j] |= used[j];
            lacking[j] = used[j] ? lacking[j] : i;
        }
    }
    for (size_t j = 1; j < width; j++)
        if (any[j] && lacking[j] != SIZE_MAX)
            array_add(&self->not_included, (struct not_included_key){j, lacking[j]});
}

/* Numbers the keys anew, without the columns that are left out. */
static void number_keys(struct values *self, struct cell *cells, uint32_t *keys)
{
    size_t width = self->layout.key.count, count = intern_count(&self->keys);
    struct intern numbers = {0};
    struct result rows = {0};
    struct text bytes = {0}, scratch = {0};
    result_init(&rows, width);
    for (size_t i = 0; i < count; i++) {
        struct cell *key = &cells[i * width];
        for (size_t j = 0; j < self->not_included.count; j++)
            key[self->not_included.items[j].column] = (struct cell){.type = CELL_NULL};
        text_clear(&bytes);
        key_text_of(key, width, &bytes, &scratch);
        keys[i] = intern_add(&numbers, bytes.items, bytes.count);
        if ((int64_t)keys[i] > rows.rows)
            result_add(&rows, key);
    }
    intern_free(&self->keys);
    result_free(&self->cells);
    self->keys = numbers;
    self->cells = rows;
}

void common_key_take(struct values *self)
{
    size_t width = self->layout.key.count, count = intern_count(&self->keys);
    struct result_cursor cursor = {0};
    struct cell *cells = memory_zeroed(count * width + 1, sizeof *cells);
    uint32_t *keys = memory_zeroed(count + 1, sizeof *keys);
    bool *used = memory_zeroed(width + 1, sizeof *used);
    size_t *lacking = memory_zeroed(width + 1, sizeof *lacking);
    for (size_t i = 0; i < count; i++)
        result_next(&self->cells, &cursor, &cells[i * width]);
    find_lacking(self, cells, used, lacking);
    if (self->not_included.count) {
        number_keys(self, cells, keys);
        for (size_t i = 0; i < self->side_count; i++) {
            /* The values of a side move to the new keys; values of one key come together. */
            struct side_values *side = &self->sides[i];
            struct side_values moved = {0};
            for (size_t j = 0; j < side->values.count; j++) {
                const struct value *from = &side->values.items[j];
                struct value *to = values_at(&moved, keys[from->key - 1], from->sample);
                to->sum += from->sum;
                to->count += from->count;
                to->rows += from->rows;
            }
            map_free(&side->places);
            array_free(&side->values);
            side->places = moved.places;
            side->values.items = moved.values.items;
            side->values.count = moved.values.count;
            side->values.room = moved.values.room;
        }
    }
    memory_free(cells);
}

/* Adds the columns that are left out for want of a side, with commas between, behind the words
 * before them; none: nothing is added. How many there are. */
static size_t add_names(const struct values *self, size_t side, const char *before,
                        struct text *words)
{
    size_t count = 0;
    for (size_t i = 0; i < self->not_included.count; i++) {
        const struct not_included_key *left = &self->not_included.items[i];
        const struct view name = self->layout.key.items[left->column];
        if (left->side == side)
            text_format(words, "%s%.*s", count++ ? ", " : before, (int)name.length, name.bytes);
    }
    return count;
}

void common_key_remarks(const struct values *self, struct text *words)
{
    for (size_t i = 0; i < self->side_count; i++) {
        size_t count = add_names(self, i, "rows are not told apart by ", words);
        if (!count)
            continue;
        text_add_string(words, ", which ");
        visible_add(words, view_of(self->sides[i].name));
        text_format(words, " does not have; rows that differ in %s alone are one\n",
                    count == 1 ? "it" : "them");
    }
}

void common_key_add_title(const struct values *self, struct text *words)
{
    for (size_t i = 0; i < self->side_count; i++)
        if (add_names(self, i, "; without ", words))
            text_format(words, ", which %s lacks", self->sides[i].name);
}
