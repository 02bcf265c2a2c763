/* collective_table: collectives over the ranks of a run, and the kernels that they are.
 *
 *     collective         a row for each collective: what it is, latency, skew, who is missing
 *     collective_call    a row for each of its kernels
 *
 *     SELECT match_method, count(*) FROM collective GROUP BY 1
 *     SELECT rank, sum(wait_ns) FROM collective_call GROUP BY 1
 *
 * Both share one reading of the selection (collective_rows.h), which the connection keeps until
 * the database, the selection or an option changes. Equality is used on run, and of collective_call
 * on collective.
 */
#include "sql/binding/function.h"
#include "sql/binding/kept.h"
#include "sql/ranks/collective_read.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

struct cache {
    int shares;
    struct collective_rows rows;
    struct kept kept;
};

static void release(void *pointer)
{
    struct cache *self = pointer;
    if (!self || --self->shares > 0)
        return;
    collective_rows_free(&self->rows);
    kept_free(&self->kept);
    free(self);
}

struct table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct context *context;
    bool shows_kernels;
};

/* The reading of a run, or with NULL of all, with a share for the caller. */
static int get_rows(const struct table *table, sqlite3_value *run, struct cache **out)
{
    struct context *context = table->context;
    struct cache *cache = context->collectives;
    struct kept wanted = {0};
    int result = kept_make(&wanted, table->db, context, run, NULL) ? SQLITE_OK : SQLITE_NOMEM;
    if (result == SQLITE_OK && !(cache && kept_equal(&cache->kept, &wanted))) {
        release(cache);
        context->collectives = cache = calloc(1, sizeof *cache);
        context->free_collectives = release;
        result = cache ? SQLITE_OK : SQLITE_NOMEM;
        if (cache) {
            cache->shares = 1;
            result = collective_rows_read(&cache->rows, table->db, context, run);
            cache->kept = wanted;
            wanted = (struct kept){0};
        }
        if (result != SQLITE_OK) { /* half a reading is none */
            release(cache);
            context->collectives = cache = NULL;
        }
    }
    kept_free(&wanted);
    *out = cache;
    if (cache)
        cache->shares++;
    return result;
}

/* ------------------------------------------------------------------ the tables */

/* What both have. */
#define SHARED_COLUMNS                                                                          \
    "run TEXT, collective INTEGER, collective_id TEXT, group_name TEXT, group_key TEXT, "       \
    "group_ranks, collective_name, type TEXT, is_sync INTEGER, is_simple INTEGER, group_size, " \
    "dtype, in_elements, in_mb REAL, out_elements, out_mb REAL, stream INTEGER, match_method TEXT"

enum {
    COLUMN_RUN,
    COLUMN_COLLECTIVE,
    COLUMN_ID,
    COLUMN_GROUP,
    COLUMN_KEY,
    COLUMN_GROUP_RANKS,
    COLUMN_NAME,
    COLUMN_TYPE,
    COLUMN_SYNC,
    COLUMN_SIMPLE,
    COLUMN_SIZE,
    COLUMN_DTYPE,
    COLUMN_IN,
    COLUMN_IN_MB,
    COLUMN_OUT,
    COLUMN_OUT_MB,
    COLUMN_STREAM,
    COLUMN_METHOD,
    COLUMN_SHARED
};

enum {
    WHOLE_LATENCY = COLUMN_SHARED,
    WHOLE_SKEW_START,
    WHOLE_SKEW_END,
    WHOLE_MEAN_WAIT,
    WHOLE_EARLIEST,
    WHOLE_SUM_MB,
    WHOLE_SUM_ELEMENTS,
    WHOLE_RANKS,
    WHOLE_EXPECTED,
    WHOLE_DIFFERS,
};

enum {
    PART_TRACE = COLUMN_SHARED,
    PART_EVENT,
    PART_UID,
    PART_RANK,
    PART_LABEL,
    PART_PLACE,
    PART_INDEX,
    PART_IN_SPLIT,
    PART_OUT_SPLIT,
    PART_SEQ,
    PART_STEP,
    PART_COMMON,
    PART_CLOCK,
    PART_DUR,
    PART_WAIT,
    PART_SOURCE,
    PART_TRUNCATED,
};

