/* recipes: questions of every day with their SQL, a file each in sql/recipes: a comment with the
 * question and what its parameters mean, then one statement. */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stdio.h>

struct recipe {
    struct view name;
    const char *sql;
};

/* The first one from the file at `*place` on, which then is its place; false: there are no more. */
bool recipe_next(int *place, struct recipe *recipe);

/* All of them, in words and SQL; or only the SQL of one. */
void recipes_print(FILE *out);
bool recipe_print(const char *name, FILE *out, struct error *error);

/* Their names, a line each. */
void recipes_names(FILE *out);

/* The SQL of one; NULL with an error where there is none of that name. */
const char *recipe_sql(const char *name, struct error *error);

/* Whether its comment says that parameters of this name are runs: ":before and :after are runs". */
bool recipe_takes_run(const char *sql, struct view parameter);
