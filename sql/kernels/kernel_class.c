/* kernel_class: what the name of GPU activities tells.
 *
 *     kernel_class(purpose, category_id, name_id)     category by the rules of kernel_category
 *     kernel_classes(purpose, kernels)                those of the kernels of a launcher
 *
 *     SELECT kernel_class('timeline', category_id, name_id) FROM gpu_event     -> computation, ...
 *
 * The first rule of that purpose, or without the option compat of the same with "fixed" behind it,
 * by priority, decides whose kind is NULL or the event's and whose pattern the name matches. Each
 * pair is looked up once while warehouse and options stay as they are. NULL: when no rule fits,
 * there is no such name, or the purpose is NULL.
 */
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/kernels/kernel_details.h"
#include "src/base/map.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <stdlib.h>
#include <string.h>

/* The state that answers hold for. */
struct found_in {
    struct database_state state;
    bool compat;
    bool may_go_back; /* then they hold for the statement */
};

/* Answers for a purpose; statements share them while the warehouse and the options are the same. */
struct answers {
    int shares;
    char *purpose;
    struct found_in place;
    struct map known;    /* (category, name) -> place in `texts` + 1 */
    ARRAY(char *) texts; /* each once; NULL = no class */
};

/* The answers that a connection keeps: those of the purposes that were asked for last. */
struct kept_answers {
    struct answers *each[8];
    size_t next; /* to be given up */
};

/* State of a statement's lookups. */
struct classes {
    struct answers *answers;
    struct context *context;
    int64_t category, name; /* asked for last */
    uint32_t last;          /* its place + 1 */
};

static void release(struct answers *self)
{
    if (!self || --self->shares > 0)
        return;
    memory_free(self->purpose);
    map_free(&self->known);
    for (size_t i = 0; i < self->texts.count; i++)
        memory_free(self->texts.items[i]);
    array_free(&self->texts);
    memory_free(self);
}

static void free_kept_answers(void *pointer)
{
    struct kept_answers *self = pointer;
    for (size_t i = 0; i < sizeof self->each / sizeof *self->each; i++)
        release(self->each[i]);
    memory_free(self);
}

static void classes_free(void *context)
{
    struct classes *self = context;
    struct context *owner = self->context;
    struct memory *before = memory_enter(&owner->memory);
    release(self->answers);
    memory_free(self);
    memory_enter(before);
    context_release(owner);
}

/* A rule that is only for the default holds unless one for both comes before it. */
#define FITS                                                                            \
    "(rule.kind IS NULL OR rule.kind = (SELECT name FROM category WHERE id = ?2)) AND " \
    "string.text "                                                                      \
    "REGEXP rule.pattern "

static int find(struct classes *self, sqlite3 *db, sqlite3_value *purpose, uint32_t *place)
{
    static const char sql[] =
        "SELECT coalesce((SELECT fixed.category FROM (SELECT rule.priority, rule.category FROM "
        "kernel_category AS rule WHERE rule.purpose = (SELECT CASE WHEN NOT "
        "tpq_like_reference('timeline: kinds of work') THEN ?1 || ' fixed' END) AND " FITS
        "ORDER BY rule.priority LIMIT 1) AS fixed WHERE "
        "NOT EXISTS (SELECT 1 FROM kernel_category AS rule WHERE rule.purpose = ?1 AND "
        "rule.priority < fixed.priority AND " FITS ")), (SELECT rule.category FROM kernel_category "
        "AS rule WHERE rule.purpose = ?1 AND " FITS "ORDER BY rule.priority LIMIT 1)) "
        "FROM string WHERE id = ?3";
    uint32_t *known = map_put(&self->answers->known, self->category, self->name);
    int result = SQLITE_DONE;
    if (*known == 0) {
        sqlite3_stmt *row = NULL;
        result = statements_take(self->context, db, sql, &row);
        if (result != SQLITE_OK)
            return result;
        sqlite3_bind_value(row, 1, purpose);
        sqlite3_bind_int64(row, 2, self->category);
        sqlite3_bind_int64(row, 3, self->name);
        result = sqlite3_step(row);
        if (result == SQLITE_ROW || result == SQLITE_DONE) {
            /* Each answer is kept once. */
            struct answers *answers = self->answers;
            const char *text =
                result == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;
            size_t at = 0; /* there are few */
            while (at < answers->texts.count &&
                   (text && answers->texts.items[at] ? strcmp(text, answers->texts.items[at]) != 0
                                                     : text != answers->texts.items[at]))
                at++;
            if (at == answers->texts.count)
                array_add(&answers->texts, text ? memory_text(text) : NULL);
            *known = (uint32_t)at + 1;
        }
        statements_leave(self->context, row);
    }
    *place = *known;
    return *known ? SQLITE_OK : result;
}

/* A share of what is known for a purpose. */
static struct answers *share_answers(struct kept_answers *self, const char *purpose,
                                     struct found_in place)
{
    size_t count = sizeof self->each / sizeof *self->each, at = 0;
    while (at < count && self->each[at] && strcmp(self->each[at]->purpose, purpose) != 0)
        at++;
    if (at == count)
        at = self->next++ % count;
    struct answers *found = self->each[at];
    bool holds = found && strcmp(found->purpose, purpose) == 0 && !place.may_go_back &&
                 database_state_equal(&found->place.state, &place.state) &&
                 found->place.compat == place.compat;
    if (!holds) {
        self->each[at] = NULL;
        release(found);
        found = memory_zeroed(1, sizeof *found);
        *found = (struct answers){.shares = 1, .purpose = memory_text(purpose), .place = place};
        self->each[at] = found; /* whole: without memory nothing half made stays */
    }
    found->shares++;
    return found;
}

