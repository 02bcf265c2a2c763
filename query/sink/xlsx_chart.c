/* xlsx_chart: a chart refers to cells that are written already, by ranges of the worksheet. Colours
 * of a stack and extents of a roofline cannot be read back from there: they are kept row by row
 * while the table is written.
 */
#include "query/sink/xlsx_chart.h"

#include "query/sink/chart.h"
#include "query/sink/xlsx_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CATEGORIES_MAX = 30,
    SERIES_MAX = 8,
    CHART_WIDTH = 840, /* pixels */
    CHART_HEIGHT = 420,
    BAR_HEIGHT = 24,
    BAR_FRAME = 130,
    STACK_HEIGHT = 720,
    NAMED_MAX = 14,  /* of a stack, in the legend: the largest */
    PARTS_MAX = 200, /* of a stack; a chart has room for 255 */
    LABELS = 15,     /* of an axis with more rows than CATEGORIES_MAX */
    WORDS_MAX = 1024,
};

static const struct kind {
    uint8_t type;
    bool all_rows;
} kinds[] = {
    [CHART_BAR] = {LXW_CHART_BAR, false},
    [CHART_COLUMN] = {LXW_CHART_COLUMN, true},
    [CHART_PIE] = {LXW_CHART_PIE, false},
    [CHART_LINE] = {LXW_CHART_LINE, true},
    [CHART_STACK] = {LXW_CHART_COLUMN_STACKED, true},
};

/* Blue, orange, green, red, violet, brown, pink, grey: told apart by all eyes. A line of a roofline
 * and the points below it have the same one. */
static const lxw_color_t colours[SERIES_MAX] = {0x3B76AF, 0xE58A2E, 0x4C9F50, 0xC4493C,
                                                0x8A6BB8, 0x8A6250, 0xD07DB8, 0x7F7F7F};

struct plan {
    const struct kind *kind;
    const struct column *category, *values[SERIES_MAX];
    size_t value_count;
};

enum { STACK_KEY, STACK_VALUE, STACK_CATEGORY, STACK_BAR };

void xlsx_add_part(const struct sheet *sheet, const struct cell *cells, xlsx_parts *parts)
{
    struct chart chart = chart_read(sheet);
    size_t category = chart.columns[STACK_CATEGORY];
    if (category == SIZE_MAX)
        category = chart.columns[STACK_KEY];
    if (chart.kind != CHART_STACK || category == SIZE_MAX ||
        chart.columns[STACK_VALUE] == SIZE_MAX || parts->count >= PARTS_MAX)
        return;
    const struct cell *cell = &cells[category];
    struct xlsx_part *part = array_push(parts);
    char *name = memory_part(cell->type == CELL_TEXT ? cell->text.bytes : "", cell->text.length);
    size_t nth = 0;
    part->rank = stack_rank(name);
    for (const struct xlsx_part *other = parts->items; other < part; other++)
        nth += other->rank == part->rank;
    part->colour = (lxw_color_t)strtoul(stack_colour(name, nth) + 1, NULL, 16);
}

/* False when there is nothing to draw. */
static bool make_plan(struct plan *self, const struct sheet *sheet)
{
    struct chart chart = chart_read(sheet);
    bool is_ours = chart.kind > CHART_NONE && (size_t)chart.kind < sizeof kinds / sizeof *kinds;
    if (!is_ours || chart.columns[0] == SIZE_MAX)
        return false;
    self->kind = &kinds[chart.kind];
    self->category = &sheet->columns[chart.columns[0]];
    for (size_t i = 1; i < CHART_COLUMNS_MAX && self->value_count < SERIES_MAX; i++)
        if (chart.columns[i] != SIZE_MAX)
            self->values[self->value_count++] = &sheet->columns[chart.columns[i]];
    if (chart.kind == CHART_STACK && chart.columns[STACK_BAR] != SIZE_MAX) {
        self->kind = &kinds[CHART_BAR];
        self->value_count = self->value_count ? 1 : 0;
    }
    return self->value_count > 0;
}

