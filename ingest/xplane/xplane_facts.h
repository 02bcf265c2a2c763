/* xplane_facts: what only profiles of XLA state: programs, their instructions, and what of them a
 * slice carries out.
 *
 * hlo.c and xplane_finish.c make the rows; xplane.c gives them to the trace.
 */
#pragma once

#include "ingest/trace/facts.h"

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

/* Members that only a slice of XLA has. */
struct xla_slice {
    uint32_t slice;
    uint32_t instruction;          /* index + 1; 0 = not known */
    uint32_t execution;            /* which one of that instruction on its stream, from 1 */
    int16_t start_ps, duration_ps; /* to be added to the nanoseconds */
};

extern const struct fact_table hlo_module_facts, hlo_instruction_facts, xla_event_facts;
