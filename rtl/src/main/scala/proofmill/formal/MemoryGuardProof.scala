package proofmill.formal

import proofmill.shell.MemoryGuard
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** For any engine that may be reset at any time, the memory receives whole bursts by the rules of AXI4. The engine receives
  * nothing during its reset, which lasts until `busy` is low, and then no burst is outstanding. Every reset ends.
  *
  * The engine is free: it may offer anything and withdraw it. The memory follows AXI4's rules: data and responses for the
  * requested bursts, in order and of the requested length. A reference model beside the guard tracks the outstanding bursts.
  */
class MemoryGuardProof(bursts: Int, longest: Int) extends Component with Proof {
  private val config = Proof.axi
  val dut = MemoryGuard(config, bursts)
  val engine = slave(Axi4(config))
  dut.engine << engine
  val memory = master(Axi4(config))
  memory << dut.memory
  val blocked = freeInput(dut.blocked)
  assume(engine.ar.len < longest && engine.aw.len < longest)

  private val lengthBits = log2Up(longest)
  private def queue = Vec(Reg(UInt(lengthBits bits)) init 0, bursts)
  private def countOf(most: Int) = Reg(UInt(log2Up(most + 1) bits)) init 0

  /** Pushes at the end and pops from the front, in that order. */
  private def update(words: Vec[UInt], count: UInt, push: Bool, word: UInt, pop: Bool): Unit = {
    when(pop)(for (i <- 0 until bursts - 1) (words(i) := words(i + 1)))
    val place = count - U(pop)
    for (i <- 0 until bursts) when(push && place === i)(words(i) := word.resized)
    count := place + U(push)
  }

  // Reads that the memory has accepted, by their length less 1, and the beat of the first one.
  val reads = queue
  val readCount = countOf(bursts)
  val readBeat = Reg(UInt(lengthBits bits)) init 0
  val readEnds = memory.r.fire && memory.r.last
  update(reads, readCount, memory.ar.fire, memory.ar.len, readEnds)
  when(memory.r.fire)(readBeat := memory.r.last ? U(0) | readBeat + 1)
  assume(!memory.r.valid || readCount =/= 0)
  assume(!memory.r.valid || memory.r.last === (readBeat === reads(0)))
  assert(readCount + U(memory.ar.valid) <= bursts, "no more reads than there is room for")

  // Writes with missing data, by their length less 1; and the numbers of addresses and of complete writes without a response.
  val given = queue
  val givenCount = countOf(bursts)
  val writeBeat = Reg(UInt(lengthBits bits)) init 0
  val addresses, datas = countOf(bursts)
  val dataEnds = memory.w.fire && memory.w.last
  update(given, givenCount, engine.aw.fire, engine.aw.len, dataEnds)
  when(memory.w.fire)(writeBeat := memory.w.last ? U(0) | writeBeat + 1)
  addresses := addresses + U(memory.aw.fire) - U(memory.b.fire)
  datas := datas + U(dataEnds) - U(memory.b.fire)
  assume(!memory.b.valid || (addresses =/= 0 && datas =/= 0))
  assert(!memory.w.valid || givenCount =/= 0, "data only of a begun write")
  assert(
    !memory.w.valid || memory.w.last === (writeBeat === given(0)),
    "as many beats as the address says, the last one marked"
  )

  staysOffered("a read's address", memory.ar)
  staysOffered("a write's address", memory.aw)
  staysOffered("a write's data", memory.w)
  assumeStaysOffered(memory.r)
  assumeStaysOffered(memory.b)

  // Blocked: nothing passes; the requests to the memory are not the engine's.
  assert(
    !blocked || !(engine.ar.fire || engine.aw.fire || engine.w.fire || engine.r.valid || engine.b.valid),
    "nothing passes while the engine is in reset"
  )
  val readOpen, writeOpen = countOf(bursts) // counted at the engine's side
  readOpen := readOpen + U(engine.ar.fire) - U(readEnds)
  writeOpen := writeOpen + U(engine.aw.fire) - U(memory.b.fire)
  assert(dut.busy === (readOpen =/= 0 || writeOpen =/= 0), "busy from a burst's begin to its end")
  assert(readOpen === readCount + U(memory.ar.valid), "no read is lost")
  val wasBlocked = RegNext(blocked) init False
  val began = RegNext(memory.w.valid && !memory.w.ready) init False
  assert(!(wasBlocked && memory.w.valid && !began) || memory.w.strb === 0, "data made up in a reset changes nothing")

  // If the memory accepts and responds, the reset ends.
  val takes = memory.ar.ready && memory.aw.ready && memory.w.ready
  val answers = memory.r.valid === (readCount =/= 0) && memory.b.valid === (addresses =/= 0 && datas =/= 0)
  responds("a reset ends", blocked && takes && answers, !dut.busy, within = bursts * (longest + 2) + 3)
}
