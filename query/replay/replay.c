/* replay: results without a time are forgotten first, so that these calls are tried anew. Then
 * each call is written as data, each tool gets its commands and may run them, the player runs, and
 * the manifest comes last. Programs run in a workplace that is removed at the end; their files are
 * moved from there.
 */
#include "query/replay/replay.h"

#include "query/replay/replay.sql.h"
#include "query/replay/replay_ir.h"
#include "query/replay/replay_results.h"
#include "sql/asked.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/number.h"
#include "src/base/process.h"
#include "src/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ a replay */

extern const char replay_player[]; /* replay.py */

struct replay {
    struct warehouse *warehouse;
    const struct replay_options *options;
    struct text *notes;
    struct error *error;
    char *directory; /* absolute; may have been there, with anything in it */
    char *workplace; /* where programs run; NULL when none does */
    call_list calls;
    bool is_amd;                      /* its libraries have benchmarks */
    struct text ir, manifest, runner; /* files that grow while calls are gone through */
};

__attribute__((format(printf, 2, 3))) static void note(struct replay *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vformat(self->notes, format, arguments);
    text_add_byte(self->notes, '\n');
    va_end(arguments);
}

/* ------------------------------------------------------------------ files */

static bool make_directory(struct replay *self, const char *path)
{
    if (!file_make_own_folder(path, self->error))
        return false;
    self->directory = file_real_path(path);
    return self->directory || error_set(self->error, STATUS_DATABASE, "%s: is no directory", path);
}

static bool write_to(struct replay *self, const char *folder, const char *name, const char *content)
{
    struct text path = {0};
    text_format(&path, "%s/%s", folder, name);
    return file_write(path.items, view_of(content), self->error);
}

static bool write_file(struct replay *self, const char *name, const char *content)
{
    return write_to(self, self->directory, name, content);
}

/* ------------------------------------------------------------------ calls */

/* Kernels of AMD's libraries and names of runtime calls tell; where nothing does, it is both. */
static bool look_at_platform(struct replay *self)
{
    const char *platform = self->options->platform;
    if (platform) {
        self->is_amd = strcmp(platform, "nvidia") != 0;
        return true;
    }
    struct asked row;
    bool has_amd = false, has_cuda = false;
    asked_open(&row, self->warehouse->db, makers);
    ASKED_ROW(&row, &has_amd, &has_cuda);
    self->is_amd = has_amd || !has_cuda;
    return asked_done(&row, self->warehouse->path, self->error);
}

static bool add_ir(struct replay *self, const struct replay_call *call, int64_t uid)
{
    declaration_list declarations = {0};
    bool fits = false;
    struct asked rows;
    const char *declaration;
    ASK(&rows, self->warehouse->db,
        "SELECT declaration FROM op_schema WHERE op = ?1 ORDER BY overload", call->name);
    while (ASKED_ROW(&rows, &declaration))
        array_add(&declarations, memory_text(declaration));
    if (!asked_done(&rows, self->warehouse->path, self->error))
        return false;
    text_add_string(&self->ir, self->ir.count ? "," : "[");
    replay_ir_add(call, &declarations, uid, &self->ir, &fits);
    return true;
}

/* ------------------------------------------------------------------ commands */

static void add_to_manifest(struct replay *self, const struct replay_call *call,
                            const struct replay_tool *tool, const struct replay_command *command,
                            const char *line)
{
    struct text *out = &self->manifest;
    const struct {
        const char *name, *json;
    } lists[] = {{"Input Dims", call->dims},   {"Input Strides", call->strides},
                 {"Input type", call->types},  {"Concrete Inputs", call->concrete},
                 {"parameters", call->params}, {"expected kernels", call->kernels}};
    text_format(out, "%s{\"group\":\"%s\",\"row\":%lld,\"op\":", out->count ? "," : "[",
                call->group, (long long)call->row);
    text_add_json(out, view_of(call->name));
    text_add_string(out, ",\"call\":");
    text_add_json(out, view_of(call->key));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        text_format(out, ",\"%s\":%s", lists[i].name,
                    lists[i].json && *lists[i].json ? lists[i].json : "null");
    text_add_string(out, ",\"profile_us_mean\":");
    number_add_real(out, call->mean_us);
    text_format(out, ",\"count\":%lld,\"tool\":\"%s\",\"command\":", (long long)call->calls,
                tool->program);
    if (*line)
        text_add_json(out, view_of(line));
    else
        text_add_string(out, "null");
    text_add_string(out, ",\"note\":");
    text_add_json(out, view_of(*command->problem ? command->problem : command->note));
    text_format(out, ",\"layout_disagrees\":%s}", command->disagrees ? "true" : "false");
}

