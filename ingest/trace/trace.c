/* trace: Clearing frees all that belongs to events, but keeps texts, arguments and devices. Known
 * categories have fixed numbers; names of others are added behind them, up to a limit. A step is
 * told by its name, which is parsed once for each run of equal names, or by the list of steps. */
#include "ingest/trace/trace.h"

#include "ingest/input/json_text.h"

#include <stdio.h>

void trace_init(struct trace *self)
{
    *self = (struct trace){0};
    self->has_launches = self->has_arrows = true;
    self->id_bits = -1;
    self->clock_base = self->rank = self->world_size = self->sampled = NONE;
    self->categories.count = CATEGORY_KNOWN_COUNT;
    for (int i = 0; i < CATEGORY_KNOWN_COUNT; i++)
        self->categories.roles[i] = (uint8_t)category_role(i);
}

void trace_clear_events(struct trace *self)
{
    arrays_free(&self->slices, &self->gpus, &self->links, &self->origins, &self->recorded,
                &self->replays, &self->calls);
    map_free(&self->launching_ops);
    arrays_free(&self->flows, &self->sequences, &self->correlations, &self->memory, &self->edges,
                &self->labels, &self->attributes, &self->steps, &self->strays, &self->threads);
    facts_free(&self->facts);
    self->sampled = NONE;
    memory_free(self->tree.order);
    memory_free(self->tree.number);
    memory_free(self->tree.parent);
    memory_free(self->tree.descendants);
    memory_free(self->tree.child_time);
    memory_free(self->tree.track);
    array_free(&self->tree.tracks);
    self->tree = (struct tree){0};
    self->events = self->added = self->frames.count = self->frames.lost = 0;
}

void trace_free(struct trace *self)
{
    if (self->next)
        trace_free(self->next);
    memory_free(self->next);
    self->next = NULL;
    trace_clear_events(self);
    array_free(&self->devices);
    text_free(&self->metadata);
    intern_free(&self->strings);
    intern_free(&self->arguments);
    intern_free(&self->ops);
    intern_free(&self->places);
}

void trace_adopt(struct trace *self)
{
    void *const blocks[] = {
        self->next,
        self->metadata.items,
        self->slices.items,
        self->gpus.items,
        self->recorded.items,
        self->calls.items,
        self->flows.items,
        self->sequences.items,
        self->memory.items,
        self->edges.items,
        self->labels.items,
        self->devices.items,
        self->attributes.items,
        self->steps.items,
        self->strays.items,
        self->threads.items,
        self->correlations.items,
        self->facts.items,
    };
    struct intern *const interned[] = {&self->strings, &self->arguments, &self->ops, &self->places};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_adopt(blocks[i]);
    for (size_t i = 0; i < sizeof interned / sizeof *interned; i++)
        intern_adopt(interned[i]);
    for (size_t i = 0; i < self->facts.count; i++)
        memory_adopt(self->facts.items[i].rows);
    if (self->next)
        trace_adopt(self->next);
}

void trace_move(struct trace *self, struct trace *first, bool is_first)
{
    struct trace *to = is_first ? first : memory_take(sizeof *to);
    self->next = first->next;
    first->next = NULL;
    if (is_first)
        trace_free(first);
    else
        first->next = to;
    *to = *self;
    trace_init(self); /* it is nobody's any more */
}

uint32_t trace_add_place(struct trace *self, int64_t process, int64_t thread, const char *path,
                         struct error *error)
{
    int64_t ids[2] = {process, thread};
    uint32_t texts[2];
    char digits[32];
    for (int i = 0; i < 2; i++) {
        snprintf(digits, sizeof digits, "%lld", (long long)ids[i]);
        struct view text = ids[i] == NONE ? VIEW("\"?\"") : view_of(digits);
        texts[i] = intern_add(&self->strings, text.bytes, text.length);
    }
    struct place place = {texts[0], texts[1]};
    uint32_t number = intern_add(&self->places, &place, sizeof place);
    if (number >= 1u << 24)
        return error_set(error, STATUS_BAD_INPUT, "%s: more than %u threads and streams", path,
                         (1u << 24) - 1),
               0;
    return number;
}

