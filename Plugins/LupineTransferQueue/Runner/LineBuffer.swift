/// The bytes of a connection that are not a whole line yet.
struct LineBuffer {
  private var bytes: [UInt8] = []
  private let limit: Int

  init(limit: Int = RunnerLine.maximumLength) { self.limit = limit }

  /// Adds bytes, and takes the whole lines.
  ///
  /// - Returns: `nil` if a line is too long.
  mutating func lines(adding new: some Collection<UInt8>) -> [ArraySlice<UInt8>]? {
    bytes += new
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let rest = lines.popLast(), rest.count <= limit, lines.allSatisfy({ $0.count <= limit }) else { return nil }
    bytes = Array(rest)
    return lines
  }
}
