/* request_log: lines go to libcsv one by one, because errors name the line in which a row begins.
 * Its fields stand behind each other, with a zero behind each, until the row ends; then the row is
 * a request in the list in hand, or the header. */
#include "src/command/request_log.h"

#include "src/base/file.h"

#include <csv.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMN_ID, COLUMN_TIME, COLUMN_TIME_END = 4, COLUMN_COUNT = 6 };
enum { ROW_BYTES_MAX = 1 << 20, LINE_BYTES = 1 << 16 };

#define BLANKS " \t\xC2\xA0"

static const char *const names[COLUMN_COUNT] = {"request_id", "arrival",       "first_token",
                                                "end",        "prompt_tokens", "output_tokens"};

struct request_log {
    const char *path;
    struct error *error;
    struct text fields; /* of the row in hand, each with a zero behind it */
    size_t count;
    size_t place[COLUMN_COUNT]; /* of the columns, from 1; 0 = not there */
    int64_t offset;
    struct context *context;
    struct text json;                   /* the list in hand */
    size_t lists, line, row_line, rows; /* that is being read; where the row in hand begins */
    bool in_row, has_header, failed;
};

/* ------------------------------------------------------------------ times */

static bool log_push(int64_t *value, int digit)
{
    return !__builtin_mul_overflow(*value, (int64_t)10, value) &&
           !__builtin_add_overflow(*value, (int64_t)digit, value);
}

/* Digits, and perhaps a point and more digits, as a whole number of 10^-decimals; further digits
 * are dropped. False when it is none, or too large. */
static bool log_read_decimal(const char **text, int decimals, int64_t *out)
{
    const char *at = *text;
    bool done = isdigit((unsigned char)*at) != 0;
    *out = 0;
    for (; done && isdigit((unsigned char)*at); at++)
        done = log_push(out, *at - '0');
    if (*at == '.' && isdigit((unsigned char)at[1]))
        for (at++; isdigit((unsigned char)*at); at++)
            if (decimals-- > 0)
                done = done && log_push(out, *at - '0');
    while (decimals-- > 0)
        done = done && log_push(out, 0);
    *text = at;
    return done;
}

/* Exactly so many digits, in these bounds. */
static bool log_read_part(const char **text, int digits, int least, int most, int *out)
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

static int month_days(int year, int month)
{
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 ? 28 + is_leap : 30 + (month + (month > 7)) % 2;
}

static bool read_iso(const char *text, int64_t *out)
{
    int year, month, day, hour, minute, second, zone_hour = 0, zone_minute = 0;
    int64_t seconds;
    char sign, zone = 'Z';
    bool done = log_read_part(&text, 4, 1677, 2262, &year) && read_sign(&text, "-", &sign) &&
                log_read_part(&text, 2, 1, 12, &month) && read_sign(&text, "-", &sign) &&
                log_read_part(&text, 2, 1, month_days(year, month), &day) &&
                read_sign(&text, "Tt ", &sign) && log_read_part(&text, 2, 0, 23, &hour) &&
                read_sign(&text, ":", &sign) && log_read_part(&text, 2, 0, 59, &minute) &&
                read_sign(&text, ":", &sign) && log_read_part(&text, 2, 0, 60, &second) &&
                !isdigit((unsigned char)*text);
    text -= done ? 2 : 0;
    done = done && log_read_decimal(&text, 9, &seconds);
    if (done && *text && read_sign(&text, "+-Zz", &zone) && (zone == '+' || zone == '-'))
        done =
            log_read_part(&text, 2, 0, 23, &zone_hour) &&
            (!*text || ((*text != ':' || *++text) && log_read_part(&text, 2, 0, 59, &zone_minute)));
    int64_t minutes = zone_hour * 60 + zone_minute;
    if (done && !*text)
        minutes = days_to(year, month, day) * 1440 + hour * 60 + minute +
                  (zone == '-' ? minutes : -minutes);
    bool is_last = (minutes % 1440 + 1440) % 1440 == 1439; /* of a day: it may have a leap second */
    return done && !*text && (second < 60 || is_last) &&
           !__builtin_mul_overflow(minutes, INT64_C(60000000000), &minutes) &&
           !__builtin_add_overflow(minutes, seconds, out);
}

