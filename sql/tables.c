/* tables: see tables.h. */
#include "sql/tables.h"

#include "sql/embed.h"

#include <stdio.h>

const char *const tables_later[] = {"health_fact", "health_check", "health_touch", NULL};

struct view tables_words(const char *name)
{
    char start[128];
    int length = snprintf(start, sizeof start, "CREATE TABLE %s (", name);
    for (int i = 0; i < sql_file_count; i++) {
        const char *found = text_starts_with(sql_files[i].path, "schema/")
                                ? strstr(sql_files[i].text, start)
                                : NULL;
        const char *end = found ? strstr(found + length, ";\n") : NULL;
        if (end) {
            found += strlen("CREATE TABLE ");
            return (struct view){found, (size_t)(end - found)};
        }
    }
    return (struct view){"", 0};
}

bool tables_came_later(struct view table)
{
    for (const char *const *later = tables_later; *later; later++)
        if (view_equal(table, view_of(*later)))
            return true;
    return false;
}
