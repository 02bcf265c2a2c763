/* readable: see readable.h. */
#include "query/sink/readable.h"

#include "query/sink/heading.h"
#include "query/sink/shorten.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>

enum { NARROWEST_TEXT = 16, WIDE_TEXT = 40, GAP = 2 };

void readable_begin(struct readable *self, const struct sheet *sheet,
                    const struct sink_target *target)
{
    self->sheet = sheet;
    self->wide = target->wide;
    self->width = target->wide ? 0 : target->width;
    self->top = target->top;
    self->rows = 0;
    self->kept = self->footers = 0;
    self->by_place = false;
    for (size_t i = 0; i < sheet->column_count; i++)
        self->by_place |= sheet->columns[i].place > 0;
    self->by_place &= self->width > 0 || sheet->in_paragraphs;
    text_clear(&self->texts);
    self->ends.count = self->shown.count = self->widths.count = 0;
}

void readable_free(struct readable *self)
{
    text_free(&self->texts);
    array_free(&self->ends);
    array_free(&self->shown);
    array_free(&self->widths);
}

/* ------------------------------------------------------------------ rows */

static bool add_cell(const struct readable *self, struct text *out, const struct column *column,
                     const struct cell *cell)
{
    if (cell->type == CELL_INTEGER && column->form != FORM_BOOLEAN && column->form != FORM_NAME)
        return number_add_grouped(out, cell->integer);
    if (cell->type == CELL_REAL)
        return number_add_rounded(out, cell->real, column->unit);
    if (cell->type == CELL_TEXT)
        return visible_add(out, column->names && !self->wide
                                    ? short_names_find(column->names, cell->text)
                                    : cell->text);
    return cell_add_text(cell, column->form, out);
}

struct view readable_colours(const struct readable *self, const struct cell *cells)
{
    const struct cell *last = &cells[self->sheet->column_count];
    return self->sheet->has_colours && last->type == CELL_TEXT ? last->text : VIEW("");
}

bool readable_add(struct readable *self, const struct cell *cells, bool is_footer)
{
    bool is_kept = is_footer || self->top == 0 || self->rows < self->top;
    if (!is_footer && view_equal(readable_colours(self, cells), VIEW("hidden")))
        return true;
    self->rows += !is_footer;
    self->kept += is_kept && !is_footer;
    self->footers += is_footer;
    for (size_t i = 0; i < self->sheet->column_count && is_kept; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t *end = array_push(&self->ends);
        bool is_shown = !self->by_place || column->place;
        if (!end || !text_add(&self->texts, "", 0) ||
            (is_shown && !add_cell(self, &self->texts, column, &cells[i])))
            return false;
        *end = self->texts.count;
    }
    return true;
}

struct view readable_cell(const struct readable *self, size_t row, size_t column)
{
    size_t i = row * self->sheet->column_count + column;
    size_t start = i ? self->ends.items[i - 1] : 0;
    return (struct view){self->texts.items + start, self->ends.items[i] - start};
}

static size_t all_rows(const struct readable *self)
{
    return self->kept + self->footers;
}

/* ------------------------------------------------------------------ how wide columns are */

/* A column while it is fitted in. */
struct fit {
    size_t whole;  /* wide enough for all of it */
    size_t least;  /* narrower, it would say too little */
    size_t wanted; /* as long as there is room */
    bool is_shown;
};

static size_t larger(size_t left, size_t right)
{
    return left > right ? left : right;
}

static size_t smaller(size_t left, size_t right)
{
    return left < right ? left : right;
}

/* The widths of cells and heading; 0 of what is not shown: of columns with a place those without
 * any cell. */
static size_t whole_width(const struct readable *self, size_t column)
{
    const struct column *of = &self->sheet->columns[column];
    size_t cells = 0;
    if (self->by_place && !of->place)
        return 0;
    for (size_t row = 0; row < all_rows(self); row++)
        cells = larger(cells, visible_width(readable_cell(self, row, column)));
    if (self->by_place && !cells && all_rows(self))
        return 0;
    return heading_width(of->heading, larger(cells, visible_width(view_of(heading_unit(of)))));
}

/* The least width at which the texts of a column are still told apart. */
static bool least_width(const struct readable *self, size_t column, size_t whole, size_t *least)
{
    enum { TEXTS_MAX = 1000 };
    const struct column *of = &self->sheet->columns[column];
    size_t narrowest = of->is_wide ? WIDE_TEXT : NARROWEST_TEXT;
    struct intern texts = {0};
    bool done = true;
    *least = smaller(whole, narrowest);
    if (of->is_number || of->is_detail || whole <= narrowest)
        return true;
    for (size_t row = 0; row < all_rows(self) && intern_count(&texts) < TEXTS_MAX && done; row++) {
        struct view text = readable_cell(self, row, column);
        done = intern_add(&texts, text.bytes ? text.bytes : "", text.length) != 0;
    }
    done = done && shorten_least(&texts, narrowest,
                                 smaller(smaller(whole, self->width), WIDE_TEXT) + 1, least);
    intern_free(&texts);
    return done;
}

