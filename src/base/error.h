/* error: the one way in which a failure travels up to the user.
 *
 * Every fallible function returns false (or NULL) and fills a `struct error` with one sentence
 * that says what failed and where, and with the exit status that the program will end with.
 * Only src/main.c prints and exits.
 */
#pragma once

#include <stdbool.h>

/* The documented exit statuses. */
enum status {
    STATUS_OK = 0,
    STATUS_CHECK_FAILED = 1, /* done, and a check that was asked for failed */
    STATUS_USAGE = 2,        /* wrong option, value or name */
    STATUS_BAD_INPUT = 3,    /* an input cannot be read or is not a trace */
    STATUS_DATABASE = 4,     /* database or output: locked, full, unwritable; out of memory */
    STATUS_UNDECIDED = 5,    /* done, and the check that was asked for cannot be decided */
};

struct error {
    enum status status;
    bool foreign; /* the input is no damaged trace but something else altogether */
    bool memory;  /* there was none left */
    char text[1024];
};

/* Fills `error` and returns false, so that `return error_set(...)` reads well. */
__attribute__((format(printf, 3, 4))) bool error_set(struct error *error, enum status status,
                                                     const char *format, ...);

/* Puts "CONTEXT: " before the sentence that is already there; returns false. */
__attribute__((format(printf, 2, 3))) bool error_context(struct error *error, const char *format,
                                                         ...);

/* The error of a failed allocation; returns false. */
bool error_memory(struct error *error);