/* ='name'!$A$2:$A$31, of rows from 1 on below the head, or of one row where `last` is 0; always
 * quoted: a name may look like a number or a cell. */
static void xlsx_add_range(struct text *out, const char *name, size_t column, size_t first,
                           size_t last)
{
    char letters[8];
    lxw.lxw_col_to_name(letters, (lxw_col_t)column, LXW_FALSE);
    text_clear(out);
    text_format(out, "='%s'!$%s$%zu", name, letters, first + 1);
    if (last)
        text_format(out, ":$%s$%zu", letters, last + 1);
}

/* A thing of the library, which has memory for it. */
static void *there(void *made)
{
    if (!made)
        memory_fail();
    return made;
}

/* Puts a chart behind the columns of a sheet, so many pixels wide and high. */
static void xlsx_place_chart(lxw_worksheet *worksheet, lxw_chart *chart, const struct sheet *sheet,
                             const char *title, double width, double height)
{
    lxw_chart_font font = {.size = 12, .bold = LXW_EXPLICIT_FALSE};
    lxw_chart_options place = {.x_scale = width / 480,
                               .y_scale = height / 288,
                               .object_position = LXW_OBJECT_MOVE_DONT_SIZE};
    lxw.chart_title_set_name(chart, title);
    lxw.chart_title_set_name_font(chart, &font);
    lxw.chart_show_hidden_data(chart);
    if (lxw.worksheet_insert_chart_opt(worksheet, 1, (lxw_col_t)(sheet->column_count + 1), chart,
                                       &place) != LXW_NO_ERROR)
        memory_fail();
}

/* Words as they may stand in XML. */
static void add_words(struct text *out, const char *words, const char *unit)
{
    struct view view = view_of(words);
    text_clear(out);
    if (view.length > WORDS_MAX)
        view.length = WORDS_MAX;
    xlsx_add_text(out, view);
    bool says_unit = !unit || !*unit || strstr(words, unit) ||
                     (strcmp(unit, "us") == 0 && (strstr(words, "µs") || strstr(words, "μs")));
    if (!says_unit)
        text_format(out, " (%s)", unit);
}

static void add_series(lxw_chart *chart, const struct plan *plan, const char *name,
                       const struct sheet *sheet, size_t rows)
{
    struct text categories = {0}, values = {0}, words = {0};
    xlsx_add_range(&categories, name, (size_t)(plan->category - sheet->columns), 1, rows);
    for (size_t i = 0; i < plan->value_count; i++) {
        const struct column *value = plan->values[i];
        xlsx_add_range(&values, name, (size_t)(value - sheet->columns), 1, rows);
        add_words(&words, value->heading, NULL);
        lxw_chart_series *series =
            there(lxw.chart_add_series(chart, categories.items, values.items));
        lxw.chart_series_set_name(series, words.items);
        if (plan->kind->type == LXW_CHART_PIE) {
            lxw.chart_series_set_labels_options(series, LXW_FALSE, LXW_FALSE, LXW_FALSE);
            lxw.chart_series_set_labels_percentage(series);
            continue;
        }
        lxw_chart_fill fill = {.color = colours[i]};
        lxw_chart_line line = {.color = colours[i], .width = 1.75};
        if (plan->kind->type == LXW_CHART_LINE)
            lxw.chart_series_set_line(series, &line);
        else
            lxw.chart_series_set_fill(series, &fill);
    }
}

