import HTTPTypes
public import LupineCore
import LupineFoundation
import LupineSupport

extension Cassette {
  /// Reads an HTTP Archive (HAR 1.2) of any program.
  ///
  /// An exchange with a content coding has its decoded content in an archive; the coding is applied again when it is
  /// played. An exchange without a response becomes an error of kind `connectionFailed`. The limits are those of a
  /// cassette: 256 MiB, 100,000 exchanges, and 64 levels of arrays and objects.
  ///
  /// - Throws: `LupineError` of kind `invalidCassette` with the line if the archive is damaged or exceeds a limit.
  public init(har: some Collection<UInt8>) throws(LupineError) {
    guard har.count <= CassetteReader.maximumLength else {
      throw LupineError(.invalidCassette, "The HAR file has more than \(CassetteReader.maximumLength >> 20) MiB.")
    }
    let bytes = Array(har)
    do throws(JSONCursor.Fault) {
      var reader = try HARReader(bytes)
      self = try reader.cassette()
    } catch {
      if let version = error.newerVersion { throw .newerCassette("in the HAR file", version) }
      let line = bytes.prefix(error.position).count { $0 == 0x0A } + 1
      throw LupineError(.invalidCassette, "The HAR file is damaged at line \(line): \(error.reason).")
    }
  }
}

/// Reads the members of an archive that matter.
struct HARReader {
  typealias Fault = JSONCursor.Fault

  private let bytes: [UInt8]
  private var header: Cassette.Header?
  private var entries: [HAREntry] = []

  /// - Throws: a fault if the bytes are not UTF-8.
  init(_ bytes: [UInt8]) throws(Fault) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw Fault(position: error.byteOffsets.lowerBound, reason: "the bytes are not valid UTF-8")
    }
    self.bytes = bytes
  }

  mutating func cassette() throws(Fault) -> Cassette {
    let mark = bytes.starts(with: ByteOrderMark.utf8.bytes) ? ByteOrderMark.utf8.bytes.count : 0
    var cursor = JSONCursor(bytes, at: mark)
    var hasLog = false
    try cursor.object { (name, cursor) throws(Fault) in
      guard name == "log" else { return try cursor.skip() }
      hasLog = true
      try readLog(&cursor)
    }
    try cursor.end()
    guard hasLog else { throw cursor.fault("the archive has no \"log\"", at: 0) }
    // A cassette's date has milliseconds.
    let first = entries.compactMap(\.date).min()?.timeIntervalSince1970 ?? 0
    let date = header?.date ?? Date(timeIntervalSince1970: (first * 1_000).rounded(.down) / 1_000)
    var header = header ?? Cassette.Header(date: date, capabilities: HAREntry.capabilities)
    if self.header == nil {
      for entry in entries {
        if let (origin, address) = entry.server { header.origins[origin] = Cassette.Origin(address: address) }
      }
    }
    return Cassette(header: header, entries: entries.map { $0.entry(since: date) })
  }

  private mutating func readLog(_ cursor: inout JSONCursor) throws(Fault) {
    try cursor.object { (name, cursor) throws(Fault) in
      switch name {
      case "entries":
        try cursor.array { (cursor) throws(Fault) in
          guard entries.count < CassetteReader.maximumEntryCount else {
            throw cursor.fault("the archive has more than \(CassetteReader.maximumEntryCount) exchanges")
          }
          entries.append(try HAREntry(&cursor))
        }
      case "_lupine":
        var parser = BlockParser()
        try cursor.array { (cursor) throws(Fault) in try parser.add(from: &cursor) }
        guard case .header(let read) = try parser.content() else {
          throw cursor.fault("the header of the cassette is missing")
        }
        header = read
      default: try cursor.skip()
      }
    }
  }
}

/// A fault of a line moves to its place in the archive.
extension BlockParser {
  mutating func add(from cursor: inout JSONCursor) throws(Fault) {
    let range = try cursor.skipValue()
    do throws(Fault) {
      try add(Array(cursor.bytes[range]))
    } catch {
      throw Fault(
        position: range.lowerBound + error.position, reason: error.reason, newerVersion: error.newerVersion)
    }
  }
}

extension JSONCursor {
  /// Skips a value.
  mutating func skip() throws(Fault) { _ = try skipValue() }

  /// Reads a string; `nil` if the value is of another kind.
  mutating func stringIfAny() throws(Fault) -> String? {
    if peek() == UInt8(ascii: "\"") { return try string() }
    try skip()
    return nil
  }

  /// Reads a number; `nil` if the value is of another kind.
  mutating func numberIfAny() throws(Fault) -> Double? {
    let range = try skipValue()
    return Double(String(decoding: bytes[range], as: UTF8.self))
  }

  /// Reads the members of an object; skips a value of another kind.
  mutating func objectIfAny(
    _ member: (String, inout JSONCursor) throws(Fault) -> Void
  ) throws(Fault) {
    if peek() == UInt8(ascii: "{") { try object(member) } else { try skip() }
  }

  /// Reads the elements of an array; skips a value of another kind.
  mutating func arrayIfAny(_ element: (inout JSONCursor) throws(Fault) -> Void) throws(Fault) {
    if peek() == .openBracket { try array(element) } else { try skip() }
  }
}
