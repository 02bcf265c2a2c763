/* provider: see provider.h. A new view in TEMP ends the statements that run (SQLITE_ABORT): one
 * that is prepared while there is one gets the views that are missing in front of it, behind WITH.
 */
#include "sql/warehouse/provider.h"

#include "sql/asked.h"
#include "sql/statement.h"
#include "sql/warehouse/schema.h"
#include "src/base/array.h"

#include <string.h>
#include <strings.h>

static const char create_view[] = "CREATE VIEW ";

/* A view or table of this connection, or a view of the file that is none of ours. */
struct present {
    char *name, *sql;
    bool is_here;  /* of this connection */
    bool is_given; /* all that it stands on */
};

struct provider {
    sqlite3 *db;
    bool is_busy; /* a statement runs */
    ARRAY(struct present) present;
    bool *is_found;               /* of our views: each is given once */
    bool asks_rules, asks_checks; /* something runs what rows of the catalog measure */
    struct text with;             /* views of a statement that is prepared while another runs */
    bool is_for_queries;          /* when nobody gives (database_answer_only) */
};

/* ------------------------------------------------------------------ what is there */

/* True if a row of sqlite_schema is one of ours as it is given. */
static bool may_have_given(const char *name, const char *sql)
{
    const struct sql_view *view = views_find(view_of(name));
    return view && text_starts_with(sql, create_view) &&
           view_equal(view_of(sql + strlen(create_view)), (struct view){view->text, view->length});
}

/* True if a statement runs, beside the one that asks. */
static bool is_busy(sqlite3 *db)
{
    int count = 0;
    for (sqlite3_stmt *at = NULL; (at = sqlite3_next_stmt(db, at));)
        count += sqlite3_stmt_busy(at) != 0;
    return count > 1;
}

static struct present *find_present(struct provider *self, struct view name)
{
    for (size_t i = 0; i < self->present.count; i++)
        if (view_equal_ignoring_case(view_of(self->present.items[i].name), name))
            return &self->present.items[i];
    return NULL;
}

/* ------------------------------------------------------------------ giving */

/* The text may be a file's: it begins as CREATE VIEW here, and is one statement. */
static int make(struct provider *self, const char *text, size_t length)
{
    int64_t ignored;
    char *sql = database_format("CREATE VIEW IF NOT EXISTS temp.%.*s", (int)length, text);
    int result = database_ask(self->db, sql, 0, &ignored);
    memory_free(sql);
    return result;
}

/* Adds a view to what stands behind WITH. */
static void add_with(struct text *with, const struct sql_view *view)
{
    size_t head = strlen(view->name) + strlen(" AS\n");
    text_format(with, "%s%s AS NOT MATERIALIZED (\n%.*s\n)", with->count ? ", " : "", view->name,
                (int)(view->length - head), view->text + head);
}

static int give_named(struct provider *self, const char *sql);

/* A view that the user made in front of one of ours, which it is not for others of ours. */
static struct present *find_users(struct provider *self, const struct sql_view *view)
{
    struct present *present = find_present(self, view_of(view->name));
    bool is_users = present && present->is_here && text_starts_with(present->sql, create_view) &&
                    !may_have_given(present->name, present->sql) &&
                    !strstr(present->sql, SHARED_VIEW);
    return is_users ? present : NULL;
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
    const struct present *users = find_users(self, view);
    int result = SQLITE_OK;
    if (users)
        result = give_named(self, users->sql);
    else if (!find_present(self, view_of(view->name)) && !self->is_busy) {
        /* Makes one of ours; where the user has views by names that it asks for, it brings ours
         * itself. */
        struct text list = {0}, text = {0}, whole = {0};
        for (const short *need = view->needs; *need >= 0; need++)
            if (find_users(self, &sql_views[*need]))
                add_with(&list, &sql_views[*need]);
        text_add(&text, view->text, view->length);
        if (list.count)
            database_put_with(text.items, list.items, &whole);
        else
            text_add_text(&whole, &text);
        result = make(self, whole.items, whole.count);
        text_free(&list);
        text_free(&text);
        text_free(&whole);
    } else if (!find_present(self, view_of(view->name)))
        add_with(&self->with, view);
    for (const short *need = view->needs; *need >= 0 && result == SQLITE_OK; need++)
        result = give_ours(self, &sql_views[*need]);
    return result;
}

/* The next word or quoted name at `*at`, and takes it off; empty: none. Words in comments and texts
 * are no harm. */
