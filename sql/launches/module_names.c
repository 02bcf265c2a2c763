/* module_names: A name's module is worked out once; then the way up from an event ends at the
 * nearest one. */
#include "sql/launches/module_names.h"

#include "sql/database.h"

#include <string.h>

/* The number of a name without what tells modules of a kind apart; 0: memory is out. */
static uint32_t number_of(struct module_names *self, const char *text)
{
    size_t length = strlen(text), end = length;
    while (end && text[end - 1] >= '0' && text[end - 1] <= '9')
        end--;
    if (end < length && end && text[end - 1] == '_')
        length = end - 1;
    for (size_t i = 0; i < self->names.count; i++) /* there are few */
        if (strlen(self->names.items[i]) == length &&
            strncmp(self->names.items[i], text, length) == 0)
            return (uint32_t)i + 1;
    char *copy = memory_part(text, length);
    if (!array_take(&self->names, copy))
        return 0;
    return (uint32_t)self->names.count;
}

/* Number + 1 of the module that a name is of, 0 when it is of none. Names come again: each is
 * looked at once. */
static int module_of_name(struct module_names *self, int64_t name, uint32_t *module)
{
    static const char prefix[] = "nn.Module: ";
    uint32_t *kept = map_put(&self->of_name, name, 0);
    int result = kept ? SQLITE_OK : SQLITE_NOMEM;
    if (kept && !*kept) {
        result = database_find(self->db, &self->string, "SELECT text FROM string WHERE id = ?1",
                               name, 0);
        const char *text = result == SQLITE_ROW ? database_text(self->string, 0) : NULL;
        bool is_module = text && strncmp(text, prefix, strlen(prefix)) == 0;
        uint32_t number = is_module ? number_of(self, text) : 0;
        bool is_known = result == SQLITE_DONE || (text && (!is_module || number));
        if (result == SQLITE_ROW || result == SQLITE_DONE)
            result = is_known ? SQLITE_OK : SQLITE_NOMEM;
        *kept = is_known ? number + 1 : 0;
        sqlite3_reset(self->string);
    }
    *module = kept && *kept > 1 ? *kept : 0;
    return result;
}

/* The event around an event, 0 for none, and the event's own module. */
static int read_event(struct module_names *self, int64_t event, int64_t *parent, uint32_t *module)
{
    int result = database_find(self->db, &self->event,
                               "SELECT parent_id, name_id FROM event WHERE id = ?1", event, 0);
    *parent = 0;
    *module = 0;
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_OK : result;
    *parent = sqlite3_column_int64(self->event, 0);
    return module_of_name(self, sqlite3_column_int64(self->event, 1), module);
}

int module_names_find(struct module_names *self, int64_t event, uint32_t *number)
{
    ARRAY(int64_t) passed = {0};
    uint32_t found = map_get(&self->of_event, event, 0), module; /* number + 1 */
    int64_t parent = 0;
    int result = found ? SQLITE_OK : read_event(self, event, &parent, &module);
    while (result == SQLITE_OK && !found) {
        int64_t *added = array_push(&passed);
        if (added)
            *added = event;
        event = parent;
        result = !added  ? SQLITE_NOMEM
                 : event ? read_event(self, event, &parent, &module)
                         : SQLITE_OK;
        if (result == SQLITE_OK)
            found = !event ? 1 : module ? module : map_get(&self->of_event, event, 0);
    }
    if (self->event)
        sqlite3_reset(self->event);
    for (size_t i = 0; i < passed.count && result == SQLITE_OK; i++) {
        uint32_t *kept = map_put(&self->of_event, passed.items[i], 0);
        result = kept ? SQLITE_OK : SQLITE_NOMEM;
        if (kept)
            *kept = found;
    }
    array_free(&passed);
    *number = found ? found - 1 : 0;
    return result;
}

void module_names_finish(struct module_names *self)
{
    map_free(&self->of_event);
    map_free(&self->of_name);
    database_finalize(self->event);
    database_finalize(self->string);
    self->event = self->string = NULL;
}

void module_names_free(struct module_names *self)
{
    module_names_finish(self);
    for (size_t i = 0; i < self->names.count; i++)
        memory_free(self->names.items[i]);
    array_free(&self->names);
    *self = (struct module_names){0};
}
