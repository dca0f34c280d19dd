package proofmill.micro

import proofmill.field.Arithmetic

import scala.collection.mutable

/** A program in the program memory: its address, the resources it uses, and the names of the flags that it sets. */
case class Entry(name: String, address: Int, words: Int, products: Int, sums: Int, flags: Map[String, Int])

/** Constants of the curve by their names in programs: single ones, and tables that items index. */
case class Constants(single: Map[String, BigInt], tables: Map[String, Seq[BigInt]] = Map.empty)

/** All programs of a processor as words, with the constants, tables and windows that they share. */
case class Image(
    entries: Seq[Entry],
    words: Seq[BigInt],
    listing: Seq[String],
    constants: Seq[BigInt],
    tables: Seq[Seq[BigInt]],
    windows: Seq[Program.Window]
) {

  /** Number of registers that the programs use in each bank. */
  def registers: Seq[Int] = Seq(entries.map(_.products).max, entries.map(_.sums).max)
}

object Image {

  /** Compiles programs for one field. `known` are the constants in their text, such as b3. */
  def apply(
      programs: Seq[Program],
      arithmetic: Arithmetic,
      ports: JobPorts,
      known: Constants,
      latency: OperationLatency
  ): Image = {
    val demands = new Demands(arithmetic)
    val windows = programs.flatMap(_.windows).distinctBy(w => (w.number, w.bits))
    val constants = mutable.ArrayBuffer.empty[BigInt]
    val words = mutable.ArrayBuffer.empty[BigInt]
    val listing = mutable.ArrayBuffer.empty[String]
    val entries = programs.map { program =>
      val emission = new Emission(demands, constants)
      val expansion = new Expansion(program, ports, windows, known, emission)
      val blocks = living(expansion.blocks)
      val placed = IssueOrder(blocks, latency)
      val registers = new Allocation(placed.map(_.map(_.operation)), loops(blocks), expansion.arraySizes)
      val address = words.size
      val targets = placed.map(_.size).scanLeft(address)(_ + _)
      listing += s"$address: ${program.name}"
      val assembly = new Assembly(registers, targets)
      for (word <- placed.flatten.map(assembly.encode)) {
        listing += f"${words.size}%5d  ${Listing.text(word)}"
        words += word
      }
      val used = registers.used
      Entry(program.name, address, words.size - address, used(Value.products), used(Value.sums), expansion.flagNumbers)
    }
    Image(entries, words.toSeq, listing.toSeq, constants.toSeq, known.tables.values.toSeq, windows)
  }

  /** Returns, for each block of a loop, the blocks of that loop. */
  private def loops(blocks: Seq[Block]): Seq[Option[Range]] = blocks.map(_.loop.map { label =>
    val own = blocks.indices.filter(blocks(_).loop.contains(label))
    own.head to own.last
  })

  /** Removes operations whose results have no readers (dead code). */
  private def living(blocks: Seq[Block]): Seq[Block] = {
    val read = blocks.flatMap(_.operations).flatMap(_.reads).map(_.web).toSet
    def lives(op: Operation) = op.result.forall(result => read(result.web) || result.element.nonEmpty)
    val left = blocks.map(block => block.copy(operations = block.operations.filter(lives)))
    if (left == blocks) blocks else living(left)
  }
}
