import unittest

import bench_path  # noqa: F401
import stats


class StatsTest(unittest.TestCase):
    def test_summary_names_the_spread(self):
        self.assertEqual(stats.summary([3, 1, 2, 10]), {"median": 2.5, "min": 1, "max": 10, "mad": 1.0})

    def test_the_interval_of_equal_values_is_a_point(self):
        self.assertEqual(stats.bootstrap([2.0] * 5), (2.0, 2.0))

    def test_the_interval_holds_the_median_and_stays_within_the_values(self):
        low, high = stats.bootstrap([1.0, 2.0, 3.0, 4.0, 5.0])
        self.assertTrue(1.0 <= low < 3.0 < high <= 5.0)

    def test_pairs_cancel_a_drift_of_the_machine(self):
        found = stats.ratio([1.0, 2.0, 4.0], [2.0, 4.0, 8.0])
        self.assertEqual((found["median"], found["low"], found["high"]), (0.5, 0.5, 0.5))

    def test_less_than_five_percent_is_no_difference(self):
        self.assertEqual(stats.compare(stats.ratio([0.96] * 5, [1.0] * 5)), "same")
        self.assertEqual(stats.compare(stats.ratio([0.90] * 5, [1.0] * 5)), "less")
        self.assertEqual(stats.compare(stats.ratio([1.10] * 5, [1.0] * 5)), "more")

    def test_a_wide_interval_is_no_difference(self):
        self.assertEqual(stats.compare({"median": 0.8, "low": 0.6, "high": 1.1}), "same")

    def test_a_goal_has_five_percent_slack_and_needs_the_whole_interval(self):
        self.assertEqual(stats.judge({"median": 0.78, "low": 0.77, "high": 0.79}, 0.76), "met")
        self.assertEqual(stats.judge({"median": 0.85, "low": 0.82, "high": 0.90}, 0.76), "missed")
        self.assertEqual(stats.judge({"median": 0.79, "low": 0.75, "high": 0.85}, 0.76), "open")


if __name__ == "__main__":
    unittest.main()
