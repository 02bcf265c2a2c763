/* report_configs: `tpq report -b`: configurations below a directory, a workbook for each. */
#ifndef TPQ_REPORT_CONFIGS_H
#define TPQ_REPORT_CONFIGS_H

#include "option.h"
#include "report_files.h"

/* The options; verb_report.c has them in its table. */
#define OPTIONS_CONFIGS                                                                           \
    {"base", 'b', "DIR", "a workbook for each directory below DIR that has traces of ranks",      \
     NULL},                                                                                       \
        {"config", 0, "NAME=DIR", "the same for the traces below DIR, under this name", NULL},    \
        {"pattern", 'p', "TEXT", "what stands before the rank in the name of a file (rank_)",     \
         NULL},                                                                                   \
        {"extension", 'e', "EXT", "ending of the files, json or gz (json)", NULL},                \
        {"filter", 'f', "TEXT...", "only files whose path has all of these texts in it (rank_0)", \
         NULL},                                                                                   \
        {"dry-run", 'd', NULL, "only print what would be done", NULL},                            \
        {"all-kernels", 'a', NULL, "add a sheet with all kernels of each rank", NULL},            \
        {"output", 'o', "FILE", "name of the workbook, if there is one configuration", NULL},     \
        {"per-rank", 0, NULL, "a workbook for each rank", NULL},                                  \
        {"allow-duplicate-ranks", 0, NULL, "several files may be of one rank", NULL},             \
        {"skip-existing", 0, NULL, "leave configurations alone whose workbook exists", NULL},     \
        {"jobs", 'j', "N", "files to read at the same time; one for each processor", NULL},       \
        {"breakdown", 0, "HOW", "what grouped_breakdown goes by (lists)", "lists categories"},    \
    {                                                                                             \
        "verbose", 'v', NULL, "say more: which ops have shapes where a group has none", NULL      \
    }

/* Whether the call is of this kind. */
bool report_is_of_configs(const struct arguments *arguments);

/* `names` are the reports that were asked for; without any all of the set are made. */
bool report_configs(const struct arguments *arguments, const struct report_files *files,
                    const char *set, const char *const *names, size_t name_count,
                    struct error *error);

#endif
