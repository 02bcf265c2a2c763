/* sink: what the sinks share. */
#include "sink.h"

#include <errno.h>
#include <string.h>

bool sink_check_stream(FILE *out, const char *name, struct error *error)
{
    if (fflush(out) == 0 && !ferror(out))
        return true;
    return error_set(error, STATUS_DATABASE, "%s cannot be written: %s", name, strerror(errno));
}
