/* options: every option that views, reports and tables of C may read, each in one row.
 *
 * From a row come the default that tpq_option gives, what tpq_set and the command line accept, a
 * row of `tpq report --help` with the manual and the completions, and a line of `tpq describe
 * --options`. A name is written with '-' here and on the command line, with '_' in SQL.
 */
#ifndef TPQ_SQL_BINDING_OPTIONS_H
#define TPQ_SQL_BINDING_OPTIONS_H

#include "src/base/error.h"
#include "src/base/text.h"

#include <stddef.h>

/* FLAG is set or not; COUNT a whole number from 1, WHOLE from 0, NUMBER any; SHARE in percent, TIME
 * in microseconds; RATE in GB/s, RATES of several; SCENARIOS as in scenario.h; WORDS are several of
 * the choices, with spaces between. */
enum view_option_type {
    OPTION_FLAG,
    OPTION_COUNT,
    OPTION_WHOLE,
    OPTION_NUMBER,
    OPTION_SHARE,
    OPTION_TIME,
    OPTION_RATE,
    OPTION_RATES,
    OPTION_SCENARIOS,
    OPTION_WORD,
    OPTION_WORDS
};

struct view_option {
    const char *name;
    char letter;          /* of the command line, or 0 */
    const char *argument; /* as help calls its value; NULL = none */
    enum view_option_type type;
    const char *choices;  /* separated by spaces; NULL = any */
    const char *words;    /* what it does */
    const char *standard; /* value when it is not set; NULL = NULL */
    bool is_told;         /* by the program: it is no option of the command line as it stands */
};

/* The rows, by the subject of the reports that read them: name, letter, argument, type, choices,
 * words; SET ones have a default, too. */
#define VIEW_OPTIONS_COMMON(ROW, SET) \
    ROW("compat", 0, NULL, FLAG, NULL, "values and cells of the reference tools")

