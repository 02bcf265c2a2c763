/* Inputs that break off or are damaged, read with --salvage: what is complete is as in the whole
 * input, and of what is not complete nothing is left. */
#include "tests/unit/support.h"

#include "ingest/trace/tree.h"
#include "src/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CORPUS FIXTURES "/../fuzz/corpus/"

/* Small inputs of each format. Those of fuzz targets have a byte before the input. */
static const struct input {
    const char *path;
    size_t skip, step; /* places that are tried: each, or so far apart */
    bool has_texts;    /* they stand before what refers to them */
    bool has_ends;     /* what an event says stands in one place */
    int first;         /* uid, where events are taken one by one; otherwise -1;
                        * -2: what they are stands behind them */
} inputs[] = {
    {CORPUS "ingest/graph", 1, 1, true, true, 0},
    {CORPUS "ingest/sequences", 1, 1, true, true, 0},
    {CORPUS "ingest/elements", 1, 1, true, true, 0},
    {CORPUS "rocprof/process0", 1, 1, false, true, -1},
    {FIXTURES "/tt/ops_perf_results.csv", 0, 1, true, true, 2},
    {CORPUS "pftrace/trace0", 1, 1, true, false, 0},
    {CORPUS "pftrace/flows", 1, 1, true, false, 0},
    {CORPUS "xplane/memory", 1, 1, true, true, -1},
    {FIXTURES "/jax/small.xplane.pb", 0, 1, false, true, -2},
    {CORPUS "database/two", 1, 101, false, true, -1},
    {CORPUS "database/marks", 1, 101, false, true, -1},
    {CORPUS "database/rocpd_two", 1, 101, false, true, -1},
};

static struct text read_file(const char *path, size_t skip)
{
    struct text content = {0};
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_add(&content, bytes, got);
    fclose(file);
    memmove(content.items, content.items + skip, content.count -= skip);
    return content;
}

/* ------------------------------------------------------------------ what a trace says */

typedef ARRAY(char *) line_list;

struct reading {
    struct trace trace;
    bool done, is_salvaged;
    line_list lines; /* sorted */
};

static void add_line(line_list *lines, struct text *line)
{
    text_add_byte(line, '\0');
    array_add(lines, memory_text(line->items));
    text_clear(line);
}

static void add_text(struct text *line, struct view text)
{
    text_add_byte(line, '|');
    text_add(line, text.bytes, text.length);
}

static void add_slice(struct text *line, const struct trace *trace, size_t index,
                      const struct input *input)
{
    const struct slice *slice = &trace->slices.items[index];
    assert_true(index < trace->slices.count);
    assert_int_not_equal(slice->place, 0);
    text_format(line, "slice %lld+%lld", (long long)slice->start,
                input->has_ends ? (long long)slice->duration : 0LL);
    if (!input->has_texts)
        return;
    struct place place = trace_place(trace, slice->place);
    add_text(line, intern_view(&trace->strings, slice->name));
    add_text(line, intern_view(&trace->strings, place.process));
    add_text(line, intern_view(&trace->strings, place.thread));
    if (slice->arguments && input->has_ends)
        add_text(line, intern_view(&trace->arguments, slice->arguments));
}

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void describe(line_list *lines, const struct trace *trace, const struct input *input)
{
    struct text line = {0};
    for (size_t i = 0; i < trace->slices.count; i++) {
        add_slice(&line, trace, i, input);
        add_line(lines, &line);
    }
    for (size_t i = 0; i < trace->gpus.count; i++) {
        const struct gpu_slice *gpu = &trace->gpus.items[i];
        assert_int_equal(trace->slices.items[gpu->slice].side, i);
        if (!gpu->call)
            continue;
        add_slice(&line, trace, gpu->slice, input);
        text_add_string(&line, " launched by ");
        add_slice(&line, trace, trace->calls.items[gpu->call - 1].slice, input);
        add_line(lines, &line);
    }
    for (size_t i = 0; i < trace->calls.count; i++)
        assert_int_equal(trace->slices.items[trace->calls.items[i].slice].side, i);
    for (size_t i = 0; i < trace->edges.count; i++) {
        add_slice(&line, trace, trace->edges.items[i].from, input);
        text_format(&line, " edge %d to ", (int)trace->edges.items[i].kind);
        add_slice(&line, trace, trace->edges.items[i].to, input);
        add_line(lines, &line);
    }
    for (size_t i = 0; i < trace->memory.count; i++) {
        assert_int_not_equal(trace->memory.items[i].place, 0);
        struct place place = trace_place(trace, trace->memory.items[i].place);
        text_format(&line, "memory %lld %lld", (long long)trace->memory.items[i].time,
                    (long long)trace->memory.items[i].bytes);
        if (input->has_texts)
            add_text(&line, intern_view(&trace->strings, place.thread));
        add_line(lines, &line);
    }
    text_free(&line);
}

