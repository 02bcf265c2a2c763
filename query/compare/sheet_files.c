/* sheet_files: a file is told by its content, a folder by the first lines of its files. Fields of a
 * CSV are kept until its end, as only then is a column known to hold numbers. A row of a report
 * finds the place of each cell once for each sheet, by the headings.
 */
#include "query/compare/sheet_files.h"

#include "query/compare/workbook.h"
#include "src/base/file.h"
#include "src/base/literal.h"

#include <csv.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char old_workbook[] = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"; /* a compound file: .xls */

const char *sheet_of_report(const struct doc_object *report)
{
    const char *sheet = docs_declared(report, "sheet");
    return sheet ? sheet : report->name;
}

char *sheet_files_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    bool is_told = *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
    char *whole = is_told ? NULL : file_real_path(path); /* "." has a name, too */
    slash = whole ? strrchr(whole, '/') : NULL;
    char *name = memory_text(slash ? slash + 1 : is_told ? last : path);
    char *end = strrchr(name, '.');
    if (end && end > name && strcasecmp(end, ".xlsx") == 0)
        *end = '\0';
    return name;
}

/* ------------------------------------------------------------------ one CSV */

/* A file in hand: its fields one behind the other, and where its rows begin. */
struct table {
    const char *path;
    struct text bytes;
    ARRAY(size_t) fields; /* where each begins; ended by zeros */
    ARRAY(size_t) rows;   /* the first field of each */
    struct error *error;
};

static void take_field(void *bytes, size_t length, void *context)
{
    struct table *self = context;
    array_add(&self->fields, self->bytes.count);
    text_add(&self->bytes, bytes ? bytes : "", length);
    text_add_byte(&self->bytes, '\0');
}

static void take_row(int end, void *context)
{
    struct table *self = context;
    (void)end;
    array_add(&self->rows, self->fields.count); /* of the next one */
}

static int never_space(unsigned char byte)
{
    (void)byte;
    return 0;
}

static bool parse_csv(struct table *self, struct view text)
{
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        memory_fail();
    csv_set_space_func(&parser, never_space);
    size_t mark = view_starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
    bool done = csv_parse(&parser, text.bytes + mark, text.length - mark, take_field, take_row,
                          self) == text.length - mark &&
                csv_fini(&parser, take_field, take_row, self) == 0;
    int code = csv_error(&parser);
    csv_free(&parser);
    if (!done && code == CSV_ENOMEM)
        memory_fail();
    return done ||
           error_set(self->error, STATUS_BAD_INPUT, "%s: not CSV: a quote stands wrong in row %zu",
                     self->path, self->rows.count);
}

/* Where the fields of a row begin; how many there are. */
static size_t row_of(const struct table *self, size_t row, size_t *count)
{
    size_t first = row ? self->rows.items[row - 1] : 0;
    *count = self->rows.items[row] - first;
    return first;
}

static const char *field_at(const struct table *self, size_t row, size_t column)
{
    size_t count, first = row_of(self, row, &count);
    return column < count ? self->bytes.items + self->fields.items[first + column] : "";
}

/* Texts in the place of a missing value. */
static bool is_missing(const char *text)
{
    return !*text || strcmp(text, "nan") == 0 || strcmp(text, "NaN") == 0;
}

static bool read_number(const char *text, struct cell *cell)
{
    char *end;
    if (!strchr("+-.0123456789", *text) || strpbrk(text, "xX"))
        return false;
    double real = strtod(text, &end);
    bool is_whole = strspn(text, "-0123456789") == strlen(text) && real > -1e15 && real < 1e15;
    *cell = is_whole ? (struct cell){.type = CELL_INTEGER, .integer = (int64_t)real}
                     : (struct cell){.type = CELL_REAL, .real = real};
    return *text && !*end;
}

/* A column holds numbers when all its fields are some. */
static bool is_number_column(const struct table *self, size_t column)
{
    struct cell cell;
    for (size_t row = 1; row < self->rows.count; row++) {
        const char *text = field_at(self, row, column);
        if (!is_missing(text) && *text != '#' && !read_number(text, &cell))
            return false;
    }
    return true;
}

/* tpq puts a mark before what a spreadsheet would take for a formula. */
static const char *without_mark(const char *text)
{
    return text[0] == '\'' && text[1] && strchr("=+-@\t\r", text[1]) ? text + 1 : text;
}

