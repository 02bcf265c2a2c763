/* counted: a sink before another one that counts what it is given, so that it can be said what an
 * output holds. */
#pragma once

#include "query/sink/sink.h"

struct counted_sink {
    struct sink base;
    struct sink *to;
    const char *only;             /* the sheet that counts; NULL = all */
    bool is_counting, has_passed; /* sheets that are not shown */
    size_t sheets;
    int64_t rows;
};

/* Takes the sink over, also when it fails (NULL); `only` must outlive it. */
struct counted_sink *sink_counted(struct sink *to, const char *only, struct error *error);
