/* run_fields: One question reads what the runs of a warehouse state, as JSON; another one holds the
 * sides of all warehouses against each other. */
#include "query/compare/run_fields.h"

#include "sql/database.h"
#include "src/base/visible.h"

/* ?1: [side, its name, run] for each run; a side of which nothing is stated has a row, too. */
static const char stated[] =
    "SELECT json_group_array(json_array(side, name, key, kind = 'origin', value)) FROM (SELECT "
    "DISTINCT pair.value ->> 0 AS side, pair.value ->> 1 AS name, label.key AS key, label.kind AS "
    "kind, label.value AS value FROM json_each(?1) AS pair LEFT JOIN run_label AS label ON "
    "label.run = pair.value ->> 2 AND label.kind IS NOT NULL ORDER BY side, key, label.value)";

/* ?1: such lists; ?2: the number of sides; ?3: whether each is held against the one before. */
static const char differing[] =
    "WITH row AS MATERIALIZED (SELECT row.value ->> 0 AS side, row.value ->> 1 AS name, row.value "
    "->> 2 AS key, row.value ->> 3 AS is_origin, row.value ->> 4 AS value "
    "FROM json_each(?1) AS file, json_each(file.value) AS row), "
    "said AS MATERIALIZED (SELECT side, key, list, (SELECT group_concat(value, ', ') FROM "
    "json_each(list) WHERE key < 3) || iif(json_array_length(list) > 3, format(' and %d more', "
    "json_array_length(list) - 3), '') AS words FROM (SELECT side, key, json_group_array(value) "
    "AS list FROM row WHERE key IS NOT NULL GROUP BY side, key)), "
    "side AS (SELECT DISTINCT side, name FROM row) "
    "SELECT own.side, field.is_origin, format('%s %s%s%s', field.key, coalesce(old.words, "
    "'not recorded'), iif(?3, ' to ', ' against '), coalesce(new.words, 'not recorded')), "
    "json_patch(json_object('field', field.key, 'kind', iif(field.is_origin, 'origin', 'setup'), "
    "'baseline', json(coalesce(old.list, '[]')), 'candidate', json(coalesce(new.list, '[]'))), "
    "json_object('side', iif(?2 > 2, own.name, NULL))) "
    "FROM side AS own JOIN side AS base ON base.side = iif(?3, own.side - 1, 0) AND own.side > 0 "
    "JOIN (SELECT key, max(is_origin) AS is_origin FROM row WHERE key IS NOT NULL GROUP BY key) AS "
    "field LEFT JOIN said AS old ON old.side = base.side AND old.key = field.key "
    "LEFT JOIN said AS new ON new.side = own.side AND new.key = field.key "
    "WHERE old.list IS NOT new.list ORDER BY own.side, field.is_origin, field.key";

bool run_fields_read(run_field_list *self, const struct side *sides, size_t side_count,
                     bool to_previous, struct error *error)
{
    struct text lists = {0}, runs = {0};
    bool done = true;
    for (size_t i = 0, first = 0; i < side_count && done; i++, first = 0) {
        while (sides[first].warehouse != sides[i].warehouse)
            first++;
        text_clear(&runs);
        for (size_t j = i; j < side_count && first == i; j++)
            for (size_t k = 0; sides[j].warehouse == sides[i].warehouse && k < sides[j].runs.count;
                 k++) {
                text_format(&runs, "%c[%zu", runs.count ? ',' : '[', j);
                text_format_json(&runs, ",%s,%s]", sides[j].name, sides[j].runs.items[k]);
            }
        if (!runs.count)
            continue;
        text_add_byte(&runs, ']');
        sqlite3_stmt *row = warehouse_prepare(sides[i].warehouse, stated, error);
        done = row != NULL;
        sqlite3_bind_text(row, 1, runs.items, -1, SQLITE_STATIC);
        while (warehouse_next(sides[i].warehouse, row, &done, error))
            text_format(&lists, "%c%s", lists.count ? ',' : '[', database_text(row, 0));
        database_finalize(row);
    }
    text_add_string(&lists, lists.count ? "]" : "[]");
    sqlite3_stmt *rows = done ? warehouse_prepare(sides[0].warehouse, differing, error) : NULL;
    done = rows != NULL;
    sqlite3_bind_text(rows, 1, lists.items, -1, SQLITE_STATIC);
    sqlite3_bind_int64(rows, 2, (int64_t)side_count);
    sqlite3_bind_int(rows, 3, to_previous);
    while (warehouse_next(sides[0].warehouse, rows, &done, error)) {
        struct text words = {0};
        visible_add(&words, view_of(database_text(rows, 2)));
        array_add(self,
                  (struct run_field){sqlite3_column_int64(rows, 0), sqlite3_column_int(rows, 1),
                                     words.items, memory_text(database_text(rows, 3))});
    }
    database_finalize(rows);
    text_free(&lists);
    text_free(&runs);
    return done;
}

void run_fields_add(const run_field_list *self, size_t side, size_t most, bool only_setup,
                    const char *before, const char *after, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct run_field *field = &self->items[i];
        if (field->side == (int64_t)side && !(only_setup && field->is_origin) && count++ < most)
            text_format(out, "%s%s", count > 1 ? "; " : before, field->words);
    }
    if (count > most)
        text_format(out, " and %zu more", count - most);
    text_add_string(out, count ? after : "");
}

void run_fields_free(run_field_list *self)
{
    for (size_t i = 0; i < self->count; i++) {
        memory_free(self->items[i].words);
        memory_free(self->items[i].json);
    }
    array_free(self);
}