void trace_repairs(struct trace *self, const struct json_repairs *repairs, int64_t uid,
                   int64_t offset)
{
    note_count(&self->notes, NOTE_LONE_SURROGATE, repairs->lone_surrogates, uid, offset);
    note_count(&self->notes, NOTE_INVALID_UTF8, repairs->invalid_utf8, uid, offset);
    note_count(&self->notes, NOTE_NUL_CHARACTER, repairs->nul_characters, uid, offset);
    note_count(&self->notes, NOTE_DUPLICATE_KEY, repairs->duplicate_keys, uid, offset);
    note_count(&self->notes, NOTE_NOT_FINITE, repairs->not_finite, uid, offset);
}

void trace_clip(struct trace *self, int64_t *duration, int64_t uid, int64_t offset)
{
    note_count(&self->notes, NOTE_DURATION_NEGATIVE, *duration < 0, uid, offset);
    note_count(&self->notes, NOTE_DURATION_ZERO, *duration == 0, uid, offset);
    note_count(&self->notes, NOTE_DURATION_CLIPPED, *duration > DURATION_MAX, uid, offset);
    *duration = *duration < 0 ? 0 : *duration > DURATION_MAX ? DURATION_MAX : *duration;
}

int trace_category(struct trace *self, struct view name)
{
    int category = category_find(name);
    if (category >= 0)
        return category;
    uint32_t text = intern_add(&self->strings, name.bytes, name.length);
    int i = CATEGORY_KNOWN_COUNT;
    while (i < self->categories.count && self->categories.names[i] != text)
        i++;
    if (i == self->categories.count) {
        if (i > CATEGORY_COUNT_MAX) {
            note_count(&self->notes, NOTE_CATEGORY_OVERFLOW, 1, -1, -1);
            return CATEGORY_NONE;
        }
        self->categories.names[i] = text;
        self->categories.roles[i] = ROLE_OTHER;
        self->categories.count++;
    }
    return i;
}

void trace_join_arguments(struct trace *self, uint32_t *arguments, uint32_t more, struct text *raw,
                          struct text *canonical)
{
    struct json_repairs ignored = {0};
    if (!more || !*arguments || more == *arguments) {
        *arguments = more ? more : *arguments;
        return;
    }
    struct view one = intern_view(&self->arguments, *arguments);
    struct view two = intern_view(&self->arguments, more);
    text_clear(raw);
    text_clear(canonical);
    if (!trace_take(self, one.length + two.length))
        return;
    text_add(raw, one.bytes, one.length - 1);
    text_add_byte(raw, ',');
    text_add(raw, two.bytes + 1, two.length - 1);
    json_canonical(text_view(raw), canonical, &ignored); /* no deeper than either */
    *arguments = intern_add(&self->arguments, canonical->items, canonical->count);
}

/* ------------------------------------------------------------------ signposts */

/* The number of a profiler step; NONE when the name is no step's. */
static int64_t step_number(struct view name)
{
    static const char prefix[] = "ProfilerStep#";
    size_t length = strlen(prefix);
    int64_t step;
    if (name.length <= length || memcmp(name.bytes, prefix, length) != 0 ||
        !json_integer((struct view){name.bytes + length, name.length - length}, &step))
        return NONE;
    return step;
}

bool signposts_find(struct signposts *self, uint32_t slice, struct signpost_kind *found)
{
    static const char *const names[2][2] = {{"range", "step"}, {"gpu_range", "gpu_step"}};
    const struct slice *mark = &self->trace->slices.items[slice];
    enum role role = trace_role(self->trace, mark);
    if (role != ROLE_MARK && role != ROLE_GPU_MARK && role != ROLE_OP)
        return false;
    if (mark->name != self->last_name) {
        self->last_name = mark->name;
        self->last_step = step_number(intern_view(&self->trace->strings, mark->name));
    }
    int64_t step = self->last_step;
    if (step == NONE) {
        /* Steps whose names do not tell their number are in a list. */
        const struct trace *trace = self->trace;
        size_t place;
        ARRAY_LOWER_BOUND(place, trace->steps.count, trace->steps.items[place].slice < slice);
        if (place < trace->steps.count && trace->steps.items[place].slice == slice)
            step = trace->steps.items[place].number;
    }
    if (role == ROLE_OP && step == NONE)
        return false;
    if (mark->category == CATEGORY_SIGNPOST)
        *found = (struct signpost_kind){"point", NONE, true, {"", 0}};
    else
        *found = (struct signpost_kind){
            names[role == ROLE_GPU_MARK][step != NONE], step, false, {"", 0}};
    if (self->trace->has_domains && mark->arguments)
        found->domain =
            json_member(intern_view(&self->trace->arguments, mark->arguments), "domain");
    return true;
}
