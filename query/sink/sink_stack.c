/* sink_stack: the summary of ops as a picture: bars of stacked parts, as SVG.
 *
 * Takes the sheet whose chart is declared as "stack KEY VALUE CATEGORY [BAR]": a part for each row,
 * as high as its value. One bar for each value of BAR, else one bar. Parts of a category stand
 * together and have its colours, the longest below; of a sheet without the column CATEGORY the keys
 * are the categories. Parts of 2 % and more say what they are.
 */
#include "query/sink/chart.h"
#include "query/sink/sink.h"
#include "src/base/number.h"
#include "src/base/order.h"
#include "src/base/visible.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEIGHT = 800,
    BAR_SPACE = 200, /* for a bar with what stands around it */
    WIDTH_LEAST = 600,
    TOP = 50,
    BOTTOM = 60,
    LEFT = 90,
    LABEL_PERCENT = 2,
};

struct part {
    char *key, *category;
    double value;
    int64_t bar, ops;
    double least, most, mean, deviation, weighted; /* NAN = not known */
    size_t order;                                  /* as they came */
};

struct stack_sink {
    struct sink base;
    FILE *out;
    bool classic, is_ours;
    const struct sheet *sheet;
    size_t key, value, category, bar; /* columns; SIZE_MAX = there is none */
    ARRAY(struct part) parts;
};

/* ------------------------------------------------------------------ gathering */

static bool stack_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct stack_sink *self = (struct stack_sink *)sink;
    struct chart chart = chart_read(sheet);
    self->sheet = sheet;
    self->key = chart.columns[0];
    self->value = chart.columns[1];
    self->category = chart.columns[2];
    self->bar = chart.columns[3];
    self->is_ours = chart.kind == CHART_STACK && self->key != SIZE_MAX && self->value != SIZE_MAX;
    return true;
}

static double number_at(const struct cell *cells, size_t column)
{
    return column == SIZE_MAX ? NAN : cell_number(&cells[column], NAN);
}

static double figure(const struct stack_sink *self, const struct cell *cells, const char *name)
{
    return number_at(cells, sheet_column(self->sheet, view_of(name)));
}

static char *text_at(const struct cell *cells, size_t column)
{
    struct view text = cells[column].type == CELL_TEXT ? cells[column].text : VIEW("");
    return memory_part(text.bytes, text.length);
}

static bool stack_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct stack_sink *self = (struct stack_sink *)sink;
    if (!self->is_ours)
        return true;
    struct part *part = array_push(&self->parts);
    double bar = number_at(cells, self->bar), value = number_at(cells, self->value);
    double ops = figure(self, cells, "op_count");
    *part = (struct part){
        .key = text_at(cells, self->key),
        .category = text_at(cells, self->category == SIZE_MAX ? self->key : self->category),
        .value = value > 0 ? value : 0,
        .bar = isnan(bar) ? 0 : (int64_t)bar,
        .ops = isnan(ops) ? 0 : (int64_t)ops,
        .least = figure(self, cells, "flops_min"),
        .most = figure(self, cells, "flops_max"),
        .mean = figure(self, cells, "flops_mean"),
        .deviation = figure(self, cells, "flops_std"),
        .weighted = figure(self, cells, "flops_weighted"),
        .order = self->parts.count,
    };
    return true;
}

/* ------------------------------------------------------------------ order */

ORDER_BY(compare_plainly, struct part, UP(bar) || DOWN(value) || UP(order));

ORDER_BY(compare_by_category, struct part,
         UP(bar) || BY_LESS(stack_rank(a->category), stack_rank(b->category)) || WORDS(category) ||
             BY(compare_plainly(a, b)));

/* ------------------------------------------------------------------ drawing */

/* Texts come from traces: what XML reserves, and what it has no room for, is replaced. */
static void print_text(FILE *out, const char *text)
{
    static const char reserved[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    size_t length = strlen(text);
    for (size_t i = 0, size; i < length; i += size ? size : 1) {
        uint32_t code;
        size = utf8_decode((const unsigned char *)text + i, length - i, &code);
        const char *found = size == 1 ? strchr(reserved, text[i]) : NULL;
        if (found)
            fputs(names[found - reserved], out);
        else if (!size || code < ' ' || (code >= 0x7F && code < 0xA0) || code >= 0xFFFE)
            fputc('?', out);
        else
            fwrite(text + i, 1, size, out);
    }
}

/* `turn` in degrees. */
static void start_text(FILE *out, double x, double y, int size, const char *colour, int turn)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"%s\" text-anchor=\"middle\"",
            x, y, size, colour);
    if (turn)
        fprintf(out, " transform=\"rotate(%d %.1f %.1f)\"", turn, x, y);
    fputc('>', out);
}

struct frame {
    double left, width, bottom, scale; /* pixels for a unit */
};

/* A text, cut where it would be wider than so many pixels. */
static void print_cut(FILE *out, const char *text, double width)
{
    const double character = 4.6; /* of the size of labels, on average */
    struct text cut = {0};
    visible_add_cut(&cut, view_of(text), width > character ? (size_t)(width / character) : 1);
    print_text(out, cut.items);
}

