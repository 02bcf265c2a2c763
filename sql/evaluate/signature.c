/* signature: Annotations of serving engines come first, one reader for each form, then calls as
 * JSON objects. */
#include "sql/evaluate/signature.h"

#include <ctype.h>
#include <stdio.h>

const char *const step_fields[STEP_FIELDS] = {"c_sq", "c_sk", "c_sqsq", "c_sqsk",
                                              "g_sq", "g_sk", "g_sqsq", "g_sqsk"};

void signature_start(struct signature *self, const char *op)
{
    char *copy = memory_text(op);
    struct literals values = self->values;
    literal_clear(&values);
    memory_free(self->op);
    *self = (struct signature){.values = values, .op = copy};
    self->dims = self->types = self->strides = self->concrete = LITERAL_NONE;
    self->kernels = self->args = self->output_types = LITERAL_NONE;
    self->forward_dims = self->forward_types = LITERAL_NONE;
    self->forward_strides = self->forward_concrete = LITERAL_NONE;
}

void signature_free(struct signature *self)
{
    literal_free(&self->values);
    memory_free(self->op);
    *self = (struct signature){0};
}

int signature_part(struct signature *self, const char *json)
{
    return json ? literal_read(&self->values, view_of(json)) : LITERAL_NONE;
}

/* ------------------------------------------------------------------ annotations */

/* execute_2_context_1(sq5sk8sqsq25sqsk40)_generation_1(sq1sk12sqsq1sqsk12) */
static bool read_execute(const char *words, int64_t step[STEP_FIELDS])
{
    long long x[STEP_FIELDS];
    int end = 0;
    int found = sscanf(words,
                       "execute_%*u_context_%*u(sq%lldsk%lldsqsq%lldsqsk%lld)_generation_%*u"
                       "(sq%lldsk%lldsqsq%lldsqsk%lld)%n",
                       &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &end);
    for (int i = 0; i < STEP_FIELDS && end; i++)
        step[i] = x[i];
    return found == STEP_FIELDS && end;
}

/* The number behind "KEY=" where a word begins so. */
static bool read_pair(const char *words, const char *key, int64_t *value)
{
    size_t length = strlen(key);
    for (const char *at = words; (at = strstr(at, key)); at += length)
        if ((at == words || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            at[length] == '=' && isdigit((unsigned char)at[length + 1])) {
            *value = strtoll(at + length + 1, NULL, 10);
            return true;
        }
    return false;
}

/* step[MIXED bs=2 c_sq=5 ... g_sqsk=12] */
static bool read_step(const char *words, int64_t step[STEP_FIELDS])
{
    static const char *const kinds[] = {"step[EXTEND", "step[DECODE", "step[MIXED"};
    size_t i = 0;
    while (i < 3 && strncmp(words, kinds[i], strlen(kinds[i])) != 0)
        i++;
    if (i == 3 || isalnum((unsigned char)words[strlen(kinds[i])]) || !strchr(words, ']') ||
        !strstr(words, "sqsq="))
        return false;
    for (int field = 0; field < STEP_FIELDS; field++)
        read_pair(words, step_fields[field], &step[field]);
    return true;
}

/* prefill[bs=2 tok=14721 ctx=[7803, 6918] sqsq=... sqsk=... sk=14721], or decode[...] */
static bool read_phase(const char *words, int64_t step[STEP_FIELDS])
{
    bool prefill = strncmp(words, "prefill[", strlen("prefill[")) == 0;
    int64_t *half = step + (prefill ? 0 : 4);
    if ((!prefill && strncmp(words, "decode[", strlen("decode[")) != 0) ||
        !read_pair(words, "sqsq", &half[2]) || !read_pair(words, "sqsk", &half[3]))
        return false;
    read_pair(words, "tok", &half[0]);
    read_pair(words, "sk", &half[1]);
    return true;
}

bool signature_annotate(struct signature *self, const char *words)
{
    memset(self->step, 0, sizeof self->step);
    self->has_step = read_execute(words, self->step) || read_step(words, self->step) ||
                     read_phase(words, self->step);
    return self->has_step;
}

/* ------------------------------------------------------------------ objects */

bool signature_read(struct signature *self, struct view json)
{
    struct signature next = {0};
    int root = literal_read(&next.values, json);
    const struct literals *values = &next.values;
    const char *op = literal_text(values, literal_member(values, root, "op"));
    next.op = op ? memory_text(op) : NULL;
    if (!next.op) {
        signature_free(&next);
        return false;
    }
    next.dims = literal_member(values, root, "input_dims");
    next.types = literal_member(values, root, "input_types");
    next.strides = literal_member(values, root, "input_strides");
    next.concrete = literal_member(values, root, "concrete_inputs");
    next.kernels = literal_member(values, root, "kernel_names");
    next.args = literal_member(values, root, "extra_args");
    next.output_types = literal_member(values, next.args, "Output type");
    int forward = literal_member(values, root, "linked_fwd");
    next.has_forward = literal_type(values, forward) == LITERAL_OBJECT;
    next.forward_dims = literal_member(values, forward, "input_dims");
    next.forward_types = literal_member(values, forward, "input_types");
    next.forward_strides = literal_member(values, forward, "input_strides");
    next.forward_concrete = literal_member(values, forward, "concrete_inputs");
    const char *words = literal_text(values, literal_member(values, root, "annotation"));
    if (words)
        signature_annotate(&next, words);
    signature_free(self);
    *self = next;
    return true;
}
