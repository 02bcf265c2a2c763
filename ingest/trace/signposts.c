/* signposts: see signposts.h. */
#include "ingest/trace/signposts.h"

#include "ingest/input/json_text.h"

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

/* The number of a step whose name does not tell; NONE when there is none. */
static int64_t stated_step(const struct trace *trace, uint32_t slice)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, trace->steps.count, trace->steps.items[place].slice < slice);
    bool is_there = place < trace->steps.count && trace->steps.items[place].slice == slice;
    return is_there ? trace->steps.items[place].number : NONE;
}

static int64_t step_of(struct signposts *self, uint32_t slice)
{
    uint32_t name = self->trace->slices.items[slice].name;
    if (name != self->last_name) {
        self->last_name = name;
        self->last_step = step_number(intern_view(&self->trace->strings, name));
    }
    return self->last_step != NONE ? self->last_step : stated_step(self->trace, slice);
}

bool signposts_find(struct signposts *self, uint32_t slice, struct signpost_kind *found)
{
    static const char *const names[2][2] = {{"range", "step"}, {"gpu_range", "gpu_step"}};
    const struct slice *mark = &self->trace->slices.items[slice];
    enum role role = trace_role(self->trace, mark);
    if (role != ROLE_MARK && role != ROLE_GPU_MARK && role != ROLE_OP)
        return false;
    int64_t step = step_of(self, slice);
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
