/* regexp: regular expressions (Perl's, by PCRE2).
 *
 *     text REGEXP pattern                      1 when the pattern matches anywhere, else 0
 *     regexp(pattern, text)                    the same
 *     regexp_substr(text, pattern [, group])   what the whole pattern or one group matched
 *     regexp_fields(text, pattern)             JSON: what the named groups matched
 *     regexp_mean(text, pattern)               mean of the numbers that the groups matched
 *
 *     SELECT 'nvjet_tst_128x8' REGEXP '^nvjet'                             -> 1
 *     SELECT regexp_substr('Cijk_MT64x32x16', 'MT(\d+)x(\d+)', 2)          -> '32'
 *
 *     SELECT regexp_fields('step 7', '(?<what>\w+) (?<n>\d+)')             -> {"n":7,"what":"step"}
 *     SELECT regexp_mean('seq4 seq8', 'seq(\d+)')                          -> 6.0
 *
 * NULL for a NULL argument; all but REGEXP also when nothing matches. A pattern that cannot be
 * compiled and a group that does not exist are errors. A search that takes too many steps is one in
 * a short text, where the pattern is at fault; a long text does not match then, because no name in
 * a trace may end a whole output.
 */
#include "sql/functions/plain.h"
#include "src/base/hash.h"
#include "src/base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Steps after which a search is given up: a hostile pattern must not hang a report. */
enum { STEPS_MAX = 1000000 };

/* When a search of a text up to this length takes too many steps, the pattern is at fault; in a
 * longer text, the text is. */
enum { SHORT_TEXT = 256 };

/* Searches after which a pattern is worth being translated for the processor. */
enum { USES_TO_TRANSLATE = 4 };

static const char too_many_steps[] = "regular expression: the search takes too many steps";

static void free_code(void *code)
{
    pcre2_code_free(code);
}

static pcre2_code *compile(sqlite3_context *context, const unsigned char *pattern, size_t length)
{
    int error;
    PCRE2_SIZE place;
    pcre2_code *code = pcre2_compile(pattern, (PCRE2_SIZE)length,
                                     PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &place, NULL);
    if (code)
        return code;
    unsigned char reason[128];
    char message[200];
    pcre2_get_error_message(error, reason, sizeof reason);
    sqlite3_snprintf(sizeof message, message, "regular expression: %s at character %d", reason,
                     (int)place + 1);
    sqlite3_result_error(context, message, -1);
    if (error == PCRE2_ERROR_HEAP_FAILED)
        sqlite3_result_error_nomem(context);
    return NULL;
}

/* Patterns that stand in rows come again with every row: a connection keeps what it has compiled,
 * each in one of a few places. */
struct patterns {
    struct pattern {
        char *text;
        size_t length;
        pcre2_code *code;
        unsigned uses;
    } places[512];
};

static void free_patterns(void *pointer)
{
    struct patterns *self = pointer;
    for (size_t i = 0; i < sizeof self->places / sizeof *self->places; i++) {
        memory_free(self->places[i].text);
        pcre2_code_free(self->places[i].code);
    }
    memory_free(self);
}

/* Places that a pattern may have, so that those in use at one time do not drive each other out. */
enum { NEIGHBOURS = 8 };

static bool holds(const struct pattern *place, const unsigned char *pattern, size_t length)
{
    return place->code && place->length == length && memcmp(place->text, pattern, length) == 0;
}

/* Where a connection keeps a pattern. */
static struct pattern *place_of(struct context *self, const unsigned char *pattern, size_t length)
{
    struct patterns *patterns = context_kept(self, free_patterns);
    if (!patterns)
        context_keep(self, patterns = memory_zeroed(1, sizeof *patterns), free_patterns);
    size_t count = sizeof patterns->places / sizeof *patterns->places;
    size_t first = hash64(pattern, length, 0) % count;
    for (size_t i = 0; i < NEIGHBOURS; i++) {
        struct pattern *place = &patterns->places[(first + i) % count];
        if (!place->code || holds(place, pattern, length))
            return place;
    }
    return &patterns->places[first];
}

