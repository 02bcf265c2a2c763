/* report_tt: what only the reports about tt-metal's ops ask of a call: options in the spellings of
 * several generations, and files that must belong together. */
#pragma once

#include "query/select/selection.h"
#include "query/sink/identity.h"
#include "src/command/option.h"

/* Checks the options and hands them to the views. */
bool report_tt_options(const struct arguments *arguments, struct context *context,
                       struct error *error);

/* identify(), with the signposts that the window really lies between: where an asked one is not
 * there, the default is taken. */
bool report_tt_identify(const struct arguments *arguments, struct warehouse *warehouse,
                        struct selection *selection, struct identity *identity,
                        struct error *error);

/* After the selection: fails when the files of a run have different numbers of devices, and says on
 * stderr what there is to say about the choice of ops. */
bool report_tt_check(const struct arguments *arguments, struct warehouse *warehouse,
                     struct error *error);
