/* overview: Rows are kept until the end, because a bar needs all rows of its subject; layers of a
 * chart become a picture as soon as X goes back. Rows of one section and form must follow each
 * other. All bars of a section share their colours; a bar without all its figures is not drawn. */
#include "query/page/overview.h"

#include "query/page/blocks.h"
#include "query/sink/chart.h"
#include "src/base/number.h"

#include <math.h>
#include <stdio.h>

enum { BAR_WIDTH = 1000, PICTURE_HEIGHT = 80, PICTURES_MOST = 8, BAR_PARTS = 9, BAR_COLOURS = 8 };

static const char *const field_names[OVERVIEW_TEXTS] = {"section", "form", "subject", "name",
                                                        "kind",    "unit", "words",   "report"};

/* ------------------------------------------------------------------ gathering */

void overview_begin(struct overview *self, const struct sheet *sheet)
{
    self->sheet = sheet;
    if (sheet->abstained && !self->why_abstained)
        self->why_abstained = memory_text(sheet->abstained);

    /* The columns of "area X Y..."; none for another chart. */
    struct chart chart = chart_read(self->sheet);
    self->layers.count = self->points.count = 0;
    for (size_t i = 0; i < chart.count && chart.kind == CHART_AREA; i++)
        if (chart.columns[i] != SIZE_MAX)
            array_add(&self->layers, chart.columns[i]);
}

static double overview_number_of(const struct cell *cells, size_t at)
{
    return at == SIZE_MAX ? NAN : cell_number(&cells[at], NAN);
}

void overview_row(struct overview *self, const struct cell *cells)
{
    for (size_t i = 0; i < self->layers.count; i++)
        if (cells[self->layers.items[i]].is_abstained)
            return; /* nothing to draw */
    if (self->layers.count) {
        /* Where X goes back another picture begins, for whoever the column subject names. */
        size_t subject = sheet_column(self->sheet, VIEW("subject"));
        size_t count = self->points.count, width = self->layers.count;
        double next = cell_number(&cells[*self->layers.items], 0);
        if (count && next <= self->points.items[count - width])
            overview_end(self);
        if (!self->points.count) {
            bool is_named = subject != SIZE_MAX && cells[subject].type == CELL_TEXT;
            self->subject = is_named
                                ? memory_part(cells[subject].text.bytes, cells[subject].text.length)
                                : memory_text("");
        }
    }
    for (size_t i = 0; i < self->layers.count; i++)
        array_add(&self->points, cell_number(&cells[self->layers.items[i]], 0));
    bool has_words = sheet_column(self->sheet, VIEW("words")) != SIZE_MAX;
    if (!self->layers.count && has_words) {
        struct overview_row *row = array_push(&self->rows);

        /* The value is the column of this name, else the first one with a unit but shares. */
        const struct sheet *sheet = self->sheet;
        size_t value = sheet_column(sheet, VIEW("value"));
        for (size_t i = 0; i < sheet->column_count && value == SIZE_MAX; i++)
            if (sheet->columns[i].type == CELL_REAL && *sheet->columns[i].unit &&
                strcmp(sheet->columns[i].unit, "%") != 0)
                value = i;
        *row = (struct overview_row){
            .value = overview_number_of(cells, value),
            .percent = overview_number_of(cells, sheet_column(self->sheet, VIEW("percent")))};
        for (size_t i = 0; i < self->sheet->column_count; i++)
            row->is_abstained |= cells[i].is_abstained;
        for (int i = 0; i < OVERVIEW_TEXTS; i++) {
            size_t at = sheet_column(self->sheet, view_of(field_names[i]));
            bool is_text = at != SIZE_MAX && cells[at].type == CELL_TEXT;
            const char *of_column =
                i == OVERVIEW_UNIT && value != SIZE_MAX ? self->sheet->columns[value].unit : "";
            row->texts[i] = is_text ? memory_part(cells[at].text.bytes, cells[at].text.length)
                                    : memory_text(of_column);
        }
    }
}

