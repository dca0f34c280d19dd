"""Delays of UltraScale+ cells and wires, speed grade -2 at 0.85 V, in picoseconds. docs/rtl/timing.md has their sources.

Cells: RapidWright's timing model (xcvu3p, -2: `timing/ultrascaleplus`, Maidee, Neely, Kaviani, Lavin, *An open-source
lightweight timing model for RapidWright*, FPT 2019) and AMD's data sheet DS923 v1.20 (DSP). Wires: fitted to `SEGMENTS`.
"""

import math

#: Clock to output, without and with the output register of a memory.
REGISTER, SRL, LUTRAM = 79, 312, 312
MEMORY = {"bram": (1003, 229), "uram": (1292, 767)}

#: Setup. A register's input is a LUT's output in its slice (`LOCAL_D`) or a wire through the bypass (`BYPASS`).
LOCAL_D, BYPASS, ENABLE = -25, 75, 61
SRL_WRITE, LUTRAM_WRITE = 81, 180
MEMORY_ADDRESS = {"bram": 380, "uram": 522}
MEMORY_ENABLE = {"bram": 445, "uram": 491}
MEMORY_DATA = {"bram": 290, "uram": 511}

#: Through cells. Which pin of a LUT a signal takes is the router's choice: the mean of the six (150, 125, 100, 90, 50, 35).
LUT, LUTRAM_READ, MUX_SELECT, MUX_DATA = 92, 150, 77, 70

#: A carry chain: from a bit's inputs to its carry, from carry to carry (23 through eight bits and 26 from slice to slice), to a sum.
CARRY_S, CARRY_DI, CARRY_STEP, CARRY_SUM, SUM_S = 145, 120, 49 / 8, 110, 150

#: A DSP tile with registers at operands, product and result may run at 775 MHz, without the product's at 544 MHz (DS923).
DSP_REGISTERED, DSP_PLAIN = 1e6 / 775, 1e6 / 544
#: From a wire's end to the product's register: operand, preadder and multiplier.
DSP_OPERAND = 850

#: Wires inside a slice: LUT to carry, LUT to multiplexer, LUT or sum to register.
TO_CARRY, TO_MUX, TO_REGISTER = 15, 25, 50

#: Deductions from each clock cycle: uncertainty 35 (as in the reports of `SEGMENTS`), skew 50.
CLOCK = 85

#: Fan-out and delay of routed wires between slices in published post-route reports. The first twelve: xcvu3p -2 (RapidWright's
#: documentation, "Report Timing Example" and "RWRoute Timing-driven Routing"); the others: xczu3eg -1 (cucapra/calyx-evaluation).
SEGMENTS_2 = [(1, 300), (1, 117), (324, 472), (2, 140), (21, 523), (2, 50), (19, 226), (4, 139), (8, 219), (2, 213), (2, 157), (1, 51)]
SEGMENTS_1 = [(69, 137), (70, 702), (2, 162), (19, 282), (7, 194), (2, 226), (1, 242), (37, 1016), (129, 1437), (9, 206), (4, 289), (1, 162),
              (88, 703), (1, 268), (5, 275), (3, 174), (1, 257), (2, 354), (1, 227), (2, 192)]
#: Delay of a -2 device relative to a -1 device: 79 of 96 for a register, 155 of 196 for a carry.
SPEED = 0.82

#: Maximum delay of a wire: a driver with more readers is duplicated, or uses a global buffer.
LONGEST = 2000


def wire(fanout):
    """Returns the delay from a cell's output to a cell outside its slice. The distance grows with the square root of the fan-out."""
    return min(115 + 45 * math.log2(fanout or 1) + 14 * math.sqrt(fanout), LONGEST)
