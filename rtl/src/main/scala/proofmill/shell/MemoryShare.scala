package proofmill.shell

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Shares a memory channel between two managers, round robin by burst, reads and writes independently.
  *
  * The memory responds in the order of the addresses, so a queue has the owners of outstanding bursts. The data of writes pass in the same order: a
  * manager offers an address only if its data follow without depending on the other manager.
  *
  * @param bursts a power of two: outstanding reads, and as many writes, of both managers together
  */
case class MemoryShare(config: Axi4Config, bursts: Int = 128) extends Component {
  val managers = Vec(slave(Axi4(config)), 2) // the two managers' channels
  val memory = master(Axi4(config)) // the shared channel; it must respond in the order of the addresses

  private def arbiter[T <: Data](kind: HardType[T]): StreamArbiter[T] =
    StreamArbiterFactory().roundRobin.transactionLock.build(kind, 2)

  val read = new Area {
    val choice = arbiter(Axi4Ar(config))
    for ((input, manager) <- choice.io.inputs.zip(managers)) input << manager.ar
    val room = Bool()
    memory.ar << choice.io.output.haltWhen(!room)
    val turns = new OwnerQueue(2, bursts, memory.ar.fire, choice.io.chosen, memory.r.fire && memory.r.last)
    room := turns.room
    memory.r.ready := turns.some && Vec(managers.map(_.r.ready))(turns.owner)
    for ((manager, i) <- managers.zipWithIndex) {
      manager.r.valid := memory.r.valid && turns.some && turns.owner === i
      manager.r.payload := memory.r.payload
    }
  }

  val write = new Area {
    val choice = arbiter(Axi4Aw(config))
    for ((input, manager) <- choice.io.inputs.zip(managers)) input << manager.aw
    val room = Bool()
    memory.aw << choice.io.output.haltWhen(!room)
    val data = new OwnerQueue(2, bursts, memory.aw.fire, choice.io.chosen, memory.w.fire && memory.w.last)
    val answers = new OwnerQueue(2, bursts, memory.aw.fire, choice.io.chosen, memory.b.fire)
    room := data.room && answers.room

    memory.w.valid := data.some && Vec(managers.map(_.w.valid))(data.owner)
    memory.w.payload := Vec(managers.map(_.w.payload))(data.owner)
    memory.b.ready := answers.some && Vec(managers.map(_.b.ready))(answers.owner)
    for ((manager, i) <- managers.zipWithIndex) {
      manager.w.ready := memory.w.ready && data.some && data.owner === i
      manager.b.valid := memory.b.valid && answers.some && answers.owner === i
      manager.b.payload := memory.b.payload
    }
  }
}
