/* readable: texts of all cells lie one behind the other, and are cut when all rows are in: first
 * figures of keys get their digits, then columns are chosen, then texts are cut. Columns are chosen
 * again where rows that differ look alike; four rounds at most, as a column that comes in may put
 * out one that told others apart.
 */
#include "query/sink/readable.h"

#include "query/sink/sheet.h"
#include "query/sink/shorten.h"
#include "query/sink/telling.h"
#include "src/base/number.h"
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_TEXT = 8, NARROWEST_TEXT = 16, WIDE_TEXT = 40, GAP = 2 };

/* Before a figure of a key until it is known with how many digits it is shown; in no other text. */
enum { EXACT = 1 };

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

/* ------------------------------------------------------------------ rows */

static void add_cell(const struct readable *self, struct text *out, const struct column *column,
                     const struct cell *cell)
{
    if (cell->is_abstained) {
        text_add_string(out, "–");
        return;
    }
    if (column_has_sizes(column) && (cell->type == CELL_INTEGER || cell->type == CELL_REAL)) {
        number_add_size(out, cell->type == CELL_REAL ? cell->real : (double)cell->integer);
        return;
    }
    if (cell->type == CELL_INTEGER && column->form != FORM_BOOLEAN && column->form != FORM_NAME) {
        number_add_grouped(out, cell->integer);
        return;
    }
    if (cell->type == CELL_REAL && column->is_key && !self->sheet->in_paragraphs) {
        text_add_byte(out, EXACT);
        number_add_real(out, cell->real);
        return;
    }
    if (cell->type == CELL_REAL) {
        number_add_rounded(out, cell->real, column->unit);
        return;
    }
    if (cell->type == CELL_TEXT) {
        visible_add(out, column->names && !self->wide ? short_names_find(column->names, cell->text)
                                                      : cell_shown(cell));
        return;
    }
    cell_add_text(cell, column->form, out);
}

struct view readable_colours(const struct readable *self, const struct cell *cells)
{
    const struct cell *last = &cells[self->sheet->column_count];
    return self->sheet->has_colours && last->type == CELL_TEXT ? last->text : VIEW("");
}

void readable_add(struct readable *self, const struct cell *cells, bool is_footer)
{
    bool is_kept = is_footer || self->top == 0 || self->rows < self->top;
    if (!is_footer && view_equal(readable_colours(self, cells), VIEW("hidden")))
        return;
    self->rows += !is_footer;
    self->kept += is_kept && !is_footer;
    self->footers += is_footer;
    for (size_t i = 0; i < self->sheet->column_count && is_kept; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t *end = array_push(&self->ends);
        text_add(&self->texts, "", 0);
        add_cell(self, &self->texts, column, &cells[i]);
        *end = self->texts.count;
    }
}

struct view readable_cell(const struct readable *self, size_t row, size_t column)
{
    size_t i = row * self->sheet->column_count + column;
    size_t start = i ? self->ends.items[i - 1] : 0;
    return (struct view){self->texts.items + start, self->ends.items[i] - start};
}

