// An AXI4 memory with beats of 64 bytes for the test bench: incrementing bursts of whole beats, in their order, one at a time in each direction.
// Of an address only as many bits count as the memory has.
`timescale 1ns / 1ps

module axi_memory #(
  parameter ADDRESS = 32, // bits
  parameter LOG_BEATS = 15, // 2 MiB
  parameter LATENCY = 40 // cycles from a read's address to its first beat
) (
  input  wire               clk,
  input  wire               reset,
  input  wire               awvalid,
  output wire               awready,
  input  wire [ADDRESS-1:0] awaddr,
  input  wire         [7:0] awlen,
  input  wire               wvalid,
  output wire               wready,
  input  wire       [511:0] wdata,
  input  wire        [63:0] wstrb,
  input  wire               wlast,
  output reg                bvalid,
  input  wire               bready,
  output wire         [1:0] bresp,
  input  wire               arvalid,
  output wire               arready,
  input  wire [ADDRESS-1:0] araddr,
  input  wire         [7:0] arlen,
  output wire               rvalid,
  input  wire               rready,
  output wire       [511:0] rdata,
  output wire         [1:0] rresp,
  output wire               rlast
);
  reg         [511:0] beats [0:(1<<LOG_BEATS)-1];
  reg                 writing;
  reg [LOG_BEATS-1:0] to;
  reg                 reading;
  reg [LOG_BEATS-1:0] from;
  reg           [7:0] left; // beats behind this one
  reg          [15:0] wait_for; // cycles
  integer             i;

  initial for (i = 0; i < 1 << LOG_BEATS; i = i + 1) beats[i] = 512'h0;

  assign awready = !writing && !bvalid;
  assign wready = writing;
  assign bresp = 2'b00;
  assign arready = !reading;
  assign rvalid = reading && wait_for == 0;
  assign rlast = left == 0;
  assign rdata = beats[from];
  assign rresp = 2'b00;

  always @(posedge clk)
    if (reset) begin
      writing <= 1'b0;
      bvalid <= 1'b0;
      reading <= 1'b0;
    end else begin
      if (awvalid && awready) begin
        writing <= 1'b1;
        to <= awaddr >> 6;
      end
      if (wvalid && wready) begin
        for (i = 0; i < 64; i = i + 1)
          if (wstrb[i]) beats[to][8*i +: 8] <= wdata[8*i +: 8];
        to <= to + 1'b1;
        if (wlast) begin
          writing <= 1'b0;
          bvalid <= 1'b1;
        end
      end
      if (bvalid && bready) bvalid <= 1'b0;

      if (arvalid && arready) begin
        reading <= 1'b1;
        from <= araddr >> 6;
        left <= arlen;
        wait_for <= LATENCY;
      end
      if (reading && wait_for != 0) wait_for <= wait_for - 1'b1;
      if (rvalid && rready) begin
        from <= from + 1'b1;
        left <= left - 1'b1;
        if (rlast) reading <= 1'b0;
      end
    end
endmodule
