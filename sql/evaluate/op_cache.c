/* op_cache: see op_cache.h. */
#include "op_cache.h"

#include "base/map.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

/* Numbers of questions that are more than a signature: the cache that they were asked in, and their
 * place there. So a number from a cache that is gone finds nothing. */
enum { NUMBER_SHIFT = 32 };

struct op_cache {
    int shares;
    struct evaluator *evaluator;
    struct map places; /* signature -> place in entries, from 1 */
    struct map models; /* name -> place in the evaluator's rows, from 2; 1 = no model */
    struct map parts;  /* part, place before it -> place */
    struct map asked;  /* place -> place in entries, from 1 */
    uint32_t last_place;
    ARRAY(struct op_entry *) entries;
    unsigned data_version, generation;
    int changes;
    bool compat;
};

void op_cache_release(struct op_cache *self)
{
    if (!self || --self->shares > 0)
        return;
    for (size_t i = 0; i < self->entries.count; i++) {
        outcome_free(&self->entries.items[i]->outcome);
        free(self->entries.items[i]);
    }
    array_free(&self->entries);
    map_free(&self->places);
    map_free(&self->models);
    map_free(&self->parts);
    map_free(&self->asked);
    evaluator_close(self->evaluator);
    free(self);
}

static void release(void *cache)
{
    op_cache_release(cache);
}

struct op_cache *op_cache_get(sqlite3 *db, struct context *context, struct error *error)
{
    struct op_cache *cache = context->models;
    bool compat = context_get(context, "compat") != NULL;
    unsigned data_version = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &data_version);
    int changes = sqlite3_total_changes(db);
    if (cache && cache->compat == compat && cache->data_version == data_version &&
        cache->changes == changes) {
        cache->shares++;
        return cache;
    }
    op_cache_release(cache);
    context->models = NULL;
    cache = calloc(1, sizeof *cache);
    if (cache)
        cache->evaluator = evaluator_open(db, context, compat, error);
    else
        error_memory(error);
    if (!cache || !cache->evaluator) {
        free(cache);
        return NULL;
    }
    cache->shares = 2;
    cache->compat = compat;
    cache->data_version = data_version;
    cache->changes = changes;
    cache->generation = ++context->model_generation;
    context->models = cache;
    context->free_models = release;
    return cache;
}

/* ------------------------------------------------------------------ signatures */

/* The model of a name; false when memory is out. */
static bool model_of(struct op_cache *self, int64_t name_id, const char *name, struct model **model)
{
    uint32_t *place = map_put(&self->models, name_id, 0);
    struct model *rows = evaluator_models(self->evaluator)->items;
    if (!place)
        return false;
    if (*place == 0) {
        struct model *found = evaluator_find(self->evaluator, name);
        if (evaluator_out_of_memory(self->evaluator))
            return false;
        *place = found ? (uint32_t)(found - rows) + 2 : 1;
    }
    *model = *place > 1 ? &rows[*place - 2] : NULL;
    return true;
}

static struct op_entry *add_entry(struct op_cache *self, int64_t op_id)
{
    struct op_entry *entry = calloc(1, sizeof *entry);
    struct op_entry **added = entry ? array_push(&self->entries) : NULL;
    if (!added) {
        free(entry);
        return NULL;
    }
    entry->op_id = op_id;
    return *added = entry;
}

static bool evaluate(struct op_cache *self, sqlite3_stmt *op, struct op_entry *entry)
{
    const char *texts[5];
    struct signature call = {0};
    for (int i = 0; i < 5; i++)
        texts[i] = (const char *)sqlite3_column_text(op, i + 2);
    bool done =
        model_of(self, sqlite3_column_int64(op, 1), texts[0] ? texts[0] : "", &entry->model);
    if (!done || !entry->model)
        return done;
    done = signature_start(&call, texts[0]);
    if (done) {
        call.dims = signature_part(&call, texts[1]);
        call.types = signature_part(&call, texts[2]);
        call.strides = signature_part(&call, texts[3]);
        call.concrete = signature_part(&call, texts[4]);
        done = !call.values.out_of_memory &&
               evaluator_run(self->evaluator, entry->model, &call, &entry->outcome);
    }
    signature_free(&call);
    return done;
}

