/* replay_results: a tool is a row: who makes its command, who reads its output. Calls come
 * from the warehouse, times from what tools printed or from CSV files; a result without a time
 * never takes the place of one that is there.
 */
#include "query/replay/replay_results.h"

#include "query/replay/replay_results.sql.h"
#include "sql/asked.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------ outputs */

static struct view line_at(const char *at)
{
    return (struct view){at, strcspn(at, "\n")};
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

/* The n-th field between commas, from 0, without blanks around it. */
static struct view field_at(struct view line, size_t n)
{
    size_t at = 0;
    for (; n && at < line.length; at++)
        n -= line.bytes[at] == ',';
    if (n)
        return (struct view){"", 0};
    size_t end = at;
    while (end < line.length && line.bytes[end] != ',')
        end++;
    while (at < end && isspace((unsigned char)line.bytes[at]))
        at++;
    while (end > at && isspace((unsigned char)line.bytes[end - 1]))
        end--;
    return (struct view){line.bytes + at, end - at};
}

static size_t field_named(struct view line, const char *name)
{
    size_t commas = 0;
    for (size_t i = 0; i < line.length; i++)
        commas += line.bytes[i] == ',';
    for (size_t n = 0; n <= commas; n++)
        if (view_equal(field_at(line, n), view_of(name)))
            return n;
    return SIZE_MAX;
}

static double positive(struct view field, double factor)
{
    char digits[64], *end;
    snprintf(digits, sizeof digits, "%.*s", (int)(field.length < 63 ? field.length : 63),
             field.bytes);
    double value = strtod(digits, &end);
    return *digits && !*end && isfinite(value) && value > 0 ? value * factor : -1;
}

static double replay_read_hipblaslt(const char *output)
{
    /* A table: a heading with the column, and the line behind it. */
    double factor = 1;
    for (const char *at = output; *at; at = next_line(at)) {
        struct view head = line_at(at), values = line_at(next_line(at));
        size_t place = field_named(head, "us");
        if (place == SIZE_MAX || place == 0)
            continue;
        double time = positive(field_at(values, place), factor);
        if (time > 0)
            return time;
    }
    return -1;
}

static double replay_read_miopen(const char *output)
{
    static const char mark[] = "stats:", average[] = " ms (average)";
    size_t place = SIZE_MAX;
    for (const char *at = output; *at; at = next_line(at)) {
        struct view line = line_at(at);
        if (strncmp(at, mark, strlen(mark)) != 0)
            continue;
        struct view rest = {line.bytes + strlen(mark), line.length - strlen(mark)};
        double time = place == SIZE_MAX ? -1 : positive(field_at(rest, place), 1000);
        if (time > 0)
            return time;
        place = field_named(rest, "timeMs");
    }
    const char *at = strstr(output, "GPU Kernel Time");
    const char *elapsed = at ? strstr(at, "Elapsed:") : NULL;
    if (!elapsed)
        return -1;
    elapsed += strlen("Elapsed:");
    elapsed += strspn(elapsed, " ");
    const char *end = strstr(elapsed, average);
    return end && end < next_line(elapsed)
               ? positive((struct view){elapsed, (size_t)(end - elapsed)}, 1000)
               : -1;
}

/* ------------------------------------------------------------------ tools */

const struct replay_tool replay_tools[] = {
    {"hipblaslt-bench", "gemm", "gemm.sh", "hipblaslt-bench", replay_make_hipblaslt,
     replay_read_hipblaslt},
    {"MIOpenDriver", "conv", "conv.sh", "miopen-driver", replay_make_miopen, replay_read_miopen},
    {0},
};

struct importing {
    struct warehouse *warehouse;
    struct error *error;
    call_list calls;
};

/* ------------------------------------------------------------------ calls */

/* The beginning of a file as a text; NULL when it is not there. */
char *replay_read_file(const char *directory, const char *name)
{
    enum { MOST = 1 << 24 };
    struct text path = {0};
    text_format(&path, "%s%s%s", directory, *directory ? "/" : "", name);
    FILE *file = fopen(path.items, "rb");
    char *content = file ? memory_take(MOST + 1) : NULL;
    if (content)
        content[fread(content, 1, MOST, file)] = '\0';
    if (file)
        fclose(file);
    return content;
}

bool replay_read_calls(struct warehouse *warehouse, call_list *calls, struct error *error)
{
    struct asked rows;
    struct replay_call call;
    asked_open(&rows, warehouse->db, calls_replayed);
    while (ASKED_ROW(&rows, OR_NULL(&call.run), OR_NULL(&call.group), OR_NULL(&call.name),
                     OR_NULL(&call.key), OR_NULL(&call.params), OR_NULL(&call.dims),
                     OR_NULL(&call.types), OR_NULL(&call.strides), OR_NULL(&call.concrete),
                     OR_NULL(&call.kernels), &call.row, &call.calls, &call.mean_us))
        array_add(calls, replay_call_copy(call));
    return asked_done(&rows, warehouse->path, error);
}

/* ------------------------------------------------------------------ results */

bool replay_keep(struct warehouse *warehouse, const char *run, const struct replay_measured *it,
                 struct error *error)
{
    struct asked insert;
    ASK(&insert, warehouse->db, result_kept, run, it->group, it->key, it->source, it->tool,
        it->command, it->status, it->time, it->output);
    asked_next(&insert);
    return asked_done(&insert, warehouse->path, error);
}

double replay_read_output(const struct replay_tool *tool, const char *directory, int64_t row)
{
    char name[80];
    snprintf(name, sizeof name, "%s-%lld.out", tool->log, (long long)row);
    char *output = replay_read_file(directory, name);
    double time = output ? tool->read(output) : -1;
    memory_free(output);
    return time;
}

/* Columns group, row, source, time_us, error: lines of the player, or of somebody else. */
struct csv_line {
    struct view fields[16];
    size_t count;
};

static void split_line(const char *line, struct csv_line *out)
{
    out->count = 0;
    while (out->count < sizeof out->fields / sizeof *out->fields) {
        bool is_quoted = *line == '"';
        const char *end = is_quoted ? strchr(line + 1, '"') : line + strcspn(line, ",\r\n");
        if (is_quoted && end)
            out->fields[out->count++] = (struct view){line + 1, (size_t)(end - line - 1)};
        else
            out->fields[out->count++] = (struct view){line, strcspn(line, ",\r\n")};
        line = is_quoted && end ? end + strcspn(end, ",\r\n") : line + strcspn(line, ",\r\n");
        if (*line != ',')
            return;
        line++;
    }
}

static struct view csv_field(const struct csv_line *head, const struct csv_line *line,
                             const char *name)
{
    for (size_t i = 0; i < head->count && i < line->count; i++)
        if (view_equal_ignoring_case(head->fields[i], view_of(name)))
            return line->fields[i];
    return (struct view){"", 0};
}

static const struct replay_call *call_at(const call_list *calls, struct view group, int64_t row)
{
    for (size_t i = 0; i < calls->count; i++)
        if (calls->items[i].row == row && view_equal(view_of(calls->items[i].group), group))
            return &calls->items[i];
    return NULL;
}

static bool replay_results_number_of(struct view field, double *number)
{
    char digits[64], *end;
    if (field.length == 0 || field.length >= sizeof digits)
        return false;
    memcpy(digits, field.bytes, field.length);
    digits[field.length] = '\0';
    *number = strtod(digits, &end);
    return !*end;
}

static bool bad_line(const char *name, size_t number, const char *why, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%s, line %zu: %s", name, number, why);
}

static bool take_line(struct warehouse *warehouse, const char *run, const call_list *calls,
                      const struct csv_line *head, const struct csv_line *line, const char *name,
                      size_t number, size_t *count, struct error *error)
{
    double row, time = -1;
    struct view group = csv_field(head, line, "group"), source = csv_field(head, line, "source");
    struct view took = csv_field(head, line, "time_us"), why = csv_field(head, line, "error");
    if (!replay_results_number_of(csv_field(head, line, "row"), &row))
        return bad_line(name, number, "the row is no number", error);
    const struct replay_call *call = call_at(calls, group, (int64_t)row);
    if (!call)
        return bad_line(name, number, "the run has no such row to be made again", error);
    bool is_bench = view_equal(source, VIEW("bench"));
    if (!is_bench && !view_equal(source, VIEW("replay")))
        return bad_line(name, number, "the source is neither bench nor replay", error);
    if (took.length && (!replay_results_number_of(took, &time) || !(time > 0) || time > 1e15))
        return bad_line(name, number, "the time is no positive number", error);
    struct text words = {0};
    text_add_view(&words, why);
    struct replay_measured result = {.group = call->group,
                                     .key = call->key,
                                     .source = is_bench ? "bench" : "replay",
                                     .tool = is_bench ? "imported" : "replay.py",
                                     .command = "",
                                     .status = time > 0      ? "ok"
                                               : words.count ? words.items
                                                             : "no time",
                                     .output = name,
                                     .time = time};
    *count += time > 0;
    return replay_keep(warehouse, run, &result, error);
}

bool replay_take_csv(struct warehouse *warehouse, const char *run, const call_list *calls,
                     const char *content, const char *name, size_t *count, struct error *error)
{
    struct csv_line head = {0}, line;
    size_t number = 0;
    bool done = true;
    for (const char *at = content; *at && done; at += at[0] == '\n') {
        number++;
        split_line(at, number == 1 ? &head : &line);
        bool is_empty = *at == '\n' || *at == '\r';
        if (number > 1 && !is_empty)
            done = take_line(warehouse, run, calls, &head, &line, name, number, count, error);
        at += strcspn(at, "\n");
    }
    bool has_columns = true;
    static const char *const needed[] = {"group", "row", "source", "time_us"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        bool found = false;
        for (size_t j = 0; j < head.count; j++)
            found |= view_equal_ignoring_case(head.fields[j], view_of(needed[i]));
        has_columns &= found;
    }
    return has_columns ? done
                       : error_set(error, STATUS_BAD_INPUT,
                                   "%s: has not the columns group, row, source and time_us", name);
}

/* ------------------------------------------------------------------ import */

/* The manifest of a directory says which rows were meant when it was written. */
static void read_manifest(struct importing *self, const char *directory, const char *run)
{
    char *content = replay_read_file(directory, "replay_manifest.json");
    struct literals values = {0};
    int root = content ? literal_read(&values, view_of(content)) : LITERAL_NONE;
    for (int i = 0; i < literal_count(&values, root); i++) {
        int entry = literal_item(&values, root, i);
        const char *group = literal_text(&values, literal_member(&values, entry, "group"));
        const char *key = literal_text(&values, literal_member(&values, entry, "call"));
        int row = literal_member(&values, entry, "row");
        if (!group || !key)
            continue;
        array_add(&self->calls,
                  (struct replay_call){.run = memory_text(run),
                                       .group = memory_text(group),
                                       .key = memory_text(key),
                                       .row = row < 0 ? -1 : literal_at(&values, row)->integer});
    }
    memory_free(content);
}

bool replay_import(struct warehouse *warehouse, const char *run, const char *path, size_t *count,
                   struct error *error)
{
    struct importing self = {.warehouse = warehouse, .error = error};
    struct stat status;
    *count = 0;
    if (stat(path, &status) != 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
    bool is_directory = S_ISDIR(status.st_mode);
    bool done = true;
    if (is_directory)
        read_manifest(&self, path, run);
    if (self.calls.count == 0)
        done = replay_read_calls(warehouse, &self.calls, error);
    done = done && warehouse_run(warehouse, "BEGIN", error);
    if (done && is_directory) {
        /* The outputs of programs that are meant for the calls, then the results of the player. */
        for (const struct replay_tool *tool = replay_tools; tool->program && done; tool++)
            for (size_t i = 0; i < self.calls.count && done; i++) {
                const struct replay_call *call = &self.calls.items[i];
                bool is_meant = strcmp(call->group, tool->group) == 0;
                double time = is_meant ? replay_read_output(tool, path, call->row) : -1;
                char name[80];
                snprintf(name, sizeof name, "%s-%lld.log", tool->log, (long long)call->row);
                char *command = time > 0 ? replay_read_file(path, name) : NULL;
                if (command)
                    command[strcspn(command, "\n")] = '\0';
                struct replay_measured result = {.group = call->group,
                                                 .key = call->key,
                                                 .source = "bench",
                                                 .tool = tool->program,
                                                 .command = command ? command : "",
                                                 .status = "ok",
                                                 .output = path,
                                                 .time = time};
                if (time > 0)
                    done = replay_keep(self.warehouse, run, &result, self.error);
                *count += time > 0;
                memory_free(command);
            }
        char *csv = done ? replay_read_file(path, "replay.csv") : NULL;
        if (csv)
            done = replay_take_csv(self.warehouse, run, &self.calls, csv, "replay.csv", count,
                                   self.error);
    } else if (done) {
        char *content = replay_read_file("", path);
        done = content ? replay_take_csv(warehouse, run, &self.calls, content, path, count, error)
                       : error_set(error, STATUS_BAD_INPUT, "%s: cannot be read", path);
    }
    done = done && warehouse_run(warehouse, "COMMIT", error);
    if (!sqlite3_get_autocommit(warehouse->db))
        sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return done;
}
