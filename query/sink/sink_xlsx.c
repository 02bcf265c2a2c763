/* sink_xlsx: a workbook, one worksheet a sheet.
 *
 * The library keeps one row of a worksheet in memory and the rest in a file without a name beside
 * the workbook (xlsx_file.h). Widths of columns, filters and charts are written behind the
 * rows, so nothing has to be known beforehand. Texts are written as texts whatever they look like:
 * there is no formula in a workbook, and no link but those of the index.
 *
 * A heading has a note that says what the column means and its unit. Columns of details are
 * folded away; a click above the headings shows them.
 */
#include "query/sink/sink.h"

#include "query/sink/chart.h"
#include "query/sink/xlsx_chart.h"
#include "query/sink/xlsx_file.h"
#include "query/sink/xlsx_text.h"
#include "src/base/number.h"
#include "src/base/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

enum {
#ifdef TPQ_SMALL_WINDOWS
    ROWS_MAX = 40, /* of a table, without its head */
#else
    ROWS_MAX = LXW_ROW_MAX - 1,
#endif
    WIDTH_MAX = 60,        /* of a column, unless its heading is wider */
    WIDTH_MIN = 6,         /* the same, in characters */
    BUTTON_WIDTH = 4,      /* of a filter, beside the heading */
    GENERAL_WIDTH = 11,    /* of a number that the spreadsheet rounds to the width it has */
    COLUMNS_MAX = 12,      /* of a table that are not folded away */
    CONSTANT_SHEETS = 500, /* each holds a file open */
    DECIMALS_MAX = 3,      /* for which there is a format */
    NOTE_LINE = 40,        /* characters */
    NOTE_WIDTH = 270,      /* pixels */
    NOTE_LINE_HEIGHT = 15,
    INDEX_WIDTH = 120, /* of what a sheet shows; longer words get more lines */
    HEAD_HEIGHT = 20,  /* points */
    LINE_HEIGHT = 15,
    INDEX_COLUMNS = 3,
};

static const double largest_exact = 9007199254740992.0;   /* 2^53: beyond it digits are lost */
static const double largest_archive = 3.5 * (1ULL << 30); /* members need longer fields from 4 GB */

/* A worksheet that has been begun. */
struct page {
    char *name;
    char *title;
    size_t rows;
};

struct formats {
    lxw_format *head, *link, *wrapped, *top, *text, *percent, *rate, *count, *good, *bad,
        *insignificant;
    lxw_format *saving, *decimals[DECIMALS_MAX + 1];
};

struct xlsx_sink {
    struct sink base;
    struct xlsx_file file;
    struct xlsx_temporaries temporaries;
    lxw_workbook *book;
    lxw_worksheet *index, *at;
    lxw_error problem; /* the first one that the library had */
    double bytes;      /* of all worksheets */
    struct formats formats;
    const struct sheet *sheet;
    ARRAY(struct page) pages; /* the last one is being written */
    ARRAY(size_t) widths;     /* of the columns */
    struct xlsx_roofline roofline;
    lxw_row_t footers; /* of the sheet */
    const struct identity *identity;
    bool notes;
    xlsx_parts parts; /* of its chart */
    struct text text;
};

/* ------------------------------------------------------------------ errors */

static bool library_error(const struct xlsx_sink *self, lxw_error problem, struct error *error)
{
    if (problem == LXW_NO_ERROR)
        return true;
    if (problem == LXW_ERROR_MEMORY_MALLOC_FAILED)
        return error_memory(error);
    return error_set(error, STATUS_DATABASE, "%s: cannot be written: %s", self->file.path,
                     lxw.lxw_strerror(problem));
}

/* The library does not look at what becomes of its temporary files. */
static bool check_temporaries(const struct xlsx_sink *self, struct error *error)
{
    int reason = self->temporaries.reason;
    if (reason == ENOMEM)
        return library_error(self, LXW_ERROR_MEMORY_MALLOC_FAILED, error);
    return !reason || xlsx_file_error(&self->file, reason, error);
}

static void keep(struct xlsx_sink *self, lxw_error problem)
{
    if (!self->problem)
        self->problem = problem;
}

