/* side: one of the things that are compared: runs of a warehouse that are repeats of each other, or
 * one of them, or a trace; or sheets of reports that lie in files.
 *
 * Words for runs are those of run_choice.h.
 */
#pragma once

#include "query/compare/kept_sheets.h"
#include "query/report/answer.h"
#include "query/select/selection.h"
#include "query/select/step_parts.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

#include <stdint.h>

/* Steps of a run that values were read of; none: all of it. */
struct side_steps {
    bool any, all;
    int64_t first, last;
    bool are_found;
    struct step_parts found; /* what is selected of each step of the run */
};

struct side {
    char *name;                  /* as outputs call it */
    char *word;                  /* that chose its run, such as @last; NULL: its name did */
    struct warehouse *warehouse; /* where its runs are; open as long as the side is used */
    struct selection common;     /* what else is selected, the same of all sides */
    ARRAY(char *) runs;
    ARRAY(struct side_steps) steps; /* of each run, as far as that was read */
    ARRAY(int64_t) traces;          /* only these of them; none = all */
    bool is_pattern;                /* that means its runs */
    struct kept_sheets *sheets; /* instead of runs: what a workbook or folder has; NULL = none */
};

/* Finds the runs that a word stands for. A word that stands for none is wrong usage, and the
 * sentence has the nearest name. */
bool side_find(struct side *self, struct warehouse *warehouse, const char *word,
               struct error *error);

/* Whether a word may stand for runs by its form alone, whatever files there are. */
bool side_is_reference(const char *word);

/* Another name, such as that of a file. */
void side_rename(struct side *self, const char *name);
void side_add_run(struct side *self, const char *run);

/* These select what values are of, and remember it: all of a run, or a step of it. */
bool side_select_all(struct side *self, size_t run, struct error *error);
bool side_select_step(struct side *self, size_t run, int64_t step, struct error *error);

/* Selects all of its runs together. */
bool side_select_runs(const struct side *self, struct error *error);

/* Remember that values are of all of a run, or of a step, too. */
void side_note_all(struct side *self, size_t run);
void side_note_step(struct side *self, size_t run, int64_t step);

/* Selects a run of the side, as far as values are of it. */
bool side_select(const struct side *self, size_t run, struct error *error);

/* Whether answers about runs of the side may be kept. */
bool side_keeps(const struct side *self);

/* A question is about all of a run, as far as values are of it, or about one of its steps. */
enum side_part { SIDE_WHOLE, SIDE_READ, SIDE_STEP };

/* Finds the kept rows of a question about a run, whose name tells all of it, and keeps them. */
bool side_find_rows(struct side *self, size_t run, enum side_part part, int64_t step,
                    const char *name, size_t columns, struct result *rows);
void side_keep_rows(struct side *self, size_t run, enum side_part part, int64_t step,
                    const char *name, const struct result *rows);

/* The rows of a question about a run, kept or asked now; ?2 and ?3 are the first and the last step
 * that values are of. */
bool side_ask(struct side *self, size_t run, enum side_part part, int64_t step,
              const struct question *question, struct result *rows, struct error *error);

/* Has room for sheets, in place of runs. */
void side_take_sheets(struct side *self);

/* Facts that the traces of two sides must share to be compared. */
enum side_fact { SIDE_DEVICES, SIDE_WORLD_SIZES, SIDE_STEP_COUNTS, SIDE_FACT_KINDS };

/* Lists the distinct values of the first kinds. False with an error. */
bool side_list_facts(const struct side *self, size_t kinds, struct text facts[SIDE_FACT_KINDS],
                     struct error *error);

/* Appends what is missing in a trace of the side that may lack events: the check, the file and the
 * finding. */
bool side_add_damage(struct side *self, struct text *words, struct error *error);
