/* suggestion: SQLite's message tells whether a column, table or function is missing; hint_add picks
 * from all names of that kind. */
#include "sql/warehouse/suggestion.h"

#include "sql/asked.h"
#include "sql/statement.h"
#include "src/base/hint.h"
#include "src/base/name_list.h"

#include <string.h>
#include <strings.h>

/* The first column of a query, which may be about a name. What it fails on gives no words. */
static void add_words(sqlite3 *db, const char *sql, const char *about, name_list *words)
{
    struct asked asked;
    const char *name;
    ASK(&asked, db, sql, about);
    while (ASKED_ROW(&asked, &name))
        array_add(words, memory_text(name));
    asked_end(&asked);
}

static const char tables[] =
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') UNION "
    "SELECT name FROM sqlite_temp_schema WHERE type IN ('table', 'view') UNION "
    "SELECT name FROM pragma_module_list ORDER BY 1";
static const char columns[] = "SELECT name FROM pragma_table_xinfo(?1)";
static const char functions[] =
    "SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' ORDER BY 1";

static void add_hint(struct text *out, const char *name, const name_list *words,
                     const char *otherwise)
{
    hint_add(out, name, (const char *const *)words->items, words->count, otherwise);
}

void suggestion_add(sqlite3 *db, const char *sql, const char *message, struct text *out)
{
    static const char *const kinds[] = {"column", "table", "function"};
    char *kept = memory_text(message); /* it is gone after the next call of SQLite */
    text_add_string(out, kept);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct text begin = {0};
        text_format(&begin, "no such %s: ", kinds[i]);
        if (i == 0 && text_starts_with(kept, begin.items)) {
            /* Either part of TABLE.COLUMN may be the slip. */
            const char *name = kept + begin.count;
            name_list named = {0}, words = {0};
            struct text list = {0};
            const char *dot = strrchr(name, '.'), *column = dot ? dot + 1 : name;
            bool is_column = false;

            /* The tables that a statement names. */
            name_list names = {0};
            add_words(db, tables, NULL, &names);
            for (size_t j = 0; j < names.count; j++)
                if (statement_names(sql, names.items[j]))
                    array_add(&named, memory_text(names.items[j]));
            name_list_free(&names);
            for (size_t j = 0; j < named.count; j++)
                add_words(db, columns, named.items[j], &words);
            for (size_t j = 0; j < words.count; j++)
                is_column |= strcasecmp(words.items[j], column) == 0;
            char *table = dot ? memory_part(name, (size_t)(dot - name)) : NULL;

            /* "there are id, text", as many as help. */
            enum { NAMED = 8 };
            for (size_t j = 0; j < words.count && j < NAMED; j++)
                text_format(&list, "%s%s", j ? ", " : "there are ", words.items[j]);
            if (words.count > NAMED)
                text_format(&list, " and %zu more", words.count - NAMED);
            /* A column that had another name, or a text without its quotes behind =. */
            const char *at = dot ? NULL : strstr(sql, column);
            while (at && at > sql && at[-1] == ' ')
                at--;
            if (strcmp(column, "duration_ns") == 0)
                text_add_string(out, "; it is called dur_ns");
            else if (at && at > sql && at[-1] == '=')
                text_format(out, "; a text is written in quotes: '%s'", column);
            else if (is_column)
                add_hint(out, table ? table : column, &named, NULL);
            else
                add_hint(out, column, &words, list.count ? list.items : NULL);
            memory_free(table);
            text_free(&list);
            name_list_free(&named);
            name_list_free(&words);
        } else if (text_starts_with(kept, begin.items)) {
            const char *name = kept + begin.count;
            name_list words = {0};
            const char *dot = strrchr(name, '.');
            add_words(db, strcmp(kinds[i], "table") == 0 ? tables : functions, NULL, &words);
            add_hint(out, dot ? dot + 1 : name, &words, NULL);
            name_list_free(&words);
        }
        text_free(&begin);
    }
    memory_free(kept);
}
