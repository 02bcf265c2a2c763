/* formats: white space in front of JSON is read off first, however long it is. Then each format is
 * asked in the order of the list; one that the first bytes do not settle looks into the input. An
 * input of no format is refused by what it looks like. */
#include "ingest/formats.h"

#include "ingest/input/database.h"
#include "ingest/input/json.h"

#include "sql/warehouse/schema.h"

#include <string.h>

static const struct format *const formats[] = {
#define FORMAT(name) &name##_format,
    EACH_FORMAT(FORMAT)
#undef FORMAT
};

/* Traces of kinds that only their own tools read, and what to do with them. */
static const struct {
    const char *ending, *words;
} closed[] = {
    {".nsys-rep", "a report of Nsight Systems, which nsys exports where it is on PATH; run nsys "
                  "export --type sqlite FILE"},
    {".qdrep", "a report of Nsight Systems, which nsys exports where it is on PATH; run nsys "
               "export --type sqlite FILE"},
    {".qdstrm", "a recording of Nsight Systems; import it with QdstrmImporter, then export it: "
                "nsys export --type sqlite FILE"},
    {".ncu-rep", "a report of Nsight Compute, which has no times of a run; record one with nsys "
                 "profile, and export it: nsys export --type sqlite FILE"},
};

/* Databases that are no traces, by tables that they have and one that they have not: what to give
 * in their place. */
#define ROCPROF                                                                                \
    "a database of rocprof before version 3 (results.db); give results.json or the CSV files " \
    "beside it"
#define ASCEND                                                                                  \
    "a database of the profiler of Ascend (msprof); give trace_view.json, or msprof_*.json as " \
    "msprof --export=on writes it"
static const struct {
    const char *first, *second, *without, *words;
} databases[] = {
    {"rocpd_api", "rocpd_op", "rocpd_region",
     "a database of rocmProfileData (RPD), which is not the rocpd of rocprofv3; write it as JSON "
     "for Chrome with rpd2tracing.py"},
    {"HIP", "OPS", "StringIds", ROCPROF},
    {"HSA", "COPY", "StringIds", ROCPROF},
    {"STRING_IDS", "TASK", "StringIds", ASCEND},
    {"STRING_IDS", "CANN_API", "StringIds", ASCEND},
    {"STRING_IDS", "PYTORCH_API", "StringIds", ASCEND},
    {"compute_workload", "compute_kernel", "StringIds",
     "a database of rocprof-compute (Omniperf), which has counters and no times of a run; record "
     "one "
     "with rocprofv3 --sys-trace --output-format rocpd"},
};

const struct format *format_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

const struct format *format_find(const char *name)
{
    const struct format *format;
    size_t i = 0;
    while ((format = format_at(i++)) && strcmp(format->name, name) != 0)
        ;
    return format;
}

static bool refuse_closed(struct source *source, struct error *error)
{
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        const char *path = source_path(source);
        if (text_ends_with(path, closed[i].ending))
            return error_set(error, STATUS_BAD_INPUT, "%s: %s", path, closed[i].words);
    }
    return true;
}

/* Says what an input might have been. */
static void refuse(struct source *source, struct error *error)
{
    const struct format *format;
    struct text words = {0};
    bool done = true;
    for (size_t i = 0; (format = format_at(i)); i++)
        text_format(&words, "%s%s", i ? ", " : "", format->words);
    error_set(error, STATUS_BAD_INPUT, "%s: not a trace: no known format begins at byte 0 (%s)",
              source_path(source), words.items);
    error->foreign = done;
    text_free(&words);
}

const struct format *format_detect(struct source *source, struct error *error)
{
    const unsigned char *bytes;
    unsigned char passed[SOURCE_PEEK_MAX];
    const struct format *format;
    ptrdiff_t length, front;
    bool is_front = true;
    while (is_front) { /* white space in front of JSON may be longer than what is shown */
        if ((length = source_peek(source, &bytes, SOURCE_PEEK_MAX, error)) < 0)
            return NULL;
        front = (ptrdiff_t)json_front(bytes, (size_t)length);
        is_front = front && (front == SOURCE_PEEK_MAX || json_begins(bytes, (size_t)length));
        if (is_front && source_read(source, passed, (size_t)front, error) < 0)
            return NULL;
    }
    if (length == 0 && source_content_bytes(source) == 0) {
        error_set(error, STATUS_BAD_INPUT, "%s: the file is empty", source_path(source));
        return NULL;
    }
    bool is_database = database_recognises(bytes, (size_t)length);
    for (size_t i = 0; (format = format_at(i)); i++) {
        bool is_own = format->recognises(bytes, (size_t)length);
        if (is_own && format->owns && !format->owns(source, &is_own, error))
            return NULL;
        if (is_own)
            return format;
    }
    if (is_database) {
        /* Other kinds of databases. */
        struct database *database = database_open(source, error);
        const char *words = "a SQLite database, but none that a profiler wrote";
        if (database) {
            for (size_t i = 0; i < sizeof databases / sizeof *databases; i++)
                if (database_has(database, databases[i].first) &&
                    database_has(database, databases[i].second) &&
                    !database_has(database, databases[i].without))
                    words = databases[i].words;
            if (database_application(database) == SCHEMA_APPLICATION_ID)
                words = "a warehouse of tpq, not a trace; tpq report FILE opens it, tpq merge puts "
                        "warehouses together";
            error_set(error, STATUS_BAD_INPUT, "%s: %s", source_path(source), words);
            error->foreign = true;
            database_close(database);
        }
    } else if (refuse_closed(source, error))
        refuse(source, error);
    return NULL;
}

static void end_scratch(void *scratch)
{
    memory_end(scratch);
}

bool format_read(const struct format *self, struct source *source,
                 const struct read_options *options, struct trace *trace, struct error *error)
{
    struct memory scratch = {0};
    memory_at_end(end_scratch, &scratch);
    struct memory *before = memory_enter(&scratch);
    bool done = self->read(source, options, trace, error);
    memory_enter(before);
    memory_forget(&scratch);
    trace_adopt(trace);
    memory_end(&scratch);
    return done;
}
