/* value_json: see value_json.h. */
#include "sql/binding/value_json.h"

#include "src/base/number.h"

#include <math.h>

bool value_add_json(struct text *out, sqlite3_value *value, bool is_json)
{
    const char *text;
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return text_add_string(out, "null");
    case SQLITE_INTEGER:
        return text_format(out, "%lld", sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return isfinite(sqlite3_value_double(value))
                   ? number_add_real(out, sqlite3_value_double(value))
                   : text_add_string(out, "null");
    default:
        text = (const char *)sqlite3_value_text(value);
        if (!text)
            return false;
        return is_json ? text_add_string(out, text) : text_add_json(out, view_of(text));
    }
}

bool values_have_names(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    for (int i = 0; i + 1 < count; i += 2)
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL) {
            sqlite3_result_error(context, "a member of a JSON object has no name", -1);
            return false;
        }
    return true;
}
