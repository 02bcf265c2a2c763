/* opening: Statements of the schema are read as tokens of SQLite. A definition must be ours, or
 * evaluate no expression of its own. */
#include "sql/warehouse/opening.h"

#include "sql/database.h"
#include "sql/register.h"
#include "sql/statement.h"
#include "sql/warehouse/tables.h"
#include "src/base/visible.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

/* ------------------------------------------------------------------ tokens */

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NAME, TOKEN_TEXT, TOKEN_OTHER };

struct token {
    enum token_kind kind;
    struct view text;
};

struct reader {
    const char *at, *end;
    struct token token;
};

/* Goes to the next token, as SQLite sees it. Signs of two characters are two tokens: no definition
 * of ours could be parsed with a space between them. */
static void token_next(struct reader *self)
{
    const char *at = self->at, *end = self->end, *skipped = at;
    for (; skipped; at = skipped ? skipped : at) {
        size_t left = (size_t)(end - at);
        bool is_line = left > 1 && memcmp(at, "--", 2) == 0;
        skipped = NULL;
        if (is_line || (left > 1 && memcmp(at, "/*", 2) == 0)) {
            const char *close = memmem(at + 2, left - 2, is_line ? "\n" : "*/", is_line ? 1 : 2);
            skipped = close ? close + (is_line ? 1 : 2) : end;
        } else if (left && *at && strchr(" \t\n\f\r", *at)) {
            skipped = at + 1;
        } else if (left > 2 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
            skipped = at + 3; /* U+FEFF is blank for SQLite */
        }
    }
    const char *start = at;
    bool is_blob = end - at > 1 && (*at == 'x' || *at == 'X') && at[1] == '\'';
    enum token_kind kind = at < end ? TOKEN_OTHER : TOKEN_END;
    if (at < end && *at && (is_blob || strchr("'\"`[", *at))) {
        at += is_blob;
        char close = *at == '[' ? ']' : *at;
        kind = close == '\'' ? TOKEN_TEXT : TOKEN_NAME;
        for (at++; at < end && (*at != close || (close != ']' && end - at > 1 && at[1] == close));)
            at += *at == close ? 2 : 1;
        at += at < end;
    } else if (at < end && statement_is_word_byte(*at)) {
        kind = isdigit((unsigned char)*at) ? TOKEN_OTHER : TOKEN_WORD;
        while (at < end && (statement_is_word_byte(*at) || (kind == TOKEN_OTHER && *at == '.')))
            at++;
    } else {
        at += at < end;
    }
    self->token = (struct token){kind, {start, (size_t)(at - start)}};
    self->at = at;
}

static struct reader reader_of(struct view text)
{
    struct reader self = {.at = text.bytes, .end = text.bytes + text.length};
    token_next(&self);
    return self;
}

static bool token_is(struct token self, const char *word)
{
    return self.kind != TOKEN_NAME && view_equal_ignoring_case(self.text, view_of(word));
}

static bool token_is_one_of(struct token self, const char *const *words)
{
    while (*words && !token_is(self, *words))
        words++;
    return *words != NULL;
}

static bool token_equal(struct token left, struct token right)
{
    return left.kind == right.kind &&
           (left.kind == TOKEN_WORD ? view_equal_ignoring_case(left.text, right.text)
                                    : view_equal(left.text, right.text));
}

/* Goes behind a word or sign, which must be there. */
static bool opening_take(struct reader *self, const char *word)
{
    bool is = token_is(self->token, word);
    if (is)
        token_next(self);
    return is;
}

/* True if a token stands for a name, which it may have in quotes. */
static bool names(struct token token, const char *name)
{
    const char *at = token.text.bytes, *end = at + token.text.length;
    if (token.kind != TOKEN_NAME && token.kind != TOKEN_TEXT)
        return token.kind == TOKEN_WORD && view_equal_ignoring_case(token.text, view_of(name));
    for (at++, end--; at < end && tolower((unsigned char)*at) == tolower((unsigned char)*name);
         at++, name++)
        at += *at == *end && at + 1 < end; /* a quote stands twice */
    return at >= end && !*name;
}

/* ------------------------------------------------------------------ names */

struct judge {
    sqlite3 *db;
    struct schema_statement ours[SCHEMA_STATEMENTS_MAX];
    bool is_there[SCHEMA_STATEMENTS_MAX]; /* in the file, a table or index of ours */
    size_t our_count;
    struct text
        names; /* of functions and modules, each behind a line feed; once one is asked for */
    struct text triggers; /* of ours, once there is one */
};

