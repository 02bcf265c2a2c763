/* options: every option that views, reports and tables of C may read, each in one row.
 *
 * From a row come the default that tpq_option gives, what tpq_set and the command line accept, a
 * row of `tpq report --help` with the manual and the completions, and a line of `tpq describe
 * --options`. A name is written with '-' here, on the command line, in C and in
 * SQL, where '_' will do as well.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stddef.h>

/* FLAG is set or not; COUNT a whole number from 1, WHOLE from 0, NUMBER any; SHARE in percent, TIME
 * in microseconds; RATE in GB/s, RATES of several; SCENARIOS as in scenario.h; IDS are A-B, A- or
 * -B; a TURN is first, last or a number from 1; WORDS are several of the choices, with spaces
 * between. */
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
    OPTION_IDS,
    OPTION_TURN,
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
#define VIEW_OPTIONS_COMMON(ROW, SET)                                             \
    ROW("compat", 0, NULL, FLAG, NULL, "values and cells of the reference tools") \
    ROW("force-figures", 0, NULL, FLAG, NULL,                                     \
        "figures that are empty because a check of trace_health is broken, all the same")

#define VIEW_OPTIONS_FIGURES(ROW, SET)                                                             \
    ROW("include-unlinked-kernels", 0, NULL, FLAG, NULL,                                           \
        "with --compat, also count unlinked GPU activities")                                       \
    ROW("micro-idle-thresh-us", 0, "US", TIME, NULL,                                               \
        "split idle time into gaps shorter and longer than US")                                    \
    ROW("disable-coll-analysis", 0, NULL, FLAG, NULL, "skip coll_analysis")                        \
    ROW("enable-kernel-summary", 0, NULL, FLAG, NULL, "add kernel_summary")                        \
    ROW("all2allv-heatmap", 0, NULL, FLAG, NULL,                                                   \
        "add ranks_all2allv_heatmap: bytes from rank to rank")                                     \
    ROW("short-kernel-study", 0, NULL, FLAG, NULL, "add the reports about short kernels")          \
    SET("short-kernel-threshold-us", 0, "US", TIME, NULL, "a kernel is short below this duration", \
        "10")                                                                                      \
    SET("short-kernel-histogram-bins", 0, "N", COUNT, NULL, "bars of short_kernel_histogram",      \
        "100")                                                                                     \
    SET("gpu-gap-us", 0, "US", TIME, NULL, "nsys_gpu_gaps: shortest gap", "500000")                \
    SET("gpu-use-percent", 0, "N", SHARE, NULL, "nsys_gpu_time_util: highest busy share", "50")    \
    SET("gpu-use-chunks", 0, "N", COUNT, NULL, "nsys_gpu_time_util: parts of the time", "30")      \
    SET("kernel-wait-us", 0, "US", TIME, NULL,                                                     \
        "a shorter gap behind a timely launch is kernel wait", "30")                               \
    SET("slow-call-us", 0, "US", TIME, NULL, "a launch is slow above this latency", "50")          \
    SET("late-us", 0, "US", TIME, NULL, "a GPU activity is late above this launch delay", "100")   \
    SET("queue-full", 0, "N", COUNT, NULL, "capacity of a stream's launch queue", "1024")          \
    SET("curve-parts", 0, "N", COUNT, NULL, "busy_curve: parts of the time", "512")                \
    SET("cp-clock-us", 0, "US", TIME, NULL, "largest contradiction of clocks", "10")               \
    SET("cp-near-us", 0, "US", TIME, NULL,                                                         \
        "an event this soon after an end may have waited for it", "50")                            \
    SET("cp-hand-us", 0, "US", TIME, NULL,                                                         \
        "threads take turns where one goes on this soon after the other", "1000")                  \
    SET("cp-unknown-us", 0, "US", TIME, NULL, "a longer gap of the critical path is unknown",      \
        "100")                                                                                     \
    SET("gap-min-us", 0, "US", TIME, NULL, "gpu_gaps: shortest gap", "100")                        \
    SET("sequence-min", 0, "N", COUNT, NULL, "kernel_sequences: shortest sequence", "3")           \
    ROW("op", 0, "NAME", WORD, NULL, "kernel_sequences: only ops with this in their name")         \
    ROW("what-if", 0, "SCENARIO;...", SCENARIOS, NULL,                                             \
        "scenarios of what_if: 'op=aten::mm x0.5; kernel~gemm x0.8, host x0; roofline:GEMM; "      \
        "hidden; balanced'")                                                                       \
    SET("snapshot-parts", 0, "N", COUNT, NULL, "snapshot_timeline: parts of the events", "100")    \
    SET("heat-bins", 0, "N", COUNT, NULL, "utilisation_map: parts of the time", "30")              \
    SET("advice-min-percent", 0, "N", SHARE, NULL,                                                 \
        "advice: smallest saving, of the time of the trace", "0.5")                                \
    SET("advice-depth", 0, "HOW", WORD, "path bounds scan",                                        \
        "depth of advice: with the critical path, with bounds only, or one scan of runtime calls " \
        "and GPU activities",                                                                      \
        "path")                                                                                    \
    ROW("all", 0, NULL, FLAG, NULL,                                                                \
        "advice, trace_health: all rules and checks, also without a finding")                      \
    ROW("with-path", 0, NULL, FLAG, NULL, "step_bounds: add the critical path of each step")       \
    ROW("inclusive", 0, NULL, FLAG, NULL,                                                          \
        "annotation_time: count GPU activities in outer ranges, too")                              \
    ROW("link-gbps", 0, "KIND=GB/S,...", RATES, NULL,                                              \
        "peak bandwidth of links, by kind of memory_bandwidth: 'Memcpy HtoD=64,Memcpy DtoH=64'")   \
    ROW("topk-short-kernels", 0, "N", COUNT, NULL, "rows of short_kernels_summary")                \
    ROW("topk-ops", 0, "N", COUNT, NULL, "rows of ops_unique_args")                                \
    ROW("topk-roofline-ops", 0, "N", COUNT, NULL, "rows of each roofline table")                   \
    ROW("group-by-num-kernels", 0, NULL, FLAG, NULL, "split ops by number of kernels")             \
    ROW("group-by-parent-module", 0, NULL, FLAG, NULL, "split ops by their nn.Module")             \
    ROW("include-overlap-info", 0, NULL, FLAG, NULL, "add concurrent kernels")                     \
    ROW("include-first-occurrence-time", 0, NULL, FLAG, NULL, "add the first start of each op")    \
    ROW("include-call-stack", 0, NULL, FLAG, NULL,                                                 \
        "add Python frames around ops, with --inference also modules")                             \
    ROW("debug-call-stack", 0, NULL, FLAG, NULL,                                                   \
        "the same as --include-call-stack, with the way to each frame")

