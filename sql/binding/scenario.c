/* scenario: A function for each rule of the grammar takes its text off the front. */
#include "sql/binding/scenario.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <ctype.h>
#include <pcre2.h>
#include <string.h>

/* Parts that may follow a selector's word. */
enum { TAKES_VALUE = 1, MAY_HAVE_VALUE = 2, MAY_BE_PATTERN = 4, MAY_HAVE_HOST = 8, IS_NUMBER = 16 };
enum { HAS_NO_FACTOR = 32, IS_ALONE = 64 };

static const struct word {
    const char *name;
    unsigned may;
} words[SELECTORS] = {
    [SELECT_KERNEL] = {"kernel", TAKES_VALUE | MAY_BE_PATTERN},
    [SELECT_CLASS] = {"class", TAKES_VALUE},
    [SELECT_RANK] = {"rank", TAKES_VALUE | IS_NUMBER},
    [SELECT_DEVICE] = {"device", TAKES_VALUE | IS_NUMBER},
    [SELECT_ALL] = {"all", 0},
    [SELECT_OP] = {"op", TAKES_VALUE | MAY_BE_PATTERN | MAY_HAVE_HOST},
    [SELECT_CATEGORY] = {"category", TAKES_VALUE | MAY_HAVE_HOST},
    [SELECT_MODULE] = {"module", TAKES_VALUE | MAY_HAVE_HOST},
    [SELECT_HOST] = {"host", IS_ALONE},
    [SELECT_LAUNCH] = {"launch", IS_ALONE},
    [SELECT_WAIT] = {"wait", IS_ALONE},
    [SELECT_ROOFLINE] = {"roofline", MAY_HAVE_VALUE | HAS_NO_FACTOR | IS_ALONE},
    [SELECT_HIDDEN] = {"hidden", HAS_NO_FACTOR | IS_ALONE},
    [SELECT_BALANCED] = {"balanced", HAS_NO_FACTOR | IS_ALONE},
    [SELECT_IDENTITY] = {"identity", HAS_NO_FACTOR | IS_ALONE},
};

struct parser {
    const char *at, *caller, *name;
    struct error *error;
};

static bool scenario_fail(struct parser *self, const char *what, const char *at)
{
    return error_set(self->error, STATUS_USAGE, "%s%s: %s at '%.60s'", self->caller, self->name,
                     what, at);
}

static void skip_spaces(struct parser *self)
{
    while (isspace((unsigned char)*self->at))
        self->at++;
}

/* The length of a factor that stands there, with what must be behind it; 0 = none does. */
static size_t factor_length(const char *at, const char **end)
{
    if (*at != 'x')
        return 0;
    size_t length = strspn(at + 1, "0123456789.");
    const char *behind = at + 1 + length;
    while (isspace((unsigned char)*behind))
        behind++;
    *end = behind;
    return length && (*behind == ',' || *behind == ';' || !*behind) ? length : 0;
}

/* A selector's value ends with ' & ' or with a factor. */
static size_t value_length(const char *at, unsigned may)
{
    const char *end, *from = at;
    for (; *at; at++) {
        if (!isspace((unsigned char)*at))
            continue;
        const char *next = at;
        while (isspace((unsigned char)*next))
            next++;
        if ((*next == '&' && isspace((unsigned char)next[1])) || factor_length(next, &end))
            break;
        if (may & HAS_NO_FACTOR && (*next == ',' || *next == ';' || !*next))
            break;
    }
    return (size_t)(at - from);
}

static bool is_class(const char *text)
{
    return strcmp(text, "computation") == 0 || strcmp(text, "communication") == 0 ||
           strcmp(text, "memory") == 0;
}

static bool take_value(struct parser *self, struct selector *selector, size_t length)
{
    static const char host[] = "+host";
    const char *from = self->at;
    unsigned may = words[selector->kind].may;
    self->at += length;
    size_t tail = sizeof host - 1;
    if (may & MAY_HAVE_HOST && length >= tail && memcmp(self->at - tail, host, tail) == 0) {
        selector->with_host = true;
        length -= tail;
    }
    if (!length)
        return scenario_fail(self, "a name is missing", from);
    selector->value = memory_part(from, length);
    if (may & IS_NUMBER && !(*selector->value && strlen(selector->value) < 10 &&
                             selector->value[strspn(selector->value, "0123456789")] == '\0'))
        return scenario_fail(self, "a number is expected", from);
    if (selector->is_pattern) {
        /* As REGEXP reads it. */
        int error = 0;
        PCRE2_SIZE place = 0;
        pcre2_code *code = pcre2_compile((PCRE2_SPTR)selector->value, PCRE2_ZERO_TERMINATED,
                                         PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &place, NULL);
        pcre2_code_free(code);
        if (!(code || (error == PCRE2_ERROR_HEAP_FAILED
                           ? error_memory(self->error)
                           : scenario_fail(self, "there is no such regular expression", from))))
            return false;
    }
    return selector->kind != SELECT_CLASS || is_class(selector->value) ||
           scenario_fail(self, "a class is computation, communication or memory; it stands", from);
}

