/* memory: see memory.h. Each block knows the link that leads to it, so that it is freed and moved
 * without looking for what holds it. */
#include "src/base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory_block {
    struct memory_block *next, **link; /* link: NULL = belongs to nobody */
    max_align_t bytes[];
};

struct memory_duty {
    struct memory_duty *next;
    void (*end)(void *thing);
    void *thing;
};

/* The state of this thread, which takes no allocation in a library that is loaded later. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
    struct memory *memory;
    struct memory_attempt *attempt;
} here;

void memory_begin(struct memory_attempt *self, struct memory *memory, bool stays)
{
    self->memory = memory;
    self->before = here.memory;
    self->outer = here.attempt;
    self->duties = NULL;
    self->stays = stays;
    here.memory = memory;
    here.attempt = self;
}

/* Ends what is on the list, the newest first. */
static void do_duties(struct memory_duty **list)
{
    while (*list) {
        struct memory_duty *duty = *list;
        *list = duty->next;
        duty->end(duty->thing);
        free(duty);
    }
}

void memory_leave(struct memory_attempt *self)
{
    struct memory_duty **last = &self->duties;
    while (*last)
        last = &(*last)->next;
    struct memory_duty **kept = self->memory  ? &self->memory->duties
                                : self->outer ? &self->outer->duties
                                              : NULL;
    if (kept) {
        *last = *kept;
        *kept = self->duties;
    }
    here.memory = self->before;
    here.attempt = self->outer;
}

void memory_fail(void)
{
    struct memory_attempt *attempt = here.attempt;
    if (!attempt) {
        fputs("tpq: out of memory\n", stderr);
        abort();
    }
    here.memory = attempt->memory;
    do_duties(&attempt->duties);
    memory_leave(attempt);
    if (!attempt->stays && attempt->memory)
        memory_end(attempt->memory);
    _longjmp(attempt->place, 1);
}

struct memory *memory_in_use(void)
{
    return here.memory;
}

struct memory *memory_enter(struct memory *self)
{
    struct memory *before = here.memory;
    here.memory = self;
    return before;
}

void memory_end(struct memory *self)
{
    do_duties(&self->duties);
    while (self->blocks)
        memory_free(self->blocks->bytes);
}

static void add_duty(struct memory_duty **list, void (*end)(void *thing), void *thing)
{
    struct memory_duty *duty = malloc(sizeof *duty);
    if (!duty) {
        end(thing);
        memory_fail();
    }
    *duty = (struct memory_duty){*list, end, thing};
    *list = duty;
}

bool memory_at_end(void (*end)(void *thing), void *thing)
{
    if (here.attempt)
        add_duty(&here.attempt->duties, end, thing);
    else if (here.memory)
        add_duty(&here.memory->duties, end, thing);
    return here.attempt || here.memory;
}

void memory_at_end_of(struct memory *self, void (*end)(void *thing), void *thing)
{
    add_duty(&self->duties, end, thing);
}

static bool take_duty(struct memory_duty **link, const void *thing)
{
    for (; *link; link = &(*link)->next)
        if ((*link)->thing == thing) {
            struct memory_duty *duty = *link;
            *link = duty->next;
            free(duty);
            return true;
        }
    return false;
}

void memory_forget(const void *thing)
{
    bool found = here.memory && take_duty(&here.memory->duties, thing);
    for (struct memory_attempt *attempt = here.attempt; attempt && !found; attempt = attempt->outer)
        found = take_duty(&attempt->duties, thing) ||
                (attempt->memory && take_duty(&attempt->memory->duties, thing)) ||
                (attempt->before && take_duty(&attempt->before->duties, thing));
}

/* Puts a new block, or one that has moved, where it belongs. */
static void *linked(struct memory_block *block)
{
    if (block->link)
        *block->link = block;
    if (block->link && block->next)
        block->next->link = &block->next;
    return block->bytes;
}

static void *new_block(struct memory_block *block)
{
    if (!block)
        memory_fail();
    block->next = here.memory ? here.memory->blocks : NULL;
    block->link = here.memory ? &here.memory->blocks : NULL;
    return linked(block);
}

static size_t with_head(size_t bytes)
{
    if (bytes > PTRDIFF_MAX - sizeof(struct memory_block))
        memory_fail();
    return sizeof(struct memory_block) + bytes;
}

static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        memory_fail();
    return bytes;
}

static struct memory_block *block_of(void *bytes)
{
    return (struct memory_block *)(void *)((char *)bytes - sizeof(struct memory_block));
}

void *memory_take(size_t bytes)
{
    return new_block(malloc(with_head(bytes)));
}

void *memory_list(size_t count, size_t size)
{
    return memory_take(bytes_of(count, size));
}

void *memory_zeroed(size_t count, size_t size)
{
    return new_block(calloc(1, with_head(bytes_of(count, size))));
}

void *memory_resize(void *bytes, size_t count, size_t size)
{
    size_t wanted = bytes_of(count, size);
    if (!bytes)
        return memory_take(wanted);
    struct memory_block *block = realloc(block_of(bytes), with_head(wanted));
    if (!block)
        memory_fail();
    return linked(block);
}

char *memory_part(const char *bytes, size_t length)
{
    char *copy = memory_take(length + 1);
    if (length)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *memory_text(const char *text)
{
    return memory_part(text, strlen(text));
}

/* Takes a block out of the memory that it belongs to. */
static struct memory_block *take_out(void *bytes)
{
    struct memory_block *block = block_of(bytes);
    if (block->link)
        *block->link = block->next;
    if (block->link && block->next)
        block->next->link = block->link;
    return block;
}

void memory_free(void *bytes)
{
    if (bytes)
        free(take_out(bytes));
}

void memory_adopt(void *bytes)
{
    if (bytes)
        new_block(take_out(bytes));
}