/* A stack has a series for each row, those of a category together. */
static void add_parts(lxw_chart *chart, const struct plan *plan, const char *name,
                      const struct sheet *sheet, const xlsx_parts *parts)
{
    struct text place = {0};
    int16_t unnamed[PARTS_MAX + 1];
    size_t series_count = 0, unnamed_count = 0;
    size_t key = (size_t)(plan->category - sheet->columns), last = 0;
    size_t value = (size_t)(plan->values[0] - sheet->columns);
    for (size_t i = 0; i < parts->count; i++)
        last = parts->items[i].rank > last ? parts->items[i].rank : last;
    for (size_t rank = 0; rank <= last; rank++)
        for (size_t i = 0; i < parts->count && i < PARTS_MAX; i++) {
            if (parts->items[i].rank != rank)
                continue;
            xlsx_add_range(&place, name, value, i + 1, 0);
            lxw_chart_series *series = there(lxw.chart_add_series(chart, NULL, place.items));
            xlsx_add_range(&place, name, key, i + 1, 0);
            lxw_chart_fill fill = {.color = parts->items[i].colour};
            lxw.chart_series_set_name(series, place.items);
            lxw.chart_series_set_fill(series, &fill);
            if (i >= NAMED_MAX)
                unnamed[unnamed_count++] = (int16_t)series_count;
            series_count++;
        }
    unnamed[unnamed_count] = -1;
    if (unnamed_count)
        lxw.chart_legend_delete_series(chart, unnamed);
}

/* The library has the values of bars on the axis that lies, as they are drawn. */
static void set_axes(lxw_chart *chart, const struct plan *plan, size_t rows)
{
    struct text words = {0};
    lxw_chart_font font = {.size = 10, .bold = LXW_EXPLICIT_FALSE}, small = {.size = 8};
    lxw_chart_line grid = {.color = 0xD9D9D9, .width = 0.75};
    bool is_alone = plan->value_count == 1, is_bar = plan->kind->type == LXW_CHART_BAR;
    lxw_chart_axis *categories = is_bar ? chart->y_axis : chart->x_axis;
    lxw_chart_axis *values = is_bar ? chart->x_axis : chart->y_axis;
    const struct column *value = plan->values[0];
    add_words(&words, plan->category->heading, plan->category->unit);
    if (!is_bar) /* names of bars speak for themselves */
        lxw.chart_axis_set_name(categories, words.items);
    add_words(&words, is_alone ? value->heading : value->unit, is_alone ? value->unit : NULL);
    if (words.count)
        lxw.chart_axis_set_name(values, words.items);
    lxw.chart_axis_set_name_font(categories, &font);
    lxw.chart_axis_set_name_font(values, &font);
    lxw.chart_axis_set_num_font(categories, &small);
    lxw.chart_axis_set_num_font(values, &small);
    lxw.chart_axis_set_num_format(values, "#,##0.###");
    lxw.chart_axis_major_gridlines_set_visible(categories, LXW_FALSE);
    lxw.chart_axis_major_gridlines_set_visible(values, LXW_TRUE);
    lxw.chart_axis_major_gridlines_set_line(values, &grid);
    if (is_bar) { /* the first row on top, the scale below the last */
        lxw.chart_axis_set_reverse(categories);
        lxw.chart_axis_set_crossing_max(categories);
        lxw.chart_axis_set_interval_unit(categories, 1);
        lxw.chart_axis_set_label_position(categories, LXW_CHART_AXIS_LABEL_POSITION_LOW);
    } else if (rows > CATEGORIES_MAX) {
        uint16_t step = (uint16_t)(rows / LABELS > UINT16_MAX ? UINT16_MAX : rows / LABELS);
        lxw.chart_axis_set_interval_unit(categories, step);
        lxw.chart_axis_set_interval_tick(categories, step);
    }
}

