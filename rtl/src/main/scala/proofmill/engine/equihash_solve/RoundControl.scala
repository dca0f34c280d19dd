package proofmill.engine.equihash_solve

import proofmill.engine.ReadJob
import spinal.core._
import spinal.lib._

/** The sequence of a solver's rounds.
  *
  * | state  | action                                                            | next                        |
  * |:-------|:------------------------------------------------------------------|:----------------------------|
  * | Idle   | waits for `start`; begins table 0                                 | Leaves                      |
  * | Leaves | leaves enter table 0                                              | Store                       |
  * | Store  | waits until the table is in the memory; begins the next one       | Open                        |
  * | Open   | waits until the counts of the next table are cleared              | Count                       |
  * | Count  | reads the number of entries of a bucket                           | Bucket                      |
  * | Bucket | starts the bucket, if it has pairs, when it is accepted           | Count, of the last: Drain   |
  * | Drain  | waits until all pairs have entered the next table                 | Store, of the last: Idle    |
  */
class RoundControl(config: SolverConfig) extends Component {
  import config.{bucketBits, countBits, memoryBits, roundBits}
  val io = new Bundle {
    val start = in(Bool()) // pulse: a header enters; only while not busy
    val stop = in(Bool()) // level: no further bucket is paired
    val busy = out(Bool()) // level: a header is being solved
    val leaves = out(Bool()) // level: the entries of the table are leaves, not pairs
    val isLast = out(Bool()) // level: pairs are candidates
    val entered = in(Bool()) // pulse: a leaf was accepted in the cycle before
    val clear = out(Bool()) // pulse, for BucketPairs
    val bucket = master(Stream(BucketJob(config))) // for BucketPairs
    val pairing, empty = in(Bool()) // of BucketPairs: `busy` and `empty`
    val read = master(Flow(ReadJob(memoryBits))) // the entries of the bucket
    val begin = master(Flow(UInt(roundBits bits))) // for Partition
    val finish = out(Bool()) // pulse, for Partition
    val storing = in(Bool()) // `busy` of Partition
    val counted = out(UInt(bucketBits bits)) // a bucket, whose count is read
    val count = in(UInt(countBits bits)) // `timing.memory` cycles later
  }
  object State extends SpinalEnum {
    val Idle, Leaves, Store, Open, Count, Bucket, Drain = newElement()
  }
  val state = RegInit(State.Idle)
  val table = Reg(UInt(roundBits bits)) // that is read
  val bucket = Reg(UInt(bucketBits bits)) init 0
  val left = Reg(UInt(config.leafBits bits)) // leaves after the next one
  val pause = Reg(UInt(log2Up(config.timing.memory + 1) bits)) init 0
  val count = RegNext(io.count)
  val address = RegNext(EntryAddress.of(config, table, bucket))
  private val isLast = table === config.rounds - 1

  io.busy := state =/= State.Idle
  io.leaves := RegNext(state === State.Leaves) init False
  io.isLast := RegNext(isLast)
  io.clear := state === State.Idle && io.start
  io.counted := bucket
  io.begin.valid := False
  io.begin.payload := 0
  io.finish := False
  io.bucket.valid := False
  io.bucket.table := table
  io.bucket.bucket := bucket
  io.bucket.count := count
  io.read.valid := io.bucket.fire
  io.read.address := address
  io.read.beats := ((count +^ (SolverConfig.ofBeat - 1)) >> log2Up(SolverConfig.ofBeat)).resized
  io.read.repeats := 1

  private def next(): Unit = {
    pause := 0
    bucket := bucket + 1
    state := bucket.andR ? State.Drain | State.Count
  }
  switch(state) {
    is(State.Idle)(when(io.start) {
      io.begin.valid := True
      left.setAll()
      state := State.Leaves
    })
    is(State.Leaves)(when(io.entered) {
      left := left - 1
      when(left === 0) {
        table.setAll() // so that the next one is 0
        state := State.Store
        io.finish := True
      }
    })
    is(State.Store)(when(!io.storing && !io.pairing) {
      table := table + 1
      io.begin.valid := True
      io.begin.payload := table + 2
      state := State.Open
    })
    is(State.Open)(when(!io.storing) {
      pause := 0
      state := State.Count
    })
    is(State.Count) {
      pause := pause + 1
      when(pause === config.timing.memory)(state := State.Bucket)
    }
    is(State.Bucket) {
      io.bucket.valid := count > 1 && !io.stop
      when(!io.bucket.valid || io.bucket.ready)(next())
    }
    is(State.Drain)(when(!io.pairing && io.empty) {
      io.finish := !isLast
      state := isLast ? State.Idle | State.Store
    })
  }
}
