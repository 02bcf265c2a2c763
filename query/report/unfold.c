/* unfold: see unfold.h. */
#include "query/report/unfold.h"

#include "src/base/deviation.h"
#include "src/base/literal.h"
#include "src/base/order.h"

#include <string.h>

struct object {
    double order;
    struct view json;
};

ORDER_BY(compare_objects, struct object, UP(order));

static size_t place_of(const member_list *members, const char *name)
{
    size_t place = 0; /* there are few */
    while (place < members->count && strcmp(members->items[place].name, name) != 0)
        place++;
    return place;
}

static void note_value(struct member *member, enum literal_type type)
{
    member->rows++;
    member->any_null |= type == LITERAL_NULL;
    member->any_truth |= type == LITERAL_TRUE || type == LITERAL_FALSE;
    member->any_whole |= type == LITERAL_INTEGER;
    member->any_real |= type == LITERAL_REAL;
    member->any_text |= type == LITERAL_TEXT;
    member->any_list |= type == LITERAL_LIST || type == LITERAL_OBJECT;
}

/* Notes the members of one object. */
static bool find_members(struct literals *values, struct view json, member_list *members)
{
    literal_clear(values);
    int root = json.length ? literal_read(values, json) : LITERAL_NONE;
    if (literal_type(values, root) != LITERAL_OBJECT || root < 0)
        return !values->out_of_memory;
    for (int name = literal_at(values, root)->first; name >= 0;) {
        const char *text = literal_text(values, name);
        int value = literal_at(values, name)->next;
        size_t place = place_of(members, text ? text : "");
        if (place == members->count) {
            char *copy = memory_text(text ? text : "");
            struct member *added = array_push(members);
            *added = (struct member){.name = copy};
        }
        note_value(&members->items[place], literal_type(values, value));
        name = literal_at(values, value)->next;
    }
    return true;
}

static bool find_all_members(const struct result *from, size_t column, size_t order,
                             struct literals *values, member_list *members)
{
    ARRAY(struct object) objects = {0};
    struct cell *cells = memory_zeroed(from->column_count + 1, sizeof *cells);
    struct result_cursor cursor = {0};
    bool done = cells != NULL;
    while (done && result_next(from, &cursor, cells)) {
        struct view json = cells[column].type == CELL_TEXT ? cells[column].text : VIEW("");
        array_add(&objects, (struct object){cell_number(&cells[order], 0), json});
    }
    if (done)
        array_sort(&objects, compare_objects);
    for (size_t i = 0; i < objects.count && done; i++)
        done = find_members(values, objects.items[i].json, members);
    array_free(&objects);
    memory_free(cells);
    return done;
}

/* ------------------------------------------------------------------ cells */

static bool is_numeric(const struct member *member)
{
    return !member->any_text && !member->any_list && !member->any_truth;
}

/* A value that is not there; `is_null`: it is, and is null. */
static void make_gap(const struct member *member, bool is_null, bool compat, struct cell *cell)
{
    *cell = (struct cell){.type = CELL_NULL};
    if (like_reference(compat, "rooflines: parameters")) {
        cell->type = CELL_TEXT;
        cell->text = is_null && !is_numeric(member) ? VIEW("None") : VIEW("nan");
    }
}

