"""The loadable extension tpq.so, in the two clients that everybody has.

    test_extension.py TPQ.SO WAREHOUSE [Python | Program]

Python runs every .sql file beside this one in Python's sqlite3 module, Program in the program
sqlite3; sql_test.c says how such a file reads. The exit status is 77 when the program is missing.
"""

import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

EXTENSION, WAREHOUSE = (os.path.abspath(path) for path in sys.argv[1:3])
FILES = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.sql")))
DIRECTIVE = "-- error: "
MISSING = 77


def statements(path):
    """The statements of a file: line, text, and the error that it must give or None."""
    text, fear = "", None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not text:
                start = number
                if line.startswith(DIRECTIVE):
                    fear = line[len(DIRECTIVE):].rstrip("\n")
                if line.startswith("--") or not line.strip():
                    continue
            text += line
            if line.rstrip("\n").endswith(";") and sqlite3.complete_statement(text):
                yield start, text, fear
                text, fear = "", None
    assert not text, path


def connect(path=WAREHOUSE, load=True):
    """A connection for reading only, with the extension in it."""
    connection = sqlite3.connect(f"file:{path}?mode=ro" if path else ":memory:", uri=True)
    if load:
        connection.enable_load_extension(True)
        connection.load_extension(os.path.splitext(EXTENSION)[0])
        connection.enable_load_extension(False)
    return connection


def value(connection, sql):
    return connection.execute(sql).fetchone()[0]


# The warehouse has no such traces: none of tt-metal, no run with several ranks, and
# nothing of Nsight Systems.
EMPTY = ("tf32_call", "run_figure", "compiled_", "health_of_run", "health_abstains", "advice_abstains", "cut_step", "tt_", "jax_", "xla_", "ranks_all2allv", "ranks_kernel_pace", "fleet_collective", "ranks_collective", "ranks_sync", "ranks_straggler",
         "sync_collective", "exchange_collective", "split_call", "expert_exchange", "moe_layers", "moe_ranks", "rank_arrival", "several_devices", "collective_member", "collective_call", "p2p_", "pipeline_ra", "pipeline_s", "diff_", "nsys_gpu_gaps", "gpu_gaps", "range_pace", "serving_requests", "known_request", "ranks_gpu_gaps", "ranks_kernel_sequences", "device_gap", "ranks_waits", "ranks_critical_path_hops", "kernel_sequences", "work_counter",
         "nsys_pageable", "nsys_sync", "nsys_call_", "nsys_named_kernel", "nsys_unified", "um_", "nsys_mpi", "mpi_", "nsys_directive", "openacc_", "openmp_", "nvtx_startend", "osrt_", "syscall_", "pftrace_hip", "rocpd_h",
         "rocpd_r", "rocpd_memory_allocations", "rocpd_scratch", "rocpd_allocation", "time_before", "window_ledger", "snapshot_", "graph_n", "graph_modules", "graph_replayed", "attention_kernels")


