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
  * A frame is closed when the frame before has gone backward, with the pairs that have entered by then. Sums leave frame by
  * frame, those of a frame in reverse order, so each pair has a tag. There are six multipliers for the steps of each pair; a
  * seventh one makes the products of the tree and the squares of doublings, which have priority.
  *
  * A slot lasts `law.arithmetic.interval` cycles. In Fp2 the components of a value pass in the first two of them, on the same
  * wires, and a memory has a word for each. Pairs and sums have all components side by side. Cycles are those of the first
  * component.
  *
  * Cycles of the backward steps: 0 issue; `found` the operands; `inverted` 1 / D; then those of the formula.
  *
  * @param slotBits there are 2^slotBits slots; those of a frame are free when it has gone backward
  * @param late pairs that may come after `ready` falls
  */
class BatchAdder(law: AffineLaw, tagBits: Int, slotBits: Int, late: Int = 8, timing: Timing = Timing())
    extends PairAdder(AffinePoint(law).getBitsWidth, tagBits) {
  private val field = law.arithmetic
  import field.{components, digits, interval, mulLatency, product}

  /** Slots from one of a chain to the next: a product, the write of it and the read of it. */
  val chains: Int = (mulLatency + timing.memory + 2 + interval - 1) / interval
  private val chainBits = log2Up(chains)
  private val width = digits * product.width
  private val slots = 1 << slotBits

  /** The cycles in which a slot may begin: backward steps begin then, and pairs are accepted. */
  private val beats = new Beats(interval)

  // 1. Slots. A pair that enters in the cycle in which the frame is closed still belongs to it.
  private val enters = io.pairs.valid
  private val entry = new Series(components, Delay(enters, _, init = False))
  private val tree = new InversionTree(field, chains, mulLatency + components - 1, timing)
  private val inverting = RegInit(False)
  private val frames = new OpenFrame(slotBits, chainBits, chains)
  private val open = frames.io
  private val close = open.isUsed && !inverting
  open.enters := enters
  open.close := close
  private val frame = RegNextWhen(open.closed, close)
  when(close)(inverting := True)
  private val (openSlot, openChain) = (entry.steady(open.slot), entry.steady(open.chain))
  private val (opensChain, openSide) = (entry.steady(open.isFirst), entry.steady(open.side))

  // 2. The denominators. Cycles are counted from the entry of a pair.
  private val forwardField = field.inPipeline(entry.first)
  private val points = {
    val pair = AffinePair(law, tagBits, components)
    val bits = io.pairs.payload.asBits
    pair.assignFromBits(if (components == 1) RegNext(bits) else RegNextWhen(bits, enters))
    val component = AffinePair(law, tagBits, 1)
    component.tag := pair.tag
    component.left := entry.select(1, (0 until components).map(pair.left.component))
    component.right := entry.select(1, (0 until components).map(pair.right.component))
    component
  }
  private val (x1, y1) = points.left.residues(1)
  private val (x2, y2) = points.right.residues(1)
  private val (difference, total) = (forwardField.sub(x2, x1), forwardField.add(y1, y2))
  private def isZero(residue: Residue): Timed[Bool] = {
    val test = new ZeroTest(field, residue.bound)
    test.io.residue := residue.bits(residue.cycle)
    val whole = (0 until components).map(i => Delay(test.io.isZero, i)).andR
    Timed(whole, residue.cycle + test.latency + components - 1)
  }
  private val (zeroX, zeroY) = (isZero(difference), isZero(total))
  private val tested = Timed.together(zeroX, zeroY)
  private val decided = tested + (if (components == 1) 0 else 1)

  /** A bit of a pair, from `decided` on while its components pass. */
  private def ofPair(bit: Timed[Bool]): Bool =
    if (components == 1) bit.at(decided) else RegNextWhen(bit.at(tested), entry.first(tested))
  private val hasIdentity = ofPair(Timed(points.left.isIdentity || points.right.isIdentity, 1))
  private val (sameX, opposite) = (ofPair(zeroX), ofPair(zeroY))
  private val kind = PairKind()
  kind.isKnown := hasIdentity || sameX && opposite
  kind.isDouble := !kind.isKnown && sameX
  private def one(bound: Bound): Bits = field.constant(1, bound)
  private val denominator = {
    val bounds = Seq(difference.bound, total.bound, product)
    val bound = Bound(bounds.map(_.low).min, bounds.map(_.high).max)
    val ones = one(bound).subdivideIn(digits slices)
    val chosen = (0 until digits).map { i =>
      val Seq(a, b) = Seq(difference, total).map(_.digits(i).at(decided).resize(bound.width))
      val digit = entry.inFirst(decided, ones(i)).asSInt
      Timed(RegNext(kind.isKnown ? digit | (sameX ? b | a)), decided + 1)
    }
    val residue = new Residue(chosen, bound)
    if (bound.within(field.factor)) residue else forwardField.reduce(residue)
  }

  // 3. Forward: a slot stores the product of its chain, which then takes in its denominator.
  private val forward = denominator.cycle + 1
  private val products = new BlockMemory(width, chainBits + components - 1, timing)
  private def chainAt(cycle: Int) = entry.word(cycle, Delay(openChain, cycle))
  products.io.read := chainAt(forward - 1 - timing.memory)
  private val before =
    RegNext(Delay(opensChain, forward - 1) ? entry.inFirst(forward - 1, one(product)) | products.io.found)
  private def residue(bits: Bits, cycle: Int) = Residue(bits, digits, product, cycle)
  private val extended =
    forwardField.mul(residue(before, forward), denominator).bits(forward + mulLatency, product)
  products.io.write := entry.any(forward + mulLatency)
  products.io.place := chainAt(forward + mulLatency)
  products.io.content := extended
  private val gathered = forward + mulLatency + components - 1
  tree.io.values.valid := entry.first(gathered)
  tree.io.values.place := (Delay(openSide, gathered) ## Delay(openChain, gathered)).asUInt
  tree.io.values.value := Series.gathered(extended, components)

  // 4. The tree begins when the product of the last pair is in its memory.
  private val waits = RegInit(False) setWhen Delay(close, gathered, init = False) clearWhen tree.io.start.fire
  tree.io.start.valid := waits
  tree.io.start.side := frame.side
  tree.io.start.leaves := frame.isShort ? (frame.chain +^ 1).resize(chainBits + 1) | U(chains, chainBits + 1 bits)

  // 5. Backward, the last slot first. A frame's slots are free when the last one has been read.
  private val steps = new BackwardSteps(slotBits, chainBits, chains)
  steps.io.frame.arbitrationFrom(tree.io.done)
  steps.io.frame.payload := frame
  when(tree.io.done.fire)(inverting := False)
  private val step = new Series(components, Delay(steps.io.step.valid, _, init = False))
  private val now = step.steady(steps.io.step.payload)
  private val (found, inverted) = (timing.memory + 1, timing.memory + 1 + mulLatency)
  private val backwardField = field.inPipeline(cycle => beats(found + cycle))

  /** A memory of slots: what is written `cycle` cycles after the entry of a pair, and read in a cycle of a step. */
  private def perSlot[T <: Data](value: T, cycle: Int, read: Int = 0): T = {
    val memory = new BlockMemory(value.getBitsWidth, slotBits + components - 1, timing)
    memory.io.write := entry.any(cycle)
    memory.io.place := entry.word(cycle, Delay(openSlot, cycle))
    memory.io.content := value.asBits
    memory.io.read := step.word(read, Delay(now.slot, read))
    val result = cloneOf(value)
    result.assignFromBits(memory.io.found)
    result
  }
  private def denominatorBits = denominator.bits(forward, field.factor)
  private val stored = SlotStep(width, denominatorBits.getWidth)
  stored.before := before
  stored.denominator := denominatorBits
  stored.kind := Delay(kind, forward - decided)
  private val slotNext = perSlot(stored, forward)
  private val slot = RegNext(slotNext)
  private val squared = RegNext(perSlot(points.left.x, 1))

  private val inverses = new BlockMemory(components * width, chainBits + 1, timing)
  private val extendedInverses = new BlockMemory(width, chainBits + components - 1, timing)
  inverses.io.write := tree.io.inverses.valid
  inverses.io.place := tree.io.inverses.place
  inverses.io.content := tree.io.inverses.value
  inverses.io.read := (now.side ## now.chain).asUInt
  extendedInverses.io.read := step.word(0, now.chain)
  private val ofTree = step.select(found - 1, inverses.io.found.subdivideIn(components slices).toSeq)
  private val inverse = RegNext(Delay(now.isFirst, found - 1) ? ofTree | extendedInverses.io.found)
  private def factor(bits: Bits) = Residue(bits, digits, field.factor, 0)
  extendedInverses.io.write := step.any(inverted)
  extendedInverses.io.place := step.word(inverted, Delay(now.chain, inverted))
  extendedInverses.io.content :=
    backwardField.mul(residue(inverse, 0), factor(slot.denominator)).bits(mulLatency, product)
  private val reciprocal = backwardField.mul(residue(inverse, 0), residue(slot.before, 0)).bits(mulLatency, product)

  // 6. The seventh multiplier. A refused product of the tree makes one slot free of steps.
  private val squaresNext = step.any(found - 1) && slotNext.kind.isDouble
  private val squares = RegNext(step.first(found - 1) && slotNext.kind.isDouble) init False
  private val square = Residue(squared, digits, law.x, 0).bits(0, field.factor)
  private val selects = Copies(squaresNext, square.getWidth, timing)
  private val shared = tree.io.factors.payload.map { element =>
    val parts = element.subdivideIn(components slices)
    val bits = if (components == 1) parts.head else beats(found) ? parts.head | RegNext(parts.last)
    val product = Residue(bits, digits, InversionTree.factor(field), 0).bits(0, field.factor)
    factor(Cat(selects.zipWithIndex.map { case (select, i) => select ? square(i) | product(i) }))
  }
  tree.io.factors.ready := !squares && beats(found)
  private val made = backwardField.mul(shared(0), shared(1)).bits(mulLatency, product)
  tree.io.result := Series.gathered(made, components)
  private val refused = tree.io.factors.valid && squares
  private val paused, pauses = RegInit(False)
  pauses.clearWhen(beats(0)).setWhen(refused && !paused)
  steps.io.pause := pauses || !beats(0)
  paused.setWhen(refused).clearWhen(tree.io.factors.fire)

  // 7. The formula. A known sum is the other point, or the identity.
  private val operandsNow = perSlot(points, 1, inverted - 1 - timing.memory)
  private val start = RegNext(operandsNow)
  when(operandsNow.left.isIdentity)(start.left := operandsNow.right)
  private val bothOrNone = RegNext(operandsNow.left.isIdentity === operandsNow.right.isIdentity)
  private val kindNow = Delay(slot.kind, mulLatency)
  private val (leftX, leftY) = start.left.residues(0)
  private val (rightX, rightY) = start.right.residues(0)
  private val sum = FormulaPipeline.build(
    law.schedule,
    field.inPipeline(cycle => beats(inverted + cycle)),
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
  private val added = AffinePoint(law, components = 1)
  added.isIdentity := RegNext(known && Delay(bothOrNone, end))
  added.x := result("X3", leftX, law.x)
  added.y := result("Y3", leftY, law.y)
  io.sums.tag := Delay(start.tag, end + components)
  io.sums.sum := AffinePoint.gathered(added).asBits
  io.sums.valid := step.first(inverted + end + components)

  private val used = Reg(UInt(slotBits + 1 bits)) init 0
  private val freed =
    Delay(steps.io.freed.payload, inverted).andMask(Delay(steps.io.freed.valid, inverted, init = False))
  used := used + enters.asUInt - freed
  private val hasSpace = RegNext(used < slots - late - 1) init False
  io.ready := hasSpace && beats(0)
}

object BatchAdder {

  /** Returns the slots, as a power of two, with which an inversion never waits for slots. In Fp2 fewer pairs enter during an inversion. */
  def slotBits(law: AffineLaw): Int = if (law.arithmetic.interval == 1) 12 else 11
}

/** A [[TaggedPair]] of affine points, with so many components of each coordinate. */
private case class AffinePair(law: AffineLaw, tagBits: Int, components: Int) extends Bundle {
  val tag = Bits(tagBits bits)
  val left, right = AffinePoint(law, components)
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
