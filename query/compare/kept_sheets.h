/* kept_sheets: a sink that keeps sheets in memory, for those who go on with them. */
#pragma once

#include "query/report/result.h"
#include "query/sink/sink.h"

struct kept_sheet {
    char *name, *title, *page;    /* page may be NULL */
    ARRAY(struct column) columns; /* names and headings are kept, too */
    struct result rows;
};

struct kept_sheets {
    struct sink base;
    ARRAY(struct kept_sheet) sheets;
};

void kept_sheets_init(struct kept_sheets *self);

/* The sheet of this name; NULL when there is none. */
const struct kept_sheet *kept_sheets_find(const struct kept_sheets *self, const char *name);

/* The column with a heading; SIZE_MAX: there is none. */
size_t kept_sheet_column(const struct kept_sheet *sheet, const char *heading);

/* Hands all of them on, in their order, without units. */
bool kept_sheets_send(const struct kept_sheets *self, struct sink *const *sinks, size_t count,
                      struct error *error);

void kept_sheets_free(struct kept_sheets *self);