#define VIEW_OPTIONS_INFERENCE(ROW, SET)                                                   \
    ROW("inference", 0, NULL, FLAG, NULL, "reports for served models")                     \
    ROW("inference-phase-analysis", 0, NULL, FLAG, NULL,                                   \
        "split the GPU activities of a served model into prefill and decode")              \
    SET("phase-detection-method", 0, "METHOD", WORD,                                       \
        "hybrid union kernel_names operation_frequency framework_apis attention_patterns " \
        "gemm_params annotation",                                                          \
        "how prefill and decode are told apart", "hybrid")                                 \
    SET("decode-threshold", 0, "ROWS", WHOLE, NULL,                                        \
        "GEMMs with more rows are prefill, for some methods", "10")                        \
    ROW("phase-strict", 0, NULL, FLAG, NULL,                                               \
        "ignore kernels of both phases, and counts within one step")

#define VIEW_OPTIONS_JAX(ROW, SET)                                   \
    ROW("kernel-metadata-keyword-filters", 0, "WORD...", WORD, NULL, \
        "only XLA kernels of operations with one of these words")    \
    ROW("hlo-module", 0, "NAME", WORD, NULL, "only this XLA program, in the GEMM analysis")

#define VIEW_OPTIONS_TT(ROW, SET)                                                                 \
    ROW("print-signposts", 0, NULL, FLAG, NULL, "show signposts among the ops")                   \
    ROW("min-percentage", 0, "P", SHARE, NULL,                                                    \
        "hide ops below this share on the terminal (grey below 0.5)")                             \
    ROW("arch", 0, "NAME", WORD, NULL,                                                            \
        "architecture, if not recorded: wormhole, blackhole, bh20, n1")                           \
    ROW("dram-gbs", 0, "GB/S", RATE, NULL, "memory bandwidth, instead of the known one")          \
    ROW("no-advice", 0, NULL, FLAG, NULL, "skip advice on ops")                                   \
    ROW("tracing-mode", 0, NULL, FLAG, NULL, "ops in the order of the file, for replayed traces") \
    ROW("raw-op-codes", 0, NULL, FLAG, NULL, "add op names as recorded")                          \
    ROW("no-host-ops", 0, NULL, FLAG, NULL, "exclude ops that ran on the host")                   \
    ROW("no-merge-devices", 0, NULL, FLAG, NULL, "show the ops of each device separately")        \
    SET("merge-by", 0, "WHAT", WORD, "position call-count",                                       \
        "match ops of devices by position or call-count", "position")                             \
    ROW("no-summary", 0, NULL, FLAG, NULL, "skip the summary of ops (stacked)")                   \
    SET("group-by", 0, "WHAT", WORD, "op memory category", "grouping of the summary", "memory")

