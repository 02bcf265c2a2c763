/* request_log: see request_log.h. */
#include "src/command/request_log.h"

#include "src/base/file.h"

#include <csv.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { COLUMN_ID, COLUMN_TIME, COLUMN_TIME_END = 4, COLUMN_COUNT = 6 };

static const char *const names[COLUMN_COUNT] = {"request_id", "arrival",       "first_token",
                                                "end",        "prompt_tokens", "output_tokens"};

struct request_log {
    const char *path;
    struct error *error;
    struct text fields; /* of the row in hand, each with a zero behind it */
    size_t count;
    size_t place[COLUMN_COUNT]; /* of the columns, from 1; 0 = not there */
    int64_t offset;
    struct text json;
    size_t line, row_line, rows; /* that is being read; where the row in hand begins */
    bool in_row, has_header, failed;
};

/* ------------------------------------------------------------------ times */

static bool push(int64_t *value, int digit)
{
    return !__builtin_mul_overflow(*value, (int64_t)10, value) &&
           !__builtin_add_overflow(*value, (int64_t)digit, value);
}

/* Digits, and perhaps a point and more digits, as a whole number of 10^-decimals; further digits
 * are dropped. False when it is none, or too large. */
static bool read_decimal(const char **text, int decimals, int64_t *out)
{
    const char *at = *text;
    bool done = isdigit((unsigned char)*at) != 0;
    *out = 0;
    for (; done && isdigit((unsigned char)*at); at++)
        done = push(out, *at - '0');
    if (*at == '.' && isdigit((unsigned char)at[1]))
        for (at++; isdigit((unsigned char)*at); at++)
            if (decimals-- > 0)
                done = done && push(out, *at - '0');
    while (decimals-- > 0)
        done = done && push(out, 0);
    *text = at;
    return done;
}

/* Exactly so many digits, in these bounds. */
static bool read_part(const char **text, int digits, int least, int most, int *out)
{
    for (*out = 0; digits-- > 0; (*text)++) {
        if (!isdigit((unsigned char)**text))
            return false;
        *out = *out * 10 + (**text - '0');
    }
    return *out >= least && *out <= most;
}

static bool read_sign(const char **text, const char *signs, char *out)
{
    *out = **text;
    return *out && strchr(signs, *out) && (*text)++;
}

/* Days from 1970 to a date of the Gregorian calendar. */
static int64_t days_to(int year, int month, int day)
{
    year -= month <= 2;
    int of_era = year % 400, of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return (int64_t)(year / 400) * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           719468;
}

static bool read_iso(const char *text, int64_t *out)
{
    int year, month, day, hour, minute, zone_hour = 0, zone_minute = 0;
    int64_t seconds;
    char sign, zone = 'Z';
    bool done = read_part(&text, 4, 1677, 2262, &year) && read_sign(&text, "-", &sign) &&
                read_part(&text, 2, 1, 12, &month) && read_sign(&text, "-", &sign) &&
                read_part(&text, 2, 1, 31, &day) && read_sign(&text, "Tt ", &sign) &&
                read_part(&text, 2, 0, 23, &hour) && read_sign(&text, ":", &sign) &&
                read_part(&text, 2, 0, 59, &minute) && read_sign(&text, ":", &sign) &&
                read_decimal(&text, 9, &seconds) && seconds < INT64_C(61000000000);
    if (done && *text && read_sign(&text, "+-Zz", &zone) && (zone == '+' || zone == '-')) {
        done = read_part(&text, 2, 0, 23, &zone_hour);
        text += *text == ':';
        done = done && (!*text || read_part(&text, 2, 0, 59, &zone_minute));
    }
    int64_t minutes = zone_hour * 60 + zone_minute;
    if (done && !*text)
        minutes = days_to(year, month, day) * 1440 + hour * 60 + minute +
                  (zone == '-' ? minutes : -minutes);
    return done && !*text && !__builtin_mul_overflow(minutes, INT64_C(60000000000), &minutes) &&
           !__builtin_add_overflow(minutes, seconds, out);
}

/* A number of seconds, ms, us or ns since 1970: years 1973 to 5138 tell them apart. */
static bool read_time(const char *text, int64_t *out)
{
    size_t digits = strspn(text, "0123456789");
    int decimals = digits < 12 ? 9 : digits < 15 ? 6 : digits < 18 ? 3 : 0;
    const char *at = text;
    return (read_decimal(&at, decimals, out) && !*at) || read_iso(text, out);
}

/* ------------------------------------------------------------------ rows */

static bool fail(struct request_log *self, int column, const char *field, const char *kind)
{
    return error_set(self->error, STATUS_USAGE, "%s: line %zu, column %s: '%.100s' is no %s",
                     self->path, self->row_line, names[column], field, kind);
}

static const char *next_field(const char *field)
{
    return field + strlen(field) + 1;
}

