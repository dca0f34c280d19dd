package proofmill.shell

/** A serial line, 8N1: 8 data bits, lowest first, no parity, 1 stop bit, high when idle.
  *
  * @param clock      cycles a second
  * @param baud       bits a second
  * @param idleBytes  byte times (10 bits) of an idle line that end a packet in progress
  * @param queueWords depth of the queue of 64-bit words in front of the shell: the line has no backpressure
  */
case class SerialConfig(clock: BigInt, baud: BigInt = 921600, idleBytes: Int = 1024, queueWords: Int = 512) {
  require(clock >= baud * 4, s"serial line: $clock cycles a second are fewer than 4 a bit at $baud baud")
  require(idleBytes > 1, s"serial line: idleBytes = $idleBytes, less than 2")

  /** A bit ends when a phase of this many bits overflows; `step` is added to it every cycle. */
  val phaseBits: Int = 24
  val step: BigInt = ((baud << phaseBits) + clock / 2) / clock

  /** Relative error of a bit's mean length in parts per million, caused by the rounding of `step`. A single bit has an
    * additional error of at most one cycle.
    */
  val error: BigDecimal = (BigDecimal(step) * BigDecimal(clock) / BigDecimal(baud << phaseBits) - 1).abs * 1000000
  require(error < 1000, s"serial line: $baud baud from $clock cycles a second is off by $error parts of a million")
}