/* Fails if anything so far has. */
static bool check(const struct xlsx_sink *self, struct error *error)
{
    return check_temporaries(self, error) && library_error(self, self->problem, error);
}

/* ------------------------------------------------------------------ files */

/* Where stderr leads, and what is in its place. */
struct silence {
    int kept, nowhere;
};

/* The library opens files from now on. What it says on stderr the caller is going to say. */
static struct silence begin_files(struct xlsx_sink *self)
{
    fflush(stderr);
    struct silence silence = {.kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3),
                              .nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)};
    if (silence.kept >= 0 && silence.nowhere >= 0)
        dup2(silence.nowhere, STDERR_FILENO);
    xlsx_temporaries_begin(&self->temporaries);
    return silence;
}

static void end_files(struct silence silence)
{
    xlsx_temporaries_pause();
    fflush(stderr);
    if (silence.kept >= 0 && silence.nowhere >= 0)
        dup2(silence.kept, STDERR_FILENO);
    if (silence.kept >= 0)
        close(silence.kept);
    if (silence.nowhere >= 0)
        close(silence.nowhere);
}

/* ------------------------------------------------------------------ cells */

static void widen(struct xlsx_sink *self, size_t column, size_t width)
{
    if (width > self->widths.items[column])
        self->widths.items[column] = width;
}

/* Characters of the whole part with its commas. */
static size_t digits_width(double value)
{
    size_t digits = 1;
    for (double limit = 10; fabs(value) >= limit; limit *= 10)
        digits++;
    return digits + (digits - 1) / 3 + (value < 0);
}

static lxw_row_t row_number(const struct xlsx_sink *self)
{
    return (lxw_row_t)self->pages.items[self->pages.count - 1].rows;
}

static void write_text(struct xlsx_sink *self, size_t column, struct view text, lxw_format *format)
{
    text_clear(&self->text);
    xlsx_add_text(&self->text, text);
    if (self->widths.items[column] < WIDTH_MAX) {
        struct view line = {self->text.items, strcspn(self->text.items, "\n")};
        if (line.length > 4 * WIDTH_MAX)
            line.length = 4 * WIDTH_MAX;
        widen(self, column, visible_width(line) + (format == self->formats.text));
    }
    keep(self, lxw.worksheet_write_string(self->at, row_number(self), (lxw_col_t)column,
                                          self->text.items, format));
}

static void write_number(struct xlsx_sink *self, size_t column, double value, lxw_format *format)
{
    keep(self,
         lxw.worksheet_write_number(self->at, row_number(self), (lxw_col_t)column, value, format));
}

static void write_cell(struct xlsx_sink *self, size_t column, const struct cell *cell)
{
    const struct column *of = &self->sheet->columns[column];
    if (cell->type == CELL_TEXT) {
        write_text(self, column, cell_shown(cell), column ? self->formats.text : NULL);
    } else if (cell->type == CELL_INTEGER && of->form == FORM_BOOLEAN) {
        keep(self, lxw.worksheet_write_boolean(self->at, row_number(self), (lxw_col_t)column,
                                               cell->integer != 0, NULL));
    } else if (cell->type == CELL_INTEGER) {
        /* Numbers that a double cannot hold are texts. */
        int64_t value = cell->integer;
        if (value < -(int64_t)largest_exact || value > (int64_t)largest_exact) {
            char digits[24];
            snprintf(digits, sizeof digits, "%lld", (long long)value);
            write_text(self, column, view_of(digits), NULL);
            return;
        }
        widen(self, column, digits_width((double)value));
        write_number(self, column, (double)value,
                     of->form == FORM_NAME ? NULL : self->formats.decimals[0]);
    } else if (cell->type == CELL_REAL && isinf(cell->real)) {
        write_text(self, column, cell->real < 0 ? VIEW("-inf") : VIEW("inf"), NULL);
    } else if (cell->type == CELL_REAL && !isnan(cell->real)) {
        /* The unit decides on the format. */
        int decimals = number_decimals(of->unit);
        lxw_format *format = strcmp(of->unit, "%") == 0           ? self->formats.percent
                             : decimals >= 0                      ? self->formats.decimals[decimals]
                             : *of->unit || of->type == CELL_REAL ? self->formats.rate
                                                                  : NULL;
        if (format == self->formats.rate)
            decimals = 4;
        widen(self, column,
              format ? digits_width(cell->real) + (size_t)decimals + (decimals > 0)
                     : GENERAL_WIDTH);
        write_number(self, column, cell->real, format);
    }
}

