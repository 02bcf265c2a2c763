/* request_log: the requests of a served model, as its clients saw them. */
#pragma once

#include "src/base/text.h"
#include "src/command/option.h"

#define OPTION_REQUEST_LOG                                                                    \
    {                                                                                         \
        "request-log", 0, "FILE",                                                             \
            "serving_requests: CSV with request_id, arrival, first_token, end and perhaps "   \
            "prompt_tokens, output_tokens; times since 1970 in s, ms, us or ns, or ISO 8601", \
            NULL                                                                              \
    }
#define OPTION_LOG_OFFSET                                                        \
    {                                                                            \
        "log-offset-ms", 0, "N", "add N to the times of --request-log (0)", NULL \
    }

/* Reads the file of --request-log, moved by --log-offset-ms: a list of objects with request_id,
 * arrival, first_token, end, prompt_tokens and output_tokens. Times are in nanoseconds since 1970,
 * as text; tokens may be null. Without the option the list is empty text. */
bool request_log_read(const struct arguments *arguments, struct text *list, struct error *error);
