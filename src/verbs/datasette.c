/* datasette: see datasette.h. */
#include "src/verbs/datasette.h"

#include "sql/catalog.h"
#include "src/base/document.h"
#include "src/command/recipes.h"

#include <string.h>

static const char about[] = "Performance traces of accelerators in one database. Reports (queries) "
                            "need the extension of tpq; tables and views do not.";

/* "[us] (lower is better) meaning", as far as there is any of it. */
static bool add_words(const struct doc_column *column, struct text *words)
{
    text_clear(words);
    return (!*column->unit || text_format(words, "[%s] ", column->unit)) &&
           (!*column->polarity || text_format(words, "(%s is better) ", column->polarity)) &&
           text_add_string(words, column->meaning);
}

static bool write_columns(struct document *json, const struct doc_object *object)
{
    struct text words = {0};
    const doc_columns *columns = docs_columns(object);
    bool done = columns != NULL;
    document_open(json, "columns", '{');
    for (size_t i = 0; done && i < columns->count; i++) {
        const struct doc_column *column = &columns->items[i];
        if ((done = add_words(column, &words)))
            document_text(json, column->name, words.items);
    }
    document_close(json);
    text_free(&words);
    return done;
}

static bool write_table(struct document *json, const struct doc_object *object, const char *name)
{
    bool is_helper = object->is_view && !catalog_is_report(object) &&
                     !docs_declared(object, "question"); /* as views for any SQLite have */
    document_open(json, name, '{');
    document_text(json, "description", object->meaning);
    if (is_helper)
        document_boolean(json, "hidden", true);
    bool done = write_columns(json, object);
    document_close(json);
    return done;
}

/* Tables that --into-tables makes of a report with one sheet. */
static bool write_frozen(struct document *json, const struct doc_object *object)
{
    const char *sheet = docs_declared(object, "sheet");
    struct text name = {0};
    if (!catalog_is_report(object) || docs_declared(object, "sheet-by"))
        return true;
    bool done = text_format(&name, "frozen_%s", sheet ? sheet : object->name) &&
                write_table(json, object, name.items);
    text_free(&name);
    return done;
}

/* Sheets of several sets are called alike: what the first one says stands for them. */
static bool is_first(const doc_list *docs, size_t place)
{
    const char *sheet = docs_declared(&docs->items[place], "sheet");
    for (size_t i = 0; sheet && i < place; i++) {
        const char *other = docs_declared(&docs->items[i], "sheet");
        if (strcmp(other ? other : docs->items[i].name, sheet) == 0)
            return false;
    }
    return true;
}

/* The first line of a recipe asks, the others say what parameters mean. */
static bool write_query(struct document *json, const struct recipe *recipe)
{
    struct text name = {0}, title = {0};
    const char *line = recipe->sql + strspn(recipe->sql, "- ");
    bool done = text_add_view(&name, recipe->name) && text_add(&title, line, strcspn(line, "\n"));
    if (done) {
        document_open(json, name.items, '{');
        document_text(json, "title", title.items);
        document_text(json, "sql", recipe->sql);
        document_close(json);
    }
    text_free(&name);
    text_free(&title);
    return done;
}

static bool write_report(struct document *json, const struct doc_object *object)
{
    struct text sql = {0};
    bool done = text_format(&sql, "SELECT * FROM %s", object->name);
    if (done) {
        document_open(json, object->name, '{');
        document_text(json, "title", object->name);
        document_text(json, "description", object->meaning);
        document_text(json, "sql", sql.items);
        document_close(json);
    }
    text_free(&sql);
    return done;
}

static bool write_database(struct document *json, const doc_list *docs)
{
    struct recipe recipe;
    bool done = true;
    document_open(json, "tables", '{');
    for (size_t i = 0; i < docs->count && done; i++)
        done = write_table(json, &docs->items[i], docs->items[i].name) &&
               (!is_first(docs, i) || write_frozen(json, &docs->items[i]));
    document_close(json);
    document_open(json, "queries", '{');
    for (int i = 0; done && recipe_next(&i, &recipe); i++)
        done = write_query(json, &recipe);
    for (size_t i = 0; i < docs->count && done; i++)
        done = !catalog_is_report(&docs->items[i]) || write_report(json, &docs->items[i]);
    document_close(json);
    return done;
}

bool datasette_write(const doc_list *docs, const char *path, FILE *out, struct error *error)
{
    struct document json = {.out = out};
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const char *point = strrchr(file, '.');
    struct text name = {0};
    bool done =
        text_add(&name, file, point && point > file ? (size_t)(point - file) : strlen(file));
    document_open(&json, NULL, '{');
    document_text(&json, "title", "tpq");
    document_text(&json, "description", about);
    document_open(&json, "databases", '{');
    if (done) {
        document_open(&json, name.items, '{');
        done = write_database(&json, docs);
        document_close(&json);
    }
    document_close(&json);
    text_free(&name);
    return (done || error_memory(error)) && document_finish(&json, error);
}
