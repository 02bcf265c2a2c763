/* reference: Rows of reference_comparison are taken in order; the sheets of a report stay in memory
 * for all rows in a row that need them. A missing sheet is an error only if the user named it.
 *
 * SQL joins the sheets: that of the base is the table s0, others are s1, s2, ... They have the key
 * of a row as a text (k), its cells (c0, c1, ...) and the numbers of the figures (m0, m1, ...). */
#include "query/compare/reference.h"

#include "query/compare/sheet_files.h"
#include "query/report/report.h"
#include "sql/database.h"
#include "src/base/order.h"

#include <string.h>

/* ------------------------------------------------------------------ headings */

enum source { FROM_KEY, FROM_CHANGE, FROM_TABLE };

/* A column of the result: the keys, then a difference and a share for each figure and each table
 * but the base, then what else the tables have, with the name of the table before it. */
struct made_column {
    struct column column;
    enum source source;
    size_t table;
    char *sql; /* its value */
};

struct join {
    const struct join_rule *rule;
    const struct join_table *tables;
    size_t table_count;
    ARRAY(const char *) keys, metrics; /* headings */
    ARRAY(struct made_column) columns;
    sqlite3 *db;
    struct sink *sink;
    struct error *error;
};

/* The next word of a list; empty at its end. */
static struct view next_word(const char **at)
{
    struct view word = {*at, strcspn(*at, "|")};
    *at += word.length + ((*at)[word.length] == '|');
    return word;
}

/* Whether a list has a heading, or where it is of endings, one of these. */
static bool is_listed(const char *list, const char *heading, bool of_endings)
{
    size_t length = strlen(heading);
    for (struct view word; (word = next_word(&list)).length;)
        if (word.length <= length && (of_endings || word.length == length) &&
            memcmp(heading + length - word.length, word.bytes, word.length) == 0)
            return true;
    return false;
}

static bool all_have(const struct join *self, const char *heading)
{
    for (size_t i = 0; i < self->table_count; i++)
        if (kept_sheet_column(self->tables[i].sheet, heading) == SIZE_MAX)
            return false;
    return true;
}

ORDER_BY(compare_headings, const char *, BY(strcmp(*a, *b)));

static void find_headings(struct join *self)
{
    const struct kept_sheet *base = self->tables[0].sheet;
    const char *at = self->rule->keys;
    for (struct view word; (word = next_word(&at)).length;) {
        size_t first = self->keys.count;
        if (word.bytes[word.length - 1] != '*') {
            array_add(&self->keys, memory_part(word.bytes, word.length));
            continue;
        }
        /* NAME* stands for all columns that begin so, in the order of their names. */
        for (size_t i = 0; i < base->columns.count; i++) {
            const char *heading = base->columns.items[i].heading;
            if (strncmp(heading, word.bytes, word.length - 1) == 0 && all_have(self, heading))
                array_add(&self->keys, heading);
        }
        array_put_in_order(self->keys.items + first, self->keys.count - first,
                           sizeof *self->keys.items, compare_headings);
    }
    at = self->rule->metrics;
    for (struct view word; (word = next_word(&at)).length;) {
        const char *heading = memory_part(word.bytes, word.length);
        if (all_have(self, heading))
            array_add(&self->metrics, heading);
    }
}

/* The form that reports of runs have for a column; FORM_PLAIN where no side is a run. */
static enum column_form form_of(const struct join *self, size_t table, const char *heading)
{
    for (size_t i = self->tables[table].is_file ? 0 : table; i < self->table_count; i++) {
        size_t column = kept_sheet_column(self->tables[i].sheet, heading);
        if (!self->tables[i].is_file && column != SIZE_MAX)
            return self->tables[i].sheet->columns.items[column].form;
    }
    return FORM_PLAIN;
}

/* ------------------------------------------------------------------ tables */

/* Figures of keys are equal by value, other cells by how they are written. */
static void write_key(const struct join *self, const struct kept_sheet *sheet,
                      const struct cell *cells, struct text *key)
{
    text_clear(key);
    for (size_t i = 0; i < self->keys.count; i++) {
        size_t column = kept_sheet_column(sheet, self->keys.items[i]);
        struct cell cell = column == SIZE_MAX ? (struct cell){.type = CELL_NULL} : cells[column];
        if (cell.type == CELL_INTEGER)
            cell = (struct cell){.type = CELL_REAL, .real = (double)cell.integer};
        cell_add_text(&cell, FORM_PLAIN, key);
        text_add_string(key, cell.type != CELL_NULL ? "\x1f" : "\x1e");
    }
}

