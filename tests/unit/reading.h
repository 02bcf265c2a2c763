/* reading: how the tests of the trace reader write traces, and look at what was made of them.
 *
 * Texts are JSON with ' for ", so that C can hold them as they are; what is expected is written
 * the same way. */
#pragma once

#include "tests/unit/support.h"

#include "src/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event of which only REST is of interest. */
#define EVENT(rest) "{'ph':'X','cat':'cpu_op','name':'n','pid':1,'tid':2," rest "}"
#define TIMES       "'ts':10,'dur':5"
#define SLICE       EVENT(TIMES)

/* ------------------------------------------------------------------ reading */

static const struct read_options usual;
static const struct read_options salvage = {.salvage = true};

/* Real JSON; the caller frees. */
static inline char *json_of(const char *text)
{
    char *json = memory_text(text);
    assert_non_null(json);
    for (char *at = json; *at; at++)
        if (*at == '\'')
            *at = '"';
    return json;
}

/* Reads bytes as they are. Whatever comes of it, the error says so. */
static inline bool read_bytes(struct trace *trace, const void *bytes, size_t length,
                              const struct read_options *options, struct error *error)
{
    *error = (struct error){0};
    trace_init(trace);
    struct source *source = source_open(scratch_file("input", bytes, length), false, NULL, error);
    const struct format *format = source ? format_detect(source, error) : NULL;
    bool done = format && format->read(source, options, trace, error);
    source_close(source);
    if (done)
        assert_string_equal(format->name, "kineto");
    if (done != (error->status == STATUS_OK) || done != (*error->text == '\0'))
        fail_msg("%s, and status %d with the sentence '%s'", done ? "read" : "refused",
                 (int)error->status, error->text);
    return done;
}

static inline bool read_text(struct trace *trace, const char *text,
                             const struct read_options *options, struct error *error)
{
    char *json = json_of(text);
    bool done = read_bytes(trace, json, strlen(json), options, error);
    memory_free(json);
    return done;
}

static inline void read_with(struct trace *trace, const char *text,
                             const struct read_options *options)
{
    struct error error;
    if (!read_text(trace, text, options, &error))
        fail_msg("%s", error.text);
}

static inline void read_trace(struct trace *trace, const char *text)
{
    read_with(trace, text, &usual);
}

/* Reads a trace of some events. */
#define READ(trace, ...) read_list(trace, (const char *const[]){__VA_ARGS__, NULL})
static inline void read_list(struct trace *trace, const char *const *events)
{
    struct text text = {0};
    text_add_string(&text, "{'traceEvents':[");
    for (int i = 0; events[i]; i++)
        text_format(&text, "%s%s", i ? "," : "", events[i]);
    text_add_string(&text, "]}");
    read_trace(trace, text.items);
    text_free(&text);
}

static inline void assert_refused(const char *text, const struct read_options *options,
                                  const char *sentence, bool foreign)
{
    struct trace trace;
    struct error error;
    if (read_text(&trace, text, options, &error))
        fail_msg("taken: %s", text);
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", scratch_path("input"), sentence);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_int_equal(error.foreign, foreign);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ looking */

static inline struct view text_of(const struct trace *trace, uint32_t number)
{
    assert_true(number > 0 && number <= intern_count(&trace->strings));
    return intern_view(&trace->strings, number);
}

static inline void assert_starts(struct view text, const char *expected)
{
    size_t length = strlen(expected);
    for (size_t i = 0; i < length; i++)
        if (i >= text.length || text.bytes[i] != (expected[i] == '\'' ? '"' : expected[i]))
            fail_msg("%.*s is not %s", (int)text.length, text.bytes, expected);
}

static inline void assert_text(struct view text, const char *expected)
{
    assert_starts(text, expected);
    if (text.length != strlen(expected))
        fail_msg("%.*s is not %s", (int)text.length, text.bytes, expected);
}

static inline void assert_name(const struct trace *trace, uint32_t uid, const char *expected)
{
    assert_text(text_of(trace, slice_of(trace, uid)->name), expected);
}

/* NULL stands for none. */
static inline void assert_arguments(const struct trace *trace, uint32_t uid, const char *expected)
{
    uint32_t number = slice_of(trace, uid)->arguments;
    if (expected && !number)
        fail_msg("no arguments, not %s", expected);
    if (expected)
        assert_text(intern_view(&trace->arguments, number), expected);
    else
        assert_int_equal(number, 0);
}

static inline void assert_place(const struct trace *trace, uint32_t number, const char *process,
                                const char *thread)
{
    struct place place = trace_place(trace, number);
    assert_text(text_of(trace, place.process), process);
    assert_text(text_of(trace, place.thread), thread);
}

/* How often something was noted, and that nothing else was. */
static inline void assert_noted(const struct trace *trace, enum note note, int64_t count)
{
    for (int i = 0; i < NOTE_COUNT; i++) {
        int64_t expected = i == (int)note ? count : 0;
        if (trace->notes.entries[i].count != expected)
            fail_msg("%s is noted %" PRId64 " times, not %" PRId64, note_kind((enum note)i),
                     trace->notes.entries[i].count, expected);
    }
}

static inline void assert_nothing_noted(const struct trace *trace)
{
    assert_noted(trace, NOTE_COUNT, 0);
}

/* The first example: its uid, and its place in the text. */
static inline void assert_first(const struct note_entry *entry, int64_t uid, const char *text,
                                const char *place)
{
    assert_int_equal(entry->uid, uid);
    assert_int_equal(entry->offset, strstr(text, place) - text);
}
