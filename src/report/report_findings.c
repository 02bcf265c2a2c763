/* report_findings: see report_findings.h. */
#include "src/report/report_findings.h"

#include "sql/database.h"

#include <math.h>

/* Above so many runs the report itself is asked for. */
enum { RUNS_MAX = 4 };

bool report_findings_read(struct warehouse *warehouse, struct identity *identity,
                          struct error *error)
{
    static const char count_runs[] = "SELECT count(DISTINCT run) FROM scope";
    static const char lines[] =
        "WITH told AS MATERIALIZED (SELECT run, place, line, coalesce(subject, '') AS subject, "
        "name, "
        "words, report, saves_ms FROM headline), "
        "more AS (SELECT run, subject, format('%d more finding%s', count(*), "
        "iif(count(*) > 1, 's', '')) AS words FROM told WHERE place > 3 GROUP BY run, subject) "
        "SELECT line, iif(place = 0, NULL, subject || name), words || ' (report ' || report || "
        "')', "
        "saves_ms, run, place IS NULL AS is_last, place FROM told WHERE place <= 3 OR place IS "
        "NULL "
        "UNION ALL SELECT words || ': report findings', subject || words, 'report findings', NULL, "
        "run, 0, 4 FROM more ORDER BY 5, 6, 7";
    int64_t runs;
    if (database_ask(warehouse->db, count_runs, 0, &runs) != SQLITE_OK)
        return warehouse_error(warehouse, error);
    if (runs == 0 || runs > RUNS_MAX)
        return true;
    sqlite3_stmt *rows = warehouse_prepare(warehouse, lines, error);
    bool done = rows != NULL;
    while (done && warehouse_next(warehouse, rows, &done, error)) {
        const char *line = (const char *)sqlite3_column_text(rows, 0);
        const char *name = (const char *)sqlite3_column_text(rows, 1);
        const char *advice = (const char *)sqlite3_column_text(rows, 2);
        bool is_known = sqlite3_column_type(rows, 3) != SQLITE_NULL;
        double saves_ms = is_known ? sqlite3_column_double(rows, 3) : NAN;
        done = (line && identity_add_first_line(identity, line, name, advice, saves_ms)) ||
               error_memory(error);
    }
    sqlite3_finalize(rows);
    return done;
}