static bool send_rows(const struct table *self, struct sink *sink, size_t width)
{
    struct cell *cells = memory_zeroed(width + 1, sizeof *cells);
    bool *are_numbers = memory_zeroed(width + 1, sizeof *are_numbers);
    bool done = true;
    for (size_t i = 0; i < width; i++)
        are_numbers[i] = is_number_column(self, i);
    for (size_t row = 1; row < self->rows.count && done; row++) {
        size_t count;
        row_of(self, row, &count);
        if (*field_at(self, row, 0) == '#')
            continue; /* words about the sheet */
        if (count < width) {
            done = error_set(self->error, STATUS_BAD_INPUT,
                             "%s: row %zu has %zu of %zu fields; is the file cut off?", self->path,
                             row + 1, count, width);
            break;
        }
        for (size_t i = 0; i < width; i++) {
            const char *text = field_at(self, row, i);
            cells[i] = (struct cell){.type = CELL_NULL};
            if (is_missing(text))
                continue;
            if (!are_numbers[i] || !read_number(text, &cells[i]))
                cells[i] = (struct cell){.type = CELL_TEXT, .text = view_of(without_mark(text))};
        }
        done = sink->row(sink, cells, self->error);
    }
    return done;
}

/* ------------------------------------------------------------------ folders */

/* The name of a sheet that a file is called by, in `name`; false: it is no CSV. */
static bool sheet_name(const char *file, char *name, size_t room)
{
    size_t length = strlen(file);
    if (length < 5 || length - 4 >= room || strcasecmp(file + length - 4, ".csv") != 0)
        return false;
    memcpy(name, file, length - 4);
    name[length - 4] = '\0';
    return true;
}

static bool read_folder(const char *path, struct kept_sheets *sheets, struct error *error)
{
    struct dirent **files = NULL;
    int count = scandir(path, &files, NULL, alphasort);
    if (count < 0 && errno == ENOMEM)
        memory_fail();
    bool done = count >= 0 ||
                error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        char name[256];
        struct text file = {0};
        if (done && sheet_name(files[i]->d_name, name, sizeof name)) {
            text_format(&file, "%s/%s", path, files[i]->d_name);
            struct text text = {0};
            struct table table = {.path = file.items, .error = error};
            done = file_read(file.items, &text, error) && parse_csv(&table, text_view(&text));
            if (done) {
                /* A file without a heading is an empty table. */
                size_t width = 0;
                if (table.rows.count)
                    row_of(&table, 0, &width);
                struct column *columns = memory_zeroed(width + 1, sizeof *columns);
                for (size_t j = 0; j < width; j++)
                    columns[j].name = columns[j].heading = field_at(&table, 0, j);
                struct sheet sheet = {
                    .name = name, .title = "", .columns = columns, .column_count = width};
                done = sheets->base.begin(&sheets->base, &sheet, table.error) &&
                       (!table.rows.count || send_rows(&table, &sheets->base, width));
            }
            text_free(&text);
            text_free(&table.bytes);
            arrays_free(&table.fields, &table.rows);
        }
        free(files[i]);
    }
    free(files);
    return done;
}

/* The first bytes of a file; none of one that cannot be read. */
static size_t read_start(const char *path, char *bytes, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = file >= 0 ? read(file, bytes, room - 1) : -1;
    if (file >= 0)
        close(file);
    bytes[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0;
}

/* The first line has the heading of a key column of such a sheet. */
static bool has_key(const char *line, const char *sheet, const doc_list *docs)
{
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *report = &docs->items[i];
        const char *key = docs_declared(report, "key");
        if (!key || strcmp(sheet_of_report(report), sheet) != 0)
            continue;
        const doc_columns *columns = docs_columns(report);
        for (struct view name; (name = docs_next_name(&key)).length;)
            for (size_t j = 0; j < columns->count; j++) {
                const struct doc_column *column = &columns->items[j];
                if (view_equal(name, view_of(column->name)) && strstr(line, column->heading))
                    return true;
            }
    }
    return false;
}

/* ------------------------------------------------------------------ both */

