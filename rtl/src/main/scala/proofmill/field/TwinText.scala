package proofmill.field

import proofmill.arith._

import scala.collection.mutable.ArrayBuffer

/** C++ statements that do what parts and steps do, on integers of `words` 64-bit words in two's complement. */
class TwinText(words: Int) {
  private val tables = ArrayBuffer[String]()
  private val lines = ArrayBuffer[String]()

  /** A new variable with this value; its name. */
  def let(value: String): String = {
    lines += s"const Int x${lines.size} = $value;"
    s"x${lines.size - 1}"
  }
  def line(text: String): Unit = lines += text

  /** A constant array of 64-bit words; its name. */
  def table(values: Seq[BigInt]): String = {
    val text = values.map(v => s"0x${v.toString(16)}ull").grouped(6).map(_.mkString(", ")).mkString("{", ",\n  ", "}")
    if (!tables.contains(text)) tables += text
    s"t${tables.indexOf(text)}"
  }

  /** A constant that fits in `words`. */
  def constant(value: BigInt): String = s"constant(${table(TwinText.words(value, words))}, $words)"

  def text: String =
    (s"constexpr int N = $words;" +: TwinText.arithmetic.linesIterator.toSeq :++
      tables.zipWithIndex.map { case (t, i) => s"static const uint64_t t$i[] = $t;" } :++ lines).mkString("\n")
}

object TwinText {

  /** An integer as 64-bit words in two's complement. */
  def words(value: BigInt, count: Int): Seq[BigInt] =
    (0 until count).map(i => (value >> (64 * i)) & ((BigInt(1) << 64) - 1))

  /** `plan` as a function of the operands' bits. */
  def apply(name: String, plan: ProductPlan): TwinFunction = {
    val factor = plan.form.factor.width
    val digits = plan.form.digits
    val (coefficients, steps) = (plan.polynomial.product, plan.reduction.steps)
    val bounds = steps.scanLeft(coefficients.map(Ready(_, 0)))((now, step) => step.plan(now)).map(_.map(_.bound))
    val cpp = new TwinText(bounds.flatten.map(_.width).max / 64 + 1)
    val Seq(a, b) =
      Seq("in0", "in1").map(in => (0 until digits).map(i => cpp.let(s"load($in, ${i * factor}, $factor)")))
    val product = coefficients.indices.map { k =>
      cpp.let((for (i <- a.indices; if b.isDefinedAt(k - i)) yield s"mul(${a(i)}, ${b(k - i)})").reduce((x, y) =>
        s"add($x, $y)"
      ))
    }
    val results = steps.zip(bounds).foldLeft(product: Seq[String]) { case (xs, (step, before)) =>
      step.twin(xs.zip(before), cpp)
    }
    val width = plan.bound.width
    cpp.line(s"std::memset(out, 0, ${(digits * width + 31) / 32 * 4});")
    for ((x, i) <- results.zipWithIndex) cpp.line(s"store(out, ${i * width}, $width, $x);")
    TwinFunction(name, Seq.fill(2)(digits * factor), digits * width, cpp.text)
  }

  /** Integers modulo 2^(64 N). Bits are counted from 0; what is not there has the sign. */
  private val arithmetic: String =
    """struct Int { uint64_t w[N]; };
      |auto bits = [](const Int& x, int from) {
      |  const uint64_t sign = uint64_t(int64_t(x.w[N - 1]) >> 63);
      |  const int i = from / 64, s = from % 64;
      |  const uint64_t low = i < N ? x.w[i] : sign, high = i + 1 < N ? x.w[i + 1] : sign;
      |  return s ? low >> s | high << (64 - s) : low;
      |};
      |auto floor = [&](const Int& x, int shift) {
      |  Int r;
      |  for (int i = 0; i < N; i++) r.w[i] = bits(x, shift + 64 * i);
      |  return r;
      |};
      |auto low = [](Int x, int width) {
      |  for (int i = 0; i < N; i++) {
      |    const int left = width - 64 * i;
      |    if (left < 64) x.w[i] &= left <= 0 ? 0 : (uint64_t(1) << left) - 1;
      |  }
      |  return x;
      |};
      |auto add = [](Int a, const Int& b) {
      |  unsigned __int128 sum = 0;
      |  for (int i = 0; i < N; i++) { sum += (unsigned __int128)a.w[i] + b.w[i]; a.w[i] = uint64_t(sum); sum >>= 64; }
      |  return a;
      |};
      |auto mul = [](const Int& a, const Int& b) {
      |  Int r = {};
      |  for (int i = 0; i < N; i++) {
      |    unsigned __int128 carry = 0;
      |    for (int j = 0; i + j < N; j++) {
      |      carry += (unsigned __int128)a.w[i] * b.w[j] + r.w[i + j];
      |      r.w[i + j] = uint64_t(carry);
      |      carry >>= 64;
      |    }
      |  }
      |  return r;
      |};
      |auto constant = [](const uint64_t* words, int count) {
      |  Int r;
      |  for (int i = 0; i < N; i++) r.w[i] = i < count ? words[i] : uint64_t(int64_t(words[count - 1]) >> 63);
      |  return r;
      |};
      |auto chunks = [&](Int sum, const Int& x, int from, int until, int chunk, const uint64_t* table, int count) {
      |  for (; from < until; from += chunk) {
      |    const int size = until - from < chunk ? until - from : chunk;
      |    sum = add(sum, constant(table + (bits(x, from) & ((1u << size) - 1)) * count, count));
      |    table += count << size;
      |  }
      |  return sum;
      |};
      |auto load = [](const uint32_t* in, int at, int width) {
      |  Int r = {};
      |  for (int i = 0; i < width; i++) r.w[i / 64] |= uint64_t(in[(at + i) / 32] >> (at + i) % 32 & 1) << i % 64;
      |  for (int i = width; i < 64 * N; i++) r.w[i / 64] |= (r.w[(width - 1) / 64] >> (width - 1) % 64 & 1) << i % 64;
      |  return r;
      |};
      |auto store = [](uint32_t* out, int at, int width, const Int& x) {
      |  for (int i = 0; i < width; i++) out[(at + i) / 32] |= uint32_t(x.w[i / 64] >> i % 64 & 1) << (at + i) % 32;
      |};""".stripMargin
}
