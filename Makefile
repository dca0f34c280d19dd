# One entry point for all commands. Each line is one program; --help describes each.
PYTHON := python3
OP ?=
ISA ?=
QUICK ?=
ONLY ?=
PROFILE ?= release
MSM_CARDS := msm_bn254_twin msm_bn254_two_twin msm_bn254_g2_twin msm_bls12_381_twin msm_bls12_381_g2_twin msm_bls12_377_twin
VDF_CARDS := vdf_64 vdf_64_two vdf_1024_twin
SOLVER_CARDS := equihash_solve_48_5 equihash_solve_96_5
NTT_CARDS = ntt_small_twin ntt_twin$(if $(filter cycles,$(MAKECMDGOALS)), ntt_64_twin ntt_bn254_small_twin ntt_bn254_twin)
POSEIDON_CARDS := poseidon_2_twin poseidon_4_twin poseidon_8_twin poseidon_11_twin poseidon_twin
# Each top of a board, and the same bare.
TOP_CARDS := toy uart_toy xdma_toy f2_toy xdma_msm_toy f2_msm_toy
CONFIG ?= $(or $(if $(filter top,$(OP)),$(TOP_CARDS)),$(if $(filter ecdsa_verify,$(OP)),ecdsa ecdsa_two),$(if $(filter msm,$(OP)),$(MSM_CARDS)),$(if $(filter poseidon,$(OP)),$(POSEIDON_CARDS)),$(if $(filter vdf,$(OP)),$(VDF_CARDS)),$(if $(filter equihash_solve,$(OP)),$(SOLVER_CARDS)),$(if $(filter ntt,$(OP)),$(NTT_CARDS)),$(if $(filter coprocessor,$(OP)),coprocessor_twin$(if $(filter cycles,$(MAKECMDGOALS)), coprocessor_1024_twin)),card)
# As Verilog an operation is its circuit: a twin has multipliers in C++.
CIRCUITS = $(if $(filter command line,$(origin CONFIG)),$(CONFIG),$(CONFIG:%_twin=%))
BENCH := cargo run --profile $(PROFILE) --quiet --package proofmill-bench --bin proofmill-bench --
# Said before anything is built.
need-op = $(if $(OP),,$(error OP is missing: say which operation, such as OP=equihash_verify))
known-op = $(if $(filter-out coprocessor ecdsa_verify equihash_solve equihash_verify msm ntt poseidon vdf $(if $(filter cycles,$(MAKECMDGOALS)),top),$(OP)),$(error there is no circuit for OP=$(OP); there are coprocessor, ecdsa_verify, equihash_solve, equihash_verify, msm, ntt, poseidon and vdf))
$(if $(filter bench cycles,$(MAKECMDGOALS)),$(need-op))
$(if $(filter sim verilog testbench cycles,$(MAKECMDGOALS)),$(known-op))

.PHONY: help run dist test test-long faults lint format vectors sim cuda verilog testbench area timing bench bench-profiles bench-paths cycles formal report clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

run: ## the main job on cpu:, with the examples; needs only a Rust toolchain
	@echo "compiling proofmill first: about two minutes on two cores, a few seconds from then on"
	@PROOFMILL_BUILD=native cargo run --release --package proofmill-cli --no-default-features --features dev -- demo

dist: ## what people install, in target/artifacts: command, Debian package, C library, wheel, npm packages, with licences, SHA-256 and bills of materials
	$(PYTHON) tools/dist.py

test: ## everything, installing what is missing
	$(PYTHON) tools/test.py

test-long: ## the same with the long checks
	$(PYTHON) tools/test.py --long

faults: ## injected faults of cards, connections, clients, provers and files, in a table: SEED=..., COUNT=10000; FIRST=... repeats a case
	PROOFMILL_FAULTS_SEED=$(or $(SEED),1) PROOFMILL_FAULTS_FIRST=$(or $(FIRST),0) PROOFMILL_FAULTS_COUNT=$(or $(COUNT),200) \
	$(if $(wildcard target/sim),PROOFMILL_SIM_DIR=$(CURDIR)/target/sim) $(PYTHON) tools/host.py cli/faults

lint: ## formatting, warnings, dependency rules, language
	$(PYTHON) tools/test.py lint

format: ## formats Rust and Scala
	cargo fmt --all
	$(PYTHON) tools/scalafmt.py --write

