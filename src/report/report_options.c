/* report_options: see report_options.h. */
#include "src/report/report_options.h"

#include "sql/binding/options.h"
#include "src/base/text.h"

#include <string.h>

/* The value of an option; of one that has many, WORDS or a line each. */
static bool read_value(const struct arguments *arguments, const struct view_option *option,
                       struct text *value, struct error *error)
{
    const char **values = arguments_values(arguments, option->name);
    size_t count = 0;
    while (values && values[count])
        count++;
    bool has_many = option->argument && strstr(option->argument, "...");
    const char *between = option->type == OPTION_WORDS ? " " : "\n";
    bool done = values != NULL && text_add_string(value, count ? "" : "1");
    for (size_t i = has_many || !count ? 0 : count - 1; done && i < count; i++)
        done = text_format(value, "%s%s", value->count ? between : "", values[i]);
    free(values);
    return (done || error_memory(error)) &&
           view_option_accepts(option, value->items, "tpq report: --", error);
}

bool report_option_read(const struct arguments *arguments, const struct view_option *option,
                        struct context *context, struct error *error)
{
    if (!arguments_has(arguments, option->name))
        return true;
    struct text value = {0};
    bool done = read_value(arguments, option, &value, error) &&
                (context_set(context, option->name, value.items) || error_memory(error));
    text_free(&value);
    return done;
}

bool report_options_read(const struct arguments *arguments, struct context *context,
                         struct error *error)
{
    bool done = true;
    for (const struct view_option *option = view_options; option->name && done; option++)
        if (!option->is_told)
            done = report_option_read(arguments, option, context, error);
    bool no_collectives =
        arguments_has(arguments, "inference") && !arguments_has(arguments, "enable-coll-analysis");
    bool has_stack = arguments_has(arguments, "debug-call-stack");
    bool implied = (!no_collectives || context_set(context, "disable-coll-analysis", "1")) &&
                   (!has_stack || context_set(context, "include-call-stack", "1"));
    return done && (implied || error_memory(error));
}
