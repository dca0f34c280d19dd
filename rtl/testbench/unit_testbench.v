// Sends operands to a unit and compares the residue of each result with the one that was computed with integers of any length.
//
//   $ iverilog -g2005 -c files.f testbench.v -s testbench -o testbench && ./testbench +waves
//   $ verilator --binary --timing --trace --timescale 1ns/1ps -Wno-fatal -f files.f testbench.v --top-module testbench && obj_dir/Vtestbench +waves
//
// `+waves` writes waves.vcd for `gtkwave waves.vcd`; `+show` prints operands and results.
//
// operands.hex has the operands, the first one lowest; residues.hex what a result's digits must represent, modulo p and before a division by
// the port's scale. instance.vh has the unit and the function `residue`; sizes.vh widths, the number of operands, and the latency, or 0.
`timescale 1ns / 1ps

module testbench;
  `include "sizes.vh"

  reg                     clk = 1'b0;
  reg               [3:0] cycles_in_reset = 4'd8; // that are left
  wire                    reset = cycles_in_reset != 4'd0;
  reg  [OPERAND_BITS-1:0] operands [0:COUNT-1];
  reg  [RESIDUE_BITS-1:0] residues [0:COUNT-1];
  integer                 entered [0:COUNT-1]; // the cycle of each operand
  integer                 sent = 0;
  integer                 received = 0;
  integer                 wrong = 0;
  integer                 cycle = 0;
  reg               [2:0] turn = 3'd0; // gaps between operands; results that wait, where the unit has out_ready

  always #2 clk = !clk; // 250 MHz

  reg                     in_valid = 1'b0;
  wire                    in_ready;
  wire [OPERAND_BITS-1:0] operand = operands[sent];
  wire                    out_valid;
  wire                    out_ready = LATENCY != 0 || turn[0];
  wire  [RESULT_BITS-1:0] result;

  `include "instance.vh"

  wire                    accepted = in_valid && in_ready;
  wire             [31:0] following = sent + accepted;
  wire [RESIDUE_BITS-1:0] found = residue(result);
  wire                    right = received < sent && found === residues[received] && (LATENCY == 0 || cycle - entered[received] == LATENCY);

  initial begin
    $readmemh("operands.hex", operands);
    $readmemh("residues.hex", residues);
    if ($test$plusargs("waves")) begin
      $dumpfile("waves.vcd");
      $dumpvars(0, testbench);
    end
  end

  always @(posedge clk) begin
    cycle <= cycle + 1;
    turn <= turn + 3'd1;
    if (reset) cycles_in_reset <= cycles_in_reset - 4'd1;
    else begin
      in_valid <= in_valid && !in_ready || following < COUNT && turn != 3'd5;
      sent <= following;
      if (accepted) entered[sent] <= cycle;
      if (out_valid && out_ready) begin
        received <= received + 1;
        if (!right) wrong <= wrong + 1;
        if (!right) $display("result %0d: residue %h instead of %h, %0d cycles after its operands", received, found, residues[received], cycle - entered[received]);
        else if ($test$plusargs("show")) $display("operands %h result %h", operands[received], result);
      end
    end
    if (received == COUNT || cycle == PATIENCE) begin
      if (received == COUNT && wrong == 0) $display("PASSED: %0d results in %0d cycles", received, cycle);
      else $display("FAILED: %0d results of %0d, %0d wrong", received, COUNT, wrong);
      $finish;
    end
  end
endmodule
