/* language: see language.h. */
#include "src/base/language.h"

#include <langinfo.h>
#include <stdlib.h>

/* The C locale is there already: asking for it takes no memory. */
locale_t language_enter(void)
{
    return *nl_langinfo(RADIXCHAR) == '.' ? (locale_t)0
                                          : uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void language_leave(locale_t before)
{
    if (before)
        uselocale(before);
}

double language_strtod(const char *text, char **end)
{
    locale_t before = language_enter();
    double value = strtod(text, end);
    language_leave(before);
    return value;
}
