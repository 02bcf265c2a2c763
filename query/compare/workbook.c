/* workbook: a workbook is an archive of XML files: one lists the sheets, one says which file each
 * of them is in, one has the texts, and each sheet has one. They are read piece by piece, with a
 * handler for the elements of each kind. Names of elements count without their prefix.
 */
#include "query/compare/workbook.h"

#include "src/base/error.h"
#include "src/base/number.h"
#include "src/base/text.h"

#include <errno.h>
#include <expat.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ------------------------------------------------------------------ a zip archive
 *
 * Only what workbooks are made of: members that are stored or deflated, no encryption, no parts,
 * less than 4 GiB. Checksums are verified.
 */

struct member {
    char *name;
    uint32_t method, crc, packed, place; /* place: of its header in the file */
};

struct archive {
    int file;
    const char *path; /* the caller's; for messages */
    int64_t size;
    ARRAY(struct member) members;
};

/* Marks, sizes and places of the zip format (APPNOTE 4.3). */
enum {
    LOCAL_MARK = 0x04034B50,
    LOCAL_BYTES = 30,
    CENTRAL_MARK = 0x02014B50,
    CENTRAL_BYTES = 46,
    END_MARK = 0x06054B50,
    END_BYTES = 22,
    COMMENT_MAX = 65535,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
    MEMBERS_MAX = 65535,
};

#ifndef TPQ_SMALL_WINDOWS
enum { PIECE_BYTES = 64 << 10 };
#else
enum { PIECE_BYTES = 16 };
#endif

static bool damaged(const struct archive *self, const char *why, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%s: the archive is damaged: %s", self->path, why);
}

/* Reads exactly so many bytes from a place. */
static bool read_at(const struct archive *self, int64_t place, void *bytes, size_t length,
                    struct error *error)
{
    if (place < 0 || place > self->size || (int64_t)length > self->size - place)
        return damaged(self, "it ends early", error);
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(self->file, (char *)bytes + done, length - done, place + (int64_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", self->path,
                             got < 0 ? strerror(errno) : "it ends early");
        done += (size_t)got;
    }
    return true;
}

/* ------------------------------------------------------------------ the list of members */

static bool read_list(struct archive *self, int64_t place, uint32_t bytes, struct error *error)
{
    if (place > self->size || bytes > self->size - place)
        return damaged(self, "its list of members is none", error);
    unsigned char *list = memory_take((size_t)bytes + 1);
    bool done = read_at(self, place, list, bytes, error);
    for (size_t at = 0; done && at + CENTRAL_BYTES <= bytes;) {
        const unsigned char *entry = list + at;
        size_t length = CENTRAL_BYTES + little_endian32(entry + 28, 2) +
                        little_endian32(entry + 30, 2) + (size_t)little_endian32(entry + 32, 2);
        if (little_endian32(entry, 4) == CENTRAL_MARK && length <= bytes - at &&
            self->members.count < MEMBERS_MAX) {
            struct member *member = array_push(&self->members);
            *member = (struct member){
                .method = little_endian32(entry + 8, 2) & FLAG_ENCRYPTED
                              ? UINT32_MAX
                              : little_endian32(entry + 10, 2),
                .crc = little_endian32(entry + 16, 4),
                .packed = little_endian32(entry + 20, 4),
                .place = little_endian32(entry + 42, 4),
                .name = memory_part((const char *)entry + CENTRAL_BYTES,
                                    little_endian32(entry + 28, 2)),
            };
        } else
            done = damaged(self, "its list of members is none", error);
        at += length;
    }
    return done;
}

/* Opens a file and reads the list at its end. A file that is no zip archive has no members. */
static void close_lost(void *archive)
{
    close(((struct archive *)archive)->file);
}

static bool archive_open(struct archive *self, const char *path, struct error *error)
{
    struct stat facts;
    unsigned char first[4];
    *self = (struct archive){.path = path, .file = open(path, O_RDONLY | O_CLOEXEC)};
    if (self->file < 0 || fstat(self->file, &facts) != 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                         strerror(errno));
    memory_at_end(close_lost, self);
    self->size = S_ISREG(facts.st_mode) ? (int64_t)facts.st_size : 0;
    if (self->size < (int64_t)sizeof first)
        return true;
    if (!read_at(self, 0, first, sizeof first, error))
        return false;
    if (little_endian32(first, 4) != LOCAL_MARK)
        return true;

    /* The mark stands at the end, before a comment of any length. */
    size_t length = self->size < END_BYTES + COMMENT_MAX ? (size_t)self->size
                                                         : (size_t)(END_BYTES + COMMENT_MAX);
    unsigned char *bytes = memory_take(length + 1);
    bool found = false, done = read_at(self, self->size - (int64_t)length, bytes, length, error);
    for (size_t at = length < END_BYTES ? 0 : length - END_BYTES + 1; done && !found && at-- > 0;)
        if ((found = little_endian32(bytes + at, 4) == END_MARK))
            done = read_list(self, little_endian32(bytes + at + 16, 4),
                             little_endian32(bytes + at + 12, 4), error);
    return done && (found || damaged(self, "it has no list of members", error));
}

