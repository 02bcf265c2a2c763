/* report_arch: the accelerator that rooflines are held against, where the user names one. */
#pragma once

#include "sql/warehouse.h"
#include "src/command/option.h"

/* Reads the file of --gpu-arch-json-path into --gpu-arch: a JSON object with mem_bw_gbps
 * and max_achievable_tflops, kind of peak to TFLOP/s. */
bool report_arch_read(const struct arguments *arguments, struct context *context,
                      struct error *error);

/* Sets --gpu-arch-platform to the name that the catalog has for --gpu-arch-platform. */
bool report_arch_choose(const struct arguments *arguments, struct warehouse *warehouse,
                        struct error *error);
