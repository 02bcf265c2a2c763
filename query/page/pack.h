/* pack: texts as they may stand in a page, and bytes as blocks of it: raw deflate in base64, with
 * nothing in it that a browser could take for markup. */
#pragma once

#include "src/base/text.h"

/* A text between tags, or in an attribute with quotes. Controls become U+FFFD; what turns the
 * direction of text, or has no width, becomes its number in brackets. */
void page_add_html(struct text *out, struct view text);

/* As text_format, but that %s is such a text. */
__attribute__((format(printf, 2, 3))) void page_format(struct text *out, const char *format, ...);

/* A JSON text as it may stand in a script element. */
void page_add_script(struct text *out, struct view json);

/* Deflated, in base64. False: memory is out. */
bool page_pack(struct text *out, struct view bytes);
