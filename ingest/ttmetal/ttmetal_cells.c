/* ttmetal_cells: the cells of a row of a tt-metal op table, as numbers, texts and JSON. */
#include "ingest/ttmetal/ttmetal_reader.h"

#include <math.h>
#include <string.h>

uint32_t ttmetal_row_number(const struct ttmetal_reader *self)
{
    return (uint32_t)(self->trace->events + TTMETAL_FIRST_LINE);
}

void ttmetal_note(struct ttmetal_reader *self, enum note kind, int64_t count)
{
    note_count(&self->trace->notes, kind, count, ttmetal_row_number(self), -1);
}

/* ------------------------------------------------------------------ cells */

struct view ttmetal_cell(const struct ttmetal_reader *self, size_t field)
{
    if (field >= self->ends.count)
        return (struct view){"", 0};
    size_t start = field ? self->ends.items[field - 1] : 0;
    return (struct view){self->row.items + start, self->ends.items[field] - start};
}

/* Words for a missing value in Python's pandas, and so in the profiler's own tools. */
bool ttmetal_is_missing(struct view text)
{
    static const char *const words[] = {
        "NA",  "N/A",  "n/a",  "#N/A", "#N/A N/A", "#NA",     "NULL", "null",    "NaN",
        "nan", "-NaN", "-nan", "<NA>", "1.#IND",   "-1.#IND", "None", "1.#QNAN", "-1.#QNAN",
    };
    if (text.length == 0)
        return true;
    if (text.length > 8 || !strchr("#-1<Nn", text.bytes[0]))
        return false;
    return VIEW_IS_AMONG(text, words);
}

/* The cell of a known column; empty when it is missing. */
struct view ttmetal_known_cell(const struct ttmetal_reader *self, enum ttmetal_column column)
{
    struct view cell = {"", 0};
    if (self->header.places[column])
        cell = ttmetal_cell(self, self->header.places[column] - 1);
    return ttmetal_is_missing(cell) ? (struct view){"", 0} : cell;
}

/* A whole number, also one that was written as 12.0; reals are rounded. */
bool ttmetal_read_number(struct view text, int64_t *number)
{
    char digits[40], *end;
    int64_t plain = 0;
    size_t at = 0;
    while (at < text.length && at < 17 && (unsigned char)(text.bytes[at] - '0') < 10)
        plain = plain * 10 + (text.bytes[at++] - '0');
    if (at && at == text.length) {
        *number = plain;
        return true;
    }
    if (text.length == 0 || text.length >= sizeof digits)
        return false;
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    if (digits[strspn(digits, "+-.0123456789eE")])
        return false;
    long long whole = strtoll(digits, &end, 10);
    bool fits = whole <= DURATION_MAX * 512 && whole >= -DURATION_MAX * 512;
    if (!*end && fits) {
        *number = whole;
        return true;
    }
    double real = strtod(digits, &end);
    if (*end || !isfinite(real) || fabs(real) > (double)DURATION_MAX)
        return false;
    *number = llround(real);
    return true;
}

/* NONE for a missing cell, and for one that is no number in the range, which is noted. */
int64_t ttmetal_number(struct ttmetal_reader *self, enum ttmetal_column column, int64_t least,
                       int64_t most)
{
    struct view cell = ttmetal_known_cell(self, column);
    int64_t number;
    if (cell.length == 0)
        return NONE;
    if (ttmetal_read_number(cell, &number) && number >= least && number <= most)
        return number;
    ttmetal_note(self, NOTE_VALUE_ODD, 1);
    return NONE;
}

int64_t ttmetal_count(struct ttmetal_reader *self, enum ttmetal_column column)
{
    return ttmetal_number(self, column, 0, INT64_MAX);
}

/* ------------------------------------------------------------------ texts */

/* A text as the warehouse has them. What is not gets noted and replaced. */
void ttmetal_plain(struct ttmetal_reader *self, struct view text, struct view *plain)
{
    plain_text(text, &self->plain, &self->trace->notes, ttmetal_row_number(self), plain);
}

