/* verb_mcp: `tpq mcp`, a server for AI assistants. */
#include "src/agent/server.h"
#include "src/command/session.h"
#include "src/verbs/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool run_mcp(const struct arguments *arguments, struct error *error)
{
    struct agent agent = {.verbs = verbs,
                          .database = session_database(arguments),
                          .roots = arguments_values(arguments, "root"),
                          .report_folders = arguments_values(arguments, "report-dir"),
                          .extensions = arguments_values(arguments, "extension-file"),
                          .may_ingest = arguments_has(arguments, "allow-ingest"),
                          .is_quiet = arguments_has(arguments, "quiet")};
    bool done =
        session_operands(arguments, 0, 0, error) &&
        arguments_number(arguments, "timeout", 1, 86400, 10, &agent.timeout, error) &&
        arguments_number(arguments, "max-tokens", 100, 8000, 1500, &agent.max_tokens, error);
    if (done && agent.may_ingest && !*agent.roots)
        done = error_set(error, STATUS_USAGE, "tpq mcp: --allow-ingest needs a --root DIRECTORY");
    if (done && isatty(STDIN_FILENO))
        fputs(
            "tpq: a server for AI assistants (Model Context Protocol), which a client starts. Its "
            "settings:\n{\"mcpServers\": {\"tpq\": {\"command\": \"tpq\", \"args\": [\"mcp\", "
            "\"--db\", \"FILE\"]}}}\n",
            stderr);
    if (done)
        agent_serve(&agent);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"root", 0, "DIRECTORY", "files below it may be read; may be repeated", NULL},
    {"allow-ingest", 0, NULL, "add the tool ingest, for files below a root", NULL},
    {"timeout", 0, "SECONDS", "longest call (10)", NULL},
    {"max-tokens", 0, "N", "longest answer, unless a call says more; 100 to 8000 (1500)", NULL},
    {"report-dir", 0, "DIRECTORY", "more reports: a .sql file each; may be repeated", NULL},
    {"extension-file", 0, "FILE", "models, categories, reports and more; may be repeated", NULL},
    {"quiet", 'q', NULL, "no line on standard error for each call", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq mcp --db w.db", "what a client of MCP starts"},
    {"tpq mcp --db w.db --root traces --allow-ingest", "with trace files that may be read"},
    {NULL, NULL},
};

const struct verb verb_mcp = {
    .name = "mcp",
    .operands = "[OPTION]...",
    .also = "serve server",
    .summary = "answer AI assistants (Model Context Protocol)",
    .details =
        "A server on standard input and output, which an MCP client starts: {\"mcpServers\": "
        "{\"tpq\": {\"command\": \"tpq\", \"args\": [\"mcp\", \"--db\", \"FILE\"]}}}. It reads the "
        "warehouse and never changes it, except through the tool ingest, which --allow-ingest "
        "adds. tpq help agents lists the tools and how to work with them.",
    .options = options,
    .examples = examples,
    .run = run_mcp,
};
