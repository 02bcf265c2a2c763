/* snapshot: memory snapshots of PyTorch: pickles of torch.cuda.memory._dump_snapshot. */
#pragma once

#include "ingest/trace/format.h"

extern const struct format snapshot_format;
