/* fact_runs: the runs that tables are exported of, by name, with their traces by rank and path. */
#pragma once

#include "query/export/export.h"
#include "query/export/fact_types.h"

struct fact_trace {
    int64_t id; /* in this warehouse */
    char *key;  /* what it is called everywhere */
};

struct fact_run {
    char *name;
    const char *set; /* of reports, that all of its traces have; else the usual one */
    ARRAY(struct fact_trace) traces;
};

struct fact_runs {
    struct fact_run *items;
    size_t count, room;
};

/* The runs of an export, and the tables that they have. Both are to be closed, also after a
 * failure. */
bool fact_runs_open(struct fact_runs *self, struct export *export, struct export_tables *tables);
void fact_runs_close(struct fact_runs *self);

bool fact_run_has(const struct fact_run *self, const struct export_table *table);

/* Selects one of its traces, or with SIZE_MAX all of them, as they are at this moment: until the
 * next call nobody else's changes are seen, and they wait. Fails when one of them is not there any
 * more. */
bool fact_run_select(const struct fact_run *self, size_t trace, struct export *export);