#define VIEW_OPTIONS_FIGURES(ROW, SET)                                                             \
    ROW("include-unlinked-kernels", 0, NULL, FLAG, NULL,                                           \
        "with --compat, also count unlinked GPU activities")                                       \
    ROW("micro-idle-thresh-us", 0, "US", TIME, NULL,                                               \
        "split idle time into gaps shorter and longer than this")                                  \
    ROW("disable-coll-analysis", 0, NULL, FLAG, NULL, "no coll_analysis")                          \
    ROW("enable-kernel-summary", 0, NULL, FLAG, NULL, "add kernel_summary")                        \
    ROW("all2allv-heatmap", 0, NULL, FLAG, NULL,                                                   \
        "add what each rank of a run sent to each other one: ranks_all2allv_heatmap")              \
    ROW("short-kernel-study", 0, NULL, FLAG, NULL, "add the reports about short kernels")          \
    SET("short-kernel-threshold-us", 0, "US", TIME, NULL, "kernels below this are short", "10")    \
    SET("short-kernel-histogram-bins", 0, "N", COUNT, NULL, "bars of their histogram", "100")      \
    SET("gpu-gap-us", 0, "US", TIME, NULL, "gaps above this are in nsys_gpu_gaps", "500000")       \
    SET("gpu-use-percent", 0, "N", SHARE, NULL, "use below this is in nsys_gpu_time_util", "50")   \
    SET("gpu-use-chunks", 0, "N", COUNT, NULL, "parts of the time that it looks at", "30")         \
    SET("kernel-wait-us", 0, "US", TIME, NULL,                                                     \
        "gaps below this behind activities that were launched in time wait for kernels", "30")     \
    SET("slow-call-us", 0, "US", TIME, NULL, "launches that take longer are slow", "50")           \
    SET("late-us", 0, "US", TIME, NULL, "a GPU activity is late above this launch delay", "100")   \
    SET("queue-full", 0, "N", COUNT, NULL, "launches that a stream's queue holds", "1024")         \
    SET("curve-parts", 0, "N", COUNT, NULL, "parts of time that busy_curve has", "512")            \
    SET("cp-clock-us", 0, "US", TIME, NULL, "clocks may contradict each other by this", "10")      \
    SET("cp-near-us", 0, "US", TIME, NULL, "what follows an end this soon may have waited", "50")  \
    SET("cp-unknown-us", 0, "US", TIME, NULL, "longer gaps of the critical path are unknown",      \
        "100")                                                                                     \
    SET("gap-min-us", 0, "US", TIME, NULL, "shorter gaps are not in gpu_gaps", "100")              \
    SET("sequence-min", 0, "N", COUNT, NULL, "shortest sequence in kernel_sequences", "3")         \
    ROW("op", 0, "NAME", WORD, NULL, "kernel_sequences: only ops with this in their name")         \
    ROW("what-if", 0, "SCENARIO;...", SCENARIOS, NULL,                                             \
        "predictions of what_if: 'op=aten::mm x0.5; kernel~gemm x0.8, host x0; roofline:GEMM; "    \
        "hidden; balanced'")                                                                       \
    SET("heat-bins", 0, "N", COUNT, NULL, "parts of the time in utilisation_map", "30")            \
    SET("advice-min-percent", 0, "N", SHARE, NULL,                                                 \
        "advice that saves less of the time of a trace is left out", "0.5")                        \
    SET("advice-depth", 0, "HOW", WORD, "path bounds scan",                                        \
        "what advice may cost: also the critical path, or bounds of savings only, or only what "   \
        "one "                                                                                     \
        "scan of calls and work tells",                                                            \
        "path")                                                                                    \
    ROW("all", 0, NULL, FLAG, NULL, "all rules of advice, whether they fire or not")               \
    ROW("with-path", 0, NULL, FLAG, NULL, "step_bounds: what the critical path of each step says") \
    ROW("inclusive", 0, NULL, FLAG, NULL,                                                          \
        "annotation_time: count GPU activities in outer ranges, too")                              \
    ROW("link-gbps", 0, "KIND=GB/S,...", RATES, NULL,                                              \
        "what links can do, by kinds of memory_bandwidth: 'Memcpy HtoD=64,Memcpy DtoH=64'")        \
    ROW("topk-short-kernels", 0, "N", COUNT, NULL, "rows of short_kernels_summary")                \
    ROW("topk-ops", 0, "N", COUNT, NULL, "rows of ops_unique_args")                                \
    ROW("topk-roofline-ops", 0, "N", COUNT, NULL, "rows of each sheet of rooflines")               \
    ROW("group-by-num-kernels", 0, NULL, FLAG, NULL,                                               \
        "split calls by how many kernels they launch")                                             \
    ROW("group-by-parent-module", 0, NULL, FLAG, NULL,                                             \
        "split calls of ops by the nn.Module that they are in")                                    \
    ROW("include-overlap-info", 0, NULL, FLAG, NULL, "add what ran beside the kernels of an op")   \
    ROW("include-first-occurrence-time", 0, NULL, FLAG, NULL, "add when a call ran first")         \
    ROW("include-call-stack", 0, NULL, FLAG, NULL,                                                 \
        "add what is around ops: frames, with --inference also modules")                           \
    ROW("debug-call-stack", 0, NULL, FLAG, NULL,                                                   \
        "the same, and how the frame that stands for an op was found")

#define VIEW_OPTIONS_INFERENCE(ROW, SET)                                                           \
    ROW("inference", 0, NULL, FLAG, NULL, "sheets in the form of the reports about served models") \
    ROW("inference-phase-analysis", 0, NULL, FLAG, NULL,                                           \
        "split the GPU activities of a served model into prefill and decode")                      \
    SET("phase-detection-method", 0, "METHOD", WORD,                                               \
        "hybrid union kernel_names operation_frequency framework_apis attention_patterns "         \
        "gemm_params annotation",                                                                  \
        "how those are told apart", "hybrid")                                                      \
    SET("decode-threshold", 0, "ROWS", WHOLE, NULL,                                                \
        "matrices with more rows are prefill, for some methods", "10")                             \
    ROW("phase-strict", 0, NULL, FLAG, NULL,                                                       \
        "ignore what runs in both phases, and counts within one step")

#define VIEW_OPTIONS_JAX(ROW, SET)                                               \
    ROW("kernel-metadata-keyword-filters", 0, "WORD...", WORD, NULL,             \
        "only kernels of XLA that come from operations with one of these words") \
    ROW("hlo-module", 0, "NAME", WORD, NULL,                                     \
        "only this program of XLA, in the analysis of matrix products")

