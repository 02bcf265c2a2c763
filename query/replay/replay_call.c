/* replay_call: see replay_call.h. */
#include "query/replay/replay_call.h"

#include "query/replay/replay_call_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void replay_call_free(struct replay_call *self)
{
    char *texts[] = {self->run,  self->group, self->name,    self->key,      self->params,
                     self->dims, self->types, self->strides, self->concrete, self->kernels};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        memory_free(texts[i]);
}

void replay_command_free(struct replay_command *self)
{
    for (size_t i = 0; i < self->words.count; i++)
        memory_free(self->words.items[i]);
    array_free(&self->words);
}

/* In quotes where a shell might see more in it than a word. */
static void add_shell_word(struct text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    if (*word && !word[strspn(word, plain)]) {
        text_add_string(out, word);
        return;
    }
    text_add_byte(out, '\'');
    for (const char *at = word; *at; at++)
        if (*at == '\'')
            text_add_string(out, "'\\''");
        else
            text_add_byte(out, *at);
    text_add_byte(out, '\'');
}

bool replay_command_line(const struct replay_command *self, struct text *out)
{
    text_add(out, "", 0);
    for (size_t i = 0; i < self->words.count; i++) {
        if (i)
            text_add_byte(out, ' ');
        add_shell_word(out, self->words.items[i]);
    }
    return true;
}

/* ------------------------------------------------------------------ words */

__attribute__((format(printf, 2, 3))) void replay_word(struct replay_writer *self,
                                                       const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vformat(&text, format, arguments);
    va_end(arguments);
    char **added = array_push(&self->command->words);
    *added = text.items;
}

void replay_pair(struct replay_writer *self, const char *option, int64_t value)
{
    replay_word(self, "%s", option);
    replay_word(self, "%lld", (long long)value);
}

void replay_words(struct replay_writer *self, const char *line)
{
    for (const char *at = line; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        replay_word(self, "%.*s", (int)length, at);
        at += length;
    }
}

/* ------------------------------------------------------------------ values of a call */

static int read_one(struct replay_reader *self, const char *json)
{
    return json ? literal_read(&self->values, view_of(json)) : LITERAL_NONE;
}

bool replay_reader_open(struct replay_reader *self, const struct replay_call *call)
{
    *self = (struct replay_reader){0};
    self->params = read_one(self, call->params);
    self->types = read_one(self, call->types);
    self->concrete = read_one(self, call->concrete);
    self->dims = read_one(self, call->dims);
    self->strides = read_one(self, call->strides);
    self->kernels = read_one(self, call->kernels);
    return !self->values.out_of_memory;
}

int64_t replay_integer(const struct replay_reader *self, int place, int64_t otherwise)
{
    return literal_type(&self->values, place) == LITERAL_INTEGER
               ? literal_at(&self->values, place)->integer
               : otherwise;
}

int64_t replay_item(const struct replay_reader *self, int list, int64_t index, int64_t otherwise)
{
    return replay_integer(self, literal_item(&self->values, list, index), otherwise);
}

const char *replay_text_item(const struct replay_reader *self, int list, int64_t index)
{
    const char *text = literal_text(&self->values, literal_item(&self->values, list, index));
    return text ? text : "";
}

/* Names of a type of the profiler elsewhere. */
static const struct replay_type_names type_names[] = {
    {"c10::Half", "f16_r", "convfp16", "f16", "hsh"},
    {"c10::BFloat16", "bf16_r", "convbfp16", "bf16", "tst"},
    {"float", "f32_r", "conv", "f32", "sss"},
    {"double", "f64_r", NULL, "f64", "ddd"},
    {"c10::Float8_e4m3fn", "f8_r", NULL, "e4m3", "qqssq"},
    {"c10::Float8_e5m2", "bf8_r", NULL, "e5m2", NULL},
    {"c10::Float8_e4m3fnuz", "f8_fnuz_r", NULL, NULL, NULL},
    {"c10::Float8_e5m2fnuz", "bf8_fnuz_r", NULL, NULL, NULL},
    {"signed char", "i8_r", "convint8", "s8", "bisb_imma"},
};

const struct replay_type_names *replay_names_of(const char *type)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (strcmp(type_names[i].name, type) == 0)
            return &type_names[i];
    return NULL;
}

double replay_number(const struct replay_reader *self, int64_t index, double otherwise)
{
    const char *text = replay_text_item(self, self->concrete, index);
    char *end;
    double value = strtod(text, &end);
    return *text && !*end && isfinite(value) ? value : otherwise;
}
