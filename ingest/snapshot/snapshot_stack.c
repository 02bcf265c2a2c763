/* snapshot_stack: frames and stacks, each once, as a tree from the outermost frame.
 *
 * What a stack says (its line of user code, its op, its phase) follows from what its innermost
 * frame says and what the stack around that says.
 */
#include "ingest/snapshot/snapshot_reader.h"

/* A frame of a stack takes at least two bytes of the pickle, and most stacks share frames. */
enum { STACKS_FREE = 1 << 17, STACK_BYTES = 16 };

enum phase { PHASE_OPTIMIZER = 1, PHASE_BACKWARD = 2, PHASE_FORWARD = 4 };

static bool has(struct view text, const char *part)
{
    return memmem(text.bytes, text.length, part, strlen(part)) != NULL;
}

static bool has_one(struct view text, const char *const *parts)
{
    while (*parts && !has(text, *parts))
        parts++;
    return *parts != NULL;
}

/* The path below a folder of packages, else its last two parts. */
static struct view short_path(struct view path)
{
    static const char *const folders[] = {"site-packages/", "dist-packages/"};
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]);
        for (size_t at = path.length; at-- > 0;)
            if (path.length - at >= length && memcmp(path.bytes + at, folders[i], length) == 0)
                return (struct view){path.bytes + at + length, path.length - at - length};
    }
    int parts = 0;
    for (size_t at = path.length; at-- > 0;)
        if (path.bytes[at] == '/' && ++parts == 2)
            return (struct view){path.bytes + at + 1, path.length - at - 1};
    return path;
}

static size_t word_length(struct view text)
{
    size_t length = 0;
    for (; length < text.length; length++) {
        unsigned char byte = (unsigned char)text.bytes[length];
        bool is_letter = (byte | 32) >= 'a' && (byte | 32) <= 'z';
        if (!is_letter && byte != '_' && (byte < '0' || byte > '9') && byte < 128)
            break;
    }
    return length;
}

/* The word between the two parts, where it comes first; empty = nowhere. */
static struct view word_between(struct view text, const char *before, const char *behind)
{
    size_t length = strlen(before), tail = strlen(behind);
    const char *found, *end = text.bytes + text.length;
    while ((found = memmem(text.bytes, text.length, before, length))) {
        text.bytes = found + length;
        text.length = (size_t)(end - text.bytes);
        struct view word = {text.bytes, word_length(text)};
        if (word.length && text.length - word.length >= tail &&
            memcmp(word.bytes + word.length, behind, tail) == 0)
            return word;
    }
    return VIEW("");
}

static bool keep(struct snapshot *self, struct view text, uint32_t *number)
{
    *number = intern_add(&self->trace->strings, text.bytes, text.length);
    return snapshot_repeat(self, *number);
}

/* The first of the two forms that the name of a node of autograd has. */
static struct view autograd_node(struct view name)
{
    struct view whole = word_between(name, "autograd::generated::", "::apply(");
    struct view plain = word_between(name, "autograd::", "::apply(");
    if (whole.length && (!plain.length || whole.bytes < plain.bytes))
        return whole;
    return plain;
}

static bool describe(struct snapshot *self, uint32_t number, struct memory_frame *frame,
                     struct stack_facts *facts)
{
    struct view file = intern_view(&self->trace->strings, frame->file);
    struct view name = intern_view(&self->trace->strings, frame->name);
    struct view path = short_path(file), node = autograd_node(name);
    struct view op = word_between(name, "_ops::", "::call(");
    bool is_python = view_ends_with(file, ".py");
    bool in_torch = has(file, "/torch/") || view_starts_with(file, "torch/");