/* The label of a part, over its middle. */
static void print_label(const struct stack_sink *self, const struct part *part, double percent,
                        const struct frame *frame, double y, const char *ink)
{
    enum { SIZE = 8, LINE = 10 };
    FILE *out = self->out;
    double x = frame->left + frame->width / 2;
    bool is_low = part->value * frame->scale < 3 * LINE;
    if (self->bar != SIZE_MAX && is_low) {
        start_text(out, x, y + 3, SIZE, ink, 0);
        fprintf(out, "%.1f %% ", percent);
        print_cut(out, part->key, frame->width - 4 * LINE);
        fputs("</text>\n", out);
        return;
    }
    if (self->bar != SIZE_MAX) {
        start_text(out, x, y - LINE + 3, SIZE, ink, 0);
        fprintf(out, "%.1f %%</text>\n", percent);
        start_text(out, x, y + 3, SIZE, ink, 0);
        print_cut(out, part->key, frame->width);
        fputs("</text>\n", out);
        start_text(out, x, y + LINE + 3, SIZE, ink, 0);
        fprintf(out, "%.0f μs</text>\n", part->value);
        return;
    }
    bool has_figures = !isnan(part->least) && !isnan(part->most);
    start_text(out, x, y + (has_figures ? -LINE / 2.0 : 0) + 3, SIZE, ink, 0);
    fprintf(out, "(%.1f %%) ", percent);
    print_text(out, part->key);
    fprintf(out, " total=%.1f μs; %lld ops</text>\n", part->value, (long long)part->ops);
    if (!has_figures)
        return;
    start_text(out, x, y + LINE / 2.0 + 3, SIZE, ink, 0);
    fprintf(out, "Util [%.1f - %.1f]", part->least, part->most);
    if (!isnan(part->weighted))
        fprintf(out, " weighted_mean=%.1f%% (mean=%.1f", part->weighted, part->mean);
    else
        fprintf(out, " %.1f", part->mean);
    if (!isnan(part->deviation))
        fprintf(out, " ± %.1f", part->deviation);
    fputs(isnan(part->weighted) ? " %</text>\n" : "%)</text>\n", out);
}

/* Beside the parts of a category: its name and share. */
static void print_category(const struct stack_sink *self, const struct frame *frame,
                           const char *name, double from, double to, double total)
{
    enum { SIZE = 10, SPACE = 6 };
    double top = frame->bottom - to * frame->scale, height = (to - from) * frame->scale;
    fprintf(self->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"black\" stroke-width=\"2\"/>\n",
            frame->left, top, frame->width, height);
    if (total <= 0 || 100 * (to - from) / total < LABEL_PERCENT)
        return;
    start_text(self->out, frame->left - SPACE, top + height / 2, SIZE, "black\" font-weight=\"bold",
               -90);
    print_text(self->out, name);
    fprintf(self->out, "(%.1f%%)</text>\n", 100 * (to - from) / total);
}

static const char *part_colour(const struct stack_sink *self, const struct part *parts, size_t i,
                               size_t nth)
{
    bool is_known = stack_rank(parts[i].category) < stack_rank("");
    return self->classic || !is_known ? stack_colour(NULL, i)
                                      : stack_colour(parts[i].category, nth);
}

static void print_bar(const struct stack_sink *self, const struct part *parts, size_t count,
                      const struct frame *frame, double total)
{
    double at = 0, from = 0;
    for (size_t i = 0, nth = 0; i < count; i++, nth++) {
        if (i && strcmp(parts[i].category, parts[i - 1].category) != 0)
            nth = 0;
        double height = parts[i].value * frame->scale;
        fprintf(self->out,
                "<rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" fill=\"%s\"><title>",
                frame->left, frame->bottom - at * frame->scale - height, frame->width, height,
                part_colour(self, parts, i, nth));
        print_text(self->out, parts[i].key);
        fprintf(self->out, ": %.1f μs</title></rect>\n", parts[i].value);
        at += parts[i].value;
    }
    at = 0;
    for (size_t i = 0, nth = 0; i < count; i++) { /* labels lie over all parts */
        double percent = total > 0 ? 100 * parts[i].value / total : 0;
        double middle = frame->bottom - (at + parts[i].value / 2) * frame->scale;
        nth = i && strcmp(parts[i].category, parts[i - 1].category) == 0 ? nth + 1 : 0;
        if (percent >= LABEL_PERCENT) {
            /* Black or white, whichever can be read on a colour. */
            const char *colour = part_colour(self, parts, i, nth);
            enum { LIGHT = 150000 };
            unsigned long rgb = strtoul(colour + 1, NULL, 16);
            const char *ink =
                (rgb >> 16) * 299 + (rgb >> 8 & 0xFF) * 587 + (rgb & 0xFF) * 114 > LIGHT ? "black"
                                                                                         : "white";
            print_label(self, &parts[i], percent, frame, middle, ink);
        }
        at += parts[i].value;
        bool is_last = i + 1 == count || strcmp(parts[i].category, parts[i + 1].category) != 0;
        if (is_last && !self->classic) {
            if (at > from)
                print_category(self, frame, parts[i].category, from, at, total);
            from = at;
        }
    }
}

