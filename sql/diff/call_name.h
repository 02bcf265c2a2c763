/* call_name: names of calls as two traces can agree on them.
 *
 *     name                              norm                         short
 *     /p/model.py(42): forward          /p/model.py: forward         model.py
 *     model.py(42): forward 0xabc123    model.py: forward 0xXXXX     the same
 *     nn.Module: Linear_3               the same                     nn.Module
 *     hipModuleLaunchKernel             __kernel_launch__            the same
 *
 * Addresses and line numbers differ from run to run; the short form also forgets the function.
 * Plain C without SQLite; forest.c calls it for each distinct name.
 */
#pragma once

#include "src/base/text.h"

/* Append to `out`; false when memory is out. */
bool call_name_norm(struct text *out, struct view name);
bool call_name_short(struct text *out, struct view name);

/* The name without any "(123)" in it. */
bool call_name_without_lines(struct text *out, struct view name);

/* A module's name without the number at its end that tells it from others of its kind. */
struct view call_name_module(struct view name);
