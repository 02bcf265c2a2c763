/* hint: what is said behind a name that there is not: which one was perhaps meant.
 *
 *     hint_add(&words, "kernel_sumary", names, count, "see tpq report --list")
 *
 *     ; did you mean kernel_summary?                where one name is near, or begins so
 *     ; it may mean ops_summary, ops_with_shapes    where several begin so
 *     ; see tpq report --list                       where none is near
 */
#pragma once

#include "src/base/text.h"

/* `otherwise` may be NULL: then nothing is added where no name is near. Of names that are there
 * twice one counts. */
void hint_add(struct text *words, const char *word, const char *const *names, size_t count,
              const char *otherwise);
