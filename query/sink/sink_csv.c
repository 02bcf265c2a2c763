/* sink_csv: comma- and tab-separated values.
 *
 * CSV is quoted only where it must be; an empty field is when it is all of a row, which would be an
 * empty line. A text that begins like a formula gets a leading quote mark,
 * so that no spreadsheet carries it out. TSV escapes tabs, line ends and backslashes instead. On a
 * terminal control characters are made visible; a file has them as they are.
 */
#include "query/sink/sink.h"
#include "src/base/file.h"
#include "src/base/visible.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

struct csv_sink {
    struct sink base;
    struct new_file file; /* with a directory: of the sheet in hand */
    char *directory;      /* one file a sheet; NULL = the stream */
    const char *const *inputs;
    ARRAY(char *) names; /* of sheets whose files are there */
    char separator;
    bool raw, no_headers, notes, is_terminal;
    const char *only; /* name of the one sheet that is written; NULL = all */
    bool is_passed_over;
    const struct sheet *sheet;
    struct text line; /* that is being written */
};

/* How many bytes from a place on are none of those that end a word. */
static size_t plain_length(struct view text, size_t from, const bool special[256])
{
    size_t at = from;
    while (at < text.length && !special[(unsigned char)text.bytes[at]])
        at++;
    return at - from;
}

static void add_csv(struct text *line, struct view text, bool is_formula, bool is_alone)
{
    static const bool special[256] = {[','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};
    bool quoted = text.length ? plain_length(text, 0, special) < text.length : is_alone;
    if (quoted)
        text_add_byte(line, '"');
    if (is_formula)
        text_add_byte(line, '\'');
    if (!quoted) {
        text_add_view(line, text);
        return;
    }
    const char *mark;
    while (text.length && (mark = memchr(text.bytes, '"', text.length))) {
        size_t length = (size_t)(mark + 1 - text.bytes);
        text_add(line, text.bytes, length);
        text_add_byte(line, '"');
        text = (struct view){mark + 1, text.length - length};
    }
    text_add_view(line, text);
    text_add_byte(line, '"');
}

static void add_tsv(struct text *line, struct view text)
{
    static const bool special[256] = {['\t'] = true, ['\n'] = true, ['\r'] = true, ['\\'] = true};
    static const char names[256] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r', ['\\'] = '\\'};
    for (size_t at = 0; at < text.length; at++) {
        size_t length = plain_length(text, at, special);
        text_add(line, text.bytes + at, length);
        at += length;
        if (at < text.length) {
            char escape[] = {'\\', names[(unsigned char)text.bytes[at]]};
            text_add(line, escape, sizeof escape);
        }
    }
}

static void add_field(struct csv_sink *self, struct view text)
{
    bool is_formula = !self->raw && text.length && memchr("=+-@\t\r", text.bytes[0], 6);
    if (self->separator == ',')
        add_csv(&self->line, text, is_formula, self->sheet->column_count == 1);
    else
        add_tsv(&self->line, text);
}

static void write_line(struct csv_sink *self)
{
    text_add_byte(&self->line, '\n');
    if (self->is_terminal) {
        /* Makes control characters visible, except tab and line feed. */
        static const bool special[256] = {['\t'] = true, ['\n'] = true};
        struct view line = {self->line.items, self->line.count};
        for (size_t at = 0; at < line.length; at++) {
            size_t length = plain_length(line, at, special);
            visible_print((struct view){line.bytes + at, length}, self->base.out);
            at += length;
            if (at < line.length)
                fputc(line.bytes[at], self->base.out);
        }
    } else
        fwrite(self->line.items, 1, self->line.count, self->base.out);
    text_clear(&self->line);
}

/* The name of a sheet as that of a file: what could lead out of the directory is replaced, and a
 * number added to a name that was there before. */
static bool open_file(struct csv_sink *self, const char *sheet, struct error *error)
{
    struct text path = {0};
    char *name = memory_text(sheet);
    bool done = false;
    for (char *at = name; at && *at; at++)
        if (*at == '/' || (unsigned char)*at < 0x20 || (*at == '.' && at == name))
            *at = '_';
    size_t same = 0;
    for (size_t i = 0; i < self->names.count; i++)
        same += strcasecmp(self->names.items[i], name) == 0;
    char **kept = array_push(&self->names);
    *kept = name;
    text_format(&path, "%s/%s", self->directory, name);
    if (same)
        text_format(&path, "_%zu", same + 1);
    text_add_string(&path, ".csv");
    if (sink_check_path(path.items, self->inputs, error))
        done = new_file_open(&self->file, path.items, error);
    self->base.out = self->file.out;
    return done;
}

static bool csv_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    self->sheet = sheet;
    self->is_passed_over = self->only && strcmp(self->only, sheet->name) != 0;
    if (self->is_passed_over)
        return true;
    if (self->directory && !open_file(self, sheet->name, error))
        return false;
    for (size_t i = 0; i < sheet->column_count && !self->no_headers; i++) {
        if (i)
            text_add_byte(&self->line, self->separator);
        add_field(self, view_of(sheet->columns[i].heading));
    }
    if (!self->no_headers)
        write_line(self);
    return true;
}

static bool csv_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct csv_sink *self = (struct csv_sink *)sink;
    if (self->is_passed_over)
        return true;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        if (i)
            array_add(&self->line, self->separator);

        /* Numbers have nothing to be quoted, and a cell without a value is nothing beside others.
         */
        enum column_form form = self->sheet->columns[i].form;
        if (cell_is_number(&cells[i]))
            cell_add_text(&cells[i], form, &self->line);
        else if (cells[i].type == CELL_TEXT)
            add_field(self, cells[i].text);
        else if (self->sheet->column_count <= 1)
            add_field(self, VIEW(""));
    }
    write_line(self);
    return true;
}

static bool csv_end(struct sink *sink, struct error *error)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    if (self->notes && !self->is_passed_over) {
        /* A line behind the rows that is none: it begins with #. */
        struct text words = {0};
        sheet_add_notes(self->sheet, &words);
        if (words.count) {
            text_add_string(&self->line, "# ");
            add_tsv(&self->line, text_view(&words));
        }
        if (words.count)
            write_line(self);
    }
    if (!self->directory)
        return true;
    self->base.out = NULL;
    return new_file_close(&self->file, true, error);
}

/* A file that is not whole goes with its name. */
static void csv_free(struct sink *sink)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    struct error none = {0};
    if (self->file.out)
        new_file_close(&self->file, false, &none);
}

static struct csv_sink *new_csv(const struct sink_target *target, char separator)
{
    struct sink base = {.out = target->out,
                        .begin = csv_begin,
                        .row = csv_row,
                        .end = csv_end,
                        .free = csv_free,
                        .has_notes = target->csv_notes,
                        .takes_any = true};
    struct csv_sink *self = sink_new(sizeof *self, base);
    self->is_terminal = target->out && isatty(fileno(target->out));
    self->inputs = target->inputs;
    self->only = target->only;
    self->separator = separator;
    self->no_headers = target->no_headers;
    self->raw = target->raw || separator != ',';
    self->notes = target->csv_notes;
    return self;
}

struct sink *sink_csv(const struct sink_target *target, struct error *error)
{
    struct csv_sink *self = new_csv(target, ',');
    if (target->out)
        return &self->base;

    /* A directory with a file for every sheet. */
    self->directory = memory_text(target->path);
    return file_make_folder(target->path, error) ? &self->base : NULL;
}

struct sink *sink_tsv(const struct sink_target *target, struct error *error)
{
    (void)error;
    return (struct sink *)new_csv(target, '\t');
}
