/* compile: a row of perf_model, with its family, as SQL statements.
 *
 * The parameters M = dim(0, 0) and N = 2 * M become
 *
 *     WITH "0" AS (SELECT (dim(0, 0)) AS "M" LIMIT -1 OFFSET 0),
 *          "1" AS (SELECT *, (2 * M) AS "N" FROM "0" LIMIT -1 OFFSET 0)
 *     SELECT ... FROM "1"
 *
 * where the OFFSET keeps SQLite from putting the inner expressions in the place of their names, so
 * that each is computed once. (Subselects inside each other overflow SQLite's parser after 16.)
 */
#include "sql/evaluate/evaluator.h"

#include "sql/database.h"
#include "sql/statement.h"
#include "src/base/array.h"
#include "src/base/literal.h"
#include "src/base/text.h"

#include <ctype.h>

struct parameter {
    const char *name, *expression;
    bool required;
};

struct compilation {
    sqlite3 *db;
    struct model *model;
    const struct family_row *family;
    struct literals values; /* the JSON of the row and of its family */
    ARRAY(struct parameter) params, shown;
    struct text with; /* the parameters so far, as common table expressions */
    size_t count;     /* of them */
    struct error *error;
};

static bool compile_fail(struct compilation *self, const char *what, const char *why)
{
    const struct model *model = self->model;
    return error_set(self->error, STATUS_BAD_INPUT, "%s: model of '%s': %s%s%s",
                     model->source ? model->source : "?", model->op ? model->op : "?", what,
                     *why ? ": " : "", why);
}

/* ------------------------------------------------------------------ expressions */

