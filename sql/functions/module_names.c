/* module_names: see module_names.h. */
#include "module_names.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

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
    char *copy = strndup(text, length);
    char **added = copy ? array_push(&self->names) : NULL;
    if (!added) {
        free(copy);
        return 0;
    }
    *added = copy;
    return (uint32_t)self->names.count;
}

/* What is around an event: its id, and its name if it is a module. */
static int step_up(struct module_names *self, int64_t event)
{
    static const char sql[] =
        "SELECT around.id, CASE WHEN string.text GLOB 'nn.Module: *' THEN string.text END "
        "FROM event JOIN event AS around ON around.id = event.parent_id "
        "JOIN string ON string.id = around.name_id WHERE event.id = ?1";
    if (self->step)
        sqlite3_reset(self->step);
    else if (sqlite3_prepare_v2(self->db, sql, -1, &self->step, NULL) != SQLITE_OK)
        return sqlite3_errcode(self->db);
    sqlite3_bind_int64(self->step, 1, event);
    return sqlite3_step(self->step);
}

int module_names_find(struct module_names *self, int64_t event, uint32_t *number)
{
    ARRAY(int64_t) passed = {0};
    uint32_t found = 0; /* number + 1 */
    int result = SQLITE_ROW;
    while (result == SQLITE_ROW && !(found = map_get(&self->of_event, event, 0))) {
        int64_t *added = array_push(&passed);
        if (!added) {
            result = SQLITE_NOMEM;
            break;
        }
        *added = event;
        result = step_up(self, event);
        const char *name =
            result == SQLITE_ROW ? (const char *)sqlite3_column_text(self->step, 1) : NULL;
        found = name ? number_of(self, name) + 1 : result == SQLITE_DONE;
        if (name && found == 1)
            result = SQLITE_NOMEM;
        if (found)
            break;
        event = result == SQLITE_ROW ? sqlite3_column_int64(self->step, 0) : 0;
    }
    if (self->step)
        sqlite3_reset(self->step);
    result = result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
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

void module_names_free(struct module_names *self)
{
    for (size_t i = 0; i < self->names.count; i++)
        free(self->names.items[i]);
    array_free(&self->names);
    map_free(&self->of_event);
    sqlite3_finalize(self->step);
    *self = (struct module_names){0};
}
