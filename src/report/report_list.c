/* report_list: `tpq report --list`: the reports there are, by the question that they answer. */
#include "query/ask/description.h"
#include "query/report/notes.h"
#include "sql/catalog.h"
#include "src/base/document.h"
#include "src/base/file.h"
#include "src/command/session.h"
#include "src/report/report_call.h"

#include <stdlib.h>
#include <string.h>

/* Whether a report has a row for the loaded traces. */
static bool can_fill(void *context, const struct doc_object *report, bool *can)
{
    struct report_call *self = context;
    struct layout layout;
    char *why = NULL;
    bool done = layout_read(&layout, report, self->error) &&
                report_notes_reason(&self->warehouse, &layout, &why, NULL, self->error);
    *can = done && !why;
    char *sql = *can ? sqlite3_mprintf("SELECT 1 FROM \"%w\" LIMIT 1", report->name) : NULL;
    int64_t has_rows = 0;
    if (*can)
        done = sql ? warehouse_ask(&self->warehouse, sql, 0, &has_rows, self->error)
                   : error_memory(self->error);
    *can = has_rows != 0;
    sqlite3_free(sql);
    free(why);
    layout_free(&layout);
    return done;
}

/* The set that suits the loaded traces, and those of their formats. */
static bool find_own_sets(struct report_call *self, struct text *sets)
{
    static const char sql[] = "SELECT DISTINCT format FROM trace";
    sqlite3_stmt *row = warehouse_prepare(&self->warehouse, sql, self->error);
    bool done = row != NULL;
    text_add_string(sets, self->set);
    while (warehouse_next(&self->warehouse, row, &done, self->error))
        text_format(sets, ",%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return done && text_done(sets, self->error);
}

/* The wish of --list: traces, a set, a question, all, or words to look for. */
static bool read_wish(struct report_call *self, struct listing_wish *wish, struct text *words)
{
    const struct arguments *arguments = self->arguments;
    *wish = (struct listing_wish){.set = self->set, .only_first = !self->set, .context = self};
    bool done = true;
    for (size_t i = 0; i < arguments->operands.count && done; i++) {
        const char *word = arguments->operands.items[i];
        bool is_trace = warehouse_exists(word);
        wish->only_first &= is_trace;
        if (is_trace)
            done = array_add(&self->paths, word);
        else if (listing_is_question(word))
            wish->question = word;
        else if (report_files_has_set(&self->files, word))
            wish->set = word;
        else if (strcmp(word, "all") != 0)
            done = text_format(words, "%s%s", words->count ? " " : "", word);
    }
    return done || error_memory(self->error);
}

static bool read_traces(struct report_call *self, struct listing_wish *wish, struct text *sets)
{
    bool done = report_call_keep_inputs(self) && report_call_set(self) && report_call_open(self) &&
                report_call_select(self) && find_own_sets(self, sets);
    wish->can_fill = can_fill;
    wish->own_sets = sets->items;
    return done;
}

static bool print_found(struct report_call *self, const char *words,
                        const struct description_options *options)
{
    size_t count;
    return description_search(&self->files.docs, words, options, &count, self->error) &&
           (count ||
            error_set(self->error, STATUS_USAGE,
                      "tpq report: no report speaks of '%s'; see tpq report --list all", words));
}

static bool print_list(struct report_call *self)
{
    struct listing_wish wish;
    struct text words = {0}, sets = {0};
    struct render_options render;
    session_render_options(self->arguments, &render);
    struct description_options options = {.out = stdout,
                                          .width = render.width ? render.width : 100};
    bool done = read_wish(self, &wish, &words);
    if (done && words.count)
        done = print_found(self, words.items, &options);
    else if (done && (self->paths.count || arguments_has(self->arguments, "db")))
        done = read_traces(self, &wish, &sets) &&
               description_reports(&self->files.docs, &wish, &options, self->error);
    else if (done)
        done = description_reports(&self->files.docs, &wish, &options, self->error);
    if (done && wish.only_first)
        fputs(
            "\ntpq report --list all: every report; --list nsys: a set; --list idle: a question;\n"
            "--list WORD...: what speaks of these words; with a trace: what it can fill.\n",
            stdout);
    text_free(&words);
    text_free(&sets);
    return done;
}

/* For programs, to where --json says. */
static bool write_list(const struct arguments *arguments, const doc_list *docs, const char *set,
                       struct error *error)
{
    const char *path = arguments_value(arguments, "json");
    bool is_file = path && strcmp(path, "-") != 0;
    struct new_file file = {0};
    if (is_file && !new_file_open(&file, path, error))
        return false;
    struct document document = {.out = is_file ? file.out : stdout};
    document_begin(&document);
    document_close(&document);
    document_open(&document, "reports", '[');
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *object = &docs->items[i];
        if (!catalog_is_report(object) || (set && !catalog_in_set(object, set)))
            continue;
        document_open(&document, NULL, '{');
        document_text(&document, "name", object->name);
        document_text(&document, "set", set ? set : docs_declared(object, "set"));
        document_text(&document, "question", docs_declared(object, "question"));
        document_text(&document, "sheet", catalog_sheet(object, set));
        document_text(&document, "sheet_by", docs_declared(object, "sheet-by"));
        document_text(&document, "meaning", object->meaning);
        document_close(&document);
    }
    bool done = document_finish(&document, error);
    return is_file ? new_file_close(&file, done, error) : done;
}

bool report_call_list(struct report_call *self)
{
    return arguments_has(self->arguments, "json")
               ? write_list(self->arguments, &self->files.docs, self->set, self->error)
               : print_list(self);
}
