/* overview: what a page shows first, as HTML that needs no program: reports that declare
 * "tab: overview".
 *
 * A report with the columns section, form, name and value is made of parts: rows of a section and
 * a subject are a stacked bar (form bar), cards, lines, or a list. One with "chart: area X Y..." is
 * drawn as layers over X, shares of 100. Of any other with a column words these are a list.
 */
#pragma once

#include "query/sink/sheet.h"

enum overview_field {
    OVERVIEW_SECTION,
    OVERVIEW_FORM,
    OVERVIEW_SUBJECT,
    OVERVIEW_NAME,
    OVERVIEW_KIND, /* which colour */
    OVERVIEW_UNIT,
    OVERVIEW_WORDS,
    OVERVIEW_REPORT, /* the sheet that says more */
    OVERVIEW_TEXTS,
};

struct overview_row {
    char *texts[OVERVIEW_TEXTS]; /* "" where there is none */
    double value, percent;       /* NAN = none */
    bool is_abstained;           /* because a figure has no basis */
};

struct overview {
    ARRAY(struct overview_row) rows;
    ARRAY(struct text) pictures; /* of sheets with a chart */
    char *why_abstained;         /* of the first sheet with such figures */
    /* of the sheet in hand */
    const struct sheet *sheet;
    ARRAY(size_t) layers; /* columns of its chart, the first one is that of X */
    char *subject;
    ARRAY(double) points; /* of its rows, one behind the other */
};

void overview_begin(struct overview *self, const struct sheet *sheet);
void overview_row(struct overview *self, const struct cell *cells);
void overview_end(struct overview *self);

void overview_add_html(const struct overview *self, struct text *out);
