/* report_configs: `tpq report -b`: configurations below a directory, a workbook for each. */
#pragma once

#include "src/command/option.h"
#include "src/report/report_files.h"
#include "src/report/report_options.h"

/* The options; verb_report.c and verb_replay.c have them in their tables. */
#define OPTIONS_CONFIGS                                                                           \
    {"base", 'b', "DIR", "a workbook for each directory below DIR that has traces of ranks",      \
     NULL},                                                                                       \
        {"config", 0, "NAME=DIR",                                                                 \
         "the same for the traces below DIR, under this name; may be repeated", NULL},            \
        {"pattern", 'p', "TEXT", "what stands before the rank in the name of a file (rank_)",     \
         NULL},                                                                                   \
        {"extension", 'e', "EXT", "ending of the files, json or gz (json)", NULL},                \
        {"filter", 'f', "TEXT...", "only files whose path has all of these texts in it (rank_0)", \
         NULL},                                                                                   \
        {"dry-run", 'd', NULL, "only print what would be done", NULL},                            \
        {"output", 'o', "FILE", "name of the workbook, if there is one configuration", NULL},     \
        {"per-rank", 0, NULL, "a workbook for each rank", NULL},                                  \
        {"allow-duplicate-ranks", 0, NULL, "several files may be of one rank", NULL},             \
        {"compare", 0, NULL, "also a workbook about all: multi_config_summary.xlsx below DIR",    \
         NULL},                                                                                   \
        {"strict-ranks", 0, NULL, "ranks that are missing or do not agree are bad input", NULL},  \
        {"skip-existing", 0, NULL, "leave configurations alone whose workbook exists", NULL},     \
        {"jobs", 'j', "N", "files to read at the same time; one for each processor", NULL},       \
    {                                                                                             \
        "verbose", 'v', NULL, "say which ops have shapes where a group has none", NULL            \
    }

#define OPTIONS_REPLAY                                                                        \
    {"replay-mode", 0, "MODE", "generate: only write the commands; run: also run them (run)", \
     "generate run"},                                                                         \
        {"replay-dir", 0, "DIRECTORY", "where replay writes; without it beside the workbook", \
         NULL},                                                                               \
        OPTIONS_OF_VIEWS(REPLAY){                                                             \
            "replay-platform", 0, "NAME",                                                     \
            "amd, both: commands for benchmarks of AMD; without it what traces are of",       \
            "amd nvidia both"},                                                               \
    {                                                                                         \
        "replay-timeout", 0, "SECONDS", "that a command may take (120)", NULL                 \
    }

/* Makes the reports that are wanted; without a set those of multirank. `is_replay_alone`: only the
 * tables of node replay, which are printed, and are the workbook. */
bool report_configs(const struct arguments *arguments, struct report_wanted *wanted,
                    bool is_replay_alone, struct error *error);