static const char whole_declaration[] =
    "CREATE TABLE collective(" SHARED_COLUMNS ", latency_ns INTEGER, skew_start_ns INTEGER, "
    "skew_end_ns INTEGER, mean_wait_ns REAL, earliest, sum_mb REAL, sum_elements, ranks INTEGER, "
    "expected_ranks INTEGER, differs TEXT)";
static const char part_declaration[] =
    "CREATE TABLE collective_call(" SHARED_COLUMNS ", trace_id INTEGER, id INTEGER, uid INTEGER, "
    "rank, label, place INTEGER, index_in_group INTEGER, in_split, out_split, seq INTEGER, step "
    "INTEGER, common_ns INTEGER, clock_ns INTEGER, dur_ns INTEGER, wait_ns INTEGER, source TEXT, "
    "is_truncated INTEGER)";

struct cursor {
    sqlite3_vtab_cursor base;
    struct cache *cache;
    const uint32_t *order; /* of kernels; NULL = as they stand */
    size_t at, end;
};

static int connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                   sqlite3_vtab **out, char **error)
{
    (void)count, (void)error;
    bool shows_kernels = strcmp(arguments[0], "collective_call") == 0;
    int result = sqlite3_declare_vtab(db, shows_kernels ? part_declaration : whole_declaration);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct table){.db = db, .context = context, .shows_kernels = shows_kernels};
    *out = &table->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

enum { PLAN_RUN = 1, PLAN_COLLECTIVE = 2 };

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct table *table = (const struct table *)(const void *)base;
    int run = -1, collective = -1, arguments = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (!constraint->usable || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ ||
            sqlite3_vtab_in(info, i, -1))
            continue;
        if (constraint->iColumn == COLUMN_RUN &&
            sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0)
            run = i;
        if (constraint->iColumn == COLUMN_COLLECTIVE && table->shows_kernels)
            collective = i;
    }
    if (collective >= 0) /* the number says the run */
        run = -1;
    info->idxNum = (run >= 0 ? PLAN_RUN : 0) | (collective >= 0 ? PLAN_COLLECTIVE : 0);
    if (run >= 0)
        info->aConstraintUsage[run].argvIndex = ++arguments;
    if (collective >= 0)
        info->aConstraintUsage[collective].argvIndex = ++arguments;
    info->estimatedCost = collective >= 0 ? 10 : 1e5;
    info->estimatedRows = collective >= 0 ? 8 : 100000;
    return SQLITE_OK;
}

