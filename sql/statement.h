/* statement: where a statement of SQL ends; for the build tool, too. */
#pragma once

#include <stddef.h>
#include <string.h>

/* Length of the first statement of a text, without its semicolon. */
static inline size_t statement_length(const char *text)
{
    const char *at = text;
    while (*(at += strcspn(at, ";-'\"")) && *at != ';') {
        if (at[0] == '-' && at[1] == '-')
            at += strcspn(at, "\n");
        else if (*at != '-')
            at += 1 + strcspn(at + 1, *at == '\'' ? "'" : "\"");
        if (*at)
            at++;
    }
    return (size_t)(at - text);
}
