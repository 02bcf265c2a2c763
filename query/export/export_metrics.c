/* export_metrics: one statement has the rows, a run and a label each. Prometheus wants all samples
 * of a metric together, so a text grows for each metric; OTLP has a line a run. Samples of
 * Prometheus have no time: the textfile collector of node_exporter refuses it.
 */
#include "query/export/export_forms.h"
#include "query/report/answer.h"

#include <ctype.h>
#include <math.h>

/* Prometheus calls a metric tpq_run_WORD and its suffix, OTLP tpq.run.WORD. */
static const struct metric {
    const char *word, *suffix, *help, *sql;
} metrics[] = {
    {"time", "_seconds", "First start to last end of GPU activities.", "time_ms / 1000"},
    {"step", "_seconds", "Mean step time, without cut steps.", "step_time_ms / 1000"},
    {"busy", "_ratio", "Busy time by time.", "busy_pct / 100"},
    {"exposed_comm", "_ratio", "Exposed communication by time.", "exposed_comm_pct / 100"},
    {"gpu", "_seconds", "GPU time, overlaps counted twice.", "gpu_time_ns / 1e9"},
    {"saving", "_seconds", "Estimated saving of the first finding.", "saves_ms / 1000"},
    {"ranks", "", "Number of traces (ranks).", "run_overview.ranks"},
    {"steps", "", "Number of profiler steps, or of iterations.", "run_overview.steps"},
    {"events", "", "Number of events.", "events"},
    {"complete", "", "1 if the health verdict is complete, else 0.", "verdict IS 'complete'"},
    {"start", "_timestamp_seconds", "Start of the first trace, since 1970.", "wall_ns / 1e9"},
    {"info", "", "Labels of the run, and what its traces state.", NULL},
};
enum { ALL = sizeof metrics / sizeof *metrics, INFO = ALL - 1 };
enum { IS_FIRST, IS_LAST, KEY, VALUES, ATTRIBUTE, RUN, TIME, FIGURES };

/* The statement, behind figures of metrics. run_overview has the selected runs, and no index where
 * its rows were kept. Labels that keep their names come first. */
static const char from_runs[] =
    " FROM run_overview CROSS JOIN run_summary USING (run) LEFT JOIN (SELECT run, verdict FROM "
    "trace_verdict WHERE trace_id IS NULL) USING (run) LEFT JOIN (SELECT run, min(wall_start_ns) "
    "AS "
    "wall_ns FROM trace_summary GROUP BY run) USING (run)), "
    "label AS (SELECT run, key, key GLOB '*[^A-Za-z0-9_]*' AS is_odd, group_concat(value, ', ') "
    "AS all_values, ',' || json_object('key', 'tpq.label.' || key, 'value', iif(count(*) = 1, "
    "json_object('stringValue', max(value)), json_object('arrayValue', json_object('values', "
    "json_group_array(json_object('stringValue', value)))))) AS attribute FROM (SELECT run, key, "
    "value FROM run_label ORDER BY run, key, value) GROUP BY run, key) "
    "SELECT lag(run) OVER place IS NOT run, lead(run) OVER place IS NOT run, key, all_values, "
    "attribute, figure.* FROM figure LEFT JOIN label USING (run) "
    "WINDOW place AS (ORDER BY run, is_odd, key) ORDER BY run, is_odd, key";

static void add_value(struct text *out, const char *value)
{
    struct text valid = {0};
    text_add_valid(&valid, value);
    text_add_string(out, "=\"");
    for (size_t i = 0; i < valid.count; i++) {
        char byte = valid.items[i];
        if (byte == '\n' || byte == '\\' || byte == '"')
            text_add_byte(out, '\\');
        text_add_byte(out, byte == '\n' ? 'n' : byte);
    }
    text_add_byte(out, '"');
    text_free(&valid);
}

/* Adds a name that no other label of the run has; `taken` has these between blanks. Two underscores
 * at the beginning would be Prometheus' own. */
static void add_name(struct text *out, const char *key, struct text *taken)
{
    size_t at = taken->count - 1; /* of the blank before it */
    bool is_bare = !*key || isdigit((unsigned char)*key);
    text_add_string(taken, is_bare ? "_" : strcmp(key, "run") == 0 ? "label_" : "");
    for (; *key; key++) {
        bool is_plain = (unsigned char)*key < 0x80 && isalnum((unsigned char)*key);
        if (is_plain || taken->count != at + 2 || taken->items[at + 1] != '_')
            text_add_byte(taken, is_plain ? *key : '_');
    }
    size_t end = taken->count;
    text_add_byte(taken, ' ');
    for (int n = 2; strstr(taken->items, taken->items + at) < taken->items + at; n++) {
        taken->count = end;
        text_format(taken, "_%d ", n);
    }
    text_add(out, taken->items + at + 1, taken->count - at - 2);
}

