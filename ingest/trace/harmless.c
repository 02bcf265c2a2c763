/* harmless: a key stands in quotes behind the bracket of its row. The view run_label holds what it
 * is given against the same rules, for values that were kept on demand. */
#include "ingest/trace/harmless.h"

#include "sql/build/embed.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { VALUE_MAX = 128, VERSION_MAX = 64 };

static bool contains_any(struct view text, const char *const *words)
{
    while (*words && !view_contains_ignoring_case(text, *words))
        words++;
    return *words != NULL;
}

bool harmless_key(struct view key, bool *is_pattern)
{
    static const char *const secrets[] = {"token", "secret", "passw", "user", "\\", NULL};
    *is_pattern = false;
    if (contains_any(key, secrets))
        return false;
    for (int i = 0; i < sql_file_count; i++) {
        const char *at = sql_files[i].text;
        if (strcmp(sql_files[i].path, "catalog/identity_key.sql") != 0)
            continue;
        while ((at = strstr(at, "('"))) {
            at += 2;
            struct view own = {at, strcspn(at, "'")};
            if (view_equal(key, own))
                return true;
            size_t ending = own.length - 1; /* behind the star */
            *is_pattern |= *at == '*' && key.length > ending &&
                           memcmp(key.bytes + key.length - ending, at + 1, ending) == 0;
        }
    }
    return *is_pattern;
}

bool harmless_value(struct view value, bool is_version)
{
    static const char *const signs[] = {
        "/home/", "/users/", "token=", "secret=", "passw", ".py", NULL};
    if (!value.length || value.length > VALUE_MAX)
        return false;

    /* Paths of all systems have the same strokes, and nothing before them. */
    char plain[VALUE_MAX + 1];
    size_t length = 0;
    bool is_command = false;
    for (size_t i = 0; i < value.length; i++)
        if (length || !strchr(" \t\r\n\"'", value.bytes[i]))
            plain[length++] = value.bytes[i] == '\\' ? '/' : value.bytes[i];
    plain[length] = '\0';
    for (size_t i = 0; i + 1 < length; i++) /* an option, behind a space or at the front */
        is_command |= plain[i] == '-' && (!i || plain[i - 1] == ' ') && plain[i + 1] != ' ';
    if (is_version) {
        /* A version begins with a digit; what stands behind it is no sentence. */
        static const char others[] =
            "0123456789.+_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        return length <= VERSION_MAX && strspn(plain, others) == length &&
               isdigit((unsigned char)plain[plain[0] == 'v' || plain[0] == 'V']);
    }
    const char *address = strstr(plain, "://");
    bool is_drive = isalpha((unsigned char)plain[0]) && plain[1] == ':';
    bool is_path = !length || strchr("/~", plain[0]) || is_drive ||
                   strncasecmp(plain, "file:", strlen("file:")) == 0;
    return !is_path && !is_command && !(address && strpbrk(address, "@?")) &&
           !contains_any((struct view){plain, length}, signs);
}
