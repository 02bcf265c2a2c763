/* report_findings: see report_findings.h. */
#include "src/report/report_findings.h"

#include "src/base/visible.h"

/* Of more traces the report is asked for. */
enum { TRACES_MAX = 4 };

/* A line of each row of a question. `*count`: of the lines. */
static bool print_lines(struct warehouse *warehouse, const char *sql, size_t width, FILE *out,
                        int *count, struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    int result = SQLITE_DONE;
    while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(rows, 0);
        if (!line) {
            sqlite3_finalize(rows);
            return error_memory(error);
        }
        (*count)++;
        visible_print_lines(line, width, out);
    }
    bool done = rows && (result == SQLITE_DONE || warehouse_error(warehouse, error));
    sqlite3_finalize(rows);
    return done;
}

bool report_findings_print(struct warehouse *warehouse, size_t width, FILE *out,
                           struct error *error)
{
    static const char count_traces[] =
        "SELECT count(*) FROM (SELECT DISTINCT run, trace_id FROM scope)";
    static const char lines[] =
        "SELECT coalesce((SELECT run || CASE WHEN trace.rank IS NULL THEN '' ELSE ', rank ' || "
        "trace.rank END || ': ' FROM trace WHERE trace.id = lines.trace_id "
        "AND (SELECT count(*) FROM advice_trace) > 1 AND place = 0), '') || words FROM ("
        "SELECT run, trace_id, 0 AS place, words FROM advice_headline UNION ALL "
        "SELECT run, trace_id, place, format('%d. %s%s: %s (report %s)', place, kind, "
        "CASE WHEN saves_ms IS NULL THEN '' ELSE format(CASE saving_kind WHEN 'replay' THEN "
        "', saves %.1f ms (replay)' WHEN 'guess' THEN ', perhaps %.1f ms (guess)' "
        "ELSE ', at most %.1f ms (upper bound)' END, saves_ms) END, words, report) FROM findings "
        "WHERE place <= 3 UNION ALL SELECT run, trace_id, 9, format('All findings together: %.1f "
        "ms "
        "(replay).', together_ms) FROM findings WHERE place = 2 AND together_ms IS NOT NULL) "
        "AS lines ORDER BY run, trace_id IS NULL, trace_id, place";
    sqlite3_stmt *row = warehouse_prepare(warehouse, count_traces, error);
    bool done = row && (sqlite3_step(row) == SQLITE_ROW || warehouse_error(warehouse, error));
    int traces = done ? sqlite3_column_int(row, 0) : 0, count = 0;
    sqlite3_finalize(row);
    if (!done || traces == 0 || traces > TRACES_MAX)
        return done;
    done = print_lines(warehouse, lines, width, out, &count, error);
    if (count)
        fputc('\n', out);
    return done;
}
