/* nsys_host: tables of what the host did beside marking ranges: calls of CUDA, of libraries, of the
 * operating system, of MPI, what the profiler itself cost, memory: its use, and page faults of
 * unified memory, and when threads ran on CPUs. */
#include "ingest/nsys/nsys_reader.h"

/* Columns that all of them begin with. */
enum { START, END, THREAD, NAME, COMMON_COUNT };
#define COMMON "start", "end", "globalTid", "nameId"
#define NEEDED (1u << START | 1u << END)

struct host_row {
    struct nsys_process *process;
    struct draft *trace;
    struct draft_time time;
    int64_t thread;
    uint32_t place;
};

enum row { ROW_FINE, ROW_LEFT_OUT, ROW_FAILED };

static enum row read_row(struct nsys *self, struct rows_of *rows, struct host_row *row)
{
    *row = (struct host_row){0};
    row->process = nsys_process_of(self, rows, THREAD, &row->thread);
    row->trace = nsys_trace_of(self, row->process);
    if (!draft_time(row->trace, rows, START, END, false, &row->time))
        return ROW_LEFT_OUT;
    row->place = nsys_thread(row->trace, row->process, row->thread);
    return row->place ? ROW_FINE : ROW_FAILED;
}

/* ------------------------------------------------------------------ calls of CUDA */

enum { CALL_CLASS = COMMON_COUNT, CALL_CORRELATION, CALL_RESULT, CALL_COUNT };
static const char *const call_columns[CALL_COUNT] = {COMMON, "eventClass", "correlationId",
                                                     "returnValue"};
enum { CLASS_RUNTIME = 0, CLASS_DRIVER = 1, CLASS_EGL = 13, CLASS_OS = 27, CLASS_BACKTRACE = 67 };

static void result_arguments(struct nsys *self, struct draft *trace, int64_t result,
                             uint32_t *number)
{
    *number = 0;
    if (result == 0 || result == NONE)
        return;
    uint32_t *known = draft_arguments(trace, &result, sizeof result);
    if (!*known) {
        desk_member(&self->desk, "result", result);
        draft_finish_arguments(trace, known);
    }
    *number = *known;
}

static bool read_call(struct nsys *self, struct rows_of *rows)
{
    struct host_row row;
    uint32_t name;
    enum row kind = read_row(self, rows, &row);
    if (kind != ROW_FINE)
        return kind == ROW_LEFT_OUT;
    int64_t class = draft_integer(row.trace, rows, CALL_CLASS);
    if (class == CLASS_BACKTRACE) { /* carries the backtrace of another row */
        draft_note(row.trace, NOTE_BACKTRACE_ROW);
        return true;
    }
    if (!nsys_name(self, row.trace, rows, NAME, NSYS_TEXT_CALL, &name))
        return false;

    /* The call, and its slice. */
    struct trace *trace = &row.trace->trace;
    uint32_t arguments;
    bool is_driver = class == CLASS_DRIVER || class == CLASS_EGL;
    result_arguments(self, row.trace, draft_integer(row.trace, rows, CALL_RESULT), &arguments);
    struct call_slice *call = array_push(&trace->calls);
    *call = (struct call_slice){
        .slice = (uint32_t)trace->slices.count,
        .correlation = nsys_correlation(row.process, rows, CALL_CORRELATION),
        .external = NONE,
    };
    struct slice *slice =
        draft_slice(row.trace, &row.time, is_driver ? CATEGORY_DRIVER : CATEGORY_RUNTIME, row.place,
                    name, arguments);
    slice->side = (uint32_t)trace->calls.count - 1;
    return true;
}

/* ------------------------------------------------------------------ other calls */

static void add_named(const struct host_row *row, enum category category, uint32_t name,
                      uint32_t arguments)
{
    draft_slice(row->trace, &row->time, category, row->place, name, arguments);
}

static bool read_named(struct nsys *self, struct rows_of *rows, enum category category)
{
    struct host_row row;
    uint32_t name;
    enum row kind = read_row(self, rows, &row);
    if (kind != ROW_FINE)
        return kind == ROW_LEFT_OUT;
    if (!nsys_name(self, row.trace, rows, NAME, NSYS_TEXT, &name))
        return false;
    add_named(&row, category, name, 0);
    return true;
}

static const char *const named_columns[COMMON_COUNT] = {COMMON};
static const char *const text_columns[COMMON_COUNT] = {"start", "end", "globalTid", "textId"};

