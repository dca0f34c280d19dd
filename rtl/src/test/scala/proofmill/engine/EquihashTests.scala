package proofmill.engine

import proofmill.RtlTest
import proofmill.RtlTest.{clocked, random, require}
import proofmill.engine.EquihashReference._
import proofmill.engine.equihash_solve.{LeafSource, SolverConfig}
import proofmill.engine.equihash_verify._
import proofmill.hash._
import proofmill.spec.{Equihash, Spec}
import spinal.core._
import spinal.core.sim._
import spinal.lib._
import spinal.lib.sim._

import scala.collection.mutable
import scala.util.Random

/** The parts of the Equihash engine, each against a few obvious lines. The whole engine is examined through the command stream. */
object EquihashTests {
  val toy: Equihash = Equihash("equihash_48_5")
  val everySet: Seq[Equihash] = Seq(toy, Equihash("equihash_144_5"), Equihash("equihash_200_9"))

  val all: Seq[RtlTest] = Seq(
    RtlTest("constants of BLAKE2b and SHA-256") {
      require("BLAKE2b IV 0", Blake2b.iv.head, BigInt("6a09e667f3bcc908", 16))
      require("BLAKE2b IV 7", Blake2b.iv(7), BigInt("5be0cd19137e2179", 16))
      require("SHA-256 IV 7", Sha256.iv(7), BigInt("5be0cd19", 16))
      require("SHA-256 K 63", Sha256.k(63), BigInt("c67178f2", 16))
    },
    RtlTest("duplicates: all 256 quadruples of 2-bit numbers") {
      val digits = 0 until 4
      duplicates(2, 2, for (a <- digits; b <- digits; c <- digits; d <- digits) yield Seq(a, b, c, d))
    },
    RtlTest("duplicates: 32 random numbers") {
      val r = random(1)
      val drawn = Seq(9, 12).flatMap(bits => Seq.fill(100)(Seq.fill(32)(r.nextInt(1 << bits))))
      val distinct = Seq.fill(50)(r.shuffle((0 until 4096).toList).take(32))
      val sorted = Seq(0 until 32, (0 until 32).reverse, Seq.fill(32)(7), (0 until 31) :+ 0)
      duplicates(12, 5, r.shuffle(drawn ++ distinct ++ sorted))
    },
    RtlTest("order: toy trees with random faults") {
      val r = random(2)
      val lists = Seq.fill(300)(Array.tabulate(32)(identity)).map { list =>
        for (_ <- 0 until r.nextInt(3)) list(r.nextInt(32)) = r.nextInt(32)
        list.toSeq
      }
      clocked(new OrderCheck(toy)) { dut =>
        val got = mutable.Queue[Boolean]()
        FlowMonitor(dut.io.bad, dut.clockDomain)(bad => got += bad.toBoolean)
        drive(dut.clockDomain, dut.io.index, lists.flatten)(_ #= _)
        require("order", got.toSeq, lists.map(badOrder))
      }
    },
    RtlTest("leaves: toy trees with one random fault") {
      val r = random(3)
      val lists = Seq.fill(300) {
        val leaves = solvedLeaves(toy, r).toArray
        if (r.nextBoolean()) leaves(r.nextInt(leaves.length)) ^= BigInt(1) << r.nextInt(toy.n)
        leaves.toSeq
      }
      clocked(new LeafCheck(toy)) { dut =>
        val got = mutable.Queue[(Boolean, Boolean)]()
        FlowMonitor(dut.io.verdict, dut.clockDomain)(v => got += ((v.badZeroOrder.toBoolean, v.xorNonZero.toBoolean)))
        drive(dut.clockDomain, dut.io.leaf, lists.flatten)(_ #= _)
        require("leaves", got.toSeq, lists.map(leafVerdict(toy, _)))
      }
    },
    RtlTest("indices: cut from solutions without a gap")(everySet.foreach(indexCutter)),
    RtlTest("grouping: quotient and remainder")(everySet.foreach(grouping)),
    RtlTest("SHA-256d: message lengths around block borders, and headers") {
      for (bytes <- Seq(55, 56, 64) ++ everySet.map(_.totalBytes)) sha256d(bytes)
    },
    RtlTest("difficulty: published table, edges, random")(difficulty()),
    RtlTest("BLAKE2b: leaves of headers back to back")(everySet.foreach(leafHashes)),
    RtlTest("BLAKE2b: leaves in the order of their indices, for every number of passes") {
      for (passes <- Seq(2, 3, 4, 6, 12)) leafEntries(SolverConfig("equihash_48_5", bucketBits = 3, passes = passes))
      leafEntries(SolverConfig("equihash_144_5", bucketBits = 12))
      leafEntries(SolverConfig("equihash_200_9", bucketBits = 9))
    }
  )

  /** Pushes values into a flow, first without, then with random gaps, and waits until all is out. The gaps come in the second half. */
  private def drive[T <: Data, V](clock: ClockDomain, flow: Flow[T], values: Seq[V])(assign: (T, V) => Unit): Unit = {
    val r = random(100)
    flow.valid #= false
    clock.waitSampling(10)
    for ((value, i) <- values.zipWithIndex) {
      while (i > values.size / 2 && r.nextInt(4) == 0) {
        flow.valid #= false
        clock.waitSampling()
      }
      flow.valid #= true
      assign(flow.payload, value)
      clock.waitSampling()
    }
    flow.valid #= false
    clock.waitSampling(2 * values.size.min(2000) + 100)
  }

  private def duplicates(width: Int, levels: Int, lists: Seq[Seq[Int]]): Unit =
    clocked(new Duplicates(width, levels)) { dut =>
      val got = mutable.Queue[Boolean]()
      FlowMonitor(dut.io.found, dut.clockDomain)(found => got += found.toBoolean)
      drive(dut.clockDomain, dut.io.index, lists.flatten)(_ #= _)
      require("duplicates", got.toSeq, lists.map(list => list.distinct.size < list.size))
    }

  private def indexCutter(p: Equihash): Unit = clocked(new IndexCutter(p)) { dut =>
    val r = random(4)
    val solutions = Seq.fill(5)(Seq.fill(p.solutionBytes)(r.nextInt(256)))
    val words = solutions.flatMap(_.grouped(8).map(word => littleEndian(word.padTo(8, r.nextInt(256)))))
    val expected = solutions.flatMap { bytes =>
      val all = bytes.foldLeft(BigInt(0))((sum, byte) => sum << 8 | byte)
      (1 to p.indices).map(i => (all >> (8 * bytes.size - i * p.indexBits)).toLong & ((1L << p.indexBits) - 1))
    }
    val (sent, got) = (mutable.Queue(words: _*), mutable.Queue[Long]())
    StreamDriver(dut.io.word, dut.clockDomain) { payload =>
      sent.nonEmpty && { payload #= sent.dequeue(); true }
    }
    StreamReadyRandomizer(dut.io.index, dut.clockDomain)
    StreamMonitor(dut.io.index, dut.clockDomain)(index => got += index.toLong)
    dut.clockDomain.waitSamplingWhere(got.size >= expected.size)
    require(s"indices of ${p.name}", got.take(expected.size).toSeq, expected)
  }

  private def grouping(p: Equihash): Unit = clocked(new Grouping(p)) { dut =>
    val r = random(5)
    val top = 1 << p.indexBits
    val edges = Seq(0, 1, 2, 3, top - 1, top - 2, top - 3, top / 2, top / 2 - 1)
    val values = if (top <= 1024) 0 until top else edges ++ Seq.fill(5000)(r.nextInt(top))
    val (sent, got) = (mutable.Queue(values: _*), mutable.Queue[(Int, Int, Int)]())
    StreamDriver(dut.io.index, dut.clockDomain) { payload =>
      sent.nonEmpty && { payload #= sent.dequeue(); true }
    }
    StreamReadyRandomizer(dut.io.leaf, dut.clockDomain)
    StreamMonitor(dut.io.leaf, dut.clockDomain)(l => got += ((l.index.toInt, l.hash.toInt, l.select.toInt)))
    dut.clockDomain.waitSamplingWhere(got.size >= values.size)
    require(s"groups of ${p.name}", got.toSeq, values.map(v => (v, v / p.indicesPerHash, v % p.indicesPerHash)))
  }

  private def sha256d(bytes: Int): Unit = clocked(new Sha256d(bytes)) { dut =>
    val r = random(6)
    val messages = Seq.fill(4) { val m = new Array[Byte](bytes); r.nextBytes(m); m }
    val words = messages.flatMap { message =>
      val padded = message.map(_ & 0xff).toSeq ++ (if (bytes % 8 == 0) Nil else Seq(0x80))
      padded.grouped(8).map(word => littleEndian(word.padTo(8, 0)))
    }
    val (sent, got) = (mutable.Queue(words: _*), mutable.Queue[BigInt]())
    val slow = StreamDriver(dut.io.word, dut.clockDomain) { payload =>
      sent.nonEmpty && { payload #= sent.dequeue(); true }
    }
    slow.transactionDelay = () => if (sent.size > words.size / 2) 0 else r.nextInt(20)
    StreamReadyRandomizer(dut.io.result, dut.clockDomain)
    StreamMonitor(dut.io.result, dut.clockDomain) { word =>
      got += word.fragment.toBigInt
      require("last", word.last.toBoolean, got.size % 8 == 0)
    }
    dut.clockDomain.waitSamplingWhere(got.size == 8 * messages.size)
    val expected = messages.flatMap(m => EquihashReference.sha256d(m).map(_ & 0xff).toSeq.grouped(4).map(littleEndian))
    require(s"SHA-256d of $bytes bytes", got.toSeq, expected)
  }

  private def difficulty(): Unit = clocked(new Difficulty) { dut =>
    val r = random(7)
    val networks = Spec.table("wire/equihash_verify").getTable("networks")
    val (main, regtest) = (Spec.big(networks, "main"), Spec.big(networks, "regtest"))
    val block346 = BigInt("000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f", 16)
    val published = Seq(
      "1e03c3bf" -> false,
      "1f07ffff" -> false,
      "1f000100" -> false,
      "1e00eff2" -> false,
      "1e00eff1" -> true,
      "1e000100" -> true,
      "1e000001" -> true,
      "1e800001" -> true,
      "1d00ffff" -> true,
      "1d7fffff" -> true,
      "1c7fffff" -> true,
      "00000000" -> true,
      "22000001" -> true,
      "23000001" -> true
    ).map { case (bits, fail) => (java.lang.Long.parseLong(bits, 16), main, block346, fail) }
    val edges = for {
      size <- Seq(0L, 1L, 2L, 3L, 4L, 31L, 32L, 33L, 34L, 35L, 255L)
      word <- Seq(0L, 1L, 0xffL, 0x100L, 0xffffL, 0x10000L, 0x7fffffL, 0x800000L, 0x800001L, 0x07ffffL, 0x080000L)
      limit <- Seq(main, regtest, (BigInt(1) << 256) - 1)
      hash <- Seq(BigInt(0), block346)
      bits = size << 24 | word
    } yield (bits, limit, hash, difficultyFails(bits, limit, hash))
    val close = Seq.fill(2000) {
      val (size, word) = (r.nextInt(33).toLong, r.nextInt(0x800000).toLong)
      val target = if (size <= 3) BigInt(word) >> (8 * (3 - size.toInt)) else BigInt(word) << (8 * (size.toInt - 3))
      val hash = (target + r.nextInt(3) - 1).max(0) & ((BigInt(1) << 256) - 1)
      val limit = (target + r.nextInt(3) - 1).max(0) & ((BigInt(1) << 256) - 1)
      val bits = size << 24 | word
      (bits, limit, hash, difficultyFails(bits, limit, hash))
    }
    dut.io.enable #= true
    dut.io.fail.ready #= true
    dut.io.hash.valid #= false
    dut.clockDomain.waitSampling(10)
    for ((bits, limit, hash, fail) <- published ++ edges ++ close) {
      dut.io.bits #= bits
      dut.io.limit #= limit
      for (j <- 0 until 8) {
        dut.io.hash.valid #= true
        dut.io.hash.fragment #= (hash >> (32 * j)) & 0xffffffffL
        dut.io.hash.last #= j == 7
        dut.clockDomain.waitSampling()
      }
      dut.io.hash.valid #= false
      dut.clockDomain.waitSampling()
      require("the verdict is there", dut.io.fail.valid.toBoolean, true)
      require(f"bits $bits%08x limit $limit%x hash $hash%x", dut.io.fail.payload.toBoolean, fail)
    }
    for (j <- 0 until 8) {
      dut.io.enable #= false
      dut.io.bits #= 0
      dut.io.hash.valid #= true
      dut.io.hash.last #= j == 7
      dut.clockDomain.waitSampling()
    }
    dut.clockDomain.waitSampling()
    require("switched off", dut.io.fail.payload.toBoolean, false)
  }

  /** Midstate and leaf pipe together, as the engine connects them. */
  private class Leaves(p: Equihash) extends Component {
    val midstate = new Midstate(p)
    val hash = LeafHash(p)
    val word = slave(Stream(Bits(64 bits)))
    val tag = slave(Flow(UInt(32 bits)))
    val next = in(Bool())
    val prepared = out(Bool())
    prepared := midstate.io.result.valid
    val leaf = master(Flow(Bits(p.n bits)))
    leaf << hash.io.leaf
    midstate.io.word << word
    midstate.io.personalisation := B(BigInt(p.personalisation.reverse.getBytes), 64 bits)
    midstate.io.result.ready := next
    val slot = RegInit(U(0, hash.io.tag.slot.getWidth bits))
    when(midstate.io.result.fire)(slot := slot + 1)
    hash.io.start := RegNextWhen(midstate.io.result.start, midstate.io.result.fire)
    hash.io.chain.valid := midstate.io.result.fire
    hash.io.chain.payload := midstate.io.result.h
    hash.io.chainSlot := slot + 1
    hash.io.tag.valid := tag.valid
    hash.io.tag.slot := slot
    hash.io.hash := tag.payload / p.indicesPerHash
    hash.io.tag.select := (tag.payload % p.indicesPerHash).resized
  }

  /** Entries of table 0 of two headers: all of the toy's, and the first ones of others. */
  private def leafEntries(config: SolverConfig): Unit = clocked(new LeafSource(config)) { dut =>
    val (p, r) = (config.params, random(9))
    val headers = Seq.fill(if (p == toy) 2 else 1)(Seq.fill(p.headerBytes)(r.nextInt(256)))
    val count = 100.max(if (p == toy) 1 << p.indexBits else 0)
    val got = mutable.Queue[(BigInt, BigInt)]()
    dut.io.personalisation #= BigInt(p.personalisation.reverse.getBytes)
    StreamMonitor(dut.io.entries, dut.clockDomain)(it => got += ((it.string.toBigInt, it.reference.toBigInt)))
    StreamReadyRandomizer(dut.io.entries, dut.clockDomain)
    val words = mutable.Queue(headers.flatMap(_.padTo(144, 0xff).grouped(8).map(littleEndian)): _*)
    StreamDriver(dut.io.word, dut.clockDomain) { payload => words.nonEmpty && { payload #= words.dequeue(); true } }
    dut.clockDomain.waitSamplingWhere(got.size >= headers.size * count)
    val wanted = headers.flatMap(header => Seq.tabulate(count)(i => (leaf(p, header, i), BigInt(i))))
    require(s"entries of ${p.name}", got.take(headers.size * count).toSeq, wanted)
  }

  private def leafHashes(p: Equihash): Unit = clocked(new Leaves(p)) { dut =>
    val r = random(8)
    val headers = Seq.fill(4)(Seq.fill(p.headerBytes)(r.nextInt(256)))
    val indices = headers.map(_ => Seq.fill(p.indices.min(40))(r.nextInt(1 << p.indexBits)))
    val got = mutable.Queue[BigInt]()
    FlowMonitor(dut.leaf, dut.clockDomain)(leaf => got += leaf.toBigInt)
    dut.tag.valid #= false
    dut.next #= false
    val words = mutable.Queue(headers.flatMap(_.padTo(144, 0xff).grouped(8).map(littleEndian)): _*)
    StreamDriver(dut.word, dut.clockDomain) { payload => words.nonEmpty && { payload #= words.dequeue(); true } }
    for (header <- headers.indices) {
      dut.clockDomain.waitSamplingWhere(dut.prepared.toBoolean)
      dut.next #= true
      dut.clockDomain.waitSampling()
      dut.next #= false
      for (index <- indices(header)) {
        dut.tag.valid #= true
        dut.tag.payload #= index
        dut.clockDomain.waitSampling()
      }
      dut.tag.valid #= false
    }
    dut.clockDomain.waitSampling(LeafHash.latency + 10)
    require(
      s"leaves of ${p.name}",
      got.toSeq,
      headers.zip(indices).flatMap { case (h, list) => list.map(leaf(p, h, _)) }
    )
  }
}
