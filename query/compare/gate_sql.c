/* gate_sql: Sides are written to a temporary table before the first rule. Statements are prepared
 * one after the other, and lines are counted on the way, for errors. One table maps columns to
 * fields of a finding; missing differences are calculated from base and candidate. */
#include "query/compare/gate_sql.h"

#include "sql/database.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum field { FIELD_TEXT, FIELD_NUMBER, FIELD_VERDICT };

/* Columns that a finding may have. */
static const struct {
    const char *name;
    enum field kind;
    size_t offset;
} fields[] = {
    {"verdict", FIELD_VERDICT, 0},
    {"name", FIELD_TEXT, offsetof(struct gate_finding, name)},
    {"level", FIELD_TEXT, offsetof(struct gate_finding, level)},
    {"metric", FIELD_TEXT, offsetof(struct gate_finding, metric)},
    {"unit", FIELD_TEXT, offsetof(struct gate_finding, unit)},
    {"base", FIELD_NUMBER, offsetof(struct gate_finding, base)},
    {"candidate", FIELD_NUMBER, offsetof(struct gate_finding, candidate)},
    {"diff", FIELD_NUMBER, offsetof(struct gate_finding, difference)},
    {"pct", FIELD_NUMBER, offsetof(struct gate_finding, percent)},
    {"share", FIELD_NUMBER, offsetof(struct gate_finding, share)},
    {"p", FIELD_NUMBER, offsetof(struct gate_finding, p)},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

struct judging {
    const struct gate_sql *self;
    struct gate *gate;
    const char *path;
    int line; /* where the statement begins */
    sqlite3_stmt *rows;
    int places[FIELD_COUNT]; /* columns of the statement; -1: it has none */
    struct error *error;
};

/* ------------------------------------------------------------------ the sides */

static bool add_side(const struct gate_sql *self, const struct side *side, const char *name,
                     struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(
        self->warehouse,
        "INSERT INTO temp.gate_side SELECT ?1, run.name, trace.id FROM run JOIN trace ON run_id = "
        "run.id WHERE run.name = ?2 AND (?3 IS NULL OR trace.id = ?3)",
        error);
    bool done = row != NULL;
    for (size_t i = 0; i < side->runs.count && done; i++)
        for (size_t j = 0; j < (side->traces.count ? side->traces.count : 1) && done; j++) {
            sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
            sqlite3_bind_text(row, 2, side->runs.items[i], -1, SQLITE_STATIC);
            if (side->traces.count)
                sqlite3_bind_int64(row, 3, side->traces.items[j]);
            done = sqlite3_step(row) == SQLITE_DONE || warehouse_error(self->warehouse, error);
            sqlite3_reset(row);
        }
    database_finalize(row);
    return done;
}

bool gate_sql_begin(const struct gate_sql *self, struct error *error)
{
    return warehouse_run(self->warehouse,
                         "CREATE TEMP TABLE IF NOT EXISTS gate_side (side TEXT NOT NULL, run TEXT "
                         "NOT NULL, trace_id INTEGER NOT NULL); DELETE FROM temp.gate_side",
                         error) &&
           add_side(self, self->baseline, "baseline", error) &&
           add_side(self, self->candidate, "candidate", error);
}

/* ------------------------------------------------------------------ one statement */

/* A sentence about the statement in hand. */
static bool gate_sql_fail(const struct judging *self, const char *format, const char *word)
{
    error_set(self->error, STATUS_USAGE, format, word);
    return error_context(self->error, "%s:%d", self->path, self->line);
}

static bool fail_of_database(const struct judging *self)
{
    const struct warehouse *warehouse = self->self->warehouse;
    int code = sqlite3_errcode(warehouse->db) & 0xFF;
    if (code == SQLITE_ERROR || code == SQLITE_AUTH || code == SQLITE_MISMATCH)
        return gate_sql_fail(self, "%s", sqlite3_errmsg(warehouse->db));
    return warehouse_error(warehouse, self->error);
}

static bool bind_sides(const struct judging *self)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(self->rows); i++) {
        const char *name = sqlite3_bind_parameter_name(self->rows, i);
        const struct side *side = !name                             ? NULL
                                  : strcmp(name, ":baseline") == 0  ? self->self->baseline
                                  : strcmp(name, ":candidate") == 0 ? self->self->candidate
                                                                    : NULL;
        if (!side)
            return gate_sql_fail(self,
                                 "the parameters of a rule are :baseline and :candidate, not '%s'",
                                 name ? name : "?");
        if (side->runs.count != 1)
            return gate_sql_fail(self, "'%s' is not one run; the table gate_side has all of them",
                                 side->name);
        sqlite3_bind_text(self->rows, i, side->runs.items[0], -1, SQLITE_STATIC);
    }
    return true;
}

