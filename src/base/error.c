/* error: see error.h. Sentences longer than the buffer are cut, never lost. */
#include "src/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *error, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    error->foreign = error->memory = false;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

bool error_context(struct error *error, const char *format, ...)
{
    char inner[sizeof error->text];
    memcpy(inner, error->text, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof error->text) {
        size_t used = (size_t)length;
        snprintf(error->text + used, sizeof error->text - used, ": %s", inner);
    }
    return false;
}

bool error_memory(struct error *error)
{
    error_set(error, STATUS_DATABASE, "out of memory");
    error->memory = true;
    return false;
}
