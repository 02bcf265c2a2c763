/* xplane_facts: see xplane_facts.h. */
#include "ingest/xplane/xplane_facts.h"

static const struct fact_column modules[] = {
    {"id", FACT_ID, 0, NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"program_id", FACT_INTEGER, offsetof(struct hlo_module, program), NULL},
    {"name", FACT_WORD, offsetof(struct hlo_module, name), NULL},
    {"entry", FACT_TEXT, offsetof(struct hlo_module, entry), NULL},
    {0},
};

const struct fact_table hlo_module_facts = {"hlo_module", sizeof(struct hlo_module), modules};

static const struct fact_column instructions[] = {
    {"id", FACT_ID, 0, NULL},
    {"module_id", FACT_ROW, offsetof(struct hlo_instruction, module), &hlo_module_facts},
    {"number", FACT_INTEGER, offsetof(struct hlo_instruction, number), NULL},
    {"is_root", FACT_FLAG, offsetof(struct hlo_instruction, is_root), NULL},
    {"source_line", FACT_INTEGER, offsetof(struct hlo_instruction, source_line), NULL},
    {"name", FACT_WORD, offsetof(struct hlo_instruction, name), NULL},
    {"opcode", FACT_WORD, offsetof(struct hlo_instruction, opcode), NULL},
    {"computation", FACT_WORD, offsetof(struct hlo_instruction, computation), NULL},
    {"shape", FACT_WORD, offsetof(struct hlo_instruction, shape), NULL},
    {"operands", FACT_TEXT, offsetof(struct hlo_instruction, operands), NULL},
    {"attributes", FACT_TEXT, offsetof(struct hlo_instruction, attributes), NULL},
    {"custom_call_target", FACT_TEXT, offsetof(struct hlo_instruction, target), NULL},
    {"backend_config", FACT_TEXT, offsetof(struct hlo_instruction, backend_config), NULL},
    {"replica_groups", FACT_TEXT, offsetof(struct hlo_instruction, replica_groups), NULL},
    {"op_type", FACT_TEXT, offsetof(struct hlo_instruction, op_type), NULL},
    {"op_name", FACT_TEXT, offsetof(struct hlo_instruction, op_name), NULL},
    {"source_file", FACT_TEXT, offsetof(struct hlo_instruction, source_file), NULL},
    {"op_id", FACT_OP, offsetof(struct hlo_instruction, op), NULL},
    {0},
};

const struct fact_table hlo_instruction_facts = {"hlo_instruction", sizeof(struct hlo_instruction),
                                                 instructions};

static const struct fact_column slices[] = {
    {"id", FACT_EVENT, offsetof(struct xla_slice, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"instruction_id", FACT_ROW_OR_NULL, offsetof(struct xla_slice, instruction),
     &hlo_instruction_facts},
    {"execution", FACT_COUNT, offsetof(struct xla_slice, execution), NULL},
    {"start_ps", FACT_SMALL, offsetof(struct xla_slice, start_ps), NULL},
    {"duration_ps", FACT_SMALL, offsetof(struct xla_slice, duration_ps), NULL},
    {0},
};

const struct fact_table xla_event_facts = {"xla_event", sizeof(struct xla_slice), slices};
