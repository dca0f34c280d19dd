package proofmill.arith

import java.nio.file.{Files, Path, Paths, StandardCopyOption}

import proofmill.spec.Spec
import spinal.core._

/** A function in C++ that replaces a circuit in long simulations: bit-exact and with the same latency.
  *
  * @param inputs widths of the operands, which `body` reads as `const uint32_t *in0, *in1, …`, least significant word first
  * @param output width of the result, `uint32_t *out`. `body` writes all of its words; bits above the width are ignored
  * @param body C++ statements; `rtl/sim/twin/wide.h` is included
  */
case class ModelFunction(name: String, inputs: Seq[Int], output: Int, body: String) {
  require((output +: inputs).forall(_ > 1), s"$name: a single bit is passed in another way")

  private[arith] def cpp: String = {
    val operands = inputs.indices.map(i => s"const uint32_t *in$i, ")
    s"""|// Behavioural model, called by the Verilog module beside it.
        |#include <cstdint>
        |#include <cstring>
        |
        |#include "wide.h"
        |
        |extern "C" void $name(${operands.mkString}uint32_t *out) {
        |    using namespace wide;
        |${body.linesIterator.map(line => if (line.isEmpty) line else "    " + line).mkString("\n")}
        |}
        |""".stripMargin
  }
}

object BehaviouralModel {

  /** Returns the function's result for the operands of one cycle, `latency` cycles later. Writes the C++ file beside the
    * Verilog.
    */
  def apply(function: ModelFunction, latency: Int, operands: Timed[Bits]*): Timed[Bits] = {
    val cycle = Timed.together(operands: _*)
    val box = new ModelBox(function, latency)
    for ((operand, input) <- operands.zip(box.inputs)) input := operand.at(cycle)
    write(Paths.get(GlobalData.get.config.targetDirectory), function)
    Timed(box.output, cycle + latency)
  }

  private def write(folder: Path, function: ModelFunction): Unit = {
    Files.createDirectories(folder)
    Files.writeString(folder.resolve(s"${function.name}.cpp"), function.cpp)
    val header = Spec.root.resolveSibling("rtl/sim/twin/wide.h")
    Files.copy(header, folder.resolve("wide.h"), StandardCopyOption.REPLACE_EXISTING)
  }
}

/** The Verilog module that calls the function. It calls the function only if the operands differ from those of the cycle
  * before. Results wait in a ring buffer, so that a cycle costs one write and one read.
  */
private class ModelBox(function: ModelFunction, latency: Int) extends BlackBox {
  require(latency >= 1, s"${function.name}: a behavioural model has a latency of at least one cycle")
  setDefinitionName(s"${function.name}_twin$latency")

  val clk = in(Bool()) // clock of the ring buffer, that of the surrounding clock domain
  val inputs = function.inputs.zipWithIndex.map { case (width, i) => in(Bits(width bits)).setName(s"in$i") } // operands
  val output = out(Bits(function.output bits)).setName("result") // the result, `latency` cycles after its operands
  mapCurrentClockDomain(clk)
  setInlineVerilog(verilog)

  private def verilog: String = {
    val names = inputs.indices.map(i => s"in$i")
    def bits(width: Int) = s"[${width - 1}:0]"
    val imported = names.zip(function.inputs).map { case (name, width) => s"input bit ${bits(width)} $name" } :+
      s"output bit ${bits(function.output)} found"
    val ports = names.zip(function.inputs).map { case (name, width) => s"input wire ${bits(width)} $name" }
    val waiting = latency - 1
    val ring =
      if (waiting == 0) "    result <= found;"
      else
        s"""|    result <= ring[at];
            |    ring[at] <= found;
            |    at <= at == ${waiting - 1} ? 0 : at + 1;""".stripMargin
    val store =
      if (waiting == 0) "" else s"  reg ${bits(function.output)} ring [0:${waiting - 1}];\n  integer at = 0;\n"
    val last = names.zip(function.inputs).map { case (name, width) => s"  reg ${bits(width)} last_$name;\n" }
    val changed = names.map(name => s"$name != last_$name").mkString(" || ")
    val kept = names.map(name => s"      last_$name = $name;\n")
    s"""|module ${function.name}_twin$latency (
        |  input wire clk,
        |${ports.map("  " + _ + ",\n").mkString}  output reg ${bits(function.output)} result
        |);
        |  import "DPI-C" function void ${function.name}(${imported.mkString(", ")});
        |  reg ${bits(function.output)} found;
        |  reg known = 0;
        |${last.mkString}$store  always @(posedge clk) begin
        |    if (!known || $changed) begin
        |      ${function.name}(${(names :+ "found").mkString(", ")});
        |${kept.mkString}      known = 1;
        |    end
        |$ring
        |  end
        |endmodule
        |""".stripMargin
  }
}
