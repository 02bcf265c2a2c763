/* gpu_stages: Stages, streams and arguments of launches have fixed numbers: streams follow the four
 * stages. The words for these numbers are written once per sequence. The kind of a category is
 * asked for once; the launch of each kernel is read from its arguments. */
#include "query/export/gpu_stages.h"

#include "query/export/annotations.h"
#include "query/export/perfetto_fields.h"
#include "query/export/protobuf.h"

#include <string.h>

/* Numbers of stages; those of streams follow. */
enum stage { STAGE_KERNEL = 1, STAGE_COPY, STAGE_SET, STAGE_OTHER, STAGES };

static const char *const stage_names[STAGES] = {[STAGE_KERNEL] = "kernel",
                                                [STAGE_COPY] = "memcpy",
                                                [STAGE_SET] = "memset",
                                                [STAGE_OTHER] = "other"};

/* Arguments of a launch, by their numbers; values behind those of grid and block. */
enum { ARGUMENT_REGISTERS = 1, ARGUMENT_SHARED, ARGUMENT_DEVICE, ARGUMENT_STREAM, ARGUMENTS };

static const char *const argument_names[ARGUMENTS] = {[ARGUMENT_REGISTERS] = "registers per thread",
                                                      [ARGUMENT_SHARED] = "shared memory",
                                                      [ARGUMENT_DEVICE] = "device",
                                                      [ARGUMENT_STREAM] = "stream"};

enum { LAUNCH_GRID_AT = 0, LAUNCH_BLOCK_AT = 3, LAUNCH_REGISTERS_AT = 6, LAUNCH_SHARED_AT = 7 };

static const char launch_row[] =
    "SELECT json_extract(json, '$.grid[0]'), json_extract(json, '$.grid[1]'),"
    " json_extract(json, '$.grid[2]'), json_extract(json, '$.block[0]'),"
    " json_extract(json, '$.block[1]'), json_extract(json, '$.block[2]'),"
    " json_extract(json, '$.\"registers per thread\"'), json_extract(json, '$.\"shared memory\"') "
    "FROM args WHERE id = ?1";

/* ------------------------------------------------------------------ opening */

bool gpu_stages_open(struct gpu_stages *self, struct warehouse *warehouse,
                     const struct slices *slices, int64_t first_gpu, struct error *error)
{
    static const char kind[] =
        "SELECT CASE WHEN name = 'kernel' THEN 1 WHEN name LIKE '%memcpy%' THEN 2"
        " WHEN name LIKE '%memset%' THEN 3 ELSE 4 END FROM category WHERE id = ?1";
    *self = (struct gpu_stages){.error = error, .first_gpu = first_gpu};
    self->kind = warehouse_prepare(warehouse, kind, error);
    self->launch = self->kind ? warehouse_prepare(warehouse, launch_row, error) : NULL;
    if (!self->launch)
        return false;

    /* Tracks with GPU activities become queues. */
    static const char sql[] = "SELECT DISTINCT track_id FROM gpu_event WHERE id BETWEEN ?1 AND ?2";
    bool done = true;
    for (size_t i = 0; i < slices->events->count && done; i++) {
        sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, self->error);
        done = rows != NULL;
        if (done) {
            sqlite3_bind_int64(rows, 1, slices->events->items[i].first);
            sqlite3_bind_int64(rows, 2, slices->events->items[i].last);
        }
        while (warehouse_next(warehouse, rows, &done, self->error))
            map_set(&self->tracks, sqlite3_column_int64(rows, 0), 0, 1);
        database_finalize(rows);
    }
    return done;
}

bool gpu_stages_have(const struct gpu_stages *self, int64_t track_id)
{
    return map_get(&self->tracks, track_id, 0) != 0;
}

/* ------------------------------------------------------------------ words */

static void add_row_text(sqlite3_stmt *row, int column, uint32_t field, struct text *out)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (text)
        protobuf_text(out, field, annotations_cut(view_of(text)));
}

bool gpu_stages_add_devices(struct gpu_stages *self, struct warehouse *warehouse, int64_t trace_id,
                            struct text *out)
{
    static const char sql[] = "SELECT 'GPU ' || ordinal, name, architecture FROM device "
                              "WHERE trace_id = ?1 ORDER BY ordinal";
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, self->error);
    bool done = rows != NULL;
    if (!done)
        return false;
    size_t info = protobuf_open(out, PACKET_GPU_INFO);
    sqlite3_bind_int64(rows, 1, trace_id);
    while (warehouse_next(warehouse, rows, &done, self->error)) {
        size_t gpu = protobuf_open(out, GPU_INFO_GPUS);
        add_row_text(rows, 0, GPU_NAME, out);
        add_row_text(rows, 1, GPU_MODEL, out);
        add_row_text(rows, 2, GPU_ARCHITECTURE, out);
        protobuf_close(out, gpu);
    }
    protobuf_close(out, info);
    return done;
}