/* Files that a program may have left where it ran, up to NULL. */
static bool replay_take(struct replay *self, const char *const *names)
{
    bool done = true;
    for (; *names && done; names++) {
        /* Moves a file to another folder, in place of one that is there; what is not in the
         * workplace is not there afterwards either. Of a text of many megabytes the beginning. */
        const char *workplace = self->workplace;
        const char *name = *names;
        struct error *error = self->error;
        struct text from = {0}, to = {0};
        text_format(&from, "%s/%s", workplace, name);
        text_format(&to, "%s/%s", self->directory, name);
        char *content = replay_read_file(workplace, name);
        if (content)
            done = file_write(to.items, view_of(content), error);
        else if (access(from.items, F_OK) == 0)
            done = error_set(error, STATUS_DATABASE, "%s: cannot be read", from.items);
        else
            unlink(to.items);
        if (done)
            unlink(from.items);
        memory_free(content);
    }
    return done;
}

static bool run_command(struct replay *self, const struct replay_tool *tool, const char *program,
                        const struct replay_call *call, struct replay_command *command,
                        const char *line)
{
    char output[80], errors[80], why[120] = "";
    bool taken = true;
    struct replay_measured result = {.group = call->group,
                                     .key = call->key,
                                     .source = "bench",
                                     .tool = tool->program,
                                     .command = line,
                                     .status = "not run",
                                     .time = -1};
    snprintf(output, sizeof output, "%s-%lld.out", tool->log, (long long)call->row);
    snprintf(errors, sizeof errors, "%s-%lld.err", tool->log, (long long)call->row);
    struct text path = {0};
    if (*command->problem) {
        result.status = command->problem;
    } else if (self->options->runs && !program) {
        result.status = "not on PATH";
    } else if (self->options->runs) {
        char **end = array_push(&command->words);
        text_format(&path, "%s/%s", self->directory, output);
        *end = NULL;
        struct process process = {program, command->words.items,  self->workplace, output,
                                  errors,  self->options->seconds};
        process_run(&process, why, sizeof why);
        command->words.count--;
        result.time = *why ? -1 : replay_read_output(tool, self->workplace, call->row);
        result.status = *why ? why : result.time > 0 ? "ok" : "its output has no time";
        result.output = path.items;
        taken = replay_take(self, (const char *const[]){output, errors, NULL});
    }
    bool done = taken && replay_keep(self->warehouse, call->run, &result, self->error);
    if (done && self->options->runs && program && result.time < 0)
        note(self, "%s for row %lld of %s: %s", tool->program, (long long)call->row, call->group,
             result.status);
    return done;
}

static bool do_tool(struct replay *self, const struct replay_tool *tool)
{
    bool any = false;
    for (size_t i = 0; i < self->calls.count; i++)
        any |= strcmp(self->calls.items[i].group, tool->group) == 0;
    if (!any)
        return true;
    char *program = process_find(tool->program);
    struct text script = {0};
    text_add_string(&script, "#!/bin/sh\n");
    bool done = true;
    if (!program && self->options->runs)
        note(self, "%s is not on PATH: its commands are written, not run", tool->program);
    for (size_t i = 0; i < self->calls.count && done; i++) {
        if (strcmp(self->calls.items[i].group, tool->group) == 0) {
            /* One line of the script for each call of the group. */
            const struct replay_call *call = &self->calls.items[i];
            struct replay_command command = {0};
            struct text line = {0}, log = {0};
            char name[80];
            tool->make(call, &command);
            replay_command_line(&command, &line);
            bool is_there = !*command.problem;
            if (!is_there)
                text_clear(&line);

            /* A line that a shell takes for a remark, whatever the name of an op is. */
            const char *words = *command.problem ? command.problem : command.note;
            size_t start = script.count;
            text_format(&script, "# %lld: %s%s%s\n", (long long)call->row, call->name,
                        *words ? ", " : "", words);
            for (size_t j = start; j + 1 < script.count; j++)
                if (iscntrl((unsigned char)script.items[j]))
                    script.items[j] = '?';
            if (is_there)
                text_format(&script, "%s\n", line.items);
            add_to_manifest(self, call, tool, &command, line.items);
            if (command.disagrees)
                note(self,
                     "row %lld of %s: the name of its kernel tells another layout of the "
                     "operands than their strides",
                     (long long)call->row, call->group);
            if (is_there) {
                snprintf(name, sizeof name, "%s-%lld.log", tool->log, (long long)call->row);
                text_format(&log, "%s\n", line.items);
                text_format(&self->runner, "measure %s-%lld %s\n", tool->log, (long long)call->row,
                            line.items);
                done = write_file(self, name, log.items);
            }
            done = done && run_command(self, tool, program, call, &command, line.items);
        }
    }
    return done && write_file(self, tool->script, script.items);
}

