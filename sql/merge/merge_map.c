/* merge_map: A lookup tries the entry of the last search, then a guess by distance, then a search.
 */
#include "sql/merge/merge_map.h"

#include <string.h>

/* ------------------------------------------------------------------ entries */

bool merge_map_add(struct merge_map *self, struct merge_entry entry, struct error *error)
{
    size_t count = self->entries.count;
    if (entry.last < entry.first || (count && entry.first <= self->entries.items[count - 1].last))
        return false;
    return array_add(&self->entries, entry) || error_memory(error);
}

static bool is_in(const struct merge_entry *entry, int64_t number)
{
    return number >= entry->first && number <= entry->last;
}

/* Rows are asked for in the order in which they stand, mostly, and their numbers have few gaps. */
const struct merge_entry *merge_map_find(struct merge_map *self, int64_t number)
{
    const struct merge_entry *items = self->entries.items;
    size_t count = self->entries.count;
    if (!count || number < items[0].first || number > items[count - 1].last)
        return NULL;
    if (is_in(&items[self->at], number))
        return &items[self->at];
    uint64_t guess = (uint64_t)number - (uint64_t)items[0].first;
    if (guess < count && is_in(&items[guess], number))
        return &items[guess];
    size_t place;
    ARRAY_LOWER_BOUND(place, count, items[place].last < number);
    if (!is_in(&items[place], number))
        return NULL;
    self->at = place;
    return &items[place];
}

/* ------------------------------------------------------------------ functions */

static const struct merge_entry *ask(sqlite3_context *out, struct merge_map *map,
                                     sqlite3_value *number)
{
    bool is_number = sqlite3_value_type(number) == SQLITE_INTEGER;
    const struct merge_entry *entry =
        is_number ? merge_map_find(map, sqlite3_value_int64(number)) : NULL;
    if (entry && map->maps->asked++ <= map->maps->asked_most)
        return entry;
    char *words =
        entry ? sqlite3_mprintf("a table has more rows than fit into it")
              : sqlite3_mprintf("something refers to a row of %s that is not there", map->table);
    if (words)
        sqlite3_result_error(out, words, -1);
    else
        sqlite3_result_error_nomem(out);
    sqlite3_free(words);
    return NULL;
}

static void merged(sqlite3_context *out, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    const struct merge_entry *entry = ask(out, sqlite3_user_data(out), values[0]);
    if (entry && entry->here != MERGE_AWAY)
        sqlite3_result_int64(out, entry->here + (sqlite3_value_int64(values[0]) - entry->first));
}

/* The shift of the event ids of a trace; 0 is possible. */
static void merged_shift(sqlite3_context *out, int count, sqlite3_value **values)
{
    (void)count;
    const struct merge_entry *entry = ask(out, sqlite3_user_data(out), values[0]);
    if (entry)
        sqlite3_result_int64(out, entry->here);
}

static bool bind(struct merge_map *self, sqlite3 *db, struct error *error)
{
    bool is_shift = strcmp(self->table, MERGE_SHIFT) == 0;
    char *name = sqlite3_mprintf("merged_%s", self->table);
    int result =
        name ? sqlite3_create_function_v2(db, name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, self,
                                          is_shift ? merged_shift : merged, NULL, NULL, NULL)
             : SQLITE_NOMEM;
    sqlite3_free(name);
    return result == SQLITE_OK || error_memory(error);
}

/* ------------------------------------------------------------------ all maps */

struct merge_map *merge_maps_open(struct merge_maps *self, sqlite3 *db, const char *table,
                                  struct error *error)
{
    for (size_t i = 0; i < self->maps.count; i++)
        if (strcmp(self->maps.items[i]->table, table) == 0)
            return self->maps.items[i];
    struct merge_map *map = memory_zeroed(1, sizeof *map);
    if (map)
        *map = (struct merge_map){.maps = self, .table = memory_text(table)};
    if (!map || !map->table || !array_add(&self->maps, map)) {
        error_memory(error);
        if (map)
            memory_free(map->table);
        memory_free(map);
        return NULL;
    }
    return bind(map, db, error) ? map : NULL;
}

void merge_maps_clear(struct merge_maps *self, int64_t asked_most)
{
    for (size_t i = 0; i < self->maps.count; i++)
        self->maps.items[i]->entries.count = self->maps.items[i]->at = 0;
    self->asked = 0;
    self->asked_most = asked_most;
}

void merge_maps_free(struct merge_maps *self)
{
    for (size_t i = 0; i < self->maps.count; i++) {
        array_free(&self->maps.items[i]->entries);
        memory_free(self->maps.items[i]->table);
        memory_free(self->maps.items[i]);
    }
    array_free(&self->maps);
}