static void add_word(uint32_t field, uint64_t number, const char *name, int category,
                     struct text *out)
{
    size_t word = protobuf_open(out, field);
    protobuf_number(out, INTERNED_IID, number);
    protobuf_text(out, INTERNED_TEXT, annotations_cut(view_of(name)));
    if (category >= 0)
        protobuf_number(out, SPECIFICATION_CATEGORY, (uint64_t)category);
    protobuf_close(out, word);
}

void gpu_stages_add_words(const struct gpu_stages *self, const struct slices *slices,
                          const struct places *places, uint64_t process, struct text *out)
{
    size_t interned = protobuf_open(out, PACKET_INTERNED);
    size_t context = protobuf_open(out, INTERNED_CONTEXTS);
    protobuf_number(out, INTERNED_IID, 1);
    protobuf_number(out, CONTEXT_PID, process);
    protobuf_close(out, context);
    for (int i = 1; i < STAGES; i++)
        add_word(INTERNED_SPECIFICATIONS, (uint64_t)i, stage_names[i],
                 i == STAGE_KERNEL ? CATEGORY_COMPUTE : CATEGORY_OTHER, out);
    for (size_t i = 0; i < slices->tracks.count; i++) {
        const struct place_track *track = places_find(places, slices->tracks.items[i].id);
        if (track && gpu_stages_have(self, track->id))
            add_word(INTERNED_SPECIFICATIONS, STAGES + i, track->name, CATEGORY_OTHER, out);
    }
    for (int i = 1; i < ARGUMENTS; i++)
        add_word(INTERNED_LAUNCH_NAMES, (uint64_t)i, argument_names[i], -1, out);
    protobuf_close(out, interned);
}

/* ------------------------------------------------------------------ work */

static void add_dimensions(sqlite3_stmt *row, int at, uint32_t field, struct text *out)
{
    if (sqlite3_column_type(row, at) == SQLITE_NULL)
        return;
    size_t message = protobuf_open(out, field);
    for (uint32_t i = 0; i < 3; i++)
        protobuf_number(out, i + 1, (uint64_t)sqlite3_column_int64(row, at + (int)i));
    protobuf_close(out, message);
}

static void add_argument(uint64_t name, int64_t value, struct text *out)
{
    size_t argument = protobuf_open(out, LAUNCH_ARGS);
    protobuf_number(out, LAUNCH_ARG_NAME, name);
    protobuf_signed(out, LAUNCH_ARG_INT, value);
    protobuf_close(out, argument);
}

static void add_argument_of(sqlite3_stmt *row, int at, uint64_t name, struct text *out)
{
    if (sqlite3_column_type(row, at) != SQLITE_NULL)
        add_argument(name, sqlite3_column_int64(row, at), out);
}

static void add_launch(struct gpu_stages *self, const struct slice *slice, struct text *out)
{
    const struct slice_work *work = slice->work;
    sqlite3_stmt *row = self->launch;
    size_t launch = protobuf_open(out, STAGE_LAUNCH);
    sqlite3_bind_int64(row, 1, slice->args);
    if (sqlite3_step(row) == SQLITE_ROW) {
        add_dimensions(row, LAUNCH_GRID_AT, LAUNCH_GRID, out);
        add_dimensions(row, LAUNCH_BLOCK_AT, LAUNCH_BLOCK, out);
        add_argument_of(row, LAUNCH_REGISTERS_AT, ARGUMENT_REGISTERS, out);
        add_argument_of(row, LAUNCH_SHARED_AT, ARGUMENT_SHARED, out);
    }
    sqlite3_reset(row);
    if (work->device != SLICE_NONE)
        add_argument(ARGUMENT_DEVICE, work->device, out);
    if (work->stream != SLICE_NONE)
        add_argument(ARGUMENT_STREAM, work->stream, out);
    protobuf_close(out, launch);
}

void gpu_stages_add(struct gpu_stages *self, const struct slice *slice, uint32_t name, int64_t id,
                    bool has_args, struct text *out)
{
    const struct slice_work *work = slice->work;
    size_t event = protobuf_open(out, PACKET_GPU_STAGE);
    bool has_device = work && work->device != SLICE_NONE && work->device >= 0;

    /* The kind of a category is asked for once. */
    uint32_t category = slice->category, *known = map_put(&self->kinds, category, 0);
    if (!*known) {
        sqlite3_bind_int64(self->kind, 1, category);
        *known = sqlite3_step(self->kind) == SQLITE_ROW
                     ? (uint32_t)sqlite3_column_int(self->kind, 0)
                     : STAGE_OTHER;
        sqlite3_reset(self->kind);
    }
    protobuf_number(out, STAGE_EVENT, (uint64_t)id);
    protobuf_number(out, STAGE_DURATION, (uint64_t)slice->duration);
    protobuf_number(out, STAGE_CONTEXT, 1);
    if (has_device)
        protobuf_number(out, STAGE_GPU, (uint64_t)(self->first_gpu + work->device));
    protobuf_number(out, STAGE_QUEUE, (uint64_t)STAGES + slice->track);
    protobuf_number(out, STAGE_STAGE, *known);
    protobuf_number(out, STAGE_NAME, name);
    if (has_args && work)
        add_launch(self, slice, out);
    protobuf_close(out, event);
}
