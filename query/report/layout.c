/* layout: The type of a key decides three things, each in a switch: whether a value has its shape,
 * where the value is kept, and which columns it names. Views into the declarations are kept, not
 * copies, so the report must outlive the layout. Columns are checked later, against a prepared
 * statement. */
#include "query/report/layout.h"

#include "sql/database.h"
#include "sql/warehouse/schema.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct doc_key *key_named(const char *name)
{
    const struct doc_key *key = doc_keys;
    while (key->name && strcmp(key->name, name) != 0)
        key++;
    return key->name ? key : NULL;
}

static bool refuse(const struct layout *self, const struct doc_declaration *declared,
                   const char *why, struct view what, struct error *error)
{
    return error_set(error, STATUS_USAGE, "%s: \"%s: %.200s\": %s%.*s", self->report->name,
                     declared->key, declared->value, why, (int)what.length, what.bytes);
}

/* The next word of a list, up to a comma, a blank or a +; empty at its end. */
static struct view next_word(const char **at)
{
    *at += strspn(*at, ", +");
    struct view word = {*at, strcspn(*at, ", +")};
    *at += word.length;
    return word;
}

/* The next item, up to a comma, without blanks around it; empty at the end of the list. */
static struct view next_item(const char **at)
{
    *at += strspn(*at, ", ");
    struct view item = {*at, strcspn(*at, ",")};
    *at += item.length;
    while (item.length && item.bytes[item.length - 1] == ' ')
        item.length--;
    return item;
}

/* The first word of an item; `rest` is what comes behind it. */
static struct view split_item(struct view item, struct view *rest)
{
    const char *blank = item.length ? memchr(item.bytes, ' ', item.length) : NULL;
    struct view first = {item.bytes, blank ? (size_t)(blank - item.bytes) : item.length};
    *rest = (struct view){item.bytes + first.length + (blank != NULL),
                          item.length - first.length - (blank != NULL)};
    return first;
}

static struct layout_column *column_of(struct layout *self, struct view name)
{
    for (size_t i = 0; i < self->columns.count; i++)
        if (view_equal_ignoring_case(self->columns.items[i].name, name))
            return &self->columns.items[i];
    struct layout_column *column = array_push(&self->columns);
    *column = (struct layout_column){.name = name};
    return column;
}

const struct layout_column *layout_column(const struct layout *self, const char *name)
{
    static const struct layout_column none;
    for (size_t i = 0; i < self->columns.count; i++)
        if (view_equal_ignoring_case(self->columns.items[i].name, view_of(name)))
            return &self->columns.items[i];
    return &none;
}

/* ------------------------------------------------------------------ reading */

static void read_columns(struct layout *self, const char *key, const char *list)
{
    static const struct {
        const char *key;
        size_t offset;
    } flags[] = {{"drop-empty", offsetof(struct layout_column, drops_empty)},
                 {"compat-drop-empty", offsetof(struct layout_column, drops_empty_compat)},
                 {"empty-without", offsetof(struct layout_column, is_main)},
                 {"not-included-sums", offsetof(struct layout_column, is_summed)},
                 {"wide", offsetof(struct layout_column, is_wide)},
                 {"bars", offsetof(struct layout_column, has_bar)}};
    unsigned place = 0;
    self->has_places |= strcmp(key, "terminal") == 0;
    for (struct view name; (name = next_word(&list)).length;) {
        struct layout_column *column = column_of(self, name);
        if (strcmp(key, "terminal") == 0)
            column->place = ++place;
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (strcmp(key, flags[i].key) == 0)
                *(bool *)((char *)column + flags[i].offset) = true;
    }
}

