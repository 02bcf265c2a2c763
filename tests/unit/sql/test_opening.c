/* The judgement of a schema: no token more at any place of a definition, and additions of owners.
 */
#include "tests/unit/support.h"

#include "sql/warehouse/opening.h"
#include "sql/warehouse/tables.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Goes behind the next token; NULL: behind the last one. Comments are none. */
static const char *token_end(const char *at)
{
    for (;;) {
        at += strspn(at, " \n");
        if (!text_starts_with(at, "--"))
            break;
        at += strcspn(at, "\n");
    }
    if (*at == '\'' || *at == '"')
        return at + 2 + strcspn(at + 1, (char[]){*at, '\0'});
    if (!*at)
        return NULL;
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return at + (length ? length : 1);
}

static const char *const inserted[] = {
    " * 0",      " x",        " (",         " COLLATE nocase", " UNIQUE",         " 'x'",
    " CHECK(1)", " NOT NULL", "\n+ 1 --\n", ", CHECK (1)",     ", x ANY AS (id)", " /* */ ;"};

static bool note_refusal(void *context, const char *type, const char *name, const char *why)
{
    (void)type, (void)name;
    *(bool *)context |= why == opening_differs;
    return true;
}

static bool differs(sqlite3 *db, sqlite3_stmt *update, const char *sql)
{
    bool is_refused = false;
    struct error error = {0};
    sqlite3_bind_text(update, 1, sql, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(update), SQLITE_DONE);
    sqlite3_reset(update);
    assert_true(opening_judge(db, "main", note_refusal, &is_refused, &error));
    return is_refused;
}

static void a_token_more_at_any_place(void **state)
{
    (void)state;
    struct schema_statement list[SCHEMA_STATEMENTS_MAX];
    size_t count = schema_statements(list), places = 0;
    for (size_t i = 0; i < count; i++) {
        if (!list[i].is_stored)
            continue;
        sqlite3 *db;
        sqlite3_stmt *update;
        char *own = memory_part(list[i].text.bytes, list[i].text.length);
        const char *on = strstr(own, " ON ");
        char table[64] = "";
        if (!list[i].is_table)
            sscanf(on, " ON %63[a-z_]", table);
        else
            snprintf(table, sizeof table, "%.*s", (int)list[i].name.length, list[i].name.bytes);
        assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
        run_sql(db, "PRAGMA writable_schema = on");
        char *insert = sqlite3_mprintf("INSERT INTO sqlite_schema VALUES (%Q, '%.*s', %Q, 2, '')",
                                       list[i].is_table ? "table" : "index",
                                       (int)list[i].name.length, list[i].name.bytes, table);
        run_sql(db, insert);
        sqlite3_free(insert);
        assert_int_equal(
            sqlite3_prepare_v2(db, "UPDATE sqlite_schema SET sql = ?1", -1, &update, NULL),
            SQLITE_OK);
        assert_false(differs(db, update, own));
        /* the row says the type and the names, so those are refused otherwise */
        const char *at = strchr(own, '(');
        while ((at = token_end(at))) {
            struct text text = {0};
            const char *more = inserted[places++ % (sizeof inserted / sizeof *inserted)];
            text_format(&text, "%.*s%s%s", (int)(at - own), own, more, at);
            if (!differs(db, update, text.items))
                fail_msg("%s", text.items);
            text_free(&text);
        }
        database_finalize(update);
        sqlite3_close(db);
        memory_free(own);
    }
    assert_true(places > 3000);
}

static void a_token_more_in_a_view(void **state)
{
    (void)state;
    size_t places = 0;
    for (int i = 0; i < sql_view_count; i += 5) { /* more would tell the same */
        struct view own = {sql_views[i].text, sql_views[i].length};
        assert_true(opening_same(own, own));
        for (const char *at = own.bytes; (at = token_end(at)) && at <= own.bytes + own.length;
             places++) {
            struct text text = {0};
            const char *more = inserted[places % (sizeof inserted / sizeof *inserted)];
            size_t before = (size_t)(at - own.bytes);
            text_format(&text, "%.*s%s%.*s", (int)before, own.bytes, more,
                        (int)(own.length - before), at);
            if (opening_same(text_view(&text), own))
                fail_msg("%s", text.items);
            text_free(&text);
        }
    }
    assert_true(places > 10000);
}

static void what_is_no_token_does_not_count(void **state)
{
    (void)state;
    static const struct {
        const char *left, *right;
        bool is_same;
    } pairs[] = {
        {"CREATE TABLE a (b)", "create  table A/* x */(b)--", true},
        {"a'b'", "a 'b'", true},
        {"'a'", "'A'", false},
        {"\"a\"", "\"A\"", false},
        {"\"a\"", "a", false},
        {"[a]", "\"a\"", false},
        {"x'00'", "x '00'", false},
        {"'a''b'", "'a' 'b'", false},
        {"1.5", "1 .5", false},
        {"a b", "ab", false},
        {"a -- b\n c", "a c", true},
        {"a /* b", "a", true},
        {"a", "a a", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (opening_same(view_of(pairs[i].left), view_of(pairs[i].right)) != pairs[i].is_same)
            fail_msg("%s and %s", pairs[i].left, pairs[i].right);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_token_more_at_any_place),
    cmocka_unit_test(a_token_more_in_a_view),
    cmocka_unit_test(what_is_no_token_does_not_count),
};
GROUP(opening, NULL, NULL)
