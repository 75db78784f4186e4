import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// Writes the blocks of a cassette's file.
///
/// The text depends on the value alone. Times are rounded down to microseconds, dates to milliseconds.
public enum CassetteWriter {
  /// Returns the text of a whole file.
  public static func text(of cassette: Cassette) -> [UInt8] {
    text(of: cassette.header, cassette.entries.lazy.map { text(of: $0) })
  }

  /// Returns the text of a whole file.
  ///
  /// - Parameter blocks: the texts of the exchanges.
  static func text(of header: Cassette.Header, _ blocks: some Sequence<[UInt8]>) -> [UInt8] {
    blocks.reduce(into: text(of: header)) { text, block in
      text.append(UInt8(ascii: "\n"))
      text += block
    }
  }

  /// Returns the first block of a file, which ends with a line feed.
  public static func text(of header: Cassette.Header) -> [UInt8] {
    var line = LineBuilder()
    line.add("cassette", Cassette.version)
    line.add("recorded", RecordedDate.text(header.date))
    line.add("capabilities", CapabilityNames.names(of: header.capabilities))
    return header.origins.sorted { $0.key < $1.key }.reduce(into: line.line) { text, origin in
      var line = LineBuilder()
      line.add("origin", origin.key)
      if let address = origin.value.address { line.add("address", address) }
      if let tls = origin.value.tls {
        line.add("tls", tls.version)
        line.add("cipher", tls.cipher)
        if let name = tls.applicationProtocol { line.add("alpn", name) }
      }
      if !origin.value.certificates.isEmpty {
        line.add("certificates", origin.value.certificates.map { $0.base64EncodedString() })
      }
      if !origin.value.verifiedCertificates.isEmpty {
        line.add("verified", origin.value.verifiedCertificates.map { $0.base64EncodedString() })
      }
      text += line.line
    }
  }

  /// Returns the block of an exchange, which ends with a line feed.
  ///
  /// Blocks follow each other with an empty line between them.
  public static func text(of entry: Cassette.Entry) -> [UInt8] {
    var text: [UInt8] = []
    write(entry.request, begin: entry.begin, to: &text)
    for interim in entry.interim { write(interim, to: &text) }
    if let response = entry.response { write(response, to: &text) }
    write(entry.end, of: entry, to: &text)
    return text
  }

  private static func write(_ request: Cassette.Request, begin: Duration, to text: inout [UInt8]) {
    var line = LineBuilder()
    line.add("request", "\(request.method.rawValue) \(request.url)")
    line.add("at", begin)
    line.add("cut", flag: request.isCut)
    text += line.line
    write(request.fields, to: &text)
    if let body = ContentLine.line(request.body) { text += body }
  }

  private static func write(_ fields: HTTPFields, to text: inout [UInt8]) {
    guard !fields.isEmpty else { return }
    var line = LineBuilder()
    line.add("fields", fields)
    text += line.line
  }

  private static func write(_ interim: Cassette.Interim, to text: inout [UInt8]) {
    var line = LineBuilder()
    line.add("interim", interim.head.status.code)
    line.add("after", interim.after)
    add(interim.head.status, standard: StandardReason.phrase(interim.head.status.code), to: &line)
    if !interim.head.headerFields.isEmpty { line.add("fields", interim.head.headerFields) }
    text += line.line
  }

  private static func add(_ status: HTTPResponse.Status, standard: String, to line: inout LineBuilder) {
    if status.reasonPhrase != standard { line.add("reason", status.reasonPhrase) }
  }

  private static func write(_ response: Cassette.Response, to text: inout [UInt8]) {
    let status = response.head.status
    var line = LineBuilder()
    line.add("response", status.code)
    line.add("after", response.after)
    if let version = response.version { line.add("version", version.rawValue) }
    add(status, standard: StandardReason.phrase(status.code, in: response.version), to: &line)
    if response.source == .proxy { line.add("from", "proxy") }
    text += line.line
    write(response.head.headerFields, to: &text)
    if !response.codings.isEmpty {
      var line = LineBuilder()
      line.add("coded", response.codings)
      text += line.line
    }
    if let body = ContentLine.line(response.body) { text += body }
    // A value without pieces has one that arrived with the head.
    if !response.chunks.isEmpty, response.chunks != response.soleChunk { text += chunks(response.chunks) }
  }

