/* rows: Rows go by in pieces of ids. Questions about numbers alone are answered from the pages of
 * the file. */
#include "sql/binding/rows.h"

#include "sql/binding/function.h"
#include "sql/binding/statements.h"
#include "sql/database.h"
#include "sql/pages/row_pages.h"
#include "src/base/text.h"

#include <string.h>

/* So many ids are gone through at once. */
#ifdef TPQ_SMALL_WINDOWS
enum { PIECE = 3 };
#else
enum { PIECE = 1 << 18 };
#endif

struct hand {
    rows_take *take;
    void *taker;
    int result;
    bool has_rows;
};

static const char type[] = "rows of tpq";

static SQL_FUNCTION(give_row)
{
    struct hand *hand = count ? sqlite3_value_pointer(arguments[0], type) : NULL;
    if (hand)
        hand->has_rows = true;
    if (hand && (hand->result = hand->take(hand->taker, arguments + 1)) != SQLITE_OK)
        function_fail(context, hand->result);
}

static void end_rows(sqlite3_context *context)
{
    (void)context;
}

static int give_rows(sqlite3_stmt *question, rows_take *take, void *taker, bool *has_rows)
{
    struct hand hand = {take, taker, SQLITE_OK, false};
    int result = sqlite3_bind_pointer(question, 1, &hand, type, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(question);
    sqlite3_reset(question);
    sqlite3_bind_null(question, 1);
    *has_rows = hand.has_rows;
    return hand.result != SQLITE_OK ? hand.result : result == SQLITE_ROW ? SQLITE_OK : result;
}

/* Hands on the rows of a piece of ids. */
typedef int give_piece(void *giver, int64_t first, int64_t last, bool *has_rows);

static int each_piece(sqlite3 *db, int64_t first, int64_t last, give_piece *give, void *giver)
{
    int result = SQLITE_OK;
    while (result == SQLITE_OK && first <= last) {
        int64_t left;
        bool is_more = !__builtin_sub_overflow(last, first, &left) && left >= PIECE, has_rows;
        int64_t end = is_more ? first + PIECE - 1 : last;
        result = give(giver, first, end, &has_rows);
        if (!is_more)
            break;
        database_let_go(db);
        first = end + 1;
        if (result == SQLITE_OK && !has_rows) /* gaps may be of any width */
            result = database_ask(db,
                                  "SELECT coalesce(min(id), 9223372036854775807) FROM event "
                                  "WHERE id >= ?1",
                                  first, &first);
    }
    return result;
}

struct asking {
    sqlite3_stmt *question;
    rows_take *take;
    void *taker;
};

static int ask_piece(void *giver, int64_t first, int64_t last, bool *has_rows)
{
    const struct asking *self = giver;
    sqlite3_bind_int64(self->question, 2, first);
    sqlite3_bind_int64(self->question, 3, last);
    return give_rows(self->question, self->take, self->taker, has_rows);
}

int rows_each_id(sqlite3 *db, sqlite3_stmt *question, int64_t first, int64_t last, rows_take *take,
                 void *taker)
{
    struct asking self = {question, take, taker};
    return each_piece(db, first, last, ask_piece, &self);
}

/* ------------------------------------------------------------------ numbers */

struct picking {
    sqlite3 *db;
    const struct rows_wish *wish;
    rows_take_numbers *take;
    void *taker;
    int64_t root;                   /* page */
    size_t stored[ROW_COLUMNS_MAX]; /* by column: its place in a row */
    size_t columns;                 /* of a row, up to the last one that is wanted */
    bool has_rows;
    int result;
};

static bool pick(void *picking, int64_t id, const struct scan_number *values)
{
    struct picking *self = picking;
    int64_t picked[ROW_COLUMNS_MAX];
    for (size_t i = 0; i < self->wish->count; i++) {
        const struct scan_number *value = &values[self->stored[i]];
        picked[i] = value->type == SCAN_INTEGER ? value->number : INT64_MIN;
    }
    self->has_rows = true;
    self->result = self->take(self->taker, id, picked);
    return self->result == SQLITE_OK;
}

static int pick_values(void *picking, sqlite3_value **row)
{
    struct picking *self = picking;
    int64_t picked[ROW_COLUMNS_MAX];
    for (size_t i = 0; i < self->wish->count; i++)
        picked[i] = sqlite3_value_type(row[i + 1]) == SQLITE_INTEGER
                        ? sqlite3_value_int64(row[i + 1])
                        : INT64_MIN;
    return self->take(self->taker, sqlite3_value_int64(row[0]), picked);
}

static int read_piece(void *picking, int64_t first, int64_t last, bool *has_rows)
{
    static const int results[] = {[SCAN_END] = SQLITE_OK,
                                  [SCAN_DAMAGED] = SQLITE_CORRUPT,
                                  [SCAN_UNREADABLE] = SQLITE_IOERR,
                                  [SCAN_NO_MEMORY] = SQLITE_NOMEM,
                                  [SCAN_NO_FILE] = SQLITE_NOTFOUND};
    struct picking *self = picking;
    self->has_rows = false;
    enum scan_step result =
        row_pages_each(self->db, "main", self->root, self->columns,
                       self->wish->next ? self->wish->next : &first, last, pick, self);
    *has_rows = self->has_rows;
    return result == SCAN_STOPPED                                 ? self->result
           : result == SCAN_NO_FILE && first != self->wish->first ? SQLITE_IOERR /* too late */
                                                                  : results[result];
}

/* Where a row has what is wanted; columns that are made from others are not in it. */
static int find_columns(struct picking *self, sqlite3_stmt *rows)
{
    size_t found = 0;
    int result = SQLITE_DONE;
    for (size_t place = 0; found < self->wish->count && place < ROW_COLUMNS_MAX &&
                           (result = sqlite3_step(rows)) == SQLITE_ROW;
         place++) {
        const char *name = database_text(rows, 0);
        if (!name)
            return SQLITE_NOMEM;
        self->root = sqlite3_column_int64(rows, 1);
        for (size_t i = 0; i < self->wish->count; i++)
            if (strcmp(name, self->wish->columns[i]) == 0) {
                self->stored[i] = place;
                self->columns = place + 1;
                found++;
            }
    }
    return found == self->wish->count                      ? SQLITE_OK
           : result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_NOTFOUND
                                                           : result;
}

/* SQLITE_NOTFOUND: the table cannot be read so, as something of a call's own stands before it. */
static int read_pages(struct picking *self, struct context *context)
{
    const struct rows_wish *wish = self->wish;
    struct text sql = {0};
    sqlite3_stmt *rows = NULL; /* stays at a row: so the file stays as it is */
    int result =
        text_format(&sql,
                    "SELECT info.name, rootpage FROM main.sqlite_schema AS made JOIN "
                    "pragma_table_xinfo(made.name) AS info ON hidden <> 2 "
                    "WHERE made.type = 'table' AND made.name = '%s' AND NOT EXISTS (SELECT 1 FROM "
                    "temp.sqlite_schema WHERE name = made.name COLLATE NOCASE)",
                    wish->table)
            ? statements_take(context, self->db, sql.items, &rows)
            : SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = find_columns(self, rows);
    if (result == SQLITE_OK)
        result = each_piece(self->db, wish->first, wish->last, read_piece, self);
    statements_leave(context, rows);
    text_free(&sql);
    return result;
}

static int ask_rows(struct picking *self, struct context *context)
{
    const struct rows_wish *wish = self->wish;
    sqlite3_stmt *from = NULL;
    struct text sql = {0};
    bool done = text_add_string(&sql, "SELECT " ROWS_EACH "id");
    for (size_t i = 0; i < wish->count && done; i++)
        done = text_format(&sql, ", %s", wish->columns[i]);
    done = done && text_format(&sql, ") FROM %s WHERE id BETWEEN ?2 AND ?3 AND %s", wish->table,
                               wish->only);
    int result = done ? statements_take(context, self->db, sql.items, &from) : SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = rows_each_id(self->db, from, wish->first, wish->last, pick_values, self);
    statements_leave(context, from);
    text_free(&sql);
    return result;
}

int rows_each_number(sqlite3 *db, struct context *context, const struct rows_wish *wish,
                     rows_take_numbers *take, void *taker)
{
    struct picking self = {.db = db, .wish = wish, .take = take, .taker = taker};
    int result = read_pages(&self, context);
    return result == SQLITE_NOTFOUND ? ask_rows(&self, context) : result;
}

int rows_bind(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, ROWS_FUNCTION, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                      NULL, give_row, end_rows, NULL);
}