static const struct schema_statement *find_ours(const struct judge *self, const char *name)
{
    for (size_t i = 0; i < self->our_count; i++)
        if (view_equal_ignoring_case(self->ours[i].name, view_of(name)))
            return &self->ours[i];
    return NULL;
}

static bool read_names(struct judge *self, struct error *error)
{
    static const char *const lists[] = {"PRAGMA module_list", "PRAGMA function_list"};
    for (int i = 0; i < function_list_count; i++) /* of tpq.so, which binds them later */
        for (const struct function *function = function_lists[i]; function->name; function++)
            text_format(&self->names, "\n%s", function->name);
    int result = SQLITE_DONE;
    for (int i = 0; i < 2 && result == SQLITE_DONE; i++) {
        sqlite3_stmt *rows = NULL;
        result = database_prepare(self->db, lists[i], &rows, NULL);
        while (result == SQLITE_OK || result == SQLITE_ROW)
            if ((result = sqlite3_step(rows)) == SQLITE_ROW)
                text_format(&self->names, "\n%s", (const char *)sqlite3_column_text(rows, 0));
        database_finalize(rows);
    }
    text_add_string(&self->names, "\n");
    return result == SQLITE_DONE || database_error(self->db, "reading the functions", error);
}

/* True if an owner may not use a name, or if that cannot be told, which is an error. */
static bool is_taken(struct judge *self, const char *name, struct error *error)
{
    if (strncasecmp(name, "sqlite_", strlen("sqlite_")) == 0 ||
        strncasecmp(name, "pragma_", strlen("pragma_")) == 0 || find_ours(self, name) ||
        views_find(view_of(name)) || (!self->names.count && !read_names(self, error)))
        return true;
    struct text line = {0};
    text_format(&line, "\n%s\n", name);
    bool is = strcasestr(self->names.items, line.items);
    text_free(&line);
    return is;
}

static bool has_word(const char *text, struct view word)
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)word.length, word.bytes);
    return strcasestr(text, name) != NULL;
}

/* True if a view of ours reads a table and has a word without the table that it is of: the word may
 * mean a column of another table there, whose place a column of this name would take. */
static bool is_used_beside(struct token column, struct view table)
{
    struct view name = column.text;
    if (column.kind != TOKEN_WORD) {
        name.bytes++;
        name.length -= 2;
    }
    for (int i = 0; i < sql_view_count; i++) {
        const struct sql_view *view = &sql_views[i];
        if (!has_word(view->text, name)) /* most have not, which is soon seen */
            continue;
        struct reader at = reader_of((struct view){view->text, view->length});
        struct token before = {0};
        bool reads = false, has = false;
        while (at.token.kind != TOKEN_END) {
            struct token now = at.token;
            bool is_whole = now.kind == TOKEN_WORD || now.kind == TOKEN_NAME;
            token_next(&at);
            bool is_alone = !token_is(before, ".") && !token_is(before, "AS") &&
                            !token_is(at.token, ".") && !token_is(at.token, "(");
            bool is_table = token_is(before, "FROM") || token_is(before, "JOIN");
            reads |= is_table && view_equal_ignoring_case(now.text, table);
            has |= is_whole && is_alone && view_equal_ignoring_case(now.text, name);
            before = now;
        }
        if (reads && has)
            return true;
    }
    return view_equal_ignoring_case(name, VIEW("oid")) ||
           view_equal_ignoring_case(name, VIEW("rowid")) ||
           view_equal_ignoring_case(name, VIEW("_rowid_"));
}

/* ------------------------------------------------------------------ definitions */

static bool take_collation(struct reader *self)
{
    static const char *const built_in[] = {"binary", "nocase", "rtrim", NULL};
    bool is_built_in = token_is_one_of(self->token, built_in);
    token_next(self);
    return is_built_in;
}

/* Goes to the end of a column's definition, or to that of a table. What evaluates an expression,
 * drops rows or calls a collation of others begins with a word that is no name. */
static bool take_plain(struct reader *self, bool is_in_ours)
{
    static const char *const refused[] = {"PRIMARY", "UNIQUE", "AS", "CHECK", ";", NULL};
    bool done = true;
    for (int depth = 0; done && self->token.kind != TOKEN_END &&
                        (depth || (!token_is(self->token, ",") && !token_is(self->token, ")")));) {
        if (opening_take(self, "COLLATE")) {
            done = take_collation(self);
        } else if (opening_take(self, "DEFAULT")) {
            done = !token_is(self->token, "(");
        } else if (opening_take(self, "ON")) {
            done = !token_is(self->token, "CONFLICT");
        } else {
            done = !token_is_one_of(self->token, refused + (is_in_ours ? 0 : 2));
            depth += token_is(self->token, "(") - token_is(self->token, ")");
            token_next(self);
        }
    }
    return done;
}