static void archive_close(struct archive *self)
{
    memory_forget(self);
    if (self->file >= 0)
        close(self->file);
    self->file = -1;
}

/* NULL: there is none of this name. */
static const struct member *archive_find(const struct archive *self, const char *name)
{
    for (size_t i = 0; i < self->members.count; i++)
        if (strcmp(self->members.items[i].name, name) == 0)
            return &self->members.items[i];
    return NULL;
}

enum {
    COLUMNS_MAX = 16384,          /* of a sheet, as the format has it */
    CELLS_MAX = 20 * 1000 * 1000, /* of a workbook: what is more was not made by a report */
};
#ifndef TPQ_SMALL_WINDOWS
static const int64_t bytes_max = 1 << 30; /* of all that is read of a workbook, unpacked */
#else
static const int64_t bytes_max = 1 << 16;
#endif
static const char list_of_sheets[] = "xl/workbook.xml";

struct listed {
    char *name, *id, *place; /* place: name of its file in the archive */
};

enum text_from { TEXT_NONE, TEXT_VALUE, TEXT_INLINE };

struct book {
    const char *path;
    struct archive archive;
    struct kept_sheets *sheets;
    ARRAY(struct listed) list;
    char *texts_place; /* of the list of texts; NULL: there is none */
    struct text texts;
    ARRAY(size_t) text_ends;
    XML_Parser parser;
    int64_t bytes; /* unpacked so far */
    struct error *error;
    bool failed;

    /* of the sheet in hand */
    const char *sheet;
    bool has_headings, is_over;
    unsigned long row, column; /* from 1 */
    size_t cells, width;
    ARRAY(struct cell) row_cells; /* of the headings as many as there are */
    struct text row_texts;
    char type[16]; /* of a cell */
    enum text_from from;
    bool in_phonetic;
    struct text text;
};

static void workbook_stop(struct book *self)
{
    self->failed = true;
    XML_StopParser(self->parser, XML_FALSE);
}

static void refuse(struct book *self, const char *why)
{
    error_set(self->error, STATUS_BAD_INPUT, "%s: %s%s%s", self->path,
              self->sheet ? self->sheet : "", self->sheet ? ": " : "", why);
    workbook_stop(self);
}

/* ------------------------------------------------------------------ XML */

static bool is_named(const char *name, const char *wanted)
{
    const char *colon = strrchr(name, ':');
    return strcmp(colon ? colon + 1 : name, wanted) == 0;
}

static const char *attribute(const char **attributes, const char *wanted)
{
    for (; *attributes; attributes += 2)
        if (is_named(attributes[0], wanted))
            return attributes[1];
    return NULL;
}

static void XMLCALL refuse_doctype(void *context, const XML_Char *name, const XML_Char *system,
                                   const XML_Char *public, int has_subset)
{
    (void)name, (void)system, (void)public, (void)has_subset;
    refuse(context, "a workbook has no document type");
}

static bool parse_piece(struct book *self, const void *bytes, size_t length)
{
    struct error *error = self->error;
    self->bytes += (int64_t)length;
    if (self->bytes > bytes_max)
        return error_set(error, STATUS_BAD_INPUT, "%s: sheets of more than 1 GiB", self->path);
    if (XML_Parse(self->parser, bytes, (int)length, 0) == XML_STATUS_OK)
        return true;
    if (self->failed)
        return false;
    enum XML_Error code = XML_GetErrorCode(self->parser);
    if (code == XML_ERROR_NO_MEMORY)
        memory_fail();
    return error_set(error, STATUS_BAD_INPUT, "%s: its XML is damaged in line %lu: %s", self->path,
                     (unsigned long)XML_GetCurrentLineNumber(self->parser), XML_ErrorString(code));
}

/* ------------------------------------------------------------------ one member */

struct reading {
    struct book *book;
    z_stream inflater;
    uLong crc;
    unsigned char in[PIECE_BYTES], out[PIECE_BYTES];
};

