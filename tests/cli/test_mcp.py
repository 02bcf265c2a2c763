"""tpq mcp: the Model Context Protocol, what a call may say and reach, and how the server ends."""

import json
import os
import re
import select
import shlex
import signal
import sqlite3
import subprocess
import time
import unicodedata

from support import PATIENCE, SANITIZED, TPQ, Case, main, plain, slice_event, trace_of

STATELESS = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train")
FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
TRACE = trace_of(slice_event("aten::mm", 0, 50), slice_event("cudaLaunchKernel", 10, 10, "cuda_runtime", args={"correlation": 7}),
                 slice_event("gemm", 30, 40, "kernel", 7, 0, args={"correlation": 7, "stream": 7, "device": 0}))


class Server:
    def __init__(self, case, *options):
        self.process = subprocess.Popen([TPQ, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        cwd=case.folder, env=case.environment({"TPQ_DB": case.db}))
        self.number, self.rest = 0, b""
        case.addCleanup(self.close)

    def close(self):
        """Its status, and what it said on standard error."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        said = "" if self.process.stderr.closed else self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, said

    def raw(self, words):
        self.process.stdin.write(words if isinstance(words, bytes) else words.encode())
        self.process.stdin.flush()

    def read(self, seconds=PATIENCE):
        """The next message; None when there is none in time."""
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], seconds)[0]:
                return None
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise EOFError(self.process.stderr.read().decode())
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def send(self, method, params=None, **more):
        self.raw(json.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {}), **more}) + "\n")

    def ask(self, method, params=None):
        self.number += 1
        self.send(method, params, id=self.number)
        reply = self.read()
        assert reply["id"] == self.number and reply["jsonrpc"] == "2.0", reply
        return reply

    def start(self, revision="2025-06-18"):
        result = self.ask("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        self.send("notifications/initialized")
        return result["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]


class Mcp(Case):
    def prepare(self):
        self.write("t.json", TRACE)
        self.tpq("ingest", "--run", "base", "t.json")

    def server(self, *options, revision="2025-06-18"):
        server = Server(self, *options)
        if revision:
            server.start(revision)
        return server

    def code(self, server, line, code, id=None):
        server.raw(line)
        reply = server.read()
        self.assertEqual((reply["error"]["code"], reply["id"]), (code, id), line[:80])

    def refused(self, result, words):
        self.assertTrue(result["isError"])
        self.assertNotIn("structuredContent", result)
        self.assertRegex(result["content"][0]["text"], words)

    def test_revisions(self):
        for asked, given in (("2024-11-05",) * 2, ("2025-03-26",) * 2, ("2025-11-25",) * 2, ("1999-01-01", "2025-11-25")):
            result = Server(self).start(asked)
            self.assertEqual(result["protocolVersion"], given)
            self.assertEqual(result["serverInfo"]["name"], "tpq")
            self.assertLessEqual(len(result["instructions"]), 2000)

    def test_without_a_handshake(self):
        server, meta = Server(self), {PREFIX + "protocolVersion": STATELESS, PREFIX + "clientCapabilities": {}}
        self.assertEqual(server.ask("tools/list")["error"]["code"], -32602)
        found = server.ask("server/discover", {"_meta": meta})["result"]
        self.assertEqual((found["supportedVersions"][0], found["resultType"]), (STATELESS, "complete"))
        listed = server.ask("tools/list", {"_meta": meta})["result"]
        self.assertEqual((listed["cacheScope"], listed["ttlMs"]), ("private", 3600000))
        self.assertIn(PREFIX + "serverInfo", listed["_meta"])
        self.assertEqual(server.ask("ping", {"_meta": meta})["error"]["code"], -32601)
        wrong = server.ask("tools/list", {"_meta": {PREFIX + "protocolVersion": "1900-01-01"}})["error"]
        self.assertEqual((wrong["code"], wrong["data"]["requested"]), (-32022, "1900-01-01"))
        self.assertIn(STATELESS, wrong["data"]["supported"])
        self.assertEqual(server.ask("tools/list", {"_meta": {PREFIX + "protocolVersion": STATELESS}})["error"]["code"], -32602)

    def test_messages(self):
        server = self.server()
        self.code(server, "{no json\n", -32700)
        self.code(server, '{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600)
        self.code(server, '{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600)
        self.code(server, '{"jsonrpc":"1.0","id":7,"method":"ping"}\n', -32600, 7)
        self.code(server, b'{"jsonrpc":"2.0","id":7,"method":"\xff"}\n', -32600)
        self.code(server, '{"jsonrpc":"2.0","id":7,"method":"ping","params":' + "[" * 70 + "]" * 70 + "}\n", -32600)
        self.code(server, '{"x":"' + "y" * (5 << 20) + '"}\n', -32600)
        self.code(server, '[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600)
        self.code(server, '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}\n', -32602, 7)
        self.code(server, '{"jsonrpc":"2.0","id":"x","method":"no/such"}\n', -32601, "x")
        server.raw('\n\r\n  \n{"jsonrpc":"2.0","method":"no/such"}\n{"jsonrpc":"2.0","id":1,"result":{}}\n')
        for piece in ('{"jsonrpc":"2.0",', '"id":"a\\u00e9","met', 'hod":"ping"}\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'):
            server.raw(piece)
            time.sleep(0.02)
        self.assertEqual(server.read(), {"jsonrpc": "2.0", "id": "aé", "result": {}})
        self.assertEqual(server.read()["id"], 2)

    def test_a_batch(self):
        server = self.server(revision="2025-03-26")
        server.raw('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},'
                   '{"jsonrpc":"2.0","id":2,"method":"ping"}]\n[{"jsonrpc":"2.0","method":"notifications/x"}]\n')
        self.assertEqual([one["id"] for one in server.read()], [1, 2])
        self.assertEqual(server.ask("ping")["result"], {})

    def test_the_list_of_tools(self):
        server = self.server()
        tools = server.ask("tools/list")["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools],
                         ["runs", "overview", "findings", "report", "compare", "sql", "tree", "describe"])
        self.assertLessEqual(len(json.dumps(tools)), 24000)
        for tool in tools:
            self.assertFalse(tool["inputSchema"]["additionalProperties"])
            for name, argument in tool["inputSchema"]["properties"].items():
                self.assertTrue(argument["description"], (tool["name"], name))
        self.assertEqual(server.ask("tools/list", {"cursor": "x"})["error"]["code"], -32602)
        more = self.server("--allow-ingest", "--root", self.folder).ask("tools/list")["result"]["tools"]
        self.assertEqual(more[-1]["name"], "ingest")
        self.tpq("mcp", "--allow-ingest", status=2)

    def test_calls(self):
        server = self.server()
        result = server.call("report", name="gpu_timeline", columns=["type", "time_ms"], filter={"type": "busy_time"})
        answer = result["structuredContent"]
        self.assertEqual((answer["meta"]["tool"], answer["rows"]), ("report", [["busy_time", 0.04]]))
        self.assertEqual(json.loads(result["content"][0]["text"]), answer)
        self.assertEqual(server.call("overview")["structuredContent"]["meta"]["tool"], "overview")
        for code, params in ((-32602, {"name": "nothing"}), (-32602, {"arguments": {}}), (-32602, {"name": "runs", "arguments": []})):
            self.assertEqual(server.ask("tools/call", params)["error"]["code"], code)
        self.refused(server.call("overview", stepp=3), "no argument 'stepp'; did you mean step")
        self.refused(server.call("report", name=3), "name of report takes a text")
        self.refused(server.call("report"), "needs the argument name or key")
        self.refused(server.call("report", name="gpu_timelime"), "did you mean gpu_timeline")
        self.refused(server.call("overview", run="bse"), "base")
        self.refused(server.call("report", name="gpu_timeline", top=-1), "top")
        self.refused(server.call("overview", max_tokens=9000), "from 100 to 8000")
        self.refused(server.call("tree", event=1, run="base"), "either an event")
        back = server.call("report", key=answer["keys"][0])["structuredContent"]
        self.assertEqual([row[1] for row in back["rows"]], [0.04])

    def test_sql_is_fenced(self):
        server = self.server()
        for query, words in (("SELECT 1; SELECT 2", "one statement"), ("", "no statement"), ("-- x", "no statement"),
                             *((query, "SELECT, WITH, VALUES or EXPLAIN")
                               for query in (".help", "-", "ATTACH 'x' AS y", "BEGIN IMMEDIATE", "PRAGMA journal_mode", "DELETE FROM run", "VACUUM",
                                             "WITH a AS (SELECT 1) DELETE FROM run", "SELECT * FROM pragma_database_list")),
                             ("SELECT * FROM gpu_timelin", "did you mean gpu_timeline"), ("SELECT nam FROM kernel", "did you mean name"), ("SELECT tpq_set('a', 1)", "authorized"), ("SELECT load_extension('x')", "authorized")):
            self.refused(server.call("sql", query=query), words)
        self.assertEqual(server.call("sql", query="SELECT path FROM trace; -- one")["structuredContent"]["rows"], [[None]])
        self.refused(server.call("overview", where="1); DROP TABLE run; --"), "single expression")
        for query in ("SELECT 1\0", "SELECT 1;\0 DELETE FROM run", "SELECT '\0'", "\0SELECT 1", "SELECT 1 -- \0"):
            self.refused(server.call("sql", query=query), "NUL")
        self.refused(server.call("report", name="gpu_timeline", filter={"type\0": "x"}), "NUL")
        self.refused(server.call("report", name="gpu_timeline", columns=["type", "time_ms\0"]), "NUL")

    @plain("what each view says is SQL, in which sanitizers do not look")
    def test_no_answer_says_where_files_lie(self):
        os.makedirs(self.path("secret-folder"))
        self.write("secret-folder/t.json", TRACE)
        for rank in (0, 1):
            self.tpq("ingest", "--save-views", "--run", "far", "--rank", str(rank), self.path("secret-folder/t.json"))
        with sqlite3.connect(self.db) as db:
            names = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")]
            db.execute("INSERT INTO replay_result (run_id, op_group, call, source, tool, command, status, output_path) "
                       "SELECT id, 'gemm', 'c', 'bench', 't', 'c', 'ok', '/secret-folder/out' FROM run")
            db.execute("INSERT INTO health_check (\"check\", position, counts, base, warning_count, title, measure) VALUES "
                       "('mine', 5, 'a', 'a', 1, 'a', 'SELECT id AS trace_id, 1 AS count, 1 AS base, path AS reason FROM trace')")
        db.close()
        self.assertGreater(len(names), 400)
        server, refused = self.server("--root", self.folder), []
        rows = "(WITH RECURSIVE i(nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM i WHERE nth < 9) SELECT nth FROM i)"
        beside = ' LEFT JOIN (SELECT *, row_number() OVER () AS nth{0} FROM "{1}") ON nth{0} = nth'  # a call for several
        for query in (*(f"SELECT * FROM {rows}" + "".join(beside.format(*one) for one in enumerate(names[at:at + 4]))
                        for at in range(0, len(names), 4)), "WITH x AS (SELECT path FROM trace) SELECT path FROM x",
                      "WITH run_rank(p) AS (SELECT path FROM trace) SELECT p FROM run_rank", "SELECT hex(PATH) FROM main.TRACE",
                      "WITH fact_trace AS (SELECT * FROM trace), b AS (SELECT path AS z FROM fact_trace) SELECT max(z) FROM b",
                      "SELECT upper(path) FROM fact_trace AS rank_warning", "WITH RECURSIVE x(p, n) AS (SELECT path, 0 FROM trace UNION "
                      "SELECT p, n + 1 FROM x WHERE n < 2) SELECT p FROM x", "SELECT y.path FROM (SELECT * FROM trace) AS y"):
            result = server.call("sql", query=query, top=0, precise=True, max_tokens=8000)
            told = json.dumps(result).lower()
            self.assertNotIn("secret-folder", told, query)
            self.assertNotIn("secret-folder".encode().hex(), told, query)
            refused += [query] if result["isError"] else []
        self.assertEqual(refused, [])
        for name in ("trace_health", "ranks_summary", "recorded", "traces"):
            self.assertNotIn("secret-folder", json.dumps(server.call("report", name=name, run="far")), name)
        for where in ("(SELECT path FROM trace) IS NULL", "id IN (WITH x AS (SELECT path FROM trace) SELECT length(path) FROM x)",
                      "(SELECT path FROM fact_trace LIMIT 1) LIKE '%s%'"):
            for chosen in ({"run": "far"}, {"file": "secret-folder/t.json"}):
                self.refused(server.call("overview", where=where, **chosen), "bad condition .*prohibited")

    def test_a_condition_on_a_file(self):
        server = self.server("--root", self.folder)
        for name in ("gpu_timeline", "kernel_summary", "ops_summary", "trace_health", "findings"):
            for where in ("1", "0", "name LIKE 'aten::%'", "role = 'gpu'"):
                one, other = (server.call("report", name=name, where=where, precise=True, **chosen)
                              for chosen in ({"file": "t.json"}, {"run": "base"}))
                self.assertFalse(one["isError"], (name, where, one))
                self.assertEqual(json.dumps(one["structuredContent"]["rows"]).replace('"t"', '"base"'),
                                 json.dumps(other["structuredContent"]["rows"]), (name, where))
        for where, words in (("(SELECT load_extension('x'))", "authorized"), ("(SELECT tpq_set('a', 1))", "authorized"),
                             ("1) UNION SELECT 1, 2, 3 --", "single expression"), ("1\0", "NUL"),
                             ("(SELECT count(DISTINCT hex(zeroblob(20000000)) || i) FROM (WITH RECURSIVE n(i) AS "
                              "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n))", "memory")):
            self.refused(server.call("overview", where=where, file="t.json"), words)
        self.refused(self.server("--root", self.folder, "--timeout", "1").call("overview", where=f"({FOREVER})", file="t.json"), "stopped after 1 s")

    def test_texts_hold_nothing_unseen(self):
        codes = [code for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp")] + [0xE0000, 0xE01EF]
        evil = "MARK" + "".join(map(chr, codes[1:])) + "é😀"
        plain = "MARK" + "\ufffd" * len(codes[1:]) + "é😀"
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE run SET name = ?, labels = ?", (evil, json.dumps({"k": evil})))
            db.execute("UPDATE string SET text = ? WHERE text = 'gemm'", (evil,))
            db.execute("INSERT INTO device (trace_id, ordinal, name) SELECT id, 0, ? FROM trace", (evil,))
        db.close()
        server = self.server()

        def seen(value):
            for code in codes:
                self.assertNotIn(chr(code), value)
            return value

        def all_texts(value):
            if isinstance(value, str):
                seen(value)
            for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                all_texts(item)
        answer = server.call("runs")
        self.assertEqual(answer["structuredContent"]["rows"][0][0], plain)
        self.assertEqual([answer["structuredContent"]["meta"]["traces"][0][name] for name in ("run", "device")], [plain] * 2)
        for tool, arguments in (("runs", {}), ("overview", {"run": evil}), ("report", {"name": "kernel_summary", "precise": True}),
                                ("compare", {"a": evil, "b": evil}), ("tree", {"trace": 1}), ("sql", {"query": f'SELECT 1 AS "{evil[:900]}"'}),
                                ("sql", {"query": "SELECT labels FROM run"}), ("report", {"name": evil}), ("report", {evil: 1}),
                                ("report", {"name": "gpu_timeline", "where": evil[:90]}), ("describe", {"find": evil}),
                                ("sql", {"query": "SELECT json_object('a', char(8238, 917569, 10, 9))"})):
            all_texts(server.call(tool, **arguments))
        all_texts(server.ask("tools/call", {"name": evil})["error"]["message"])
        all_texts(server.ask("completion/complete", {"ref": {}, "argument": {"name": "run", "value": ""}})["result"])
        self.tpq("ingest", "--run", "base", "t.json")
        for note in server.call("compare", a=evil, b="base")["structuredContent"]["notes"]:
            self.assertNotIn("MARK", json.dumps(note))

    def test_answers_say_the_headline_and_errors_what_there_is(self):
        name = "k" * 983
        self.write("t.json", TRACE)
        self.write("long.json", json.loads(json.dumps(TRACE).replace('"gemm"', f'"{name}"')))
        self.tpq("ingest", "-q", "--run", "base", "t.json")
        self.tpq("ingest", "-q", "--run", "long", "long.json")
        server = self.server()
        for tool, arguments in (("overview", {"run": "base"}), ("findings", {"run": "base"}), ("compare", {"a": "base", "b": "long"})):
            self.assertTrue(server.call(tool, **arguments)["structuredContent"]["meta"]["headline"][0], tool)
        self.assertNotIn("headline", server.call("report", name="gpu_timeline", run="base")["structuredContent"]["meta"])
        for tool, arguments, told in (("report", {"name": "nccl"}, "reports about it: coll_analysis"), ("report", {"name": "nosuch"}, "describe with find"),
                                      ("overview", {"run": "zzz"}, "there are "), ("describe", {"name": "nosuch"}, "describe with find"),
                                      ("compare", {"a": "base", "b": "long", "metric": "nosuch"}, "call describe with the name")):
            text = server.call(tool, **arguments)["content"][0]["text"]
            self.assertIn(told, text)
            self.assertNotRegex(text, r"\btpq [a-z]|--[a-z]")
        rows = server.call("describe", name="pin_memory")["structuredContent"]["rows"]
        self.assertIn("nsys_pageable_copies", [row[0] for row in rows[:3]])
        answer = server.call("report", name="kernel_summary", run="long")["structuredContent"]
        self.assertEqual(sum(isinstance(cell, str) and "\u2026" in cell for cell in answer["rows"][0]), 1)
        self.assertIn("key of a row", answer["notes"][-1]["text"])
        self.assertIn(name, server.call("report", key=answer["keys"][0], run="long")["structuredContent"]["rows"][0])

    def test_headlines_and_long_texts_keep_whole_words(self):
        words = "alpha 9.25 % of_it "
        self.write("long.json", json.loads(json.dumps(TRACE).replace('"gemm"', json.dumps(words * 40))))
        self.tpq("ingest", "-q", "--run", "long", "long.json")
        self.tpq("ingest", "-q", "--run", "r" * 160, os.path.join(TRAIN, "rank_0.json.gz"))
        server = self.server()
        cells = server.call("report", name="kernel_summary", run="long")["structuredContent"]["rows"][0]
        cut, = (cell for cell in cells if isinstance(cell, str) and "\u2026" in cell)
        head, tail = cut.split("\u2026")
        self.assertTrue((words * 40).startswith(head) and (words * 40).endswith(tail) and head[-1] == tail[0] == " ", cut)
        self.assertLessEqual(len(cut), 480)
        whole, = (line for line in server.call("overview", precise=True)["structuredContent"]["meta"]["headline"] if line[0] == "r")
        told, = (line for line in server.call("overview")["structuredContent"]["meta"]["headline"] if line[0] == "r")
        self.assertEqual(told, whole[:len(told) - 1] + "\u2026")
        self.assertRegex(told, r"[a-z)]\. \u2026\Z")
        self.assertLessEqual(len(told), 480)

    def test_an_overview_of_many_runs_has_a_line_of_each(self):
        runs = ["base", *(f"run{number}" for number in range(5))]
        for run in runs[1:]:
            self.tpq("ingest", "-q", "--run", run, "t.json")
        for tool in ("overview", "findings"):
            lines = self.server().call(tool)["structuredContent"]["meta"]["headline"]
            self.assertEqual([line.split(": ")[0] for line in lines], runs, tool)
            self.assertRegex(lines[0], r"GPU busy .* [mu]s\.")

    def test_errors_say_what_a_tool_can_do(self):
        self.write("cut.json", json.dumps(TRACE)[:-40])
        server = self.server("--root", self.folder, "--allow-ingest")
        self.refused(server.call("compare", a="base", b="base"), r"two sides are called 'base'; another run, or trace:N, tells them apart")
        self.assertFalse(server.call("compare", a="base", b="trace:1")["isError"])
        for tool, arguments in (("overview", {"file": "cut.json"}), ("ingest", {"path": "cut.json"})):
            result = server.call(tool, **arguments)
            self.refused(result, r"\Acut\.json: .*; ingest with salvage keeps what came before\Z")
        self.assertFalse(server.call("ingest", path="cut.json", salvage=True)["isError"])

    def test_a_call_is_stopped(self):
        self.refused(self.server("--timeout", "1").call("sql", query=FOREVER), "stopped after 1 s")
        server = self.server("--timeout", "200")
        server.send("tools/call", {"name": "sql", "arguments": {"query": FOREVER}}, id="long")
        server.send("tools/call", {"name": "overview"}, id="waits")
        self.assertEqual(server.ask("ping")["result"], {})
        for id in ("waits", "long", "none"):
            server.send("notifications/cancelled", {"requestId": id})
        self.assertFalse(server.call("overview")["isError"])
        self.assertIsNone(server.read(0.2))

    def test_a_cancel_behind_many_messages(self):
        server = self.server("-q", "--timeout", "200")
        for kind in ("cancels", "notifications", "requests"):
            line = {"cancels": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"%d"}}\n',
                    "notifications": '{"jsonrpc":"2.0","method":"no/such%d"}\n',
                    "requests": '{"jsonrpc":"2.0","id":"waits%d","method":"no/such"}\n'}[kind]
            count = 23000
            server.send("tools/call", {"name": "sql", "arguments": {"query": FOREVER}}, id="long")
            self.assertEqual(server.ask("ping")["result"], {})
            start = time.monotonic()
            server.raw("".join(line % number for number in range(count)))
            server.send("notifications/cancelled", {"requestId": "long"})
            server.send("ping", id="behind")
            replies = [server.read()]
            self.assertLess(time.monotonic() - start, PATIENCE / 2, kind)
            while len(replies) < (count + 1 if kind == "requests" else 1):
                replies.append(server.read())
            self.assertEqual(replies[0]["id"], "behind", kind)
            self.assertEqual({reply["id"] for reply in replies[1:]} & {"long"}, set())

    def test_files(self):
        inside = self.path("inside")
        os.makedirs(inside)
        self.write("inside/in.json", TRACE)
        os.symlink("/etc", self.path("inside", "link"))
        self.refused(self.server().call("overview", file="t.json"), "--root")
        server = self.server("--root", "inside", "--allow-ingest")
        self.assertFalse(server.call("overview", file="in.json")["isError"])
        said = {server.call("overview", file=path)["content"][0]["text"]
                for path in ("../t.json", "link/passwd", "/etc/passwd", "no-such", "/dev/zero", self.path("inside/../t.json"))}
        self.assertEqual(len(said), 1, said)
        self.refused(server.call("ingest", path="../t.json"), "below")
        came = server.call("ingest", path="in.json", run="other")["structuredContent"]
        self.assertEqual(came["total_rows"], 1)
        self.assertFalse(server.call("overview", run="other")["isError"])
        self.refused(server.call("compare", a="base", b=self.path("t.json")), "no run")

    def test_resources_and_prompts(self):
        server = self.server()
        for one in server.ask("resources/list")["result"]["resources"]:
            part = server.ask("resources/read", {"uri": one["uri"]})["result"]["contents"][0]
            self.assertGreater(len(part["text"]), 100)
        self.assertLessEqual(len(server.ask("resources/read", {"uri": "tpq://schema"})["result"]["contents"][0]["text"]), 12000)
        part = server.ask("resources/read", {"uri": "tpq://describe/gpu%5Fslice"})["result"]["contents"][0]
        self.assertIn("dur_ns", part["text"])
        for uri in ("tpq://nothing", "tpq://describe/..%2Fx", "tpq://describe/idle", "file:///etc/passwd"):
            self.assertEqual(server.ask("resources/read", {"uri": uri})["error"]["code"], -32002)
        got = server.ask("prompts/get", {"name": "compare_two_runs", "arguments": {"a": 'x"😀', "b": "z"}})["result"]
        self.assertIn('"x\\"😀"', got["messages"][0]["content"]["text"])
        for wrong in ({}, [], "a"):
            self.assertEqual(server.ask("prompts/get", {"name": "compare_two_runs", "arguments": wrong})["error"]["code"], -32602)
        done = server.ask("completion/complete", {"ref": {"type": "ref/prompt", "name": "first_look"}, "argument": {"name": "run", "value": "b"}})
        self.assertEqual(done["result"]["completion"]["values"], ["base"])

    def test_endings(self):
        self.assertEqual(self.server().close()[0], 0)
        server = self.server()
        server.call("overview")
        self.assertRegex(server.close()[1], r"\Aoverview \d+ ms \d+ tokens\n\Z")
        server = self.server("-q", "--timeout", "200")
        server.send("tools/call", {"name": "sql", "arguments": {"query": FOREVER}}, id=1)
        self.assertEqual(server.close(), (0, ""))
        for number in (signal.SIGTERM, signal.SIGINT):
            for busy in (False, True):
                server = self.server("--timeout", "200")
                if busy:
                    server.send("tools/call", {"name": "sql", "arguments": {"query": FOREVER}}, id=1)
                    server.ask("ping")
                server.process.send_signal(number)
                self.assertEqual(server.process.wait(PATIENCE), 0)
        self.refused(self.server("--db", "none.db").call("overview"), r"^none\.db: no such warehouse")
        self.assertFalse(os.path.exists(self.path("none.db")))

    def states(self):
        """Servers in every state that input can bring them into."""
        long = json.dumps({"jsonrpc": "2.0", "id": "long", "method": "tools/call",
                           "params": {"name": "sql", "arguments": {"query": FOREVER}, "_meta": {"progressToken": 1}}})
        ping = '{"jsonrpc":"2.0","id":8,"method":"ping"}'
        for state, revision, sent in (
                ("before initialize", None, ping + "\n"), ("between calls", "2025-06-18", ping + "\n"),
                ("with half a line", "2025-06-18", ping + "\n" + ping[:20]), ("in a call", "2025-06-18", long + "\n" + ping + "\n"),
                ("in a call with half a line", "2025-06-18", long + "\n" + ping + "\n" + ping[:20]),
                ("in a call of a batch", "2025-03-26", f"[{ping},{long}]\n{ping}\n"),
                ("in a call with others waiting", "2025-06-18", (long + "\n") * 3 + ping + "\n")):
            server = self.server("-q", "--timeout", "200", revision=revision)
            server.raw(sent)
            self.assertEqual(server.read()["id"], 8, state)
            yield state, server

    def children(self, server):
        with open(f"/proc/{server.process.pid}/task/{server.process.pid}/children") as file:
            return [int(word) for word in file.read().split()]

    def runs(self, number):
        """Whether a process does; one that has ended may wait for somebody who asks."""
        try:
            with open(f"/proc/{number}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def gone(self, numbers):
        """Whether processes have ended, as they do soon."""
        end = time.monotonic() + PATIENCE
        while any(self.runs(number) for number in numbers):
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def ended(self, server, state, status, children):
        self.assertEqual(server.process.wait(PATIENCE), status, state)
        self.assertTrue(self.gone(children), state)
        left = server.rest + server.process.stdout.read()
        self.assertTrue(left.endswith(b"\n") or not left, state)
        for line in left.splitlines():
            reply = json.loads(line)
            for one in reply if isinstance(reply, list) else [reply]:
                self.assertEqual(one["jsonrpc"], "2.0", state)

    def test_ends_in_every_state(self):
        for how in ("end of input", signal.SIGTERM, signal.SIGINT):
            for state, server in self.states():
                children = self.children(server)
                self.assertEqual(len(children), state.startswith("in a call"), state)
                start = time.monotonic()
                if how == "end of input":
                    server.process.stdin.close()
                else:
                    server.process.send_signal(how)
                self.ended(server, (state, how), 0, children)
                self.assertLess(time.monotonic() - start, PATIENCE / 2)

    def test_a_reader_that_has_gone(self):
        for state, server in self.states():
            children = self.children(server)
            server.process.stdout.close()
            try:
                server.raw('"}\n' + '{"jsonrpc":"2.0","id":9,"method":"ping"}\n' * 2)
            except BrokenPipeError:
                pass
            self.assertEqual(server.process.wait(PATIENCE), 0, state)
            self.assertTrue(self.gone(children), state)

    def test_a_killed_server_leaves_no_call(self):
        for state, server in self.states():
            children = self.children(server)
            server.process.kill()
            self.ended(server, state, -signal.SIGKILL, children)

    def test_a_killed_call_is_a_failed_call(self):
        server = self.server("--timeout", "200")
        for number in (signal.SIGKILL,) if SANITIZED else (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT):  # which say more
            server.send("tools/call", {"name": "sql", "arguments": {"query": FOREVER}}, id=1)
            server.ask("ping")
            os.kill(*self.children(server), number)
            self.refused(server.read()["result"], f"the call crashed by signal {number:d} ")
        self.assertFalse(server.call("overview")["isError"])

    def test_the_guide(self):
        text = self.tpq("help", "agents").out
        self.assertLessEqual(len(text.splitlines()), 40)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for call in re.findall(r"  (tpq (?!mcp).*)", text.split("their calls:")[1]):
            self.tpq(*shlex.split(call)[1:])


if __name__ == "__main__":
    main()
