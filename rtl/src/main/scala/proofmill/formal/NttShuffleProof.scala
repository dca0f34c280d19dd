package proofmill.formal

import proofmill.engine.ntt.{Arrangement, Shuffle}
import spinal.core._
import spinal.lib._

/** Proof that a shuffle loses and duplicates nothing: the element that enters at any position of any block leaves once, in
  * its block and at the position of the arrangement.
  *
  * `watched` is any position, and `pick` selects any block. The previous stage claims a block while there is space and then
  * sends it, beat by beat, with any pauses; the next stage has space or not in every cycle. The outputs follow the same
  * protocol: beats are sent only for a claim, and without a pause except where a claim is due.
  *
  * @param laneBits base-2 logarithm of the lanes
  */
class NttShuffleProof(laneBits: Int, choices: Seq[Arrangement], blocks: Int) extends Component with Proof {
  private val bits = choices.map(_.bits).max
  private val timeBits = bits - laneBits
  val dut = new Shuffle(width = 1, laneBits, choices, blocks)
  val choice = freeInput(dut.io.choice)
  val start = freeInput(dut.io.start)
  val claim = freeInput(dut.io.claim)
  val input = slave(cloneOf(dut.io.input))
  dut.io.input << input
  val next = freeInput(dut.io.next)
  val nextRoom = freeInput(dut.io.nextRoom)
  val watched = in(UInt(bits bits))
  val pick = in(Bool())

  private val first = RegNext(False) init True
  private def steady(value: UInt): Unit = assume(first || value === RegNext(value))
  steady(choice)
  steady(next)
  steady(watched)
  assume(choice.resize(choice.getWidth + 1) < choices.size && next <= timeBits)
  private def chosen[T <: Data](of: Arrangement => T): T = Vec(choices.map(of))(choice)
  val last = chosen(c => U((1 << (c.bits - laneBits)) - 1, timeBits bits)) // last beat of a block
  private def laneOf(place: UInt): UInt = place.takeLow(laneBits).asUInt
  private def timeOf(place: UInt): UInt = place.dropLow(laneBits).asUInt
  assume(timeOf(watched) <= last)
  val after =
    chosen(c => Cat((0 until bits).map(i => if (i < c.bits) watched(c.in.indexOf(c.out(i))) else False)).asUInt)

  /** Returns a beat's number in its block. */
  private def counted(valid: Bool): UInt = {
    val count = Reg(UInt(timeBits bits)) init 0
    when(valid)(count := (count === last) ? U(0) | count + 1)
    count
  }
  private val output = dut.io.output
  val came = counted(input.valid)
  val left = counted(output.valid)
  val blockComes = input.valid && came === last
  val blockLeaves = output.valid && left === last

  // The neighbours' claims: blocks that have not entered, and remaining beats of the present block.
  val owed = Reg(UInt(3 bits)) init 0
  owed := owed + U(claim) - U(blockComes)
  assume(!claim || dut.io.room)
  assume(!input.valid || owed =/= 0)
  val sent = Reg(UInt(timeBits bits)) init 0 // beats of 2^next
  val claims = Reg(UInt(3 bits)) init 0
  private val border = ((U(1, timeBits + 1 bits) |<< next) - 1).resize(timeBits)
  val ends = output.valid && sent === border
  when(output.valid)(sent := ends ? U(0) | sent + 1)
  claims := claims + U(dut.io.nextClaim) - U(ends)
  assert(!dut.io.nextClaim || nextRoom, "a claim only where there is room")
  assert(!output.valid || claims =/= 0, "nothing leaves without a claim")

  // Blocks that have entered and not left completely.
  val whole = Reg(UInt(3 bits)) init 0
  whole := whole + U(blockComes) - U(blockLeaves)
  assert(!output.valid || whole =/= 0, "nothing leaves that is not inside")
  assert(whole <= 6, "no more is inside than fits")
  assume(!start || (owed === 0 && whole === 0 && sent === 0))
  val flows = RegNext(output.valid) init False
  assert(!(flows && left =/= 0 && sent =/= 0) || output.valid, "a pause only where a claim is due")
  responds("a block leaves", whole =/= 0 && nextRoom, output.valid, within = Shuffle.latency + 1)

