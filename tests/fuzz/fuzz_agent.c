/* fuzz_agent: what clients send to the assistants' server.
 *
 * The server reads the input in this process; where it would start another one for a call, a call
 * ends in one of the ways in which calls end. Whatever came in, what goes out is messages, a line
 * each, and nothing but a signal or the end of the input ends it.
 *
 * The first byte chooses: bytes as they are, or messages made of them with wild arguments; who the
 * client is; and whether files may be read.
 */
#include "tests/fuzz/changes.h"
#include "tests/fuzz/piece.h"

#include "src/agent/server.h"
#include "src/base/json.h"
#include "src/verbs/verbs.h"

#include <string.h>
#include <unistd.h>

enum { MADE = 1, HANDSHAKE = 2, BATCHES = 4, ROOT = 8, FIRST_END = 16, MESSAGES_MAX = 12 };

/* ------------------------------------------------------------------ calls without a process */

static struct bytes said; /* how calls end, and with what */

static enum call_end stand_in(struct call *call, struct rpc *rpc)
{
    static const enum call_end ends[] = {CALL_DONE, CALL_FAILED, CALL_LATE, CALL_STOPPED};
    static const char *const answers[] = {"", "base\nruns\n", "{\"meta\":{\"tool\":\"report\"}}\n",
                                          "{\"meta\":{\"tool\":\"tree\"},\"rows\":[]}\n{}\n"};
    rpc_read(rpc);
    if (!call->look(call->server))
        return CALL_STOPPED;
    call->tell(call->server, 2);
    enum call_end end = ends[bytes_next(&said, COUNT(ends))];
    MUST(text_add_string(&call->out, answers[bytes_next(&said, COUNT(answers))]));
    MUST(text_add_string(&call->said, "/a/b/w.db: ./no/such\n") &&
         text_add(&call->said, (const char *)said.at, said.left));
    return end;
}

/* ------------------------------------------------------------------ messages made of bytes */

static void add_value(struct bytes *input, struct text *out)
{
    static const char *const wild[] = {"null",
                                       "true",
                                       "false",
                                       "0",
                                       "-1",
                                       "7",
                                       "99999999999",
                                       "1.5",
                                       "-0.0",
                                       "1e308",
                                       "9223372036854775807",
                                       "\"\"",
                                       "\"base\"",
                                       "\"@last\"",
                                       "\"@pin:x\"",
                                       "\"*\"",
                                       "\"1\"",
                                       "\"-1\"",
                                       "\"6\"",
                                       "\"4-6\"",
                                       "\"1.2s-1.3s\"",
                                       "\"gpu_timeline\"",
                                       "\"../x\"",
                                       "\"/etc/passwd\"",
                                       "\"ingest\"",
                                       "\"--db=x\"",
                                       "\"a\\u0000b\"",
                                       "\"\\u202e%s%n\"",
                                       "\"event?trace=1&uid=0\"",
                                       "\"event?trace=1&uid=\"",
                                       "\"gpu_timeline?type=busy_time\"",
                                       "\"tpq://words\"",
                                       "\"tpq://describe/%2e%2E%\"",
                                       "\"first_look\"",
                                       "\"compare_two_runs\"",
                                       "[]",
                                       "{}",
                                       "[1]",
                                       "[\"a\",\"b\"]",
                                       "[[[]]]",
                                       "{\"a\":\"b\"}",
                                       "{\"a\":{\"b\":[1]}}",
                                       "{\"name\":\"run\",\"value\":\"b\"}",
                                       "{\"a\":\"x\",\"b\":\"y\",\"run\":\"z\"}"};
    unsigned which = bytes_next(input, COUNT(wild) + 1);
    if (which < COUNT(wild)) {
        text_add_string(out, wild[which]);
        return;
    }
    char own[20];
    size_t length = bytes_next(input, sizeof own);
    for (size_t i = 0; i < length; i++)
        own[i] = (char)bytes_next(input, 128);
    text_add_json(out, (struct view){own, length});
}

static void add_member(struct bytes *input, const char *name, bool is_first, struct text *out)
{
    text_format_json(out, is_first ? "%s:" : ",%s:", name);
    add_value(input, out);
}

static void add_arguments(struct bytes *input, const struct tool *tool, struct text *out)
{
    static const char *const others[] = {
        "run", "trace", "rank",     "step",   "time",       "signpost", "where",  "file",
        "top", "key",   "order_by", "filter", "max_tokens", "precise",  "cursor", "columns"};
    unsigned count = bytes_next(input, 5), own = 0;
    while (own < COUNT(tool->own) && tool->own[own].name)
        own++;
    text_add_string(out, ",\"arguments\":{");
    for (unsigned i = 0; i < count; i++) {
        unsigned which = bytes_next(input, own + COUNT(others));
        add_member(input, which < own ? tool->own[which].name : others[which - own], i == 0, out);
    }
    text_add_byte(out, '}');
}