static bool hand_out(struct reading *reading, const unsigned char *bytes, size_t length)
{
    reading->crc = crc32(reading->crc, bytes, (uInt)length);
    return !length || parse_piece(reading->book, bytes, length);
}

/* All that a piece of the file gives. */
static bool inflate_piece(struct reading *reading, size_t length, bool *ended)
{
    z_stream *inflater = &reading->inflater;
    inflater->next_in = reading->in;
    inflater->avail_in = (uInt)length;
    do {
        inflater->next_out = reading->out;
        inflater->avail_out = PIECE_BYTES;
        int result = inflate(inflater, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR)
            memory_fail();
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return damaged(&reading->book->archive, "a member is no deflate stream",
                           reading->book->error);
        *ended = result == Z_STREAM_END;
        if (!hand_out(reading, reading->out, PIECE_BYTES - inflater->avail_out))
            return false;
    } while (!*ended && inflater->avail_out == 0);
    return true;
}

static void end_inflater(void *inflater)
{
    inflateEnd(inflater);
}

/* Parses the content of a member piece by piece. */
static bool archive_read(struct book *book, const struct member *member)
{
    const struct archive *self = &book->archive;
    struct error *error = book->error;
    unsigned char header[LOCAL_BYTES];
    if (member->method != METHOD_STORED && member->method != METHOD_DEFLATED)
        return damaged(self, "a member is encrypted, or packed in a way that is not known", error);
    if (!read_at(self, member->place, header, sizeof header, error))
        return false;
    if (little_endian32(header, 4) != LOCAL_MARK)
        return damaged(self, "a member is not where its list says", error);
    struct reading *reading = memory_zeroed(1, sizeof *reading);
    *reading = (struct reading){.book = book, .crc = crc32(0, NULL, 0)};
    if (inflateInit2(&reading->inflater, -MAX_WBITS) != Z_OK)
        memory_fail();
    memory_at_end(end_inflater, &reading->inflater);

    /* The data begins behind the name and the extra field of the local header. */
    int64_t place = (int64_t)member->place + LOCAL_BYTES + little_endian32(header + 26, 2) +
                    little_endian32(header + 28, 2);
    bool is_stored = member->method == METHOD_STORED, ended = is_stored, done = true;
    for (uint32_t left = member->packed; left && done && (is_stored || !ended);) {
        size_t length = left < PIECE_BYTES ? left : PIECE_BYTES;
        done = read_at(self, place, reading->in, length, error) &&
               (is_stored ? hand_out(reading, reading->in, length)
                          : inflate_piece(reading, length, &ended));
        place += (int64_t)length;
        left -= (uint32_t)length;
    }
    done = done && ((ended && reading->crc == member->crc) ||
                    damaged(self, "a member is not what its checksum says", error));
    memory_forget(&reading->inflater);
    inflateEnd(&reading->inflater);
    memory_free(reading);
    return done;
}

static void free_parser(void *parser)
{
    XML_ParserFree(parser);
}

static bool parse(struct book *self, const char *name, XML_StartElementHandler start,
                  XML_EndElementHandler end, XML_CharacterDataHandler text)
{
    const struct member *member = archive_find(&self->archive, name);
    if (!member)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: the workbook lacks its part %.200s",
                         self->path, name);
    self->parser = XML_ParserCreate(NULL);
    if (!self->parser)
        memory_fail();
    memory_at_end(free_parser, self->parser);
    XML_SetUserData(self->parser, self);
    XML_SetElementHandler(self->parser, start, end);
    XML_SetCharacterDataHandler(self->parser, text);
    XML_SetStartDoctypeDeclHandler(self->parser, refuse_doctype);
    bool done = archive_read(self, member);
    if (done && XML_Parse(self->parser, "", 0, 1) != XML_STATUS_OK)
        done = !self->failed && error_set(self->error, STATUS_BAD_INPUT,
                                          "%s: the XML of %.200s ends early", self->path, name);
    memory_forget(self->parser);
    XML_ParserFree(self->parser);
    self->parser = NULL;
    return done;
}

/* ------------------------------------------------------------------ the list of sheets */

static void XMLCALL list_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct book *self = context;
    const char *called = attribute(attributes, "name"), *id = attribute(attributes, "id");
    if (!is_named(name, "sheet") || !called || !id)
        return;
    struct listed *listed = array_push(&self->list);
    *listed = (struct listed){.name = memory_text(called), .id = memory_text(id)};
}

