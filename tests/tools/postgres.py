"""A PostgreSQL of its own for a test: a cluster in a temporary directory, which a socket in it leads to and no port.

    server = postgres.Server()          None of it where PostgreSQL is not installed: postgres.missing() says so
    server.load("w", script)            bytes, through psql; returns its exit status and what it printed
    server.rows("w", "SELECT ...")      a dict a row; of several queries one behind the other
    server.stop()

initdb refuses root: then the cluster belongs to the user postgres, or nobody.
"""
import glob
import json
import os
import pwd
import shutil
import subprocess
import tempfile

# A disk that is never waited for, and little memory.
SETTINGS = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=16MB", "max_connections=20",
            "autovacuum=off", "listen_addresses=", "max_parallel_workers_per_gather=0", "jit=off")


def folder():
    """Where initdb is; None where PostgreSQL is not."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    path = max(found, key=lambda name: int(name.split("/")[4])) if found else shutil.which("initdb")
    return os.path.dirname(path) if path and os.path.exists(os.path.join(os.path.dirname(path), "psql")) else None


def owner():
    """Who may run it, where we may not: (user, group) or nothing."""
    if os.getuid():
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
            return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        except KeyError:
            pass
    return None


def missing():
    """Why there is none; empty where there is."""
    return "" if folder() and owner() is not None else "PostgreSQL is not installed"


class Server:
    def __init__(self):
        self.owner = owner()
        self.folder = tempfile.mkdtemp(prefix="tpq-pg-", dir="/tmp")
        if self.owner:
            os.chown(self.folder, self.owner["user"], self.owner["group"])
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8", "PGHOST": self.folder,
                            "PGUSER": "tpq"}
        self.data = os.path.join(self.folder, "data")
        try:
            self.call("initdb", "-D", self.data, "-U", "tpq", "--auth=trust", "--no-sync", "--locale=C", "--encoding=UTF8")
            with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="ascii") as file:
                file.write("".join("{} = '{}'\n".format(*setting.split("=")) for setting in SETTINGS))
                file.write(f"unix_socket_directories = '{self.folder}'\n")
            self.call("pg_ctl", "-D", self.data, "-w", "-s", "-l", os.path.join(self.folder, "log"), "start")
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def call(self, tool, *arguments):
        done = subprocess.run([os.path.join(folder(), tool), *arguments], env=self.environment, cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                              **self.owner)
        if done.returncode:
            raise RuntimeError(f"{tool}: {done.stdout.decode(errors='replace')}")

    def stop(self):
        try:
            self.call("pg_ctl", "-D", self.data, "-m", "immediate", "-s", "stop")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, database, *arguments):
        """A psql that reads from its standard input, not waited for; Debian's in /usr/bin is Perl before it is psql."""
        return subprocess.Popen([os.path.join(folder(), "psql"), "-X", "-q", "-d", database, *arguments], env=self.environment, cwd=self.folder,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def load(self, database, script, *arguments):
        process = self.psql(database, *arguments)
        out, _ = process.communicate(script, timeout=120)
        return process.returncode, out.decode(errors="replace")

    def run(self, database, sql):
        status, out = self.load(database, sql.encode(), "-A", "-t", "-v", "ON_ERROR_STOP=1")
        if status:
            raise RuntimeError(out)
        return out

    def make(self, *databases):
        for name in databases:
            self.run("postgres", f"CREATE DATABASE {name}")

    def rows(self, database, *queries):
        out = self.run(database, ";\n".join(f"SELECT row_to_json(answer) FROM ({query}) AS answer" for query in queries))
        return [json.loads(line) for line in out.split("\n") if line]
