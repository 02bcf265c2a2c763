/* snapshot_reader: see snapshot_reader.h. */
#include "ingest/snapshot/snapshot_reader.h"

/* PyTorch makes a row for each use; some makers of tests do not. */
enum { USES_AGAIN_MAX = 1 << 15 };

/* Texts of rows: a name of 100 bytes may be fetched with two. */
enum { REPEATED_FREE = 16 << 20, REPEATED_GROWTH = 16 };

bool snapshot_refuse(struct snapshot *self, const char *words)
{
    return error_set(self->error, STATUS_BAD_INPUT,
                     "%s: not read: no memory snapshot of PyTorch: %s",
                     source_path(self->pickle.source), words);
}

bool snapshot_use(struct snapshot *self, bool *is_used)
{
    self->uses_again += *is_used;
    *is_used = true;
    return self->uses_again <= USES_AGAIN_MAX ||
           snapshot_refuse(self, "it uses the same events, segments or blocks too often");
}

bool snapshot_repeat(struct snapshot *self, uint32_t text)
{
    self->repeated += (int64_t)intern_view(&self->trace->strings, text).length;
    return self->repeated <= REPEATED_FREE + REPEATED_GROWTH * pickle_offset(&self->pickle) ||
           snapshot_refuse(self, "it repeats its texts more often than its size allows");
}
