/* kernel_name: the part of a kernel's name by which people know it.
 *
 * The name of a kernel is a whole declaration in C++, plain or mangled, the words of a copy, or an
 * identifier that a compiler made. Of a declaration its core is the last identifier outside of
 * templates and arguments; where that says only that it is a kernel, the first template argument
 * takes its place. Reports show cores, and what tells names with one core apart
 * (query/sink/short_names.h).
 */
#pragma once

#include "src/base/text.h"

enum { KERNEL_NAME_MAX = 40 }; /* characters of a short name */

/* A part of the name, however long it is; all of it where it is no declaration. */
struct view kernel_name_core(struct view name);

/* The last identifier outside of templates and arguments, the base name of Nsight Systems; all of
 * the name where it is no declaration. */
struct view kernel_name_base(struct view name);

/* Appends the core, its end left out where it is longer than a short name. */
void kernel_name_add_short(struct text *out, struct view name);
