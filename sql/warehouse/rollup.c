/* rollup: A file is trusted with answers when it has all triggers, which judging it has held
 * against ours. Answers wait in memory until the connection ends. Then the lock to write is taken,
 * and the number of commits of others that this connection has seen tells whether they still hold.
 */
#include "sql/warehouse/rollup.h"

#include "sql/warehouse/opening.h"
#include "sql/warehouse/rollup.sql.h"
#include "sql/warehouse/schema.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ reading */

struct kept_answer {
    char *run, *question, *rows;
    size_t length;
    bool is_text;
};

struct rollups {
    bool is_kept;
    char maker[ROLLUP_MAKER]; /* the program and the catalog that answers are made by */
    ARRAY(struct kept_answer) fresh;
    size_t bytes;
};

static void end_rollups(struct warehouse *self, bool is_lost);

bool rollup_is_watched(sqlite3 *db, const char *schema)
{
    struct text lines = {0};
    int64_t triggers = 0, has_all = 0;
    tables_triggers(&lines);
    for (size_t i = 0; i < lines.count; i++)
        triggers += lines.items[i] == '\n';
    text_free(&lines);
    char *sql = database_format("SELECT count(*) FILTER (WHERE type = 'trigger') = ?1 AND count(*) "
                                "FILTER (WHERE name = 'rollup') FROM \"%w\".sqlite_master",
                                schema);
    int result = database_ask(db, sql, triggers, &has_all);
    memory_free(sql);
    return result == SQLITE_OK && has_all;
}

void rollup_maker(char maker[ROLLUP_MAKER])
{
    char catalog[17];
    views_fingerprint(catalog);
    snprintf(maker, ROLLUP_MAKER, "%s %s", TPQ_VERSION, catalog);
}

bool rollup_is_kept(struct warehouse *self)
{
    if (self->rollups)
        return self->rollups->is_kept;
    struct rollups *rollups = self->rollups = memory_zeroed(1, sizeof *rollups);
    self->end_rollups = end_rollups;
    if (self->mode != WAREHOUSE_READ || self->is_copy || opening_trusts())
        return false;
    struct error ignored = {0};
    bool current = false;
    rollups->is_kept = views_current(self->db, &current, &ignored) && current &&
                       rollup_is_watched(self->db, "main");
    rollup_maker(rollups->maker);
    return rollups->is_kept;
}

bool rollup_find(struct warehouse *self, const char *run, const char *question, struct text *rows)
{
    static const char sql[] =
        "SELECT rollup.rows FROM main.run JOIN main.rollup ON run_id = run.id "
        "WHERE run.name = ?1 AND question = ?2 AND made_by = ?3";
    sqlite3_stmt *row = NULL;
    if (!rollup_is_kept(self) || statements_take(self->context, self->db, sql, &row) != SQLITE_OK)
        return false;
    sqlite3_bind_text(row, 1, run, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 2, question, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 3, self->rollups->maker, -1, SQLITE_STATIC);
    bool found = sqlite3_step(row) == SQLITE_ROW;
    const void *bytes = found ? sqlite3_column_blob(row, 0) : NULL;
    text_clear(rows);
    if (bytes)
        text_add(rows, bytes, (size_t)sqlite3_column_bytes(row, 0));
    statements_leave(self->context, row);
    return bytes != NULL;
}

/* ------------------------------------------------------------------ writing */

void rollup_keep(struct warehouse *self, const char *run, const char *question, struct view rows,
                 bool is_text)
{
    enum { BYTES_MAX = 64 << 20 }; /* that wait: a call about more runs keeps a part of them */
    if (!rollup_is_kept(self) || warehouse_is_guarded() ||
        self->rollups->bytes + rows.length > BYTES_MAX)
        return;
    self->rollups->bytes += rows.length;
    array_add(&self->rollups->fresh,
              (struct kept_answer){memory_text(run), memory_text(question),
                                   memory_part(rows.bytes, rows.length), rows.length, is_text});
}

/* Writes answers from one on, of at most a hundred runs; gives the place behind them. */
static size_t write_some(const struct rollups *self, sqlite3 *db, size_t first)
{
    enum { RUNS = 100 };
    sqlite3_stmt *row = NULL;
    size_t runs = 0, i = first;
    bool done = database_prepare(db, keep_rollup, &row, NULL) == SQLITE_OK;
    for (; i < self->fresh.count && done; i++) {
        const struct kept_answer *one = &self->fresh.items[i];
        runs += i == first || strcmp(one->run, one[-1].run) != 0;
        if (runs > RUNS)
            break;
        sqlite3_bind_text(row, 1, one->run, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 2, one->question, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 3, self->maker, -1, SQLITE_STATIC);
        if (one->is_text)
            sqlite3_bind_text(row, 4, one->rows, (int)one->length, SQLITE_STATIC);
        else
            sqlite3_bind_blob(row, 4, one->rows, (int)one->length, SQLITE_STATIC);
        sqlite3_step(row);
        done = sqlite3_reset(row) == SQLITE_OK;
    }
    database_finalize(row);
    return done ? i : SIZE_MAX;
}

static void write_all(struct warehouse *self)
{
    struct warehouse writer;
    struct error ignored = {0};
    struct rollups *rollups = self->rollups;
    static const char version[] = "PRAGMA data_version";
    if (!rollups->fresh.count || access(self->path, W_OK) != 0 ||
        !warehouse_open(&writer, self->path, WAREHOUSE_WRITE, 0, &ignored))
        return;
    int64_t now = 0, before = 0;
    for (size_t at = 0; at < rollups->fresh.count;) {
        if (!database_begin(writer.db, &ignored))
            break;
        /* Behind the first part the writer's own number tells. */
        sqlite3 *witness = at ? writer.db : self->db;
        int64_t *known = at ? &before : &self->version;
        size_t end = SIZE_MAX;
        if (database_ask(witness, version, 0, &now) == SQLITE_OK && now == *known &&
            database_ask(writer.db, version, 0, &before) == SQLITE_OK)
            end = write_some(rollups, writer.db, at);
        if (!database_finish(writer.db, end != SIZE_MAX, &ignored))
            break;
        at = end;
    }
    warehouse_close(&writer);
}

static void end_rollups(struct warehouse *self, bool is_lost)
{
    if (!is_lost)
        write_all(self);
    for (size_t i = 0; i < self->rollups->fresh.count; i++) {
        memory_free(self->rollups->fresh.items[i].run);
        memory_free(self->rollups->fresh.items[i].question);
        memory_free(self->rollups->fresh.items[i].rows);
    }
    array_free(&self->rollups->fresh);
    memory_free(self->rollups);
    self->rollups = NULL;
    self->end_rollups = NULL;
}
