/* option: A whole name wins over a beginning. A beginning that fits several options means the
 * preferred one, and an option that is shy only when no other fits. A word that is an option of the
 * verb is never taken as a value. Values keep the order of the command line; the last one counts
 * where one is asked for. */
#include "src/command/option.h"

#include "src/base/text.h"

#include <string.h>

/* ------------------------------------------------------------------ names */

/* '-' and '_' are the same in options. */
static bool same_option(const char *name, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = word[i] == '_' ? '-' : word[i];
        if (name[i] == '\0' || name[i] != c)
            return false;
    }
    return true;
}

static bool unknown_option(const struct verb *verb, const char *word, size_t length,
                           struct error *error)
{
    enum { NAMES_MAX = 200 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (const struct option *option = verb->options; option->name && count < NAMES_MAX; option++)
        names[count++] = option->name;
    char bare[64];
    size_t size = length < sizeof bare - 1 ? length : sizeof bare - 1;
    memcpy(bare, word, size);
    bare[size] = '\0';
    const char *near = nearest_name(bare, names, count);
    if (near)
        return error_set(error, STATUS_USAGE, "tpq %s: unknown option --%.*s; did you mean --%s?",
                         verb->name, (int)length, word, near);
    return error_set(error, STATUS_USAGE, "tpq %s: unknown option --%.*s; see tpq %s --help",
                     verb->name, (int)length, word, verb->name);
}

bool option_is_in(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

/* An option by its whole name or by a beginning that no other option has. */
static const struct option *find_long(const struct verb *verb, const char *word, size_t length,
                                      struct error *error)
{
    const struct option *found = NULL, *preferred = NULL, *shy = NULL;
    bool several = false, several_preferred = false;
    for (const struct option *option = verb->options; option->name; option++) {
        if (!same_option(option->name, word, length))
            continue;
        if (option->name[length] == '\0')
            return option;
        if (option_is_in(verb->shy, option->name)) {
            shy = option;
            continue;
        }
        several |= found != NULL;
        found = option;
        if (option_is_in(verb->preferred, option->name)) {
            several_preferred |= preferred != NULL;
            preferred = option;
        }
    }
    if (several && preferred && !several_preferred)
        return preferred;
    if (several) {
        /* Names what a beginning may mean, as many as help. */
        enum { NAMED = 8 };
        struct text names = {0};
        size_t count = 0;
        for (const struct option *option = verb->options; option->name; option++)
            if (same_option(option->name, word, length) && ++count <= NAMED)
                text_format(&names, "%s--%s", names.count ? ", " : "", option->name);
        if (count > NAMED)
            text_format(&names, " and %zu more", count - NAMED);
        error_set(error, STATUS_USAGE, "tpq %s: option --%.*s may mean %s", verb->name, (int)length,
                  word, names.items);
        return NULL;
    }
    found = found ? found : shy;
    if (!found)
        unknown_option(verb, word, length, error);
    return found;
}

static const struct option *find_letter(const struct verb *verb, char letter, struct error *error)
{
    for (const struct option *option = verb->options; option->name; option++)
        if (option->letter == letter)
            return option;
    error_set(error, STATUS_USAGE, "tpq %s: unknown option -%c; see tpq %s --help", verb->name,
              letter, verb->name);
    return NULL;
}

/* ------------------------------------------------------------------ values */

static bool names_file(const struct option *option)
{
    return strstr(option->argument, "FILE") || strcmp(option->argument, "DIRECTORY") == 0 ||
           strcmp(option->argument, "(X)") == 0;
}

/* Each word of a LIST must be one of the choices. */
static bool is_option_choice(const struct option *option, const char *value)
{
    if (strcmp(option->argument, "LIST") != 0)
        return option_is_in(option->choices, value);
    for (;; value++) {
        char word[32] = {0};
        size_t length = strcspn(value, ",");
        memcpy(word, value, length < sizeof word ? length : sizeof word - 1);
        if (!option_is_in(option->choices, word))
            return false;
        value += length;
        if (!*value)
            return true;
    }
}

static bool add_option_value(struct arguments *self, const struct option *option, const char *value,
                             bool is_word, struct error *error)
{
    if (option->choices && value && !is_option_choice(option, value)) {
        for (const struct gone *gone = self->verb->gone; gone && gone->option; gone++)
            if (strcmp(gone->option, option->name) == 0 && option_is_in(gone->values, value))
                return error_set(error, STATUS_USAGE, "tpq %s: %s", self->verb->name, gone->reason);
        return error_set(error, STATUS_USAGE, "tpq %s: --%s cannot be '%s'; it is one of: %s",
                         self->verb->name, option->name, value, option->choices);
    }
    if (value && !*value && names_file(option))
        return error_set(error, STATUS_USAGE, "tpq %s: --%s needs the name of a file",
                         self->verb->name, option->name);
    array_add(&self->values, (struct argument_value){option, value, is_word});
    return true;
}

static bool has_optional_value(const struct option *option)
{
    return option->argument && option->argument[0] == '[';
}

/* True if a word is an option of the verb, in whole or by its beginning. */
static bool is_option(const struct verb *verb, const char *word)
{
    size_t length = strcspn(word, "=");
    if (word[0] != '-' || !word[1])
        return false;
    for (const struct option *option = verb->options; option->name; option++)
        if (word[1] == '-' ? length > 2 && same_option(option->name, word + 2, length - 2)
                           : option->letter == word[1] && !word[2])
            return true;
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Takes the value that stands in the next word, if the option wants one. */
static bool take_option_value(struct arguments *self, const struct option *option, int count,
                              char *const *words, int *at, struct error *error)
{
    const char *word = option->argument && *at + 1 < count ? words[*at + 1] : NULL;
    bool is_lone = word && strcmp(word, "-") == 0; /* standard output */
    if (!option->argument || (has_optional_value(option) && !is_lone))
        return add_option_value(self, option, NULL, false, error);

    /* An option is no value of the one before it; no file is taken to be called like one, either.
     * `--html=-x` and `--html ./-x` say that it is meant. */
    bool is_there =
        word && !(is_option(self->verb, word) || (names_file(option) && word[0] == '-' && word[1]));
    if (!is_there && option->argument[0] == '(')
        return add_option_value(self, option, NULL, false, error);
    if (!is_there && word)
        return error_set(error, STATUS_USAGE,
                         "tpq %s: --%s needs a value (%s), and '%s' is an option; --%s=%s if it is "
                         "meant",
                         self->verb->name, option->name, option->argument, word, option->name,
                         word);
    if (!is_there)
        return error_set(error, STATUS_USAGE, "tpq %s: --%s needs a value (%s)", self->verb->name,
                         option->name, option->argument);
    if (!add_option_value(self, option, words[++*at], true, error))
        return false;
    const char *dots = strstr(option->argument, "...");
    while (dots && !dots[3] && *at + 1 < count && words[*at + 1][0] != '-')
        if (!add_option_value(self, option, words[++*at], true, error))
            return false;
    return true;
}

static bool parse_long(struct arguments *self, int count, char *const *words, int *at,
                       struct error *error)
{
    const char *word = words[*at] + 2;
    size_t length = strcspn(word, "=");
    const struct option *option = find_long(self->verb, word, length, error);
    if (!option)
        return false;
    if (word[length] != '=')
        return take_option_value(self, option, count, words, at, error);
    if (!option->argument)
        return error_set(error, STATUS_USAGE, "tpq %s: --%s takes no value", self->verb->name,
                         option->name);
    return add_option_value(self, option, word + length + 1, false, error);
}

static bool parse_letters(struct arguments *self, int count, char *const *words, int *at,
                          bool *help, struct error *error)
{
    for (const char *letter = words[*at] + 1; *letter; letter++) {
        if (*letter == 'h') {
            *help = true;
            return true;
        }
        const struct option *option = find_letter(self->verb, *letter, error);
        if (!option)
            return false;
        if (option->argument && !has_optional_value(option) && letter[1])
            return add_option_value(self, option, letter + 1, false, error);
        if (!take_option_value(self, option, count, words, at, error))
            return false;
    }
    return true;
}

/* --help may be shortened like the options in the table, as long as none of them begins so. */
static bool is_help(const struct verb *verb, const char *word)
{
    size_t length = strlen(word);
    if (strcmp(word, "--help") == 0)
        return true;
    if (length < 3 || strncmp(word, "--help", length) != 0)
        return false;
    for (const struct option *option = verb->options; option->name; option++)
        if (same_option(option->name, word + 2, length - 2))
            return false;
    return true;
}

bool arguments_parse(struct arguments *self, const struct verb *verb, int count, char *const *words,
                     bool *help, struct error *error)
{
    *self = (struct arguments){.verb = verb};
    *help = false;
    bool only_operands = false;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        bool done = true;
        if (only_operands || word[0] != '-' || word[1] == '\0')
            array_add(&self->operands, word);
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (is_help(verb, word))
            *help = true;
        else if (word[1] == '-')
            done = parse_long(self, count, words, &i, error);
        else
            done = parse_letters(self, count, words, &i, help, error);
        if (!done || *help)
            return done;
    }
    return true;
}

bool arguments_has(const struct arguments *self, const char *option)
{
    for (size_t i = 0; i < self->values.count; i++)
        if (strcmp(self->values.items[i].option->name, option) == 0)
            return true;
    return false;
}

const char *arguments_any(const struct arguments *self, const char *options)
{
    for (const char *at = options; *at; at += strcspn(at, " "), at += strspn(at, " "))
        for (size_t i = 0; i < self->values.count; i++) {
            const char *name = self->values.items[i].option->name;
            if (view_equal(view_of(name), (struct view){at, strcspn(at, " ")}))
                return name;
        }
    return NULL;
}

const char *arguments_value(const struct arguments *self, const char *option)
{
    for (size_t i = self->values.count; i-- > 0;)
        if (strcmp(self->values.items[i].option->name, option) == 0)
            return self->values.items[i].value;
    return NULL;
}

const char **arguments_values(const struct arguments *self, const char *option)
{
    const char **values = memory_zeroed(self->values.count + 1, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < self->values.count; i++)
        if (strcmp(self->values.items[i].option->name, option) == 0)
            values[count++] = self->values.items[i].value;
    return values;
}

bool arguments_number(const struct arguments *self, const char *option, long lowest, long highest,
                      long otherwise, long *number, struct error *error)
{
    const char *value = arguments_value(self, option);
    *number = otherwise;
    if (!value)
        return true;
    char *end;
    *number = strtol(value, &end, 10);
    if (*value && !*end && *number >= lowest && *number <= highest)
        return true;
    return error_set(error, STATUS_USAGE,
                     "tpq %s: --%s must be a whole number from %ld to %ld, not '%s'",
                     self->verb->name, option, lowest, highest, value);
}
