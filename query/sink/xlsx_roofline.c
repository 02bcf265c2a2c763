/* xlsx_roofline: see xlsx_roofline.h. */
#include "query/sink/xlsx_roofline.h"

#include "query/sink/chart.h"
#include "query/sink/xlsx_chart.h"
#include "query/sink/xlsx_text.h"

#include <math.h>

enum {
    SERIES_MAX = 40,
    CHART_WIDTH = 900, /* pixels */
    CHART_HEIGHT = 560,
    TITLE_MAX = 200,
    COLOURS = 8,
};

/* Told apart by all eyes; a line and the points below it have the same one. */
static const lxw_color_t colours[COLOURS] = {0x3B76AF, 0xE58A2E, 0x4C9F50, 0xC4493C,
                                             0x8A6BB8, 0x8A6250, 0xD07DB8, 0x7F7F7F};

enum role { ROLE_SERIES, ROLE_X, ROLE_Y, ROLE_CEILING, ROLES };

/* Whether a sheet declares "chart: roofline SERIES X Y CEILING", columns that it has. */
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
            return colours[number % COLOURS];
        number += self->series.items[i].is_line;
    }
    return colours[number % COLOURS];
}

static void style(lxw_chart_series *series, bool is_line, lxw_color_t colour)
{
    lxw_chart_line line = {.color = colour, .width = 1.75}, none = {.none = LXW_TRUE};
    lxw_chart_line edge = {.color = 0xFFFFFF, .width = 0.5};
    lxw_chart_fill fill = {.color = colour};
    if (is_line) {
        lxw.chart_series_set_line(series, &line);
        lxw.chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
        return;
    }
    lxw.chart_series_set_line(series, &none);
    lxw.chart_series_set_marker_type(series, LXW_CHART_MARKER_CIRCLE);
    lxw.chart_series_set_marker_size(series, 7);
    lxw.chart_series_set_marker_fill(series, &fill);
    lxw.chart_series_set_marker_line(series, &edge);
}

static bool add_series(const struct xlsx_roofline *self, lxw_chart *chart, const char *name,
                       const size_t places[ROLES])
{
    struct text x = {0}, y = {0}, words = {0};
    bool done = true;
    for (size_t i = 0; i < self->series.count && i < SERIES_MAX && done; i++) {
        const struct xlsx_series *run = &self->series.items[i];
        text_clear(&words);
        xlsx_add_range(&x, name, places[ROLE_X], run->first, run->last);
        xlsx_add_range(&y, name, places[run->is_line ? ROLE_CEILING : ROLE_Y], run->first,
                       run->last);
        xlsx_add_text(&words, view_of(run->name));
        lxw_chart_series *series = done ? lxw.chart_add_series(chart, x.items, y.items) : NULL;
        done = series != NULL;
        if (!done)
            break;
        lxw.chart_series_set_name(series, words.items);
        style(series, run->is_line, colour_of(self, i));
    }
    text_free(&x);
    text_free(&y);
    text_free(&words);
    return done;
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

bool xlsx_roofline_draw(const struct xlsx_roofline *self, lxw_workbook *book,
                        lxw_worksheet *worksheet, const char *name, const struct sheet *sheet)
{
    size_t places[ROLES];
    if (!find_roles(sheet, places) || !self->series.count || self->least_x == 0 ||
        self->least_y == 0)
        return true;
    lxw_chart *chart = lxw.workbook_add_chart(book, LXW_CHART_SCATTER_STRAIGHT_WITH_MARKERS);
    struct text title = {0};
    struct view words = view_of(sheet->name);
    if (words.length > TITLE_MAX)
        words.length = TITLE_MAX;
    bool done = chart && add_series(self, chart, name, places) && xlsx_add_text(&title, words);
    if (done) {
        set_axis(chart->x_axis, "FLOP per byte", self->least_x, self->most_x);
        set_axis(chart->y_axis, "TFLOP/s", self->least_y, self->most_y);
        lxw.chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
        done = xlsx_place_chart(worksheet, chart, sheet, title.items, CHART_WIDTH, CHART_HEIGHT);
    }
    text_free(&title);
    return done;
}

void xlsx_roofline_clear(struct xlsx_roofline *self)
{
    for (size_t i = 0; i < self->series.count; i++)
        memory_free(self->series.items[i].name);
    array_free(&self->series);
    *self = (struct xlsx_roofline){0};
}
