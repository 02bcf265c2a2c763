/* blocks: see blocks.h. */
#include "query/page/blocks.h"

#include "query/page/pack.h"

enum { FRAME = 80 }; /* bytes of the element around a block */

bool page_blocks_add(struct page_blocks *self, const char *kind, struct view raw,
                     const char *members)
{
    struct page_block *block = array_push(&self->list);
    if (!block)
        return false;
    *block = (struct page_block){0};
    if (!page_pack(&block->packed, raw) ||
        !text_format(&block->entry, "{\"kind\":\"%s\",\"raw\":%zu%s%s}", kind, raw.length,
                     members ? "," : "", members ? members : ""))
        return false;
    self->bytes += block->packed.count + block->entry.count + FRAME;
    return true;
}

void page_blocks_cut(struct page_blocks *self, size_t count)
{
    while (self->list.count > count) {
        struct page_block *block = &self->list.items[--self->list.count];
        self->bytes -= block->packed.count + block->entry.count + FRAME;
        text_free(&block->packed);
        text_free(&block->entry);
    }
}

bool page_blocks_add_entries(const struct page_blocks *self, struct text *out)
{
    bool done = text_add_byte(out, '[');
    for (size_t i = 0; i < self->list.count && done; i++)
        done = (!i || text_add_byte(out, ',')) &&
               text_add(out, self->list.items[i].entry.items, self->list.items[i].entry.count);
    return done && text_add_byte(out, ']');
}

bool page_blocks_print(const struct page_blocks *self, size_t index, struct text *out)
{
    const struct text *packed = &self->list.items[index].packed;
    return text_format(out, "<script type=\"application/octet-stream\" id=\"b%zu\">", index) &&
           text_add(out, packed->items, packed->count) && text_add_string(out, "</script>\n");
}

void page_blocks_free(struct page_blocks *self)
{
    page_blocks_cut(self, 0);
    array_free(&self->list);
}
