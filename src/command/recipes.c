/* recipes: see recipes.h. */
#include "src/command/recipes.h"

#include "sql/embed.h"
#include "src/base/hint.h"

static const char folder[] = "recipes/";

static bool is_recipe(const struct sql_file *file)
{
    return text_starts_with(file->path, folder);
}

/* The name of the file without its folder and ending. */
static struct view name_of(const struct sql_file *file)
{
    const char *name = file->path + strlen(folder);
    return (struct view){name, strlen(name) - strlen(".sql")};
}

static bool is_called(const struct sql_file *file, const char *name)
{
    return is_recipe(file) && view_equal(name_of(file), view_of(name));
}

static bool unknown_recipe(const char *name, struct error *error)
{
    enum { NAMES_MAX = 100, LENGTH_MAX = 64 };
    char kept[NAMES_MAX][LENGTH_MAX];
    const char *names[NAMES_MAX];
    struct text hint = {0};
    size_t count = 0;
    for (int i = 0; i < sql_file_count && count < NAMES_MAX; i++) {
        if (!is_recipe(&sql_files[i]))
            continue;
        struct view own = name_of(&sql_files[i]);
        snprintf(kept[count], LENGTH_MAX, "%.*s", (int)own.length, own.bytes);
        names[count] = kept[count];
        count++;
    }
    if (!hint_add(&hint, name, names, count, "see tpq help recipes"))
        error_memory(error);
    else
        error_set(error, STATUS_USAGE, "there is no recipe '%s'%s", name, hint.items);
    text_free(&hint);
    return false;
}

const char *recipe_sql(const char *name, struct error *error)
{
    for (int i = 0; i < sql_file_count; i++)
        if (is_called(&sql_files[i], name))
            return sql_files[i].text;
    unknown_recipe(name, error);
    return NULL;
}

bool recipe_takes_run(const char *sql, struct view parameter)
{
    bool takes = false;
    while (text_starts_with(sql, "--") && !takes) {
        struct view line = {sql, strcspn(sql, "\n")};
        const char *runs = memmem(line.bytes, line.length, " are runs ", strlen(" are runs "));
        if (!runs)
            runs = memmem(line.bytes, line.length, " is a run ", strlen(" is a run "));
        for (const char *at = sql; runs && at < runs && !takes; at++)
            takes = *at == ':' && strncmp(at + 1, parameter.bytes, parameter.length) == 0 &&
                    at[1 + parameter.length] == ' ';
        sql += line.length + (sql[line.length] == '\n');
    }
    return takes;
}

bool recipe_print(const char *name, FILE *out, struct error *error)
{
    const char *sql = recipe_sql(name, error);
    return sql && fputs(sql, out) >= 0;
}

/* The lines of the comment without their dashes, those of the statement further in. */
static void print_text(const char *text, FILE *out)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        bool is_comment = strncmp(text, "-- ", 3) == 0;
        fprintf(out, is_comment ? "    %.*s\n" : "        %.*s\n", is_comment ? length - 3 : length,
                is_comment ? text + 3 : text);
        text += length;
        text += *text == '\n';
    }
}

bool recipe_next(int *place, struct recipe *recipe)
{
    while (*place < sql_file_count && !is_recipe(&sql_files[*place]))
        (*place)++;
    if (*place >= sql_file_count)
        return false;
    *recipe = (struct recipe){name_of(&sql_files[*place]), sql_files[*place].text};
    return true;
}

void recipes_print(FILE *out)
{
    fputs("Questions of every day. `tpq sql --recipe NAME` asks one, with --param NAME=VALUE for "
          "what\n"
          "stands behind a colon; options that select (--run, --step, ...) narrow most of them.\n"
          "`tpq help recipes NAME` prints its SQL alone, to start from. Those marked \"Runs in any "
          "SQLite\"\n"
          "show all runs, and need no extension.\n",
          out);
    struct recipe recipe;
    for (int i = 0; recipe_next(&i, &recipe); i++) {
        fprintf(out, "\n%.*s\n", (int)recipe.name.length, recipe.name.bytes);
        print_text(recipe.sql, out);
    }
}

void recipes_names(FILE *out)
{
    struct recipe recipe;
    for (int i = 0; recipe_next(&i, &recipe); i++)
        fprintf(out, "%.*s\n", (int)recipe.name.length, recipe.name.bytes);
}
