/* merge_rows: A plan has the place and meaning of each column. Rows are taken by page, checked,
 * renumbered and written; a file with a log, or with other tables, is read by statements. */
#include "sql/merge_rows.h"

#include "sql/pages/row_pages.h"
#include "src/base/hash.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Columns of event that gpu_event repeats. */
static const char *const common[] = {"category_id", "name_id", "track_id",    "ts_ns",
                                     "dur_ns",      "args_id", "correlation", "uid"};
enum { COMMON = sizeof common / sizeof *common, CATEGORY = 0 };

/* ------------------------------------------------------------------ plans */

static int place_in_common(const char *name)
{
    int place = 0;
    while (place < COMMON && strcmp(common[place], name) != 0)
        place++;
    return place < COMMON ? place : -1;
}

static enum merge_meaning meaning_of(char letter)
{
    static const char letters[] = {[MERGE_VALUE] = '=',
                                   [MERGE_KEY] = 'k',
                                   [MERGE_TRACE] = 't',
                                   [MERGE_EVENT] = 'e',
                                   [MERGE_EVENT_ID] = '+',
                                   [MERGE_ROW] = 'r',
                                   '\0'};
    const char *place = strchr(letters, letter);
    assert(place);
    return (enum merge_meaning)(place - letters);
}

/* "PLACE LETTER NOT_NULL PARENT NAME" */
static void add_column(struct merge_plan *self, char *words)
{
    char *rest = NULL, *place_word = strtok_r(words, " ", &rest);
    const char *letter = strtok_r(NULL, " ", &rest), *not_null = strtok_r(NULL, " ", &rest);
    const char *parent = strtok_r(NULL, " ", &rest), *name = strtok_r(NULL, " ", &rest);
    assert(place_word && letter && not_null && parent && name);
    size_t place = (size_t)atoi(place_word);
    assert(place < ROW_COLUMNS_MAX && (place == 0) == (*letter == 'k'));
    self->columns[place] = (struct merge_column){.name = name,
                                                 .parent = parent,
                                                 .meaning = meaning_of(*letter),
                                                 .may_be_null = *not_null == '0',
                                                 .common = place_in_common(name)};
    self->count = place >= self->count ? place + 1 : self->count;
    self->names[place] = name;
    if (strcmp(self->table, "event") == 0) {
        self->up = strcmp(name, "up") == 0 ? place : self->up;
        self->below = strcmp(name, "below") == 0 ? place : self->below;
        self->duration = strcmp(name, "dur_ns") == 0 ? place : self->duration;
    }
    if (strcmp(name, common[CATEGORY]) == 0)
        self->category = place;
}

static bool make_question(struct merge_plan *self)
{
    struct text sql = {0};
    bool done = text_add_string(&sql, "SELECT");
    for (size_t i = 0; i < self->count && done; i++)
        done = text_format(&sql, "%s \"%s\"", i ? "," : "", self->names[i]);
    const char *key = self->names[0];
    done = done && text_format(&sql,
                               " FROM source.\"%s\" NOT INDEXED WHERE \"%s\" BETWEEN ?1 AND ?2 "
                               "ORDER BY \"%s\"",
                               self->table, key, key);
    self->question = sql.items;
    return done;
}

struct merge_plan *merge_plan_new(const char *table, const char *words)
{
    struct merge_plan *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->table = strdup(table);
    self->words = strdup(words);
    if (!self->table || !self->words) {
        merge_plan_free(self);
        return NULL;
    }
    char *rest = NULL, *line = strtok_r(self->words, ",", &rest);
    for (; line; line = strtok_r(NULL, ",", &rest))
        add_column(self, line);
    if (make_question(self))
        return self;
    merge_plan_free(self);
    return NULL;
}

void merge_plan_free(struct merge_plan *self)
{
    if (!self)
        return;
    free(self->table), free(self->words), free(self->question);
    free(self);
}

/* ------------------------------------------------------------------ a trace */

struct open_event {
    int64_t id, last;
};

