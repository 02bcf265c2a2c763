/* catalog_answers: see catalog_answers.h. */
#include "sql/work/catalog_answers.h"

#include "sql/database.h"

#include <string.h>

int catalog_answers_collective(struct catalog_answers *self, int64_t name, bool *is_collective)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM kernel_category WHERE purpose = 'collective' "
        "AND text REGEXP pattern) FROM string WHERE id = ?1";
    uint32_t *known = map_put(&self->is_collective, name, 0);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int result = database_find(self->db, &self->ask_collective, sql, name, 0);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return result;
        *known = result == SQLITE_ROW && sqlite3_column_int(self->ask_collective, 0) ? 2 : 1;
    }
    *is_collective = *known > 1;
    return SQLITE_OK;
}

#define CATEGORY_OF(name)                                                                       \
    "(SELECT category FROM op_kind WHERE op = " name " AND NOT is_prefix ORDER BY place LIMIT " \
    "1), "

/* What works in place has an underscore behind the name of what does the same; NULL of others. */
#define IN_PLACE_OF                                                                       \
    "CASE WHEN op.text GLOB '*::*[^_]_' AND NOT tpq_like_reference('categories of ops') " \
    "THEN substr(op.text, 1, length(op.text) - 1) END"

#define BY_RULE(purpose, name)                                                    \
    "(SELECT category FROM kernel_category WHERE purpose = " purpose " AND " name \
    " REGEXP pattern ORDER BY priority LIMIT 1), "

#define BY_DEFAULT(purpose, name)                                                                  \
    BY_RULE("(SELECT CASE WHEN NOT tpq_like_reference('categories of ops') THEN " purpose " END)", \
            name)

#define BY_PREFIX                                                                                \
    "(SELECT category FROM op_category WHERE is_prefix AND substr(op.text, 1, length(op)) = op " \
    "ORDER BY length(op) DESC LIMIT 1), "

#define BY_NAME CATEGORY_OF("op.text") BY_PREFIX CATEGORY_OF(IN_PLACE_OF)

#define SELECT_CATEGORY                                                                  \
    "SELECT coalesce(" BY_NAME BY_RULE("'op'", "kernel.text")                            \
        BY_DEFAULT("'op name fixed'", "op.text") BY_DEFAULT("'op fixed'", "kernel.text") \
            BY_DEFAULT("'op launch fixed'", "op.text") "'other') "

int catalog_answers_category(struct catalog_answers *self, int64_t name, int64_t kernel,
                             uint32_t *number, const char **category)
{
    static const char sql[] =
        SELECT_CATEGORY "FROM string AS op LEFT JOIN string AS kernel ON kernel.id = ?2 "
                        "WHERE op.id = ?1";
    uint32_t *known = map_put(&self->category_of, name, kernel);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int result = database_find(self->db, &self->ask_category, sql, name, kernel);
        if (result != SQLITE_ROW)
            return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
        const char *text = database_text(self->ask_category, 0);
        size_t place = 0; /* there are few */
        while (text && place < self->categories.count &&
               strcmp(self->categories.items[place], text) != 0)
            place++;
        if (!text || place == self->categories.count) {
            char *copy = text ? strdup(text) : NULL;
            if (!array_take(&self->categories, copy))
                return SQLITE_NOMEM;
        }
        *known = (uint32_t)place + 1;
    }
    *number = *known;
    *category = self->categories.items[*known - 1];
    return SQLITE_OK;
}

int catalog_answers_named_category(struct catalog_answers *self, const char *name, int64_t kernel,
                                   struct text *category)
{
    static const char sql[] = SELECT_CATEGORY
        "FROM (SELECT ?1 AS text) AS op LEFT JOIN string AS kernel ON kernel.id = ?2";
    if (self->ask_named)
        sqlite3_reset(self->ask_named);
    else if (sqlite3_prepare_v2(self->db, sql, -1, &self->ask_named, NULL) != SQLITE_OK)
        return sqlite3_errcode(self->db);
    sqlite3_bind_text(self->ask_named, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(self->ask_named, 2, kernel);
    int result = sqlite3_step(self->ask_named);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    const char *found = database_text(self->ask_named, 0);
    text_clear(category);
    return found && text_add_string(category, found) ? SQLITE_OK : SQLITE_NOMEM;
}

/* Threads and streams of the same names count as one: the first of them. */
int catalog_answers_tracks(struct catalog_answers *self, int64_t trace)
{
    static const char sql[] =
        "SELECT id, min(id) OVER (PARTITION BY process_name, process_labels, thread_name) "
        "FROM track WHERE trace_id = ?1";
    sqlite3_stmt *from = NULL;
    int result = sqlite3_prepare_v2(self->db, sql, -1, &from, NULL);
    sqlite3_bind_int64(from, 1, trace);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        uint32_t *place = map_put(&self->same_track, sqlite3_column_int64(from, 0), 0);
        int64_t *track = place ? array_push(&self->tracks) : NULL;
        result = track ? SQLITE_OK : SQLITE_NOMEM;
        if (track) {
            *track = sqlite3_column_int64(from, 1);
            *place = (uint32_t)self->tracks.count;
        }
    }
    sqlite3_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

int64_t catalog_answers_same_track(const struct catalog_answers *self, int64_t track)
{
    uint32_t place = map_get(&self->same_track, track, 0);
    return place ? self->tracks.items[place - 1] : track;
}

void catalog_answers_finish(struct catalog_answers *self)
{
    map_free(&self->category_of);
    map_free(&self->is_collective);
    map_free(&self->same_track);
    array_free(&self->tracks);
    sqlite3_finalize(self->ask_category);
    sqlite3_finalize(self->ask_collective);
    sqlite3_finalize(self->ask_named);
    self->ask_category = self->ask_collective = self->ask_named = NULL;
}

void catalog_answers_free(struct catalog_answers *self)
{
    catalog_answers_finish(self);
    for (size_t i = 0; i < self->categories.count; i++)
        free(self->categories.items[i]);
    array_free(&self->categories);
    *self = (struct catalog_answers){0};
}