/* Beside a run, lists of files are JSON, so that keys of both are the same text. */
static bool fill_table(struct join *self, size_t table, sqlite3_stmt *insert)
{
    const struct kept_sheet *sheet = self->tables[table].sheet;
    size_t width = sheet->columns.count, count = width + 1 + self->metrics.count;
    struct cell *cells = memory_zeroed(count, sizeof *cells);
    struct text *lists = memory_zeroed(width + 1, sizeof *lists), key = {0};
    bool *are_lists = memory_zeroed(width + 1, sizeof *are_lists), done = true;
    struct result_cursor cursor = {0};
    for (size_t i = 0; i < width && self->tables[table].is_file; i++) {
        enum column_form form = form_of(self, table, sheet->columns.items[i].heading);
        are_lists[i] = form == FORM_TUPLE || form == FORM_LIST;
    }
    while (done && result_next(&sheet->rows, &cursor, cells)) {
        for (size_t i = 0; i < width; i++) {
            if (cells[i].type == CELL_TEXT && view_equal(cells[i].text, VIEW("nan")))
                cells[i].type = CELL_NULL; /* so missing values are written */
            text_clear(&lists[i]);
            if (are_lists[i] && cells[i].type == CELL_TEXT &&
                sheet_rows_json(cells[i].text, &lists[i]))
                cells[i].text = text_view(&lists[i]);
        }
        write_key(self, sheet, cells, &key);
        cells[width] = (struct cell){.type = CELL_TEXT, .text = text_view(&key)};
        for (size_t i = 0; i < self->metrics.count; i++) {
            const struct cell *cell = &cells[kept_sheet_column(sheet, self->metrics.items[i])];
            cells[width + 1 + i] =
                cell_is_number(cell)
                    ? (struct cell){.type = CELL_REAL, .real = cell_number(cell, 0)}
                    : (struct cell){.type = CELL_NULL};
        }
        done = cells_insert(insert, cells, count) ||
               database_error(self->db, sheet->name, self->error);
    }
    return done;
}

static bool make_table(struct join *self, size_t table)
{
    const struct kept_sheet *sheet = self->tables[table].sheet;
    struct text sql = {0}, values = {0};
    sqlite3_stmt *insert = NULL;
    text_format(&sql, "DROP TABLE IF EXISTS s%zu; CREATE TABLE s%zu (", table, table);
    text_format(&values, "INSERT INTO s%zu VALUES (", table);
    for (size_t i = 0; i < sheet->columns.count; i++, text_add_string(&values, "?, "))
        text_format(&sql, "c%zu, ", i);
    text_add_string(&sql, "k");
    for (size_t i = 0; i < self->metrics.count; i++, text_add_string(&values, "?, "))
        text_format(&sql, ", m%zu", i);
    text_format(&sql, "); CREATE INDEX k%zu ON s%zu (k)", table, table);
    text_add_string(&values, "?)");
    bool done = (database_run(self->db, sql.items) == SQLITE_OK &&
                 database_prepare(self->db, values.items, &insert, NULL) == SQLITE_OK) ||
                database_error(self->db, sheet->name, self->error);
    done = done && fill_table(self, table, insert);
    database_finalize(insert);
    return done;
}

/* ------------------------------------------------------------------ columns */

/* Takes both texts over. */
static void add_column(struct join *self, enum source source, size_t table, enum column_form form,
                       char *heading, char *sql)
{
    array_add(&self->columns,
              (struct made_column){
                  .source = source,
                  .table = table,
                  .sql = sql,
                  .column = {.name = heading,
                             .heading = heading,
                             .unit = "",
                             .meaning = "",
                             .form = form,
                             .is_number = source == FROM_CHANGE,
                             .is_detail = is_listed(self->rule->hidden, heading, true)}});
}

