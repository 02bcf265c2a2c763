/* comparing: a call that compares runs (compare, gate, history): what it names, reads and asks.
 *
 * An operand is a run, a label (KEY=VALUE), trace:N, @last, @last~N, @pin:NAME, or else a file or a
 * directory, which is read into memory as `tpq report FILE` does; or a workbook or a folder of
 * sheets, the rows of which take the place of a report's.
 */
#pragma once

#include "query/compare/account.h"
#include "query/compare/comparison.h"
#include "src/command/option.h"
#include "src/command/output.h"
#include "src/command/verb_options.h"
#include "src/report/report_files.h"

/* The subject of a comparison, and where machines differ. */
#define OPTIONS_COMPARING                                                                         \
    {"by", 0, "LEVEL",                                                                            \
     "what rows are: timeline, category, op, op_shape, kernel, module, step, collective, or any " \
     "report (op_shape)",                                                                         \
     NULL},                                                                                       \
        {"metric", 0, "COLUMN", "which figure of the report (that which it declares)", NULL},     \
    {                                                                                             \
        "strict-compare", 0, NULL, "exit status 3 where devices or world sizes differ", NULL      \
    }

/* Exit status where a difference cannot be decided. */
#define OPTIONS_UNDECIDED                                                                   \
    {"undecided", 0, "STATUS",                                                              \
     "exit status of what is undecided: pass is 0, fail is 1 (without it 5)", "pass fail"}, \
        {"single-ok", 0, NULL, "decide also with too few samples, without a test", NULL},   \
    {                                                                                       \
        "allow-incomplete", 0, NULL, "decide also with traces that may lack events", NULL   \
    }

/* The unit of values, and when a difference is significant. */
#define OPTIONS_VALUES                                                                             \
    {"set", 0, "SET", "set of reports; without it the one for the format of the traces", NULL},    \
        {"warmup", 0, "N", "warm-up steps of a run that are not included (1, if 3 remain)", NULL}, \
        {"normalize", 0, "UNIT",                                                                   \
         "values of a step, of a whole trace, or of a token that was served (step, where there "   \
         "are steps)",                                                                             \
         "step trace token"},                                                                      \
        {"alpha", 0, "P", "p-value below which a difference is significant (0.01)", NULL},         \
        {"report-dir", 0, "DIRECTORY", "more reports: a .sql file each; may be repeated", NULL},   \
        {"rank", 0, "R", "traces of this rank", NULL},                                             \
        {"step", 0, "N[-M]", "profiler steps, or iterations where there are none", NULL},          \
        ITERATION_OPTION, {"time", 0, "FROM-TO", TIME_WORDS, NULL},                                \
    {                                                                                              \
        "where", 0, "SQL", "events for which a condition on the columns of slice holds", NULL      \
    }

/* The memory of the call ends with all that is in it; only values and comparisons, which grow with
 * the traces, are freed before. */
struct comparing {
    const struct arguments *arguments;
    struct error *error;
    struct extensions extensions;
    struct report_files files;
    struct warehouse warehouse, memory; /* the file, and what is read for this call */
    bool is_open, has_memory;
    bool writes;       /* the file is opened for writing */
    const char *level; /* that is asked for, before files are read; may be NULL */
    ARRAY(struct side) sides;
    ARRAY(char *) paths;        /* files and folders with traces, as they were named */
    ARRAY(char *) kept_paths;   /* the files that these are, and sheets with their folders */
    ARRAY(const char *) inputs; /* what is not written over: all of them, ended by NULL */
    const char *set;
    struct text said;           /* remarks about keys, each said once */
    struct text setup;          /* fields in which sides differ from the baseline, a line each */
    struct account account;     /* what outputs say of it all */
    struct text *undecided;     /* of side i + 1: why it cannot be compared; mostly empty */
    bool is_incomplete;         /* of that, a side lacks events */
    touch_list touches;         /* what checks of the sides found */
    struct time_parts parts[2]; /* of the time: of windows, of steps; read once each */
    bool has_parts[2];
};

/* Reads extension files and the reports there are. */
bool comparing_begin(struct comparing *self, const struct arguments *arguments,
                     struct error *error);

/* Adds a side for an operand; files are only noted. */
bool comparing_add(struct comparing *self, const char *word);

/* Reads the files that sides are, finds the set, and brings extension files into effect. */
bool comparing_open(struct comparing *self);

/* The report for a level, or of this name; NULL with an error. `level` NULL: the usual. */
const struct doc_object *comparing_report(struct comparing *self, const char *level);

/* The next report about work of accelerators that is a level, in the order of the set; NULL: none.
 */
const struct doc_object *comparing_next_level(const struct comparing *self,
                                              const struct doc_object *report);

/* Finds what keeps sides from being compared with the baseline, and says where machines differ,
 * which --strict-compare does not allow. */
bool comparing_check_machines(struct comparing *self);

/* Ends a call that is undecided as --undecided has it. */
bool comparing_end_undecided(const struct comparing *self, const char *words);

/* Reads what a report says of the sides. */
bool comparing_read(struct comparing *self, const struct doc_object *report, const char *metric,
                    struct values *values);

/* Says where outputs go, and what they are about: tables into the warehouse that has a side, or
 * that the call names. */
void comparing_place(const struct comparing *self, struct output_context *context);

/* Opens and finishes outputs; tables come all at once. */
bool comparing_open_outputs(struct comparing *self, const struct output_context *context,
                            struct outputs *outputs);
bool comparing_finish_outputs(struct comparing *self, struct outputs *outputs);

/* Says what the sides are, once values were read of them. */
bool comparing_identify(struct comparing *self);

/* Each line of the words stands before all others of an output. */
void comparing_add_first_lines(struct comparing *self, const struct text *words);

/* Adds what a report that was read leaves out, and why it is empty where it is. */
bool comparing_add_notes(struct comparing *self, const struct doc_object *report, bool is_empty);

/* Selects the runs and traces of all sides, which one warehouse has. */
bool comparing_select(struct comparing *self);

/* The chance that is taken for none. */
bool comparing_alpha(const struct comparing *self, double *alpha);

/* Opens the warehouse, for those who look for runs in it. */
bool comparing_open_warehouse(struct comparing *self);

/* Works out what changed between the sides. */
bool comparing_make(struct comparing *self, const struct doc_object *report, const char *metric,
                    struct comparison *comparison);

/* Closes the warehouses. */
void comparing_end(struct comparing *self);
