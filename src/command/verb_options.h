/* verb_options: options that several verbs have: about the selection, extension files and an
 * envelope. */
#pragma once

#include "query/extension/extension.h"
#include "query/select/run_choice.h"
#include "query/select/selection.h"
#include "query/sink/envelope.h"
#include "sql/warehouse/warehouse.h"
#include "src/command/option.h"

/* ------------------------------------------------------------------ what of a warehouse a call is
 * about */

#define OPTION_LABEL                                                                           \
    {                                                                                          \
        "label", 0, "KEY=VALUE", "runs with this label; KEY alone: any; may be repeated", NULL \
    }

/* Words for runs, wherever they are named. */
#define RUN_WORDS                                                                            \
    "RUN is the name of a run, or where none is called so a pattern (nightly-*), a label "   \
    "(KEY=VALUE) or a trace (trace:N). @last is the newest run, @last~1 the run before it, " \
    "@pin:NAME a run that is kept."

#define RUN_OPTION_WORDS                                                                    \
    "this run, or the runs of a pattern (nightly-*), a label (KEY=VALUE), trace:N, @last, " \
    "@last~1 "                                                                              \
    "or @pin:NAME; may be repeated"

#define ITERATION_OPTION                                                                       \
    {                                                                                          \
        "iteration", 0, "NAME",                                                                \
            "range (NVTX, annotation, TrackEvent) whose recurrences are the steps, # for any " \
            "number; kernels: iterations recognised from kernels; none: only profiler steps "  \
            "[where there are no profiler steps a range that recurs, else kernels: tpq "       \
            "describe step_mark]",                                                             \
            NULL                                                                               \
    }

#define TIME_WORDS                                                                           \
    "host events that start in this window, and the GPU activities that they launched; "     \
    "times are of all that runs in it: 1.2s-1.3s; units ns, us, ms, s [ms]; from the start " \
    "of the trace"

/* `run_words` is what --run means. */
#define OPTIONS_SELECTION(run_words)                                                             \
    {"run", 0, "NAME", run_words, NULL}, OPTION_LABEL,                                           \
        {"trace", 0, "TRACE", "only this trace, by its number", NULL},                           \
        {"rank", 0, "R", "traces of this rank", NULL},                                           \
        {"step", 0, "N[-M]", "profiler steps, or iterations where there are none", NULL},        \
        ITERATION_OPTION, {"time", 0, "FROM-TO", TIME_WORDS, NULL},                              \
        {"where", 0, "SQL", "events for which a condition on the columns of slice holds", NULL}, \
        {"signpost", 0, "NAME", "what lies inside this range, or after this point", NULL},       \
        {"start-signpost", 0, "NAME", "from the start of this signpost", NULL},                  \
        {"end-signpost", 0, "NAME", "up to the start of this signpost", NULL},                   \
        {"signpost-occurrence", 0, "N", "only the N-th signpost of that name", NULL},            \
        {"ignore-signposts", 0, NULL, "select nothing by signposts", NULL},                      \
    {                                                                                            \
        "id-range", 0, "A-B", "events by their place in the file (UID)", NULL                    \
    }

/* Values of the options, as lists that selections point to. */
struct selection_options {
    struct selection selection;
    const char **runs, **labels;
    int64_t trace;
};

/* Only what narrows whatever is selected otherwise: rank, steps, a condition, recomputation. */
struct selection selection_options_narrow(const struct arguments *arguments);

/* Signposts and ids. */
void selection_options_windows(const struct arguments *arguments, struct selection *selection);

/* Runs, labels and a trace, from a warehouse; all other options, or those without signposts and
 * ids. */
bool selection_options_read(const struct arguments *arguments, bool with_windows,
                            struct selection_options *options, struct error *error);

/* Whether any of them was given. */
bool selection_options_are_given(const struct selection_options *options);

/* Makes the selection, and says on stderr when it matches nothing. */
bool selection_options_apply(const struct selection *selection, struct warehouse *warehouse,
                             struct error *error);

/* Only the runs that are meant: --run, --label; `whole`: no single traces. */
bool selection_options_runs(const struct arguments *arguments, struct warehouse *warehouse,
                            bool whole, struct run_list *runs, struct error *error);

/* ------------------------------------------------------------------ extension files */

#define OPTIONS_EXTENSION                                                                          \
    {"extension-file", 0, "FILE",                                                                  \
     "models, categories, sheets and more: .sql, .csv or .so, or a directory of them; may be "     \
     "repeated",                                                                                   \
     NULL},                                                                                        \
        {"ext-param", 0, "NAME=VALUE", "a parameter of an extension file; may be repeated", NULL}, \
    {                                                                                              \
        "strict-extensions", 0, NULL, "exit status 3 when an extension file fails", NULL           \
    }

#define OPTION_HEALTH_RULE                                                                        \
    {                                                                                             \
        "health-rule", 0, "CHECK.COLUMN=VALUE",                                                   \
            "another threshold or tolerance of health_check for this call; may be repeated", NULL \
    }

#define OPTION_PSEUDO_OPS                                                                \
    {                                                                                    \
        "enable-pseudo-ops", 0, NULL,                                                    \
            "show parts of ops by engines that serve models as calls of their own", NULL \
    }

/* Reads the files that are named, in their order; pseudo ops come first. */
bool extension_options_read(const struct arguments *arguments, struct extensions *extensions,
                            struct error *error);

/* Brings them into effect, and prints what was wrong with some. */
bool extension_options_run(const struct arguments *arguments, struct extensions *extensions,
                           struct warehouse *warehouse, struct error *error);

/* ------------------------------------------------------------------ envelopes
 * (query/sink/envelope.h) */

/* For verbs without other forms of output. */
#define OPTION_ENVELOPE                                                                         \
    {                                                                                           \
        "envelope", 0, NULL, "a line of JSON for assistants and programs: columns, rows, keys", \
            NULL                                                                                \
    }

/* For verbs that have no other use of it. */
#define OPTION_ENVELOPE_TOP                                        \
    {                                                              \
        "top", 0, "N", "envelope: rows; 0: all that fit (0)", NULL \
    }

/* The rows of the options in the table of a verb. */
#define OPTIONS_ENVELOPE                                                                        \
    {"max-tokens", 0, "N", "envelope: longest answer, three bytes a token; 0: any (0)", NULL},  \
        {"columns", 0, "NAME,...", "envelope: only these columns, in this order", NULL},        \
        {"order-by", 0, "COLUMN", "envelope: sort rows; -COLUMN: descending", NULL},            \
        {"only", 0, "COLUMN=TEXT", "envelope: only rows with this text, * for any; repeatable", \
         NULL},                                                                                 \
        {"cursor", 0, "CURSOR", "envelope: where an answer goes on (its member next)", NULL},   \
        {"row", 0, "KEY", "envelope: only the row with this key", NULL},                        \
    {                                                                                           \
        "precise", 0, NULL, "envelope: numbers, texts and headings in full", NULL               \
    }

struct envelope_words {
    struct envelope_wish wish;
    ARRAY(struct envelope_filter) filters;
    ARRAY(char *) names; /* of their columns */
    struct text selection, traces, explained, samples;
    ARRAY(const char *) sides;
};

/* Reads the options, and asks the warehouse once its selection is applied; NULL: there is none. The
 * caller frees also after a failure. */
bool envelope_words_read(struct envelope_words *self, const struct arguments *arguments,
                         struct warehouse *warehouse, struct error *error);

/* Names the selected traces in the answer, beside others. */
bool envelope_words_add_traces(struct envelope_words *self, struct warehouse *warehouse,
                               struct error *error);
