"""Node replay: what is written, programs on PATH that are slow, fail or print odd things, what comes
back, and the script by itself."""

import csv
import json
import os
import stat
import subprocess

from support import Case, headed_sheets_in, main, slice_event, trace_of

# Rows of the products by their time: the last one begins above 99 %.
PRODUCTS = [(64, 700), (32, 250), (16, 45), (8, 5)]


def kernel_of(number, name, start, duration):
    return [slice_event("hipLaunchKernel", start + 1, 2, "cuda_runtime", args={"correlation": number}),
            slice_event(name, start + 5, duration, "kernel", thread=7, process=0,
                        args={"External id": number, "correlation": number, "stream": 7})]


def products():
    for number, (size, duration) in enumerate(PRODUCTS, 1):
        start = number * 10000
        yield slice_event("aten::mm", start, 20, args={
            "External id": number, "Input Dims": [[size, 128], [128, 256]],
            "Input type": ["float", "float"], "Input Strides": [[128, 1], [256, 1]],
            "Concrete Inputs": ["", ""]})
        yield from kernel_of(number, f"Cijk_Ailk_Bljk_{size}", start, duration)


def convolution(number=90):
    start = number * 10000
    yield slice_event("aten::convolution", start, 20, args={
        "External id": number,
        "Input Dims": [[1, 2, 8, 8], [4, 2, 3, 3], [], [], [], [], [], [], []],
        "Input type": ["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar",
                       "ScalarList", "Scalar"],
        "Input Strides": [[128, 64, 8, 1], [18, 9, 3, 1], [], [], [], [], [], [], []],
        "Concrete Inputs": ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"]})
    yield from kernel_of(number, "igemm_fwd", start, 100)


HIPBLASLT = """\
#!/bin/sh
echo "starting"
echo "[0]:transA,transB,m,us,hipblaslt-GB/s"
echo "    N,N,$5,12.5,3"
"""
MIOPEN = """\
#!/bin/sh
echo "stats: name, n, timeMs"
echo "stats: fwd, 1, 0.25"
"""


class Tools(Case):
    def prepare(self):
        self.write("b/rank_0.json", trace_of(*products(), *convolution()))
        os.mkdir(self.path("bin"))

    def tool(self, name, script):
        path = self.write(f"bin/{name}", script)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def report(self, *arguments, **more):
        """The two sheets; only the tools of the test are there."""
        more.setdefault("env", {"PATH": self.path("bin")})
        result = self.tpq("report", "-b", "b", "-r", "ranks_node_replay", *arguments, "--json", **more)
        self.err = result.err
        return headed_sheets_in(result.out) if result.status == 0 else None

    def file(self, name):
        with open(self.path("r", name)) as file:
            return file.read()


class Replay(Tools):
    def test_what_is_written(self):
        sheets = self.report("--replay-dir", "r", "--replay-mode", "generate")
        self.assertNotIn("PATH", self.err)
        self.assertEqual(sorted(os.listdir(self.path("r"))), [
            "conv.sh", "event_replay_ir.json", "gemm.sh", "hipblaslt-bench-0.log",
            "hipblaslt-bench-1.log", "hipblaslt-bench-2.log", "miopen-driver-0.log", "replay.py",
            "replay_manifest.json", "run.sh"])
        lines = self.file("gemm.sh").splitlines()
        self.assertEqual(lines[:2], ["#!/bin/sh", "# 0: aten::mm"])
        self.assertEqual(lines[2] + "\n", self.file("hipblaslt-bench-0.log"))
        self.assertIn("hipblaslt-bench --api_method c -m 256 -n 64 -k 128 ", lines[2])
        self.assertEqual(self.file("miopen-driver-0.log"),
                         "MIOpenDriver conv -n 1 -c 2 -H 8 -W 8 -k 4 -y 3 -x 3 -p 0 -q 0 -u 1 -v 1 "
                         "-l 1 -j 1 -m conv -g 1 -F 1 -t 1 -V 0 -i 100\n")
        self.assertEqual([row["gemm no."] for row in sheets["gemm_node_replay"]], [0, 1, 2])
        for row in [*sheets["gemm_node_replay"], *sheets["conv_node_replay"]]:
            self.assertIsNone(row["Avg. replay time (us)"])
            self.assertEqual(row["replay_status"], "not run")
        self.assertEqual(sheets["gemm_node_replay"][0]["bench_command"], lines[2])

    def test_the_manifest(self):
        self.report("--replay-dir", "r", "--replay-mode", "generate")
        rows = json.loads(self.file("replay_manifest.json"))
        self.assertEqual([(row["group"], row["row"], row["op"], row["count"]) for row in rows],
                         [("gemm", 0, "aten::mm", 1), ("gemm", 1, "aten::mm", 1),
                          ("gemm", 2, "aten::mm", 1), ("conv", 0, "aten::convolution", 1)])
        self.assertEqual(rows[0]["Input Dims"], [[64, 128], [128, 256]])
        self.assertEqual(rows[0]["expected kernels"][0]["name"], "Cijk_Ailk_Bljk_64")
        self.assertEqual(rows[0]["profile_us_mean"], 700)
        self.assertFalse(rows[0]["layout_disagrees"])

    def test_the_data(self):
        self.report("--replay-dir", "r", "--replay-mode", "generate")
        elements = json.loads(self.file("event_replay_ir.json"))
        self.assertEqual(len(elements), 4)
        self.assertEqual(elements[0]["replay_ir"]["list_pos_args"][1], {
            "arg_name": "mat2", "arg_type": "Tensor",
            "value": {"shape": [128, 256], "dtype": "float", "strides": [256, 1],
                      "init": "normal"}})
        self.assertEqual([argument["value"] for argument in
                          elements[3]["replay_ir"]["list_pos_args"][2:]],
                         [None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1])

    def test_which_rows(self):
        def rows(*options):
            sheet = self.report("--replay-dir", "r", "--replay-mode", "generate", *options)
            return [row["gemm no."] for row in sheet["gemm_node_replay"]]
        self.assertEqual(rows(), [0, 1, 2])
        self.assertEqual(rows("--replay-cover", "below"), [0, 1])
        self.assertEqual(rows("--compat"), [0, 1])
        self.assertEqual(rows("--compat", "--replay-cover", "reach"), [0, 1, 2])

    def test_platforms(self):
        for platform, there in (("amd", {"gemm.sh", "conv.sh"}),
                                ("nvidia", set()), ("both", {"gemm.sh", "conv.sh"})):
            name = f"r-{platform}"
            self.report("--replay-dir", name, "--replay-mode", "generate", "--replay-platform",
                        platform)
            scripts = {name for name in os.listdir(self.path(name)) if name.endswith(".sh")}
            self.assertEqual(scripts, there | {"run.sh"})

    def test_without_tools(self):
        sheets = self.report("--replay-dir", "r")
        self.assertIn("tpq: hipblaslt-bench is not on PATH: its commands are written, not run\n",
                      self.err)
        self.assertIn("tpq: MIOpenDriver is not on PATH", self.err)
        self.assertEqual(self.err.count("not on PATH"), 2)
        self.assertIn("not on PATH", sheets["gemm_node_replay"][0]["replay_status"])

    def test_tools_that_work(self):
        self.tool("hipblaslt-bench", HIPBLASLT)
        self.tool("MIOpenDriver", MIOPEN)
        sheets = self.report("--replay-dir", "r")
        first = sheets["gemm_node_replay"][0]
        self.assertEqual(list(first), [
            "gemm no.", "Avg. gemm-bench time (us)", "Avg. replay time (us)",
            "Avg. profile time (us)", "Diff profile vs. replay (us)",
            "Diff profile vs. gemm-bench (us)", "Diff profile vs. replay (pct)",
            "Diff profile vs. gemm-bench (pct)", "name", "bench_tool", "bench_command",
            "replay_status"])
        self.assertEqual(first["Avg. gemm-bench time (us)"], 12.5)
        self.assertEqual(first["Diff profile vs. gemm-bench (us)"], 12.5 - 700)
        self.assertAlmostEqual(first["Diff profile vs. gemm-bench (pct)"], -687.5 / 7)
        self.assertEqual(first["bench_tool"], "hipblaslt-bench")
        row, = sheets["conv_node_replay"]
        self.assertEqual(row["Avg. conv-bench time (us)"], 250)
        self.assertIn("[0]:transA", self.file("hipblaslt-bench-2.out"))

    def test_words_reach_a_tool_as_they_are(self):
        self.tool("hipblaslt-bench", '#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n')
        self.report("--replay-dir", "r")
        self.assertEqual(self.file("hipblaslt-bench-0.out").splitlines(),
                         self.file("hipblaslt-bench-0.log").split()[1:])

    def test_tools_that_do_not(self):
        left = self.path("left")
        for script, why in (
                ("#!/bin/sh\nexit 7\n", "ended with status 7"),
                ("#!/bin/sh\nkill -9 $$\n", "was ended by signal 9"),
                ("#!/bin/sh\necho a,us\necho b,soon\n", "its output has no time"),
                ("#!/bin/sh\n", "its output has no time"),
                (f"#!/bin/sh\n(/bin/sleep 2; echo > {left}) &\n/bin/sleep 60\n",
                 "took longer than 1 s"),
                ("#!/no/such/shell\n", "cannot be started: No such file or directory")):
            with self.subTest(why=why):
                self.tool("hipblaslt-bench", script)
                sheets = self.report("--replay-dir", "r", "--replay-timeout", "1")
                row = sheets["gemm_node_replay"][0]
                self.assertIsNone(row["Avg. gemm-bench time (us)"])
                self.assertIn(why, row["replay_status"])
                self.assertIn(f"tpq: hipblaslt-bench for row 0 of gemm: {why}\n", self.err)
        self.assertFalse(os.path.exists(left))

    def test_relative_places_of_path_are_passed_over(self):
        self.tool("hipblaslt-bench", HIPBLASLT)
        self.report("--replay-dir", "r", env={"PATH": "bin::."})
        self.assertIn("hipblaslt-bench is not on PATH", self.err)

    def test_names_of_ops_do_nothing_in_a_script(self):
        self.write("b/rank_0.json", trace_of(*products()))
        self.tpq("ingest", "-q", "b/rank_0.json", "--run", "b")
        self.report("--replay-dir", "r", "--replay-mode", "generate")
        for line in self.file("gemm.sh").splitlines():
            self.assertRegex(line, r"^(#.*|hipblaslt-bench [-\w. ]+)$")

    def test_a_player_that_is_there(self):
        self.tool("python3", "#!/bin/sh\n[ \"$1 $2 $3 $4\" = '-I replay.py "
                             "event_replay_ir.json --require-device' ] || exit 9\n"
                             "printf 'group,row,source,time_us,error\\r\\ngemm,0,replay,710,\\r\\n"
                             "gemm,1,replay,,\"RuntimeError: a, b\"\\r\\n' > replay.csv\nexit 1\n")
        rows = self.report("--replay-dir", "r")["gemm_node_replay"]
        self.assertEqual(rows[0]["Avg. replay time (us)"], 710)
        self.assertEqual(rows[0]["Diff profile vs. replay (us)"], 10)
        self.assertIsNone(rows[1]["Avg. replay time (us)"])
        self.assertIn("RuntimeError: a, b", rows[1]["replay_status"])
        self.tool("python3", "#!/bin/sh\nexit 3\n")
        rows = self.report("--replay-dir", "r")["gemm_node_replay"]
        self.assertIn("python3 has no PyTorch", rows[0]["replay_status"])

    def test_a_player_that_breaks_off(self):
        self.tool("python3", "#!/bin/sh\nprintf 'group,row,source,time_us,error\\r\\n"
                             "gemm,0,replay,710,\\r\\n' > replay.csv\nkill -4 $$\n")
        rows = self.report("--replay-dir", "r")["gemm_node_replay"]
        self.assertEqual(rows[0]["Avg. replay time (us)"], 710)
        self.assertIn("was ended by signal 4", rows[1]["replay_status"])

    def test_alone(self):
        self.tool("hipblaslt-bench", HIPBLASLT)
        out = self.tpq("replay", "-b", "b", env={"PATH": self.path("bin")}).out
        self.assertRegex(out, r"gemm_node_replay(\n|: )")
        self.assertRegex(out, r"conv_node_replay(\n|: )")
        self.assertIn(" 12.50 ", out)
        self.assertEqual(sorted(name for name in os.listdir(self.path("b"))),
                         ["b_rank_0_node_replay_report.xlsx", "b_rank_0_node_replay_report_replay",
                          "rank_0.json"])
        self.tpq("replay", "-b", "b", status=4)

    def test_nothing_to_make_again(self):
        self.write("b/rank_0.json", trace_of(slice_event("x", 0, 1)))
        self.assertEqual(self.report("--replay-dir", "r"), {"ranks_node_replay": []})
        self.assertIn("no matrix product and no convolution", self.err)
        self.assertFalse(os.path.exists(self.path("r")))

    def test_a_place_that_cannot_be(self):
        self.write("file", "")
        self.report("--replay-dir", "file", status=4)
        self.report("--replay-dir", "no/such", status=4)


class Planted(Tools):
    """What somebody else left where a replay is written: it is neither run nor written through."""

    PLACE = "b/b_rank_0_node_replay_report_replay"
    MARK = "import os\nopen(os.environ['MARK'], 'a').write(__name__ + '\\n')\n"

    def setUp(self):
        super().setUp()
        self.victim = self.write("victim", "precious\n")
        self.mark = self.path("mark")

    def link(self, name, to=None):
        place = self.path(name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(to or self.victim, place)

    def plant_code(self, place):
        for name in ("argparse", "json", "torch", "sitecustomize", "usercustomize", "site"):
            self.write(f"{place}/{name}.py", self.MARK)
        self.write(f"{place}/torch/__init__.py", self.MARK)

    def replay(self, *arguments, status=0, **variables):
        return self.tpq("replay", "-b", "b", *arguments, status=status,
                        env={"PATH": self.path("bin"), "MARK": self.mark, **variables})

    def assert_unharmed(self):
        with open(self.victim) as file:
            self.assertEqual(file.read(), "precious\n")
        self.assertFalse(os.path.exists(self.mark))

    def test_code_is_not_run(self):
        os.symlink(os.path.realpath("/usr/bin/python3"), self.path("bin/python3"))
        self.plant_code(self.PLACE)
        self.plant_code("b")
        for place in (":", ".", self.path(self.PLACE)):
            self.replay("--force", PYTHONPATH=place)
            with open(self.path(self.PLACE, "replay.err")) as file:
                self.assertRegex(file.read(), "^replay.py: ")
            self.assert_unharmed()

    def test_code_is_not_run_by_hand(self):
        self.replay("--replay-mode", "generate")
        self.plant_code(self.PLACE)
        for call in (["python3", "replay.py"], ["sh", "run.sh"]):
            done = subprocess.run(call, cwd=self.path(self.PLACE), check=False, capture_output=True,
                                  env={"PATH": "/usr/bin:/bin", "MARK": self.mark,
                                       "PYTHONDONTWRITEBYTECODE": "1"})
            self.assertNotIn(b"Traceback", done.stderr)
            self.assertIn(b"replay.py: ", done.stderr)
            self.assert_unharmed()

    def test_modules_of_the_user_are_found(self):
        os.symlink(os.path.realpath("/usr/bin/python3"), self.path("bin/python3"))
        ask = "import site; print(site.getusersitepackages())"
        place = subprocess.run(["/usr/bin/python3", "-c", ask], env={"HOME": self.folder},
                               capture_output=True, text=True, check=True).stdout.strip()
        self.write(f"{place}/torch.py", "import sys\nsys.exit('the torch of the user')\n")
        self.replay()
        with open(self.path(self.PLACE, "replay.err")) as file:
            self.assertEqual(file.read(), "the torch of the user\n")

    def test_programs_run_where_nothing_is(self):
        self.tool("hipblaslt-bench", "#!/bin/sh\npwd; echo *; umask\n")
        self.write(f"{self.PLACE}/planted", "")
        self.replay(TMPDIR=self.folder)
        with open(self.path(self.PLACE, "hipblaslt-bench-0.out")) as file:
            place, names, _ = file.read().splitlines()
        self.assertNotIn(self.path("b"), place)
        self.assertEqual(os.path.dirname(place), self.folder)
        self.assertNotIn("planted", names)
        self.assertFalse(os.path.exists(place))

    def test_links_are_not_written_through(self):
        self.tool("hipblaslt-bench", HIPBLASLT)
        self.tool("MIOpenDriver", MIOPEN)
        self.tool("python3", "#!/bin/sh\necho group,row,source,time_us > replay.csv\n")
        names = ["conv.sh", "event_replay_ir.json", "gemm.sh", "hipblaslt-bench-0.log",
                 "hipblaslt-bench-0.out", "hipblaslt-bench-0.err", "miopen-driver-0.out",
                 "replay.csv", "replay.out", "replay.err", "replay.py", "replay_manifest.json",
                 "run.sh"]
        for name in names[1:]:
            self.link(f"{self.PLACE}/{name}")
        os.link(self.victim, self.path(self.PLACE, names[0]))
        self.replay()
        for name in names:
            self.assertFalse(os.path.islink(self.path(self.PLACE, name)), name)
        self.assert_unharmed()

    def test_links_are_not_written_through_by_the_script(self):
        self.replay("--replay-mode", "generate")
        self.tool("hipblaslt-bench", HIPBLASLT)
        self.tool("python3", "#!/bin/sh\n: > replay.csv\n")
        for name in ("hipblaslt-bench-0.out", "hipblaslt-bench-0.err", "miopen-driver-0.err",
                     "replay.csv"):
            self.link(f"{self.PLACE}/{name}")
        subprocess.run(["sh", self.path(self.PLACE, "run.sh")], check=False,
                       stderr=subprocess.DEVNULL,
                       env={"PATH": self.path("bin") + ":/usr/bin:/bin"})
        self.assert_unharmed()
        with open(self.path(self.PLACE, "hipblaslt-bench-0.out")) as file:
            self.assertIn("starting", file.read())

    def test_the_script_finds_its_folder(self):
        self.tool("hipblaslt-bench", HIPBLASLT)
        for name in ("-r", "r $(touch mark)", "r 'x\n\n"):
            self.tpq("replay", "-b", "b", f"--replay-dir={name}", "--replay-mode", "generate",
                     "--force", env={"PATH": self.path("bin")})
            os.makedirs(self.path("other", name))
            subprocess.run(["sh", "--", f"{name}/run.sh"], check=False, cwd=self.folder,
                           stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           env={"PATH": self.path("bin") + ":/usr/bin:/bin",
                                "CDPATH": self.path("other")})
            self.assertIn("hipblaslt-bench-0.out", os.listdir(self.path(name)))
        self.assert_unharmed()

    def test_a_linked_folder(self):
        os.mkdir(self.path("elsewhere"))
        self.link(self.PLACE, self.path("elsewhere"))
        self.assertIn("is a link, and is not written through\n", self.replay(status=4).err)
        self.link("r", self.path("elsewhere"))
        self.assertIn("r: cannot be made a folder: it is a link",
                      self.replay("--force", "--replay-dir", "r", status=4).err)
        self.link("event_12_replay", self.path("elsewhere"))
        self.tpq("ingest", "-q", "b/rank_0.json", "--run", "b")
        self.one_line(self.tpq("replay", "event", "--uid", "12", status=4), "is a link")
        self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def test_a_linked_workbook(self):
        self.link("b/b_rank_0_node_replay_report.xlsx")
        self.replay(status=4)
        self.replay("--force")
        self.assert_unharmed()


class Import(Tools):
    def prepare(self):
        super().prepare()
        self.report("--replay-dir", "r", "--replay-mode", "generate", "--db", "w.db")

    def sheets(self):
        return headed_sheets_in(self.tpq("report", "--run", "b", "--set", "multirank", "-r",
                                  "ranks_node_replay", "--json").out)

    def take(self, *arguments, **more):
        return self.tpq("replay", "import", *arguments, **more)

    def test_a_directory(self):
        self.write("r/hipblaslt-bench-1.out", "[0]:m,us\n1,9.5\n")
        self.write("r/miopen-driver-0.out",
                   "GPU Kernel Time Forward Conv. Elapsed: 0.125 ms (average)\n")
        self.write("r/replay.csv", "group,row,source,time_us\ngemm,0,replay,702\n")
        self.assertEqual(self.take("r").out, "3 times of run b\n")
        sheets = self.sheets()
        self.assertEqual([row["Avg. gemm-bench time (us)"] for row in sheets["gemm_node_replay"]],
                         [None, 9.5, None])
        self.assertEqual(sheets["gemm_node_replay"][0]["Avg. replay time (us)"], 702)
        self.assertEqual(sheets["conv_node_replay"][0]["Avg. conv-bench time (us)"], 125)

    def test_times_stay_when_commands_are_written_again(self):
        self.write("t.csv", "row,group,time_us,source\n0,gemm,5.5,bench\n")
        self.assertEqual(self.take("t.csv", "--run", "b").out, "1 time of run b\n")
        rows = self.report("--replay-dir", "r", "--replay-mode", "generate", "--db", "w.db")
        self.assertEqual(rows["gemm_node_replay"][0]["Avg. gemm-bench time (us)"], 5.5)
        self.check()

    def test_the_script_of_all(self):
        self.tool("hipblaslt-bench", HIPBLASLT)
        self.tool("MIOpenDriver", MIOPEN)
        self.tool("python3", "#!/bin/sh\nexit 3\n")
        subprocess.run(["/bin/sh", self.path("r/run.sh")], check=False, stderr=subprocess.DEVNULL,
                       env={"PATH": self.path("bin") + ":/usr/bin:/bin"})
        self.assertEqual(self.take("r").out, "4 times of run b\n")

    def test_bad_files(self):
        for content, why in (
                ("group,row,source\n", "has not the columns group, row, source and time_us"),
                ("", "has not the columns"),
                ("group,row,source,time_us\ngemm,x,bench,1\n", "line 2: the row is no number"),
                ("group,row,source,time_us\n\ngemm,77,bench,1\n", "line 3: the run has no such row"),
                ("group,row,source,time_us\ngemm,0,bench,1\ngemm,0,guess,1\n",
                 "line 3: the source is neither"),
                ("group,row,source,time_us\ngemm,0,bench,-1\n", "line 2: the time is no positive"),
                ("group,row,source,time_us\ngemm,0,bench,nan\n", "line 2: the time is no positive")):
            with self.subTest(why=why):
                results = "SELECT * FROM replay_result"
                before = self.rows(results)
                self.write("t.csv", content)
                self.one_line(self.take("t.csv", status=3), why)
                self.assertEqual(self.rows(results), before)
        self.one_line(self.take("no.csv", status=3), "no.csv: No such file")
        self.one_line(self.take("r", "--run", "no", status=2), "there is no run 'no'")
        self.one_line(self.take(status=2), "name one file or directory")
        self.one_line(self.tpq("replay", "imports", status=2), "neither import nor event")
        self.one_line(self.tpq("replay", status=2), "an operand is missing")

    def test_taking_a_run_out(self):
        self.write("t.csv", "row,group,time_us,source\n0,gemm,5.5,bench\n")
        self.take("t.csv")
        self.tpq("rm", "b")
        self.assertEqual(self.value("SELECT count(*) FROM replay_result"), 0)
        self.check()

    def test_one_event(self):
        out = self.tpq("replay", "event", "--uid", "12")
        self.assertEqual(sorted(os.listdir(self.path("event_12_replay"))),
                         ["README.txt", "event_replay_ir.json", "replay.py"])
        with open(self.path("event_12_replay/event_replay_ir.json")) as file:
            element, = json.load(file)
        self.assertEqual((element["op_name"], element["uid"]), ("aten::convolution", 12))
        self.assertNotIn("unresolved", element)
        self.one_line(out, "wrote event_12_replay/$")
        self.one_line(self.tpq("replay", "event", "--uid", "999", status=2), "no event with the UID")
        self.one_line(self.tpq("replay", "event", "--uid", "2", status=2), "no op with recorded")
        self.one_line(self.tpq("replay", "event", status=2), "name one event by --uid")


class Player(Case):
    """replay.py with PyTorch, where Debian's is installed."""

    ELEMENTS = [
        {"op_name": "aten::mm", "count": 3, "group": "gemm", "row": 4, "replay_ir": {
            "list_pos_args": [
                {"arg_name": "self", "arg_type": "Tensor", "value": {
                    "shape": [4, 8], "dtype": "float", "strides": [8, 1], "init": "normal"}},
                {"arg_name": "mat2", "arg_type": "Tensor", "value": {
                    "shape": [8, 2], "dtype": "float", "strides": [1, 8], "init": "normal"}}],
            "list_kwargs": []}},
        {"op_name": "aten::no_such_op", "replay_ir": {"list_pos_args": [], "list_kwargs": []}},
        {"op_name": "aten::add", "unresolved": True, "raw": {
            "Input Dims": [[3], [], []], "Input type": ["long", "Scalar", "Scalar"],
            "Input Strides": [[1], [], []], "Concrete Inputs": ["", "2", "1"]}},
    ]

    def setUp(self):
        super().setUp()
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../query/replay/replay.py")
        with open(source) as file:
            self.write("replay.py", file.read())
        self.write("event_replay_ir.json", self.ELEMENTS)

    def play(self, *arguments):
        return subprocess.run(["/usr/bin/python3", "-B", "replay.py", *arguments], cwd=self.folder,
                              capture_output=True, text=True, check=False)

    def test_without_pytorch(self):
        done = subprocess.run(["/usr/bin/python3", "-B", "-S", "-I", "replay.py"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (3, "replay.py: PyTorch is not installed\n"))

    def test_wrong_calls(self):
        self.assertEqual(self.play("--device", "abacus").returncode, 2)
        self.assertNotEqual(self.play("--iters", "0").returncode, 0)

    def need_pytorch(self):
        if self.play("--device", "cpu", "--op-limit", "0").returncode == 3:
            self.skipTest("PyTorch is not installed")

    def test_on_the_cpu(self):
        self.need_pytorch()
        done = self.play("--device", "cpu", "--warmup", "1", "--iters", "2", "--csv", "out.csv")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("[1/3] Replaying: aten::mm\n", done.stdout)
        self.assertIn("Average time taken: ", done.stdout)
        self.assertIn("Count in workload: 3\n", done.stdout)
        self.assertIn("total 3, attempted 3, successful 2, failed 1\n", done.stdout)
        with open(self.path("out.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["group"], row["row"], row["source"]) for row in rows],
                         [("gemm", "4", "replay"), ("", "1", "replay"), ("", "2", "replay")])
        self.assertGreater(float(rows[0]["time_us"]), 0)
        self.assertEqual(rows[1]["time_us"], "")
        self.assertGreater(float(rows[2]["time_us"]), 0)

    def test_some_of_them(self):
        self.need_pytorch()
        done = self.play("--device", "cpu", "--op-filter", "mm", "--iters", "1", "--warmup", "0")
        self.assertIn("total 1, attempted 1, successful 1, failed 0", done.stdout)
        self.assertEqual(done.returncode, 0)
        done = self.play("--device", "cpu", "--op-limit", "1", "--iters", "1", "--warmup", "0")
        self.assertIn("total 1, attempted 1", done.stdout)
        done = self.play("--device", "cpu", "--op-filter", "o", "--stop-on-error")
        self.assertIn("total 1, attempted 1, successful 0, failed 1", done.stdout)


if __name__ == "__main__":
    main()