/* Whether a column comes before a list where it is asked what tells rows apart. */
static bool is_before(const struct readable *self, size_t other, size_t list)
{
    const struct column *left = &self->sheet->columns[other], *right = &self->sheet->columns[list];
    if (left->is_number || !left->is_detail || left->place != right->place)
        return !left->is_number && (!left->is_detail || left->place < right->place);
    return other < list;
}

/* The texts of a row that come before a list. */
static bool make_key(const struct readable *self, size_t row, size_t list, struct text *key)
{
    bool done = text_add(key, "", 0);
    text_clear(key);
    for (size_t i = 0; i < self->sheet->column_count && done; i++) {
        struct view text = readable_cell(self, row, i);
        if (is_before(self, i, list))
            done = text_add(key, text.bytes, text.length) && text_add_byte(key, '\n');
    }
    return done;
}

/* Whether rows that have the same texts before this list differ in it. */
static bool tells_apart(const struct readable *self, size_t column, bool *answer)
{
    struct intern keys = {0};
    ARRAY(size_t) rows = {0}; /* the first one with each key */
    struct text key = {0};
    bool done = true;
    *answer = false;
    for (size_t row = 0; row < self->kept && done && !*answer; row++) {
        done = make_key(self, row, column, &key);
        uint32_t number = done ? intern_add(&keys, key.items, key.count) : 0;
        done = number != 0;
        if (done && number > rows.count) {
            size_t *first = array_push(&rows);
            done = first != NULL;
            if (first)
                *first = row;
        } else if (done) {
            *answer = !view_equal(readable_cell(self, row, column),
                                  readable_cell(self, rows.items[number - 1], column));
        }
    }
    text_free(&key);
    array_free(&rows);
    intern_free(&keys);
    return done;
}

static bool measure(const struct readable *self, struct fit *fits)
{
    bool done = true;
    for (size_t i = 0; i < self->sheet->column_count && done; i++) {
        struct fit *fit = &fits[i];
        bool tells = false;
        *fit = (struct fit){.whole = whole_width(self, i)};
        fit->least = fit->wanted = fit->whole;
        if (!self->width || !fit->whole || self->sheet->columns[i].is_number)
            continue;
        done = least_width(self, i, fit->whole, &fit->least);
        fit->wanted = fit->least;
        if (done && self->sheet->columns[i].is_detail)
            done = tells_apart(self, i, &tells);
        if (tells)
            fit->wanted = larger(fit->least, smaller(fit->whole, self->width * 2 / 5));
        if (self->sheet->columns[i].names)
            fit->wanted = larger(fit->least, smaller(fit->whole, self->width * 2 / 5));
    }
    return done;
}

/* ------------------------------------------------------------------ which columns fit */

/* Shows the columns of one importance, as long as they fit. */
static void show_those(const struct readable *self, unsigned place, struct fit *fits, size_t *used)
{
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t gap = *used ? GAP : 0,
               room = self->width > *used + gap ? self->width - *used - gap : 0;
        if (column->place != place || (self->by_place && !fits[i].whole) ||
            (place == 0 && column->is_detail) || (*used && fits[i].least > room))
            continue;
        fits[i].is_shown = true;
        fits[i].wanted = larger(fits[i].least, smaller(fits[i].wanted, room));
        *used += gap + fits[i].wanted;
    }
}

/* Chooses the columns that fit: by importance where that is declared, else from the left without
 * details. */
static bool choose_columns(struct readable *self, struct fit *fits)
{
    size_t count = self->sheet->column_count, used = 0;
    unsigned last = 0;
    for (size_t i = 0; i < count; i++) {
        last = larger(self->sheet->columns[i].place, last) > last ? self->sheet->columns[i].place
                                                                  : last;
        fits[i].is_shown = self->width == 0;
    }
    for (unsigned place = last ? 1 : 0; self->width && place <= last; place++)
        show_those(self, place, fits, &used);
    for (size_t i = 0; i < count; i++) {
        size_t *shown = fits[i].is_shown ? array_push(&self->shown) : NULL;
        if (fits[i].is_shown && !shown)
            return false;
        if (shown)
            *shown = i;
    }
    return true;
}

