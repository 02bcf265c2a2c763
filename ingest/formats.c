/* formats: see formats.h. */
#include "ingest/formats.h"

#include "ingest/kineto/kineto.h"
#include "ingest/ttmetal/ttmetal.h"
#include "ingest/xplane/xplane.h"

static const struct format formats[] = {
    {"xplane", xplane_recognises, xplane_read}, /* first: it may begin like a line of text */
    {"kineto", kineto_recognises, kineto_read},
    {"ttmetal", ttmetal_recognises, ttmetal_read},
};

const struct format *format_detect(struct source *source, struct error *error)
{
    const unsigned char *bytes;
    ptrdiff_t length = source_peek(source, &bytes, SOURCE_PEEK_MAX, error);
    if (length < 0)
        return NULL;
    if (length == 0) {
        error_set(error, STATUS_BAD_INPUT, "%s: the file is empty", source_path(source));
        return NULL;
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].recognises(bytes, (size_t)length))
            return &formats[i];
    error_set(
        error, STATUS_BAD_INPUT,
        "%s: not a trace: the text at byte 0 is neither a JSON object nor a JSON array, nor the "
        "header of a table of ops, nor a profile of XLA",
        source_path(source));
    error->foreign = true;
    return NULL;
}
