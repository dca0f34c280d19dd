package proofmill.micro

import spinal.core._
import spinal.lib._

/** The digit registers of all contexts: a magnitude and a sign each, from a window of the job's numbers or from a list of its
  * items.
  */
class JobDigits(
    ports: JobPorts,
    image: Image,
    contexts: Int,
    issue: Flow[Issue],
    job: Bits,
    items: Seq[Flow[ItemWrite]],
    control: Contexts
) extends Area {
  private val magnitudeBits =
    (WordFormat.linear("a_reg").bits +: ports.lists.map(list => log2Up(list.magnitudes))).max
  private val magnitudes =
    Vec(Seq.fill(contexts)(Vec(Seq.fill(WordFormat.digitRegisters)(Reg(UInt(magnitudeBits bits))))))
  private val signs = Vec(Seq.fill(contexts)(Reg(Bits(WordFormat.digitRegisters bits))))
  private val select = issue.field("digit")

  /** The magnitude of the digit register that the word selects. */
  val magnitude: UInt = magnitudes(issue.context)(select)
  def sign: Bool = signs(issue.context)(select)

  // Windows: Booth's recoding, a window as a signed number, plus the bit below it.
  private val windows = image.windows.map { window =>
    val before = ports.numbers.takeWhile(_._1 != window.number).map(_._2).sum
    val bits = ports.numbers.toMap.apply(window.number)
    val places = Program.places(window, bits)
    val padded = (job(before, bits bits) ## False).resize(places * window.bits + 1)
    val value = issue.field("value")
    val place = value + (issue.field("counted").lsb ? control.io.counters(issue.context) | U(0, value.getWidth bits))
    val windows = Vec((0 until places).map(i => padded(i * window.bits, window.bits + 1 bits)))
    val chosen = windows(place.resize(log2Up(places)))
    val digit = chosen.dropLow(1).asSInt.resize(window.bits + 1) + (False ## chosen.lsb).asSInt.resize(window.bits + 1)
    (digit.msb, digit.abs.resize(WordFormat.linear("a_reg").bits))
  }
  when(issue.valid && issue.is("digit")) {
    for (((minus, magnitude), i) <- windows.zipWithIndex) when(issue.field("dst") === i) {
      magnitudes(issue.context)(select) := magnitude.resized
      signs(issue.context)(select) := minus
    }
  }

  // Items: the next one of a list, one cycle after the word's issue; 0 if the list is empty.
  private val taken = ports.lists.zip(items).zipWithIndex.map { case ((list, write), i) =>
    val depth = 1 << log2Up(list.items)
    val memory = Mem(Item(list), contexts * depth)
    memory.write(write.context @@ write.place, write.item, write.valid)
    val state = control.io.items(issue.context)
    val item = memory.readSync(issue.context @@ state.left(i).resize(log2Up(list.items)))
    (item, issue.valid && issue.is("take") && issue.field("dst") === i, RegNext(state.found))
  }
  private val takenContext = RegNext(issue.context)
  control.io.taken.valid := False
  control.io.taken.payload := takenContext
  control.io.count := 0
  for (((item, takes, found), list) <- taken.zip(ports.lists)) when(RegNext(takes, init = False)) {
    magnitudes(takenContext)(RegNext(select)) := found ? item.magnitude.resize(magnitudeBits) | U(0)
    signs(takenContext)(RegNext(select)) := found && item.minus
    if (list.counts > 1) {
      control.io.taken.valid := True
      control.io.count := found ? item.count.resize(control.io.count.getWidth) | U(0)
    }
  }
}
