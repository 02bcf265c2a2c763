/* harmless: metadata of a trace that may be stored without being asked for.
 *
 * Kept are the keys of catalog/identity_key.sql with short texts and numbers. Paths, command lines,
 * user names and secrets never are.
 */
#pragma once

#include "src/base/text.h"

/* Whether the catalog has the key, or a pattern for its ending. */
bool harmless_key(struct view key, bool *is_pattern);

/* Whether a number, or a text without escapes, may be stored; keys of a pattern need a version. */
bool harmless_value(struct view value, bool is_version);