static void make_cell(const struct member *member, const struct literals *values, int value,
                      size_t rows, bool compat, struct text *scratch, struct cell *cell)
{
    const struct literal *literal = value >= 0 ? literal_at(values, value) : NULL;
    if (!literal || literal->type == LITERAL_NULL) {
        make_gap(member, literal != NULL, compat, cell);
        return;
    }
    bool has_gaps = member->rows < rows || member->any_null;
    struct text json = {0};
    *cell = (struct cell){.type = CELL_TEXT};
    switch (literal->type) {
    case LITERAL_TRUE:
    case LITERAL_FALSE:
        if (member->form == FORM_BOOLEAN)
            *cell = (struct cell){.type = CELL_INTEGER, .integer = literal->integer};
        else
            cell->text = literal->type == LITERAL_TRUE ? VIEW("True") : VIEW("False");
        break;
    case LITERAL_INTEGER:
        if (like_reference(compat, "rooflines: parameters") && is_numeric(member) &&
            (has_gaps || member->any_real))
            *cell = (struct cell){.type = CELL_REAL, .real = literal->real};
        else
            *cell = (struct cell){.type = CELL_INTEGER, .integer = literal->integer};
        break;
    case LITERAL_REAL:
        *cell = (struct cell){.type = CELL_REAL, .real = literal->real};
        break;
    case LITERAL_TEXT:
        cell->text = view_of(literal_text(values, value));
        break;
    default: {
        size_t start = scratch->count;
        literal_add_json(values, value, &json);
        if (like_reference(compat, "rooflines: parameters"))
            cell_add_python(text_view(&json), true, scratch);
        else
            text_add(scratch, json.items, json.count);
        text_free(&json);
        cell->integer = (int64_t)start; /* the text may move yet: settle_texts */
        cell->text.length = scratch->count - start;
        break;
    }
    }
}

/* Texts that were made stand in `scratch`, which no longer moves. */
static void settle_texts(const struct literals *values, const int *places, size_t count,
                         const struct text *scratch, struct cell *cells)
{
    for (size_t i = 0; i < count; i++) {
        enum literal_type type = literal_type(values, places[i]);
        if (places[i] >= 0 && (type == LITERAL_LIST || type == LITERAL_OBJECT))
            cells[i].text.bytes = scratch->items + cells[i].integer;
    }
}

static bool copy_row(const struct result *from, size_t column, bool compat,
                     const member_list *members, const struct cell *cells, struct literals *values,
                     struct text *scratch, int *places, struct cell *row, struct result *to)
{
    literal_clear(values);
    text_clear(scratch);
    int root =
        cells[column].type == CELL_TEXT ? literal_read(values, cells[column].text) : LITERAL_NONE;
    text_add(scratch, "", 0);
    memcpy(row, cells, column * sizeof *row);
    for (size_t i = 0; i < members->count; i++) {
        places[i] = literal_member(values, root, members->items[i].name);
        make_cell(&members->items[i], values, places[i], (size_t)from->rows, compat, scratch,
                  &row[column + i]);
    }
    if (values->out_of_memory)
        return false;
    settle_texts(values, places, members->count, scratch, row + column);
    memcpy(row + column + members->count, cells + column + 1,
           (from->column_count - column - 1) * sizeof *row);
    return result_add(to, row);
}

bool unfold_table(const struct result *from, size_t column, size_t order, bool compat,
                  member_list *members, struct result *to)
{
    struct literals values = {0};
    struct text scratch = {0};
    bool done = find_all_members(from, column, order, &values, members);
    for (size_t i = 0; i < members->count; i++) {
        struct member *member = &members->items[i];
        bool is_truth = member->any_truth && !member->any_text && !member->any_list &&
                        !member->any_whole && !member->any_real;
        bool is_list = member->any_list && !member->any_text && !member->any_truth;
        bool is_plain = like_reference(compat, "rooflines: parameters");
        member->form = is_plain           ? FORM_PLAIN
                       : is_truth         ? FORM_BOOLEAN
                       : is_list          ? FORM_LIST
                       : member->any_list ? FORM_ARRAY
                                          : FORM_PLAIN;
    }
    size_t width = from->column_count - 1 + members->count;
    struct cell *cells = memory_zeroed(from->column_count + 1, sizeof *cells);
    struct cell *row = memory_zeroed(width + 1, sizeof *row);
    int *places = memory_zeroed(members->count + 1, sizeof *places);
    struct result_cursor cursor = {0};
    done = done && result_init(to, width);
    while (done && result_next(from, &cursor, cells))
        done = copy_row(from, column, compat, members, cells, &values, &scratch, places, row, to);
    literal_free(&values);
    text_free(&scratch);
    memory_free(cells);
    memory_free(row);
    memory_free(places);
    return done;
}

void unfold_free(member_list *members)
{
    for (size_t i = 0; i < members->count; i++)
        memory_free(members->items[i].name);
    array_free(members);
}