static bool read_header(struct request_log *self)
{
    const char *field = self->fields.items;
    for (size_t i = 0; i < self->count; i++, field = next_field(field))
        for (int k = 0; k < COLUMN_COUNT; k++)
            if (!self->place[k] && strcmp(field, names[k]) == 0)
                self->place[k] = i + 1;
    self->has_header = true;
    for (int k = 0; k < COLUMN_TIME_END; k++)
        if (!self->place[k])
            return error_set(self->error, STATUS_USAGE,
                             "%s: line %zu: no column %s; a request log has request_id, arrival, "
                             "first_token, end, and perhaps prompt_tokens, output_tokens",
                             self->path, self->row_line, names[k]);
    return true;
}

static bool add_cell(struct request_log *self, int column, const char *field)
{
    int64_t value;
    if (column == COLUMN_ID)
        return text_format_json(&self->json, "{%s:%s", names[column], field) ||
               error_memory(self->error);
    if (column < COLUMN_TIME_END) {
        if (!read_time(field, &value) || __builtin_add_overflow(value, self->offset, &value))
            return fail(self, column, field, "time");
    } else if (!*field) {
        return text_format_json(&self->json, ",%s:null", names[column]) ||
               error_memory(self->error);
    } else {
        const char *at = field;
        if (!read_decimal(&at, 0, &value) || *at || strchr(field, '.') ||
            value > INT64_C(1000000000000))
            return fail(self, column, field, "number of tokens");
    }
    /* as text: JSON readers have numbers as doubles, too coarse for these times */
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    return text_format_json(&self->json, ",%s:%s", names[column], digits) ||
           error_memory(self->error);
}

static bool add_request(struct request_log *self)
{
    bool done = !self->rows++ || text_add_byte(&self->json, ',') || error_memory(self->error);
    for (int column = 0; column < COLUMN_COUNT && done; column++) {
        const char *field = self->fields.items;
        size_t place = self->place[column];
        for (size_t i = 1; i < place && place <= self->count; i++)
            field = next_field(field);
        done = add_cell(self, column, place && place <= self->count ? field : "");
    }
    return done && (text_add_byte(&self->json, '}') || error_memory(self->error));
}

static void take_field(void *bytes, size_t length, void *context)
{
    struct request_log *self = context;
    self->count++;
    bool done = (!length || text_add(&self->fields, bytes, strnlen(bytes, length))) &&
                text_add_byte(&self->fields, 0);
    if (!done && !self->failed)
        self->failed = !error_memory(self->error);
}

static void take_row(int end, void *context)
{
    struct request_log *self = context;
    (void)end;
    if (!self->failed)
        self->failed = !(self->has_header ? add_request(self) : read_header(self));
    self->count = 0;
    self->in_row = false;
    text_clear(&self->fields);
}

/* By lines, to know where rows begin. */
static bool parse(struct request_log *self, struct view text)
{
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0)
        return error_memory(self->error);
    const char *at = text.bytes, *end = text.bytes + text.length;
    at += view_starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
    bool done = true;
    while (at < end && done && !self->failed) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)(stop ? stop + 1 - at : end - at);
        self->line++;
        if (!self->in_row)
            self->row_line = self->line;
        bool is_blank = strspn(at, " \t\r\n") >= length; /* the text has a zero behind it */
        if (self->in_row || !is_blank) {
            self->in_row = true;
            done = csv_parse(&parser, at, length, take_field, take_row, self) == length;
        }
        at += length;
    }
    done = done && (self->failed || csv_fini(&parser, take_field, take_row, self) == 0);
    bool has_memory = csv_error(&parser) != CSV_ENOMEM;
    csv_free(&parser);
    if (!done && !self->failed)
        return has_memory ? error_set(self->error, STATUS_USAGE,
                                      "%s: line %zu: not CSV: a quote stands wrong", self->path,
                                      self->row_line)
                          : error_memory(self->error);
    self->row_line = 1;
    return !self->failed && (self->has_header || read_header(self));
}

static bool read_offset(const char *text, int64_t *out, struct error *error)
{
    const char *at = text + (*text == '-');
    bool done = !text[0] || (read_decimal(&at, 6, out) && !*at);
    *out = *text == '-' ? -*out : *out;
    return done ||
           error_set(error, STATUS_USAGE,
                     "--log-offset-ms must be a number of milliseconds, not '%.100s'", text);
}

bool request_log_read(const struct arguments *arguments, struct text *list, struct error *error)
{
    struct request_log self = {.path = arguments_value(arguments, "request-log"), .error = error};
    const char *offset = arguments_value(arguments, "log-offset-ms");
    if (!self.path)
        return !offset ||
               error_set(error, STATUS_USAGE, "--log-offset-ms moves the times of --request-log");
    struct text file = {0};
    bool done = read_offset(offset ? offset : "0", &self.offset, error) &&
                file_read(self.path, &file, error) &&
                (text_add_string(&self.json, "[") || error_memory(error)) &&
                parse(&self, text_view(&file)) &&
                (text_add_string(&self.json, "]") || error_memory(error));
    text_free(&file);
    text_free(&self.fields);
    if (done)
        *list = self.json;
    else
        text_free(&self.json);
    return done;
}
