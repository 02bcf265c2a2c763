/* gate_rules: see gate_rules.h. */
#include "query/compare/gate_rules.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_DIRECTION };

static const struct {
    const char *name;
    enum field_kind kind;
    size_t offset;
    double most; /* of a number */
} fields[] = {
    {"level", FIELD_TEXT, offsetof(struct gate_rule, level), 0},
    {"key", FIELD_TEXT, offsetof(struct gate_rule, key), 0},
    {"metric", FIELD_TEXT, offsetof(struct gate_rule, metric), 0},
    {"direction", FIELD_DIRECTION, offsetof(struct gate_rule, direction), 0},
    {"relative", FIELD_NUMBER, offsetof(struct gate_rule, relative), INFINITY},
    {"absolute", FIELD_NUMBER, offsetof(struct gate_rule, absolute), INFINITY},
    {"share", FIELD_NUMBER, offsetof(struct gate_rule, share), 100},
    {"alpha", FIELD_NUMBER, offsetof(struct gate_rule, alpha), 1},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields, COLUMNS_MAX = 32 };

struct reading {
    const char *path;
    int line;
    char separator;           /* a comma, or a tab */
    int columns[COLUMNS_MAX]; /* of the file: places in fields */
    size_t column_count;
    struct text field;
    struct error *error;
};

static struct gate_rule *add_rule(gate_rules *self, int line)
{
    struct gate_rule *rule = array_push(self);
    *rule = (struct gate_rule){
        .relative = NAN, .absolute = NAN, .share = NAN, .alpha = NAN, .line = line};
    return rule;
}

static bool fail(const struct reading *self, const char *what)
{
    return error_set(self->error, STATUS_USAGE, "%s:%d: %s: '%.200s'", self->path, self->line, what,
                     self->field.items);
}

/* The next field of a line, without its quotes and the blanks around it. */
static bool next_field(struct reading *self, const char **at, const char *end)
{
    enum { PLAIN, QUOTED, CLOSED } state = PLAIN;
    text_clear(&self->field);
    while (*at < end && **at == ' ')
        (*at)++;
    text_add(&self->field, "", 0);
    for (; *at < end && (state == QUOTED || **at != self->separator); (*at)++) {
        bool is_quote = **at == '"';
        if (is_quote && state == QUOTED && *at + 1 < end && (*at)[1] == '"')
            text_add_byte(&self->field, *(*at)++);
        else if (is_quote && state == QUOTED)
            state = CLOSED;
        else if (is_quote && state == PLAIN && !self->field.count)
            state = QUOTED;
        else if (state != CLOSED)
            text_add_byte(&self->field, **at);
        else if (!strchr(" \r\t", **at))
            return fail(self, "there is more behind the end of a quote");
    }
    if (state == QUOTED)
        return fail(self, "a quote has no end");
    *at += *at < end;
    while (self->field.count && strchr(" \r\t", self->field.items[self->field.count - 1]))
        self->field.items[--self->field.count] = '\0';
    return true;
}

static bool has_column(const struct reading *self, int place)
{
    for (size_t i = 0; i < self->column_count; i++)
        if (self->columns[i] == place)
            return true;
    return false;
}

static bool read_header(struct reading *self, const char *at, const char *end)
{
    self->separator = memchr(at, '\t', (size_t)(end - at)) ? '\t' : ',';
    while (at < end) {
        if (!next_field(self, &at, end))
            return false;
        int place = 0;
        while (place < FIELD_COUNT && strcmp(fields[place].name, self->field.items) != 0)
            place++;
        if (place == FIELD_COUNT || self->column_count == COLUMNS_MAX)
            return fail(self, "rules have no such column (level, key, metric, direction, relative, "
                              "absolute, share, alpha)");
        if (has_column(self, place))
            return fail(self, "this column is there twice");
        self->columns[self->column_count++] = place;
    }
    return true;
}

static bool take_field(const struct reading *self, struct gate_rule *rule, int place)
{
    const char *text = self->field.items;
    void *to = (char *)rule + fields[place].offset;
    char *end;
    if (!*text)
        return true;
    switch (fields[place].kind) {
    case FIELD_TEXT:
        memory_free(*(char **)to);
        *(char **)to = memory_text(text);
        return *(char **)to || error_memory(self->error);
    case FIELD_DIRECTION:
        *(int *)to = strcmp(text, "up") == 0 ? 1 : -1;
        return strcmp(text, "up") == 0 || strcmp(text, "down") == 0 ||
               fail(self, "the direction that is worse is up or down");
    case FIELD_NUMBER:
        break;
    }
    *(double *)to = strtod(text, &end);
    end += *end == '%';
    double number = *(double *)to;
    if (!(!*end && isfinite(number) && number >= 0))
        return fail(self, "that is no number from 0");
    return number <= fields[place].most ||
           fail(self, place == FIELD_COUNT - 1 ? "alpha is at most 1" : "a share is at most 100 %");
}

static bool read_rule(struct reading *self, gate_rules *rules, const char *at, const char *end)
{
    struct gate_rule *rule = add_rule(rules, self->line);
    bool done = true;
    rule->path = self->path;
    for (size_t i = 0; done && at < end; i++) {
        done = next_field(self, &at, end);
        if (done && i >= self->column_count && *self->field.items)
            return fail(self, "there are more fields than columns");
        done = done && (i >= self->column_count || take_field(self, rule, self->columns[i]));
    }
    return done;
}

bool gate_rules_read(gate_rules *self, const char *text, const char *path, struct error *error)
{
    struct reading reading = {.path = path, .error = error};
    size_t before = self->count;
    bool done = true;
    for (const char *at = text; *at && done;) {
        const char *end = at + strcspn(at, "\n");
        reading.line++;
        if (at[strspn(at, " \r\t")] != '#' && at + strspn(at, " \r\t") < end)
            done = reading.column_count ? read_rule(&reading, self, at, end)
                                        : read_header(&reading, at, end);
        at = end + (*end == '\n');
    }
    text_free(&reading.field);
    if (done && self->count == before)
        done = error_set(error, STATUS_USAGE, "%s: there are no rules in it", path);
    return done;
}

/* Waiting is no work of any row: the time of a step, and from the first to the last GPU activity.
 */
static bool add_end_to_end(gate_rules *self, double relative)
{
    static const double usual_end_to_end = 2;
    static const char *const rows[][2] = {{"timeline", "total_time"}, {"step", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_rule *rule = add_rule(self, 0);
        rule->relative = isnan(relative) ? usual_end_to_end : relative;
        rule->level = memory_text(rows[i][0]);
        rule->key = rows[i][1] ? memory_text(rows[i][1]) : NULL;
        rule->may_lack = true;
        if ((rows[i][1] && !rule->key))
            return false;
    }
    return true;
}

bool gate_rules_usual(gate_rules *self, const char *level, double relative)
{
    for (int i = 0; i < 2; i++) {
        struct gate_rule *rule = add_rule(self, 0);
        rule->relative = relative;
        rule->level = level ? memory_text(level) : NULL;
        rule->key = i ? memory_text("*") : NULL;
        if ((level && !rule->level) || (i && !rule->key))
            return false;
    }
    return level || add_end_to_end(self, relative);
}

void gate_rules_free(gate_rules *self)
{
    for (size_t i = 0; i < self->count; i++) {
        memory_free(self->items[i].level);
        memory_free(self->items[i].key);
        memory_free(self->items[i].metric);
    }
    array_free(self);
}
