/* tracks: see tracks.h. Slices are read trace by trace: those of threads in the order of their ids,
 * which is that of their starts, then GPU activities, sorted by SQLite. Of each track the rows of
 * a block are kept, and those that come late. */
#include "query/page/tracks.h"

#include "query/page/blocks.h"
#include "query/page/tracks.sql.h"
#include "query/select/ranges.h"
#include "sql/binding/ranges.h"
#include "sql/database.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <string.h>

/* ------------------------------------------------------------------ rows as bytes */

enum { TRACK_BLOCK_ROWS = 65536 };

/* A slice, or several that stand for one. */
struct track_row {
    int64_t start, dur, id;
    int64_t link;      /* the call that launched it; 0 = none */
    uint32_t name;     /* places in lists */
    uint32_t op, args; /* the same + 1; 0 = none */
    uint32_t count;    /* slices, less 1 */
    int64_t covered;   /* time of all of them */
    int64_t longest;   /* of one of them */
};

typedef ARRAY(struct track_row) track_rows;

enum { START, DUR, NAME, ID, OP, ARGS, LINK, COUNT, GAP, COLUMNS };

static const struct {
    int width;
    bool is_signed, of_bundles;
} track_columns[COLUMNS] = {
    [START] = {2, false, false}, [DUR] = {2, false, false},  [NAME] = {1, false, false},
    [ID] = {1, true, false},     [OP] = {1, false, false},   [ARGS] = {1, false, false},
    [LINK] = {1, true, false},   [COUNT] = {1, false, true}, [GAP] = {2, false, true},
};

static int64_t column_value(const struct track_row *row, bool is_first, size_t column)
{
    switch (column) {
    case START:
        return is_first ? 0 : row->start - row[-1].start;
    case DUR:
        return row->dur;
    case NAME:
        return row->name;
    case ID:
        return is_first ? 0 : row->id - row[-1].id - 1;
    case OP:
        return row->op;
    case ARGS:
        return row->args;
    case LINK:
        return row->link ? row->id - row->link : 0;
    case COUNT:
        return row->count;
    default:
        return row->dur - row->covered;
    }
}

/* Limits of the texts that slices share, and of one text. */
enum { TEXTS_MOST = 4000000, TEXT_LONGEST = 4096, DEPTH_MOST = 4096 };

/* Ids of a piece of a sample; and of one after which what was read of the file is let go. */
enum { PIECE = 32768, PIECE_OF_ALL = 1 << 20 };

enum { SOME = sizeof((struct track_wish *)NULL)->some };

/* Columns of the question for slices, in order. */
enum {
    GIVEN_ID,
    GIVEN_TRACK,
    GIVEN_START,
    GIVEN_DUR,
    GIVEN_NAME,
    GIVEN_CATEGORY,
    GIVEN_OP,
    GIVEN_ARGS,
    GIVEN_UID,
    GIVEN_LINK, /* of work */
    GIVEN
};

/* A list of texts, each named by its place. */
struct texts {
    ARRAY(uint32_t) low; /* by ids that are small, as nearly all are: place + 1 */
    struct map places;   /* of others */
    ARRAY(int64_t) ids;
    ARRAY(int64_t) categories; /* of names: that of the first slice called so */
};

struct one_track {
    int64_t id;
    bool is_work; /* of an accelerator */
    track_rows rows, late;
    ARRAY(int64_t) open;           /* ends of the rows around the one in hand, outermost first */
    ARRAY(size_t) bundles;         /* by depth: the row that takes more; SIZE_MAX = none */
    int64_t last, from, to, count; /* starts, ends, slices */
};

struct reading {
    struct tracks *result;
    struct warehouse *warehouse;
    const struct tracks_bundle *bundle;
    struct tracks_extent extent;
    struct page_blocks *blocks;
    struct error *error;
    struct map frames; /* category -> 1 of Python frames */
    struct texts names, ops, args;
    ARRAY(struct one_track) tracks; /* of the trace in hand */
    struct map places;              /* of tracks: id -> place + 1 */
    int64_t last_track;             /* the one that was asked for last, and its place + 1 */
    uint32_t last_place;
    int64_t last_category; /* 0 = none, as no category is */
    bool is_frame;
    struct text found; /* JSON: ["trace uid",id] of each event that was asked for */
    size_t before;     /* tracks of traces before */
    size_t trace;
    bool any;
};