/* Adds the figures of a row to both. */
static void add_figures(sqlite3_stmt *row, const char *run, struct text *samples, struct text *otlp)
{
    const char *comma = "";
    for (int i = 0; i < INFO; i++) {
        const struct metric *metric = &metrics[i];
        double figure = sqlite3_column_double(row, FIGURES + i);
        if (sqlite3_column_type(row, FIGURES + i) == SQLITE_NULL || !isfinite(figure))
            continue;
        text_format(&samples[i], "tpq_run_%s%s{run", metric->word, metric->suffix);
        add_value(&samples[i], run);
        text_format(&samples[i], "} %.17g\n", figure);
        text_format(otlp,
                    "%s{\"name\":\"tpq.run.%s\",\"unit\":\"%s\",\"gauge\":{\"dataPoints\":[{"
                    "\"timeUnixNano\":\"%lld\",\"asDouble\":%.17g}]}}",
                    comma, metric->word, text_ends_with(metric->suffix, "seconds") ? "s" : "1",
                    (long long)sqlite3_column_int64(row, TIME), figure);
        comma = ",";
    }
}

/* Writes a file; NULL: none is wanted. */
static bool write_text(const struct export *self, const char *path, const struct text *text)
{
    struct whole_file file;
    if (!path)
        return true;
    enum packing packing = text_ends_with(path, ".gz") ? PACKED_SMALL : NOT_PACKED;
    bool done = whole_file_open(&file, path, packing, self->error);
    text_add_text(&file.text, text);
    return whole_file_close(&file, done);
}

bool export_metrics(struct export *self)
{
    struct text samples[ALL] = {{0}}, otlp = {0}, sql = {0}, taken = {0};
    text_add_string(&sql, "WITH figure AS MATERIALIZED (SELECT run, max(coalesce(wall_ns, "
                          "strftime('%s', created_at) * 1000000000, 0), 0)");
    for (int i = 0; i < ALL; i++) {
        const struct metric *metric = &metrics[i];
        text_format(&samples[i], "# HELP tpq_run_%s%s %s\n# TYPE tpq_run_%s%s gauge\n",
                    metric->word, metric->suffix, metric->help, metric->word, metric->suffix);
        if (i != INFO)
            text_format(&sql, ", %s", metric->sql);
    }
    text_add_string(&sql, from_runs);
    bool done = answer_view(self->warehouse, "run_overview", false, self->error) &&
                answer_view(self->warehouse, "trace_verdict", false, self->error);
    sqlite3_stmt *row = done ? warehouse_prepare(self->warehouse, sql.items, self->error) : NULL;
    done = row != NULL;
    while (warehouse_next(self->warehouse, row, &done, self->error)) {
        const char *run = database_text(row, RUN);
        if (sqlite3_column_int(row, IS_FIRST)) {
            self->written++;
            text_clear(&taken);
            text_add_string(&taken, " run ");
            text_add_string(&samples[INFO], "tpq_run_info{run");
            add_value(&samples[INFO], run);
            text_format_json(&otlp,
                             "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":"
                             "\"service.name\",\"value\":{\"stringValue\":\"tpq\"}},{\"key\":"
                             "\"tpq.run\",\"value\":{\"stringValue\":%s}}",
                             run);
        }
        if (sqlite3_column_type(row, KEY) != SQLITE_NULL) {
            text_add_byte(&samples[INFO], ',');
            add_name(&samples[INFO], database_text(row, KEY), &taken);
            add_value(&samples[INFO], database_text(row, VALUES));
            text_add_valid(&otlp, database_text(row, ATTRIBUTE));
        }
        if (!sqlite3_column_int(row, IS_LAST))
            continue;
        text_add_string(&samples[INFO], "} 1\n");
        text_add_string(&otlp, "]},\"scopeMetrics\":[{\"scope\":{\"name\":\"tpq\",\"version\":"
                               "\"" TPQ_VERSION "\"},\"metrics\":[");
        add_figures(row, run, samples, &otlp);
        text_add_string(&otlp, "]}]}]}\n");
    }
    database_finalize(row);
    for (int i = 1; i < ALL; i++) {
        text_add_text(&samples[0], &samples[i]);
        text_free(&samples[i]);
    }
    done = done && write_text(self, self->options.prometheus, &samples[0]) &&
           write_text(self, self->options.otlp, &otlp);
    text_free(&samples[0]);
    text_free(&otlp);
    text_free(&sql);
    text_free(&taken);
    return done;
}
