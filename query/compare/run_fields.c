/* run_fields: What the runs of each warehouse state is read with one question, as a JSON list of
 * [side, field, origin, value]; a second question holds sides against each other. */
#include "query/compare/run_fields.h"

#include "sql/database.h"
#include "src/base/visible.h"

static const char stated[] =
    "WITH label AS MATERIALIZED (SELECT run, key, value, source FROM run_label) "
    "SELECT json_group_array(json_array(side, key, kind = 'origin', value)) FROM (SELECT DISTINCT "
    "pair.value ->> 0 AS side, label.key AS key, label.value AS value, coalesce((SELECT kind FROM "
    "identity_key "
    "WHERE field = label.key), (SELECT kind FROM identity_key WHERE field IS NULL)) AS kind "
    "FROM json_each(?1) AS pair JOIN label ON label.run = pair.value ->> 1 WHERE label.key IN "
    "(SELECT key FROM label WHERE source = 'trace' UNION SELECT field FROM identity_key) "
    "ORDER BY side, label.key, label.value)";

/* ?1: such lists; ?2: [side, name]; ?3: whether against the one before. */
static const char differing[] =
    "WITH said AS MATERIALIZED (SELECT row.value ->> 0 AS side, row.value ->> 1 AS key, "
    "row.value ->> 2 AS is_origin, json_group_array(row.value ->> 3) AS list "
    "FROM json_each(?1) AS file, json_each(file.value) AS row GROUP BY 1, 2), "
    "words AS MATERIALIZED (SELECT side, key, list, (SELECT group_concat(value, ', ') FROM "
    "json_each(list) WHERE key < 3) || iif(json_array_length(list) > 3, format(' and %d more', "
    "json_array_length(list) - 3), '') AS words FROM said), "
    "side AS (SELECT value ->> 0 AS side, value ->> 1 AS name FROM json_each(?2)) "
    "SELECT own.side, field.is_origin, format('%s %s%s%s', field.key, coalesce(old.words, "
    "'not recorded'), iif(?3, ' to ', ' against '), coalesce(new.words, 'not recorded')), "
    "json_patch(json_object('field', field.key, 'kind', iif(field.is_origin, 'origin', 'setup'), "
    "'side', iif(json_array_length(?2) > 2, own.name, NULL)), json_object('baseline', "
    "json(coalesce(old.list, '[]')), 'candidate', json(coalesce(new.list, '[]')))) "
    "FROM side AS own JOIN side AS base ON base.side = iif(?3, own.side - 1, 0) AND own.side > 0 "
    "JOIN (SELECT key, max(is_origin) AS is_origin FROM said GROUP BY key) AS field "
    "LEFT JOIN words AS old ON old.side = base.side AND old.key = field.key "
    "LEFT JOIN words AS new ON new.side = own.side AND new.key = field.key "
    "WHERE old.list IS NOT new.list ORDER BY own.side, field.is_origin, field.key";

static void add_pair(struct text *list, size_t side, const char *name)
{
    text_format(list, "%c[%zu,", list->count ? ',' : '[', side);
    text_add_json(list, view_of(name));
    text_add_byte(list, ']');
}

bool run_fields_read(run_field_list *self, const struct side *sides, size_t side_count,
                     bool to_previous, struct error *error)
{
    struct text lists = {0}, names = {0};
    bool done = true;
    for (size_t i = 0; i < side_count && done; i++) {
        struct text pairs = {0};
        size_t first = 0;
        while (sides[first].warehouse != sides[i].warehouse)
            first++;
        if (!sides[i].sheets)
            add_pair(&names, i, sides[i].name);
        for (size_t j = i; j < side_count && first == i; j++)
            for (size_t k = 0; k < sides[j].runs.count && sides[j].warehouse == sides[i].warehouse;
                 k++)
                add_pair(&pairs, j, sides[j].runs.items[k]);
        if (!pairs.count)
            continue;
        text_add_byte(&pairs, ']');
        sqlite3_stmt *row = warehouse_prepare(sides[i].warehouse, stated, error);
        done = row != NULL;
        sqlite3_bind_text(row, 1, pairs.items, -1, SQLITE_STATIC);
        while (warehouse_next(sides[i].warehouse, row, &done, error))
            text_format(&lists, "%c%s", lists.count ? ',' : '[', database_text(row, 0));
        database_finalize(row);
        text_free(&pairs);
    }
    if (done && lists.count) {
        text_add_byte(&lists, ']');
        text_add_byte(&names, ']');
        sqlite3_stmt *rows = warehouse_prepare(sides[0].warehouse, differing, error);
        done = rows != NULL;
        sqlite3_bind_text(rows, 1, lists.items, -1, SQLITE_STATIC);
        sqlite3_bind_text(rows, 2, names.items, -1, SQLITE_STATIC);
        sqlite3_bind_int(rows, 3, to_previous);
        while (warehouse_next(sides[0].warehouse, rows, &done, error)) {
            struct text words = {0};
            visible_add(&words, view_of(database_text(rows, 2)));
            array_add(self,
                      (struct run_field){sqlite3_column_int64(rows, 0), sqlite3_column_int(rows, 1),
                                         words.items, memory_text(database_text(rows, 3))});
        }
        database_finalize(rows);
    }
    text_free(&lists);
    text_free(&names);
    return done;
}

void run_fields_add(const run_field_list *self, size_t side, size_t most, bool only_setup,
                    struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct run_field *field = &self->items[i];
        if (field->side == (int64_t)side && !(only_setup && field->is_origin) && count++ < most)
            text_format(out, "%s%s", count > 1 ? "; " : "", field->words);
    }
    if (count > most)
        text_format(out, " and %zu more", count - most);
}

void run_fields_free(run_field_list *self)
{
    for (size_t i = 0; i < self->count; i++) {
        memory_free(self->items[i].words);
        memory_free(self->items[i].json);
    }
    array_free(self);
}
