# The HBM of a block design: a port for each of a card's memory channels, spread over both stacks. NOT RUN by us: written from the vendor's documents (PG276).
#
# A pseudo-channel, of which there are 32, lies behind the port of its number. Its first address is its number times its size at every port that reaches it,
# with the switch between the ports and without, so a channel's addresses have to be moved there (`hbm_port.v`, or whoever drives the port).

# Bytes of a pseudo-channel.
proc hbm_unit {gigabytes} { return [expr {$gigabytes << 25}] }

# The port of channel `j` of `count`.
proc hbm_port {count j} { return [expr {$j * (32 / $count)}] }

# Makes the cell `memory`. `channels`: bytes of each; `reference`: pin or port of 100 MHz; `clock`: pin of 450 MHz, `locked`: of both; `buses`: the master of
# each channel, an interface pin or port with the HBM's addresses. Returns the pin that says that both stacks work.
proc hbm_create {channels gigabytes reference clock locked buses} {
    set count [llength $channels]
    set unit [hbm_unit $gigabytes]
    if {$count > 32} { error "the HBM has 32 ports, the card $count channels" }
    set largest [tcl::mathfunc::max {*}$channels]
    if {$largest > (32 / $count) * $unit} { error "a channel of $largest bytes does not fit beside the others into $gigabytes GB" }
    set hbm [create_bd_cell -type ip -vlnv xilinx.com:ip:hbm memory]
    # A channel within a pseudo-channel, as those of cards that stripe them, needs no switch.
    set switched [expr {$largest > $unit ? "true" : "false"}]
    for {set j 0} {$j < $count} {incr j} { lappend ports [hbm_port $count $j] }
    set settings [list CONFIG.USER_HBM_DENSITY ${gigabytes}GB CONFIG.USER_SWITCH_ENABLE_00 $switched CONFIG.USER_SWITCH_ENABLE_01 $switched]
    for {set i 0} {$i < 32} {incr i} { lappend settings [format CONFIG.USER_SAXI_%02d $i] [expr {$i in $ports ? "true" : "false"}] }
    # Each stack takes its clock from the first of its ports.
    foreach stack {0 1} {
        foreach port $ports {
            if {$port / 16 == $stack} {
                lappend settings CONFIG.USER_CLK_SEL_LIST$stack [format AXI_%02d_ACLK $port]
                break
            }
        }
    }
    set_property -dict $settings $hbm
    connect_bd_net $reference [get_bd_pins memory/HBM_REF_CLK_0] [get_bd_pins memory/HBM_REF_CLK_1] [get_bd_pins memory/APB_0_PCLK] [get_bd_pins memory/APB_1_PCLK]
    connect_bd_net $locked [get_bd_pins memory/APB_0_PRESET_N] [get_bd_pins memory/APB_1_PRESET_N]
    set both [create_bd_cell -type ip -vlnv xilinx.com:ip:util_vector_logic ready]
    set_property -dict {CONFIG.C_OPERATION and CONFIG.C_SIZE 1} $both
    connect_bd_net [get_bd_pins memory/apb_complete_0] [get_bd_pins ready/Op1]
    connect_bd_net [get_bd_pins memory/apb_complete_1] [get_bd_pins ready/Op2]
    set ready [get_bd_pins ready/Res]
    # From 512 bits of AXI4 to 256 of AXI3.
    foreach port $ports bus $buses {
        set name [format %02d $port]
        set width [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect width$name]
        set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} $width
        connect_bd_intf_net $bus [get_bd_intf_pins width$name/S00_AXI]
        connect_bd_intf_net [get_bd_intf_pins width$name/M00_AXI] [get_bd_intf_pins memory/SAXI_$name]
        connect_bd_net $clock [get_bd_pins memory/AXI_${name}_ACLK] [get_bd_pins width$name/aclk]
        connect_bd_net $ready [get_bd_pins memory/AXI_${name}_ARESET_N] [get_bd_pins width$name/aresetn]
    }
    return $ready
}

# Gives each channel's master, in `spaces`, the addresses of its pseudo-channels and no others.
proc hbm_assign {channels gigabytes spaces} {
    set unit [hbm_unit $gigabytes]
    set count [llength $channels]
    for {set j 0} {$j < $count} {incr j} {
        set port [hbm_port $count $j]
        for {set i 0} {$i * $unit < [lindex $channels $j]} {incr i} {
            set number [expr {$port + $i}]
            assign_bd_address -offset [format 0x%x [expr {$number * $unit}]] -range $unit -target_address_space [lindex $spaces $j] \
                [get_bd_addr_segs [format memory/SAXI_%02d/HBM_MEM%02d $port $number]] -force
        }
    }
}
