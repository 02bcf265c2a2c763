#!/usr/bin/env python3
"""Kills tpq at random moments and looks at what is left.

    kill.py --tpq TPQ --make-trace MAKE_TRACE [--kills N] [--seed N]

Ingests, replacements, removals and mergers are killed (SIGKILL) after a random part of the time that they
take here when they are left alone; one that is faster than its killer counts, too. After every
kill `tpq check` must find nothing, and every trace must be in the warehouse wholly, as an
undisturbed ingest stores it, or not at all. In the end the same work must succeed and leave no
file but the warehouse. The seed decides what is killed and after which part of its time; when
exactly that is, the machine decides, so that a verdict never depends on a clock.
"""

import argparse
import csv
import gzip
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

REFERENCES = (
    'SELECT t.name, f."from", f."table" FROM main.sqlite_schema AS t '
    "JOIN pragma_foreign_key_list(t.name) AS f JOIN pragma_table_xinfo(t.name) AS c "
    """ON c.name = f."from" AND c.hidden = 0 WHERE t.type = 'table' ORDER BY 1, 2"""
)
SUMS = (
    "last_event - first_event + 1",
    "(SELECT sum(ts_ns) || ' ' || sum(self_ns) FROM event "
    "WHERE id BETWEEN first_event AND last_event)",
    "(SELECT group_concat(text) FROM (SELECT DISTINCT text FROM event "
    "JOIN string ON string.id = name_id WHERE trace_id = trace.id ORDER BY text))",
)


def count_query(references):
    """A query for what can be counted of each trace: the rows of all tables that lead to it by
    foreign keys, given as (table, column, parent), themselves or through another one."""
    conditions = {}
    for table, column, parent in references:
        if parent == "trace":
            conditions[table] = f"{column} = trace.id"
    for table, column, parent in references:
        if table not in conditions and parent in conditions:
            conditions[table] = f"{column} IN (SELECT id FROM {parent} WHERE {conditions[parent]})"
    counts = [f"(SELECT count(*) FROM {name} WHERE {conditions[name]})" for name in conditions]
    return (
        "SELECT run.name, replace(path, rtrim(path, replace(path, '/', '')), ''), content_hash, "
        + ", ".join([*counts, *SUMS])
        + " FROM trace JOIN run ON run.id = run_id ORDER BY 1, 2"
    )


class Failure(Exception):
    pass


