# What of the custom logic is the vendor's, as a block design: the engines' clock, and for a card with memory a slice of the HBM for each of its channels.
# NOT RUN by us. `channels`: bytes of each channel; `mhz`: the engines' clock; hbm.tcl comes before it. Its ports have the names of the card's.

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
    # Whoever drives the ports moves their addresses to each one's place in the HBM (cl.py).
    set gigabytes 16
    set count [llength $channels]
    for {set j 0} {$j < $count} {incr j} {
        set bus [create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:aximm_rtl:1.0 mem$j]
        set_property -dict [list CONFIG.PROTOCOL AXI4 CONFIG.DATA_WIDTH 512 CONFIG.ADDR_WIDTH 34 CONFIG.ID_WIDTH 0 CONFIG.FREQ_HZ 450000000 \
            CONFIG.HAS_LOCK 0 CONFIG.HAS_CACHE 0 CONFIG.HAS_PROT 0 CONFIG.HAS_QOS 0 CONFIG.HAS_REGION 0] $bus
        lappend buses $bus
        lappend names mem$j
        lappend spaces [get_bd_addr_spaces mem$j]
    }
    connect_bd_net [hbm_create $channels $gigabytes [get_bd_ports hbm_ref] [get_bd_pins clocks/clk_out2] [get_bd_pins clocks/locked] $buses] [get_bd_ports memory_resetn]
    set_property CONFIG.ASSOCIATED_BUSIF [join $names :] [get_bd_ports memory_clk]
    hbm_assign $channels $gigabytes $spaces
}
validate_bd_design
set_property synth_checkpoint_mode None [get_files cl_parts.bd]
generate_target all [get_files cl_parts.bd]
make_wrapper -files [get_files cl_parts.bd] -top -import
