/* extension_options: the options about extension files, which several verbs have. */
#pragma once

#include "query/extension/extension.h"
#include "src/command/option.h"

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
