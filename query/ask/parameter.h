/* parameter: the values of :NAME, @NAME and $NAME in statements.
 *
 *     parameters_set(&parameters, "x=5", &error);
 *     parameters_bind(&parameters, statement, "SQL", &error);
 *     parameters_clear(&parameters);
 */
#pragma once

#include "src/base/array.h"
#include "src/base/error.h"

#include <sqlite3.h>

struct parameter {
    char *name, *value;
};

typedef ARRAY(struct parameter) parameter_list;

/* NAME=VALUE. A value that is a number is one, and what stands between single quotes is a text. */
bool parameters_set(parameter_list *self, const char *words, struct error *error);
void parameters_clear(parameter_list *self);

/* Fails on a parameter of the statement that has no value. `name` begins the message. */
bool parameters_bind(const parameter_list *self, sqlite3_stmt *statement, const char *name,
                     struct error *error);
