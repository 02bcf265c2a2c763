/* snapshot_facts: the tables of a memory snapshot, and the rows of them in memory. Texts are
 * numbers in trace.strings, 0 = not stated; absent integers are NONE. */
#pragma once

#include "ingest/trace/trace.h"

struct memory_frame {
    int64_t line;
    uint32_t file, name, text;
    bool is_noise;
};

struct memory_stack {
    int64_t depth;
    uint32_t parent; /* index + 1; 0 = the outermost frame */
    uint32_t memory_frame;
    uint32_t frame, op, phase;
};

struct memory_segment {
    int64_t device, address, stream, total, allocated, active, requested;
    uint32_t type, pool, stack;
    bool is_expandable;
};

struct memory_block {
    int64_t number, address, bytes, requested;
    uint32_t segment, state, stack;
};

struct memory_allocation {
    int64_t number, device, address, stream, bytes, block;
    int64_t alloc, requested, freed; /* numbers of events; -1 = before all of them */
    int64_t alloc_time, requested_time, freed_time, step;
    uint32_t stack, pool, category, context, metadata;
    bool is_initial, in_optimizer;
};

struct memory_mark {
    int64_t number, device, start, end;
    uint32_t name;
};

struct snapshot_event {
    int64_t device, number, address, bytes, stream, time, device_free;
    int64_t allocated, active, reserved; /* after it */
    uint32_t action, stack;
};

struct memory_device {
    int64_t device, events, first_time, allocations, initial;
    int64_t initial_bytes, initial_active, initial_reserved;
    int64_t peak, peak_at, peak_time, peak_active, reserved_at_peak, peak_reserved;
    int64_t end, end_active, end_reserved, steps;
    uint32_t notes;
};

extern const struct fact_table memory_frame_facts, memory_stack_facts, memory_segment_facts,
    memory_block_facts, memory_allocation_facts, memory_mark_facts, snapshot_event_facts,
    memory_device_facts;
