/* parquet: see parquet.h. */
#include "query/parquet/parquet.h"

#include <errno.h>

/* A row group ends after so many rows, or so many bytes that are held. */
#ifndef TPQ_SMALL_WINDOWS
enum { GROUP_ROWS = 122880, GROUP_BYTES = 64 << 20, LOOK_ROWS = 1024 };
#else /* for tests */
enum { GROUP_ROWS = 100, GROUP_BYTES = 2000, LOOK_ROWS = 10 };
#endif

enum { VERSION = 1, OPTIONAL = 1, UTF8 = 0 };

static const char magic[] = "PAR1";

static bool write_bytes(struct parquet *self, struct view bytes)
{
    errno = 0;
    self->offset += (int64_t)bytes.length;
    return fwrite(bytes.bytes, 1, bytes.length, self->out) == bytes.length ||
           error_set(self->error, STATUS_DATABASE, "%s: cannot be written: %s", self->path,
                     errno ? strerror(errno) : "the disk may be full");
}

bool parquet_open(struct parquet *self, FILE *out, const char *path,
                  const struct parquet_field *fields, size_t count, struct chunk_tools *tools,
                  struct error *error)
{
    *self =
        (struct parquet){.out = out, .path = path, .error = error, .count = count, .tools = tools};
    self->chunks = memory_zeroed(count + 1, sizeof *self->chunks);
    for (size_t i = 0; i < count; i++)
        self->chunks[i].field = fields[i];
    return write_bytes(self, view_of(magic));
}

/* ------------------------------------------------------------------ row groups */

static bool end_group(struct parquet *self)
{
    struct thrift described = {.text = &self->described};
    int64_t raw = 0;
    bool done = true;
    if (!self->group_rows)
        return true;
    thrift_list(&described, 1, THRIFT_STRUCT, self->count);
    for (size_t i = 0; i < self->count && done; i++) {
        /* The pages of a column, and what the footer says of them. */
        struct chunk *chunk = &self->chunks[i];
        struct text dictionary = {0};
        struct chunk_place place = {.offset = self->offset};
        chunk_end_page(chunk, self->tools);
        chunk_dictionary(chunk, self->tools, &dictionary, &place.raw_bytes);
        place.dictionary_bytes = (int64_t)dictionary.count;
        raw += place.raw_bytes + chunk->raw_bytes;
        done = (!dictionary.count || write_bytes(self, text_view(&dictionary))) &&
               write_bytes(self, text_view(&chunk->pages));
        if (done) {
            thrift_begin(&described, 0);
            chunk_describe(chunk, &place, &described);
            thrift_end(&described);
        }
        text_free(&dictionary);
        chunk_clear(&self->chunks[i]);
    }
    thrift_integer(&described, 2, THRIFT_I64, raw);
    thrift_integer(&described, 3, THRIFT_I64, self->group_rows);
    self->groups++;
    self->group_rows = 0;
    thrift_stop(&described);
    return done;
}

static bool is_large(const struct parquet *self)
{
    size_t bytes = 0;
    for (size_t i = 0; i < self->count; i++)
        bytes += chunk_bytes(&self->chunks[i]);
    return bytes >= GROUP_BYTES;
}

bool parquet_add(struct parquet *self, const struct cell *cells)
{
    for (size_t i = 0; i < self->count; i++)
        chunk_add(&self->chunks[i], &cells[i], self->tools);
    self->rows++;
    self->group_rows++;
    bool is_full =
        self->group_rows == GROUP_ROWS || (self->group_rows % LOOK_ROWS == 0 && is_large(self));
    return !is_full || end_group(self);
}

/* ------------------------------------------------------------------ the footer */

bool parquet_finish(struct parquet *self, const struct parquet_fact *facts, size_t count)
{
    struct text footer = {0};
    char length[4];
    bool done = end_group(self);
    if (done) {
        /* The footer: the schema, then where the groups of rows are. */
        struct thrift out = {.text = &footer};
        thrift_integer(&out, 1, THRIFT_I32, VERSION);
        thrift_list(&out, 2, THRIFT_STRUCT, self->count + 1);
        thrift_begin(&out, 0);
        thrift_binary(&out, 4, VIEW("schema"));
        thrift_integer(&out, 5, THRIFT_I32, (int64_t)self->count);
        thrift_end(&out);
        for (size_t i = 0; i < self->count; i++) {
            const struct chunk *chunk = &self->chunks[i];
            thrift_begin(&out, 0);
            thrift_integer(&out, 1, THRIFT_I32, chunk_type(chunk));
            thrift_integer(&out, 3, THRIFT_I32, OPTIONAL);
            thrift_binary(&out, 4, view_of(chunk->field.name));
            if (chunk->field.type == CELL_TEXT) {
                thrift_integer(&out, 6, THRIFT_I32, UTF8);
                thrift_begin(&out, 10);
                thrift_begin(&out, 1);
                thrift_end(&out);
                thrift_end(&out);
            }
            thrift_end(&out);
        }
        thrift_integer(&out, 3, THRIFT_I64, self->rows);
        thrift_list(&out, 4, THRIFT_STRUCT, self->groups);
        text_add(&footer, self->described.items, self->described.count);
        thrift_list(&out, 5, THRIFT_STRUCT, count);
        for (size_t i = 0; i < count; i++) {
            thrift_begin(&out, 0);
            thrift_binary(&out, 1, view_of(facts[i].key));
            thrift_binary(&out, 2, view_of(facts[i].value));
            thrift_end(&out);
        }
        thrift_binary(&out, 6, VIEW("tpq " TPQ_VERSION));
        /* Least and most are in the order of the type; readers pass them over without this. */
        thrift_list(&out, 7, THRIFT_STRUCT, self->count);
        for (size_t i = 0; i < self->count; i++) {
            thrift_begin(&out, 0);
            thrift_begin(&out, 1);
            thrift_end(&out);
            thrift_end(&out);
        }
        thrift_stop(&out);
    }
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (char)(footer.count >> 8 * i);
    done = done && write_bytes(self, text_view(&footer)) &&
           write_bytes(self, (struct view){length, sizeof length}) &&
           write_bytes(self, view_of(magic));
    text_free(&footer);
    return done;
}

void parquet_close(struct parquet *self)
{
    for (size_t i = 0; i < self->count && self->chunks; i++)
        chunk_clear(&self->chunks[i]);
    memory_free(self->chunks);
    text_free(&self->described);
    self->chunks = NULL;
}
