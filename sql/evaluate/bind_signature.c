/* bind_signature: the helpers of models for anybody who asks about call signatures.
 *
 *     dim(op, i, j)  ndim(op, i)  numel(op, i)  shape(op, i)  dtype(op, i)  stride(op, i [, j])
 *     cin(op, i)  cin_int(op, i)  cin_num(op, i)  cin_bool(op, i)  cin_list(op, i)
 *     nargs(op)  op_name(op)  bcast(op, i, k)
 *     prod(list)  item(list, k)  len(list)  list_slice(list, from, to)  cdiv(a, b)
 *
 *     SELECT dim(op_id, 0, 0), dtype(op_id, 0) FROM signature WHERE name = 'aten::mm' -> 4096,
 * float SELECT prod('[2,3,4]')                                                        -> 24
 *
 * What is not there is NULL, and so is everything about a signature that does not exist. Signatures
 * that were asked about are kept until the database changes.
 */
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/evaluate/helpers.h"
#include "src/base/map.h"

enum { KEPT_MAX = 4096 };

/* Shared by the functions of a connection. */
struct signatures {
    struct memory memory;
    int shares;
    struct sight sight;
    struct map places; /* op -> place in `kept`, from 1 */
    ARRAY(struct signature *) kept;
    struct signature none;
    struct database_state state;
};

struct binding {
    struct side side; /* first: it is what helpers look for */
    struct signatures *signatures;
    const struct helper *helper;
};

static void forget(struct signatures *self)
{
    for (size_t i = 0; i < self->kept.count; i++) {
        signature_free(self->kept.items[i]);
        memory_free(self->kept.items[i]);
    }
    self->kept.count = 0;
    map_free(&self->places);
    self->places = (struct map){0};
}

static void release(void *pointer)
{
    struct binding *binding = pointer;
    struct signatures *self = binding->signatures;
    sqlite3_free(binding);
    if (--self->shares > 0)
        return;
    memory_end(&self->memory);
    sqlite3_free(self);
}

/* ------------------------------------------------------------------ signatures */

static struct signature *signature_of(struct signatures *self, sqlite3 *db, int64_t op)
{
    struct database_state state = database_state(db);
    if (!database_state_equal(&self->state, &state) || self->kept.count >= KEPT_MAX ||
        database_may_go_back(db))
        forget(self);
    self->state = state;
    uint32_t *place = map_put(&self->places, op, 0);
    if (*place)
        return self->kept.items[*place - 1];
    struct signature *call = memory_zeroed(1, sizeof *call);
    array_add(&self->kept, call);

    /* In a database that is no warehouse there are none. */
    static const char sql[] = "SELECT name, input_dims, input_types, input_strides, "
                              "concrete_inputs FROM signature WHERE op_id = ?1";
    sqlite3_stmt *row = NULL;
    int result = database_find(db, &row, sql, op, 0);
    bool is_there = result == SQLITE_ROW;
    bool done = is_there || result == SQLITE_DONE || result == SQLITE_ERROR;
    if (done)
        signature_start(call, is_there ? database_text(row, 0) : "");
    if (is_there) {
        call->dims = signature_part(call, (const char *)sqlite3_column_text(row, 1));
        call->types = signature_part(call, (const char *)sqlite3_column_text(row, 2));
        call->strides = signature_part(call, (const char *)sqlite3_column_text(row, 3));
        call->concrete = signature_part(call, (const char *)sqlite3_column_text(row, 4));
    }
    database_finalize(row);
    if (!done)
        return NULL;
    *place = (uint32_t)self->kept.count;
    return call;
}

/* ------------------------------------------------------------------ functions */

static SQL_FUNCTION(ask_about_op)
{
    struct binding *binding = sqlite3_user_data(context);
    struct signatures *self = binding->signatures;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    struct signature *call =
        signature_of(self, sqlite3_context_db_handle(context), sqlite3_value_int64(arguments[0]));
    if (!call) {
        sqlite3_result_error_nomem(context);
        return;
    }
    self->sight.call = call;
    if (*call->op)
        binding->helper->run(context, count - 1, arguments + 1);
    self->sight.call = &self->none;
}

static const char *const about_op[] = {"dim",      "ndim",  "numel",   "shape",   "dtype",
                                       "stride",   "cin",   "cin_int", "cin_num", "cin_bool",
                                       "cin_list", "nargs", "op_name", "bcast"};
