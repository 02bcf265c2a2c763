/* catalog_answers: Answers are kept by category and name, and hold as long as the database is in
 * the same state. */
#include "sql/kernels/catalog_answers.h"

#include "sql/binding/context.h"
#include "sql/database.h"

#include <string.h>

struct catalog_known {
    int shares;
    sqlite3 *db;
    struct database_state state; /* of which the answers are */
    bool compat;
    unsigned statements;
    ARRAY(char *) categories;
    struct map category_of; /* (name, first kernel) -> index + 1 */
    struct map alone_of;    /* (name and name of the work, first kernel) -> index + 1 */
    struct map is_collective;
};

static int catalog_answers_prepare(struct catalog_answers *self, sqlite3_stmt **statement,
                                   const char *sql)
{
    if (!*statement)
        return statements_take(self->context, self->db, sql, statement);
    sqlite3_reset(*statement);
    return SQLITE_OK;
}

static int catalog_answers_ask(struct catalog_answers *self, sqlite3_stmt **statement,
                               const char *sql, int64_t first, int64_t second)
{
    int result = catalog_answers_prepare(self, statement, sql);
    return result == SQLITE_OK ? database_find(self->db, statement, sql, first, second) : result;
}

/* Where an answer stands, which outlives who asks. */
static uint32_t *place_of(struct catalog_answers *self, struct map *answers, int64_t first,
                          int64_t second)
{
    struct memory *before = memory_enter(&self->context->memory);
    uint32_t *place = map_put(answers, first, second);
    memory_enter(before);
    return place;
}

int catalog_answers_collective(struct catalog_answers *self, int64_t name, bool *is_collective)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM kernel_category WHERE purpose = 'collective' "
        "AND text REGEXP pattern) FROM string WHERE id = ?1";
    uint32_t *known = place_of(self, &self->known->is_collective, name, 0);
    if (*known == 0) {
        int result = catalog_answers_ask(self, &self->ask_collective, sql, name, 0);
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

/* An op that works in place has an underscore behind its name; NULL for other ops. */
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
static int take_category(const struct catalog_answers *answers, sqlite3_stmt *answer, int result,
                         uint32_t *known)
{
    struct catalog_known *self = answers->known;
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    const char *text = database_text(answer, 0);
    size_t place = 0; /* there are few */
    while (place < self->categories.count && strcmp(self->categories.items[place], text) != 0)
        place++;
    if (place == self->categories.count) {
        struct memory *before = memory_enter(&answers->context->memory);
        array_add(&self->categories, memory_text(text));
        memory_enter(before);
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
    uint32_t *known = place_of(self, &self->known->category_of, name, kernel);
    if (*known == 0) {
        int result = catalog_answers_ask(self, &self->ask_category, sql, name, kernel);
        result = take_category(self, self->ask_category, result, known);
        if (result != SQLITE_OK)
            return result;
    }
    *number = *known;
    *category = self->known->categories.items[*known - 1];
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
    uint32_t *known = place_of(self, &self->known->alone_of,
                               (int64_t)((uint64_t)launcher << BITS) | work, kernel);
    if (*known == 0) {
        int prepared = catalog_answers_prepare(self, &self->ask_alone, sql);
        if (prepared != SQLITE_OK)
            return prepared;
        sqlite3_bind_int64(self->ask_alone, 3, kernel);
        int result = database_find(self->db, &self->ask_alone, sql, launcher, work);
        result = take_category(self, self->ask_alone, result, known);
        if (result != SQLITE_OK)
            return result;
    }
    *category = self->known->categories.items[*known - 1];
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
        int64_t *track = array_push(&self->tracks);
        result = SQLITE_OK;
        *track = sqlite3_column_int64(from, 1);
        *place = (uint32_t)self->tracks.count;
    }
    statements_leave(self->context, from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

int64_t catalog_answers_same_track(const struct catalog_answers *self, int64_t track)
{
    uint32_t place = map_get(&self->same_track, track, 0);
    return place ? self->tracks.items[place - 1] : track;
}

void catalog_answers_finish(struct catalog_answers *self)
{
    map_free(&self->same_track);
    array_free(&self->tracks);
    statements_leave(self->context, self->ask_category);
    statements_leave(self->context, self->ask_collective);
    statements_leave(self->context, self->ask_alone);
    self->ask_category = self->ask_collective = self->ask_alone = NULL;
}

/* ------------------------------------------------------------------ what is shared */

static void release(void *known)
{
    struct catalog_known *self = known;
    if (!self || --self->shares > 0)
        return;
    map_free(&self->category_of);
    map_free(&self->alone_of);
    map_free(&self->is_collective);
    for (size_t i = 0; i < self->categories.count; i++)
        memory_free(self->categories.items[i]);
    array_free(&self->categories);
    memory_free(self);
}

void catalog_answers_free(struct catalog_answers *self)
{
    catalog_answers_finish(self);
    release(self->known);
    *self = (struct catalog_answers){0};
}

/* True if answers of one time hold at the other. */
static bool is_same(const struct catalog_known *left, const struct catalog_known *right)
{
    return left->compat == right->compat && left->db == right->db &&
           left->statements == right->statements &&
           database_state_equal(&left->state, &right->state);
}

void catalog_answers_take(struct catalog_answers *self, sqlite3 *db, struct context *context)
{
    struct catalog_known *known = context_kept(context, release);
    struct catalog_known now = {.shares = 1,
                                .db = db,
                                .state = database_state(db),
                                .compat = context_get(context, "compat") != NULL,
                                .statements = context->statements};
    if (!known || !is_same(known, &now)) {
        struct memory *before = memory_enter(&context->memory);
        known = memory_take(sizeof *known);
        memory_enter(before);
        *known = now;
        context_keep(context, known, release);
    }
    known->shares++;
    *self = (struct catalog_answers){.db = db, .context = context, .known = known};
}
