"""Status 4: a warehouse or an output that is locked, full or not to be written; and many processes at
once. Whatever happens, the warehouse is as it was before the trace."""

import itertools
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import unittest

from support import Case, PATIENCE, SANITIZED, TPQ, VERBS, main, plain, slice_event, trace_of


class Temporary(Case):
    def test_what_is_sorted_of_large_files_is_not_all_in_memory(self):
        """Of others it is: nothing is written where there is no need."""
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "--db", "small.db", "a.json")
        shutil.copy(self.path("small.db"), self.path("large.db"))
        os.truncate(self.path("large.db"), 256 << 20)
        def kept(name):  # 1: files, 2: memory
            return self.tpq("sql", "--db", name, "-m", "csv", "PRAGMA temp_store").out.split()[-1]
        self.assertEqual((kept("small.db"), kept("large.db")), ("2", "1"))
        sort = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 20000) SELECT sum(length(x)) AS n " \
            "FROM (SELECT randomblob(1000) AS x FROM c ORDER BY 1 LIMIT -1 OFFSET 1)"
        self.assertEqual(self.tpq("sql", "--db", "large.db", "-m", "csv", sort).out.split()[-1], "19999000")


class Output(Case):
    def test_nothing_can_be_written(self):
        self.make_trace("a.json")
        calls = [["ingest", "a.json"], ["runs"], ["traces"], ["tree", 1], ["tree", "--trace", 1],
                 ["check"], ["describe"], ["describe", "event"], ["sql", "SELECT 1"],
                 ["sql", ".tables"], ["sql", ".help"], ["--help"], ["--version"], ["help", "sql"],
                 *([verb, "--help"] for verb in VERBS), ["rm", "a"]]
        with open("/dev/full", "wb") as full:
            for call in calls:
                result = self.tpq(*call, status=4, stdout=full)
                self.one_line(result, r"^tpq: the output cannot be written")

    def test_what_stays_when_nothing_can_be_written(self):
        """A change is undone, or the sentence says that it stands."""
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "a.json", "--db", "from.db")
        traces = "SELECT count(*) FROM trace"
        with open("/dev/full", "wb") as full:
            for call, left, words in (
                    (["ingest", "--run", "a", "a.json"], 1, "the traces are stored"),
                    (["ingest", "--run", "b", "--json", "a.json"], 2, "the traces are stored"),
                    (["merge", "--prefix", "c", "from.db"], 3, "the traces are stored"),
                    (["rm", "b"], 3, "nothing was removed"),
                    (["rm", "--trace", "3"], 2, "the traces are removed"),
                    (["rm", "--trace", "2", "--dry-run"], 2, "nothing was removed")):
                result = self.tpq(*call, status=4, stdout=full)
                self.one_line(result, f"^tpq: the output cannot be written; {words}$")
                self.assertEqual(self.value(traces), left, str(result))

    def test_what_stays_when_there_is_no_room_to_vacuum(self):
        self.make_trace("a.json", "--steps", 40)
        self.tpq("ingest", "-q", "a.json")
        size = os.path.getsize(self.db)
        self.tpq("sql", "--write", "CREATE TABLE mine AS SELECT randomblob(4000000) AS bytes")
        result = self.tpq("rm", "-q", "a", "--shrink", status=None,
                          preexec_fn=lambda: limit_files(size))
        self.assertEqual(result.status, 4, str(result))
        self.one_line(result, "^tpq: removed, but the file was not shrunk: ")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 0)

    def test_long_output_stops_when_it_cannot_be_written(self):
        self.make_trace("a.json")
        self.tpq("ingest", "a.json")
        endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
        with open("/dev/full", "wb") as full:
            for mode in "table box csv tsv json jsonl line markdown html".split():
                self.one_line(self.tpq("sql", "-m", mode, endless, status=4, stdout=full),
                              "the output cannot be written: No space left")

    def test_a_reader_that_goes_away_ends_it_quietly(self):
        self.make_trace("a.json", "--steps", 40)
        self.tpq("ingest", "-q", "a.json")
        endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
        for call in (["tree", "--trace", "1"], ["sql", endless], ["sql", "-m", "csv", endless],
                     ["describe"]):
            quoted = " ".join(f"'{word}'" for word in [TPQ, *call])
            done = subprocess.run(["bash", "-c", f"{quoted} | head -n 1"], capture_output=True,
                                  env=self.environment({"TPQ_DB": self.db}), timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(done.stdout.count(b"\n"), 1)

    def test_a_closed_output(self):
        self.make_trace("a.json")
        self.tpq("ingest", "a.json")
        self.one_line(self.tpq("runs", status=4, preexec_fn=lambda: os.close(1)),
                      "the output cannot be written")


class Older(Case):
    def test_a_warehouse_of_before_the_first_release_is_refused(self):
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "a.json")
        connection = sqlite3.connect(self.db)
        connection.executescript("PRAGMA application_id = 0x74707131; PRAGMA user_version = 3")
        connection.close()
        before = self.snapshot()
        for call in (["runs"], ["check"], ["report"], ["ingest", "a.json"], ["rm", "a"], ["sql", "SELECT 1"]):
            self.one_line(self.tpq(*call, status=4),
                          r"^tpq: .*w\.db: made by a tpq older than 0\.2\.0; ingest its traces again$")
            self.assertEqual(self.snapshot(), before)


