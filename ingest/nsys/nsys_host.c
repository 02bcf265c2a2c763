/* nsys_host: tables of what the host did beside marking ranges: calls of CUDA, of libraries, of the
 * operating system, of MPI, what the profiler itself cost, memory: its use, and page faults of
 * unified memory, and when threads ran on CPUs. */
#include "ingest/nsys/nsys_reader.h"

static const struct draft_column named_columns[] = {NSYS_HOST, {"nameId", .type = DRAFT_NAME}};
static const struct draft_column text_columns[] = {NSYS_HOST, {"textId", .type = DRAFT_NAME}};

/* ------------------------------------------------------------------ calls */

static const struct draft_column call_columns[] = {
    NSYS_HOST,
    {"nameId", .type = DRAFT_NAME},
    {"eventClass", NSYS_AT(class)},
    {.name = "correlationId"},
    {"returnValue", NSYS_AT(result), "result", DRAFT_SOME},
};
enum { CALL_CORRELATION = 5 };
enum { CLASS_DRIVER = 1, CLASS_EGL = 13, CLASS_OS = 27, CLASS_BACKTRACE = 67 };

static bool add_call(void *row)
{
    struct nsys_row *self = row;
    if (self->class == CLASS_BACKTRACE) { /* carries the backtrace of another row */
        draft_note(self->base.draft, NOTE_BACKTRACE_ROW);
        return true;
    }
    if (self->class == CLASS_DRIVER || self->class == CLASS_EGL)
        self->base.category = CATEGORY_DRIVER;
    self->base.correlation = nsys_correlation(self->process, self->rows, CALL_CORRELATION);
    self->base.external = NONE;
    return nsys_add(self);
}

static bool add_os(void *row)
{
    struct nsys_row *self = row;
    bool is_runtime = self->base.category == CATEGORY_OS_RUNTIME;
    if (is_runtime && self->class != NONE && self->class != CLASS_OS) {
        draft_note(self->base.draft, NOTE_INTERNAL_EVENT); /* start and finish of threads */
        return true;
    }
    if (self->result > 0)
        self->result = NONE;
    return nsys_add(self);
}

static const struct draft_column openacc_columns[] = {
    NSYS_HOST,
    {"nameId", .type = DRAFT_NAME},
    {"srcFile", NSYS_AT(source.file), "file", DRAFT_TEXT},
    {"lineNo", NSYS_AT(source.line), "line"},
};

/* Where in the program's source it is. */
static bool add_openacc(void *row)
{
    struct nsys_row *self = row;
    if (!nsys_read_texts(self))
        return false;
    if (!self->source.file)
        self->source.line = NONE;
    return nsys_add(self);
}

/* Kinds of calls in a table: messages between two, between all, waiting for either, the rest. */
enum mpi_source { MPI_TWO, MPI_ALL, MPI_WAIT, MPI_OTHER };
static const char *const mpi_sources[] = {"p2p", "coll", "start_wait", "other"};

static const struct draft_column mpi_columns[] = {
    NSYS_HOST,
    {"textId", .type = DRAFT_NAME},
    {"commHandle", NSYS_AT(mpi.communicator), "comm"},
    {"remoteRank", NSYS_AT(mpi.peer), "peer"},
    {"recvSize", NSYS_AT(mpi.received), "recv size"},
    {"rootRank", NSYS_AT(mpi.root), "root"},
    {"size", NSYS_AT(mpi.size), "size"},
    {NULL, NSYS_AT(mpi.source), "source", DRAFT_WORDS(mpi_sources)},
    {"tag", NSYS_AT(mpi.tag), "tag"},
};

static bool add_mpi(void *row)
{
    struct nsys_row *self = row;
    self->mpi.source = self->table->kind;
    return nsys_add(self);
}

static const char *const overheads[] = {
    NULL,       "Unknown",        "Driver compiler",       "Buffer flush",       "Instrumentation",
    "Resource", "Module loading", "Lazy function loading", "Command buffer full"};

static const struct draft_column overhead_columns[] = {
    NSYS_HOST,
    {"nameId", .type = DRAFT_NAME},
    {"overheadType", NSYS_AT(overhead), "type", DRAFT_WORDS(overheads)},
};

static bool add_overhead(void *row)
{
    struct nsys_row *self = row;
    bool is_known =
        self->overhead > 0 && (size_t)self->overhead < sizeof overheads / sizeof *overheads;
    self->unnamed = view_of(is_known ? overheads[self->overhead] : "Overhead");
    return nsys_add(self);
}

/* ------------------------------------------------------------------ memory */

static const struct draft_column memory_columns[] = {
    {"start", .type = DRAFT_NEEDED},
    {.name = NULL},
    {.name = "globalPid"},
    {.name = "correlationId"},
    {"deviceId", NSYS_AT(base.device)},
    {"address", NSYS_AT(memory.address)},
    {"bytes", NSYS_AT(memory.bytes)},
    {"memKind", NSYS_AT(memory.kind)},
    {"memoryOperationType", NSYS_AT(memory.operation)},
    {"localMemoryPoolSize", NSYS_AT(memory.pool)},
};

