/* shell: SQL from a text, a file or a person.
 *
 * Statements end with a semicolon; a line that begins with a dot is a command of the shell. A
 * failure ends a text or file; a person may go on.
 */
#ifndef TPQ_QUERY_ASK_SHELL_H
#define TPQ_QUERY_ASK_SHELL_H

#include "query/ask/render.h"
#include "sql/warehouse.h"

struct shell {
    struct warehouse *warehouse;
    struct render_options render;
    FILE *out;
    double timeout; /* seconds for each statement; 0 = none */
    bool may_write; /* the warehouse was opened for writing */
    bool timer;     /* print the time of each statement */
    bool quit;
    bool stepping; /* a statement runs; ATTACH is over before that */
    int reading;   /* files that are being read, one inside the other */
};

/* For a warehouse that is open for reading only: refuses the one statement that writes all the
 * same, VACUUM INTO a new file. */
void shell_forbid_copies(struct shell *self);

/* Runs all statements of a text; the last needs no semicolon. `name` is for messages. */
bool shell_run_text(struct shell *self, const char *name, const char *text, struct error *error);

/* Runs a file, "-" for standard input. */
bool shell_run_file(struct shell *self, const char *path, struct error *error);

/* Reads lines from the terminal until the end. */
bool shell_run_terminal(struct shell *self, struct error *error);

/* White space and whole comments, and nothing else. */
bool shell_is_blank(const char *text);

/* One line that begins with a dot. */
bool shell_run_command(struct shell *self, const char *line, struct error *error);

#endif