static struct view take_word(const char **at)
{
    while (**at && !statement_is_word_byte(**at) && !strchr("\"`[", **at))
        ++*at;
    const char *word = *at;
    while (statement_is_word_byte(**at))
        ++*at;
    const char *end = *at == word && **at ? statement_quoted_end(word) : NULL;
    if (*at == word && **at)
        *at = end ? end : word + 1;
    return end ? (struct view){word + 1, (size_t)(end - word) - 2}
               : (struct view){word, (size_t)(*at - word)};
}

/* True if a name is one that the statement itself makes behind WITH, or a function's. */
static bool is_of_statement(const char *behind)
{
    struct view word = take_word(&(const char *){behind});
    const char *at = behind + strspn(behind, " \n");
    if (word.bytes == at && view_equal_ignoring_case(word, VIEW("AS")))
        at += word.length + strspn(at + word.length, " \n");
    return *at == '(';
}

/* All views that a statement names. Those of users stand on ours only from TEMP, too. */
static int give_named(struct provider *self, const char *sql)
{
    int result = SQLITE_OK;
    for (struct view word; result == SQLITE_OK && (word = take_word(&sql)).length;) {
        const struct sql_view *ours = views_find(word);
        struct present *users = ours ? NULL : find_present(self, word);
        if (ours && !is_of_statement(sql))
            result = give_ours(self, ours);
        if (!users || users->is_given || !text_starts_with(users->sql, create_view))
            continue;
        users->is_given = true;
        const char *text = users->sql + strlen(create_view);
        if (!users->is_here && !self->is_busy)
            result = make(self, text, strlen(text));
        if (result == SQLITE_OK)
            result = give_named(self, text);
    }
    return result;
}

/* Gives the views that the one row of a question names: rules of advice, checks, or a file. */
static int give_named_by(struct provider *self, const char *question)
{
    sqlite3_stmt *row = NULL;
    const char *text;
    int result = database_find_text(self->db, &row, question, 0, &text);
    char *words = text ? memory_text(text) : NULL;
    database_finalize(row);
    if (result == SQLITE_OK)
        result = give_named(self, words);
    memory_free(words);
    return result;
}

static int give_to_statement(struct provider *self, const char *sql)
{
    int result = give_named(self, sql);
    if (result == SQLITE_OK && self->asks_rules && !self->is_busy)
        result = give_named_by(self, "SELECT group_concat(measure, ' ') FROM advice_rule");
    if (result == SQLITE_OK && self->asks_checks && !self->is_busy)
        result = give_named_by(self, "SELECT group_concat(measure, ' ') FROM health_check");
    return result;
}

/* ------------------------------------------------------------------ a provider */

static void answer_only_again(void *db)
{
    database_answer_only(db, true);
}

static int begin(struct provider *self, sqlite3 *db)
{
    *self = (struct provider){.db = db, .is_busy = is_busy(db)};
    if (!self->is_busy) /* the change would end what runs */
        self->is_for_queries = database_answer_only(db, false);
    if (self->is_for_queries)
        memory_at_end(answer_only_again, db);
    self->is_found = memory_zeroed((size_t)sql_view_count, sizeof *self->is_found);

    /* Views and tables of this connection stand in front, and come first. */
    struct asked asked;
    const char *name, *text;
    bool is_here;
    asked_open(&asked, self->db,
               "SELECT name, sql, 1 FROM temp.sqlite_schema WHERE type IN ('table', 'view') UNION "
               "ALL SELECT name, sql, 0 FROM main.sqlite_schema WHERE type = 'view'");
    while (ASKED_ROW(&asked, &name, &text, &is_here))
        if (is_here || !views_find(view_of(name)))
            array_add(&self->present,
                      (struct present){memory_text(name), memory_text(text), is_here, false});
    return asked_end(&asked);
}

static void end(struct provider *self)
{
    if (self->is_for_queries) {
        memory_forget(self->db);
        database_answer_only(self->db, true);
    }
    for (size_t i = 0; i < self->present.count; i++) {
        memory_free(self->present.items[i].name);
        memory_free(self->present.items[i].sql);
    }
    array_free(&self->present);
    memory_free(self->is_found);
    text_free(&self->with);
}

/* _tpq_provide(SQL): gives the views that a statement needs; NULL needs none. Answers with the
 * statement to be prepared in its place, where it has to bring them itself. */
