/* options: Checks of values by type come first, then the table of all options. */
#include "sql/binding/options.h"

#include "sql/binding/scenario.h"
#include "src/base/language.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ROW(name, letter, argument, type, choices, words) \
    {name, letter, argument, OPTION_##type, choices, words, NULL, false},
#define SET(name, letter, argument, type, choices, words, standard) \
    {name, letter, argument, OPTION_##type, choices, words, standard, false},
#define TOLD(name, argument, type, words) \
    {name, 0, argument, OPTION_##type, NULL, words, NULL, true},

const struct view_option view_options[] = {EACH_VIEW_OPTION(ROW, SET, TOLD){0}};

/* Ranges of numbers. SQL reads the text again, so only texts that both read alike are allowed. */
static const struct range {
    bool is_whole;
    long least, most;
    const char *unit;
} ranges[] = {
    [OPTION_COUNT] = {true, 1, 1000000, ""},
    [OPTION_WHOLE] = {true, 0, 1000000, ""},
    [OPTION_NUMBER] = {true, -1000000000000, 1000000000000, ""},
    [OPTION_SHARE] = {false, 0, 1000000000000, ""},
    [OPTION_TIME] = {false, 0, 1000000000000, " of microseconds"},
    [OPTION_RATE] = {false, 0, 1000000000000, ""},
};

static char plain(char c)
{
    return c == '_' ? '-' : c;
}

bool view_option_same(const char *left, const char *right)
{
    while (*left && plain(*left) == plain(*right))
        left++, right++;
    return !*left && !*right;
}

const struct view_option *view_option_find(const char *name)
{
    for (const struct view_option *option = view_options; option->name; option++)
        if (view_option_same(option->name, name))
            return option;
    return NULL;
}

const char *view_option_default(const char *name)
{
    for (const struct view_option *option = view_options; option->name; option++)
        if (option->standard && view_option_same(option->name, name))
            return option->standard;
    return NULL;
}

/* Takes the next word of a list; an empty one at its end. */
static struct view next_word(const char **list)
{
    const char *word = *list + strspn(*list, " ");
    *list = word + strcspn(word, " ");
    return (struct view){word, (size_t)(*list - word)};
}

bool view_option_lists(const char *list, struct view word)
{
    for (struct view item; (item = next_word(&list)).length;)
        if (view_equal(item, word))
            return true;
    return false;
}

static bool is_choice(const struct view_option *option, const char *value)
{
    if (option->type == OPTION_WORD)
        return view_option_lists(option->choices, view_of(value));
    struct view word = next_word(&value);
    bool is_one = word.length > 0;
    for (; word.length && is_one; word = next_word(&value))
        is_one = view_option_lists(option->choices, word);
    return is_one;
}

static bool options_is_number(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)text[i]) && text[i] != ',')
            return false;
    return length > 0;
}

/* The number that digits with commas between them are, as a double: larger ones only lose digits.
 */
static double options_number_of(const char *at)
{
    double number = 0;
    for (; isdigit((unsigned char)*at) || *at == ','; at++)
        number = *at == ',' ? number : number * 10 + (*at - '0');
    return number;
}

bool view_option_accepts(const struct view_option *option, const char *value, const char *caller,
                         struct error *error)
{
    if (option->type == OPTION_FLAG || option->type >= OPTION_WORD) {
        if (option->type == OPTION_FLAG)
            return strcmp(value, "1") == 0 ||
                   error_set(error, STATUS_USAGE, "%s%s is 1 or NULL, not '%s'", caller,
                             option->name, value);
        return !option->choices || is_choice(option, value) ||
               error_set(error, STATUS_USAGE, "%s%s cannot be '%s'; it is one of: %s", caller,
                         option->name, value, option->choices);
    }
    if (option->type == OPTION_RATES) {
        /* KIND=RATE, ...: what the reports read are numbers behind names. */
        const char *at = value;
        for (bool is_last = false; !is_last; at++) {
            size_t name = strcspn(at, "=,");
            char *end = NULL;
            bool is_rate = name && at[name] == '=' && isdigit((unsigned char)at[name + 1]) &&
                           language_strtod(at + name + 1, &end) > 0 && (*end == ',' || !*end);
            if (!is_rate)
                return error_set(error, STATUS_USAGE,
                                 "%s%s must be %s with rates above 0, not '%s'", caller,
                                 option->name, option->argument, value);
            at = end;
            is_last = !*end;
        }
        return true;
    }
    if (option->type == OPTION_SCENARIOS) {
        scenario_list list = {0};
        bool done = scenario_parse(&list, value, caller, option->name, error);
        scenario_free(&list);
        return done;
    }
    if (option->type == OPTION_IDS) {
        size_t first = strcspn(value, "-"), last = value[first] ? strlen(value + first + 1) : 0;
        const char *end = value + first + 1;
        return (value[first] && (first || last) && (!first || options_is_number(value, first)) &&
                (!last || (options_is_number(end, last) &&
                           options_number_of(value) <= options_number_of(end)))) ||
               error_set(error, STATUS_USAGE,
                         "%s%s must be A-B, A- or -B, with B not below A, not '%.300s'", caller,
                         option->name, value);
    }
    if (option->type == OPTION_TURN)
        return strcmp(value, "first") == 0 || strcmp(value, "last") == 0 ||
               (options_is_number(value, strlen(value)) && *value != '0') ||
               error_set(error, STATUS_USAGE,
                         "%s%s must be first, last or a number from 1, not '%.300s'", caller,
                         option->name, value);
    const struct range *range = &ranges[option->type];
    char *end;
    if (range->is_whole) {
        long number = strtol(value, &end, 10);
        return (*value && !*end && number >= range->least && number <= range->most) ||
               error_set(error, STATUS_USAGE,
                         "%s%s must be a whole number from %ld to %ld, not '%s'", caller,
                         option->name, range->least, range->most, value);
    }
    bool is_decimal = *value && value[strspn(value, "0123456789.eE+-")] == '\0';
    double number = language_strtod(value, &end);
    return (is_decimal && !*end && number >= (double)range->least &&
            number <= (double)range->most) ||
           error_set(error, STATUS_USAGE, "%s%s must be a number%s, not '%s'", caller, option->name,
                     range->unit, value);
}
