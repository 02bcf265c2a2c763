/* report_arch: see report_arch.h. */
#include "src/report/report_arch.h"

#include "src/base/file.h"
#include "src/base/literal.h"
#include "src/command/verb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 20 };

static bool read_file(const char *path, struct text *out, struct error *error)
{
    FILE *file = file_open_plain(path, error);
    char buffer[4096];
    size_t got = 0;
    if (!file)
        return false;
    bool done = text_add(out, "", 0);
    while (done && out->count <= FILE_BYTES_MAX &&
           (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        done = text_add(out, buffer, got);
    bool is_read = done && !ferror(file);
    int reason = errno;
    fclose(file);
    if (!is_read)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", path, strerror(reason));
    return out->count <= FILE_BYTES_MAX ||
           error_set(error, STATUS_BAD_INPUT, "%s: too large for the description of an accelerator",
                     path);
}

static bool is_figure(const struct literals *values, int place)
{
    enum literal_type type = literal_type(values, place);
    return place >= 0 && (type == LITERAL_INTEGER || type == LITERAL_REAL) &&
           literal_at(values, place)->real > 0;
}

/* The fault of the description; NULL when there is none. */
static const char *find_fault(const struct literals *values, int root, struct text *words)
{
    if (root < 0 || literal_type(values, root) != LITERAL_OBJECT)
        return "no JSON object";
    if (!is_figure(values, literal_member(values, root, "mem_bw_gbps")))
        return "mem_bw_gbps must be a number of GB/s";
    int peaks = literal_member(values, root, "max_achievable_tflops");
    if (peaks < 0 || literal_type(values, peaks) != LITERAL_OBJECT)
        return "max_achievable_tflops must be an object of TFLOP/s";
    for (int name = literal_at(values, peaks)->first; name >= 0;) {
        int value = literal_at(values, name)->next;
        if (!is_figure(values, value))
            return text_format(words, "max_achievable_tflops: %.100s must be a number of TFLOP/s",
                               literal_text(values, name))
                       ? words->items
                       : "out of memory";
        name = literal_at(values, value)->next;
    }
    return NULL;
}

bool report_arch_read(const struct arguments *arguments, struct context *context,
                      struct error *error)
{
    const char *path = arguments_value(arguments, "gpu-arch-json-path");
    struct text file = {0}, json = {0}, words = {0};
    struct literals values = {0};
    if (!path)
        return true;
    if (arguments_has(arguments, "gpu-arch-platform"))
        return error_set(error, STATUS_USAGE,
                         "tpq %s: at most one of --gpu-arch-json-path and --gpu-arch-platform "
                         "names an accelerator",
                         arguments->verb->name);
    bool done = read_file(path, &file, error);
    if (done) {
        int root = literal_read(&values, text_view(&file));
        const char *fault = find_fault(&values, root, &words);
        if (values.out_of_memory)
            done = error_memory(error);
        else if (fault)
            done = error_set(error, STATUS_BAD_INPUT, "%s: %s", path, fault);
        else
            done = (literal_add_json(&values, root, &json) &&
                    context_set(context, "gpu-arch", json.items)) ||
                   error_memory(error);
    }
    literal_free(&values);
    text_free(&file);
    text_free(&json);
    text_free(&words);
    return done;
}

bool report_arch_choose(const struct arguments *arguments, struct warehouse *warehouse,
                        struct error *error)
{
    const char *name = arguments_value(arguments, "gpu-arch-platform");
    if (!name)
        return true;
    sqlite3_stmt *statement = warehouse_prepare(
        warehouse,
        "SELECT (SELECT device FROM device_name WHERE lower(device) = lower(?1) OR "
        "upper(' ' || ?1 || ' ') GLOB pattern ORDER BY lower(device) = lower(?1) DESC, length DESC "
        "LIMIT 1), (SELECT group_concat(device, ', ') FROM "
        "(SELECT DISTINCT device FROM device_name ORDER BY device))",
        error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    bool done = sqlite3_step(statement) == SQLITE_ROW || warehouse_error(warehouse, error);
    const char *device = done ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (done && !device)
        done = error_set(error, STATUS_USAGE, "unknown architecture \"%.100s\"; known are %s", name,
                         (const char *)sqlite3_column_text(statement, 1));
    else if (done)
        done = context_set(warehouse->context, "gpu-arch-platform", device) || error_memory(error);
    sqlite3_finalize(statement);
    return done;
}