/* ------------------------------------------------------------------ worksheets */

static bool is_taken(const void *context, const char *name)
{
    const struct xlsx_sink *self = context;
    if (self->index && strcasecmp(name, "index") == 0)
        return true;
    for (size_t i = 0; i < self->pages.count; i++)
        if (self->pages.items[i].name && strcasecmp(name, self->pages.items[i].name) == 0)
            return true;
    return false;
}

static void write_head(struct xlsx_sink *self)
{
    self->widths.count = 0;
    array_reserve(&self->widths, self->sheet->column_count);
    self->widths.count = self->sheet->column_count;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        self->widths.items[i] = WIDTH_MIN;

        /* A comment at a heading: the meaning and unit of the column, at the first one the health,
         * too. */
        const struct column *column = &self->sheet->columns[i];
        struct text words = {0};
        bool has_meaning = column->meaning && *column->meaning;
        if (!i)
            identity_add_health(self->identity, &words);
        if (words.count || has_meaning || *column->unit) {
            text_format(&words, "%s%s%s%s%s", words.count ? "\n" : "",
                        has_meaning ? column->meaning : "",
                        has_meaning && *column->unit ? "\n" : "", *column->unit ? "Unit: " : "",
                        column->unit);
            text_clear(&self->text);
            xlsx_add_text(&self->text, text_view(&words));
            size_t lines = words.count / NOTE_LINE + 2;
            lxw_comment_options options = {
                .width = NOTE_WIDTH,
                .height = (uint16_t)(NOTE_LINE_HEIGHT * (lines < 20 ? lines : 20)),
                .font_size = 9,
                .color = 0xFFFFE8};
            keep(self, lxw.worksheet_write_comment_opt(self->at, 0, (lxw_col_t)i, self->text.items,
                                                       &options));
        }
        write_text(self, i, view_of(column->heading), self->formats.head);
        self->widths.items[i] = WIDTH_MIN; /* that of the heading is added at the end */
    }
    lxw.worksheet_freeze_panes(self->at, 1, 0);
    keep(self, lxw.worksheet_set_row(self->at, 0, HEAD_HEIGHT, NULL));
}

