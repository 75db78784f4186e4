/// The weights of the source's pixels in each pixel of the result, along one axis.
struct ScalingWeights {
  /// The bits behind the point of a weight.
  static let bits: Int32 = 14

  /// The first source pixel of each pixel of the result.
  private(set) var starts: [Int] = []
  /// The offset of its weights, and at the end the number of all weights.
  private var offsets: [Int] = [0]
  /// The weights; those of one pixel add up to 2^14.
  private(set) var weights: [Int32] = []
  /// The number of source pixels before the part that is scaled.
  let offset: Int

  init(from source: Int, to target: Int, offset: Int) {
    self.offset = offset
    let scale = Double(source) / Double(target)
    let support = max(scale, 1)
    for position in 0..<target {
      let centre = (Double(position) + 0.5) * scale
      let first = max(0, Int(centre - support + 0.5))
      let end = max(first + 1, min(source, Int(centre + support + 0.5)))
      append((first..<end).map { max(0, 1 - abs((Double($0) + 0.5 - centre) / support)) }, from: first)
    }
  }

  func range(_ position: Int) -> Range<Int> { offsets[position]..<offsets[position + 1] }

  /// Appends weights of one pixel as integers; the largest takes the rest of the rounding.
  private mutating func append(_ shares: [Double], from first: Int) {
    let total = shares.reduce(0, +)
    let one = Int32(1) << Self.bits
    var integers = shares.map { total > 0 ? Int32($0 / total * Double(one)) : 0 }
    let largest = integers.indices.max { integers[$0] < integers[$1] } ?? 0
    integers[largest] += one - integers.reduce(0, +)
    starts.append(first + offset)
    weights += integers
    offsets.append(weights.count)
  }
}
