import LupineFoundation

/// The placeholders of one cassette: the same value has the same one, numbered by first appearance.
struct Placeholders: Sendable {
  private var numbers: [[UInt8]: Int] = [:]
  private var last: Int
  /// The numbers of the placeholders that are numbers of JSON.
  private(set) var numeric: Set<Int> = []
  /// The values, in every form in which they may stand elsewhere.
  private(set) var patterns = SecretPatterns()

  /// - Parameter last: the highest number that the cassette has already.
  init(last: Int = 0) { self.last = last }

  /// Returns the number of a secret.
  ///
  /// - Parameter place: the place of the secret, for the message about a copy of it.
  mutating func number(of secret: FoundSecret, at place: String) -> Int {
    let number = numbers[secret.value] ?? add(secret, at: place)
    if secret.isNumber { numeric.insert(number) }
    return number
  }

  private mutating func add(_ secret: FoundSecret, at place: String) -> Int {
    last += 1
    numbers[secret.value] = last
    for value in [secret.value] + secret.related { patterns.add(value, place: place) }
    return last
  }
}

/// The replacement of secrets in one text.
struct RedactedText {
  private(set) var bytes: [UInt8]
  /// The replaced ranges, in order, each with the length of its replacement.
  private var edits: [(range: Range<Int>, count: Int)] = []

  /// Replaces the secrets; those that overlap together.
  init(_ text: [UInt8], _ secrets: [FoundSecret], by replacement: (FoundSecret) -> [UInt8]) {
    var (output, position): ([UInt8], Int) = ([], 0)
    for secret in Self.disjoint(secrets) {
      output += text[position..<secret.range.lowerBound]
      let text = replacement(secret)
      output += text
      edits.append((secret.range, text.count))
      position = secret.range.upperBound
    }
    bytes = edits.isEmpty ? text : output + text[position...]
  }

  /// The secrets in order, each of which has the range of all that overlap it.
  private static func disjoint(_ secrets: [FoundSecret]) -> [FoundSecret] {
    let sorted = secrets.filter { !$0.range.isEmpty }.sorted {
      ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
    }
    return sorted.reduce(into: []) { disjoint, secret in
      if let last = disjoint.last, secret.range.lowerBound < last.range.upperBound {
        let end = max(last.range.upperBound, secret.range.upperBound)
        disjoint[disjoint.count - 1].range = last.range.lowerBound..<end
      } else {
        disjoint.append(secret)
      }
    }
  }

  var isChanged: Bool { !edits.isEmpty }

  /// Returns the counts of pieces of the former text as counts of pieces of the new one.
  ///
  /// A replacement belongs to the piece in which the secret begins.
  func counts(_ counts: [Int]) -> [Int] {
    guard isChanged else { return counts }
    var (end, shift, next, former) = (0, 0, 0, 0)
    return counts.map { count in
      end += count
      while next < edits.count, edits[next].range.lowerBound < end {
        shift += edits[next].count - edits[next].range.count
        next += 1
      }
      // The end may be inside of the last secret, which belongs to this piece as a whole.
      let secretEnd = next > 0 ? max(end, edits[next - 1].range.upperBound) : end
      let place = min(secretEnd + shift, bytes.count)
      defer { former = max(former, place) }
      return max(0, place - former)
    }
  }
}