/* Charts that are pages of their own have no place, then. */
static void XMLCALL place_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct book *self = context;
    const char *id = attribute(attributes, "Id"), *kind = attribute(attributes, "Type");
    const char *target = attribute(attributes, "Target");
    if (!is_named(name, "Relationship") || !id || !kind || !target)
        return;
    char **place = text_ends_with(kind, "/sharedStrings") ? &self->texts_place : NULL;
    for (size_t i = 0; i < self->list.count && text_ends_with(kind, "/worksheet"); i++)
        if (strcmp(self->list.items[i].id, id) == 0)
            place = &self->list.items[i].place;
    if (!place || *place)
        return;

    /* A part's place is told from the folder of the list. */
    struct text path = {0};
    text_format(&path, "%s%s", *target == '/' ? "" : "xl/", target + (*target == '/'));
    *place = path.items;
}

static void XMLCALL no_end(void *context, const XML_Char *name)
{
    (void)context, (void)name;
}

static void XMLCALL add_bytes(void *context, const XML_Char *bytes, int length)
{
    struct book *self = context;
    if (self->from != TEXT_NONE)
        text_add(&self->text, bytes, (size_t)length);
}

/* ------------------------------------------------------------------ the list of texts */

static void XMLCALL text_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct book *self = context;
    (void)attributes;
    self->in_phonetic |= is_named(name, "rPh");
    if (is_named(name, "t") && !self->in_phonetic)
        self->from = TEXT_INLINE;
}

static void XMLCALL text_end(void *context, const XML_Char *name)
{
    struct book *self = context;
    if (is_named(name, "rPh"))
        self->in_phonetic = false;
    if (is_named(name, "t"))
        self->from = TEXT_NONE;
    if (!is_named(name, "si"))
        return;
    text_add_view(&self->texts, text_view(&self->text));
    text_clear(&self->text);
    array_add(&self->text_ends, self->texts.count);
}

static bool text_number(const struct book *self, size_t number, struct view *text)
{
    if (number >= self->text_ends.count)
        return false;
    size_t begin = number ? self->text_ends.items[number - 1] : 0;
    *text = (struct view){self->texts.items ? self->texts.items + begin : "",
                          self->text_ends.items[number] - begin};
    return true;
}

/* ------------------------------------------------------------------ rows */

/* The column of a reference such as AB12, from 1; 0: it is none. */
static unsigned long column_of(const char *reference)
{
    unsigned long column = 0;
    for (; *reference >= 'A' && *reference <= 'Z' && column <= COLUMNS_MAX; reference++)
        column = column * 26 + (unsigned long)(*reference - 'A' + 1);
    return column <= COLUMNS_MAX ? column : 0;
}

static void XMLCALL sheet_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct book *self = context;
    if (is_named(name, "row")) {
        const char *number = attribute(attributes, "r");
        unsigned long row = number ? strtoul(number, NULL, 10) : self->row + 1;
        self->is_over |= row != self->row + 1; /* behind a gap stand words about the sheet */
        self->row = row;
        self->column = 0;
        text_clear(&self->row_texts);
        for (size_t i = 0; i < self->row_cells.count; i++)
            self->row_cells.items[i].type = CELL_NULL;
        self->width = self->has_headings ? self->width : 0;
    } else if (is_named(name, "c")) {
        const char *reference = attribute(attributes, "r"), *type = attribute(attributes, "t");
        unsigned long column;
        if (reference)
            column = column_of(reference);
        else
            column = self->column + 1;
        if (!column || column <= self->column || column > COLUMNS_MAX) {
            refuse(self, "a cell is not where it says");
            return;
        }
        self->column = column;
        strncpy(self->type, type ? type : "n", sizeof self->type - 1);
        text_clear(&self->text);
    } else if (is_named(name, "v"))
        self->from = TEXT_VALUE;
    else if (is_named(name, "rPh"))
        self->in_phonetic = true;
    else if (is_named(name, "t") && self->column && !self->in_phonetic)
        self->from = TEXT_INLINE;
}

/* A number as it stands there; a whole one stays whole. */
static bool read_number(const char *text, struct cell *cell)
{
    char *end;
    double real = strtod(text, &end);
    if (!*text || *end)
        return false;
    bool is_whole = strspn(text, "-0123456789") == strlen(text) && real > -1e15 && real < 1e15;
    *cell = is_whole ? (struct cell){.type = CELL_INTEGER, .integer = (int64_t)real}
                     : (struct cell){.type = CELL_REAL, .real = real};
    return true;
}

