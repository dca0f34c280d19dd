package proofmill.curve

import proofmill.arith.{BlockMemory, Copies, Timed, Timing}
import proofmill.field.{Bound, Residue, ZeroTest}
import spinal.core._
import spinal.lib._

/** Adds pairs of affine points on `y^2 = x^3 + b`, in frames with one inversion each (Montgomery, Speeding the Pollard and
  * elliptic curve methods of factorization, 1987, section 10.3.1). The model is spec/model/batch_affine.py.
  *
  * A pair has a denominator D: x2 - x1, or y1 + y2 if the points are equal, or 1 if the sum is one of the operands or the
  * identity. The slots of a frame are dealt to [[chains]] in turn:
  *
  * {{{
  *   pair ─► D ─► × product of the chain ─► product      a slot stores D and the product before it
  *                                             │
  *                   frame closed ─► InversionTree: the inverse of each chain's product
  *                                             │
  *   last slot first: inverse of the chain × D ┴► inverse       1 / D = inverse × stored product
  *                                                 └─► slope = N / D, x, y ─► sums
  * }}}
  *
  * A frame is closed when the frame before has gone backward, with the pairs that have entered by then. Sums leave frame by frame, those of a
  * frame in reverse order, so each pair has a tag. There are six multipliers for the steps of each pair; a seventh one makes
  * the products of the tree and the squares of doublings, which have priority.
  *
  * Cycles of the backward steps: 0 issue; `found` the operands; `inverted` 1 / D; then those of the formula.
  *
  * @param slotBits there are 2^slotBits slots; those of a frame are free when it has gone backward
  * @param late pairs that may come after `ready` falls
  */
