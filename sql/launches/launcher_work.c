/* launcher_work: a table with a row for every launcher of GPU activities.
 *
 *     SELECT name_id, sum(direct_ns) FROM launcher_work GROUP BY trace_id, name_id
 *     SELECT launcher_id, overlapping_names FROM launcher_work WHERE overlap_pct > 0.5
 *
 * Collectives are no launcher's own work, but they are in the time below it. The category comes
 * from the catalog: it is asked once for each distinct pair of op and first kernel. What ran beside
 * the work (overlap.h) is only looked for when one of its columns is read; overlapping_names is a
 * JSON array, NULL where nothing did, and so is overlap_pct, a fraction of direct_ns. Reports on
 * ops follow each other and share a reading, which makes way for the larger one of calls.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/kernels/reference_time.h"
#include "sql/launches/launcher_rows.h"
#include "src/base/text.h"

struct work_cursor {
    struct table_cursor base;
    sqlite3_stmt *ask_name;
    struct text names; /* the list of names that was written last */
    uint32_t names_list;
};

/* Parts of a row; the last two are there when the columns are. */
enum { ROW, TRACE, COUNTED, OVERLAPPED };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct launcher_rows *rows = cursor->reading;
    const struct launcher_row *row = &rows->rows.items[index];
    cursor->parts[TRACE] = &rows->traces.items[row->trace];
    cursor->parts[COUNTED] = rows->count_kernels ? row : NULL;
    cursor->parts[OVERLAPPED] = row->partner_count ? row : NULL;
    return true;
}

static unsigned needed(const struct context *context, unsigned needs)
{
    bool has_modules = context_get(context, "group-by-parent-module") != NULL;
    return has_modules ? needs : needs & ~(unsigned)LAUNCHER_MODULE;
}

static void stop(struct table_cursor *base)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    database_finalize(cursor->ask_name);
    text_free(&cursor->names);
}

/* ------------------------------------------------------------------ columns */

/* The time is at the offset of the column. */
static int give_time(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct launcher_rows *rows = cursor->reading;
    const char *row = cursor->parts[ROW];
    reference_time_put(rows->compat, out,
                       *(const int64_t *)(const void *)(row + cursor->column->offset));
    return SQLITE_OK;
}

static int give_kernels(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct launcher_rows *rows = cursor->reading;
    const struct launcher_row *row = cursor->parts[ROW];
    sqlite3_result_blob64(out, rows->kernels.items + row->first_listed,
                          (size_t)row->count * sizeof *rows->kernels.items, SQLITE_STATIC);
    return SQLITE_OK;
}

static int give_partners(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct launcher_rows *rows = cursor->reading;
    const struct launcher_row *row = cursor->parts[ROW];
    sqlite3_result_blob64(out, rows->partners.items + row->first_partner,
                          row->partner_count * sizeof *rows->partners.items, SQLITE_STATIC);
    return SQLITE_OK;
}

/* Writes the names of a row's partners, unless they stand there from the row before. */
static int write_names(struct work_cursor *cursor, const struct launcher_row *row)
{
    static const char sql[] = "SELECT text FROM string WHERE id = ?1";
    const struct launcher_rows *rows = cursor->base.reading;
    sqlite3 *db = table_db(&cursor->base);
    if (cursor->names_list == row->names_list)
        return SQLITE_OK;
    cursor->names_list = 0;
    text_clear(&cursor->names);
    bool done = text_add_byte(&cursor->names, '[');
    for (size_t i = 0; i < row->partner_count && done; i++) {
        int64_t id = rows->partners.items[row->first_partner + i].name;
        const char *name;
        int result = database_find_text(db, &cursor->ask_name, sql, id, &name);
        if (result != SQLITE_OK)
            return result;
        done = (i == 0 || text_add_byte(&cursor->names, ',')) &&
               text_add_json(&cursor->names, view_of(name));
    }
    if (!done || !text_add_byte(&cursor->names, ']'))
        return SQLITE_NOMEM;
    cursor->names_list = row->names_list;
    return SQLITE_OK;
}

static int give_names(sqlite3_context *out, struct table_cursor *base)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    int result = write_names(cursor, base->parts[ROW]);
    if (result == SQLITE_OK)
        sqlite3_result_text64(out, cursor->names.items, cursor->names.count, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    return result;
}

