/* rpc: Bytes collect in one buffer; whole lines leave it as messages or faults. A line is checked
 * in the order size, UTF-8, JSON, depth. After a line that is too long all bytes are dropped up to
 * its end. A client that is gone is noticed when writing fails, and gets nothing more. */
#include "query/agent/rpc.h"

#include "src/base/json.h"

#include <errno.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4 << 20, PIECE = 64 << 10 };

static bool is_utf8(struct view line)
{
    const unsigned char *at = (const unsigned char *)line.bytes;
    for (size_t left = line.length; left;) {
        uint32_t code;
        size_t size = utf8_decode(at, left, &code);
        if (!size)
            return false;
        at += size;
        left -= size;
    }
    return true;
}

static bool is_empty(struct view line)
{
    for (size_t i = 0; i < line.length; i++)
        if (!strchr(" \t\r", line.bytes[i]) || !line.bytes[i])
            return false;
    return true;
}

static void add_fault(struct rpc *self, int fault, const char *why)
{
    array_add(&self->waiting, (struct message){.root = LITERAL_NONE, .fault = fault, .why = why});
}

static void add_line(struct rpc *self, struct view line)
{
    if (is_empty(line))
        return;
    if (!is_utf8(line)) {
        add_fault(self, RPC_NO_REQUEST, "the message is not UTF-8");
        return;
    }
    if (!json_is_whole(line)) {
        add_fault(self, RPC_NO_JSON, "the message is no JSON");
        return;
    }
    struct message message = {0};
    message.root = literal_read(&message.json, line);
    if (message.root == LITERAL_NONE) {
        literal_free(&message.json);
        add_fault(self, RPC_NO_REQUEST,
                  "the message is nested deeper than 64, or a number is too large");
        return;
    }
    array_add(&self->waiting, message);
}

void rpc_read(struct rpc *self)
{
    size_t before = self->line.count;
    text_reserve(&self->line, PIECE);
    ssize_t count = read(self->in, self->line.items + before, PIECE);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (count > 0) {
        self->line.count += (size_t)count;

        /* Takes the whole lines out of what has arrived. `from`: before it is no line end. */
        size_t from = before;
        size_t start = 0;
        const char *end;
        while (from < self->line.count &&
               (end = memchr(self->line.items + from, '\n', self->line.count - from))) {
            size_t length = (size_t)(end - self->line.items) - start;
            if (!self->skips)
                add_line(self, (struct view){self->line.items + start, length});
            self->skips = false;
            from = start = start + length + 1;
        }
        self->line.count -= start;
        memmove(self->line.items, self->line.items + start, self->line.count);
        if (self->line.count > LINE_MAX_BYTES && !self->skips) {
            self->skips = true;
            add_fault(self, RPC_NO_REQUEST, "the message is longer than 4 MiB");
        }
        if (self->skips)
            self->line.count = 0;
        return;
    }
    self->has_ended = true; /* what has no line end is a line, too */
    if (before && !self->skips)
        add_line(self, text_view(&self->line));
}

bool rpc_take(struct rpc *self, struct message *message)
{
    if (!self->waiting.count)
        return false;
    *message = self->waiting.items[0];
    self->waiting.count--;
    memmove(self->waiting.items, self->waiting.items + 1,
            self->waiting.count * sizeof *self->waiting.items);
    return true;
}

void message_free(struct message *self)
{
    literal_free(&self->json);
}

static bool send_bytes(struct rpc *self, struct view bytes)
{
    while (bytes.length && !self->is_gone) {
        ssize_t sent = write(self->out, bytes.bytes, bytes.length);
        if (sent < 0 && (errno != EINTR || *self->is_off))
            self->is_gone = true;
        if (sent > 0)
            bytes = (struct view){bytes.bytes + sent, bytes.length - (size_t)sent};
    }
    return !self->is_gone;
}

void rpc_send(struct rpc *self, struct view message)
{
    if (send_bytes(self, message))
        send_bytes(self, VIEW("\n"));
}

void rpc_free(struct rpc *self)
{
    for (size_t i = 0; i < self->waiting.count; i++)
        message_free(&self->waiting.items[i]);
    array_free(&self->waiting);
    text_free(&self->line);
}

bool rpc_is_same_id(const struct literals *left, int one, const struct literals *right, int other)
{
    enum literal_type type = literal_type(left, one);
    if (type != literal_type(right, other))
        return false;
    return type == LITERAL_TEXT ? strcmp(literal_text(left, one), literal_text(right, other)) == 0
                                : type == LITERAL_INTEGER && literal_at(left, one)->integer ==
                                                                 literal_at(right, other)->integer;
}
