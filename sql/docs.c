/* docs: see docs.h. Works line by line; the .sql files are ours and written for it. */
#include "sql/docs.h"

#include <ctype.h>
#include <string.h>

static struct view trimmed(struct view text)
{
    while (text.length && isspace((unsigned char)text.bytes[0])) {
        text.bytes++;
        text.length--;
    }
    while (text.length && isspace((unsigned char)text.bytes[text.length - 1]))
        text.length--;
    return text;
}

static struct view next_line(const char **at)
{
    size_t length = (size_t)(strchrnul(*at, '\n') - *at);
    struct view line = {*at, length};
    *at += length + ((*at)[length] == '\n');
    return line;
}

/* The name that a text begins with; words of SQL itself are names in quotes. */
static struct view name_at(struct view text)
{
    size_t length = 0;
    if (text.length && *text.bytes == '"')
        text = (struct view){text.bytes + 1, text.length - 1};
    while (length < text.length &&
           (isalnum((unsigned char)text.bytes[length]) || text.bytes[length] == '_'))
        length++;
    return (struct view){text.bytes, length};
}

static char *copy(struct view text)
{
    return memory_part(text.bytes, text.length);
}

/* ------------------------------------------------------------------ columns */

const char *docs_unit_of_name(struct view name)
{
    static const char *const units[] = {"ns", "us", "ms", "bytes", "pct"};
    static const char *const shown[] = {"ns", "us", "ms", "bytes", "%"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i]);
        if (name.length > length + 1 && name.bytes[name.length - length - 1] == '_' &&
            memcmp(name.bytes + name.length - length, units[i], length) == 0)
            return shown[i];
    }
    return "";
}

/* The name of the column that a line defines: behind its last AS, else its first word. */
static struct view column_name(struct view line, bool is_view)
{
    if (!is_view)
        return name_at(line);
    struct view found = {0};
    for (size_t i = 0; i + 3 < line.length; i++)
        if ((i == 0 || line.bytes[i - 1] == ' ') && memcmp(line.bytes + i, "AS ", 3) == 0)
            found = name_at((struct view){line.bytes + i + 3, line.length - i - 3});
    return found;
}

