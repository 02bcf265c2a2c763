/* tree_text: see tree_text.h. */
#include "query/ask/tree_text.h"

#include "src/base/number.h"
#include "src/base/text.h"
#include "src/base/visible.h"

#include <errno.h>
#include <string.h>

/* Columns that every query here gives. */
#define COLUMNS                                                                           \
    "event.id, event.last_id, string.text, category.role, event.ts_ns, event.dur_ns, "    \
    "event.self_ns, gpu_event.device, gpu_event.stream, event.trace_id, event.track_id, " \
    "event.parent_id "
#define JOINS                                                                                    \
    "JOIN string ON string.id = event.name_id JOIN category ON category.id = event.category_id " \
    "LEFT JOIN gpu_event ON gpu_event.id = event.id "

enum {
    COLUMN_ID,
    COLUMN_LAST,
    COLUMN_NAME,
    COLUMN_ROLE,
    COLUMN_START,
    COLUMN_DURATION,
    COLUMN_SELF,
    COLUMN_DEVICE,
    COLUMN_STREAM,
    COLUMN_TRACE,
    COLUMN_TRACK,
    COLUMN_PARENT,
};

struct printer {
    struct warehouse *warehouse;
    const struct tree_text_options *options;
    FILE *out;
    struct error *error;
    ARRAY(int64_t) open; /* last ids of the events shown above */
    struct text line;
    sqlite3_stmt *counters; /* those of one event */
};

static bool is_frame(sqlite3_stmt *row)
{
    return strcmp((const char *)sqlite3_column_text(row, COLUMN_ROLE), "frame") == 0;
}

/* NAME  DURATION (self SELF)  @START  #ID */
/* Indentation ends there: else the text would grow with the square of the depth. */
enum { DEEPEST_INDENT = 200 };

static bool print_event(struct printer *self, sqlite3_stmt *row, size_t depth)
{
    const char *role = (const char *)sqlite3_column_text(row, COLUMN_ROLE);
    const char *name = (const char *)sqlite3_column_text(row, COLUMN_NAME);
    size_t length = (size_t)sqlite3_column_bytes(row, COLUMN_NAME);
    int64_t duration = sqlite3_column_int64(row, COLUMN_DURATION);
    int64_t own = sqlite3_column_int64(row, COLUMN_SELF);
    bool on_gpu = strcmp(role, "gpu") == 0;
    struct text *line = &self->line;
    text_clear(line);
    size_t indent = 2 * (depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT);
    bool done = text_format(line, "%*s%s", (int)indent, "", on_gpu ? "> " : "") &&
                visible_add(line, (struct view){name, length}) && text_add(line, "  ", 2) &&
                number_add_time(line, duration);
    if (done && !on_gpu && own != duration)
        done = text_add_string(line, " (self ") && number_add_time(line, own) &&
               text_add_byte(line, ')');
    done = done && text_add_string(line, "  @") &&
           number_add_time(line, sqlite3_column_int64(row, COLUMN_START));
    if (done && sqlite3_column_type(row, COLUMN_STREAM) != SQLITE_NULL)
        done = text_format(line, "  device %d stream %lld", sqlite3_column_int(row, COLUMN_DEVICE),
                           (long long)sqlite3_column_int64(row, COLUMN_STREAM));
    done = done && text_format(line, "  #%lld\n", (long long)sqlite3_column_int64(row, COLUMN_ID));
    if (!done)
        return error_memory(self->error);
    fwrite(line->items, 1, line->count, self->out);
    return true;
}

static void write_number(struct document *document, const char *key, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        document_text(document, key, NULL);
    else
        document_integer(document, key, sqlite3_column_int64(row, column));
}

static void write_event(struct document *document, sqlite3_stmt *row, size_t depth)
{
    static const struct {
        const char *key;
        int column;
    } numbers[] = {
        {"id", COLUMN_ID},          {"parent_id", COLUMN_PARENT}, {"trace_id", COLUMN_TRACE},
        {"track_id", COLUMN_TRACK}, {"ts_ns", COLUMN_START},      {"dur_ns", COLUMN_DURATION},
        {"self_ns", COLUMN_SELF},   {"device", COLUMN_DEVICE},    {"stream", COLUMN_STREAM}};
    document_open(document, NULL, '{');
    document_integer(document, "depth", (int64_t)depth);
    document_text(document, "name", (const char *)sqlite3_column_text(row, COLUMN_NAME));
    document_text(document, "role", (const char *)sqlite3_column_text(row, COLUMN_ROLE));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        write_number(document, numbers[i].key, row, numbers[i].column);
    document_close(document);
}

