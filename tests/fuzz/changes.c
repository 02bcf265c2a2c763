/* changes: see changes.h. */
#include "tests/fuzz/changes.h"

#include "tests/fuzz/piece.h"

#include "src/base/text.h"

static const char *const wild[] = {
    "NULL",
    "0",
    "1",
    "-1",
    "2",
    "7",
    "255",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775807 - 1",
    "0.5",
    "1e300",
    "-1e300",
    "9e999",
    "-9e999",
    "''",
    "'a'",
    "'-5'",
    "'9223372036854775808'",
    "'[]'",
    "'{}'",
    "'[[[[1]]]]'",
    "'[1,2'",
    "'{\"a\":1}'",
    "x''",
    "x'00ff'",
    "zeroblob(300)",
    "printf('%.*c', 3000, 'x')",
    "'0x7fffffffffffffff'",
};

unsigned bytes_next(struct bytes *self, size_t below)
{
    if (!self->left)
        return 0;
    self->left--;
    return *self->at++ % (unsigned)below;
}

void change_run(sqlite3 *db, char *sql)
{
    sqlite3_exec(db, sql, NULL, NULL, NULL); /* what does not work does not change anything */
    sqlite3_free(sql);
}

static void read_columns(sqlite3 *db, struct part *part)
{
    sqlite3_stmt *rows;
    MUST(sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?1) ORDER BY cid", -1, &rows,
                            NULL) == SQLITE_OK);
    sqlite3_bind_text(rows, 1, part->table, -1, SQLITE_STATIC);
    while (sqlite3_step(rows) == SQLITE_ROW && part->column_count < COUNT(part->columns))
        part->columns[part->column_count++] =
            memory_text((const char *)sqlite3_column_text(rows, 0));
    sqlite3_finalize(rows);
}

void schema_read(struct schema *self, sqlite3 *db)
{
    sqlite3_stmt *rows;
    MUST(sqlite3_prepare_v2(db,
                            "SELECT type, name FROM sqlite_schema WHERE type IN ('table', "
                            "'view') ORDER BY type, name",
                            -1, &rows, NULL) == SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW && self->count < COUNT(self->parts)) {
        struct part *part = &self->parts[self->count++];
        part->type = memory_text((const char *)sqlite3_column_text(rows, 0));
        part->table = memory_text((const char *)sqlite3_column_text(rows, 1));
        if (strcmp(part->type, "table") == 0)
            read_columns(db, part);
    }
    sqlite3_finalize(rows);
}

void schema_relax(sqlite3 *db)
{
    sqlite3_exec(
        db,
        "PRAGMA writable_schema = on;"
        "UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT, ', ') '), ') STRICT', "
        "')') WHERE type = 'table';"
        "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table';"
        "PRAGMA writable_schema = reset",
        NULL, NULL, NULL);
}

char *wild_value(struct bytes *input)
{
    unsigned which = bytes_next(input, COUNT(wild) + 4);
    if (which < COUNT(wild))
        return sqlite3_mprintf("%s", wild[which]);
    size_t length = bytes_next(input, 256);
    length = length < input->left ? length : input->left;
    struct text hex = {0};
    text_add_string(&hex, which % 2 ? "x'" : "CAST(x'");
    for (size_t i = 0; i < length; i++)
        text_format(&hex, "%02x", input->at[i]);
    text_add_string(&hex, which % 2 ? "'" : "' AS TEXT)");
    input->at += length;
    input->left -= length;
    char *value = sqlite3_mprintf("%s", hex.items);
    text_free(&hex);
    return value;
}

const struct part *schema_table(const struct schema *self, struct bytes *input)
{
    unsigned tables = 0;
    while (tables < self->count && strcmp(self->parts[tables].type, "table") == 0)
        tables++;
    return &self->parts[bytes_next(input, tables)];
}

const char *part_column(const struct part *self, struct bytes *input)
{
    return self->columns[bytes_next(input, self->column_count)];
}

void change_cells(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    const struct part *table = schema_table(schema, input);
    const char *column = part_column(table, input);
    char *value = wild_value(input);
    unsigned row = bytes_next(input, 256);
    change_run(db, row < 128
                       ? sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s", table->table,
                                         column, value)
                       : sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s WHERE rowid = "
                                         "(SELECT rowid FROM \"%w\" LIMIT 1 OFFSET %u)",
                                         table->table, column, value, table->table, row - 128));
    sqlite3_free(value);
}

void change_sums(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    const struct part *table = schema_table(schema, input);
    const char *column = part_column(table, input);
    char *value = wild_value(input);
    change_run(db, sqlite3_mprintf(
                       "UPDATE OR IGNORE \"%w\" SET \"%w\" = \"%w\" + %s WHERE rowid %% %u = 0",
                       table->table, column, column, value, 1 + bytes_next(input, 9)));
    sqlite3_free(value);
}

void change_rows(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    const struct part *table = schema_table(schema, input);
    if (bytes_next(input, 2))
        change_run(db, sqlite3_mprintf("DELETE FROM \"%w\" WHERE rowid %% %u = 0", table->table,
                                       1 + bytes_next(input, 5)));
    else
        change_run(db,
                   sqlite3_mprintf("INSERT OR REPLACE INTO \"%w\" SELECT * FROM \"%w\" LIMIT %u",
                                   table->table, table->table, bytes_next(input, 256)));
}
