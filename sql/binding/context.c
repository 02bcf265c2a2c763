/* context: Selected ranges are found by trace and id. Changes while a selection is aside are
 * counted apart from all others. An entry of the statements that are kept is told of by whoever has
 * its statement, and is empty when that fails. */
#include "sql/binding/context.h"

#include "sql/binding/options.h"
#include "sql/database.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

static void release_lost(void *context)
{
    context_release(context);
}

struct context *context_new(void)
{
    struct memory *before = memory_enter(NULL); /* it ends with its last share */
    struct context *self = memory_zeroed(1, sizeof *self);
    memory_enter(before);
    self->shares = 1;
    memory_at_end(release_lost, self);
    return self;
}

struct context *context_retain(struct context *self)
{
    self->shares++;
    return self;
}

void context_select_none(struct context *self)
{
    for (size_t i = 0; i < self->selection.count; i++)
        memory_free(self->selection.items[i].run);
    self->selection.count = self->times.count = self->around.count = 0;
    self->is_selected = true;
    self->changes++;
}

bool context_is_place(const char *table, const char *column)
{
    return (strcasecmp(table, "trace") == 0 && strcasecmp(column, "path") == 0) ||
           (strcasecmp(table, "replay_result") == 0 && strcasecmp(column, "output_path") == 0);
}

void context_select_all(struct context *self)
{
    context_select_none(self);
    self->is_selected = false;
}

void context_end(struct context *self)
{
    memory_forget(self);
    context_release(self);
}

void context_release(struct context *self)
{
    if (!self || --self->shares > 0)
        return;
    struct memory *before = memory_enter(&self->memory);
    for (size_t i = 0; i < CONTEXT_KEPT_MAX; i++)
        if (self->kept[i].thing)
            self->kept[i].release(self->kept[i].thing);
    memory_enter(before);
    memory_end(&self->memory);
    memory_free(self);
}

/* The place of what this function releases, or the first free one. */
static size_t place_of(const struct context *self, void (*release)(void *))
{
    size_t place = 0;
    while (place < CONTEXT_KEPT_MAX && self->kept[place].release &&
           self->kept[place].release != release)
        place++;
    assert(place < CONTEXT_KEPT_MAX);
    return place;
}

void *context_kept(const struct context *self, void (*release)(void *))
{
    return self->kept[place_of(self, release)].thing;
}

void context_keep(struct context *self, void *thing, void (*release)(void *))
{
    struct context_thing *kept = &self->kept[place_of(self, release)];
    if (kept->thing)
        release(kept->thing);
    *kept = (struct context_thing){thing, release};
}

void context_select(struct context *self, const char *run, int64_t trace_id, int64_t first_event,
                    int64_t last_event, int is_recompute)
{
    struct memory *before = memory_enter(&self->memory);
    char *copy = memory_text(run);
    array_add(&self->selection,
              (struct selected){copy, trace_id, first_event, last_event, is_recompute});
    memory_enter(before);
    self->changes++;
}

void context_select_time(struct context *self, int64_t trace_id, int64_t first_ns, int64_t last_ns)
{
    struct memory *before = memory_enter(&self->memory);
    array_add(&self->times, (struct selected_time){trace_id, first_ns, last_ns});
    memory_enter(before);
    self->changes++;
}

/* The first row of the selection that is of a trace and ends at or behind an id, or is of a later
 * trace. */
static size_t find_selected(const struct context *self, int64_t trace_id, int64_t id)
{
    const struct selected *rows = self->selection.items;
    size_t place;
    ARRAY_LOWER_BOUND(place, self->selection.count,
                      rows[place].trace_id < trace_id ||
                          (rows[place].trace_id == trace_id && rows[place].last_event < id));
    return place;
}

void context_select_around(struct context *self, int64_t trace_id, int64_t first_event,
                           int64_t last_event, int is_recompute)
{
    size_t place = find_selected(self, trace_id, INT64_MIN);
    if (place == self->selection.count || self->selection.items[place].trace_id != trace_id)
        return;
    struct memory *before = memory_enter(&self->memory);
    array_add(&self->around, /* the text is that of the selection */
              (struct selected){self->selection.items[place].run, trace_id, first_event, last_event,
                                is_recompute});
    memory_enter(before);
}

const struct selected_time *context_windows(const struct context *self, int64_t trace_id,
                                            size_t *count)
{
    size_t first, last;
    ARRAY_LOWER_BOUND(first, self->times.count, self->times.items[first].trace_id < trace_id);
    ARRAY_LOWER_BOUND(last, self->times.count, self->times.items[last].trace_id <= trace_id);
    *count = last - first;
    return *count ? &self->times.items[first] : NULL;
}

bool context_has(const struct context *self, int64_t trace_id, int64_t id)
{
    size_t place = find_selected(self, trace_id, id);
    return place < self->selection.count && self->selection.items[place].trace_id == trace_id &&
           self->selection.items[place].first_event <= id;
}

/* Changes while a selection is aside are counted apart from all others. */
enum { ASIDE = 1u << 30 };

static void take_back_lost(void *aside)
{
    context_take_back(((struct context_aside *)aside)->of, aside);
}

void context_put_aside(struct context *self, struct context_aside *aside)
{
    *aside = (struct context_aside){
        .of = self, .is_selected = self->is_selected, .changes = self->changes};
    memcpy(&aside->selection, &self->selection, sizeof self->selection);
    memcpy(&aside->times, &self->times, sizeof self->times);
    memcpy(&aside->around, &self->around, sizeof self->around);
    memset(&self->selection, 0, sizeof self->selection);
    memset(&self->around, 0, sizeof self->around);
    memset(&self->times, 0, sizeof self->times);
    self->is_selected = true;
    context_begin_aside(self);
    memory_at_end(take_back_lost, aside);
}

