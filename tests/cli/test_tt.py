"""Op tables of tt-metal: `tpq report` chooses their set, and its options."""
import csv
import io
import itertools
import json
import os
import shutil
import sqlite3
import xml.dom.minidom
import zipfile

from page_file import read_page
from support import Case, main


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


class Tables(Case):
    def ops(self, text, *options, name="ops.csv"):
        result = self.tpq("report", self.write(name, text), "--csv", "-", *options)
        return list(csv.DictReader(io.StringIO(result.out)))

    def ids(self, text, *options):
        return [int(row["ID"]) for row in self.ops(text, *options)]


class OpTables(Tables):
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

    def test_a_signpost_that_is_not_there(self):
        path = self.write("a.csv", USUAL)
        result = self.tpq("report", path, "--signpost", "Nope", "--json")
        self.assertIn("tpq: there is no signpost 'Nope' to start from; there are 'begin'\n", result.err)
        self.assertEqual(json.loads(result.out)["meta"]["selection"], ["signpost begin"])
        self.assertIn("· signpost begin", self.tpq("report", path).out)
        for words, found in [(("--start-signpost", "Nope", "--end-signpost", "begin"), ["to signpost begin"]),
                             (("--ignore-signposts",), ["without signposts"]),
                             (("--signpost", "begin", "--end-signpost", "Nope"), ["signpost begin"])]:
            result = self.tpq("report", path, *words, "--json")
            self.assertEqual(json.loads(result.out)["meta"]["selection"], found, words)

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
        for words in [("--id-range", "5"), ("--id-range", "-"), ("--id-range", "1-2-3"), ("--id-range", "10-5"),
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


# ------------------------------------------------------------------ what differs from op to op

MORE = ("OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH,AVAILABLE WORKER CORE COUNT,SUB DEVICE ID,CORE COUNT,"
        "MATH FIDELITY,ATTRIBUTES,HOST START TS,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],"
        "METAL TRACE REPLAY SESSION ID,PM IDEAL [ns],INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,"
        "INPUT_0_DATATYPE,INPUT_0_MEMORY,INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,INPUT_1_DATATYPE,"
        "INPUT_1_MEMORY,OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X,OUTPUT_0_DATATYPE,"
        "OUTPUT_0_MEMORY\n")


def tensor(w, z, y, x, memory="DEV_0_DRAM_INTERLEAVED"):
    return f"{w},{z},{y},{x},BFLOAT16,{memory}"


def op(name, ns=1000, start=1, cores=8, available=64, sub="", fidelity="HiFi2", attributes="",
       replay="", ideal="", tensors=(",,,,,", ",,,,,", ",,,,,")):
    return (f"{name},tt_dnn_device,0,wormhole_b0,{available},{sub},{cores},{fidelity},{attributes},"
            f"{start},{ns},500,{replay},{ideal}," + ",".join(tensors) + "\n")


class Figures(Tables):
    def test_hifi3_takes_three_passes(self):
        square = (tensor(1, 1, 64, 64),) * 3
        rows = self.ops(MORE + op("Matmul", tensors=square, fidelity="HiFi3"))
        self.assertAlmostEqual(float(rows[0]["FLOPs %"]),
                               100 * 2 * 64 ** 3 / 1000 / 1000 / (8 * 262 / 72 / 3))

    def test_each_op_has_the_cores_of_its_part_of_the_device(self):
        shapes = (tensor(1, 1, 64, 32), tensor(1, 1, 32, 16), tensor(1, 1, 64, 16))
        text = MORE + "".join(op("Conv2dDeviceOperation", start=i, available=cores, sub=i, cores=6,
                                 attributes="{'w': 'S(window_hw=(1;1); x)'}", tensors=shapes)
                              for i, cores in enumerate((120, 12)))
        rows = self.ops(text)
        self.assertEqual([row["Sub Device"] for row in rows], ["0", "1"])
        self.assertEqual([row["Available Cores"] for row in rows], ["120", "12"])
        self.assertAlmostEqual(float(rows[1]["FLOPs %"]), 10 * float(rows[0]["FLOPs %"]))
        rows = self.ops(text, "--compat")
        self.assertEqual(rows[1]["FLOPs %"], rows[0]["FLOPs %"])

    def test_a_file_may_name_the_architecture_alone(self):
        shapes = (tensor(1, 1, 64, 32), tensor(1, 1, 32, 16), tensor(1, 1, 64, 16))
        text = MORE + op("Conv2dDeviceOperation", available="", cores=6, tensors=shapes,
                         attributes="{'w': 'S(window_hw=(1;1); x)'}").replace("wormhole_b0", "blackhole")
        ours, theirs = (float(self.ops(text, *options)[0]["FLOPs %"]) for options in ((), ("--compat",)))
        self.assertAlmostEqual(130 * ours, 64 * theirs)

    def test_other_ops_use_the_memory_and_the_cores_too(self):
        add = (tensor(1, 1, 64, 64),) * 3
        heads = tensor(2, 3, 128, 64, "DEV_0_L1_INTERLEAVED")
        text = MORE + op("BinaryNgDeviceOperation", tensors=add, ideal=400) + \
            op("EmbeddingsDeviceOperation", tensors=add) + \
            op("ScaledDotProductAttentionDeviceOperation", start=2, tensors=(heads,) * 3,
               attributes="{'is_causal': 'true'}")
        rows = self.ops(text)
        self.assertAlmostEqual(float(rows[0]["DRAM"]), 3 * 64 * 64 * 2 / 1000)
        self.assertAlmostEqual(float(rows[0]["DRAM %"]), 100 * 3 * 64 * 64 * 2 / 1000 / 288)
        self.assertEqual(float(rows[0]["PM Ideal"]), 0.4)
        self.assertEqual(rows[0]["Bound"], "")
        self.assertEqual(rows[1]["DRAM"], "")  # only some rows of the table are read
        flops = 4 * 2 * 3 * 128 * 128 * 64 / 2
        self.assertAlmostEqual(float(rows[2]["FLOPs"]), flops / 1000 / 1000)
        self.assertEqual({row["DRAM"] + row["FLOPs"] for row in self.ops(text, "--compat")}, {""})

    def test_replays_stay_in_the_order_of_the_file(self):
        text = MORE + "".join(op(name, start=start, replay=replay) for replay in (1, 2)
                              for name, start in (("A", 5), ("B", 3)))
        text += op("C", start=4, replay=2).replace("tt_dnn_device,0", "tt_dnn_device,1")

        def names(*options):
            return "".join(row["OP Code"] for row in self.ops(text, "--no-merge-devices", *options))
        self.assertEqual(names(), "ABABC")
        self.assertEqual(names("--compat"), "BBCAA")
        self.assertEqual(names("--compat", "--tracing-mode"), "ABABC")
        path = self.write("ops.csv", text)
        self.assertIn("order of the file", self.tpq("report", path).err)
        self.assertIn("--tracing-mode keeps", self.tpq("report", "--compat", path).err)

    def test_hosts_and_signposts_stand_beside_the_ops(self):
        one = self.write("h0.csv", table(other("A", 1), other("mark", 2, kind="signpost", device=""),
                                         other("B", 3)))
        two = self.write("h1.csv", table(other("C", 1), other("D", 2)))
        result = self.tpq("report", one, two, "--csv", "-", "--ignore-signposts",
                          "--no-merge-devices")
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual([row["Host"] for row in rows if "signpost" not in row["OP Code"]],
                         ["0", "1", "1", "0"])
        alone = self.ops(USUAL, "--ignore-signposts")
        self.assertNotIn("Host", alone[0])
        self.assertEqual([row["Signpost"] for row in alone][-2:], ["begin", "begin"])

    def test_a_directory_is_a_run_of_several_hosts(self):
        for rank in (4, 7):
            self.write(f"run/ops_perf_results_rank{rank}.csv", table(other("A", 1), other("B", 2, ns=rank)))
        self.write("run/notes.csv", "a,b\n1,2\n")
        result = self.tpq("report", self.path("run"), "--csv", "-", "--no-merge-devices")
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual(sorted(row["Host"] for row in rows), ["4", "4", "7", "7"])

    def test_a_run_has_hosts_whichever_runs_stand_beside_it(self):
        self.tpq("ingest", "-q", "--run", "one", self.write("one.csv", table(other("A", 1))))
        self.tpq("ingest", "-q", "--run", "two", *[self.write(f"rank{rank}.csv", table(other("B", rank))) for rank in (4, 7)])

        def hosts(*runs):
            rows = self.tpq("report", *[word for run in runs for word in ("--run", run)], "--no-merge-devices", "tt_ops", "--json").out
            return [(row["run"], row.get("host")) for row in json.loads(rows)["ops"]]
        self.assertEqual(hosts("one"), [("one", None)])
        self.assertEqual(hosts(), hosts("one") + hosts("two"))
        self.assertEqual([host for _, host in hosts("two")], [4, 7])

    def test_merged_devices_show_how_far_they_are_apart(self):
        rows = [MATMUL.format(call=1024 + d, device=d, start=10, ns=1000 * (d + 1), gap=0)
                for d in range(3)]
        row = self.ops(table(*rows))[0]
        self.assertEqual([float(row["Device Time Min"]), float(row["Device Time Max"])], [1, 3])

    def test_the_machine_can_be_told(self):
        percent = [float(self.ops(USUAL, *words)[1]["DRAM %"])
                   for words in ((), ("--dram-gbs", "144"), ("--arch", "N1"))]
        self.assertAlmostEqual(percent[1], 2 * percent[0])
        self.assertAlmostEqual(percent[2], percent[0] * 288 / 120)

    def test_fidelities_as_they_are_explained(self):
        bits = {"FLOAT32": 23, "BFLOAT16": 8, "BFLOAT8_B": 7, "BFLOAT4_B": 3}
        integers = ("UINT8", "UINT16", "INT32", "UINT32")

        def expected(types, fidelity):
            if set(types) & set(integers):
                return "not_applicable"
            if not set(types) <= set(bits) or fidelity == "HiFi3":
                return "unknown"
            a, w, o = (bits[kind] for kind in types)
            if a == 8:
                classes = ("sufficient", "too_low", "too_low") if o >= 7 else \
                    ("too_high", "sufficient", "too_low")
            elif w >= 7:
                classes = ("too_high", "sufficient", "too_low")
            else:
                classes = ("too_high", "too_high", "sufficient")
            return classes[("HiFi4", "HiFi2", "LoFi").index(fidelity)]

        rows = [(types, fidelity)
                for types in itertools.product([*bits, *integers, "FP8"], repeat=3)
                for fidelity in ("HiFi4", "HiFi3", "HiFi2", "LoFi")]
        values = ", ".join("('%s', '%s', '%s', '%s')" % (*types, fidelity) for types, fidelity in rows)
        self.tpq("ingest", self.write("a.csv", USUAL))
        out = self.tpq("sql", "--mode", "tsv", "-", stdin="SELECT tt_fidelity(column1, column2, "
                       f"column3, column4) FROM (VALUES {values});").out
        self.assertEqual(out.splitlines()[1:], [expected(*row) for row in rows])


class Warehouses(Tables):
    def report_of(self, *options):
        return self.tpq("report", *options, "--csv", "-").out

    def test_a_run_of_many_is_as_alone(self):
        other_table = table(*(MATMUL.format(call=1024 * i, device=0, start=i, ns=9 * i, gap=i)
                              for i in range(40)))
        for run, text in (("a", other_table), ("b", USUAL), ("c", other_table)):
            self.tpq("ingest", "-q", "--run", run, self.write(f"{run}.csv", text))
        for run in "abc":
            of_many, alone = [], []
            for found, words in ((of_many, ("--run", run)), (alone, (self.path(f"{run}.csv"),))):
                self.tpq("report", "tt_ops", "tt_stacked", "tt_advice", "tt_totals", *words, "--csv", "out")
                for name in ("ops", "stacked", "advice", "totals"):
                    with open(self.path("out", f"{name}.csv"), encoding="utf-8") as file:
                        found.append(file.read())
                shutil.rmtree(self.path("out"))
            self.assertEqual(of_many, alone, run)
        both = list(csv.DictReader(io.StringIO(self.report_of("tt_totals"))))
        self.assertEqual([row["run"] for row in both], ["a", "b", "c"])

    def test_runs_are_compared_by_a_query(self):
        self.tpq("ingest", "-q", "--run", "base", self.write("a.csv", USUAL))
        self.tpq("ingest", "-q", "--run", "tuned", self.write("b.csv", USUAL.replace("50000", "20000")))
        out = self.tpq("sql", "--mode", "tsv", """
            SELECT raw_op_code, sum(device_time_us) FILTER (WHERE run = 'base') AS base_us,
            sum(device_time_us) FILTER (WHERE run = 'tuned') AS tuned_us
            FROM tt_ops GROUP BY raw_op_code ORDER BY base_us DESC""").out
        self.assertIn("MatmulDeviceOperation\t50.0\t20.0", out.splitlines()[1])

    def test_a_table_that_changes_is_read_again(self):
        self.tpq("ingest", "-q", "--run", "a", self.write("a.csv", USUAL))
        out = self.tpq("sql", "--write", "--mode", "tsv", """
            SELECT count(*) FROM tt_op; SELECT tpq_set('ignore_signposts', '1');
            SELECT count(*) FROM tt_op; DELETE FROM device_op WHERE kernel_ns = 50000;
            SELECT max(device_time_us) FROM tt_op;""").out
        self.assertEqual([line for line in out.split() if line[0].isdigit()], ["4", "1", "6", "4.0"])

    def test_categories_are_rows_that_users_add(self):
        path = self.write("a.csv", table(other("MineDeviceOperation", 1), other("Odd", 2)))
        err = self.tpq("report", path).err
        self.assertIn("MineDeviceOperation, Odd", err)
        self.tpq("ingest", "-q", path)
        self.tpq("sql", "--write", "INSERT INTO tt_category (op, category) VALUES ('Mine', 'Fused')")
        result = self.tpq("report", "tt_stacked", "--group-by", "category", "--csv", "-")
        self.assertEqual([row["Op Code"] for row in csv.DictReader(io.StringIO(result.out))],
                         ["Fused", "Other"])
        self.assertNotIn("Mine", result.err)
        self.tpq("ingest", "-q", "--run", "later", self.write("b.csv", USUAL))
        self.assertIn("Fused", self.tpq("report", "tt_stacked", "--group-by", "category").out)


class Outputs(Tables):
    def test_the_table_has_its_sums_below(self):
        path = self.write("a.csv", USUAL)
        out = self.tpq("report", path, "--color").out
        footer = [line for line in out.splitlines() if "3 device ops, 1 host ops, 0 signposts" in line]
        self.assertEqual(len(footer), 1)
        self.assertIn("53.00", footer[0])
        self.assertEqual(footer[0].count("\033[38;5;8m"), footer[0].count("\033[0m"))
        self.assertNotIn("device ops", self.tpq("report", path, "--csv", "-").out)
        for words, counts in [(("--id-range", "5-6"), "1 device ops, 1 host ops"), (("--no-host-ops",), "3 device ops, 0 host ops")]:
            self.assertIn(counts, self.tpq("report", path, *words).out)
            self.assertIn("3 device ops, 1 host ops", self.tpq("report", path, *words, "--compat").out)
        self.tpq("report", path, "--xlsx=" + self.path("a.xlsx"))
        with zipfile.ZipFile(self.path("a.xlsx")) as book:
            texts = "".join(book.read(name).decode() for name in book.namelist())
        self.assertIn("3 device ops, 1 host ops, 0 signposts", texts)
        self.assertIn('autoFilter ref="A1:', texts)
        self.assertIn('<c:grouping val="stacked"/>', texts)
        self.tpq("report", path, "--html", self.path("a.html"))
        self.assertIn("device ops", str(read_page(self.path("a.html")).data("ops")["footer"]))

    def test_lines_are_no_amounts_and_empty_columns_are_left_out(self):
        text = table(*(other("Copy", i) for i in range(1200)))
        out = self.tpq("report", self.write("a.csv", text), "--no-summary", "--top", "0").out
        self.assertIn("\n1201 ", out)
        self.assertNotIn("FLOPs", out)
        self.assertIn("FLOPs", self.tpq("report", self.path("a.csv"), "--wide", "--no-summary").out)

    def test_shares_below_a_percentage(self):
        path = self.write("a.csv", USUAL)
        usual = self.tpq("report", path, "--color").out
        self.assertIn("\033[38;5;8mTilizeDeviceOperation", self.tpq(
            "report", path, "--color", "--compat", "--min-percentage", "5").out)
        hidden = self.tpq("report", path, "--min-percentage", "5", "--no-summary")
        self.assertIn("TilizeDeviceOperation", usual)
        self.assertNotIn("TilizeDeviceOperation", hidden.out)
        self.assertIn("(torch) gelu", hidden.out)
        self.assertIn("2 ops below 5 % are not printed, with 3.0 us", hidden.err)
        self.assertEqual(len(self.ops(USUAL, "--min-percentage", "5")), 4)

    def test_charts(self):
        rows = [other(name, i, ns=1000 * (9 - i), device=i % 2) for i, name in enumerate(
            ["Matmul <&>", "Copy", "Transpose", "(torch) x", "Odd\x01"])]
        path = self.write("a.csv", table(*rows))
        for words in ((), ("--group-by", "category"), ("--no-merge-devices",), ("--classic-colors",)):
            self.tpq("report", path, "--csv", self.path("o.csv"), *words)
            with open(self.path("o_stacked.svg"), encoding="utf-8") as file:
                text = file.read()
            xml.dom.minidom.parseString(text)
            self.assertEqual("#3f007d" in text, "--classic-colors" not in words, words)
            self.assertEqual("#1f77b4" in text, "--classic-colors" in words, words)
            self.assertEqual("Dev 1" in text, "--no-merge-devices" in words, words)
        victim = self.write("victim", "precious")
        for name in ("o_stacked.csv", "o_stacked.svg"):
            os.unlink(self.path(name))
            os.symlink(victim, self.path(name))
        self.tpq("report", path, "--csv", self.path("o.csv"))
        with open(victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        self.tpq("report", path, "--summary-file", self.path("s"), "--no-summary")
        self.assertFalse(os.path.exists(self.path("s.svg")))
        self.tpq("report", path, "--summary-file", self.path("s"))
        self.assertTrue(os.path.exists(self.path("s.svg")))
        empty = self.write("e.csv", HEAD)
        self.tpq("report", empty, "--csv", self.path("e_out.csv"))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("e_out")],
                         ["e_out.csv"])

    def test_advice_about_one_op_stands_together(self):
        rows = list(csv.DictReader(io.StringIO(self.tpq(
            "report", "tt_advice", self.write("a.csv", USUAL), "--csv", "-").out)))
        self.assertEqual([row["Rule"] for row in rows if row["Severity"] == "high"],
                         ["fidelity", "in0_block_w", "input_in_dram", "fallback"])
        self.assertIn("gap", [row["Rule"] for row in rows])
        out = self.tpq("report", "tt_advice", self.path("a.csv")).out
        self.assertEqual(out.count("matmul: MatmulDeviceOperation"), 1)

    def test_short_forms_of_the_reference(self):
        path = self.write("a.csv", USUAL)
        for words in (("--start", "begin"), ("--end", "begin"), ("--min", "1"), ("--id", "2-3"),
                      ("--group", "op"), ("--trac",), ("--raw",), ("--col",), ("--no-col",),
                      ("--no-adv",), ("--no-host",), ("--no-sum",), ("--no-merge",), ("--ignore",),
                      ("--print",), ("--arch=wormhole",), ("--no-stacked",), ("--classic",),
                      ("--summary=x",), ("--stacked=y",), ("--csv",)):
            self.tpq("report", path, *words)