static lxw_worksheet *add_worksheet(struct xlsx_sink *self, const char *name)
{
    struct silence silence = begin_files(self);
    lxw_worksheet *worksheet = lxw.workbook_add_worksheet(self->book, name);
    end_files(silence);
    if (!worksheet) {
        keep(self, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return NULL;
    }

    /* The library's own quoting overlooks names that look like numbers or cells. */
    struct text quoted = {0};
    text_format(&quoted, "'%s'", name);
    free(worksheet->quoted_name); /* the library frees the new one, too */
    worksheet->quoted_name = strdup(quoted.items);
    if (!worksheet->quoted_name)
        memory_fail();
    return worksheet;
}

/* Begins a worksheet for the sheet, or the next one for its further rows. */
static bool begin_page(struct xlsx_sink *self, struct error *error)
{
    struct text name = {0};
    struct page *page = array_push(&self->pages);
    *page = (struct page){0};
    xlsx_add_name(&name, view_of(self->sheet->page ? self->sheet->page : self->sheet->name),
                  is_taken, self);
    page->name = name.items;
    page->title = memory_text(self->sheet->title ? self->sheet->title : "");
    if (self->pages.count > CONSTANT_SHEETS)
        self->book->options.constant_memory = LXW_FALSE;
    self->at = add_worksheet(self, page->name);
    if (self->at)
        write_head(self);
    return check(self, error);
}

/* Details are folded away, but not where nothing else would be left; in a workbook of our own also
 * what is not among the most important columns: those with a place, then the first ones. */
static bool is_folded(const struct xlsx_sink *self, size_t column)
{
    const struct column *columns = self->sheet->columns;
    size_t others = 0, before = 0;
    for (size_t i = 0; i < self->sheet->column_count && column < self->sheet->column_count; i++) {
        unsigned place = columns[i].place - 1, own = columns[column].place - 1; /* 0 is last */
        others += !columns[i].is_detail;
        before += !columns[i].is_detail && (place < own || (place == own && i < column));
    }
    return others &&
           (columns[column].is_detail || (self->notes && column && before >= COLUMNS_MAX));
}

static void set_widths(struct xlsx_sink *self)
{
    for (size_t i = 0; i <= self->sheet->column_count; i++) {
        bool is_column = i < self->sheet->column_count, folded = is_folded(self, i);
        lxw_row_col_options fold = {
            .hidden = folded, .level = folded, .collapsed = !folded && i && is_folded(self, i - 1)};
        size_t width = is_column ? self->widths.items[i] + 1 : WIDTH_MIN;
        if (width > WIDTH_MAX)
            width = WIDTH_MAX;
        if (is_column) {
            size_t heading = visible_width(view_of(self->sheet->columns[i].heading)) + BUTTON_WIDTH;
            width = heading > width ? heading : width;
        }
        if (is_column || fold.collapsed)
            keep(self,
                 lxw.worksheet_set_column_opt(self->at, (lxw_col_t)i, (lxw_col_t)i,
                                              (double)(width > 255 ? 255 : width), NULL, &fold));
    }
    lxw.worksheet_set_landscape(self->at);
    lxw.worksheet_fit_to_pages(self->at, 1, 0);
}

/* The library takes a range only while its last row is the last that was written. */
static void filter_rows(struct xlsx_sink *self)
{
    if (!self->footers && self->sheet->column_count)
        keep(self, lxw.worksheet_autofilter(self->at, 0, 0, row_number(self),
                                            (lxw_col_t)(self->sheet->column_count - 1)));
}

/* How the cells of a column look by their values. */
static void add_condition(struct xlsx_sink *self, size_t column, lxw_conditional_format format)
{
    if (row_number(self))
        keep(self,
             lxw.worksheet_conditional_format_range(self->at, 1, (lxw_col_t)column,
                                                    row_number(self), (lxw_col_t)column, &format));
}

/* Differences that are not significant are grey, whatever else holds; those for better are green,
 * those for worse red. */
static void colour_changes(struct xlsx_sink *self, size_t column)
{
    char formula[100], name[LXW_MAX_COL_NAME_LENGTH];
    enum polarity better = self->sheet->columns[column].change;
    size_t verdict = column + 1;
    while (verdict < self->sheet->column_count && !self->sheet->columns[verdict].significant)
        verdict++;
    if (better == POLARITY_NONE)
        return;
    if (verdict < self->sheet->column_count) {
        lxw.lxw_col_to_name(name, (lxw_col_t)verdict, 1);
        snprintf(formula, sizeof formula, "=ISERROR(FIND(\"|\"&%s2&\"|\",\"%s\"))", name,
                 self->sheet->columns[verdict].significant);
        add_condition(self, column,
                      (lxw_conditional_format){.type = LXW_CONDITIONAL_TYPE_FORMULA,
                                               .value_string = formula,
                                               .format = self->formats.insignificant,
                                               .stop_if_true = LXW_TRUE});
    }
    for (int above = 0; above < 2; above++) {
        bool is_good = (better == POLARITY_HIGHER) == (above == 1);
        add_condition(self, column,
                      (lxw_conditional_format){
                          .type = LXW_CONDITIONAL_TYPE_CELL,
                          .criteria = above ? LXW_CONDITIONAL_CRITERIA_GREATER_THAN
                                            : LXW_CONDITIONAL_CRITERIA_LESS_THAN,
                          .value = 0,
                          .format = is_good ? self->formats.good : self->formats.bad,
                      });
    }
}

static bool end_page(struct xlsx_sink *self, struct error *error)
{
    enum { HEAT_VALUE = 2 };
    const struct page *page = &self->pages.items[self->pages.count - 1];
    if (self->sheet->column_count) {
        set_widths(self);
        lxw.worksheet_repeat_rows(self->at, 0, 0);
        filter_rows(self);
    }
    for (size_t i = 0; i < self->sheet->column_count; i++)
        colour_changes(self, i);

    /* The values of a heat map, from white over yellow to red. */
    struct chart chart = chart_read(self->sheet);
    if (chart.kind == CHART_HEAT && chart.columns[HEAT_VALUE] != SIZE_MAX)
        add_condition(self, chart.columns[HEAT_VALUE],
                      (lxw_conditional_format){.type = LXW_CONDITIONAL_3_COLOR_SCALE,
                                               .min_color = 0xFFFFFF,
                                               .mid_color = 0xFFE08A,
                                               .max_color = 0xE0603A});
    keep(self, lxw.worksheet_ignore_errors(self->at, LXW_IGNORE_NUMBER_STORED_AS_TEXT,
                                           "A1:XFD1048576")); /* long integers, on purpose */
    xlsx_add_chart(self->book, self->at, page->name, self->sheet, page->rows, &self->parts);
    xlsx_roofline_draw(&self->roofline, self->book, self->at, page->name, self->sheet);
    xlsx_roofline_clear(&self->roofline);
    FILE *rows = self->at->optimize_tmpfile;
    if (rows && fflush(rows) == 0)
        self->bytes += (double)ftello(rows);
    return check(self, error);
}

static bool xlsx_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct xlsx_sink *self = (struct xlsx_sink *)sink;
    self->sheet = sheet;
    self->footers = 0;
    self->parts.count = 0;
    if (sheet->column_count > LXW_COL_MAX)
        return error_set(error, STATUS_DATABASE, "%s: %s has more than %d columns", self->file.path,
                         sheet->name, LXW_COL_MAX);
    return begin_page(self, error);
}

