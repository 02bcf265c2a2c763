/* request_log: the requests of a served model, as its clients saw them. */
#pragma once

#include "sql/binding/context.h"
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

/* Reads the file of --request-log, moved by --log-offset-ms, into options: "requests" says that
 * there is a log, "requests 0" and so on are JSON lists of REQUEST_LOG_LIST requests, the last one
 * of fewer. As one list all of them would be taken apart at once. A request is an object with the
 * first letters of request_id, arrival, first_token, end, prompt_tokens and output_tokens: times in
 * nanoseconds since 1970, as text; tokens may be missing. */
enum { REQUEST_LOG_LIST = 1000 };
bool request_log_read(const struct arguments *arguments, struct context *context,
                      struct error *error);