#define NAMED(function, category)                                 \
    static bool function(struct nsys *self, struct rows_of *rows) \
    {                                                             \
        return read_named(self, rows, (category));                \
    }
NAMED(read_library, CATEGORY_LIBRARY_CALL)
NAMED(read_openmp, CATEGORY_OPENMP)
NAMED(read_ucp, CATEGORY_UCP)
NAMED(read_callback, CATEGORY_HOST_CALLBACK)

/* ------------------------------------------------------------------ OpenACC */

enum { ACC_FILE = COMMON_COUNT, ACC_LINE, ACC_COUNT };
static const char *const openacc_columns[ACC_COUNT] = {COMMON, "srcFile", "lineNo"};

static bool read_openacc(struct nsys *self, struct rows_of *rows)
{
    struct host_row row;
    uint32_t name, file, arguments;
    enum row kind = read_row(self, rows, &row);
    if (kind != ROW_FINE)
        return kind == ROW_LEFT_OUT;
    int64_t line = draft_integer(row.trace, rows, ACC_LINE);
    if (!nsys_string(self, row.trace, rows, ACC_FILE, NSYS_TEXT, &file))
        return false;

    /* Where in the program's source it is. */
    struct draft *trace = row.trace;
    int64_t numbers[] = {file, line};
    arguments = 0;
    if (file) {
        uint32_t *known = draft_arguments(trace, numbers, sizeof numbers);
        if (!*known) {
            desk_member_text(&self->desk, "file", intern_view(&trace->trace.strings, file));
            desk_member(&self->desk, "line", line);
            draft_finish_arguments(trace, known);
        }
        arguments = *known;
    }
    if (!nsys_name(self, row.trace, rows, NAME, NSYS_TEXT, &name))
        return false;
    add_named(&row, CATEGORY_OPENACC, name, arguments);
    return true;
}

/* ------------------------------------------------------------------ the operating system */

enum { OS_CLASS = COMMON_COUNT, OS_RESULT, OS_COUNT };
static const char *const os_columns[OS_COUNT] = {COMMON, "eventClass", "returnValue"};

static bool read_os(struct nsys *self, struct rows_of *rows, enum category category)
{
    struct host_row row;
    uint32_t name, arguments;
    enum row kind = read_row(self, rows, &row);
    if (kind != ROW_FINE)
        return kind == ROW_LEFT_OUT;
    int64_t class = draft_integer(row.trace, rows, OS_CLASS);
    if (category == CATEGORY_OS_RUNTIME && class != NONE && class != CLASS_OS) {
        draft_note(row.trace, NOTE_INTERNAL_EVENT); /* start and finish of threads */
        return true;
    }
    int64_t result = draft_integer(row.trace, rows, OS_RESULT);
    if (!nsys_name(self, row.trace, rows, NAME, NSYS_TEXT, &name))
        return false;
    result_arguments(self, row.trace, result < 0 ? result : NONE, &arguments);
    add_named(&row, category, name, arguments);
    return true;
}

static bool read_os_runtime(struct nsys *self, struct rows_of *rows)
{
    return read_os(self, rows, CATEGORY_OS_RUNTIME);
}

static bool read_syscall(struct nsys *self, struct rows_of *rows)
{
    return read_os(self, rows, CATEGORY_SYSCALL);
}

/* ------------------------------------------------------------------ MPI */

enum { MPI_COMM = COMMON_COUNT, MPI_PEER, MPI_RECEIVED, MPI_ROOT, MPI_SIZE, MPI_TAG, MPI_COUNT };
static const char *const mpi_columns[MPI_COUNT] = {
    "start",      "end",      "globalTid", "textId", "commHandle",
    "remoteRank", "recvSize", "rootRank",  "size",   "tag"};

/* Kinds of calls in a table: messages between two, between all, waiting for either, the rest. */
enum mpi_source { MPI_TWO, MPI_ALL, MPI_WAIT, MPI_OTHER };