static void read_as(struct reading *reading, const void *bytes, size_t length,
                    const struct input *input)
{
    struct error error = {0};
    struct read_options options = {.salvage = true};
    *reading = (struct reading){0};
    trace_init(&reading->trace);
    static int file = -1; /* in memory: there are thousands of inputs */
    char path[32];
    file = file < 0 ? memfd_create("input", 0) : file;
    assert_true(ftruncate(file, 0) == 0 && pwrite(file, bytes, length, 0) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct source *source = source_open(path, false, NULL, &error);
    const struct format *format = source ? format_detect(source, &error) : NULL;
    reading->done = format && format_read(format, source, &options, &reading->trace, &error);
    source_close(source);
    assert_true(reading->done ? error.status == STATUS_OK : error.status == STATUS_BAD_INPUT);
    for (struct trace *each = &reading->trace; each && reading->done; each = each->next) {
        link_trace(each);
        tree_build(each, TREE_LONGEST_FIRST);
        reading->is_salvaged |= each->notes.entries[NOTE_SALVAGED].count > 0;
        describe(&reading->lines, each, input);
    }
    array_sort(&reading->lines, compare_lines);
}

static void free_reading(struct reading *reading)
{
    for (size_t i = 0; i < reading->lines.count; i++)
        memory_free(reading->lines.items[i]);
    array_free(&reading->lines);
    trace_free(&reading->trace);
}

static size_t slices_before(const struct trace *trace, int64_t first, int64_t events)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->slices.count; i++)
        count += trace->slices.items[i].uid < first + events;
    return count;
}

/* All that one says, the other does. */
static void assert_within(const struct reading *some, const struct reading *all, const char *path,
                          size_t at)
{
    size_t place = 0;
    for (size_t i = 0; i < some->lines.count; i++, place++) {
        while (place < all->lines.count &&
               strcmp(all->lines.items[place], some->lines.items[i]) < 0)
            place++;
        if (place == all->lines.count || strcmp(all->lines.items[place], some->lines.items[i]) != 0)
            fail_msg("%s, byte %zu: not in the whole input: %s", path, at, some->lines.items[i]);
    }
}

/* ------------------------------------------------------------------ inputs that break off */

static void test_that_break_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        const struct input *input = &inputs[i];
        struct text content = read_file(input->path, input->skip);
        struct reading whole, cut;
        size_t kept = 0;
        read_as(&whole, content.items, content.count, input);
        for (size_t length = 1; length < content.count; length += input->step) {
            read_as(&cut, content.items, length, input);
            if (cut.done && cut.is_salvaged && input->first > -2)
                assert_within(&cut, &whole, input->path, length);
            size_t complete = slices_before(&whole.trace, input->first, cut.trace.events);
            if (cut.done && cut.is_salvaged && input->first >= 0 && !whole.trace.next &&
                cut.trace.slices.count != complete)
                fail_msg("%s, byte %zu: %zu of %zu complete slices", input->path, length,
                         cut.trace.slices.count, complete);
            kept += cut.done;
            free_reading(&cut);
        }
        if (!kept && input->step == 1) /* of databases this small every page is needed */
            fail_msg("%s: nothing was kept", input->path);
        free_reading(&whole);
        text_free(&content);
    }
}

/* ------------------------------------------------------------------ damaged ones */

/* Where the damage is found, what is kept is what stands before it. */
static void test_that_are_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        const struct input *input = &inputs[i];
        struct text content = read_file(input->path, input->skip);
        struct reading whole, damaged;
        read_as(&whole, content.items, content.count, input);
        for (size_t at = 0; at < content.count; at += input->step + content.count / 2048)
            for (const char *other = "\xFF,"; *other; other++) {
                char byte = content.items[at];
                content.items[at] = *other;
                read_as(&damaged, content.items, content.count, input);
                if (damaged.done && damaged.is_salvaged && input->first >= 0)
                    assert_within(&damaged, &whole, input->path, at);
                content.items[at] = byte;
                free_reading(&damaged);
            }
        free_reading(&whole);
        text_free(&content);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_that_break_off),
    cmocka_unit_test(test_that_are_damaged),
};
GROUP(salvage, NULL, NULL)
