/* work_sequence: a table of kernel sequences that ops launch again and again.
 *
 *     SELECT op_name_id, length, count, pattern FROM work_sequence
 *
 * An op that is not inside an op of the same name is one occurrence of the work below it, in the
 * order of starts. Equal sequences below ops of one name are a row, with how often they occurred;
 * sequences that occurred once, or are shorter than --sequence-min, are not included. They are
 * told apart by hashes that grow with the list of all work, so that nested ops cost no more.
 */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <string.h>

struct piece {
    int64_t id, start, duration, name;
    uint64_t hash;     /* of the names up to here */
    uint32_t inverted; /* pieces up to here that start before the one before them */
    int64_t time;      /* durations up to here */
};

struct sequence {
    int64_t trace, op_name, length, count, work, host;
    size_t first; /* place in `names` */
    const char *run;
};

struct sequence_rows {
    ARRAY(struct sequence) rows;
    ARRAY(int64_t) names; /* of the pieces of each */
    trace_list traces;
};

struct open_op {
    int64_t name, last_id;
};

struct reader {
    sqlite3 *db;
    struct context *context;
    struct sequence_rows *rows;
    const struct selected_trace *trace;
    ARRAY(struct piece) pieces; /* by id */
    size_t first;               /* of them that may be below an op */
    ARRAY(uint64_t) powers;
    ARRAY(struct open_op) open;
    ARRAY(struct piece) sorted; /* a slice whose order is another one */
    struct map open_names;      /* how many ops of the name are open */
    struct map known;           /* op and hash -> place of the row + 1 */
    size_t least;
};

/* Hashes are polynomials in a number beyond all names, modulo a prime (2^61 - 1). */
static const uint64_t prime = ((uint64_t)1 << 61) - 1, base = 0x1a2b3c4d5e6f7081;

__extension__ typedef unsigned __int128 wide;