/* The compiled pattern in an argument; without a place to keep it, it is kept for as long as the
 * argument is a constant, which the caller has to say. NULL when one of the first two arguments
 * is, and when an error is the result. */
static pcre2_code *compiled(sqlite3_context *context, sqlite3_value **arguments, int which,
                            bool *kept)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL ||
        sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return NULL;
    const unsigned char *pattern = sqlite3_value_text(arguments[which]);
    size_t length = (size_t)sqlite3_value_bytes(arguments[which]);
    struct context *owner = function_context(context);
    struct memory *before = memory_enter(owner ? &owner->memory : memory_in_use());
    struct pattern *place = owner ? place_of(owner, pattern, length) : NULL;
    char *copy =
        place && !holds(place, pattern, length) ? memory_part((const char *)pattern, length) : NULL;
    memory_enter(before);
    pcre2_code *code = place ? NULL : sqlite3_get_auxdata(context, which);
    *kept = code != NULL;
    if (place && holds(place, pattern, length)) {
        *kept = true;
        if (++place->uses == USES_TO_TRANSLATE)
            pcre2_jit_compile(place->code, PCRE2_JIT_COMPLETE); /* else it works as it is */
        return place->code;
    }
    if (!code)
        code = compile(context, pattern, length);
    if (!place || !code) {
        memory_free(copy);
        return code;
    }
    memory_free(place->text);
    pcre2_code_free(place->code);
    *place = (struct pattern){copy, length, code, 1};
    *kept = true;
    return code;
}

/* Translated patterns have little room of their own; where it is not enough, they run as they are.
 */
static int match_at(const pcre2_code *code, const char *text, size_t length, size_t at,
                    pcre2_match_data *match, pcre2_match_context *limits)
{
    int groups = pcre2_match(code, (PCRE2_SPTR)text, length, at, 0, match, limits);
    return groups == PCRE2_ERROR_JIT_STACKLIMIT
               ? pcre2_match(code, (PCRE2_SPTR)text, length, at, PCRE2_NO_JIT, match, limits)
               : groups;
}

/* Reports what ended a search, unless it is given up in a long text: true, there is no match. */
static bool is_no_match(sqlite3_context *context, int result, size_t length)
{
    bool is_given_up = result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_HEAPLIMIT ||
                       result == PCRE2_ERROR_DEPTHLIMIT || result == PCRE2_ERROR_JIT_STACKLIMIT;
    if (result == PCRE2_ERROR_NOMATCH || (is_given_up && length > SHORT_TEXT))
        return true;
    if (result == PCRE2_ERROR_NOMEMORY)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_error(context, too_many_steps, -1);
    return false;
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
    const char *bytes = (const char *)sqlite3_value_text(text);
    size_t length = (size_t)sqlite3_value_bytes(text);
    int groups = match_at(code, bytes, length, 0, match, limits);
    pcre2_match_context_free(limits);
    return groups < 0 && is_no_match(context, groups, length) ? 0 : groups;
}

static SQL_FUNCTION(regexp_match)
{
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

static SQL_FUNCTION(regexp_substr)
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

/* ------------------------------------------------------------------ numbers, fields */

/* A number as JSON takes it: digits without a leading zero, few enough for an integer. */
static bool regexp_is_number(const char *text, size_t length)
{
    return length > 0 && length < 19 && (text[0] != '0' || length == 1) &&
           strspn(text, "0123456789") >= length;
}

/* Adds the named groups that took part, in the order of their names. */
static void add_fields(const pcre2_code *code, const char *text, const PCRE2_SIZE *ends,
                       struct text *out)
{
    uint32_t count = 0, width = 0;
    PCRE2_SPTR names = NULL;
    pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &width);
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &names);
    text_add_byte(out, '{');
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *entry = names + (size_t)i * width;
        const PCRE2_SIZE *end = ends + 2 * (entry[0] << 8 | entry[1]);
        if (end[0] == PCRE2_UNSET)
            continue;
        struct view found = {text + end[0], end[1] - end[0]};
        text_format(out, "%s\"%s\":", out->count > 1 ? "," : "", (const char *)entry + 2);
        if (regexp_is_number(found.bytes, found.length))
            text_add_view(out, found);
        else
            text_add_json(out, found);
    }
    text_add_byte(out, '}');
}

