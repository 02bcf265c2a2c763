/* report_options: see report_options.h. */
#include "src/report/report_options.h"

#include "src/base/text.h"

#include <stdio.h>
#include <string.h>

/* What the value of each must be. */
static const struct passed_on {
    const char *name;
    enum { VALUE_NONE, VALUE_WORD, VALUE_COUNT, VALUE_WHOLE, VALUE_NUMBER, VALUE_TIME } value;
} passed_on[] = {
    {"compat", VALUE_NONE},
    {"include-unlinked-kernels", VALUE_NONE},
    {"micro-idle-thresh-us", VALUE_TIME},
    {"disable-coll-analysis", VALUE_NONE},
    {"enable-kernel-summary", VALUE_NONE},
    {"short-kernel-study", VALUE_NONE},
    {"short-kernel-threshold-us", VALUE_TIME},
    {"short-kernel-histogram-bins", VALUE_COUNT},
    {"topk-short-kernels", VALUE_COUNT},
    {"topk-ops", VALUE_COUNT},
    {"topk-roofline-ops", VALUE_COUNT},
    {"include-call-stack", VALUE_NONE},
    {"debug-call-stack", VALUE_NONE},
    {"group-by-num-kernels", VALUE_NONE},
    {"group-by-parent-module", VALUE_NONE},
    {"include-overlap-info", VALUE_NONE},
    {"detect-recompute", VALUE_NONE},
    {"include-first-occurrence-time", VALUE_NONE},
    {"inference", VALUE_NONE},
    {"inference-phase-analysis", VALUE_NONE},
    {"decode-threshold", VALUE_WHOLE},
    {"phase-detection-method", VALUE_WORD},
    {"phase-strict", VALUE_NONE},
    {"no-advice", VALUE_NONE},
    {"no-summary", VALUE_NONE},
    {"raw-op-codes", VALUE_NONE},
    {"tracing-mode", VALUE_NONE},
    {"no-host-ops", VALUE_NONE},
    {"no-merge-devices", VALUE_NONE},
    {"print-signposts", VALUE_NONE},
    {"all-kernels", VALUE_NONE},
    {"breakdown", VALUE_WORD},
    {"match", VALUE_WORD},
    {"replay", VALUE_NONE},
    {"replay-cover", VALUE_WORD},
    {"arch", VALUE_WORD},
    {"hlo-module", VALUE_WORD},
    {"group-by", VALUE_WORD},
    {"merge-by", VALUE_WORD},
    {"dram-gbs", VALUE_NUMBER},
    {"min-percentage", VALUE_NUMBER},
};

/* SQL reads the text again, so it may only be what both read in the same way. */
static bool check_value(const struct arguments *arguments, const struct passed_on *option,
                        const char *value, struct error *error)
{
    char *end;
    if (option->value == VALUE_COUNT || option->value == VALUE_WHOLE) {
        long number;
        return arguments_number(arguments, option->name, option->value == VALUE_COUNT, 1000000, 0,
                                &number, error);
    }
    if (option->value == VALUE_WORD)
        return true;
    bool is_decimal = *value && value[strspn(value, "0123456789.eE+-")] == '\0';
    double time = strtod(value, &end);
    return (is_decimal && !*end && time >= 0 && time <= 1e12) ||
           error_set(error, STATUS_USAGE, "tpq report: --%s must be a number%s, not '%s'",
                     option->name, option->value == VALUE_TIME ? " of microseconds" : "", value);
}

/* Words that may be many: a line each. */
static bool read_keywords(const struct arguments *arguments, struct context *context,
                          struct error *error)
{
    static const char name[] = "kernel-metadata-keyword-filters";
    if (!arguments_has(arguments, name))
        return true;
    const char **words = arguments_values(arguments, name);
    struct text lines = {0};
    bool done = words != NULL;
    for (size_t i = 0; done && words[i]; i++)
        done = text_format(&lines, "%s%s", i ? "\n" : "", words[i]);
    done = done && context_set(context, "kernel_metadata_keyword_filters", lines.items);
    text_free(&lines);
    free(words);
    return done || error_memory(error);
}

bool report_options_read(const struct arguments *arguments, struct context *context,
                         struct error *error)
{
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        if (!arguments_has(arguments, passed_on[i].name))
            continue;
        const char *value = arguments_value(arguments, passed_on[i].name);
        char name[40];
        snprintf(name, sizeof name, "%s", passed_on[i].name);
        for (char *at = name; (at = strchr(at, '-')); at++)
            *at = '_';
        if (value && !check_value(arguments, &passed_on[i], value, error))
            return false;
        if (!context_set(context, name, value ? value : "1"))
            return error_memory(error);
    }
    if (arguments_has(arguments, "inference") &&
        !arguments_has(arguments, "enable-coll-analysis") &&
        !context_set(context, "disable_coll_analysis", "1"))
        return error_memory(error);
    if (arguments_has(arguments, "debug-call-stack") &&
        !context_set(context, "include_call_stack", "1"))
        return error_memory(error);
    return read_keywords(arguments, context, error);
}

void report_options_select(const struct arguments *arguments, bool with_windows,
                           struct selection *selection)
{
    selection->rank = arguments_value(arguments, "rank");
    selection->step = arguments_value(arguments, "step");
    selection->where = arguments_value(arguments, "where");
    selection->detect_recompute = arguments_has(arguments, "detect-recompute");
    if (!with_windows)
        return;
    selection->id_range = arguments_value(arguments, "id-range");
    selection->signpost = arguments_value(arguments, "signpost");
    selection->start_signpost = arguments_value(arguments, "start-signpost");
    selection->end_signpost = arguments_value(arguments, "end-signpost");
    selection->occurrence = arguments_value(arguments, "signpost-occurrence");
    selection->ignore_signposts = arguments_has(arguments, "ignore-signposts");
}
