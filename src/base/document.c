/* document: `open` has the brackets that close what is open, `any` whether something stands in it
 * already. Members of the top, and items of a list in the top, begin a line; all else goes on. */
#include "src/base/document.h"

#include "src/base/number.h"

#include <assert.h>
#include <math.h>

static void write_string(struct document *self, const char *text)
{
    text_clear(&self->text);
    text_add_json(&self->text, view_of(text));
    fwrite(self->text.items, 1, self->text.count, self->out);
}

/* A comma, a line end and its key stand before a value. */
static void begin_value(struct document *self, const char *key)
{
    if (!self->depth)
        return;
    bool *any = &self->any[self->depth - 1];
    bool on_line = self->depth == 1 || (self->depth == 2 && self->open[1] == ']');
    fputs(*any ? "," : "", self->out);
    fputs(on_line ? "\n" : *any ? " " : "", self->out);
    *any = true;
    if (key) {
        write_string(self, key);
        fputs(": ", self->out);
    }
}

void document_open(struct document *self, const char *key, char bracket)
{
    assert(self->depth < DOCUMENT_DEPTH_MAX);
    begin_value(self, key);
    fputc(bracket, self->out);
    self->open[self->depth] = bracket == '{' ? '}' : ']';
    self->any[self->depth++] = false;
}

void document_close(struct document *self)
{
    assert(self->depth > 0);
    self->depth--;
    bool on_line = self->depth == 0 || (self->depth == 1 && self->open[1] == ']');
    fputs(on_line && self->any[self->depth] ? "\n" : "", self->out);
    fputc(self->open[self->depth], self->out);
}

void document_raw(struct document *self, const char *key, const char *json)
{
    begin_value(self, key);
    fputs(json ? json : "null", self->out);
}

void document_text(struct document *self, const char *key, const char *text)
{
    begin_value(self, key);
    if (text)
        write_string(self, text);
    else
        fputs("null", self->out);
}

void document_integer(struct document *self, const char *key, int64_t value)
{
    begin_value(self, key);
    fprintf(self->out, "%lld", (long long)value);
}

void document_real(struct document *self, const char *key, double value)
{
    begin_value(self, key);
    text_clear(&self->text);
    if (isfinite(value))
        number_add_real(&self->text, value);
    else
        text_add_string(&self->text, "null");
    fwrite(self->text.items, 1, self->text.count, self->out);
}

void document_boolean(struct document *self, const char *key, bool value)
{
    document_raw(self, key, value ? "true" : "false");
}

void document_begin(struct document *self)
{
    document_open(self, NULL, '{');
    document_open(self, "meta", '{');
    document_text(self, "version", TPQ_VERSION);
}

void document_finish(struct document *self)
{
    bool any = self->depth > 0;
    while (self->depth)
        document_close(self);
    if (any)
        fputc('\n', self->out);
    text_free(&self->text);
}
