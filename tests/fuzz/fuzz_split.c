/* fuzz_split: a trace out of the warehouse as text again.
 *
 * The input is a file. Where the reader takes it, its steps or phases can be asked for whatever
 * names and arguments are in it, and a part that is all of it is a trace with as many slices, as
 * much accelerator work and as many links between them.
 */
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"
#include "tests/fuzz/reading.h"

#include "query/split/kineto_text.h"

#include <string.h>
#include <unistd.h>

static bool read_trace(struct reading *reading, const void *bytes, size_t length)
{
    reading_make(reading, NULL, bytes, length, 0);
    reading->done = reading->done && strcmp(reading->trace.format, "kineto") == 0;
    reading_check(reading, TREE_LONGEST_FIRST);
    return reading->done;
}

static size_t count_links(const struct trace *trace)
{
    size_t links = 0;
    for (size_t i = 0; i < trace->gpus.count; i++)
        links += trace->gpus.items[i].call != 0;
    return links;
}

static void write_and_read(int64_t id, const struct trace *trace)
{
    struct error error = {0};
    struct ranges all = {0};
    struct text bytes = {0};
    struct reading again;
    char path[64];
    int64_t written;
    snprintf(path, sizeof path, "/tmp/fuzz_split.%d.json.gz", (int)getpid());
    ranges_add(&all, 0, INT64_MAX);
    struct whole_file file;
    bool is_whole = whole_file_open(&file, path, PACKED_QUICKLY, &error) &&
                    kineto_text_write(kept_warehouse(), id, &all, &file, &written, &error);
    MUST(whole_file_close(&file, is_whole));
    MUST(written >= (int64_t)trace->slices.count);
    piece_slurp(path, &bytes);
    MUST(read_trace(&again, bytes.items, bytes.count) && again.trace.events == written);
    MUST(again.trace.slices.count == trace->slices.count);
    MUST(again.trace.gpus.count == trace->gpus.count);
    MUST(again.trace.calls.count == trace->calls.count);
    MUST(count_links(&again.trace) >= count_links(trace));
    reading_free(&again);
    unlink(path);
    text_free(&bytes);
    array_free(&all);
}

FUZZ_TARGET(split)
{
    static const char *const questions[] = {
        "SELECT * FROM inference_steps",
        "SELECT * FROM inference_phases",
        "SELECT * FROM ops_summary_by_phase",
        "SELECT phase FROM launcher_phase",
    };
    enum { QUESTIONS = sizeof questions / sizeof *questions };
    static sqlite3_stmt *rows[QUESTIONS];
    struct reading reading;
    kept_warehouse();
    if (read_trace(&reading, bytes, length)) {
        int64_t id = kept_store(&reading.trace, TREE_LONGEST_FIRST, false);
        kept_walk(&rows[length % QUESTIONS], questions[length % QUESTIONS]);
        write_and_read(id, &reading.trace);
        kept_empty();
    }
    reading_free(&reading);
    return 0;
}