class Odd(Tables):
    def test_bad_files(self):
        for content, status, words in (("", 3, ""), ("OP CODE,OP TYPE\nA,B\n", 3, "DEVICE ID"),
                                       (HEAD, 0, ""), (HEAD + "A,B" + "," * 99 + "\n", 3, "cells")):
            result = self.tpq("report", self.write("a.csv", content), status=None)
            self.assertEqual(result.status, status, content[:40])
            self.assertIn(words, result.err)
        only = table(*(other(name, 1, kind="signpost", device="", ns="", gap="") for name in "ab"))
        result = self.tpq("report", self.write("b.csv", only))
        self.assertIn("No device time. Only ops after the last signpost ('b') count;", result.out)
        self.assertEqual("", result.err)

    def test_the_first_lines_are_the_answer(self):
        path = self.write("c.csv", table(other("Copy", 1), other("Copy", 2, ns=2000, gap=50000)))
        result = self.tpq("report", path)
        first = " ".join(result.out.split("\ntpq ")[0].split())
        self.assertTrue(first.startswith("Host-bound: device time "), first)
        for words in ("op-to-op gaps 0.1 ms (host share 94.3 % of", "No matmul is rated", "1. gap, saves up to 44.0 us "
                      "(upper bound): The device waited 50.0 us before 1 op, ", "(report tt_advice)"):
            self.assertIn(words, first)
        self.assertEqual("", result.err)
        self.assertIn("gaps are 9", self.tpq("report", "--compat", path).err)

    def test_signposts_named_like_ops_are_no_ops(self):
        text = table(other("Matmul x", 1, kind="signpost", device="", ns="", gap=""),
                     other("Conv2d (torch)", 2, kind="signpost", device="", ns="", gap=""),
                     other("Copy", 3))
        rows = self.ops(text, "--ignore-signposts")
        self.assertEqual([row["OP Code"] for row in rows][0], "Matmul x (signpost)")
        self.assertEqual([row["Device Time"] for row in rows], ["", "", "1.0"])

    def test_an_architecture_that_nobody_knows(self):
        shapes = (tensor(1, 1, 64, 64),) * 3
        path = self.write("a.csv", (MORE + op("Matmul", tensors=shapes)).replace("wormhole_b0", "abacus"))
        result = self.tpq("report", path, "--csv", "-")
        row = next(csv.DictReader(io.StringIO(result.out)))
        self.assertIn("abacus", result.err)
        self.assertEqual((row["DRAM %"], row["FLOPs %"]), ("", ""))
        self.assertNotEqual(row["FLOPs"], "")


if __name__ == "__main__":
    main()
