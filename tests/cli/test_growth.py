"""What reports cost grows like the trace and no faster, counted in steps of SQLite's machine."""

import os
import sqlite3
import sys

import support

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mini"))
import train  # noqa: E402

STEPS = 12  # of training, and twice and four times as many
MOST = 2.7  # the second growth by the first: 2 when what is added costs the same, 4 when it is quadratic
TICK = 10  # steps of the machine


class Growth(support.Case):
    def ingest(self, steps):
        """A warehouse with a run of two ranks."""
        files = []
        for rank in range(2):
            machine = train.Machine(rank, ranks=2)
            for number in range(steps):
                train.step(machine, number)
                machine.wait(20_000)
                machine.clock[train.BACKWARD] = machine.now(train.MAIN)
            files.append(self.write(f"rank_{rank}.json", machine.trace()))
        path = self.path(f"{steps}.db")
        self.tpq("ingest", "--db", path, "--run", "job", *files)
        return path

    def cost(self, path):
        """Ticks of each report."""
        taken, connection = {}, sqlite3.connect(path)
        connection.enable_load_extension(True)
        connection.load_extension(os.path.splitext(support.EXTENSION)[0])
        names = connection.execute("SELECT name FROM report WHERE set_name IN ('pytorch', 'multirank', 'collectives')").fetchall()
        for name, in names:
            ticks = []
            connection.set_progress_handler(lambda: ticks.append(1) and None, TICK)
            connection.execute(f"SELECT * FROM {name}").fetchall()
            taken[name] = len(ticks)
        connection.close()
        return taken

    @support.plain("Python is not built like this")
    def test_reports(self):
        small, middle, large = (self.cost(self.ingest(STEPS * times)) for times in (1, 2, 4))
        self.assertGreater(len(small), 90)
        self.assertGreater(large["critical_path_steps"], 2 * small["critical_path_steps"])
        for name in small.keys():
            with self.subTest(report=name, ticks=(small[name], middle[name], large[name])):
                self.assertLessEqual(large[name] - middle[name], MOST * (middle[name] - small[name]) + 100)


if __name__ == "__main__":
    support.main()
