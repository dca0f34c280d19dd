"""The example that verifies the blocks of a Zebra node, on a server that answers as the node does."""

import contextlib
import importlib.util
import io
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[4]


def module():
    spec = importlib.util.spec_from_file_location("verify_zebra", ROOT / "examples/zcash/verify_zebra.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def block(height):
    return (ROOT / f"examples/blocks/mainnet-{height}.hex").read_text().strip()


class Node(BaseHTTPRequestHandler):
    blocks = {}

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"id": request["id"], "result": None, "error": None}
        height = request["params"][0] if request["params"] else None
        if request["method"] == "getblockcount":
            answer["result"] = max(map(int, self.blocks))
        elif height in self.blocks:
            answer["result"] = self.blocks[height]
        else:
            answer["error"] = {"code": -8, "message": "block height not in best chain"}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Zebra(unittest.TestCase):
    def verify(self, blocks, *arguments):
        Node.blocks = blocks
        with HTTPServer(("127.0.0.1", 0), Node) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            output = io.StringIO()
            try:
                with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                    status = module().main(["--url", f"http://127.0.0.1:{server.server_port}", *arguments])
            finally:
                server.shutdown()
                thread.join()
        return status, output.getvalue()

    def test_blocks(self):
        status, output = self.verify({"949496": block(949496)}, "--first", "949496")
        self.assertEqual(status, 0, output)
        self.assertTrue(output.startswith("NOT VERIFIED"))
        self.assertIn("1 blocks: {'incomplete': 1}", output)

    def test_a_block_that_does_not_follow_is_invalid(self):
        status, output = self.verify({"949496": block(949496), "949497": block(1687113)}, "--first", "949496", "--group", "1")
        self.assertEqual(status, 1, output)
        self.assertIn("it does not follow the block before it", output)

    def test_errors(self):
        status, output = self.verify({"949496": block(949496)}, "--first", "949496", "--count", "2")
        self.assertEqual(status, 2, output)
        self.assertIn("getblock: block height not in best chain", output)
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            self.assertEqual(module().main(["--url", "http://127.0.0.1:9"]), 2)


if __name__ == "__main__":
    unittest.main()
