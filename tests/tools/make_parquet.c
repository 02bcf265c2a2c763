/* make_parquet: files for tests of the writer of Parquet, whose rows test_parquet.py knows.
 *
 *     make_parquet rows N FILE     N rows, each column a rule
 *     make_parquet edges FILE      the least, the most, the longest
 */
#include "query/parquet/parquet.h"

#include <inttypes.h>
#include <math.h>

enum { PAGE = 20480, LONG_TEXT = 2 << 20 };

static const struct cell null = {.type = CELL_NULL};

static struct cell integer(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

static struct cell real(double value)
{
    return (struct cell){.type = CELL_REAL, .real = value};
}

static struct cell text(const char *value)
{
    return (struct cell){.type = CELL_TEXT, .text = view_of(value)};
}

static const struct parquet_field rule_fields[] = {
    {"row", CELL_INTEGER}, {"few", CELL_INTEGER},     {"part", CELL_REAL}, {"name", CELL_TEXT},
    {"own", CELL_TEXT},    {"nothing", CELL_INTEGER}, {"ends", CELL_TEXT}, {"some", CELL_REAL},
};

/* Must be what rows() in test_parquet.py gives. */
static bool add_row(struct parquet *file, int64_t row)
{
    char name[32], own[32];
    snprintf(name, sizeof name, "name %" PRId64, row / 3 % 200);
    snprintf(own, sizeof own, "%" PRId64 " is its own", row);
    const struct cell cells[] = {
        integer(row * 1000003 - 500),
        row % 11 ? integer(row % 7 - 3) : null,
        real((double)row / 8),
        text(name),
        text(own),
        null,
        row % PAGE == PAGE - 1 ? null : text("same"),
        row % 2 ? null : real((double)(row % 5)),
    };
    return parquet_add(file, cells);
}

static bool add_rows(struct parquet *file, int64_t count)
{
    bool done = true;
    for (int64_t row = 0; row < count && done; row++)
        done = add_row(file, row);
    return done;
}

static const struct parquet_field edge_fields[] = {
    {"number", CELL_INTEGER}, {"real", CELL_REAL}, {"text", CELL_TEXT}};

/* Must be EDGES in test_parquet.py. */
static bool add_edges(struct parquet *file)
{
    char *most = memory_take(LONG_TEXT + 1);
    memset(most, 'x', LONG_TEXT);
    most[LONG_TEXT] = '\0';
    const struct cell rows[][3] = {
        {integer(INT64_MIN), real(-0.0), text("")},
        {integer(INT64_MAX), real(0.0), text(most)},
        {integer(-1), real(INFINITY), text("\xc3\xa4")},
        {integer(0), real(-INFINITY), null},
        {null, real(5e-324), text("")},
        {integer(INT64_MIN), null, text(most)},
    };
    bool done = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && done; i++)
        done = parquet_add(file, rows[i]);
    memory_free(most);
    return done;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

int main(int count, char **words)
{
    bool is_rules = count == 4;
    const char *path = words[count - 1];
    struct error error = {.text = "usage: make_parquet rows N FILE | edges FILE"};
    struct parquet file = {.chunks = NULL};
    struct chunk_tools tools = {.raw = {0}};
    FILE *out = count >= 3 ? fopen(path, "wb") : NULL;
    const struct parquet_fact facts[] = {{"made by", "make_parquet"}, {"empty", ""}};
    bool done =
        out &&
        (is_rules
             ? parquet_open(&file, out, path, rule_fields, COUNT(rule_fields), &tools, &error) &&
                   add_rows(&file, strtoll(words[2], NULL, 10))
             : parquet_open(&file, out, path, edge_fields, COUNT(edge_fields), &tools, &error) &&
                   add_edges(&file)) &&
        parquet_finish(&file, facts, COUNT(facts));
    parquet_close(&file);
    chunk_tools_free(&tools);
    if (out)
        done = fclose(out) == 0 && done;
    if (!done)
        fprintf(stderr, "%s\n", error.text);
    return done ? 0 : 1;
}
