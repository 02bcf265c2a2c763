/* sheet_files: see sheet_files.h. */
#include "query/compare/sheet_files.h"

#include "query/compare/workbook.h"
#include "src/base/file.h"

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
    memory_free(whole);
    return name;
}

/* ------------------------------------------------------------------ one CSV */

/* A file in hand: its fields one behind the other, and where its rows begin. */
struct table {
    const char *path;
    struct text bytes;
    ARRAY(size_t) fields; /* where each begins; ended by zeros */
    ARRAY(size_t) rows;   /* the first field of each */
    bool failed;
    struct error *error;
};

static void take_field(void *bytes, size_t length, void *context)
{
    struct table *self = context;
    size_t *field = self->failed ? NULL : array_push(&self->fields);
    if (field)
        *field = self->bytes.count;
    if (!self->failed && (!field || !text_add(&self->bytes, bytes ? bytes : "", length) ||
                          !text_add_byte(&self->bytes, '\0')))
        self->failed = !error_memory(self->error);
}

static void take_row(int end, void *context)
{
    struct table *self = context;
    (void)end;
    size_t *row = self->failed ? NULL : array_push(&self->rows);
    if (row)
        *row = self->fields.count; /* of the next one */
    else if (!self->failed)
        self->failed = !error_memory(self->error);
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
        return error_memory(self->error);
    csv_set_space_func(&parser, never_space);
    size_t mark = view_starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
    bool done = csv_parse(&parser, text.bytes + mark, text.length - mark, take_field, take_row,
                          self) == text.length - mark &&
                csv_fini(&parser, take_field, take_row, self) == 0;
    int code = csv_error(&parser);
    csv_free(&parser);
    if (self->failed)
        return false;
    return done || (code == CSV_ENOMEM ? error_memory(self->error)
                                       : error_set(self->error, STATUS_BAD_INPUT,
                                                   "%s: not CSV: a quote stands wrong in row %zu",
                                                   self->path, self->rows.count));
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
    bool done = cells || error_memory(self->error);
    for (size_t i = 0; i < width && done; i++)
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
    memory_free(cells);
    memory_free(are_numbers);
    return done;
}

/* A file without a heading is an empty table. */
static bool send_table(const struct table *self, const char *name, struct sink *sink)
{
    size_t width = 0;
    if (self->rows.count)
        row_of(self, 0, &width);
    struct column *columns = memory_zeroed(width + 1, sizeof *columns);
    bool done = true;
    for (size_t i = 0; i < width; i++)
        columns[i].name = columns[i].heading = field_at(self, 0, i);
    struct sheet sheet = {.name = name, .title = "", .columns = columns, .column_count = width};
    done = sink->begin(sink, &sheet, self->error) &&
           (!self->rows.count || send_rows(self, sink, width));
    memory_free(columns);
    return done;
}

static bool read_csv(const char *path, const char *name, struct sink *sink, struct error *error)
{
    struct text text = {0};
    struct table table = {.path = path, .error = error};
    bool done = file_read(path, &text, error) && parse_csv(&table, text_view(&text)) &&
                send_table(&table, name, sink);
    text_free(&text);
    text_free(&table.bytes);
    array_free(&table.fields);
    array_free(&table.rows);
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
    bool done = count >= 0 ||
                (errno == ENOMEM ? error_memory(error)
                                 : error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s",
                                             path, strerror(errno)));
    for (int i = 0; i < count; i++) {
        char name[256];
        struct text file = {0};
        if (done && sheet_name(files[i]->d_name, name, sizeof name)) {
            text_format(&file, "%s/%s", path, files[i]->d_name);
            done = read_csv(file.items, name, &sheets->base, error);
        }
        text_free(&file);
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

/* Whether the first line has a heading of what the rows of such a sheet are told apart by. */
static bool find_key(const char *line, const char *sheet, const doc_list *docs, bool *has)
{
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *report = &docs->items[i];
        const char *key = docs_declared(report, "key");
        if (!key || strcmp(sheet_of_report(report), sheet) != 0)
            continue;
        const doc_columns *columns = docs_columns(report);
        if (!columns)
            return false;
        for (struct view name; (name = docs_next_name(&key)).length;)
            for (size_t j = 0; j < columns->count; j++) {
                const struct doc_column *column = &columns->items[j];
                *has |= view_equal(name, view_of(column->name)) && strstr(line, column->heading);
            }
    }
    return true;
}

static bool is_folder_of_sheets(const char *path, const doc_list *docs, bool *is,
                                struct error *error)
{
    DIR *folder = opendir(path);
    bool done = true;
    for (struct dirent *file; folder && done && !*is && (file = readdir(folder));) {
        char name[256], line[4096];
        struct text whole = {0};
        if (!sheet_name(file->d_name, name, sizeof name))
            continue;
        text_format(&whole, "%s/%s", path, file->d_name);
        if (done && read_start(whole.items, line, sizeof line)) {
            line[strcspn(line, "\r\n")] = '\0';
            done = find_key(line, name, docs, is) || error_memory(error);
        }
        text_free(&whole);
    }
    if (folder)
        closedir(folder);
    return done;
}

/* ------------------------------------------------------------------ both */

bool sheet_files_are(const char *path, const doc_list *docs, bool *are, struct error *error)
{
    struct stat facts;
    char first[sizeof old_workbook];
    *are = false;
    if (stat(path, &facts) != 0)
        return true; /* whoever reads it will say so */
    if (S_ISDIR(facts.st_mode))
        return is_folder_of_sheets(path, docs, are, error);
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
    return is_folder ? read_folder(path, sheets, error) : workbook_read(path, sheets, error);
}
