# The crossings between the three clocks of an `xdma_…` card. NOT RUN by us. Names are those of AsyncFifo, Synchroniser and ResetSynchroniser in rtl/.

# Counts in Gray code: all bits within a period of the fastest clock (450 MHz), so that no two changes are seen at once.
set counts [get_cells -hierarchical -filter {NAME =~ *Side_gray_reg*}]
set sights [get_cells -hierarchical -filter {NAME =~ *Side_sight/first_reg*}]
set_max_delay -datapath_only 2.2 -from $counts -to $sights
set_bus_skew 2.2 -from $counts -to $sights

# Levels: any time. Resets begin without a clock.
set levels [filter [get_cells -hierarchical -filter {NAME =~ */first_reg*}] {NAME !~ *Side_sight*}]
set_false_path -to [get_pins -of_objects $levels -filter {REF_PIN_NAME == D}]
set_false_path -to [get_pins -of_objects [get_cells -hierarchical -filter {NAME =~ *chain_reg*}] -filter {REF_PIN_NAME == PRE || REF_PIN_NAME == CLR}]
