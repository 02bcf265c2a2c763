/* tables: the tables of a warehouse as schema/ has them, and its views by name.
 *
 * Some came after the first files of this version of the schema, which may lack them: whoever opens
 * such a file makes them there, or for one connection (schema.h).
 */
#pragma once

#include "sql/build/embed.h"
#include "src/base/text.h"

/* The words behind CREATE TABLE of a table of ours, its name first; empty: it is none. */
struct view tables_words(const char *name);

/* The paths of the files of the catalog begin so. */
extern const char tables_catalog[];

/* Whether a file may lack a table. */
bool tables_came_later(struct view table);

/* A statement of schema/, or of overlay/, whose tables are only made for a connection. */
struct schema_statement {
    const char *path;
    struct view name, text;
    bool is_table;  /* else an index */
    bool is_stored; /* in a file */
    bool is_later;  /* which may lack it; an index stands behind its table */
};

/* All of them; returns how many. */
enum { SCHEMA_STATEMENTS_MAX = 160 };
size_t schema_statements(struct schema_statement list[SCHEMA_STATEMENTS_MAX]);

/* Appends the triggers that drop answers about runs (rollup.h), a line each, as they stand behind
 * CREATE or CREATE TEMP. Files are refused whose triggers have another text: whoever changes it has
 * to know the former one, too. */
void tables_triggers(struct text *lines);

/* The view of ours with this name; NULL: it is none. */
const struct sql_view *views_find(struct view name);
