/* fuzz_requests: logs of requests. What is read is lists of whole requests. */
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"

#include "src/command/request_log.h"

FUZZ_TARGET(requests)
{
    static const struct option options[] = {OPTION_REQUEST_LOG, OPTION_LOG_OFFSET};
    struct piece piece;
    struct context *context = kept_warehouse()->context;
    struct error error = {0};
    piece_open(&piece, bytes, length);
    struct argument_value values[] = {{&options[0], piece.path, false},
                                      {&options[1], "-0.5", false}};
    const struct arguments arguments = {.values = {.items = values, .count = 2}};
    bool done = request_log_read(&arguments, context, &error);
    kept_must_be_said(done, &error);
    MUST(!done || kept_ask("SELECT json_type(tpq_option('requests 0')) = 'array'"));
    MUST(!done || kept_ask("SELECT count(*) FROM json_each(tpq_option('requests 0')) WHERE "
                           "arg(value, 'r') IS NULL OR CAST(CAST(arg(value, 'a') AS INTEGER) AS "
                           "TEXT) IS NOT arg(value, 'a') OR arg(value, 'f') IS NULL OR arg(value, "
                           "'e') IS NULL") == 0);
    context_set(context, "requests 0", NULL);
    piece_close(&piece);
    return 0;
}