/* The rows where it is asked what tells them apart. */
static struct telling telling_of(const struct readable *self)
{
    return (struct telling){self->sheet, self->kept, self->texts.items, self->ends.items};
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
    size_t given;
    bool is_shown;
    bool tells;  /* rows apart */
    bool counts; /* where it is asked what does */
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
static size_t whole_width(const struct readable *self, size_t column, bool tells)
{
    const struct column *of = &self->sheet->columns[column];
    struct text heading = {0};
    size_t cells = 0;
    if (self->by_place && !of->place && !tells)
        return 0;
    for (size_t row = 0; row < all_rows(self); row++)
        cells = larger(cells, visible_width(readable_cell(self, row, column)));
    if (self->by_place && !cells && all_rows(self))
        return 0;
    heading_add(of, &heading);
    return heading_width(heading.items, cells);
}

/* The least width at which the texts of a column are still told apart. */
static size_t least_width(const struct readable *self, size_t column, size_t whole)
{
    enum { TEXTS_MAX = 1000 };
    const struct column *of = &self->sheet->columns[column];
    size_t narrowest = of->is_wide ? WIDE_TEXT : NARROWEST_TEXT;
    struct intern texts = {0};
    size_t least = smaller(whole, narrowest);
    if (of->is_number || of->is_detail || whole <= narrowest)
        return least;
    for (size_t row = 0; row < all_rows(self) && intern_count(&texts) < TEXTS_MAX; row++) {
        struct view text = readable_cell(self, row, column);
        intern_add(&texts, text.bytes ? text.bytes : "", text.length);
    }
    shorten_least(&texts, narrowest, smaller(smaller(whole, self->width), WIDE_TEXT) + 1, &least);
    intern_free(&texts);
    return least;
}

/* True if a column comes before a list when columns are asked for what tells rows apart. */
static bool is_before(const struct readable *self, const struct fit *fits, size_t other,
                      size_t list)
{
    if (!fits[other].counts)
        return false;
    const struct column *left = &self->sheet->columns[other], *right = &self->sheet->columns[list];
    if (left->is_number || !left->is_detail || left->place != right->place)
        return !left->is_number && (!left->is_detail || left->place < right->place);
    return other < list;
}

/* The texts of a row that come before a list. */
static void make_key(const struct readable *self, const struct fit *fits, size_t row, size_t list,
                     struct text *key)
{
    text_add(key, "", 0);
    text_clear(key);
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        struct view text = readable_cell(self, row, i);
        if (is_before(self, fits, i, list)) {
            text_add_view(key, text);
            text_add_byte(key, '\n');
        }
    }
}

/* True if rows that have the same texts before this list differ in it. */
static bool tells_apart(const struct readable *self, const struct fit *fits, size_t column)
{
    struct intern keys = {0};
    ARRAY(size_t) rows = {0}; /* the first one with each key */
    struct text key = {0};
    bool tells = false;
    for (size_t row = 0; row < self->kept && !tells; row++) {
        make_key(self, fits, row, column, &key);
        uint32_t number = intern_add(&keys, key.items, key.count);
        if (number > rows.count)
            array_add(&rows, row);
        else
            tells = !view_equal(readable_cell(self, row, column),
                                readable_cell(self, rows.items[number - 1], column));
    }
    text_free(&key);
    array_free(&rows);
    intern_free(&keys);
    return tells;
}

static void measure(const struct readable *self, struct fit *fits)
{
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        size_t whole = whole_width(self, i, fits[i].tells);
        fits[i] = (struct fit){.whole = whole, .tells = fits[i].tells, .counts = whole > 0};
    }
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        struct fit *fit = &fits[i];
        fit->least = fit->wanted = fit->whole;
        if (!self->width || !fit->whole || self->sheet->columns[i].is_number)
            continue;
        fit->wanted = fit->least = least_width(self, i, fit->whole);
        if (self->sheet->columns[i].names ||
            (self->sheet->columns[i].is_detail && tells_apart(self, fits, i)))
            fit->wanted = larger(fit->least, smaller(fit->whole, self->width * 2 / 5));
    }
}

/* ------------------------------------------------------------------ which columns fit */

/* Shows a column where there is room for it, as wide as that allows. */
static void show(const struct readable *self, struct fit *fit, size_t wanted, size_t *used)
{
    size_t gap = *used ? GAP : 0, room = self->width > *used + gap ? self->width - *used - gap : 0;
    if (*used && fit->least > room)
        return;
    fit->is_shown = true;
    fit->given = larger(fit->least, smaller(wanted, room));
    *used += gap + fit->given;
}

/* Gives a column that is shown already the width that it wants, as far as there is room. */
static void widen(const struct readable *self, struct fit *fit, size_t *used)
{
    size_t room = self->width > *used ? self->width - *used : 0;
    size_t more = fit->wanted > fit->given ? smaller(fit->wanted - fit->given, room) : 0;
    fit->given += more;
    *used += more;
}

