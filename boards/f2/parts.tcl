# What of the custom logic is the vendor's, as a block design: the engines' clock, and for a card with memory a slice of the HBM for each of its channels.
# NOT RUN by us. `channels`: bytes of each channel; `mhz`: the engines' clock. Its ports have the names of the card's.

create_bd_design cl_parts
create_bd_port -dir I -type clk -freq_hz 250000000 main_clk
create_bd_port -dir I -type rst main_resetn
create_bd_port -dir I -type clk -freq_hz 100000000 hbm_ref
foreach port {card_clk memory_clk} { create_bd_port -dir O -type clk $port }
create_bd_port -dir O -type rst memory_resetn

set clocks [create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz clocks]
set_property -dict [list CONFIG.PRIM_SOURCE No_buffer CONFIG.PRIM_IN_FREQ 250 CONFIG.CLKOUT1_REQUESTED_OUT_FREQ $mhz CONFIG.USE_RESET false \
    CONFIG.CLKOUT2_USED true CONFIG.CLKOUT2_REQUESTED_OUT_FREQ 450] $clocks
connect_bd_net [get_bd_ports main_clk] [get_bd_pins clocks/clk_in1]
connect_bd_net [get_bd_pins clocks/clk_out1] [get_bd_ports card_clk]
connect_bd_net [get_bd_pins clocks/clk_out2] [get_bd_ports memory_clk]

if {[llength $channels] == 0} {
    connect_bd_net [get_bd_pins clocks/locked] [get_bd_ports memory_resetn]
} else {
    # One port of the HBM each, spread over both stacks; where a slice is within a pseudo-channel, as that of a striped channel is, without the switch.
    set switched [expr {[tcl::mathfunc::max {*}$channels] > 1 << 28 ? "true" : "false"}]
    set ports [expr {32 / [llength $channels]}]
    set hbm [create_bd_cell -type ip -vlnv xilinx.com:ip:hbm memory]
    set used {}
    for {set i 0} {$i < 32} {incr i} {
        lappend used [format CONFIG.USER_SAXI_%02d $i] [expr {$i % $ports == 0 && $i / $ports < [llength $channels] ? "true" : "false"}]
    }
    set_property -dict [list CONFIG.USER_HBM_DENSITY 16GB CONFIG.USER_CLK_SEL_LIST0 AXI_00_ACLK \
        CONFIG.USER_SWITCH_ENABLE_00 $switched CONFIG.USER_SWITCH_ENABLE_01 $switched {*}$used] $hbm
    connect_bd_net [get_bd_ports hbm_ref] [get_bd_pins memory/HBM_REF_CLK_0] [get_bd_pins memory/HBM_REF_CLK_1] [get_bd_pins memory/APB_0_PCLK] [get_bd_pins memory/APB_1_PCLK]
    connect_bd_net [get_bd_pins clocks/locked] [get_bd_pins memory/APB_0_PRESET_N] [get_bd_pins memory/APB_1_PRESET_N]
    # Both stacks are ready.
    set both [create_bd_cell -type ip -vlnv xilinx.com:ip:util_vector_logic ready]
    set_property -dict {CONFIG.C_OPERATION and CONFIG.C_SIZE 1} $both
    connect_bd_net [get_bd_pins memory/apb_complete_0] [get_bd_pins ready/Op1]
    connect_bd_net [get_bd_pins memory/apb_complete_1] [get_bd_pins ready/Op2]
    set ready [get_bd_pins ready/Res]
    connect_bd_net $ready [get_bd_ports memory_resetn]
    for {set j 0} {$j < [llength $channels]} {incr j} {
        set bus [create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:aximm_rtl:1.0 mem$j]
        set bits [expr {int(round(log([lindex $channels $j]) / log(2)))}]
        set_property -dict [list CONFIG.PROTOCOL AXI4 CONFIG.DATA_WIDTH 512 CONFIG.ADDR_WIDTH $bits CONFIG.ID_WIDTH 0 CONFIG.FREQ_HZ 450000000 \
            CONFIG.HAS_LOCK 0 CONFIG.HAS_CACHE 0 CONFIG.HAS_PROT 0 CONFIG.HAS_QOS 0 CONFIG.HAS_REGION 0] $bus
        set width [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect width$j]
        set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} $width
        set port [format %02d [expr {$j * $ports}]]
        connect_bd_intf_net $bus [get_bd_intf_pins width$j/S00_AXI]
        connect_bd_intf_net [get_bd_intf_pins width$j/M00_AXI] [get_bd_intf_pins memory/SAXI_$port]
        connect_bd_net [get_bd_pins clocks/clk_out2] [get_bd_pins memory/AXI_${port}_ACLK] [get_bd_pins width$j/aclk]
        connect_bd_net $ready [get_bd_pins memory/AXI_${port}_ARESET_N] [get_bd_pins width$j/aresetn]
        lappend buses mem$j
    }
    set_property CONFIG.ASSOCIATED_BUSIF [join $buses :] [get_bd_ports memory_clk]
    assign_bd_address
    for {set j 0} {$j < [llength $channels]} {incr j} {
        foreach segment [get_bd_addr_segs mem$j/*] { set_property -dict [list offset 0x0 range [lindex $channels $j]] $segment }
    }
}
validate_bd_design
set_property synth_checkpoint_mode None [get_files cl_parts.bd]
generate_target all [get_files cl_parts.bd]
make_wrapper -files [get_files cl_parts.bd] -top -import
