/* value_json: a value of SQL as JSON, for functions that make objects and lists. */
#pragma once

#include "sql/sqlite.h"
#include "src/base/text.h"

/* Appends it; a text as it stands where it `is_json`, else as a string. What is no number that JSON
 * has is null. False: memory is out. */
bool value_add_json(struct text *out, sqlite3_value *value, bool is_json);

/* Whether no name among arguments that are names and values in turn is NULL; else the function
 * fails. */
bool values_have_names(sqlite3_context *context, int count, sqlite3_value **arguments);