static int64_t number_of_device(int64_t device)
{
    return device >= 0 && device <= INT32_MAX ? device : -1;
}

static bool read_memory(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys *self = reader;
    int64_t time, key = nsys_work_key(self, rows, NSYS_WHOSE, NSYS_CORRELATION);
    struct nsys_process *process = nsys_process_with(self, key);
    struct draft *draft = nsys_trace_of(self, process);
    struct nsys_row row = {.base.draft = draft};
    if (rows_integer(rows, NSYS_START, &time) != VALUE_FINE ||
        __builtin_sub_overflow(time, self->desk.clock_shift, &time)) {
        draft_note(draft, NOTE_TIME_MISSING);
        return true;
    }
    const struct slice *call = draft_call(draft, nsys_correlation(process, rows, NSYS_CORRELATION));
    uint32_t place = call ? call->place : nsys_thread(draft, process, NONE);
    if (!place)
        return false;
    draft_row_read(&row.base, rows, table);
    bool is_release = row.memory.operation == 1 && row.memory.bytes != NONE;
    array_add(&draft->trace.memory,
              (struct memory_record){
                  .time = time,
                  .bytes = is_release ? -row.memory.bytes : row.memory.bytes,
                  .address = row.memory.address,
                  .allocated = row.memory.kind, /* until trace_sum_memory sums them */
                  .reserved = row.memory.pool,
                  .device_type = 1,
                  .device = (int32_t)number_of_device(row.base.device),
                  .place = place,
                  .uid = (uint32_t)self->desk.uid,
              });
    return true;
}

const struct desk_table nsys_call_tables[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", DRAFT_COLUMNS(call_columns), nsys_read_host, CATEGORY_RUNTIME,
     add_call},
    {0},
};

const struct desk_table nsys_host_tables[] = {
    {"CUBLAS_EVENTS", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_LIBRARY_CALL},
    {"CUDNN_EVENTS", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_LIBRARY_CALL},
    {"OSRT_API", DRAFT_COLUMNS(call_columns), nsys_read_host, CATEGORY_OS_RUNTIME, add_os},
    {"MPI_P2P_EVENTS", DRAFT_COLUMNS(mpi_columns), nsys_read_host, CATEGORY_MPI, add_mpi, MPI_TWO},
    {"MPI_COLLECTIVES_EVENTS", DRAFT_COLUMNS(mpi_columns), nsys_read_host, CATEGORY_MPI, add_mpi,
     MPI_ALL},
    {"MPI_START_WAIT_EVENTS", DRAFT_COLUMNS(mpi_columns), nsys_read_host, CATEGORY_MPI, add_mpi,
     MPI_WAIT},
    {"MPI_OTHER_EVENTS", DRAFT_COLUMNS(mpi_columns), nsys_read_host, CATEGORY_MPI, add_mpi,
     MPI_OTHER},
    {"PROFILER_OVERHEAD", DRAFT_COLUMNS(overhead_columns), nsys_read_host, CATEGORY_OVERHEAD,
     add_overhead},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", DRAFT_COLUMNS(overhead_columns), nsys_read_host,
     CATEGORY_OVERHEAD, add_overhead},
    {"CUPTI_ACTIVITY_KIND_JIT", DRAFT_COLUMNS(overhead_columns), nsys_read_host, CATEGORY_OVERHEAD,
     add_overhead},
    {"SYSCALL", DRAFT_COLUMNS(call_columns), nsys_read_host, CATEGORY_SYSCALL, add_os},
    {"CUDA_HOST_CALLBACK", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_HOST_CALLBACK},
    {"CUPTI_ACTIVITY_KIND_OPENACC_DATA", DRAFT_COLUMNS(openacc_columns), nsys_read_host,
     CATEGORY_OPENACC, add_openacc},
    {"CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", DRAFT_COLUMNS(openacc_columns), nsys_read_host,
     CATEGORY_OPENACC, add_openacc},
    {"CUPTI_ACTIVITY_KIND_OPENACC_OTHER", DRAFT_COLUMNS(openacc_columns), nsys_read_host,
     CATEGORY_OPENACC, add_openacc},
    {"OPENMP_EVENT_KIND_THREAD", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_PARALLEL", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_SYNC_REGION_WAIT", DRAFT_COLUMNS(named_columns), nsys_read_host,
     CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_SYNC_REGION", DRAFT_COLUMNS(named_columns), nsys_read_host,
     CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_TASK", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_MASTER", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_REDUCTION", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_TASK_CREATE", DRAFT_COLUMNS(named_columns), nsys_read_host,
     CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_TASK_SCHEDULE", DRAFT_COLUMNS(named_columns), nsys_read_host,
     CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_CANCEL", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_MUTEX_WAIT", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_CRITICAL_SECTION", DRAFT_COLUMNS(named_columns), nsys_read_host,
     CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_MUTEX_RELEASED", DRAFT_COLUMNS(named_columns), nsys_read_host,
     CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_LOCK_INIT", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_LOCK_DESTROY", DRAFT_COLUMNS(named_columns), nsys_read_host,
     CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_WORKSHARE", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_DISPATCH", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"OPENMP_EVENT_KIND_FLUSH", DRAFT_COLUMNS(named_columns), nsys_read_host, CATEGORY_OPENMP},
    {"UCP_EVENTS", DRAFT_COLUMNS(text_columns), nsys_read_host, CATEGORY_UCP},
    {"UCP_SUBMIT_EVENTS", DRAFT_COLUMNS(text_columns), nsys_read_host, CATEGORY_UCP},
    {"UCP_PROGRESS_EVENTS", DRAFT_COLUMNS(text_columns), nsys_read_host, CATEGORY_UCP},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS", DRAFT_COLUMNS(memory_columns), read_memory},
    {0},
};

