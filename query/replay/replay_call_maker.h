/* replay_call_maker: what the kinds of calls share while a command is made (replay_results.h):
 * words are written, values of the call are read, types are named. For the files of commands alone.
 *
 * PyTorch keeps matrices row by row, BLAS column by column: what is A here is B there, and the
 * other way round.
 */
#pragma once

#include "query/replay/replay_call.h"

struct replay_writer {
    struct replay_command *command;
    bool failed;
};

/* One word; an option and its value; words with blanks between them. */
__attribute__((format(printf, 2, 3))) void replay_word(struct replay_writer *self,
                                                       const char *format, ...);
void replay_pair(struct replay_writer *self, const char *option, int64_t value);
void replay_words(struct replay_writer *self, const char *line);

/* The values of a call; places in them, LITERAL_NONE where a call does not have them. */
struct replay_reader {
    struct literals values;
    int params, types, concrete, dims, strides, kernels;
};

/* False: memory is out. `values` is to be freed in any case. */
bool replay_reader_open(struct replay_reader *self, const struct replay_call *call);

int64_t replay_integer(const struct replay_reader *self, int place, int64_t otherwise);
int64_t replay_item(const struct replay_reader *self, int list, int64_t index, int64_t otherwise);

/* The text at a place of a list; "" when there is none. */
const char *replay_text_item(const struct replay_reader *self, int list, int64_t index);

/* An argument that is a number. */
double replay_number(const struct replay_reader *self, int64_t index, double otherwise);

/* Names of a type of the profiler elsewhere; NULL: there is no such type. */
struct replay_type_names {
    const char *name, *hip, *miopen, *cutlass, *cublas;
};
const struct replay_type_names *replay_names_of(const char *type);

/* For struct replay_tool. */
bool replay_make_hipblaslt(const struct replay_call *call, struct replay_command *command);
bool replay_make_cutlass_gemm(const struct replay_call *call, struct replay_command *command);
bool replay_make_cublas(const struct replay_call *call, struct replay_command *command);
bool replay_make_miopen(const struct replay_call *call, struct replay_command *command);
bool replay_make_cutlass_conv(const struct replay_call *call, struct replay_command *command);
double replay_read_hipblaslt(const char *output);
double replay_read_cutlass(const char *output);
double replay_read_miopen(const char *output);
double replay_read_printed(const char *output);
