/* touch: Findings are read for each run of each side, with the same selection as its values.
 * Patterns of reports, columns and rows are GLOBs, matched only when a figure is compared. In words
 * a finding is told once per side, in JSON once per report. */
#include "query/compare/touch.h"

#include "sql/database.h"
#include "src/base/visible.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK, FINDING, REPORT, COLUMN, ROWS, ABSTAINS, EMPTY, COLUMNS };

/* Traces of a side are told by the first of them. */
static const struct question touched = {
    "touched",
    "SELECT \"check\", min(finding), report, column, rows, max(effect = 'abstain'), "
    "max(is_empty) "
    "FROM health_touched GROUP BY position, \"check\", report, column, rows",
    COLUMNS};

bool touches_read(touch_list *self, struct side *sides, size_t side_count, struct error *error)
{
    for (size_t i = 0; i < side_count; i++)
        for (size_t j = 0; j < sides[i].runs.count; j++) {
            struct result rows;
            struct result_cursor cursor = {0};
            struct cell cells[COLUMNS];
            if (!side_ask(&sides[i], j, SIDE_READ, 0, &touched, &rows, error))
                return false;
            while (result_next(&rows, &cursor, cells)) {
                struct touch *added = array_push(self);
                *added = (struct touch){.side = i,
                                        .name = sides[i].name,
                                        .abstains = cells[ABSTAINS].integer != 0,
                                        .is_empty = cells[EMPTY].integer != 0};
                char **const texts[] = {&added->check, &added->finding, &added->report,
                                        &added->column, &added->rows};
                for (int k = CHECK; k <= ROWS; k++)
                    *texts[k] = memory_part(cells[k].text.bytes, cells[k].text.length);
            }
        }
    return true;
}

bool touch_is_about(const struct touch *self, const char *report, const char *metric)
{
    return sqlite3_strglob(self->report, report) == 0 && sqlite3_strglob(self->column, metric) == 0;
}

/* The pattern of the cells in a column of the rows that it names; NULL: it names others, or all. */
static const char *pattern_of(const struct touch *self, struct view column)
{
    const char *space = strchr(self->rows, ' ');
    struct view name = {self->rows, space ? (size_t)(space - self->rows) : 0};
    return space && view_equal_ignoring_case(column, name) ? space + 1 : NULL;
}

bool touch_is_about_row(const struct touch *self, const struct layout *layout,
                        const struct cell *key, struct text *text)
{
    for (size_t i = 0; i < layout->key.count; i++) {
        const char *pattern = pattern_of(self, layout->key.items[i]);
        if (pattern)
            return cell_is_like(&key[i], pattern, text);
    }
    return strcmp(self->rows, "*") == 0;
}

bool touch_is_left_out(const struct touch *self, const struct values *values)
{
    return values->sample_column != SIZE_MAX && values->sides[self->side].cut_steps &&
           pattern_of(self, values->layout.key.items[values->sample_column]);
}

size_t touches_add_found(const chosen_touches *self, size_t other, bool baseless,
                         struct text *words)
{
    size_t said = 0, last = SIZE_MAX;
    for (size_t i = 0; i < self->count; i++) {
        const struct touch *touch = self->items[i];
        bool is_told =
            (other && touch->side && touch->side != other) || (baseless && !touch->abstains);
        for (size_t j = 0; j < i && !is_told; j++)
            is_told = self->items[j]->side == touch->side &&
                      strcmp(self->items[j]->check, touch->check) == 0 &&
                      (self->items[j]->abstains || !baseless);
        if (is_told)
            continue;
        bool is_new = touch->side != last;
        text_add_string(words, is_new && said ? "; " : is_new ? "" : ", ");
        if (is_new)
            visible_add(words, view_of(touch->name));
        text_format(words, "%s%s", is_new ? ": " : "", touch->finding);
        said += is_new;
        last = touch->side;
    }
    return said;
}

void touches_add_json(const chosen_touches *self, const char *report, struct text *members)
{
    for (size_t i = 0; i < self->count; i++) {
        const char *check = self->items[i]->check;
        bool is_told = false;
        for (size_t j = 0; j < i; j++)
            is_told |= strcmp(self->items[j]->check, check) == 0;
        if (!i) {
            text_add_string(members, members->count ? ", " : "");
            text_add_json(members, view_of(report));
        }
        if (!is_told)
            text_add_string(members, i ? ", " : ": [");
        if (!is_told)
            text_add_json(members, view_of(check));
    }
    text_add_string(members, self->count ? "]" : "");
}

void incomplete_add(size_t side_count, const struct text *found, struct text *words)
{
    text_format(words, "incomplete trace%s: ", side_count == 1 ? "" : "s");
    text_add_view(words, text_view(found));
}

const char incomplete_hint[] = ". --allow-incomplete decides all the same";