/* Prepares a whole statement; the tail must be empty. */
static bool compile_prepare(struct compilation *self, const char *sql, const char *what,
                            sqlite3_stmt **out)
{
    if (sqlite3_prepare_v3(self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK)
        return true;
    if ((sqlite3_errcode(self->db) & 0xFF) == SQLITE_NOMEM)
        memory_fail();
    return compile_fail(self, what, sqlite3_errmsg(self->db));
}

/* Begins and ends a statement over the parameters so far. */
static void compile_start(const struct compilation *self, struct text *sql)
{
    text_add_view(sql, text_view(&self->with));
    text_add_byte(sql, ' ');
}

static void add_from(const struct compilation *self, struct text *sql)
{
    if (self->count)
        text_format(sql, " FROM \"%zu\"", self->count - 1);
}

/* An expression by itself, over the parameters so far: so an error names the one that is wrong. */
static bool check(struct compilation *self, const char *expression, const char *what)
{
    if (!statement_is_enclosed(expression, false))
        return compile_fail(self, what,
                            "the expression has brackets or quotes without their other half, a "
                            "comment, or a semicolon");
    struct text sql = {0};
    sqlite3_stmt *statement = NULL;
    /* all columns, because a table of which none is asked for is refused */
    compile_start(self, &sql);
    text_format(&sql, "SELECT (%s)%s", expression, self->count ? ", *" : "");
    add_from(self, &sql);
    bool done = compile_prepare(self, sql.items, what, &statement);
    sqlite3_finalize(statement);
    text_free(&sql);
    return done;
}

/* ------------------------------------------------------------------ parameters */

/* The members of a JSON object whose values are expressions; `is_family`: NULL = required. */
static bool read_params(struct compilation *self, const char *json, bool is_family)
{
    int object = json ? literal_read(&self->values, view_of(json)) : LITERAL_NONE;
    if (!json)
        return true;
    if (literal_type(&self->values, object) != LITERAL_OBJECT)
        return compile_fail(self, "params", "not a JSON object");
    for (int at = literal_at(&self->values, object)->first; at >= 0;) {
        int value = literal_at(&self->values, at)->next;
        const char *name = literal_text(&self->values, at);
        const char *expression = literal_text(&self->values, value);
        if (!name)
            return compile_fail(self, name ? name : "params", "not a name for a parameter");
        const char *text = name;
        if (!isalpha((unsigned char)*text) && *text != '_')
            return compile_fail(self, name ? name : "params", "not a name for a parameter");
        while (isalnum((unsigned char)*text) || *text == '_')
            text++;
        if (*text)
            return compile_fail(self, name ? name : "params", "not a name for a parameter");
        bool required = is_family && literal_type(&self->values, value) == LITERAL_NULL;
        if (!expression && !required)
            return compile_fail(self, name, "an expression is a text");
        struct parameter *known = NULL;
        for (size_t i = 0; i < self->params.count; i++)
            if (sqlite3_stricmp(self->params.items[i].name, name) == 0) {
                known = &self->params.items[i];
                break;
            }
        if (known && strcmp(known->name, name) != 0)
            return compile_fail(self, name, "differs only in case from another parameter");
        if (known && !is_family)
            return compile_fail(self, name, "stands twice");
        if (!known && required)
            return compile_fail(self, name,
                                "the family needs it, and the row does not say what it is");
        if (known)
            known->required |= required;
        else
            array_add(&self->params, (struct parameter){name, expression, required});
        at = literal_at(&self->values, value)->next;
    }
    return true;
}

static bool read_shown(struct compilation *self)
{
    const char *json = self->model->shown;
    int object = json ? literal_read(&self->values, view_of(json)) : LITERAL_NONE;
    if (!json)
        return true;
    if (literal_type(&self->values, object) != LITERAL_OBJECT)
        return compile_fail(self, "shown", "not a JSON object");
    for (int at = literal_at(&self->values, object)->first; at >= 0;) {
        int value = literal_at(&self->values, at)->next;
        struct parameter added = {literal_text(&self->values, at),
                                  literal_text(&self->values, value), false};
        array_add(&self->shown, added);
        if (!added.name || !added.expression)
            return compile_fail(self, "shown", "an expression is a text");
        at = literal_at(&self->values, value)->next;
    }
    return true;
}

static void add_param(struct compilation *self, const struct parameter *parameter)
{
    text_format(&self->with, "%s\"%zu\" AS (SELECT %s(%s) AS \"%s\"", self->count ? ", " : "WITH ",
                self->count, self->count ? "*, " : "", parameter->expression, parameter->name);
    add_from(self, &self->with);
    text_add_string(&self->with, " LIMIT -1 OFFSET 0)");
    self->count++;
}

/* ------------------------------------------------------------------ statements */

static const char *either(const char *first, const char *second)
{
    return first ? first : second ? second : "NULL";
}

/* The sentence about the first required parameter that is NULL. */
static void add_missing(struct compilation *self, struct text *sql)
{
    text_add_string(sql, ", CASE WHEN 0 THEN NULL");
    for (size_t i = 0; i < self->params.count; i++) {
        const struct parameter *parameter = &self->params.items[i];
        if (!parameter->required)
            continue;

        /* The first input whose shape an expression asks for. */
        static const char *const calls[] = {"dim(", "shape(", "numel("};
        const char *first = NULL;
        for (size_t j = 0; j < sizeof calls / sizeof *calls; j++) {
            const char *at = strstr(parameter->expression, calls[j]);
            if (at && (!first || at < first))
                first = at;
        }
        int input = first && isdigit((unsigned char)first[strcspn(first, "(") + 1])
                        ? atoi(first + strcspn(first, "(") + 1)
                        : -1;
        if (input >= 0)
            text_format(sql,
                        " WHEN \"%s\" IS NULL AND %sndim(%d) IS NULL THEN "
                        "'%s is not known: the shape of input %d is not recorded'",
                        parameter->name, strstr(parameter->expression, "fwd_") ? "fwd_" : "", input,
                        parameter->name, input);
        char *case_of = database_format(" WHEN \"%s\" IS NULL THEN '%q is NULL: %q'",
                                        parameter->name, parameter->name, parameter->expression);
        text_add_string(sql, case_of);
        memory_free(case_of);
    }
    text_add_string(sql, " END");
}

/* Says which expression is at fault when the whole statement cannot be prepared. */
static bool blame(struct compilation *self)
{
    const struct model *model = self->model;
    const struct family_row *family = self->family;
    bool done = true;
    text_clear(&self->with);
    self->count = 0;
    for (size_t i = 0; i < self->params.count && done; i++) {
        done = check(self, self->params.items[i].expression, self->params.items[i].name);
        add_param(self, &self->params.items[i]);
    }
    for (size_t i = 0; i < self->shown.count && done; i++)
        done = check(self, self->shown.items[i].expression, self->shown.items[i].name);
    done = done && check(self, either(model->flops, family ? family->flops : NULL), "flops") &&
           check(self, either(model->bytes, family ? family->bytes : NULL), "bytes") &&
           check(self, either(model->precision, NULL), "precision") &&
           check(self, either(model->valid, NULL), "valid") &&
           check(self, either(model->flops_bwd, family ? family->flops_bwd : NULL), "flops_bwd") &&
           check(self, either(model->bytes_bwd, family ? family->bytes_bwd : NULL), "bytes_bwd");
    return done;
}

static bool are_enclosed(struct compilation *self)
{
    const struct model *model = self->model;
    const char *texts[] = {model->flops,     model->bytes, model->flops_bwd,
                           model->bytes_bwd, model->valid, model->precision};
    static const char *const names[] = {"flops",     "bytes", "flops_bwd",
                                        "bytes_bwd", "valid", "precision"};
    static const char why[] = "the expression has brackets or quotes without their other half, a "
                              "comment, or a semicolon";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && !statement_is_enclosed(texts[i], false))
            return compile_fail(self, names[i], why);
    for (size_t i = 0; i < self->params.count; i++)
        if (!statement_is_enclosed(self->params.items[i].expression, false))
            return compile_fail(self, self->params.items[i].name, why);
    for (size_t i = 0; i < self->shown.count; i++)
        if (!statement_is_enclosed(self->shown.items[i].expression, false))
            return compile_fail(self, self->shown.items[i].name, why);
    return true;
}

