/* report_tt: see report_tt.h. */
#include "src/report/report_tt.h"

#include "query/report/identify.h"
#include "src/base/deviation.h"
#include "src/command/selection_options.h"
#include "src/command/session.h"
#include "src/report/report_options.h"

#include <string.h>

static bool check_arch(const char *arch, struct warehouse *warehouse, struct error *error)
{
    if (!arch)
        return true;
    sqlite3_stmt *statement = warehouse_prepare(
        warehouse,
        "SELECT EXISTS (SELECT 1 FROM device_model WHERE device = lower(?1) AND kind = 'core') OR "
        "lower(?1) = 'wormhole_b0', "
        "(SELECT group_concat(device, ', ') FROM device_model WHERE kind = 'core')",
        error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, arch, -1, SQLITE_STATIC);
    bool done = sqlite3_step(statement) == SQLITE_ROW || warehouse_error(warehouse, error);
    if (done && !sqlite3_column_int(statement, 0))
        done = error_set(error, STATUS_USAGE, "unknown architecture \"%.100s\"; known are %s", arch,
                         (const char *)sqlite3_column_text(statement, 1));
    sqlite3_finalize(statement);
    return done;
}

static bool put(struct context *context, const char *name, const char *value, struct error *error)
{
    return !value || context_set(context, name, value) || error_memory(error);
}

bool report_tt_options(const struct arguments *arguments, struct context *context,
                       struct error *error)
{
    static const char *const as_they_are[] = {"id-range", "start-signpost", "end-signpost",
                                              "signpost-occurrence", "ignore-signposts"};
    bool done = true;
    for (size_t i = 0; done && i < sizeof as_they_are / sizeof *as_they_are; i++)
        done = report_option_read(arguments, view_option_find(as_they_are[i]), context, error);
    const char *range = arguments_value(arguments, "signpost-range");
    const char *start = arguments_value(arguments, "signpost");
    bool by_op = !arguments_has(arguments, "group-by") &&
                 arguments_has(arguments, "no-stack-by-in0") &&
                 !like_reference(arguments_has(arguments, "compat"), "tt: --no-stack-by-in0");
    return done &&
           (context_get(context, "start-signpost") ||
            put(context, "start-signpost", start ? start : range, error)) &&
           (context_get(context, "end-signpost") || put(context, "end-signpost", range, error)) &&
           put(context, "group-by", by_op ? "op" : NULL, error) &&
           put(context, "no-summary", arguments_has(arguments, "no-stacked-report") ? "1" : NULL,
               error);
}

/* ------------------------------------------------------------------ after the selection */

/* Every file of a run must have as many devices as the first one. */
static bool check_devices(struct warehouse *warehouse, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(
        warehouse,
        "WITH file AS (SELECT scope.run AS run, scope.trace_id AS id, max(device_op.device) AS "
        "most FROM scope LEFT JOIN device_op ON device_op.id BETWEEN first_event AND last_event "
        "GROUP BY scope.run, scope.trace_id), "
        "first AS (SELECT run, min(id) AS id FROM file GROUP BY run) "
        "SELECT trace.path, coalesce(file.most, -1), coalesce(expected.most, -1) FROM file "
        "JOIN first ON first.run = file.run JOIN file AS expected ON expected.id = first.id "
        "JOIN trace ON trace.id = file.id WHERE file.most IS NOT expected.most LIMIT 1",
        error);
    bool done = statement != NULL;
    if (warehouse_next(warehouse, statement, &done, error))
        done = error_set(error, STATUS_BAD_INPUT,
                         "%s: its last device is %lld, that of the first file %lld; the files of "
                         "one run must have the same devices",
                         (const char *)sqlite3_column_text(statement, 0),
                         (long long)sqlite3_column_int64(statement, 1),
                         (long long)sqlite3_column_int64(statement, 2));
    sqlite3_finalize(statement);
    return done;
}

