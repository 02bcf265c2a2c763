/* xlsx_text: what a workbook lets stand in a cell and as the name of a worksheet. */
#pragma once

#include "src/base/text.h"

/* Limits of the format; characters are counted in UTF-16, as Excel does. */
enum {
    XLSX_NAME_MAX = 31,
    XLSX_TEXT_MAX = 32767,
};

/* Appends a text as it may stand in XML, cut at a character where it is too long. What would be
 * read as an escape (_x0041_) is escaped itself. */
void xlsx_add_text(struct text *out, struct view text);

/* Appends a name that is allowed and none of those `taken`, capitals aside: "name", else
 * "name (2)" and so on. Nothing in it needs an escape in a reference such as 'name'!A1. */
typedef bool xlsx_is_taken(const void *context, const char *name);
void xlsx_add_name(struct text *out, struct view name, xlsx_is_taken *taken, const void *context);
