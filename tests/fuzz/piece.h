/* piece: an input of a fuzz target as a file, in the ways in which a source can meet it.
 *
 * A target has bytes, a source wants a path: the bytes go into a file in memory. As gzip they are
 * put into members of a few bytes each, because a source hands out no more than a member at once:
 * that way every place of an input becomes the end of a piece.
 */
#pragma once

#include "src/base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What must hold whatever the input; unlike assert it is there in every build. */
#define MUST(condition) \
    ((condition)        \
         ? (void)0      \
         : (fprintf(stderr, "%s:%d: must hold: %s\n", __FILE__, __LINE__, #condition), abort()))

struct piece {
    int file;
    char path[32];
};

/* The bytes as they are. */
void piece_open(struct piece *self, const void *bytes, size_t length);

/* The bytes as gzip, `size` of them in each member; 0 = all in one. */
void piece_open_gzip(struct piece *self, const void *bytes, size_t length, size_t size);

void piece_close(struct piece *self);

/* Adds the bytes of a file, which must be there. */
void piece_slurp(const char *path, struct text *bytes);

/* A fuzz target, which fuzz.c and replay.c find by its name; it returns 0. */
struct target {
    const char *name;
    int (*run)(const uint8_t *bytes, size_t length);
    struct target *next;
};

extern struct target *targets;

/* The target of this name; NULL = there is none, which is said on standard error. */
const struct target *target_find(const char *name);

/* Before the body of a target, which has the `length` `bytes` of an input. */
#define FUZZ_TARGET(name)                                         \
    static int fuzz_##name(const uint8_t *bytes, size_t length);  \
    __attribute__((constructor)) static void add_##name(void)     \
    {                                                             \
        static struct target target = {#name, fuzz_##name, NULL}; \
        target.next = targets;                                    \
        targets = &target;                                        \
    }                                                             \
    static int fuzz_##name(const uint8_t *bytes, size_t length)