  // Invariants between a beat's read of the memory and its output, which the proof needs.
  case class Under(valid: Bool, time: UInt, number: UInt) extends Area {
    val endsBlock = valid && time === last
    val endsClaim = valid && number === border
    def later: Under = Under(RegNext(valid) init False, RegNext(time), RegNext(number))
  }
  private val block = dut.outOf.block.pull()
  private val atBorder = dut.outOf.atBorder.pull()
  private val fulls = Vec(dut.full.map(_.pull()))
  private val full = CountOne(fulls).resize(3)
  private val count = dut.outOf.count.pull().resize(timeBits) & border
  private val starts = Under(dut.outOf.go.pull(), dut.outOf.time.pull(), count)
  private val underWay = Seq.iterate(starts.later, Shuffle.latency)(_.later) // youngest first
  private def oldest(some: Seq[Under])(of: Under => UInt): UInt =
    some.foldLeft(of(starts))((younger, it) => it.valid ? of(it) | younger)
  private def follows(a: UInt, b: UInt, most: UInt): Bool = b === ((a === most) ? U(0, timeBits bits) | (a + 1))
  for ((it, i) <- underWay.zipWithIndex) {
    val younger = underWay.take(i)
    assert(!it.valid || follows(it.time, oldest(younger)(_.time), last), "beats follow each other")
    assert(!it.valid || follows(it.number, oldest(younger)(_.number), border), "and so do those of a claim")
  }
  assert(output.valid === underWay.last.valid, "a beat is under way as long as it is")
  assert(left === oldest(underWay)(_.time) && sent === oldest(underWay)(_.number), "the oldest leaves next")
  assert(came === dut.into.time.pull(), "beats that came")
  assert(atBorder === (count === 0), "a claim is due between those of others")
  assert(claims === CountOne(underWay.map(_.endsClaim)).resize(3) + U(!atBorder), "claims that are under way")
  assert(whole === full + CountOne(underWay.map(_.endsBlock)).resize(3), "blocks that are under way")
  assert(dut.free.pull().resize(3) +^ owed +^ full === blocks, "each block is free, claimed or full")
  assert(fulls(block) === (full =/= 0), "blocks leave in their order")
  assert(dut.into.block.pull() === (block + full).resize(log2Up(blocks)), "and come in it")
  assert(starts.time === 0 || full =/= 0, "what leaves is there")
  assert(came === 0 || owed =/= 0, "what comes was claimed")

  // The watched position of the selected block.
  val seen, gone = RegInit(False)
  val value = Reg(Bool()) init False
  val ahead = Reg(UInt(3 bits)) init 0 // blocks that leave before its own
  val enters = input.valid && came === timeOf(watched) && pick && !seen
  when(enters) {
    seen := True
    value := input.lanes(laneOf(watched))(0)
  }
  val aheadNow = enters ? whole | ahead
  ahead := (aheadNow =/= 0 && blockLeaves) ? (aheadNow - 1) | aheadNow
  val now = seen && !gone && ahead === 0 && output.valid && left === timeOf(after)
  when(now)(gone := True)
  assert(!now || output.lanes(laneOf(after))(0) === value, "an element leaves in its place, as it came")

  // Its location in between: before its bank, in it, and after it.
  private val came1 = RegNext(enters) init False
  private val mine = RegNextWhen(dut.into.block.pull(), enters)
  private val complete = RegInit(False)
  when(blockComes && (seen || enters))(complete := True)
  private val bank = laneOf(watched) ^ dut.turnIn(timeOf(watched)).asUInt
  private val place = mine ## timeOf(watched)
  private val back = dut.turnOut(timeOf(after))
  private val starting = seen && block === mine && starts.valid && starts.time === timeOf(after)
  private val started = RegInit(False)
  when(starting)(started := True)
  private val steps = Seq.iterate(RegNext(starting && !started) init False, Shuffle.latency)(RegNext(_) init False)
  private val word = Vec(dut.memories.map(memory => Vec(words(dut, memory))(place.asUInt)))(bank)
  private val waits = seen && !started
  private def blocksOf(some: Seq[Under]): UInt =
    if (some.isEmpty) U(0, 3 bits) else CountOne(some.map(_.endsBlock)).resize(3)
  assert(!started || seen, "what leaves has come")
  assert(!steps.orR || (started && CountOne(steps) === 1), "it leaves once")
  assert(now === steps.last, "when it is due")
  assert(gone === (started && !steps.orR), "it has left when it is not on its way")
  assert(!(seen && !complete) || (dut.into.block.pull() === mine && came > timeOf(watched)), "its block is coming")
  assert(!(waits && complete) || fulls(mine), "its block is full")
  assert(!(waits && block === mine) || starts.time <= timeOf(after), "its turn has not passed")
  assert(!waits || ahead === (mine - block).resize(3) + blocksOf(underWay), "blocks in front of it")
  private val written = dut.into.banks.map(_.pull())
  assert(
    !came1 || (dut.into.valid.pull() && dut.into.place.pull() === place && Vec(written)(bank)(0) === value),
    "it is written"
  )
  private val isThere = seen && !came1 && (!started || steps(0))
  assert(!isThere || word(0) === value, "it is in its bank")
  assert(!(isThere && dut.into.valid.pull()) || dut.into.place.pull() =/= place, "and is not written over")
  assert(!steps(0) || Vec(dut.outOf.places.map(_.pull()))(bank) === place, "it is looked up")
  assert(!steps(0) || dut.outOf.turn.pull() === back, "lanes turn back")
  assert(!steps(1) || RegNext(dut.outOf.turn.pull()) === back, "a cycle later, too")
  assert(!steps(1) || Vec(dut.read.map(_.pull()))(bank)(0) === value, "it was read")
  assert(!steps(2) || Vec(dut.turned.map(_.pull()))(bank ^ back.asUInt)(0) === value, "it was turned")
  for ((step, i) <- steps.zipWithIndex) {
    val it = underWay(i)
    assert(!step || (it.valid && it.time === timeOf(after)), "its beat is under way")
    assert(!step || ahead === blocksOf(underWay.drop(i + 1)), "behind those in front of it")
  }
}

object NttShuffleProof {

  /** Returns every arrangement of blocks of up to 2^bits elements. */
  def arrangements(laneBits: Int, bits: Int): Seq[Arrangement] =
    for (some <- laneBits to bits; before = (0 until some).map(_.toString); after <- before.permutations.toSeq)
      yield Arrangement(before, after)
}