class Places(Case):
    def test_a_new_warehouse_where_none_can_be(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        before = self.snapshot()
        for place, why in (("a.json/w.db", "Not a directory"), ("no/w.db", "No such file"),
                           ("/proc/w.db", "cannot be created"), ("x" * 300, "too long")):
            self.one_line(self.tpq("ingest", "--db", place, "a.json", status=4),
                          rf"^tpq: {place}: .*{why}")
            self.assertEqual(self.snapshot(), before)

    @unittest.skipIf(os.geteuid() == 0, "nothing is denied to root")
    def test_what_may_not_be_written(self):
        self.make_trace("a.json")
        self.tpq("ingest", "a.json")
        os.chmod(self.db, 0o444)
        for call in (["ingest", "--run", "b", "a.json"], ["rm", "a"],
                     ["sql", "--write", "DELETE FROM run"]):
            self.one_line(self.tpq(*call, status=4), "cannot be written")
        self.tpq("runs")
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        self.one_line(self.tpq("ingest", "--db", "new.db", "a.json", status=4), "cannot be created")


class Damaged(Case):
    def test_rows_that_name_others_that_are_not_there(self):
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "a.json")
        connection = sqlite3.connect(self.db, isolation_level=None)
        connection.execute("UPDATE gpu_event SET name_id = 55555")
        connection.close()
        words = "the warehouse is damaged: tpq check says where$"
        for name in ("overview", "unified_perf_summary", "advice"):
            self.one_line(self.tpq("report", "-q", name, status=4), f"^tpq: {name}: {words}")
        self.assertRegex(self.tpq("sql", "SELECT count(*) FROM op_call WHERE kernel_ns > 0",
                                  status=4).err, words)
        self.assertIn("refers to a row of string", self.tpq("check", status=1).out)