/* The cell in hand; texts keep their place among those of the row, which may still move. */
static void end_cell(struct book *self)
{
    const char *text = self->text.count ? self->text.items : "";
    struct view words = {text, self->text.count};
    struct cell cell = {.type = CELL_NULL};
    bool is_text = strcmp(self->type, "n") != 0 && strcmp(self->type, "b") != 0;
    if (strcmp(self->type, "s") == 0 && words.length &&
        !text_number(self, strtoul(text, NULL, 10), &words)) {
        refuse(self, "a cell names a text that the workbook has not");
        return;
    }
    if (!is_text && words.length && !read_number(text, &cell)) {
        refuse(self, "a cell that should be a number is none");
        return;
    }
    if (is_text && words.length && strcmp(self->type, "e") != 0) {
        cell = (struct cell){.type = CELL_TEXT,
                             .integer = (int64_t)self->row_texts.count,
                             .text = {NULL, words.length}};
        text_add_view(&self->row_texts, words);
    }

    /* Puts a cell into the row; behind the last heading is none. */
    size_t place = self->column - 1;
    while (!self->has_headings && self->row_cells.count <= place) {
        struct cell *added = array_push(&self->row_cells);
        *added = (struct cell){.type = CELL_NULL};
    }
    if (!self->has_headings && cell.type != CELL_NULL)
        self->width = place + 1;
    if (place < self->width)
        self->row_cells.items[place] = cell;
}

static bool make_headings(struct book *self)
{
    struct column *columns = memory_zeroed(self->width + 1, sizeof *columns);
    for (size_t i = 0; i < self->width; i++) {
        struct text name = {0};
        text_add(&name, "", 0);
        cell_add_text(&self->row_cells.items[i], FORM_PLAIN, &name);
        columns[i] = (struct column){.name = name.items, .heading = name.items};
    }
    struct sheet sheet = {
        .name = self->sheet, .title = "", .columns = columns, .column_count = self->width};
    self->has_headings = true;
    self->is_over |= !self->width; /* a row without cells is a gap */
    return self->sheets->base.begin(&self->sheets->base, &sheet, self->error);
}

static void end_row(struct book *self)
{
    if (self->is_over)
        return;
    for (size_t i = 0; i < self->width; i++) {
        struct cell *cell = &self->row_cells.items[i];
        if (cell->type == CELL_TEXT)
            cell->text.bytes = self->row_texts.items + cell->integer;
    }
    self->cells += self->width;
    if (self->cells > CELLS_MAX)
        refuse(self, "more cells than a report has");
    else if (!(self->has_headings
                   ? self->sheets->base.row(&self->sheets->base, self->row_cells.items, self->error)
                   : make_headings(self)))
        workbook_stop(self);
}

static void XMLCALL sheet_end(void *context, const XML_Char *name)
{
    struct book *self = context;
    if (is_named(name, "v") || is_named(name, "t"))
        self->from = TEXT_NONE;
    else if (is_named(name, "rPh"))
        self->in_phonetic = false;
    else if (is_named(name, "c") && self->column && !self->is_over)
        end_cell(self);
    else if (is_named(name, "row"))
        end_row(self);
}

/* A sheet without rows has no columns, too. */
static bool read_sheet(struct book *self, const struct listed *listed)
{
    self->sheet = listed->name;
    self->has_headings = self->is_over = false;
    self->row = self->column = 0;
    self->width = self->row_cells.count = 0;
    self->from = TEXT_NONE;
    bool done = parse(self, listed->place, sheet_start, sheet_end, add_bytes) &&
                (self->has_headings || make_headings(self));
    self->sheet = NULL;
    return done;
}

/* ------------------------------------------------------------------ all of it */

bool workbook_read(const char *path, struct kept_sheets *sheets, struct error *error)
{
    struct book self = {.path = path, .sheets = sheets, .error = error};
    bool done = archive_open(&self.archive, path, error);
    if (done) {
        done =
            parse(&self, list_of_sheets, list_start, no_end, NULL) &&
            parse(&self, "xl/_rels/workbook.xml.rels", place_start, no_end, NULL) &&
            (!self.texts_place || parse(&self, self.texts_place, text_start, text_end, add_bytes));
        for (size_t i = 0; i < self.list.count && done; i++)
            done = !self.list.items[i].place || read_sheet(&self, &self.list.items[i]);
    }
    archive_close(&self.archive);
    return done;
}

bool workbook_is(const char *path, bool *is, struct error *error)
{
    struct archive archive;
    bool done = archive_open(&archive, path, error);
    *is = done && archive_find(&archive, list_of_sheets) != NULL;
    archive_close(&archive);
    return done;
}
