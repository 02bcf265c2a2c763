/* extension_csv: a .csv file of the user: rows of one table of the catalog.
 *
 * The header names columns, and by them the table: the first one that has them all and needs no
 * others. An empty field leaves its column as it is by itself.
 */
#include "query/extension/extension.h"

#include "sql/database.h"
#include "sql/warehouse/overlay.h"

#include <csv.h>
#include <string.h>

/* In this order: op and category alone are a category. */
static const char *const tables[] = {"op_category", "kernel_category", "tt_category", "perf_model",
                                     "perf_family", "device_peak",     "device_model"};

enum { TABLE_COUNT = sizeof tables / sizeof *tables };

struct rows {
    const struct extension_file *file;
    struct warehouse *warehouse;
    struct error *error;
    ARRAY(char *) columns; /* of the header */
    ARRAY(char *) fields;  /* of the row in hand; NULL = empty */
    const char *table;     /* NULL until the header is read */
    int line, row_line;    /* that is being read; where the row in hand begins */
    bool in_row, failed;
};

static bool extension_csv_fail(struct rows *self, const char *what, const char *why)
{
    self->failed = true;
    return error_set(self->error, STATUS_BAD_INPUT, "%s:%d: %s%s", self->file->path, self->row_line,
                     what, why);
}

/* ------------------------------------------------------------------ the table */

/* Compares a table with the header: `*fits` if the table has all its columns, and the header all
 * that the table needs. Counts the columns that the table knows, and names one that it does not. */
