/* render: see render.h. Every mode but table and box prints a row as soon as it is there; those two
 * look at the first ROWS_MEASURED rows to find the widths of the columns. */
#include "render.h"

#include "grid.h"
#include "number.h"
#include "schema.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { ROWS_MEASURED = 1000 };

struct renderer {
    sqlite3_stmt *statement;
    const struct render_options *options;
    FILE *out;
    int columns;
    int64_t rows;
    struct grid grid;
    struct text text;
    bool grid_started;
};

bool render_mode_named(const char *name, enum render_mode *mode)
{
    static const char *const names[] = {
        [RENDER_TABLE] = "table", [RENDER_BOX] = "box",           [RENDER_CSV] = "csv",
        [RENDER_TSV] = "tsv",     [RENDER_JSON] = "json",         [RENDER_JSONL] = "jsonl",
        [RENDER_LINE] = "line",   [RENDER_MARKDOWN] = "markdown", [RENDER_HTML] = "html",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *mode = (enum render_mode)i;
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------ cells */

struct cell {
    int type; /* of SQLite */
    struct view text;
};

/* The value of a column as text in self->text; of NULL the empty text. */
static bool get_cell(struct renderer *self, int column, struct cell *cell)
{
    cell->type = sqlite3_column_type(self->statement, column);
    text_clear(&self->text);
    bool done = true;
    switch (cell->type) {
    case SQLITE_NULL:
        break;
    case SQLITE_FLOAT:
        done = number_add_real(&self->text, sqlite3_column_double(self->statement, column));
        break;
    case SQLITE_BLOB: {
        const unsigned char *bytes = sqlite3_column_blob(self->statement, column);
        int count = sqlite3_column_bytes(self->statement, column);
        for (int i = 0; i < count && done; i++)
            done = text_format(&self->text, "%02x", bytes[i]);
        break;
    }
    default: {
        const void *text = sqlite3_column_text(self->statement, column);
        size_t count = (size_t)sqlite3_column_bytes(self->statement, column);
        cell->text = (struct view){text, count};
        return text != NULL; /* only memory can be missing */
    }
    }
    cell->text = (struct view){self->text.items ? self->text.items : "", self->text.count};
    return done;
}

static bool is_number(const struct cell *cell)
{
    return cell->type == SQLITE_INTEGER || cell->type == SQLITE_FLOAT;
}

static void print(struct renderer *self, struct view text)
{
    fwrite(text.bytes, 1, text.length, self->out);
}

/* ------------------------------------------------------------------ CSV and TSV */

static void print_csv(struct renderer *self, struct view text, bool number)
{
    bool formula =
        !number && !self->options->csv_raw && text.length && memchr("=+-@\t\r", text.bytes[0], 6);
    bool quoted = text.length == 0 && self->columns == 1; /* an empty line is no row to many */
    for (size_t i = 0; i < text.length && !quoted; i++)
        quoted = memchr(",\"\r\n", text.bytes[i], 4) != NULL;
    if (quoted)
        fputc('"', self->out);
    if (formula)
        fputc('\'', self->out);
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '"')
            fputc('"', self->out);
        fputc(text.bytes[i], self->out);
    }
    if (quoted)
        fputc('"', self->out);
}

static void print_tsv(struct renderer *self, struct view text)
{
    static const char special[] = "\t\n\r\\", names[] = "tnr\\";
    for (size_t i = 0; i < text.length; i++) {
        const char *found = text.bytes[i] ? strchr(special, text.bytes[i]) : NULL;
        if (found) {
            fputc('\\', self->out);
            fputc(names[found - special], self->out);
        } else {
            fputc(text.bytes[i], self->out);
        }
    }
}

static bool print_separated_row(struct renderer *self)
{
    bool csv = self->options->mode == RENDER_CSV;
    for (int i = 0; i < self->columns; i++) {
        struct cell cell;
        if (!get_cell(self, i, &cell))
            return false;
        if (i)
            fputc(csv ? ',' : '\t', self->out);
        if (csv)
            print_csv(self, cell.text, is_number(&cell));
        else
            print_tsv(self, cell.text);
    }
    fputc('\n', self->out);
    return true;
}

static void print_separated_head(struct renderer *self)
{
    bool csv = self->options->mode == RENDER_CSV;
    for (int i = 0; i < self->columns; i++) {
        struct view name = view_of(sqlite3_column_name(self->statement, i));
        if (i)
            fputc(csv ? ',' : '\t', self->out);
        if (csv)
            print_csv(self, name, false);
        else
            print_tsv(self, name);
    }
    fputc('\n', self->out);
}