void xlsx_add_chart(lxw_workbook *book, lxw_worksheet *worksheet, const char *name,
                    const struct sheet *sheet, size_t rows, const xlsx_parts *parts)
{
    struct plan plan = {0};
    struct text title = {0};
    if (!sheet->chart || !rows || !make_plan(&plan, sheet))
        return;
    if (!plan.kind->all_rows && rows > CATEGORIES_MAX)
        rows = CATEGORIES_MAX;
    lxw_chart *chart = there(lxw.workbook_add_chart(book, plan.kind->type));
    bool is_pie = plan.kind->type == LXW_CHART_PIE;
    bool is_stack = plan.kind->type == LXW_CHART_COLUMN_STACKED;
    if (is_stack) /* further words say what the picture of its own needs */
        plan.value_count = 1;
    if (is_stack)
        add_parts(chart, &plan, name, sheet, parts);
    else
        add_series(chart, &plan, name, sheet, rows);
    if (!is_pie)
        set_axes(chart, &plan, rows);
    add_words(&title, sheet->title ? sheet->title : sheet->name, NULL);
    lxw.chart_legend_set_position(chart, is_pie || is_stack     ? LXW_CHART_LEGEND_RIGHT
                                         : plan.value_count > 1 ? LXW_CHART_LEGEND_BOTTOM
                                                                : LXW_CHART_LEGEND_NONE);
    size_t bars = plan.kind->type == LXW_CHART_BAR ? rows * plan.value_count : 0;
    size_t height = bars ? bars * BAR_HEIGHT + BAR_FRAME : is_stack ? STACK_HEIGHT : CHART_HEIGHT;
    xlsx_place_chart(worksheet, chart, sheet, title.items, CHART_WIDTH, (double)height);
}

/* ------------------------------------------------------------------ rooflines */

enum {
    LINES_MAX = 40,
    ROOFLINE_WIDTH = 900, /* pixels */
    ROOFLINE_HEIGHT = 560,
    TITLE_MAX = 200,
};

enum role { ROLE_SERIES, ROLE_X, ROLE_Y, ROLE_CEILING, ROLES };

/* True if a sheet declares "chart: roofline SERIES X Y CEILING", and has these columns. */
static bool find_roles(const struct sheet *sheet, size_t places[ROLES])
{
    struct chart chart = chart_read(sheet);
    bool has_all = chart.kind == CHART_ROOFLINE;
    for (int i = 0; i < ROLES && has_all; i++) {
        places[i] = chart.columns[i];
        has_all = places[i] != SIZE_MAX;
    }
    return has_all;
}

static void widen(double value, double *least, double *most)
{
    if (value <= 0)
        return;
    *least = *least == 0 || value < *least ? value : *least;
    *most = value > *most ? value : *most;
}

void xlsx_roofline_note(struct xlsx_roofline *self, const struct sheet *sheet,
                        const struct cell *cells, size_t row)
{
    size_t places[ROLES];
    if (!find_roles(sheet, places) || cells[places[ROLE_SERIES]].type != CELL_TEXT)
        return;
    struct view name = cells[places[ROLE_SERIES]].text;
    bool is_line = cells[places[ROLE_Y]].type == CELL_NULL;
    widen(cell_number(&cells[places[ROLE_X]], 0), &self->least_x, &self->most_x);
    widen(cell_number(&cells[places[is_line ? ROLE_CEILING : ROLE_Y]], 0), &self->least_y,
          &self->most_y);
    struct xlsx_series *last =
        self->series.count ? &self->series.items[self->series.count - 1] : NULL;
    if (last && view_equal(view_of(last->name), name) && last->is_line == is_line &&
        last->last + 1 == row) {
        last->last = row;
        return;
    }
    char *copy = memory_part(name.bytes, name.length);
    struct xlsx_series *added = array_push(&self->series);
    *added = (struct xlsx_series){copy, row, row, is_line};
}

/* The colour of a series: that of the first one whose name ends in the same word. */
static lxw_color_t colour_of(const struct xlsx_roofline *self, size_t index)
{
    const char *word = strrchr(self->series.items[index].name, ' ');
    size_t number = 0;
    for (size_t i = 0; i < index && word; i++) {
        const char *other = strrchr(self->series.items[i].name, ' ');
        if (other && strcmp(word, other) == 0)
            return colours[number % SERIES_MAX];
        number += self->series.items[i].is_line;
    }
    return colours[number % SERIES_MAX];
}

