/* forms: every form of output, a row each: what it is called as a mode of a statement's rows
 * (--mode of tpq sql) and as an option of tpq report, with the words of its help, and what makes
 * its sink.
 *
 * A new form is a file with its sink, and a row here: parsing, help and completions come from it,
 * and so does the declaration of the function that makes it.
 */
#pragma once

#include "query/sink/sink.h"

enum form_kind {
    OUTPUT_STREAM,   /* to standard output, or into a file that is opened for it */
    OUTPUT_CSV,      /* the same where it is one sheet, else into a directory */
    OUTPUT_SUMMARY,  /* a CSV file of one sheet, and its chart beside it */
    OUTPUT_WORKBOOK, /* a file that is only there when it is whole */
    OUTPUT_TABLES,   /* into the database that is asked */
    OUTPUT_FILES,    /* a directory; the sink makes what is in it */
};

/* The heading of the options: the one rule of where they write. */
#define FORM_HEADING "Outputs (alone or with -: standard output; with =FILE: that file)"

/* MODE: name, make. OPTION and BOTH: name, kind, ending of a file, argument and words of the
 * option, make. */
#define FORMS(MODE, OPTION, BOTH)                                                                \
    MODE("table", sink_grid)                                                                     \
    MODE("box", sink_box)                                                                        \
    BOTH("csv", OUTPUT_CSV, ".csv", "(X)",                                                       \
         "CSV; a directory with one file per sheet if X does not end in .csv", sink_csv)         \
    MODE("tsv", sink_tsv)                                                                        \
    OPTION("xlsx", OUTPUT_WORKBOOK, ".xlsx", "[FILE]",                                           \
           "workbook; alone: named after the input, in the current directory", sink_xlsx)        \
    BOTH("json", OUTPUT_STREAM, ".json", "[FILE]",                                               \
         "JSON; keys are columns as SQL names them, the member meta has headings, units and "    \
         "notes",                                                                                \
         sink_json)                                                                              \
    BOTH("envelope", OUTPUT_STREAM, ".json", "[FILE]",                                           \
         "a line of JSON a table, for assistants and programs: columns with units, rows, keys, " \
         "notes, trust",                                                                         \
         sink_envelope)                                                                          \
    BOTH("jsonl", OUTPUT_STREAM, ".jsonl", "[FILE]", "JSON Lines, one row per line, meta last",  \
         sink_json_lines)                                                                        \
    BOTH("markdown", OUTPUT_STREAM, ".md", "[FILE]", "Markdown", sink_markdown)                  \
    BOTH("line", OUTPUT_STREAM, ".txt", "[FILE]", "one column per line, for wide rows",          \
         sink_lines)                                                                             \
    MODE("html", sink_html)                                                                      \
    OPTION("html", OUTPUT_STREAM, ".html", "(X)",                                                \
           "one page for a browser: overview, timeline and all reports of the selection",        \
           sink_page)                                                                            \
    OPTION("into-tables", OUTPUT_TABLES, "", NULL,                                               \
           "plain tables in the warehouse, for clients without tpq; frozen_meta describes them", \
           sink_tables)                                                                          \
    OPTION("output-csvs-dir", OUTPUT_CSV, ".csv", "DIRECTORY", "the same as --csv DIRECTORY",    \
           sink_csv)                                                                             \
    OPTION("output-xlsx-path", OUTPUT_WORKBOOK, ".xlsx", "FILE",                                 \
           "the same as --xlsx=FILE, and overwrites", sink_xlsx)                                 \
    OPTION("output-md-path", OUTPUT_STREAM, ".md", "FILE", "the same as --markdown=FILE",        \
           sink_markdown)                                                                        \
    OPTION("output-path", OUTPUT_FILES, "", "DIRECTORY", "files of their own for every sheet",   \
           sink_files)

#define FORM_PASS(...)

/* The names of the modes, a blank before each. */
#define FORM_MODE_WORD(name, ...) " " name
#define FORM_MODES                FORMS(FORM_MODE_WORD, FORM_PASS, FORM_MODE_WORD)

/* The rows of the options in the table of a verb. */
#define FORM_OPTION_ROW(name, kind, ending, argument, words, make) {name, 0, argument, words, NULL},
#define FORM_OPTIONS                                               FORMS(FORM_PASS, FORM_OPTION_ROW, FORM_OPTION_ROW)

struct form {
    const char *mode;   /* NULL: not for the rows of a statement */
    const char *option; /* NULL: not for reports */
    enum form_kind kind;
    const char *ending; /* of a file */
    sink_make *make;
};

extern const struct form output_forms[]; /* ended by one without a mode and option */

/* NULL when there is none. */
const struct form *form_of_mode(const char *name);
const struct form *form_of_option(const char *name);

/* Makers of the sinks of the rows, and of sinks that come with others. */
#define FORM_MODE_MAKE(name, make)                                  sink_make make;
#define FORM_OPTION_MAKE(name, kind, ending, argument, words, make) sink_make make;
FORMS(FORM_MODE_MAKE, FORM_OPTION_MAKE, FORM_OPTION_MAKE)

sink_make sink_terminal; /* sheets for people: titles, grouped digits, only what fits */
sink_make sink_stack;    /* a picture, as SVG, of the sheet that declares a stacked chart */