struct copying {
    const struct merge_plan *plan;
    struct merge_source *source;
    struct merge_map *maps[ROW_COLUMNS_MAX]; /* by column; NULL = it needs none */
    const struct merge_span *span;
    struct row_image image;
    struct merge_balance *balance;
    bool is_work;                  /* the table is gpu_event */
    int64_t previous;              /* id there, where it is stepped through */
    ARRAY(struct open_event) open; /* events around the one that comes */
    int64_t rows;
    struct error *error;
    struct row_value values[ROW_COLUMNS_MAX];
};

static bool damaged(struct copying *self, const char *words)
{
    return merge_source_damaged(self->source, words, self->error);
}

static bool wrong(struct copying *self, const struct merge_column *column, const char *words)
{
    char all[256];
    snprintf(all, sizeof all, "%s.%s %s", self->plan->table, column->name, words);
    return damaged(self, all);
}

static bool refers_to_nothing(struct copying *self, const char *table)
{
    char words[256];
    snprintf(words, sizeof words, "something refers to a row of %s that is not there", table);
    return damaged(self, words);
}

/* The number here of a row there. */
static bool take_number(struct copying *self, size_t place, int64_t *number)
{
    const struct merge_column *column = &self->plan->columns[place];
    const struct merge_span *span = self->span;
    const struct merge_entry *entry;
    switch (column->meaning) {
    case MERGE_TRACE:
        *number = span->here;
        return true;
    case MERGE_EVENT:
        if (*number < span->first || *number > span->last)
            return refers_to_nothing(self, "event");
        *number += span->first_here - span->first;
        return true;
    case MERGE_EVENT_ID:
        return (!__builtin_add_overflow(*number, span->first_here - span->first, number) &&
                *number != ROW_NULL) ||
               wrong(self, column, "is no number of an event");
    case MERGE_ROW:
        if (!(entry = merge_map_find(self->maps[place], *number)))
            return refers_to_nothing(self, column->parent);
        *number = entry->here == MERGE_AWAY ? ROW_NULL : entry->here + (*number - entry->first);
        return *number != ROW_NULL || column->may_be_null ||
               refers_to_nothing(self, column->parent);
    default:
        return *number != ROW_NULL || wrong(self, column, "is too small");
    }
}

static bool take_value(struct copying *self, size_t place, const struct scan_number *value)
{
    const struct merge_column *column = &self->plan->columns[place];
    int64_t *number = &self->values[place].number;
    switch (value->type) {
    case SCAN_INTEGER:
        *number = value->number;
        return take_number(self, place, number);
    case SCAN_NULL:
        *number = ROW_NULL;
        return column->may_be_null || wrong(self, column, "is nothing");
    default:
        return wrong(self, column, "is no integer");
    }
}

/* The event must be below the innermost one that is still open, and end in it. */
static bool check_event(struct copying *self, int64_t id)
{
    int64_t up = self->values[self->plan->up].number,
            below = self->values[self->plan->below].number;
    const struct merge_span *span = self->span;
    if (id != span->first + self->rows)
        return damaged(self, "traces have not the events that they say");
    if (below < 0 || below > span->last - id ||
        (up != ROW_NULL && (up < 1 || up > id - span->first)))
        return damaged(self, "an event belongs to another trace");
    while (self->open.count && self->open.items[self->open.count - 1].last < id)
        self->open.count--;
    const struct open_event *above =
        self->open.count ? &self->open.items[self->open.count - 1] : NULL;
    if (up != (above ? id - above->id : ROW_NULL) || (above && id + below > above->last))
        return damaged(self, "events do not nest as they say");
    if (self->values[self->plan->duration].number < 0)
        return damaged(self, "an event ends before it starts");
    return !below || array_add(&self->open, (struct open_event){id, id + below}) ||
           error_memory(self->error);
}

static bool is_accelerator(const struct copying *self, int64_t category)
{
    size_t i = 0;
    while (i < self->balance->categories.count && self->balance->categories.items[i] != category)
        i++;
    return i < self->balance->categories.count;
}

