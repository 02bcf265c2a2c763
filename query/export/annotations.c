/* annotations: Words get numbers in the order in which they are first used; names and categories by
 * their id in the warehouse, all other words by their text. Encoded arguments are kept in a table
 * of fixed size, where a newer id displaces an older one. Long texts are cut between characters. */
#include "query/export/annotations.h"

#include "query/export/perfetto_fields.h"
#include "query/export/protobuf.h"
#include "src/base/order.h"

enum { TEXT_MAX = 4096, KEPT = 4096 };

struct view annotations_cut(struct view text)
{
    if (text.length > TEXT_MAX) {
        text.length = TEXT_MAX;
        while (text.length && ((unsigned char)text.bytes[text.length] & 0xC0) == 0x80)
            text.length--;
    }
    return text;
}

/* ------------------------------------------------------------------ opening */

ORDER_BY(compare_metrics, struct annotation_metric, UP(op));

bool annotations_open(struct annotations *self, struct warehouse *warehouse, struct error *error)
{
    static const char *const questions[] = {
        "SELECT text FROM string WHERE id = ?1",
        "SELECT name FROM category WHERE id = ?1",
        "SELECT each.key, each.type, each.value FROM args CROSS JOIN json_each(args.json) AS each "
        "WHERE args.id = ?1",
        "SELECT 'Input Dims', 'text', dims.text, 'Input type', 'text', types.text, "
        "'Input Strides', 'text', strides.text, 'Concrete Inputs', 'text', concrete.text FROM op "
        "LEFT JOIN string AS dims ON dims.id = op.dims_id "
        "LEFT JOIN string AS types ON types.id = op.types_id "
        "LEFT JOIN string AS strides ON strides.id = op.strides_id "
        "LEFT JOIN string AS concrete ON concrete.id = op.concrete_id WHERE op.id = ?1",
    };
    *self = (struct annotations){.warehouse = warehouse, .error = error};
    sqlite3_stmt **statements[] = {&self->name, &self->category, &self->args, &self->op};
    bool done = true;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && done; i++) {
        *statements[i] = warehouse_prepare(warehouse, questions[i], error);
        done = *statements[i] != NULL;
    }
    self->kept = memory_zeroed(2 * KEPT, sizeof *self->kept);
    if (done) {
        /* Reads the models' figures for signatures. */
        sqlite3_stmt *rows =
            warehouse_prepare(self->warehouse,
                              "SELECT op_id, flops, bytes FROM op_metric WHERE status IN ('ok', "
                              "'no_bytes') AND metric_id = op_id",
                              self->error);
        done = rows != NULL;
        while (warehouse_next(self->warehouse, rows, &done, self->error)) {
            bool has_flops = sqlite3_column_type(rows, 1) != SQLITE_NULL;
            bool has_bytes = sqlite3_column_type(rows, 2) != SQLITE_NULL;
            array_add(&self->metrics, (struct annotation_metric){
                                          sqlite3_column_int64(rows, 0),
                                          has_flops ? sqlite3_column_int64(rows, 1) : INT64_MIN,
                                          has_bytes ? sqlite3_column_int64(rows, 2) : INT64_MIN});
        }
    }
    array_sort(&self->metrics, compare_metrics);
    return done;
}

/* ------------------------------------------------------------------ words */

static void add_fresh(struct annotations *self, uint32_t field, uint32_t number, struct view text)
{
    size_t word = protobuf_open(&self->fresh, field);
    protobuf_number(&self->fresh, INTERNED_IID, number);
    protobuf_text(&self->fresh, INTERNED_TEXT, annotations_cut(text));
    protobuf_close(&self->fresh, word);
}

/* The number of a word that the warehouse has. */
static uint32_t annotations_number_of(struct annotations *self, struct map *numbers,
                                      sqlite3_stmt *row, uint32_t field, uint32_t id)
{
    uint32_t *number = map_put(numbers, id, 0);
    if (*number)
        return *number;
    *number = (uint32_t)numbers->count;
    uint32_t given = *number;
    bool done = true;
    sqlite3_bind_int64(row, 1, id);
    bool is_there = warehouse_next(self->warehouse, row, &done, self->error);
    struct view text = {"", 0};
    if (is_there) {
        text.bytes = database_text(row, 0);
        text.length = (size_t)sqlite3_column_bytes(row, 0);
    }
    if (done)
        add_fresh(self, field, given, text);
    sqlite3_reset(row);
    return done ? given : 0;
}

