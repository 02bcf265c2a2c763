/* evaluator: Rows of the catalog are read once. Whole names beat patterns, then the priority
 * counts, then the later row; statements are made when a row is first needed. */
#include "sql/evaluate/evaluator.h"

#include "sql/database.h"
#include "sql/evaluate/helpers.h"
#include "src/base/deviation.h"
#include "src/base/number.h"

#include <math.h>

enum {
    VALUE_BYTES_MAX = 1 << 20, /* the largest text or blob that an expression may make */
    STEPS_MAX = 200,           /* times STEP_GRAIN instructions, and an expression is stopped */
    STEP_GRAIN = 10000,
};

struct family {
    char *name;
    struct family_row row;
};

struct evaluator {
    struct memory *memory; /* in which all of it is */
    sqlite3 *db;           /* the private connection */
    sqlite3_stmt *regexp;
    struct sight sight;
    model_list models;
    ARRAY(struct family) families;
    int steps;
    int needs; /* what the row that is being prepared asks about */
};

const char *const outcome_names[] = {"ok", "no_bytes", "fail", "skip"};

/* ------------------------------------------------------------------ the connection */

/* A helper's needs beside the signature. */
static int need_of(const char *function)
{
    static const struct {
        const char *name;
        int use;
    } uses[] = {{"arg", NEEDS_ARGS},
                {"output_type", NEEDS_ARGS},
                {"kname", NEEDS_KERNELS},
                {"gemm_layout", NEEDS_KERNELS},
                {"step", NEEDS_STEP}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (sqlite3_stricmp(function, uses[i].name) == 0)
            return uses[i].use;
    return sqlite3_strnicmp(function, "fwd_", 4) == 0 ? NEEDS_FORWARD : 0;
}

static int allow(void *context, int action, const char *first, const char *second,
                 const char *database, const char *trigger)
{
    (void)first, (void)database, (void)trigger;
    struct evaluator *self = context;
    if (action == SQLITE_FUNCTION && second)
        self->needs |= need_of(second);
    return action == SQLITE_SELECT || action == SQLITE_FUNCTION ? SQLITE_OK : SQLITE_DENY;
}

static int count_steps(void *context)
{
    struct evaluator *self = context;
    return ++self->steps > STEPS_MAX;
}

/* Ends a statement of a row; only then SQLite says whether there was memory for its columns. */
static void reset(sqlite3_stmt *statement)
{
    if ((sqlite3_reset(statement) & 0xFF) == SQLITE_NOMEM)
        memory_fail();
}

static bool open_connection(struct evaluator *self, const struct context *context)
{
    if (sqlite3_open_v2(":memory:", &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        helpers_register(self->db, &self->sight) != SQLITE_OK)
        return false;

    /* Expressions may use functions of libraries, but load none. */
    for (size_t i = 0; context && i < context->libraries.count; i++) {
        sqlite3_db_config(self->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
        int result = sqlite3_load_extension(self->db, context->libraries.items[i], NULL, NULL);
        sqlite3_db_config(self->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
        if (result != SQLITE_OK)
            return false;
    }
    if (database_prepare(self->db, "SELECT ?1 REGEXP ?2", &self->regexp, NULL) != SQLITE_OK)
        return false;
    memory_forget(self->regexp);
    sqlite3_limit(self->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    sqlite3_limit(self->db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_set_authorizer(self->db, allow, self);
    sqlite3_progress_handler(self->db, STEP_GRAIN, count_steps, self);
    return true;
}

/* ------------------------------------------------------------------ reading the catalog */

/* Copies a text, NULL as NULL. */
static char *take_column(sqlite3_stmt *statement, int column)
{
    bool is_null = sqlite3_column_type(statement, column) == SQLITE_NULL;
    return is_null ? NULL : memory_text(database_text(statement, column));
}

enum { MODEL_TEXTS = 17 };

/* The texts of a row in the order in which they are read. */
static void model_texts(struct model *model, char **texts[MODEL_TEXTS])
{
    char **all[MODEL_TEXTS] = {
        &model->op,     &model->match,        &model->profile, &model->family,    &model->params,
        &model->shown,  &model->flops,        &model->bytes,   &model->flops_bwd, &model->bytes_bwd,
        &model->valid,  &model->category,     &model->sheet,   &model->precision, &model->ceiling,
        &model->source, &model->bwd_category,
    };
    memcpy(texts, all, sizeof all);
}

/* SQLITE_OK, or why not. */
static int read_models(struct evaluator *self, sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int result = database_prepare(
        db,
        "SELECT op, match, profile, family, params, shown, flops, bytes, flops_bwd, bytes_bwd, "
        "valid, category, sheet, precision, ceiling, source, bwd_category, priority "
        "FROM perf_model WHERE profile IN ('both', ?1) ORDER BY source = 'tpq' DESC, rowid",
        &statement, NULL);
    if (result == SQLITE_OK)
        sqlite3_bind_text(statement, 1,
                          like_reference(self->sight.compat, "models:") ? "compat" : "fixed", -1,
                          SQLITE_STATIC);
    while (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        char **texts[MODEL_TEXTS];
        struct model *model = array_push(&self->models);
        *model = (struct model){.order = (int)self->models.count - 1};
        model_texts(model, texts);
        for (int i = 0; i < MODEL_TEXTS; i++)
            *texts[i] = take_column(statement, i);
        model->priority = sqlite3_column_int64(statement, MODEL_TEXTS);
        result = SQLITE_OK;
    }
    return database_end(statement, result);
}

static void close_lost(void *evaluator)
{
    evaluator_close(evaluator);
}

struct evaluator *evaluator_open(sqlite3 *db, const struct context *context, bool compat,
                                 struct error *error)
{
    struct evaluator *self = memory_zeroed(1, sizeof *self);
    self->memory = memory_in_use();
    self->sight.memory = self->memory;
    self->sight.compat = compat;
    memory_at_end(close_lost, self);
    if (!open_connection(self, context)) {
        int code = self->db ? sqlite3_errcode(self->db) & 0xFF : SQLITE_NOMEM;
        if (code == SQLITE_NOMEM || code == SQLITE_OK)
            memory_fail();
        error_set(error, STATUS_DATABASE, "models cannot be evaluated: %s",
                  sqlite3_errmsg(self->db));
    } else {
        sqlite3_stmt *statement = NULL;
        int result = database_prepare(
            db, "SELECT family, params, flops, bytes, flops_bwd, bytes_bwd FROM perf_family",
            &statement, NULL);
        while (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
            struct family family = {take_column(statement, 0),
                                    {take_column(statement, 1), take_column(statement, 2),
                                     take_column(statement, 3), take_column(statement, 4),
                                     take_column(statement, 5)}};
            array_add(&self->families, family);
            result = SQLITE_OK;
        }
        result = database_end(statement, result);
        result = result == SQLITE_OK ? read_models(self, db) : result;
        if (result == SQLITE_OK)
            return self;
        if ((result & 0xFF) == SQLITE_NOMEM)
            memory_fail();
        error_set(error, STATUS_DATABASE, "the catalog of models cannot be read: %s",
                  sqlite3_errmsg(db));
    }
    evaluator_close(self);
    return NULL;
}

void evaluator_keep(struct evaluator *self)
{
    memory_forget(self);
    memory_at_end_of(self->memory, close_lost, self);
}

void evaluator_close(struct evaluator *self)
{
    if (!self)
        return;
    struct memory *before = memory_enter(self->memory);
    memory_forget(self);
    for (size_t i = 0; i < self->models.count; i++) {
        struct model *model = &self->models.items[i];
        char **texts[MODEL_TEXTS];
        model_texts(model, texts);
        for (int k = 0; k < MODEL_TEXTS; k++)
            memory_free(*texts[k]);
        memory_free(model->fault);
        database_finalize(model->main);
        database_finalize(model->bwd);
    }
    array_free(&self->models);
    for (size_t i = 0; i < self->families.count; i++) {
        struct family *family = &self->families.items[i];
        memory_free(family->name);
        memory_free(family->row.params);
        memory_free(family->row.flops);
        memory_free(family->row.bytes);
        memory_free(family->row.flops_bwd);
        memory_free(family->row.bytes_bwd);
    }
    array_free(&self->families);
    database_finalize(self->regexp);
    sqlite3_close(self->db);
    literal_free(&self->sight.scratch);
    text_free(&self->sight.need);
    memory_free(self);
    memory_enter(before);
}

/* ------------------------------------------------------------------ which row holds */

const model_list *evaluator_models(const struct evaluator *self)
{
    return &self->models;
}

bool evaluator_matches(struct evaluator *self, const struct model *model, const char *op)
{
    if (!model->op || !model->match)
        return false;
    if (strcmp(model->match, "exact") == 0)
        return strcmp(model->op, op) == 0;
    if (strcmp(model->match, "prefix") == 0)
        return strncmp(model->op, op, strlen(model->op)) == 0;
    if (strcmp(model->match, "glob") == 0)
        return sqlite3_strglob(model->op, op) == 0;
    if (strcmp(model->match, "regex") != 0)
        return false;

    self->steps = 0;
    sqlite3_bind_text(self->regexp, 1, op, -1, SQLITE_STATIC);
    sqlite3_bind_text(self->regexp, 2, model->op, -1, SQLITE_STATIC);
    bool matches =
        sqlite3_step(self->regexp) == SQLITE_ROW && sqlite3_column_int(self->regexp, 0) == 1;
    reset(self->regexp);
    return matches;
}

/* Whole names beat patterns, then the priority counts, then the later row. */
static bool beats(const struct model *model, const struct model *other)
{
    bool exact = strcmp(model->match, "exact") == 0, also = strcmp(other->match, "exact") == 0;
    if (exact != also)
        return exact;
    return model->priority != other->priority ? model->priority > other->priority
                                              : model->order > other->order;
}

static struct model *find_named(struct evaluator *self, const char *op)
{
    struct model *found = NULL;
    for (size_t i = 0; i < self->models.count; i++) {
        struct model *model = &self->models.items[i];
        if (evaluator_matches(self, model, op) && (!found || beats(model, found)))
            found = model;
    }
    return found;
}

/* An op that works in place has an underscore behind its name. The reference has no such rule. */
struct model *evaluator_find(struct evaluator *self, const char *op)
{
    struct model *found = find_named(self, op);
    size_t length = strlen(op);
    if (found || like_reference(self->sight.compat, "models: ops in place") || !strstr(op, "::") ||
        op[length - 1] != '_' || op[length - 2] == '_')
        return found;
    char *plain = memory_part(op, length - 1);
    found = find_named(self, plain);
    memory_free(plain);
    return found;
}

char *model_sheet(const struct model *model)
{
    const char *name = model->sheet ? model->sheet : model->category ? model->category : "";
    size_t length = strlen(name);
    if (!model->sheet && length > 4 &&
        (strcmp(name + length - 4, "_fwd") == 0 || strcmp(name + length - 4, "_bwd") == 0))
        length -= 4;
    return memory_part(name, length);
}

/* ------------------------------------------------------------------ running */

static const struct family_row *family_of(const struct evaluator *self, const struct model *model)
{
    for (size_t i = 0; i < self->families.count; i++)
        if (model->family && self->families.items[i].name &&
            strcmp(self->families.items[i].name, model->family) == 0)
            return &self->families.items[i].row;
    return NULL;
}

void evaluator_prepare(struct evaluator *self, struct model *model)
{
    if (model->is_compiled)
        return;
    struct error error = {0};
    self->needs = 0;

    /* A pattern that is no regular expression would match nothing without a word. */
    bool done = true;
    if (model->match && model->op && strcmp(model->match, "regex") == 0) {
        self->steps = 0;
        sqlite3_bind_text(self->regexp, 1, "", -1, SQLITE_STATIC);
        sqlite3_bind_text(self->regexp, 2, model->op, -1, SQLITE_STATIC);
        int result = sqlite3_step(self->regexp);
        if (result != SQLITE_ROW)
            error_set(&error, STATUS_BAD_INPUT, "%s: model of '%s': op: %s",
                      model->source ? model->source : "?", model->op, sqlite3_errmsg(self->db));
        reset(self->regexp);
        done = result == SQLITE_ROW;
    }
    done = done && compile_model(self->db, model, family_of(self, model), &error);
    model->needs = self->needs;
    model->is_compiled = true;
    if (!done)
        model->fault = memory_text(error.text);
}

static void take_figure(sqlite3_stmt *statement, int column, struct figure *figure)
{
    *figure = (struct figure){0};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        figure->type = FIGURE_INTEGER;
        figure->integer = sqlite3_column_int64(statement, column);
        figure->real = (double)figure->integer;
        break;
    case SQLITE_FLOAT:
        figure->real = sqlite3_column_double(statement, column);
        figure->type = isfinite(figure->real) ? FIGURE_REAL : FIGURE_NONE;
        break;
    default:
        break;
    }
}

static void take_text(sqlite3_stmt *statement, int column, struct text *out)
{
    text_clear(out);
    text_add_string(out, database_text(statement, column));
}

/* One step of a statement of a row; false when it gave no row, with status and reason set. */
static bool step(struct evaluator *self, sqlite3_stmt *statement, struct outcome *outcome)
{
    self->steps = 0;
    self->sight.skipped = false;
    text_clear(&self->sight.need);
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        return true;
    if ((result & 0xFF) == SQLITE_NOMEM)
        memory_fail();
    outcome->status = self->sight.skipped ? OUTCOME_SKIP : OUTCOME_FAIL;
    text_clear(&outcome->reason);
    const char *reason = result == SQLITE_INTERRUPT ? "the expression takes too long"
                         : self->sight.need.count   ? self->sight.need.items
                                                    : sqlite3_errmsg(self->db);
    text_add_string(&outcome->reason, reason);
    return false;
}

void evaluator_run(struct evaluator *self, struct model *model, const struct signature *call,
                   struct outcome *outcome)
{
    text_clear(&outcome->reason);
    text_clear(&outcome->params);
    text_clear(&outcome->shown);
    text_clear(&outcome->spec);
    outcome->flops = outcome->bytes = outcome->flops_bwd = outcome->bytes_bwd = (struct figure){0};
    evaluator_prepare(self, model);
    if (model->fault) {
        outcome->status = OUTCOME_FAIL;
        text_add_string(&outcome->reason, model->fault);
        return;
    }
    self->sight.call = call;
    if (step(self, model->main, outcome)) {
        sqlite3_stmt *statement = model->main;
        take_text(statement, COMPILED_SHOWN, &outcome->shown);
        take_text(statement, COMPILED_PARAMS, &outcome->params);
        take_text(statement, COMPILED_MISSING, &outcome->reason);
        take_figure(statement, COMPILED_FLOPS, &outcome->flops);
        take_figure(statement, COMPILED_BYTES, &outcome->bytes);
        const char *precision = (const char *)sqlite3_column_text(statement, COMPILED_PRECISION);
        if (precision && *precision && model->ceiling)
            text_format(&outcome->spec, "%s_%s", model->ceiling, precision);
        bool is_valid = sqlite3_column_type(statement, COMPILED_VALID) == SQLITE_NULL ||
                        sqlite3_column_int(statement, COMPILED_VALID);
        if (outcome->reason.count)
            outcome->status = OUTCOME_FAIL;
        else if (!is_valid) {
            outcome->status = OUTCOME_FAIL;
            text_format(&outcome->reason, "not so: %s", model->valid);
        } else if (outcome->flops.type == FIGURE_NONE) {
            outcome->status = OUTCOME_FAIL;
            text_add_string(&outcome->reason, "the FLOPs are NULL");
        } else {
            outcome->status = outcome->bytes.type == FIGURE_NONE ? OUTCOME_NO_BYTES : OUTCOME_OK;
            if (outcome->status == OUTCOME_NO_BYTES)
                text_add_string(&outcome->reason, "the bytes are NULL");
        }
    }
    reset(model->main);
    if (model->bwd && outcome->status <= OUTCOME_NO_BYTES) {
        struct outcome ignored = {0}; /* what fails here is only absent */
        if (step(self, model->bwd, &ignored)) {
            take_figure(model->bwd, 0, &outcome->flops_bwd);
            take_figure(model->bwd, 1, &outcome->bytes_bwd);
        }
        reset(model->bwd);
        outcome_free(&ignored);
    }
    if (outcome->status > OUTCOME_NO_BYTES)
        outcome->flops = outcome->bytes = (struct figure){0};
}

void outcome_free(struct outcome *self)
{
    text_free(&self->reason);
    text_free(&self->params);
    text_free(&self->shown);
    text_free(&self->spec);
}

void figure_add_json(const struct figure *self, struct text *out)
{
    switch (self->type) {
    case FIGURE_INTEGER:
        text_format(out, "%lld", (long long)self->integer);
        return;
    case FIGURE_REAL:
        number_add_real(out, self->real);
        return;
    default:
        text_add_string(out, "null");
        return;
    }
}
