/* session: what the calls of verbs have in common: the options that several of them take, the
 * warehouse that a call is about, its operands and values. */
#pragma once

#include "ingest/ingest.h"
#include "query/ask/render.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/file.h"
#include "src/command/option.h"

/* Options that several verbs have. */
#define OPTION_DATABASE                                                               \
    {"db", 0, "FILE", "warehouse [$TPQ_DB, else tpq.db in this directory]", NULL},    \
    {                                                                                 \
        "trust", 0, NULL, "open a warehouse whose schema may run SQL of others", NULL \
    }
#define OPTION_SALVAGE                                                                 \
    {                                                                                  \
        "salvage", 0, NULL, "of an input that breaks off, keep what is complete", NULL \
    }
#define OPTION_WAIT                                                                           \
    {                                                                                         \
        "wait", 0, "SECONDS", "how long to wait for another process to release it (10)", NULL \
    }
#define OPTIONS_FORM                                               \
    OPTION_MODE, {"csv", 0, NULL, "the same as --mode csv", NULL}, \
    {                                                              \
        "markdown", 0, NULL, "the same as --mode markdown", NULL   \
    }
#define OPTION_MODE                                                                      \
    {                                                                                    \
        "mode", 'm', "MODE", "form of the output:" FORM_MODES " (table)", &FORM_MODES[1] \
    }
#define OPTION_CSV_RAW                                                                             \
    {                                                                                              \
        "csv-raw", 0, NULL, "leave texts in CSV alone that a spreadsheet would take for formulas", \
            NULL                                                                                   \
    }
#define OPTION_WIDE                                                                                \
    {                                                                                              \
        "wide", 0, NULL, "all columns, and all texts in full, in tables and in Markdown and HTML", \
            NULL                                                                                   \
    }
#define OPTION_SAVE_VIEWS                                                                       \
    {                                                                                           \
        "save-views", 0, "[WHICH]",                                                             \
            "views that the warehouse holds for other programs: all, for a program that lists " \
            "the "                                                                              \
            "schema and loads tpq.so, or plain, which any SQLite can run",                      \
            "all plain"                                                                         \
    }
#define OPTION_JSON                                                                          \
    {                                                                                        \
        "json", 0, "[FILE]", "JSON: one document, with the version in its member meta", NULL \
    }
#define OPTION_END                \
    {                             \
        NULL, 0, NULL, NULL, NULL \
    }

struct session_file {
    struct new_file file;
    const char *path; /* NULL: nothing is redirected */
    int output;       /* what standard output was */
};

/* The warehouse that a call means. */
const char *session_database(const struct arguments *arguments);

/* The value of --save-views: all where it has none, or plain; NULL: it is not given. */
const char *session_saved_views(const struct arguments *arguments);

bool session_open(const struct arguments *arguments, enum warehouse_mode mode,
                  struct warehouse *warehouse, struct error *error);

bool session_wait_ms(const struct arguments *arguments, int *wait_ms, struct error *error);

/* Checks the number of operands. */
bool session_operands(const struct arguments *arguments, size_t least, size_t most,
                      struct error *error);

/* Columns of the terminal that is written to; 0 = it is none, or --wide. */
int session_width(const struct arguments *arguments);

/* --mode, --csv-raw, --wide and the terminal's width. */
void session_render_options(const struct arguments *arguments, struct render_options *options);

/* Prints words that may come from anywhere, with control characters made visible. */
void session_print(FILE *out, const char *words);

/* Prints a text before, and "NUMBER WORDs" with the number in groups. */
void session_print_count(FILE *out, const char *before, int64_t count, const char *one,
                         const char *many);

/* Prints a line to standard error, "tpq: WORDS"; or each line of a text, which may be NULL. */
void session_say(struct view words);
__attribute__((format(printf, 1, 2))) void session_sayf(const char *format, ...);
void session_say_lines(const char *lines);

/* Printed text has to have arrived. Where it has not, the sentence says what stays of the call all
 * the same. */
bool session_printed(const char *stays, struct error *error);

/* Says how many files below directories are not traces, and who lists them. */
void session_say_skipped(size_t count, const char *who_lists);

/* Says which files of annotations lie beside the selected traces that record graph nodes without
 * them. They are told, not taken: a file may be of another capture. */
bool session_say_graph_notes(struct warehouse *warehouse, struct error *error);

/* Files that a call reads for itself. */
struct intake {
    ARRAY(int64_t) traces; /* one for each file that is stored or known */
    size_t skipped;        /* files that are not traces */
    bool is_said;          /* why a file failed was printed */
};

/* Reads files, and says which failed and how many were skipped. An error that was said is without
 * words. */
bool session_ingest(struct intake *self, const struct ingest_options *options,
                    const input_list *inputs, struct error *error);

/* Each process of a file with several is a trace: takes those behind the first one as well. */
bool session_take_processes(struct intake *self, struct warehouse *warehouse, struct error *error);

/* Between the two, what is printed goes to the file that --json=FILE names, where the verb has no
 * other form of output. Neither an operand nor the warehouse is written over. */
bool session_redirect(struct session_file *self, const struct arguments *arguments,
                      struct error *error);
bool session_restore(struct session_file *self, bool done, struct error *error);

/* Runs a verb. Memory that it runs out of is an error like others. */
bool session_run(const struct verb *verb, const struct arguments *arguments, struct error *error);

/* A whole number in an operand or value. */
bool session_integer(const struct arguments *arguments, const char *what, const char *text,
                     int64_t *value, struct error *error);
