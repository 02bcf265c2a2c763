/* words: how headings and units of tables read on a page, for people. */
#pragma once

#include "query/sink/sheet.h"

/* A heading: wait_us is "wait", as its unit stands beside it; others stay as they are. */
void words_add_heading(struct text *out, const struct column *column);

/* The unit, where the heading that is shown does not name it. */
const char *words_unit(const struct column *column);

/* The unit as people write it. */
const char *words_of_unit(const char *unit);
