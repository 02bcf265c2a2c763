/* blocks: see blocks.h. */
#include "query/page/blocks.h"

#include "query/page/pack.h"

enum { FRAME = 80 }; /* bytes of the element around a block */

void page_blocks_add(struct page_blocks *self, const char *kind, const struct text *raw,
                     const char *members)
{
    struct page_block *block = array_push(&self->list);
    *block = (struct page_block){0};
    text_format(&block->entry, "{\"kind\":\"%s\",\"raw\":%zu%s%s}", kind, raw->count,
                members ? "," : "", members ? members : "");
    if (!page_pack(&block->packed, text_view(raw)))
        memory_fail();
    self->bytes += block->packed.count + block->entry.count + FRAME;
}

void page_blocks_move(struct page_blocks *self, struct page_blocks *from)
{
    array_reserve(&self->list, from->list.count);
    for (size_t i = 0; i < from->list.count; i++)
        self->list.items[self->list.count++] = from->list.items[i];
    self->bytes += from->bytes;
    from->list.count = from->bytes = 0;
}

void page_blocks_add_entries(const struct page_blocks *self, struct text *out)
{
    for (size_t i = 0; i < self->list.count; i++) {
        text_add_byte(out, i ? ',' : '[');
        text_add_text(out, &self->list.items[i].entry);
    }
    text_add_string(out, self->list.count ? "]" : "[]");
}

void page_blocks_print(const struct page_blocks *self, size_t index, struct text *out)
{
    text_format(out, "<script type=\"application/octet-stream\" id=\"b%zu\">", index);
    text_add_text(out, &self->list.items[index].packed);
    text_add_string(out, "</script>\n");
}

void page_blocks_free(struct page_blocks *self)
{
    for (size_t i = 0; i < self->list.count; i++) {
        text_free(&self->list.items[i].packed);
        text_free(&self->list.items[i].entry);
    }
    array_free(&self->list);
}
