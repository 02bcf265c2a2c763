/* nsys_report: nsys writes the export into a new folder, which is removed once the export is open.
 * The path of a report is absolute, so that it is never an option. */
#include "ingest/nsys/nsys_report.h"

#include "ingest/input/database.h"
#include "src/base/file.h"
#include "src/base/process.h"
#include "src/base/visible.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { EXPORT_SECONDS = 3600 };

bool nsys_report_export(struct source *source, struct source **content, struct error *error)
{
    const char *path = source_path(source), *ending = strrchr(path, '.');
    const unsigned char *bytes;
    ptrdiff_t length;
    *content = source;
    if (!ending || (strcmp(ending, ".nsys-rep") != 0 && strcmp(ending, ".qdrep") != 0) ||
        (length = source_peek(source, &bytes, SOURCE_PEEK_MAX, error)) <= 0 ||
        database_recognises(bytes, (size_t)length))
        return true;
    char *program = process_find("nsys"), *report = program ? file_real_path(path) : NULL;
    char *workplace = report ? workplace_make(error) : NULL;
    if (!workplace)
        return error->status == STATUS_OK;
    char *words[] = {"nsys",     "export",        "--type", "sqlite",
                     "--output", "export.sqlite", report,   NULL};
    struct process process = {program, words, workplace, "output", "errors", EXPORT_SECONDS};
    struct text text = {0}, said = {0};
    struct error ignored = {0};
    struct stat status;
    char why[120];
    text_format(&text, "tpq: %s: runs %s export --type sqlite into a temporary file", path,
                program);
    visible_print_lines(text_view(&text), 0, 0, 0, stderr);
    process_run(&process, why, sizeof why);
    text_clear(&text);
    text_format(&text, "%s/%s", workplace, *why ? "errors" : "export.sqlite");
    const char *fault = *why ? why : "made something that cannot be read", *more = "";
    if (*why) {
        if (file_read(text.items, &said, &ignored))
            for (char *rest, *line = strtok_r(said.items, "\r\n", &rest); line;
                 line = strtok_r(NULL, "\r\n", &rest))
                more = line;
    } else if (lstat(text.items, &status) != 0)
        fault = "made no file";
    else if (!S_ISREG(status.st_mode))
        more = "it is no plain file";
    else if (!(*content = source_open(text.items, false, NULL, &ignored)) ||
             (length = source_peek(*content, &bytes, SOURCE_PEEK_MAX, &ignored)) < 0 ||
             !database_recognises(bytes, (size_t)length))
        more = *ignored.text ? ignored.text : "it is no SQLite database";
    else
        source_call(*content, path), fault = NULL;
    if (fault)
        error_set(error, STATUS_BAD_INPUT, "%s: %s export %s%s%.300s", path, program, fault,
                  *more ? ": " : "", more);
    workplace_remove(workplace);
    text_free(&said);
    text_free(&text);
    memory_free(report);
    memory_free(program);
    return error->status == STATUS_OK;
}