static void read_text(struct layout *self, const char *key, const char *value)
{
    const struct {
        const char *key, **field;
    } fields[] = {{"sheet", &self->sheet},       {"alias", &self->alias},
                  {"sheets", &self->sheets},     {"keep-empty", &self->keep_empty},
                  {"footer", &self->footer},     {"answers", &self->answers},
                  {"chart", &self->chart},       {"colours", &self->colours},
                  {"sheet-by", &self->sheet_by}, {"total", &self->total},
                  {"sample", &self->sample},     {"empty", &self->empty},
                  {"format", &self->format},     {"not-included", &self->not_included},
                  {"tab", &self->tab},           {"table-with", &self->table_with},
                  {"first", &self->first},       {"figures", &self->figures},
                  {"work", &self->work},         {"traces", &self->traces}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(key, fields[i].key) == 0)
            *fields[i].field = value;
    self->in_paragraphs |= strcmp(key, "paragraphs") == 0;
    self->has_no_sum |= strcmp(key, "no-sum") == 0;
    self->is_whole |= strcmp(key, "whole") == 0;
    self->only_in_workbook |= strcmp(key, "when") == 0 && strcmp(value, "workbook") == 0;
    self->is_about_runs |= strcmp(key, "unit") == 0 && strcmp(value, "run") == 0;
    self->is_about_pair |= strcmp(key, "unit") == 0 && strcmp(value, "pair") == 0;
}

static void read_declaration(struct layout *self, const struct doc_key *key, const char *value)
{
    if (strcmp(key->name, "key") == 0) {
        const char *list = value;
        for (struct view name; (name = next_word(&list)).length;)
            array_add(&self->key, name);
        return;
    }
    if (strcmp(key->name, "measure") == 0) {
        self->measure = next_word(&value);
        self->count = next_word(&value);
        return;
    }
    switch (key->type) {
    case DOC_COLUMNS:
        read_columns(self, key->name, value);
        return;
    case DOC_COLUMN_PAIRS:
    case DOC_COLUMN_OPTIONS: {
        bool are_options = key->type == DOC_COLUMN_OPTIONS;
        const char *list = value;
        for (struct view item; (item = next_item(&list)).length;) {
            struct view other, name = split_item(item, &other);
            struct layout_column *column = column_of(self, name);
            *(are_options ? &column->option : &column->leader) = other;
        }
        return;
    }
    case DOC_SPREAD: {
        const char *list = value;
        const char *over = strstr(list, " over ");
        struct view before = {0};
        *(strcmp(key->name, "spread") == 0 ? &self->spread_over : &self->first_over) =
            over ? over + strlen(" over ") : NULL;
        while (over && list < over) {
            bool is_joined = *list == '+';
            struct view name = next_word(&list);
            struct layout_column *column = column_of(self, name);
            column->is_spread = true;
            column->beside = is_joined ? before : (struct view){0};
            before = name;
        }
        return;
    }
    case DOC_UNFOLD:
        self->unfold = next_word(&value);
        self->unfold_word = next_word(&value);
        self->unfold_order = next_word(&value);
        return;
    default:
        read_text(self, key->name, value);
        return;
    }
}

static bool has_shape(enum doc_key_type type, const char *value)
{
    struct view rest;
    switch (type) {
    case DOC_WORD:
    case DOC_COLUMN:
        return *value && !value[strcspn(value, ", ")];
    case DOC_FLAG:
        return strcmp(value, "yes") == 0;
    case DOC_PLACES:
        for (struct view item; (item = next_item(&value)).length;)
            if (strspn(split_item(item, &rest).bytes, "0123456789") == 0)
                return false;
        return true;
    case DOC_FIRST:
        return strtol(value, NULL, 10) > 0;
    case DOC_OTHER_SET:
        split_item(view_of(value), &rest);
        split_item(rest, &rest);
        return rest.length && isdigit((unsigned char)value[strcspn(value, " ") + 1]);
    case DOC_COLUMN_PAIRS:
    case DOC_COLUMN_OPTIONS:
        for (struct view item; (item = next_item(&value)).length;)
            if (split_item(item, &rest).length == 0 || rest.length == 0)
                return false;
        return true;
    case DOC_SPREAD:
        return strstr(value, " over ") != NULL;
    case DOC_UNFOLD:
        return next_word(&value).length && next_word(&value).length && next_word(&value).length;
    default:
        return *value != '\0';
    }
}