static bool read_mpi(struct nsys *self, struct rows_of *rows, enum mpi_source source)
{
    struct host_row row;
    uint32_t name;
    enum row kind = read_row(self, rows, &row);
    if (kind != ROW_FINE)
        return kind == ROW_LEFT_OUT;
    int64_t values[MPI_COUNT - COMMON_COUNT + 1];
    values[MPI_COUNT - COMMON_COUNT] = source;
    for (size_t i = 0; i < MPI_COUNT - COMMON_COUNT; i++)
        values[i] = draft_integer(row.trace, rows, COMMON_COUNT + i);
    uint32_t *known = draft_arguments(row.trace, values, sizeof values);
    if (!*known) {
        static const char *const keys[] = {"comm", "peer", "recv size", "root", "size"};
        static const char *const sources[] = {"p2p", "coll", "start_wait", "other"};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            desk_member(&self->desk, keys[i], values[i]);
        desk_member_text(&self->desk, "source", view_of(sources[values[MPI_COUNT - COMMON_COUNT]]));
        desk_member(&self->desk, "tag", values[MPI_TAG - COMMON_COUNT]);
        draft_finish_arguments(row.trace, known);
    }
    if (!nsys_name(self, row.trace, rows, NAME, NSYS_TEXT, &name))
        return false;
    add_named(&row, CATEGORY_MPI, name, *known);
    return true;
}

#define MPI(function, source)                                     \
    static bool function(struct nsys *self, struct rows_of *rows) \
    {                                                             \
        return read_mpi(self, rows, (source));                    \
    }
MPI(read_mpi_two, MPI_TWO)
MPI(read_mpi_all, MPI_ALL)
MPI(read_mpi_wait, MPI_WAIT)
MPI(read_mpi_other, MPI_OTHER)

/* ------------------------------------------------------------------ overhead */

enum { OVERHEAD_TYPE = COMMON_COUNT, OVERHEAD_COUNT };
static const char *const overhead_columns[OVERHEAD_COUNT] = {COMMON, "overheadType"};

static bool read_overhead(struct nsys *self, struct rows_of *rows)
{
    static const char *const words[] = {
        "Undefined",          "Unknown",  "Driver compiler", "Buffer flush",
        "Instrumentation",    "Resource", "Module loading",  "Lazy function loading",
        "Command buffer full"};
    struct host_row row;
    uint32_t name, arguments = 0;
    enum row kind = read_row(self, rows, &row);
    if (kind != ROW_FINE)
        return kind == ROW_LEFT_OUT;
    int64_t type = draft_integer(row.trace, rows, OVERHEAD_TYPE);
    bool is_known = type > 0 && (size_t)type < sizeof words / sizeof *words;
    if (!nsys_string(self, row.trace, rows, NAME, NSYS_TEXT, &name))
        return false;
    if (!name)
        draft_keep(row.trace, view_of(is_known ? words[type] : "Overhead"), &name);
    if (is_known) {
        desk_member_text(&self->desk, "type", view_of(words[type]));
        draft_finish_arguments(row.trace, &arguments);
    }
    add_named(&row, CATEGORY_OVERHEAD, name, arguments);
    return true;
}

/* ------------------------------------------------------------------ memory */

enum {
    MEMORY_TIME,
    MEMORY_DEVICE,
    MEMORY_CORRELATION,
    MEMORY_PROCESS,
    MEMORY_ADDRESS,
    MEMORY_BYTES,
    MEMORY_KIND,
    MEMORY_OPERATION,
    MEMORY_POOL,
    MEMORY_COUNT
};
static const char *const memory_columns[MEMORY_COUNT] = {
    "start", "deviceId", "correlationId",       "globalPid",          "address",
    "bytes", "memKind",  "memoryOperationType", "localMemoryPoolSize"};

static bool read_memory(struct nsys *self, struct rows_of *rows)
{
    int64_t time;
    struct nsys_process *process =
        nsys_process_with(self, nsys_work_key(self, rows, MEMORY_PROCESS, MEMORY_CORRELATION));
    struct draft *trace = nsys_trace_of(self, process);
    if (rows_integer(rows, MEMORY_TIME, &time) != VALUE_FINE ||
        __builtin_sub_overflow(time, self->desk.clock_shift, &time)) {
        draft_note(trace, NOTE_TIME_MISSING);
        return true;
    }
    const struct slice *call =
        draft_call(trace, nsys_correlation(process, rows, MEMORY_CORRELATION));
    uint32_t place = call ? call->place : nsys_thread(trace, process, NONE);
    if (!place)
        return false;
    struct memory_record *record = array_push(&trace->trace.memory);
    int64_t device = draft_integer(trace, rows, MEMORY_DEVICE);
    int64_t bytes = draft_integer(trace, rows, MEMORY_BYTES);
    bool is_release = draft_integer(trace, rows, MEMORY_OPERATION) == 1;
    int64_t kind = draft_integer(trace, rows, MEMORY_KIND);
    *record = (struct memory_record){
        .time = time,
        .bytes = is_release && bytes != NONE ? -bytes : bytes,
        .address = draft_integer(trace, rows, MEMORY_ADDRESS),
        .allocated = kind, /* until all are there: trace_sum_memory sums them */
        .reserved = draft_integer(trace, rows, MEMORY_POOL),
        .device_type = 1,
        .device = device >= 0 && device <= INT32_MAX ? (int32_t)device : -1,
        .place = place,
        .uid = (uint32_t)self->desk.uid,
    };
    return true;
}

