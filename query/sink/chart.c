/* chart: see chart.h. */
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
