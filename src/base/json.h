/* json: whether a text is JSON. */
#pragma once

#include "src/base/text.h"

/* Whether it is a value, whole and to the letter; what is nested beyond all reason is not. */
bool json_is_whole(struct view text);

/* Whether that is a list or an object. */
bool json_is_structure(struct view text);