/* True if a column of a table follows, not a constraint or the end. */
static bool has_column(const struct reader *self)
{
    static const char *const constraints[] = {"CHECK",   "CONSTRAINT", "FOREIGN", "PRIMARY",
                                              "UNIQUE",  "NOT",        "NULL",    "DEFAULT",
                                              "COLLATE", "REFERENCES", NULL};
    struct reader next = *self;
    return opening_take(&next, ",") && !token_is_one_of(next.token, constraints);
}

enum { OWN_COLUMNS_MAX = 64 };

/* True if a statement is ours but for white space, comments, the case of words and, in a table that
 * is named, plain columns of the owner behind our last one. */
static bool is_defined_as(struct view text, struct view own, struct view table, const char **why)
{
    struct reader theirs = reader_of(text), ours = reader_of(own);
    int columns = 0;
    for (int depth = 0; ours.token.kind != TOKEN_END; token_next(&theirs), token_next(&ours)) {
        bool is_behind_columns = table.length && depth == 1 && !has_column(&ours) &&
                                 (token_is(ours.token, ",") || token_is(ours.token, ")"));
        while (is_behind_columns && has_column(&theirs)) {
            token_next(&theirs);
            bool is_taken = is_used_beside(theirs.token, table);
            *why = is_taken ? "has a column whose name tpq uses for another column" : *why;
            if (++columns > OWN_COLUMNS_MAX || is_taken || !take_plain(&theirs, true))
                return false;
        }
        if (!token_equal(theirs.token, ours.token))
            return false;
        depth += token_is(ours.token, "(") - token_is(ours.token, ")");
    }
    return theirs.token.kind == TOKEN_END;
}

bool opening_same(struct view left, struct view right)
{
    return is_defined_as(left, right, (struct view){0}, &(const char *){NULL});
}

/* True if columns in brackets are all that is left of an index. */
static bool is_plain_index(struct reader reader)
{
    bool done = opening_take(&reader, "(");
    do {
        done = done && (reader.token.kind == TOKEN_WORD || reader.token.kind == TOKEN_NAME);
        token_next(&reader);
        done = done && (!opening_take(&reader, "COLLATE") || take_collation(&reader));
        if (!opening_take(&reader, "ASC"))
            opening_take(&reader, "DESC");
    } while (done && opening_take(&reader, ","));
    return done && opening_take(&reader, ")") && reader.token.kind == TOKEN_END;
}

static bool is_plain_table(struct reader reader)
{
    bool done = token_is(reader.token, "(");
    while (done && reader.token.kind != TOKEN_END) {
        done = take_plain(&reader, false) && !token_is(reader.token, ")");
        opening_take(&reader, ","); /* WITHOUT ROWID, STRICT */
    }
    return done;
}

static bool is_one_statement(struct reader reader)
{
    while (reader.token.kind != TOKEN_END && !token_is(reader.token, ";"))
        token_next(&reader);
    return reader.token.kind == TOKEN_END;
}

/* ------------------------------------------------------------------ entries */

const char opening_differs[] = "is not defined as tpq defines it";
static const char is_forged[] = "is not what its text makes";
static const char has_name_of_ours[] = "has a name that tpq or SQLite uses";

struct entry {
    const char *type, *name, *table, *sql; /* empty where it has none */
    sqlite3_int64 root;
};

