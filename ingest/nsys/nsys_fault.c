/* nsys_fault: tables of page faults of unified memory. */
#include "ingest/nsys/nsys_reader.h"

enum { START, END, PROCESS, DEVICE, ADDRESS, FAULTS, ACCESS, SYMBOL, COUNT };
static const char *const columns[COUNT] = {"start",           "end",           "globalPid",
                                           "deviceId",        "address",       "numberOfPageFaults",
                                           "faultAccessType", "CpuInstruction"};

static void add_fault(struct draft *trace, const struct page_fault *fault)
{
    array_add(&trace->page_faults, *fault);
}

/* An address that could not be read means nothing. */
static bool read_address(struct draft *trace, struct rows_of *rows, int64_t *address)
{
    enum value_kind kind = rows_integer(rows, ADDRESS, address);
    if (kind != VALUE_FINE)
        draft_note(trace, NOTE_VALUE_ODD);
    return kind == VALUE_FINE;
}

static bool read_host_fault(struct nsys *self, struct rows_of *rows)
{
    int64_t id;
    struct page_fault fault = {.duration = NONE, .device = NONE, .count = 1};
    struct nsys_process *process = nsys_process_of(self, rows, PROCESS, &id);
    if (!process)
        return false;
    struct draft *trace = nsys_trace_of(self, process);
    if (!draft_moment(trace, rows, START, &fault.time) ||
        !read_address(trace, rows, &fault.address))
        return true;
    if (!nsys_string(self, trace, rows, SYMBOL, NSYS_TEXT, &fault.symbol))
        return false;
    add_fault(trace, &fault);
    return true;
}

/* The accelerator's kind of access to the page. */
static bool keep_access(struct draft *trace, int64_t access, uint32_t *number)
{
    static const char *const words[] = {NULL, "read", "write", "atomic", "prefetch"};
    bool is_known = access > 0 && (size_t)access < sizeof words / sizeof *words;
    return !is_known || draft_keep(trace, view_of(words[access]), number);
}

static bool read_device_fault(struct nsys *self, struct rows_of *rows)
{
    int64_t id;
    struct draft_time time;
    struct page_fault fault = {0};
    struct nsys_process *process = nsys_process_of(self, rows, PROCESS, &id);
    if (!process)
        return false;
    struct draft *trace = nsys_trace_of(self, process);
    if (!draft_time(trace, rows, START, END, false, &time) ||
        !read_address(trace, rows, &fault.address))
        return true;
    int64_t device = draft_integer(trace, rows, DEVICE);
    int64_t count = draft_integer(trace, rows, FAULTS);
    fault.time = time.start;
    fault.duration = time.duration;
    fault.device = device >= 0 && device <= INT32_MAX ? device : -1;
    fault.count = count == NONE ? 1 : count;
    if (!keep_access(trace, draft_integer(trace, rows, ACCESS), &fault.access))
        return false;
    add_fault(trace, &fault);
    return true;
}

const struct nsys_table nsys_fault_tables[] = {
    {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", columns, COUNT, 1u << START | 1u << ADDRESS, read_host_fault},
    {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", columns, COUNT, 1u << START | 1u << END | 1u << ADDRESS,
     read_device_fault},
    {0},
};