class Locked(Case):
    def setUp(self):
        super().setUp()
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.write("b.json", trace_of(slice_event("b", 0, 1)))
        self.tpq("ingest", "a.json")
        self.other = sqlite3.connect(self.db, isolation_level=None)
        self.addCleanup(self.other.close)

    def refused(self, *call, wait=0):
        self.one_line(self.tpq(*call, "--wait", wait, status=4),
                      rf"^tpq: {self.db}: another process holds the database$")

    def test_by_one_who_lets_nobody_in(self):
        self.other.execute("BEGIN EXCLUSIVE")
        for call in (["ingest", "b.json"], ["runs"], ["traces"], ["tree", 1], ["check"],
                     ["sql", "SELECT * FROM run"], ["rm", "a"]):
            self.refused(*call)
        self.refused("ingest", "b.json", wait=1)
        self.other.execute("ROLLBACK")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 1)
        self.tpq("ingest", "b.json")

    def test_by_one_who_writes(self):
        self.other.execute("BEGIN IMMEDIATE")
        self.refused("ingest", "b.json")
        self.refused("rm", "a")
        self.assertIn("a", self.tpq("runs", "--wait", 0).out)
        self.tpq("check", "--wait", 0)

    def test_by_one_who_reads(self):
        self.other.execute("BEGIN")
        self.other.execute("SELECT count(*) FROM run").fetchall()
        self.refused("ingest", "b.json")
        self.tpq("runs", "--wait", 0)

    def test_what_is_released_in_time_is_waited_for(self):
        self.other.execute("BEGIN EXCLUSIVE")
        waiting = subprocess.Popen([TPQ, "ingest", "--wait", str(int(PATIENCE)), "--db", self.db,
                                    self.path("b.json")], stdout=subprocess.DEVNULL)
        self.assertIsNone(waiting.poll())
        self.other.execute("COMMIT")
        self.assertEqual(waiting.wait(PATIENCE), 0)
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)