/* Makes texts that tell rows apart so narrow that there is room for all that does. */
static void make_room(const struct readable *self, struct fit *fits)
{
    size_t sum = 0;
    for (size_t i = 0; i < self->sheet->column_count; i++)
        sum += fits[i].tells ? fits[i].least + (sum ? GAP : 0) : 0;
    while (sum > self->width) {
        struct fit *widest = NULL;
        for (size_t i = 0; i < self->sheet->column_count; i++)
            if (fits[i].tells && !self->sheet->columns[i].is_number && fits[i].least > LEAST_TEXT &&
                (!widest || fits[i].least > widest->least))
                widest = &fits[i];
        if (!widest)
            return;
        widest->least--;
        sum--;
    }
}

/* Chooses the columns that fit: first what is needed, then those that tell rows apart, no wider
 * than they must be, then by importance where that is declared, else from the left without
 * details. */
static void choose_columns(struct readable *self, struct fit *fits)
{
    size_t count = self->sheet->column_count, used = 0;
    unsigned last = 0;
    for (size_t i = 0; i < count; i++) {
        last = larger(self->sheet->columns[i].place, last) > last ? self->sheet->columns[i].place
                                                                  : last;
        fits[i].is_shown = self->width == 0;
    }
    if (self->width) {
        /* Shows what is needed, beside what comes first, which is made as narrow as that needs. */
        const struct column *columns = self->sheet->columns;
        size_t needed = 0;
        for (size_t i = 0; i < self->sheet->column_count; i++)
            needed += columns[i].is_needed ? GAP + fits[i].whole : 0;
        size_t room = self->width > needed ? self->width - needed : 0;
        for (size_t i = 0; i < self->sheet->column_count && needed; i++)
            if (columns[i].place == 1 && fits[i].whole) {
                fits[i].least =
                    larger(smaller(fits[i].least, LEAST_TEXT), smaller(fits[i].least, room));
                fits[i].wanted = larger(fits[i].least, smaller(fits[i].wanted, room));
                show(self, &fits[i], fits[i].least, &used);
            }
        for (unsigned place = 1; place <= last && needed; place++)
            for (size_t i = 0; i < self->sheet->column_count; i++)
                if (columns[i].place == place && columns[i].is_needed && fits[i].whole)
                    show(self, &fits[i], fits[i].wanted, &used);
        if (!needed)
            make_room(self, fits);
    }
    for (size_t i = 0; i < count && self->width; i++)
        if (fits[i].tells && !fits[i].is_shown)
            show(self, &fits[i], fits[i].least, &used);
    for (unsigned place = last ? 1 : 0; self->width && place <= last; place++) {
        /* Shows the columns of one importance, as long as they fit. */
        for (size_t i = 0; i < self->sheet->column_count; i++) {
            const struct column *column = &self->sheet->columns[i];
            if (column->place != place)
                continue;
            if (fits[i].is_shown)
                widen(self, &fits[i], &used);
            else if ((!self->by_place || fits[i].whole) && (place || !column->is_detail))
                show(self, &fits[i], fits[i].wanted, &used);
        }
    }
    self->shown.count = 0;
    for (size_t i = 0; i < count; i++)
        if (fits[i].is_shown)
            array_add(&self->shown, i);
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
            bool can = widths[column] > fits[column].given;
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

/* Cut texts, and the column that numbers rows whose difference found no room. */
struct cutting {
    const struct fit *fits;
    struct cuts *cuts;
    size_t numbered; /* the column that gets the numbers; SIZE_MAX = none */
    struct apart means;
};

static void cut_cell(const struct readable *self, struct cutting *cutting, size_t row,
                     size_t column, struct text *key, struct text *texts)
{
    struct view text = readable_cell(self, row, column);
    struct cuts *cuts = &cutting->cuts[column];
    if (!cuts->is_cut || !text.length) {
        text_add_view(texts, text);
        return;
    }
    bool is_numbered = column == cutting->numbered && row < self->kept;
    text_add(key, "", 0);
    text_clear(key);
    if (self->sheet->columns[column].is_detail && !is_numbered)
        make_key(self, cutting->fits, row, column, key);

    /* `apart` tells rows with the same text apart; 0: nothing does. */
    uint32_t apart = is_numbered ? cutting->means.classes[row] : 0;
    size_t width = self->widths.items[column];
    size_t length = key->count;
    text_add_view(key, text);
    if (apart)
        text_format(key, "\n%u", apart);
    uint32_t number = intern_add(&cuts->texts, key->items, key->count);
    struct view beside = {key->items, length};
    if (number <= intern_count(&cuts->shown.shown)) {
        struct view made = intern_view(&cuts->shown.shown, number);
        text_add(texts, made.bytes + length + 1, made.length - length - 1);
        return;
    }
    shorten_unlike(&cuts->shown, beside, text, width, texts);
}

/* Puts what fits into the place of all texts. */
static void cut(struct readable *self, struct cutting *cutting)
{
    struct text texts = {0}, key = {0};
    size_t count = self->sheet->column_count;
    size_t *ends = memory_zeroed(self->ends.count + 1, sizeof *ends);
    text_add(&texts, "", 0);
    for (size_t row = 0; row < all_rows(self); row++)
        for (size_t i = 0; i < count; i++) {
            cut_cell(self, cutting, row, i, &key, &texts);
            ends[row * count + i] = texts.count;
        }
    memcpy(self->ends.items, ends, self->ends.count * sizeof *ends);
    text_free(&self->texts);
    self->texts = texts;
    text_free(&key);
    memory_free(ends);
}

/* Chooses the first text for numbers where something that tells rows apart is not shown. */
static void choose_numbered(const struct readable *self, struct cutting *cutting)
{
    size_t count = self->sheet->column_count, first = SIZE_MAX;
    bool *tells = memory_zeroed(count + 1, sizeof *tells);
    bool any = false;
    for (size_t i = count; i-- > 0;) {
        const struct fit *fit = &cutting->fits[i];
        tells[i] = fit->tells;
        any |= fit->tells && !fit->is_shown;
        first = fit->is_shown && !self->sheet->columns[i].is_number ? i : first;
    }
    if (any && first != SIZE_MAX) {
        cutting->numbered = first;
        cutting->cuts[first].is_cut = true;
        struct telling telling = telling_of(self);
        telling_classes(&telling, tells, &cutting->means);
    }
}

static void cut_texts(struct readable *self, struct fit *fits)
{
    size_t count = self->sheet->column_count;
    struct cutting cutting = {fits, memory_zeroed(count + 1, sizeof *cutting.cuts), SIZE_MAX, {0}};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        fits[i].counts = fits[i].is_shown;
        cutting.cuts[i].is_cut = fits[i].is_shown && !self->sheet->columns[i].is_number &&
                                 self->widths.items[i] < fits[i].whole;
        any |= cutting.cuts[i].is_cut;
    }
    if (self->width)
        choose_numbered(self, &cutting);
    any |= cutting.numbered != SIZE_MAX;
    if (any)
        cut(self, &cutting);
}