static int open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){0};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close(sqlite3_vtab_cursor *base)
{
    release(((struct cursor *)base)->cache);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *unused, int count,
                  sqlite3_value **arguments)
{
    (void)unused, (void)count;
    struct cursor *cursor = (struct cursor *)base;
    const struct table *table = (const struct table *)(void *)base->pVtab;
    struct cache *cache = NULL;
    int result = get_rows(table, plan & PLAN_RUN ? arguments[0] : NULL, &cache);
    release(cursor->cache);
    *cursor = (struct cursor){.base = *base, .cache = cache};
    if (result != SQLITE_OK)
        return result;
    const struct collective_rows *rows = &cache->rows;
    cursor->end = table->shows_kernels ? rows->kernels.count : rows->collectives.count;
    if (plan & PLAN_COLLECTIVE) {
        bool is_number = sqlite3_value_numeric_type(arguments[0]) == SQLITE_INTEGER;
        const struct collective *whole =
            is_number ? collective_find(rows, sqlite3_value_int64(arguments[0])) : NULL;
        cursor->order = rows->by_collective.items;
        cursor->at = whole ? whole->first : 0;
        cursor->end = whole ? whole->first + whole->count : 0;
    }
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base)
{
    return ((struct cursor *)base)->at >= ((struct cursor *)base)->end;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *number)
{
    const struct cursor *cursor = (const struct cursor *)base;
    *number = (sqlite3_int64)(cursor->order ? cursor->order[cursor->at] : cursor->at);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ handing out */

static void give_said(sqlite3_context *out, const struct collective_fact *fact, enum said what)
{
    if (fact->said[what])
        sqlite3_result_value(out, fact->said[what]);
}

static void give_text(sqlite3_context *out, const struct collective_rows *rows, uint32_t number)
{
    struct view text = intern_view(&rows->texts, number);
    sqlite3_result_text(out, text.bytes, (int)text.length, SQLITE_TRANSIENT);
}

static bool megabytes(const struct collective_fact *fact, enum said what, double *size)
{
    if (!fact->said[what] || !fact->element_bytes)
        return false;
    *size = sqlite3_value_double(fact->said[what]) * fact->element_bytes / 1048576;
    return true;
}

static void give_mb(sqlite3_context *out, const struct collective_fact *fact, enum said what)
{
    double size;
    if (megabytes(fact, what, &size))
        sqlite3_result_double(out, size);
}

static void give_id(sqlite3_context *out, const struct collective_rows *rows,
                    const struct collective *whole)
{
    const struct collective_group *group = &rows->groups.items[whole->group];
    struct view key = intern_view(&rows->texts, group->key);
    char *id = rows->runs.items[group->run].is_simple
                   ? sqlite3_mprintf("%u", whole->number)
                   : sqlite3_mprintf("%.*s_%u", (int)key.length, key.bytes, whole->number);
    if (id)
        sqlite3_result_text(out, id, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(out);
}

/* What a kernel says, or, of a collective, the first one that counts. */
static void give_shared(sqlite3_context *out, const struct collective_rows *rows,
                        const struct collective_kernel *kernel, int column)
{
    static const enum said said[] = {
        [COLUMN_GROUP_RANKS] = SAID_RANKS, [COLUMN_NAME] = SAID_NAME, [COLUMN_SIZE] = SAID_SIZE,
        [COLUMN_DTYPE] = SAID_DTYPE,       [COLUMN_IN] = SAID_IN,     [COLUMN_OUT] = SAID_OUT};
    const struct collective *whole = &rows->collectives.items[kernel->collective];
    const struct collective_group *group = &rows->groups.items[kernel->match_group];
    const struct collective_run *run = &rows->runs.items[group->run];
    const struct collective_fact *fact = &rows->facts.items[kernel->fact];
    switch (column) {
    case COLUMN_RUN:
        sqlite3_result_text(out, run->name, -1, SQLITE_TRANSIENT);
        break;
    case COLUMN_COLLECTIVE:
        sqlite3_result_int64(out, collective_number(rows, kernel->collective));
        break;
    case COLUMN_ID:
        give_id(out, rows, whole);
        break;
    case COLUMN_GROUP:
        give_text(out, rows, group->shown);
        break;
    case COLUMN_KEY:
        give_text(out, rows, group->key);
        break;
    case COLUMN_TYPE:
        if (fact->type)
            sqlite3_result_text(out, collective_type_names[fact->type], -1, SQLITE_STATIC);
        break;
    case COLUMN_SYNC:
        sqlite3_result_int(out, collective_is_sync(rows, kernel));
        break;
    case COLUMN_SIMPLE:
        sqlite3_result_int(out, run->is_simple);
        break;
    case COLUMN_IN_MB:
    case COLUMN_OUT_MB:
        give_mb(out, fact, column == COLUMN_IN_MB ? SAID_IN : SAID_OUT);
        break;
    case COLUMN_STREAM:
        if (kernel->stream != INT64_MIN)
            sqlite3_result_int64(out, kernel->stream);
        break;
    case COLUMN_METHOD:
        sqlite3_result_text(out, collective_method_names[group->method], -1, SQLITE_STATIC);
        break;
    default:
        give_said(out, fact, said[column]);
        break;
    }
}

static void give_part(sqlite3_context *out, const struct collective_rows *rows,
                      const struct collective_kernel *kernel, int column)
{
    const struct collective_rank *rank = &rows->ranks.items[kernel->rank];
    const struct collective_fact *fact = &rows->facts.items[kernel->fact];
    const struct collective *whole = &rows->collectives.items[kernel->collective];
    const int64_t numbers[] = {
        [PART_TRACE] = rank->trace_id,
        [PART_EVENT] = kernel->id,
        [PART_UID] = kernel->uid,
        [PART_PLACE] = rank->place,
        [PART_INDEX] = kernel->index,
        [PART_SEQ] = kernel->seq,
        [PART_STEP] = kernel->step,
        [PART_COMMON] = rank->start_ns + kernel->start,
        [PART_CLOCK] = rank->clock_start_ns + kernel->start,
        [PART_DUR] = kernel->dur,
        [PART_WAIT] = whole->last_start - rank->start_ns - kernel->start,
        [PART_TRUNCATED] = fact->is_truncated,
    };
    switch (column) {
    case PART_RANK:
    case PART_LABEL:
        if (column == PART_RANK ? rank->rank : rank->label)
            sqlite3_result_value(out, column == PART_RANK ? rank->rank : rank->label);
        break;
    case PART_IN_SPLIT:
        give_said(out, fact, SAID_IN_SPLIT);
        break;
    case PART_OUT_SPLIT:
        give_said(out, fact, SAID_OUT_SPLIT);
        break;
    case PART_SOURCE:
        give_said(out, fact, SAID_SOURCE);
        break;
    default:
        if ((column != PART_SEQ && column != PART_STEP) || numbers[column] != COLLECTIVE_UNKNOWN)
            sqlite3_result_int64(out, numbers[column]);
        break;
    }
}

/* The sum over all ranks; nothing where none says it. */
static void give_sum(sqlite3_context *out, const struct collective_rows *rows,
                     const struct collective *whole, bool of_bytes)
{
    double sum = 0, size;
    int64_t count = 0;
    bool is_known = false, is_whole = !of_bytes; /* whole: a number that integers can hold */
    for (uint32_t i = 0; i < whole->count; i++) {
        const struct collective_kernel *kernel =
            &rows->kernels.items[rows->by_collective.items[whole->first + i]];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        if (of_bytes ? !megabytes(fact, SAID_IN, &size) : !fact->said[SAID_IN])
            continue;
        is_known = true;
        sum += of_bytes ? size : sqlite3_value_double(fact->said[SAID_IN]);
        is_whole = is_whole && sqlite3_value_numeric_type(fact->said[SAID_IN]) == SQLITE_INTEGER &&
                   !__builtin_add_overflow(count, sqlite3_value_int64(fact->said[SAID_IN]), &count);
    }
    if (is_known && is_whole)
        sqlite3_result_int64(out, count);
    else if (is_known)
        sqlite3_result_double(out, sum);
}

static void give_differences(sqlite3_context *out, unsigned differs)
{
    static const char *const names[SAID_COUNT] = {[SAID_GROUP] = "Process Group Name",
                                                  [SAID_RANKS] = "Process Group Ranks",
                                                  [SAID_NAME] = "Collective name",
                                                  [SAID_SIZE] = "Group size",
                                                  [SAID_DTYPE] = "dtype",
                                                  [SAID_IN] = "In msg nelems",
                                                  [SAID_OUT] = "Out msg nelems"};
    struct text list = {0};
    bool done = true;
    for (int i = 0; i < SAID_COUNT && done; i++)
        if (differs >> i & 1)
            done = text_format(&list, "%s%s", list.count ? ", " : "", names[i]);
    if (!done)
        sqlite3_result_error_nomem(out);
    else if (list.count)
        sqlite3_result_text(out, list.items, (int)list.count, SQLITE_TRANSIENT);
    text_free(&list);
}

static void give_whole(sqlite3_context *out, const struct collective_rows *rows,
                       const struct collective *whole, int column)
{
    const struct collective_rank *earliest = &rows->ranks.items[whole->earliest];
    switch (column) {
    case WHOLE_LATENCY:
        sqlite3_result_int64(out, whole->latency);
        break;
    case WHOLE_SKEW_START:
        sqlite3_result_int64(out, whole->skew_start);
        break;
    case WHOLE_SKEW_END:
        sqlite3_result_int64(out, whole->skew_end);
        break;
    case WHOLE_MEAN_WAIT:
        sqlite3_result_double(out, whole->mean_wait);
        break;
    case WHOLE_EARLIEST:
        if (earliest->rank)
            sqlite3_result_value(out, earliest->rank);
        break;
    case WHOLE_SUM_MB:
    case WHOLE_SUM_ELEMENTS:
        give_sum(out, rows, whole, column == WHOLE_SUM_MB);
        break;
    case WHOLE_RANKS:
        sqlite3_result_int64(out, whole->ranks);
        break;
    case WHOLE_EXPECTED:
        if (whole->expected)
            sqlite3_result_int64(out, whole->expected);
        break;
    default:
        give_differences(out, whole->differs);
        break;
    }
}

/* The kernel whose words are those of the collective. */
static const struct collective_kernel *speaker(const struct collective_rows *rows,
                                               const struct collective *whole)
{
    const uint32_t *places = rows->by_collective.items + whole->first;
    uint32_t i = 0;
    while (whole->is_sync && !collective_is_sync(rows, &rows->kernels.items[places[i]]))
        i++;
    return &rows->kernels.items[places[i]];
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *out, int number)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const struct collective_rows *rows = &cursor->cache->rows;
    size_t at = cursor->order ? cursor->order[cursor->at] : cursor->at;
    if (((const struct table *)(void *)base->pVtab)->shows_kernels) {
        const struct collective_kernel *kernel = &rows->kernels.items[at];
        if (number < COLUMN_SHARED)
            give_shared(out, rows, kernel, number);
        else
            give_part(out, rows, kernel, number);
    } else {
        const struct collective *whole = &rows->collectives.items[at];
        if (number < COLUMN_SHARED)
            give_shared(out, rows, speaker(rows, whole), number);
        else
            give_whole(out, rows, whole, number);
    }
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open,
    .xClose = close,
    .xFilter = filter,
    .xNext = next,
    .xEof = eof,
    .xColumn = column,
    .xRowid = rowid,
};

#define SHARED_CALL                                                                           \
    "run, collective, collective_id, group_name, group_key, group_ranks, collective_name, "   \
    "type, is_sync, is_simple, group_size, dtype, in_elements, in_mb, out_elements, out_mb, " \
    "stream, match_method, "

const struct function collective_functions[] = {
    {.name = "collective",
     .call = "collective(" SHARED_CALL "latency_ns, skew_start_ns, skew_end_ns, mean_wait_ns, "
             "earliest, sum_mb, sum_elements, ranks, expected_ranks, differs)",
     .meaning =
         "A table: each collective of the selected runs that have several ranks, with what its "
         "first rank says about it. match_method tells how its kernels were found: seq, step, "
         "index or aligned; the option match names the first one that is tried. ranks of "
         "expected_ranks are there; differs lists what they disagree about. In those where is_sync "
         "is 1 ranks wait for each other: latency_ns is the least duration, earliest the rank that "
         "came first. sum_mb and sum_elements are what all ranks send.",
     .kind = FUNCTION_TABLE,
     .module = &module},
    {.name = "collective_call",
     .call = "collective_call(" SHARED_CALL "trace_id, id, uid, rank, label, place, "
             "index_in_group, in_split, out_split, seq, step, common_ns, clock_ns, dur_ns, "
             "wait_ns, source, is_truncated)",
     .meaning =
         "A table: the kernels of those collectives, with what each says about itself. common_ns "
         "is the start on a clock that ranks share, as far as the files tell, clock_ns that on the "
         "clock of the file, wait_ns the time until the last rank came. source tells who said it: "
         "kernel, param_comms (the op that launched it), inferred (from its name) or none.",
     .kind = FUNCTION_TABLE,
     .module = &module},
    {0},
};
