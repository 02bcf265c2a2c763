"""Experts on several ranks: exchanges of tokens, and what an uneven one costs."""

import json

from support import Case, main, slice_event, trace_of


def exchange(rank, start, end, sent, received, number, group="ep", hidden=4):
    """A kernel of all_to_allv with its launch, in microseconds."""
    link = {"correlation": number}
    return [slice_event("cudaLaunchKernelExC", number * 10, 2, "cuda_runtime", args=link),
            slice_event("ncclDevKernel_SendRecv", start, end - start, "kernel", thread=20, process=0, args={
                **link, "device": rank, "stream": 20, "Collective name": "all_to_allv", "Process Group Name": group, "Process Group Ranks": "[0, 1]",
                "Group size": 2, "dtype": "BFloat16", "In msg nelems": sum(sent) * hidden, "Out msg nelems": sum(received) * hidden,
                "In split size": str(sent) if isinstance(sent, list) else "[]", "Out split size": str(received)})]


class Experts(Case):
    def ingest(self, *ranks):
        for rank, events in enumerate(ranks):
            self.write(f"r/rank_{rank}.json", trace_of(*events, distributedInfo={"rank": rank, "world_size": len(ranks)}))
        self.tpq("ingest", "--run", "r", "r")

    def report(self, name):
        """The rows, and what the terminal says besides, as one line."""
        rows = json.loads(self.tpq("report", "--run", "r", name, "--json").out).get(name, [])
        return rows, " ".join(self.tpq("report", "--run", "r", name).out.split())

    def layer(self, start, number, sent, late=0):
        """Both ranks dispatch, work a microsecond a token, and combine; rank 1 begins `late` later."""
        received = [list(column) for column in zip(*sent)]
        combined = start + 10 + max(sum(received[0]), sum(received[1]) + late)
        return [[*exchange(rank, start, start + 10, sent[rank], received[rank], number),
                 *exchange(rank, start + 10 + sum(received[rank]) + (late if rank else 0), combined + 10, received[rank], sent[rank], number + 1)]
                for rank in range(2)]

    def test_what_uneven_tokens_cost(self):
        step = slice_event("ProfilerStep#7", 0, 5000, "user_annotation")
        first, second = self.layer(1000, 1, [[30, 10], [50, 10]]), self.layer(2000, 3, [[20, 20], [20, 20]], late=6)
        self.ingest(*([step, *first[rank], *second[rank]] for rank in range(2)))
        rows, _ = self.report("moe_layers")
        self.assertEqual([[row[name] for name in ("step", "layer", "ranks", "tokens", "tokens_max", "tokens_mean", "imbalance", "hot_rank", "expert_max_ms",
                                                   "expert_mean_ms", "lost_ms", "lost_max_ms", "slow_rank")] for row in rows],
                         [[7, 0, 2, 100, 80, 50, 1.6, 0, 0.08, 0.05, 0.03, 0.06, 0], [7, 1, 2, 80, 40, 40, 1, 0, 0.046, 0.043, 0.003, 0.006, 1]])
        rows, _ = self.report("moe_ranks")
        self.assertEqual([list(row.values())[1:] for row in rows],
                         [[0, 2, 120, 120 * 100 / 180, 0.12, 0.006, 2], [1, 2, 60, 60 * 100 / 180, 0.066, 0.06, 1]])
        found = json.loads(self.tpq("report", "--run", "r", "advice", "--all", "--json").out)["advice"]
        rule, = (row for row in found if row["rule"] == "uneven-exchange")
        self.assertEqual((rule["value"], rule["saving_ms"]), (1.6, 0.033))

    def test_a_call_is_in_one_exchange_at_most(self):
        """Three calls that fit each other are a dispatch, a combine and one more."""
        even = [5, 5]
        self.ingest(*([event for number in range(3) for event in exchange(rank, 100 * number + 100, 100 * number + 150, even, even, number + 1)] for rank in range(2)))
        rows, said = self.report("moe_layers")
        self.assertEqual([(row["step"], row["layer"], row["imbalance"]) for row in rows], [(None, 0, 1)])
        self.assertIn("exchanges (all_to_allv) that are no dispatch with a combine after it: 1;", said)
        self.assertIn("unevenness of exchanges whose splits are all equal (padded to one size): 1 ", said)

    def test_every_rank_has_to_take_back_what_it_gave(self):
        """Rank 1 combines other pieces; then its pieces are not stated."""
        for pieces in ([9, 1], 10):
            with self.subTest(pieces=pieces):
                self.ingest([*exchange(0, 100, 110, [4, 6], [4, 6], 1), *exchange(0, 200, 210, [4, 6], [4, 6], 2)],
                            [*exchange(1, 100, 110, [4, 6], [6, 4], 1), *exchange(1, 200, 210, pieces if isinstance(pieces, list) else [], [4, 6], 2)])
                rows, said = self.report("moe_layers")
                self.assertEqual(rows, [])
                self.assertIn("no exchange (all_to_allv) gives back what the one before it gave", said)
                self.tpq("rm", "r")

    def test_lists_that_the_profiler_cut_short(self):
        """The tokens are not known; which rank has most of them is."""
        cut = lambda *events: [{**event, "args": {key: value.replace("]", ", ...]") if "split" in key else value for key, value in event["args"].items()}} for event in events]
        self.ingest(*(cut(*events) for events in self.layer(1000, 1, [[30, 10], [50, 10]])))
        row, = self.report("moe_layers")[0]
        self.assertEqual((row["tokens"], row["imbalance"], row["hot_rank"], row["lost_ms"]), (None, 1.6, 0, 0.03))

    def test_groups_number_their_layers_apart(self):
        other = [exchange(rank, 500 + 100 * number, 510 + 100 * number, [1, 1], [1, 1], 7 + number, group="other") for rank in range(2) for number in range(2)]
        one = self.layer(1000, 1, [[30, 10], [50, 10]])
        self.ingest([*one[0], *other[0], *other[1]], [*one[1], *other[2], *other[3]])
        self.assertEqual([(row["group_name"], row["layer"]) for row in self.report("moe_layers")[0]], [("ep", 0), ("other", 0)])


main()
