/* verb_check: `tpq check`, the integrity of a warehouse. */
#include "query/report/answer.h"
#include "sql/warehouse/integrity.h"
#include "sql/warehouse/schema.h"
#include "src/base/document.h"
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

static void write_result(void *document, const char *check, const char *finding)
{
    document_open(document, NULL, '{');
    document_text(document, "check", check);
    document_text(document, "finding", finding);
    document_close(document);
}

/* Computes kept figures of some runs again. */
static bool check_kept(const struct arguments *arguments, integrity_report *report, void *context,
                       int64_t *findings, struct error *error)
{
    enum { RUNS = 20 };
    struct warehouse warehouse;
    struct text run = {0}, finding = {0};
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    bool done = answer_check(&warehouse, "run_overview", RUNS, &run, error);
    if (run.count)
        text_format(&finding, "run %s: run_overview is not what is kept", run.items);
    if (done)
        report(context, "kept figures", finding.items);
    *findings += finding.count > 0;
    warehouse_close(&warehouse);
    return done;
}

static bool check_all(const struct arguments *arguments, struct warehouse *warehouse,
                      int64_t *findings, struct error *error)
{
    struct document document = {.out = stdout};
    bool quiet = arguments_has(arguments, "quiet"), json = arguments_has(arguments, "json");
    integrity_report *report = json ? write_result : print_result;
    void *context = json ? (void *)&document : &quiet;
    if (json) {
        document_begin(&document);
        document_close(&document);
        document_open(&document, "checks", '[');
    }
    bool done = integrity_check(warehouse, report, context, findings, error);
    done = done && (*findings || check_kept(arguments, report, context, findings, error));
    if (!json)
        return done;
    document_close(&document);
    document_integer(&document, "findings", *findings);
    document_finish(&document);
    return done;
}

static bool run_check(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    int64_t findings = 0;
    const char *saved = session_saved_views(arguments);
    if (!session_operands(arguments, 0, 0, error) ||
        !session_open(arguments, saved ? WAREHOUSE_WRITE : WAREHOUSE_CHECK, &warehouse, error))
        return false;
    bool done = !saved || views_choose(warehouse.db, strcmp(saved, "all") == 0, error);
    if (done)
        done = check_all(arguments, &warehouse, &findings, error);
    if (done && findings)
        done = error_set(error, STATUS_CHECK_FAILED, "%s: %lld finding%s", warehouse.path,
                         (long long)findings, findings == 1 ? "" : "s");
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    OPTION_WAIT,
    OPTION_SAVE_VIEWS,
    OPTION_JSON,
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
    .also = "verify validate",
    .summary = "check the integrity of the warehouse",
    .details =
        "Checks the schema, the file, the references between tables, and the ranges of ids. The "
        "numbering of every trace must be a preorder of its call tree. Kept figures of up to 20 "
        "runs "
        "are computed again. Each definition of tpq must "
        "be the one that this version makes, but for comments. Tables, views, indexes and columns "
        "that an owner added are accepted when they hold no expression and no name of tpq or "
        "SQLite. Other entries are named; the remaining checks are then not run, since they "
        "could run SQL of the file. The exit status is 1 when something is wrong.",
    .options = options,
    .examples = examples,
    .run = run_check,
};