bool sheet_files_are(const char *path, const doc_list *docs, bool *are, struct error *error)
{
    struct stat facts;
    char first[sizeof old_workbook];
    *are = false;
    if (stat(path, &facts) != 0)
        return true; /* whoever reads it will say so */
    if (S_ISDIR(facts.st_mode)) {
        DIR *folder = opendir(path);
        for (struct dirent *file; folder && !*are && (file = readdir(folder));) {
            char name[256], line[4096];
            struct text whole = {0};
            if (!sheet_name(file->d_name, name, sizeof name))
                continue;
            text_format(&whole, "%s/%s", path, file->d_name);
            if (read_start(whole.items, line, sizeof line)) {
                line[strcspn(line, "\r\n")] = '\0';
                *are = has_key(line, name, docs);
            }
        }
        if (folder)
            closedir(folder);
        return true;
    }
    if (!S_ISREG(facts.st_mode) || read_start(path, first, sizeof first) < sizeof first - 1)
        return true;
    if (memcmp(first, old_workbook, sizeof first - 1) == 0)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: a workbook of the old kind (.xls), or an encrypted one; save it as "
                         ".xlsx",
                         path);
    return memcmp(first, "PK\3\4", 4) != 0 || workbook_is(path, are, error);
}

bool sheet_files_read(const char *path, struct kept_sheets *sheets, struct error *error)
{
    struct stat facts;
    bool is_folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    if (is_folder)
        return read_folder(path, sheets, error);
    return workbook_read(path, sheets, error);
}

/* ------------------------------------------------------------------ the rows of a report */

enum { NAME_MAX_IN_WORKBOOK = 31 }; /* characters of a sheet's name */

/* Where a cell of the key comes from. */
enum origin { ORIGIN_NONE, ORIGIN_COLUMN, ORIGIN_SHEET, ORIGIN_UNFOLDED };

struct part {
    enum origin origin;
    size_t column; /* of the sheet */
    const struct doc_column *declared;
};

struct reading {
    const struct sheet_rows *self;
    const doc_columns *columns; /* of the report */
    const struct kept_sheet *sheet;
    struct part *key;
    size_t key_count, figure, count;
    struct cell *row;   /* of the sheet */
    struct cell *cells; /* of the key */
    struct view value;  /* that the sheet is for */
    struct text made;   /* texts of the key's cells */
};

/* ------------------------------------------------------------------ cells */

bool sheet_rows_json(struct view text, struct text *json)
{
    struct literals values = {0};
    int root =
        text.length && strchr("([{", text.bytes[0]) ? literal_read(&values, text) : LITERAL_NONE;
    bool done = root != LITERAL_NONE;
    if (done)
        literal_add_json(&values, root, json);
    literal_free(&values);
    return done;
}

/* A cell of the key, of the type that its column has; texts are added to those made. They may still
 * move: till the row is complete a cell has their place. */
static void add_text(struct reading *reading, struct cell *cell, struct view text, bool is_list)
{
    size_t start = reading->made.count;
    if (!(is_list && sheet_rows_json(text, &reading->made))) {
        reading->made.count = start;
        text_add_view(&reading->made, text);
    }
    *cell = (struct cell){
        .type = CELL_TEXT, .integer = (int64_t)start, .text = {NULL, reading->made.count - start}};
}

/* ------------------------------------------------------------------ what was one column */

/* The name of a member behind the word of the declaration; NULL: the heading has another. */
static const char *member_name(const struct reading *reading, size_t column)
{
    const struct view word = reading->self->layout->unfold_word;
    const char *heading = reading->sheet->columns.items[column].heading;
    bool is_one = word.length && strncmp(heading, word.bytes, word.length) == 0 &&
                  strncmp(heading + word.length, ": ", 2) == 0;
    return is_one ? heading + word.length + 2 : NULL;
}

static void add_member(struct text *object, const char *name, const struct cell *cell)
{
    size_t start;
    text_add_string(object, object->count > 1 ? "," : "");
    text_add_json(object, view_of(name));
    text_add_byte(object, ':');
    start = object->count;
    if (cell->type == CELL_REAL && cell->real == (double)(int64_t)cell->real) {
        text_format(object, "%lld", (long long)cell->real);
    } else if (cell->type != CELL_TEXT) {
        cell_add_text(cell, FORM_PLAIN, object);
    } else if (view_equal(cell->text, VIEW("True")) || view_equal(cell->text, VIEW("False"))) {
        text_add_string(object, cell->text.bytes[0] == 'T' ? "true" : "false");
    } else if (!sheet_rows_json(cell->text, object)) {
        object->count = start;
        text_add_json(object, cell->text);
    }
}