/* ------------------------------------------------------------------ figures that tell rows apart
 */

static bool is_exact(struct view text)
{
    return text.length && *text.bytes == EXACT;
}

/* Rounded, or with so many digits. */
static void add_figure(struct text *out, struct view exact, const char *unit, int digits)
{
    char number[40] = "";
    memcpy(number, exact.bytes + 1, smaller(exact.length - 1, sizeof number - 1));
    double value = strtod(number, NULL);
    if (digits)
        text_format(out, "%.*g", digits, value);
    else
        number_add_rounded(out, value, unit);
}

/* How many different texts a column has, as they are and with so many digits. */
static void count_figures(const struct readable *self, size_t column, int digits, size_t *exact,
                          size_t *shown)
{
    struct intern before = {0}, after = {0};
    struct text figure = {0};
    for (size_t row = 0; row < self->kept; row++) {
        struct view text = readable_cell(self, row, column);
        if (!is_exact(text))
            continue;
        text_clear(&figure);
        add_figure(&figure, text, self->sheet->columns[column].unit, digits);
        intern_add(&before, text.bytes, text.length);
        intern_add(&after, figure.items, figure.count);
    }
    *exact = intern_count(&before);
    *shown = intern_count(&after);
    intern_free(&before);
    intern_free(&after);
    text_free(&figure);
}

