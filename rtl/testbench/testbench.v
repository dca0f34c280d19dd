// Sends packets to a card, one after the other, and compares each reply with the one that the executable specification gives.
//
//   $ iverilog -g2005 -c files.f axi_memory.v testbench.v -s testbench -o testbench && ./testbench +waves
//   $ verilator --binary --timing --trace --timescale 1ns/1ps -Wno-fatal -f files.f axi_memory.v testbench.v --top-module testbench && obj_dir/Vtestbench +waves
//
// `+waves` writes waves.vcd, which `gtkwave waves.vcd waves.gtkw` shows with its signals in groups; `+stall` holds replies up in three of four
// cycles; `+show` prints them.
//
// requests.hex has the words of all packets: last, keep and data. replies.hex has those that must come, and behind the data of each
// word a mask of the bits that count: counts of cycles do not. instance.vh has the card and its memories; sizes.vh how many words there are, and
// how many cycles a reply may take.
`timescale 1ns / 1ps

module testbench;
  `include "sizes.vh"

  reg         clk = 1'b0;
  reg   [3:0] cycles_in_reset = 4'd8; // that are left
  wire        reset = cycles_in_reset != 4'd0;
  reg  [72:0] requests [0:REQUEST_WORDS-1];
  reg [136:0] replies [0:REPLY_WORDS-1];

  always #2 clk = !clk; // 250 MHz

  // The card's streams.
  reg         rx_tvalid = 1'b0;
  wire        rx_tready;
  reg         rx_tlast = 1'b0;
  reg  [63:0] rx_tdata = 64'h0;
  reg   [7:0] rx_tkeep = 8'h0;
  wire        tx_tvalid;
  reg         tx_tready = 1'b0;
  wire        tx_tlast;
  wire [63:0] tx_tdata;
  wire  [7:0] tx_tkeep;

  `include "instance.vh"

  integer     sent = 0; // words
  integer     received = 0;
  integer     packets = 0;
  integer     wrong = 0;
  integer     cycle = 0;
  integer     since = 0; // the cycle in which the packet under way began
  reg         sending = 1'b1; // or waiting for the reply
  reg   [1:0] turn = 2'd0;

  wire [136:0] due = replies[received];
  wire  [72:0] next = requests[sent];
  wire  [63:0] counting = due[63:0];
  wire         same = {tx_tlast, tx_tkeep} == due[136:128] && (tx_tdata & counting) == (due[127:64] & counting);
  wire         taken = rx_tvalid && rx_tready;
  wire         came = tx_tvalid && tx_tready;

  initial begin
    $readmemh("requests.hex", requests);
    $readmemh("replies.hex", replies);
    if ($test$plusargs("waves")) begin
      $dumpfile("waves.vcd");
      $dumpvars(0, testbench);
    end
  end

  always @(posedge clk) begin
    cycle <= cycle + 1;
    turn <= turn + 2'd1;
    if (reset) cycles_in_reset <= cycles_in_reset - 4'd1;
    if (!reset) begin
      tx_tready <= !$test$plusargs("stall") || turn == 2'd0;

      // A packet's words, one after the other; the next packet when the reply to this one has come.
      if (taken) begin
        rx_tvalid <= 1'b0;
        if (rx_tlast) sending <= 1'b0;
      end
      if (sending && (!rx_tvalid || taken && !rx_tlast) && sent < REQUEST_WORDS) begin
        rx_tvalid <= 1'b1;
        {rx_tlast, rx_tkeep, rx_tdata} <= next;
        sent <= sent + 1;
        if (!rx_tvalid) since <= cycle;
      end

      if (came) begin
        if (received >= REPLY_WORDS || !same) begin
          $display("packet %0d: %h (keep %h, last %b), where %h (keep %h, last %b) was due", packets, tx_tdata, tx_tkeep, tx_tlast,
                   due[127:64], due[135:128], due[136]);
          wrong <= wrong + 1;
        end
        if ($test$plusargs("show")) $display("reply %0d: %h", packets, tx_tdata);
        received <= received + 1;
        if (tx_tlast) begin
          $display("packet %0d: answered %0d cycles after its first word", packets, cycle - since);
          packets <= packets + 1;
          sending <= 1'b1;
        end
      end

      if (received == REPLY_WORDS || cycle - since > PATIENCE || wrong > 20) begin
        if (received == REPLY_WORDS && wrong == 0)
          $display("PASSED: %0d packets in %0d cycles", packets, cycle);
        else
          $display("FAILED: %0d words wrong, %0d of %0d came", wrong, received, REPLY_WORDS);
        $finish;
      end
    end
  end
endmodule
