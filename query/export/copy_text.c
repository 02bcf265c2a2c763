/* copy_text: A text is first scanned eight bytes at a time; only one with a bad byte is copied.
 * Numbers of texts are 64-bit hashes; a hash with a second seed tells texts of one number apart.
 * Escapes are the four that COPY needs. */
#include "query/export/copy_text.h"

#include "src/base/hash.h"

#include <math.h>

/* Bytes from the start that may stay as they are. */
static size_t sound_length(struct view text)
{
    size_t at = 0;
    while (at < text.length) {
        if (text.length - at >= 8) {
            /* Eight bytes of ASCII without NUL need no closer look. */
            uint64_t word;
            memcpy(&word, text.bytes + at, sizeof word);
            if (((word | (word - 0x0101010101010101)) & 0x8080808080808080) == 0) {
                at += 8;
                continue;
            }
        }
        const unsigned char *bytes = (const unsigned char *)text.bytes + at;
        uint32_t code = *bytes;
        size_t size = code - 1 < 0x7F ? 1 : utf8_decode(bytes, text.length - at, &code);
        if (!size || !code)
            break;
        at += size;
    }
    return at;
}

struct view copy_mended(struct view text, struct text *room)
{
    size_t sound = sound_length(text);
    if (sound == text.length)
        return text.bytes ? text : VIEW("");
    text_clear(room);
    while (text.length) {
        text_add(room, text.bytes, sound);
        text = (struct view){text.bytes + sound, text.length - sound};
        if (text.length) {
            text_add_string(room, "\xEF\xBF\xBD");
            text = (struct view){text.bytes + 1, text.length - 1};
        }
        sound = sound_length(text);
    }
    return text_view(room);
}

int64_t copy_number(struct view text)
{
    return (int64_t)hash64(text.bytes, text.length, 0);
}

int64_t copy_other_number(struct view text)
{
    return (int64_t)hash64(text.bytes, text.length, 1);
}

void copy_trace_number(const char *run, const char *trace, int64_t *number)
{
    struct text both = {0};
    text_add(&both, run, strlen(run) + 1);
    text_add_string(&both, trace);
    *number = copy_number(text_view(&both));
    text_free(&both);
}

/* 17 digits are read as the number that they were made of. */
void copy_add_real(struct text *out, double value)
{
    if (isnan(value)) {
        text_add_string(out, "NaN");
        return;
    }
    if (isinf(value)) {
        text_add_string(out, value < 0 ? "-Infinity" : "Infinity");
        return;
    }
    text_format(out, "%.17g", value);
}

void copy_add_text(struct text *out, struct view mended)
{
    static const char escapes[256] = {['\\'] = '\\', ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
    for (size_t at = 0, end = 0; at < mended.length; at = end) {
        while (end < mended.length && !escapes[(unsigned char)mended.bytes[end]])
            end++;
        text_add(out, mended.bytes + at, end - at);
        if (end < mended.length)
            text_add(out, (char[]){'\\', escapes[(unsigned char)mended.bytes[end++]]}, 2);
    }
}
