package proofmill

package object field {
  type Bound = arith.Bound
  val Bound: arith.Bound.type = arith.Bound
}
