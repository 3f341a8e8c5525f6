"""include_check.py must catch what it is for: each rule is broken once in a sample tree."""

import pathlib
import tempfile
import unittest

import include_check

RULES = """
@posix = unistd.h sys/*
common/base: ; @posix
worker/http: common/base ;
worker/files: worker/http common/base/result.h ; @posix uv.h
worker/files/pure.cc: ;
"""


class IncludeCheckTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        self.write("common/base/result.h", "")
        self.write("common/base/text.h", "")
        self.write("worker/http/message.h", "")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def problems(self):
        return include_check.check_tree(self.root, include_check.parse_rules(RULES))

    def test_allowed_includes_pass(self):
        self.write("worker/files/a.cc", '#include <vector>\n#include <uv.h>\n#include <sys/stat.h>\n'
                   '#include "worker/http/message.h"\n#include "common/base/result.h"\n')
        self.assertEqual(self.problems(), [])

    def test_folder_that_is_not_listed(self):
        self.write("worker/files/a.h", "")
        self.write("worker/http/a.cc", '#include "common/base/text.h"\n#include "worker/files/a.h"\n')
        self.assertEqual(self.problems(), ['worker/http/a.cc:2: "worker/files/a.h" is not allowed by '
                                           "the rule of worker/http"])

    def test_one_header_of_a_folder_does_not_open_the_folder(self):
        self.write("worker/files/a.cc", '#include "common/base/text.h"\n')
        self.assertEqual(len(self.problems()), 1)

    def test_third_party_and_system_headers(self):
        self.write("worker/http/a.h", "#include <uv.h>\n  #  include <unistd.h>\n#include <string>\n")
        self.assertEqual([line.split(":")[1] for line in self.problems()], ["1", "2"])

    def test_a_file_rule_replaces_its_folder_rule(self):
        self.write("worker/files/pure.cc", "#include <uv.h>\n")
        self.assertEqual(len(self.problems()), 1)

    def test_folder_without_a_rule(self):
        self.write("supervisor/new.cc", "")
        self.assertEqual(self.problems(), ["supervisor/new.cc: no rule names this folder"])

    def test_relative_include(self):
        self.write("worker/files/a.h", "")
        self.write("worker/files/a.cc", '#include "a.h"\n')
        self.assertIn("not a path from the top", self.problems()[0])

    def test_broken_rule_line(self):
        with self.assertRaises(ValueError):
            include_check.parse_rules("worker/http common/base")


if __name__ == "__main__":
    unittest.main()