/* Finds the place of a text + 1; places of low ids stand in a list. */
static void find_text(struct texts *self, int64_t id, int64_t category, uint32_t *place)
{
    uint32_t *known;
    enum { LOW = 1 << 20 };
    if (id < 0 || id >= LOW)
        known = map_put(&self->places, id, 0);
    else {
        while (self->low.count <= (size_t)id)
            array_add(&self->low, 0);
        known = &self->low.items[id];
    }
    if (!*known) {
        array_add(&self->ids, id);
        array_add(&self->categories, category);
        *known = (uint32_t)self->ids.count;
    }
    *place = *known;
}

/* ------------------------------------------------------------------ blocks */

static void pack(struct reading *self, struct one_track *track, track_rows *rows, bool is_late)
{
    if (!rows->count)
        return;
    struct text bytes = {0}, entry = {0};
    bool has_bundles = self->bundle->frame_ns || self->bundle->host_ns || self->bundle->work_ns;
    size_t place = self->before + (size_t)(track - self->tracks.items);
    text_format(&entry,
                "\"track\":%zu,\"rows\":%zu,\"base\":%lld,\"id\":%lld,\"part\":%d,"
                "\"columns\":",
                place, rows->count, (long long)rows->items[0].start, (long long)rows->items[0].id,
                is_late);

    /* Appends the columns, and to `entry` a JSON list of [place, width, is signed] of each: start
     * (from the one before), dur, name, id (from the one before, less 1), op, args, link (id less
     * it), and of rows that stand for several count and the time that they do not cover. */
    for (size_t k = 0; k < COLUMNS; k++) {
        size_t at = bytes.count, count = rows->count;
        uint64_t limit = track_columns[k].width == 2 ? UINT16_MAX : UINT8_MAX;
        if (track_columns[k].of_bundles && !has_bundles)
            continue;
        text_reserve(&bytes, count * (size_t)track_columns[k].width);
        text_format(&entry, "%s[%zu,%d,%d]", k ? "," : "[", at, track_columns[k].width,
                    track_columns[k].is_signed);
        bytes.count += count * (size_t)track_columns[k].width;
        for (size_t i = 0; i < count; i++) {
            int64_t stated = column_value(&rows->items[i], i == 0, k);
            uint64_t value = (uint64_t)stated;
            if (track_columns[k].is_signed)
                value = (uint64_t)stated << 1 ^ (stated < 0 ? UINT64_MAX : 0);
            else if (stated < 0)
                value = 0;
            uint64_t low = value < limit ? value : limit;
            bytes.items[at + i] = (char)(low & 255);
            if (track_columns[k].width == 2)
                bytes.items[at + count + i] = (char)(low >> 8);
            if (value >= limit)
                text_add_varint(&bytes, value - limit);
        }
    }
    text_add_byte(&entry, ']');
    page_blocks_add(self->blocks, "slices", &bytes, entry.items);
    self->result->rows += (int64_t)rows->count;
    rows->count = 0;
    text_free(&bytes);
    text_free(&entry);
}

static void pack_in_order(struct reading *self, struct one_track *track)
{
    track->bundles.count = 0;
    pack(self, track, &track->rows, false);
}

ORDER_BY(compare_rows, struct track_row, UP(start) || DOWN(dur) || UP(id));

/* ------------------------------------------------------------------ rows */

/* Most slices are of the category, and of the track, of the one before them. */
static bool is_frame(struct reading *self, int64_t category)
{
    if (category != self->last_category)
        self->is_frame = map_get(&self->frames, category, 0);
    self->last_category = category;
    return self->is_frame;
}

