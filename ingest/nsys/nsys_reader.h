/* nsys_reader: what the parts of the reader share: processes, texts, places, rows.
 *
 * Every process with GPU activities becomes a trace of its own; one without goes to the only
 * trace there is, or becomes one. Rows are given to traces as they come; their order means nothing
 * and is made at the end.
 */
#pragma once

#include "ingest/input/database.h"
#include "ingest/trace/collective.h"
#include "ingest/trace/draft.h"
#include "ingest/trace/format.h"

/* Bits of a process; the rest of its id is the machine. */
#define NSYS_PROCESS_BITS  ((int64_t)0xFFFFFFFFFF000000)
#define NSYS_WHOLE_CONTEXT ((int64_t)4294967295)

struct nsys_process {
    int64_t key; /* globalPid; NONE = rows that name none */
    int64_t pid;
    uint32_t number, into; /* index in desk.drafts */
    bool has_work;
    int64_t rank;                                 /* that MPI gave it; NONE */
    int64_t communicator_size, communicator_rank; /* of the largest one of NCCL; size 0 = none */
};

/* A range that never ended, or whose end is that of the window. */
struct nsys_open {
    uint32_t trace, slice;
};

/* A record of an event of CUDA, or a wait for one: see nsys_link.c. */
struct nsys_moment {
    int64_t event, record; /* number of the record; NONE = not stated */
    int64_t time;          /* start of the call */
    uint32_t process;      /* its number */
    uint32_t trace, call;  /* indices: of desk.drafts, of its slices */
};

/* A node of a graph of CUDA when it was made, and work that is one: see nsys_link.c. */
struct nsys_node {
    uint32_t process, trace, place; /* number, index in desk.drafts, thread */
    uint32_t op;                    /* slice + 1 of the op in which it was made; 0 = none */
    int64_t time, id, original;     /* the node that it is a copy of; NONE = it is none */
};

struct nsys_node_work {
    uint32_t process, trace, slice; /* likewise; index of its slices */
    int64_t node;
};

struct nsys_gpu {
    int64_t id, ordinal, cores;
};

/* A number of a device in a process, and which it is: all of an accelerator or a part of it. */
struct nsys_device {
    int64_t pid, ordinal, gpu, cores;
    uint32_t next; /* index + 1: the next part of the accelerator that the process sees */
};

/* Keys of rows beside a number: the id or number in TARGET_INFO_GPU, and whether a process has
 * devices of its own. */
enum nsys_key { NSYS_GPU_ID, NSYS_GPU_ORDINAL, NSYS_DESCRIBED };

/* The stream of a context for work that names none. */
struct nsys_null_stream {
    int64_t pid, context, stream;
};

/* Sampled counters: nsys_counter.c. */
struct nsys_metric {
    int64_t list, number, gpu; /* of the metric in its list; NONE = of no accelerator */
    uint32_t name, unit;       /* texts here */
};

struct nsys_counter {
    uint32_t trace, number; /* index in desk.drafts; number in its counters */
};

struct nsys_metrics {
    int64_t family;                      /* of the table that is being read, + 1 */
    ARRAY(struct nsys_metric) described; /* its metrics */
    struct map places;                   /* list, number -> its place there + 1 */
    struct intern texts;                 /* their names */
    struct intern seen;                  /* what rows name, as numbers */
    ARRAY(struct nsys_counter) counters; /* by that number - 1 */
};

/* Payloads of ranges beside their text: nsys_payload.c. Schemas are read before ranges; the payload
 * of a range is an object, by its number. Ranges of NCCL are remembered with theirs, and told to
 * kernels once all rows are there. */
struct nsys_field {
    int64_t domain, schema, index, type, offset;
    uint32_t name;
};

/* An enumeration's word for a value. */
struct nsys_word {
    int64_t domain, schema, value;
    uint32_t name;
};

/* The name of a field as a column has it. */
struct nsys_translation {
    uint32_t original, column;
};

/* A range of NCCL. */
struct nsys_nccl {
    uint32_t process;      /* its number */
    uint32_t trace, slice; /* indices: of desk.drafts, of its slices */
    uint32_t payload;      /* 0 = none */
};