/* ------------------------------------------------------------------ the player */

static const char *status_of_player(const char *why)
{
    return strcmp(why, "ended with status 3") == 0   ? "python3 has no PyTorch"
           : strcmp(why, "ended with status 4") == 0 ? "there is no GPU"
                                                     : why;
}

static bool keep_player_status(struct replay *self, const char *status)
{
    bool done = true;
    for (size_t i = 0; i < self->calls.count && done; i++) {
        const struct replay_call *call = &self->calls.items[i];
        struct replay_measured result = {.group = call->group,
                                         .key = call->key,
                                         .source = "replay",
                                         .tool = "replay.py",
                                         .command = "python3 -I replay.py event_replay_ir.json",
                                         .status = status,
                                         .time = -1};
        done = replay_keep(self->warehouse, call->run, &result, self->error);
    }
    return done;
}

static bool run_player(struct replay *self)
{
    static const char command[] = "rm -f replay.csv\n"
                                  "python3 -I replay.py event_replay_ir.json --csv replay.csv\n";
    char *words[] = {"python3",          "-I",    "replay.py",  "event_replay_ir.json",
                     "--require-device", "--csv", "replay.csv", NULL};
    char why[120] = "";
    char *program = self->options->runs ? process_find("python3") : NULL;
    text_add_string(&self->runner, command);
    if (!self->options->runs || !program)
        return keep_player_status(self, self->options->runs ? "python3 is not on PATH" : "not run");
    int seconds = self->options->seconds;
    struct process process = {program,      words,        self->workplace,
                              "replay.out", "replay.err", seconds * (int)(self->calls.count + 1)};
    process_run(&process, why, sizeof why);
    char *csv = replay_read_file(self->workplace, "replay.csv");
    size_t count = 0;
    bool done =
        replay_take(self, (const char *const[]){"replay.out", "replay.err", "replay.csv", NULL});
    if (done && csv)
        done = replay_take_csv(self->warehouse, self->calls.items[0].run, &self->calls, csv,
                               "replay.csv", &count, self->error) &&
               (!*why || keep_player_status(self, why)); /* of rows that it did not come to */
    else {
        done = keep_player_status(self, *why ? status_of_player(why) : "it wrote no times");
        if (done)
            note(self, "replay.py: %s", *why ? status_of_player(why) : "it wrote no times");
    }
    memory_free(csv);
    return done;
}

/* ------------------------------------------------------------------ all of it */

static bool write_ir(struct replay *self)
{
    struct text pretty = {0};
    text_add_string(&self->ir, self->ir.count ? "]" : "[]");
    replay_ir_indent(self->ir.items, &pretty);
    bool done = true;
    char *const folders[] = {self->directory, self->workplace};
    for (size_t i = 0; i < 2 && done; i++)
        done = !folders[i] || (write_to(self, folders[i], "event_replay_ir.json", pretty.items) &&
                               write_to(self, folders[i], "replay.py", replay_player));
    return done;
}

/* Calls without a time are tried anew; times stay until there are others. */
static bool forget_failures(struct replay *self)
{
    struct asked row;
    ASK(&row, self->warehouse->db,
        "DELETE FROM replay_result WHERE time_us IS NULL AND run_id = (SELECT id FROM run WHERE "
        "name = ?1)",
        self->calls.items[0].run);
    asked_next(&row);
    return asked_done(&row, self->warehouse->path, self->error);
}