#define COLUMNS(names) (names), sizeof(names) / sizeof *(names)

const struct nsys_table nsys_call_tables[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", COLUMNS(call_columns), NEEDED, read_call},
    {0},
};

const struct nsys_table nsys_library_tables[] = {
    {"CUBLAS_EVENTS", COLUMNS(named_columns), NEEDED, read_library},
    {"CUDNN_EVENTS", COLUMNS(named_columns), NEEDED, read_library},
    {0},
};

const struct nsys_table nsys_host_tables[] = {
    {"OSRT_API", COLUMNS(os_columns), NEEDED, read_os_runtime},
    {"MPI_P2P_EVENTS", COLUMNS(mpi_columns), NEEDED, read_mpi_two},
    {"MPI_COLLECTIVES_EVENTS", COLUMNS(mpi_columns), NEEDED, read_mpi_all},
    {"MPI_START_WAIT_EVENTS", COLUMNS(mpi_columns), NEEDED, read_mpi_wait},
    {"MPI_OTHER_EVENTS", COLUMNS(mpi_columns), NEEDED, read_mpi_other},
    {"PROFILER_OVERHEAD", COLUMNS(overhead_columns), NEEDED, read_overhead},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", COLUMNS(overhead_columns), NEEDED, read_overhead},
    {"CUPTI_ACTIVITY_KIND_JIT", COLUMNS(overhead_columns), NEEDED, read_overhead},
    {"SYSCALL", COLUMNS(os_columns), NEEDED, read_syscall},
    {"CUDA_HOST_CALLBACK", COLUMNS(named_columns), NEEDED, read_callback},
    {"CUPTI_ACTIVITY_KIND_OPENACC_DATA", COLUMNS(openacc_columns), NEEDED, read_openacc},
    {"CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", COLUMNS(openacc_columns), NEEDED, read_openacc},
    {"CUPTI_ACTIVITY_KIND_OPENACC_OTHER", COLUMNS(openacc_columns), NEEDED, read_openacc},
    {"OPENMP_EVENT_KIND_THREAD", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_PARALLEL", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_SYNC_REGION_WAIT", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_SYNC_REGION", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_TASK", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_MASTER", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_REDUCTION", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_TASK_CREATE", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_TASK_SCHEDULE", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_CANCEL", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_MUTEX_WAIT", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_CRITICAL_SECTION", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_MUTEX_RELEASED", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_LOCK_INIT", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_LOCK_DESTROY", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_WORKSHARE", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_DISPATCH", COLUMNS(named_columns), NEEDED, read_openmp},
    {"OPENMP_EVENT_KIND_FLUSH", COLUMNS(named_columns), NEEDED, read_openmp},
    {"UCP_EVENTS", COLUMNS(text_columns), NEEDED, read_ucp},
    {"UCP_SUBMIT_EVENTS", COLUMNS(text_columns), NEEDED, read_ucp},
    {"UCP_PROGRESS_EVENTS", COLUMNS(text_columns), NEEDED, read_ucp},
    {0},
};

const struct nsys_table nsys_memory_tables[] = {
    {"CUDA_GPU_MEMORY_USAGE_EVENTS", COLUMNS(memory_columns), 1u << MEMORY_TIME, read_memory},
    {0},
};

/* ------------------------------------------------------------------ page faults */

enum {
    FAULT_START,
    FAULT_END,
    FAULT_PROCESS,
    FAULT_DEVICE,
    FAULT_ADDRESS,
    FAULT_PAGES,
    FAULT_ACCESS,
    FAULT_SYMBOL,
    FAULT_COLUMN_COUNT
};
static const char *const fault_columns[FAULT_COLUMN_COUNT] = {
    "start",           "end",           "globalPid", "deviceId", "address", "numberOfPageFaults",
    "faultAccessType", "CpuInstruction"};