struct nsys_payloads {
    ARRAY(struct nsys_field) fields; /* by domain, schema, index */
    ARRAY(struct nsys_word) words;   /* by domain, schema, value */
    ARRAY(struct nsys_translation) translations;
    ARRAY(struct nsys_nccl) calls;
    struct intern names;     /* of fields, values, columns */
    struct intern texts;     /* objects, in canonical form */
    struct map events;       /* id of an event -> its object, from tables */
    size_t read_bytes;       /* that objects were made of */
    struct text raw, object; /* the one in hand */
};

struct nsys {
    struct desk desk;
    struct texts_of *strings;
    ARRAY(struct nsys_process) processes;
    ARRAY(struct nsys_open) open;
    ARRAY(struct nsys_moment) records, waits;
    ARRAY(struct nsys_node) nodes;
    ARRAY(struct nsys_node_work) node_works;
    ARRAY(struct nsys_gpu) gpus;
    ARRAY(struct nsys_device) devices;
    struct map numbers;  /* process, number of a device -> index + 1 of the devices */
    struct map parts;    /* process, id of an accelerator -> likewise, the first one */
    struct map gpu_rows; /* number, enum nsys_key -> index + 1 of the gpus, or 1 */
    ARRAY(struct nsys_null_stream) null_streams;
    struct map contexts;    /* process, context -> index + 1 of the null streams, the first one */
    struct map keys;        /* key, 0 and pid, 1 -> index + 1 of the processes, the first one */
    struct map owners;      /* correlation id, 0 and key, 1 -> index + 1 of the callers */
    ARRAY(int64_t) callers; /* keys of processes with calls of CUDA */
    bool knows_owners;
    size_t working; /* processes with work */
    uint32_t some;  /* index + 1: of them, or of all where none has work, the least pid */
    struct map domains, categories;   /* of NVTX: process, id -> text of the trace */
    struct nsys_metrics metrics;      /* what was sampled */
    struct nsys_payloads payloads;    /* of ranges */
    bool reads_work;                  /* tables of GPU activities are being read */
    int64_t session;                  /* its start in ns since 1970; NONE = not stated */
    bool is_normal;                   /* times count from 1970, not from the session's start */
    struct text versions, priorities; /* objects without their last brace */
};

/* A row of a table, and the numbers that its columns fill. */
struct nsys_row {
    struct draft_row base;
    struct nsys *nsys;
    struct rows_of *rows;
    const struct desk_table *table;
    struct nsys_process *process;
    struct view unnamed; /* what a row is called that has no name */
    int64_t thread;
    int64_t context, green, node; /* of work */
    int64_t class, result;        /* of a call */
    union {
        struct {
            int64_t launch, registers, grid[3], block[3], fixed, dynamic, shared, local, graph,
                cluster[3];
            double blocks, warps; /* per SM */
        } kernel;
        struct {
            int64_t kind, from, to, from_device, to_device, cause, address, times;
        } copy;
        struct {
            int64_t value, kind;
        } set;
        struct {
            int64_t id, executable;
        } graph;
        struct {
            int64_t type, event, record;
        } sync;
        struct {
            int64_t file, line;
        } source;
        struct {
            int64_t communicator, peer, received, root, size, source, tag;
        } mpi;
        int64_t overhead;
        struct {
            int64_t address, bytes, kind, operation, pool;
        } memory;
        struct {
            int64_t device, count, access;
        } fault;
    };
};
#define NSYS_AT(member) .at = offsetof(struct nsys_row, member)

/* The tables of slices, in the order in which their rows are counted; without a name behind. */
extern const struct desk_table nsys_work_tables[], nsys_call_tables[], nsys_node_tables[],
    nsys_gpu_mark_tables[], nsys_range_tables[], nsys_host_tables[], nsys_counter_tables[],
    nsys_late_tables[];

/* Readers of rows: of the host, whose columns begin with NSYS_HOST, and of an accelerator, with
 * NSYS_WORK. What is special about a row is up to table->add, which calls nsys_add. */
bool nsys_read_host(void *reader, struct rows_of *rows, const struct desk_table *table);
bool nsys_read_work(void *reader, struct rows_of *rows, const struct desk_table *table);
enum { NSYS_START, NSYS_END, NSYS_WHOSE, NSYS_CORRELATION };
/* clang-format off */
#define NSYS_HOST \
    {"start", .type = DRAFT_NEEDED}, {"end", .type = DRAFT_NEEDED}, {.name = "globalTid"}
#define NSYS_WORK                                                                          \
    {"start", .type = DRAFT_NEEDED}, {"end", .type = DRAFT_NEEDED}, {.name = "globalPid"}, \
    {.name = "correlationId"}, {"deviceId", NSYS_AT(base.device)},                         \
    {"streamId", NSYS_AT(base.stream)}