static bool find_columns(struct judging *self)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        self->places[i] = -1;
    if (!sqlite3_column_count(self->rows) || !sqlite3_stmt_readonly(self->rows) ||
        sqlite3_stmt_isexplain(self->rows))
        return gate_sql_fail(self, "a rule is a SELECT, and its rows are findings%s", "");
    for (int i = 0; i < sqlite3_column_count(self->rows); i++) {
        size_t place = 0;
        while (place < FIELD_COUNT &&
               sqlite3_stricmp(fields[place].name, sqlite3_column_name(self->rows, i)) != 0)
            place++;
        if (place == FIELD_COUNT)
            return gate_sql_fail(
                self,
                "a finding has no column '%.200s' (verdict, name, level, metric, unit, "
                "base, candidate, diff, pct, share, p)",
                sqlite3_column_name(self->rows, i));
        self->places[place] = i;
    }
    return self->places[1] >= 0 || gate_sql_fail(self, "a finding needs a column name%s", "");
}

static bool take_field(const struct judging *self, size_t field, struct gate_finding *finding)
{
    int place = self->places[field];
    bool has_value = place >= 0 && sqlite3_column_type(self->rows, place) != SQLITE_NULL;
    void *to = (char *)finding + fields[field].offset;
    switch (fields[field].kind) {
    case FIELD_TEXT:
        *(char **)to = memory_text(has_value ? database_text(self->rows, place) : "");
        return true;
    case FIELD_NUMBER:
        *(double *)to = has_value ? sqlite3_column_double(self->rows, place) : NAN;
        return true;
    case FIELD_VERDICT:
        break;
    }
    if (!has_value)
        return true;

    const char *word = database_text(self->rows, place);
    for (int i = GATE_REGRESSION; i <= GATE_IMPROVEMENT; i++)
        if (strcmp(gate_verdict_names[i], word) == 0) {
            finding->verdict = (enum gate_verdict)i;
            return true;
        }
    return gate_sql_fail(
        self,
        "the verdict of a finding is regression, added, undecided, nothing or improvement, "
        "not '%.200s'",
        word);
}

/* A row is a finding; what it does not say of its difference follows from its values. */
static bool take_finding(const struct judging *self)
{
    struct gate *gate = self->gate;
    struct gate_judged *rule = &gate->rules.items[gate->rules.count - 1];
    struct gate_finding *finding = array_push(&gate->findings);
    *finding = (struct gate_finding){.verdict = GATE_REGRESSION, .rule = gate->rules.count - 1};
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (!take_field(self, i, finding))
            return false;
    if (isnan(finding->difference))
        finding->difference = finding->candidate - finding->base;
    if (isnan(finding->percent) && finding->base != 0)
        finding->percent = 100 * finding->difference / finding->base;
    rule->rows += finding->verdict != GATE_NOTHING;
    if (finding->verdict == GATE_UNDECIDED && gate->single_ok)
        finding->verdict = GATE_REGRESSION;
    finding->counts = finding->verdict == GATE_REGRESSION || finding->verdict == GATE_ADDED;
    gate_count(gate, finding, NULL);
    return true;
}

/* ------------------------------------------------------------------ the file */

/* Adds what a comment says, with one blank for any. */
static void add_comment(struct judging *self, const char *at, const char *end, struct text *words)
{
    for (bool is_gap = true; at < end; at++) {
        bool is_blank = isspace((unsigned char)*at);
        self->line += *at == '\n';
        if (!is_blank && is_gap && words->count)
            text_add_byte(words, ' ');
        if (!is_blank)
            text_add_byte(words, *at);
        is_gap = is_blank;
    }
}

static bool judge_statement(struct judging *self, const char **at)
{
    struct text words = {0};

    /* Passes over blanks and comments, which say what the rule says. */
    for (bool is_comment = true; is_comment;) {
        for (; isspace((unsigned char)**at); (*at)++)
            self->line += **at == '\n';
        bool is_block = text_starts_with(*at, "/*");
        is_comment = is_block || text_starts_with(*at, "--");
        if (is_comment) {
            const char *first = *at + 2, *end = is_block ? strstr(first, "*/") : NULL;
            size_t length = end ? (size_t)(end - first) : strcspn(first, is_block ? "" : "\r\n");
            add_comment(self, first, first + length, &words);
            *at = first + length + (end ? 2 : 0);
        }
    }
    if (!words.count)
        text_format(&words, "%s:%d", self->path, self->line);
    if (!**at)
        return true;
    array_add(&self->gate->rules, (struct gate_judged){.words = words.items});
    const char *end = NULL;
    bool done = (database_prepare(self->self->warehouse->db, *at, &self->rows, &end) == SQLITE_OK ||
                 fail_of_database(self)) &&
                (self->rows || gate_sql_fail(self, "a statement is missing%s", ""));
    done = done && bind_sides(self) && find_columns(self);
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(self->rows)) == SQLITE_ROW)
        done = take_finding(self);
    done = done && (result == SQLITE_DONE || fail_of_database(self));
    database_finalize(self->rows);
    self->rows = NULL;
    for (; done && *at < end; (*at)++)
        self->line += **at == '\n';
    return done;
}

bool gate_sql_judge(const struct gate_sql *self, struct gate *gate, const char *path,
                    const char *text, struct error *error)
{
    struct judging judging = {.self = self, .gate = gate, .path = path, .line = 1, .error = error};
    size_t before = gate->rules.count;
    bool done = true;
    for (const char *at = text; *at && done;)
        done = judge_statement(&judging, &at);
    return done && (gate->rules.count > before ||
                    error_set(error, STATUS_USAGE, "%s: there are no rules in it", path));
}
