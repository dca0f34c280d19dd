package proofmill.top

import java.nio.file.{Files, Path}

import spinal.core.Component

/** `origins.json`: which class each Verilog module is made by, `package.Class`, `package.Class$Inner` of one inside another. For readers of the
  * Verilog: a module's name is neither always its class's nor unique among packages.
  */
object Origins {
  def write(top: Component, folder: Path): Unit = {
    val found = scala.collection.mutable.TreeMap.empty[String, Json]
    top.walkComponents(component => found(component.definitionName) = Json(of(component.getClass)))
    Files.writeString(folder.resolve("origins.json"), Json.render(Json.of(found.toSeq: _*)) + "\n")
  }

  /** The class itself, or of one without a name what it extends, or where it stands if that is a bare component. */
  private def of(made: Class[_]): String = {
    val named = Iterator.iterate[Class[_]](made)(_.getSuperclass).find(!_.getName.contains("$anon")).get
    if (named == classOf[Component]) made.getName.takeWhile(_ != '$') else named.getName
  }
}
