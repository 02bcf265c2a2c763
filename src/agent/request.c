/* request: see request.h. */
#include "src/agent/request.h"

#include "query/agent/rpc.h"
#include "src/base/visible.h"

bool request_refuse(struct request *self, int fault, const char *format, ...)
{
    struct text sentence = {0};
    va_list arguments;
    va_start(arguments, format);
    self->fault = fault;
    text_clear(&self->why);
    text_vformat(&sentence, format, arguments);
    va_end(arguments);
    visible_add(&self->why, text_view(&sentence));
    self->why.failed |= sentence.failed;
    text_free(&sentence);
    return false;
}

const char *request_param(const struct request *self, const char *name)
{
    return literal_text(self->json, literal_member(self->json, self->params, name));
}

void request_add_reply(const struct request *self, struct text *out)
{
    bool is_lost = self->members.failed || self->why.failed || self->data.failed;
    int fault = is_lost ? RPC_FAULT : self->fault;
    text_add_string(out, out->count > 1 ? ",{" : "{");
    text_add_string(out, "\"jsonrpc\":\"2.0\",\"id\":");
    literal_add_json(self->json, self->id, out);
    if (!fault) {
        text_add_string(out, ",\"result\":{");
        text_add_text(out, &self->members);
    } else {
        text_format(out, ",\"error\":{\"code\":%d", fault);
        text_format_json(out, ",\"message\":%s", is_lost ? "out of memory" : self->why.items);
        if (self->data.count && !is_lost) {
            text_add_string(out, ",\"data\":");
            text_add_text(out, &self->data);
        }
    }
    text_add_string(out, "}}");
}

void request_free(struct request *self)
{
    text_free(&self->members);
    text_free(&self->why);
    text_free(&self->data);
}