/* An address that could not be read means nothing. */
static bool read_fault_address(struct draft *trace, struct rows_of *rows, int64_t *address)
{
    enum value_kind kind = rows_integer(rows, FAULT_ADDRESS, address);
    if (kind != VALUE_FINE)
        draft_note(trace, NOTE_VALUE_ODD);
    return kind == VALUE_FINE;
}

static bool read_host_fault(struct nsys *self, struct rows_of *rows)
{
    int64_t id;
    struct page_fault fault = {.duration = NONE, .device = NONE, .count = 1};
    struct nsys_process *process = nsys_process_of(self, rows, FAULT_PROCESS, &id);
    struct draft *trace = nsys_trace_of(self, process);
    if (!draft_moment(trace, rows, FAULT_START, &fault.time) ||
        !read_fault_address(trace, rows, &fault.address))
        return true;
    if (!nsys_string(self, trace, rows, FAULT_SYMBOL, NSYS_TEXT, &fault.symbol))
        return false;
    array_add(&trace->page_faults, fault);
    return true;
}

static bool read_device_fault(struct nsys *self, struct rows_of *rows)
{
    int64_t id;
    struct draft_time time;
    struct page_fault fault = {0};
    struct nsys_process *process = nsys_process_of(self, rows, FAULT_PROCESS, &id);
    struct draft *trace = nsys_trace_of(self, process);
    if (!draft_time(trace, rows, FAULT_START, FAULT_END, false, &time) ||
        !read_fault_address(trace, rows, &fault.address))
        return true;
    int64_t device = draft_integer(trace, rows, FAULT_DEVICE);
    int64_t count = draft_integer(trace, rows, FAULT_PAGES);
    fault.time = time.start;
    fault.duration = time.duration;
    fault.device = device >= 0 && device <= INT32_MAX ? device : -1;
    fault.count = count == NONE ? 1 : count;

    /* The accelerator's kind of access to the page. */
    int64_t access = draft_integer(trace, rows, FAULT_ACCESS);
    static const char *const words[] = {NULL, "read", "write", "atomic", "prefetch"};
    bool is_known = access > 0 && (size_t)access < sizeof words / sizeof *words;
    if (is_known)
        draft_keep(trace, view_of(words[access]), &fault.access);
    array_add(&trace->page_faults, fault);
    return true;
}

const struct nsys_table nsys_fault_tables[] = {
    {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", fault_columns, FAULT_COLUMN_COUNT,
     1u << FAULT_START | 1u << FAULT_ADDRESS, read_host_fault},
    {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", fault_columns, FAULT_COLUMN_COUNT,
     1u << FAULT_START | 1u << FAULT_END | 1u << FAULT_ADDRESS, read_device_fault},
    {0},
};

/* ------------------------------------------------------------------ threads on CPUs */

enum { SWITCH_THREAD, SWITCH_TIME, SWITCH_IN, SWITCH_CPU, SWITCH_COUNT };
static const char *const switch_columns[SWITCH_COUNT] = {"globalTid", "start", "isSchedIn", "cpu"};

/* Switches make no process: those of the whole machine may be recorded. */
static bool read_switch(struct nsys *self, struct rows_of *rows)
{
    int64_t thread;
    struct thread_state state = {0};
    nsys_read_integers(rows, (int64_t *const[]){&thread}, 1);
    const struct nsys_process *process =
        thread == NONE ? NULL : nsys_known_process(self, thread & NSYS_PROCESS_BITS, 0);
    if (!process) {
        note_count(&self->desk.notes, NOTE_SWITCH_UNUSED, 1, self->desk.uid, -1);
        return true;
    }
    struct draft *trace = nsys_trace_of(self, process);
    int64_t is_in = draft_integer(trace, rows, SWITCH_IN);
    if (is_in == NONE || !draft_moment(trace, rows, SWITCH_TIME, &state.time))
        return true;
    state.is_in = is_in != 0;
    state.cpu = draft_integer(trace, rows, SWITCH_CPU);
    state.place = nsys_thread(trace, process, thread);
    array_add(&trace->trace.threads, state);
    return state.place != 0;
}

const struct nsys_table nsys_switch_tables[] = {
    {"SCHED_EVENTS", COLUMNS(switch_columns), (1u << SWITCH_CPU) - 1, read_switch},
    {0},
};
