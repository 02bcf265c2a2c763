/* changes: what an input does to the rows of a warehouse.
 *
 * The bytes of an input are eaten one after the other: each says which table, column, value or row
 * it is about. Where a change does not work, nothing changes.
 */
#pragma once

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

struct bytes {
    const uint8_t *at;
    size_t left;
};

/* The next byte, as a number below `below`; 0 at the end. */
unsigned bytes_next(struct bytes *self, size_t below);

/* A table, with its columns, or a view. */
struct part {
    char *type, *table, *columns[64];
    unsigned column_count;
};

/* Tables come first. */
struct schema {
    struct part parts[512];
    unsigned count;
};

void schema_read(struct schema *self, sqlite3 *db);

/* Takes from the tables what keeps their values in order. */
void schema_relax(sqlite3 *db);

const struct part *schema_table(const struct schema *self, struct bytes *input);
const char *part_column(const struct part *self, struct bytes *input);

/* A wild value, or bytes of the input as a text or a blob, as SQL. Freed with sqlite3_free. */
char *wild_value(struct bytes *input);

/* Runs a statement and frees it. */
void change_run(sqlite3 *db, char *sql);

/* Cells become anything; they become more; rows go or come twice. */
void change_cells(sqlite3 *db, const struct schema *schema, struct bytes *input);
void change_sums(sqlite3 *db, const struct schema *schema, struct bytes *input);
void change_rows(sqlite3 *db, const struct schema *schema, struct bytes *input);
