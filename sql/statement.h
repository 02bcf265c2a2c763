/* statement: the words, quotes and comments of SQL; for the build tool, too. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
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

/* The end of a text, a quoted name or a comment that begins at `at`; `at` itself where none
 * begins; NULL when it has no end. The end of a line comment may be the end of everything. */
static inline const char *statement_quoted_end(const char *at)
{
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : NULL;
    }
    if (!*at || !strchr("'\"`[", *at))
        return at;
    /* a doubled quote ends one text and begins another, which comes to the same */
    const char *end = strchr(at + 1, *at == '[' ? ']' : *at);
    return end ? end + 1 : NULL;
}

/* The same; what has no end goes to that of all. */
static inline const char *statement_skip_quoted(const char *at)
{
    const char *end = statement_quoted_end(at);
    return end ? end : at + strlen(at);
}

/* Goes behind blanks and whole comments. */
static inline const char *statement_skip_blank(const char *text, const char *blanks)
{
    for (;;) {
        text += strspn(text, blanks);
        const char *end = *text == '-' || *text == '/' ? statement_quoted_end(text) : NULL;
        if (!end || end == text)
            return text;
        text = end;
    }
}

/* Whether an expression stays within parentheses that are put around it. A line comment does where
 * they are on other lines. */
static inline bool statement_is_enclosed(const char *text, bool may_have_comments)
{
    int depth = 0;
    for (const char *end; *text && depth >= 0; text = end) {
        end = statement_quoted_end(text);
        bool is_comment = end > text && (*text == '-' || *text == '/');
        if (!end || *text == ';' || (is_comment && !may_have_comments))
            return false;
        depth += (*text == '(') - (*text == ')');
        end += end == text;
    }
    return depth == 0;
}

static inline bool statement_is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || (byte & 0x80);
}

/* Whether a name stands in a text as a word, whatever its capitals. */
static inline bool statement_names(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; length && (at = strcasestr(at, name)); at++)
        if ((at == text || !statement_is_word_byte(at[-1])) && !statement_is_word_byte(at[length]))
            return true;
    return false;
}
