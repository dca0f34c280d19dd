# Synthesis of cl_proofmill in the flow of Amazon's HDK, whose build_all.tcl sources it. NOT RUN by us: written from the HDK's documents and examples.
# cl.py writes `channels` and `mhz` in front.

source ${HDK_SHELL_DIR}/build/scripts/synth_cl_header.tcl

read_verilog -sv [glob ${src_post_enc_dir}/*.?v]
source ${scripts_dir}/hbm.tcl
source ${scripts_dir}/parts.tcl

read_xdc ${constraints_dir}/cl_synth_user.xdc
read_xdc ${constraints_dir}/cl_timing_user.xdc
set_property PROCESSING_ORDER LATE [get_files {cl_synth_user.xdc cl_timing_user.xdc}]

update_compile_order -fileset sources_1
synth_design -mode out_of_context -top ${CL} -part ${DEVICE_TYPE} -keep_equivalent_registers

source ${HDK_SHELL_DIR}/build/scripts/synth_cl_footer.tcl
