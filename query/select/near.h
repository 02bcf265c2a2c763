/* near: what is said behind a word that names nothing in a warehouse (hint.h). */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

/* Adds what the word was perhaps meant to be; the query gives what there is. */
bool near_add(struct warehouse *warehouse, const char *word, const char *sql, const char *otherwise,
              struct text *hint, struct error *error);
