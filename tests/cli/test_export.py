"""tpq export: what is selected as files for other programs."""

import gzip
import json
import os
import signal
import subprocess

from support import Case, TPQ, main, slice_event, trace_of


def small():
    """An op that launches a kernel, inside of a step."""
    return trace_of(
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "py"}},
        slice_event("ProfilerStep#3", 0, 100, "user_annotation"),
        slice_event("aten::mm", 10, 50, args={"Input Dims": [[4, 8], [8, 2]],
                                              "Input type": ["float", "float"]}),
        slice_event("cudaLaunchKernel", 20, 5, "cuda_runtime", args={"correlation": 9}),
        slice_event("gemm", 60, 30, "kernel", thread=7, process=0,
                    args={"correlation": 9, "device": 0, "stream": 7}),
        slice_event("aten::add", 200, 5),
        deviceProperties=[{"id": 0, "name": "GPU"}])


class Export(Case):
    def export(self, name, *options, **more):
        """The content of a file that an export made."""
        self.tpq("export", *options, "-o", name, **more)
        return self.content(name)

    def content(self, name):
        opened = gzip.open if name.endswith(".gz") else open
        with opened(self.path(name), "rb") as file:
            return file.read()

    def small(self):
        return self.write("small.json", small())


class Calls(Export):
    def test_name_says_the_form(self):
        plain = self.export("out.json", self.small())
        self.assertEqual(self.export("out.json.gz", "small.json"), plain)
        out = self.tpq("export", "small.json", "--format", "chrome").out
        self.assertEqual(out, plain.decode())
        self.assertEqual(self.export("noname", "small.json", "--format", "chrome"), plain)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["noname", "out.json", "out.json.gz", "small.json"])

    def test_wrong_calls(self):
        path = self.small()
        for words, sentence in (
                (("-o", "x.odd"), "x.odd: its name does not say which form is meant"),
                ((), "--format says which form is meant"),
                (("--format", "odd"), "--format cannot be 'odd'"),
                (("-o", path), "is an input and is not written over"),
                (("--step", "8", "-o", "x.json"), "there is no step 8")):
            result = self.tpq("export", path, *words, status=2)
            self.assertIn(sentence, result.err)
        self.assertIn("x.json", self.tpq("export", path, "-o", "none/x.json", status=4).err)
        self.tpq("export", "none.json", "-o", "x.json", status=3)
        self.tpq("export", "-o", "x.json", status=2)
        self.assertEqual(os.listdir(self.folder), ["small.json"])

    def test_from_the_warehouse(self):
        self.tpq("ingest", "--db", self.db, "--run", "a", self.small())
        chosen = json.loads(self.export("step.json", "--db", self.db, "--step", "3"))
        names = [event["name"] for event in chosen["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(names, ["aten::mm", "cudaLaunchKernel", "gemm", "ProfilerStep#3"])
        self.tpq("export", "--db", self.db, "-o", self.db, "--format", "chrome", status=2)

    def test_nothing_selected(self):
        result = self.tpq("export", self.small(), "--where", "name = 'none'", "-o", "x.json")
        self.assertIn("no event fulfils the condition", result.err)
        self.assertEqual(json.loads(self.content("x.json"))["traceEvents"], [])

    def test_full_disk_and_closed_pipe(self):
        path = self.write("many.json", trace_of(
            *(slice_event("aten::add", 10 * i, 5) for i in range(5000))))
        with open("/dev/full", "wb") as full:
            call = subprocess.run([TPQ, "export", path, "--format", "chrome"], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(call.returncode, 4)
        self.assertIn(b"standard output: cannot be written", call.stderr)
        for restores, status in ((True, -signal.SIGPIPE), (False, 4)):
            with subprocess.Popen([TPQ, "export", path, "--format", "chrome"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  restore_signals=restores) as call:
                call.stdout.close()
                self.assertEqual(b"cannot be written" in call.stderr.read(), not restores)
                self.assertEqual(call.wait(), status)


if __name__ == "__main__":
    main()