/* ------------------------------------------------------------------ JSON */

static bool print_json_text(struct renderer *self, struct view text)
{
    struct text quoted = {0};
    bool done = text_add_json(&quoted, text);
    if (done)
        print(self, (struct view){quoted.items, quoted.count});
    text_free(&quoted);
    return done;
}

static bool print_json_row(struct renderer *self)
{
    bool lines = self->options->mode == RENDER_JSONL;
    if (!lines)
        fputs(self->rows ? ",\n" : "[\n", self->out);
    fputc('{', self->out);
    for (int i = 0; i < self->columns; i++) {
        struct cell cell;
        fputs(i ? "," : "", self->out);
        if (!print_json_text(self, view_of(sqlite3_column_name(self->statement, i))))
            return false;
        fputc(':', self->out);
        if (!get_cell(self, i, &cell))
            return false;
        bool unsayable =
            cell.type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(self->statement, i));
        if (cell.type == SQLITE_NULL || unsayable)
            fputs("null", self->out);
        else if (is_number(&cell))
            print(self, cell.text);
        else if (!print_json_text(self, cell.text))
            return false;
    }
    fputs(lines ? "}\n" : "}", self->out);
    return true;
}

/* ------------------------------------------------------------------ Markdown, HTML, lines */

static bool print_markdown(struct renderer *self, struct view text)
{
    struct text visible = {0};
    bool done = grid_add_visible(&visible, text);
    for (size_t i = 0; i < visible.count && done; i++) {
        if (strchr("|\\`*_<>[]", visible.items[i]))
            fputc('\\', self->out);
        fputc(visible.items[i], self->out);
    }
    text_free(&visible);
    return done;
}

static bool print_markdown_head(struct renderer *self)
{
    for (int i = 0; i < self->columns; i++) {
        fputs(i ? " | " : "| ", self->out);
        if (!print_markdown(self, view_of(sqlite3_column_name(self->statement, i))))
            return false;
    }
    fputs(" |\n", self->out);
    for (int i = 0; i < self->columns; i++)
        fputs(i ? " --- |" : "| --- |", self->out);
    fputc('\n', self->out);
    return true;
}

static bool print_markdown_row(struct renderer *self)
{
    for (int i = 0; i < self->columns; i++) {
        struct cell cell;
        fputs(i ? " | " : "| ", self->out);
        if (!get_cell(self, i, &cell))
            return false;
        if (is_number(&cell))
            print(self, cell.text);
        else if (!print_markdown(self, cell.text))
            return false;
    }
    fputs(" |\n", self->out);
    return true;
}

static void print_html(struct renderer *self, struct view text)
{
    for (size_t i = 0; i < text.length; i++) {
        switch (text.bytes[i]) {
        case '&':
            fputs("&amp;", self->out);
            break;
        case '<':
            fputs("&lt;", self->out);
            break;
        case '>':
            fputs("&gt;", self->out);
            break;
        case '"':
            fputs("&quot;", self->out);
            break;
        default:
            if ((unsigned char)text.bytes[i] < 0x20 && !memchr("\t\n\r", text.bytes[i], 3))
                fputs("&#xFFFD;", self->out);
            else
                fputc(text.bytes[i], self->out);
            break;
        }
    }
}

static void print_html_head(struct renderer *self)
{
    fputs("<table>\n<tr>", self->out);
    for (int i = 0; i < self->columns; i++) {
        fputs("<th>", self->out);
        print_html(self, view_of(sqlite3_column_name(self->statement, i)));
        fputs("</th>", self->out);
    }
    fputs("</tr>\n", self->out);
}

static bool print_html_row(struct renderer *self)
{
    fputs("<tr>", self->out);
    for (int i = 0; i < self->columns; i++) {
        struct cell cell;
        if (!get_cell(self, i, &cell))
            return false;
        fputs(is_number(&cell) ? "<td align=\"right\">" : "<td>", self->out);
        print_html(self, cell.text);
        fputs("</td>", self->out);
    }
    fputs("</tr>\n", self->out);
    return true;
}

/* Makes the name of a column visible in self->text, and gives its width. */
static bool make_name(struct renderer *self, int column, size_t *width)
{
    text_clear(&self->text);
    if (!grid_add_visible(&self->text, view_of(sqlite3_column_name(self->statement, column))))
        return false;
    *width = grid_width((struct view){self->text.items, self->text.count});
    return true;
}