/* ------------------------------------------------------------------ rows */

static bool log_fail(struct request_log *self, int column, const char *field, const char *kind)
{
    return error_set(self->error, STATUS_USAGE, "%s: line %zu, column %s: '%.100s' is no %s",
                     self->path, self->row_line, names[column], field, kind);
}

static const char *log_next_field(const char *field)
{
    return field + strlen(field) + 1;
}

/* Names that differ by case or blanks are one column that stands twice. */
static bool log_read_header(struct request_log *self)
{
    const char *field = self->fields.items;
    size_t first[COLUMN_COUNT] = {0};
    for (size_t i = 1; i <= self->count; i++, field = log_next_field(field))
        for (int k = 0; k < COLUMN_COUNT; k++) {
            const char *name = field + strspn(field, BLANKS);
            size_t length = strlen(names[k]);
            if (strncasecmp(name, names[k], length) != 0 ||
                name[length + strspn(name + length, BLANKS)])
                continue;
            if (first[k])
                return error_set(self->error, STATUS_USAGE,
                                 "%s: line %zu: column %s stands twice, as columns %zu and %zu",
                                 self->path, self->row_line, names[k], first[k], i);
            first[k] = i;
            self->place[k] = strcmp(field, names[k]) == 0 ? i : 0;
        }
    self->has_header = true;
    for (int k = 0; k < COLUMN_TIME_END; k++)
        if (!self->place[k])
            return error_set(self->error, STATUS_USAGE,
                             "%s: line %zu: no column %s; a request log has request_id, arrival, "
                             "first_token, end, and perhaps prompt_tokens, output_tokens",
                             self->path, self->row_line, names[k]);
    return true;
}

static bool log_add_cell(struct request_log *self, int column, const char *field)
{
    int64_t value;
    if (column == COLUMN_ID) {
        text_format_json(&self->json, "{\"r\":%s", field);
        return true;
    }
    if (column < COLUMN_TIME_END) {
        /* A number of seconds, ms, us or ns since 1970: years 1973 to 5138 tell them apart. */
        size_t digits = strspn(field, "0123456789");
        int decimals = digits < 12 ? 9 : digits < 15 ? 6 : digits < 18 ? 3 : 0;
        const char *at = field;
        if (!((log_read_decimal(&at, decimals, &value) && !*at) || read_iso(field, &value)))
            return log_fail(self, column, field, "time");
        if (__builtin_add_overflow(value, self->offset, &value))
            return log_fail(self, column, field, "time");
    } else if (!*field) {
        return true;
    } else {
        const char *at = field;
        if (!log_read_decimal(&at, 0, &value) || *at || strchr(field, '.') ||
            value > INT64_C(1000000000000))
            return log_fail(self, column, field, "number of tokens");
    }
    /* as text: JSON readers have numbers as doubles, too coarse for these times */
    text_format(&self->json, ",\"%c\":\"%lld\"", names[column][0], (long long)value);
    return true;
}

/* The list in hand becomes an option. */
static void end_list(struct request_log *self)
{
    char name[32];
    snprintf(name, sizeof name, "requests %zu", self->lists++);
    text_add_string(&self->json, self->json.count ? "]" : "[]");
    context_set(self->context, name, self->json.items);
    context_set(self->context, "requests", "given");
    text_clear(&self->json);
}

static bool add_request(struct request_log *self)
{
    bool done = true;
    text_add_string(&self->json, self->json.count ? "," : "[");
    for (int column = 0; column < COLUMN_COUNT && done; column++) {
        const char *field = self->fields.items;
        size_t place = self->place[column];
        for (size_t i = 1; i < place && place <= self->count; i++)
            field = log_next_field(field);
        done = log_add_cell(self, column, place && place <= self->count ? field : "");
    }
    text_add_byte(&self->json, '}');
    if (done && ++self->rows % REQUEST_LOG_LIST == 0)
        end_list(self);
    return done;
}

