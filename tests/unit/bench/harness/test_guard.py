import unittest

import bench_path  # noqa: F401
import guard

ROW = guard.BY_NAME["keep-1"]
BUSY = guard.BY_NAME["keep-64"]
STORED = {"system_calls": {"read": 1.0, "write": 1.0, "epoll_pwait": 1.0}, "instructions": 2000}


def measured(instructions=2000, **calls):
    return {"system_calls": {**STORED["system_calls"], **calls}, "instructions": instructions}


class GuardTest(unittest.TestCase):
    def test_the_stored_counts_pass(self):
        self.assertEqual(guard.problems(ROW, measured(), STORED), [])

    def test_one_more_system_call_in_a_hundred_requests_is_noticed(self):
        self.assertTrue(guard.problems(ROW, measured(openat2=0.01), STORED))

    def test_timers_may_wake_the_loop(self):
        self.assertEqual(guard.problems(ROW, measured(epoll_pwait=1.06), STORED), [])
        self.assertTrue(guard.problems(ROW, measured(epoll_pwait=2.0), STORED))

    def test_instructions_may_move_by_three_percent(self):
        self.assertEqual(guard.problems(ROW, measured(2059), STORED), [])
        self.assertTrue(guard.problems(ROW, measured(2061), STORED))
        self.assertTrue(guard.problems(ROW, measured(1939), STORED))

    def test_the_busy_row_has_the_limits_of_the_product(self):
        few = {"system_calls": {"read": 1.0, "write": 1.0}, "instructions": 4000}
        self.assertEqual(guard.problems(BUSY, few, few), [])
        self.assertTrue(guard.problems(BUSY, {**few, "system_calls": {"read": 1.0, "write": 1.21}}, few))
        self.assertTrue(guard.problems(BUSY, {**few, "instructions": 4001}, few))

    def test_what_is_not_stored_is_a_problem(self):
        self.assertTrue(guard.problems(ROW, measured(), None))

    def test_timers_are_left_out(self):
        self.assertEqual(guard.settled({"read": 1.0004, "write": 0.009}), {"read": 1.0})


if __name__ == "__main__":
    unittest.main()