static void add_message(struct bytes *input, bool is_stateless, struct text *out)
{
    static const char *const methods[] = {"tools/call",
                                          "initialize",
                                          "ping",
                                          "server/discover",
                                          "tools/list",
                                          "resources/list",
                                          "resources/templates/list",
                                          "resources/read",
                                          "prompts/list",
                                          "prompts/get",
                                          "completion/complete",
                                          "notifications/cancelled",
                                          "notifications/x",
                                          "no/such"};
    static const char *const ids[] = {"1", "2", "\"a\"", "null", "1.5", "[]"};
    static const char *const members[] = {"name",   "uri",       "argument",       "arguments",
                                          "cursor", "requestId", "protocolVersion"};
    unsigned method = bytes_next(input, 2) ? 0 : bytes_next(input, COUNT(methods));
    unsigned id = bytes_next(input, COUNT(ids) + 1), tool_count = 0;
    text_format(out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"", methods[method]);
    if (id < COUNT(ids))
        text_format(out, ",\"id\":%s", ids[id]);
    text_add_string(out, ",\"params\":{\"_meta\":{\"progressToken\":");
    add_value(input, out);
    if (is_stateless)
        text_add_string(out, ",\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                             "\"io.modelcontextprotocol/clientCapabilities\":{}");
    text_add_byte(out, '}');
    while (tools[tool_count].name)
        tool_count++;
    if (method == 0) {
        const struct tool *tool = &tools[bytes_next(input, tool_count)];
        text_format_json(out, ",\"name\":%s", tool->name);
        add_arguments(input, tool, out);
    }
    for (unsigned more = method ? bytes_next(input, 4) : 0; more; more--)
        add_member(input, members[bytes_next(input, COUNT(members))], false, out);
    text_add_string(out, "}}");
}

static void add_messages(struct bytes *input, bool is_stateless, struct text *out)
{
    for (int i = 0; i < MESSAGES_MAX && input->left; i++) {
        bool is_batch = bytes_next(input, 8) == 7;
        text_add_string(out, is_batch ? "[" : "");
        add_message(input, is_stateless, out);
        if (is_batch) {
            text_add_byte(out, ',');
            add_message(input, is_stateless, out);
        }
        text_add_string(out, is_batch ? "]\n" : "\n");
    }
}

/* ------------------------------------------------------------------ what comes out */

static void check_reply(const struct literals *json, int reply)
{
    const char *version = literal_text(json, literal_member(json, reply, "jsonrpc"));
    bool is_progress = literal_member(json, reply, "method") >= 0;
    bool is_result = literal_member(json, reply, "result") >= 0;
    bool is_error = literal_member(json, reply, "error") >= 0;
    MUST(version && strcmp(version, "2.0") == 0);
    MUST(is_progress + is_result + is_error == 1);
    MUST(is_progress != (literal_member(json, reply, "id") >= 0));
}

static void check_lines(int file)
{
    struct text out = {0};
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    piece_slurp(path, &out);
    for (size_t at = 0; at < out.count;) {
        const char *end = memchr(out.items + at, '\n', out.count - at);
        MUST(end); /* no half line */
        struct view line = {out.items + at, (size_t)(end - out.items) - at};
        struct literals json = {0};
        MUST(json_is_whole(line));
        int root = literal_read(&json, line), count = literal_count(&json, root);
        MUST(root != LITERAL_NONE && count != 0);
        for (int i = 0; i < count; i++)
            check_reply(&json, literal_item(&json, root, i));
        if (count < 0)
            check_reply(&json, root);
        literal_free(&json);
        at += line.length + 1;
    }
    text_free(&out);
}

FUZZ_TARGET(agent)
{
    static const char *none[] = {NULL}, *roots[] = {FIXTURES, NULL};
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"%s\"}}\n";
    static volatile bool is_off;
    unsigned how = length ? *bytes : 0;
    struct bytes input = {bytes + (length > 0), length - (length > 0)};
    struct agent agent = {verbs, "w.db", how & ROOT ? roots : none, none, none, how & ROOT, true,
                          10,    1500};
    struct text sent = {0};
    struct piece in, out;
    said = input;
    said.left = said.left > how / FIRST_END ? said.left - how / FIRST_END : 0;
    said.at += input.left - said.left;
    if (how & HANDSHAKE)
        text_format(&sent, hello, how & BATCHES ? "2025-03-26" : "2025-11-25");
    if (how & MADE)
        add_messages(&input, !(how & HANDSHAKE), &sent);
    else
        MUST(text_add(&sent, (const char *)input.at, input.left));
    piece_open(&in, sent.items, sent.count);
    piece_open(&out, "", 0);
    MUST(lseek(in.file, 0, SEEK_SET) == 0);
    struct rpc rpc = {.in = in.file, .out = out.file, .is_off = &is_off};
    agent_serve_rpc(&agent, &rpc, stand_in);
    MUST(rpc.has_ended && !rpc.is_gone);
    check_lines(out.file);
    piece_close(&in);
    piece_close(&out);
    text_free(&sent);
    return 0;
}