static bool make_main(struct compilation *self)
{
    const struct model *model = self->model;
    const struct family_row *family = self->family;
    struct text sql = {0};
    compile_start(self, &sql);
    text_format(&sql, "SELECT (%s), (%s), (%s), (%s)",
                either(model->flops, family ? family->flops : NULL),
                either(model->bytes, family ? family->bytes : NULL), either(model->precision, NULL),
                either(model->valid, NULL));

    /* json_object of what is shown, and of all parameters. What has a name that ends in ? is left
     * out where it is NULL. */
    text_add_string(&sql, ", shown(");
    for (size_t i = 0; i < self->shown.count; i++) {
        text_add_string(&sql, i ? ", " : "");

        /* Adds a text as SQL writes it. */
        char *quoted = database_format("%Q", self->shown.items[i].name);
        text_add_string(&sql, quoted);
        memory_free(quoted);
        text_format(&sql, ", (%s)", self->shown.items[i].expression);
    }
    text_add_string(&sql, "), shown(");
    for (size_t i = 0; i < self->params.count; i++)
        text_format(&sql, "%s'%s', \"%s\"", i ? ", " : "", self->params.items[i].name,
                    self->params.items[i].name);
    text_add_string(&sql, ")");
    add_missing(self, &sql);
    add_from(self, &sql);
    bool done = compile_prepare(self, sql.items, "the row", &self->model->main);
    text_free(&sql);
    return done;
}

static bool make_bwd(struct compilation *self)
{
    const char *flops =
        either(self->model->flops_bwd, self->family ? self->family->flops_bwd : NULL);
    const char *bytes =
        either(self->model->bytes_bwd, self->family ? self->family->bytes_bwd : NULL);
    if (strcmp(flops, "NULL") == 0 && strcmp(bytes, "NULL") == 0)
        return true;
    struct text sql = {0};
    compile_start(self, &sql);
    text_format(&sql, "SELECT (%s), (%s)", flops, bytes);
    add_from(self, &sql);
    bool done = compile_prepare(self, sql.items, "flops_bwd or bytes_bwd", &self->model->bwd);
    text_free(&sql);
    return done;
}

bool compile_model(sqlite3 *db, struct model *model, const struct family_row *family,
                   struct error *error)
{
    struct compilation self = {.db = db, .model = model, .family = family, .error = error};
    bool done = true;
    if (model->family && !family)
        done = compile_fail(&self, "there is no family of this name", model->family);
    if (done) {
        /* Names and expressions point into the texts of `values`, which must not move: there is
         * room for all of them from the start. */
        size_t room = 16;
        const char *texts[] = {self.model->params, self.model->shown,
                               self.family ? self.family->params : NULL};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            room += texts[i] ? 2 * strlen(texts[i]) + 2 : 0;
        array_reserve(&self.values.texts, room);
        done = read_params(&self, self.model->params, false) &&
               read_params(&self, self.family ? self.family->params : NULL, true) &&
               read_shown(&self);
    }
    done = done && are_enclosed(&self);
    for (size_t i = 0; i < self.params.count && done; i++)
        add_param(&self, &self.params.items[i]);
    bool is_made = done && make_main(&self);
    if (is_made)
        is_made = make_bwd(&self);
    if (done && !is_made)
        blame(&self);
    literal_free(&self.values);
    arrays_free(&self.params, &self.shown);
    text_free(&self.with);
    return is_made;
}
