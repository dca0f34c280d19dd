# Nexys Video: clock, centre button, USB serial port, two LEDs. NOT RUN by us.
create_clock -period 10.000 -name board [get_ports clk_100mhz]
set_property -dict {PACKAGE_PIN R4   IOSTANDARD LVCMOS33} [get_ports clk_100mhz]
set_property -dict {PACKAGE_PIN B22  IOSTANDARD LVCMOS12} [get_ports button]
set_property -dict {PACKAGE_PIN V18  IOSTANDARD LVCMOS33} [get_ports rxd]
set_property -dict {PACKAGE_PIN AA19 IOSTANDARD LVCMOS33} [get_ports txd]
set_property -dict {PACKAGE_PIN T14  IOSTANDARD LVCMOS25} [get_ports led_busy]
set_property -dict {PACKAGE_PIN T15  IOSTANDARD LVCMOS25} [get_ports led_reset]

# Both are sampled by registers of their own, and a LED's time does not matter.
set_false_path -from [get_ports {button rxd}]
set_false_path -to [get_ports {txd led_busy led_reset}]

set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]
