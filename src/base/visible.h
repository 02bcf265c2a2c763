/* visible: texts of strangers as people may see them: with control and format characters, and
 * separators of lines, made visible; how wide they are, and cut to a width. Whoever prints
 * on a terminal, or aligns what is printed, sends texts through here.
 */
#pragma once

#include "src/base/text.h"

#include <stdio.h>

/* Whether a character is a control or format character, a separator of lines or paragraphs, or a
 * tag: classes Cc, Cf, Zl and Zp of Unicode, and all of U+E0000 to U+E0FFF. */
bool visible_is_unseen(uint32_t code);

/* How many characters a text has. */
size_t visible_width(struct view text);

/* Where a character lies in a text, in bytes; its end when it has fewer. */
size_t visible_offset(struct view text, size_t character);

/* Appends a text, without its middle when it is wider than `width`. */
void visible_add_cut(struct text *out, struct view text, size_t width);

/* Appends a text with such characters made visible: \n, \t, \x1b, \u200b. */
void visible_add(struct text *out, struct view text);

/* Prints it so, which needs no memory. */
void visible_print(struct view text, FILE *out);

/* Prints words so, in lines of at most `width` characters; 0 = in one. `used` characters stand in
 * the first line already, `indent` spaces begin the others. Needs no memory. */
void visible_print_lines(struct view words, size_t width, size_t used, size_t indent, FILE *out);

/* Prints the lines of a text, each of them so. */
void visible_print_text(const char *text, size_t width, FILE *out);

/* Columns of the terminal that a file is, else of $COLUMNS, else the usual ones. */
size_t visible_columns(int file, size_t usual);