/* Why an entry is refused; NULL: it is not. */
static const char *objection(struct judge *self, const struct entry *entry, struct error *error)
{
    static const char *const of_sqlite[] = {"sqlite_sequence", "sqlite_stat1", "sqlite_stat3",
                                            "sqlite_stat4", NULL};
    bool is_table = strcmp(entry->type, "table") == 0, is_view = strcmp(entry->type, "view") == 0;
    bool is_index = strcmp(entry->type, "index") == 0;
    if (strcmp(entry->type, "trigger") == 0) {
        /* One of ours, to the last token. */
        char head[128];
        if (!self->triggers.count)
            tables_triggers(&self->triggers);
        snprintf(head, sizeof head, "TRIGGER %.100s ", entry->name);
        const char *own = strstr(self->triggers.items, head);
        bool is_made = text_starts_with(entry->sql, "CREATE ");
        struct view text = view_of(entry->sql + (is_made ? strlen("CREATE ") : 0));
        bool is_ours = is_made && own && entry->root == 0 &&
                       opening_same(text, (struct view){own, strcspn(own, "\n")});
        return is_ours ? NULL : "is not made by tpq";
    }
    if ((!is_table && !is_view && !is_index) || (entry->root > 0) == is_view)
        return is_table ? "is a virtual table" : is_forged;
    if (!*entry->sql)
        return is_index && text_starts_with(entry->name, "sqlite_autoindex_") ? NULL : is_forged;

    /* the head of the text says what the row does */
    struct reader reader = reader_of(view_of(entry->sql));
    bool is_made = opening_take(&reader, "CREATE"),
         is_unique = is_index && opening_take(&reader, "UNIQUE");
    if (!is_made || !opening_take(&reader, entry->type) || !names(reader.token, entry->name))
        return is_forged;
    token_next(&reader);
    if (is_index && (!opening_take(&reader, "ON") || !names(reader.token, entry->table)))
        return is_forged;
    if (is_index)
        token_next(&reader);
    else if (strcasecmp(entry->table, entry->name) != 0)
        return is_forged;

    if (is_view && views_find(view_of(entry->name)))
        return NULL;
    const struct schema_statement *ours = find_ours(self, entry->name);
    if (ours && ours->is_stored && (ours->is_table ? is_table : is_index)) {
        struct view text = view_of(entry->sql);
        self->is_there[ours - self->ours] = true;
        const char *why = opening_differs;
        bool is_ours =
            view_equal(text, ours->text) ||
            is_defined_as(text, ours->text, is_table ? ours->name : (struct view){0}, &why);
        return is_ours ? NULL : why;
    }
    const char *const *made = of_sqlite;
    while (*made && strcasecmp(*made, entry->name) != 0)
        made++;
    if ((!is_table || !*made) && is_taken(self, entry->name, error))
        return has_name_of_ours;
    if (is_table && !is_plain_table(reader))
        return "has an expression, a collation or a conflict clause";
    const struct schema_statement *indexed = is_index ? find_ours(self, entry->table) : NULL;
    if (is_index && (!is_plain_index(reader) || (is_unique && indexed)))
        return is_unique ? "is a UNIQUE index" : "is not an index on plain columns";
    return is_one_statement(reader) ? NULL : "is more than one statement";
}

bool opening_judge(sqlite3 *db, const char *schema, opening_refusal *refuse, void *context,
                   struct error *error)
{
    struct judge self = {.db = db};
    struct error failure = {0};
    sqlite3_stmt *rows = NULL;
    self.our_count = schema_statements(self.ours);
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT type, name, tbl_name, rootpage, sql FROM %s.sqlite_master",
             schema);
    int result = database_prepare(db, sql, &rows, NULL);
    bool goes_on = true;
    while ((result == SQLITE_OK || result == SQLITE_ROW) && goes_on && !failure.status &&
           (result = sqlite3_step(rows)) == SQLITE_ROW) {
        struct entry entry = {.type = database_text(rows, 0),
                              .name = database_text(rows, 1),
                              .table = database_text(rows, 2),
                              .root = sqlite3_column_int64(rows, 3),
                              .sql = database_text(rows, 4)};
        const char *why = objection(&self, &entry, &failure);
        if (why && !failure.status)
            goes_on = refuse(context, entry.type, entry.name, why);
    }
    if (!failure.status && goes_on && result != SQLITE_DONE)
        database_error(db, "reading the schema", &failure);
    database_finalize(rows);
    for (size_t i = 0; i < self.our_count && goes_on && !failure.status; i++) {
        const struct schema_statement *ours = &self.ours[i];
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)ours->name.length, ours->name.bytes);
        if (!self.is_there[i] && ours->is_stored && ours->is_table && !ours->is_later)
            goes_on = refuse(context, "table", name, "is missing");
    }
    text_free(&self.names);
    text_free(&self.triggers);
    if (failure.status)
        *error = failure;
    return !failure.status;
}

/* ------------------------------------------------------------------ at opening */

static bool trusts_all;

void opening_trust(bool all)
{
    trusts_all = all;
}

bool opening_trusts(void)
{
    return trusts_all;
}

static bool say_refused(void *context, const char *type, const char *name, const char *why)
{
    struct text shown = {0};
    visible_add(&shown, view_of(name));
    error_set(context, STATUS_DATABASE,
              "%s %.300s %s; tpq check lists all such entries, --trust opens the file", type,
              shown.items ? shown.items : "", why);
    text_free(&shown);
    return false;
}

bool opening_check(sqlite3 *db, const char *schema, const char *path, struct error *error)
{
    struct error refusal = {0};
    if (trusts_all)
        return true;
    if (!opening_judge(db, schema, say_refused, &refusal, error))
        return error_context(error, "%s", path);
    if (!refusal.status)
        return true;
    *error = refusal;
    return error_context(error, "%s", path);
}