#define OF_ROW(kind, member)   TABLE_AT(kind, ROW, struct launcher_row, member)
#define GIVEN(place, function) .origin = TABLE_GIVEN, .part = (place), .give = (function)
#define TIME(member) \
    .origin = TABLE_GIVEN, .offset = offsetof(struct launcher_row, member), .give = give_time

static const struct table_column columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN | TABLE_GROUP, TABLE_TRACE | TABLE_GROUP),
    {"is_recompute", "INTEGER",
     "whether the launcher recomputes activations; NULL when not asked for",
     OF_ROW(INT8, words.recompute), .role = TABLE_GROUP},
    {"launcher_id", "INTEGER", "id of the launcher: an op, or a runtime call without one",
     OF_ROW(INT64, id)},
    {"position", "INTEGER", "place in the trace by start, from 1", OF_ROW(UINT32, position)},
    {"name_id", "INTEGER", "id of the name of the launcher", OF_ROW(INT64, words.name),
     .role = TABLE_GROUP},
    {"category", "TEXT", "category of the launcher, from the catalog by its name and first kernel",
     OF_ROW(WORD, category), .role = TABLE_GROUP, .needs = LAUNCHER_CATEGORY},
    {"op_id", "INTEGER", "call signature of the launcher", OF_ROW(ID, words.op),
     .role = TABLE_GROUP},
    {"track_id", "INTEGER", "thread of the launcher", OF_ROW(INT64, words.track),
     .role = TABLE_GROUP},
    {"same_track_id", "INTEGER", "first track of the same names as the thread",
     OF_ROW(INT64, same_track), .role = TABLE_GROUP},
    {"ts_ns", "INTEGER", "start of the launcher, from the start of the trace",
     OF_ROW(INT64, words.start)},
    {"kernel_count", "INTEGER",
     "GPU activities that the launcher launched itself, without collectives", OF_ROW(INT64, count),
     .role = TABLE_GROUP},
    {"num_kernels", "INTEGER", "kernel_count with --group-by-num-kernels, else NULL",
     TABLE_AT(INT64, COUNTED, struct launcher_row, count), .role = TABLE_GROUP},
    {"direct_ns", "INTEGER", "GPU busy time that the launcher launched itself", TIME(direct)},
    {"subtree_ns", "INTEGER", "GPU busy time below the launcher, with collectives", TIME(below)},
    {"kernels", "BLOB", "GPU activities that the launcher launched itself, for kernel_details",
     GIVEN(ROW, give_kernels)},
    {"overlapping_names", "TEXT",
     "names of GPU activities that overlapped for at least a microsecond, of other ops on other "
     "streams, a JSON array; NULL for none",
     GIVEN(OVERLAPPED, give_names), .needs = LAUNCHER_OVERLAP},
    {"overlap_pct", "REAL", "overlapped part of direct_ns, as a fraction",
     TABLE_AT(REAL, OVERLAPPED, struct launcher_row, overlap_share), .needs = LAUNCHER_OVERLAP,
     .unit = ""},
    {"overlapping_kernels", "BLOB", "overlapping GPU activities, for kernel_details",
     GIVEN(OVERLAPPED, give_partners), .needs = LAUNCHER_OVERLAP},
    {"partners_not_examined", "INTEGER",
     "number of overlapping GPU activities not examined, in a trace where nearly everything "
     "overlaps",
     OF_ROW(INT64, not_examined), .needs = LAUNCHER_OVERLAP},
    {"kernel_names", "INTEGER",
     "number of the list of kernel names, equal for launchers with the same list",
     OF_ROW(INT64, kernel_names), .role = TABLE_GROUP},
    {"parent_module", "TEXT",
     "nearest nn.Module around the launcher, without the number at its end, with the option "
     "group_by_parent_module; NA for none",
     OF_ROW(WORD, module_name), .role = TABLE_GROUP, .needs = LAUNCHER_MODULE},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct launcher_rows),
                                             .read = launcher_rows_read,
                                             .needed = needed,
                                             .free = launcher_rows_free,
                                             .is_kept = true,
                                             .makes_way = true};

static const struct table table = {
    TABLE_ROWS(columns, 1e6, 1e4, reading, struct launcher_rows, rows),
    .traces = offsetof(struct launcher_rows, traces),
    .row = find_parts,
    .cursor_size = sizeof(struct work_cursor),
    .stop = stop,
};

const struct function launcher_functions[] = {
    TABLE("launcher_work", table,
          "A table: every op, or runtime call without an op, that launched selected GPU activities "
          "other than collectives."),
    {0},
};
