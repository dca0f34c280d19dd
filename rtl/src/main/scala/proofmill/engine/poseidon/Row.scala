package proofmill.engine.poseidon

import spinal.core._

/** The phase of the next round: first full rounds, partial rounds, last full rounds, or finished. */
object Phase extends SpinalEnum(binarySequential) {
  val first, partial, last, finish = newElement()
}

/** The progress of a row: its slot, the code of its hash, and the next round. */
case class Progress(config: PoseidonConfig) extends Bundle {
  val slot = UInt(config.slotBits bits)
  val code = UInt(config.codeBits bits)
  val phase = Phase()
  val step = UInt(config.stepBits bits) // of the phase

  /** Returns the progress after a round. */
  def next: Progress = {
    val full = proofmill.spec.Poseidon.fullRounds / 2
    val partial = config.byCode(code, config.hashes.map(hash => U(hash.partial - 1, config.stepBits bits)))
    val ends = (phase === Phase.partial) ? (step === partial) | (step === full - 1)
    val after = Progress(config)
    after.slot := slot
    after.code := code
    after.step := ends ? U(0) | step + 1
    after.phase := phase
    when(ends) {
      switch(phase) {
        is(Phase.first)(after.phase := Phase.partial)
        is(Phase.partial)(after.phase := Phase.last)
        default(after.phase := Phase.finish)
      }
    }
    after
  }

  def isFull: Bool = phase === Phase.first || phase === Phase.last
}

/** The states of a row: `elements` residues, each the concatenation of its digits. */
case class Row(config: PoseidonConfig, elementBits: Int) extends Bundle {
  val progress = Progress(config)
  val values = Vec(Bits(elementBits bits), config.elements)
}