const struct op_entry *op_cache_known(const struct op_cache *self, int64_t op_id)
{
    uint32_t place = map_get(&self->places, op_id, 0);
    return place ? self->entries.items[place - 1] : NULL;
}

const struct op_entry *op_cache_signature(struct op_cache *self, sqlite3_stmt *op)
{
    int64_t op_id = sqlite3_column_int64(op, 0);
    const struct op_entry *known = op_cache_known(self, op_id);
    if (known)
        return known;
    struct op_entry *entry = add_entry(self, op_id);
    uint32_t *place = entry ? map_put(&self->places, op_id, 0) : NULL;
    if (!place || !evaluate(self, op, entry))
        return NULL;
    *place = (uint32_t)self->entries.count;
    return entry;
}

/* ------------------------------------------------------------------ more than a signature */

uint32_t op_cache_part(struct op_cache *self, uint32_t place, int64_t part)
{
    uint32_t *next = map_put(&self->parts, part, place);
    if (next && *next == 0)
        *next = ++self->last_place;
    return next ? *next : 0;
}

uint32_t op_cache_start(struct op_cache *self, int64_t op_id)
{
    return op_cache_part(self, 0, op_id);
}

int64_t op_cache_number(const struct op_cache *self, uint32_t place)
{
    return (int64_t)self->generation << NUMBER_SHIFT | place;
}

const struct op_entry *op_cache_variant(const struct op_cache *self, int64_t metric_id)
{
    if (metric_id >> NUMBER_SHIFT != (int64_t)self->generation)
        return NULL;
    uint32_t place = map_get(&self->asked, metric_id & UINT32_MAX, 0);
    return place ? self->entries.items[place - 1] : NULL;
}

const struct op_entry *op_cache_answer(struct op_cache *self, uint32_t place, int64_t op_id,
                                       struct model *model, const struct signature *call)
{
    struct op_entry *entry = add_entry(self, op_id);
    uint32_t *answer = entry ? map_put(&self->asked, place, 0) : NULL;
    if (!answer)
        return NULL;
    entry->model = model;
    if (!evaluator_run(self->evaluator, model, call, &entry->outcome))
        return NULL;
    *answer = (uint32_t)self->entries.count;
    return entry;
}

int64_t op_cache_op(const struct context *context, int64_t metric_id)
{
    if (metric_id >> NUMBER_SHIFT <= 0)
        return metric_id;
    const struct op_entry *entry =
        context->models ? op_cache_variant(context->models, metric_id) : NULL;
    return entry ? entry->op_id : metric_id; /* no signature has such a number */
}

/* ------------------------------------------------------------------ values */

static void give_text(sqlite3_context *out, const char *text)
{
    if (text && *text)
        sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static void give_figure(sqlite3_context *out, const struct figure *figure)
{
    if (figure->type == FIGURE_INTEGER)
        sqlite3_result_int64(out, figure->integer);
    else if (figure->type == FIGURE_REAL)
        sqlite3_result_double(out, figure->real);
}

void op_entry_give(const struct op_entry *self, enum op_figure figure, sqlite3_context *out)
{
    const struct model *model = self->model;
    const struct outcome *outcome = &self->outcome;
    const struct figure *const figures[] = {&outcome->flops, &outcome->bytes, &outcome->flops_bwd,
                                            &outcome->bytes_bwd};
    char *sheet;
    switch (figure) {
    case OP_MODEL:
        give_text(out, model->op);
        break;
    case OP_STATUS:
        sqlite3_result_text(out, outcome_names[outcome->status], -1, SQLITE_STATIC);
        break;
    case OP_REASON:
        give_text(out, outcome->reason.items);
        break;
    case OP_FLOPS:
    case OP_BYTES:
    case OP_FLOPS_BWD:
    case OP_BYTES_BWD:
        give_figure(out, figures[figure - OP_FLOPS]);
        break;
    case OP_SPEC:
        give_text(out, outcome->spec.items);
        break;
    case OP_CATEGORY:
        give_text(out, model->category);
        break;
    case OP_CATEGORY_BWD:
        give_text(out, model->bwd_category);
        break;
    case OP_SHEET:
        sheet = model_sheet(model);
        give_text(out, sheet);
        free(sheet);
        break;
    default:
        give_text(out, outcome->shown.items);
        break;
    }
}
