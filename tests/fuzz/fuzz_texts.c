/* fuzz_texts: what users write: conditions, ranges, patterns, reports, names and CSV.
 *
 * The first byte chooses what the text is. Whatever it says, it does what it says or is refused
 * with a sentence.
 */
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"

#include "ingest/discover.h"
#include "query/compare/kept_sheets.h"
#include "query/compare/sheet_files.h"
#include "query/select/selection.h"
#include "query/sink/own_names.h"
#include "query/sink/short_names.h"
#include "query/sink/xlsx_text.h"
#include "sql/build/embed.h"
#include "sql/docs.h"

#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ selection */

static void apply(const struct selection *selection)
{
    struct error error = {0};
    struct text words = {0};
    bool is_empty = false;
    bool done = selection_apply(kept_warehouse(), selection, &is_empty, &words, &error);
    kept_must_be_said(done, &error);
    MUST(done || error.status == STATUS_USAGE || strstr(error.text, "interrupted"));
    MUST(!done || !is_empty || words.count);
    /* a window without events has a range without any */
    int64_t torn =
        done ? kept_ask("SELECT count(*) FROM scope WHERE first_event > last_event + 1") : 0;
    MUST(torn == 0);
    const struct selection all = {0};
    struct error none = {0};
    MUST(selection_apply(kept_warehouse(), &all, &is_empty, &words, &none));
    text_free(&words);
}

static void try_where(const char *text)
{
    apply(&(struct selection){.where = text});
}

static void try_ids(const char *text)
{
    apply(&(struct selection){.id_range = text});
}

static void try_step(const char *text)
{
    apply(&(struct selection){.step = text});
}

static void try_time(const char *text)
{
    apply(&(struct selection){.time = text});
}

static void try_rank(const char *text)
{
    apply(&(struct selection){.rank = text});
}

static void try_signpost(const char *text)
{
    const char *runs[] = {text, NULL};
    apply(&(struct selection){.signpost = text, .occurrence = "1"});
    apply(&(struct selection){.start_signpost = "start", .occurrence = text});
    apply(&(struct selection){.runs = runs});
    apply(&(struct selection){.labels = runs});
}

static void try_rank_pattern(const char *text)
{
    static const char *const paths[] = {"a/rank_3/trace.json", "r7.json.gz", "", "rank_99999999999",
                                        "\xff\xfe/rank1"};
    struct error error = {0};
    struct rank_pattern *pattern = rank_pattern_open(text, &error);
    kept_must_be_said(pattern != NULL, &error);
    for (size_t i = 0; pattern && i < sizeof paths / sizeof *paths; i++)
        MUST(rank_pattern_find(pattern, paths[i]) >= -1);
    rank_pattern_close(pattern);
}

/* ------------------------------------------------------------------ files of reports, names, CSV
 */

static void try_report(const char *text)
{
    const struct sql_file file = {"reports/mine.sql", text};
    doc_list docs = {0};
    docs_read(&file, 1, &docs);
    for (size_t i = 0; i < docs.count; i++) {
        const struct doc_object *object = &docs.items[i];
        MUST(object->name && object->meaning && docs_find(&docs, object->name));
        const doc_columns *columns = docs_columns(object);
        MUST(columns);
        for (size_t k = 0; k < columns->count; k++)
            MUST(docs_column(object, columns->items[k].name) && columns->items[k].type &&
                 columns->items[k].heading);
        for (size_t k = 0; k < object->declarations.count; k++) {
            const char *list = object->declarations.items[k].value;
            while (docs_next_name(&list).length)
                ;
        }
    }
    docs_free(&docs);
}

static bool is_taken(const void *context, const char *name)
{
    const struct own_names *names = context;
    for (size_t i = 0; i < names->list.count; i++)
        if (strcasecmp(names->list.items[i], name) == 0)
            return true;
    return false;
}

/* Each line is a name. */
static void try_names(const char *text)
{
    struct own_names sheets = {0}, names = {0};
    struct short_names shorts = {0};
    for (const char *at = text; *at;) {
        struct view line = {at, strcspn(at, "\n")};
        struct text sheet = {0};
        xlsx_add_name(&sheet, line, is_taken, &sheets);
        MUST(sheet.count && !strpbrk(sheet.items, "[]:*?/\\") && !is_taken(&sheets, sheet.items));
        MUST(own_names_add(&sheets, sheet.items));
        char *name = memory_part(line.bytes, line.length);
        MUST(name && own_names_add(&names, name));
        short_names_add(&shorts, line);
        memory_free(name);
        text_free(&sheet);
        at += line.length + (at[line.length] != 0);
    }
    short_names_make(&shorts);
    short_names_free(&shorts);
    own_names_free(&names);
    own_names_free(&sheets);
}

static char folder[40], sheet[80];

static void clean_up(void)
{
    unlink(sheet);
    rmdir(folder);
}

static void try_csv(const char *text)
{
    struct kept_sheets sheets;
    struct error error = {0};
    struct memory memory = {0}, *before = memory_enter(&memory);
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/fuzz_texts.%d", (int)getpid());
        snprintf(sheet, sizeof sheet, "%s/gpu_timeline.csv", folder);
        mkdir(folder, 0700);
        atexit(clean_up);
    }
    FILE *file = fopen(sheet, "wb");
    MUST(file && fputs(text, file) >= 0 && fclose(file) == 0);
    kept_sheets_init(&sheets);
    bool done = sheet_files_read(folder, &sheets, &error);
    kept_must_be_said(done, &error);
    for (size_t i = 0; done && i < sheets.sheets.count; i++)
        MUST(sheets.sheets.items[i].columns.count == sheets.sheets.items[i].rows.column_count);
    memory_enter(before);
    memory_end(&memory);
}

FUZZ_TARGET(texts)
{
    static void (*const tries[])(const char *text) = {
        try_where,    try_ids,          try_step,   try_time,  try_rank,
        try_signpost, try_rank_pattern, try_report, try_names, try_csv,
    };
    kept_try(bytes, length, tries, sizeof tries / sizeof *tries);
    return 0;
}