/* Round steps of the axis, from four to ten. */
static double step_of(double most)
{
    double step = pow(10, floor(log10(most)));
    return most / step < 2 ? step / 5 : most / step < 5 ? step / 2 : step;
}

static void print_axis(const struct stack_sink *self, double most, double scale, int width)
{
    enum { SIZE = 10, TICK = 5 };
    double bottom = HEIGHT - BOTTOM, step = most > 0 ? step_of(most) : 1;
    struct text words = {0};
    for (double value = 0; value <= most * 1.0001; value += step) {
        double y = bottom - value * scale;
        fprintf(self->out, "<path d=\"M%d %.1fH%d\" stroke=\"black\"/>", LEFT - TICK, y, LEFT);
        fprintf(self->out, "<text x=\"%d\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"end\">",
                LEFT - 2 * TICK, y + SIZE / 3.0, SIZE);
        text_clear(&words);
        if (step < 1)
            fprintf(self->out, "%.10g", value);
        else {
            number_add_grouped(&words, llround(value));
            fputs(words.items, self->out);
        }
        fputs("</text>\n", self->out);
    }
    fprintf(self->out, "<path d=\"M%d %dV%.1fH%d\" fill=\"none\" stroke=\"black\"/>\n", LEFT, TOP,
            bottom, width - LEFT / 3);
    start_text(self->out, LEFT / 4.0, (TOP + bottom) / 2, SIZE + 2, "black", -90);
    fputs("Device Time [μs]</text>\n", self->out);
}

/* Where the parts of the bar end that begins at `from`; `total` is their sum. */
static size_t end_of_bar(const struct stack_sink *self, size_t from, double *total)
{
    size_t end = from;
    *total = 0;
    for (; end < self->parts.count && self->parts.items[end].bar == self->parts.items[from].bar;
         end++)
        *total += self->parts.items[end].value;
    return end;
}

static bool stack_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct stack_sink *self = (struct stack_sink *)sink;
    if (self->is_ours && self->parts.count) {
        qsort(self->parts.items, self->parts.count, sizeof *self->parts.items,
              self->classic ? compare_plainly : compare_by_category);
        double most = 0, all = 0, total;
        int bars = 0;
        for (size_t i = 0; i < self->parts.count; i = end_of_bar(self, i, &total), bars++) {
            end_of_bar(self, i, &total);
            most = total > most ? total : most;
            all += total;
        }
        int width = bars * BAR_SPACE + LEFT > WIDTH_LEAST ? bars * BAR_SPACE + LEFT : WIDTH_LEAST;
        double space = (double)(width - LEFT - LEFT / 3) / bars;
        double scale = most > 0 ? (HEIGHT - TOP - BOTTOM) / most : 0;
        fprintf(
            self->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n",
            width, HEIGHT, width, HEIGHT);
        start_text(self->out, (LEFT + width - LEFT / 3.0) / 2, TOP / 2.0, 14, "black", 0);
        if (self->bar == SIZE_MAX)
            fprintf(self->out, "Stacked Device Time (Total: %.1f μs)</text>\n", all);
        else
            fputs("Stacked Device Time per Device (100% per device)</text>\n", self->out);
        print_axis(self, most, scale, width);
        size_t nth = 0;
        for (size_t i = 0, end; i < self->parts.count; i = end, nth++) {
            end = end_of_bar(self, i, &total);
            double share = self->bar == SIZE_MAX ? 0.75 : 0.85; /* of its space */
            struct frame frame = {.left = LEFT + space * ((double)nth + (1 - share) * 0.7),
                                  .width = space * share,
                                  .bottom = HEIGHT - BOTTOM,
                                  .scale = scale};
            print_bar(self, self->parts.items + i, end - i, &frame, total);
            if (self->bar != SIZE_MAX) {
                start_text(self->out, frame.left + frame.width / 2, frame.bottom + 18, 11, "black",
                           0);
                fprintf(self->out, "Dev %lld</text>\n", (long long)self->parts.items[i].bar);
            }
        }
        fputs("</svg>\n", self->out);
    }
    self->parts.count = 0;
    return true;
}

static bool stack_finish(struct sink *sink, struct error *error)
{
    return sink_check_stream(((struct stack_sink *)sink)->out, "the chart", error);
}

struct sink *sink_stack(const struct sink_target *target, struct error *error)
{
    struct sink base = {
        .begin = stack_begin, .row = stack_row, .end = stack_end, .finish = stack_finish};
    (void)error;
    struct stack_sink *self = sink_new(sizeof *self, base);
    self->out = target->out;
    self->classic = target->classic;
    return &self->base;
}
