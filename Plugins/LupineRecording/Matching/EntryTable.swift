import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation
import Synchronization

/// The entries of a recording, each of which answers one request, in order.
///
/// The methods may be called concurrently. They read files, so they must not run on a transport's thread if the matching
/// reads bodies.
final class EntryTable: Sendable {
  let entries: [Cassette.Entry]
  private let matcher: EntryMatcher
  private let repeats: Bool
  private let source: CassetteSource
  /// The entries by method and path, in order; `nil` if they are not compared.
  private let index: [String: [Int]]?
  private let used: Mutex<[Bool]>

  /// - Parameters:
  ///   - repeats: whether the last entry that matches answers again when all of them are used.
  ///   - load: reads a body in a file; it returns `nil` if that fails.
  init(
    _ entries: [Cassette.Entry], source: CassetteSource, matching: CassetteMatching = .standard,
    repeats: Bool = false, load: @escaping @Sendable (Cassette.FileContent) -> Data? = { _ in nil }
  ) {
    self.entries = entries
    self.repeats = repeats
    self.source = source
    matcher = EntryMatcher(matching: matching, load: load)
    used = Mutex(Array(repeating: false, count: entries.count))
    index = Self.index(entries, matching)
  }

  private static func index(_ entries: [Cassette.Entry], _ matching: CassetteMatching) -> [String: [Int]]? {
    guard matching.parts.contains(.method), matching.parts.contains(.url) || matching.parts.contains(.path) else {
      return nil
    }
    var index: [String: [Int]] = [:]
    for (number, entry) in entries.enumerated() {
      guard let url = try? HTTPURL(entry.request.url) else { continue }
      // A path with a placeholder matches several paths.
      if url.path.contains("REDACTED-") { return nil }
      index["\(entry.request.method.rawValue) \(url.path)", default: []].append(number)
    }
    return index
  }

  /// Whether the body of a request must be read before `claim`.
  var readsBody: Bool { matcher.matching.readsBody }

  /// Returns the number of the entry that answers the request, and marks it as used.
  ///
  /// - Throws: kind `unmatchedRequest` with the nearest entries.
  func claim(_ request: LiveRequest) throws(LupineError) -> Int {
    var last: Int?
    for number in candidates(for: request) {
      let isUsed = used.withLock { $0[number] }
      guard !isUsed || repeats, matcher.matches(entries[number].request, request) else { continue }
      last = number
      if !isUsed, use(number) { return number }
    }
    guard repeats, let last else { throw error(for: request) }
    return last
  }

  /// The entries that may match, in order.
  private func candidates(for request: LiveRequest) -> [Int] {
    guard let index else { return Array(entries.indices) }
    return index["\(request.method.rawValue) \(request.url.path)"] ?? []
  }

  /// Marks an entry as used; false if it was used already.
  private func use(_ number: Int) -> Bool {
    used.withLock { used in
      defer { used[number] = true }
      return !used[number]
    }
  }

  /// The entries that answered no request, in order.
  var unused: [Int] {
    used.withLock { used in used.indices.filter { !used[$0] } }
  }

  /// The entries that answered no request, each as a line with its place in the file.
  var unusedLines: [String] { unused.map { title(of: $0) } }
}

/// Errors.
extension EntryTable {
  /// The maximum number of entries that are compared for a report.
  private static let maximumCompared = 1000

  private func title(of number: Int) -> String {
    let request = entries[number].request
    return "\(request.method.rawValue) \(Self.shown(request.url)) at \(source.place(of: number))"
  }

  private static func shown(_ url: String) -> String {
    (try? HTTPURL(url))?.withoutSecrets() ?? "a URL that is not valid"
  }

  private func error(for request: LiveRequest) -> LupineError {
    let title =
      "No entry of the cassette \(source.name) matches \(request.method.rawValue) \(request.url.withoutSecrets())."
    let used = used.withLock { $0 }
    let candidates = entries.indices.prefix(Self.maximumCompared).map { number in
      let differences = matcher.differences(entries[number].request, request)
      let isUsed = differences.isEmpty && used[number]
      let use = [RequestDifference(text: "it has answered an earlier request", weight: 1)]
      return NearestReport.Candidate(self.title(of: number), isUsed ? use : differences)
    }
    let nearest =
      candidates.isEmpty
      ? "It has no entries." : NearestReport(candidates, singular: "entry", plural: "entries").description
    return LupineError(
      .unmatchedRequest,
      [title, nearest, "To record what the server says now, run:", "    \(source.command)"].joined(separator: "\n"))
  }
}

/// Where the entries of a recording stand, for messages.
struct CassetteSource: Sendable {
  /// The name of the file.
  let name: String
  /// The line of each entry, from 1.
  let lines: [Int]
  /// The command that records the cassette.
  let command: String

  /// - Parameter filter: the test for the option `--filter` of `swift test`; `nil` if it is not known.
  init(name: String, lines: [Int] = [], filter: String? = nil) {
    self.name = name
    self.lines = lines
    command = "LUPINE_CASSETTES=record swift test" + (filter.map { " --filter '\($0)'" } ?? "")
  }

  /// The place of an entry, such as `users.cassette:12`.
  func place(of entry: Int) -> String {
    entry < lines.count ? "\(name):\(lines[entry])" : "\(name), entry \(entry + 1)"
  }
}