static SQL_FUNCTION(provide)
{
    struct memory memory = {0};
    struct memory_attempt attempt;
    const char *sql = (const char *)sqlite3_value_text(arguments[0]);
    struct provider self = {0};
    struct text whole = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    if (!memory_try(&attempt, &memory)) {
        sqlite3_result_error_nomem(context);
        return;
    }
    int result = begin(&self, sqlite3_context_db_handle(context));
    if (result == SQLITE_OK)
        result = sql ? give_to_statement(&self, sql) : SQLITE_NOMEM;
    if (result == SQLITE_OK && self.with.count)
        database_put_with(sql, self.with.items, &whole);
    if (result != SQLITE_OK)
        sqlite3_result_error_code(context, result);
    else if (whole.count)
        sqlite3_result_text(context, whole.items, (int)whole.count, SQLITE_TRANSIENT);
    text_free(&whole);
    end(&self);
    memory_leave(&attempt);
    memory_end(&memory);
}

/* _tpq_take_back(NAME): 1 when it takes back a view that was given: another one is to be made. */
static SQL_FUNCTION(take_back)
{
    struct memory memory = {0};
    struct memory_attempt attempt;
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    struct provider self = {0};
    if (!memory_try(&attempt, &memory)) {
        sqlite3_result_error_nomem(context);
        return;
    }
    int result = begin(&self, sqlite3_context_db_handle(context));
    const struct present *view = name ? find_present(&self, view_of(name)) : NULL;
    bool is_given = view && view->is_here && may_have_given(view->name, view->sql);
    char *sql = is_given && !self.is_busy ? database_format("DROP VIEW temp.\"%w\"", name) : NULL;
    if (result == SQLITE_OK && sql)
        result = sqlite3_exec(self.db, sql, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        sqlite3_result_int(context, sql != NULL);
    else
        sqlite3_result_error_code(context, result);
    memory_free(sql);
    end(&self);
    memory_leave(&attempt);
    memory_end(&memory);
}

/* Nothing of the connection's own is there yet, and views of users wait until they are named. */
int provider_bind(sqlite3 *db)
{
    static const char names[] = "SELECT group_concat(name, ' ') FROM main.sqlite_schema WHERE type "
                                "= 'view' AND name NOT GLOB '*[^A-Za-z0-9_]*'";
    struct provider self = {
        .db = db, .is_found = memory_zeroed((size_t)sql_view_count, sizeof *self.is_found)};
    int result = give_named_by(&self, names);
    end(&self);
    if (result == SQLITE_OK)
        result =
            sqlite3_create_function_v2(db, DATABASE_PROVIDER, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                       NULL, provide, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_function_v2(db, DATABASE_TAKER, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                            NULL, take_back, NULL, NULL, NULL);
    return result;
}

/* ------------------------------------------------------------------ views computed once */

static const char doing[] = "keeping what several sheets ask for";

static bool run(sqlite3 *db, const char *form, const char *text, struct error *error)
{
    return database_run_made(db, database_format(form, text, text), doing, error);
}

static bool keep(sqlite3 *db, const char *name, struct error *error)
{
    return run(db, "CREATE TEMP TABLE \"shared %w\" AS SELECT * FROM \"%w\"", name, error) &&
           run(db, "DROP VIEW temp.\"%w\"", name, error) &&
           run(db, "CREATE TEMP VIEW \"%w\" AS SELECT * FROM " SHARED_VIEW "%w\"", name, error);
}

bool shared_views_add(struct shared_views *self, sqlite3 *db, struct view name, struct error *error)
{
    for (size_t i = 0; i < self->list.count; i++)
        if (view_equal(name, view_of(self->list.items[i].name)))
            return true;
    struct shared_view *added = array_push(&self->list);
    *added = (struct shared_view){.name = memory_part(name.bytes, name.length)};
    if (!database_provide(db, added->name))
        return database_error(db, doing, error);

    /* The text behind CREATE of a view of this connection; NULL where there is none. */
    struct asked asked;
    const char *text;
    ASK(&asked, db,
        "SELECT substr(sql, length('CREATE ')) FROM temp.sqlite_schema WHERE name = ?1 AND "
        "type = 'view'",
        added->name);
    added->statement = ASKED_ROW(&asked, &text) ? memory_text(text) : NULL;
    bool done = asked_done(&asked, doing, error);
    if (!done)
        return false;
    return (added->statement ||
            error_set(error, STATUS_DATABASE, "there is no view %s", added->name)) &&
           keep(db, added->name, error);
}

void shared_views_drop(struct shared_views *self, sqlite3 *db)
{
    struct error error = {0};
    for (size_t i = 0; i < self->list.count; i++) {
        struct shared_view *view = &self->list.items[i];
        if (view->statement) {
            run(db, "DROP VIEW IF EXISTS temp.\"%w\"", view->name, &error);
            run(db, "DROP TABLE IF EXISTS temp.\"shared %w\"", view->name, &error);
            run(db, "CREATE TEMP%s", view->statement, &error);
        }
        memory_free(view->name);
        memory_free(view->statement);
    }
    array_free(&self->list);
}
