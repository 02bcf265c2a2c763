/* provider: see provider.h. A new view in TEMP ends the statements that run (SQLITE_ABORT): while
 * there is one, a view goes to main. */
#include "sql/provider.h"

#include "sql/database.h"
#include "sql/views.h"
#include "src/base/array.h"
#include "src/base/text.h"

#include <ctype.h>
#include <string.h>

static const char create_view[] = "CREATE VIEW ";

/* A view that is there: of a user, or given before. */
struct present {
    char *name, *sql;
    bool is_in_main;
    bool is_given; /* now, in front of itself */
};

struct provider {
    sqlite3 *db;
    const char *place; /* where views are made */
    ARRAY(struct present) present;
    bool *is_found;               /* of our views: each is given once */
    bool asks_rules, asks_checks; /* something runs what rows of the catalog measure */
};

/* ------------------------------------------------------------------ what is there */

bool provider_may_have_given(const char *name, const char *sql)
{
    const struct sql_view *view = views_find(view_of(name));
    return view && strlen(sql) == strlen(create_view) + view->length;
}

/* The views of a file are not given: they stay. */
static bool is_given(sqlite3 *db, const struct present *view)
{
    const char *file = sqlite3_db_filename(db, "main");
    return provider_may_have_given(view->name, view->sql) && !(view->is_in_main && file && *file);
}

/* Whether a statement runs, beside the one that asks. */
static bool is_busy(sqlite3 *db)
{
    int count = 0;
    for (sqlite3_stmt *at = NULL; (at = sqlite3_next_stmt(db, at));)
        count += sqlite3_stmt_busy(at) != 0;
    return count > 1;
}

