"""Names that are long, and made to be hard for patterns: no text of a trace ends an output."""

from support import Case, main, slice_event, trace_of

LENGTH = 100_000
NAMES = [
    "a" * 1_000_000,
    "void at::native::" + "vec<" * (LENGTH // 8) + "int" + ">" * (LENGTH // 8) + "(float*)",
    "k" + " " * LENGTH,
    "(" * LENGTH,
    "k<" + "int, " * (LENGTH // 5) + ">()",
    "Cijk_" + "MT64x64x" * (LENGTH // 8),
    "ncclDevKernel_" + "AllReduce_" * (LENGTH // 10),
    "1" * LENGTH,
]


class LongNames(Case):
    def prepare(self):
        events = []
        for i, name in enumerate(NAMES, 1):
            at = 100 * i
            events += [
                slice_event("aten::mm", at, 50, args={"Input Dims": [[4, 8], [8, 2]],
                                                      "Input type": ["float", "float"]}),
                slice_event("cudaLaunchKernel", at + 1, 2, "cuda_runtime", args={"correlation": i}),
                slice_event(name, at + 20, 10, "kernel", 7, 0,
                            args={"device": 0, "stream": 7, "correlation": i}),
                slice_event(name, at + 55, 20),
                slice_event(name, at + 80, 10, "user_annotation")]
        self.write("t.json", trace_of(*events))
        self.tpq("ingest", "-q", "t.json")

    def test_every_form(self):
        for form in (["--html", "x.html", "--xlsx=x.xlsx", "--json=x.json", "--markdown=x.md", "--csv", "x"], [], ["--into-tables"]):
            with self.subTest(form=form):
                self.tpq("report", "--db", self.db, *form)

    def test_every_report(self):
        names = [name for name, in self.rows("SELECT DISTINCT name FROM report WHERE set_name IN "
                                             "('pytorch', 'inference', 'nsys')")]
        self.assertGreater(len(names), 90)
        self.tpq("report", "--db", self.db, *names, "--jsonl=x.jsonl")
        with open(self.path("x.jsonl"), encoding="utf-8") as file:
            self.assertIn(NAMES[0], file.read())


if __name__ == "__main__":
    main()