static void add_columns(struct join *self)
{
    const struct join_rule *rule = self->rule;
    for (size_t i = 0; i < self->keys.count; i++) {
        /* The cell of the first table that has the row. */
        const char *heading = self->keys.items[i];
        struct text sql = {0};
        for (size_t j = 0; j < self->table_count; j++) {
            size_t column = kept_sheet_column(self->tables[j].sheet, heading);
            text_format(&sql, "%s WHEN s%zu.k IS NOT NULL THEN ", j ? "" : "CASE", j);
            text_format(&sql, column == SIZE_MAX ? "NULL" : "s%zu.c%zu", j, column);
        }
        text_add_string(&sql, " END");
        bool is_in_base = kept_sheet_column(self->tables[0].sheet, heading) != SIZE_MAX;
        add_column(self, FROM_KEY, 0, is_in_base ? form_of(self, 0, heading) : FORM_PLAIN,
                   memory_text(heading), sql.items);
    }
    for (size_t i = 0; i < self->metrics.count; i++)
        for (size_t j = 1; j < self->table_count; j++) {
            const char *metric = self->metrics.items[i], *name = self->tables[j].name;
            add_column(self, FROM_CHANGE, j, FORM_PLAIN,
                       database_format("%s__%s_diff", metric, name),
                       database_format("s%d.m%d - s0.m%d", (int)j, (int)i, (int)i));
            add_column(self, FROM_CHANGE, j, FORM_PLAIN,
                       database_format("%s__%s_pct", metric, name),
                       database_format("100 * (s%d.m%d - s0.m%d) / s0.m%d", (int)j, (int)i, (int)i,
                                       (int)i));
        }
    for (size_t i = 0; i < self->table_count; i++)
        for (size_t j = 0; j < self->tables[i].sheet->columns.count; j++) {
            const char *heading = self->tables[i].sheet->columns.items[j].heading;
            bool is_key = false;
            for (size_t k = 0; k < self->keys.count; k++)
                is_key |= strcmp(self->keys.items[k], heading) == 0;
            if (!is_key && !is_listed(rule->dropped, heading, false) &&
                !(i && is_listed(rule->dropped_later, heading, false)))
                add_column(self, FROM_TABLE, i, form_of(self, i, heading),
                           database_format("%s::%s", self->tables[i].name, heading),
                           database_format("s%d.c%d", (int)i, (int)j));
        }
}

/* ------------------------------------------------------------------ sheets */

/* A part has the rows that the base and a table have, or one of them. */
enum part { PART_ALL, PART_BOTH, PART_BASE, PART_OTHER };

/* The rows of a part: the join is whole on both sides, table by table. */
static bool read_part(struct join *self, enum part part, size_t table, struct result *rows)
{
    struct text sql = {0}, keys = {0}, scratch = {0};
    for (size_t i = 0; i < self->columns.count; i++)
        text_format(&sql, "%s%s", i ? ", " : "SELECT ", self->columns.items[i].sql);
    for (size_t i = 0; i < self->table_count; i++) {
        text_format(&sql, i ? " FULL JOIN s%zu ON s%zu.k = coalesce(%s, NULL)" : " FROM s%zu", i, i,
                    keys.items);
        text_format(&keys, "%ss%zu.k", i ? ", " : "", i);
    }
    if (part != PART_ALL && !self->metrics.count)
        text_add_string(&sql, " WHERE false");
    else if (part != PART_ALL)
        text_format(&sql, " WHERE s0.m0 IS %s AND s%zu.m0 IS %s",
                    part == PART_OTHER ? "NULL" : "NOT NULL", table,
                    part == PART_BASE ? "NULL" : "NOT NULL");
    text_add_string(&sql, " ORDER BY ");
    if (self->metrics.count && strcmp(self->rule->result, "gpu_timeline") != 0)
        text_format(&sql, "s%zu.m0 DESC, ", part == PART_OTHER ? table : 0);
    text_format(&sql, "coalesce(%s, NULL)", keys.items);
    for (size_t i = 0; i < self->table_count; i++)
        text_format(&sql, ", s%zu.rowid", i);
    sqlite3_stmt *from = NULL;
    bool done = database_prepare(self->db, sql.items, &from, NULL) == SQLITE_OK ||
                database_error(self->db, self->rule->result, self->error);
    struct cell *cells = memory_zeroed(self->columns.count, sizeof *cells);
    result_init(rows, self->columns.count);
    while (result_read(from, &scratch, cells, self->rule->result, &done, self->error))
        result_add(rows, cells);
    database_finalize(from);
    return done;
}

/* Whether a column is about the tables of a part. */
static bool is_about(const struct made_column *column, enum part part, size_t table)
{
    bool is_base = column->source == FROM_TABLE && column->table == 0;
    bool is_other = column->table == table;
    return part == PART_ALL || column->source == FROM_KEY ||
           (part == PART_BOTH   ? is_base || is_other
            : part == PART_BASE ? is_base
                                : is_other);
}

