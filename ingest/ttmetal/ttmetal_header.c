/* ttmetal_header: the columns of a tt-metal op table; see ttmetal_header.h. */
#include "ingest/ttmetal/ttmetal_header.h"

#include <string.h>

static const char *const names[TTMETAL_COLUMN_COUNT] = {
    [TTMETAL_CODE] = "OP CODE",
    [TTMETAL_TYPE] = "OP TYPE",
    [TTMETAL_DEVICE] = "DEVICE ID",
    [TTMETAL_KERNEL] = "DEVICE KERNEL DURATION [ns]",
    [TTMETAL_CALLS] = "GLOBAL CALL COUNT",
    [TTMETAL_ARCH] = "DEVICE ARCH",
    [TTMETAL_AVAILABLE_CORES] = "AVAILABLE WORKER CORE COUNT",
    [TTMETAL_ATTRIBUTES] = "ATTRIBUTES",
    [TTMETAL_FIDELITY] = "MATH FIDELITY",
    [TTMETAL_CORES] = "CORE COUNT",
    [TTMETAL_SUB_DEVICE] = "SUB DEVICE ID",
    [TTMETAL_HOST_START] = "HOST START TS",
    [TTMETAL_HOST_DURATION] = "HOST DURATION [ns]",
    [TTMETAL_GAP] = "OP TO OP LATENCY [ns]",
    [TTMETAL_FIRMWARE] = "DEVICE FW DURATION [ns]",
    [TTMETAL_START_CYCLE] = "DEVICE FW START CYCLE",
    [TTMETAL_END_CYCLE] = "DEVICE FW END CYCLE",
    [TTMETAL_TRACE] = "METAL TRACE ID",
    [TTMETAL_REPLAY] = "METAL TRACE REPLAY SESSION ID",
};

static const char padded[] = "_PAD[LOGICAL]";

static int find_known(struct view name)
{
    for (int i = 0; i < TTMETAL_COLUMN_COUNT; i++)
        if (view_equal(name, view_of(names[i])))
            return i;
    return -1;
}

bool ttmetal_is_header(struct view line)
{
    enum { ENOUGH = 2 };
    int found = 0;
    for (size_t start = 0; start < line.length && found < ENOUGH;) {
        const char *comma = memchr(line.bytes + start, ',', line.length - start);
        size_t end = comma ? (size_t)(comma - line.bytes) : line.length;
        struct view name = {line.bytes + start, end - start};
        if (name.length >= 2 && name.bytes[0] == '"' && name.bytes[name.length - 1] == '"')
            name = (struct view){name.bytes + 1, name.length - 2};
        found += find_known(name) >= 0;
        start = end + 1;
    }
    return found >= ENOUGH;
}

/* Columns that are the same for all calls that are made the same way: the kernels, and the figures
 * that the profiler's model expects of them. */
static bool is_of_program(struct view name)
{
    static const char *const words[] = {
        "COMPUTE KERNEL SOURCE",
        "COMPUTE KERNEL HASH",
        "DATA MOVEMENT KERNEL SOURCE",
        "DATA MOVEMENT KERNEL HASH",
        "PROGRAM HASH",
        "PM IDEAL [ns]",
        "PM COMPUTE [ns]",
        "PM BANDWIDTH [ns]",
        "PM REQ I BW",
        "PM REQ O BW",
    };
    static const char size[] = " MAX KERNEL SIZE [B]";
    return VIEW_IS_AMONG(name, words) || (view_ends_with(name, size) && name.length >= sizeof size);
}

void ttmetal_header_add(struct ttmetal_header *self, struct view name)
{
    bool is_tensor = view_starts_with(name, "INPUT_") || view_starts_with(name, "OUTPUT_");
    bool is_padded = view_ends_with(name, padded) && name.length >= sizeof padded;
    int known = find_known(name);
    if (known == TTMETAL_ARCH || known == TTMETAL_AVAILABLE_CORES)
        self->version = "v2.1";
    else if (is_padded && !self->version)
        self->version = "v2";
    if (is_tensor && is_padded)
        name.length -= sizeof padded - 1;
    bool is_part = is_tensor || known == TTMETAL_ATTRIBUTES || known == TTMETAL_FIDELITY ||
                   is_of_program(name);
    struct text copy = {0}, member = {0};
    text_add(&copy, "", 0);
    for (size_t i = 0; i < name.length;) {
        uint32_t code;
        size_t length = utf8_decode((const unsigned char *)name.bytes + i, name.length - i, &code);
        bool is_good = length > 0 && code != 0;
        if (is_good)
            text_add(&copy, name.bytes + i, length);
        else
            text_add_string(&copy, "\xEF\xBF\xBD");
        i += length ? length : 1;
    }
    text_add_json(&member, text_view(&copy));
    text_add_byte(&member, ':');
    struct ttmetal_field *field = array_push(&self->fields);
    *field = (struct ttmetal_field){
        .name = copy.items,
        .known = known,
        .member = member,
        .is_part = is_part,
        .is_used = true,
    };
}

static int compare_sorted(const struct ttmetal_header *self, size_t place,
                          const struct text *member)
{
    /* Names as JSON has them, between quotes and with a colon behind: what is escaped stands
     * elsewhere in the order than what it stands for. */
    const struct text *left = &self->fields.items[self->sorted.items[place]].member;
    enum { AROUND = sizeof "\":" - 1 };
    size_t length = left->count < member->count ? left->count : member->count;
    int result = memcmp(left->items, member->items, length - AROUND);
    return result ? result : (left->count > member->count) - (left->count < member->count);
}

bool ttmetal_header_settle(struct ttmetal_header *self, const char *path, struct error *error)
{
    /* The names in order; of columns with the same name only the last one is used. */
    for (size_t i = 0; i < self->fields.count; i++) {
        const struct text *member = &self->fields.items[i].member;
        size_t place;
        ARRAY_LOWER_BOUND(place, self->sorted.count, compare_sorted(self, place, member) < 0);
        if (place < self->sorted.count && compare_sorted(self, place, member) == 0) {
            self->fields.items[self->sorted.items[place]].is_used = false;
            self->sorted.items[place] = i;
            self->repeated++;
            continue;
        }
        array_add(&self->sorted, i);
        memmove(self->sorted.items + place + 1, self->sorted.items + place,
                (self->sorted.count - 1 - place) * sizeof *self->sorted.items);
        self->sorted.items[place] = i;
    }
    for (size_t i = 0; i < self->fields.count; i++)
        if (self->fields.items[i].known >= 0 && self->fields.items[i].is_used)
            self->places[self->fields.items[i].known] = i + 1;
    if (!self->version)
        self->version = "v1";
    struct text missing = {0};
    int count = 0;
    bool done = true;
    for (int i = 0; i <= TTMETAL_KERNEL; i++)
        if (!self->places[i])
            text_format(&missing, "%s\"%s\"", count++ ? ", " : "", names[i]);
    if (count)
        done = error_set(error, STATUS_BAD_INPUT, "%s: the table of ops has no column%s %s", path,
                         count > 1 ? "s" : "", missing.items);
    text_free(&missing);
    return done;
}