/* A text's number; empty ones have one, too. */
void ttmetal_intern(struct ttmetal_reader *self, struct view text, uint32_t *number)
{
    struct view plain;
    ttmetal_plain(self, text, &plain);
    *number = intern_add(&self->trace->strings, plain.bytes, plain.length);
}

/* True if a text is a number that JSON can have as it stands. */
static bool is_json_number(struct view text)
{
    size_t at = 0, digits = 0, fraction = 0;
    if (text.length > 17)
        return false;
    at += text.length && text.bytes[0] == '-';
    while (at < text.length && (unsigned char)(text.bytes[at] - '0') < 10)
        at++, digits++;
    if (digits == 0 || (digits > 1 && text.bytes[at - digits] == '0'))
        return false;
    if (at < text.length && text.bytes[at] == '.')
        for (at++; at < text.length && (unsigned char)(text.bytes[at] - '0') < 10; at++)
            fraction++;
    return at == text.length && (fraction || text.bytes[at - 1] != '.');
}

/* True if a text stands in JSON as it is. */
static bool is_simple(struct view text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte < ' ' || byte >= 127 || byte == '"' || byte == '\\')
            return false;
    }
    return true;
}

void ttmetal_add_json(struct ttmetal_reader *self, struct view text)
{
    struct text *json = &self->json;
    struct view plain;
    if (!is_simple(text)) {
        ttmetal_plain(self, text, &plain);
        text_add_json(json, plain);
        return;
    }
    text_reserve(json, text.length + 2);
    char *at = json->items + json->count;
    *at = '"';
    if (text.length)
        memcpy(at + 1, text.bytes, text.length);
    memcpy(at + 1 + text.length, "\"", 2);
    json->count += text.length + 2;
}

/* True if a cell of a known column is kept nowhere else. */
static bool is_left_over(const struct ttmetal_reader *self, int known, struct view cell,
                         bool is_signpost)
{
    int64_t number;
    switch (known) {
    case TTMETAL_CODE:
    case TTMETAL_TYPE:
        return false;
    case TTMETAL_ARCH:
        return !self->archs.count ||
               !view_equal(cell, intern_view(&self->trace->strings, self->archs.items[0]));
    case TTMETAL_HOST_START:
        return !ttmetal_read_number(cell, &number);
    default:
        return is_signpost || !ttmetal_read_number(cell, &number);
    }
}

/* Makes an object of some of the cells: those of the signature, or those without a place. */
void ttmetal_object(struct ttmetal_reader *self, enum ttmetal_object kind, bool *is_empty)
{
    const struct ttmetal_header *header = &self->header;
    text_clear(&self->json);
    text_add_byte(&self->json, '{');
    for (size_t i = 0; i < header->sorted.count; i++) {
        size_t place = header->sorted.items[i];
        const struct ttmetal_field *field = &header->fields.items[place];
        struct view cell = ttmetal_cell(self, place);
        bool is_wanted = kind == TTMETAL_OBJECT_SIGNATURE   ? field->is_part
                         : kind == TTMETAL_OBJECT_ARGUMENTS ? !field->is_part
                                                            : true;
        if (!is_wanted || ttmetal_is_missing(cell) ||
            (!field->is_part && field->known >= 0 &&
             !is_left_over(self, field->known, cell, kind == TTMETAL_OBJECT_SIGNPOST)))
            continue;

        /* Adds a cell to an object that is being made. */
        struct text *json = &self->json;
        if (trace_take(self->trace, field->member.count)) {
            if (json->count != 1)
                text_add_byte(json, ',');
            text_add(json, field->member.items, field->member.count);
            if (is_json_number(cell))
                text_add_view(json, cell);
            else
                ttmetal_add_json(self, cell);
        }
    }
    *is_empty = self->json.count <= 1;
    text_add_byte(&self->json, '}');
}

void ttmetal_intern_json(struct ttmetal_reader *self, uint32_t *number)
{
    *number = intern_add(&self->trace->strings, self->json.items, self->json.count);
}