/* ------------------------------------------------------------------ a chart of layers */

static double point(const struct overview *self, size_t row, size_t layer)
{
    return self->points.items[row * self->layers.count + layer];
}

void overview_end(struct overview *self)
{
    enum { SPANS = 4 }; /* of the axis, between times from the origin of the timeline */
    size_t rows = self->layers.count ? self->points.count / self->layers.count : 0;
    if (!rows || self->layers.count < 2 || self->pictures.count >= PICTURES_MOST)
        return;
    struct text *out = array_push(&self->pictures);
    *out = (struct text){0};
    double from = point(self, 0, 0),
           to = point(self, rows - 1, 0) + (rows > 1 ? point(self, 1, 0) - from : 0);
    page_format(out,
                "<figure class=\"over-time\" data-from=\"%.6f\" data-to=\"%.6f\"><figcaption>%s"
                "</figcaption><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
                "role=\"img\" aria-label=\"shares over time\">",
                from, to, self->subject, BAR_WIDTH, PICTURE_HEIGHT);
    for (size_t i = 1; i < self->layers.count; i++) {
        /* A layer as steps, from the top of the layers before it. */
        size_t layer = i;
        text_format(out, "<path class=\"k%zu\" d=\"", layer - 1);
        for (size_t k = 0; k < 2 * rows; k++) {
            size_t row = k < rows ? k : 2 * rows - 1 - k, last = k < rows ? layer : layer - 1;
            double height = 0, step = (double)BAR_WIDTH / (double)rows;
            for (size_t j = 1; j <= last; j++)
                height += fmax(0, point(self, row, j));
            double y = PICTURE_HEIGHT * (1 - fmin(height, 100) / 100);
            double left = step * (double)row, right = left + step;
            text_format(out, "%c%.1f %.1fH%.1f", k ? 'L' : 'M', k < rows ? left : right, y,
                        k < rows ? right : left);
        }
        text_add_string(out, "Z\"/>");
    }
    text_add_string(out, "</svg><div class=\"times\">");
    for (int i = 0; i <= SPANS; i++) {
        text_add_string(out, "<span>");
        number_add_rounded(out, from + (to - from) * i / SPANS, "ms");
        text_add_string(out, "\xC2\xA0ms</span>");
    }
    text_add_string(out, "</div><ul class=\"legend\">");
    for (size_t i = 1; i < self->layers.count; i++)
        page_format(out, "<li><i class=\"k%zu\"></i>%s</li>", i - 1,
                    self->sheet->columns[self->layers.items[i]].heading);
    text_add_string(out, "</ul></figure>\n");
    self->points.count = 0;
}

/* ------------------------------------------------------------------ sections */

static bool is_same(const struct overview_row *left, const struct overview_row *right,
                    enum overview_field field)
{
    return strcmp(left->texts[field], right->texts[field]) == 0;
}

static void add_number(double value, const char *unit, struct text *out)
{
    number_add_rounded(out, value, unit);
    page_format(out, *unit ? "\xC2\xA0%s" : "%s", unit);
}

/* The text of a row, as a link where a sheet says more. */
static void add_link(const struct overview_row *row, enum overview_field field, struct text *out)
{
    const char *words = row->texts[field], *report = *words ? row->texts[OVERVIEW_REPORT] : "";
    if (*report)
        page_format(out, "<a href=\"#v=tables&amp;sheet=%s\">%s</a>", report, words);
    else
        page_format(out, "%s", words);
}

static void add_values(const struct overview_row *row, struct text *out)
{
    bool has_value = !isnan(row->value), has_both = !isnan(row->percent) && has_value;
    if (!isnan(row->percent)) {
        text_add_string(out, "<b>");
        add_number(row->percent, "%", out);
        text_add_string(out, has_both ? "</b> " : "</b>");
    }
    if (has_value) {
        text_add_string(out, has_both ? "<span>" : "<b>");
        add_number(row->value, row->texts[OVERVIEW_UNIT], out);
        text_add_string(out, has_both ? "</span>" : "</b>");
    }
}

