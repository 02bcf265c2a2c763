/* formats: see formats.h. */
#include "ingest/formats.h"

#include "ingest/kineto/kineto.h"
#include "ingest/ttmetal/ttmetal.h"
#include "ingest/xplane/xplane.h"

#include <string.h>

static const struct format *const formats[] = {
    &xplane_format, /* first: it may begin like a line of text */
    &kineto_format,
    &ttmetal_format,
};

const struct format *format_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

const struct format *format_find(const char *name)
{
    const struct format *format;
    size_t i = 0;
    while ((format = format_at(i++)) && strcmp(format->name, name) != 0)
        ;
    return format;
}

/* Says what an input might have been. */
static void refuse(struct source *source, struct error *error)
{
    const struct format *format;
    struct text words = {0};
    bool done = true;
    for (size_t i = 0; done && (format = format_at(i)); i++)
        done = text_format(&words, "%s%s", i ? ", nor " : "", format->words);
    if (done)
        error_set(error, STATUS_BAD_INPUT, "%s: not a trace: what begins at byte 0 is neither %s",
                  source_path(source), words.items);
    else
        error_memory(error);
    error->foreign = done;
    text_free(&words);
}

const struct format *format_detect(struct source *source, struct error *error)
{
    const unsigned char *bytes;
    const struct format *format;
    ptrdiff_t length = source_peek(source, &bytes, SOURCE_PEEK_MAX, error);
    if (length < 0)
        return NULL;
    if (length == 0) {
        error_set(error, STATUS_BAD_INPUT, "%s: the file is empty", source_path(source));
        return NULL;
    }
    for (size_t i = 0; (format = format_at(i)); i++)
        if (format->recognises(bytes, (size_t)length))
            return format;
    refuse(source, error);
    return NULL;
}
