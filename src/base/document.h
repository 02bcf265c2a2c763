/* document: a JSON document for a program, written as it comes.
 *
 *     struct document json = {.out = stdout};
 *     document_open(&json, NULL, '{');
 *     document_text(&json, "run", name);
 *     document_open(&json, "events", '[');
 *     ...
 *     document_close(&json);                  what was opened last
 *     document_finish(&json);                 closes the rest
 *
 * `key` is NULL in a list. What stands directly in the document, and each thing in a list there,
 * begins a line. Texts that are not UTF-8 come out with U+FFFD in the place of what is wrong.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stdio.h>

enum { DOCUMENT_DEPTH_MAX = 16 };

struct document {
    FILE *out;
    struct text text;
    int depth;
    char open[DOCUMENT_DEPTH_MAX]; /* what ends them */
    bool any[DOCUMENT_DEPTH_MAX];  /* something stands in it */
};

void document_open(struct document *self, const char *key, char bracket);
void document_close(struct document *self);

/* NULL is null. */
void document_text(struct document *self, const char *key, const char *text);
void document_integer(struct document *self, const char *key, int64_t value);
void document_real(struct document *self, const char *key, double value);
void document_boolean(struct document *self, const char *key, bool value);

/* Adds text that is JSON already; NULL is null. */
void document_raw(struct document *self, const char *key, const char *json);

/* Begins a document: its member meta has the version, and what the caller adds before
 * document_close.
 */
void document_begin(struct document *self);

/* A line with the end, if there is a document at all. */
void document_finish(struct document *self);
