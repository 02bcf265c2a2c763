/* rocprof_reader: see rocprof_reader.h: what all parts do with a value. */
#include "ingest/rocprof/rocprof_reader.h"

#include "ingest/input/json_text.h"

void rocprof_note(struct rocprof *self, enum note note)
{
    struct trace *trace = self->process ? &self->process->trace : NULL;
    if (trace)
        note_count(&trace->notes, note, 1, trace->events, self->json.mark_offset);
}

bool rocprof_canonical(struct rocprof *self, struct view raw)
{
    struct json_repairs repairs = {0};
    text_clear(&self->canonical);
    if (json_canonical(raw, &self->canonical, &repairs) == JSON_CANON_MALFORMED)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: malformed JSON at byte %lld",
                         source_path(self->json.source), (long long)self->json.mark_offset);
    struct trace *trace = &self->process->trace;
    trace_repairs(trace, &repairs, trace->events, self->json.mark_offset);
    return true;
}

bool rocprof_pass(struct rocprof *self, enum note note)
{
    struct json_value value;
    rocprof_note(self, note);
    return json_value(&self->json, &value);
}

bool rocprof_each(struct rocprof *self, bool (*read)(struct rocprof *self))
{
    bool first = true;
    enum json_step step = JSON_STEP_END;
    if (json_peek(&self->json) != '[')
        return rocprof_pass(self, NOTE_VALUE_ODD);
    json_accept(&self->json);
    for (int64_t i = 0;; i++) {
        step = json_next_item(&self->json, &first);
        if (step != JSON_STEP_ITEM)
            return step == JSON_STEP_END;
        json_mark(&self->json);
        self->item = i;
        if (!read(self))
            return false;
    }
}

bool rocprof_each_key(struct rocprof *self, bool (*read)(struct rocprof *self, struct view key))
{
    struct json_value key;
    enum json_step step;
    bool first = true;
    json_accept(&self->json);
    do {
        json_mark(&self->json);
        step = json_next_key(&self->json, &first, &key);
    } while (step == JSON_STEP_ITEM && read(self, json_view(&self->json, key.span)));
    return step == JSON_STEP_END;
}
