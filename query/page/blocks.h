/* blocks: texts as they may stand in a page, and its data in pieces that its program unpacks when
 * it needs them: raw deflate in base64, with nothing in it that a browser could take for markup. */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

/* A text between tags, or in an attribute with quotes. Controls become U+FFFD; what turns the
 * direction of text, or has no width, becomes its number in brackets. */
void page_add_html(struct text *out, struct view text);

/* As text_format, but that %s is such a text. */
__attribute__((format(printf, 2, 3))) void page_format(struct text *out, const char *format, ...);

/* A JSON text as it may stand in a script element. */
void page_add_script(struct text *out, struct view json);

struct page_block {
    struct text packed; /* base64 */
    struct text entry;  /* members of its JSON object among the contents of the page */
};

struct page_blocks {
    ARRAY(struct page_block) list; /* its place is the number of a block */
    size_t bytes;                  /* of all of them in the file */
};

/* Adds a block; `members` is JSON that says more of it, or NULL. */
void page_blocks_add(struct page_blocks *self, const char *kind, const struct text *raw,
                     const char *members);

/* Appends the blocks of another list, which is empty then. */
void page_blocks_move(struct page_blocks *self, struct page_blocks *from);

/* Appends the entries as a JSON list, and the blocks themselves as script elements that are none.
 */
void page_blocks_add_entries(const struct page_blocks *self, struct text *out);
void page_blocks_print(const struct page_blocks *self, size_t index, struct text *out);

void page_blocks_free(struct page_blocks *self);

/* Appends what a statement about a number answers: the first column of its rows. */
bool page_ask(struct warehouse *warehouse, const char *sql, int64_t number, struct text *out,
              struct error *error);

/* Adds a block of the JSON list that a statement answers, where something is in it. */
bool page_ask_block(struct warehouse *warehouse, struct page_blocks *blocks, const char *kind,
                    const char *sql, struct error *error);

/* Appends rows of a table; the first cells are figures, on the right. `*any`: whether there are
 * some; `head` comes before the first one. */
bool page_add_rows(struct warehouse *warehouse, const char *sql, int figures, const char *head,
                   bool *any, struct text *out, struct error *error);
