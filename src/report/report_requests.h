/* report_requests: the requests of a served model, as its clients saw them. */
#pragma once

#include "sql/binding/context.h"
#include "src/command/option.h"

/* Reads the file of --request-log into the option `requests`, moved by --log-offset-ms: a list of
 * objects with request_id, arrival, first_token, end, prompt_tokens and output_tokens. Times are in
 * nanoseconds since 1970, as text; tokens may be null. */
bool report_requests_read(const struct arguments *arguments, struct context *context,
                          struct error *error);
