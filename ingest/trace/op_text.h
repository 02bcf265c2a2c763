/* op_text: what PyTorch writes into the name of a range when it marks its ops for a profiler.
 *
 *     aten::linear, seq = 100, op_id = 1, sizes = [[8, 128], [256, 128], [256]]
 *
 * The same for NVTX (emit_nvtx) and roctx. Readers of profiles that have such ranges ask here.
 */
#pragma once

#include "src/base/text.h"

enum op_text_kind {
    OP_TEXT_NONE,   /* some other text */
    OP_TEXT_UNREAD, /* begins like one of an op, but does not go on so */
    OP_TEXT_OP,
};

struct op_text {
    struct view name;
    int64_t sequence; /* autograd's; -1 = not given */
    int64_t call;     /* number of the call; 0 = not given */
    bool has_sizes;   /* then `sizes` holds them: JSON, compact */
    bool has_inputs;  /* which calls gave the inputs */
    bool is_as_made;  /* the parts in their usual order and spelling give the text again */
};

enum op_text_kind op_text_read(struct view text, struct op_text *op, struct text *sizes);
