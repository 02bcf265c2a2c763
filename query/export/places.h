/* places: the processes and tracks of a trace, as viewers name and order them. */
#pragma once

#include "sql/warehouse/warehouse.h"

/* A process of the host, or an accelerator. */
struct place_process {
    char *key;               /* as the file writes it */
    char *name;              /* for people: "rank 0 · GPU 1 NVIDIA H100" */
    char *own_name, *labels; /* as the file has them; NULL = it does not */
    bool is_device;
    bool has_sort;
    int64_t sort;
};

struct place_track {
    int64_t id;
    uint32_t process; /* place in the list */
    char *key;        /* thread or stream, as the file writes it */
    char *name;       /* for people */
    char *own_name;   /* as the file has it; NULL = it does not */
    bool is_thread;
    bool is_stream;
    bool has_sort;
    int64_t sort;
};

struct places {
    ARRAY(struct place_process) processes; /* hosts and accelerators */
    ARRAY(struct place_track) tracks;      /* in the order of their numbers */
};

/* `rank` is said in front of names, where it is not empty. */
bool places_read(struct places *self, struct warehouse *warehouse, int64_t trace_id,
                 const char *rank, struct error *error);

/* NULL when it is not there. */
const struct place_track *places_find(const struct places *self, int64_t track_id);

/* The place of an accelerator by its number, where it has streams; else SIZE_MAX. */
size_t places_device(const struct places *self, int64_t device);

/* The same of a process of the host by what the file calls it; NULL = the first one. */
size_t places_host(const struct places *self, const char *key);
