/* stand_ins: commands of other tools that verbs stand for, by the names of links to this program.
 * Each verb lists its own (src/command/verb.h).
 */
#ifndef TPQ_SRC_VERBS_STAND_INS_H
#define TPQ_SRC_VERBS_STAND_INS_H

#include "src/command/verb.h"

#include <stdbool.h>

/* The verb that stands for the command at this path, and the option that it implies, or NULL. */
const struct verb *stand_ins_find(const char *path, char **option);

/* Makes a link to this program in a folder, which is made where there is none, for every such
 * command. All or none: anything else that has such a name stays, and is an error. */
bool stand_ins_link(const char *folder, struct error *error);

#endif
