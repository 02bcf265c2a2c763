#!/usr/bin/env python3
"""tpq model: what the models say about calls."""
import json
import unittest

import support

MM = {"op": "aten::mm", "input_dims": [[4, 5], [5, 6]], "input_types": ["float", "float"]}


class Eval(support.Case):
    def test_calls_from_a_file_and_from_standard_input(self):
        calls = "\n".join(json.dumps(call) for call in (MM, {"op": "nobody::knows"})) + "\n\n"
        path = self.write("calls.jsonl", calls)
        out = self.tpq("model", "eval", "--json", path).out
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([answer["model"] for answer in answers], ["aten::mm", None])
        first = answers[0]
        self.assertEqual((first["status"], first["flops"], first["bytes"], first["compute_spec"]),
                         ("ok", 240, 4 * (20 + 30 + 24), "matrix_fp32"))
        self.assertEqual(list(first["params"])[:4], ["M", "N", "K", "bias"])
        self.assertEqual(self.tpq("model", "eval", "--json", "-", stdin=calls.encode()).out, out)

    def test_words(self):
        out = self.tpq("model", "eval", self.write("calls.jsonl", MM)).out
        self.assertIn("FLOPs        240\n", out)

    def test_what_is_no_call(self):
        bad = self.write("bad.jsonl", json.dumps(MM) + "\n[1, 2]\n")
        result = self.tpq("model", "eval", bad, status=3)
        self.assertIn("line 2 is no JSON object with an op", result.err)
        self.tpq("model", "eval", self.path("missing"), status=3)
        self.tpq("model", "eval", status=2)
        self.tpq("model", status=2)
        self.tpq("model", "nonsense", status=2)


if __name__ == "__main__":
    unittest.main()