  /// Writes the pieces of a body, six in a line.
  private static func chunks(_ chunks: [Cassette.Chunk]) -> [UInt8] {
    var text = Array(#"{"chunks":["#.utf8)
    for (index, chunk) in chunks.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      if index > 0, index.isMultiple(of: 6) { text += "\n  ".utf8 }
      text += "[\(Seconds.text(chunk.after)),\(chunk.count)]".utf8
    }
    text += "]}\n".utf8
    return text
  }

  private static func write(_ end: Cassette.End, of entry: Cassette.Entry, to text: inout [UInt8]) {
    var line = LineBuilder()
    switch end {
    case .complete(let trailers):
      line.add("end", "complete")
      line.add("after", entry.duration)
      if let trailers { line.add("trailers", trailers) }
    case .stalled:
      line.add("end", "stalled")
      line.add("after", entry.duration)
    case .failed(let failure):
      line.add("end", failure.kind)
      line.add("after", entry.duration)
      line.add("message", failure.message)
      line.add("unprocessed", flag: failure.isUnprocessed)
      if let fault = failure.fault { line.add("fault", fault) }
    }
    line.add("reused", flag: entry.isConnectionReused)
    text += line.line
  }
}

extension Cassette.Response {
  /// The pieces that a cassette leaves out: one that arrived with the head, or none of an empty body.
  var soleChunk: [Cassette.Chunk] {
    body.length == 0 ? [] : [Cassette.Chunk(after: after, count: Int(clamping: body.length))]
  }
}

/// The date of a recording as text, such as `2026-11-28T22:00:00.000Z`.
enum RecordedDate {
  /// The milliseconds since 1970 of the years 1600 to 9999, in which all calendars of computers agree.
  private static let range = -11_676_096_000_000.0...253_402_300_799_999.0

  static func text(_ date: Date) -> String {
    let exact = (date.timeIntervalSince1970 * 1_000).rounded()
    let moment = Int64(min(max(exact, range.lowerBound), range.upperBound))
    let fraction = (moment % 1_000 + 1_000) % 1_000
    let seconds = Date(timeIntervalSince1970: Double((moment - fraction) / 1_000))
    return seconds.formatted(.iso8601).dropLast() + "." + String(1_000 + fraction).dropFirst() + "Z"
  }

  static func date(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    let pattern = Array("0000-00-00T00:00:00.000Z".utf8)
    guard bytes.count == pattern.count,
      zip(bytes, pattern).allSatisfy({ $1 == UInt8(ascii: "0") ? $0.isDigit : $0 == $1 })
    else { return nil }
    func number(_ start: Int, _ count: Int) -> Int {
      bytes[start..<(start + count)].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    guard number(0, 4) >= 1600 else { return nil }
    let whole = CalendarDate.date(
      year: number(0, 4), month: number(5, 2), day: number(8, 2), hour: number(11, 2), minute: number(14, 2),
      second: number(17, 2))
    return whole.map { Date(timeIntervalSince1970: ($0.timeIntervalSince1970 * 1_000 + Double(number(20, 3))) / 1_000) }
  }
}

/// The names of capabilities.
enum CapabilityNames {
  private static let all = (0..<UInt64.bitWidth).map { bit in
    let capability = TransportCapabilities(rawValue: 1 << UInt64(bit))
    return (name: capability.description.isEmpty ? "bit-\(bit)" : capability.description, capability)
  }

  static func names(of capabilities: TransportCapabilities) -> [String] {
    all.filter { capabilities.contains($0.1) }.map(\.name)
  }

  static func capability(_ name: String) -> TransportCapabilities? { all.first { $0.name == name }?.1 }
}