/* A value with the name of what it counts. */
static bool add_counter(struct text *line, sqlite3_stmt *row)
{
    const char *unit = (const char *)sqlite3_column_text(row, 1);
    bool done = visible_add(line, view_of((const char *)sqlite3_column_text(row, 0)));
    if (done && sqlite3_column_int64(row, 2) > 0)
        done = text_format(line, "[%lld]", (long long)sqlite3_column_int64(row, 2));
    done = done && text_add_byte(line, ' ') &&
           number_add_rounded(line, sqlite3_column_double(row, 3), "");
    return done && (!unit || (text_add_byte(line, ' ') && visible_add(line, view_of(unit))));
}

/* Counters of work stand below it: = NAME VALUE UNIT */
static bool print_counters(struct printer *self, int64_t id, size_t depth)
{
    size_t indent = 2 * (depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT) + 4;
    if (!self->counters)
        self->counters = warehouse_prepare(
            self->warehouse,
            "SELECT name, unit, instance, value FROM gpu_counter JOIN counter_track ON "
            "counter_track.id = counter_id WHERE gpu_counter.id = ?1 ORDER BY name, instance",
            self->error);
    if (!self->counters)
        return false;
    sqlite3_bind_int64(self->counters, 1, id);
    bool done = true;
    while (warehouse_next(self->warehouse, self->counters, &done, self->error)) {
        text_clear(&self->line);
        done = (text_format(&self->line, "%*s= ", (int)indent, "") &&
                add_counter(&self->line, self->counters) && text_add_byte(&self->line, '\n')) ||
               error_memory(self->error);
        if (done)
            fwrite(self->line.items, 1, self->line.count, self->out);
    }
    sqlite3_reset(self->counters);
    return done;
}

static bool print_in_preorder(struct printer *self, sqlite3_stmt *row)
{
    int64_t id = sqlite3_column_int64(row, COLUMN_ID);
    while (self->open.count && self->open.items[self->open.count - 1] < id)
        self->open.count--;
    if (self->options->no_frames && is_frame(row))
        return true;
    size_t depth = self->open.count;
    if (!array_add(&self->open, sqlite3_column_int64(row, COLUMN_LAST)))
        return error_memory(self->error);
    if ((int64_t)depth >= self->options->depth)
        return true;
    if (!self->options->document)
        return print_event(self, row, depth) &&
               (strcmp((const char *)sqlite3_column_text(row, COLUMN_ROLE), "gpu") != 0 ||
                print_counters(self, id, depth));
    write_event(self->options->document, row, depth);
    return true;
}

typedef bool print_row(struct printer *self, sqlite3_stmt *row);

static bool print_query(struct printer *self, const char *sql, int64_t first, int64_t second,
                        print_row *print, int64_t *rows)
{
    sqlite3_stmt *statement = warehouse_prepare(self->warehouse, sql, self->error);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, second);
    bool done = true;
    *rows = 0;
    while (!ferror(self->out) && warehouse_next(self->warehouse, statement, &done, self->error)) {
        done = !print || print(self, statement);
        ++*rows;
    }
    sqlite3_finalize(statement);
    self->open.count = 0;
    return done;
}

static bool finish(struct printer *self, bool done)
{
    text_free(&self->line);
    array_free(&self->open);
    sqlite3_finalize(self->counters);
    if (done && (fflush(self->out) != 0 || ferror(self->out)))
        return error_set(self->error, STATUS_DATABASE, "the output cannot be written: %s",
                         strerror(errno));
    return done;
}

static bool no_event(struct printer *self, int64_t event)
{
    return error_set(self->error, STATUS_USAGE, "%s: there is no event %lld", self->warehouse->path,
                     (long long)event);
}

bool tree_text_below(struct warehouse *warehouse, int64_t event,
                     const struct tree_text_options *options, FILE *out, struct error *error)
{
    struct printer self = {.warehouse = warehouse, .options = options, .out = out, .error = error};
    int64_t rows;
    bool done = print_query(&self,
                            "SELECT " COLUMNS "FROM event AS top CROSS JOIN event "
                            "ON event.id BETWEEN top.id AND top.last_id " JOINS
                            "WHERE top.id = ?1 ORDER BY event.id",
                            event, 0, print_in_preorder, &rows);
    return finish(&self, done && (rows || no_event(&self, event)));
}

/* ?1 with the ?2 - 1 nearest events above it that fulfil a condition. */
#define WAY_UP(condition)                                                                  \
    "SELECT " COLUMNS "FROM (SELECT id FROM (SELECT above.id FROM ancestors(?1) AS above " \
    "JOIN event ON event.id = above.id JOIN category ON category.id = "                    \
    "event.category_id " condition " ORDER BY depth LIMIT ?2 - 1) "                        \
    "UNION ALL SELECT ?1) AS way JOIN event ON event.id = way.id " JOINS "ORDER BY event.id"

