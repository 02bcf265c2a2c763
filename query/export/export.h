/* export: what is selected, handed over to other programs as a file.
 *
 *     struct export export = {.warehouse = &warehouse, .path = "trace.json", .error = &error};
 *     export_open(&export) && form->write(&export);
 *
 * export_forms has the list of forms. A form is a file with a function that writes it, and a row
 * there.
 */
#pragma once

#include "query/export/fact_types.h"
#include "query/select/ranges.h"
#include "query/sink/whole_file.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

/* A trace that something of is selected, in the order of the export: by rank. */
struct export_trace {
    int64_t id;
    int64_t rank;          /* INT64_MIN = not known */
    int64_t place;         /* among the traces of the export, from 0 */
    int64_t file_clock_ns; /* when it starts, on the clock of its file */
    int64_t clock_ns;      /* when it starts, on a clock that all of them share */
    char *label;           /* "rank 3"; empty where it is alone and has no rank */
    struct ranges events;  /* that are selected */
};

struct export_options {
    bool no_frames, no_args, no_flows, no_counters;
    bool critical_path;
    bool has_stages;  /* of Perfetto's form: GPU activities are stages, and have no tracks */
    bool collectives; /* communication, its launchers and steps alone */
    bool compat;      /* ranks in one file as the reference puts them */
    /* of tables for other engines */
    struct export_reports reports; /* of the user */
    const char *sheets;            /* which reports (fact_types.h) */
    bool has_events;               /* every event, too */
    bool is_per_trace;             /* nothing about runs as a whole */
    bool is_by_run;                /* Parquet: files by run, instead of one of all runs */
    bool for_citus;
    bool is_forced;                            /* what is there and would be mixed up makes way */
    const char *prometheus, *otlp;             /* files of metrics; NULL: none */
    const char *figures;                       /* what changes figures, a JSON object */
    const char *(*set_of)(const char *format); /* of reports for a format; of NULL the usual one */
};

struct export
{
    struct warehouse *warehouse; /* with a selection */
    const char *path;            /* where it goes; "-" = standard output */
    enum packing packing;
    struct export_options options;
    struct error *error;
    bool has_wall_clock; /* the clock counts from 1970 */
    ARRAY(struct export_trace) traces;
    int64_t version;     /* of the file: another one when others have changed it */
    int64_t written;     /* what the form counts: events or rows */
    size_t not_included; /* reports about runs */
};

/* Reads which traces are selected. */
bool export_open(struct export *self);

/* Writes the traces one after another. What a writer allocates for one, and each statement that it
 * prepares, ends with it. */
bool export_each_trace(struct export *self, void *writer,
                       bool (*write)(void *writer, struct export_trace *trace));

/* Leaves of what is selected of each trace only communication: GPU activities, the calls and ops
 * that launched them, and steps. */
bool export_keep_communication(struct export *self);