bool report_tt_identify(const struct arguments *arguments, struct warehouse *warehouse,
                        struct selection *selection, struct identity *identity, struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(warehouse,
                                          "SELECT group_concat(DISTINCT after_signpost), "
                                          "group_concat(DISTINCT before_signpost) FROM tt_status",
                                          error);
    bool done = row != NULL;
    char *names[2] = {NULL, NULL}; /* kept, because no statement may run while views are made */
    if (done && warehouse_next(warehouse, row, &done, error))
        for (int i = 0; i < 2 && done; i++) {
            const char *name = (const char *)sqlite3_column_text(row, i);
            names[i] = name ? strdup(name) : NULL;
            done = !name || names[i] || error_memory(error);
        }
    sqlite3_finalize(row);
    selection_options_windows(arguments, selection);
    selection->end_signpost = names[1];
    selection->signpost = names[1] ? NULL : names[0];
    selection->start_signpost = names[1] ? names[0] : NULL;
    done = done && identify(warehouse, selection, identity, error);
    free(names[0]);
    free(names[1]);
    return done;
}

/* Prints the first column of each row as lines. */
static bool say_rows(struct warehouse *warehouse, const char *sql, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    bool done = statement != NULL;
    while (warehouse_next(warehouse, statement, &done, error))
        session_say_lines((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return done;
}

bool report_tt_check(const struct arguments *arguments, struct warehouse *warehouse,
                     struct error *error)
{
    static const char architectures[] =
        "SELECT DISTINCT CASE WHEN NOT EXISTS (SELECT 1 FROM device_model WHERE device = "
        "replace(lower(named), 'wormhole_b0', 'wormhole') AND kind = 'core') THEN 'nothing is "
        "known about the "
        "architecture ' || named || ': no percentages' END FROM (SELECT substr(names, 3, "
        "instr(substr(names, 3), '\"') - 1) AS named FROM (SELECT arg(metadata, "
        "'architectures') AS names FROM (SELECT DISTINCT trace_id FROM scope) JOIN trace ON "
        "trace.id = trace_id) WHERE names <> '[]')";
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
    static const char unknown[] =
        "SELECT 'no category is known for ' || group_concat(CASE WHEN place <= 5 THEN op END, ', "
        "') "
        "|| CASE WHEN count(*) > 5 THEN format(' and %d more', count(*) - 5) ELSE '' END || "
        "'; they count as Other, unless tt_category has a row for them' FROM (SELECT op, "
        "row_number() OVER (ORDER BY op) AS place FROM (SELECT DISTINCT op FROM tt_op WHERE "
        "category = 'Other' AND kind <> 'signpost' AND op NOT IN (SELECT op FROM tt_category))) "
        "HAVING count(*)";
    static const char gaps[] =
        "SELECT format('gaps are %.1f %% of the total: Device %% says more than Total %%', "
        "gap_percent) FROM tt_totals WHERE gap_percent > 50";
    static const char hidden[] =
        "SELECT format('%d ops below %g %% are not printed, with %.1f us on the device', count(*), "
        "tpq_option('min-percentage'), sum(device_time_us)) FROM tt_op WHERE total_percent < "
        "tpq_option('min-percentage') AND instr(name, '(torch)') = 0 HAVING count(*)";
    bool hides = arguments_has(arguments, "min-percentage") &&
                 !like_reference(arguments_has(arguments, "compat"), "tt: --min-percentage");
    return check_arch(arguments_value(arguments, "arch"), warehouse, error) &&
           check_devices(warehouse, error) && say_rows(warehouse, architectures, error) &&
           say_rows(warehouse, several, error) &&
           (!arguments_has(arguments, "arch") || say_rows(warehouse, stated, error)) &&
           (arguments_has(arguments, "tracing-mode") || say_rows(warehouse, replays, error)) &&
           say_rows(warehouse, "SELECT notes FROM tt_status", error) &&
           say_rows(warehouse, gaps, error) &&
           (context_get(warehouse->context, "no-summary") || say_rows(warehouse, unknown, error)) &&
           (!hides || say_rows(warehouse, hidden, error));
}
