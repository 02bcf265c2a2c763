/* fuzz_hlo: programs of XLA. The first byte tells how the profile is read that is made around the
 * program: it has kernels that carry out the instructions a, b and all-gather.1. */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

#include "ingest/formats.h"
#include "src/base/text.h"

static void add_number(struct text *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        text_add_byte(out, (char)(value | 128));
    text_add_byte(out, (char)value);
}

static void add_field(struct text *out, unsigned number, const void *bytes, size_t length)
{
    add_number(out, number << 3 | 2);
    add_number(out, length);
    text_add(out, bytes, length);
}

static void add_text(struct text *out, unsigned number, const struct text *text)
{
    add_field(out, number, text->items ? text->items : "", text->count);
}

static void add_integer(struct text *out, unsigned number, uint64_t value)
{
    add_number(out, number << 3);
    add_number(out, value);
}

static void add_word(struct text *out, unsigned number, const char *word)
{
    add_field(out, number, word, strlen(word));
}

/* {1: key, 2: {2: name}} */
static void add_entry(struct text *out, unsigned number, uint64_t key, const char *name)
{
    struct text entry = {0}, value = {0};
    add_word(&value, 2, name);
    add_integer(&entry, 1, key);
    add_text(&entry, 2, &value);
    add_text(out, number, &entry);
    text_free(&entry);
    text_free(&value);
}

static void add_programs(struct text *out, const uint8_t *bytes, size_t length)
{
    struct text plane = {0}, entry = {0}, type = {0}, stat = {0};
    add_integer(&stat, 1, 1);
    add_field(&stat, 6, bytes, length);
    add_text(&type, 5, &stat);
    add_integer(&entry, 1, 1);
    add_text(&entry, 2, &type);
    add_word(&plane, 2, "/host:metadata");
    add_text(&plane, 4, &entry);
    add_entry(&plane, 5, 1, "Hlo Proto");
    add_text(out, 1, &plane);
    text_free(&plane);
    text_free(&entry);
    text_free(&type);
    text_free(&stat);
}

static void add_kernels(struct text *out)
{
    static const char *const names[] = {"a", "b", "all-gather.1", "a"};
    struct text plane = {0}, line = {0};
    add_word(&plane, 2, "/device:GPU:0");
    add_word(&line, 2, "Stream #1");
    for (unsigned i = 0; i < 4; i++) {
        struct text event = {0}, stat = {0};
        add_integer(&event, 1, 1 + i % 2);
        add_integer(&event, 2, 1000 * i);
        add_integer(&event, 3, 900);
        add_integer(&stat, 1, 1); /* hlo_op */
        add_word(&stat, 5, names[i]);
        add_text(&event, 4, &stat);
        text_clear(&stat);
        add_integer(&stat, 1, 2); /* program_id */
        add_integer(&stat, 4, 1);
        add_text(&event, 4, &stat);
        add_text(&line, 4, &event);
        text_free(&event);
        text_free(&stat);
    }
    add_text(&plane, 3, &line);
    add_entry(&plane, 4, 1, "nccl_k");
    add_entry(&plane, 4, 2, "Cijk_k");
    add_entry(&plane, 5, 1, "hlo_op");
    add_entry(&plane, 5, 2, "program_id");
    add_text(out, 1, &plane);
    text_free(&plane);
    text_free(&line);
}

FUZZ_TARGET(hlo)
{
    struct text profile = {0};
    if (!length)
        return 0;
    add_programs(&profile, bytes + 1, length - 1);
    add_kernels(&profile);
    reading_try(&xplane_format, profile.items, profile.count, bytes[0] & READING_BITS);
    text_free(&profile);
    return 0;
}
