/* plain: lists of functions that need nothing of their connection, so that models can call them
 * where there are no tables. */
#pragma once

#include "sql/binding/function.h"

extern const struct function model_functions[];  /* bind_models.c */
extern const struct function regexp_functions[]; /* regexp.c */
