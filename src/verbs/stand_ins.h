/* stand_ins: commands of other tools that verbs stand for, by the names of links to this program.
 * Each verb lists its own (src/command/verb.h).
 */
#pragma once

#include "src/command/option.h"
#include "src/command/verb.h"

#include <stdbool.h>

/* The command at this path, and the verb that stands for it; NULL: it is none of them. */
const struct stand_in *stand_ins_find(const char *path, const struct verb **verb);

/* Fails where a call lacks what the command requires. */
bool stand_ins_check(const struct stand_in *command, const struct arguments *arguments,
                     struct error *error);

/* Makes a link to this program in a folder, which is made where there is none, for every such
 * command. All or none: anything else that has such a name stays, and is an error. */
bool stand_ins_link(const char *folder, struct error *error);
