# A bitstream of an `xdma_…` card for an Alveo U55C, a Varium C1100 or an Alveo U250 through Vivado. NOT RUN by us: written from the vendor's documents.
#
#   vivado -mode batch -source boards/xdma/build.tcl -tclargs target/verilog/xdma_hbm_msm_bls12_381 u55c 200
#
# Arguments: what `make verilog` wrote, the board, the engines' clock in MHz. What repeats facts is read from FOLDER/about.json: top, memory channels
# and their bytes, width of the bridge. Writes FOLDER/board/: card.bit, utilization.rpt, timing.rpt, crossings.rpt. Stops where a clock is not met.

# Board: part, vendor's board file (with the pins of PCIe and memory), memory, clock of its bus in MHz.
set boards {
    u55c  {xcu55c-fsvh2892-2L-e  xilinx.com:au55c:part0:1.0   hbm  450}
    c1100 {xcu55n-fsvh2892-2L-e  xilinx.com:c1100:part0:1.0   hbm  450}
    u250  {xcu250-figd2104-2L-e  xilinx.com:au250:part0:1.3   ddr4 300}
}
if {[llength $argv] != 3 || ![dict exists $boards [lindex $argv 1]]} {
    error "usage: -tclargs FOLDER [join [dict keys $boards] |] MHZ"
}
lassign $argv folder board mhz
set folder [file normalize $folder]
set here [file dirname [file normalize [info script]]]
lassign [dict get $boards $board] part board_part memory memory_mhz
source $here/../hbm.tcl

set file [open $folder/about.json]
set about [read $file]
close $file
proc fact {pattern} {
    global about
    if {![regexp $pattern $about all found]} { error "about.json: nothing like $pattern" }
    return $found
}
proc bits_of {bytes} { return [expr {int(round(log($bytes) / log(2)))}] }
set top [fact {"top": *"(\w+)"}]
set beat_bits [expr {8 * [fact {"beat_bytes": *(\d+)}]}]
set door [expr {[fact {"door": *(\w+)}] eq "true"}]
set channels [regexp -all -inline {\d+} [fact {"memories": *\[([^]]*)\]}]]

create_project card $folder/board -part $part -force
set_property board_part $board_part [current_project]
set list [open $folder/files.f]
foreach name [read $list] { add_files $folder/$name }
close $list
add_files $here/../hbm_port.v
add_files -fileset constrs_1 $here/crossings.xdc
update_compile_order -fileset sources_1
create_bd_design card

# The bridge: streams, as many channels as there are doors, AXI4-Lite to the registers, one interrupt.
set pairs [expr {1 + $door}]
set xdma [create_bd_cell -type ip -vlnv xilinx.com:ip:xdma xdma]
set_property -dict [list \
    CONFIG.mode_selection Advanced CONFIG.pl_link_cap_max_link_width X16 CONFIG.pl_link_cap_max_link_speed 8.0_GT/s \
    CONFIG.axi_data_width ${beat_bits}_bit CONFIG.axisten_freq 250 CONFIG.xdma_axi_intf_mm AXI_Stream \
    CONFIG.xdma_rnum_chnl $pairs CONFIG.xdma_wnum_chnl $pairs \
    CONFIG.axilite_master_en true CONFIG.axilite_master_scale Kilobytes CONFIG.axilite_master_size 64 \
    CONFIG.xdma_num_usr_irq 1 CONFIG.pf0_msix_enabled true] $xdma
apply_bd_automation -rule xilinx.com:bd_rule:board -config {Board_Interface {pci_express_x16}} [get_bd_intf_pins xdma/pcie_mgt]
apply_bd_automation -rule xilinx.com:bd_rule:board -config {Board_Interface {pcie_perstn}} [get_bd_pins xdma/sys_rst_n]
set buffer [create_bd_cell -type ip -vlnv xilinx.com:ip:util_ds_buf refclk]
set_property CONFIG.C_BUF_TYPE IBUFDSGTE $buffer
apply_bd_automation -rule xilinx.com:bd_rule:board -config {Board_Interface {pcie_refclk}} [get_bd_intf_pins refclk/CLK_IN_D]
connect_bd_net [get_bd_pins refclk/IBUF_DS_ODIV2] [get_bd_pins xdma/sys_clk]
connect_bd_net [get_bd_pins refclk/IBUF_OUT] [get_bd_pins xdma/sys_clk_gt]

# The card, and its clock from the bridge's.
create_bd_cell -type module -reference $top card
set clocks [create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz clocks]
set_property -dict [list CONFIG.PRIM_IN_FREQ 250 CONFIG.CLKOUT1_REQUESTED_OUT_FREQ $mhz CONFIG.USE_RESET false \
    CONFIG.CLKOUT2_USED true CONFIG.CLKOUT2_REQUESTED_OUT_FREQ $memory_mhz CONFIG.CLKOUT3_USED true CONFIG.CLKOUT3_REQUESTED_OUT_FREQ 100] $clocks
