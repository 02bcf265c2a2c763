/* words: see words.h. */
#include "query/page/words.h"

#include "query/sink/heading.h"

#include <string.h>

/* Endings of names that say what the unit says. */
static bool is_unit(struct view ending, const char *unit)
{
    if (strcmp(unit, "%") == 0)
        return view_equal(ending, VIEW("percent")) || view_equal(ending, VIEW("pct"));
    return *unit && view_equal(ending, view_of(unit));
}

/* How much of a heading is shown: that of SQL goes without its unit. */
static size_t shown_length(const struct column *column)
{
    const char *heading = column->heading, *last = strrchr(heading, '_');
    bool is_plain = strcmp(heading, column->name) == 0;
    return is_plain && last && last > heading && is_unit(view_of(last + 1), column->unit)
               ? (size_t)(last - heading)
               : strlen(heading);
}

void words_add_heading(struct text *out, const struct column *column)
{
    const char *heading = column->heading;
    bool is_plain = strcmp(heading, column->name) == 0;
    for (size_t i = 0; i < shown_length(column); i++)
        text_add_byte(out, is_plain && heading[i] == '_' ? ' ' : heading[i]);
}

const char *words_of_unit(const char *unit)
{
    return strcmp(unit, "us") == 0 ? "\xC2\xB5s" : unit;
}

const char *words_unit(const struct column *column)
{
    bool is_taken = shown_length(column) < strlen(column->heading);
    bool is_rate = strstr(column->heading, "FLOPS") && strstr(column->unit, "FLOP");
    return words_of_unit(is_taken ? column->unit : is_rate ? "" : heading_unit(column));
}
