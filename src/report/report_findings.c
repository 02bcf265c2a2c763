/* report_findings: see report_findings.h. */
#include "src/report/report_findings.h"

#include "src/base/visible.h"

/* Of more runs the report is asked for. */
enum { RUNS_MAX = 4 };

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
    static const char count_runs[] = "SELECT count(DISTINCT run) FROM scope";
    static const char lines[] =
        "WITH runs AS (SELECT count(DISTINCT run) AS count FROM scope) "
        "SELECT CASE WHEN place = 0 AND count > 1 THEN run || ': ' ELSE '' END || words "
        "FROM (SELECT run, 0 AS place, words FROM run_headline UNION ALL "
        "SELECT run, place, format('%d. %s%s%s: %s (report %s)', place, kind, "
        "coalesce(' (' || ranks || ')', ''), iif(saves_ms IS NULL, '', format(CASE saving_kind "
        "WHEN 'replay' THEN "
        "', saves %s ms (replay)' WHEN 'guess' THEN ', perhaps %s ms (guess)' ELSE "
        "', at most %s ms (upper bound)' END, CASE WHEN format('%.1f', least_ms) = "
        "format('%.1f', saves_ms) THEN '' ELSE format('%.1f to ', least_ms) END || "
        "format('%.1f', saves_ms))), words, report) FROM run_finding "
        "WHERE place <= 3 UNION ALL SELECT run, 9, format('All findings together: %.1f ms "
        "(replay).', together_ms) FROM run_finding WHERE place = 2 AND together_ms IS NOT NULL) "
        "AS lines CROSS JOIN runs ORDER BY run, place";
    sqlite3_stmt *row = warehouse_prepare(warehouse, count_runs, error);
    bool done = row && (sqlite3_step(row) == SQLITE_ROW || warehouse_error(warehouse, error));
    int runs = done ? sqlite3_column_int(row, 0) : 0, count = 0;
    sqlite3_finalize(row);
    if (!done || runs == 0 || runs > RUNS_MAX)
        return done;
    done = print_lines(warehouse, lines, width, out, &count, error);
    if (count)
        fputc('\n', out);
    return done;
}