/* ------------------------------------------------------------------ page faults */

enum { FAULT_ADDRESS = 3, FAULT_SYMBOL };
static const struct draft_column host_fault_columns[] = {
    {"start", .type = DRAFT_NEEDED}, {.name = NULL},
    {.name = "globalPid"},           {"address", .type = DRAFT_NEEDED},
    {.name = "CpuInstruction"},
};
static const struct draft_column device_fault_columns[] = {
    {"start", .type = DRAFT_NEEDED},
    {"end", .type = DRAFT_NEEDED},
    {.name = "globalPid"},
    {"address", .type = DRAFT_NEEDED},
    {"deviceId", NSYS_AT(fault.device)},
    {"numberOfPageFaults", NSYS_AT(fault.count)},
    {"faultAccessType", NSYS_AT(fault.access)},
};

/* A fault of the host is of one page, and has no duration. */
static bool read_fault(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    static const char *const words[] = {NULL, "read", "write", "atomic", "prefetch"};
    struct nsys *self = reader;
    struct draft_time time;
    struct page_fault fault = {.duration = NONE, .device = NONE, .count = 1};
    int64_t id;
    bool is_of_host = table->columns == host_fault_columns;
    struct nsys_process *process = nsys_process_of(self, rows, NSYS_WHOSE, &id);
    struct draft *draft = nsys_trace_of(self, process);
    struct nsys_row row = {.base.draft = draft};
    bool has_time = is_of_host ? draft_moment(draft, rows, NSYS_START, &fault.time)
                               : draft_time(draft, rows, NSYS_START, NSYS_END, false, &time);
    if (!has_time)
        return true;
    if (rows_integer(rows, FAULT_ADDRESS, &fault.address) != VALUE_FINE) {
        draft_note(draft, NOTE_VALUE_ODD);
        return true;
    }
    if (is_of_host) {
        if (!nsys_string(self, draft, rows, FAULT_SYMBOL, NSYS_TEXT, &fault.symbol))
            return false;
    } else {
        draft_row_read(&row.base, rows, table);
        fault.time = time.start;
        fault.duration = time.duration;
        fault.device = number_of_device(row.fault.device);
        fault.count = row.fault.count == NONE ? 1 : row.fault.count;
        int64_t access = row.fault.access;
        if (access > 0 && (size_t)access < sizeof words / sizeof *words)
            draft_keep(draft, view_of(words[access]), &fault.access);
    }
    array_add(&draft->page_faults, fault);
    return true;
}

/* ------------------------------------------------------------------ threads on CPUs */

enum { SWITCH_THREAD, SWITCH_TIME, SWITCH_IN, SWITCH_CPU };
static const struct draft_column switch_columns[] = {
    {"globalTid", .type = DRAFT_NEEDED},
    {"start", .type = DRAFT_NEEDED},
    {"isSchedIn", .type = DRAFT_NEEDED},
    {.name = "cpu"},
};

/* Switches make no process: those of the whole machine may be recorded. */
static bool read_switch(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys *self = reader;
    int64_t thread;
    struct thread_state state = {0};
    (void)table;
    const struct nsys_process *process =
        rows_integer(rows, SWITCH_THREAD, &thread) == VALUE_FINE
            ? nsys_known_process(self, thread & NSYS_PROCESS_BITS, 0)
            : NULL;
    if (!process) {
        note_count(&self->desk.notes, NOTE_SWITCH_UNUSED, 1, self->desk.uid, -1);
        return true;
    }
    struct draft *draft = nsys_trace_of(self, process);
    int64_t is_in = draft_integer(draft, rows, SWITCH_IN);
    if (is_in == NONE || !draft_moment(draft, rows, SWITCH_TIME, &state.time))
        return true;
    state.is_in = is_in != 0;
    state.cpu = draft_integer(draft, rows, SWITCH_CPU);
    state.place = nsys_thread(draft, process, thread);
    array_add(&draft->trace.threads, state);
    return state.place != 0;
}

const struct desk_table nsys_late_tables[] = {
    {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", DRAFT_COLUMNS(host_fault_columns), read_fault},
    {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", DRAFT_COLUMNS(device_fault_columns), read_fault},
    {"SCHED_EVENTS", DRAFT_COLUMNS(switch_columns), read_switch},
    {0},
};
