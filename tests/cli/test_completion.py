"""Completions of bash, zsh and fish, in these shells where they are installed, and tpq help names, which answers them."""

import os
import re
import shutil
import subprocess
import unittest

from support import BUILD, TPQ, Case, main

EVIL = "$(touch evil) `touch evil` x"
QUOTED = ["q\"$(touch evil)\"; touch evil;", "q'$(touch evil)'; touch evil #", "q; touch evil & <(touch evil)", "q\\$(touch evil)",
          "q{a,b}*~!x|touch evil"]
HIDDEN = ["q\n$(touch evil)", "q\x1b[31m", "q\r`touch evil`"]  # no line of text: they are not offered
LABELS = ["device=NVIDIA H100 80GB HBM3", "pr=8", "profiler=record_shapes+with_stack", "world_size=2"]


class Completion(Case):
    def prepare(self):
        self.make_trace("a.json")
        for run in ("base", "baseline 2", EVIL, *QUOTED, *HIDDEN):
            self.tpq("ingest", "-q", "--run", run, "--label", "pr=8", "a.json")

    def names(self, kind, **env):
        return self.tpq("help", "names", kind, env=env).out.splitlines()

    def test_names(self):
        self.assertEqual(sorted(self.names("runs")), sorted(["base", "baseline 2", EVIL, *QUOTED]))
        self.assertEqual(self.names("labels"), LABELS)
        self.assertEqual(self.names("runs", TPQ_DB="none.db"), [])
        self.assertEqual(sorted(self.names("reports")), sorted(
            re.findall(r"(?m)^    (\w+)", self.tpq("report", "--list", "all").out)))
        self.assertTrue({"pytorch", "jax", "tt", "multirank"} <= set(self.names("sets")))
        self.assertTrue({"kernel", "op", "op_shape", "module"} <= set(self.names("levels")))
        self.assertIn("H200-SXM-141GB", self.names("accelerators"))
        self.assertTrue({"gpu_event", "median", "gpu_timeline"} <= set(self.names("described")))
        self.assertIn("slower_ops", self.names("recipes"))
        self.one_line(self.tpq("help", "names", "run", status=2), "kind 'run'; did you mean runs")
        self.tpq("ingest", "-q", "--run", "tab\there", "a.json")
        self.assertNotIn("tab", "".join(self.names("runs")))

    def lines(self):
        """What is typed, and what may stand in the place of its last word."""
        reports = [name for name in self.names("reports") if name.startswith("gpu_timeline_")]
        return ((("rm", "base"), ["base", "baseline 2"]),
                (("report", "--run", "$"), [EVIL]),
                (("report", "--run", "q"), QUOTED),
                (("sql", "--label", "pr"), [LABELS[1], LABELS[2]]),
                (("report", "gpu_timeline_"), reports),
                (("report", "--compat", "gpu_timeline_"), reports),
                (("report", "a."), ["a.json"]),
                (("report", "--gpu-arch-platform", "H200-S"), ["H200-SXM-141GB"]),
                (("describe", "gpu_ev"), ["gpu_event"]),
                (("sql", "--recipe", "slower_o"), ["slower_ops"]),
                (("rm", "--db", "none.db", "base"), []),
                (("rm", "--db", self.db, "baseline"), ["baseline 2"]),
                (("sql", "--mode", "js"), ["json", "jsonl"]),
                (("sql", "--mod"), ["--mode"]),
                (("ing",), ["ingest"]),
                (("help", "repo"), ["report"]),
                (("help", "recipes", "slower_o"), ["slower_ops"]),
                (("--vers",), ["--version"]))

    def complete(self, *call, typed="$", env=None):
        done = subprocess.run([*call], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=self.environment({"TPQ_DB": self.db, "TERM": "xterm", **(env or {})}))
        self.assertEqual(done.stderr, "", typed)
        return [line for line in done.stdout.splitlines() if line]

    @unittest.skipUnless(shutil.which("bash"), "there is no bash")
    def test_bash(self):
        script = ('. "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tpq; '
                  'printf "%s\n" "${COMPREPLY[@]}"')
        for words, expected in (*self.lines(), (("rm", "--db", "=", self.db, "baseline"), ["baseline 2"])):
            found = self.complete("bash", "-c", script, "bash", os.path.join(BUILD, "tpq.bash"), TPQ, *words)
            self.assertEqual(sorted(found), sorted(expected), words)
        self.assertFalse(os.path.exists(self.path("evil")))

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        script = "source $argv[1]; for line in $argv[2..]; complete -C $line; echo '<end>'; end"
        lines = (*self.lines(), (("rm", f"--db={self.db}", "baseline"), ["baseline 2"]), (("rm", "--db=none.db", "baseline"), []))
        typed = [" ".join(("tpq", *(word.replace("$", "\\$") for word in words))) for words, _ in lines]
        found = self.complete("fish", "--no-config", "-c", script, os.path.join(BUILD, "tpq.fish"), *typed, env=self.with_program())
        for words, expected in lines:
            end = found.index("<end>")
            self.assertEqual(sorted(one.split("\t")[0] for one in found[:end]), sorted(expected), words)
            found = found[end + 1:]
        self.assertFalse(os.path.exists(self.path("evil")))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        """In an interactive shell: what is offered passes by a function in the place of compadd."""
        script = """
            zmodload zsh/zpty; zpty shell zsh -f -i
            zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; stty -echo -onlcr columns 10000; fpath=($BUILD $fpath)
              autoload -Uz compinit; compinit -u -D; zstyle ":completion:*" verbose no
              compadd() { local -a hits
                [[ " $* " == *" -"[OAD]" "* ]] || { builtin compadd -O hits "$@"; print -rl -- "<"${^hits}">" }
                builtin compadd "$@" }
              offer() { zle complete-word; print -r -- "<""end>" }; zle -N offer; bindkey "^I" offer; print -r -- "<""ready>"'
            zpty -r shell text '*<ready>*'
            for line in "$@"; do
              zpty -n -w shell "$line"$'\\t'; zpty -r shell text '*<end>*'; print -r -- "$text"; zpty -n -w shell $'\\C-u'
            done"""
        lines = (*self.lines(), (("rm", f"--db={self.db}", "baseline"), ["baseline 2"]), (("rm", "--db=none.db", "baseline"), []))
        typed = [" ".join(("tpq", *(word.replace("$", "\\$") for word in words))) for words, _ in lines]
        text = "\n".join(self.complete("zsh", "-f", "-c", script, "zsh", *typed, env={**self.with_program(), "BUILD": BUILD}))
        offered = [re.findall("<(.*)>", part) for part in text.split("<end>")]
        for (words, expected), found in zip(lines, offered):
            self.assertEqual(sorted(set(found)), sorted(expected), words)
        self.assertEqual(len(offered), len(lines) + 1)
        self.assertFalse(os.path.exists(self.path("evil")))

    def with_program(self):
        """An environment in which tpq is the one that is tested."""
        return {"PATH": os.path.dirname(TPQ) + ":" + os.environ["PATH"]}


if __name__ == "__main__":
    main()
