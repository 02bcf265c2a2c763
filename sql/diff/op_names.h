/* op_names: names that the ops of both traces have in common, for tables by op.
 *
 * Ops below one point of difference belong together: pairs of their names in order, when there are
 * as many on both sides, else those that have something in common. Their name is then what one
 * contains of the other (miopen_convolution and convolution are convolution), a/b when they begin
 * alike, the module that both are in alone; else, but not like the reference, the name of the
 * point, or a/b.
 */
#pragma once

#include "sql/diff/difference.h"

/* Gives each row its name. Like the reference, a module may be called root. False when memory is
 * out. */
bool op_names_find(struct difference_list *differences, struct intern *symbols,
                   const struct merged_tree *tree, const struct forest forests[2],
                   bool like_reference);
