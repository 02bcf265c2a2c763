/* report_notes: Each note is a query whose rows are sentences; no row means nothing to say. Checks
 * of tt-metal come before its notes, and can end the call. For recorded graphs, the selected traces
 * are asked first, and folders beside the files only when those have none. */
#include "src/report/report_notes.h"

#include "sql/asked.h"
#include "src/base/deviation.h"
#include "src/command/session.h"
#include "src/report/report_notes.sql.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

/* Says each row of a question. Where there is no name, even an empty one, a row may be lines. */
static bool say_rows(struct warehouse *warehouse, const char *name, const char *sql,
                     struct error *error)
{
    struct asked rows;
    const char *words;
    asked_open(&rows, warehouse->db, sql);
    while (ASKED_ROW(&rows, OR_NULL(&words)))
        if (!name)
            session_say_lines(words);
        else if (words)
            session_sayf("%s%s%s", name, *name ? ": " : "", words);
    return asked_done(&rows, warehouse->path, error);
}

bool report_notes_find_nodes(struct warehouse *warehouse, const char *set,
                             const struct arguments *arguments, struct error *error)
{
    static const char sql[] = "SELECT count(properties) FROM device WHERE trace_id = (SELECT "
                              "trace_id FROM run_rank ORDER BY run, place LIMIT 1)";
    int64_t size = 0;
    char text[24];
    if (strcmp(set, "collectives") != 0 || arguments_has(arguments, "gpus-per-node"))
        return true;
    if (!warehouse_ask(warehouse, sql, 0, &size, error))
        return false;
    snprintf(text, sizeof text, "%lld", (long long)size);
    if (size)
        session_sayf("--gpus-per-node %s: the first trace has properties of as many", text);
    context_set(warehouse->context, "gpus-per-node", size ? text : NULL);
    return true;
}

bool report_notes_warn(struct warehouse *warehouse, struct error *error)
{
    return say_rows(
        warehouse, "",
        "SELECT run || ': ' || code || ': ' || detail FROM rank_warning ORDER BY run, code", error);
}

bool report_notes_say(struct warehouse *warehouse, const char *name, bool is_long,
                      struct error *error)
{
    static const char *const questions[] = {
        "SELECT 'no op of the group ' || op_group FROM (SELECT DISTINCT op_group, place FROM "
        "op_group WHERE purpose = 'sheet') WHERE op_group NOT IN (SELECT op_group.op_group FROM "
        "(SELECT DISTINCT event.op_id AS op_id FROM scope CROSS JOIN event ON event.id BETWEEN "
        "scope.first_event AND scope.last_event WHERE event.op_id IS NOT NULL) AS used JOIN op ON "
        "op.id = used.op_id JOIN string ON string.id = op.name_id JOIN op_group ON "
        "op_group.purpose = 'sheet' AND op_group.op = string.text WHERE op.dims_id IS NOT NULL) "
        "ORDER BY place",
        "SELECT 'grouped_breakdown: in no group, and so Other: ' || group_concat(name, ', ') FROM "
        "(SELECT name FROM breakdown_launcher WHERE op_group = 'Other' ORDER BY mean_ns DESC, "
        "name) HAVING count(*)",
        "SELECT code || ': ' || detail FROM rank_warning ORDER BY code",
    };
    static const char shapes[] =
        "SELECT 'ops with shapes below ' || root || ': ' || name || ' (' || uid || ', ' || "
        "printf('%.3f', duration_ms) || ' ms)' || coalesce(', which calls ' || children || ' for ' "
        "|| printf('%.3f', children_ms) || ' ms', '') FROM ops_with_shapes";
    bool done = true;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && done; i++)
        done = say_rows(warehouse, name, questions[i], error);
    return done && (!is_long || say_rows(warehouse, name, shapes, error));
}

bool report_notes_check(struct warehouse *warehouse, bool *refused, struct error *refusal,
                        struct error *error)
{
    struct asked row;
    const char *run, *detail;
    asked_open(&row, warehouse->db,
               "SELECT run, detail FROM rank_warning WHERE code IN ('W01', 'W04', 'W05', 'W06')");
    *refused = ASKED_ROW(&row, &run, &detail);
    if (*refused)
        error_set(refusal, STATUS_BAD_INPUT, "%s: %s (--strict-ranks)", run, detail);
    return asked_done(&row, warehouse->path, error);
}

/* ------------------------------------------------------------------ recorded graphs */

static void say_capture_folder(const char *begin, const char *folder)
{
    session_sayf("%s %s; --capture-folder takes it to tell what their launches ran", begin, folder);
}

static bool has_captured_traces(const char *folder)
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

bool report_notes_say_captures(struct warehouse *warehouse, bool are_files, struct error *error)
{
    bool any = false;
    struct asked folders;
    const char *parent;
    asked_open(&folders, warehouse->db, captures_among);
    for (; ASKED_ROW(&folders, &parent); any = true)
        say_capture_folder("graphs were recorded in the traces of", parent);
    if (!asked_done(&folders, warehouse->path, error))
        return false;
    if (any || !are_files)
        return true;
    struct text folder = {0}, list = {0};
    asked_open(&folders, warehouse->db, graphs_launched);
    while (ASKED_ROW(&folders, &parent)) {
        /* Folders of captures are known by the list that engines write with them, or by their name.
         */
        struct dirent *entry;
        struct stat status;
        DIR *directory = opendir(*parent ? parent : "/");
        while (directory && (entry = readdir(directory))) {
            if (*entry->d_name == '.')
                continue;
            text_clear(&folder);
            text_clear(&list);
            text_format(&folder, "%s/%s", parent, entry->d_name);
            text_format(&list, "%s/execution_details.json", folder.items);
            if (stat(list.items, &status) == 0 ||
                (view_contains_ignoring_case(view_of(entry->d_name), "capture") &&
                 has_captured_traces(folder.items)))
                say_capture_folder("graphs may have been recorded in", folder.items);
        }
        if (directory)
            closedir(directory);
    }
    return asked_done(&folders, warehouse->path, error);
}

