/* protobuf: messages of protocol buffers, field by field at the end of a text.
 *
 *     size_t message = protobuf_open(&out, 1);
 *     protobuf_number(&out, 8, 42); protobuf_text(&out, 2, VIEW("name"));
 *     protobuf_close(&out, message);
 */
#pragma once

#include "src/base/text.h"

void protobuf_number(struct text *out, uint32_t field, uint64_t value);
void protobuf_signed(struct text *out, uint32_t field, int64_t value);
void protobuf_fixed64(struct text *out, uint32_t field, uint64_t value);
void protobuf_real(struct text *out, uint32_t field, double value);
void protobuf_text(struct text *out, uint32_t field, struct view value);

/* Where the message begins. */
size_t protobuf_open(struct text *out, uint32_t field);
void protobuf_close(struct text *out, size_t message);
