/* sink: where results go. Every form of output is one sink; all take sheets row by row.
 *
 *     sink->begin(sink, sheet, error); sink->row(sink, cells, error) ...; sink->end(sink, error);
 *     ... more sheets ...; sink_finish(sink, error); sink_free(sink);
 *
 * Texts come from traces: each sink sees to it that they cannot act in its form (a formula in a
 * spreadsheet, an escape on a terminal, a tag in a page).
 */
#pragma once

#include "query/sink/identity.h"
#include "query/sink/sheet.h"
#include "src/base/error.h"

#include <stdio.h>

struct sink {
    FILE *out; /* of a stream, which stays open; NULL = none */
    bool (*begin)(struct sink *self, const struct sheet *sheet, struct error *error);
    bool (*row)(struct sink *self, const struct cell *cells, struct error *error);
    bool (*end)(struct sink *self, struct error *error);
    bool (*finish)(struct sink *self, struct error *error); /* NULL = nothing is left to do */
    void (*free)(struct sink *self);                        /* NULL = it has but memory */
    /* A row of sums, before `end`; NULL where an output is for machines, or has no room for it. */
    bool (*footer)(struct sink *self, const struct cell *cells, struct error *error);
    /* Whether it shows nothing of sheets that are for this view of a page (NULL: for none); NULL
     * where all are shown. What nobody shows need not be made. */
    bool (*passes)(struct sink *self, const char *tab);
    bool values_first; /* a row of a comparison is its name and values, then the rest of its key */
    bool has_charts;   /* takes sheets that are only there for their chart */
    bool titles_lead;  /* the title of the first sheet says what the first lines say elsewhere */
    bool is_workbook;  /* a sheet of it is looked at first */
    bool has_notes;    /* says what a sheet leaves out, and why it is empty */
    bool has_names;    /* shows kernels under their short names */
    bool says_where;   /* has run and trace also where a sheet covers a single one */
    bool is_terminal;  /* has no room for bare sheets, and says a rank in the place of a trace */
    bool takes_any;    /* needs to know nothing of all rows before the first one */
};

struct page_source;   /* query/page/page.h */
struct envelope_wish; /* query/sink/envelope.h */

/* Where a sink writes, and how; each takes of it what its form knows. */
struct sink_target {
    FILE *out;                 /* of a stream; stays open */
    const char *path;          /* of a sink that opens its files by itself */
    const char *const *inputs; /* paths that are not written over, ended by NULL; NULL = none */
    sqlite3 *db;               /* of tables in a database */
    const char *tables;        /* what their names begin with behind frozen_; NULL = nothing */
    const char *name;          /* what the names of files for every sheet begin with */
    const char *only;          /* the sheet that is written, others are skipped; NULL = all */
    size_t width;              /* of the terminal in characters; 0 = any */
    int64_t top;               /* rows of a sheet for people; 0 = all */
    bool colour;
    bool wide;                  /* all columns, and names in full */
    bool quiet;                 /* on a terminal: tables alone */
    const struct text *closing; /* on a terminal, behind the last sheet; may be NULL */
    bool raw;                   /* texts stay that a spreadsheet would take for formulas */
    bool index;                 /* a workbook begins with a worksheet that lists the others */
    bool overwrite;             /* a file that is there already */
    bool no_headers; /* of CSV, TSV and plain tables: rows without the names of columns */
    bool classic;    /* a chart parts by time alone, in colours that say nothing */
    const struct page_source *source; /* what a page asks beside its sheets; NULL = nothing */
    bool csv, xlsx;                   /* which files for every sheet */
    const struct identity *identity;  /* what all of it is about; NULL = nothing is said */
    bool notes;     /* worksheets end with what they leave out, the index with the identity */
    bool csv_notes; /* the same of a CSV, in a line that begins with # */
    const struct envelope_wish *wish; /* of an envelope; NULL = nothing is wished */
};

/* Makes a sink. NULL with an error: the output cannot be made. */
typedef struct sink *sink_make(const struct sink_target *target, struct error *error);

/* For sinks: `size` bytes that begin with `base`; the rest is zero. */
void *sink_new(size_t size, struct sink base);

/* Ends all sheets; what the sink has written is in its stream. */
bool sink_finish(struct sink *self, struct error *error);

/* Lets go of what is not memory, of a sink that may be NULL. */
void sink_free(struct sink *self);

/* Fails where standard output is a terminal: the form is for no people. */
bool sink_check_terminal(const char *verb, const char *option, struct error *error);

bool sink_is_same_file(const char *left, const char *right);

/* Fails when the path is one of the inputs, by whatever name. */
bool sink_check_path(const char *path, const char *const *inputs, struct error *error);

/* Fails with the sentence of an output that cannot be written, if it could not. */
bool sink_check_stream(FILE *out, const char *name, struct error *error);

/* A sink before another one that counts what it is given, so that it can be said what an output
 * holds. */
struct counted_sink {
    struct sink base;
    struct sink *to;
    const char *only;             /* the sheet that counts; NULL = all */
    bool is_counting, has_passed; /* sheets that are not shown */
    size_t sheets;
    int64_t rows;
};

/* `only` must outlive it. */
struct counted_sink *sink_counted(struct sink *to, const char *only);
