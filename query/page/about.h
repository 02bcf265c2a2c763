/* about: what a page says of itself, as HTML: the inputs that it is about, what it leaves out, and
 * the keys that it listens to. */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

bool about_add_files(struct warehouse *warehouse, struct text *out, struct error *error);

bool about_add_html(struct warehouse *warehouse, bool compat, const struct text *not_included,
                    struct text *out, struct error *error);

/* The list of keys, which is hidden at first. */
void about_add_keys(struct text *out);