class Python(unittest.TestCase):
    def setUp(self):
        self.open = []

    def tearDown(self):
        for connection in self.open:
            connection.close()

    def connect(self, *arguments, **options):
        self.open.append(connect(*arguments, **options))
        return self.open[-1]

    def added(self, connection, sql):
        plain = sqlite3.connect(":memory:")
        known = set(plain.execute(sql))
        plain.close()
        return sorted(set(connection.execute(sql)) - known)

    def ask_elsewhere(self, connection, sql):
        try:
            connection.execute(sql).fetchall()
        except MemoryError:
            self.fail(f"{sql}: out of memory")
        except sqlite3.Error as error:
            self.assertNotIn(str(error), ("", "SQL logic error", "out of memory"), sql)
            self.assertNotIn("no such table", str(error), sql)
            return str(error)
        return None

    def test_a_database_that_is_no_warehouse(self):
        connection = self.connect(None)
        tables = self.added(connection, "SELECT name FROM pragma_module_list")
        functions = self.added(connection, "SELECT DISTINCT name, narg FROM pragma_function_list")
        said = {self.ask_elsewhere(connection, f"SELECT * FROM {name}") for name, in tables}
        self.assertGreater(len(tables), 40)
        self.assertEqual(said - {None}, {"this database is no warehouse of tpq: tables are missing"})
        self.assertGreater(len(functions), 100)
        for name, count in functions:
            for one in ("1", "'x'", "'[1]'", "x'00'", "zeroblob(32)", "NULL"):
                for number in range(4) if count < 0 else [count]:
                    for first in (one, "'purpose'"):
                        values = ", ".join([first, *[one] * (number - 1)][:number])
                        self.ask_elsewhere(connection, f"SELECT {name}({values})")

    def run_file(self, path):
        connection, count = self.connect(), 0
        for line, sql, fear in statements(path):
            with self.subTest(file=os.path.basename(path), line=line):
                count += 1
                if fear is not None:
                    with self.assertRaises(sqlite3.Error) as raised:
                        connection.execute(sql).fetchall()
                    self.assertIn(fear, str(raised.exception))
                    continue
                cursor = connection.execute(sql)
                if cursor.description:
                    rows = cursor.fetchall()
                    self.assertTrue(rows)
                    self.assertEqual([row for row in rows if row[1:] != (1,)], [])
        self.assertGreater(count, 0)

    def test_every_file_of_tests_holds(self):
        self.assertGreaterEqual(len(FILES), 6)
        for path in FILES:
            self.run_file(path)

    def test_a_selected_run_costs_what_it_is(self):
        """Counted in steps of SQLite's machine."""
        connection, steps = self.connect(), []
        asked = "SELECT * FROM kernel_summary WHERE run = 'rank1'"
        connection.set_progress_handler(lambda: steps.append(1), 10)
        every = connection.execute(asked).fetchall()
        of_all = len(steps)
        connection.execute("SELECT tpq_select('rank1')").fetchall()
        steps.clear()
        self.assertEqual(connection.execute(asked).fetchall(), every)
        self.assertGreater(len(every), 2)
        self.assertLess(2 * len(steps), of_all)
        rows = connection.execute("SELECT name FROM gpu_slice")
        rows.fetchone()
        with self.assertRaises(sqlite3.Error) as raised:
            connection.execute("SELECT tpq_select(NULL)").fetchall()
        self.assertIn("a statement is not finished yet", str(raised.exception))

    def test_without_the_extension_the_views_cannot_be_asked(self):
        with self.assertRaises(sqlite3.OperationalError):
            value(self.connect(load=False), "SELECT count(*) FROM slice")

    def test_views_work_when_the_schema_is_not_trusted(self):
        connection = self.connect()
        names = [row[0] for row in connection.execute(
            "SELECT name FROM sqlite_temp_schema WHERE type = 'view'").fetchall()]
        self.assertIn("gpu_slice", names)
        for trusted in "OFF", "ON":
            connection.execute(f"PRAGMA trusted_schema = {trusted}")
            for name in names:
                rows = value(connection, f"SELECT count(*) FROM {name}")
                self.assertEqual(rows > 0, not name.startswith(EMPTY), name)

    def test_functions_work_in_views_of_the_user(self):
        with tempfile.TemporaryDirectory() as directory:
            path = shutil.copy(WAREHOUSE, directory)
            with sqlite3.connect(path) as connection:
                connection.execute(
                    "CREATE VIEW mine AS SELECT interval_union_ns(start_ns, dur_ns) AS busy,"
                    " median(dur_ns) AS middle, sum(name REGEXP 'sgemm') AS matches,"
                    " (SELECT count(*) FROM descendants(1)) AS below,"
                    " coalesce((SELECT tpq_option('limit')), 7) AS limited"
                    " FROM kernel WHERE launch_id IS NOT NULL")
            connection.close()
            connection = self.connect(path)
            connection.execute("PRAGMA trusted_schema = OFF")
            row = connection.execute("SELECT * FROM mine").fetchone()
            self.assertEqual(row[4], 7)
            self.assertGreater(min(row), 0)

    def test_options_cannot_be_set_in_a_view(self):
        with tempfile.TemporaryDirectory() as directory:
            path = shutil.copy(WAREHOUSE, directory)
            with sqlite3.connect(path) as connection:
                connection.execute("CREATE VIEW mine AS SELECT tpq_set('limit', 1) AS done")
            connection.close()
            for trusted in "OFF", "ON":
                connection = self.connect(path)
                connection.execute(f"PRAGMA trusted_schema = {trusted}")
                with self.assertRaisesRegex(sqlite3.OperationalError, "unsafe use of tpq_set"):
                    connection.execute("SELECT * FROM mine").fetchall()
                self.assertIsNone(value(connection, "SELECT tpq_option('limit')"))

    def test_a_connection_has_its_own_options(self):
        first, second = self.connect(), self.connect()
        first.execute("SELECT tpq_set('limit', 1)").fetchall()
        second.execute("SELECT tpq_set('limit', 2)").fetchall()
        self.assertEqual(value(first, "SELECT tpq_option('limit')"), 1)
        self.assertEqual(value(second, "SELECT tpq_option('limit')"), 2)
        third = self.connect()
        self.assertIsNone(value(third, "SELECT tpq_option('limit')"))
        first.close()
        self.assertEqual(value(second, "SELECT tpq_option('limit')"), 2)

    def test_what_is_kept_between_statements_is_what_the_database_says(self):
        questions = ("SELECT sum(dur_ns) FROM launched_work", "SELECT sum(direct_ns) FROM launcher_work",
                     "SELECT kernel_class('timeline', category_id, name_id) FROM gpu_event LIMIT 1",
                     "SELECT flops FROM op_metric WHERE flops IS NOT NULL LIMIT 1",
                     "SELECT sum(flops) FROM modelled_call")
        change = ("UPDATE gpu_event SET dur_ns = dur_ns + 1000",
                  "UPDATE kernel_category SET category = 'communication' WHERE purpose = 'timeline'",
                  "UPDATE perf_family SET flops = '17'")
        with tempfile.TemporaryDirectory() as folder:
            path = shutil.copy(WAREHOUSE, os.path.join(folder, "w.db"))
            one, other = (sqlite3.connect(path, isolation_level=None) for _ in range(2))
            self.open += [one, other]
            one.enable_load_extension(True)
            one.load_extension(EXTENSION)

            def ask():
                return [(one.execute(question).fetchone() or (None,))[0] for question in questions]

            def write(connection, statements):
                for statement in statements:
                    connection.execute(statement)
            before = ask()
            for mode in ("DELETE", "WAL"):
                one.execute(f"PRAGMA journal_mode = {mode}")
                write(one, ("BEGIN", *change))
                within = ask()
                self.assertTrue(all(a != b for a, b in zip(before, within)), (before, within))
                one.execute("ROLLBACK")
                self.assertEqual(ask(), before)
                write(one, ("BEGIN", "SAVEPOINT a", *change))
                self.assertEqual(ask(), within)
                write(one, ("ROLLBACK TO a",))
                self.assertEqual(ask(), before)
                write(one, change)
                self.assertEqual(ask(), within)
                write(one, ("ROLLBACK TO a", "COMMIT"))
                self.assertEqual(ask(), before)
            write(other, change)
            self.assertEqual(ask(), within)

    def test_loading_again_is_harmless(self):
        connection = self.connect()
        connection.enable_load_extension(True)
        for _ in range(3):
            connection.load_extension(EXTENSION)
            self.assertEqual(value(connection, "SELECT median(count) FROM"
                                   " (SELECT count(*) AS count FROM scope)"), 3)

    def test_a_database_that_is_no_warehouse_has_functions_but_no_scope(self):
        connection = self.connect(path=None)
        self.assertEqual(value(connection, "SELECT interval_union_ns(1, 2)"), 2)
        for sql in "SELECT * FROM scope", "SELECT * FROM descendants(1)":
            with self.assertRaisesRegex(sqlite3.OperationalError, "is no warehouse of tpq"):
                connection.execute(sql).fetchall()


