/* format: the table of what can be read, and the contract of a format reader.
 *
 * A reader looks at the first bytes of an input and says whether they are its own; then it fills
 * a struct trace. It knows neither the tree nor the database. A new format is a new file and a
 * line in format.c.
 */
#ifndef TPQ_INGEST_FORMATS_H
#define TPQ_INGEST_FORMATS_H

#include "ingest/input/source.h"
#include "ingest/trace/trace.h"

struct read_options {
    bool no_frames;     /* leave Python frames out */
    bool no_arguments;  /* leave arguments out that no report about tt-metal asks for */
    bool keep_metadata; /* also metadata that is not known to be harmless */
    bool salvage;       /* of a damaged input, keep what came before the damage */
};

struct format {
    const char *name;
    bool (*recognises)(const unsigned char *bytes, size_t length);
    bool (*read)(struct source *source, const struct read_options *options, struct trace *trace,
                 struct error *error);
};

/* The format of an input, or NULL with an error that says why there is none. */
const struct format *format_detect(struct source *source, struct error *error);

bool kineto_recognises(const unsigned char *bytes, size_t length);
bool kineto_read(struct source *source, const struct read_options *options, struct trace *trace,
                 struct error *error);

bool ttmetal_recognises(const unsigned char *bytes, size_t length);
bool ttmetal_read(struct source *source, const struct read_options *options, struct trace *trace,
                  struct error *error);

bool xplane_recognises(const unsigned char *bytes, size_t length);
bool xplane_read(struct source *source, const struct read_options *options, struct trace *trace,
                 struct error *error);

#endif
