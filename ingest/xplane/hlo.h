/* hlo: programs of XLA, from HloProto to the instructions of a trace.
 *
 * hlo_read takes a program out of a wire, instruction by instruction. Kernels name instructions:
 * hlo_find tells which one is meant, and hlo_signature makes a call signature of it: its opcode, or
 * the target of a custom call, with the shapes of its operands; everything else that it states
 * (its output, dimension numbers, the window of a convolution, what its backend was told) is one
 * JSON object in the place of concrete inputs, and each member a parameter of the signature.
 */
#pragma once

#include "ingest/xplane/hlo_reader.h"

/* Reads the message that the wire has entered, an HloProto; `program` is its id unless it names
 * one itself. */
bool hlo_read(struct hlo *self, struct wire *wire, int64_t program);

/* The program with this id, else the first with this name (a text), index + 1; 0 = there is
 * none. */
uint32_t hlo_find_module(const struct hlo *self, int64_t program, uint32_t name);

/* The instruction of a module (index + 1) with this name (a text), index + 1; 0 = there is none. */
void hlo_find(struct hlo *self, uint32_t module, uint32_t name, uint32_t *instruction);

/* Makes the lists of operands once all programs are read. */
void hlo_finish(struct hlo *self);

void hlo_signature(struct hlo *self, uint32_t instruction, uint32_t *op);