/* Takes width from the widest texts until all fits; what tells rows apart comes last. */
static void narrow(const struct readable *self, const struct fit *fits, size_t *widths)
{
    size_t sum = 0;
    for (size_t i = 0; i < self->shown.count; i++)
        sum += widths[self->shown.items[i]] + (i ? GAP : 0);
    for (; sum > self->width; sum--) {
        size_t widest = SIZE_MAX;
        for (size_t i = 0; i < self->shown.count; i++) {
            size_t column = self->shown.items[i];
            bool can = widths[column] > fits[column].wanted;
            if (can && (widest == SIZE_MAX || widths[column] > widths[widest]))
                widest = column;
        }
        if (widest == SIZE_MAX)
            return;
        widths[widest]--;
    }
}

/* ------------------------------------------------------------------ cutting */

/* The texts of a column as they are shown: of a list beside the texts before it. */
struct cuts {
    struct intern texts; /* what was cut */
    struct shortened shown;
    bool is_cut;
    size_t end; /* of the text in the row that is cut */
};

static bool add_cut(struct cuts *self, struct text *key, struct view text, size_t width,
                    struct text *out)
{
    size_t length = key->count;
    if (!text_add(key, text.bytes, text.length))
        return false;
    uint32_t number = intern_add(&self->texts, key->items, key->count);
    struct view beside = {key->items, length};
    if (number && number <= intern_count(&self->shown.shown)) {
        struct view made = intern_view(&self->shown.shown, number);
        return text_add(out, made.bytes + length + 1, made.length - length - 1);
    }
    return number && shorten_unlike(&self->shown, beside, text, width, out);
}

/* Puts what fits into the place of the texts of a row. */
static bool cut_row(struct readable *self, struct cuts *cuts, size_t row, struct text *key,
                    struct text *texts)
{
    bool done = true;
    for (size_t i = 0; i < self->sheet->column_count && done; i++) {
        struct view text = readable_cell(self, row, i);
        if (!cuts[i].is_cut || !text.length) {
            done = text_add(texts, text.bytes, text.length);
        } else {
            done = text_add(key, "", 0);
            text_clear(key);
            if (self->sheet->columns[i].is_detail)
                done = done && make_key(self, row, i, key);
            done = done && add_cut(&cuts[i], key, text, self->widths.items[i], texts);
        }
        cuts[i].end = texts->count;
    }
    return done;
}

/* Puts what fits into the place of all texts. */
static bool cut(struct readable *self, struct cuts *cuts)
{
    struct text texts = {0}, key = {0};
    size_t count = self->sheet->column_count;
    size_t *ends = calloc(self->ends.count + 1, sizeof *ends);
    bool done = ends && text_add(&texts, "", 0);
    for (size_t row = 0; row < all_rows(self) && done; row++) {
        done = cut_row(self, cuts, row, &key, &texts);
        for (size_t i = 0; i < count; i++)
            ends[row * count + i] = cuts[i].end;
    }
    if (done) {
        memcpy(self->ends.items, ends, self->ends.count * sizeof *ends);
        text_free(&self->texts);
        self->texts = texts;
        texts = (struct text){0};
    }
    text_free(&texts);
    text_free(&key);
    free(ends);
    return done;
}

static bool cut_texts(struct readable *self, const struct fit *fits)
{
    size_t count = self->sheet->column_count;
    struct cuts *cuts = calloc(count + 1, sizeof *cuts);
    bool done = cuts != NULL, any = false;
    for (size_t i = 0; i < count && done; i++) {
        cuts[i].is_cut = fits[i].is_shown && !self->sheet->columns[i].is_number &&
                         self->widths.items[i] < fits[i].whole;
        any |= cuts[i].is_cut;
    }
    done = done && (!any || cut(self, cuts));
    for (size_t i = 0; i < count && cuts; i++) {
        intern_free(&cuts[i].texts);
        shortened_free(&cuts[i].shown);
    }
    free(cuts);
    return done;
}

bool readable_fit(struct readable *self)
{
    size_t count = self->sheet->column_count;
    struct fit *fits = calloc(count + 1, sizeof *fits);
    bool done = fits && array_reserve(&self->widths, count + 1) && measure(self, fits) &&
                choose_columns(self, fits);
    for (size_t i = 0; i < count && done; i++)
        self->widths.items[i] = fits[i].whole;
    self->widths.count = done ? count : 0;
    if (done && self->width)
        narrow(self, fits, self->widths.items);
    done = done && cut_texts(self, fits);
    free(fits);
    return done;
}

/* ------------------------------------------------------------------ what is left out */

bool readable_add_left_out(const struct readable *self, struct text *line)
{
    size_t columns = self->sheet->column_count - self->shown.count;
    int64_t more = self->rows - (int64_t)self->kept;
    bool done = text_add(line, "", 0);
    if (more > 0)
        done = number_add_grouped(line, more) &&
               text_format(line, " more row%s (--top 0 shows all)%s", more == 1 ? "" : "s",
                           columns ? ", " : "");
    if (columns)
        done = done && text_format(line, "%zu more column%s (--wide shows all)", columns,
                                   columns == 1 ? "" : "s");
    return done;
}