static const char *const about_lists[] = {"prod", "item", "len", "list_slice", "cdiv"};

static const struct helper *helper_named(const char *name)
{
    for (int i = 0; i < helper_list_count; i++)
        for (const struct helper *helper = helper_lists[i]; helper->name; helper++)
            if (sqlite3_stricmp(helper->name, name) == 0)
                return helper;
    return NULL;
}

/* The signature's number goes before the helper's own arguments. */
static int bind(sqlite3 *db, struct signatures *self, const char *name, bool has_op)
{
    const struct helper *helper = helper_named(name);
    int result = SQLITE_OK;
    for (int missing = helper->optional; missing >= 0 && result == SQLITE_OK; missing--) {
        int arguments = helper->arguments + has_op - missing;
        struct binding *binding = sqlite3_malloc(sizeof *binding);
        if (!binding)
            return SQLITE_NOMEM;
        self->shares++;
        *binding = (struct binding){
            {&self->sight, false, has_op ? ask_about_op : helper->run}, self, helper};
        result = sqlite3_create_function_v2(
            db, helper->name, arguments, SQLITE_UTF8 | SQLITE_INNOCUOUS, binding, helper_call, NULL,
            NULL, release); /* which also runs when it fails */
    }
    return result;
}

int signature_functions_register(sqlite3 *db)
{
    struct signatures *self = sqlite3_malloc(sizeof *self);
    struct binding *own = sqlite3_malloc(sizeof *own); /* gives the first share back */
    struct memory_attempt attempt;
    if (!self || !own) {
        sqlite3_free(self);
        sqlite3_free(own);
        return SQLITE_NOMEM;
    }
    *self =
        (struct signatures){.shares = 1, .sight = {.memory = &self->memory, .call = &self->none}};
    volatile int result = SQLITE_NOMEM;
    if (memory_try_in(&attempt, &self->memory)) {
        signature_start(&self->none, "");
        result = SQLITE_OK;
        memory_leave(&attempt);
    }
    for (size_t i = 0; i < sizeof about_op / sizeof *about_op && result == SQLITE_OK; i++)
        result = bind(db, self, about_op[i], true);
    for (size_t i = 0; i < sizeof about_lists / sizeof *about_lists && result == SQLITE_OK; i++)
        result = bind(db, self, about_lists[i], false);
    own->signatures = self;
    release(own);
    return result;
}

const struct function signature_functions[] = {
    {"dim", "dim(op, i, j)",
     .meaning = "Extent j of input i of a call signature, from the end when j is negative. NULL "
                "when it is "
                "not there, as with all functions about signatures."},
    {"ndim", "ndim(op, i)", .meaning = "Number of dimensions of input i of a call signature."},
    {"numel", "numel(op, i)", .meaning = "Number of elements of input i of a call signature."},
    {"shape", "shape(op, i)", .meaning = "Dimensions of input i of a call signature, a list."},
    {"dtype", "dtype(op, i)", .meaning = "Type of input i of a call signature."},
    {"stride", "stride(op, i [, j])",
     .meaning = "Strides of input i of a call signature, or one of them."},
    {"cin", "cin(op, i)", .meaning = "Concrete input i of a call signature as a text."},
    {"cin_int", "cin_int(op, i)",
     .meaning = "Concrete input i of a call signature as a whole number."},
    {"cin_num", "cin_num(op, i)", .meaning = "Concrete input i of a call signature as a number."},
    {"cin_bool", "cin_bool(op, i)", .meaning = "Concrete input i of a call signature as 0 or 1."},
    {"cin_list", "cin_list(op, i)", .meaning = "Concrete input i of a call signature as a list."},
    {"nargs", "nargs(op)", .meaning = "Number of inputs of a call signature."},
    {"op_name", "op_name(op)", .meaning = "Name of the op of a call signature."},
    {"bcast", "bcast(op, i, k)",
     .meaning = "Elements of what two inputs of a call signature broadcast to."},
    {"prod", "prod(list)", .meaning = "Product of a list of numbers; NULL when it is none."},
    {"item", "item(list, k)", .meaning = "Item k of a list, from 0, from the end when negative."},
    {"len", "len(list)", .meaning = "Number of items of a list."},
    {"list_slice", "list_slice(list, from, to, ...)",
     .meaning = "Part of a list, and further lists behind it."},
    {"cdiv", "cdiv(a, b)", .meaning = "a / b, rounded up."},
    {0},
};
