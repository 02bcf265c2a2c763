/* facts: see facts.h. */
#include "ingest/trace/facts.h"

#include <assert.h>

bool fact_table_has_slices(const struct fact_table *self)
{
    return self->columns[0].type == FACT_EVENT;
}

bool fact_table_has_numbers(const struct fact_table *self)
{
    return self->columns[0].type == FACT_ID;
}

/* For assert. */
__attribute__((unused)) static bool is_sorted(const struct fact_list *self)
{
    const struct fact_column *slice = &self->table->columns[0];
    for (size_t i = 1; i < self->count && fact_table_has_slices(self->table); i++)
        if (fact_number(fact_row(self, i - 1), slice) > fact_number(fact_row(self, i), slice))
            return false;
    return true;
}

void facts_add(fact_lists *self, const struct fact_table *table, void *rows, size_t count)
{
    assert(facts_find(self, table) == self->count);
    assert(is_sorted(&(struct fact_list){table, rows, count}));
    if (!count) {
        memory_free(rows);
        return;
    }
    array_add(self, (struct fact_list){table, rows, count});
}

size_t facts_find(const fact_lists *self, const struct fact_table *table)
{
    size_t i = 0;
    while (i < self->count && self->items[i].table != table)
        i++;
    return i;
}

void facts_free(fact_lists *self)
{
    for (size_t i = 0; i < self->count; i++)
        memory_free(self->items[i].rows);
    array_free(self);
}
