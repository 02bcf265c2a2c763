/* replay_convolution: the commands that make a convolution again, in the words of MIOpenDriver and
 * cutlass_profiler. */
#include "query/replay/replay_call_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS_MAX = 3 };

struct convolution {
    int dimensions;
    int64_t n, c, k, groups;
    int64_t in[DIMENSIONS_MAX], filter[DIMENSIONS_MAX], stride[DIMENSIONS_MAX],
        padding[DIMENSIONS_MAX], dilation[DIMENSIONS_MAX];
    bool is_transposed, is_channels_last;
    const struct replay_type_names *type;
};

/* A list among the arguments, which stands there as a text; one item is meant for all. */
static void read_list(struct replay_reader *self, int64_t index, int dimensions, int64_t otherwise,
                      int64_t out[DIMENSIONS_MAX])
{
    const char *text = replay_text_item(self, self->concrete, index);
    char *copy = memory_text(text); /* reading moves the texts */
    int list = copy ? literal_read(&self->values, view_of(copy)) : LITERAL_NONE;
    int count = literal_count(&self->values, list);
    for (int i = 0; i < dimensions; i++)
        out[i] = replay_item(self, list, count == 1 ? 0 : i, otherwise);
    memory_free(copy);
}

static bool is_true(const struct replay_reader *self, int64_t index)
{
    const char *text = replay_text_item(self, self->concrete, index);
    return strcmp(text, "True") == 0 || strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

static bool read_convolution(struct replay_reader *self, struct convolution *out,
                             struct replay_command *command)
{
    int input = literal_item(&self->values, self->dims, 0);
    int weight = literal_item(&self->values, self->dims, 1);
    int strides = literal_item(&self->values, self->strides, 0);
    int dimensions = literal_count(&self->values, input) - 2;
    *out = (struct convolution){.dimensions = dimensions,
                                .type = replay_names_of(replay_text_item(self, self->types, 0)),
                                .is_transposed = is_true(self, 6)};
    if (dimensions < 1 || dimensions > DIMENSIONS_MAX ||
        literal_count(&self->values, weight) != dimensions + 2) {
        snprintf(command->problem, sizeof command->problem, "its sizes are not known");
        return false;
    }
    if (!out->type) {
        snprintf(command->problem, sizeof command->problem, "no benchmark has the type %.60s",
                 replay_text_item(self, self->types, 0));
        return false;
    }
    int64_t out_padding[DIMENSIONS_MAX], channels = replay_item(self, input, 1, 0);
    out->groups = (int64_t)replay_number(self, 8, 1);
    out->n = replay_item(self, input, 0, 0);
    out->c = channels;
    out->k = replay_item(self, weight, 0, 0);
    out->is_channels_last = channels > 1 && replay_item(self, strides, 1, 0) == 1;
    read_list(self, 3, dimensions, 1, out->stride);
    read_list(self, 4, dimensions, 0, out->padding);
    read_list(self, 5, dimensions, 1, out->dilation);
    read_list(self, 7, dimensions, 0, out_padding);
    for (int i = 0; i < dimensions; i++) {
        out->in[i] = replay_item(self, input, i + 2, 0);
        out->filter[i] = replay_item(self, weight, i + 2, 0);
        if (out->is_transposed) /* of the forward convolution whose gradient it is */
            out->in[i] = (out->in[i] - 1) * out->stride[i] - 2 * out->padding[i] +
                         out->dilation[i] * (out->filter[i] - 1) + out_padding[i] + 1;
    }
    if (out->is_transposed) {
        out->c = replay_item(self, weight, 1, 0) * out->groups;
        out->k = channels;
    }
    return true;
}

/* The last two of one or two dimensions, all of three; a missing one's value comes last. */
static void write_place(struct replay_writer *out, const struct convolution *it,
                        const int64_t *values, const char *const options[3], int64_t missing)
{
    if (it->dimensions == 3)
        replay_pair(out, options[0], values[0]);
    replay_pair(out, options[1], it->dimensions == 1 ? missing : values[it->dimensions - 2]);
    replay_pair(out, options[2], values[it->dimensions - 1]);
}

bool replay_make_miopen(const struct replay_call *call, struct replay_command *command)
{
    struct replay_reader reader;
    struct convolution it;
    struct replay_writer out = {.command = command};
    bool done = replay_reader_open(&reader, call);
    bool is_known = done && read_convolution(&reader, &it, command);
    if (is_known && !it.type->miopen) {
        snprintf(command->problem, sizeof command->problem,
                 "MIOpenDriver does not know the type %s", it.type->name);
        is_known = false;
    }
    if (is_known) {
        replay_word(&out, "MIOpenDriver");
        replay_word(&out, "%s", it.type->miopen);
        replay_pair(&out, "-n", it.n);
        replay_pair(&out, "-c", it.c);
        write_place(&out, &it, it.in, (const char *const[]){"--in_d", "-H", "-W"}, 1);
        replay_pair(&out, "-k", it.k);
        write_place(&out, &it, it.filter, (const char *const[]){"--fil_d", "-y", "-x"}, 1);
        write_place(&out, &it, it.padding, (const char *const[]){"--pad_d", "-p", "-q"}, 0);
        write_place(&out, &it, it.stride, (const char *const[]){"--conv_stride_d", "-u", "-v"}, 1);
        write_place(&out, &it, it.dilation, (const char *const[]){"--dilation_d", "-l", "-j"}, 1);
        replay_words(&out, "-m conv");
        replay_pair(&out, "-g", it.groups);
        replay_words(&out, it.is_transposed ? "-F 2 -t 1" : "-F 1 -t 1");
        if (it.dimensions == 3)
            replay_words(&out, "--spatial_dim 3");
        if (it.is_channels_last) {
            const char *layout = it.dimensions == 3 ? "NDHWC" : "NHWC";
            replay_word(&out, "--in_layout");
            replay_word(&out, "%s", layout);
            replay_word(&out, "--fil_layout");
            replay_word(&out, "%s", layout);
            replay_word(&out, "--out_layout");
            replay_word(&out, "%s", layout);
        }
        replay_words(&out, "-V 0 -i 100");
    }
    literal_free(&reader.values);
    return done;
}

bool replay_make_cutlass_conv(const struct replay_call *call, struct replay_command *command)
{
    struct replay_reader reader;
    struct convolution it;
    struct replay_writer out = {.command = command};
    bool done = replay_reader_open(&reader, call);
    bool is_known = done && read_convolution(&reader, &it, command);
    if (is_known && (it.dimensions != 2 || it.groups != 1 || !it.type->cutlass)) {
        snprintf(
            command->problem, sizeof command->problem,
            "cutlass_profiler is only called for convolutions of two dimensions and one group");
        is_known = false;
    }
    if (is_known) {
        replay_words(&out, "cutlass_profiler --operation=Conv2d");
        replay_word(&out, "--conv_kind=%s", it.is_transposed ? "dgrad" : "fprop");
        const struct {
            const char *name;
            int64_t value;
        } sizes[] = {{"n", it.n},
                     {"h", it.in[0]},
                     {"w", it.in[1]},
                     {"c", it.c},
                     {"k", it.k},
                     {"r", it.filter[0]},
                     {"s", it.filter[1]},
                     {"pad_h", it.padding[0]},
                     {"pad_w", it.padding[1]},
                     {"stride_h", it.stride[0]},
                     {"stride_w", it.stride[1]},
                     {"dilation_h", it.dilation[0]},
                     {"dilation_w", it.dilation[1]}};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            replay_word(&out, "--%s=%lld", sizes[i].name, (long long)sizes[i].value);
        replay_word(&out, "--Activation=%s:nhwc", it.type->cutlass);
        replay_word(&out, "--Filter=%s:nhwc", it.type->cutlass);
        replay_word(&out, "--Output=%s", it.type->cutlass);
        replay_words(&out, "--warmup-iterations=100 --profiling-iterations=100");
        replay_word(&out, "--output=cutlass-conv-%lld", (long long)call->row);
    }
    literal_free(&reader.values);
    return done;
}