/* The type of the values of a unit, or the type itself that stands in its place; empty: none. */
static const char *type_of_unit(struct view unit)
{
    static const char *const types[][12] = {
        {"integer", "ns", "ps", "bytes", "boolean", "name"},
        {"real", "us", "μs", "ms", "s", "%", "MB", "MiB", "GFLOP", "FLOP/byte", "fraction"},
        {"text", "list", "tuple", "array", "kernel", "call", "label"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t j = 0; j < sizeof *types / sizeof **types && types[i][j]; j++)
            if (view_equal(unit, view_of(types[i][j])))
                return types[i][0];
    bool is_rate = unit.length > 2 && memcmp(unit.bytes + unit.length - 2, "/s", 2) == 0;
    return is_rate || view_equal(unit, VIEW("TFLOPS")) ? "real" : "";
}

/* Takes an enclosed text off the beginning of a comment; a view of NULL without one. */
static struct view take_enclosed(struct view *comment, char opening, char closing)
{
    struct view enclosed = {0};
    if (comment->length < 2 || comment->bytes[0] != opening)
        return enclosed;
    const char *end = memchr(comment->bytes + 1, closing, comment->length - 1);
    if (!end)
        return enclosed;
    size_t length = (size_t)(end - comment->bytes);
    enclosed = (struct view){comment->bytes + 1, length - 1};
    *comment = trimmed((struct view){end + 1, comment->length - length - 1});
    return enclosed;
}

/* A column of its name, unit, meaning, heading, polarity and decimals. */
static void push_column(doc_columns *columns, const char *type, const struct view *texts)
{
    struct doc_column *column = array_push(columns);
    *column = (struct doc_column){.type = type};
    char **const places[] = {&column->name,    &column->unit,     &column->meaning,
                             &column->heading, &column->polarity, &column->decimals};

    /* Puts texts one behind another in one block, where they begin into `places`; the first owns
     * it. There are thousands of columns, and blocks of their own for each text would take most of
     * the time. */
    size_t count = sizeof places / sizeof *places;
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += texts[i].length + 1;
    char *at = memory_take(length);
    for (size_t i = 0; i < count; i++) {
        memcpy(at, texts[i].bytes, texts[i].length);
        at[texts[i].length] = 0;
        *places[i] = at;
        at += texts[i].length + 1;
    }
}

static void docs_add_column(doc_columns *columns, bool is_view, struct view definition,
                            struct view comment)
{
    static const char *const no_columns[] = {"PRIMARY", "UNIQUE", "FOREIGN", "CHECK", ")"};
    for (size_t i = 0; i < sizeof no_columns / sizeof *no_columns; i++)
        if (view_starts_with(definition, no_columns[i]))
            return;
    struct view name = column_name(definition, is_view);
    if (name.length == 0)
        return;
    struct view heading = take_enclosed(&comment, '"', '"');
    struct view unit = take_enclosed(&comment, '[', ']');
    struct view polarity =
        view_starts_with(comment, "(lower)") || view_starts_with(comment, "(higher)")
            ? take_enclosed(&comment, '(', ')')
            : VIEW("");
    struct view decimals = VIEW("");
    const char *rounded = unit.length >= 2 ? unit.bytes + unit.length - 2 : "";
    if (rounded[0] == '~' && rounded[1] >= '0' && rounded[1] <= '9') {
        decimals = (struct view){rounded + 1, 1};
        unit = trimmed((struct view){unit.bytes, unit.length - 2});
    }
    unit = unit.length ? unit : view_of(docs_unit_of_name(name));
    const char *type = type_of_unit(unit);
    if (view_equal(unit, view_of(type)))
        unit = VIEW("");
    const struct view texts[] = {name,     unit,    comment, heading.bytes ? heading : name,
                                 polarity, decimals};
    push_column(columns, type, texts);
}

/* A column whose words stand at the view that the object takes them of; empty where it has none. */
static void inherit_column(const struct doc_object *object, doc_columns *columns, struct view item)
{
    struct view name = column_name(item, true);
    if (name.length == 0) {
        name = name_at(item);
        if (name.length + 1 < item.length && item.bytes[name.length] == '.') {
            size_t skip = name.length + 1;
            item = (struct view){item.bytes + skip, item.length - skip};
            name = name_at(item);
        }
        if (name.length == 0 || name.length < item.length)
            return; /* a part of an expression */
    }
    struct view texts[] = {name,    view_of(docs_unit_of_name(name)), VIEW(""), name, VIEW(""),
                           VIEW("")};
    const char *type = type_of_unit(texts[1]);
    const doc_columns *all = object->like ? docs_columns(object->like) : NULL;
    for (size_t i = 0; all && i < all->count; i++) {
        const struct doc_column *words = &all->items[i];
        if (view_equal(name, view_of(words->name))) {
            type = words->type;
            texts[1] = view_of(words->unit);
            texts[2] = view_of(words->meaning);
            texts[3] = view_of(words->heading);
            texts[4] = view_of(words->polarity);
            texts[5] = view_of(words->decimals);
        }
    }
    push_column(columns, type, texts);
}

/* Where a comment starts in a line, outside of quotes; the length when there is none. */
static size_t comment_start(struct view line)
{
    bool quoted = false;
    for (size_t i = 0; i + 1 < line.length; i++) {
        quoted ^= line.bytes[i] == '\'';
        if (!quoted && line.bytes[i] == '-' && line.bytes[i + 1] == '-')
            return i;
    }
    return line.length;
}

const doc_columns *docs_columns(const struct doc_object *object)
{
    if (object->columns)
        return object->columns;
    doc_columns *columns = memory_zeroed(1, sizeof *columns);

    /* Columns: one a line, or the items of the outermost SELECT. */
    bool inherits = docs_declared(object, "columns-of") != NULL, is_listed = false;
    for (const char *at = object->body; *at;) {
        struct view line = next_line(&at);
        size_t start = comment_start(line);
        struct view code = trimmed((struct view){line.bytes, start});
        bool is_last = code.length && code.bytes[code.length - 1] == ';';
        if (inherits && line.length && !isspace((unsigned char)line.bytes[0])) {
            is_listed = view_starts_with(code, "SELECT"); /* the outermost one */
            code = is_listed ? (struct view){code.bytes + 6, code.length - 6} : code;
        }
        for (struct view list = code; is_listed && list.length;) {
            /* Takes off the first item of a list of columns, up to a comma outside of brackets and
             * quotes. */
            size_t length = 0;
            int depth = 0;
            bool quoted = false;
            for (; length < list.length; length++) {
                char c = list.bytes[length];
                quoted ^= c == '\'';
                depth += quoted ? 0 : (c == '(') - (c == ')');
                if (c == ',' && !quoted && depth == 0)
                    break;
            }
            code = trimmed((struct view){list.bytes, length});
            length += length < list.length;
            list = (struct view){list.bytes + length, list.length - length};
            if (list.length || start == line.length)
                inherit_column(object, columns, code);
        }
        if (start < line.length && code.length) {
            struct view comment =
                trimmed((struct view){line.bytes + start + 2, line.length - start - 2});
            docs_add_column(columns, object->is_view, code, comment);
        }
        if (is_last)
            break;
    }

    /* Objects are const for who asks: what they are does not change by it. One thread asks. */
    return ((struct doc_object *)(uintptr_t)object)->columns = columns;
}

void docs_read_columns(const doc_list *docs)
{
    for (size_t i = 0; i < docs->count; i++)
        docs_columns(&docs->items[i]);
}

/* ------------------------------------------------------------------ objects */

const struct doc_key doc_keys[] = {
    {"set", DOC_WORD, "the set of reports that it is in; this makes the view a report"},
    {"sheet", DOC_TEXT, "name of the sheet; {} in it is the value of sheet-by"},
    {"question", DOC_TEXT,
     "the question it answers; tpq report --list sorts by it; first: also in the short list"},
    {"words", DOC_TEXT, "further words that find it"},
    {"alias", DOC_TEXT, "other names of the report"},
    {"position", DOC_PLACES,
     "place in the set, lowest first; N VALUE, ..., M: places for the sheets of sheet-by, M "
     "for all other values"},
    {"first", DOC_FIRST,
     "N, or N COLUMN: a terminal shows it where no report is named, with the N first rows of each "
     "trace, or the N with most of COLUMN; it only names the others of the set"},
    {"first-spread", DOC_SPREAD, "spread there, where KEY has several values"},
    {"also", DOC_OTHER_SET,
     "SET N SHEET: another set that it is in, its place there, and the name of the sheet there"},
    {"unit", DOC_WORD,
     "run: it is about runs, and has a trace_id only beside other columns; pair: about two "
     "traces together"},
    {"traces", DOC_VIEWS, "a view with the traces that it is about; else all selected traces"},
    {"name-options", DOC_TEXT,
     "options that it takes behind its name, as in NAME:base: base, nvtx-name; all take rows=N"},
    {"when", DOC_TEXT,
     "options that put it into the default set; not OPTION; never; workbook: only in workbooks"},
    {"without-ops", DOC_TEXT,
     "N, SET N, ...: place behind the default reports when no op is recorded or the trace is "
     "not from the PyTorch profiler; with SET: behind the reports of that set"},
    {"frames", DOC_FLAG, "needs the Python frames of a trace"},
    {"columns-of", DOC_WORD,
     "a view that describes columns of the same name, where they have no description here; "
     "that view describes all of its own columns"},
    {"keep-empty", DOC_TEXT,
     "yes: keep a sheet without rows; not OPTION: unless the option is set"},
    {"drop-empty", DOC_COLUMNS, "columns to drop when all their cells are empty"},
    {"empty-without", DOC_COLUMNS,
     "when all of these columns are empty, a terminal shows one line instead of the sheet, "
     "unless the report was asked for"},
    {"compat-drop-empty", DOC_COLUMNS, "as drop-empty, only with --compat"},
    {"drop-with", DOC_COLUMN_PAIRS, "COLUMN OTHER: drop COLUMN when OTHER is empty"},
    {"columns-when", DOC_COLUMN_OPTIONS,
     "COLUMN OPTION: only with the option; COLUMN not OPTION; OPTION and not OPTION; "
     "OPTION=WORD: only when the option has this word"},
    {"sheet-by", DOC_COLUMN, "one sheet for each value of the column, in the order of the rows"},
    {"sheets", DOC_TEXT,
     "VALUE NAME: only for these values, in this order; an output with one sheet a report "
     "shows all rows there"},
    {"sheet-names", DOC_TEXT,
     "a SELECT on the catalogue: all names that sheets of sheet-by can have, in any trace"},
    {"not-included-sums", DOC_COLUMNS, "columns to sum up over the rows that are on no sheet"},
    {"spread", DOC_SPREAD,
     "COLUMN, ... over KEY: a column for each value of the key; rows of one key are joined, "
     "columns joined by + stand side by side; {} in a heading is the value"},
    {"unfold", DOC_UNFOLD,
     "COLUMN WORD KEY: a column WORD: NAME for each member of its JSON objects, in the order "
     "of the rows by the key"},
    {"level", DOC_WORD, "name for compare --by: one of those in a set, or any name"},
    {"key", DOC_COLUMNS,
     "columns that identify a row, also in another run; compare, gate and history match rows "
     "by it"},
    {"within", DOC_COLUMNS,
     "further columns that identify a row, within a run only; elsewhere rows of one key are "
     "added up"},
    {"measure", DOC_COLUMNS,
     "COLUMN, COUNT: the column to add up and to compare first, and the column that counts "
     "what it sums up; default: the first column with (lower) or (higher)"},
    {"beside", DOC_WORD,
     "another report, which compare shows behind this one when no level is asked for"},
    {"figures", DOC_WORD,
     "a view of the same rows with the columns of key and measure only; faster, and read where"
     " nothing else is compared"},
    {"no-sum", DOC_FLAG,
     "the measure does not add up over rows, like a mean; a comparison has no total"},
    {"whole", DOC_FLAG, "its rows need whole traces; compare never takes single steps"},
    {"work", DOC_TEXT,
     "what the measure adds up to, such as GPU time of kernels; compare prints it, and only "
     "there checks for different clocks"},
    {"total", DOC_WORD,
     "value of a key column: the row with this value is the total of the others"},
    {"sample", DOC_COLUMN, "rows are samples of one thing, and this column tells them apart"},
    {"terminal", DOC_COLUMNS,
     "columns for a terminal, most important first; as many as fit are shown"},
    {"wide", DOC_COLUMNS, "text columns that stay wider than others"},
    {"all-rows", DOC_FLAG, "a terminal shows all rows: they are facts, no ranking"},
    {"paragraphs", DOC_FLAG, "a terminal shows rows as paragraphs, with full texts"},
    {"table-with", DOC_WORD, "an option with which it does not"},
    {"colours", DOC_COLUMN, "column with the colours of the cells of a row on a terminal"},
    {"footer", DOC_WORD, "a view with sums to show below the rows, with the same column names"},
    {"not-included", DOC_VIEWS,
     "rows of not_included, or views with the selected data that no row has: what, count, time_ns "
     "(NULL: unknown), and optionally sheet; shown below the sheets"},
    {"format", DOC_TEXT,
     "FORMAT WORDS: it is about traces of this format, which WORDS names; empty for all others"},
    {"empty", DOC_VIEWS,
     "rows of empty_reason, or views with a column why: the first that holds, or has a row, gives "
     "the reason of an empty sheet"},
    {"answers", DOC_TEXT,
     "COLUMN: REASON, ...: the column that people ask for; where it is empty in all rows, the "
     "first "
     "of these rows of empty_reason that holds says why"},
    {"harmless", DOC_FLAG, "in a view of reasons: the reason is no error, and --fail-if passes"},
    {"chart", DOC_TEXT, "KIND COLUMN ...: chart in workbooks and pages"},
    {"tab", DOC_WORD,
     "the tab of the page that shows it: overview, flame, roofline, ranks, compare or history;"
     " the page then always has it"},
    {"kept", DOC_WORD,
     "a view of tpq about runs, whose rows are kept; another than this: of all runs"},
    {"shares", DOC_VIEWS, "views that other sheets of a page read, too: a page computes them once"},
    {"bars", DOC_COLUMNS, "columns with bars behind their values on a page"},
    {0},
};

/* Length of the key of a declaration: small letters, then a colon and a blank; 0: the line has
 * another shape. */
static size_t key_length(struct view words)
{
    size_t length = 0;
    while (length < words.length &&
           (islower((unsigned char)words.bytes[length]) || words.bytes[length] == '-'))
        length++;
    return length && length + 1 < words.length && words.bytes[length] == ':' &&
                   words.bytes[length + 1] == ' '
               ? length
               : 0;
}

/* The key that a line declares; behind the set everything that looks like one is meant as one. */
static struct view declared_key(const struct doc_object *object, struct view words)
{
    struct view key = {words.bytes, key_length(words)};
    bool is_known = docs_declared(object, "set") != NULL;
    for (const struct doc_key *at = doc_keys; at->name && !is_known; at++)
        is_known = view_equal(key, view_of(at->name));
    return is_known ? key : (struct view){0};
}

/* A part of the comment above an object, ended where it ends: thousands of them would take longer
 * with memory of their own. */
static const char *cut(struct doc_object *object, struct view part)
{
    char *at = object->words + (part.bytes - object->words);
    at[part.length] = '\0';
    return at;
}

/* Reads the comment above an object: words, then declarations. */
static void read_comment(struct doc_object *object, struct view comment)
{
    struct text meaning = {0};
    text_add(&meaning, "", 0);
    object->words = copy(comment);
    for (const char *at = object->words; *at;) {
        struct view line = next_line(&at);
        struct view words = trimmed((struct view){line.bytes + 2, line.length - 2});
        struct view key;
        if (object->is_view)
            key = declared_key(object, words);
        else
            key = VIEW("");
        if (key.length) {
            size_t skip = key.length + 1;
            struct view value = trimmed((struct view){words.bytes + skip, words.length - skip});
            const char *name = view_equal(key, VIEW("leaves-out"))
                                   ? "not-included" /* older names */
                               : view_equal(key, VIEW("left-out")) ? "not-included-sums"
                                                                   : cut(object, key);
            array_add(&object->declarations, (struct doc_declaration){name, cut(object, value)});
        } else {
            if (meaning.count != 0)
                text_add_byte(&meaning, ' ');
            text_add_view(&meaning, words);
        }
    }
    object->meaning = meaning.items;
}

void docs_read(const struct sql_file *files, int count, doc_list *docs)
{
    *docs = (doc_list){0};
    for (int i = 0; i < count; i++) {
        /* No line of an object but its first begins with a comment or CREATE. */
        const struct sql_file *file = &files[i];
        const char *comment = NULL; /* the start of the block right above */
        for (const char *at = file->text; *at;) {
            const char *start = at;
            struct view line = next_line(&at);
            bool is_view = view_starts_with(line, "CREATE VIEW "),
                 is_table = view_starts_with(line, "CREATE TABLE ");
            if (view_starts_with(line, "--")) {
                comment = comment ? comment : start;
                continue;
            }
            if (is_view || is_table) {
                struct doc_object *object = array_push(docs);
                size_t skip = strlen(is_view ? "CREATE VIEW " : "CREATE TABLE ");
                *object = (struct doc_object){
                    .name = copy(name_at((struct view){line.bytes + skip, line.length - skip})),
                    .is_view = is_view,
                    .file = file,
                    .body = at,
                };
                comment = comment ? comment : start;
                read_comment(object, (struct view){comment, (size_t)(start - comment)});
            }
            comment = NULL; /* a comment that stands apart is about the file */
        }
    }
    docs_relate(docs);
}

void docs_relate(doc_list *docs)
{
    for (size_t i = 0; i < docs->count; i++) {
        const char *name = docs_declared(&docs->items[i], "columns-of");
        const struct doc_object *like = name ? docs_find(docs, name) : NULL;
        /* one step, so that there is no circle */
        docs->items[i].like = like && !docs_declared(like, "columns-of") ? like : NULL;
    }
}

void docs_free(doc_list *docs)
{
    for (size_t i = 0; i < docs->count; i++) {
        struct doc_object *object = &docs->items[i];
        doc_columns *columns = object->columns;
        for (size_t j = 0; columns && j < columns->count; j++)
            memory_free(columns->items[j].name); /* its other texts stand behind it */
        if (columns)
            array_free(columns);
        memory_free(columns);
        array_free(&object->declarations);
        memory_free(object->words);
        memory_free(object->name);
        memory_free(object->meaning);
    }
    array_free(docs);
}

const struct doc_object *docs_find(const doc_list *docs, const char *name)
{
    for (size_t i = 0; i < docs->count; i++)
        if (strcasecmp(docs->items[i].name, name) == 0)
            return &docs->items[i];
    return NULL;
}

const struct doc_column *docs_column(const struct doc_object *object, const char *name)
{
    const doc_columns *columns = docs_columns(object);
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->items[i].name, name) == 0)
            return &columns->items[i];
    return NULL;
}

struct view docs_next_name(const char **list)
{
    if (!*list)
        return (struct view){0};
    *list += strspn(*list, ", ");
    struct view name = {*list, strcspn(*list, ", ")};
    *list += name.length;
    return name;
}

const char *docs_declared(const struct doc_object *object, const char *key)
{
    for (size_t i = 0; i < object->declarations.count; i++)
        if (strcmp(object->declarations.items[i].key, key) == 0)
            return object->declarations.items[i].value;
    return NULL;
}
