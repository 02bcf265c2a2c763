/* shell: SQL from a text, a file or a person.
 *
 * Statements end with a semicolon; a line that begins with a dot is a command of the shell
 * (shell_command.c). A failure ends a text or file; a person may go on.
 *
 *     struct shell shell = {.warehouse = &warehouse, .out = stdout};
 *     parameters_set(&shell.parameters, "x=5", &error);      for :x
 *     shell_run_text(&shell, "SQL", "SELECT :x", &error);
 *     shell_close(&shell, &error);
 */
#pragma once

#include "query/ask/render.h"
#include "query/select/parted_views.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/array.h"
#include "src/base/error.h"

#include <sqlite3.h>

/* The values of :NAME, @NAME and $NAME in statements. */
struct parameter {
    char *name, *value;
};

typedef ARRAY(struct parameter) parameter_list;

/* NAME=VALUE. A value that is a number is one, and what stands between single quotes is a text. */
bool parameters_set(parameter_list *self, const char *words, struct error *error);

struct shell {
    struct warehouse *warehouse;
    struct render_options render;
    FILE *out;      /* where rows go */
    FILE *file;     /* where they go instead, after .output or .once; NULL = nowhere else */
    bool is_once;   /* only those of the next statement or command */
    double timeout; /* seconds for each statement; 0 = none */
    bool may_write; /* the warehouse was opened for writing */
    bool timer;     /* print the time of each statement */
    bool quit;
    bool stepping; /* a statement runs; ATTACH is over before that */
    int reading;   /* files that are being read, one inside the other */
    parameter_list parameters;
    bool is_selected;           /* somebody chose what views show */
    const char *unselected;     /* a sentence where the statement reads all runs all the same */
    struct parted_views parted; /* by step and rank */
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

/* The names of the commands, ended by NULL. */
const char *shell_command_name(size_t place);

/* Where what is printed goes now. */
FILE *shell_out(const struct shell *self);

/* Sends what follows to a file, or with NULL no longer. */
bool shell_send(struct shell *self, const char *path, bool once, struct error *error);

/* After what .once is for. */
bool shell_sent(struct shell *self, struct error *error);

/* Ends the output; what was written is there only then. */
bool shell_close(struct shell *self, struct error *error);