/* clang-format on */

/* Finds the texts of a row; then, unless it was done before, makes its arguments and its slice. */
bool nsys_read_texts(struct nsys_row *self);
bool nsys_add(struct nsys_row *self);

/* ------------------------------------------------------------------ processes */

/* The process of a row, by a column with its id or with that of a thread. */
struct nsys_process *nsys_process_of(struct nsys *self, struct rows_of *rows, size_t column,
                                     int64_t *id);
struct draft *nsys_trace_of(struct nsys *self, const struct nsys_process *process);

struct nsys_process *nsys_process_with(struct nsys *self, int64_t key);

/* The key of a GPU activity's process: the one in its row, else that of the only process with calls
 * of CUDA, or with calls that have its correlation id. */
int64_t nsys_work_key(struct nsys *self, struct rows_of *rows, size_t column, size_t correlation);

/* The process for what belongs to the whole machine: the first one that has work, by number; made
 * where there is none. */
struct nsys_process *nsys_some_process(struct nsys *self);

/* Correlation ids that name a call or work of a process; NONE = none. */
int64_t nsys_correlation(const struct nsys_process *process, struct rows_of *rows, size_t column);

/* ------------------------------------------------------------------ texts and places */

enum nsys_text {
    NSYS_TEXT,      /* as it is */
    NSYS_TEXT_CALL, /* name of a call, without the version it came with */
    NSYS_TEXT_BASE, /* the last part of a path */
};

/* A text of StringIds by its id in a column; 0 in `number` when there is none. */
bool nsys_string(struct nsys *self, struct draft *trace, struct rows_of *rows, size_t column,
                 enum nsys_text kind, uint32_t *number);

/* Where a thread or stream is; 0 = there are too many. */
uint32_t nsys_thread(struct draft *trace, const struct nsys_process *process, int64_t thread);
uint32_t nsys_stream(struct draft *trace, int64_t device, int64_t stream);

/* The process with this key, 0, or pid, 1; NULL = none. */
struct nsys_process *nsys_known_process(struct nsys *self, int64_t key, int64_t kind);

/* The accelerator with an id or number; NULL = none. */
const struct nsys_gpu *nsys_gpu_with(const struct nsys *self, int64_t number, enum nsys_key kind);

/* How many multiprocessors a device of a process has; NONE = not described. */
int64_t nsys_cores_of(const struct nsys *self, int64_t pid, int64_t ordinal);

/* The number that a process has for a device; NONE = it does not see it. */
int64_t nsys_ordinal_of(const struct nsys *self, const struct nsys_process *process,
                        const struct nsys_gpu *gpu);

/* ------------------------------------------------------------------ beside slices */

/* Before slices are read: clocks, devices, what is kept of the metadata. */
bool nsys_prepare(struct nsys *self);

/* After: names of processes, threads and streams, devices, ranks of MPI. */
bool nsys_describe(struct nsys *self);

/* Names of domains and categories of NVTX, before ranges. */
bool nsys_read_names(struct nsys *self);

/* ------------------------------------------------------------------ events of CUDA */

/* Remembers that a call recorded an event or waits for one, by ids of rows; NONE = not stated. */
void nsys_add_moment(struct nsys *self, bool is_wait, const struct nsys_process *process,
                     int64_t correlation, int64_t event, int64_t record);

/* Links the calls that recorded events to those that waited for them. */
void nsys_link_events(struct nsys *self);

/* ------------------------------------------------------------------ graphs of CUDA */

/* Tells which op recorded the work of nodes. */
void nsys_link_nodes(struct nsys *self);

/* ------------------------------------------------------------------ payloads */

/* Columns that a payload may be in. */
struct nsys_payload_columns {
    size_t bytes, json, json_id, event;
};

bool nsys_is_payload_table(const char *name);
bool nsys_read_schemas(struct nsys *self);

/* The payload of the row in hand; 0 in `number` when it has none that could be read. */
bool nsys_payload(struct nsys *self, struct draft *trace, struct rows_of *rows,
                  const struct nsys_payload_columns *columns, uint32_t *number);

void nsys_add_nccl(struct nsys *self, const struct nsys_nccl *call);

/* Tells kernels what they are about, and processes which rank they are. */
void nsys_link_nccl(struct nsys *self);
