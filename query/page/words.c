/* words: see words.h. */
#include "query/page/words.h"

#include "query/sink/heading.h"

#include <string.h>

static const char lower[] = "abcdefghijklmnopqrstuvwxyz";
static const char of_names[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

/* Words that are letters. */
static const char *const letters[] = {"gpu", "cpu", "mfu", "io",   "nccl", "xla", "jax",
                                      "hlo", "tt",  "api", "nvtx", "osrt", "dram"};

static bool is_letters(struct view word)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (view_equal(word, view_of(letters[i])))
            return true;
    return false;
}

static char upper(char letter)
{
    return (char)(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
}

bool words_add_name(struct text *out, const char *name)
{
    size_t length = strspn(name, of_names);
    bool done = true;
    if (!strspn(name, lower) || (name[length] && name[length] != ' '))
        return text_add_string(out, name);
    for (size_t at = 0; at < length && done;) {
        struct view word = {name + at, strcspn(name + at, "_ ")};
        bool is_loud = is_letters(word);
        for (size_t i = 0; i < word.length && done; i++)
            done =
                text_add_byte(out, is_loud || at + i == 0 ? upper(word.bytes[i]) : word.bytes[i]);
        at += word.length;
        for (; at < length && name[at] == '_' && done; at++)
            done = text_add_byte(out, ' ');
    }
    return done && text_add_string(out, name + length);
}

/* Endings of names that say what the unit says. */
static bool is_unit(struct view ending, const char *unit)
{
    if (strcmp(unit, "%") == 0)
        return view_equal(ending, VIEW("percent")) || view_equal(ending, VIEW("pct"));
    return *unit && view_equal(ending, view_of(unit));
}

/* How much of a heading is shown: that of SQL goes without its unit. */
static size_t shown_length(const struct column *column)
{
    const char *heading = column->heading, *last = strrchr(heading, '_');
    bool is_plain = strcmp(heading, column->name) == 0;
    return is_plain && last && last > heading && is_unit(view_of(last + 1), column->unit)
               ? (size_t)(last - heading)
               : strlen(heading);
}

bool words_add_heading(struct text *out, const struct column *column)
{
    const char *heading = column->heading;
    bool is_plain = strcmp(heading, column->name) == 0, done = true;
    for (size_t i = 0; i < shown_length(column) && done; i++)
        done = text_add_byte(out, is_plain && heading[i] == '_' ? ' ' : heading[i]);
    return done;
}

const char *words_of_unit(const char *unit)
{
    return strcmp(unit, "us") == 0 ? "\xC2\xB5s" : unit;
}

const char *words_unit(const struct column *column)
{
    bool is_taken = shown_length(column) < strlen(column->heading);
    bool is_rate = strstr(column->heading, "FLOPS") && strstr(column->unit, "FLOP");
    return words_of_unit(is_taken ? column->unit : is_rate ? "" : heading_unit(column));
}
