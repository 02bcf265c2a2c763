/* hlo_groups: see hlo_groups.h. */
#include "ingest/xplane/hlo_groups.h"

#include "ingest/xplane/xplane_fields.h"

/* Groups of more ranks than this are kept as their size only. */
enum { RANKS_MAX = 1 << 16 };

bool hlo_add_group(struct hlo_reader *self, struct message span)
{
    struct text numbers = {0};
    struct wire_field field;
    enum wire_step step;
    bool done = true;
    while (done && (step = message_next(&span, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            done = hlo_corrupt(self);
        else if (field.number == GROUP_MEMBERS)
            hlo_add_numbers(&numbers, &field);
    }
    if (done)
        text_format(&self->groups, "%s[%s]", self->groups.count ? "," : "",
                    numbers.count ? numbers.items : "");
    text_free(&numbers);
    return done;
}

bool hlo_add_pair(struct hlo_reader *self, struct message span)
{
    struct wire_field field;
    enum wire_step step;
    int64_t ends[2] = {0};
    while ((step = message_next(&span, &field)) == WIRE_FIELD)
        if (field.number == PAIR_SOURCE || field.number == PAIR_TARGET)
            ends[field.number - PAIR_SOURCE] = (int64_t)field.value;
    if (step == WIRE_FAILED)
        return hlo_corrupt(self);
    text_format(&self->groups, "%s[%lld,%lld]", self->groups.count ? "," : "", (long long)ends[0],
                (long long)ends[1]);
    return true;
}

enum { IOTA_RANK_MAX = 8 };

static bool read_numbers(struct message span, int64_t *numbers, int *count)
{
    uint64_t number;
    while (message_number(&span, &number)) {
        if (*count == IOTA_RANK_MAX)
            return false;
        numbers[(*count)++] = (int64_t)number;
    }
    return true;
}

/* Ranks 0, 1, ... laid out in `dimensions`, axes taken in another order, cut into groups. */
static bool add_iota(struct hlo_reader *self, int64_t groups, int64_t size,
                     const int64_t *dimensions, const int64_t *order, int count)
{
    int64_t total = 1, strides[IOTA_RANK_MAX], place[IOTA_RANK_MAX] = {0};
    for (int i = count; i-- > 0;) {
        if (dimensions[i] < 1 || dimensions[i] > RANKS_MAX || order[i] < 0 || order[i] >= count)
            return hlo_corrupt(self);
        strides[i] = total;
        total *= dimensions[i];
        if (total > RANKS_MAX) {
            hlo_add_number(self, "group_size", size);
            return true;
        }
    }
    if (groups < 1 || size < 1 || groups > RANKS_MAX || size > RANKS_MAX || groups * size != total)
        return hlo_corrupt(self);
    enum { RANK_BYTES = 6 }; /* with its comma */
    if (!trace_take(self->hlo->trace, (size_t)total * RANK_BYTES)) {
        hlo_add_number(self, "group_size", size);
        return true;
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t rank = 0;
        for (int axis = 0; axis < count; axis++)
            rank += place[axis] * strides[order[axis]];
        text_format(&self->groups, "%s%s%lld%s", i ? "," : "", i % size ? "" : "[", (long long)rank,
                    (i + 1) % size ? "" : "]");
        for (int axis = count; axis-- > 0 && ++place[axis] == dimensions[order[axis]];)
            place[axis] = 0;
    }
    return true;
}

static bool read_iota(struct hlo_reader *self, struct message span)
{
    struct wire_field field;
    enum wire_step step;
    int64_t groups = 0, size = 0, dimensions[IOTA_RANK_MAX], order[IOTA_RANK_MAX];
    int count = 0, ordered = 0;
    bool fits = true;
    while ((step = message_next(&span, &field)) == WIRE_FIELD && fits) {
        bool is_list = field.number == IOTA_DIMENSIONS;
        int64_t *list = is_list ? dimensions : order;
        int *length = is_list ? &count : &ordered;
        if (field.number == IOTA_GROUPS)
            groups = (int64_t)field.value;
        else if (field.number == IOTA_GROUP_SIZE)
            size = (int64_t)field.value;
        else if (!is_list && field.number != IOTA_ORDER)
            continue;
        else if (field.type == WIRE_LENGTH)
            fits = read_numbers(field.bytes, list, length);
        else if ((fits = *length < IOTA_RANK_MAX))
            list[(*length)++] = (int64_t)field.value;
    }
    for (; ordered == 0 && fits && ordered < count;)
        for (; ordered < count; ordered++)
            order[ordered] = ordered;
    if (step == WIRE_FAILED || !fits || ordered != count)
        return hlo_corrupt(self);
    return count == 0 || add_iota(self, groups, size, dimensions, order, count);
}

bool hlo_read_device_list(struct hlo_reader *self, struct message span)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&span, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_LENGTH)
            continue;
        if (field.number == DEVICE_LIST_GROUPS && !hlo_add_group(self, field.bytes))
            return false;
        if (field.number == DEVICE_LIST_IOTA && !read_iota(self, field.bytes))
            return false;
    }
    return step == WIRE_END || hlo_corrupt(self);
}