/* ------------------------------------------------------------------ rows */

static void make_key(struct reading *reading)
{
    reading->made.count = 0;
    for (size_t i = 0; i < reading->key_count; i++) {
        const struct part *part = &reading->key[i];
        struct cell from = {.type = CELL_NULL};
        if (part->origin == ORIGIN_COLUMN)
            from = reading->row[part->column];
        if (part->origin == ORIGIN_SHEET)
            from = (struct cell){.type = CELL_TEXT, .text = reading->value};
        if (part->origin == ORIGIN_UNFOLDED) {
            /* Without members there was none. */
            struct cell *cell = &reading->cells[i];
            struct text object = {0};
            *cell = (struct cell){.type = CELL_NULL};
            text_add_byte(&object, '{');
            for (size_t j = 0; j < reading->sheet->columns.count; j++) {
                const struct cell *value = &reading->row[j];
                bool is_none =
                    value->type == CELL_NULL ||
                    (value->type == CELL_TEXT && (view_equal(value->text, VIEW("nan")) ||
                                                  view_equal(value->text, VIEW("None"))));
                if (member_name(reading, j) && !is_none)
                    add_member(&object, member_name(reading, j), value);
            }
            if (object.count > 1) {
                text_add_byte(&object, '}');
                add_text(reading, cell, text_view(&object), false);
            }
            text_free(&object);
        } else {
            /* The cell gets the type that the report declares. */
            const struct doc_column *declared = part->declared;
            struct cell *cell = &reading->cells[i];
            const char *type = declared ? declared->type : "";
            bool is_list = declared && (strcmp(declared->unit, "list") == 0 ||
                                        strcmp(declared->unit, "tuple") == 0);
            *cell = from;
            if (from.type == CELL_TEXT) {
                add_text(reading, cell, from.text, is_list);
            } else if (strcmp(type, "text") == 0 && from.type != CELL_NULL) {
                size_t start = reading->made.count;
                cell_add_text(&from, FORM_PLAIN, &reading->made);
                *cell = (struct cell){.type = CELL_TEXT,
                                      .integer = (int64_t)start,
                                      .text = {NULL, reading->made.count - start}};
            } else if (strcmp(type, "real") == 0 && from.type == CELL_INTEGER) {
                *cell = (struct cell){.type = CELL_REAL, .real = (double)from.integer};
            } else if (strcmp(type, "integer") == 0 && from.type == CELL_REAL &&
                       from.real > -1e15 && from.real < 1e15 &&
                       from.real == (double)(int64_t)from.real) {
                *cell = (struct cell){.type = CELL_INTEGER, .integer = (int64_t)from.real};
            }
        }
    }
    for (size_t i = 0; i < reading->key_count; i++)
        if (reading->cells[i].type == CELL_TEXT)
            reading->cells[i].text.bytes = reading->made.items + reading->cells[i].integer;
}

/* ------------------------------------------------------------------ which sheets and columns */

/* A sheet is of the report by its name. Where each value has a sheet, `value` is that of this one.
 */
static bool is_called(const struct sheet_rows *self, const char *name, struct view *value)
{
    const struct doc_object *report = self->layout->report;
    const char *wanted = sheet_of_report(report), *hole = strstr(wanted, "{}");
    *value = view_of(name);
    if (!self->layout->sheet_by)
        return strncmp(name, wanted, NAME_MAX_IN_WORKBOOK) == 0 &&
               (strlen(name) == NAME_MAX_IN_WORKBOOK || strcmp(name, wanted) == 0);
    if (!self->layout->sheet)
        return true;
    size_t before = hole ? (size_t)(hole - wanted) : strlen(wanted);
    const char *after = hole ? hole + 2 : "";
    size_t end = strlen(after);
    if (value->length < before + end || strncmp(name, wanted, before) != 0 ||
        strcmp(name + value->length - end, after) != 0)
        return false;
    *value = (struct view){name + before, value->length - before - end};
    return true;
}

/* A report with a sheet for each value may have any name; its sheets have the unfolded columns, or
 * the count of its rows. */
