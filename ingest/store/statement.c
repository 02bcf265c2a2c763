/* statement: binding, running and asking; and what the warehouse keeps once: texts, signatures,
 * argument lists, categories. Only what the trace uses is kept: first it is marked by 1 in the
 * place of its number, then each number is found, or made by an insert. */
#include "ingest/store/statement.h"

#include <math.h>

void statement_view(sqlite3_stmt *statement, int place, struct view text)
{
    sqlite3_bind_text64(statement, place, text.bytes, text.length, SQLITE_STATIC, SQLITE_UTF8);
}

void statement_text(sqlite3_stmt *statement, int place, const struct trace *trace, uint32_t number)
{
    if (number)
        statement_view(statement, place, intern_view(&trace->strings, number));
    else
        sqlite3_bind_null(statement, place);
}

void statement_integer(sqlite3_stmt *statement, int place, int64_t value)
{
    if (value == NONE)
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_int64(statement, place, value);
}

struct view statement_shared_text(struct store *self, uint32_t number)
{
    enum { SHORT = 256 };
    struct view text = intern_view(&self->trace->strings, number);
    if (text.length <= SHORT || allowance_take(&self->allowance, text.length))
        return text;
    for (text.length = SHORT; ((unsigned char)text.bytes[text.length] & 0xC0) == 0x80;)
        text.length--;
    self->cut++;
    return text;
}

void statement_shared(struct store *self, sqlite3_stmt *statement, int place, uint32_t number)
{
    if (number)
        statement_view(statement, place, statement_shared_text(self, number));
    else
        sqlite3_bind_null(statement, place);
}

void statement_real(sqlite3_stmt *statement, int place, double value)
{
    if (isnan(value))
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_double(statement, place, value);
}

bool statement_run(struct store *self, sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    if (!done)
        warehouse_error(self->warehouse, self->error);
    sqlite3_reset(statement);
    return done;
}

bool statement_keep_list(struct store *self, const char *sql, const char *list)
{
    if (!list)
        return true;
    sqlite3_stmt *insert = warehouse_prepare(self->warehouse, sql, self->error);
    if (!insert)
        return false;
    sqlite3_bind_int64(insert, 1, self->rows.trace_id);
    sqlite3_bind_text64(insert, 2, list, strlen(list), SQLITE_STATIC, SQLITE_UTF8);
    bool done = statement_run(self, insert);
    database_finalize(insert);
    return done;
}

bool statement_ask(struct store *self, sqlite3_stmt *statement, int64_t *answer, int64_t otherwise)
{
    int result = sqlite3_step(statement);
    *answer = result == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL
                  ? sqlite3_column_int64(statement, 0)
                  : otherwise;
    bool done = result == SQLITE_ROW || result == SQLITE_DONE;
    if (!done)
        warehouse_error(self->warehouse, self->error);
    sqlite3_reset(statement);
    return done;
}

bool statement_ask_once(struct store *self, const char *sql, int64_t *answer, int64_t otherwise)
{
    sqlite3_stmt *statement = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = statement && statement_ask(self, statement, answer, otherwise);
    database_finalize(statement);
    return done;
}

/* ------------------------------------------------------------------ what is kept once */

bool keeper_open(struct store *self, struct keeper *keeper, const char *find, const char *insert)
{
    keeper->find = warehouse_prepare(self->warehouse, find, self->error);
    keeper->insert = keeper->find ? warehouse_prepare(self->warehouse, insert, self->error) : NULL;
    return keeper->insert != NULL;
}

void keeper_close(struct keeper *keeper)
{
    database_finalize(keeper->find);
    database_finalize(keeper->insert);
}

bool keeper_keep(struct store *self, struct keeper *keeper, int64_t *id)
{
    if (!statement_ask(self, keeper->find, id, NONE))
        return false;
    if (*id != NONE)
        return true;
    if (!statement_run(self, keeper->insert))
        return false;
    *id = sqlite3_last_insert_rowid(self->warehouse->db);
    return true;
}

static bool keep_texts(struct store *self, const char *find, const char *insert,
                       const struct intern *texts, int64_t *ids)
{
    struct keeper keeper = {0};
    bool done = keeper_open(self, &keeper, find, insert);
    for (uint32_t i = 1; i <= intern_count(texts) && done; i++) {
        if (!ids[i])
            continue; /* not used by anything that is stored */
        statement_view(keeper.find, 1, intern_view(texts, i));
        statement_view(keeper.insert, 1, intern_view(texts, i));
        done = keeper_keep(self, &keeper, &ids[i]);
    }
    keeper_close(&keeper);
    return done;
}