static bool take_selector(struct parser *self, struct change *change)
{
    skip_spaces(self);
    size_t length = strspn(self->at, "abcdefghijklmnopqrstuvwxyz");
    unsigned kind = 0;
    while (kind < SELECTORS &&
           !(strlen(words[kind].name) == length && memcmp(words[kind].name, self->at, length) == 0))
        kind++;
    if (kind == SELECTORS)
        return scenario_fail(
            self,
            "kernel=, op=, class=, category=, module=, rank=, device=, all, host, launch, "
            "wait, roofline, hidden or balanced is expected",
            self->at);
    struct selector *selector = array_push(&change->selectors);
    *selector = (struct selector){.kind = (enum selector_kind)kind};
    unsigned may = words[kind].may;
    const char *word = self->at;
    self->at += length;
    bool is_pattern = *self->at == '~' && may & MAY_BE_PATTERN;
    if (is_pattern || (*self->at == '=' && may & TAKES_VALUE)) {
        selector->is_pattern = is_pattern;
        self->at++;
        if (!take_value(self, selector, value_length(self->at, may)))
            return false;
    } else if (*self->at == ':' && may & MAY_HAVE_VALUE) {
        self->at++;
        if (!take_value(self, selector, strcspn(self->at, ",; ")))
            return false;
    } else if (may & TAKES_VALUE)
        return scenario_fail(self, "'=' and a name are missing", word);
    skip_spaces(self);
    return true;
}

static bool take_factor(struct parser *self, struct factor *factor)
{
    const char *end, *from = self->at;
    size_t length = factor_length(from, &end);
    bool is_decimal = false, has_digit = false;
    *factor = (struct factor){0, 1};
    if (!length)
        return scenario_fail(self, "a factor like x0.5 is expected", from);
    for (size_t i = 1; i <= length; i++) {
        if (from[i] == '.' && is_decimal)
            return scenario_fail(self, "a factor has two points", from);
        if (from[i] == '.') {
            is_decimal = true;
            continue;
        }
        has_digit = true;
        factor->up = factor->up * 10 + (from[i] - '0');
        factor->down *= is_decimal ? 10 : 1;
        if (factor->up > 1000000000000 || factor->down > 1000000000)
            return scenario_fail(self, "a factor has at most 9 digits behind the point", from);
    }
    if (!has_digit || factor->up > 1000 * factor->down)
        return scenario_fail(self, "a factor is a number from 0 to 1000", from);
    self->at = end;
    return true;
}

static bool take_change(struct parser *self, struct scenario *scenario)
{
    struct change *change = array_push(&scenario->changes);
    *change = (struct change){.factor = {0, 1}};
    const char *from = self->at;
    unsigned may = 0;
    do {
        self->at += change->selectors.count ? 1 : 0; /* '&' */
        if (!take_selector(self, change))
            return false;
        may |= words[change->selectors.items[change->selectors.count - 1].kind].may;
    } while (*self->at == '&');
    if (may & IS_ALONE && change->selectors.count > 1)
        return scenario_fail(self, "only work can be selected in several ways at once", from);
    if (may & HAS_NO_FACTOR)
        return true;
    return take_factor(self, &change->factor);
}

static bool take_scenario(struct parser *self, scenario_list *list)
{
    struct scenario *scenario = array_push(list);
    *scenario = (struct scenario){0};
    skip_spaces(self);
    const char *from = self->at;
    do {
        self->at += *self->at == ',' ? 1 : 0;
        if (!take_change(self, scenario))
            return false;
    } while (*self->at == ',');
    if (*self->at && *self->at != ';')
        return scenario_fail(self, "',' or ';' is expected", self->at);
    size_t length = (size_t)(self->at - from);
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    scenario->text = memory_part(from, length);
    return true;
}

bool scenario_parse(scenario_list *self, const char *text, const char *caller, const char *name,
                    struct error *error)
{
    struct parser parser = {text, caller, name, error};
    bool done = take_scenario(&parser, self);
    while (done && *parser.at == ';') {
        parser.at++;
        skip_spaces(&parser);
        done = !*parser.at || take_scenario(&parser, self);
    }
    return done;
}

void scenario_free(scenario_list *self)
{
    for (size_t i = 0; i < self->count; i++) {
        struct scenario *scenario = &self->items[i];
        for (size_t j = 0; j < scenario->changes.count; j++) {
            struct change *change = &scenario->changes.items[j];
            for (size_t k = 0; k < change->selectors.count; k++)
                memory_free(change->selectors.items[k].value);
            array_free(&change->selectors);
        }
        array_free(&scenario->changes);
        memory_free(scenario->text);
    }
    array_free(self);
}

const struct factor factor_same = {1, 1};

bool factor_is_same(struct factor factor)
{
    return factor.up == factor.down;
}

/* Products stay within numbers that can be multiplied again: 30 bits are kept of larger ones. */
struct factor factor_times(struct factor a, struct factor b)
{
    if (factor_is_same(a))
        return b;
    if (factor_is_same(b))
        return a;
    while (a.up > INT32_MAX || a.down > INT32_MAX)
        a = (struct factor){a.up / 2, a.down / 2 ? a.down / 2 : 1};
    while (b.up > INT32_MAX || b.down > INT32_MAX)
        b = (struct factor){b.up / 2, b.down / 2 ? b.down / 2 : 1};
    return (struct factor){a.up * b.up, a.down * b.down};
}

int64_t factor_of(struct factor factor, int64_t time)
{
    if (time <= 0)
        return time;
    __extension__ __int128 scaled = (__int128)time * factor.up / factor.down;
    return scaled > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)scaled;
}