/* A new file takes the place of whatever has its name: nothing is written through a link. */
static const char runner_head[] =
    "#!/bin/sh\n"
    "# All of it; tpq replay import takes what is measured, from this directory.\n"
    "case $0 in */*) CDPATH= cd -- \"${0%/*}/\" || exit ;; esac\n"
    "measure() {\n"
    "    name=$1\n"
    "    shift\n"
    "    rm -f \"$name.out\" \"$name.err\" \"$name\".*.csv\n"
    "    \"$@\" > \"$name.out\" 2> \"$name.err\"\n"
    "}\n";

bool replay_make(struct warehouse *warehouse, const struct replay_options *options,
                 struct text *notes, struct error *error)
{
    struct replay self = {
        .warehouse = warehouse, .options = options, .notes = notes, .error = error};
    bool done = replay_read_calls(warehouse, &self.calls, error);
    if (done && self.calls.count == 0) {
        note(&self, "no matrix product and no convolution is there to be made again");
        return done;
    }
    if (done)
        done = forget_failures(&self);
    done = done && look_at_platform(&self) && make_directory(&self, options->directory) &&
           (!options->runs || (self.workplace = workplace_make(error)));
    if (done)
        text_add_string(&self.runner, runner_head);
    for (size_t i = 0; i < self.calls.count && done; i++)
        done = add_ir(&self, &self.calls.items[i], -1);
    done = done && write_ir(&self);
    for (const struct replay_tool *tool = replay_tools; tool->program && self.is_amd && done;
         tool++)
        done = do_tool(&self, tool);
    done = done && run_player(&self);
    if (done) {
        struct text pretty = {0};
        text_add_string(&self.manifest, self.manifest.count ? "]" : "[]");
        replay_ir_indent(self.manifest.items, &pretty);
        done = write_file(&self, "replay_manifest.json", pretty.items) &&
               write_file(&self, "run.sh", self.runner.items);
    }
    workplace_remove(self.workplace);
    return done;
}

/* ------------------------------------------------------------------ one event */

static bool read_event(struct replay *self, const char *run, const char *rank, int64_t uid)
{
    struct asked row;
    struct replay_call call = {.calls = 1};
    ASK(&row, self->warehouse->db, call_of_event, run, rank, uid);
    bool is_there = ASKED_ROW(&row, OR_NULL(&call.name), OR_NULL(&call.dims), OR_NULL(&call.types),
                              OR_NULL(&call.strides), OR_NULL(&call.concrete), &call.mean_us);
    if (is_there)
        array_add(&self->calls, replay_call_copy(call));
    if (!asked_done(&row, self->warehouse->path, self->error))
        return false;
    if (!is_there)
        return error_set(self->error, STATUS_USAGE, "the run '%s' has no event with the UID %lld",
                         run, (long long)uid);
    return self->calls.items[0].types ||
           error_set(self->error, STATUS_USAGE, "the event %lld is no op with recorded arguments",
                     (long long)uid);
}

bool replay_event(struct warehouse *warehouse, const char *run, const char *rank, int64_t uid,
                  const char *directory, struct text *notes, struct error *error)
{
    static const char readme[] =
        "One call of an op, as it was recorded: its name, and the shapes, strides, types and "
        "values of\nits arguments. No code, no files and no contents of tensors.\n\n"
        "    python3 -I replay.py event_replay_ir.json\n\n"
        "makes it again and measures it; -I keeps Python from taking files beside it for its own. "
        "It needs PyTorch; --device cpu runs it without a GPU.\n";
    struct replay self = {.warehouse = warehouse, .notes = notes, .error = error};
    bool done = read_event(&self, run, rank, uid) && make_directory(&self, directory) &&
                add_ir(&self, &self.calls.items[0], uid);
    if (done && strstr(self.ir.items, "\"unresolved\":true"))
        note(&self,
             "the declaration of %s does not fit, or is not known; replay.py looks "
             "for one in PyTorch",
             self.calls.items[0].name);
    return done && write_ir(&self) && write_file(&self, "README.txt", readme);
}