#define VIEW_OPTIONS_ROCPROF(ROW, SET)                                                           \
    ROW("disable-kernel-summary", 0, NULL, FLAG, NULL, "skip kernel summaries of rocprofv3")     \
    ROW("kernel-details", 0, NULL, FLAG, NULL, "add kernels one by one")                         \
    ROW("topk-kernels", 0, "N", COUNT, NULL, "rows of kernel details")                           \
    ROW("merge-kernels", 0, NULL, FLAG, NULL, "merge kernels whose names differ only in digits") \
    SET("min-tid", 0, "N", NUMBER, NULL, "lowest thread id", "-1000000000")                      \
    SET("max-tid", 0, "N", NUMBER, NULL, "highest thread id", "1000000000")                      \
    SET("min-event-ns", 0, "NS", NUMBER, NULL, "shortest event", "5000")                         \
    ROW("no-kernel-summary", 0, NULL, FLAG, NULL, "skip the kernel summary of pftrace")          \
    ROW("kernel-summary-include-rccl", 0, NULL, FLAG, NULL,                                      \
        "kernel summary: include RCCL kernels")                                                  \
    SET("kernel-summary-baseline", 0, "WHAT", WORD, "total compute",                             \
        "base of shares in the kernel summary", "total")                                         \
    SET("kernel-summary-group", 0, "HOW", WORD, "config name",                                   \
        "rows of the kernel summary: by launch configuration or by name", "config")              \
    ROW("no-hip-summary", 0, NULL, FLAG, NULL, "skip the HIP summary")                           \
    SET("hip-summary-group", 0, "HOW", WORD, "name name+stream name+op name+stream+op",          \
        "rows of the HIP summary", "name")                                                       \
    SET("top-xla", 0, "N", COUNT, NULL, "rows of xla_top", "30")                                 \
    SET("exclude-kernel-regex", 0, "REGEX", WORD, NULL,                                          \
        "kernels excluded from api_kernel_summary; empty = none",                                \
        "(?:^|\\W)redzone_checker_kernel(?:\\W|$)")                                              \
    ROW("allow-multi-kernel-per-api", 0, NULL, FLAG, NULL,                                       \
        "count all kernels of a call, not just the first")                                       \
    ROW("include-nonlaunch-apis", 0, NULL, FLAG, NULL, "include calls that launch nothing")

#define VIEW_OPTIONS_RANKS(ROW, SET)                                                               \
    ROW("all-kernels", 'a', NULL, FLAG, NULL, "add ranks_kernels: all kernels of each rank")       \
    SET("breakdown", 0, "HOW", WORD, "lists categories", "grouping of grouped_breakdown", "lists") \
    SET("match", 0, "HOW", WORD, "auto seq step index aligned",                                    \
        "first way to match collectives of ranks", "auto")                                         \
    SET("align", 0, "HOW", WORD, "none base sync",                                                 \
        "clock of ranks: as recorded (none), by recorded base times (base), by ends of "           \
        "collectives (sync)",                                                                      \
        "base")                                                                                    \
    SET("agg-metrics", 0, "NAME...", WORDS, "mean median min max std sum",                         \
        "statistics in summaries of collectives", "mean median min max")                           \
    ROW("no-detailed", 0, NULL, FLAG, NULL, "skip reports with one row per collective")            \
    ROW("heatmap-wide", 0, NULL, FLAG, NULL,                                                       \
        "add ranks_all2allv_matrix: bytes from rank to rank, one column per rank")                 \
    ROW("gpus-per-node", 0, "N", COUNT, NULL,                                                      \
        "ranks per node: adds nodes of ranks and groups that span nodes; --set collectives reads " \
        "it from the first trace")                                                                 \
    ROW("replay", 'r', NULL, FLAG, NULL,                                                           \
        "add times of ops run alone; with -b they run again, if the tools are on PATH")