class Scene:
    """A warehouse in a directory of its own."""

    def __init__(self, options, directory):
        self.options = options
        self.home = os.path.join(directory, "home")
        self.database = os.path.join(self.home, "w.db")
        self.counts = None
        self.clear(None)

    def clear(self, template):
        shutil.rmtree(self.home, ignore_errors=True)
        os.mkdir(self.home)
        if template:
            shutil.copyfile(template, self.database)

    def command(self, verb, *words):
        return [self.options.tpq, verb, "--db", self.database, *words]

    def run(self, verb, *words):
        """Runs to the end; gives the output and the seconds that it took."""
        start = time.monotonic()
        done = subprocess.run(self.command(verb, *words), capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(
                f"tpq {verb} {' '.join(words)}: status {done.returncode}\n"
                f"{done.stdout}{done.stderr}"
            )
        return done.stdout, time.monotonic() - start

    def kill(self, seconds, verb, *words):
        """Runs and kills; True when the kill came in time."""
        process = subprocess.Popen(
            self.command(verb, *words),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _, complaint = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return True
        if process.returncode != 0:
            raise Failure(
                f"tpq {verb} {' '.join(words)}: status {process.returncode}\n{complaint}"
            )
        return False

    def rows(self, query):
        output, _ = self.run("sql", "--mode", "csv", query)
        return list(csv.reader(io.StringIO(output)))[1:]

    def traces(self):
        """Every trace with all that can be counted of it, by run and file."""
        if not os.path.exists(self.database):
            return {}
        self.run("check", "--quiet")
        if not self.counts:
            self.counts = count_query(self.rows(REFERENCES))
        rows = self.rows(self.counts)
        return {(row[0], row[1]): tuple(row[2:]) for row in rows}

    def files(self):
        return sorted(os.listdir(self.home))


class Work:
    """Something to be killed: from `before` to `after`, one trace at a time or all at once."""

    def __init__(self, scene, template, words, at_once, later):
        self.scene = scene
        self.template = template
        self.words = words
        self.at_once = at_once
        self.later = later
        scene.clear(template)
        self.before = scene.traces()
        _, self.seconds = scene.run(*words)
        self.after = scene.traces()

    def check(self, now):
        if self.at_once:
            if now not in (self.before, self.after):
                raise Failure(f"neither before nor after: {now}")
            return
        for key in set(self.before) | set(self.after) | set(now):
            if now.get(key) not in (self.before.get(key), self.after.get(key)):
                raise Failure(f"trace {key} is neither wholly there nor absent: {now.get(key)}")

    def play(self, chance):
        self.scene.clear(self.template)
        kills = 0
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            kills += self.scene.kill(chance.uniform(0, self.seconds * 1.1), *self.words)
            self.check(self.scene.traces())
            if self.scene.traces() == self.after:
                break
        if self.scene.traces() != self.after:
            self.scene.run(*self.words)
        if self.scene.traces() != self.after:
            raise Failure("the same work later did not do all of it")
        self.scene.run(*self.later)
        now = self.scene.traces()
        kept = all(now.get(key) == row for key, row in self.after.items())
        if not kept or len(now) != len(self.after) + 1:
            raise Failure(f"a later ingest changed what was there: {now}")
        if self.scene.files() != ["w.db"]:
            raise Failure(f"left behind: {self.scene.files()}")
        return kills


def make_traces(options, directory):
    """Four ranks of a run, one of them compressed; small enough for a hundred kills a minute."""
    paths = []
    for rank in range(4):
        path = os.path.join(directory, f"rank{rank}.json")
        size = ["--steps", str(4 + 6 * rank), "--layers", "8"]
        made = subprocess.run(
            [options.make_trace, *size, "--rank", str(rank), "--seed", str(rank)],
            stdout=subprocess.PIPE,
            check=True,
        )
        if rank == 2:
            path += ".gz"
            with open(path, "wb") as file:
                file.write(gzip.compress(made.stdout, 6, mtime=0))
        else:
            with open(path, "wb") as file:
                file.write(made.stdout)
        paths.append(path)
    return paths


def play(options, directory):
    chance = random.Random(options.seed)
    traces = make_traces(options, directory)
    scene = Scene(options, directory)
    ingest = ("ingest", "--quiet", "--jobs", "2", "--run")

    one, all_of_them = os.path.join(directory, "one.db"), os.path.join(directory, "all.db")
    scene.run(*ingest, "one", traces[3])
    shutil.copyfile(scene.database, one)
    scene.run(*ingest, "all", *traces)
    shutil.copyfile(scene.database, all_of_them)

    later = (*ingest, "later", traces[1])
    works = [
        Work(scene, None, (*ingest, "new", *traces), False, later),
        Work(scene, one, (*ingest, "old", *traces), False, later),
        Work(scene, one, (*ingest[:-1], "--run-per", r"(rank\d)\.json", *traces), False, later),
        Work(scene, None, (*ingest, "first", traces[0]), False, later),
        Work(scene, all_of_them, (*ingest, "all", "--replace", *traces), False, later),
        Work(scene, all_of_them, ("rm", "--quiet", "--shrink", "all"), True, later),
        Work(scene, all_of_them, ("report", "run_overview"), True, later),  # keeps figures
        Work(scene, None, ("merge", "--quiet", all_of_them), True, later),
        Work(scene, one, ("merge", "--quiet", "--run", "one", all_of_them), True, later),
    ]
    kills = rounds = 0
    while rounds < options.kills:
        work = works[rounds % len(works)]
        try:
            kills += work.play(chance)
        except Failure as failure:
            print(f"seed {options.seed}, round {rounds}, tpq {' '.join(work.words)}: {failure}")
            return 1
        rounds += 1
    print(f"{rounds} rounds, killed {kills} times, and nothing was half done")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tpq", required=True)
    parser.add_argument("--make-trace", required=True)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tpq-kill-") as directory:
        return play(options, directory)


if __name__ == "__main__":
    sys.exit(main())