static bool compare(struct rows *self, const char *table, size_t *known, const char **unknown,
                    bool *fits)
{
    sqlite3_stmt *columns = warehouse_prepare(
        self->warehouse,
        "SELECT name, \"notnull\" AND dflt_value IS NULL FROM pragma_table_info(?1, 'temp')",
        self->error);
    if (!columns)
        return false;
    sqlite3_bind_text(columns, 1, table, -1, SQLITE_STATIC);
    bool has[64] = {0};
    *known = 0;
    *fits = true;
    int result;
    while ((result = sqlite3_step(columns)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(columns, 0);
        bool found = false;
        for (size_t i = 0; i < self->columns.count && i < 64; i++)
            if (sqlite3_stricmp(self->columns.items[i], name) == 0)
                found = has[i] = true;
        *known += found;
        *fits = *fits && (found || !sqlite3_column_int(columns, 1));
    }
    *unknown = NULL;
    for (size_t i = self->columns.count; i-- > 0;)
        if (i >= 64 || !has[i])
            *unknown = self->columns.items[i];
    *fits = *fits && !*unknown;
    bool done = result == SQLITE_DONE || warehouse_error(self->warehouse, self->error);
    database_finalize(columns);
    return done;
}

static bool read_header(struct rows *self)
{
    for (size_t i = 0; i < self->fields.count; i++) {
        if (!self->fields.items[i])
            return extension_csv_fail(self, "a column has no name", "");
        for (size_t k = 0; k < i; k++)
            if (sqlite3_stricmp(self->fields.items[k], self->fields.items[i]) == 0)
                return extension_csv_fail(self, "a column stands twice: ", self->fields.items[i]);
        if (sqlite3_stricmp(self->fields.items[i], "source") == 0)
            return extension_csv_fail(self, "the column source is filled in by tpq", "");
    }
    for (size_t i = 0; i < self->fields.count; i++) {
        array_add(&self->columns, self->fields.items[i]);
        self->fields.items[i] = NULL;
    }

    /* The table whose columns these are; else the nearest one says what is wrong. */
    size_t most = 0;
    const char *nearest = NULL, *missing = NULL;
    for (int i = 0; i < TABLE_COUNT; i++) {
        size_t known;
        const char *unknown;
        bool fits;
        if (!compare(self, tables[i], &known, &unknown, &fits))
            return false;
        if (fits) {
            self->table = tables[i];
            return true;
        }
        if (known > most) {
            most = known;
            nearest = tables[i];
            missing = unknown;
        }
    }
    struct text words = {0};
    if (nearest && missing)
        text_format(&words, "table %s has no column '%s'", nearest, missing);
    else if (nearest)
        text_format(&words, "a row of %s needs more columns than these", nearest);
    else
        text_add_string(&words, "the first line is not the header of a table of the catalog");
    return extension_csv_fail(self, words.items, "");
}

/* ------------------------------------------------------------------ rows */

/* The subject of the row, for messages. */
static const char *subject_of(const struct rows *self)
{
    for (size_t i = 0; i < self->columns.count && i < self->fields.count; i++)
        if (sqlite3_stricmp(self->columns.items[i], "op") == 0)
            return self->fields.items[i];
    return self->fields.count ? self->fields.items[0] : NULL;
}

static bool check_count(struct rows *self)
{
    if (self->fields.count == self->columns.count)
        return true;
    struct text words = {0};
    const char *subject = subject_of(self);
    text_format(&words, "op '%s': %zu fields, and the header has %zu", subject ? subject : "",
                self->fields.count, self->columns.count);
    return extension_csv_fail(self, words.items, "");
}

static bool insert_row(struct rows *self)
{
    struct text sql = {0}, values = {0};
    text_format(&sql, "INSERT INTO %s (", self->table);
    bool done = true;
    size_t used = 0;
    for (size_t i = 0; i < self->fields.count; i++)
        if (self->fields.items[i]) {
            text_format(&sql, "%s\"%s\"", used ? ", " : "", self->columns.items[i]);
            text_add_string(&values, used ? ", ?" : "?");
            used++;
        }
    text_format(&sql, ") VALUES (%s)", values.items ? values.items : "");
    sqlite3_stmt *statement = NULL;
    overlay_set_place(self->warehouse, self->file->path, self->row_line, self->error);
    context_set(self->warehouse->context, "extension-row", subject_of(self));
    if (database_prepare(self->warehouse->db, sql.items, &statement, NULL) == SQLITE_OK) {
        int place = 0;
        for (size_t i = 0; i < self->fields.count; i++)
            if (self->fields.items[i])
                sqlite3_bind_text(statement, ++place, self->fields.items[i], -1, SQLITE_STATIC);
    }
    if (sqlite3_step(statement) != SQLITE_DONE)
        done = extension_blame(self->warehouse, self->file->path, self->row_line, self->error);
    database_finalize(statement);
    text_free(&sql);
    text_free(&values);
    return done;
}

static void clear_fields(struct rows *self)
{
    for (size_t i = 0; i < self->fields.count; i++)
        memory_free(self->fields.items[i]);
    self->fields.count = 0;
}

static void take_field(void *text, size_t length, void *context)
{
    struct rows *self = context;
    if (!self->failed)
        array_add(&self->fields, length ? memory_part(text, length) : NULL);
}

static void take_row(int end, void *context)
{
    (void)end;
    struct rows *self = context;
    self->in_row = false;
    if (!self->failed)
        self->failed = self->table ? !check_count(self) || !insert_row(self) : !read_header(self);
    clear_fields(self);
}

/* ------------------------------------------------------------------ the file */

/* The error that stopped the parser. */
static bool refuse(struct rows *self, struct csv_parser *parser)
{
    int code = csv_error(parser);
    if (code == CSV_ENOMEM)
        memory_fail();
    return extension_csv_fail(
        self, "not CSV: ", code == CSV_EPARSE ? "a quote stands wrong" : csv_strerror(code));
}

bool extension_run_csv(const struct extension_file *file, struct warehouse *warehouse,
                       struct error *error)
{
    struct rows rows = {.file = file, .warehouse = warehouse, .error = error};
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0)
        memory_fail();
    const char *text = file->text, *end = file->text + file->length;
    text += strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    bool done = true;
    for (const char *at = text; at < end && done;) { /* by lines, to know where rows begin */
        size_t length = strcspn(at, "\n");
        length += at[length] == '\n';
        rows.line++;
        if (!rows.in_row)
            rows.row_line = rows.line;
        if (rows.in_row || strspn(at, " \t\r\n") < length) {
            rows.in_row = true;
            done = csv_parse(&parser, at, length, take_field, take_row, &rows) == length ||
                   refuse(&rows, &parser);
        }
        at += length;
        done = done && !rows.failed;
    }
    if (done && csv_fini(&parser, take_field, take_row, &rows) != 0)
        done = refuse(&rows, &parser);
    done =
        done && !rows.failed && (rows.table || extension_csv_fail(&rows, "the file is empty", ""));
    csv_free(&parser);
    return done;
}
