// The card `uart` on a Nexys Video: 50 MHz from the board's 100 MHz. NOT RUN by us.
module nexys_video (
    input  wire clk_100mhz,
    input  wire button,
    input  wire rxd,
    output wire txd,
    output wire led_busy,
    output wire led_reset
);
    wire raw, clk, feedback, locked;

    PLLE2_BASE #(
        .CLKIN1_PERIOD(10.0),
        .CLKFBOUT_MULT(10),
        .CLKOUT0_DIVIDE(20)
    ) pll (
        .CLKIN1(clk_100mhz),
        .CLKFBIN(feedback),
        .CLKFBOUT(feedback),
        .CLKOUT0(raw),
        .LOCKED(locked),
        .PWRDWN(1'b0),
        .RST(1'b0)
    );
    BUFG buffer (.I(raw), .O(clk));

    UartTop card (
        .clk(clk),
        .reset(button || !locked),
        .rxd(rxd),
        .txd(txd),
        .busy(led_busy),
        .resetting(led_reset)
    );
endmodule