static bool xlsx_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct xlsx_sink *self = (struct xlsx_sink *)sink;
    if (row_number(self) == ROWS_MAX && !(end_page(self, error) && begin_page(self, error)))
        return false;
    self->pages.items[self->pages.count - 1].rows++;
    if (self->sheet->chart)
        xlsx_add_part(self->sheet, cells, &self->parts);
    for (size_t i = 0; i < self->sheet->column_count; i++)
        write_cell(self, i, &cells[i]);
    xlsx_roofline_note(&self->roofline, self->sheet, cells, row_number(self));
    return check(self, error);
}

/* Stands below the rows: what filters and charts take as the rows goes without it. */
static bool xlsx_footer(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct xlsx_sink *self = (struct xlsx_sink *)sink;
    size_t *rows = &self->pages.items[self->pages.count - 1].rows;
    filter_rows(self);
    *rows += ++self->footers;
    for (size_t i = 0; i < self->sheet->column_count; i++)
        if (cells[i].type == CELL_TEXT)
            write_text(self, i, cells[i].text, self->formats.head);
        else
            write_cell(self, i, &cells[i]);
    *rows -= self->footers;
    return check(self, error);
}

static bool xlsx_end(struct sink *sink, struct error *error)
{
    struct xlsx_sink *self = (struct xlsx_sink *)sink;
    struct text words = {0};
    if (self->notes)
        sheet_add_notes(self->sheet, &words);
    if (words.count) {
        /* Notes about rows not included stand below an empty row; filters and charts go without
         * it, too. */
        text_clear(&self->text);
        xlsx_add_text(&self->text, text_view(&words));
        filter_rows(self);
        self->footers += 2;
        keep(self, lxw.worksheet_write_string(self->at, row_number(self) + self->footers, 0,
                                              self->text.items, NULL));
    }
    return end_page(self, error);
}

/* ------------------------------------------------------------------ the index */

static void write_index_text(struct xlsx_sink *self, lxw_row_t row, lxw_col_t column,
                             struct view words, lxw_format *format)
{
    text_clear(&self->text);
    xlsx_add_text(&self->text, words);
    keep(self, lxw.worksheet_write_string(self->index, row, column, self->text.items, format));
}

/* A text that gets as many lines as it needs. */
static void write_wrapped(struct xlsx_sink *self, lxw_row_t row, struct view words)
{
    write_index_text(self, row, 1, words, self->formats.wrapped);
    size_t lines = visible_width(words) / INDEX_WIDTH + 1;
    if (lines > 1)
        keep(self, lxw.worksheet_set_row(self->index, row, (double)(lines * LINE_HEIGHT), NULL));
}

