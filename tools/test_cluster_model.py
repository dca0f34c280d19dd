"""The model of a cluster against closed forms, a second computation, and counts that must balance."""

import math
import sys
import unittest
from dataclasses import replace

from place import ROOT

sys.path.insert(0, str(ROOT / "examples/cluster"))

import cluster_model  # noqa: E402
import manifest  # noqa: E402
import report  # noqa: E402
from cluster_model import DAY, HOUR, PLAN, Run, Scenario, capacity, nodes_for, waiting_time  # noqa: E402

#: A cluster without delays, noise and failures.
IDEAL = Scenario(link=math.inf, copy=0, dispatch=0, jitter=0, slow_share=0, mtbf=math.inf, errors=0)


def stationary_wait(nodes, load, steps=400, most=200):
    """Returns the mean wait of M/D/c in service times, from the distribution of the jobs, observed once in each service time."""
    m = nodes * load
    arrivals = [math.exp(-m)]
    for k in range(1, most):
        arrivals.append(arrivals[-1] * m / k)
    jobs = [1.0] + [0.0] * (most - 1)
    for _ in range(steps):
        kept = [sum(jobs[:nodes + 1]), *jobs[nodes + 1:]]
        jobs = [sum(kept[i] * arrivals[n - i] for i in range(min(n + 1, len(kept)))) for n in range(most)]
    return sum(n * share for n, share in enumerate(jobs)) / m - 1


class Queue(unittest.TestCase):
    def test_one_server_waits_as_pollaczek_and_khinchine_state(self):
        for load in (0.5, 0.8, 0.95):
            self.assertAlmostEqual(waiting_time(1, load, 2.0), 2.0 * load / (2 * (1 - load)))

    def test_several_servers_wait_as_their_stationary_distribution_states(self):
        for nodes, load in ((2, 0.5), (3, 0.8), (5, 0.8)):
            self.assertAlmostEqual(waiting_time(nodes, load, 1.0), stationary_wait(nodes, load), places=6)

    def test_the_simulation_waits_as_m_d_c(self):
        for nodes, load in ((1, 0.5), (4, 0.8)):
            run = Run(replace(IDEAL, hours=8), 1.0, nodes, nodes * load)
            exact = waiting_time(nodes, load, 1.0)
            self.assertAlmostEqual(run.mean_wait(), exact, delta=0.05 * exact)

    def test_a_light_load_does_not_wait(self):
        run = Run(IDEAL, 1.0, 20, 0.5)
        self.assertLess(run.mean_wait(), 1e-9)
        self.assertAlmostEqual(run.times()[-1], 1.0)

    def test_drivers_limit_the_proofs(self):
        for drivers in (1, 2):
            scenario = replace(IDEAL, link=PLAN["witness"] * 8 / 1e9, drivers=drivers, hours=0.5)  # a second for each witness
            run = Run(scenario, 1.0, 20, 3.0)
            self.assertAlmostEqual(sum(job.ended is not None for job in run.jobs) / (0.5 * HOUR), drivers, delta=0.02 * drivers)
            self.assertAlmostEqual(run.growth(), 3.0 - drivers, delta=0.1)


class Failures(unittest.TestCase):
    ROUGH = replace(IDEAL, mtbf=0.2, detect=10, repair=60, errors=0.05, slow_share=0.3, jitter=0.1, hours=4)

    def test_every_job_ends_exactly_once(self):
        run = Run(self.ROUGH, 10.0, 10, 0.7)
        ended = [job for job in run.jobs if job.ended is not None]
        begun = [job for job in run.jobs if job.ended is None and job.started is not None and job not in run.waiting]
        self.assertEqual(len(run.jobs), len(ended) + len(begun) + len(run.waiting))
        self.assertEqual(len(run.waiting), len(set(map(id, run.waiting))))
        self.assertFalse({id(job) for job in ended} & {id(job) for job in run.waiting})
        self.assertEqual(run.returned, sum(job.attempts for job in run.jobs) - sum(job.started is not None for job in run.jobs) + sum(job.attempts > 0 for job in run.waiting))
        self.assertLessEqual(len(begun), 10 + run.node_failures)
        self.assertGreater(run.node_failures, 100)
        self.assertTrue(any(job.failed for job in ended))
        self.assertTrue(all(1 <= job.attempts <= self.ROUGH.attempts and job.submitted <= job.started <= job.ended for job in ended))

    def test_an_overloaded_cluster_makes_the_proofs_of_its_capacity(self):
        scenario = replace(self.ROUGH, attempts=1000, hours=12)
        power = capacity(scenario, 10.0, 10)
        run = Run(scenario, 10.0, 10, 1.2 * power)
        proofs = sum(job.ended is not None for job in run.jobs) / (12 * HOUR)
        self.assertAlmostEqual(proofs, power, delta=0.03 * power)
        self.assertAlmostEqual(run.growth(), 0.2 * power, delta=0.03 * power)

    def test_equal_seeds_have_equal_runs(self):
        def outcome(seed):
            run = Run(replace(self.ROUGH, seed=seed, hours=1), 10.0, 5, 0.3)
            return [(job.submitted, job.ended) for job in run.jobs]
        self.assertEqual(outcome(1), outcome(1))
        self.assertNotEqual(outcome(1), outcome(2))


