/* report_captures: see report_captures.h. */
#include "src/report/report_captures.h"

#include "src/command/session.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static void say(const char *begin, const char *folder)
{
    fputs(begin, stderr);
    session_print(stderr, folder);
    fputs("; --capture-folder takes it to tell what their launches ran\n", stderr);
}

/* Captures among the traces of the report. */
static bool say_among(struct report_call *self, bool *any)
{
    static const char sql[] =
        "SELECT DISTINCT rtrim(rtrim(trace.path, replace(trace.path, '/', '')), '/') FROM (SELECT "
        "count(DISTINCT trace_id) AS traces FROM scope) AS beside CROSS JOIN (SELECT DISTINCT "
        "trace_id FROM scope) AS chosen ON beside.traces > 1 CROSS JOIN trace ON trace.id = "
        "chosen.trace_id WHERE "
        "NOT EXISTS (SELECT 1 FROM gpu_event WHERE id BETWEEN trace.first_event AND "
        "trace.last_event AND launcher_name_id IN (SELECT id FROM graph_call)) AND EXISTS (SELECT "
        "1 FROM event WHERE id BETWEEN trace.first_event AND "
        "trace.last_event AND name_id IN (SELECT id FROM string WHERE text LIKE "
        "'%StreamBeginCapture%')) AND EXISTS (SELECT 1 FROM scope CROSS JOIN gpu_event ON id "
        "BETWEEN first_event AND last_event WHERE launcher_name_id IN (SELECT id FROM "
        "graph_call))";
    sqlite3_stmt *folders = warehouse_prepare(&self->warehouse, sql, self->error);
    bool done = folders != NULL;
    while (warehouse_next(&self->warehouse, folders, &done, self->error)) {
        say("tpq: graphs were recorded in the traces of ",
            (const char *)sqlite3_column_text(folders, 0));
        *any = true;
    }
    sqlite3_finalize(folders);
    return done;
}

/* ------------------------------------------------------------------ beside a file */

static bool is_there(struct text *scratch, const char *folder, const char *name)
{
    struct stat status;
    text_clear(scratch);
    return text_format(scratch, "%s/%s", folder, name) && stat(scratch->items, &status) == 0;
}

static bool has_traces(const char *folder)
{
    struct dirent *entry;
    bool any = false;
    DIR *directory = opendir(folder);
    while (directory && !any && (entry = readdir(directory)))
        any = strstr(entry->d_name, ".json") != NULL;
    if (directory)
        closedir(directory);
    return any;
}

/* Whether the folder of that name has what was recorded. */
static bool holds_captures(const char *folder, const char *name, struct text *scratch)
{
    return is_there(scratch, folder, "execution_details.json") ||
           (view_contains_ignoring_case(view_of(name), "capture") && has_traces(folder));
}

static bool say_in(const char *parent)
{
    struct text folder = {0}, scratch = {0};
    struct dirent *entry;
    DIR *directory = opendir(*parent ? parent : "/");
    bool done = true;
    while (directory && done && (entry = readdir(directory))) {
        text_clear(&folder);
        done = text_format(&folder, "%s/%s", parent, entry->d_name);
        if (done && *entry->d_name != '.' && holds_captures(folder.items, entry->d_name, &scratch))
            say("tpq: graphs may have been recorded in ", folder.items);
    }
    if (directory)
        closedir(directory);
    text_free(&folder);
    text_free(&scratch);
    return done;
}

/* Beside files that were named and launch graphs. */
static bool say_beside(struct report_call *self)
{
    static const char sql[] =
        "SELECT DISTINCT rtrim(rtrim(trace.path, replace(trace.path, '/', '')), '/') FROM (SELECT "
        "DISTINCT trace_id FROM scope) AS chosen CROSS JOIN trace ON trace.id = chosen.trace_id "
        "WHERE EXISTS (SELECT 1 FROM gpu_event WHERE id BETWEEN trace.first_event AND "
        "trace.last_event AND launcher_name_id IN (SELECT id FROM graph_call))";
    sqlite3_stmt *folders = warehouse_prepare(&self->warehouse, sql, self->error);
    bool done = folders != NULL;
    while (warehouse_next(&self->warehouse, folders, &done, self->error))
        done = say_in((const char *)sqlite3_column_text(folders, 0)) || error_memory(self->error);
    sqlite3_finalize(folders);
    return done;
}

bool report_captures_say(struct report_call *self)
{
    bool any = false;
    return arguments_has(self->arguments, "capture-folder") ||
           (say_among(self, &any) && (any || !self->paths.count || say_beside(self)));
}