/* Takes a short row into the one before it on its lane, where they are near each other. */
static bool is_taken(struct one_track *track, size_t depth, const struct track_row *row,
                     int64_t limit)
{
    enum { LONGEST = 16 };
    if (depth >= track->bundles.count || track->bundles.items[depth] == SIZE_MAX)
        return false;
    struct track_row *bundle = &track->rows.items[track->bundles.items[depth]];
    int64_t end = row->start + row->dur;
    if (row->start - (bundle->start + bundle->dur) > limit ||
        end - bundle->start > LONGEST * limit || bundle->count == UINT32_MAX)
        return false;
    if (row->dur > bundle->longest) {
        bundle->longest = row->dur;
        bundle->name = row->name;
        bundle->id = row->id;
        bundle->op = row->op;
        bundle->args = row->args;
        bundle->link = row->link;
    }
    bundle->dur = end - bundle->start;
    bundle->covered += row->dur;
    bundle->count++;
    return true;
}

static void tracks_add_row(struct reading *self, struct one_track *track,
                           const struct track_row *row, int64_t category)
{
    int64_t limit;
    if (track->is_work)
        limit = self->bundle->work_ns;
    else
        limit = is_frame(self, category) ? self->bundle->frame_ns : self->bundle->host_ns;
    self->result->slices++;
    track->from = track->count && track->from < row->start ? track->from : row->start;
    track->to =
        track->count && track->to > row->start + row->dur ? track->to : row->start + row->dur;
    if (track->count++ && row->start < track->last) {
        array_add(&track->late, *row);
        return;
    }
    track->last = row->start;
    /* Rows in the order of starts go on lanes. */
    if (track->rows.count >= TRACK_BLOCK_ROWS)
        pack_in_order(self, track);
    int64_t end = row->start + row->dur;
    while (track->open.count && track->open.items[track->open.count - 1] <= row->start)
        track->open.count--;
    size_t depth = track->open.count;
    bool is_short = limit && row->dur < limit && depth < DEPTH_MOST &&
                    (!depth || end <= track->open.items[depth - 1]);
    bool taken = is_short && is_taken(track, depth, row, limit);
    if (!taken) { /* what is deeper belongs to rows before it */
        while (track->bundles.count > depth + 1)
            track->bundles.count--;
        while (track->bundles.count <= depth && depth < DEPTH_MOST)
            array_add(&track->bundles, SIZE_MAX);
        if (depth < DEPTH_MOST)
            track->bundles.items[depth] = is_short ? track->rows.count : SIZE_MAX;
        array_add(&track->rows, *row);
    }
    if (depth < DEPTH_MOST)
        array_add(&track->open, end);
}

void track_wish_add(struct track_wish *self, int64_t uid)
{
    uint32_t *known = map_put(&self->uids, uid, 0);
    *known = self->some[(uint64_t)uid % SOME] = true;
}

static void take_row(struct reading *self, const int64_t given[GIVEN], bool is_work)
{
    if (!self->last_place || given[GIVEN_TRACK] != self->last_track)
        self->last_place = map_get(&self->places, given[GIVEN_TRACK], 0);
    self->last_track = given[GIVEN_TRACK];
    uint32_t track = self->last_place;
    if (!track || self->tracks.items[track - 1].is_work != is_work) /* or it names no track */
        return;
    struct track_row row = {.id = given[GIVEN_ID],
                            .start = given[GIVEN_START],
                            .dur = given[GIVEN_DUR] < 0 ? 0 : given[GIVEN_DUR],
                            .link = given[GIVEN_LINK]};
    int64_t category = given[GIVEN_CATEGORY], op = given[GIVEN_OP], args = given[GIVEN_ARGS];
    row.covered = row.longest = row.dur;

    /* Notes the id of an event that was asked for. */
    int64_t uid = given[GIVEN_UID];
    int64_t id = row.id;
    const struct track_wish *wish = self->extent.wish;
    if (wish && wish->some[(uint64_t)uid % SOME] && !self->extent.sampled &&
        map_get(&wish->uids, uid, 0))
        text_format(&self->found, "%s[\"%zu %lld\",%lld]", self->found.count ? "," : "[",
                    self->trace, (long long)uid, (long long)id);
    find_text(&self->names, given[GIVEN_NAME], category, &row.name);
    if (op)
        find_text(&self->ops, op, 0, &row.op);
    if (args)
        find_text(&self->args, args, 0, &row.args);
    row.name--;
    tracks_add_row(self, &self->tracks.items[track - 1], &row, category);
}