static int read_present(struct provider *self)
{
    sqlite3_stmt *rows = NULL;
    int result = sqlite3_prepare_v2(
        self->db,
        "SELECT name, sql, 0 FROM temp.sqlite_schema WHERE type = 'view' UNION ALL "
        "SELECT name, sql, 1 FROM main.sqlite_schema WHERE type = 'view'",
        -1, &rows, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        struct present *view = array_push(&self->present);
        const char *name = database_text(rows, 0), *sql = database_text(rows, 1);
        if (view)
            *view = (struct present){name ? strdup(name) : NULL, sql ? strdup(sql) : NULL,
                                     sqlite3_column_int(rows, 2) != 0, false};
        result = view && view->name && view->sql ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_finalize(rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* What stands in main does not see what is in TEMP. */
static struct present *find_present(struct provider *self, struct view name)
{
    bool is_for_main = strcmp(self->place, "main") == 0;
    for (size_t i = 0; i < self->present.count; i++)
        if ((self->present.items[i].is_in_main || !is_for_main) &&
            view_equal_ignoring_case(view_of(self->present.items[i].name), name))
            return &self->present.items[i];
    return NULL;
}

/* ------------------------------------------------------------------ giving */

/* The text may be a file's. It begins as CREATE VIEW here, and a second statement in it is refused.
 */
static int make(struct provider *self, const char *text, size_t length)
{
    struct text sql = {0};
    sqlite3_stmt *create = NULL;
    const char *rest = "";
    int result = SQLITE_NOMEM;
    if (text_format(&sql, "CREATE VIEW IF NOT EXISTS %s.", self->place) &&
        text_add(&sql, text, length))
        result = sqlite3_prepare_v2(self->db, sql.items, -1, &create, &rest);
    if (result == SQLITE_OK)
        result = *rest ? SQLITE_CORRUPT : sqlite3_step(create);
    sqlite3_finalize(create);
    text_free(&sql);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* One of ours, and what it stands on. */
static int give_ours(struct provider *self, const struct sql_view *view)
{
    size_t place = (size_t)(view - sql_views);
    if (self->is_found[place])
        return SQLITE_OK;
    self->is_found[place] = true;
    self->asks_rules |= strcmp(view->name, "advice_verdict") == 0;
    self->asks_checks |= strcmp(view->name, "health_verdict") == 0;
    const struct present *present = find_present(self, view_of(view->name));
    int result =
        present && is_given(self->db, present) ? SQLITE_OK : make(self, view->text, view->length);
    for (const short *need = view->needs; *need >= 0 && result == SQLITE_OK; need++)
        result = give_ours(self, &sql_views[*need]);
    return result;
}

static bool is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* The next word at `*at`, and takes it off; empty: none. Words in comments and texts are no harm.
 */
static struct view take_word(const char **at)
{
    while (**at && !is_word_byte(**at))
        ++*at;
    const char *word = *at;
    while (is_word_byte(**at))
        ++*at;
    return (struct view){word, (size_t)(*at - word)};
}

/* All views that a statement names. Those of users stand on ours only from TEMP, too. */
static int give_named(struct provider *self, const char *sql)
{
    int result = SQLITE_OK;
    for (struct view word; result == SQLITE_OK && (word = take_word(&sql)).length;) {
        const struct sql_view *ours = views_find(word);
        struct present *users = ours ? NULL : find_present(self, word);
        if (ours)
            result = give_ours(self, ours);
        else if (users && !users->is_given && text_starts_with(users->sql, create_view)) {
            users->is_given = true;
            const char *text = users->sql + strlen(create_view);
            result = make(self, text, strlen(text));
            if (result == SQLITE_OK)
                result = give_named(self, text);
        }
    }
    return result;
}

/* What rules of advice ask, or checks: `question` has it all. */
static int give_to_measures(struct provider *self, const char *question)
{
    sqlite3_stmt *rows = NULL;
    struct text measures = {0};
    int result = sqlite3_prepare_v2(self->db, question, -1, &rows, NULL);
    if (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *text = database_text(rows, 0);
        result = text && text_add_string(&measures, text) ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_finalize(rows);
    if (result == SQLITE_OK && measures.count)
        result = give_named(self, measures.items);
    text_free(&measures);
    return result;
}

static int give(struct provider *self, const char *sql)
{
    int result = give_named(self, sql);
    if (result == SQLITE_OK && self->asks_rules)
        result = give_to_measures(self, "SELECT group_concat(measure, ' ') FROM advice_rule");
    if (result == SQLITE_OK && self->asks_checks)
        result = give_to_measures(self, "SELECT group_concat(measure, ' ') FROM health_check");
    return result;
}

/* _tpq_provide(SQL): gives the views that a statement needs; NULL needs none. */
static SQL_FUNCTION(provide)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    struct provider self = {.db = sqlite3_context_db_handle(context)};
    const char *sql = (const char *)sqlite3_value_text(arguments[0]);
    self.place = is_busy(self.db) ? "main" : "temp";
    self.is_found = calloc((size_t)sql_view_count, sizeof *self.is_found);
    int result = sql && self.is_found ? read_present(&self) : SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = give(&self, sql);
    if (result != SQLITE_OK)
        sqlite3_result_error_code(context, result);
    for (size_t i = 0; i < self.present.count; i++) {
        free(self.present.items[i].name);
        free(self.present.items[i].sql);
    }
    array_free(&self.present);
    free(self.is_found);
}

int provider_bind(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, DATABASE_PROVIDER, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                      NULL, provide, NULL, NULL, NULL);
}

/* ------------------------------------------------------------------ taking back */

bool provider_forget(sqlite3 *db, bool only_here, struct error *error)
{
    struct provider self = {.db = db};
    struct text sql = {0};
    int result = read_present(&self);
    for (size_t i = 0; i < self.present.count && result == SQLITE_OK; i++)
        if (is_given(db, &self.present.items[i]) &&
            !(only_here && self.present.items[i].is_in_main) &&
            !text_format(&sql, "DROP VIEW %s.%s;",
                         self.present.items[i].is_in_main ? "main" : "temp",
                         self.present.items[i].name))
            result = SQLITE_NOMEM;
    if (result == SQLITE_OK && sql.count)
        result = sqlite3_exec(db, sql.items, NULL, NULL, NULL);
    for (size_t i = 0; i < self.present.count; i++) {
        free(self.present.items[i].name);
        free(self.present.items[i].sql);
    }
    array_free(&self.present);
    text_free(&sql);
    if (result == SQLITE_NOMEM) /* ours, of which SQLite knows nothing */
        return error_memory(error);
    return result == SQLITE_OK || database_error(db, "views", error);
}
