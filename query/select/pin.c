/* pin: see pin.h. */
#include "query/select/pin.h"

#include "query/select/near.h"
#include "sql/database.h"
#include "src/base/hash.h"

#include <string.h>

/* A digest of the traces of a run, by their content and ranks. */
static bool digest_of(struct warehouse *warehouse, int64_t run, char digest[17],
                      struct error *error)
{
    struct text all = {0};
    sqlite3_stmt *rows = warehouse_prepare(
        warehouse,
        "SELECT content_hash, coalesce(rank, '') FROM trace WHERE run_id = ?1 ORDER BY 1, 2",
        error);
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, run);
    while (warehouse_next(warehouse, rows, &done, error))
        text_format(&all, "%s %s\n", (const char *)sqlite3_column_text(rows, 0),
                    (const char *)sqlite3_column_text(rows, 1));
    database_finalize(rows);
    sqlite3_snprintf(17, digest, "%016llx", (unsigned long long)hash64(all.items, all.count, 0));
    text_free(&all);
    return done;
}

static bool find_run(struct warehouse *warehouse, const char *name, int64_t *run,
                     struct error *error)
{
    *run = 0;
    return warehouse_ask_about(warehouse, "SELECT id FROM run WHERE name = ?1", name, run, error);
}

/* ------------------------------------------------------------------ asking */

/* A pin as it stands in the warehouse. */
struct pin {
    char *run, *digest; /* NULL: there is no such pin; empty: it was kept without */
};

static bool read_pin(struct warehouse *warehouse, const char *name, struct pin *pin,
                     struct error *error)
{
    sqlite3_stmt *row =
        warehouse_prepare(warehouse,
                          "SELECT value, (SELECT value FROM setting WHERE name = 'pinned:' || ?1) "
                          "FROM setting WHERE name = 'pin:' || ?1",
                          error);
    bool done = row != NULL;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    while (warehouse_next(warehouse, row, &done, error)) {
        const char *run = database_text(row, 0), *digest = database_text(row, 1);
        pin->run = run ? memory_text(run) : NULL;
        pin->digest = digest ? memory_text(digest) : NULL;
    }
    database_finalize(row);
    return done;
}

static bool unknown_pin(struct warehouse *warehouse, const char *name, struct error *error)
{
    struct text hint = {0};
    bool done = near_add(warehouse, name,
                         "SELECT substr(setting.name, length('pin:') + 1) FROM setting "
                         "JOIN run ON run.name = setting.value "
                         "WHERE setting.name GLOB 'pin:*' ORDER BY setting.name",
                         NULL, &hint, error);
    if (done && hint.count)
        error_set(error, STATUS_USAGE, "%s: no run is kept as '%.200s'%.300s", warehouse->path,
                  name, hint.items);
    else if (done)
        error_set(error, STATUS_USAGE,
                  "%s: no run is kept as '%.200s'; tpq gate --pin %.200s RUN does that",
                  warehouse->path, name, name);
    text_free(&hint);
    return false;
}

/* Whether the run is there, and as it was. */
static bool check_pin(struct warehouse *warehouse, const char *name, const struct pin *pin,
                      int64_t *run, struct error *error)
{
    char digest[17];
    if (!find_run(warehouse, pin->run, run, error))
        return false;
    if (!*run)
        return error_set(error, STATUS_USAGE,
                         "%s: @pin:%.200s was run '%.200s', which is not there any more; tpq gate "
                         "--pin %.200s RUN keeps another one",
                         warehouse->path, name, pin->run, name);
    return digest_of(warehouse, *run, digest, error) &&
           (!*pin->digest || strcmp(pin->digest, digest) == 0 ||
            error_set(error, STATUS_USAGE,
                      "%s: run '%.200s' has other traces than when it was kept as @pin:%.200s; tpq "
                      "gate --pin %.200s %.200s keeps it as it is now",
                      warehouse->path, pin->run, name, name, pin->run));
}

bool pin_find(struct warehouse *warehouse, const char *word, int64_t *run, struct error *error)
{
    const char *name = word + strlen(PIN_PREFIX);
    struct pin pin = {0};
    bool done = read_pin(warehouse, name, &pin, error) &&
                (pin.run ? check_pin(warehouse, name, &pin, run, error)
                         : unknown_pin(warehouse, name, error));
    memory_free(pin.run);
    memory_free(pin.digest);
    return done;
}

/* ------------------------------------------------------------------ keeping */

bool pin_keep(struct warehouse *warehouse, const char *name, const char *run, struct error *error)
{
    char digest[17];
    int64_t id;
    if (!find_run(warehouse, run, &id, error) || !digest_of(warehouse, id, digest, error))
        return false;
    sqlite3_stmt *row = warehouse_prepare(warehouse,
                                          "INSERT OR REPLACE INTO setting (name, value) VALUES "
                                          "('pin:' || ?1, ?2), ('pinned:' || ?1, ?3)",
                                          error);
    bool done = row != NULL;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 2, run, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 3, digest, -1, SQLITE_STATIC);
    warehouse_next(warehouse, row, &done, error);
    database_finalize(row);
    return done;
}
