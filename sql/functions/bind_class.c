/* bind_class: what the name of accelerator work tells.
 *
 *     kernel_class(purpose, category_id, name_id)     category by the rules of kernel_category
 *
 *     SELECT kernel_class('timeline', category_id, name_id) FROM gpu_event     -> computation, ...
 *
 * The first rule of that purpose, by priority, decides whose kind is NULL or the event's and whose
 * pattern the name matches. Within a statement each pair is looked up once, while the purpose is a
 * constant. NULL: when no rule fits, there is no such name, or the
 * purpose is NULL.
 */
#include "base/map.h"
#include "functions.h"

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* Answers of one statement. */
struct classes {
    char *purpose;
    sqlite3_stmt *ask;
    struct map known;       /* (category, name) -> place in `answers` + 1 */
    ARRAY(char *) answers;  /* each once; NULL = no class */
    int64_t category, name; /* asked for last */
    uint32_t last;          /* its place + 1 */
};

static void classes_free(void *context)
{
    struct classes *self = context;
    free(self->purpose);
    sqlite3_finalize(self->ask);
    map_free(&self->known);
    for (size_t i = 0; i < self->answers.count; i++)
        free(self->answers.items[i]);
    array_free(&self->answers);
    free(self);
}

static bool keep_answer(struct classes *self, const char *text, uint32_t *place)
{
    size_t at = 0; /* there are few */
    while (at < self->answers.count &&
           (text && self->answers.items[at] ? strcmp(text, self->answers.items[at]) != 0
                                            : text != self->answers.items[at]))
        at++;
    if (at == self->answers.count) {
        char *copy = text ? strdup(text) : NULL;
        char **added = copy || !text ? array_push(&self->answers) : NULL;
        if (!added) {
            free(copy);
            return false;
        }
        *added = copy;
    }
    *place = (uint32_t)at + 1;
    return true;
}

static int find(struct classes *self, sqlite3 *db, sqlite3_value *purpose, uint32_t *place)
{
    static const char sql[] =
        "SELECT (SELECT rule.category FROM kernel_category AS rule WHERE rule.purpose = ?1 AND "
        "(rule.kind IS NULL OR rule.kind = (SELECT name FROM category WHERE id = ?2)) AND "
        "string.text REGEXP rule.pattern ORDER BY rule.priority LIMIT 1) FROM string WHERE id = ?3";
    uint32_t *known = map_put(&self->known, self->category, self->name);
    if (!known)
        return SQLITE_NOMEM;
    int result = SQLITE_ROW;
    if (*known == 0) {
        if (!self->ask)
            result = sqlite3_prepare_v2(db, sql, -1, &self->ask, NULL);
        if (!self->ask)
            return result;
        sqlite3_bind_value(self->ask, 1, purpose);
        sqlite3_bind_int64(self->ask, 2, self->category);
        sqlite3_bind_int64(self->ask, 3, self->name);
        result = sqlite3_step(self->ask);
        const char *text =
            result == SQLITE_ROW ? (const char *)sqlite3_column_text(self->ask, 0) : NULL;
        bool done =
            (result == SQLITE_ROW || result == SQLITE_DONE) && keep_answer(self, text, known);
        int failed = sqlite3_reset(self->ask);
        if (!done)
            return failed != SQLITE_OK ? failed : SQLITE_NOMEM;
    }
    *place = *known;
    return SQLITE_OK;
}

static struct classes *classes_new(const char *purpose)
{
    struct classes *self = calloc(1, sizeof *self);
    if (self && !(self->purpose = strdup(purpose))) {
        free(self);
        self = NULL;
    }
    return self;
}

static void class_of(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *purpose = (const char *)sqlite3_value_text(arguments[0]);
    if (!purpose)
        return;
    struct classes *kept = sqlite3_get_auxdata(context, 0);
    bool is_new = !kept || strcmp(kept->purpose, purpose) != 0;
    struct classes *self = is_new ? classes_new(purpose) : kept;
    if (!self) {
        sqlite3_result_error_nomem(context);
        return;
    }
    int64_t category = sqlite3_value_int64(arguments[1]), name = sqlite3_value_int64(arguments[2]);
    int result = SQLITE_OK;
    if (!self->last || category != self->category || name != self->name) {
        self->category = category;
        self->name = name;
        self->last = 0;
        result = find(self, sqlite3_context_db_handle(context), arguments[0], &self->last);
    }
    if (result != SQLITE_OK)
        sqlite3_result_error_code(context, result);
    else if (self->answers.items[self->last - 1])
        sqlite3_result_text(context, self->answers.items[self->last - 1], -1, SQLITE_TRANSIENT);
    if (is_new) /* last, because it may free them at once */
        sqlite3_set_auxdata(context, 0, self, classes_free);
}

const struct function class_functions[] = {
    {.name = "kernel_class",
     .call = "kernel_class(purpose, category_id, name_id)",
     .meaning = "Category of accelerator work by its name, after the rules of kernel_category for "
                "that purpose. NULL when no rule fits or there is no such name.",
     .kind = FUNCTION_SCALAR,
     .arguments = 3,
     .flags = SQLITE_INNOCUOUS,
     .scalar = class_of},
    {0},
};
