/* option: the options of a connection, as SQL sees them.
 *
 *     tpq_option(name)        value of an option
 *     tpq_set(name, value)    sets an option for this connection and returns the value
 *     tpq_like_reference(deviation)    1 when the option compat is set, else 0
 *     param(name)             value of a parameter of an extension file
 *
 *     SELECT tpq_set('limit', 10), tpq_option('limit')                   -> 10, 10
 *
 * An option that was never set, or set to NULL, has its default (binding/options.h), else NULL. An
 * extension's own options may have any name that is not nearly that of another one: tpq_set fails
 * on those, on a name that is NULL, and on a value that the option cannot have. It cannot be used
 * in views.
 */
#include "sql/binding/function.h"
#include "sql/binding/options.h"
#include "sql/database.h"
#include "src/base/language.h"
#include "src/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An option that looks like a number is one, so that views need no casts. The words and the
 * hexadecimal digits that C takes for numbers, too, are texts. */
static bool may_be_number(const char *text)
{
    return *text && text[strspn(text, "+-.0123456789eE")] == '\0';
}

static void option_get(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct context *context = function_context(call);
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    const char *text = name ? context_get(context, name) : NULL;
    if (!text)
        return;
    char *end;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    bool is_integer = errno == 0 && !*end;
    double real = language_strtod(text, &end);
    if (!may_be_number(text) || *end)
        sqlite3_result_text(call, text, -1, SQLITE_TRANSIENT);
    else if (is_integer)
        sqlite3_result_int64(call, integer);
    else
        sqlite3_result_double(call, real);
}

/* A slip of the fingers would be set, and nobody would read it. */
static const struct view_option *nearly_called(const char *name)
{
    const struct view_option *option = view_options;
    char bare[64];
    size_t length = 0;
    for (; name[length] && length < sizeof bare - 1; length++)
        bare[length] = name[length] == '_' ? '-' : name[length];
    bare[length] = '\0';
    while (option->name && text_distance(bare, option->name) > strlen(option->name) / 4)
        option++;
    return option->name ? option : NULL;
}

static bool check_option(const char *name, const char *text, struct error *error)
{
    const struct view_option *option = view_option_find(name);
    if (option)
        return !text || view_option_accepts(option, text, "tpq_set: ", error);
    option = nearly_called(name);
    return !option ||
           error_set(error, STATUS_USAGE, "tpq_set: there is no option '%.60s'; did you mean %s?",
                     name, option->name);
}

static void option_set(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    (void)count;
    struct context *context = function_context(call);
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    if (!name) {
        sqlite3_result_error(call, "tpq_set needs the name of an option", -1);
        return;
    }
    char real[40]; /* SQLite's text of a real has 15 digits; 17 read back as the same one */
    bool is_real = sqlite3_value_type(arguments[1]) == SQLITE_FLOAT;
    if (is_real) {
        locale_t before = language_enter();
        snprintf(real, sizeof real, "%.16e", sqlite3_value_double(arguments[1]));
        language_leave(before);
    }
    const char *text = is_real ? real : (const char *)sqlite3_value_text(arguments[1]);
    struct error error = {0};
    if (!check_option(name, text, &error))
        sqlite3_result_error(call, error.text, -1);
    else if (context_set(context, name, text))
        sqlite3_result_value(call, arguments[1]);
    else
        sqlite3_result_error_nomem(call);
}

static SQL_FUNCTION(like_reference_get)
{
    /* the name is for readers, and for the test that looks for it */
    sqlite3_result_int(context, context_get(function_context(context), "compat") != NULL);
}

static SQL_FUNCTION(param)
{
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    char *key = name ? database_format("param %s", name) : NULL;
    const char *text = key ? context_get(function_context(context), key) : NULL;
    if (text)
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    memory_free(key);
}

const struct function option_functions[] = {
    SCALAR("tpq_option", "name", 1, SQLITE_INNOCUOUS, option_get,
           "Value of an option of this connection, or its default; tpq describe --options lists "
           "them."),
    SCALAR("tpq_set", "name, value", 2, SQLITE_DIRECTONLY, option_set,
           "Sets an option for this connection and returns the value; NULL sets it back. Not "
           "for use in views; an error when the name is NULL or a slip, or the value wrong."),
    SCALAR("tpq_like_reference", "deviation", 1, SQLITE_INNOCUOUS, like_reference_get,
           "1 when the option compat is set, else 0. The argument names what differs then: a "
           "row of the table deviation, or with : at its end those that begin so."),
    SCALAR("param", "name", 1, SQLITE_INNOCUOUS, param,
           "Value of a parameter of an extension file, a text; NULL when no file has it."),
    {0},
};
