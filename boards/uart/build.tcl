# A bitstream of the card `uart` for a Nexys Video through Vivado, from what `make verilog CONFIG=uart` wrote. NOT RUN by us.
#
#   vivado -mode batch -source boards/uart/build.tcl -tclargs target/verilog/uart
#
# Writes FOLDER/board/: nexys_video.bit, utilization.rpt, timing.rpt. Stops where the clock is not met.

if {[llength $argv] != 1} {
    error "usage: -tclargs FOLDER"
}
set folder [file normalize [lindex $argv 0]]
set here [file dirname [file normalize [info script]]]

set list [open $folder/files.f]
foreach name [read $list] {
    read_verilog $folder/$name
}
close $list
read_verilog $here/nexys_video.v
read_xdc $here/nexys_video.xdc

synth_design -top nexys_video -part xc7a200tsbg484-1 -flatten_hierarchy rebuilt
opt_design
place_design
phys_opt_design
route_design

file mkdir $folder/board
report_utilization -hierarchical -file $folder/board/utilization.rpt
report_timing_summary -file $folder/board/timing.rpt
if {[get_property SLACK [get_timing_paths]] < 0} {
    error "the clock is not met: see $folder/board/timing.rpt"
}
write_bitstream -force $folder/board/nexys_video.bit
