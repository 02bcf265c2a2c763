/* hlo_reader: the programs of XLA that were read, the one that is being read, and the ground that
 * its readers stand on.
 *
 * Texts, lists of numbers, members of an object of attributes and shapes are made here. Only the
 * hlo files call it: hlo.c drives, hlo_attributes.c reads what an instruction states beside its
 * operands, hlo_signature.c takes shapes apart again. Functions that give bool have said why when
 * they are false.
 */
#pragma once

#include "ingest/input/wire.h"
#include "ingest/trace/trace.h"
#include "src/base/map.h"

/* A program of XLA. */
struct hlo_module {
    uint32_t name, entry; /* texts */
    int64_t program;      /* its id in the file; NONE = not given */
};

/* An instruction of one; texts are 0 where it has none. */
struct hlo_instruction {
    int64_t number;                     /* its id in the program */
    int64_t source_line;                /* NONE = not given */
    uint32_t module;                    /* index of its program */
    uint32_t name, opcode, computation; /* texts, like all that follow */
    uint32_t shape, operands, attributes;
    uint32_t op_type, op_name, source_file;
    uint32_t target, backend_config, replica_groups;
    uint32_t op; /* its signature, number in trace.ops; 0 = nothing carries it out */
    bool is_root;
};

extern const struct fact_table hlo_module_facts, hlo_instruction_facts;

/* Links that are only needed to find instructions. */
struct hlo_links {
    int64_t computation;                   /* id of the one that it stands in */
    int64_t called;                        /* id of the first one that it calls; NONE = none */
    uint32_t first_operand, operand_count; /* in hlo.operands */
};

struct hlo {
    struct trace *trace;
    struct error *error;
    ARRAY(struct hlo_module) modules;
    ARRAY(struct hlo_instruction) instructions;
    ARRAY(struct hlo_links) links; /* beside the instructions */
    ARRAY(int64_t) operands;
    struct map by_number, by_name; /* (module, id or name) -> index + 1 */
    struct map by_computation;     /* (module, id) -> its first instruction, index + 1 */
    struct map by_program;         /* id of a program -> module + 1 */
    struct map by_module_name;     /* name -> module + 1, the first */
    struct map by_scoped_name;     /* (module + 1, name) -> index + 2; 1 = there is none */
    struct map dot_of; /* (module, computation) -> its only product, index + 2; 1 = none */
    struct text json, scratch;
};

/* The program in hand. */
struct hlo_reader {
    struct hlo *hlo;
    struct wire *wire;
    uint32_t module;        /* index */
    struct text attributes; /* members of an object, without its braces */
    struct text groups;
};

bool hlo_corrupt(struct hlo_reader *self); /* always false */

void hlo_keep_text(struct hlo_reader *self, struct message span, uint32_t *number);
void hlo_keep_json(struct hlo_reader *self, const struct text *json, uint32_t *number);

/* Appends the numbers of a repeated field, packed or one by one, separated by commas. */
void hlo_add_numbers(struct text *out, const struct wire_field *field);

/* Adds a member to the attributes; `value` is JSON. */
void hlo_add_attribute(struct hlo_reader *self, const char *name, const char *value);
void hlo_add_number(struct hlo_reader *self, const char *name, int64_t number);

/* Adds a list of numbers, given without its brackets. */
void hlo_add_list(struct hlo_reader *self, const char *name, const struct text *numbers);

/* ------------------------------------------------------------------ shapes */

/* Appends a shape as text: type[extents]{order}, or (members). */
bool hlo_add_shape(struct hlo_reader *self, struct message span, struct text *out);

/* Extents, types and layouts of arrays, each separated by commas. */
struct hlo_arrays {
    struct text extents, types, layouts;
};

/* Adds the arrays of a shape, all or the first; with `all` false there is always one, null where
 * the shape has none. */
void hlo_arrays_add(struct hlo_arrays *self, struct view shape, bool all);
void hlo_arrays_free(struct hlo_arrays *self);

/* ------------------------------------------------------------------ hlo_attributes.c */

/* Dimension numbers, the window of a convolution, what its backend was told: each becomes members
 * of the attributes. */
bool hlo_read_dot(struct hlo_reader *self, struct message all);
bool hlo_read_convolution(struct hlo_reader *self, struct message all);

/* A list for each property of the window. */
bool hlo_read_window(struct hlo_reader *self, struct message all);

/* Keeps the text, and what is understood of it as attributes. */
void hlo_read_config(struct hlo_reader *self, struct message span, uint32_t *number);
