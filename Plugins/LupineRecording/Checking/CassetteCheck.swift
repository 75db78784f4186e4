import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// A defect of a cassette.
public struct CassetteProblem: Sendable, Hashable, CustomStringConvertible {
  /// The path of the cassette.
  public let path: String
  /// The line of the exchange, from 1; `nil` if the message has the place.
  public let line: Int?
  /// The defect as a sentence, without any secret.
  public let message: String

  /// The place and the defect, as compilers print them.
  public var description: String { (line.map { "\(path):\($0): " } ?? "\(path): ") + message }
}

/// Checks cassettes before they are shared: that they can be read, that the files of their bodies are as they were
/// recorded, and that they contain no secret.
///
/// A value at a place that the rules call secret must be a placeholder, and no text may have the shape of a known token.
/// A secret elsewhere cannot be found, because only the recording knew its value.
public struct CassetteCheck: Sendable {
  private let rules: SecretRules

  /// Creates a check.
  ///
  /// - Parameter redaction: the rules of the recording. Default: those that hold for every recording.
  public init(redaction: Redaction = Redaction()) { rules = SecretRules(redaction, knowsNumbers: true) }

  /// Returns the defects of a cassette's file; it blocks while the disk is read.
  public func problems(at path: String) -> [CassetteProblem] {
    let contents: CassetteContents
    do throws(LupineError) {
      contents = try CassetteContents(contentsOf: path)
    } catch {
      return [CassetteProblem(path: path, line: nil, message: error.message)]
    }
    return contents.blocks.flatMap { block -> [CassetteProblem] in
      guard case .entry(let entry) = block.content else { return [] }
      return problems(of: entry, at: path).map { CassetteProblem(path: path, line: block.line, message: $0) }
    }
  }

  private func problems(of entry: Cassette.Entry, at path: String) -> [String] {
    var entry = entry
    var problems: [String] = []
    for file in entry.bodyFiles {
      if let problem = damage(of: file, beside: path) { problems.append(problem) }
    }
    guard problems.isEmpty else { return problems }
    entry.request.body = loaded(entry.request.body, beside: path)
    if let body = entry.response?.body { entry.response?.body = loaded(body, beside: path) }
    return secrets(of: entry, beside: path)
  }

  /// The places of secrets that are no placeholders, and the first text with the shape of a token.
  private func secrets(of entry: Cassette.Entry, beside path: String) -> [String] {
    let places = FoundPlaces()
    _ = EntryRedaction(rules) { _, place in
      places.add(place)
      return Placeholder.anyNumber
    }.redacted(entry)
    let scan = EntryScan(rules, SecretPatterns())
    let found = try? scan.finding(in: entry) { (file, use) throws(LupineError) in
      try Self.forEachPiece(of: file, beside: path) { piece in piece.withUnsafeBytes { use($0) } }
    }
    return places.all.map { "A secret stands in \($0)." } + (found.map { ["\($0.sentence)."] } ?? [])
  }

  private func damage(of file: Cassette.FileContent, beside path: String) -> String? {
    do throws(LupineError) {
      var (hash, length) = (SHA256(), Int64(0))
      try Self.forEachPiece(of: file, beside: path) { piece in
        length += Int64(piece.count)
        piece.withUnsafeBytes { hash.update($0) }
      }
      let isEqual = length == file.length && Data(hash.finalize()) == file.sha256
      return isEqual ? nil : "The file \(file.name) is not the one that was recorded."
    } catch {
      return error.message
    }
  }

  /// The content in memory, unless it is too long.
  private func loaded(_ content: Cassette.Content, beside path: String) -> Cassette.Content {
    guard let file = content.file, file.length <= Int64(Redactor.maximumLength) else { return content }
    var bytes: [UInt8] = []
    try? Self.forEachPiece(of: file, beside: path) { bytes += $0 }
    return .inline(Data(bytes))
  }

  private static func forEachPiece(
    of file: Cassette.FileContent, beside path: String, _ use: ([UInt8]) -> Void
  ) throws(LupineError) {
    try CassetteFolder(of: path).open(file.name, as: .invalidCassette).forEachPiece(use)
  }
}

/// The places that a search has found, each once.
private final class FoundPlaces {
  private(set) var all: [String] = []

  func add(_ place: String) { if !all.contains(place) { all.append(place) } }
}