/* True if there are more bytes than are of use. */
static bool is_full(const struct reading *self)
{
    return self->extent.most && self->blocks->bytes > self->extent.most;
}

/* A slice of the host; ABORT = there is enough. */
static int take_host(void *taker, int64_t id, const int64_t *values)
{
    struct reading *self = taker;
    int64_t given[GIVEN] = {id};
    for (int i = GIVEN_TRACK; i < GIVEN_LINK; i++)
        given[i] = values[i - 1] == INT64_MIN ? 0 : values[i - 1];
    take_row(self, given, false);
    return is_full(self) ? SQLITE_ABORT : SQLITE_OK;
}

static bool read_host(struct reading *self, sqlite3_stmt *ranges)
{
    static const char *const columns[] = {"track_id",    "ts_ns", "dur_ns",  "name_id",
                                          "category_id", "op_id", "args_id", "uid"};
    struct rows_wish wish = {
        .table = "event", .columns = columns, .count = GIVEN_LINK - GIVEN_TRACK};
    bool done = true;
    while (done && !is_full(self) && warehouse_next(self->warehouse, ranges, &done, self->error)) {
        wish.first = sqlite3_column_int64(ranges, 0);
        wish.last = sqlite3_column_int64(ranges, 1);
        int result =
            rows_each_number(self->warehouse->db, self->warehouse->context, &wish, take_host, self);
        if (result == SQLITE_NOMEM)
            memory_fail();
        done = result == SQLITE_OK || (result == SQLITE_ABORT && is_full(self)) ||
               (result == SQLITE_CORRUPT ? error_set(self->error, STATUS_DATABASE,
                                                     "%s: " DATABASE_DAMAGED, self->warehouse->path)
                                         : warehouse_error(self->warehouse, self->error));
    }
    sqlite3_reset(ranges);
    return done;
}

static bool read_work(struct reading *self, sqlite3_stmt *rows)
{
    bool done = true;
    while (done && !is_full(self) && warehouse_next(self->warehouse, rows, &done, self->error)) {
        int64_t given[GIVEN];
        for (int i = 0; i < GIVEN; i++)
            given[i] = sqlite3_column_int64(rows, i);
        take_row(self, given, true);
    }
    sqlite3_reset(rows);
    return done;
}

/* Slices of a trace with ids from here to there, of accelerators, or all others. */
static bool read_piece(struct reading *self, sqlite3_stmt *rows, struct range ids, bool is_work)
{
    sqlite3_bind_int64(rows, 2, ids.first);
    sqlite3_bind_int64(rows, 3, ids.last);
    bool done = is_full(self) || (is_work ? read_work(self, rows) : read_host(self, rows));
    database_let_go(self->warehouse->db);
    return done;
}

static bool tracks_read_rows(struct reading *self, const char *sql, int64_t trace, struct range ids,
                             bool is_work)
{
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = rows != NULL;
    if (rows)
        sqlite3_bind_int64(rows, 4, trace);
    bool is_sample = self->extent.sampled, is_whole = is_work && !is_sample; /* it is sorted */
    int64_t piece = is_sample ? PIECE : PIECE_OF_ALL;
    int64_t stretch = is_sample ? self->extent.sampled * PIECE : piece; /* a piece stands for it */
    if (is_whole || ids.first < 0 || ids.last > UINT32_MAX) /* ids of a damaged warehouse */
        done = done && (is_sample || read_piece(self, rows, ids, is_work));
    else
        for (int64_t at = ids.first - ids.first % stretch; done && at <= ids.last; at += stretch) {
            done = read_piece(self, rows, (struct range){at, at + piece - 1}, is_work);
            if (done && is_sample) {
                /* Pieces of a sample are packed apart: they may be more alike than what lies
                 * between them. */
                for (size_t i = 0; i < self->tracks.count; i++)
                    pack_in_order(self, &self->tracks.items[i]);
            }
        }
    database_finalize(rows);
    return done;
}

