/* words: Each kind has one prepared query and a table of fixed size, in which an id displaces
 * another one with the same remainder. Names and categories are whole JSON texts; arguments and ops
 * are members with a comma before them. A missing name is the empty text. */
#include "query/export/words.h"

enum { KEPT = 8192 };

static const char *const questions[] = {
    [WORDS_NAME] = "SELECT text FROM string WHERE id = ?1",
    [WORDS_CATEGORY] = "SELECT name FROM category WHERE id = ?1",
    [WORDS_ARGS] = "SELECT json FROM args WHERE id = ?1",
    [WORDS_OP] = "SELECT dims.text, types.text, strides.text, concrete.text FROM op "
                 "LEFT JOIN string AS dims ON dims.id = op.dims_id "
                 "LEFT JOIN string AS types ON types.id = op.types_id "
                 "LEFT JOIN string AS strides ON strides.id = op.strides_id "
                 "LEFT JOIN string AS concrete ON concrete.id = op.concrete_id WHERE op.id = ?1",
};

bool words_open(struct words *self, struct warehouse *warehouse, enum words_kind kind,
                struct error *error)
{
    *self = (struct words){.warehouse = warehouse, .kind = kind, .error = error};
    self->row = warehouse_prepare(warehouse, questions[kind], error);
    self->kept = memory_zeroed(KEPT, sizeof *self->kept);
    return self->row != NULL;
}

static void words_add_row(const struct words *self, struct text *out)
{
    static const char *const keys[] = {"Input Dims", "Input type", "Input Strides",
                                       "Concrete Inputs"};
    const char *text = database_text(self->row, 0);
    size_t length = (size_t)sqlite3_column_bytes(self->row, 0);
    switch (self->kind) {
    case WORDS_NAME:
    case WORDS_CATEGORY:
        text_add_json(out, (struct view){text, length});
        return;
    case WORDS_ARGS:
        if (length > 2) {
            text_add_byte(out, ',');
            text_add(out, text + 1, length - 2);
        }
        return;
    case WORDS_OP:
        for (int i = 0; i < 4; i++) {
            sqlite3_stmt *row = self->row;
            if (sqlite3_column_type(row, i) != SQLITE_NULL)
                text_format(out, ",\"%s\":%s", keys[i], database_text(row, i));
        }
        return;
    }
}

static bool is_name(const struct words *self)
{
    return self->kind == WORDS_NAME || self->kind == WORDS_CATEGORY;
}

bool words_add(struct words *self, uint32_t id, struct text *out)
{
    struct word_kept *kept = &self->kept[id % KEPT];
    if (!id && !is_name(self))
        return true;
    if (!kept->is_there || kept->id != id) {
        bool done = true;
        text_clear(&kept->json);
        sqlite3_bind_int64(self->row, 1, id);
        if (warehouse_next(self->warehouse, self->row, &done, self->error))
            words_add_row(self, &kept->json);
        else if (done && is_name(self))
            text_add_string(&kept->json, "\"\"");
        sqlite3_reset(self->row);
        kept->is_there = done;
        kept->id = id;
        if (!kept->is_there)
            return false;
    }
    text_add(out, kept->json.items, kept->json.count);
    return true;
}
