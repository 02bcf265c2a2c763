/* verbs: see verbs.h. */
#include "src/verbs/verbs.h"

#include <stddef.h>

#define LIST_VERB(name) &verb_##name,
const struct verb *const verbs[] = {EACH_VERB(LIST_VERB) NULL};
