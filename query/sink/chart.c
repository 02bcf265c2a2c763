/* chart: what a sheet declares as its picture, and the colours of the parts of a stack: each
 * category has its own, from dark to light. */
#include "query/sink/chart.h"

#include <string.h>

static const char *const words[] = {
    [CHART_NONE] = "",     [CHART_BAR] = "bar",   [CHART_COLUMN] = "column",
    [CHART_PIE] = "pie",   [CHART_LINE] = "line", [CHART_STACK] = "stack",
    [CHART_HEAT] = "heat", [CHART_AREA] = "area", [CHART_ROOFLINE] = "roofline",
};

static struct view next_word(const char **at)
{
    *at += strspn(*at, " ");
    struct view word = {*at, strcspn(*at, " ")};
    *at += word.length;
    return word;
}

struct chart chart_read(const struct sheet *sheet)
{
    struct chart self = {0};
    const char *at = sheet->chart ? sheet->chart : "";
    struct view word = next_word(&at);
    for (size_t i = CHART_BAR; i < sizeof words / sizeof *words; i++)
        if (view_equal(word, view_of(words[i])))
            self.kind = (enum chart_kind)i;
    for (size_t i = 0; i < CHART_COLUMNS_MAX; i++) {
        word = self.kind ? next_word(&at) : (struct view){0};
        self.columns[i] = word.length ? sheet_column(sheet, word) : SIZE_MAX;
        self.names[i] = word;
        self.count += word.length > 0;
    }
    return self;
}

const char *chart_word(enum chart_kind kind)
{
    return words[kind];
}

/* ------------------------------------------------------------------ colours of stacks */

static const char *const compute[] = {"#3f007d", "#470f84", "#4f1f8b", "#582f93",
                                      "#61409b", "#6a51a3", "#7262ac", "#7b74b5",
                                      "#8683bd", "#928fc3", "#9e9bc8", "#aaa8d0"};
static const char *const tensors[] = {"#00441b", "#005321", "#006428", "#077331",
                                      "#157f3b", "#238b45", "#2f974e", "#3ba458",
                                      "#4bb062", "#60ba6c", "#75c477", "#86cc85"};
static const char *const movement[] = {"#c54102", "#d84801", "#e25508", "#ec620f", "#f3701b",
                                       "#f87f2c", "#fd8e3d", "#fd9a4e", "#fda762", "#fdb576",
                                       "#fdc38d", "#fdd1a3", "#fdd9b4"};
static const char *const others[] = {"#000000", "#0e0e0e", "#1d1d1d", "#2e2e2e",
                                     "#404040", "#525252", "#5f5f5f", "#6c6c6c",
                                     "#7a7a7a", "#888888", "#979797", "#a5a5a5"};
/* For whatever has no colours of its own. */
static const char *const general[] = {
    "#1f77b4", "#aec7e8", "#ff7f0e", "#ffbb78", "#2ca02c", "#98df8a", "#d62728", "#ff9896",
    "#9467bd", "#c5b0d5", "#8c564b", "#c49c94", "#e377c2", "#f7b6d2", "#7f7f7f", "#c7c7c7",
    "#bcbd22", "#dbdb8d", "#17becf", "#9edae5", "#393b79", "#5254a3", "#6b6ecf", "#9c9ede",
    "#637939", "#8ca252", "#b5cf6b", "#cedb9c", "#8c6d31", "#bd9e39", "#e7ba52", "#e7cb94",
    "#843c39", "#ad494a", "#d6616b", "#e7969c", "#7b4173", "#a55194", "#ce6dbd", "#de9ed6",
    "#3182bd", "#6baed6", "#9ecae1", "#c6dbef", "#e6550d", "#fd8d3c", "#fdae6b", "#fdd0a2",
    "#31a354", "#74c476", "#a1d99b", "#c7e9c0", "#756bb1", "#9e9ac8", "#bcbddc", "#dadaeb",
    "#636363", "#969696", "#bdbdbd", "#d9d9d9"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* In the order in which they stand, from below; any other comes last. */
static const struct palette {
    const char *category;
    const char *const *colours;
    size_t count;
} palettes[] = {
    {"Compute", compute, COUNT(compute)},
    {"TM", tensors, COUNT(tensors)},
    {"DM", movement, COUNT(movement)},
    {"Other", others, COUNT(others)},
};

size_t stack_rank(const char *category)
{
    size_t i = 0;
    while (i < COUNT(palettes) && strcmp(palettes[i].category, category) != 0)
        i++;
    return i;
}

const char *stack_colour(const char *category, size_t nth)
{
    size_t rank = category ? stack_rank(category) : COUNT(palettes);
    if (rank < COUNT(palettes) && nth < palettes[rank].count)
        return palettes[rank].colours[nth];
    if (rank < COUNT(palettes))
        nth -= palettes[rank].count;
    return general[nth % COUNT(general)];
}