static void take_field(void *bytes, size_t length, void *context)
{
    struct request_log *self = context;
    self->count++;
    bool has_zero = memchr(bytes ? bytes : "", 0, length) != NULL;
    if (length)
        text_add(&self->fields, bytes, length);
    text_add_byte(&self->fields, 0);
    if (has_zero && !self->failed)
        self->failed =
            !error_set(self->error, STATUS_USAGE, "%s: line %zu: a byte is 0, which no text has",
                       self->path, self->row_line);
}

static void take_row(int end, void *context)
{
    struct request_log *self = context;
    (void)end;
    if (!self->failed)
        self->failed = !(self->has_header ? add_request(self) : log_read_header(self));
    self->count = 0;
    self->in_row = false;
    text_clear(&self->fields);
}

/* By lines, to know where rows begin. A long line comes in pieces. */
static bool log_parse(struct request_log *self, FILE *file)
{
    struct csv_parser parser;
    char *line = memory_take(LINE_BYTES);
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0)
        memory_fail();
    bool done = true, is_new = true;
    size_t row_bytes = 0;
    for (int byte = 0; done && !self->failed && byte != EOF;) {
        size_t count = 0, at = 0;
        for (byte = 0; count < LINE_BYTES && byte != '\n' && (byte = getc_unlocked(file)) != EOF;)
            line[count++] = (char)byte;
        if (!self->line && view_starts_with((struct view){line, count}, "\xEF\xBB\xBF"))
            at = 3;
        self->line += is_new;
        is_new = byte == '\n';
        while (!self->in_row && at < count && memchr(" \t\r\n", line[at], 4))
            at++;
        if (at == count)
            continue;
        self->row_line = self->in_row ? self->row_line : self->line;
        row_bytes = (self->in_row ? row_bytes : 0) + count;
        self->in_row = true;
        if (row_bytes > ROW_BYTES_MAX)
            self->failed =
                !error_set(self->error, STATUS_USAGE, "%s: line %zu: a row of more than 1 MB",
                           self->path, self->row_line);
        else
            done =
                csv_parse(&parser, line + at, count - at, take_field, take_row, self) == count - at;
    }
    done = done && (self->failed || csv_fini(&parser, take_field, take_row, self) == 0);
    bool is_out = csv_error(&parser) == CSV_ENOMEM;
    csv_free(&parser);
    if (is_out && !self->failed)
        memory_fail();
    if (!self->failed && ferror(file))
        return error_set(self->error, STATUS_BAD_INPUT, "%s: cannot be read", self->path);
    if (!done && !self->failed)
        return error_set(self->error, STATUS_USAGE, "%s: line %zu: not CSV: a quote stands wrong",
                         self->path, self->row_line);
    self->row_line = 1;
    return !self->failed && (self->has_header || log_read_header(self));
}

static bool read_offset(const char *text, int64_t *out, struct error *error)
{
    const char *at = text + (*text == '-');
    bool done = !text[0] || (log_read_decimal(&at, 6, out) && !*at);
    *out = *text == '-' ? -*out : *out;
    return done ||
           error_set(error, STATUS_USAGE,
                     "--log-offset-ms must be a number of milliseconds, not '%.100s'", text);
}

bool request_log_read(const struct arguments *arguments, struct context *context,
                      struct error *error)
{
    struct request_log self = {
        .path = arguments_value(arguments, "request-log"), .context = context, .error = error};
    const char *offset = arguments_value(arguments, "log-offset-ms");
    if (!self.path)
        return !offset ||
               error_set(error, STATUS_USAGE, "--log-offset-ms moves the times of --request-log");
    FILE *file = read_offset(offset ? offset : "0", &self.offset, error)
                     ? file_open_plain(self.path, error)
                     : NULL;
    bool done = file && log_parse(&self, file);
    if (done && (!self.rows || self.rows % REQUEST_LOG_LIST))
        end_list(&self);
    if (file)
        fclose(file);
    return done;
}
