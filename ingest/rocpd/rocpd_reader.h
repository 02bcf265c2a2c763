/* rocpd_reader: what the parts of the reader share: the tables of one process, what their ids name.
 *
 * The tables of a process end in its id, so that those of several can stand in one file; they are
 * read process by process. Ids name rows of such a process only. What slices refer to is kept as
 * arrays sorted by id, where mostly the place of an id is known without a search; nothing is
 * joined in SQL.
 */
#pragma once

#include "ingest/input/database.h"
#include "ingest/trace/draft.h"
#include "ingest/trace/format.h"

/* A process of the file, by what identifies it anywhere. */
struct rocpd_process {
    uint32_t guid; /* in rocpd.words */
    struct draft *draft;
};

/* Rows that tables name by id; the id is the first member. Texts are in rocpd.words. */
struct rocpd_event {
    int64_t id, stack, external;
    uint32_t argument, arguments; /* the first one, and how many */
    uint32_t domain;              /* index + 1 */
    uint32_t slice;               /* of work, index + 1; or ROCPD_COUNTED */
};
#define ROCPD_COUNTED UINT32_MAX /* a counter names the event, and it is none of work so far */

struct rocpd_domain {
    uint32_t text;
    enum category category; /* of what programs called */
};

struct rocpd_agent {
    int64_t id, ordinal, cores;
    bool is_gpu;
    uint32_t name, architecture, properties;
};

struct rocpd_symbol {
    int64_t id, vgprs, accumulators, sgprs;
    uint32_t name;
};

struct rocpd_track {
    int64_t id, process, thread, agent, queue, stream, name;
};

struct rocpd_counter {
    int64_t id, agent;
    uint32_t name, unit;
};

struct rocpd_moment { /* of a sample, by its own id or by that of its event */
    int64_t id, time;
};

struct rocpd_named { /* a process, thread or stream */
    int64_t id, number;
    uint32_t name;
};

/* An argument of a call, or a number of a graph that it launched: `member` is JSON. */
struct rocpd_argument {
    uint32_t event, member;
    int32_t position;
};

/* Messages of programs, beside the ranges that they are about: mostly both are in one order. */
struct rocpd_messages {
    struct rows_of *rows; /* of those that may say something; NULL = not open yet */
    int64_t id;           /* of the row in hand; INT64_MAX = there is none any more */
    struct texts_of *others;
};

/* A range of a library that moves data between ranks. */
struct rocpd_library {
    struct draft *draft;
    uint32_t slice, event;
};

/* The tables with one ending. */
struct rocpd_part {
    size_t first; /* of its processes */
    struct texts_of *strings;
    struct rocpd_messages messages;
    struct draft *draft;       /* NULL = rows tell, each by its guid */
    struct map domain_numbers; /* id of a category -> index in domains + 1 */
    ARRAY(struct rocpd_event) events;
    ARRAY(struct rocpd_domain) domains;
    ARRAY(struct rocpd_agent) agents;
    ARRAY(struct rocpd_symbol) symbols;
    ARRAY(struct rocpd_track) tracks;
    ARRAY(struct rocpd_counter) counters;
    ARRAY(struct rocpd_moment) moments, event_moments;
    struct map counted; /* samples that counters name */
    ARRAY(struct rocpd_named) processes, threads, streams;
    ARRAY(struct rocpd_argument) arguments;
    ARRAY(struct rocpd_library) libraries;
};

struct rocpd {
    struct desk desk;
    struct intern words; /* texts of the file that are not those of one trace */
    ARRAY(struct rocpd_process) processes;
    struct rocpd_part part;
    struct texts_of *categories; /* their names, where they have a table of their own */
    struct text extra, message;  /* scratch */
    struct text agents;          /* an object without its last brace */
};

/* A row of a table of slices, and the numbers that its columns fill. */
struct rocpd_row {
    struct draft_row base;
    struct rocpd *rocpd;
    struct rows_of *rows;
    const struct desk_table *table;
    const struct rocpd_event *event;              /* NULL = none */
    int64_t track, process, thread, agent, queue; /* what the row does not say, its track does */
    int64_t track_name;                           /* id of the text that its track is called by */
    union {
        struct {
            int64_t symbol, vgprs, accumulators, sgprs, registers, scratch, shared, block[3],
                items[3], grid[3], graph, node, region, missing;
        } kernel;
        struct {
            int64_t to, from, graph, node;
        } copy;
        int64_t address;
    };
};
#define ROCPD_AT(member) .at = offsetof(struct rocpd_row, member)

/* Columns that tables of slices begin with, behind their times. */
enum { ROCPD_START, ROCPD_END, ROCPD_GUID, ROCPD_EVENT, ROCPD_OWN = 10 };
/* clang-format off */
#define ROCPD_BEHIND_TIME                                                                     \
    {.name = "guid"}, {.name = "event_id"}, {"track_id", ROCPD_AT(track)},                    \
    {"pid", ROCPD_AT(process)}, {"tid", ROCPD_AT(thread)}, {"agent_id", ROCPD_AT(agent)},     \
    {"queue_id", ROCPD_AT(queue)}, {"stream_id", ROCPD_AT(base.stream)}
