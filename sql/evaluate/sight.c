/* sight: Results go to SQLite as numbers, texts or JSON; arguments come from the signature in view.
 */
#include "sql/evaluate/sight.h"

#include <math.h>

/* ------------------------------------------------------------------ results */

void sight_give_json(sqlite3_context *context, struct text *text, bool done)
{
    if (done)
        sqlite3_result_text(context, text->items, (int)text->count, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    if (done)
        sqlite3_result_subtype(context, JSON_SUBTYPE);
    text_free(text);
}

void sight_give_value(sqlite3_context *context, const struct literals *values, int place)
{
    struct text text = {0};
    switch (literal_type(values, place)) {
    case LITERAL_NULL:
        break;
    case LITERAL_FALSE:
    case LITERAL_TRUE:
    case LITERAL_INTEGER:
        sqlite3_result_int64(context, literal_at(values, place)->integer);
        break;
    case LITERAL_REAL:
        sqlite3_result_double(context, literal_at(values, place)->real);
        break;
    case LITERAL_TEXT:
        sqlite3_result_text(context, literal_text(values, place), -1, SQLITE_TRANSIENT);
        break;
    default:
        sight_give_json(context, &text, literal_add_json(values, place, &text));
        break;
    }
}

void sight_give_number(sqlite3_context *context, double number)
{
    if (fabs(number) <= 9007199254740992.0 && number == floor(number))
        sqlite3_result_int64(context, (sqlite3_int64)number);
    else if (isfinite(number))
        sqlite3_result_double(context, number);
}

/* ------------------------------------------------------------------ arguments */

struct sight *sight_of(sqlite3_context *context)
{
    return ((struct side *)sqlite3_user_data(context))->sight;
}

int sight_part_of(sqlite3_context *context, enum part part)
{
    const struct side *side = sqlite3_user_data(context);
    const struct signature *call = side->sight->call;
    if (side->forward && !call->has_forward)
        return LITERAL_NONE;
    switch (part) {
    case PART_DIMS:
        return side->forward ? call->forward_dims : call->dims;
    case PART_TYPES:
        return side->forward ? call->forward_types : call->types;
    case PART_STRIDES:
        return side->forward ? call->forward_strides : call->strides;
    default:
        return side->forward ? call->forward_concrete : call->concrete;
    }
}

const struct literals *sight_values_of(sqlite3_context *context)
{
    return &sight_of(context)->call->values;
}

int sight_item_of(sqlite3_context *context, enum part part, sqlite3_value *index)
{
    if (sqlite3_value_type(index) == SQLITE_NULL || sqlite3_value_int64(index) < 0)
        return LITERAL_NONE;
    return literal_item(sight_values_of(context), sight_part_of(context, part),
                        sqlite3_value_int64(index));
}

int sight_shape_of(sqlite3_context *context, sqlite3_value *index)
{
    const struct literals *values = sight_values_of(context);
    int shape = sight_item_of(context, PART_DIMS, index);
    for (int i = 0; i < literal_count(values, shape); i++)
        if (literal_type(values, literal_item(values, shape, i)) != LITERAL_INTEGER)
            return LITERAL_NONE;
    return literal_count(values, shape) < 0 ? LITERAL_NONE : shape;
}

int sight_read_scratch(sqlite3_context *context, struct view text)
{
    struct literals *scratch = &sight_of(context)->scratch;
    int place = literal_read(scratch, text);
    if (scratch->out_of_memory)
        sqlite3_result_error_nomem(context);
    return place;
}

int sight_list_of(sqlite3_context *context, sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    int place = text ? sight_read_scratch(context, view_of(text)) : LITERAL_NONE;
    return literal_count(&sight_of(context)->scratch, place) < 0 ? LITERAL_NONE : place;
}

struct literals *sight_scratch_of(sqlite3_context *context)
{
    struct literals *scratch = &sight_of(context)->scratch;
    literal_clear(scratch);
    return scratch;
}

double sight_product(const struct literals *values, int list)
{
    double result = 1;
    for (int i = 0; i < literal_count(values, list); i++)
        result *= literal_at(values, literal_item(values, list, i))->real;
    return result;
}

int64_t sight_number_at(const struct literals *values, int list, int index)
{
    int item = literal_item(values, list, index);
    return item < 0 ? 0 : literal_at(values, item)->integer;
}
