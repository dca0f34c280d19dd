"""The notebook as its readers run it, in a kernel of its own; in the tree it has no results."""

import unittest
from pathlib import Path

import nbclient
import nbformat

NOTEBOOK = Path(__file__).resolve().parents[1] / "examples/circuit_to_proof.ipynb"


class Notebook(unittest.TestCase):
    def test_it_goes_from_a_circuit_to_a_verified_proof_and_a_plot(self):
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbclient.NotebookClient(notebook, timeout=1200).execute()
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
        said = "".join(output.get("text", "") for output in outputs)
        for line in ("ours: True", "forged: False", "snarkjs: True"):
            self.assertIn(line, said)
        plots = [output for output in outputs if "image/png" in output.get("data", {})]
        self.assertEqual(len(plots), 1, said)

    def test_it_is_kept_without_results(self):
        for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
            self.assertFalse(cell.get("outputs") or cell.get("execution_count"), cell.source)


if __name__ == "__main__":
    unittest.main()