#define ROCPD_ROW \
    {"start", .type = DRAFT_NEEDED}, {"end", .type = DRAFT_NEEDED}, ROCPD_BEHIND_TIME
/* clang-format on */

/* Reads a row as far as all of them are alike, and hands it to table->add. */
bool rocpd_read_row(void *reader, struct rows_of *rows, const struct desk_table *table);

/* The tables of slices, in the order in which their rows are counted; without a name behind. */
extern const struct desk_table rocpd_work_tables[], rocpd_host_tables[], rocpd_memory_tables[];

/* A process by its guid, made where it is new. */
struct rocpd_process *rocpd_process(struct rocpd *self, struct view guid);

/* The trace of the row in hand, by the column with its guid. */
struct draft *rocpd_draft(struct rocpd *self, struct rows_of *rows, size_t guid);

/* ------------------------------------------------------------------ what ids name */

/* Reads what slices refer to, and describes places and devices. */
bool rocpd_read_names(struct rocpd *self);

/* Sorts rows by their first member, an int64_t. */
void rocpd_sort(void *items, size_t count, size_t size);
#define ROCPD_SORT(list) rocpd_sort((list).items, (list).count, sizeof *(list).items)

/* The row with an id; NULL = there is none. */
const void *rocpd_find(const void *items, size_t count, size_t size, int64_t id);
#define ROCPD_FIND(list, id) rocpd_find((list).items, (list).count, sizeof *(list).items, (id))

/* A text by its id in a column, in the trace; 0 in `number` when there is none, which is counted
 * unless it is NULL. Copies are called as PyTorch calls them. */
enum rocpd_text { ROCPD_TEXT, ROCPD_TEXT_COPY, ROCPD_TEXT_SYMBOL, ROCPD_COUNTER };
bool rocpd_string(struct rocpd *self, struct draft *draft, struct rows_of *rows, size_t column,
                  enum rocpd_text kind, uint32_t *number);
bool rocpd_string_of(struct rocpd *self, struct draft *draft, int64_t id, enum rocpd_text kind,
                     uint32_t *number);

/* The same, for names: what has none is called by the empty text. */
bool rocpd_name(struct rocpd *self, struct draft *draft, struct rows_of *rows, size_t column,
                enum rocpd_text kind, uint32_t *number);

/* A member of an object that need not be canonical, as a plain text; 0 = it has none that is a
 * text. */
void rocpd_member(struct rocpd *self, struct view object, const char *key, struct text *out);

/* A word of the file as a text of a trace; 0 is none. */
void rocpd_word(struct rocpd *self, struct draft *draft, uint32_t word, uint32_t *number);

/* A text of some bytes as a word. */
uint32_t rocpd_keep(struct rocpd *self, struct view text);

/* A text of a row as a word; 0 = it has none. */
uint32_t rocpd_read_word(struct rocpd *self, struct rows_of *rows, size_t column);

/* The program's message with an event, in `message`; empty without one. */
bool rocpd_message(struct rocpd *self, const struct rocpd_event *event, struct text *message);
void rocpd_messages_close(struct rocpd_messages *self);

/* ------------------------------------------------------------------ where rows are */

/* Where a thread or a stream is; 0 = failed. */
uint32_t rocpd_thread(struct rocpd *self, struct draft *draft, int64_t process, int64_t thread);
uint32_t rocpd_stream(struct rocpd *self, struct draft *draft, int64_t device, int64_t stream);

/* The number of an accelerator, -1 when an agent is none. */
int64_t rocpd_device(const struct rocpd *self, int64_t agent);

/* ------------------------------------------------------------------ arguments of calls */

/* Reads them all; they are asked for later. */
bool rocpd_read_arguments(struct rocpd *self);

/* The arguments of an event as JSON, with its domain where that is given. */
void rocpd_arguments(struct rocpd *self, struct draft *draft, const struct rocpd_event *event,
                     uint32_t domain, uint32_t *number);

/* The value of an argument of an event, JSON; empty when it has none. */
struct view rocpd_argument(const struct rocpd *self, const struct rocpd_event *event,
                           const char *key);

/* ------------------------------------------------------------------ counters */

/* Finds out which events and samples counters name, before those are read. */
bool rocpd_mark_counters(struct rocpd *self);

/* Keeps the time of a sample that a counter names; false: none does. */
bool rocpd_keep_moment(struct rocpd *self, int64_t sample, const struct rocpd_event *event,
                       int64_t time);
bool rocpd_read_counters(struct rocpd *self);

/* ------------------------------------------------------------------ the end of a part */

/* Releases of memory take the size of what they release; then all is summed up. */
void rocpd_sum_memory(struct draft *draft);

/* Tells kernels which collective they carry out, and makes calls of ranges that launch work. */
void rocpd_link_libraries(struct rocpd *self);