    /* Frames that PyTorch's own viewer leaves out. */
    static const char *const names[] = {"unwind::unwind",
                                        "CapturedTraceback::gather",
                                        "gather_with_cpp",
                                        "_start",
                                        "__libc_start_main",
                                        "PyEval_",
                                        "PyObject_",
                                        "PyFunction_",
                                        NULL};
    static const char *const files[] = {"core/boxing",
                                        "/Register",
                                        "/Redispatch",
                                        "pythonrun.c",
                                        "Modules/main.c",
                                        "Objects/call.c",
                                        "Objects/methodobject.c",
                                        "pycore_ceval.h",
                                        "ceval.c",
                                        "cpython/abstract.h",
                                        NULL};
    frame->is_noise = has_one(name, names) || has_one(file, files);
    if (has(file, "torch/optim/"))
        facts->phases |= PHASE_OPTIMIZER;
    if (view_equal(name, VIEW("backward")) || view_equal(name, VIEW("_engine_run_backward")) ||
        has(name, "autograd::Engine"))
        facts->phases |= PHASE_BACKWARD;
    if (view_equal(name, VIEW("forward")))
        facts->phases |= PHASE_FORWARD;
    facts->python = is_python ? number : 0;
    facts->user = is_python && !in_torch ? number : 0;
    facts->plain = !frame->is_noise && !has(name, "CachingAllocator") ? number : 0;
    struct text *text = &self->scratch;
    text_clear(text);
    text_add_view(text, path);
    text_format(text, ":%lld ", (long long)frame->line);
    text_add_view(text, name);
    if (!keep(self, text_view(text), &frame->text) ||
        (op.length && !is_python && !keep(self, op, &facts->op)))
        return false;
    if (!node.length)
        return true;
    text_clear(text);
    text_add_string(text, "autograd ");
    text_add_view(text, node);
    return keep(self, text_view(text), &facts->autograd);
}

uint32_t snapshot_frame(struct snapshot *self, uint32_t file, int64_t line, uint32_t name)
{
    struct {
        int64_t line;
        uint32_t file, name;
    } key = {line, file, name};
    uint32_t number = intern_add(&self->frame_keys, &key, sizeof key);
    if (number <= self->frames.count)
        return number;
    struct memory_frame frame = {.line = line, .file = file, .name = name};
    struct stack_facts facts = {0};
    if (!describe(self, number, &frame, &facts))
        return 0;
    array_add(&self->frames, frame);
    array_add(&self->frame_facts, facts);
    return number;
}

/* The facts of a stack with one more frame inside. */
static struct stack_facts facts_inside(struct stack_facts around, const struct stack_facts *frame)
{
    struct stack_facts facts = around;
    facts.phases |= frame->phases;
    if (frame->python) { /* its op counts from here on */
        facts.python = frame->python;
        facts.op = 0;
    }
    if (frame->op && !facts.op)
        facts.op = frame->op;
    facts.user = frame->user ? frame->user : around.user;
    facts.autograd = frame->autograd ? frame->autograd : around.autograd;
    facts.plain = frame->plain ? frame->plain : around.plain;
    return facts;
}

uint32_t snapshot_stack(struct snapshot *self, const uint32_t *frames, size_t count)
{
    uint32_t number = intern_add(&self->stack_keys, frames, count * sizeof *frames), node = 0;
    if (number <= self->stack_nodes.count)
        return self->stack_nodes.items[number - 1];
    for (size_t i = count; i-- > 0;) {
        uint32_t *place = map_put(&self->stack_tree, node, frames[i]);
        if (!*place) {
            uint32_t frame = frames[i];
            if ((int64_t)self->stacks.count >
                STACKS_FREE + pickle_offset(&self->pickle) / STACK_BYTES) {
                snapshot_refuse(self, "it has more stacks than its size allows");
                return 0;
            }
            struct memory_stack row = {.parent = node, .memory_frame = frame - 1, .depth = 1};
            struct stack_facts around = {0};
            if (node) {
                row.depth = self->stacks.items[node - 1].depth + 1;
                around = self->stack_facts.items[node - 1];
            }
            array_add(&self->stacks, row);
            array_add(&self->stack_facts,
                      facts_inside(around, &self->frame_facts.items[frame - 1]));
            *place = (uint32_t)self->stacks.count;
        }
        node = *place;
    }
    array_add(&self->stack_nodes, node);
    return node;
}

bool snapshot_name_stacks(struct snapshot *self)
{
    bool done = true;
    for (size_t i = 0; i < self->stacks.count && done; i++) {
        const struct stack_facts *facts = &self->stack_facts.items[i];
        struct memory_stack *stack = &self->stacks.items[i];
        uint32_t frame = facts->user ? facts->user : facts->python;
        if (!frame && !facts->autograd)
            frame = facts->plain;
        stack->frame = frame             ? self->frames.items[frame - 1].text
                       : facts->autograd ? facts->autograd
                                         : WORD_NO_STACK;
        stack->op = facts->op ? facts->op : WORD_NO_OP;
        stack->phase = facts->phases & PHASE_OPTIMIZER  ? WORD_OPTIMIZER
                       : facts->phases & PHASE_BACKWARD ? WORD_BACKWARD
                       : facts->phases & PHASE_FORWARD  ? WORD_FORWARD
                                                        : WORD_OTHER;
        done = snapshot_repeat(self, stack->frame) && snapshot_repeat(self, stack->op);
    }
    return done;
}
