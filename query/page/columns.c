/* columns: see columns.h. */
#include "query/page/columns.h"

typedef int64_t give_value(const track_rows *rows, size_t at);

static int64_t give_start(const track_rows *rows, size_t at)
{
    return at ? rows->items[at].start - rows->items[at - 1].start : 0;
}

static int64_t give_dur(const track_rows *rows, size_t at)
{
    return rows->items[at].dur;
}

static int64_t give_name(const track_rows *rows, size_t at)
{
    return rows->items[at].name;
}

static int64_t give_id(const track_rows *rows, size_t at)
{
    return at ? rows->items[at].id - rows->items[at - 1].id - 1 : 0;
}

static int64_t give_op(const track_rows *rows, size_t at)
{
    return rows->items[at].op;
}

static int64_t give_args(const track_rows *rows, size_t at)
{
    return rows->items[at].args;
}

static int64_t give_link(const track_rows *rows, size_t at)
{
    const struct track_row *row = &rows->items[at];
    return row->link ? row->id - row->link : 0;
}

static int64_t give_count(const track_rows *rows, size_t at)
{
    return rows->items[at].count;
}

static int64_t give_gap(const track_rows *rows, size_t at)
{
    return rows->items[at].dur - rows->items[at].covered;
}

static const struct {
    int width;
    bool is_signed, of_bundles;
    give_value *give;
} kinds[] = {
    {2, false, false, give_start}, {2, false, false, give_dur},  {1, false, false, give_name},
    {1, true, false, give_id},     {1, false, false, give_op},   {1, false, false, give_args},
    {1, true, false, give_link},   {1, false, true, give_count}, {2, false, true, give_gap},
};

static void add_rest(struct text *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        text_add_byte(out, (char)(value | 128));
    text_add_byte(out, (char)value);
}

void columns_add(const track_rows *rows, bool has_bundles, struct text *bytes, struct text *entry)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t at = bytes->count, count = rows->count;
        uint64_t limit = kinds[k].width == 2 ? UINT16_MAX : UINT8_MAX;
        if ((kinds[k].of_bundles && !has_bundles) ||
            !text_reserve(bytes, count * (size_t)kinds[k].width))
            continue;
        text_format(entry, "%s[%zu,%d,%d]", k ? "," : "[", at, kinds[k].width, kinds[k].is_signed);
        bytes->count += count * (size_t)kinds[k].width;
        for (size_t i = 0; i < count; i++) {
            int64_t stated = kinds[k].give(rows, i);
            uint64_t value = (uint64_t)stated;
            if (kinds[k].is_signed)
                value = (uint64_t)stated << 1 ^ (stated < 0 ? UINT64_MAX : 0);
            else if (stated < 0)
                value = 0;
            uint64_t low = value < limit ? value : limit;
            bytes->items[at + i] = (char)(low & 255);
            if (kinds[k].width == 2)
                bytes->items[at + count + i] = (char)(low >> 8);
            if (value >= limit)
                add_rest(bytes, value - limit);
        }
    }
    text_add_byte(entry, ']');
}