/* The fewest digits with which different figures look different; 0: rounded they do. */
static void find_digits(const struct readable *self, size_t column, int *digits)
{
    enum { FEWEST = 5, ALL = 17 };
    size_t exact = 0, shown = 0;
    *digits = 0;
    count_figures(self, column, 0, &exact, &shown);
    for (*digits = shown < exact ? FEWEST : 0; shown < exact && *digits < ALL;) {
        count_figures(self, column, *digits, &exact, &shown);
        *digits += shown < exact;
    }
}

/* Gives the figures of keys as many digits as tell them apart. */
static void round_keys(struct readable *self)
{
    size_t count = self->sheet->column_count;
    int *digits = memory_zeroed(count + 1, sizeof *digits);
    struct text texts = {0};
    text_add(&texts, "", 0);
    for (size_t i = 0; i < count; i++)
        if (self->sheet->columns[i].is_key)
            find_digits(self, i, &digits[i]);
    size_t start = 0;
    for (size_t i = 0; i < self->ends.count; i++) {
        struct view text = {self->texts.items + start, self->ends.items[i] - start};
        start = self->ends.items[i];
        if (is_exact(text))
            add_figure(&texts, text, self->sheet->columns[i % count].unit, digits[i % count]);
        else
            text_add_view(&texts, text);
        self->ends.items[i] = texts.count;
    }
    text_free(&self->texts);
    self->texts = texts;
}

/* ------------------------------------------------------------------ all of it */

/* Chooses columns again with what is missing to tell rows apart; a few times, as what comes in may
 * put out what told others apart. */
static void choose_telling(struct readable *self, struct fit *fits)
{
    enum { ROUNDS = 4 };
    size_t count = self->sheet->column_count;
    bool *tells = memory_zeroed(count + 1, sizeof *tells),
         *shown = memory_zeroed(count + 1, sizeof *shown);
    struct telling telling = telling_of(self);
    bool more = true;
    if (self->width)
        telling_choose(&telling, tells);
    for (size_t round = 0; round < ROUNDS && more; round++) {
        for (size_t i = 0; i < count; i++)
            fits[i].tells = tells[i];
        measure(self, fits);
        choose_columns(self, fits);
        for (size_t i = 0; i < count; i++)
            shown[i] = fits[i].is_shown;
        more = self->width && telling_extend(&telling, shown, tells);
    }
}

void readable_fit(struct readable *self)
{
    size_t count = self->sheet->column_count;
    struct fit *fits = memory_zeroed(count + 1, sizeof *fits);
    array_reserve(&self->widths, count + 1);
    round_keys(self);
    choose_telling(self, fits);
    for (size_t i = 0; i < count; i++)
        self->widths.items[i] = fits[i].whole;
    self->widths.count = count;
    if (self->width)
        narrow(self, fits, self->widths.items);
    cut_texts(self, fits);
}

/* ------------------------------------------------------------------ what is left out */

void readable_add_not_included(const struct readable *self, struct text *line)
{
    size_t columns = self->sheet->column_count - self->shown.count;
    int64_t more = self->rows - (int64_t)self->kept + self->sheet->rows_skipped;
    text_add(line, "", 0);
    if (more > 0) {
        number_add_grouped(line, more);
        text_format(line, " more row%s (--top 0 shows all)%s", more == 1 ? "" : "s",
                    columns ? ", " : "");
    }
    if (columns)
        text_format(line, "%zu more column%s (--wide shows all)", columns, columns == 1 ? "" : "s");
}
