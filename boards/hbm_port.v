// A memory channel of the card, whose addresses begin at 0, at its place in the HBM: that of pseudo-channel PORT, which has 2^UNIT_BITS bytes.
module hbm_port #(
    parameter PORT = 0,
    parameter UNIT_BITS = 28,
    parameter CHANNEL_BITS = 28
) (
    input  wire                    aclk,  // of both sides; nothing here has a state

    input  wire                    s_axi_awvalid,
    output wire                    s_axi_awready,
    input  wire [CHANNEL_BITS-1:0] s_axi_awaddr,
    input  wire [7:0]              s_axi_awlen,
    input  wire [2:0]              s_axi_awsize,
    input  wire [1:0]              s_axi_awburst,
    input  wire                    s_axi_wvalid,
    output wire                    s_axi_wready,
    input  wire [511:0]            s_axi_wdata,
    input  wire [63:0]             s_axi_wstrb,
    input  wire                    s_axi_wlast,
    output wire                    s_axi_bvalid,
    input  wire                    s_axi_bready,
    output wire [1:0]              s_axi_bresp,
    input  wire                    s_axi_arvalid,
    output wire                    s_axi_arready,
    input  wire [CHANNEL_BITS-1:0] s_axi_araddr,
    input  wire [7:0]              s_axi_arlen,
    input  wire [2:0]              s_axi_arsize,
    input  wire [1:0]              s_axi_arburst,
    output wire                    s_axi_rvalid,
    input  wire                    s_axi_rready,
    output wire [511:0]            s_axi_rdata,
    output wire [1:0]              s_axi_rresp,
    output wire                    s_axi_rlast,

    output wire                    m_axi_awvalid,
    input  wire                    m_axi_awready,
    output wire [UNIT_BITS+4:0]    m_axi_awaddr,
    output wire [7:0]              m_axi_awlen,
    output wire [2:0]              m_axi_awsize,
    output wire [1:0]              m_axi_awburst,
    output wire                    m_axi_wvalid,
    input  wire                    m_axi_wready,
    output wire [511:0]            m_axi_wdata,
    output wire [63:0]             m_axi_wstrb,
    output wire                    m_axi_wlast,
    input  wire                    m_axi_bvalid,
    output wire                    m_axi_bready,
    input  wire [1:0]              m_axi_bresp,
    output wire                    m_axi_arvalid,
    input  wire                    m_axi_arready,
    output wire [UNIT_BITS+4:0]    m_axi_araddr,
    output wire [7:0]              m_axi_arlen,
    output wire [2:0]              m_axi_arsize,
    output wire [1:0]              m_axi_arburst,
    input  wire                    m_axi_rvalid,
    output wire                    m_axi_rready,
    input  wire [511:0]            m_axi_rdata,
    input  wire [1:0]              m_axi_rresp,
    input  wire                    m_axi_rlast
);
    localparam [4:0] FIRST = PORT;
    wire [UNIT_BITS+4:0] base = {FIRST, {UNIT_BITS{1'b0}}};

    assign m_axi_awaddr = base + s_axi_awaddr;
    assign m_axi_araddr = base + s_axi_araddr;

    assign {m_axi_awvalid, m_axi_awlen, m_axi_awsize, m_axi_awburst} = {s_axi_awvalid, s_axi_awlen, s_axi_awsize, s_axi_awburst};
    assign {m_axi_wvalid, m_axi_wdata, m_axi_wstrb, m_axi_wlast} = {s_axi_wvalid, s_axi_wdata, s_axi_wstrb, s_axi_wlast};
    assign {m_axi_arvalid, m_axi_arlen, m_axi_arsize, m_axi_arburst} = {s_axi_arvalid, s_axi_arlen, s_axi_arsize, s_axi_arburst};
    assign {s_axi_bvalid, s_axi_bresp} = {m_axi_bvalid, m_axi_bresp};
    assign {s_axi_rvalid, s_axi_rdata, s_axi_rresp, s_axi_rlast} = {m_axi_rvalid, m_axi_rdata, m_axi_rresp, m_axi_rlast};
    assign {s_axi_awready, s_axi_wready, s_axi_arready} = {m_axi_awready, m_axi_wready, m_axi_arready};
    assign {m_axi_bready, m_axi_rready} = {s_axi_bready, s_axi_rready};
endmodule
