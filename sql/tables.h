/* tables: the tables of a warehouse as schema/ has them, and its views by name.
 *
 * Some came after the first files of this version of the schema, which may lack them: whoever opens
 * such a file makes them there, or for one connection (views.h).
 */
#pragma once

#include "sql/embed.h"
#include "src/base/text.h"

/* The words behind CREATE TABLE of a table of ours, its name first; empty: it is none. */
struct view tables_words(const char *name);

/* The words behind CREATE INDEX of its index by trace; empty: it has none. */
struct view tables_index_words(const char *name);

/* Tables that a file may lack; the list ends with NULL. */
extern const char *const tables_later[];
bool tables_came_later(struct view table);

/* A statement of schema/, and in overlay/, whose tables are only made for a connection. */
struct schema_statement {
    const char *type; /* table or index; of overlay/ empty */
    struct view name, text;
};

/* All of them; returns how many. */
enum { SCHEMA_STATEMENTS_MAX = 160 };
size_t schema_statements(struct schema_statement list[SCHEMA_STATEMENTS_MAX]);

/* The view of ours with this name; NULL: it is none. */
const struct sql_view *views_find(struct view name);
