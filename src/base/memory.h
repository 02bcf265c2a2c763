/* memory: allocation that never fails to its caller.
 *
 * Each block belongs to the memory in use, and ends with it at the latest. Where there is none
 * left, the thread goes back to its innermost attempt, which ends its memory and says so once:
 *
 *     struct memory memory = {0};
 *     struct memory_attempt attempt;
 *     if (memory_try(&attempt, &memory)) {
 *         array_add(&list, item);          no result to look at
 *         memory_leave(&attempt);
 *     } else
 *         error_memory(error);             status 4, or SQLITE_NOMEM
 *     memory_end(&memory);
 *
 * Attempts stand where failure can be told: around a verb, a thread, a file of many, and each
 * callback of SQLite, whose own functions nothing may jump over. An object that outlives the
 * attempt in which it grows has a memory of its own and enters it (memory_enter).
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Zero at first; stays in its place while it holds something. */
struct memory {
    struct memory_block *blocks;
    struct memory_duty *duties; /* newest first */
};

struct memory_attempt {
    jmp_buf place;
    struct memory *memory, *before; /* NULL = none: what is allocated belongs to nobody */
    struct memory_attempt *outer;
    struct memory_duty *duties; /* newest first */
    bool stays;
};

/* False: memory was out, the attempt is left, and what its memory held is gone. Variables that are
 * changed inside and used after that must be volatile. */
#define memory_try(attempt, of) (memory_begin(attempt, of, false), _setjmp((attempt)->place) == 0)

/* The same in a memory that stays as it is: its owner goes on, or is told. */
#define memory_try_in(attempt, of) (memory_begin(attempt, of, true), _setjmp((attempt)->place) == 0)

/* Used through memory_try. */
void memory_begin(struct memory_attempt *self, struct memory *memory, bool stays);

void memory_leave(struct memory_attempt *self);

/* Goes back to the innermost attempt. Where there is none the process ends. */
_Noreturn void memory_fail(void);

/* Allocates from this one from now on; gives the one before, to be entered again. */
struct memory *memory_enter(struct memory *self);
struct memory *memory_in_use(void);

/* Frees what it holds, after its duties, the newest first. */
void memory_end(struct memory *self);

/* Has `end` called with a thing when the attempt fails, and else when its memory ends, unless the
 * thing is forgotten before: for what takes more than being freed. False: there is neither. */
bool memory_at_end(void (*end)(void *thing), void *thing);
void memory_forget(const void *thing);

/* The same with a memory that outlives the attempt. */
void memory_at_end_of(struct memory *self, void (*end)(void *thing), void *thing);

void *memory_take(size_t bytes);
void *memory_list(size_t count, size_t size); /* not initialised */
void *memory_zeroed(size_t count, size_t size);
void *memory_resize(void *block, size_t count, size_t size);
char *memory_text(const char *text);
char *memory_part(const char *bytes, size_t length); /* as a text */
void memory_free(void *block);
void memory_adopt(void *block); /* by the memory in use; may be NULL */