/* ------------------------------------------------------------------ tracks */

static void free_tracks(struct reading *self)
{
    for (size_t i = 0; i < self->tracks.count; i++) {
        arrays_free(&self->tracks.items[i].rows, &self->tracks.items[i].late,
                    &self->tracks.items[i].open, &self->tracks.items[i].bundles);
    }
    self->tracks.count = 0;
    map_free(&self->places);
    self->places = (struct map){0};
    self->last_place = 0;
}

static bool tracks_read_trace(struct reading *self, int64_t trace, struct range ids)
{
    static const char host[] = "SELECT max(first_event, ?2), min(last_event, ?3) FROM scope "
                               "WHERE trace_id = ?4";

    /* The tracks of the trace, streams first. */
    static const char sql[] =
        "SELECT id, kind, process, thread, coalesce(process_labels, process_name), thread_name "
        "FROM track WHERE trace_id = ?1 ORDER BY kind <> 'stream', id";
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = rows != NULL;
    if (rows)
        sqlite3_bind_int64(rows, 1, trace);
    while (done && warehouse_next(self->warehouse, rows, &done, self->error)) {
        static const char *const keys[] = {"kind", "process", "thread", "group", "name"};
        struct one_track *track = array_push(&self->tracks);
        *track = (struct one_track){.id = sqlite3_column_int64(rows, 0)};
        map_set(&self->places, track->id, 0, (uint32_t)self->tracks.count);
        const char *kind = (const char *)sqlite3_column_text(rows, 1);
        track->is_work = kind && strcmp(kind, "stream") == 0;
        text_format(&self->result->list, "%s{\"trace\":%zu", self->any ? "," : "", self->trace);
        for (int i = 0; i < 5; i++) {
            const char *words = (const char *)sqlite3_column_text(rows, i + 1);
            text_format_json(&self->result->list, ",%s:%s", keys[i], words ? words : "");
        }
        text_add_byte(&self->result->list, '}');
        self->any = true;
    }
    database_finalize(rows);
    done = done && tracks_read_rows(self, work_of_trace, trace, ids, true) &&
           tracks_read_rows(self, host, trace, ids, false);
    if (done) {
        /* Packs what is left of all tracks, GPU activities first. */
        for (size_t i = 0; i < self->tracks.count && !is_full(self); i++) {
            struct one_track *track = &self->tracks.items[i];
            array_sort(&track->late, compare_rows);
            pack_in_order(self, track);
            for (size_t at = 0; at < track->late.count; at += TRACK_BLOCK_ROWS) {
                track_rows some = {0};
                some.items = track->late.items + at;
                some.count = track->late.count - at < TRACK_BLOCK_ROWS ? track->late.count - at
                                                                       : TRACK_BLOCK_ROWS;
                pack(self, track, &some, true);
            }
        }
    }
    self->before += self->tracks.count;
    self->trace++;
    free_tracks(self);
    return done;
}

/* ------------------------------------------------------------------ what belongs together */

bool tracks_add_edges(struct warehouse *warehouse, struct page_blocks *blocks, struct error *error)
{
    return page_ask_block(warehouse, blocks, "edges", all_edges, error);
}

bool tracks_add_together(struct warehouse *warehouse, struct page_blocks *blocks,
                         struct error *error)
{
    return page_ask_block(warehouse, blocks, "together", collective_parts, error);
}

/* ------------------------------------------------------------------ texts */