static bool keep_ops(struct store *self)
{
    const struct trace *trace = self->trace;
    struct keeper keeper = {0};
    bool done =
        keeper_open(self, &keeper,
                    "SELECT id FROM op WHERE name_id = ?1 AND dims_id IS ?2 AND types_id IS "
                    "?3 AND strides_id IS ?4 AND concrete_id IS ?5",
                    "INSERT INTO op (name_id, dims_id, types_id, strides_id, concrete_id) "
                    "VALUES (?1, ?2, ?3, ?4, ?5)");
    for (uint32_t i = 1; i <= intern_count(&trace->ops) && done; i++) {
        if (!self->rows.ops[i])
            continue;
        struct op op = trace_op(trace, i);
        uint32_t parts[] = {op.name, op.dims, op.types, op.strides, op.concrete};
        for (int part = 0; part < 5; part++) {
            int64_t id = parts[part] ? self->rows.strings[parts[part]] : NONE;
            statement_integer(keeper.find, part + 1, id);
            statement_integer(keeper.insert, part + 1, id);
        }
        done = keeper_keep(self, &keeper, &self->rows.ops[i]);
    }
    keeper_close(&keeper);
    return done;
}

/* Categories of this program have their own numbers; the others follow from 1000 on. */
static bool keep_categories(struct store *self)
{
    const struct trace *trace = self->trace;
    struct keeper keeper = {0};
    bool done =
        keeper_open(self, &keeper, "SELECT id FROM category WHERE name = ?1",
                    "INSERT INTO category (id, name, role) VALUES (coalesce(?2, (SELECT max(999, "
                    "coalesce(max(id), 0)) + 1 FROM category)), ?1, ?3)");
    for (int i = 0; i < trace->categories.count && done; i++) {
        if (!self->rows.categories[i])
            continue;
        bool known = i < CATEGORY_KNOWN_COUNT;
        struct view name = known ? view_of(category_name(i))
                                 : intern_view(&trace->strings, trace->categories.names[i]);
        statement_view(keeper.find, 1, name);
        statement_view(keeper.insert, 1, name);
        statement_integer(keeper.insert, 2, known ? i : NONE);
        statement_view(keeper.insert, 3, view_of(role_name((enum role)trace->categories.roles[i])));
        done = keeper_keep(self, &keeper, &self->rows.categories[i]);
    }
    keeper_close(&keeper);
    return done;
}

bool written_keep(struct store *self)
{
    const struct trace *trace = self->trace;
    struct rows *rows = &self->rows;
    rows->strings = memory_zeroed(intern_count(&trace->strings) + 1, sizeof *rows->strings);
    rows->arguments = memory_zeroed(intern_count(&trace->arguments) + 1, sizeof *rows->arguments);
    rows->ops = memory_zeroed(intern_count(&trace->ops) + 1, sizeof *rows->ops);
    /* Marks the texts that names and signatures use: readers intern others, too. */
    int64_t *strings = self->rows.strings;
    for (size_t i = 0; i < trace->slices.count; i++) {
        const struct slice *slice = &trace->slices.items[i];
        strings[slice->name] = 1;
        self->rows.ops[slice->op] = 1;
        self->rows.arguments[slice->arguments] = 1;
        self->rows.categories[slice->category] = 1;
    }
    for (size_t i = 0; i < trace->facts.count; i++) {
        /* The same for facts. */
        const struct fact_list *list = &trace->facts.items[i];
        for (const struct fact_column *column = list->table->columns; column->name; column++) {
            if (column->type != FACT_STRING && column->type != FACT_OP)
                continue;
            int64_t *used = column->type == FACT_OP ? self->rows.ops : self->rows.strings;
            for (size_t j = 0; j < list->count; j++)
                used[fact_number(fact_row(list, j), column)] = 1;
        }
    }
    for (uint32_t i = 1; i <= intern_count(&trace->ops); i++) {
        if (!self->rows.ops[i])
            continue;
        struct op op = trace_op(trace, i);
        strings[op.name] = strings[op.dims] = strings[op.types] = strings[op.strides] =
            strings[op.concrete] = 1;
    }
    return keep_texts(self, "SELECT id FROM string WHERE text = ?1",
                      "INSERT INTO string (text) VALUES (?1)", &trace->strings, rows->strings) &&
           keep_texts(self, "SELECT id FROM args WHERE json = ?1",
                      "INSERT INTO args (json) VALUES (?1)", &trace->arguments, rows->arguments) &&
           keep_ops(self) && keep_categories(self);
}