#define VIEW_OPTIONS_TT(ROW, SET)                                                                 \
    ROW("print-signposts", 0, NULL, FLAG, NULL, "show signposts among the ops")                   \
    ROW("min-percentage", 0, "P", SHARE, NULL,                                                    \
        "hide ops below this share on the terminal (grey below 0.5)")                             \
    ROW("arch", 0, "NAME", WORD, NULL,                                                            \
        "architecture where the file does not say: wormhole, blackhole, bh20, n1")                \
    ROW("dram-gbs", 0, "GB/S", RATE, NULL, "what the memory can do, instead of what is known")    \
    ROW("no-advice", 0, NULL, FLAG, NULL, "no advice about ops")                                  \
    ROW("tracing-mode", 0, NULL, FLAG, NULL, "ops in the order of the file, for replayed traces") \
    ROW("raw-op-codes", 0, NULL, FLAG, NULL, "add the names of ops as they stand in the file")    \
    ROW("no-host-ops", 0, NULL, FLAG, NULL, "exclude ops that ran on the host")                   \
    ROW("no-merge-devices", 0, NULL, FLAG, NULL, "show the ops of each device by themselves")     \
    SET("merge-by", 0, "WHAT", WORD, "position call-count",                                       \
        "ops of devices belong together by position or call-count", "position")                   \
    ROW("no-summary", 0, NULL, FLAG, NULL, "no summary of ops (stacked)")                         \
    SET("group-by", 0, "WHAT", WORD, "op memory category", "what the summary groups ops by",      \
        "memory")

#define VIEW_OPTIONS_ROCPROF(ROW, SET)                                                             \
    ROW("disable-kernel-summary", 0, NULL, FLAG, NULL, "no summaries of kernels of rocprofv3")     \
    ROW("kernel-details", 0, NULL, FLAG, NULL, "add each run of a kernel")                         \
    ROW("topk-kernels", 0, "N", COUNT, NULL, "rows of these")                                      \
    ROW("merge-kernels", 0, NULL, FLAG, NULL, "kernels whose names differ in digits are one")      \
    SET("min-tid", 0, "N", NUMBER, NULL, "only events of threads from this number on",             \
        "-1000000000")                                                                             \
    SET("max-tid", 0, "N", NUMBER, NULL, "only events of threads up to this number", "1000000000") \
    SET("min-event-ns", 0, "NS", NUMBER, NULL, "only events that take as long", "5000")            \
    ROW("no-kernel-summary", 0, NULL, FLAG, NULL, "no summary of kernels of pftrace")              \
    ROW("kernel-summary-include-rccl", 0, NULL, FLAG, NULL, "with those that communicate")         \
    SET("kernel-summary-baseline", 0, "WHAT", WORD, "total compute", "what its shares are of",     \
        "total")                                                                                   \
    SET("kernel-summary-group", 0, "HOW", WORD, "config name",                                     \
        "what its rows are: a kernel with its launch configuration, or by its name", "config")     \
    ROW("no-hip-summary", 0, NULL, FLAG, NULL, "no summary of calls of HIP")                       \
    SET("hip-summary-group", 0, "HOW", WORD, "name name+stream name+op name+stream+op",            \
        "what its rows are", "name")                                                               \
    SET("top-xla", 0, "N", COUNT, NULL, "rows of xla_top", "30")                                   \
    SET("exclude-kernel-regex", 0, "REGEX", WORD, NULL,                                            \
        "kernels excluded from api_kernel_summary; empty = none",                                  \
        "(?:^|\\W)redzone_checker_kernel(?:\\W|$)")                                                \
    ROW("allow-multi-kernel-per-api", 0, NULL, FLAG, NULL,                                         \
        "all kernels of a call, not just the first")                                               \
    ROW("include-nonlaunch-apis", 0, NULL, FLAG, NULL, "with calls that launch nothing")

#define VIEW_OPTIONS_RANKS(ROW, SET)                                                       \
    ROW("all-kernels", 'a', NULL, FLAG, NULL, "add a sheet with all kernels of each rank") \
    SET("breakdown", 0, "HOW", WORD, "lists categories", "what grouped_breakdown goes by", \
        "lists")                                                                           \
    SET("match", 0, "HOW", WORD, "auto seq step index aligned",                            \
        "how collectives of ranks are found: the first way that is tried", "auto")         \
    SET("align", 0, "HOW", WORD, "none base sync",                                         \
        "clock of ranks: as files have it (none), what they state (base), or so that "     \
        "collectives end together (sync)",                                                 \
        "base")                                                                            \
    SET("agg-metrics", 0, "NAME...", WORDS, "mean median min max std sum",                 \
        "statistics in summaries of collectives", "mean median min max")                   \
    ROW("no-detailed", 0, NULL, FLAG, NULL, "no sheets with a row for each collective")    \
    ROW("heatmap-wide", 0, NULL, FLAG, NULL,                                               \
        "add ranks_all2allv_matrix: what ranks sent to each other, a column a rank")       \
    ROW("gpus-per-node", 0, "N", COUNT, NULL,                                              \
        "ranks of a node: adds the node of each rank, and whether groups span nodes; "     \
        "--set collectives takes it from the first trace")                                 \
    ROW("replay", 'r', NULL, FLAG, NULL,                                                   \
        "add what calls take by themselves; with -b they are made again, where tools are on PATH")

