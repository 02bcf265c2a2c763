/* extension_options: see extension_options.h. */
#include "src/command/extension_options.h"

#include "src/base/visible.h"
#include "src/command/session.h"

#include <stdio.h>
#include <string.h>

bool extension_options_read(const struct arguments *arguments, struct extensions *extensions,
                            struct error *error)
{
    bool done = !arguments_has(arguments, "enable-pseudo-ops") ||
                extensions_add_pseudo_ops(extensions, error);
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        if (strcmp(value->option->name, "extension-file") == 0)
            done = extensions_add(extensions, value->value, error);
        else if (strcmp(value->option->name, "ext-param") == 0)
            done = extensions_set(extensions, value->value, error);
        else if (strcmp(value->option->name, "health-rule") == 0)
            done = array_add(&extensions->rules, value->value) || error_memory(error);
    }
    if (done && extensions->params.count && !extensions->files.count)
        done = error_set(error, STATUS_USAGE, "tpq %s: --ext-param is about --extension-file",
                         arguments->verb->name);
    return done;
}

static void print_lines(const struct text *lines, const char *end)
{
    for (const char *at = lines->count ? lines->items : ""; *at;) {
        size_t length = strcspn(at, "\n");
        fputs("tpq: ", stderr);
        visible_print((struct view){at, length}, stderr);
        fputs(end, stderr);
        at += length + 1;
    }
}

bool extension_options_run(const struct arguments *arguments, struct extensions *extensions,
                           struct warehouse *warehouse, struct error *error)
{
    struct text complaints = {0};
    bool done = extensions_run(extensions, warehouse, &complaints, error);
    print_lines(&complaints, " (skipped)\n");
    print_lines(&extensions->notes, "\n");
    if (done && complaints.count && arguments_has(arguments, "strict-extensions"))
        done = error_set(error, STATUS_BAD_INPUT, "tpq %s: an extension file failed",
                         arguments->verb->name);
    text_free(&complaints);
    return done;
}