/* The statement's answer for each text, as a JSON list of lists, or of texts where that is one. */
static bool add_texts(struct reading *self, const char *kind, const struct texts *texts,
                      const char *sql)
{
    struct text json = {0};
    sqlite3_stmt *row = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = row != NULL;
    int columns = row ? sqlite3_column_count(row) : 0;
    text_add_byte(&json, '[');
    for (size_t i = 0; i < texts->ids.count && done; i++) {
        sqlite3_bind_int64(row, 1, texts->ids.items[i]);
        if (columns > 1 && sqlite3_bind_parameter_count(row) > 1)
            sqlite3_bind_int64(row, 2, texts->categories.items[i]);
        bool is_there =
            warehouse_next(self->warehouse, row, &done, self->error) && json.count < TEXTS_MOST;
        text_add_string(&json, i ? "," : "");
        text_add_string(&json, columns > 1 ? "[" : "");
        for (int j = 0; j < columns; j++) {
            const char *words = is_there ? database_text(row, j) : "";
            text_add_string(&json, j ? "," : "");
            struct view view = view_of(words);
            if (view.length > TEXT_LONGEST) {
                view.length = TEXT_LONGEST;
                while (view.length && ((unsigned char)view.bytes[view.length] & 0xC0) == 0x80)
                    view.length--;
            }
            text_add_json(&json, view);
        }
        text_add_string(&json, columns > 1 ? "]" : "");
        sqlite3_reset(row);
    }
    database_finalize(row);
    text_add_byte(&json, ']');
    if (done)
        page_blocks_add(self->blocks, kind, &json, NULL);
    text_free(&json);
    return done;
}

/* A name, and what kind of slice is called so: that of GPU activities as timelines have it. */
static bool add_all_texts(struct reading *self)
{
    return add_texts(self, "names", &self->names, names_of_slices) &&
           add_texts(self, "signatures", &self->ops, signatures_of_ops) &&
           add_texts(self, "arguments", &self->args, "SELECT json FROM args WHERE id = ?1");
}

/* Where the events are that were asked for. */
static void add_places(struct reading *self)
{
    struct text *json = &self->found;
    if (!json->count)
        return;
    text_add_byte(json, ']');
    page_blocks_add(self->blocks, "places", json, NULL);
}

static void free_texts(struct texts *texts)
{
    array_free(&texts->low);
    map_free(&texts->places);
    arrays_free(&texts->ids, &texts->categories);
}

bool tracks_count(struct warehouse *warehouse, int64_t *slices, struct error *error)
{
    static const char sql[] = "SELECT sum(last_event - first_event + 1) FROM scope";
    *slices = 0;
    return warehouse_ask(warehouse, sql, 0, slices, error);
}

bool tracks_read(struct tracks *self, struct warehouse *warehouse,
                 const struct tracks_bundle *bundle, struct tracks_extent extent,
                 struct page_blocks *blocks, struct error *error)
{
    static const char sql[] =
        "SELECT trace.id, min(scope.first_event), max(scope.last_event) "
        "FROM scope JOIN trace ON trace.id = scope.trace_id JOIN run ON run.id = trace.run_id "
        "GROUP BY trace.id ORDER BY run.name, trace.rank, trace.id";
    struct reading reading = {.result = self,
                              .warehouse = warehouse,
                              .bundle = bundle,
                              .extent = extent,
                              .blocks = blocks,
                              .error = error};
    *self = (struct tracks){0};
    sqlite3_stmt *traces = warehouse_prepare(warehouse, sql, error);
    bool done = traces;
    if (done) {
        sqlite3_stmt *rows = warehouse_prepare(
            reading.warehouse, "SELECT id FROM category WHERE role = 'frame'", reading.error);
        done = rows != NULL;
        while (warehouse_next(reading.warehouse, rows, &done, reading.error))
            map_set(&reading.frames, sqlite3_column_int64(rows, 0), 0, 1);
        database_finalize(rows);
    }
    text_add_byte(&self->list, '[');
    while (!is_full(&reading) && warehouse_next(warehouse, traces, &done, error)) {
        struct range ids = {sqlite3_column_int64(traces, 1), sqlite3_column_int64(traces, 2)};
        done = tracks_read_trace(&reading, sqlite3_column_int64(traces, 0), ids);
    }
    database_finalize(traces);
    if (done && !extent.sampled && !is_full(&reading)) {
        done = add_all_texts(&reading);
        if (done)
            add_places(&reading);
    }
    text_add_byte(&self->list, ']');
    free_tracks(&reading);
    array_free(&reading.tracks);
    free_texts(&reading.names);
    free_texts(&reading.ops);
    free_texts(&reading.args);
    map_free(&reading.frames);
    text_free(&reading.found);
    return done;
}

void tracks_free(struct tracks *self)
{
    text_free(&self->list);
}