static uint64_t times(uint64_t left, uint64_t right)
{
    wide product = (wide)left * right;
    uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t behind(uint64_t hash, int64_t name)
{
    return (times(hash, base % prime) + (uint64_t)name % prime + 1) % prime;
}

ORDER_BY(compare_pieces, struct piece, UP(start) || UP(id));

/* The hash of pieces from `first` on in their order; they are in `*pieces` then. */
static void hash_slice(struct reader *self, size_t first, size_t count, const struct piece **pieces,
                       uint64_t *hash)
{
    const struct piece *items = self->pieces.items + first;
    *pieces = items;
    if (items[0].inverted == items[count - 1].inverted) {
        uint64_t before = first ? self->pieces.items[first - 1].hash : 0;
        uint64_t power = times(self->powers.items[count - 1], base % prime);
        *hash = (items[count - 1].hash + prime - times(before, power)) % prime;
        return;
    }
    self->sorted.count = 0;
    array_reserve(&self->sorted, count);
    memcpy(self->sorted.items, items, count * sizeof *items);
    self->sorted.count = count;
    array_sort(&self->sorted, compare_pieces);
    *pieces = self->sorted.items;
    *hash = 0;
    for (size_t i = 0; i < count; i++)
        *hash = behind(*hash, (*pieces)[i].name);
}

static void add_occurrence(struct reader *self, int64_t name, int64_t host, size_t first,
                           size_t count)
{
    struct sequence_rows *rows = self->rows;
    const struct piece *pieces;
    uint64_t hash;
    hash_slice(self, first, count, &pieces, &hash);
    uint32_t *place = map_put(&self->known, name, (int64_t)(hash ^ (uint64_t)count << 61));
    if (!*place) {
        array_reserve(&rows->names, count);
        struct sequence *row = array_push(&rows->rows);
        *row = (struct sequence){.trace = self->trace->id,
                                 .op_name = name,
                                 .length = (int64_t)count,
                                 .first = rows->names.count,
                                 .run = self->trace->run};
        for (size_t i = 0; i < count; i++)
            rows->names.items[rows->names.count++] = pieces[i].name;
        *place = (uint32_t)rows->rows.count;
    }
    struct sequence *row = &rows->rows.items[*place - 1];
    int64_t before = first ? self->pieces.items[first - 1].time : 0;
    row->count++;
    row->work = number_sum(row->work, self->pieces.items[first + count - 1].time - before);
    row->host = number_sum(row->host, host);
}

/* Where there is no work below an op there is none below what is in it: it need not be open. */
static int take_op(void *reader, int64_t id, const int64_t *op)
{
    struct reader *self = reader;
    int64_t name = op[0], duration = op[1];
    const struct piece *pieces = self->pieces.items;
    size_t count = self->pieces.count, end;
    int64_t last = number_sum(id, op[2]);
    while (self->first < count && pieces[self->first].id < id)
        self->first++;
    if (self->first >= count || pieces[self->first].id > last)
        return SQLITE_OK;
    while (self->open.count && self->open.items[self->open.count - 1].last_id < id)
        --*map_put(&self->open_names, self->open.items[--self->open.count].name, 0);
    uint32_t *open = map_put(&self->open_names, name, 0);
    array_add(&self->open, (struct open_op){name, last});
    if ((*open)++ > 0)
        return SQLITE_OK;
    ARRAY_LOWER_BOUND(end, count, pieces[end].id <= last);
    count = end - self->first;
    if (count >= self->least)
        add_occurrence(self, name, duration, self->first, count);
    return SQLITE_OK;
}

static int read_range(struct reader *self, int64_t first, int64_t last)
{
    static const char *const columns[] = {"name_id", "dur_ns", "below"};
    struct text busy = {0};
    int result =
        rows_add_kinds(self->db, self->context, "role = 'op' AND name <> 'cuda_sync'", &busy);
    if (result == SQLITE_OK)
        text_add_string(&busy, " AND below > 0");
    struct rows_wish wish = {.table = "event",
                             .columns = columns,
                             .count = sizeof columns / sizeof *columns,
                             .only = busy.items,
                             .first = first,
                             .last = last};
    if (result == SQLITE_OK)
        result = rows_each_number(self->db, self->context, &wish, take_op, self);
    text_free(&busy);
    return result;
}

static int work_sequence_read_trace(struct sequence_rows *rows, const struct table_wish *wish,
                                    const struct selected_trace *trace)
{
    const char *least = context_get(wish->context, "sequence-min");
    struct reader self = {.db = wish->db,
                          .context = wish->context,
                          .rows = rows,
                          .trace = trace,
                          .least = least ? strtoul(least, NULL, 10) : 1};
    struct asked asked;
    struct piece piece = {0};
    int64_t first, last_event;
    ASK(&asked, self.db,
        "SELECT gpu_event.id, ts_ns, dur_ns, name_id FROM scope CROSS JOIN gpu_event "
        "ON gpu_event.id BETWEEN scope.first_event AND scope.last_event "
        "WHERE scope.run = ?1 AND scope.trace_id = ?2 AND call_id IS NOT NULL "
        "AND category_id IN (SELECT id FROM category WHERE name IN ('kernel', 'gpu_memcpy', "
        "'gpu_memset')) ORDER BY gpu_event.id",
        trace->run, trace->id);
    while (ASKED_ROW(&asked, &piece.id, &piece.start, &piece.duration, &piece.name)) {
        /* Sums and hashes up to each piece: those of any stretch are differences of two. */
        const struct piece *last =
            self.pieces.count ? &self.pieces.items[self.pieces.count - 1] : NULL;
        piece.hash = behind(last ? last->hash : 0, piece.name);
        piece.time = number_sum(last ? last->time : 0, piece.duration);
        piece.inverted = (last ? last->inverted : 0) + (last && piece.start < last->start);
        uint64_t power =
            self.powers.count ? times(self.powers.items[self.powers.count - 1], base % prime) : 1;
        array_add(&self.pieces, piece);
        array_add(&self.powers, power);
    }
    int result = asked_end(&asked);
    ASK(&asked, self.db,
        "SELECT first_event, last_event FROM scope WHERE run = ?1 AND trace_id = ?2 "
        "ORDER BY first_event",
        trace->run, trace->id);
    while (result == SQLITE_OK && ASKED_ROW(&asked, &first, &last_event))
        result = read_range(&self, first, last_event);
    int end = asked_end(&asked);
    arrays_free(&self.pieces, &self.powers, &self.open, &self.sorted);
    map_free(&self.open_names);
    map_free(&self.known);
    return result == SQLITE_OK ? end : result;
}

static int work_sequence_read_rows(void *reading, const struct table_wish *wish,
                                   struct error *error)
{
    (void)error;
    struct sequence_rows *rows = reading;
    int result = ranges_traces(wish, &rows->traces);
    for (size_t i = 0; result == SQLITE_OK && i < rows->traces.count; i++)
        result = work_sequence_read_trace(rows, wish, &rows->traces.items[i]);
    return result;
}

static const struct table_reading reading = {.size = sizeof(struct sequence_rows),
                                             .read = work_sequence_read_rows};

static bool is_repeated(struct table_cursor *cursor, size_t index)
{
    const struct sequence_rows *rows = cursor->reading;
    return rows->rows.items[index].count > 1;
}

static int give_pattern(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct sequence_rows *rows = cursor->reading;
    const struct sequence *row = cursor->parts[0];
    struct text pattern = {0};
    sqlite3_stmt *ask_name = NULL;
    int result = SQLITE_OK;
    for (int64_t i = 0; i < row->length && result == SQLITE_OK; i++) {
        const char *name;
        result =
            database_find_text(table_db(cursor), &ask_name, "SELECT text FROM string WHERE id = ?1",
                               rows->names.items[row->first + (size_t)i], &name);
        if (result == SQLITE_OK) {
            text_add_string(&pattern, i ? " | " : "");
            text_add_string(&pattern, name);
        }
    }
    if (result == SQLITE_OK)
        sqlite3_result_text64(out, pattern.items, pattern.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    database_finalize(ask_name);
    text_free(&pattern);
    return result;
}

#define OF_ROW(kind, member) TABLE_AT(kind, 0, struct sequence, member)

static const struct table_column columns[] = {
    {"run", "name of the run", OF_ROW(WORD, run)},
    {"trace_id", "id of the trace", OF_ROW(INT64, trace)},
    {"op_name_id", "name of the op", OF_ROW(INT64, op_name)},
    {"length", "GPU activities of the sequence", OF_ROW(INT64, length)},
    {"count", "number of occurrences", OF_ROW(INT64, count)},
    {"work_ns", "sum of the durations of the GPU activities", OF_ROW(INT64, work)},
    {"host_ns", "sum of the durations of the ops", OF_ROW(INT64, host)},
    {"pattern", "names of the GPU activities, joined by ' | '", .origin = TABLE_GIVEN,
     .give = give_pattern, .type = "TEXT"},
    {0},
};

static const struct table table = {
    TABLE_ROWS(columns, 1e4, 1e3, reading, struct sequence_rows, rows),
    .row = is_repeated,
};

const struct function sequence_functions[] = {
    TABLE("work_sequence", table,
          "A table: sequences of GPU activities that ops of one name launched twice and more."),
    {0},
};
