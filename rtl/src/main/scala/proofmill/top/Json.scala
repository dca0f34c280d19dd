package proofmill.top

/** A JSON text, with the subset of JSON that a manifest uses. */
case class Json(text: String) extends AnyVal

object Json {
  def apply(value: BigInt): Json = new Json(value.toString)
  def apply(value: Boolean): Json = new Json(value.toString)
  def apply(values: Seq[Json]): Json =
    new Json(values.map(v => indent(v.text)).mkString("[", ",", close(values.isEmpty) + "]"))
  def apply(text: String): Json = {
    require(text.forall(c => c >= ' ' && c < 127 && c != '"' && c != '\\'), s"not plain text: $text")
    new Json("\"" + text + "\"")
  }

  def of(members: (String, Json)*): Json = {
    val lines = members.map { case (key, value) => indent(s""""$key": ${value.text}""") }
    new Json(lines.mkString("{", ",", close(members.isEmpty) + "}"))
  }

  def render(json: Json): String = json.text

  private def indent(text: String): String = "\n  " + text.replace("\n", "\n  ")
  private def close(empty: Boolean): String = if (empty) "" else "\n"
}
