/* topics: what `tpq help` has beside verbs: guides, recipes, and the names there are. */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stdio.h>

/* The text of a guide, with calls to start from: a file each in src/command/guides, whose calls
 * tests run. NULL where there is none of that name. */
const char *guide_text(const char *name);

/* A question of every day with its SQL, a file each in sql/recipes: a comment with the question and
 * what its parameters mean, then one statement. */
struct recipe {
    struct view name;
    const char *sql;
};

/* The first one from the file at `*place` on, which then is its place; false: there are no more. */
bool recipe_next(int *place, struct recipe *recipe);

/* All of them, in words and SQL. */
void recipes_print(FILE *out);

/* The SQL of one; NULL with an error where there is none of that name. */
const char *recipe_sql(const char *name, struct error *error);

/* Whether its comment says that parameters of this name are runs: ":before and :after are runs". */
bool recipe_takes_run(const char *sql, struct view parameter);

/* Prints all names of a kind, a name a line: `tpq help names KIND`, for the completions of
 * shells. Of the warehouse that $TPQ_DB or the directory names, where the kind is one of things in
 * it; none where there is no warehouse. A name with a control character in it is left out. */
bool names_print(const char *kind, FILE *out, struct error *error);
