/* output: from the output options of a call to the sinks that its sheets go to. */
#pragma once

#include "query/page/page.h"
#include "query/sink/forms.h"
#include "query/sink/sink.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"

struct output_written {
    char *where;
    const struct counted_sink *sink;
};

/* A file that has its name only when it is whole; what is no plain file is written as it is. */
struct output_file {
    FILE *stream;
    char *path;
    struct text building; /* the name that it has until then; empty = its own */
    bool is_beside;       /* not kept when nothing is written */
};

struct outputs {
    ARRAY(struct sink *) sinks;
    ARRAY(struct output_file) files;
    ARRAY(struct output_written) written;
    bool on_terminal;          /* people read it: a sink is the terminal */
    bool for_programs;         /* a sink is neither the terminal nor Markdown */
    size_t width;              /* of the terminal in characters; 0 = any */
    bool has_summary;          /* a sink writes a summary, which is beside other outputs */
    bool to_tables;            /* a sink writes to the warehouse */
    bool one_sheet;            /* a sink takes no more */
    struct text closing;       /* what a terminal shows behind the last sheet */
    struct page_source source; /* of pages */
    struct envelope_words words;
};

/* The options; verb_report.c has them in its table. */
#define OPTIONS_OUTPUT                                                                            \
    FORM_OPTIONS OPTIONS_ENVELOPE,                                                                \
        {"output-filename", 0, "NAME", "beginning of file names (trace_analysis_results)", NULL}, \
        {"output-table-formats", 0, "FORMAT...", "only .csv or only .xlsx (both)", ".csv .xlsx"}, \
        {"html-limit", 0, "SIZE", "largest size of a page, with K, M or G; 0: any (16M)", NULL},  \
        {"html-views", 0, "LIST", "views of a page, comma-separated (all)", PAGE_VIEWS},          \
        {"force", 0, NULL, "overwrite an existing workbook", NULL},                               \
        {"csv-notes", 0, NULL, "end a CSV with a # line: what is not included, why it is empty",  \
         NULL},                                                                                   \
        {"quiet", 'q', NULL, "print no note of what was written", NULL},                          \
        {"top", 0, "N", "rows per table on the terminal and in Markdown; 0: all (20)", NULL},     \
        {"color", 0, NULL, "colours even when not on a terminal", NULL},                          \
    {                                                                                             \
        "no-color", 0, NULL, "no colours (also: variable NO_COLOR)", NULL                         \
    }

/* `input` names a workbook that has no name. `sheets` is how many sheets there are to be. */
struct output_context {
    const char *input;
    const char *tables;        /* what names of tables begin with behind frozen_; NULL = nothing */
    const char *set;           /* of the reports; NULL = none that the name of a workbook goes by */
    const char *const *inputs; /* paths that must not be written, ended by NULL */
    size_t sheets;
    bool all_rows;                          /* on the terminal, unless the user says how many */
    const char *first_sheet, *second_sheet; /* of one CSV: the second into a file beside it */
    sqlite3 *db;
    struct warehouse *warehouse;    /* a page shows what is selected in it; NULL: only its sheets */
    const doc_list *docs;           /* and reports of these; NULL: none */
    const char *page_set;           /* that these belong to, where it is not `set` */
    const char *base;               /* the first of the runs that it compares; may be NULL */
    size_t page_runs, page_runs_of; /* so many of the compared runs; 0: all that is selected */
    const struct identity *identity;       /* what the outputs are about; outlives them */
    const struct abstentions *abstentions; /* of the reports that a page makes; NULL: none */
    bool in_memory;                        /* the warehouse is gone at the end */
    bool compat;
    bool lists_sheets;   /* in a workbook, also where the reference tool's has no list of them */
    bool other_workbook; /* the caller makes the workbook, and there need not be another output */
    bool on_terminal;    /* nevertheless sheets are printed, if there is no other output */
    bool has_output;     /* the caller writes something: nothing need be printed beside it */
    const char *const
        *texts;          /* options whose places the caller writes to, ended by NULL; or NULL */
    bool like_reference; /* a call in the words of a reference tool: a workbook is the default */
};

/* Fails on what can be seen to be wrong before anything is read or written. */
bool outputs_check(const struct arguments *arguments, const struct output_context *context,
                   struct error *error);

/* Whether an output other than a workbook is asked for. */
bool outputs_beside_workbook(const struct arguments *arguments);

bool outputs_open(struct outputs *self, const struct arguments *arguments,
                  const struct output_context *context, struct error *error);

/* Ends all outputs; what is whole gets its name only here. */
bool outputs_finish(struct outputs *self, struct error *error);

/* Prints to standard error what was written, where and how much, but with --quiet. */
void outputs_say(const struct outputs *self, const struct arguments *arguments);
void outputs_close(struct outputs *self);

/* The sentence about one of them. */
void output_say_written(const struct counted_sink *sink, const char *where);