/* The way up may be longer than the options allow: then the outermost ones are left out. */
bool tree_text_above(struct warehouse *warehouse, int64_t event,
                     const struct tree_text_options *options, FILE *out, struct error *error)
{
    struct tree_text_options all = {INT64_MAX, options->no_frames, options->document};
    struct printer self = {.warehouse = warehouse, .options = &all, .out = out, .error = error};
    int64_t rows;
    bool done =
        print_query(&self, options->no_frames ? WAY_UP("WHERE role <> 'frame'") : WAY_UP(""), event,
                    options->depth, print_in_preorder, &rows);
    return finish(&self, done && (rows || no_event(&self, event)));
}

/* ------------------------------------------------------------------ a whole trace */

static bool print_track(struct printer *self, sqlite3_stmt *track)
{
    struct text *line = &self->line;
    text_clear(line);
    const char *kind = (const char *)sqlite3_column_text(track, 2);
    const char *place = strcmp(kind, "thread") == 0   ? "process "
                        : strcmp(kind, "stream") == 0 ? "device "
                                                      : "marks of process ";
    bool done = text_add_string(line, place) &&
                visible_add(line, view_of((const char *)sqlite3_column_text(track, 3))) &&
                text_add_string(line, strcmp(kind, "stream") == 0 ? " stream " : " thread ") &&
                visible_add(line, view_of((const char *)sqlite3_column_text(track, 4)));
    const char *name = (const char *)sqlite3_column_text(track, 5);
    if (done && name)
        done = text_add_string(line, " - ") && visible_add(line, view_of(name));
    if (!done || !text_add_byte(line, '\n'))
        return error_memory(self->error);
    if (!self->options->document)
        fwrite(line->items, 1, line->count, self->out);
    int64_t rows;
    return print_query(
        self,
        "SELECT " COLUMNS "FROM event " JOINS "WHERE event.id BETWEEN ?1 AND ?2 ORDER BY event.id",
        sqlite3_column_int64(track, 0), sqlite3_column_int64(track, 1), print_in_preorder, &rows);
}

/* counter NAME, device 0, process 7: 12 samples, 0 to 98 % */
static bool print_sampled(struct printer *self, sqlite3_stmt *row)
{
    struct text *line = &self->line;
    const char *unit = (const char *)sqlite3_column_text(row, 1);
    const char *place = (const char *)sqlite3_column_text(row, 3);
    text_clear(line);
    bool done = text_add_string(line, "counter ") &&
                visible_add(line, view_of((const char *)sqlite3_column_text(row, 0)));
    if (done && sqlite3_column_type(row, 2) != SQLITE_NULL)
        done = text_format(line, ", device %lld", (long long)sqlite3_column_int64(row, 2));
    if (done && place)
        done = text_add_string(line, ", ") && visible_add(line, view_of(place));
    done = done && text_add_string(line, ": ") &&
           number_add_grouped(line, sqlite3_column_int64(row, 4)) &&
           text_add_string(line, sqlite3_column_int64(row, 4) == 1 ? " sample, " : " samples, ") &&
           number_add_rounded(line, sqlite3_column_double(row, 5), "") &&
           text_add_string(line, " to ") &&
           number_add_rounded(line, sqlite3_column_double(row, 6), "");
    if (done && unit)
        done = text_add_byte(line, ' ') && visible_add(line, view_of(unit));
    if (!done || !text_add_byte(line, '\n'))
        return error_memory(self->error);
    fwrite(line->items, 1, line->count, self->out);
    return true;
}

static const char sampled[] =
    "SELECT name, unit, device, place, count(*), min(value), max(value) FROM counter_track "
    "JOIN counter_sample ON counter_id = counter_track.id WHERE trace_id = ?1 "
    "GROUP BY counter_track.id ORDER BY device, place, name, unit";

bool tree_text_trace(struct warehouse *warehouse, int64_t trace,
                     const struct tree_text_options *options, FILE *out, struct error *error)
{
    struct printer self = {.warehouse = warehouse, .options = options, .out = out, .error = error};
    int64_t rows;
    bool done = print_query(&self, "SELECT id FROM trace WHERE id = ?1", trace, 0, NULL, &rows);
    if (done && !rows)
        done = error_set(error, STATUS_USAGE, "%s: there is no trace %lld; see tpq traces",
                         warehouse->path, (long long)trace);
    done = done && print_query(&self,
                               "SELECT first_event, last_event, kind, process, thread, thread_name "
                               "FROM track WHERE trace_id = ?1 AND last_event >= first_event "
                               "ORDER BY first_event",
                               trace, 0, print_track, &rows);
    if (done && !options->document)
        done = print_query(&self, sampled, trace, 0, print_sampled, &rows);
    return finish(&self, done);
}
