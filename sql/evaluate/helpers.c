/* helpers: see helpers.h. Here are those about outcomes: what is shown, what is needed. */
#include "sql/evaluate/helpers.h"

#include "sql/binding/value_json.h"
#include "sql/functions/plain.h"

#include <math.h>

static SQL_FUNCTION(run_cdiv)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL || sqlite3_value_double(arguments[1]) == 0)
        return;
    sight_give_number(
        context, ceil(sqlite3_value_double(arguments[0]) / sqlite3_value_double(arguments[1])));
}

static SQL_FUNCTION(run_bool)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    bool is_true = sqlite3_value_int64(arguments[0]) != 0;
    sqlite3_result_text(context, is_true ? "true" : "false", -1, SQLITE_STATIC);
    sqlite3_result_subtype(context, JSON_SUBTYPE);
}

static SQL_FUNCTION(run_need)
{
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL) {
        sqlite3_result_value(context, arguments[0]);
        return;
    }
    const char *why = count == 2 ? (const char *)sqlite3_value_text(arguments[1]) : NULL;
    struct sight *sight = sight_of(context);
    text_clear(&sight->need);
    if (text_add_string(&sight->need, why ? why : "something that is needed is missing"))
        sqlite3_result_error(context, sight->need.items, -1);
    else
        sqlite3_result_error_nomem(context);
}

static SQL_FUNCTION(run_skip)
{
    sight_of(context)->skipped = true;
    sqlite3_result_error(context, "not meant to be modelled", -1);
}

/* A text that is a list is one, too: the subtype does not pass through a subselect. */
static bool is_list(sqlite3_context *context, const char *text)
{
    const struct literals *scratch = sight_scratch_of(context);
    return *text == '[' && literal_count(scratch, sight_read_scratch(context, view_of(text))) >= 0;
}

static bool add_value_json(sqlite3_context *context, struct text *out, sqlite3_value *value)
{
    bool is_json = sqlite3_value_subtype(value) == JSON_SUBTYPE;
    if (!is_json && sqlite3_value_type(value) == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(value);
        is_json = text && is_list(context, text);
    }
    return value_add_json(out, value, is_json);
}

/* shown(name, value, ...): a JSON object; names that end in ? only where the value is not NULL. */
static SQL_FUNCTION(run_shown)
{
    struct text json = {0};
    if (!values_have_names(context, count, arguments))
        return;
    bool done = text_add_byte(&json, '{');
    for (int i = 0; i + 1 < count && done; i += 2) {
        const char *text = (const char *)sqlite3_value_text(arguments[i]);
        struct view name = view_of(text ? text : "");
        bool may_lack = name.length && name.bytes[name.length - 1] == '?';
        name.length -= may_lack;
        if (may_lack && sqlite3_value_type(arguments[i + 1]) == SQLITE_NULL)
            continue;
        done = text_add_string(&json, json.count > 1 ? "," : "") && text_add_json(&json, name) &&
               text_add_byte(&json, ':') && add_value_json(context, &json, arguments[i + 1]);
    }
    sight_give_json(context, &json, done && text_add_byte(&json, '}'));
}

/* ------------------------------------------------------------------ the list */

static const struct helper outcomes[] = {
    {"cdiv", "cdiv(a, b)", "a / b, rounded up", 2, run_cdiv, false, 0},
    {"bool", "bool(x)", "a truth value, for what is shown", 1, run_bool, false, 0},
    {"shown", "shown(name, value, ...)", "a JSON object", -1, run_shown, false, 0},
    {"need", "need(x [, why])", "x; the row fails when it is NULL", 2, run_need, false, 1},
    {"skip", "skip()", "ends the row as not meant to be modelled", 0, run_skip, false, 0},
    {0},
};

const struct helper *const helper_lists[] = {helper_inputs, helper_sizes, helper_of_lists,
                                             outcomes};
const int helper_list_count = sizeof helper_lists / sizeof *helper_lists;

void helper_call(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct side *side = sqlite3_user_data(context);
    struct memory_attempt attempt;
    if (memory_try_in(&attempt, side->sight->memory)) {
        side->run(context, count, arguments);
        memory_leave(&attempt);
    } else
        sqlite3_result_error_nomem(context);
}

static int bind(sqlite3 *db, const char *name, const struct helper *helper, struct side side)
{
    int result = SQLITE_OK;
    for (int missing = helper->optional; missing >= 0 && result == SQLITE_OK; missing--) {
        struct side *own = sqlite3_malloc(sizeof *own);
        if (!own)
            return SQLITE_NOMEM;
        *own = side;
        result = sqlite3_create_function_v2(db, name, helper->arguments - missing, SQLITE_UTF8, own,
                                            helper_call, NULL, NULL, sqlite3_free);
    }
    return result;
}

static int bind_list(sqlite3 *db, const struct helper *helper, struct sight *sight)
{
    int result = SQLITE_OK;
    for (; helper->name && result == SQLITE_OK; helper++) {
        char name[40];
        result = bind(db, helper->name, helper, (struct side){sight, false, helper->run});
        if (result == SQLITE_OK && helper->has_forward) {
            sqlite3_snprintf(sizeof name, name, "fwd_%s", helper->name);
            result = bind(db, name, helper, (struct side){sight, true, helper->run});
        }
    }
    return result;
}

int helpers_register(sqlite3 *db, struct sight *sight)
{
    int result = functions_bind_plain(db, model_functions);
    if (result == SQLITE_OK)
        result = functions_bind_plain(db, regexp_functions);
    for (int i = 0; i < helper_list_count && result == SQLITE_OK; i++)
        result = bind_list(db, helper_lists[i], sight);
    return result;
}
