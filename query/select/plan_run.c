/* plan_run: see plan_run.h. */
#include "query/select/plan_run.h"

#include "sql/binding/table.h"
#include "src/base/array.h"

#include <stdlib.h>
#include <string.h>

/* An instruction of SQLite's. */
struct instruction {
    char *opcode, *words; /* words: the fourth operand */
    int64_t operands[3];
};

struct program {
    ARRAY(struct instruction) all;
};

/* Where a table is opened for rows. What wants all runs has neither of the last two. */
struct opening {
    int64_t cursor, column;               /* column: that has the run; -1 = it is not asked for */
    int64_t cursor_of_row, column_of_row; /* what is read for it, of a row in hand; -1 = nothing */
    const char *run;                      /* what is written for it */
};

typedef ARRAY(struct opening) opening_list;

/* ------------------------------------------------------------------ reading */

static bool add_instruction(struct program *self, sqlite3_stmt *row)
{
    const char *opcode = (const char *)sqlite3_column_text(row, 1);
    const char *words = (const char *)sqlite3_column_text(row, 5);
    bool has_words = sqlite3_column_type(row, 5) != SQLITE_NULL;
    struct instruction *added = opcode && (words || !has_words) ? array_push(&self->all) : NULL;
    if (!added)
        return false;
    *added = (struct instruction){.opcode = strdup(opcode), .words = strdup(words ? words : "")};
    for (int i = 0; i < 3; i++)
        added->operands[i] = sqlite3_column_int64(row, 2 + i);
    return added->opcode && added->words;
}

static int read_program(struct program *self, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *row = NULL;
    char *question = sqlite3_mprintf("EXPLAIN %s", sql);
    int result = question ? sqlite3_prepare_v2(db, question, -1, &row, NULL) : SQLITE_NOMEM;
    sqlite3_free(question);
    if (result == SQLITE_OK && sqlite3_stmt_isexplain(row) != 1)
        result = SQLITE_ERROR;
    while (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW)
        result = add_instruction(self, row) ? SQLITE_OK : SQLITE_NOMEM;
    sqlite3_finalize(row);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ what a register has */

enum { FIRST, SECOND, THIRD };

static bool is_named(const struct instruction *self, const char *opcode)
{
    return strcmp(self->opcode, opcode) == 0;
}

static bool is_one_of(const struct instruction *self, const char *const *opcodes)
{
    while (*opcodes && !is_named(self, *opcodes))
        opcodes++;
    return *opcodes != NULL;
}

/* What is followed by the next instruction, by the operand that names the register written. */
static const char *const into_second[] = {"String8", "Integer", "Int64", "Real",
                                          "Null",    "SCopy",   "Copy",  NULL};
static const char *const into_third[] = {"VColumn", "Column", NULL};
static const char *const into_none[] = {"Affinity", "VOpen", NULL};

/* What often has a small number in the second operand that is no address, neither. */
static const char *const without_address[] = {"ResultRow",     "MakeRecord",
                                              "AggStep",       "AggFinal",
                                              "Function",      "OpenRead",
                                              "OpenEphemeral", "OpenDup",
                                              "NullRow",       "NewRowid",
                                              "Sequence",      "SorterOpen",
                                              "SorterInsert",  "SorterData",
                                              "IdxInsert",     "Insert",
                                              "Compare",       "Move",
                                              "Noop",          "IdxRowid",
                                              "Rowid",         "DeferredSeek",
                                              "Concat",        "Add",
                                              "Subtract",      "Multiply",
                                              "Divide",        "Cast",
                                              "Real",          "PureFunc",
                                              "And",           "Or",
                                              "Not",           NULL};

/* Unknown ones may. */
static bool may_jump(const struct instruction *self)
{
    return !(is_one_of(self, into_second) || is_one_of(self, into_third) ||
             is_one_of(self, into_none) || is_one_of(self, without_address));
}

/* Whether nothing comes between two instructions, the second one included, from elsewhere. */
static bool is_straight(const struct program *program, size_t from, size_t to)
{
    for (size_t i = 0; i < program->all.count; i++) {
        const struct instruction *other = &program->all.items[i];
        bool is_inside =
            other->operands[SECOND] > (int64_t)from && other->operands[SECOND] <= (int64_t)to;
        if (is_inside && may_jump(other))
            return false;
    }
    return true;
}

/* The instruction that gave a register what it has; NULL: that is not known. */
static const struct instruction *writer_of(const struct program *program, size_t at, int64_t reg)
{
    for (size_t i = at; i-- > 0;) {
        const struct instruction *before = &program->all.items[i];
        bool is_second = is_one_of(before, into_second), is_third = is_one_of(before, into_third);
        bool is_known = is_second || is_third || is_one_of(before, into_none);
        bool is_of_several = is_second && before->operands[THIRD]; /* registers */
        if (!is_known || is_of_several)
            return NULL;
        if ((is_second && before->operands[SECOND] == reg) ||
            (is_third && before->operands[THIRD] == reg))
            return is_straight(program, i, at) ? before : NULL;
    }
    return NULL;
}

/* ------------------------------------------------------------------ openings */

/* The first argument stands behind two numbers, of the plan and of arguments. */
static bool add_opening(const struct program *program, size_t at, opening_list *list)
{
    const struct instruction *filter = &program->all.items[at];
    size_t length = strlen(TABLE_WATCHED);
    if (!is_named(filter, "VFilter") || strncmp(filter->words, TABLE_WATCHED, length) != 0)
        return true;
    const char *column = filter->words + length;
    struct opening opening = {filter->operands[FIRST], *column ? strtoll(column, NULL, 10) : -1, -1,
                              -1, NULL};
    const struct instruction *writer =
        *column ? writer_of(program, at, filter->operands[THIRD] + 2) : NULL;
    if (writer && is_named(writer, "String8"))
        opening.run = writer->words;
    if (writer && is_named(writer, "VColumn")) {
        opening.cursor_of_row = writer->operands[FIRST];
        opening.column_of_row = writer->operands[SECOND];
    }
    return array_add(list, opening);
}

/* Whether a column of a row in hand is the run that its table was asked for. */
static bool has_run(const opening_list *list, int64_t cursor, int64_t column)
{
    bool is_known = false;
    for (size_t i = 0; i < list->count && cursor >= 0; i++) {
        const struct opening *opening = &list->items[i];
        if (opening->cursor == cursor && opening->column != column)
            return false;
        is_known |= opening->cursor == cursor;
    }
    return is_known;
}

/* The run that is wanted of all of them. */
static const char *common_run(const opening_list *list)
{
    const char *run = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct opening *opening = &list->items[i];
        if (!opening->run && !has_run(list, opening->cursor_of_row, opening->column_of_row))
            return NULL;
        if (opening->run && run && strcmp(run, opening->run) != 0)
            return NULL;
        run = opening->run ? opening->run : run;
    }
    return run;
}

int plan_run_find(sqlite3 *db, const char *sql, char **run)
{
    struct program program = {0};
    opening_list list = {0};
    *run = NULL;
    int result = read_program(&program, db, sql);
    for (size_t i = 0; i < program.all.count && result == SQLITE_OK; i++)
        result = add_opening(&program, i, &list) ? SQLITE_OK : SQLITE_NOMEM;
    const char *found = result == SQLITE_OK ? common_run(&list) : NULL;
    if (found && !(*run = strdup(found)))
        result = SQLITE_NOMEM;
    array_free(&list);
    for (size_t i = 0; i < program.all.count; i++) {
        free(program.all.items[i].opcode);
        free(program.all.items[i].words);
    }
    array_free(&program.all);
    return result;
}