/* Columns of a part that are empty are left out: one without rows has none. */
static bool send_sheet(struct join *self, struct sheet sheet, enum part part, size_t table)
{
    struct result rows;
    struct result_cursor cursor = {0};
    struct column *columns = memory_zeroed(self->columns.count, sizeof *columns);
    struct cell *cells = memory_zeroed(self->columns.count, sizeof *cells);
    size_t *shown = memory_zeroed(self->columns.count, sizeof *shown), width = 0;
    if (!read_part(self, part, table, &rows))
        return false;
    for (size_t i = 0; i < self->columns.count; i++)
        if (is_about(&self->columns.items[i], part, table) &&
            (part == PART_ALL || rows.columns.items[i].any)) {
            columns[width] = self->columns.items[i].column;
            shown[width++] = i;
        }
    sheet.columns = columns;
    sheet.column_count = width;
    bool done = self->sink->begin(self->sink, &sheet, self->error);
    while (done && result_next(&rows, &cursor, cells)) {
        for (size_t i = 0; i < width; i++)
            cells[i] = cells[shown[i]];
        done = self->sink->row(self->sink, cells, self->error);
    }
    result_free(&rows);
    return done && self->sink->end(self->sink, self->error);
}

static bool send_part(struct join *self, enum part part, size_t table)
{
    static const char *const names[] = {
        [PART_BOTH] = "intersect", [PART_BASE] = "only_baseline", [PART_OTHER] = "only_variant"};
    static const char *const words[] = {[PART_BOTH] = "in both",
                                        [PART_BASE] = "only in the former",
                                        [PART_OTHER] = "only in the latter"};
    const char *base = self->tables[0].name, *other = self->tables[table].name;
    const char *result = self->rule->result;
    struct text name = {0}, title = {0}, page = {0};
    text_format(&name, "%s_%s_%s", result, names[part], other);
    if (self->table_count > 2) {
        text_format(&title, "%s of %s and %s: rows that are %s.", result, base, other, words[part]);

        /* A name for a worksheet, which has room for 31 characters: so that of several tables the
         * one that the sheet is about can be told, the name of what is joined gives way first. */
        enum { ROOM = 31, TABLE_ROOM = 12 };
        size_t length = strlen(other);
        int kept = length > TABLE_ROOM ? TABLE_ROOM : (int)length;
        int rest = ROOM - kept - (int)strlen(names[part]) - (int)strlen("__");
        bool is_cut = (int)strlen(result) > rest;
        text_format(&page, "%.*s%s_%s_%.*s", is_cut ? rest - 1 : rest, result, is_cut ? "~" : "",
                    names[part], kept, other);
    }
    const struct sheet sheet = {
        .name = name.items, .title = title.count ? title.items : "", .page = page.items};
    return send_sheet(self, sheet, part, table);
}

bool reference_join(const struct join_rule *rule, const struct join_table *tables,
                    size_t table_count, sqlite3 *db, struct sink *sink, struct error *error)
{
    struct join self = {.rule = rule,
                        .tables = tables,
                        .table_count = table_count,
                        .db = db,
                        .sink = sink,
                        .error = error};
    bool done = true;
    find_headings(&self);
    for (size_t i = 0; i < table_count && done; i++)
        done = make_table(&self, i);
    add_columns(&self);
    if (!rule->is_parted)
        return done &&
               send_sheet(&self, (struct sheet){.name = rule->result, .title = ""}, PART_ALL, 0);
    for (size_t i = 1; i < table_count && done; i++)
        done = send_part(&self, PART_BOTH, i) && send_part(&self, PART_BASE, i) &&
               send_part(&self, PART_OTHER, i);
    return done;
}

/* ------------------------------------------------------------------ reports */

struct comparer {
    struct side *sides;
    size_t side_count;
    const struct reference_options *options;
    struct kept_sheets *kept; /* of each side, what its report gave */
    char *report;             /* whose sheets those are */
    sqlite3 *db;
    struct error *error;
};

/* Makes a report of each side that is runs, unless it is the one that is there. */
static bool make_report(struct comparer *self, const char *set, const char *name)
{
    if (self->report && strcmp(self->report, name) == 0)
        return true;
    const struct doc_object *report = docs_find(self->options->docs, name);
    struct report_options options = {.set = set, .compat = true};
    self->report = memory_text(name);
    bool done = true;
    for (size_t i = 0; i < self->side_count && done; i++) {
        struct side *side = &self->sides[i];
        struct sink *sink = &self->kept[i].base;
        size_t sheets = 0;
        if (side->sheets)
            continue;
        kept_sheets_free(&self->kept[i]);
        kept_sheets_init(&self->kept[i]);
        done =
            side_select_runs(side, self->error) &&
            report_make(side->warehouse, report, &options, false, &sink, 1, &sheets, self->error);
    }
    return done;
}