/* A sheet's name, its title up to the first sentence, behind the name again where several sheets
 * have the same, and its rows. */
static void write_index_row(struct xlsx_sink *self, lxw_row_t row, size_t index)
{
    const struct page *page = &self->pages.items[index];
    const char *end = self->notes ? strstr(page->title, ". ") : NULL;
    bool is_one_of_several =
        self->notes && ((index && strcmp(page[-1].title, page->title) == 0) ||
                        (index + 1 < self->pages.count && strcmp(page[1].title, page->title) == 0));
    struct text link = {0}, words = {0};
    text_format(&link, "internal:'%s'!A1", page->name);
    text_format(&words, "%s%s%.*s", is_one_of_several ? page->name : "",
                is_one_of_several ? ": " : "",
                end ? (int)(end + 1 - page->title) : (int)strlen(page->title), page->title);
    keep(self, lxw.worksheet_write_url_opt(self->index, row, 0, link.items, self->formats.link,
                                           page->name, NULL));
    write_wrapped(self, row, text_view(&words));
    keep(self,
         lxw.worksheet_write_number(self->index, row, 2, (double)page->rows, self->formats.count));
}

/* Words and what is said about them as two cells. */
static void write_words(struct xlsx_sink *self, lxw_row_t row, const char *name, struct view words)
{
    write_index_text(self, row, 0, view_of(name), self->formats.top);
    write_wrapped(self, row, words);
}

/* The facts of the whole, then each side. */
static void write_identity(struct xlsx_sink *self, lxw_row_t *row)
{
    const struct identity *identity = self->identity;
    struct text words = {0};
    for (size_t i = 0; identity && i < identity->facts.count; i++) {
        const struct identity_fact *fact = &identity->facts.items[i];
        text_clear(&words);
        identity_add_values(fact, &words);
        write_words(self, (*row)++, identity_label(fact), text_view(&words));
    }
    for (size_t i = 0; identity && i < identity->sides.count; i++) {
        text_clear(&words);
        text_add(&words, "", 0);
        identity_add_facts(&identity->sides.items[i], &words);
        write_words(self, (*row)++, identity->sides.items[i].side, text_view(&words));
    }
    text_clear(&words);
    identity_add_health(identity, &words);
    if (words.count)
        write_words(self, (*row)++, "health", text_view(&words));
}

static void write_index_head(struct xlsx_sink *self, lxw_row_t row, const char *const *cells)
{
    for (lxw_col_t i = 0; i < INDEX_COLUMNS; i++)
        write_index_text(self, row, i, view_of(cells[i]), self->formats.head);
    keep(self, lxw.worksheet_set_row(self->index, row, HEAD_HEIGHT, NULL));
}

/* The headlines, then the findings as a table; `*row` becomes that of what follows. */
static void write_first_lines(struct xlsx_sink *self, lxw_row_t *row)
{
    static const char *const headings[] = {"Finding", "Advice", "Estimated saving (ms)"};
    size_t count = self->identity ? self->identity->first_lines.count : 0;
    bool has_findings = false;
    for (size_t i = 0; i < count; i++) {
        const struct identity_first *first = &self->identity->first_lines.items[i];
        has_findings |= first->name != NULL;
        if (!first->name)
            write_words(self, (*row)++, "headline", view_of(first->line));
    }
    *row += count > 0;
    if (has_findings)
        write_index_head(self, (*row)++, headings);
    for (size_t i = 0; i < count; i++) {
        const struct identity_first *first = &self->identity->first_lines.items[i];
        if (!first->name)
            continue;
        write_words(self, *row, first->name, view_of(first->advice ? first->advice : ""));
        if (!isnan(first->saves_ms))
            keep(self, lxw.worksheet_write_number(self->index, *row, 2, first->saves_ms,
                                                  self->formats.saving));
        ++*row;
    }
    *row += has_findings;
}

static void widen_for(const char *words, size_t *width)
{
    size_t other = words ? visible_width(view_of(words)) : 0;
    *width = other > *width ? other : *width;
}

