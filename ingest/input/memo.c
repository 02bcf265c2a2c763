/* memo: see memo.h. */
#include "ingest/input/memo.h"

uint32_t *memo_find(struct memo *self, struct view raw)
{
    uint32_t number;
    if (self->raw.bytes < MEMO_BYTES_MAX) {
        number = intern_add(&self->raw, raw.bytes, raw.length);
        while (self->values.count <= number)
            array_add(&self->values, 0);
    } else {
        number = intern_find(&self->raw, raw.bytes, raw.length);
        if (!number) {
            self->spare = 0;
            return &self->spare;
        }
    }
    return &self->values.items[number];
}
