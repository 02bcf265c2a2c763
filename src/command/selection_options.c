/* selection_options: see selection_options.h. */
#include "src/command/selection_options.h"

#include "src/command/session.h"

#include <stdlib.h>

static bool read_lists(const struct arguments *arguments, struct selection_options *options,
                       struct error *error)
{
    options->runs = arguments_values(arguments, "run");
    options->labels = arguments_values(arguments, "label");
    struct selection *selection = &options->selection;
    selection->runs = options->runs && *options->runs ? options->runs : NULL;
    selection->labels = options->labels && *options->labels ? options->labels : NULL;
    return (options->runs && options->labels) || error_memory(error);
}

void selection_options_windows(const struct arguments *arguments, struct selection *selection)
{
    selection->id_range = arguments_value(arguments, "id-range");
    selection->signpost = arguments_value(arguments, "signpost");
    selection->start_signpost = arguments_value(arguments, "start-signpost");
    selection->end_signpost = arguments_value(arguments, "end-signpost");
    selection->occurrence = arguments_value(arguments, "signpost-occurrence");
    selection->ignore_signposts = arguments_has(arguments, "ignore-signposts");
}

void selection_options_narrow(const struct arguments *arguments, struct selection *selection)
{
    selection->rank = arguments_value(arguments, "rank");
    selection->step = arguments_value(arguments, "step");
    selection->iteration = arguments_value(arguments, "iteration");
    selection->time = arguments_value(arguments, "time");
    selection->where = arguments_value(arguments, "where");
    selection->detect_recompute = arguments_has(arguments, "detect-recompute");
}

bool selection_options_read(const struct arguments *arguments, bool with_windows,
                            struct selection_options *options, struct error *error)
{
    *options = (struct selection_options){0};
    struct selection *selection = &options->selection;
    const char *trace = arguments_value(arguments, "trace");
    selection_options_narrow(arguments, selection);
    if (with_windows)
        selection_options_windows(arguments, selection);
    if (trace) {
        selection->traces = &options->trace;
        selection->trace_count = 1;
    }
    return read_lists(arguments, options, error) &&
           (!trace || session_integer(arguments, "trace number", trace, &options->trace, error));
}

void selection_options_free(struct selection_options *options)
{
    free(options->runs);
    free(options->labels);
}

bool selection_options_are_given(const struct selection_options *options)
{
    const struct selection *selection = &options->selection;
    return selection->runs || selection->labels || selection->traces || selection->rank ||
           selection->step || selection->iteration || selection->time || selection->id_range ||
           selection->signpost || selection->start_signpost || selection->end_signpost ||
           selection->occurrence || selection->where || selection->ignore_signposts;
}

bool selection_options_apply(const struct selection *selection, struct warehouse *warehouse,
                             struct error *error)
{
    bool is_empty = false;
    struct text words = {0};
    bool done = selection_apply(warehouse, selection, &is_empty, &words, error);
    if (done && is_empty)
        session_say(words.count ? text_view(&words) : VIEW("nothing is selected"));
    text_free(&words);
    return done;
}

bool selection_options_runs(const struct arguments *arguments, struct warehouse *warehouse,
                            bool whole, struct run_list *runs, struct error *error)
{
    struct selection_options options = {0};
    *runs = (struct run_list){0};
    bool done = read_lists(arguments, &options, error);
    struct run_choice choice = {options.selection.runs, options.selection.labels, whole};
    done = done && run_choice_find(warehouse, &choice, runs, error);
    selection_options_free(&options);
    return done;
}
