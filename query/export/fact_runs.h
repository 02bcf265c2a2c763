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

/* The runs of an export, and the tables that they have. */
bool fact_runs_open(struct fact_runs *self, struct export *export, struct export_tables *tables);

bool fact_run_has(const struct fact_run *self, const struct export_table *table);

/* Has rows of tables added, by the place of a table: with each trace of the run selected, and then,
 * with `trace` NULL, with all of them. `end` comes behind each trace; NULL = nothing does. While
 * one is selected nobody else's changes are seen, and they wait. Fails when a trace is not there
 * any more. */
typedef bool fact_add(void *writer, size_t table, const char *trace);
typedef bool fact_end(void *writer, const char *trace);
bool fact_run_write(const struct fact_run *self, struct export *export,
                    const struct export_tables *tables, fact_add *add, fact_end *end, void *writer);