/* Names of parts that have a colour, in all bars of a section the same. */
struct part_names {
    const char *names[BAR_COLOURS];
    size_t count;
};

static size_t colour_of(struct part_names *known, const char *name)
{
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->names[i], name) == 0)
            return i;
    if (known->count == BAR_COLOURS)
        return BAR_COLOURS - 1;
    known->names[known->count] = name;
    return known->count++;
}

static void add_kind(const struct overview_row *row, struct part_names *known, struct text *out)
{
    if (*row->texts[OVERVIEW_KIND])
        page_format(out, "t-%s", row->texts[OVERVIEW_KIND]);
    else
        text_format(out, "k%zu", colour_of(known, row->texts[OVERVIEW_NAME]));
}

static double share_of(const struct overview_row *row)
{
    return isnan(row->percent) ? 0 : fmax(0, row->percent);
}

/* The rows behind the first ones, as one. */
static struct overview_row others_of(const struct overview_row *rows, size_t count, char *name)
{
    static char none[] = "", kind[] = "rest";
    struct overview_row others = {.value = 0, .percent = 0};
    for (int i = 0; i < OVERVIEW_TEXTS; i++)
        others.texts[i] = none;
    others.texts[OVERVIEW_NAME] = name;
    others.texts[OVERVIEW_KIND] = kind;
    others.texts[OVERVIEW_UNIT] = rows->texts[OVERVIEW_UNIT];
    for (size_t i = 0; i < count; i++) {
        others.value += rows[i].value;
        others.percent += share_of(&rows[i]);
    }
    return others;
}

static void add_parts(const struct overview_row *const *rows, size_t count,
                      struct part_names *known, struct text *out)
{
    double sum = 0, at = 0;
    bool is_whole = true; /* a part without a figure would make the others look larger */
    for (size_t i = 0; i < count; i++) {
        sum += share_of(rows[i]);
        is_whole &= !rows[i]->is_abstained;
    }
    for (size_t i = 0; i < count && sum > 0 && is_whole; i++) {
        double width = share_of(rows[i]) * BAR_WIDTH / sum;
        text_add_string(out, "<rect class=\"");
        add_kind(rows[i], known, out);
        text_format(out, "\" x=\"%.2f\" width=\"%.2f\" height=\"20\"/>", at, width);
        at += width;
    }
    text_add_string(out, "</svg><ul class=\"legend\">");
    for (size_t i = 0; i < count; i++) {
        text_add_string(out, "<li><i class=\"");
        add_kind(rows[i], known, out);
        text_add_string(out, "\"></i>");
        add_link(rows[i], OVERVIEW_NAME, out);
        text_add_byte(out, ' ');
        text_add_string(out, rows[i]->is_abstained ? "\xE2\x80\x93" : "");
        add_values(rows[i], out);
        text_add_string(out, "</li>");
    }
}

/* Rows of one subject as a bar, with what its parts are below; the last of many as one part. */
static void add_bar(const struct overview_row *rows, size_t count, struct part_names *known,
                    struct text *out)
{
    const struct overview_row *shown[BAR_PARTS + 1];
    size_t own = count > BAR_PARTS + 1 ? BAR_PARTS : count;
    char name[32];
    struct overview_row others = others_of(rows + own, count - own, name);
    snprintf(name, sizeof name, "%zu others", count - own);
    for (size_t i = 0; i < own; i++)
        shown[i] = &rows[i];
    if (own < count)
        shown[own] = &others;
    page_format(out,
                "<figure class=\"bar\"><figcaption>%s</figcaption><svg viewBox=\"0 0 %d 20\" "
                "preserveAspectRatio=\"none\" "
                "aria-hidden=\"true\">",
                rows->texts[OVERVIEW_SUBJECT], BAR_WIDTH);
    add_parts(shown, own + (own < count), known, out);
    text_add_string(out, "</ul></figure>\n");
}