connect_bd_net [get_bd_pins xdma/axi_aclk] [get_bd_pins clocks/clk_in1] [get_bd_pins card/clk]
connect_bd_net [get_bd_pins xdma/axi_aresetn] [get_bd_pins card/resetn]
connect_bd_net [get_bd_pins clocks/clk_out1] [get_bd_pins card/card_clk]
connect_bd_net [get_bd_pins card/irq] [get_bd_pins xdma/usr_irq_req]
connect_bd_net [get_bd_pins xdma/usr_irq_ack] [get_bd_pins card/irq_ack]
set streams {rx tx axil}
connect_bd_intf_net [get_bd_intf_pins xdma/M_AXIS_H2C_0] [get_bd_intf_pins card/rx]
connect_bd_intf_net [get_bd_intf_pins card/tx] [get_bd_intf_pins xdma/S_AXIS_C2H_0]
if {$door} {
    connect_bd_intf_net [get_bd_intf_pins xdma/M_AXIS_H2C_1] [get_bd_intf_pins card/door_rx]
    connect_bd_intf_net [get_bd_intf_pins card/door_tx] [get_bd_intf_pins xdma/S_AXIS_C2H_1]
    lappend streams door_rx door_tx
}
connect_bd_intf_net [get_bd_intf_pins xdma/M_AXI_LITE] [get_bd_intf_pins card/axil]
set buses {}
for {set j 0} {$j < [llength $channels]} {incr j} { lappend buses mem$j }
set_property CONFIG.ASSOCIATED_BUSIF [join $streams :] [get_bd_pins card/clk]
if {[llength $buses]} { set_property CONFIG.ASSOCIATED_BUSIF [join $buses :] [get_bd_pins card/memory_clk] }

# The memory: a port of the card has a slice of it to itself. HBM: one port each (`hbm.tcl`). DDR4: one controller each.
set count [llength $channels]
if {$count == 0} {
    set memory_clock [get_bd_pins clocks/clk_out2]
    connect_bd_net [get_bd_pins clocks/locked] [get_bd_pins card/memory_resetn]
} elseif {$memory eq "hbm"} {
    set memory_clock [get_bd_pins clocks/clk_out2]
    set gigabytes [expr {$board eq "u55c" ? 16 : 8}]
    for {set j 0} {$j < $count} {incr j} {
        set base [create_bd_cell -type module -reference hbm_port base$j]
        set_property -dict [list CONFIG.PORT [hbm_port $count $j] CONFIG.UNIT_BITS [bits_of [hbm_unit $gigabytes]] CONFIG.CHANNEL_BITS [bits_of [lindex $channels $j]]] $base
        connect_bd_net $memory_clock [get_bd_pins base$j/aclk]
        connect_bd_intf_net [get_bd_intf_pins card/mem$j] [get_bd_intf_pins base$j/s_axi]
        lappend placed [get_bd_intf_pins base$j/m_axi]
        lappend spaces [get_bd_addr_spaces base$j/m_axi]
    }
    connect_bd_net [hbm_create $channels $gigabytes [get_bd_pins clocks/clk_out3] $memory_clock [get_bd_pins clocks/locked] $placed] [get_bd_pins card/memory_resetn]
} else {
    if {$count > 4} { error "$board has four DDR4 controllers, the card $count channels" }
    for {set j 0} {$j < $count} {incr j} {
        set width [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect width$j]
        set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} $width
        connect_bd_intf_net [get_bd_intf_pins card/mem$j] [get_bd_intf_pins width$j/S00_AXI]
        set ddr [create_bd_cell -type ip -vlnv xilinx.com:ip:ddr4 memory$j]
        apply_bd_automation -rule xilinx.com:bd_rule:board -config [list Board_Interface ddr4_sdram_c$j] [get_bd_intf_pins memory$j/C0_DDR4]
        apply_bd_automation -rule xilinx.com:bd_rule:board -config [list Board_Interface default_300mhz_clk$j] [get_bd_intf_pins memory$j/C0_SYS_CLK]
        connect_bd_intf_net [get_bd_intf_pins width$j/M00_AXI] [get_bd_intf_pins memory$j/C0_DDR4_S_AXI]
        if {$j == 0} {
            set memory_clock [get_bd_pins memory0/c0_ddr4_ui_clk]
            connect_bd_net [get_bd_pins memory0/c0_init_calib_complete] [get_bd_pins card/memory_resetn]
            connect_bd_net $memory_clock [get_bd_pins width$j/aclk]
        } else {
            set_property CONFIG.NUM_CLKS 2 $width
            connect_bd_net $memory_clock [get_bd_pins width$j/aclk]
            connect_bd_net [get_bd_pins memory$j/c0_ddr4_ui_clk] [get_bd_pins width$j/aclk1]
        }
        connect_bd_net [get_bd_pins memory$j/c0_init_calib_complete] [get_bd_pins memory$j/c0_ddr4_aresetn] [get_bd_pins width$j/aresetn]
    }
}
connect_bd_net $memory_clock [get_bd_pins card/memory_clk]

# Addresses: every channel of the card begins at 0 and ends where about.json says; in the HBM each has its own.
assign_bd_address
for {set j 0} {$j < $count} {incr j} {
    foreach segment [get_bd_addr_segs card/mem$j/*] { set_property -dict [list offset 0x0 range [lindex $channels $j]] $segment }
}
if {$memory eq "hbm" && $count > 0} { hbm_assign $channels $gigabytes $spaces }
validate_bd_design
make_wrapper -files [get_files card.bd] -top -import
set_property top card_wrapper [current_fileset]

launch_runs impl_1 -to_step write_bitstream -jobs 8
wait_on_run impl_1
open_run impl_1
report_utilization -hierarchical -file $folder/board/utilization.rpt
report_timing_summary -file $folder/board/timing.rpt
report_cdc -file $folder/board/crossings.rpt
if {[get_property SLACK [get_timing_paths]] < 0} { error "a clock is not met: see $folder/board/timing.rpt" }
file copy -force [glob $folder/board/card.runs/impl_1/*.bit] $folder/board/card.bit
