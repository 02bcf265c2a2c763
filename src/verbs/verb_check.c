/* verb_check: `tpq check`, the integrity of a warehouse. */
#include "sql/integrity.h"
#include "src/command/session.h"

static void print_result(void *quiet, const char *check, const char *finding)
{
    if (finding) {
        printf("%-25s ", check);
        session_print(stdout, finding);
        putchar('\n');
    } else if (!*(bool *)quiet) {
        printf("%-25s ok\n", check);
    }
}

static bool run_check(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    int64_t findings = 0;
    bool quiet = arguments_has(arguments, "quiet");
    if (!session_operands(arguments, 0, 0, error) ||
        !session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    bool done = integrity_check(&warehouse, print_result, &quiet, &findings, error);
    if (done && findings)
        done = error_set(error, STATUS_CHECK_FAILED, "%s: %lld finding%s", warehouse.path,
                         (long long)findings, findings == 1 ? "" : "s");
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    OPTION_WAIT,
    {"quiet", 'q', NULL, "print only what is wrong", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq check --db w.db", "status 0 when all is well, 1 when not"},
    {NULL, NULL},
};

const struct verb verb_check = {
    .name = "check",
    .operands = "[OPTION]...",
    .summary = "check the integrity of the warehouse",
    .details = "Checks the file, the references between tables, the ranges of ids, and that the "
               "numbering of every trace is a preorder of its call tree. The exit status is 1 when "
               "something is wrong.",
    .options = options,
    .examples = examples,
    .run = run_check,
};
