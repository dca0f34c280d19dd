package proofmill.pairing

/** The entry point of a program. */
case class Entry(name: String, address: Int)

/** The words of all programs of a source, with the properties that the hardware depends on.
  *
  * @param homes registers of the linear unit's bank that are allocated to a variable
  * @param registers number of registers used in each bank
  */
case class Image(
    words: Seq[BigInt],
    entries: Seq[Entry],
    constants: Seq[String],
    latency: Latency,
    homes: Map[String, Int],
    registers: Seq[Int],
    listing: Seq[String]
)

object Image {

  /** Cycles from a block's last word to the first word of the next block without stalls: the next block's header is issued
    * two cycles after that word, and the first word two cycles after the header.
    */
  val between = 4

  def apply(source: Source, latency: Latency): Image = {
    val blocks = source.routines.flatMap(Block.of)
    val constants = source.routines.flatMap(_.statements).collect {
      case Source.Assign(_, Source.Constant(name)) if name != "zero" => name
    }.distinct
    val emitted = blocks.map { block =>
      val emission = new Emission(constants.indexOf(_))
      block.statements.foreach(emission.statement)
      block -> emission
    }.toMap
    val homes = blocks.flatMap(emitted(_).readFirst).distinct
    for (block <- blocks) emitted(block).finish(homes.toSet)
    val places = homes.zipWithIndex.toMap
    val schedules = blocks.map { block =>
      val emission = emitted(block)
      block -> BlockSchedule(emission.needed, emission.before, latency)
    }.toMap
    val next = Block.successors(blocks)
    val coded = blocks.map(block => new Code(schedules(block), places, latency))
    val addresses = blocks.zip(coded.scanLeft(0)(_ + _.size)).toMap
    val first = blocks.filter(_.index == 0).map(b => b.routine -> addresses(b)).toMap
    val byBlock = blocks.zip(coded).toMap

    /** Whether a job can end after the block: at `end`, or cancelled while it waits. */
    def mayEnd(block: Block) = block.exit == Exit.End || block.exit == Exit.Await

    def control(block: Block): Seq[(String, Int)] = {
      val code = byBlock(block)
      val drain = (next(block).map(byBlock(_)).map(code.drain(_)) :+ (if (mayEnd(block)) code.rest else 0)).max
      def to(name: String, target: Int, count: Int) =
        Seq("control" -> Layout.control(name), "target" -> target, "count" -> count)
      val jump = block.exit match {
        case Exit.To(routine, times)   => to("go", first(routine), times)
        case Exit.Call(routine, times) => to("call", first(routine), times)
        case Exit.Loop                 => to("loop", addresses(block), 0)
        case Exit.Return               => to("return", 0, 0)
        case Exit.Await                => to("wait", 0, 0)
        case Exit.End                  => to("end", 0, 0)
      }
      jump :+ ("drain" -> drain)
    }
    val words = blocks.flatMap(block => byBlock(block).words(control(block)))
    val listing = blocks.map { block =>
      val code = byBlock(block)
      f"${addresses(block)}%5d ${block.routine}%-14s ${block.exit}%-18s ${code.summary}, ${control(block).last}"
    }
    Image(
      words,
      source.entries.map(e => Entry(e.name, first(e.name))),
      constants,
      latency,
      places,
      coded.map(_.registerCounts).transpose.map(_.max),
      listing
    )
  }
}