static void free_match(void *match)
{
    pcre2_match_data_free(match);
}

/* The memory in use is the call's: what has a duty goes when memory fails, too. */
static SQL_FUNCTION(regexp_fields)
{
    bool kept;
    pcre2_code *code = compiled(context, arguments, 1, &kept);
    if (!code)
        return;
    if (!kept)
        memory_at_end(free_code, code);
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    memory_at_end(free_match, match);
    struct text out = {0};
    if (search(context, code, arguments[0], match) > 0) {
        const char *text = (const char *)sqlite3_value_text(arguments[0]);
        add_fields(code, text, pcre2_get_ovector_pointer(match), &out);
        sqlite3_result_text64(context, out.items, out.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    text_free(&out);
    memory_forget(code);
    if (!kept)
        sqlite3_set_auxdata(context, 1, code, free_code);
}

static SQL_FUNCTION(regexp_mean)
{
    bool kept;
    pcre2_code *code = compiled(context, arguments, 1, &kept);
    if (!code)
        return;
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    double sum = 0;
    size_t numbers = 0;
    if (!match || !limits) {
        sqlite3_result_error_nomem(context);
    } else {
        pcre2_set_match_limit(limits, STEPS_MAX);
        const char *text = (const char *)sqlite3_value_text(arguments[0]);
        size_t length = (size_t)sqlite3_value_bytes(arguments[0]);

        /* Adds up what the first group that took part in each match says. */
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match);
        int end = PCRE2_ERROR_NOMATCH;
        for (size_t at = 0; at <= length; at = ends[1] > at ? ends[1] : at + 1) {
            int groups = match_at(code, text, length, at, match, limits);
            if (groups < 0) {
                end = groups;
                break;
            }
            for (int i = 1; i < groups; i++) {
                if (ends[2 * i] == PCRE2_UNSET)
                    continue;
                double number = 0;
                for (size_t j = ends[2 * i];
                     j < ends[2 * i + 1] && text[j] >= '0' && text[j] <= '9'; j++)
                    number = number * 10 + (text[j] - '0');
                sum += number;
                numbers += number > 0;
                break;
            }
        }
        if (is_no_match(context, end, length) && numbers)
            sqlite3_result_double(context, sum / (double)numbers);
    }
    pcre2_match_context_free(limits);
    pcre2_match_data_free(match);
    if (!kept)
        sqlite3_set_auxdata(context, 1, code, free_code);
}

enum { FLAGS = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

const struct function regexp_functions[] = {
    {.name = "regexp",
     .call = "text REGEXP pattern",
     .meaning =
         "1 when the regular expression (Perl's) matches anywhere in the text, 0 when not; "
         "NULL when either is NULL. A long text in which the search takes too many steps does "
         "not match.",
     .arguments = 2,
     .flags = FLAGS,
     .scalar = regexp_match},
    SCALAR("regexp_substr", "text, pattern [, group]", 3, FLAGS, regexp_substr,
           "What the pattern, or one group of it, matched first; NULL when nothing matches or "
           "an argument is NULL.",
           .optional = 1),
    SCALAR("regexp_fields", "text, pattern", 2, FLAGS, regexp_fields,
           "What the named groups of the pattern matched, as a JSON object; groups that took "
           "no part are left out. NULL when nothing matches or an argument is NULL."),
    SCALAR("regexp_mean", "text, pattern", 2, FLAGS, regexp_mean,
           "The mean of the numbers that the groups of the pattern matched, all over the "
           "text; of each match the first group that took part, and zeros are left out. NULL "
           "without numbers or when an argument is NULL."),
    {0},
};