#define VIEW_OPTIONS_REPLAY(ROW, SET)                                                       \
    ROW("replay-cover", 0, "HOW", WORD, "below reach",                                      \
        "replayed rows: 99 % of the time, with the row that crosses it (reach) or without " \
        "(below)")

#define VIEW_OPTIONS_DIFF(ROW, SET)                                        \
    ROW("roots", 0, "HOW", WORD, "names positional",                       \
        "pair root ops of two traces by name and subtree, or by position") \
    ROW("launch-equivalence", 0, "HOW", WORD, "on off",                    \
        "treat equivalent calls and ops of two vendors as equal")

/* Options that the command line sets from others, or the program tells reports. */
#define VIEW_OPTIONS_TOLD(TOLD)                                                                \
    TOLD("gpu-arch", "JSON", WORD, "device of --gpu-arch-json-path")                           \
    TOLD("gpu-arch-platform", "NAME", WORD, "device of --gpu-arch-platform")                   \
    TOLD("requests", "WORD", WORD, "given by --request-log, in lists")                         \
    TOLD("graph-annotations", "JSON", WORD, "graph nodes of --graph-annotations")              \
    TOLD("workbook", NULL, FLAG, "whether there is a workbook, for sheets with a chart")       \
    TOLD("only-findings", NULL, FLAG,                                                          \
         "whether only people read the reports, who need no row that says ok")                 \
    TOLD("id-range", "A-B", IDS, "rows of the tt-metal op table, after devices are merged")    \
    TOLD("iteration", "NAME", WORD,                                                            \
         "range whose recurrences are the steps (step_mark); or kernels, none")                \
    TOLD("start-signpost", "NAME", WORD, "start of the tt-metal window")                       \
    TOLD("end-signpost", "NAME", WORD, "end of the tt-metal window")                           \
    TOLD("signpost-occurrence", "N", TURN, "occurrence of the signpost")                       \
    TOLD("ignore-signposts", NULL, FLAG, "no tt-metal window")                                 \
    TOLD("call-tree", "MODE", WORD, "paths of call_tree: stack, op, module, phase or program") \
    TOLD("kernel-names", "HOW", WORD,                                                          \
         "kernel names in reports of nsys stats: base, or as recorded")                        \
    TOLD("nvtx-names", NULL, FLAG,                                                             \
         "whether these begin with the innermost range around the launch")                     \
    TOLD("diff-base", "TRACE", WORD, "which of two traces is the baseline, by its number")     \
    TOLD("diff-other", "RANGES", WORD,                                                         \
         "events of the other trace of a diff, [[first, last], ...]")                          \
    TOLD("extension-file", "FILE", WORD, "path of the extension file")                         \
    TOLD("extension-place", "PLACE", WORD, "position in the extension file")                   \
    TOLD("extension-row", "WORDS", WORD, "row of the extension file")

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

/* Whether two names are the same, with '-' or '_' in them. */
bool view_option_same(const char *left, const char *right);

/* The option of that name; NULL = there is none. */
const struct view_option *view_option_find(const char *name);

/* Its value while it is not set; NULL for none, and for names that are not known. */
const char *view_option_default(const char *name);

/* Whether it may have that value. Otherwise the sentence begins with `caller` and what it calls
 * options: "tpq report: --topk-ops must be ...". */
bool view_option_accepts(const struct view_option *option, const char *value, const char *caller,
                         struct error *error);

/* Whether a word is one of a list, which has spaces between them. */
bool view_option_lists(const char *list, struct view word);