@unittest.skipUnless(shutil.which("sqlite3"), "the program sqlite3 is missing")
class Program(unittest.TestCase):
    def run_program(self, sql):
        return subprocess.run(
            ["sqlite3", "-readonly", "-batch", "-list", "-noheader", WAREHOUSE],
            input=f".load '{EXTENSION}'\n{sql}", capture_output=True, text=True, check=False)

    def test_every_file_of_tests_holds(self):
        self.assertGreaterEqual(len(FILES), 6)
        for path in FILES:
            with self.subTest(file=os.path.basename(path)):
                fears = [fear for _, _, fear in statements(path) if fear is not None]
                with open(path, encoding="utf-8") as file:
                    result = self.run_program(file.read())
                lines = result.stdout.splitlines()
                self.assertGreater(len(lines), 0)
                self.assertEqual([line for line in lines if not line.endswith("|1")], [])
                self.assertEqual(result.stderr.count("rror near line"), len(fears), result.stderr)
                for fear in fears:
                    self.assertIn(fear, result.stderr)

    def test_a_script_that_is_fine_has_status_0(self):
        result = self.run_program("SELECT count(*) FROM scope;")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "3\n", ""))


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0]] + sys.argv[3:], exit=False, verbosity=2)
    result = program.result
    if result.skipped and len(result.skipped) >= result.testsRun:
        sys.exit(MISSING)
    sys.exit(not result.wasSuccessful())
