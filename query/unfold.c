/* unfold: see unfold.h. */
#include "unfold.h"

#include "evaluate/literal.h"

#include <string.h>

/* A member that some row has. */
struct member {
    char *name;
    bool any_list, any_other, any_truth;
};

struct unfolder {
    struct literals values;
    ARRAY(struct member) members;
    struct text scratch; /* JSON of the lists of a row */
};

char *unfold_heading(const char *heading, const char *word, const char *between)
{
    const char *at = strstr(heading, "{}");
    struct text text = {0};
    bool done = at ? text_format(&text, "%.*s%s%s", (int)(at - heading), heading, word, at + 2)
                   : text_format(&text, "%s%s%s", heading, between, word);
    if (!done)
        text_free(&text);
    return text.items;
}

static struct member *member_named(struct unfolder *self, const char *name)
{
    for (size_t i = 0; i < self->members.count; i++)
        if (strcmp(self->members.items[i].name, name) == 0)
            return &self->members.items[i];
    char *copy = strdup(name);
    struct member *added = copy ? array_push(&self->members) : NULL;
    if (!added) {
        free(copy);
        return NULL;
    }
    *added = (struct member){.name = copy};
    return added;
}

static bool look_at(struct unfolder *self, const struct cell *cell)
{
    if (cell->type != CELL_TEXT)
        return true;
    literal_clear(&self->values);
    int root = literal_read(&self->values, cell->text);
    if (root == LITERAL_NONE || literal_type(&self->values, root) != LITERAL_OBJECT)
        return !self->values.out_of_memory;
    int at = literal_at(&self->values, root)->first;
    for (int i = 0; i + 1 < literal_at(&self->values, root)->count; i += 2) {
        int value = literal_at(&self->values, at)->next;
        enum literal_type type = literal_type(&self->values, value);
        const char *name = literal_text(&self->values, at);
        struct member *member = member_named(self, name ? name : "");
        if (!member)
            return false;
        member->any_list |= type == LITERAL_LIST || type == LITERAL_OBJECT;
        member->any_truth |= type == LITERAL_TRUE || type == LITERAL_FALSE;
        member->any_other |=
            type == LITERAL_INTEGER || type == LITERAL_REAL || type == LITERAL_TEXT;
        at = literal_at(&self->values, value)->next;
    }
    return !self->values.out_of_memory;
}

/* Lists stand in `scratch`, whose address may still change: `text.bytes` is NULL then, and
 * `integer` the place. */
static bool value_of(struct unfolder *self, const struct member *member, int place,
                     struct cell *cell)
{
    const struct literal *value = literal_at(&self->values, place);
    *cell = (struct cell){0};
    switch (value->type) {
    case LITERAL_NULL:
        return true;
    case LITERAL_FALSE:
    case LITERAL_TRUE:
        if (!member->any_other && !member->any_list) {
            *cell = (struct cell){.type = CELL_INTEGER, .integer = value->integer};
            return true;
        }
        break;
    case LITERAL_INTEGER:
        *cell = (struct cell){.type = CELL_INTEGER, .integer = value->integer};
        return true;
    case LITERAL_REAL:
        *cell = (struct cell){.type = CELL_REAL, .real = value->real};
        return true;
    case LITERAL_TEXT:
        if (!member->any_list) {
            *cell = (struct cell){.type = CELL_TEXT,
                                  .text = view_of(literal_text(&self->values, place))};
            return true;
        }
        break;
    default:
        break;
    }
    size_t start = self->scratch.count;
    if (!literal_add_json(&self->values, place, &self->scratch))
        return false;
    *cell = (struct cell){
        .type = CELL_TEXT, .integer = (int64_t)start, .text = {NULL, self->scratch.count - start}};
    return true;
}

static bool take_apart(struct unfolder *self, const struct cell *cell, struct cell *out)
{
    memset(out, 0, self->members.count * sizeof *out);
    if (cell->type != CELL_TEXT)
        return true;
    literal_clear(&self->values);
    text_clear(&self->scratch);
    int root = literal_read(&self->values, cell->text);
    if (root == LITERAL_NONE || literal_type(&self->values, root) != LITERAL_OBJECT)
        return !self->values.out_of_memory;
    for (size_t i = 0; i < self->members.count; i++) {
        const struct member *member = &self->members.items[i];
        int place = literal_member(&self->values, root, member->name);
        if (place != LITERAL_NONE && !value_of(self, member, place, &out[i]))
            return false;
    }
    for (size_t i = 0; i < self->members.count; i++)
        if (out[i].type == CELL_TEXT && !out[i].text.bytes)
            out[i].text.bytes = self->scratch.items + out[i].integer;
    return true;
}

static bool new_columns(struct unfolder *self, const column_list *old, size_t which,
                        column_list *columns, word_list *words)
{
    for (size_t i = 0; i < old->count; i++) {
        for (size_t j = 0; j < (i == which ? self->members.count : 1); j++) {
            struct column *column = array_push(columns);
            if (!column)
                return false;
            *column = old->items[i];
            if (i != which)
                continue;
            const struct member *member = &self->members.items[j];
            char **name = array_push(words);
            if (name)
                *name = unfold_heading(old->items[i].name, member->name, "_");
            char **heading = name && *name ? array_push(words) : NULL;
            if (heading)
                *heading = unfold_heading(old->items[i].heading, member->name, " ");
            if (!heading || !*heading)
                return false;
            column->name = *name;
            column->heading = *heading;
            column->form = member->any_list                          ? FORM_TUPLE
                           : member->any_truth && !member->any_other ? FORM_BOOLEAN
                                                                     : FORM_PLAIN;
            column->is_detail = false;
        }
    }
    return true;
}

static bool new_rows(struct unfolder *self, const struct table *old, size_t which,
                     struct table *table)
{
    size_t count = self->members.count;
    struct cell *cells = calloc(old->column_count + 1, sizeof *cells);
    struct cell *row = calloc(table->column_count + 1, sizeof *row);
    struct table_cursor cursor = {0};
    bool done = cells && row;
    while (done && table_next(old, &cursor, cells)) {
        memcpy(row, cells, which * sizeof *row);
        memcpy(row + which + count, cells + which + 1,
               (old->column_count - which - 1) * sizeof *row);
        done = take_apart(self, &cells[which], row + which) && table_add(table, row);
    }
    free(cells);
    free(row);
    return done;
}

static bool look_at_all(struct unfolder *self, const struct table *table, size_t which)
{
    struct cell *cells = calloc(table->column_count + 1, sizeof *cells);
    struct table_cursor cursor = {0};
    bool done = cells != NULL;
    while (done && table_next(table, &cursor, cells))
        done = look_at(self, &cells[which]);
    free(cells);
    return done;
}

bool unfold_column(struct table *table, column_list *columns, size_t which, word_list *words)
{
    struct unfolder self = {0};
    column_list made = {0};
    struct table unfolded = {0};
    bool done = look_at_all(&self, table, which) &&
                new_columns(&self, columns, which, &made, words) &&
                table_init(&unfolded, made.count) && new_rows(&self, table, which, &unfolded);
    if (done) {
        table_free(table);
        array_free(columns);
        *table = unfolded;
        *columns = made;
    } else {
        table_free(&unfolded);
        array_free(&made);
    }
    for (size_t i = 0; i < self.members.count; i++)
        free(self.members.items[i].name);
    array_free(&self.members);
    literal_free(&self.values);
    text_free(&self.scratch);
    return done;
}