vectors: ## spec/vectors, from the executable specification
	$(PYTHON) spec/model/vectors.py

sim: ## Verilated libraries: CONFIG=card|toy|..., TRACE=1 for waveforms
	$(PYTHON) tools/setup.py
	$(PYTHON) tools/sim.py $(CONFIG) $(if $(TRACE),--trace)

cuda: ## GPU kernels compiled ahead of time, which needs nvcc: ARCHITECTURES=80,90 for some GPUs; EMULATED=1 for the library of cuda:emulated, which needs g++
	$(PYTHON) tools/cuda.py $(if $(EMULATED),--emulated) $(if $(ARCHITECTURES),--architectures $(ARCHITECTURES))

verilog: ## a card or a unit as Verilog, one file a module, in target/verilog: CONFIG=card|ecdsa|modmul_bn254_fp|..., or OP=...; TARGET=ultrascale+|ecp5|none: whose attributes; SINGLE_FILE=1; CANONICAL=1: a unit on integers in [0, p)
	$(PYTHON) tools/setup.py
	$(PYTHON) tools/verilog.py $(CIRCUITS) $(if $(SINGLE_FILE),--single-file) $(if $(CANONICAL),--canonical) $(if $(filter command line,$(origin TARGET)),--target $(TARGET))

testbench: ## a card or a unit with a test bench in plain Verilog, and runs it: CONFIG=toy|ecdsa|modmul_bn254_fp|... or OP=..., WITH=verilator, WAVES=1
	$(PYTHON) tools/setup.py
	$(PYTHON) tools/testbench.py $(CIRCUITS) $(if $(WITH),--with $(WITH)) $(if $(WAVES),--waves)

area: ## LUT, FF, DSP, BRAM of every unit, engine and board's top: OP=... for one operation, OP=top for the tops
	$(PYTHON) tools/setup.py
	$(PYTHON) tools/area.py $(if $(OP),--op $(OP))

timing: ## the clock that engines, units and boards' tops are estimated to run at: CONFIG=... for some, as in `make sim`
	$(PYTHON) tools/setup.py
	$(PYTHON) tools/timing.py $(if $(filter command line,$(origin CONFIG)),$(CONFIG))

bench: ## against the peers, side by side: OP=...; ISA=avx2 for another code path, peers held to it too, PROFILE=dist for another build, QUICK=1 to see that it runs, ONLY=batches, plonk or small for a part of OP=prove, ONLY=small of OP=msm
	$(BENCH) software $(OP) $(if $(ISA),--isa $(ISA)) $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

bench-profiles: ## our own code as built by default and for shipping (dist), side by side, without peers
	$(BENCH) profiles release dist

bench-paths: ## our own code on every code path of this processor, side by side, without peers
	$(BENCH) paths

cycles: sim ## clock cycles of the circuit, as simulated: OP=..., or OP=top for what boards' tops add
	$(if $(filter top,$(OP)),$(PYTHON) rtl/sim/top_cycles.py,$(if $(filter msm,$(OP)),$(PYTHON) rtl/sim/test_msm.py --cycles $(CONFIG),$(if $(filter ntt,$(OP)),$(PYTHON) rtl/sim/test_ntt.py --cycles $(CONFIG:%=target/sim/%.so),$(if $(filter vdf,$(OP)),$(PYTHON) rtl/sim/test_vdf.py --cycles $(CONFIG),$(if $(filter equihash_solve,$(OP)),$(PYTHON) rtl/sim/test_equihash_solve.py --cycles $(CONFIG),$(if $(filter coprocessor,$(OP)),$(PYTHON) rtl/sim/test_coprocessor.py --cycles $(CONFIG),$(BENCH) cycles $(OP) $(CONFIG:%=--sim %)))))))

formal: ## proofs of the circuit's control
	$(PYTHON) tools/setup.py
	$(PYTHON) tools/formal.py

report: ## docs/figures.md and the plots from bench/results; KEEP=1 keeps the figures of target/bench there first; HTML=report.html writes one page of all
	$(PYTHON) tools/report.py $(if $(KEEP),--keep) $(if $(HTML),--html $(HTML),--fill)
	$(if $(HTML),,$(PYTHON) tools/cluster_model.py --fill)

clean: ## removes build outputs; keeps the user's cache folder
	cargo clean --quiet
	rm -rf rtl/target target