/* The classes of this statement; NULL, with the error set or the purpose NULL, for none. */
static struct classes *classes_for(sqlite3_context *context, sqlite3_value *purpose, bool *is_new)
{
    const char *word = (const char *)sqlite3_value_text(purpose);
    if (!word)
        return NULL;
    struct classes *held = sqlite3_get_auxdata(context, 0);
    *is_new = !held || strcmp(held->answers->purpose, word) != 0;
    if (*is_new) {
        struct context *owner = function_context(context);
        sqlite3 *db = sqlite3_context_db_handle(context);
        struct found_in place = {.state = database_state(db),
                                 .compat = context_get(owner, "compat") != NULL,
                                 .may_go_back = database_may_go_back(db)};
        struct kept_answers *known = context_kept(owner, free_kept_answers);
        if (!known)
            context_keep(owner, known = memory_zeroed(1, sizeof *known), free_kept_answers);
        struct classes *self = memory_zeroed(1, sizeof *self);
        self->context = owner;
        self->answers = share_answers(known, word, place);
        return self;
    }
    return held;
}

/* Last in a call, because SQLite may free them at once. */
static void hold(sqlite3_context *context, struct classes *self)
{
    context_retain(self->context);
    sqlite3_set_auxdata(context, 0, self, classes_free);
}

static SQL_FUNCTION(class_of)
{
    bool is_new;
    memory_enter(&function_context(context)->memory);
    struct classes *self = classes_for(context, arguments[0], &is_new);
    if (!self)
        return;
    int64_t category = sqlite3_value_int64(arguments[1]), name = sqlite3_value_int64(arguments[2]);
    int result = SQLITE_OK;
    if (!self->last || category != self->category || name != self->name) {
        self->category = category;
        self->name = name;
        self->last = 0;
        result = find(self, sqlite3_context_db_handle(context), arguments[0], &self->last);
    }
    if (result != SQLITE_OK)
        function_fail(context, result);
    else if (self->answers->texts.items[self->last - 1])
        sqlite3_result_text(context, self->answers->texts.items[self->last - 1], -1,
                            SQLITE_TRANSIENT);
    if (is_new)
        hold(context, self);
}

ORDER_BY(compare_words, char *, BY(strcmp(*a, *b)));

/* The classes that occur, sorted, with commas between them. */
static void list_classes(const struct classes *self, const bool *occurs, struct text *out)
{
    const char **words = memory_zeroed(self->answers->texts.count + 1, sizeof *words);
    size_t count = 0;
    for (size_t i = 0; i < self->answers->texts.count; i++)
        if (occurs[i] && self->answers->texts.items[i])
            words[count++] = self->answers->texts.items[i];
    text_add(out, "", 0);
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%s", i ? ", " : "", words[i]);
    memory_free(words);
}

static SQL_FUNCTION(classes_of)
{
    bool is_new;
    memory_enter(&function_context(context)->memory);
    if (sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    size_t bytes = (size_t)sqlite3_value_bytes(arguments[1]);
    const struct listed_kernel *kernels = sqlite3_value_blob(arguments[1]);
    if (sqlite3_value_type(arguments[1]) != SQLITE_BLOB || bytes % sizeof *kernels) {
        sqlite3_result_error(context, "kernels come from launcher_work", -1);
        return;
    }
    struct classes *self = classes_for(context, arguments[0], &is_new);
    if (!self)
        return;
    size_t kernel_count = bytes / sizeof *kernels;
    bool *occurs = memory_zeroed(self->answers->texts.count + kernel_count + 1, sizeof *occurs);
    struct text out = {0};

    /* Finds the class of each kernel and marks it as one that occurs. */
    sqlite3 *db = sqlite3_context_db_handle(context);
    int result = SQLITE_OK;
    for (size_t i = 0; i < kernel_count && result == SQLITE_OK; i++) {
        struct listed_kernel kernel; /* a blob may lie anywhere */
        memcpy(&kernel, kernels + i, sizeof kernel);
        uint32_t place = 0;
        self->category = 0;
        self->name = kernel.name;
        result = find(self, db, arguments[0], &place);
        if (result == SQLITE_OK)
            occurs[place - 1] = true;
    }
    if (result == SQLITE_OK)
        list_classes(self, occurs, &out);
    self->last = 0;
    if (result == SQLITE_OK)
        sqlite3_result_text64(context, out.items, out.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        function_fail(context, result);
    memory_free(occurs);
    text_free(&out);
    if (is_new)
        hold(context, self);
}

const struct function class_functions[] = {
    SCALAR("kernel_class", "purpose, category_id, name_id", 3, SQLITE_INNOCUOUS, class_of,
           "Category of GPU activities by its name, after the rules of kernel_category for "
           "that purpose. NULL when no rule fits or there is no such name."),
    SCALAR("kernel_classes", "purpose, kernels", 2, SQLITE_INNOCUOUS, classes_of,
           "Categories of the kernels of a launcher (launcher_work.kernels) by their names, "
           "after the rules of kernel_category for that purpose that are for every kind of "
           "event: each once, sorted, with commas between them. NULL when an argument is."),
    {0},
};
