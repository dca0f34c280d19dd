package proofmill.top

import java.nio.file.{Files, Path}

import spinal.core.Component

/** `origins.json`: the class that made each Verilog module, `package.Class`, or `package.Class$Inner` for a nested class. For
  * readers of the Verilog: a module's name can differ from its class's and is not unique among packages.
  */
object Origins {
  def write(top: Component, folder: Path): Unit = {
    val found = scala.collection.mutable.TreeMap.empty[String, Json]
    top.walkComponents(component => found(component.definitionName) = Json(of(component.getClass)))
    Files.writeString(folder.resolve("origins.json"), Json.render(Json.of(found.toSeq: _*)) + "\n")
  }

  /** Returns the class, or for an anonymous class its superclass, or its enclosing class if that is a bare component. */
  private def of(made: Class[_]): String = {
    val named = Iterator.iterate[Class[_]](made)(_.getSuperclass).find(!_.getName.contains("$anon")).get
    if (named == classOf[Component]) made.getName.takeWhile(_ != '$') else named.getName
  }
}
