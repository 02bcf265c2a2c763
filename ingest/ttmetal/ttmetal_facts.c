/* ttmetal_facts: see ttmetal_facts.h. */
#include "ingest/ttmetal/ttmetal_facts.h"

static const struct fact_column columns[] = {
    {"id", FACT_EVENT, offsetof(struct device_op, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"device", FACT_INTEGER, offsetof(struct device_op, device), NULL},
    {"call_count", FACT_INTEGER, offsetof(struct device_op, calls), NULL},
    {"fidelity_id", FACT_STRING, offsetof(struct device_op, fidelity), NULL},
    {"cores", FACT_INTEGER, offsetof(struct device_op, cores), NULL},
    {"available_cores", FACT_INTEGER, offsetof(struct device_op, available_cores), NULL},
    {"sub_device", FACT_INTEGER, offsetof(struct device_op, sub_device), NULL},
    {"kernel_ns", FACT_INTEGER, offsetof(struct device_op, kernel), NULL},
    {"firmware_ns", FACT_INTEGER, offsetof(struct device_op, firmware), NULL},
    {"host_ns", FACT_INTEGER, offsetof(struct device_op, host), NULL},
    {"gap_ns", FACT_INTEGER, offsetof(struct device_op, gap), NULL},
    {"host_start_ns", FACT_INTEGER, offsetof(struct device_op, host_start), NULL},
    {"start_cycle", FACT_INTEGER, offsetof(struct device_op, start_cycle), NULL},
    {"end_cycle", FACT_INTEGER, offsetof(struct device_op, end_cycle), NULL},
    {"metal_trace", FACT_INTEGER, offsetof(struct device_op, metal_trace), NULL},
    {"replay", FACT_INTEGER, offsetof(struct device_op, replay), NULL},
    {0},
};

const struct fact_table device_op_facts = {"device_op", sizeof(struct device_op), columns};
