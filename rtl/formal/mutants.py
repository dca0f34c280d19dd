"""Can the proofs fail? Each fault below is put into the circuit of a proof, and the proof has to refute it.

`python3 rtl/formal/mutants.py [--list] [--long] [PROOF ...]`, after or before `python3 tools/formal.py`, which does the proofs
themselves. A fault is a piece of the generated text that must be there exactly once, and what replaces it.
What was refuted once is remembered under its content and not repeated; `--again` forgets. rtl/formal/refuted.txt lists what was refuted with
`--record`: that is repeated only with `--long` or `--again`.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import formal  # noqa: E402
import rtl  # noqa: E402
import setup  # noqa: E402
from place import TARGET, Failed, main, write_whole  # noqa: E402

#: Digest and name of each fault that was refuted.
RECORD = ROOT / "rtl/formal/refuted.txt"
REFUTE = f"read_aiger {{name}}.aig; fold; strash; scorr; orpos; bmc3 -F 40 -T {formal.SECONDS}"

# (proof, what is wrong, pattern in the generated text, replacement)
FAULTS = [
    ("packet_fifo", "a rollback also forgets whole packets", r"write <= committed;", "write <= read;"),
    ("packet_fifo", "words are seen before their packet is whole", r"assign address_valid = \(read != committed\);", "assign address_valid = (read != write);"),
    ("packet_fifo", "one word too many is taken", r"assign push_ready = \(\(write .*;", "assign push_ready = 1'b1;"),
    ("half_rate", "a word enters where one waits", r"assign in_ready = \(! in_half_valid\);", "assign in_ready = 1'b1;"),
    ("half_rate", "a part enters where one waits", r"if\(copy_5_now\) begin", "if(in_valid) begin"),
    ("half_rate", "the parts are told a cycle late", r"assign _zz_next = .*;", "assign _zz_next = (! in_half_valid);"),
    ("half_rate", "a word that has left is still there", r"(in_half_valid \? )\(! in_half_to_ready\)", r"\g<1>1'b1"),
    ("packet_arbiter", "the grant moves before the packet's end", r"locked <= .*;", "locked <= 1'b0;"),
    ("packet_arbiter", "the first port always wins", r"owner <= grant;", "owner <= 3'b100;"),
    ("rx_framer", "the header is not kept", r"header <= present;", "header <= 64'h0;"),
    ("rx_framer", "a packet cut by a reset is still answered", r"silent <= abort;", "silent <= 1'b0;"),
    ("rx_framer", "the length is not counted", r"left <= \(left - .*\);", "left <= left;"),
    ("serial_framer", "a quiet line does not end a packet", r"assign closing = .*;", "assign closing = 1'b0;"),
    ("serial_framer", "a length that cannot be is believed", r"damaged <= \(! possible\);", "damaged <= 1'b0;"),
    ("serial_framer", "the bytes are not counted", r"left <= \(left - .*\);", "left <= left;"),
    ("control_unit", "the reset reply does not wait for older replies", r"(assign done = .*)\(! repliesWaiting\)", r"\g<1>1'b1"),
    ("control_unit", "the reset reply does not wait for the memory", r"(assign done = .*)\(! memoriesBusy\)", r"\g<1>1'b1"),
    ("control_unit", "the reset never ends", r"resetting <= 1'b0;", "resetting <= 1'b1;"),
    ("async_fifo", "the writer thinks there is always room", r"assign push_ready = \(pushSide.*;", "assign push_ready = 1'b1;"),
    ("async_fifo", "the reader thinks there is always a word", r"assign popSide_address_valid = .*;", "assign popSide_address_valid = 1'b1;"),
    ("async_fifo", "a count is shown in binary", r"pushSide_gray <= .*;", "pushSide_gray <= pushSide_next;"),
    ("async_fifo", "a word goes to the next place", r"assign _zz_memory_port = .*;", "assign _zz_memory_port = pushSide_next[1:0];"),
    ("async_fifo", "a count moves without a word", r"assign pushSide_next = .*;", "assign pushSide_next = (pushSide_count + 3'b001);"),
    ("axi_crossing", "the end of a write is lost", r"assign subordinate_w_payload_last = .*;", "assign subordinate_w_payload_last = 1'b0;"),
    ("axi_crossing", "a response waits for read data", r"assign manager_b_valid = (.*);", r"assign manager_b_valid = (\1 && manager_r_valid);"),
    ("axi_crossing", "addresses of reads are taken with those of writes", r"assign manager_ar_ready = (.*);", r"assign manager_ar_ready = (\1 || manager_aw_ready);"),
    ("firewall", "a read of a dead side is not answered", r"assign read_data_valid = .*;", "assign read_data_valid = subordinate_r_valid;"),
    ("firewall", "the rest of a cut read is one beat", r"assign read_data_payload_last = .*;", "assign read_data_payload_last = (cut || (read_beat == _zz_read_data_payload_last));"),
    ("firewall", "a write is answered before its data", r"assign write_whole = .*;", "assign write_whole = (write_open != 2'b00);"),
    ("firewall", "a read that hangs is waited for", r"assign readLate = .*;", "assign readLate = 1'b0;"),
    ("firewall", "a write that hangs is waited for", r"assign writeLate = .*;", "assign writeLate = 1'b0;"),
    ("firewall", "it opens with a burst under way", r"assign opens = .*;", "assign opens = closing;"),
    ("firewall", "it never opens again", r"assign opens = .*;", "assign opens = 1'b0;"),
    ("memory_share", "a turn ends with a beat of a read, not with its last", r"assign read_turns_queue_io_pop_ready = .*;", "assign read_turns_queue_io_pop_ready = memory_r_fire;"),
    ("memory_share", "a turn ends with a beat of a write, not with its last", r"assign write_data_queue_io_pop_ready = .*;", "assign write_data_queue_io_pop_ready = memory_w_fire;"),
    ("memory_share", "responses go to whose data are due", r"assign managers_0_b_valid = \(.*write_answers_queue_io_pop_payload (== 1'b0\)\));", r"assign managers_0_b_valid = ((memory_b_valid && write_answers_queue_io_pop_valid) && (write_data_queue_io_pop_payload \1;"),
    ("memory_share", "an address goes out without room for its turn", r"assign read_room = .*;", "assign read_room = 1'b1;"),
    ("memory_stripe_map", "a unit's highest bits have no part in its port", r" \^ _zz_1\[20 : 18\]", ""),
    ("memory_stripe_reads", "neighbours lie behind one port", r"assign read_port = .*;", "assign read_port = _zz_read_port[1 : 1];"),
    ("memory_stripe_reads", "units of a port lie on each other", r"assign _zz_read_parts_halves_1_payload_addr = .*;", "assign _zz_read_parts_halves_1_payload_addr = 1'b0;"),
    ("memory_stripe_reads", "an address goes out without room for its turn", r"assign read_room = .*;", "assign read_room = 1'b1;"),
    ("memory_stripe_reads", "a turn ends with a beat of a read, not with its last", r"assign read_turns_queue_io_pop_ready = .*;", "assign read_turns_queue_io_pop_ready = read_data_fire;"),
    ("memory_stripe_reads", "a port's data leave in another's turn", r"(assign memories_1_r_fifo_io_pop_ready = .*) && \(read_turns_queue_io_pop_payload == 1'b1\)\);", r"\1);"),
    ("memory_stripe_writes", "data go to both ports", r"(assign write_halves_1_valid = .*) && \(write_data_queue_io_pop_payload == 1'b1\)\);", r"\1);"),
    ("memory_stripe_writes", "a turn ends with a beat of a write, not with its last", r"assign write_data_queue_io_pop_ready = .*;", "assign write_data_queue_io_pop_ready = manager_w_fire;"),
    ("memory_stripe_writes", "responses come from whose data are due", r"(assign memories_1_b_ready = \(\(manager_b_ready && write_answers_queue_io_pop_valid\) && \()write_answers_queue_io_pop_payload", r"\1write_data_queue_io_pop_payload"),
    ("memory_stripe_writes", "an address goes out without room for its response's turn", r"assign write_room = .*;", "assign write_room = write_data_queue_io_push_ready;"),
    ("slot_intake", "a descriptor of another session counts", r"(assign rings_0_here = .*)\(rings_0_seen_session == session\)", r"\g<1>1'b1"),
    ("slot_intake", "a page is taken whatever its number", r"(assign rings_0_here = .*)\(rings_0_seen_number == rings_0_number\)", r"\g<1>1'b1"),
    ("slot_intake", "slots outlive their session", r"rings_0_there <= 2'b00;", "rings_0_there <= rings_0_there;"),
    ("slot_intake", "an impossible number of bytes is believed", r"assign rings_0_possible = .*;", "assign rings_0_possible = 1'b1;"),
    ("slot_intake", "the pages are read without room for a line", r"assign rings_0_read_isFree = .*;", "assign rings_0_read_isFree = 1'b1;"),
    ("slot_intake", "a line that waits has the data of the next", r"assign rings_0_line_s2mPipe_payload_fragment_data = .*;", "assign rings_0_line_s2mPipe_payload_fragment_data = rings_0_line_payload_fragment_data;"),
    ("slot_intake", "the last line counts as a whole one", r"assign _zz_rings_0_about_some = .*;", "assign _zz_rings_0_about_some = 5'h08;"),
    ("slot_intake", "lines outlive their session", r"(assign when_Stream_l\d+ = )\(! open_1\);", r"\g<1>1'b0;"),
    ("slot_intake", "a page is offered for ever", r"(assign rings_0_ask_valid = )\(rings_0_passing && open_1\);", r"\g<1>1'b0;"),
    ("memory_guard", "a reset forgets the rest of a write", r"assign write_data_valid = .*;", "assign write_data_valid = ((write_left != 9'h0) && engine_w_valid);"),
    ("memory_guard", "data made up in a reset is written", r"assign write_data_payload_strb = .*;", "assign write_data_payload_strb = engine_w_payload_strb;"),
    ("memory_guard", "the engine sees data from before its reset", r"assign engine_r_valid = \(memory_r_valid .*;", "assign engine_r_valid = memory_r_valid;"),
    ("memory_guard", "a read begins in a reset", r"assign _zz_engine_ar_ready = .*;", "assign _zz_engine_ar_ready = read_open_room;"),
    ("memory_guard", "a response is not waited for", r"assign busy = .*;", "assign busy = read_open_some;"),
    ("axi_lite_door", "a read is answered for ever", r"if\(axi_r_fire\) begin\n\s*answering <= 1'b0;", "if(axi_r_fire) begin\n answering <= 1'b1;"),
    ("register_map", "byte strobes do nothing", r"(5'h08\)\) && door_writeStrobe)\[0\]", r"\1[1]"),
    ("shell", "reply queues keep half a reply", r"\.rollback +\(copy_\w+_now +\)", ".rollback (1'b0)"),
    ("shell", "a reset does not wait for older replies", r"\.repliesWaiting( +)\(\w+ *\)", r".repliesWaiting\1(1'b0)"),
    ("ntt_read_walk", "tiles are not counted", r"tile <= \(tile \+ \w+'h0*1\);", "tile <= tile;"),
    ("ntt_write_walk", "every other beat is left out", r"time_1 <= \(time_1 \+ (\w+)'h0*1\);", r"time_1 <= (time_1 + \1'h2);"),
    ("ntt_long_read_walk", "rows lie on each other", r"assign matrix = .*;", "assign matrix = tile;"),
    ("ntt_long_read_walk", "the last beat of each tile is the last one", r"assign io_isLast = \(\(time_1 == last\) && .*;", "assign io_isLast = (time_1 == last);"),
    ("ntt_long_write_walk", "columns of a tile lie on each other", r"assign across = .*;", "assign across = _zz_across_3;"),
    ("ntt_long_write_walk", "the second pass of three leaves results in the place of the index", r"assign lying = .*;", "assign lying = tile;"),
    ("ntt_shuffle", "a block comes where there is no room", r"assign io_room = .*;", "assign io_room = 1'b1;"),
    ("ntt_shuffle", "a block leaves before it has come", r"assign outOf_go = \(_zz_outOf_go && (.*)\);", r"assign outOf_go = \1;"),
    ("ntt_shuffle", "a beat does not wait for room", r"\(\(! outOf_atBorder\) \|\| io_nextRoom\)", "1'b1"),
    ("ntt_shuffle", "a bank is read in the other block", r"outOf_places_0 <= \{outOf_block,", "outOf_places_0 <= {(! outOf_block),"),
    ("ntt_shuffle", "a lane is not turned back", r"turned_0 <= .*;", "turned_0 <= _zz_turned_0;"),
    ("ntt_exchange", "another bit of the time", r"(assign _zz_output_payload_lanes_2 = \(input_valid && came)\[1\]\);", r"\1[0]);"),
    ("ntt_exchange", "a lane comes a cycle early", r"input_payload_lanes_3_regNext_regNext <= input_payload_lanes_3_regNext;", "input_payload_lanes_3_regNext_regNext <= input_payload_lanes_3;"),
    ("reset_sequencer", "neighbours are told when it begins", r"\(dut_sequence_down && \(3'b011 <= dut_sequence_timer\)\)", "dut_sequence_down"),
    ("reset_sequencer", "it lasts a cycle less", r"\(dut_sequence_down && \(3'b011 <= dut_sequence_timer\)\)", "(dut_sequence_down && (3'b100 <= dut_sequence_timer))"),
    ("reset_sequencer", "it never ends", r"dut_sequence_down <= 1'b0;", "dut_sequence_down <= 1'b1;"),
    ("micro_context", "no product is waited for", r"\(ahead_products <= ahead_word\[4 : 1\]\)", "1'b1"),
    ("micro_context", "sums are not counted", r"makesSum <= \(ahead_word.*;", "makesSum <= 1'b0;"),
    ("micro_context", "a canonical value is not waited for", r"isSettle <= \(ahead_word.*;", "isSettle <= 1'b0;"),
    ("micro_context", "items are not waited for", r"\(ahead_asks && \(! fed\)\)", "1'b0"),
    ("micro_context", "a list is never empty", r"assign ahead_has = .*;", "assign ahead_has = 2'b11;"),
    ("micro_context", "the word behind a take does not wait for the count", r"taking <= .*;", "taking <= 1'b0;"),
    ("micro_context", "no jump is taken", r"follows <= \(ahead_jumps .*;", "follows <= next_1;"),
    ("micro_context", "the counter is not lessened", r"counter <= \(counter - _zz_counter\);", "counter <= counter;"),
    ("micro_context", "a program goes on behind its end", r"arrives <= \(io_begins .*;", "arrives <= io_begins;"),
    ("micro_choice", "the lowest number goes", r"assign io_chosen = .*;", "assign io_chosen = io_ready & (~io_ready + 1);"),
    ("candidate_flags", "a change during the lookup is missed", r"_zz_flags_0_0_2 <= .*;", "_zz_flags_0_0_2 <= 1'b0;"),
    ("candidate_flags", "a candidate that waits does not follow changes", r"flags_0_1_regNext <= .*;", "flags_0_1_regNext <= 1'b0;"),
    ("candidate_flags", "a candidate that decides does not follow changes", r"(io_isFull_0 <= .*) : \(io_isFull_0 \^ .*\)\);", r"\g<1> : io_isFull_0);"),
    ("batch_buckets", "a sum in front of a full bucket is lost", r"assign pairsS = .*;", "assign pairsS = 1'b0;"),
    ("batch_buckets", "a point and a sum are written to one bank", r"assign collides = .*;", "assign collides = 1'b0;"),
    ("batch_buckets_g2", "a sum that waits for a slot is lost", r"assign takesS = .*;", "assign takesS = 1'b1;"),
    ("batch_buckets_g2", "a point whose bucket is full is lost where the adder accepts none", r"assign takesP = .*;", "assign takesP = 1'b1;"),
    ("batch_buckets", "a point that stalls is lost", r"assign takesP = .*;", "assign takesP = 1'b1;"),
    ("solver_partition", "an entry does not wait for the count of the one before it", r"assign arrival_waits = .*;", "assign arrival_waits = 1'b0;"),
    ("solver_partition", "an entry does not wait for a full set of its bucket", r"\(full_valid_0 && \(full_sets_0_bucket == arrival_bucket\)\)", "1'b0"),
    ("solver_partition", "sets that are not full are not written", r"assign finish_some = .*;", "assign finish_some = 1'b0;"),
    ("solver_partition", "the last sets are written before all entries are counted", r"\(ending && \(! arrival_entries_valid\)\) && \(! \(\|\{arrival_valid_2,arrival_valid_1\}\)\)", "ending"),
    ("solver_partition", "data do not wait for their address", r"assign _zz_burst_data_valid = .*;", "assign _zz_burst_data_valid = 1'b1;"),
    ("solver_pairs", "a walk ends after its first step", r"assign walk_continues = .*;", "assign walk_continues = 1'b0;"),
    ("solver_pairs", "a head of another bucket counts", r"\(heads_io_found\[14 : 5\] == mark\)", "(heads_io_found[14 : 12] != 3'b111)"),
    ("solver_pairs", "every entry has one before it", r"assign links_io_content = .*;", "assign links_io_content = {1'b1, load_before};"),
    ("squaring_control", "the period of the input counts as a squaring", r"assign io_squared = .*;", "assign io_squared = io_replace;"),
    ("squaring_control", "the input enters in every period", r"if\(io_replace\) begin\n      enters <= 1'b0;", "if(io_done) begin\n      enters <= 1'b0;"),
    ("squaring_control", "a job has one squaring less", r"\(left == 3'b001\)", "(left == 3'b010)"),
    ("squaring_control", "a job without an input clears the state", r"assign io_clear = .*;", "assign io_clear = io_start_valid;"),
    ("squaring_control_two", "the second pass of the reduction does not enter", r" \|\| \(cycle == 3'b100\)", ""),
    ("squaring_control_two", "the square is complete a cycle early", r"\(cycle == 3'b010\)", "(cycle == 3'b001)"),
    ("in_flight_table", "a conflict with the last entry is no hazard", r"assign io_hazard = \(\|\{_zz_io_hazard_3,(.*)\}\);", r"assign io_hazard = (|\1);"),
    ("in_flight_table", "a result may overwrite the scalar of a multiple", r"ends_1_scalar <= .*;", "ends_1_scalar <= {1'b0,io_issue_payload_instruction_scalar};"),
    ("in_flight_table", "the cycles before the issue are not counted", r"began_2 <= .*;", "began_2 <= clock;"),
    ("in_flight_table", "one table more than there are is used", r"(assign io_allTablesUsed = \()3'b010", r"\g<1>3'b011"),
    ("in_flight_table", "a retired entry remains the oldest", r"head <= \(head \+ 2'b01\);", "head <= head;"),
    ("sum", "a bit of a negative term is not inverted", r"\(~ _zz_inputs_0_1\[4 : 0\]\)", "_zz_inputs_0_1[4 : 0]"),
    ("sum_of_three", "a row's upper part comes a cycle early", r"_zz_sum_12 <= _zz_sum_11;", "_zz_sum_12 <= _zz_sum_3[259 : 174];"),
    ("long_sum", "a carry does not pass a chain of ones", r"(_zz_sum_18 <= )\((_zz_sum_9\[105 : 105\]).*;", r"\1\2;"),
    ("constant_table", "a word's bits begin one too high", r"(assign _zz_added_4 = )\((index \* 6'h3c)\);", r"\1(\2 + 1);"),
    ("carry_select", "a carry does not pass a part of ones", r"\(_zz_sum_10\[15\] && \(_zz_sum_7\[15\] .*\)\)\) \?", "1'b0) ?"),
    ("carry_select", "the lowest part's carry chooses nothing", r"\(_zz_sum_6\[15\] \? _zz_sum_8 : _zz_sum_7\)", "_zz_sum_7"),
    ("divide", "a chunk comes a cycle early", r"(assign chainUnit_1_io_index1 = )\w+(\[20 : 16\];)", r"\1io_x\2"),
    ("canonical", "a negative rest is kept", r"assign isLess = .*;", "assign isLess = 1'b0;"),
    ("canonical_of_digits", "a bit's sign is forgotten", r"assign horner_minus = .*;", "assign horner_minus = 1'b0;"),
    ("canonical_of_digits", "a digit is added with each bit", r"\(step == 3'b000\) (\? _zz_horner_total)", r"(step != 3'b010) \1"),
    ("quotients", "f is never subtracted", r"assign step_minus = .*;", "assign step_minus = 1'b0;"),
    ("shell", "engines are not reset", r"inReset <= resetting;", "inReset <= 1'b0;"),
]


def planted(text, proof, fault, pattern, replacement):
    found = len(re.findall(pattern, text))
    if found != 1:
        raise Failed(f"{proof}, {fault}: /{pattern}/ stands {found} times in the generated text, not once")
    return re.sub(pattern, replacement, text)


def planted_in(folder, entry):
    return planted((folder / f"{entry[0]}.sv").read_text(), *entry)


def refuted(folder, entry, again=False, before=frozenset()):
    """(refuted, seconds, output of abc)."""
    proof, fault, pattern, replacement = entry
    begin = time.monotonic()
    text = planted_in(folder, entry)
    if formal.digest_of(text) in before and not again:
        return True, 0.0, ""
    script = formal.BOUNDED if formal.frames_of(text) else REFUTE
    known = formal.known(text, script)
    if known.exists() and not again:
        return True, 0.0, "refuted before"
    with tempfile.TemporaryDirectory() as scratch:
        said = formal.abc(Path(scratch), text, proof, script)
    good = "was asserted in frame" in said
    if good:
        write_whole(known, "")
    return good, time.monotonic() - begin, said


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only list the faults")
    parser.add_argument("--again", action="store_true", help="refute everything again")
    parser.add_argument("--long", action="store_true", help="refute also what rtl/formal/refuted.txt lists")
    parser.add_argument("--record", action="store_true", help="refute all, as with --long, and list it in rtl/formal/refuted.txt")
    parser.add_argument("--folder", type=Path, help="generated proofs, instead of generating them")
    parser.add_argument("names", nargs="*", metavar="PROOF", help="of which proofs; nothing: of all")
    chosen = parser.parse_args()
    entries = [entry for entry in FAULTS if not chosen.names or entry[0] in chosen.names]
    if chosen.list:
        print("\n".join(f"{proof}: {fault}" for proof, fault, *_ in entries))
        return 0
    folder = chosen.folder or TARGET / "mutants"
    if not chosen.folder:
        shutil.rmtree(folder, ignore_errors=True)
        rtl.java("proofmill.formal.GenerateProofs", folder)
    if chosen.record and chosen.names:
        raise Failed("--record: lists all faults; name no proof")
    before = frozenset() if chosen.long or chosen.record else formal.recorded(RECORD)
    setup.yosys()  # made before the workers meet
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        outcomes = list(workers.map(lambda entry: refuted(folder, entry, chosen.again, before), entries))
    for (proof, fault, *_), (good, seconds, said) in zip(entries, outcomes):
        print(f"{'ok    ' if good else 'FAILED'} {proof}: {fault}: {'refuted' if good else 'not noticed'} ({seconds:.1f} s)")
        if not good:
            sys.stdout.write(said[-1000:])
    good = sum(outcome[0] for outcome in outcomes)
    if chosen.record:
        shown = [entry for entry, outcome in zip(entries, outcomes) if outcome[0]]
        formal.write_record(RECORD, [(planted_in(folder, entry), f"{entry[0]}: {entry[1]}") for entry in shown])
    print(f"{good} passed, {len(outcomes) - good} failed")
    return 0 if good == len(outcomes) else 1


if __name__ == "__main__":
    main(cli)