static bool is_foreign(const struct reading *reading)
{
    bool is_own = !reading->self->layout->unfold.length || reading->count != SIZE_MAX;
    for (size_t i = 0; i < reading->sheet->columns.count && !is_own; i++)
        is_own = member_name(reading, i) != NULL;
    return !is_own;
}

/* Finds the columns of the sheet in hand; the heading of one that is not there, or NULL. */
static const char *find_columns(struct reading *reading)
{
    const struct layout *layout = reading->self->layout;
    const doc_columns *columns = reading->columns;
    for (size_t i = 0; i < layout->key.count; i++) {
        struct part *part = &reading->key[i];
        const struct view name = layout->key.items[i];
        *part = (struct part){.origin = ORIGIN_NONE};
        for (size_t j = 0; j < columns->count; j++)
            if (view_equal_ignoring_case(name, view_of(columns->items[j].name)))
                part->declared = &columns->items[j];
        if (!part->declared)
            continue;
        part->column = kept_sheet_column(reading->sheet, part->declared->heading);
        if (layout->sheet_by && view_equal_ignoring_case(name, view_of(layout->sheet_by)))
            part->origin = ORIGIN_SHEET;
        else if (layout->unfold.length && view_equal_ignoring_case(name, layout->unfold))
            part->origin = ORIGIN_UNFOLDED;
        else if (part->column != SIZE_MAX)
            part->origin = ORIGIN_COLUMN;
        else {
            const struct layout_column *column = layout_column(layout, part->declared->name);
            bool may_miss = column->drops_empty || column->drops_empty_compat ||
                            column->option.length || column->leader.length;
            if (!may_miss) /* it is on every sheet */
                return part->declared->heading;
        }
    }
    const struct doc_column *metric = reading->self->metric;
    reading->figure = metric ? kept_sheet_column(reading->sheet, metric->heading) : SIZE_MAX;
    reading->count = SIZE_MAX;
    for (size_t j = 0; j < columns->count; j++)
        if (view_equal_ignoring_case(layout->count, view_of(columns->items[j].name)))
            reading->count = kept_sheet_column(reading->sheet, columns->items[j].heading);
    return metric && reading->figure == SIZE_MAX ? metric->heading : NULL;
}

bool sheet_rows_read(const struct sheet_rows *self, sheet_rows_take *take, void *context,
                     struct error *error)
{
    const struct layout *layout = self->layout;
    struct reading reading = {.self = self, .key_count = layout->key.count};
    const char *lacking = NULL;
    size_t found = 0;
    reading.key = memory_zeroed(layout->key.count + 1, sizeof *reading.key);
    reading.cells = memory_zeroed(layout->key.count + 1, sizeof *reading.cells);
    reading.columns = docs_columns(layout->report);
    for (size_t i = 0; i < self->sheets->sheets.count; i++) {
        reading.sheet = &self->sheets->sheets.items[i];
        if (!is_called(self, reading.sheet->name, &reading.value))
            continue;
        bool is_empty = !reading.sheet->columns.count && !layout->sheet_by;
        const char *misses = is_empty ? NULL : find_columns(&reading);
        lacking = misses ? misses : lacking;
        if (misses || is_foreign(&reading))
            continue;
        found++;
        if (!is_empty) {
            /* Without a column for it, the figure or the count of a row is 1. */
            static const struct cell one = {.type = CELL_INTEGER, .integer = 1};
            const struct result *rows = &reading.sheet->rows;
            struct result_cursor cursor = {0};
            reading.row = memory_zeroed(reading.sheet->columns.count + 1, sizeof *reading.row);
            text_add(&reading.made, "", 0);
            while (result_next(rows, &cursor, reading.row)) {
                make_key(&reading);
                take(context, reading.cells,
                     reading.figure == SIZE_MAX ? &one : &reading.row[reading.figure],
                     reading.count == SIZE_MAX ? &one : &reading.row[reading.count]);
            }
        }
    }
    if (found)
        return true;
    if (lacking && !layout->sheet_by)
        return error_set(error, STATUS_BAD_INPUT, "%s: sheet %s has no column '%s'", self->path,
                         sheet_of_report(layout->report), lacking);
    return error_set(error, STATUS_BAD_INPUT, "%s has no sheet %s", self->path,
                     layout->sheet_by ? "of the report" : sheet_of_report(layout->report));
}