/* ------------------------------------------------------------------ tt-metal */

static bool check_arch(const char *arch, struct warehouse *warehouse, struct error *error)
{
    if (!arch)
        return true;
    struct asked row;
    bool is_known = true;
    const char *known = "";
    ASK(&row, warehouse->db,
        "SELECT EXISTS (SELECT 1 FROM device_model WHERE device = lower(?1) AND kind = 'core') OR "
        "lower(?1) = 'wormhole_b0', "
        "(SELECT group_concat(device, ', ') FROM device_model WHERE kind = 'core')",
        arch);
    bool done = !ASKED_ROW(&row, &is_known, &known) || is_known ||
                error_set(error, STATUS_USAGE, "unknown architecture \"%.100s\"; known are %s",
                          arch, known);
    return asked_done(&row, warehouse->path, error) && done;
}

/* Every file of a run must have as many devices as the first one. */
static bool check_devices(struct warehouse *warehouse, struct error *error)
{
    struct asked row;
    const char *path;
    int64_t last, expected;
    asked_open(&row, warehouse->db, devices_unlike);
    bool done = !ASKED_ROW(&row, &path, &last, &expected) ||
                error_set(error, STATUS_BAD_INPUT,
                          "%s: its last device is %lld, that of the first file %lld; the files of "
                          "one run must have the same devices",
                          path, (long long)last, (long long)expected);
    return asked_done(&row, warehouse->path, error) && done;
}

bool report_notes_say_tt(const struct arguments *arguments, struct warehouse *warehouse,
                         struct error *error)
{
    static const char several[] =
        "SELECT 'several architectures are named, the first one holds: ' || arg(metadata, "
        "'architectures') FROM (SELECT DISTINCT trace_id FROM scope) JOIN trace ON trace.id = "
        "trace_id WHERE instr(arg(metadata, 'architectures'), ',') > 0";
    static const char stated[] =
        "SELECT '--arch is not used: the file says what it is' FROM scope JOIN trace ON trace.id "
        "= trace_id WHERE arg(metadata, 'version') = 'v2.1' LIMIT 1";
    static const char replays[] =
        "SELECT 'the file has replayed traces; --tracing-mode keeps their order' FROM scope JOIN "
        "device_op ON device_op.id BETWEEN first_event AND last_event WHERE replay IS NOT NULL "
        "AND tpq_like_reference('tt: replayed traces') LIMIT 1";
    static const char gaps[] =
        "SELECT format('gaps are %.1f %% of the total: Device %% says more than Total %%', "
        "gap_percent) FROM tt_totals WHERE gap_percent > 50 AND "
        "tpq_like_reference('tt: note on gaps')";
    static const char hidden[] =
        "SELECT format('%d ops below %g %% are not printed, with %.1f us on the device', count(*), "
        "tpq_option('min-percentage'), sum(device_time_us)) FROM tt_op WHERE total_percent < "
        "tpq_option('min-percentage') AND instr(name, '(torch)') = 0 HAVING count(*)";
    bool hides = arguments_has(arguments, "min-percentage") &&
                 !like_reference(arguments_has(arguments, "compat"), "tt: --min-percentage");
    return check_arch(arguments_value(arguments, "arch"), warehouse, error) &&
           check_devices(warehouse, error) && say_rows(warehouse, NULL, architectures, error) &&
           say_rows(warehouse, NULL, several, error) &&
           (!arguments_has(arguments, "arch") || say_rows(warehouse, NULL, stated, error)) &&
           (arguments_has(arguments, "tracing-mode") ||
            say_rows(warehouse, NULL, replays, error)) &&
           say_rows(warehouse, NULL, "SELECT notes FROM tt_status", error) &&
           say_rows(warehouse, NULL, gaps, error) &&
           (context_get(warehouse->context, "no-summary") ||
            say_rows(warehouse, NULL, unknown, error)) &&
           (!hides || say_rows(warehouse, NULL, hidden, error));
}

bool report_notes_say_window(struct warehouse *warehouse, struct error *error)
{
    return say_rows(warehouse, NULL,
                    "SELECT format('ops after the last signpost, ''%s''; --ignore-signposts takes "
                    "all', last_signpost) FROM tt_status WHERE last_signpost IS NOT NULL",
                    error);
}

/* ------------------------------------------------------------------ findings */

bool report_notes_add_findings(struct warehouse *warehouse, bool of_many, struct identity *identity,
                               struct error *error)
{
    enum { RUNS_MAX = 4, MANY_MAX = 20 };
    static const char count_runs[] = "SELECT count(DISTINCT run) FROM scope";
    static const char line_a_run[] =
        "SELECT run || ': ' || headline, NULL, NULL, NULL FROM run_overview WHERE headline <> ''";
    int64_t runs;
    if (!warehouse_ask(warehouse, count_runs, 0, &runs, error))
        return false;
    if (runs == 0 || runs > (of_many ? MANY_MAX : RUNS_MAX))
        return true;
    struct asked rows;
    const char *line, *name, *advice;
    double saves;
    asked_open(&rows, warehouse->db, runs > RUNS_MAX ? line_a_run : headline_lines);
    while (ASKED_ROW(&rows, &line, OR_NULL(&name), OR_NULL(&advice), OR_NONE(&saves)))
        identity_add_first_line(identity, line, name, advice, saves);
    return asked_done(&rows, warehouse->path, error);
}
