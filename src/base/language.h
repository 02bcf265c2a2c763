/* language: numbers as C writes them, whatever language the program speaks that loaded us.
 *
 *     locale_t before = language_enter();
 *     snprintf(...);                        0.5, never 0,5
 *     language_leave(before);
 *
 * The extension is a guest in a process that may have called setlocale; there printf, strtod and
 * strcasecmp go by that.
 */
#pragma once

#include <locale.h>

/* That of this thread until language_leave is C's; nothing is done where numbers are so already. */
locale_t language_enter(void);
void language_leave(locale_t before);

/* strtod. */
double language_strtod(const char *text, char **end);
