/* export_rows: what writing a table of an export costs, beside stepping through its rows.
 *
 *     export_rows WAREHOUSE fact_gpu          prints the number of rows that were stepped through
 *     export_rows WAREHOUSE fact_gpu DIR      the same, and writes them to DIR, which is made
 *
 * All traces are selected; of a warehouse with one of them this is what the export of it does.
 */
#include "query/export/dataset.h"

#include <inttypes.h>

static const struct export_table *find(const struct export_tables *tables, const char *name)
{
    for (size_t i = 0; i < tables->count; i++)
        if (strcmp(tables->items[i].name, name) == 0)
            return &tables->items[i];
    return NULL;
}

static bool step(struct warehouse *warehouse, const struct export_table *table, int64_t *rows,
                 struct error *error)
{
    sqlite3_stmt *statement = export_table_rows(table, warehouse, error);
    bool done = statement != NULL;
    while (warehouse_next(warehouse, statement, &done, error))
        ++*rows;
    sqlite3_finalize(statement);
    return done;
}

static bool write_table(struct warehouse *warehouse, const struct export_table *table,
                        const char *path, int64_t *rows, struct error *error)
{
    struct dataset dataset;
    struct chunk_tools tools = {.raw = {0}};
    struct table_file file = {
        .table = table, .options = "{}", .dataset = &dataset, .tools = &tools, .error = error};
    bool done =
        dataset_open(&dataset, path, true, error) &&
        table_file_add(&file, warehouse, "run", "trace", rows) && table_file_finish(&file, "run") &&
        (!file.is_open || dataset_place(&dataset, &file.place, table->name, "run", "run.parquet"));
    table_file_drop(&file);
    database_finalize(file.rows);
    chunk_tools_free(&tools);
    return done;
}

int main(int count, char **arguments)
{
    struct error error = {0};
    struct warehouse warehouse = {0};
    struct export_tables tables = {0};
    static const char *no_sets[] = {NULL};
    const struct fact_choice choice = {.sheets = "none", .sets = no_sets, .has_events = true};
    int64_t rows = 0;
    if (count != 3 && count != 4)
        return 2;
    bool done = warehouse_start(&error) &&
                warehouse_open(&warehouse, arguments[1], WAREHOUSE_READ, 0, &error);
    if (done) {
        done = export_tables_open(&tables, &warehouse, &choice, &error);
        const struct export_table *table = done ? find(&tables, arguments[2]) : NULL;
        done = table && (count == 4 ? write_table(&warehouse, table, arguments[3], &rows, &error)
                                    : step(&warehouse, table, &rows, &error));
        warehouse_close(&warehouse);
    }
    if (!done)
        fprintf(stderr, "export_rows: %s\n", error.text);
    printf("%" PRId64 "\n", rows);
    return !done;
}
