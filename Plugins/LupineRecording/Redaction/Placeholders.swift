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

  /// Replaces the secrets; of two that overlap, the one that begins first, or else the longer one.
  init(_ text: [UInt8], _ secrets: [FoundSecret], by replacement: (FoundSecret) -> [UInt8]) {
    var (output, position): ([UInt8], Int) = ([], 0)
    let sorted = secrets.sorted {
      ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
    }
    for secret in sorted where secret.range.lowerBound >= position && !secret.range.isEmpty {
      output += text[position..<secret.range.lowerBound]
      let text = replacement(secret)
      output += text
      edits.append((secret.range, text.count))
      position = secret.range.upperBound
    }
    bytes = edits.isEmpty ? text : output + text[position...]
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