static void add_roofline_series(const struct xlsx_roofline *self, lxw_chart *chart,
                                const char *name, const size_t places[ROLES])
{
    struct text x = {0}, y = {0}, words = {0};
    for (size_t i = 0; i < self->series.count && i < LINES_MAX; i++) {
        const struct xlsx_series *run = &self->series.items[i];
        text_clear(&words);
        xlsx_add_range(&x, name, places[ROLE_X], run->first, run->last);
        xlsx_add_range(&y, name, places[run->is_line ? ROLE_CEILING : ROLE_Y], run->first,
                       run->last);
        xlsx_add_text(&words, view_of(run->name));
        lxw_chart_series *series = there(lxw.chart_add_series(chart, x.items, y.items));
        lxw.chart_series_set_name(series, words.items);

        /* Ceilings are lines, kernels are markers. */
        lxw_color_t colour = colour_of(self, i);
        lxw_chart_line line = {.color = colour, .width = 1.75}, none = {.none = LXW_TRUE};
        lxw_chart_line edge = {.color = 0xFFFFFF, .width = 0.5};
        lxw_chart_fill fill = {.color = colour};
        if (run->is_line) {
            lxw.chart_series_set_line(series, &line);
            lxw.chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
        } else {
            lxw.chart_series_set_line(series, &none);
            lxw.chart_series_set_marker_type(series, LXW_CHART_MARKER_CIRCLE);
            lxw.chart_series_set_marker_size(series, 7);
            lxw.chart_series_set_marker_fill(series, &fill);
            lxw.chart_series_set_marker_line(series, &edge);
        }
    }
}

/* Whole powers of ten around what is drawn. */
static void set_axis(lxw_chart_axis *axis, const char *words, double least, double most)
{
    lxw_chart_font font = {.size = 10, .bold = LXW_EXPLICIT_FALSE}, small = {.size = 8};
    lxw_chart_line grid = {.color = 0xD9D9D9, .width = 0.75};
    double low = pow(10, floor(log10(least))), high = pow(10, ceil(log10(most)));
    lxw.chart_axis_set_log_base(axis, 10);
    lxw.chart_axis_set_min(axis, low);
    lxw.chart_axis_set_max(axis, high > low ? high : low * 10);
    lxw.chart_axis_set_name(axis, words);
    lxw.chart_axis_set_name_font(axis, &font);
    lxw.chart_axis_set_num_font(axis, &small);
    lxw.chart_axis_set_num_format(axis, "General");
    lxw.chart_axis_set_label_position(axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
    lxw.chart_axis_major_gridlines_set_visible(axis, LXW_TRUE);
    lxw.chart_axis_major_gridlines_set_line(axis, &grid);
}

void xlsx_roofline_draw(const struct xlsx_roofline *self, lxw_workbook *book,
                        lxw_worksheet *worksheet, const char *name, const struct sheet *sheet)
{
    size_t places[ROLES];
    if (!find_roles(sheet, places) || !self->series.count || self->least_x == 0 ||
        self->least_y == 0)
        return;
    lxw_chart *chart = there(lxw.workbook_add_chart(book, LXW_CHART_SCATTER_STRAIGHT_WITH_MARKERS));
    struct text title = {0};
    struct view words = view_of(sheet->name);
    if (words.length > TITLE_MAX)
        words.length = TITLE_MAX;
    add_roofline_series(self, chart, name, places);
    xlsx_add_text(&title, words);
    set_axis(chart->x_axis, "FLOP per byte", self->least_x, self->most_x);
    set_axis(chart->y_axis, "TFLOP/s", self->least_y, self->most_y);
    lxw.chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
    xlsx_place_chart(worksheet, chart, sheet, title.items, ROOFLINE_WIDTH, ROOFLINE_HEIGHT);
}

void xlsx_roofline_clear(struct xlsx_roofline *self)
{
    *self = (struct xlsx_roofline){0};
}