/* ------------------------------------------------------------------ sheets of sides */

static bool is_named(const struct comparer *self, const char *part)
{
    const char *const *wanted = self->options->parts;
    while (wanted && *wanted && strcmp(*wanted, part) != 0)
        wanted++;
    return wanted && *wanted;
}

/* The sheet of a side; NULL where it has none, or one whose rows are told apart by other words. */
static const struct kept_sheet *sheet_of(const struct comparer *self, size_t side, const char *name,
                                         const char *keys)
{
    const struct kept_sheets *sheets = self->sides[side].sheets;
    const struct kept_sheet *found = kept_sheets_find(sheets ? sheets : &self->kept[side], name);
    const struct view first = next_word(&keys);
    for (size_t i = 0; found && found->rows.rows && i < found->columns.count; i++)
        if (view_equal(first, view_of(found->columns.items[i].heading)))
            return found;
    return NULL;
}

static bool compare_sheet(struct comparer *self, sqlite3_stmt *row)
{
    enum { PART, REPORT, SHEET, RESULT, KEYS, METRICS, DROPPED, DROPPED_LATER, HIDDEN, SET, TEXTS };
    const char *texts[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        texts[i] = database_text(row, i);
    const struct join_rule rule = {
        .result = texts[RESULT],
        .keys = texts[KEYS],
        .metrics = texts[METRICS],
        .dropped = texts[DROPPED],
        .dropped_later = texts[DROPPED_LATER],
        .hidden = texts[HIDDEN],
        .is_parted = sqlite3_column_int(row, TEXTS) != 0,
    };
    const char *const *parts = self->options->parts;
    bool is_wanted = is_named(self, texts[PART]);
    if (parts && *parts && !is_named(self, "all") && !is_wanted)
        return true;
    if (!make_report(self, texts[SET], texts[REPORT]))
        return false;
    struct join_table *tables = memory_zeroed(self->side_count, sizeof *tables);
    for (size_t i = 0; i < self->side_count; i++) {
        const struct side *side = &self->sides[i];
        tables[i] = (struct join_table){sheet_of(self, i, texts[SHEET], rule.keys), side->name,
                                        side->sheets != NULL};
        if (tables[i].sheet)
            continue;
        /* A sheet that a side has not is skipped, but not one that was named: parts of one are. */
        if (strcmp(texts[PART], texts[SHEET]) == 0 && is_wanted)
            return error_set(self->error, STATUS_BAD_INPUT, "%s has no sheet named '%s'",
                             side->name, texts[SHEET]);
        text_format(self->options->remarks, "%s is skipped: %s has no such sheet\n", texts[SHEET],
                    side->name);
        return true;
    }
    return reference_join(&rule, tables, self->side_count, self->db, self->options->sink,
                          self->error);
}

static void close_join(void *db)
{
    sqlite3_close(db);
}

bool reference_compare(struct side *sides, size_t side_count,
                       const struct reference_options *options, struct error *error)
{
    static const char sql[] =
        "SELECT part, report, sheet, result, keys, metrics, dropped, dropped_later, hidden, "
        "report_set, is_parted FROM reference_comparison WHERE report_set = "
        "CASE WHEN ?1 IN (SELECT report_set FROM reference_comparison) THEN ?1 ELSE 'pytorch' END";
    struct comparer self = {
        .sides = sides, .side_count = side_count, .options = options, .error = error};
    struct warehouse *warehouse = sides[0].warehouse;
    struct text seen = {0};
    self.kept = memory_zeroed(side_count, sizeof *self.kept);
    for (size_t i = 0; i < side_count; i++)
        kept_sheets_init(&self.kept[i]);
    if (sqlite3_open_v2(":memory:", &self.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        memory_fail();
    memory_at_end(close_join, self.db);
    sqlite3_stmt *row = warehouse_prepare(warehouse, sql, error);
    bool done = row != NULL;
    sqlite3_bind_text(row, 1, options->set, -1, SQLITE_STATIC);
    while (warehouse_next(warehouse, row, &done, error)) {
        text_format(&seen, "%s|", database_text(row, 0));
        done = compare_sheet(&self, row);
    }
    database_finalize(row);

    /* A part that is asked for by name, and that reports of this set have not. */
    for (size_t i = 0; done && options->parts && options->parts[i]; i++)
        if (strcmp(options->parts[i], "all") != 0 &&
            !is_listed(seen.items, options->parts[i], false))
            return error_set(error, STATUS_BAD_INPUT, "%s has no sheet named '%s'", sides[0].name,
                             options->parts[i]);
    return done;
}