class Capacity(unittest.TestCase):
    def test_of_ideal_nodes(self):
        self.assertAlmostEqual(capacity(IDEAL, 0.5, 3), 6.0)
        self.assertAlmostEqual(capacity(replace(IDEAL, slow_share=0.5), 0.5, 4), 6.0)  # half of them take twice the time

    def test_the_smallest_fleet(self):
        self.assertEqual(nodes_for(IDEAL, 1.0, 8 * DAY), 10)
        self.assertEqual(nodes_for(IDEAL, 1.0, 8.1 * DAY), 11)
        self.assertEqual(nodes_for(IDEAL, 1.0, 1), 1)

    def test_rates_are_those_of_the_rows(self):
        rates = cluster_model.Rates(report.newest())
        self.assertGreater(rates.cpu, rates.gpu)
        self.assertGreater(rates.host, 0)
        self.assertLess(rates.quotient, rates.card * 3 / 4)  # so it ends before the MSM over it begins


class Page(unittest.TestCase):
    def test_tables_are_filled_by_name(self):
        page = "a\n<!-- cluster limits -->\nold\n<!-- end -->\nb\n"
        self.assertEqual(cluster_model.filled(page, {"limits": "| x |\n"}), "a\n<!-- cluster limits -->\n| x |\n<!-- end -->\nb\n")
        with self.assertRaises(cluster_model.Failed):
            cluster_model.filled(page, {})

    def test_axes(self):
        axis = cluster_model.powers(0, 2)
        self.assertEqual([axis.at(value) for value in (0.5, 1, 10, 100, 1000)], [0, 0, 0.5, 1, 1])
        self.assertEqual(cluster_model.Axis(0, 4, (), False).at(1), 0.25)


class Manifest(unittest.TestCase):
    TEMPLATE = manifest.TEMPLATE.read_text()

    def test_the_manifest_has_the_values_of_the_plan_of_the_page(self):
        self.assertEqual(manifest.filled(self.TEMPLATE, manifest.values([PLAN], 17, 1, 16, 0, "proofmill-ray:latest")), self.TEMPLATE)

    def test_every_value_is_replaced_where_it_is_marked(self):
        found = {"nodes": 3, "cpus": 96, "gpus": 7, "image": "registry.example:5000/proofmill@sha256:ab", "store": 5, "memory": "11Mi"}
        text = manifest.filled(self.TEMPLATE, found)
        for name, value in found.items():
            lines = [line.removesuffix(f"  # = {name}") for line in text.splitlines() if line.endswith(f"  # = {name}")]
            self.assertTrue(lines and all(line.strip('"').endswith(str(value)) for line in lines), (name, lines))
        self.assertEqual(text.count("&image "), 1)
        self.assertEqual(manifest.filled(text, manifest.values([PLAN], 17, 1, 16, 0, "proofmill-ray:latest")), self.TEMPLATE)

    def test_workers_share_their_keys(self):
        one, two = (manifest.memory_bytes([PLAN], workers) for workers in (1, 2))
        self.assertLess(two, 2 * one - PLAN["key"])
        more = [{**PLAN, "key": PLAN["key"] + key} for key in range(6)]
        self.assertEqual(manifest.memory_bytes(more, 1) - manifest.memory_bytes(more[:1], 1), 3 * PLAN["key"] + 5 + 4 + 3 + 2)


if __name__ == "__main__":
    unittest.main()