/* Widths of names: those of sheets, findings and facts. */
static size_t index_name_width(const struct xlsx_sink *self)
{
    const struct identity *identity = self->identity;
    size_t width = 2 * WIDTH_MIN;
    for (size_t i = 0; i < self->pages.count; i++)
        widen_for(self->pages.items[i].name, &width);
    for (size_t i = 0; identity && i < identity->first_lines.count; i++)
        widen_for(identity->first_lines.items[i].name, &width);
    return width < WIDTH_MAX ? width : WIDTH_MAX;
}

/* First the answer, then what it is about, then the sheets; like the reference only the sheets
 * stand before what it is about. */
static void write_index(struct xlsx_sink *self)
{
    static const char *const headings[] = {"Sheet", "What it shows", "Rows"};
    const size_t widths[INDEX_COLUMNS] = {index_name_width(self), INDEX_WIDTH, WIDTH_MIN + 16};
    lxw_row_t row = 0;
    write_first_lines(self, &row);
    if (self->notes && self->identity) {
        write_identity(self, &row);
        row++;
    }
    write_index_head(self, row, headings);
    for (size_t i = 0; i < self->pages.count; i++)
        write_index_row(self, ++row, i);
    row += 2;
    if (!self->notes)
        write_identity(self, &row);
    for (lxw_col_t i = 0; i < INDEX_COLUMNS; i++)
        keep(self, lxw.worksheet_set_column(self->index, i, i, (double)widths[i] + 2, NULL));
    if (!self->notes)
        lxw.worksheet_freeze_panes(self->index, 1, 0);
    lxw.worksheet_set_landscape(self->index);
    lxw.worksheet_fit_to_pages(self->index, 1, 0);
}

/* ------------------------------------------------------------------ the workbook */

/* A property of the document, unless it is too long for one. */
static void set_property(struct xlsx_sink *self, const char *name, const struct text *words)
{
    enum { LONGEST_PROPERTY = 255 };
    text_clear(&self->text);
    xlsx_add_text(&self->text, text_view(words));
    if (self->text.count && self->text.count <= LONGEST_PROPERTY &&
        strlen(name) <= LONGEST_PROPERTY)
        keep(self, lxw.workbook_set_custom_property_string(self->book, name, self->text.items));
}

static void set_properties(struct xlsx_sink *self)
{
    const struct identity *identity = self->identity;
    struct text words = {0};

    /* The lines are comments; each fact is a property of its name. */
    static char title[] = "tpq report";
    for (size_t i = 0; i < identity_lines(identity); i++) {
        if (i)
            text_add_byte(&words, '\n');
        identity_add_line(identity, i, &words);
    }
    text_clear(&self->text);
    xlsx_add_text(&self->text, text_view(&words));
    lxw_doc_properties properties = {.title = title, .comments = self->text.items};
    keep(self, lxw.workbook_set_properties(self->book, &properties));
    for (size_t i = 0; i < identity->facts.count; i++) {
        const struct identity_fact *fact = &identity->facts.items[i];
        text_clear(&words);
        identity_add_values(fact, &words);
        set_property(self, identity_label(fact), &words);
    }
    for (size_t i = 0; i < identity->sides.count; i++) {
        struct text name = {0};
        text_clear(&words);
        text_format(&name, "side %zu", i + 1);
        text_format(&words, "%s: ", identity->sides.items[i].side);
        identity_add_facts(&identity->sides.items[i], &words);
        set_property(self, name.items, &words);
    }
}

static bool xlsx_finish(struct sink *sink, struct error *error)
{
    struct xlsx_sink *self = (struct xlsx_sink *)sink;
    if (self->identity)
        set_properties(self);
    if (self->index)
        write_index(self);
    if (!library_error(self, self->problem, error))
        return false;
    int reason;
    self->book->options.use_zip64 = self->bytes > largest_archive;
    struct silence silence = begin_files(self);
    errno = 0;
    lxw_error problem = lxw.workbook_close(self->book);
    reason = errno;
    end_files(silence);
    self->book = NULL;
    if (!check_temporaries(self, error))
        return false;
    if (problem == LXW_ERROR_MEMORY_MALLOC_FAILED)
        return library_error(self, problem, error);
    if (problem)
        return xlsx_file_error(&self->file, reason, error);
    if (!xlsx_file_is_whole(&self->file))
        return xlsx_file_error(&self->file, 0, error);
    return xlsx_file_publish(&self->file, error);
}

