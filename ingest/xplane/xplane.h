/* xplane: profiles of JAX and other users of XLA, as a format. formats.c lists it; xplane_reader.h
 * says how they are read. */
#pragma once

#include "ingest/trace/format.h"

extern const struct format xplane_format;
