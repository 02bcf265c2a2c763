/* catalog_answers: see catalog_answers.h. */
#include "sql/work/catalog_answers.h"

#include "sql/binding/statements.h"
#include "sql/database.h"

#include <string.h>

static int prepare(struct catalog_answers *self, sqlite3_stmt **statement, const char *sql)
{
    if (!*statement)
        return statements_take(self->context, self->db, sql, statement);
    sqlite3_reset(*statement);
    return SQLITE_OK;
}

static int ask(struct catalog_answers *self, sqlite3_stmt **statement, const char *sql,
               int64_t first, int64_t second)
{
    int result = prepare(self, statement, sql);
    return result == SQLITE_OK ? database_find(self->db, statement, sql, first, second) : result;
}

int catalog_answers_collective(struct catalog_answers *self, int64_t name, bool *is_collective)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM kernel_category WHERE purpose = 'collective' "
        "AND text REGEXP pattern) FROM string WHERE id = ?1";
    uint32_t *known = map_put(&self->is_collective, name, 0);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int result = ask(self, &self->ask_collective, sql, name, 0);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return result;
        *known = result == SQLITE_ROW && sqlite3_column_int(self->ask_collective, 0) ? 2 : 1;
    }
    *is_collective = *known > 1;
    return SQLITE_OK;
}

/* One after the other, so that each is looked up by its index. */
#define CATEGORY_OF(name)                                                        \
    "(SELECT category FROM op_category WHERE op = " name " AND NOT is_prefix), " \
    "(SELECT category FROM category_of_model WHERE op = " name " ORDER BY place LIMIT 1), "

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

/* The place of the category that a question was answered with, from 1, among all of them. */
static int take_category(struct catalog_answers *self, sqlite3_stmt *answer, int result,
                         uint32_t *known)
{
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    const char *text = database_text(answer, 0);
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
    return SQLITE_OK;
}

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
        int result = ask(self, &self->ask_category, sql, name, kernel);
        result = take_category(self, self->ask_category, result, known);
        if (result != SQLITE_OK)
            return result;
    }
    *number = *known;
    *category = self->categories.items[*known - 1];
    return SQLITE_OK;
}

int catalog_answers_alone(struct catalog_answers *self, int64_t launcher, int64_t work,
                          int64_t kernel, const char **category)
{
    enum { BITS = 32 };
    static const char sql[] = SELECT_CATEGORY
        "FROM (SELECT launcher.text || '->' || work.text || ' (Synthetic Op)' AS text "
        "FROM string AS launcher JOIN string AS work ON work.id = ?2 WHERE launcher.id = ?1) AS op "
        "LEFT JOIN string AS kernel ON kernel.id = ?3";
    uint32_t *known =
        map_put(&self->alone_of, (int64_t)((uint64_t)launcher << BITS) | work, kernel);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int prepared = prepare(self, &self->ask_alone, sql);
        if (prepared != SQLITE_OK)
            return prepared;
        sqlite3_bind_int64(self->ask_alone, 3, kernel);
        int result = database_find(self->db, &self->ask_alone, sql, launcher, work);
        result = take_category(self, self->ask_alone, result, known);
        if (result != SQLITE_OK)
            return result;
    }
    *category = self->categories.items[*known - 1];
    return SQLITE_OK;
}

/* Threads and streams of the same names count as one: the first of them. */
int catalog_answers_tracks(struct catalog_answers *self, int64_t trace)
{
    static const char sql[] =
        "SELECT id, min(id) OVER (PARTITION BY process_name, process_labels, thread_name) "
        "FROM track WHERE trace_id = ?1";
    sqlite3_stmt *from = NULL;
    int result = statements_take(self->context, self->db, sql, &from);
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
    statements_leave(self->context, from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

int64_t catalog_answers_same_track(const struct catalog_answers *self, int64_t track)
{
    uint32_t place = map_get(&self->same_track, track, 0);
    return place ? self->tracks.items[place - 1] : track;
}

static void finish_tracks(struct catalog_answers *self)
{
    map_free(&self->same_track);
    array_free(&self->tracks);
}

static void finish_asking(struct catalog_answers *self)
{
    statements_leave(self->context, self->ask_category);
    statements_leave(self->context, self->ask_collective);
    statements_leave(self->context, self->ask_alone);
    self->ask_category = self->ask_collective = self->ask_alone = NULL;
}

void catalog_answers_finish(struct catalog_answers *self)
{
    map_free(&self->category_of);
    map_free(&self->alone_of);
    map_free(&self->is_collective);
    finish_tracks(self);
    finish_asking(self);
}

void catalog_answers_free(struct catalog_answers *self)
{
    catalog_answers_finish(self);
    for (size_t i = 0; i < self->categories.count; i++)
        free(self->categories.items[i]);
    array_free(&self->categories);
    *self = (struct catalog_answers){0};
}

/* ------------------------------------------------------------------ from one to the next */

static void release(void *answers)
{
    if (answers)
        catalog_answers_free(answers);
    free(answers);
}

/* Whether answers of one time hold at the other. */
static bool is_same(const struct catalog_answers *left, const struct catalog_answers *right)
{
    bool is_same_form = left->compat == right->compat;
    return is_same_form && left->db == right->db && left->statements == right->statements &&
           database_state_equal(&left->state, &right->state);
}

void catalog_answers_take(struct catalog_answers *self, sqlite3 *db, struct context *context)
{
    struct catalog_answers *kept = context_kept(context, release);
    struct catalog_answers now = {.db = db,
                                  .context = context,
                                  .state = database_state(db),
                                  .compat = context_get(context, "compat") != NULL,
                                  .statements = context->statements};
    *self = now;
    if (!kept || !is_same(kept, &now))
        return;
    *self = *kept; /* nobody else has them meanwhile */
    *kept = (struct catalog_answers){0};
}

void catalog_answers_leave(struct catalog_answers *self, struct context *context)
{
    struct catalog_answers *kept = malloc(sizeof *kept);
    finish_tracks(self);
    finish_asking(self);
    if (kept) {
        *kept = *self;
        context_keep(context, kept, release);
    } else {
        catalog_answers_free(self);
    }
    *self = (struct catalog_answers){0};
}