#define VIEW_OPTIONS_REPLAY(ROW, SET)                                                       \
    ROW("replay-cover", 0, "HOW", WORD, "below reach",                                      \
        "rows that make up 99 % of the time: with the one that crosses it (reach), or not " \
        "(below)")

#define VIEW_OPTIONS_DIFF(ROW, SET)                                                             \
    ROW("roots", 0, "HOW", WORD, "names positional",                                            \
        "pair the outermost calls of two traces by names and what is below, or by their order") \
    ROW("launch-equivalence", 0, "HOW", WORD, "on off",                                         \
        "whether calls and ops of two vendors that do the same have the same name")

/* What an option of the command line is turned into, or the program tells reports. */
#define VIEW_OPTIONS_TOLD(TOLD)                                                                   \
    TOLD("gpu-arch", "JSON", WORD, "the accelerator of --gpu-arch-json-path")                     \
    TOLD("gpu-arch-platform", "NAME", WORD, "the accelerator of that option")                     \
    TOLD("workbook", NULL, FLAG, "whether there is a workbook, for sheets with a chart")          \
    TOLD("id-range", "A-B", WORD, "lines of tt-metal's op table, after devices are merged")       \
    TOLD("iteration", "NAME", WORD, "range whose recurrences are the steps (step_mark); or none") \
    TOLD("start-signpost", "NAME", WORD, "where the window of tt-metal's ops begins")             \
    TOLD("end-signpost", "NAME", WORD, "where it ends")                                           \
    TOLD("signpost-occurrence", "N", WORD, "which signpost of that name")                         \
    TOLD("ignore-signposts", NULL, FLAG, "that there is no such window")                          \
    TOLD("call-tree", "MODE", WORD,                                                               \
         "what paths of call_tree are made of: stack, op, module, phase or program")              \
    TOLD("diff-base", "TRACE", WORD, "which of two traces is the baseline, by its number")        \
    TOLD("diff-other", "RANGES", WORD,                                                            \
         "events of another trace, [[first, last], ...]: what is selected is compared with it")   \
    TOLD("group-by-category", NULL, FLAG, "whether --group-by is category")                       \
    TOLD("extension-file", "FILE", WORD, "the extension file that is read")                       \
    TOLD("extension-place", "PLACE", WORD, "where in it the program is")                          \
    TOLD("extension-row", "WORDS", WORD, "what stands there")

#define EACH_VIEW_OPTION(ROW, SET, TOLD) \
    VIEW_OPTIONS_COMMON(ROW, SET)        \
    VIEW_OPTIONS_FIGURES(ROW, SET)       \
    VIEW_OPTIONS_INFERENCE(ROW, SET)     \
    VIEW_OPTIONS_JAX(ROW, SET)           \
    VIEW_OPTIONS_TT(ROW, SET)            \
    VIEW_OPTIONS_ROCPROF(ROW, SET)       \
    VIEW_OPTIONS_RANKS(ROW, SET)         \
    VIEW_OPTIONS_REPLAY(ROW, SET)        \
    VIEW_OPTIONS_DIFF(ROW, SET)          \
    VIEW_OPTIONS_TOLD(TOLD)

/* All of them, ended by one without a name. */
extern const struct view_option view_options[];

/* The option of that name, with '-' or '_' in it; NULL = there is none. */
const struct view_option *view_option_find(const char *name);

/* Its value while it is not set; NULL for none, and for names that are not known. */
const char *view_option_default(const char *name);

/* Whether it may have that value. Otherwise the sentence begins with `caller` and what it calls
 * options: "tpq report: --topk-ops must be ...". */
bool view_option_accepts(const struct view_option *option, const char *value, const char *caller,
                         struct error *error);

/* Whether a word is one of a list, which has spaces between them. */
bool view_option_lists(const char *list, struct view word);

#endif