static bool print_lines(struct renderer *self)
{
    size_t widest = 0, width;
    for (int i = 0; i < self->columns; i++) {
        if (!make_name(self, i, &width))
            return false;
        widest = width > widest ? width : widest;
    }
    fputs(self->rows ? "\n" : "", self->out);
    for (int i = 0; i < self->columns; i++) {
        struct cell cell;
        struct text visible = {0};
        if (!make_name(self, i, &width))
            return false;
        fprintf(self->out, "%s%*s = ", self->text.items, (int)(widest - width), "");
        bool done = get_cell(self, i, &cell) && grid_add_visible(&visible, cell.text);
        if (done)
            print(self, (struct view){visible.items, visible.count});
        fputc('\n', self->out);
        text_free(&visible);
        if (!done)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ table and box */

static void start_grid(struct renderer *self)
{
    if (self->grid_started)
        return;
    self->grid_started = true;
    grid_fit(&self->grid, (size_t)self->options->width);
    grid_print_head(&self->grid, self->out);
}

static bool add_grid_row(struct renderer *self)
{
    for (int i = 0; i < self->columns; i++) {
        struct cell cell;
        if (!get_cell(self, i, &cell) ||
            !grid_add_cell(&self->grid, cell.text, is_number(&cell) || cell.type == SQLITE_NULL))
            return false;
    }
    if (self->rows + 1 >= ROWS_MEASURED) {
        start_grid(self);
        grid_print_rows(&self->grid, self->out);
        grid_clear_rows(&self->grid);
    }
    return true;
}

/* ------------------------------------------------------------------ the whole */

static bool print_head(struct renderer *self)
{
    switch (self->options->mode) {
    case RENDER_CSV:
    case RENDER_TSV:
        print_separated_head(self);
        return true;
    case RENDER_MARKDOWN:
        return print_markdown_head(self);
    case RENDER_HTML:
        print_html_head(self);
        return true;
    case RENDER_TABLE:
    case RENDER_BOX:
        self->grid.boxed = self->options->mode == RENDER_BOX;
        for (int i = 0; i < self->columns; i++)
            if (!grid_add_column(&self->grid, sqlite3_column_name(self->statement, i)))
                return false;
        return true;
    default:
        return true;
    }
}

static bool print_row(struct renderer *self)
{
    switch (self->options->mode) {
    case RENDER_CSV:
    case RENDER_TSV:
        return print_separated_row(self);
    case RENDER_JSON:
    case RENDER_JSONL:
        return print_json_row(self);
    case RENDER_MARKDOWN:
        return print_markdown_row(self);
    case RENDER_HTML:
        return print_html_row(self);
    case RENDER_LINE:
        return print_lines(self);
    default:
        return add_grid_row(self);
    }
}

static void print_foot(struct renderer *self)
{
    switch (self->options->mode) {
    case RENDER_JSON:
        fputs(self->rows ? "\n]\n" : "[]\n", self->out);
        break;
    case RENDER_HTML:
        fputs("</table>\n", self->out);
        break;
    case RENDER_TABLE:
    case RENDER_BOX:
        start_grid(self);
        grid_print_rows(&self->grid, self->out);
        grid_print_foot(&self->grid, self->out);
        break;
    default:
        break;
    }
}

/* A statement may be wrong in itself, or the database in trouble. */
static bool step_error(sqlite3 *db, int result, const char *what, struct error *error)
{
    switch (result & 0xFF) {
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_CANTOPEN: /* what it attaches */
        return error_set(error, STATUS_USAGE, "%s: %s", what, sqlite3_errmsg(db));
    case SQLITE_INTERRUPT:
        return error_set(error, STATUS_DATABASE, "%s: interrupted", what);
    default:
        return schema_error(db, what, error);
    }
}

bool render_statement(sqlite3_stmt *statement, const struct render_options *options, FILE *out,
                      const char *what, struct error *error)
{
    struct renderer self = {
        .statement = statement,
        .options = options,
        .out = out,
        .columns = sqlite3_column_count(statement),
    };
    bool done = self.columns == 0 || print_head(&self);
    int result = SQLITE_ROW;
    while (done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        done = print_row(&self);
        self.rows++;
        if (ferror(out))
            break;
    }
    if (done && self.columns && result == SQLITE_DONE)
        print_foot(&self);
    grid_free(&self.grid);
    text_free(&self.text);
    if (!done)
        return error_memory(error);
    if (fflush(out) != 0 || ferror(out))
        return error_set(error, STATUS_DATABASE, "the output cannot be written: %s",
                         strerror(errno));
    if (result == SQLITE_DONE)
        return true;
    return step_error(sqlite3_db_handle(statement), result, what, error);
}
