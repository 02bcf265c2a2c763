/* report_options: the options of `tpq report` that reports read by tpq_option. */
#pragma once

#include "sql/binding/context.h"
#include "sql/binding/options.h"
#include "src/command/option.h"

/* A row of a table of options for a row of binding/options.h, where it has no default or one. */
#define OPTION_OF_VIEWS(name, letter, argument, type, choices, words) \
    {name, letter, argument, words, choices},
#define OPTION_WITH_DEFAULT(name, letter, argument, type, choices, words, standard) \
    {name, letter, argument, words " (" standard ")", choices},

/* The options of views about a subject: FIGURES, TT, ... */
#define OPTIONS_OF_VIEWS(subject) VIEW_OPTIONS_##subject(OPTION_OF_VIEWS, OPTION_WITH_DEFAULT)

/* Sets those that were given; fails on a value that none of them can have. */
bool report_options_read(const struct arguments *arguments, struct context *context,
                         struct error *error);

/* Sets one of them, where it was given. */
bool report_option_read(const struct arguments *arguments, const struct view_option *option,
                        struct context *context, struct error *error);
