/* plain: see plain.h. */
#include "ingest/trace/plain.h"

bool plain_text(struct view text, struct text *scratch, struct notes *notes, int64_t uid,
                struct view *plain)
{
    size_t good = 0;
    *plain = text;
    while (good < text.length && (unsigned char)(text.bytes[good] - 1) < 127)
        good++;
    if (good == text.length)
        return true;
    text_clear(scratch);
    text_add(scratch, text.bytes, good);
    for (size_t i = good; i < text.length;) {
        uint32_t code;
        size_t length = utf8_decode((const unsigned char *)text.bytes + i, text.length - i, &code);
        bool is_good = length && code;
        if (!is_good)
            note_count(notes, length ? NOTE_NUL_CHARACTER : NOTE_INVALID_UTF8, 1, uid, -1);
        if (is_good)
            text_add(scratch, text.bytes + i, length);
        else
            text_add_string(scratch, "\xEF\xBF\xBD");
        i += length ? length : 1;
    }
    *plain = text_view(scratch);
    return true;
}
