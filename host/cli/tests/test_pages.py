"""The pages in a browser: that of `proofmill bench --html`, and that of the service while it proves. Chromium shows them at the width of a
telephone and of a desk, light and dark; what their scripts and plots made is looked at in the document that comes of it.

With PROOFMILL_SHOTS=FOLDER it leaves pictures there, for people.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from place import PROOFMILL, run  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS, SCHEMES = (360, 1400), {"light": 1, "dark": 0}
#: Is put at the end of a page that is a file: what is wider than the page without a frame of its own that scrolls.
MEASURE = """<script>
const wide = document.documentElement.clientWidth;
const scrolls = e => e && (getComputedStyle(e).overflowX !== "visible" && e !== document.documentElement || scrolls(e.parentElement));
const over = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > wide + 1 && !scrolls(e.parentElement));
document.title = JSON.stringify({ wide, scroll: document.documentElement.scrollWidth, over: over.slice(0, 5).map(e => e.outerHTML.slice(0, 80)),
  ink: getComputedStyle(document.body).color, paper: getComputedStyle(document.body).backgroundColor });
</script>"""


def chromium(url, width, scheme, *arguments):
    """What a browser of this width says. Its window has no frame, and a height that shows all."""
    with tempfile.TemporaryDirectory() as profile:
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}", f"--window-size={width},2400",
                   f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", "--virtual-time-budget=6000", *arguments, url]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120, check=True).stdout


def shown(name, url):
    """The document at each width in each scheme: (width, scheme, text)."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            if folder := os.environ.get("PROOFMILL_SHOTS"):
                chromium(url, width, scheme, f"--screenshot={folder}/{name}-{width}-{scheme}.png")
            yield width, scheme, chromium(url, width, scheme, "--dump-dom")


@unittest.skipUnless(CHROMIUM, "there is no chromium: `apt-get install chromium` on Debian")
class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_the_report(self):
        page = self.folder / "report.html"
        quick = [] if os.environ.get("PROOFMILL_SHOTS") else ["--quick"]
        run([PROOFMILL, "bench", *quick, "--all-paths", "--html", page])
        text = page.read_text()
        self.assertNotRegex(text, r"""(src|href)=["'](?!#)|url\(|@import|https?://(?!www\.w3\.org/2000/svg)""")
        page.write_text(text + MEASURE)
        papers = {}
        for width, scheme, document in shown("report", page.as_uri()):
            seen = json.loads(re.search("<title>({.*?})</title>", document, re.S)[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
            self.assertEqual((seen["over"], seen["scroll"]), ([], seen["wide"]), (width, scheme))
            self.assertNotEqual(seen["ink"], seen["paper"])
            papers.setdefault(scheme, set()).add(seen["paper"])
            for heading in ("Throughput on this machine", "Phases of a proof on this machine", "Groth16 proofs", "Cycles of the circuits", "Size of the circuits"):
                self.assertIn(f">{heading}</h2>", document)
            self.assertGreater(document.count("<svg"), 20)
        self.assertFalse(papers["light"] & papers["dark"], papers)

    def test_the_service(self):
        run([PROOFMILL, "dev", "circuit", "chain", "--constraints", 3000, "--out", self.folder])
        command = [PROOFMILL, "serve", "--key", f"chain={self.folder}/INSECURE.zkey", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
            try:
                address = re.search(r"http://\S+", service.stdout.readline())[0]
                witness = (self.folder / "witness.wtns").read_bytes()
                for _ in range(3):
                    answer = urllib.request.urlopen(urllib.request.Request(f"{address}/v1/prove/chain", data=witness, method="POST"))
                    self.assertIn("proof", json.loads(answer.read()))
                for width, scheme, document in shown("service", address):
                    self.assertIn("cpu:", document, (width, scheme))
                    latency = re.search(r'<svg id="latency".*?</svg>', document, re.S)[0]
                    self.assertGreaterEqual(len(re.findall("<circle", latency)), 3, latency)
                    self.assertRegex(document, r'<table id="keys">.*chain')
                    self.assertRegex(document, r'<dl id="jobs">.*<dd>3</dd>')
            finally:
                service.send_signal(signal.SIGTERM)
                self.assertEqual(service.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