uint32_t annotations_name(struct annotations *self, uint32_t id)
{
    return annotations_number_of(self, &self->names, self->name, INTERNED_NAMES, id);
}

uint32_t annotations_category(struct annotations *self, uint32_t id)
{
    return annotations_number_of(self, &self->categories, self->category, INTERNED_CATEGORIES, id);
}

/* The number of a word that is not in the warehouse by itself. */
static uint32_t intern(struct annotations *self, struct intern *words, uint32_t field,
                       struct view text)
{
    size_t before = intern_count(words);
    text = annotations_cut(text);
    uint32_t number = intern_add(words, text.bytes, text.length);
    if (intern_count(words) > before)
        add_fresh(self, field, number, text);
    return number;
}

/* ------------------------------------------------------------------ annotations */

static size_t open_annotation(struct annotations *self, const char *key, struct text *out)
{
    uint32_t name = intern(self, &self->keys, INTERNED_ANNOTATION_NAMES, view_of(key));
    size_t message = protobuf_open(out, EVENT_ANNOTATION);
    protobuf_number(out, ANNOTATION_NAME, name);
    return message;
}

static void put_number(struct text *out, int64_t value)
{
    if (value >= 0)
        protobuf_number(out, ANNOTATION_UINT, (uint64_t)value);
    else
        protobuf_signed(out, ANNOTATION_INT, value);
}

void annotations_add_number(struct annotations *self, const char *key, int64_t value,
                            struct text *out)
{
    size_t message = open_annotation(self, key, out);
    put_number(out, value);
    protobuf_close(out, message);
}

/* Key, type and value in three columns. */
static void annotations_add_value(struct annotations *self, sqlite3_stmt *row, int column,
                                  struct text *out)
{
    int type = sqlite3_column_type(row, column + 2);
    if (type == SQLITE_NULL)
        return;
    const char *kind = database_text(row, column + 1);
    bool is_truth = strcmp(kind, "true") == 0 || strcmp(kind, "false") == 0;
    size_t message = open_annotation(self, database_text(row, column), out);
    if (type == SQLITE_INTEGER && !is_truth)
        put_number(out, sqlite3_column_int64(row, column + 2));
    else if (type == SQLITE_FLOAT)
        protobuf_real(out, ANNOTATION_REAL, sqlite3_column_double(row, column + 2));
    else {
        const char *text = is_truth ? kind : database_text(row, column + 2);
        protobuf_number(out, ANNOTATION_STRING,
                        intern(self, &self->strings, INTERNED_STRINGS, view_of(text)));
    }
    protobuf_close(out, message);
}

/* Annotations of an id, encoded now or before. */
static bool add_kept(struct annotations *self, bool is_op, uint32_t id, struct text *out)
{
    struct annotation_kept *kept = &self->kept[id % KEPT + (is_op ? KEPT : 0)];
    if (!id)
        return true;
    if (kept->id != id) {
        kept->id = 0;
        sqlite3_stmt *row = is_op ? self->op : self->args;
        bool done = true;
        text_clear(&kept->bytes);
        sqlite3_bind_int64(row, 1, id);
        while (warehouse_next(self->warehouse, row, &done, self->error))
            for (int column = 0; column < sqlite3_column_count(row); column += 3)
                annotations_add_value(self, row, column, &kept->bytes);
        sqlite3_reset(row);
        if (!done)
            return false;
        if (is_op) {
            /* Metrics of ops are in the order of ids. */
            size_t place;
            ARRAY_LOWER_BOUND(place, self->metrics.count, self->metrics.items[place].op < id);
            const struct annotation_metric *found =
                place < self->metrics.count ? &self->metrics.items[place] : NULL;
            if (found && found->op == id) {
                if (found->flops != INT64_MIN)
                    annotations_add_number(self, "FLOPs", found->flops, &kept->bytes);
                if (found->bytes != INT64_MIN)
                    annotations_add_number(self, "bytes", found->bytes, &kept->bytes);
            }
        }
        kept->id = id;
    }
    text_add(out, kept->bytes.items, kept->bytes.count);
    return true;
}

bool annotations_add_args(struct annotations *self, uint32_t id, struct text *out)
{
    return add_kept(self, false, id, out);
}

bool annotations_add_op(struct annotations *self, uint32_t id, struct text *out)
{
    return add_kept(self, true, id, out);
}

void annotations_take_new(struct annotations *self, struct text *out)
{
    if (self->fresh.count)
        protobuf_text(out, PACKET_INTERNED, text_view(&self->fresh));
    text_clear(&self->fresh);
}
