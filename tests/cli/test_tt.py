"""Op tables of tt-metal: `tpq report` chooses their set, and its options."""
import csv
import io
import os
import unittest

from support import Case

HEAD = ("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,HOST START TS,"
        "DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,"
        "INPUT_0_DATATYPE,INPUT_0_MEMORY,INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,INPUT_1_DATATYPE,"
        "INPUT_1_MEMORY,OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X,OUTPUT_0_DATATYPE,"
        "OUTPUT_0_MEMORY\n")
MATMUL = ("MatmulDeviceOperation,tt_dnn_device,{call},{device},{{'program_config': 'C(in0_block_w=1;"
          "out_subblock_h=1;out_subblock_w=4)'}},HiFi4,8,{start},{ns},{gap},1,1,64,1024,BFLOAT8_B,"
          "DEV_0_DRAM_INTERLEAVED,1,1,1024,1024,BFLOAT4_B,DEV_0_L1_INTERLEAVED,1,1,64,1024,BFLOAT8_B,"
          "DEV_0_L1_INTERLEAVED\n")
OTHER = "{name},{kind},,{device},,,,{start},{ns},{gap},,,,,,,,,,,,,,,,,,\n"


def other(name, start, ns=1000, gap=500, kind="tt_dnn_device", device=0):
    return OTHER.format(name=name, kind=kind, device=device, start=start, ns=ns, gap=gap)


def table(*rows):
    return HEAD + "".join(rows)


USUAL = table(
    other("Warm", 10, ns=4000), other("begin", 20, kind="signpost", device="", ns="", gap=""),
    other("TilizeDeviceOperation", 30), MATMUL.format(call=1024, device=0, start=40, ns=50000, gap=8000),
    other("(torch) gelu", 50, kind="python_fallback", device="", ns="", gap=""),
    other("CopyDeviceOperation", 60, ns=2000))


class OpTables(Case):
    def ops(self, text, *options, name="ops.csv"):
        result = self.tpq("report", self.write(name, text), "--csv", "-", *options)
        return list(csv.DictReader(io.StringIO(result.out)))

    def ids(self, text, *options):
        return [int(row["ID"]) for row in self.ops(text, *options)]

    def test_the_format_chooses_the_set(self):
        path = self.write("a.csv", USUAL)
        out = self.tpq("report", path, "--wide").out
        self.assertIn("MatmulDeviceOperation 64 x 1024 x 1024", out)
        self.tpq("ingest", "--db", self.path("w.db"), "--run", "r", path)
        self.assertIn("TilizeDeviceOperation", self.tpq("report", "--db", self.path("w.db")).out)
        self.assertNotIn("Op Code", self.tpq("report", "--set", "pytorch", path).out)

    def test_figures(self):
        row = self.ops(USUAL)[1]
        self.assertEqual(row["ID"], "5")
        self.assertEqual(row["Bound"], "SLOW")
        self.assertAlmostEqual(float(row["Device Time"]), 50)
        self.assertAlmostEqual(float(row["Op-to-Op Gap"]), 8)
        self.assertAlmostEqual(float(row["Total %"]), 100 * 58 / 61.5)
        self.assertAlmostEqual(float(row["DRAM"]), 65536 / 50000)
        self.assertAlmostEqual(float(row["FLOPs"]), 2 * 64 * 1024 * 1024 / 50000 / 1000)
        self.assertAlmostEqual(float(row["FLOPs %"]),
                               100 * 2 * 64 * 1024 * 1024 / 50000 / 1000 / (8 * 74 / 72))
        self.assertEqual(row["Math Fidelity"], "HiFi4 BFP8 x BFP4 => BFP8")
        self.assertEqual(len(row["Advice"].split(" • ")), 3)

    def test_windows_and_ids(self):
        self.assertEqual(self.ids(USUAL), [4, 5, 6, 7])
        self.assertEqual(self.ids(USUAL, "--ignore-signposts"), [2, 3, 4, 5, 6, 7])
        self.assertEqual(self.ids(USUAL, "--end-signpost", "begin"), [2])
        self.assertEqual(self.ids(USUAL, "--signpost", "begin", "--id-range", "-6"), [4, 5, 6])
        self.assertEqual(self.ids(USUAL, "--no-host-ops", "--id-range", "5-"), [5, 7])

    def test_columns_that_come_with_options(self):
        self.assertIn("Advice", self.ops(USUAL)[0])
        self.assertNotIn("Advice", self.ops(USUAL, "--no-advice")[0])
        self.assertEqual(self.ops(USUAL, "--raw-op-codes")[1]["Raw OP Code"], "MatmulDeviceOperation")

    def test_summaries(self):
        path = self.write("a.csv", USUAL)
        self.tpq("report", path, "--csv", self.path("o.csv"))
        with open(self.path("o_stacked.csv"), encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
        self.assertEqual(rows[0]["Op Code"], "MatmulDeviceOperation (in0:dram_interleaved)")
        self.assertEqual([row["Op Count"] for row in rows], ["1", "1", "1", "1"])
        self.tpq("report", path, "--group-by", "category", "--summary-file", self.path("s"))
        with open(self.path("s.csv"), encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
        self.assertEqual([row["Op Code"] for row in rows], ["Compute", "DM", "TM", "Host"])
        self.tpq("report", path, "--csv", self.path("p.csv"), "--no-summary")
        self.assertFalse(os.path.exists(self.path("p_stacked.csv")))

    def test_devices_are_merged(self):
        rows = [MATMUL.format(call=1024 + d, device=d, start=10, ns=1000 * (d + 1), gap=0)
                for d in range(3)]
        self.assertEqual([row["Device"] for row in self.ops(table(*rows))], ["2"])
        self.assertEqual(len(self.ops(table(*rows), "--no-merge-devices")), 3)

    def test_several_files_are_hosts(self):
        one = self.write("h0.csv", table(other("A", 1, device=0), other("A", 2, device=1, ns=5)))
        two = self.write("h1.csv", table(other("A", 1, device=0), other("A", 2, device=1, ns=9000)))
        result = self.tpq("report", one, two, "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual([(row["ID"], row["Device"]) for row in rows], [("5", "3")])
        three = self.write("h2.csv", table(other("A", 1, device=4)))
        result = self.tpq("report", one, three, status=None)
        self.assertEqual(result.status, 3)
        self.assertIn("h2.csv", result.err)

    def test_wrong_words(self):
        path = self.write("a.csv", USUAL)
        for words in [("--id-range", "5"), ("--id-range", "-"), ("--id-range", "1-2-3"),
                      ("--arch", "abacus"), ("--group-by", "colour"), ("--merge-by", "luck"),
                      ("--signpost-occurrence", "0")]:
            self.assertEqual(self.tpq("report", path, *words, status=None).status, 2, words)
        self.assertEqual(self.tpq("report", self.path("missing.csv"), status=None).status, 3)

    def test_what_is_odd_is_taken(self):
        rows = [MATMUL.format(call=1, device=0, start=10, ns=ns, gap=0).replace("HiFi4", fidelity)
                for ns in (0, "", 1000) for fidelity in ("HiFi3", "", "HiFi9")]
        table_of = self.ops(table(*rows, other("Matmul x", 1, kind="signpost")), "--ignore-signposts")
        self.assertEqual(len(table_of), 10)
        self.assertEqual(self.ops(HEAD), [])


if __name__ == "__main__":
    unittest.main()