/* `sign` is 1 for an event and -1 for its row of gpu_event. */
static void weigh(struct copying *self, int64_t id, int sign)
{
    int64_t said[COMMON + 1] = {[COMMON] = id};
    for (size_t i = 0; i < self->plan->count; i++)
        if (self->plan->columns[i].common >= 0)
            said[self->plan->columns[i].common] = self->values[i].number;
    uint64_t hash = hash64(said, sizeof said, 0);
    self->balance->rows += sign;
    self->balance->sum += sign > 0 ? hash : -hash;
}

static bool take_row(void *taker, int64_t id, const struct scan_number *from)
{
    struct copying *self = taker;
    const struct merge_plan *plan = self->plan;
    bool done = true;
    for (size_t i = 1; i < plan->count && done; i++)
        done = take_value(self, i, &from[i]);
    if (!done || (plan->below && !check_event(self, id)))
        return false;
    self->rows++;
    id += self->span->first_here - self->span->first;
    if (!plan->below && self->is_work)
        weigh(self, id, -1);
    else if (plan->below && is_accelerator(self, self->values[plan->category].number))
        weigh(self, id, 1);
    return row_image_add(&self->image, id, self->values + 1);
}

static bool find_maps(struct copying *self, struct merge_maps *maps)
{
    bool done = true;
    for (size_t i = 0; i < self->plan->count && done; i++) {
        const struct merge_column *column = &self->plan->columns[i];
        if (column->meaning == MERGE_ROW)
            done = (self->maps[i] = merge_maps_open(maps, self->source->warehouse->db,
                                                    column->parent, self->error)) != NULL;
    }
    return done;
}

static enum scan_type kind_of(int type)
{
    return type == SQLITE_INTEGER ? SCAN_INTEGER : type == SQLITE_NULL ? SCAN_NULL : SCAN_BLOB;
}

/* Pages do not suffice for a file with a log, or a table that was made in other words. */
static bool copy_by_steps(struct copying *self)
{
    sqlite3_stmt *rows = merge_source_prepare(self->source, self->plan->question, self->error);
    struct scan_number values[ROW_COLUMNS_MAX];
    bool done = rows != NULL;
    int result = SQLITE_ERROR;
    if (done) {
        sqlite3_bind_int64(rows, 1, self->span->first);
        sqlite3_bind_int64(rows, 2, self->span->last);
    }
    while (done && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int i = 0; i < (int)self->plan->count; i++)
            values[i] = (struct scan_number){sqlite3_column_int64(rows, i),
                                             kind_of(sqlite3_column_type(rows, i))};
        bool is_next = values[0].number > self->previous;
        self->previous = values[0].number;
        done = (is_next || damaged(self, "rows stand in no order")) &&
               take_row(self, values[0].number, values);
    }
    done = done && (result == SQLITE_DONE || merge_source_failed(self->source, self->error));
    if (rows)
        merge_source_done(rows);
    return done;
}

static bool copy(struct copying *self)
{
    int64_t root = merge_source_root(self->source, self->plan->table);
    if (!root)
        return copy_by_steps(self);
    switch (row_pages_each(self->source->warehouse->db, "source", root, self->plan->count,
                           &self->span->first, self->span->last, take_row, self)) {
    case SCAN_END:
        return true;
    case SCAN_STOPPED:
        return false;
    case SCAN_NO_MEMORY:
        return error_memory(self->error);
    case SCAN_UNREADABLE:
        return merge_source_unreadable(self->source, "disk I/O error", self->error);
    case SCAN_NO_FILE:
        return copy_by_steps(self);
    default:
        return damaged(self, "the pages of a table are none");
    }
}

bool merge_rows_copy(const struct merge_plan *self, struct merge_source *source,
                     struct merge_maps *maps, const struct merge_span *span,
                     struct merge_balance *balance, int64_t *rows, struct error *error)
{
    struct copying copying = {.plan = self,
                              .source = source,
                              .span = span,
                              .balance = balance,
                              .previous = span->first - 1,
                              .is_work = strcmp(self->table, "gpu_event") == 0,
                              .error = error};
    row_image_open(&copying.image, source->warehouse, self->table, self->names, error);
    bool done = find_maps(&copying, maps) && copy(&copying) && row_image_finish(&copying.image);
    done = row_image_close(&copying.image) && done;
    array_free(&copying.open);
    *rows += copying.rows;
    return done;
}
