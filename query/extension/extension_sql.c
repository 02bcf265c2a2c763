/* extension_sql: an .sql file of the user: statements, and words for tpq in comments.
 *
 *     -- tpq:require op NAME              run the file only where the traces have such an op
 *     -- tpq:require-not op NAME          ... have none
 *     -- tpq:require kernel-like PATTERN  ... have GPU activities whose name is LIKE that
 *     -- tpq:param NAME DEFAULT           param('NAME') in its statements
 *     -- tpq:stage sheet                  what follows has guards of its own; also stage tree,
 * model
 *
 * Views are made for the connection only, with or without TEMP.
 */
#include "query/extension/extension.h"

#include "sql/database.h"
#include "sql/statement.h"
#include "sql/warehouse/overlay.h"

#include <string.h>
#include <strings.h>

struct script {
    struct extensions *extensions;
    const struct extension_file *file;
    struct warehouse *warehouse;
    struct error *error;
    const char *counted; /* the place up to which lines are counted, and its line */
    int line;
};

/* Places are asked for in their order. */
static int line_at(struct script *self, const char *place)
{
    for (; self->counted < place; self->counted++)
        self->line += *self->counted == '\n';
    return self->line;
}

static const char *skip_blank(const char *text)
{
    return statement_skip_blank(text, " \t\r\n\f;");
}

/* ------------------------------------------------------------------ words for tpq */

/* The words behind "-- tpq:" in one line. */
static bool obey(struct script *self, char *words, int line, bool *runs)
{
    char *save, *verb = strtok_r(words, " \t\r", &save);
    char *second = verb ? strtok_r(NULL, " \t\r", &save) : NULL;
    char *rest = second ? save + strspn(save, " \t\r") : NULL;
    for (size_t end = rest ? strlen(rest) : 0; end && strchr(" \t\r", rest[end - 1]); end--)
        rest[end - 1] = '\0';
    bool is_not = verb && strcmp(verb, "require-not") == 0;
    bool is_guard = verb && (is_not || strcmp(verb, "require") == 0);
    if (is_guard && second && rest && *rest &&
        (strcmp(second, "op") == 0 || strcmp(second, "kernel-like") == 0)) {
        bool holds;

        /* Selected events count. Most names are in no trace at all, and then no event is looked at.
         */
        static const char op[] =
            "SELECT EXISTS (SELECT 1 FROM (SELECT id FROM string WHERE text = ?1) AS named "
            "CROSS JOIN scope CROSS JOIN event ON event.id BETWEEN first_event AND last_event "
            "WHERE event.name_id = named.id)";
        static const char kernel[] =
            "SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM string WHERE text LIKE ?1) THEN 0 ELSE "
            "EXISTS (SELECT 1 FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN "
            "first_event AND last_event "
            "WHERE name_id IN (SELECT id FROM string WHERE text LIKE ?1)) END";
        const char *sql = strcmp(second, "op") == 0 ? op : kernel;
        int64_t number = 0;
        bool done = warehouse_ask_about(self->warehouse, sql, rest, &number, self->error);
        holds = number != 0;
        if (!done)
            return false;
        *runs = *runs && holds != is_not;
        return true;
    }
    if (verb && strcmp(verb, "param") == 0 && second) {
        /* The value that was set, or else the default that stands here. */
        const char *value = rest && *rest ? rest : NULL;
        struct text key = {0};
        for (size_t i = 0; i < self->extensions->params.count; i++) {
            struct extension_param *param = &self->extensions->params.items[i];
            if (strcmp(param->name, second) == 0) {
                param->is_known = true;
                value = param->value;
            }
        }
        text_format(&key, "param %s", second);
        context_set(self->warehouse->context, key.items, value);
        return true;
    }
    return error_set(self->error, STATUS_BAD_INPUT,
                     "%s:%d: after tpq: comes require or require-not with op NAME or kernel-like "
                     "PATTERN, param NAME DEFAULT, or stage with tree, model or sheet",
                     self->file->path, line);
}

