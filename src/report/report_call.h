/* report_call: a call of `tpq report`: what it names, reads and asks. verb_report.c makes the
 * reports; report_call.c has what goes before: operands, files, the set of reports that suits
 * them, the selection; and the list of reports.
 */
#pragma once

#include "ingest/discover.h"
#include "query/report/abstain.h"
#include "query/select/step_parts.h"
#include "query/sink/identity.h"
#include "src/command/session.h"
#include "src/report/report_files.h"
#include "src/report/report_options.h"

/* A report that was asked for with options behind its name: NAME:base:nvtx-name:rows=N. */
struct named_report {
    char *name;
    long rows; /* 0 = all */
    bool is_base, has_ranges;
};

struct report_call {
    const struct arguments *arguments;
    struct error *error;
    struct extensions extensions;
    struct report_files files; /* the reports there are */
    struct report_wanted wanted;
    ARRAY(struct named_report) named;
    ARRAY(const char *) paths; /* inputs */
    input_list inputs;         /* the files that they stand for */
    ARRAY(const char *) kept;  /* files that are not written over, ended by NULL */
    struct context *options;   /* of reports */
    struct warehouse warehouse;
    struct identity identity; /* of the selection */
    struct abstentions abstentions;
    bool by_step, by_rank;
    bool are_whole_runs;     /* of a file, and nothing changes what views say of them */
    bool has_kept_rows;      /* reports that may be asked of nobody now (answer.h) */
    bool lists_runs;         /* a line a run is printed, not the reports of all */
    bool shows_first;        /* of the default reports a terminal shows the first */
    struct step_parts steps; /* of the selection, where rows are by step */
    bool is_open;
    struct intake read; /* of the inputs */
    const char *set;    /* NULL until the inputs are known */
    bool is_tt;
    const char *other;   /* what --diff names; NULL: nothing */
    int64_t other_trace; /* that it is */
    double least;        /* of --min-explained; -1 = not asked for */
    report_limits limits;
};

/* Parts operands into reports and inputs. */
bool report_call_operands(struct report_call *self);

/* Before a report is made: sets what options behind its name ask for. */
void report_call_name_options(struct report_call *self, const struct doc_object *report,
                              struct report_options *options);

/* Reads what --diff names. */
bool report_call_other(struct report_call *self);

/* Finds the files, and what must not be written over: neither an input nor the warehouse. */
bool report_call_keep_inputs(struct report_call *self);

/* The input after which outputs without a name are named. */
const char *report_call_input_name(const struct report_call *self);

/* The set of the traces' format, unless the user names one. */
bool report_call_set(struct report_call *self);

/* Reads the files; or opens the warehouse. Once. */
bool report_call_open(struct report_call *self);

/* Then, once: selects. */
bool report_call_select(struct report_call *self);

/* Tells if a report may have rows, as far as its reasons for none say. */
bool report_call_may_fill(struct report_call *self, const struct doc_object *report, bool *may);

/* Prints the list of --list. */
bool report_call_list(struct report_call *self);