class BatchAdder(law: AffineLaw, tagBits: Int, slotBits: Int = 12, late: Int = 8, timing: Timing = Timing())
    extends PairAdder(AffinePoint(law).getBitsWidth, tagBits) {
  import law.arithmetic
  import arithmetic.{digits, mulLatency, product}

  /** Slots from one of a chain to the next: a product, the write of it and the read of it. */
  val chains: Int = mulLatency + timing.memory + 2
  private val chainBits = log2Up(chains)
  private val width = digits * product.width
  private val slots = 1 << slotBits

  // 1. Slots. A pair that enters in the cycle in which the frame is closed still belongs to it.
  private val enters = io.pairs.valid
  private val tree = new InversionTree(arithmetic, chains, mulLatency, timing)
  private val inverting = RegInit(False)
  private val frames = new OpenFrame(slotBits, chainBits, chains)
  private val open = frames.io
  private val close = open.isUsed && !inverting
  open.enters := enters
  open.close := close
  private val frame = RegNextWhen(open.closed, close)
  when(close)(inverting := True)

  // 2. The denominators. Cycles are counted from the entry of a pair.
  private val points = AffinePair(law, tagBits)
  points.assignFromBits(RegNext(io.pairs.payload.asBits))
  private val (x1, y1) = points.left.residues(1)
  private val (x2, y2) = points.right.residues(1)
  private def isZero(residue: Residue): Timed[Bool] = {
    val test = new ZeroTest(arithmetic, residue.bound)
    test.io.residue := residue.bits(residue.cycle)
    Timed(test.io.isZero, residue.cycle + test.latency)
  }
  private val (difference, total) = (arithmetic.sub(x2, x1), arithmetic.add(y1, y2))
  private val (sameX, opposite) = (isZero(difference), isZero(total))
  private val tested = Timed.together(sameX, opposite)
  private def tests(bit: Bool) = Timed(bit, 1).at(tested)
  private val hasIdentity = tests(points.left.isIdentity || points.right.isIdentity)
  private val kind = PairKind()
  kind.isKnown := hasIdentity || sameX.at(tested) && opposite.at(tested)
  kind.isDouble := !kind.isKnown && sameX.at(tested)
  private val denominator = {
    val bounds = Seq(difference.bound, total.bound, product)
    val bound = Bound(bounds.map(_.low).min, bounds.map(_.high).max)
    val one = arithmetic.encode(1)
    val chosen = (0 until digits).map { i =>
      val Seq(a, b) = Seq(difference, total).map(_.digits(i).at(tested).resize(bound.width))
      Timed(RegNext(kind.isKnown ? S(one(i), bound.width bits) | (sameX.at(tested) ? b | a)), tested + 1)
    }
    val residue = new Residue(chosen, bound)
    if (bound.within(arithmetic.factor)) residue else arithmetic.reduce(residue)
  }

  // 3. Forward: a slot stores the product of its chain, which then takes in its denominator.
  private val forward = denominator.cycle + 1
  private def isEntered(cycle: Int): Bool = Delay(enters, cycle, init = False)
  private val one = B(Cat(arithmetic.encode(1).map(S(_, product.width bits).asBits)))
  private val products = new BlockMemory(width, chainBits, timing)
  products.io.read := Delay(open.chain, forward - 1 - timing.memory)
  private val before = RegNext(Delay(open.isFirst, forward - 1) ? one | products.io.found)
  private def residue(bits: Bits, cycle: Int) = Residue(bits, digits, product, cycle)
  private val extended = arithmetic.mul(residue(before, forward), denominator).bits(forward + mulLatency, product)
  products.io.write := isEntered(forward + mulLatency)
  products.io.place := Delay(open.chain, forward + mulLatency)
  products.io.content := extended
  tree.io.residues.valid := products.io.write
  tree.io.residues.place := (Delay(open.side, forward + mulLatency) ## products.io.place).asUInt
  tree.io.residues.value := extended

  // 4. The tree begins when the product of the last pair is in its memory.
  private val waits =
    RegInit(False) setWhen Delay(close, forward + mulLatency, init = False) clearWhen tree.io.start.fire
  tree.io.start.valid := waits
  tree.io.start.side := frame.side
  tree.io.start.leaves := frame.isShort ? (frame.chain +^ 1).resize(chainBits + 1) | U(chains, chainBits + 1 bits)

  // 5. Backward, the last slot first. A frame's slots are free when the last one has been read.
  private val steps = new BackwardSteps(slotBits, chainBits, chains)
  steps.io.frame.arbitrationFrom(tree.io.done)
  steps.io.frame.payload := frame
  when(tree.io.done.fire)(inverting := False)
  private val now = steps.io.step
  private val (found, inverted) = (timing.memory + 1, timing.memory + 1 + mulLatency)

  /** A memory of slots: what is written `cycle` cycles after the entry of a pair, and read by a step. */
  private def perSlot[T <: Data](value: T, cycle: Int, read: UInt): T = {
    val memory = new BlockMemory(value.getBitsWidth, slotBits, timing)
    memory.io.write := isEntered(cycle)
    memory.io.place := Delay(open.slot, cycle)
    memory.io.content := value.asBits
    memory.io.read := read
    val result = cloneOf(value)
    result.assignFromBits(memory.io.found)
    result
  }
  private def denominatorBits = denominator.bits(forward, arithmetic.factor)
  private val stored = SlotStep(width, denominatorBits.getWidth)
  stored.before := before
  stored.denominator := denominatorBits
  stored.kind := Delay(kind, forward - tested)
  private val slotNext = perSlot(stored, forward, now.slot)
  private val slot = RegNext(slotNext)
  private val squared = RegNext(perSlot(points.left.x, 1, now.slot))

  private val inverses = new BlockMemory(width, chainBits + 1, timing)
  private val extendedInverses = new BlockMemory(width, chainBits, timing)
  inverses.io.write := tree.io.inverses.valid
  inverses.io.place := tree.io.inverses.place
  inverses.io.content := tree.io.inverses.value
  inverses.io.read := (now.side ## now.chain).asUInt
  extendedInverses.io.read := now.chain
  private val inverse =
    RegNext(Delay(now.isFirst, found - 1) ? inverses.io.found | extendedInverses.io.found)
  private def factor(bits: Bits) = Residue(bits, digits, arithmetic.factor, 0)
  extendedInverses.io.write := Delay(now.valid, inverted, init = False)
  extendedInverses.io.place := Delay(now.chain, inverted)
  extendedInverses.io.content :=
    arithmetic.mul(residue(inverse, 0), factor(slot.denominator)).bits(mulLatency, product)
  private val reciprocal = arithmetic.mul(residue(inverse, 0), residue(slot.before, 0)).bits(mulLatency, product)

  // 6. The seventh multiplier. A refused product of the tree makes one cycle free of steps.
  private val squaresNext = Delay(now.valid, found - 1, init = False) && slotNext.kind.isDouble
  private val squares = RegNext(squaresNext) init False
  private val square = Residue(squared, digits, law.x, 0).bits(0, arithmetic.factor)
  private val selects = Copies(squaresNext, square.getWidth, timing)
  private val shared = tree.io.factors.payload.map { bits =>
    val product = residue(bits, 0).bits(0, arithmetic.factor)
    factor(Cat(selects.zipWithIndex.map { case (select, i) => select ? square(i) | product(i) }))
  }
  tree.io.factors.ready := !squares
  private val made = arithmetic.mul(shared(0), shared(1)).bits(mulLatency, product)
  tree.io.result := made
  private val paused = RegInit(False)
  steps.io.pause := RegNext(tree.io.factors.valid && squares && !paused) init False
  paused.setWhen(tree.io.factors.valid && squares).clearWhen(tree.io.factors.fire)

  // 7. The formula. A known sum is the other point, or the identity.
  private val operandsNow = perSlot(points, 1, Delay(now.slot, inverted - 1 - timing.memory))
  private val start = RegNext(operandsNow)
  when(operandsNow.left.isIdentity)(start.left := operandsNow.right)
  private val bothOrNone = RegNext(operandsNow.left.isIdentity === operandsNow.right.isIdentity)
  private val kindNow = Delay(slot.kind, mulLatency)
  private val (leftX, leftY) = start.left.residues(0)
  private val (rightX, rightY) = start.right.residues(0)
  private val sum = FormulaPipeline.build(
    law.schedule,
    arithmetic,
    residues = Map(
      "X1" -> leftX,
      "Y1" -> leftY,
      "X2" -> rightX,
      "Y2" -> rightY,
      "inv" -> residue(reciprocal, 0),
      "Q" -> residue(made, 0)
    ),
    bits = Map("B" -> Timed(kindNow.isDouble, 0))
  )
  private val end = law.schedule.latency
  private val known = Delay(kindNow.isKnown, end)
  private def result(name: String, operand: Residue, bound: Bound) =
    RegNext(known ? operand.bits(end, bound) | sum(name).bits(end, bound))
  private val added = AffinePoint(law)
  added.isIdentity := RegNext(known && Delay(bothOrNone, end))
  added.x := result("X3", leftX, law.x)
  added.y := result("Y3", leftY, law.y)
  io.sums.tag := Delay(start.tag, end + 1)
  io.sums.sum := added.asBits
  io.sums.valid := Delay(now.valid, inverted + end + 1, init = False)

  private val used = Reg(UInt(slotBits + 1 bits)) init 0
  private val freed =
    Delay(steps.io.freed.payload, inverted).andMask(Delay(steps.io.freed.valid, inverted, init = False))
  used := used + enters.asUInt - freed
  io.ready := RegNext(used < slots - late - 1) init False
}

/** A [[TaggedPair]] of affine points. */
private case class AffinePair(law: AffineLaw, tagBits: Int) extends Bundle {
  val tag = Bits(tagBits bits)
  val left, right = AffinePoint(law)
}

/** How a pair is added: its sum is known without a slope, or its points are equal. */
private case class PairKind() extends Bundle {
  val isKnown, isDouble = Bool()
}

/** What a backward step needs of a slot: the product before it in its chain, its denominator and its kind. */
private case class SlotStep(productBits: Int, factorBits: Int) extends Bundle {
  val before = Bits(productBits bits)
  val denominator = Bits(factorBits bits)
  val kind = PairKind()
}
