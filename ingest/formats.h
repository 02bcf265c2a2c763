/* formats: the list of what can be read, and which of them an input is.
 *
 * A new format is a folder whose reader defines NAME_format, by the contract of trace/format.h, and
 * a line here. Whoever opens an input asks here first.
 */
#pragma once

#include "ingest/trace/format.h"

/* An input belongs to the first format that recognises it. The first bytes tell a snapshot; pftrace
 * and xplane may begin like a line of text; the first member tells rocprof from other JSON. */
#define EACH_FORMAT(FORMAT) \
    FORMAT(snapshot)        \
    FORMAT(pftrace)         \
    FORMAT(xplane)          \
    FORMAT(rocprof)         \
    FORMAT(kineto)          \
    FORMAT(nsys)            \
    FORMAT(rocpd)           \
    FORMAT(ttmetal)

#define DECLARE_FORMAT(name) extern const struct format name##_format;
EACH_FORMAT(DECLARE_FORMAT)
#undef DECLARE_FORMAT

/* One after the other; NULL behind the last. */
const struct format *format_at(size_t index);

/* The format with this name, or NULL. */
const struct format *format_find(const char *name);

/* Fills a trace with an input. What the reader needs for that ends with it. */
bool format_read(const struct format *self, struct source *source,
                 const struct read_options *options, struct trace *trace, struct error *error);

/* The format of an input, or NULL with an error that says why there is none. */
const struct format *format_detect(struct source *source, struct error *error);
