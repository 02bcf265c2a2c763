/* snapshot_reader: see snapshot_reader.h. */
#include "ingest/snapshot/snapshot_reader.h"

bool snapshot_refuse(struct snapshot *self, const char *words)
{
    return error_set(self->error, STATUS_BAD_INPUT,
                     "%s: not read: no memory snapshot of PyTorch: %s",
                     source_path(self->pickle.source), words);
}

bool snapshot_walk(struct snapshot *self, size_t count)
{
    self->walked += (int64_t)count;
    return self->walked <= pickle_offset(&self->pickle) ||
           snapshot_refuse(self, "it refers to its lists more often than its size allows");
}