/* Whose figure it is, where there are several. */
static void add_subject(const struct overview_row *row, struct text *out)
{
    struct view words = view_of(row->texts[OVERVIEW_SUBJECT]);
    while (words.length && words.bytes[words.length - 1] == ' ')
        words.length--;
    if (!words.length)
        return;
    text_add_string(out, "<span>");
    page_add_html(out, words);
    text_add_string(out, "</span> ");
}

static void add_card(const struct overview_row *row, struct text *out)
{
    bool is_known = !isnan(row->value) || !isnan(row->percent);
    text_add_string(out, "<div><dt>");
    add_subject(row, out);
    add_link(row, OVERVIEW_NAME, out);
    text_add_string(out, "</dt><dd>");
    add_values(row, out);
    page_format(out, is_known ? "<small>%s" : "<b>unknown</b><small>%s",
                row->texts[OVERVIEW_WORDS]);
    text_add_string(out, "</small></dd></div>\n");
}

static void add_line(const struct overview_row *row, struct text *out)
{
    text_add_string(out, "<p class=\"headline\">");
    add_subject(row, out);
    page_format(out, "%s</p>\n", row->texts[OVERVIEW_WORDS]);
}

static void add_item(const struct overview_row *row, struct text *out)
{
    bool is_sum = strcmp(row->texts[OVERVIEW_KIND], "together") == 0;
    text_add_string(out, is_sum ? "<li class=\"sum\">" : "<li>");
    add_values(row, out);
    text_add_byte(out, ' ');
    add_subject(row, out);
    add_link(row, OVERVIEW_NAME, out);
    text_add_byte(out, ' ');
    if (row->texts[OVERVIEW_NAME][0])
        page_format(out, "%s", row->texts[OVERVIEW_WORDS]);
    else
        add_link(row, OVERVIEW_WORDS, out);
    text_add_string(out, "</li>\n");
}

/* Rows without a section say what to do. */
static void add_section(const struct overview_row *rows, size_t count, struct text *out)
{
    const char *form = rows->texts[OVERVIEW_FORM], *section = rows->texts[OVERVIEW_SECTION];
    struct part_names known = {0};
    bool is_bar = strcmp(form, "bar") == 0, is_card = strcmp(form, "card") == 0;
    bool is_line = strcmp(form, "line") == 0;
    if (!is_line) {
        page_format(out, "<section><h2>%s</h2>\n", *section ? section : "Estimated savings");
        text_add_string(out, is_bar    ? ""
                             : is_card ? "<dl class=\"cards\">\n"
                                       : "<ol class=\"list\">\n");
    }
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; is_bar && next < count; next++)
            if (!is_same(&rows[i], &rows[next], OVERVIEW_SUBJECT))
                break;
        if (is_bar)
            add_bar(rows + i, next - i, &known, out);
        else
            (is_line ? add_line : is_card ? add_card : add_item)(rows + i, out);
    }
    if (!is_line)
        text_format(out, "%s</section>\n", is_bar ? "" : is_card ? "</dl>" : "</ol>");
}

void overview_add_html(const struct overview *self, struct text *out)
{
    const struct overview_row *rows = self->rows.items;
    bool has_pictures = false;
    for (size_t i = 0, next; i < self->rows.count; i = next) {
        for (next = i + 1; next < self->rows.count; next++)
            if (!is_same(&rows[i], &rows[next], OVERVIEW_SECTION) ||
                !is_same(&rows[i], &rows[next], OVERVIEW_FORM))
                break;
        bool is_line = strcmp(rows[i].texts[OVERVIEW_FORM], "line") == 0;
        add_section(rows + i, next - i, out);
        for (size_t j = 0; j < self->pictures.count && !has_pictures && !is_line; j++) {
            text_add_string(out, j ? "" : "<section><h2>Over time</h2>");
            text_add_text(out, &self->pictures.items[j]);
            text_add_string(out, j + 1 < self->pictures.count ? "" : "</section>\n");
        }
        has_pictures |= !is_line;
    }
    if (self->why_abstained)
        page_format(out, "<p>%s</p>\n", self->why_abstained);
}
