"""The pages in a browser: that of `proofmill bench --html`, and that of the service while it proves. Chromium shows them at the width of a
telephone and of a desk, light and dark; what their scripts and plots made is looked at in the document that comes of it.

With PROOFMILL_SHOTS=FOLDER it leaves pictures there, for people.
"""

import base64
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from place import PROOFMILL, run  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: Seconds after which something hangs.
PATIENCE = 300
WIDTHS, SCHEMES, HEIGHT = (360, 1400), ("light", "dark"), 2400
#: The smallest letters of a plot, in pixels.
LETTERS = 9
#: What a page looks like: what is wider than the page without a frame of its own that scrolls, and the smallest letters of its plots.
MEASURE = """(() => {
const wide = document.documentElement.clientWidth;
const scrolls = e => e && (getComputedStyle(e).overflowX !== "visible" && e !== document.documentElement || scrolls(e.parentElement));
const over = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > wide + 1 && !scrolls(e.parentElement));
const size = e => parseFloat(getComputedStyle(e).fontSize) * e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width;
const letters = [...document.querySelectorAll("svg text")].map(size);
return { wide, scroll: document.documentElement.scrollWidth, over: over.slice(0, 5).map(e => e.outerHTML.slice(0, 80)), letters: Math.min(...letters),
  ink: getComputedStyle(document.body).color, paper: getComputedStyle(document.body).backgroundColor, text: document.documentElement.outerHTML };
})()"""


class Browser:
    """A page in Chromium, controlled through pipes. `--window-size` is not sufficient: no window is narrower than 500 pixels."""

    def __init__(self, folder):
        (reads, self.to), (self.answers, writes) = os.pipe(), os.pipe()
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile", "--remote-debugging-pipe"]
        started = ["sh", "-c", f'exec "$@" 3<&{reads} 4>&{writes}', "sh", *command]
        self.process = subprocess.Popen(started, pass_fds=(reads, writes), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(reads), os.close(writes)
        self.number, self.said, self.session = 0, b"", {}
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = {"sessionId": self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}

    def ask(self, method, **parameters):
        self.number += 1
        os.write(self.to, json.dumps({"id": self.number, "method": method, "params": parameters, **self.session}).encode() + b"\0")
        while True:
            while b"\0" not in self.said:
                if not select.select([self.answers], [], [], PATIENCE)[0] or not (more := os.read(self.answers, 1 << 20)):
                    raise AssertionError(f"chromium does not answer {method}")
                self.said += more
            first, self.said = self.said.split(b"\0", 1)
            answer = json.loads(first)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def shown(self, name, url, ready="true"):
        """What is measured at each width in each scheme, once the page is there and `ready`."""
        for width in WIDTHS:
            for scheme in SCHEMES:
                self.ask("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=width < 600)
                self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                self.ask("Page.navigate", url=url)
                end = time.monotonic() + PATIENCE
                while not self.value(f"location.href !== 'about:blank' && document.readyState === 'complete' && ({ready})"):
                    if time.monotonic() > end:
                        raise AssertionError(f"{url} is not ready: {ready}")
                    time.sleep(0.1)
                if folder := os.environ.get("PROOFMILL_SHOTS"):
                    picture = self.ask("Page.captureScreenshot")["data"]
                    Path(folder, f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(picture))
                yield width, scheme, self.value(MEASURE)

    def close(self):
        os.close(self.to), os.close(self.answers)
        self.process.terminate()
        self.process.wait()


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.browser = Browser(self.folder)
        self.addCleanup(self.browser.close)

    def looks_well(self, width, scheme, seen):
        """Nothing is wider than the page, and letters can be read."""
        self.assertEqual((seen["wide"], seen["over"], seen["scroll"]), (width, [], width), scheme)
        self.assertGreaterEqual(seen["letters"], LETTERS, (width, scheme))
        self.assertNotEqual(seen["ink"], seen["paper"])

    def test_the_report(self):
        page = self.folder / "report.html"
        quick = [] if os.environ.get("PROOFMILL_SHOTS") else ["--quick"]
        run([PROOFMILL, "bench", *quick, "--all-paths", "--html", page])
        text = page.read_text()
        self.assertNotRegex(text, r"""(src|href)=["'](?!#)|url\(|@import|https?://(?!www\.w3\.org/2000/svg)""")
        papers = {}
        for width, scheme, seen in self.browser.shown("report", page.as_uri()):
            self.looks_well(width, scheme, seen)
            document = seen["text"]
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
                for width, scheme, seen in self.browser.shown("service", address, "document.querySelectorAll('#latency circle').length >= 3"):
                    self.looks_well(width, scheme, seen)
                    document = seen["text"]
                    self.assertIn("cpu:", document, (width, scheme))
                    latency = re.search(r'<svg id="latency".*?</svg>', document, re.S)[0]
                    self.assertGreaterEqual(len(re.findall("<circle", latency)), 3, latency)
                    self.assertRegex(document, r'<table id="keys">.*chain')
                    self.assertRegex(document, r'<dl id="jobs">.*<dd>3</dd>')
            finally:
                service.send_signal(signal.SIGTERM)
                self.assertEqual(service.wait(timeout=PATIENCE), 0)


def load_tests(_loader, tests, _pattern):
    """Returns the tests, or a placeholder that prints the reason, since Python treats an empty suite as a failure."""
    reason = "SKIPPED the pages in a browser: there is no chromium; on Debian: apt-get install chromium"
    return tests if CHROMIUM else unittest.TestSuite([unittest.FunctionTestCase(lambda: print(reason))])


if __name__ == "__main__":
    unittest.main()
