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

/* The end of a text, a quoted name or a comment that begins at `at`; else `at` itself. */
static inline const char *statement_skip_quoted(const char *at)
{
    const char *end = at;
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*')
        end = strstr(at + 2, "*/"), end = end ? end + 2 : at + strlen(at);
    else if (*at && strchr("'\"`[", *at))
        end = strchr(at + 1, *at == '[' ? ']' : *at), end = end ? end + 1 : at + strlen(at);
    return end;
}
