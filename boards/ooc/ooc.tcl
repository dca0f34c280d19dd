# One card or unit alone through Vivado, out of context: area and timing of what `make verilog` wrote. NOT RUN by us: we have no Vivado.
#
#   vivado -mode batch -source boards/ooc/ooc.tcl -tclargs target/verilog/ecdsa
#   vivado -mode batch -source boards/ooc/ooc.tcl -tclargs target/verilog/modmul_bn254_fp xcvu9p-flga2104-2-i 4.0
#
# Arguments: the folder, the part, the clock's period in ns. Writes FOLDER/ooc/: utilization.rpt (by module), timing.rpt (the ten worst paths),
# routed.dcp; and prints one line with LUT, FF, DSP, BRAM, URAM and the clock that the slack allows.

if {[llength $argv] < 1 || [llength $argv] > 3} {
    error "usage: -tclargs FOLDER \[PART\] \[PERIOD\]"
}
set folder [file normalize [lindex $argv 0]]
set part [expr {[llength $argv] > 1 ? [lindex $argv 1] : "xcvu9p-flga2104-2-i"}]
set period [expr {[llength $argv] > 2 ? [lindex $argv 2] : 4.0}]

proc contents {path} {
    set file [open $path]
    set text [read $file]
    close $file
    return $text
}

if {![regexp {"top": *"(\w+)"} [contents $folder/about.json] all top]} {
    error "$folder/about.json names no top"
}
foreach name [contents $folder/files.f] {
    read_verilog $folder/$name
}

# Read before synthesis, so that it knows the period too. Inputs and outputs are not timed: in a design they come from registers.
set clock [file join $folder clock.xdc]
set file [open $clock w]
puts $file "create_clock -name clk -period $period \[get_ports clk\]"
puts $file "set_property HD.CLK_SRC BUFGCE_X0Y0 \[get_ports clk\]"
close $file
read_xdc -mode out_of_context $clock

synth_design -top $top -part $part -mode out_of_context -flatten_hierarchy rebuilt
opt_design
place_design
phys_opt_design
route_design

file mkdir $folder/ooc
report_utilization -hierarchical -file $folder/ooc/utilization.rpt
report_timing -max_paths 10 -nworst 1 -sort_by slack -file $folder/ooc/timing.rpt
write_checkpoint -force $folder/ooc/routed.dcp

proc cells {filter} {
    return [llength [get_cells -hierarchical -quiet -filter $filter]]
}
set slack [get_property SLACK [lindex [get_timing_paths -max_paths 1 -nworst 1] 0]]
set halves [cells {REF_NAME =~ RAMB18*}]
puts [format "%s: LUT %d, FF %d, DSP %d, BRAM36 %.1f, URAM %d, %.1f MHz (%s)" $top \
    [cells {REF_NAME =~ LUT*}] [cells {REF_NAME =~ FD*}] [cells {REF_NAME =~ DSP48E2}] \
    [expr {[cells {REF_NAME =~ RAMB36*}] + 0.5 * $halves}] [cells {REF_NAME =~ URAM288*}] [expr {1000.0 / ($period - $slack)}] $part]
