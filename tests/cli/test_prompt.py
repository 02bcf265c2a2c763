"""tpq sql at a terminal: editing, history, completion, and Ctrl-C. A pseudo terminal stands for the
person; every step waits for what it expects to see."""

import contextlib
import os
import pty
import re
import select
import signal
import sqlite3
import termios
import time

from support import Case, PATIENCE, SANITIZED, TPQ, main

# libedit loses two short texts for every command that it is given.
VARIABLES = {"TERM": "xterm", **({"ASAN_OPTIONS": "detect_leaks=0"} if SANITIZED else {})}

ENDLESS = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c;"
PROMPT, MORE = "tpq> ", "...> "
CTRL_A, CTRL_C, CTRL_D, TAB, UP = "\x01", "\x03", "\x04", "\t", "\x1b[A"


class Terminal:
    """The program in a pseudo terminal of 100 columns."""

    def __init__(self, arguments, environment, folder):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(TPQ, [TPQ, *arguments], environment)
        termios.tcsetwinsize(self.file, (40, 100))
        self.text, self.shown = "", 0

    def more(self):
        if not select.select([self.file], [], [], PATIENCE)[0]:
            raise AssertionError(f"nothing more came behind {self.text[self.shown:]!r}")
        try:
            got = os.read(self.file, 65536)
        except OSError:  # the other side was closed
            got = b""
        self.text += got.decode(errors="replace")
        return got

    def expect(self, pattern):
        """Waits for a pattern in what was not looked at yet; gives what stood before it."""
        compiled = re.compile(pattern, re.DOTALL)
        while not (found := compiled.search(self.text, self.shown)):
            if not self.more():
                raise AssertionError(f"it ended before {pattern!r}: {self.text[self.shown:]!r}")
        before = self.text[self.shown:found.start()]
        self.shown = found.end()
        return before

    def prompt(self, prompt=PROMPT):
        """Waits for a prompt, and until the editor reads: before that Ctrl-C goes nowhere."""
        before = self.expect(re.escape(prompt))
        self.wait_until_it_reads()
        return before

    def wait_until_it_reads(self):
        self.wait(lambda: not termios.tcgetattr(self.file)[3] & termios.ICANON and
                  self.state()[0] == "S")

    def state(self):
        """What the system says about the process: state, parent, ..."""
        with open(f"/proc/{self.process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()

    def wait(self, condition):
        """Until something is so that cannot be seen on the terminal."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain behind {self.text[-200:]!r}")
            time.sleep(0.001)

    def wait_until_busy(self):
        """Until the process has spent some time: then a query is under way."""
        start = int(self.state()[11])
        self.wait(lambda: int(self.state()[11]) > start + 2)

    def type(self, text):
        os.write(self.file, text.encode())

    def ask(self, line):
        """Types a line and gives what is printed before the next prompt."""
        self.type(line)
        self.expect(re.escape(line))  # it is echoed
        self.type("\n")
        return self.prompt()

    def end(self):
        """Reads to the end; gives the rest and the exit status."""
        while self.more():
            pass
        os.close(self.file)
        _, status = os.waitpid(self.process, 0)
        self.process = None
        return self.text[self.shown:], os.waitstatus_to_exitcode(status)

    def close(self):
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            os.close(self.file)


class Prompt(Case):
    def prepare(self):
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "a.json")

    def start(self, *options, **variables):
        terminal = Terminal(["sql", "--db", self.db, *options],
                            self.environment({**VARIABLES, **variables}), self.folder)
        self.addCleanup(terminal.close)
        terminal.prompt()
        return terminal

    def quit(self, terminal, words=".quit\n"):
        terminal.type(words)
        rest, status = terminal.end()
        self.assertEqual(status, 0, rest)


class Lines(Prompt):
    def test_it_says_where_it_is(self):
        terminal = self.start()
        self.assertIn(f"{self.db}: SQL, or .help\r\n", terminal.text)
        self.quit(terminal)

    def test_a_statement_over_two_lines(self):
        terminal = self.start()
        terminal.type("SELECT 6 * 7\n")
        terminal.prompt(MORE)
        self.assertRegex(terminal.ask("AS answer;"), r"answer\r\n-+\r\n +42\r\n")
        self.quit(terminal)

    def test_two_statements_on_a_line(self):
        out = self.start().ask("SELECT 1 AS x; SELECT 2 AS y;")
        self.assertRegex(out, r"x\r\n-\r\n1\r\ny\r\n-\r\n2\r\n")

    def test_a_failure_does_not_end_it(self):
        terminal = self.start()
        self.assertIn('near "SELEC": syntax error', terminal.ask("SELEC 1;"))
        self.assertIn("unknown command .what; see .help", terminal.ask(".what"))
        self.assertIn("open for reading only", terminal.ask("DELETE FROM event;"))
        self.write("q.sql", 'SELECT 1 FROM "evil\x1b[2J";')
        self.assertIn("no such table: evil\\x1b[2J", terminal.ask(".read q.sql"))
        self.assertIn("\r\n5\r\n", terminal.ask("SELECT 5;"))
        self.quit(terminal)

    def test_empty_lines_and_comments(self):
        terminal = self.start()
        terminal.type("\n")
        terminal.prompt()
        terminal.ask("-- a comment")
        terminal.ask(".mode csv")
        self.assertIn("a,b\r\n1,2\r\n", terminal.ask("SELECT 1 AS a, 2 AS b;"))
        self.quit(terminal)

    def test_commands(self):
        terminal = self.start()
        self.assertIn(".timer    on|off", terminal.ask(".help"))
        self.assertIn("gpu_event", terminal.ask(".tables"))
        terminal.ask(".mode json")
        self.assertIn('[\r\n{"x":1}\r\n]\r\n', terminal.ask("SELECT 1 AS x;"))
        terminal.ask(".timer on")
        self.assertRegex(terminal.ask("SELECT 1 AS x;"), r"\d+\.\d{3} s, processor \d+\.\d{3} s\r\n")
        self.quit(terminal)

    def test_ways_out(self):
        for words in (".quit\n", CTRL_D, ".exit\n"):
            terminal = self.start()
            self.quit(terminal, words)
        terminal = self.start()
        terminal.type("SELECT 1\n")
        terminal.prompt(MORE)
        self.quit(terminal, CTRL_D)

    def test_texts_are_shortened_to_the_width_of_the_terminal(self):
        terminal = self.start()
        query = "SELECT replace(hex(zeroblob(300)), '0', 'ab') AS long, 7 AS x;"
        self.assertLessEqual(max(map(len, terminal.ask(query).split("\r\n")[1:])), 100)
        self.quit(terminal)
        terminal = self.start("--wide")
        self.assertIn("ab" * 300, terminal.ask(query).replace("\r\n", ""))
        self.quit(terminal)

    def test_timeout(self):
        self.assertIn("stopped after 1 s", self.start("--timeout", "1").ask(ENDLESS))


class Editing(Prompt):
    def test_another_process_begins_a_log(self):
        """PRAGMA journal_mode = wal, and a write that stands in the log alone."""
        terminal = self.start()
        self.assertIn("9", terminal.ask("SELECT 4 + 5 FROM run;"))
        with contextlib.closing(sqlite3.connect(self.db)) as other:
            other.execute("PRAGMA journal_mode = wal")
            other.execute("UPDATE run SET name = 'in_the_log'")
            other.execute("CREATE VIEW a_new_one AS SELECT 'of a view' AS words")
            other.commit()
            self.assertIn("in_the_log", terminal.ask("SELECT name FROM run;"))
            self.assertIn("of a view", terminal.ask("SELECT words FROM a_new_one;"))
            self.assertIn("gpu", terminal.ask("SELECT name FROM report WHERE name = 'gpu_timeline';"))
        self.assertIn("in_the_log", terminal.ask("SELECT name FROM run;"))
        self.quit(terminal)

    def test_history(self):
        terminal = self.start()
        terminal.ask("SELECT 11;")
        terminal.ask("SELECT 22;")
        terminal.type(UP)
        terminal.expect("SELECT 22;")
        terminal.type(UP)
        terminal.expect("11;?")
        terminal.type("\n")
        self.assertIn("\r\n11\r\n", terminal.prompt())
        self.quit(terminal)

    def test_history_is_by_statement(self):
        """A statement of several lines comes back as one, with its comments and texts."""
        terminal = self.start()
        for line in ("SELECT 'a -- b' AS x, -- why", "  17 + 4"):
            terminal.type(line + "\n")
            terminal.prompt(MORE)
        self.assertRegex(terminal.ask("AS y;"), r"21\r\n")
        terminal.type(UP)
        terminal.expect(re.escape("SELECT 'a -- b' AS x, /* why */   17 + 4 AS y;"))
        terminal.type("\n")
        self.assertRegex(terminal.prompt(), r"a -- b +21\r\n")
        self.quit(terminal)

    def test_history_is_kept_for_the_next_time(self):
        terminal = self.start()
        terminal.ask("SELECT 33;")
        self.quit(terminal, CTRL_D)
        terminal = self.start()
        terminal.type(UP)
        terminal.expect("SELECT 33;")
        terminal.type("\n")
        self.assertIn("\r\n33\r\n", terminal.prompt())
        self.quit(terminal)
        self.assertTrue(os.path.exists(self.path(".tpq_history")))

    def test_editing_in_the_middle(self):
        terminal = self.start()
        terminal.type("LECT 5;" + CTRL_A + "SE\n")
        self.assertIn("\r\n5\r\n", terminal.prompt())
        self.quit(terminal)

    def test_any_character_can_be_typed(self):
        for locale in ("C.UTF-8", "C", "nowhere.UTF-8"):
            terminal = self.start(LC_ALL=locale)
            terminal.type("SELECT 'größe €' AS x, length('größe €') AS n;\n")
            self.assertRegex(terminal.prompt(), r"\r\ngröße €  7\r\n")
            self.quit(terminal)
        self.assertIn("SELECT 'größe €' AS x, length('größe €') AS n;", self.lines_remembered())

    def lines_remembered(self):
        with open(self.path(".tpq_history"), encoding="utf-8") as file:
            return [re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), line).strip()
                    for line in file.read().splitlines()[1:]]

    def test_completion(self):
        """Of tables, columns, functions, keywords and commands, as the history then shows."""
        terminal = self.start()
        expected = []
        for typed, line in (("SELECT * FROM memory_e", "SELECT * FROM memory_event ;"),
                            ("select * from MEMORY_E", "select * from memory_event ;"),
                            ("SELECT interval_un", "SELECT interval_union_ns ;"),
                            ("SELECT launcher_tr", "SELECT launcher_track_id ;"),
                            ("SELECT event.child_", "SELECT event.child_ns ;"),
                            ("SELECT zzz", "SELECT zzz;"),
                            ("SELECT 1 havi", "SELECT 1 HAVING ;"), (".sch", ".schema ;")):
            terminal.type(typed + TAB + ";\n")
            terminal.prompt()
            expected.append(line)
        self.quit(terminal)
        self.assertEqual(self.lines_remembered(), [*expected, ".quit"])

    def test_a_completed_line_runs(self):
        terminal = self.start()
        terminal.type("SELECT count(*) AS n FROM memory_e" + TAB + ";\n")
        self.assertRegex(terminal.prompt(), r"\r\n *\d+\r\n")
        self.quit(terminal)

    def test_only_what_matches_is_listed(self):
        """Whatever the capitals: keywords have them, functions do not."""
        terminal = self.start()
        terminal.type("SELECT li" + TAB)
        terminal.expect("SELECT li\r\n")
        listed = terminal.prompt().replace("\x1b[K", "").split()
        self.assertIn("LIMIT", listed)
        self.assertIn("like", listed)
        self.assertEqual([name for name in listed if not name.lower().startswith("li")], [])
        terminal.type(CTRL_C)
        terminal.prompt()
        self.quit(terminal)

    def test_several_that_match_are_listed(self):
        terminal = self.start()
        terminal.type("SELECT id FROM gpu_" + TAB)
        listed = terminal.prompt()
        self.assertIn("gpu_event", listed)
        self.assertIn("gpu_slice", listed)
        terminal.type("sl" + TAB + "LIMIT 0;\n")
        self.assertRegex(terminal.prompt(), r"\r\nid\r\n--\r\n")
        self.quit(terminal)


class Plain(Prompt):
    """Without libedit the prompt reads lines as they come."""

    def start(self):
        for number in (0, 2):
            self.write(f"libedit.so.{number}", "no library")
        terminal = Terminal(["sql", "--db", self.db],
                            self.environment({**VARIABLES, "LD_LIBRARY_PATH": self.folder}), self.folder)
        self.addCleanup(terminal.close)
        terminal.expect("SQL, or .help; without libedit lines cannot be edited\r\n" + PROMPT)
        return terminal

    def test_statements_commands_and_the_end(self):
        terminal = self.start()
        terminal.type("SELECT 6 *\n")
        terminal.expect(re.escape(MORE))
        terminal.type("7 AS answer;\n")
        self.assertRegex(terminal.expect(PROMPT), r"answer\r\n-+\r\n +42\r\n")
        terminal.type("SELEC 1;\n")
        self.assertIn("syntax error", terminal.expect(PROMPT))
        self.quit(terminal, CTRL_D)
        self.quit(self.start())
        self.assertFalse(os.path.exists(self.path(".tpq_history")))

    def test_interrupts(self):
        terminal = self.start()
        terminal.type("SELECT nonsense\n")
        terminal.expect(re.escape(MORE))
        terminal.type("FROM" + CTRL_C)
        terminal.expect(PROMPT)
        terminal.type(ENDLESS + "\n")
        terminal.expect(re.escape("c;\r\n"))
        terminal.wait_until_busy()
        terminal.type(CTRL_C)
        self.assertIn("interrupted", terminal.expect(PROMPT))
        terminal.type("SELECT 5 AS x;\n")
        self.assertRegex(terminal.expect(PROMPT), r"x\r\n-\r\n5\r\n")
        self.quit(terminal)


class Interrupts(Prompt):
    def test_a_long_query_is_stopped(self):
        terminal = self.start()
        for _ in range(2):
            terminal.type(ENDLESS)
            terminal.expect(re.escape("count(*) FROM c;"))
            terminal.type("\n")
            terminal.expect("\r\n")
            terminal.wait_until_busy()
            terminal.type(CTRL_C)
            self.assertIn("interrupted", terminal.prompt())
            self.assertIn("\r\n5\r\n", terminal.ask("SELECT 5;"))
        self.quit(terminal)

    def test_a_long_query_in_a_file_is_stopped(self):
        self.write("q.sql", ENDLESS + "\n" + ENDLESS)
        terminal = self.start()
        terminal.type(".read q.sql\n")
        terminal.expect("\r\n")
        terminal.wait_until_busy()
        terminal.type(CTRL_C)
        self.assertIn("q.sql: interrupted", terminal.prompt())
        self.assertIn("\r\n5\r\n", terminal.ask("SELECT 5;"))
        self.quit(terminal)

    def test_a_line_is_thrown_away(self):
        terminal = self.start()
        terminal.type("SELECT nonsense")
        terminal.expect("nonsense")
        terminal.wait_until_it_reads()
        terminal.type(CTRL_C)
        terminal.prompt()
        self.assertIn("\r\n5\r\n", terminal.ask("SELECT 5;"))
        self.quit(terminal)

    def test_a_statement_over_two_lines_is_thrown_away(self):
        terminal = self.start()
        terminal.type("SELECT nonsense\n")
        terminal.prompt(MORE)
        terminal.type("FROM")
        terminal.expect("FROM")
        terminal.wait_until_it_reads()
        terminal.type(CTRL_C)
        terminal.prompt()
        self.assertIn("\r\n5\r\n", terminal.ask("SELECT 5;"))
        self.quit(terminal)

    def test_an_empty_line(self):
        terminal = self.start()
        for _ in range(3):
            terminal.type(CTRL_C)
            terminal.prompt()
        self.quit(terminal)

    def test_the_terminal_is_as_it_was(self):
        terminal = Terminal(["sql", "--db", self.db], self.environment(VARIABLES),
                            self.folder)
        self.addCleanup(terminal.close)
        terminal.prompt()
        slave = os.open(os.readlink(f"/proc/{terminal.process}/fd/0"), os.O_RDWR | os.O_NOCTTY)
        self.addCleanup(os.close, slave)
        terminal.ask("SELECT 1;")
        terminal.type(".quit\n")
        os.waitpid(terminal.process, 0)
        terminal.process = None
        flags = termios.tcgetattr(slave)[3]
        self.assertTrue(flags & termios.ECHO and flags & termios.ICANON and flags & termios.ISIG)
        os.close(terminal.file)


if __name__ == "__main__":
    main()
