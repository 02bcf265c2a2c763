/* parameter: see parameter.h. */
#include "query/ask/parameter.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct parameter *find_parameter(const parameter_list *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->items[i].name, name) == 0)
            return &self->items[i];
    return NULL;
}

static bool is_name(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)word[i]) && word[i] != '_')
            return false;
    return length > 0;
}

bool parameters_set(parameter_list *self, const char *words, struct error *error)
{
    words += strchr(":@$", *words) && *words; /* as SQL has them */
    const char *equals = strchr(words, '=');
    if (!equals || !is_name(words, (size_t)(equals - words)))
        return error_set(error, STATUS_USAGE, "a parameter is NAME=VALUE, not '%s'", words);
    char *name = memory_part(words, (size_t)(equals - words)), *value = memory_text(equals + 1);
    struct parameter *known = find_parameter(self, name);
    if (known) {
        memory_free(known->name);
        memory_free(known->value);
    } else
        known = array_push(self);

    if (known) {
        *known = (struct parameter){name, value};
        return true;
    }
    memory_free(name);
    memory_free(value);
    return error_memory(error);
}

void parameters_clear(parameter_list *self)
{
    for (size_t i = 0; i < self->count; i++) {
        memory_free(self->items[i].name);
        memory_free(self->items[i].value);
    }
    array_free(self);
}

/* Names and labels may be digits that begin with 0, which no number does. */
static bool begins_as_number(const char *value)
{
    const char *digits = value + (*value == '-' || *value == '+');
    return *value && strchr("+-.0123456789", *value) &&
           !(digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9');
}

/* A whole number, a real one, a text between quotes, or any other text. */
static int bind_value(sqlite3_stmt *statement, int place, const char *value)
{
    char *end;
    size_t length = strlen(value);
    errno = 0;
    long long integer = strtoll(value, &end, 10);
    bool begins = begins_as_number(value);
    if (begins && !*end && errno == 0)
        return sqlite3_bind_int64(statement, place, integer);
    double real = strtod(value, &end);
    if (begins && !*end && isfinite(real))
        return sqlite3_bind_double(statement, place, real);
    bool is_quoted = length >= 2 && value[0] == '\'' && value[length - 1] == '\'';
    return is_quoted
               ? sqlite3_bind_text(statement, place, value + 1, (int)length - 2, SQLITE_TRANSIENT)
               : sqlite3_bind_text(statement, place, value, -1, SQLITE_TRANSIENT);
}

bool parameters_bind(const parameter_list *self, sqlite3_stmt *statement, const char *name,
                     struct error *error)
{
    int count = sqlite3_bind_parameter_count(statement);
    for (int i = 1; i <= count; i++) {
        const char *parameter = sqlite3_bind_parameter_name(statement, i);
        const struct parameter *known = parameter ? find_parameter(self, parameter + 1) : NULL;
        if (!known && parameter)
            return error_set(error, STATUS_USAGE,
                             "%s: there is no value for %s; --param %s=VALUE or .param gives one",
                             name, parameter, parameter + 1);
        if (!known)
            return error_set(error, STATUS_USAGE,
                             "%s: a parameter without a name has no value; write :NAME", name);
        if (bind_value(statement, i, known->value) != SQLITE_OK)
            return error_memory(error);
    }
    return true;
}