void context_begin_aside(struct context *self)
{
    self->changes = ASIDE + ++self->asides;
}

void context_take_back(struct context *self, struct context_aside *aside)
{
    memory_forget(aside);
    context_select_none(self);
    arrays_free(&self->selection, &self->times, &self->around);
    memcpy(&self->selection, &aside->selection, sizeof self->selection);
    memcpy(&self->around, &aside->around, sizeof self->around);
    memcpy(&self->times, &aside->times, sizeof self->times);
    self->is_selected = aside->is_selected;
    self->changes = aside->changes;
}

static struct option_value *find(const struct context *self, const char *name)
{
    for (size_t i = 0; i < self->options.count; i++)
        if (view_option_same(self->options.items[i].name, name))
            return &self->options.items[i];
    return NULL;
}

void context_set(struct context *self, const char *name, const char *text)
{
    struct memory *before = memory_enter(&self->memory);
    char *copy = text ? memory_text(text) : NULL;
    struct option_value *option = find(self, name);
    if (!option) {
        char *key = memory_text(name);
        option = array_push(&self->options);
        *option = (struct option_value){key, NULL};
    }
    memory_enter(before);
    memory_free(option->text);
    option->text = copy;
    self->changes++;
}

void context_take_options(struct context *self, const struct context *from)
{
    for (size_t i = 0; i < from->options.count; i++)
        context_set(self, from->options.items[i].name, from->options.items[i].text);
}

const char *context_get(const struct context *self, const char *name)
{
    const struct option_value *option = find(self, name);
    return option && option->text ? option->text : view_option_default(name);
}

void context_add_library(struct context *self, const char *path)
{
    struct memory *before = memory_enter(&self->memory);
    array_add(&self->libraries, memory_text(path));
    memory_enter(before);
}

void bounds_set(sqlite3 *db, struct context *context, struct bounds bounds)
{
    context->bounds = bounds;
    sqlite3_set_authorizer(db, bounds.authorize, bounds.authorizer);
    sqlite3_progress_handler(db, bounds.progress ? bounds.steps : 0, bounds.progress,
                             bounds.runner);
}

/* ------------------------------------------------------------------ statements */

/* There are a dozen questions; each may be asked by several at a time. What comes on top is not
 * kept: it is prepared again each time, which is slower and nothing else. */
enum { KEPT_MAX = 32 };

struct statements {
    struct kept_statement {
        char *sql; /* what was asked for; of the statement it may be a part (database_prepare) */
        sqlite3_stmt *statement; /* NULL: it was lost with whoever had it */
        bool is_taken;
    } * each[KEPT_MAX];
    size_t count;
};

/* A duty of whoever takes a statement. */
static void lose_statement(void *entry)
{
    struct kept_statement *self = entry;
    sqlite3_finalize(self->statement);
    self->statement = NULL;
    self->is_taken = false;
}

static void free_entry(struct kept_statement *entry)
{
    memory_free(entry->sql);
    memory_free(entry);
}

/* Ends the statements that nobody has at the moment. */
static void end_idle(struct statements *self)
{
    for (size_t i = self->count; i-- > 0;)
        if (!self->each[i]->is_taken) {
            sqlite3_finalize(self->each[i]->statement);
            free_entry(self->each[i]);
            self->each[i] = self->each[--self->count];
        }
}

static void free_statements(void *pointer)
{
    struct statements *self = pointer;
    end_idle(self);
    while (self->count) /* whoever has the rest ends them */
        free_entry(self->each[--self->count]);
    memory_free(self);
}

void statements_keep(struct context *context)
{
    struct memory *before = memory_enter(&context->memory);
    struct statements *self = memory_zeroed(1, sizeof *self);
    memory_enter(before);
    context_keep(context, self, free_statements);
}

void statements_drop(struct context *context)
{
    if (context_kept(context, free_statements))
        context_keep(context, NULL, free_statements);
}

void statements_forget(struct context *context)
{
    struct statements *self = context_kept(context, free_statements);
    if (self)
        end_idle(self);
}

int statements_take(struct context *context, sqlite3 *db, const char *sql, sqlite3_stmt **statement)
{
    struct statements *self = context ? context_kept(context, free_statements) : NULL;
    for (size_t i = 0; self && i < self->count; i++) {
        struct kept_statement *kept = self->each[i];
        if (!kept->is_taken && kept->statement && sqlite3_db_handle(kept->statement) == db &&
            strcmp(kept->sql, sql) == 0) {
            kept->is_taken = true;
            *statement = kept->statement;
            memory_at_end(lose_statement, kept);
            return SQLITE_OK;
        }
    }
    int result = database_prepare(db, sql, statement, NULL);
    if (result == SQLITE_OK && self && self->count < KEPT_MAX) {
        struct memory *before = memory_enter(&context->memory);
        struct kept_statement *kept = memory_take(sizeof *kept);
        *kept = (struct kept_statement){memory_text(sql), *statement, true};
        memory_enter(before);
        self->each[self->count++] = kept;
        memory_forget(*statement);
        memory_at_end(lose_statement, kept);
    }
    return result;
}

void statements_leave(struct context *context, sqlite3_stmt *statement)
{
    struct statements *self = context ? context_kept(context, free_statements) : NULL;
    for (size_t i = 0; statement && self && i < self->count; i++)
        if (self->each[i]->statement == statement) {
            sqlite3_reset(statement);
            sqlite3_clear_bindings(statement);
            self->each[i]->is_taken = false;
            memory_forget(self->each[i]);
            return;
        }
    database_finalize(statement);
}
