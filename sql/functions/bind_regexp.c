/* bind_regexp: regular expressions (Perl's, by PCRE2).
 *
 *     text REGEXP pattern                      1 when the pattern matches anywhere, else 0
 *     regexp(pattern, text)                    the same
 *     regexp_substr(text, pattern [, group])   what the whole pattern or one group matched
 *
 *     SELECT 'nvjet_tst_128x8' REGEXP '^nvjet'                             -> 1
 *     SELECT regexp_substr('Cijk_MT64x32x16', 'MT(\d+)x(\d+)', 2)          -> '32'
 *
 * NULL for a NULL argument; regexp_substr also when nothing matches. A pattern that cannot be
 * compiled, a group that does not exist and a search that takes too many steps are errors.
 */
#include "functions.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>

SQLITE_EXTENSION_INIT3

/* Steps after which a search is given up: a hostile pattern must not hang a report. */
enum { STEPS_MAX = 1000000 };

static void free_code(void *code)
{
    pcre2_code_free(code);
}

/* The compiled pattern in an argument; it is kept for as long as the argument is a constant. */
static pcre2_code *compiled(sqlite3_context *context, sqlite3_value **arguments, int which,
                            bool *kept)
{
    pcre2_code *code = sqlite3_get_auxdata(context, which);
    *kept = code != NULL;
    if (code)
        return code;
    int error;
    PCRE2_SIZE place;
    code = pcre2_compile(sqlite3_value_text(arguments[which]),
                         (PCRE2_SIZE)sqlite3_value_bytes(arguments[which]),
                         PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &place, NULL);
    if (!code && error == PCRE2_ERROR_HEAP_FAILED) {
        sqlite3_result_error_nomem(context);
    } else if (!code) {
        unsigned char reason[128];
        pcre2_get_error_message(error, reason, sizeof reason);
        char *message =
            sqlite3_mprintf("regular expression: %s at character %d", reason, (int)place + 1);
        if (message)
            sqlite3_result_error(context, message, -1);
        else
            sqlite3_result_error_nomem(context);
        sqlite3_free(message);
    }
    return code;
}

/* Runs the search; the number of groups that took part, 0 for no match, negative after an error,
 * which is reported. */
static int search(sqlite3_context *context, pcre2_code *code, sqlite3_value *text,
                  pcre2_match_data *match)
{
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!limits || !match) {
        pcre2_match_context_free(limits);
        sqlite3_result_error_nomem(context);
        return -1;
    }
    pcre2_set_match_limit(limits, STEPS_MAX);
    int groups = pcre2_match(code, sqlite3_value_text(text), (PCRE2_SIZE)sqlite3_value_bytes(text),
                             0, 0, match, limits);
    pcre2_match_context_free(limits);
    if (groups == PCRE2_ERROR_NOMATCH)
        return 0;
    if (groups == PCRE2_ERROR_NOMEMORY)
        sqlite3_result_error_nomem(context);
    else if (groups < 0)
        sqlite3_result_error(context, "regular expression: the search takes too many steps", -1);
    return groups;
}

static void regexp_match(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL ||
        sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    bool kept;
    pcre2_code *code = compiled(context, arguments, 0, &kept);
    if (!code)
        return;
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    int groups = search(context, code, arguments[1], match);
    if (groups >= 0)
        sqlite3_result_int(context, groups > 0);
    pcre2_match_data_free(match);
    if (!kept)
        sqlite3_set_auxdata(context, 0, code, free_code);
}

static void regexp_substr(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL)
            return;
    bool kept;
    pcre2_code *code = compiled(context, arguments, 1, &kept);
    if (!code)
        return;
    uint32_t highest = 0;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &highest);
    sqlite3_int64 group = count > 2 ? sqlite3_value_int64(arguments[2]) : 0;
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    if (group < 0 || group > highest) {
        sqlite3_result_error(context, "regular expression: there is no such group", -1);
    } else if (search(context, code, arguments[0], match) > 0) {
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match) + 2 * group;
        const char *text = (const char *)sqlite3_value_text(arguments[0]);
        if (ends[0] != PCRE2_UNSET)
            sqlite3_result_text(context, text + ends[0], (int)(ends[1] - ends[0]),
                                SQLITE_TRANSIENT);
    }
    pcre2_match_data_free(match);
    if (!kept)
        sqlite3_set_auxdata(context, 1, code, free_code);
}

enum { FLAGS = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

#define SUBSTR_ROW(arity)                                                                    \
    .name = "regexp_substr", .call = "regexp_substr(text, pattern [, group])",               \
    .meaning =                                                                               \
        "What the pattern, or one group of it, matched first; NULL when nothing matches or " \
        "an argument is NULL.",                                                              \
    .kind = FUNCTION_SCALAR, .arguments = arity, .flags = FLAGS, .scalar = regexp_substr

const struct function regexp_functions[] = {
    {.name = "regexp",
     .call = "text REGEXP pattern",
     .meaning = "1 when the regular expression (Perl's) matches anywhere in the text, 0 when not; "
                "NULL when either is NULL.",
     .kind = FUNCTION_SCALAR,
     .arguments = 2,
     .flags = FLAGS,
     .scalar = regexp_match},
    {SUBSTR_ROW(2)},
    {SUBSTR_ROW(3)},
    {0},
};