/* The words of a line for tpq; NULL when it has none. */
static const char *words_of_line(const char *line)
{
    line += strspn(line, " \t");
    if (strncmp(line, "--", 2) != 0)
        return NULL;
    line += 2 + strspn(line + 2, " \t");
    return strncmp(line, "tpq:", 4) == 0 ? line + 4 : NULL;
}

static bool is_stage(const char *words)
{
    static const char *const stages[] = {"stage tree", "stage model", "stage sheet"};
    for (size_t i = 0; words && i < sizeof stages / sizeof *stages; i++) {
        size_t length = strlen(stages[i]);
        if (strncmp(words, stages[i], length) == 0 &&
            strchr("\n", words[length + strspn(words + length, " \t\r")]))
            return true;
    }
    return false;
}

/* The line that begins the next part. */
static const char *end_of_part(const char *text)
{
    while (*text && !is_stage(words_of_line(text))) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/* ------------------------------------------------------------------ statements */

/* Runs the statement at the head of a text and gives the place behind it; NULL when it fails.
 * `skipped` characters of it are left out, behind `head`. */
static const char *run_statement(struct script *self, const char *text, const char *sql,
                                 size_t head, size_t skipped)
{
    sqlite3 *db = self->warehouse->db;
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;
    overlay_set_place(self->warehouse, self->file->path, line_at(self, text), self->error);
    int result = database_prepare(db, sql, &statement, &rest);
    int offset = result == SQLITE_ERROR ? sqlite3_error_offset(db) : -1;
    while (result == SQLITE_OK && statement && (result = sqlite3_step(statement)) == SQLITE_ROW)
        result = SQLITE_OK;
    bool done = result == SQLITE_OK || result == SQLITE_DONE;
    if (!done) {
        const char *place = offset > (int)head ? text + skipped + ((size_t)offset - head) : text;
        extension_blame(self->warehouse, self->file->path, line_at(self, place), self->error);
    }
    database_finalize(statement);
    return done ? text + skipped + ((size_t)(rest - sql) - head) : NULL;
}

static bool run_part(struct script *self, const char *text, bool *runs)
{
    static const char view[] = "CREATE VIEW ";

    /* Obeys the words in one part of the file. */
    int line = self->line;
    bool done = true;
    for (const char *at = text; *at && done; line++) {
        size_t length = strcspn(at, "\n");
        const char *words = words_of_line(at);
        if (words) {
            char *copy = memory_part(words, (size_t)(at + length - words));
            done = obey(self, copy, line, runs);
        }
        at += length + (at[length] == '\n');
    }
    if (!done)
        return false;
    for (const char *at = skip_blank(text); *runs && at && *at; at = at ? skip_blank(at) : NULL) {
        bool is_view = strncasecmp(at, view, strlen(view)) == 0;
        if (is_view) {
            /* A view is made for the connection only. */
            size_t skipped = strlen(view);
            static const char head[] = "CREATE TEMP VIEW ";
            struct text sql = {0};
            text_format(&sql, "%s%s", head, at + skipped);
            const char *behind = run_statement(self, at, sql.items, strlen(head), skipped);
            text_free(&sql);
            at = behind;
        } else
            at = run_statement(self, at, at, 0, 0);
        if (!at)
            return false;
    }
    return true;
}

bool extension_run_sql(struct extensions *self, const struct extension_file *file,
                       struct warehouse *warehouse, struct error *error)
{
    struct script script = {self, file, warehouse, error, file->text, 1};
    bool done = true;
    for (const char *part = file->text; *part && done;) {
        const char *end = end_of_part(part);
        char *text = memory_part(part, (size_t)(end - part));
        bool runs = true;
        script.counted = text;
        done = run_part(&script, text, &runs);
        if (done)
            line_at(&script, text + strlen(text));
        part = end + strcspn(end, "\n");
    }
    return done;
}
