/* pftrace_reader: what the parts of the reader share: sequences, tracks, the event in hand.
 *
 * Packets come in sequences, each with its own dictionary of texts, clock and default track. Begins
 * and ends of slices are kept as edges until all is read: packets need not stand in the order of
 * time. Until then slice.place is the index of the track.
 */
#pragma once

#include "ingest/input/wire.h"
#include "ingest/trace/counter.h"
#include "ingest/trace/format.h"
#include "src/base/map.h"

/* Texts that a sequence has numbers for. */
enum pftrace_dictionary {
    DICTIONARY_CATEGORIES,
    DICTIONARY_NAMES,
    DICTIONARY_KEYS,
    DICTIONARY_STRINGS,
    DICTIONARY_COUNT,
};

typedef ARRAY(uint64_t) pftrace_tracks;

struct pftrace_sequence {
    uint32_t id;
    uint32_t generation; /* of its dictionaries: a new one once they are cleared */
    bool is_valid;       /* nothing was lost since they were */
    bool has_track;
    uint64_t track;           /* of events that name none */
    uint32_t clock;           /* of packets that name none; 0 = the trace's own */
    int64_t last_us;          /* of older writers, whose events add to it; NONE = not known */
    pftrace_tracks beside[2]; /* counters of values beside events that name none: integers, reals */
};

/* A clock by what it showed together with the trace's own. */
struct pftrace_clock {
    int64_t trace, own;
    int64_t multiplier;
    int64_t running; /* of one that counts from packet to packet */
    bool is_incremental;
};

struct pftrace_track {
    uint64_t uuid, parent;
    bool has_parent, is_process, is_thread;
    bool is_incremental; /* values of a counter are to be added up */
    int64_t pid, tid;
    int64_t multiplier;                /* of a counter's values; 0 = 1 */
    uint32_t name, process_name, unit; /* texts; 0 = none */
};

/* A value of a counter. */
struct pftrace_sample {
    int64_t time;
    double value;
    uint32_t track;      /* index */
    uint32_t generation; /* of the sequence's state */
};

/* A begin or an end, of 16 bytes. */
struct pftrace_edge {
    int64_t time;
    uint32_t track;      /* index */
    uint32_t slice : 31; /* of a begin: index; of an end: in `ends` + 1, 0 = it says nothing */
    uint32_t is_end : 1;
};

struct pftrace_flow {
    uint64_t id;
    uint32_t slice;
    bool is_last;
};

/* Annotations that mean something of their own; their names are the first texts. */
enum pftrace_key {
    KEY_BEGIN,
    KEY_END,
    KEY_DURATION,
    KEY_CORRELATION,
    KEY_CORRELATION_KINETO,
    KEY_EXTERNAL,
    KEY_AGENT,
    KEY_DEVICE,
    KEY_STREAM_ROCPROF,
    KEY_STREAM,
    KEY_BYTES_ROCPROF,
    KEY_BYTES,
    KEY_COUNT,
};

struct pftrace_annotation {
    uint32_t name;
    uint32_t field; /* of the value; 0 = there is none */
    uint64_t value;
    struct message bytes;
};

/* Values of annotations: NONE where they have none. */
struct pftrace_said {
    int64_t numbers[KEY_COUNT];
    int64_t device; /* from the name of an agent */
    uint32_t arguments;
};

struct pftrace {
    struct wire wire;
    struct trace *trace;
    const struct read_options *options;
    struct error *error;
    ARRAY(struct pftrace_sequence) sequences;
    struct map sequence_of; /* id -> index + 1 */
    uint32_t generations;
    struct map texts;  /* generation and dictionary, iid -> text */
    struct map clocks; /* sequence or 0, clock -> index in clock_list + 1 */
    ARRAY(struct pftrace_clock) clock_list;
    uint32_t clock; /* the trace's own; 0 = nothing says so far */
    ARRAY(struct pftrace_track) tracks;
    struct map track_of;  /* uuid or sequence, 0 or 1 -> index + 1 */
    struct map processes; /* pid -> text of the name + 1, 1 = it has a label */
    ARRAY(struct pftrace_edge) edges;
    ARRAY(struct pftrace_said) ends;
    ARRAY(struct pftrace_flow) flows;
    ARRAY(struct pftrace_sample) samples;
    struct counters counters;
    ARRAY(struct pftrace_annotation) annotations; /* of the event in hand */
    ARRAY(double) beside[2];                      /* likewise: integers, reals */
    pftrace_tracks beside_tracks[2];
    struct map categories; /* text -> category + 1 */
    struct intern lists;   /* of annotations, as bytes */
    ARRAY(uint32_t) list_arguments;
    struct text raw, scratch, canonical, inflated;
    size_t referred; /* bytes of texts by number in the arguments in hand */
    bool is_spent;   /* they are more than the allowance has */
    int64_t last_end;
    int64_t offset; /* of the packet in hand */
    bool any;       /* a packet was read */
    bool is_inside; /* of compressed packets */
};

void pftrace_note(const struct pftrace *self, enum note note);

/* Text of some bytes. */
void pftrace_keep(struct pftrace *self, struct view text, uint32_t *number);

/* A text by its number in a dictionary; 0 where it has none, which is counted. */
uint32_t pftrace_text(struct pftrace *self, const struct pftrace_sequence *sequence,
                      enum pftrace_dictionary dictionary, uint64_t iid);

/* Fills the dictionaries of a sequence. */
bool pftrace_read_interned(struct pftrace *self, const struct pftrace_sequence *sequence,
                           struct message data);

/* The index of a track, made where it is new; UINT32_MAX: there are too many. */
uint32_t pftrace_track(struct pftrace *self, uint64_t uuid, int64_t space);

/* The next number of a field that has one, or several in one piece; false: there is none any more,
 * or the field is corrupt. */
bool pftrace_next_number(struct pftrace *self, struct wire_field *field, bool is_fixed,
                         uint64_t *number);

bool pftrace_take_tracks(struct pftrace *self, struct wire_field field, pftrace_tracks *tracks);

/* An event of a packet at a time. */
bool pftrace_read_event(struct pftrace *self, struct pftrace_sequence *sequence,
                        struct message event, int64_t time);

/* Gives what annotations said to a slice. */
void pftrace_apply(struct pftrace *self, uint32_t slice, const struct pftrace_said *said);

/* Pairs begins and ends, names places, links. */
void pftrace_finish(struct pftrace *self);

/* A message that cannot be one. */
bool pftrace_corrupt(struct pftrace *self);