def limit_files(size):
    """As ulimit -f does it: the signal of it would end a process without a word."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Full(Case):
    """No room, at every stage of writing."""

    def prepare(self):
        self.make_trace("a.json", "--steps", 8)
        self.make_trace("b.json", "--steps", 8, "--seed", 3)
        self.tpq("ingest", "-q", "a.json", "--db", "full.db")

    def limited(self, size, *call):
        before = self.snapshot()
        result = self.tpq(*call, status=None, preexec_fn=lambda: limit_files(size))
        if result.status:
            self.assertEqual(result.status, 4, str(result))
            self.one_line(result, r"^tpq: \w+\.db: ")
            self.assertEqual(self.snapshot(), before)
        return result.status

    def test_in_a_new_warehouse(self):
        whole = os.path.getsize(self.path("full.db"))
        failures = sum(self.limited(size, "ingest", "a.json", "--db", "new.db") == 4
                       for size in range(0, whole, whole // 12))
        self.assertGreaterEqual(failures, 12)
        self.assertEqual(self.limited(whole, "ingest", "a.json", "--db", "new.db"), 0)
        self.check(self.path("new.db"))

    def test_in_a_warehouse_that_exists(self):
        old = os.path.getsize(self.path("full.db"))
        self.tpq("ingest", "-q", "a.json", "b.json", "--db", "both.db")
        growth = os.path.getsize(self.path("both.db")) - old
        for size in [0, 512, 8192, *range(old, old + growth, growth // 8)]:
            self.assertEqual(self.limited(size, "ingest", "b.json", "--db", "full.db"), 4, size)
        self.assertEqual(self.limited(8 * old, "ingest", "b.json", "--db", "full.db"), 0)
        self.check(self.path("full.db"))

    def test_a_file_that_is_there_stays(self):
        """Files of sheets and pages have their names only when they are whole."""
        for form in (["--html", "out"], ["--json=out"], ["--csv", "out.csv"]):
            for size, old in itertools.product((0, 200), ("old", None)):
                name = "out.csv" if "--csv" in form else "out"
                if old:
                    self.write(name, old)
                elif os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
                before = self.snapshot()
                result = self.tpq("report", "gpu_timeline", "--db", "full.db", *form, status=4, preexec_fn=lambda: limit_files(size))
                self.one_line(result, f"{name}|the output cannot be written")
                self.assertEqual(self.snapshot(), before)
        self.tpq("report", "gpu_timeline", "--db", "full.db", "--html", "out", "-q")
        os.symlink("out", self.path("link"))
        self.tpq("report", "gpu_timeline", "--db", "full.db", "--json=link", "-q")
        with open(self.path("out"), encoding="utf-8") as file:
            self.assertEqual(file.read(1), "{")

    def test_when_something_is_removed(self):
        for size in (0, 512, 8192):
            self.limited(size, "rm", "a", "--shrink", "--db", "full.db")
        self.check(self.path("full.db"))

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("unshare"), "mounting needs root")
    def test_a_file_system_that_is_full(self):
        """Each size is tried in a mount that nobody else sees and that ends with the shell."""
        script = """
            mount -t tmpfs -o size=$1 none mnt 2>mount.err || exit 77
            [ "$2" = old ] && cp full.db mnt/w.db
            ls mnt >names.before
            "$TPQ" ingest -q --db mnt/w.db b.json 2>err.txt
            status=$?
            ls mnt >names.after
            [ $status = 0 ] || cmp -s names.before names.after || exit 90
            [ $status = 0 ] || [ "$2" = new ] || cmp -s full.db mnt/w.db || exit 91
            exit $status
        """
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this system gives no mounts of one's own")
        os.mkdir(self.path("mnt"))
        old, failures = os.path.getsize(self.path("full.db")), 0
        for state, sizes in (("new", range(4096, old, old // 6)),
                             ("old", range(old + 4096, 2 * old, old // 6))):
            for size in sizes:
                done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", str(size), state],
                                      cwd=self.folder, env=self.environment({"TPQ": TPQ}))
                if done.returncode == 77:
                    self.skipTest("tmpfs cannot be mounted")
                self.assertIn(done.returncode, (0, 4), f"{state} {size}")
                with open(self.path("err.txt"), encoding="utf-8") as file:
                    text = file.read()
                if done.returncode:
                    failures += 1
                    self.assertRegex(text, r"\Atpq: mnt/w\.db: .*(full|No space left).*\n\Z")
        self.assertGreater(failures, 4)


class AtOnce(Case):
    PROCESSES = 6

    def start(self, number, path, *before):
        return subprocess.Popen([*before, TPQ, "ingest", "--run", f"r{number}", "--db", self.db, path],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                env=self.environment())

    def finish(self, process):
        _, err = process.communicate(timeout=PATIENCE)
        told = [line for line in err.splitlines() if b": Health: " not in line]
        self.assertEqual((process.returncode, told), (0, []))

    def test_into_one_new_warehouse(self):
        paths = [self.make_trace(f"{number}.json", "--seed", number, "--steps", 1 + number)
                 for number in range(self.PROCESSES)]
        for _ in range(3 if SANITIZED else 4):
            running = [self.start(number, path) for number, path in enumerate(paths)]
            for process in running:
                self.finish(process)
            self.assertEqual(self.rows("SELECT name FROM run ORDER BY name"),
                             [(f"r{number}",) for number in range(self.PROCESSES)])
            self.check()
            self.assertEqual({name for name in os.listdir(self.folder) if "w.db" in name}, {"w.db"})
            os.remove(self.db)

    def test_the_same_trace_into_the_same_run(self):
        path = self.make_trace("a.json")
        for _ in range(3):
            running = [self.start(0, path) for _ in range(self.PROCESSES)]
            for process in running:
                self.finish(process)
            self.assertEqual(self.value("SELECT count(*) FROM trace"), 1)
            self.check()
            os.remove(self.db)

    def test_readers_see_whole_traces_only(self):
        paths = [self.make_trace(f"{number}.json", "--seed", number) for number in range(4)]
        self.finish(self.start("first", paths[0]))
        running = [self.start(number, path) for number, path in enumerate(paths)]
        while any(process.poll() is None for process in running):
            self.check()
        for process in running:
            self.finish(process)

    @plain("it is not what strace is to look at")
    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_one_that_is_held_up_before_it_has_locked_its_new_file(self):
        """Another process must not take the file for one that was left behind."""
        paths = [self.make_trace(f"{number}.json", "--seed", number) for number in range(2)]
        slow = self.start(0, paths[0], "strace", "-qq", "-o", self.path("strace.out"), "-e",
                          "trace=flock", "-e", "inject=flock:delay_enter=500000")
        while slow.poll() is None and not any("building" in name
                                              for name in os.listdir(self.folder)):
            pass
        self.finish(self.start(1, paths[1]))
        self.finish(slow)
        self.assertEqual(self.value("SELECT count(*) FROM run"), 2)
        self.check()


if __name__ == "__main__":
    main()