static void xlsx_free(struct sink *sink)
{
    struct xlsx_sink *self = (struct xlsx_sink *)sink;
    if (self->book)
        lxw.lxw_workbook_free(self->book);
    xlsx_temporaries_free(&self->temporaries);
    xlsx_file_free(&self->file);
}

static bool add_formats(struct xlsx_sink *self)
{
    struct formats *formats = &self->formats;
    const struct {
        lxw_format **format;
        const char *pattern; /* of numbers; NULL = none */
    } made[] = {{&formats->decimals[0], "#,##0"},
                {&formats->decimals[1], "#,##0.0"},
                {&formats->decimals[2], "#,##0.00"},
                {&formats->decimals[3], "#,##0.000"},
                {&formats->percent, "0.00"},
                {&formats->rate, "[>=1]#,##0.00;[>=0.001]0.0000;General"},
                {&formats->count, "#,##0"},
                {&formats->text, NULL},
                {&formats->wrapped, NULL},
                {&formats->top, NULL},
                {&formats->saving, "#,##0.0"},
                {&formats->head, NULL},
                {&formats->link, NULL},
                {&formats->good, NULL},
                {&formats->insignificant, NULL},
                {&formats->bad, NULL}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        if (!(*made[i].format = lxw.workbook_add_format(self->book)))
            return false;
        if (made[i].pattern)
            lxw.format_set_num_format(*made[i].format, made[i].pattern);
    }
    lxw.format_set_indent(formats->text, 1); /* off the figures before it */
    lxw.format_set_text_wrap(formats->wrapped);
    lxw.format_set_align(formats->wrapped, LXW_ALIGN_VERTICAL_TOP);
    lxw.format_set_align(formats->link, LXW_ALIGN_VERTICAL_TOP);
    lxw.format_set_align(formats->top, LXW_ALIGN_VERTICAL_TOP);
    lxw.format_set_align(formats->saving, LXW_ALIGN_VERTICAL_TOP);
    lxw.format_set_align(formats->count, LXW_ALIGN_VERTICAL_TOP);
    lxw.format_set_font_color(formats->good, 0x1A7F37);
    lxw.format_set_font_color(formats->insignificant, 0x808080);
    lxw.format_set_font_color(formats->bad, 0xC0272D);
    lxw.format_set_bold(formats->head);
    lxw.format_set_border(formats->head, LXW_BORDER_THIN);
    lxw.format_set_border_color(formats->head, 0xA6B4C2);
    lxw.format_set_align(formats->head, LXW_ALIGN_CENTER);
    lxw.format_set_align(formats->head, LXW_ALIGN_VERTICAL_CENTER);
    lxw.format_set_bg_color(formats->head, 0xE4ECF4);
    lxw.format_set_font_color(formats->link, 0x1F5FA8);
    lxw.format_set_underline(formats->link, LXW_UNDERLINE_SINGLE);
    return true;
}

static bool open_book(struct xlsx_sink *self, bool index, struct error *error)
{
    lxw_workbook_options options = {.constant_memory = LXW_TRUE};
    self->temporaries.directory = self->file.directory;
    if (!xlsx_library_load(error))
        return false;
    self->book = lxw.workbook_new_opt(self->file.building, &options);
    if (!self->book || !add_formats(self))
        return library_error(self, LXW_ERROR_MEMORY_MALLOC_FAILED, error);
    if (index)
        self->index = add_worksheet(self, "index");
    return check(self, error);
}

struct sink *sink_xlsx(const struct sink_target *target, struct error *error)
{
    struct sink base = {.begin = xlsx_begin,
                        .row = xlsx_row,
                        .end = xlsx_end,
                        .finish = xlsx_finish,
                        .free = xlsx_free,
                        .footer = xlsx_footer,
                        .values_first = true,
                        .has_charts = true,
                        .is_workbook = true,
                        .has_notes = target->notes};
    struct xlsx_sink *self = sink_new(sizeof *self, base);
    self->identity = target->identity;
    self->notes = target->notes;
    if (xlsx_file_open(&self->file, target->path, target->overwrite, error) &&
        open_book(self, target->index, error))
        return &self->base;
    xlsx_free(&self->base);
    return NULL;
}