bool layout_read(struct layout *self, const struct doc_object *report, struct error *error)
{
    *self = (struct layout){.report = report};
    for (size_t i = 0; i < report->declarations.count; i++) {
        const struct doc_declaration *declared = &report->declarations.items[i];
        const struct doc_key *key = key_named(declared->key);
        if (!key)
            return refuse(self, declared, "there is no such declaration", VIEW(""), error);
        if (!has_shape(key->type, declared->value))
            return refuse(self, declared, "it is: ", view_of(key->meaning), error);
        read_declaration(self, key, declared->value);
    }
    return true;
}

/* ------------------------------------------------------------------ checking */

static bool has_column(sqlite3_stmt *rows, struct view name)
{
    for (int i = 0; i < sqlite3_column_count(rows); i++)
        if (view_equal_ignoring_case(view_of(sqlite3_column_name(rows, i)), name))
            return true;
    return false;
}

/* The next column that a value names; empty at its end. */
static struct view next_column(enum doc_key_type type, const char **at)
{
    struct view rest, name;
    switch (type) {
    case DOC_COLUMN:
    case DOC_COLUMNS:
    case DOC_COLUMN_PAIRS:
        return next_word(at);
    case DOC_FIRST:
        *at += strspn(*at, "0123456789");
        return next_word(at);
    case DOC_COLUMN_OPTIONS:
        return split_item(next_item(at), &rest);
    case DOC_SPREAD:
        name = next_word(at);
        return view_equal(name, VIEW("over")) ? next_word(at) : name;
    case DOC_UNFOLD:
        name = next_word(at);
        next_word(at);
        return name;
    default:
        return (struct view){0};
    }
}

/* Checks that the views of a list have the columns that are read of them; rows of `ours` have. */
static bool check_views(const struct layout *self, sqlite3 *db, const char *key, const char *list,
                        const char *ours, const char *columns, struct error *error)
{
    bool done = true;
    for (struct view name; done && (name = docs_next_name(&list)).length;) {
        char *found = NULL;
        done = !ours || views_row(db, ours, "name", name, &found, error);
        if (!done || found)
            continue;
        sqlite3_stmt *row = NULL;
        char *sql =
            database_format("SELECT %s FROM \"%.*w\"", columns, (int)name.length, name.bytes);
        int result = database_prepare(db, sql, &row, NULL);
        if (result == SQLITE_ERROR)
            done = error_set(error, STATUS_USAGE, "%s: \"%s\": %s", self->report->name, key,
                             sqlite3_errmsg(db));
        else if (result != SQLITE_OK)
            done = database_error(db, self->report->name, error);
        database_finalize(row);
    }
    return done;
}

/* The columns that the view of figures must have, by names that are never taken for texts. */
static bool check_figures(const struct layout *self, sqlite3 *db, struct error *error)
{
    struct text columns = {0};
    for (size_t i = 0; i < self->key.count; i++)
        text_format(&columns, "[%.*s], ", (int)self->key.items[i].length, self->key.items[i].bytes);
    if (self->count.length)
        text_format(&columns, "[%.*s], ", (int)self->count.length, self->count.bytes);
    text_format(&columns, "[%.*s]", (int)self->measure.length, self->measure.bytes);
    return check_views(self, db, "figures", self->figures, NULL, columns.items, error);
}

bool layout_check(const struct layout *self, sqlite3_stmt *rows, struct error *error)
{
    sqlite3 *db = sqlite3_db_handle(rows);
    for (size_t i = 0; i < self->report->declarations.count; i++) {
        const struct doc_declaration *declared = &self->report->declarations.items[i];
        const struct doc_key *key = key_named(declared->key);
        const char *at = declared->value;
        for (struct view name; key && (name = next_column(key->type, &at)).length;)
            if (!has_column(rows, name))
                return refuse(self, declared, "it has no column ", name, error);
    }
    return check_views(self, db, "not-included", self->not_included, "not_included",
                       "what, count, time_ns", error) &&
           check_views(self, db, "empty", self->empty, "empty_reason", "why", error) &&
           check_views(self, db, "traces", self->traces, NULL, "run, trace_id", error) &&
           (!self->figures || check_figures(self, db, error));
}

bool layout_is_key(const struct layout *self, const char *name)
{
    for (size_t i = 0; i < self->key.count; i++)
        if (view_equal_ignoring_case(self->key.items[i], view_of(name)))
            return true;
    return false;
}
