/* image_tool: a build tool that makes an empty warehouse without views and writes it as C
 * (embed.h). */
#include "sql/database.h"
#include "sql/warehouse/schema.h"

#include <stdio.h>

static bool make(sqlite3 *db, struct error *error)
{
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA page_size = %d", SCHEMA_PAGE_BYTES);
    return (sqlite3_exec(db, pragma, NULL, NULL, NULL) == SQLITE_OK ||
            database_error(db, pragma, error)) &&
           schema_create(db, error) &&
           (sqlite3_exec(db, "VACUUM", NULL, NULL, NULL) == SQLITE_OK ||
            database_error(db, "VACUUM", error));
}

int main(void)
{
    sqlite3 *db;
    struct error error = {0};
    if (sqlite3_open(":memory:", &db) != SQLITE_OK || !make(db, &error)) {
        fprintf(stderr, "image_tool: %s\n", error.text);
        return 1;
    }
    sqlite3_int64 size;
    unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
    if (!bytes)
        return 1;
    printf("#include \"sql/build/embed.h\"\n\nconst unsigned char image_bytes[] = {");
    for (sqlite3_int64 i = 0; i < size; i++)
        printf("%s%d,", i % 24 ? "" : "\n", bytes[i]);
    printf("};\nconst unsigned long image_size = %lld;\n", (long long)size);
    sqlite3_free(bytes);
    sqlite3_close(db);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
