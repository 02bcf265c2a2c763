"""The same bytes, whatever surrounds the program: language, time zone, umask, and for the extension
the language that its host speaks, in which 0.5 may be written 0,5 and the capital of i not be I."""
import os
import shutil
import stat
import subprocess
import tempfile

import support

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
TRACE = os.path.join(FIXTURES, "train", "rank_0.json.gz")
INPUTS = {"a": TRACE, "b": os.path.join(FIXTURES, "jax", "small.xplane.pb"),
          "c": os.path.join(FIXTURES, "tt", "ops_perf_results.csv")}
LANGUAGES = {"tr_TR.UTF-8": "tr_TR"}  # numbers as in German, 1.234,5, and another upper case of i

CALLS = (
    ("report", "-q", TRACE, "--csv", "out", "--html", "out/a.html"),
    ("report", "-q", TRACE, "gpu_timeline", "ops_summary", "--compat"),
    ("report", "-q", INPUTS["b"], "--markdown=out/a.md"),
    ("report", "-q", INPUTS["c"], "--csv", "out/a.csv"),
    ("export", TRACE, "--format", "chrome", "-o", "out/a.json"),
    ("export", TRACE, "-o", "out/a.pftrace"),
    ("traces", "--db", "w.db", "--json"),
)

# Every report of the extension in a host of this language, as one text a row.
HOST = """
import locale, sqlite3, sys
extension, db, language = sys.argv[1:]
if language != "C":
    locale.setlocale(locale.LC_ALL, language)
    assert "%s" % locale.localeconv()["decimal_point"] == ",", "no comma"
db = sqlite3.connect(db)
db.enable_load_extension(True)
db.load_extension(extension)
db.execute("SELECT tpq_set('gap_min_us', '0.9'), tpq_set('kernel_wait_us', '5.7')").fetchall()
for name, in db.execute("SELECT name FROM report ORDER BY name").fetchall():
    print(name)
    for row in db.execute(f'SELECT * FROM "{name}"'):
        print(repr(row))
"""


class Surroundings(support.Case):

    def prepare(self):
        for run, path in INPUTS.items():
            self.tpq("ingest", "-q", "--db", "w.db", "--run", run, path)

    @classmethod
    def setUpClass(cls):
        """Makes those languages that can be made here."""
        cls.languages = tempfile.mkdtemp(prefix="tpq-languages-")
        cls.addClassCleanup(shutil.rmtree, cls.languages)
        can = shutil.which("localedef")
        for name, source in LANGUAGES.items():
            if can and os.path.exists(f"/usr/share/i18n/locales/{source}"):
                subprocess.run([can, "-i", source, "-f", "UTF-8", f"{cls.languages}/{name}"],
                               check=False, capture_output=True)
        cls.spoken = [{"LC_ALL": name, "LOCPATH": cls.languages}
                      for name in sorted(os.listdir(cls.languages))]

    def outputs(self, env, umask=0o022):
        """What all calls write, and the modes of their files."""
        said, modes = [], set()
        for words in CALLS:
            shutil.rmtree(self.path("out"), ignore_errors=True)
            os.makedirs(self.path("out"))
            done = self.tpq(*words, env=env, preexec_fn=lambda: os.umask(umask))
            said.append(done.out)
            for name in sorted(os.listdir(self.path("out"))):
                with open(self.path("out", name), "rb") as file:
                    said.append((name, file.read()))
                modes.add(stat.S_IMODE(os.stat(self.path("out", name)).st_mode))
        return said, modes

    def test_program(self):
        same, _ = self.outputs({})
        cases = [({"TZ": "Asia/Kathmandu"}, 0o022), ({"TZ": "America/St_Johns"}, 0o077)]
        cases += [(env, 0o022) for env in self.spoken]
        for env, umask in cases:
            with self.subTest(env):
                said, modes = self.outputs(env, umask)
                self.assertEqual(said, same)
                self.assertEqual(modes, {0o666 & ~umask})

    @support.plain("hosts are not made with sanitizers")
    def test_extension(self):
        if not self.spoken:
            self.skipTest("no language can be made here (Debian: locales)")

        def rows(language, env):
            done = subprocess.run(["/usr/bin/python3", "-c", HOST, support.EXTENSION,
                                   self.path("w.db"), language], capture_output=True, text=True,
                                  timeout=support.PATIENCE, env=self.environment(env))
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.splitlines()
        same = rows("C", {"LC_ALL": "C.UTF-8"})
        for env in self.spoken:
            with self.subTest(env["LC_ALL"]):
                others = [(here, there) for here, there in zip(rows(env["LC_ALL"], env), same)
                          if here != there]
                self.assertEqual(others[:3], [])


if __name__ == "__main__":
    support.main()
