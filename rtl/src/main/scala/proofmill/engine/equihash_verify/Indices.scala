package proofmill.engine.equihash_verify

import proofmill.spec.Equihash
import spinal.core._
import spinal.lib._

/** An index and the hash that contains its leaf. */
case class Leaf(p: Equihash) extends Bundle {
  val index = UInt(p.indexBits bits)

  /** index / indicesPerHash. */
  val hash = UInt(p.indexBits bits)

  /** index mod indicesPerHash. */
  val select = UInt(log2Up(p.indicesPerHash) max 1 bits)
}

/** Cuts solutions into indices, most significant bit first, one each cycle, across header boundaries.
  *
  * Solution words arrive eight bytes at a time, first byte lowest; the last word of a solution may contain padding. Every
  * solution is a whole number of indices, so the bits of the next one follow without a gap.
  */
class IndexCutter(p: Equihash) extends Component {
  private val width = p.indexBits
  private val words = (p.solutionBytes + 7) / 8
  private val lastBits = p.solutionBytes * 8 - 64 * (words - 1)
  require(p.solutionBytes * 8 == p.indices * width, "a solution must be a whole number of indices")

  val io = new Bundle {
    val word = slave(Stream(Bits(64 bits))) // words of solutions
    val index = master(Stream(UInt(width bits))) // indices
  }
  private val size = 64 + width
  val buffer = Reg(Bits(size bits)) init 0 // next bit leftmost; zeros after the last one
  val count = Reg(UInt(log2Up(size + 1) bits)) init 0
  val number = Reg(UInt(log2Up(words) bits)) init 0
  val last = number === words - 1

  io.index.valid := count >= width
  io.index.payload := buffer.takeHigh(width).asUInt
  val popped = io.index.fire ? (buffer |<< width) | buffer
  val left = io.index.fire ? (count - width) | count

  io.word.ready := left <= width
  val arriving = Cat(io.word.payload.subdivideIn(8 bits).reverse)
  val cut = last ? (arriving.takeHigh(lastBits) ## B(0, 64 - lastBits bits)) | arriving
  val placed = (cut ## B(0, width bits)) |>> left.resize(log2Up(width + 1))
  buffer := popped | (io.word.fire ? placed | B(0, size bits))
  count := left + (io.word.fire ? (last ? U(lastBits) | U(64)).resize(count.getWidth) | U(0, count.getWidth bits))
  when(io.word.fire)(number := last ? U(0) | number + 1)
}

/** The state of a long division: the dividend leaves `number` on the left while quotient digits enter on the right. */
case class DivisionStep(indexBits: Int, digits: Int, remainderBits: Int) extends Bundle {
  val index = UInt(indexBits bits)
  val number = UInt(4 * digits bits)
  val remainder = UInt(remainderBits bits)
}

/** Divides indices by indicesPerHash: long division by a constant, four bits a step, two steps a cycle; only wires for a
  * power of two.
  */
class Grouping(p: Equihash) extends Component {
  val io = new Bundle {
    val index = slave(Stream(UInt(p.indexBits bits))) // indices
    val leaf = master(Stream(Leaf(p))) // the same indices with their quotient and remainder
  }
  private val divisor = p.indicesPerHash

  if (isPow2(divisor)) {
    val shift = log2Up(divisor)
    io.leaf << io.index.translateWith {
      val leaf = Leaf(p)
      leaf.index := io.index.payload
      leaf.hash := (io.index.payload |>> shift)
      leaf.select := io.index.payload.resize(shift max 1)
      leaf
    }
  } else {
    val digits = (p.indexBits + 3) / 4
    val remainderBits = log2Up(divisor)
    def divide(before: DivisionStep): DivisionStep = {
      val part = before.remainder @@ before.number.takeHigh(4).asUInt
      val values = 0 until (1 << (remainderBits + 4))
      val after = DivisionStep(p.indexBits, digits, remainderBits)
      after.index := before.index
      after.number := (before.number |<< 4) | Vec(values.map(v => U(v / divisor & 15, 4 bits)))(part).resized
      after.remainder := Vec(values.map(v => U(v % divisor, remainderBits bits)))(part)
      after
    }
    val begin = io.index.translateWith {
      val step = DivisionStep(p.indexBits, digits, remainderBits)
      step.index := io.index.payload
      step.number := io.index.payload.resized
      step.remainder := 0
      step
    }
    val end = (0 until digits).grouped(2).foldLeft(begin) { (stream, steps) =>
      stream.translateWith(steps.foldLeft(stream.payload)((step, _) => divide(step))).m2sPipe()
    }
    io.leaf << end.translateWith {
      val leaf = Leaf(p)
      leaf.index := end.index
      leaf.hash := end.number.resized
      leaf.select := end.remainder.resized
      leaf
    }
  }
}
