package proofmill.arith

import java.nio.file.{Files, Paths}

import spinal.core._

/** A function in C++ that stands in for a circuit in long simulations.
  *
  * @param inputs widths of its operands, which `body` sees as `const uint32_t *in0, *in1, …`, least word first
  * @param output width of its result, `uint32_t *out`, all words of which `body` writes
  * @param body C++ statements; `<cstdint>`, `<cstring>` and `<algorithm>` are there
  */
case class TwinFunction(name: String, inputs: Seq[Int], output: Int, body: String)

object Twin {

  /** The function's result for operands of one cycle, `latency` cycles later; the C++ is written beside the Verilog. */
  def apply(function: TwinFunction, latency: Int, operands: Timed[Bits]*): Timed[Bits] = {
    val folder = Paths.get(GlobalData.get.phaseContext.config.targetDirectory)
    Files.writeString(folder.resolve(s"${function.name}.cpp"), cpp(function))
    val cycle = Timed.together(operands: _*)
    val box = new TwinBox(function, latency)
    for ((port, operand) <- box.in.zip(operands)) port := operand.at(cycle)
    Timed(box.out_, cycle + latency)
  }

  private def cpp(function: TwinFunction): String = {
    val inputs = function.inputs.indices.map(i => s"const uint32_t* in$i, ").mkString
    s"""#include <algorithm>
       |#include <cstdint>
       |#include <cstring>
       |
       |extern "C" void ${function.name}(${inputs}uint32_t* out) {
       |${function.body}
       |}
       |""".stripMargin
  }
}

/** A call of the function in every cycle, and a ring of results in place of the pipeline's registers. */
class TwinBox(function: TwinFunction, latency: Int) extends BlackBox {
  require(latency > 0, s"${function.name}: a twin takes a cycle at least")
  setDefinitionName(s"Twin_${function.name}")

  val clk = spinal.core.in(Bool())
  val in = function.inputs.zipWithIndex.map { case (width, i) => spinal.core.in(Bits(width bits)).setName(s"in$i") }
  val out_ = spinal.core.out(Bits(function.output bits)).setName("out")
  mapClockDomain(clock = clk)

  setInlineVerilog {
    val bits = function.inputs.map(width => s"[${width - 1}:0]")
    val ports = bits.zipWithIndex.map { case (range, i) => s"  input wire $range in$i,\n" }.mkString
    val imported = bits.zipWithIndex.map { case (range, i) => s"input bit $range in$i, " }.mkString
    val call = function.inputs.indices.map(i => s"in$i, ").mkString
    val output = s"[${function.output - 1}:0]"
    s"""module Twin_${function.name} (
       |  input wire clk,
       |$ports  output wire $output out
       |);
       |  import "DPI-C" function void ${function.name}(${imported}output bit $output out);
       |  reg $output ring [0:${latency - 1}];
       |  reg $output result;
       |  reg [31:0] place = 0;
       |  assign out = ring[place];
       |  always @(posedge clk) begin
       |    ${function.name}(${call}result);
       |    ring[place] <= result;
       |    place <= place == ${latency - 1} ? 0 : place + 1;
       |  end
       |endmodule
       |""".stripMargin
  }
}
