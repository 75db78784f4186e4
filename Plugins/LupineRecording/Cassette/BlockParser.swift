import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// Puts the lines of one block together, in the order in which they must stand.
struct BlockParser {
  typealias Fault = CassetteLine.Fault

  /// The place of a line in the block of an exchange; each place comes after the ones before.
  private enum Place: Int, Comparable {
    case begin, request, requestFields, requestBody, interim, response, responseFields, codings, responseBody, chunks,
      end

    static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
  }

  private var place = Place.begin
  private var header: Cassette.Header?
  private var entry: Cassette.Entry?
  private var hasChunks = false

  /// The finished block.
  ///
  /// - Throws: a fault if a line is missing.
  func content() throws(Fault) -> CassetteBlock.Content {
    if let header { return .header(header) }
    guard let entry, place == .end else {
      throw Fault(position: 0, reason: "the block ends without a line that begins with \"end\"")
    }
    return .entry(entry)
  }

  /// Whether no line is missing.
  var isComplete: Bool { header != nil || place == .end }

  mutating func add(_ bytes: [UInt8]) throws(Fault) {
    var line = try CassetteLine(bytes)
    if line.kind == "cassette" {
      try readHeader(&line)
    } else if header != nil {
      try readOrigin(&line)
    } else {
      try readEntry(&line)
    }
    try line.end()
  }
}

/// The header.
extension BlockParser {
  private mutating func readHeader(_ line: inout CassetteLine) throws(Fault) {
    let version = try CassetteLine.needed(line.count("cassette"), "cassette")
    guard version <= Cassette.version else { throw Fault(position: 0, reason: "", newerVersion: version) }
    guard version >= 1, header == nil, place == .begin else { throw misplaced(line) }
    guard let date = RecordedDate.date(try CassetteLine.needed(line.string("recorded"), "recorded")) else {
      throw line.fault("the date of the recording has the form \"2026-11-28T22:00:00.000Z\"")
    }
    var capabilities: TransportCapabilities = []
    for name in try line.strings("capabilities") ?? [] {
      guard let capability = CapabilityNames.capability(name) else {
        throw line.fault("the capability \(name.escapingControls(limit: 100).debugDescription) is unknown")
      }
      capabilities.insert(capability)
    }
    header = Cassette.Header(date: date, capabilities: capabilities)
  }

  private mutating func readOrigin(_ line: inout CassetteLine) throws(Fault) {
    guard line.kind == "origin" else { throw misplaced(line) }
    let name = try CassetteLine.needed(line.string("origin"), "origin")
    guard header?.origins[name] == nil else { throw line.fault("the origin occurs twice") }
    let address = try line.string("address")
    var tls: Cassette.TLS?
    if let version = try line.string("tls") {
      tls = Cassette.TLS(
        version: version, cipher: try CassetteLine.needed(line.string("cipher"), "cipher"),
        applicationProtocol: try line.string("alpn"))
    }
    let certificates = try line.array("certificates") { (cursor) throws(Fault) in try cursor.base64() }
    let verified = try line.array("verified") { (cursor) throws(Fault) in try cursor.base64() }
    header?.origins[name] = Cassette.Origin(
      address: address, certificates: certificates ?? [], verifiedCertificates: verified ?? [], tls: tls)
  }

  private func misplaced(_ line: CassetteLine) -> Fault {
    let kind = line.kind.escapingControls(limit: 100).debugDescription
    return line.fault("a line that begins with \(kind) is unknown, or stands in the wrong place")
  }
}

/// The exchange.
extension BlockParser {
  private mutating func readEntry(_ line: inout CassetteLine) throws(Fault) {
    switch line.kind {
    case "request": try readRequest(&line)
    case "interim": try readInterim(&line)
    case "response": try readResponse(&line)
    case "fields": try readFields(&line)
    case "coded":
      try move(to: .codings, from: .response, line)
      entry?.response?.codings = try CassetteLine.needed(line.strings("coded"), "coded")
    case "chunks": try readChunks(&line)
    case "end": try readEnd(&line)
    case _ where ContentLine.kinds.contains(line.kind): try readContent(&line)
    default: throw misplaced(line)
    }
  }

  /// Moves on to a place if the last line stands at or after `first` and before it.
  private mutating func move(to next: Place, from first: Place, _ line: CassetteLine) throws(Fault) {
    guard place >= first, place < next else { throw misplaced(line) }
    place = next
  }

  private mutating func readRequest(_ line: inout CassetteLine) throws(Fault) {
    try move(to: .request, from: .begin, line)
    let text = try CassetteLine.needed(line.string("request"), "request")
    let blank = text.utf8.firstIndex(of: .space) ?? text.endIndex
    let url = text.utf8[blank...].dropFirst()
    guard let method = HTTPRequest.Method(String(text[..<blank])), !url.isEmpty else {
      throw line.fault("a request has the form \"GET https://api.example.com/\"")
    }
    var request = Cassette.Request(method: method, url: String(Substring(url)))
    request.isCut = try line.flag("cut")
    entry = Cassette.Entry(request: request, begin: try line.seconds("at") ?? .zero)
  }

  private mutating func readFields(_ line: inout CassetteLine) throws(Fault) {
    let fields = try CassetteLine.needed(line.fields("fields"), "fields")
    if place < .response {
      try move(to: .requestFields, from: .request, line)
      entry?.request.fields = fields
    } else {
      try move(to: .responseFields, from: .response, line)
      entry?.response?.head.headerFields = fields
    }
  }

  private mutating func readContent(_ line: inout CassetteLine) throws(Fault) {
    let content = try ContentLine.content(&line)
    if place < .response {
      try move(to: .requestBody, from: .request, line)
      entry?.request.body = content
    } else {
      try move(to: .responseBody, from: .response, line)
      if case .digest = content { throw line.fault("a response's body cannot be played from its digest") }
      entry?.response?.body = content
    }
  }

  private mutating func readInterim(_ line: inout CassetteLine) throws(Fault) {
    guard place >= .request, place <= .interim else { throw misplaced(line) }
    place = .interim
    let code = try CassetteLine.needed(line.count("interim"), "interim")
    var head = HTTPResponse(status: try status(code, in: 100...199, nil, &line))
    head.headerFields = try line.fields("fields") ?? HTTPFields()
    entry?.interim.append(Cassette.Interim(head: head, after: try line.seconds("after") ?? .zero))
  }

  private mutating func readResponse(_ line: inout CassetteLine) throws(Fault) {
    try move(to: .response, from: .request, line)
    let code = try CassetteLine.needed(line.count("response"), "response")
    var version: ProtocolVersion?
    if let name = try line.string("version") {
      version = ProtocolVersion(rawValue: name)
      if version == nil { throw line.fault("the version of HTTP is unknown") }
    }
    let sender = try line.string("from")
    guard sender == nil || sender == "proxy" else { throw line.fault("the sender of a response is \"proxy\" or none") }
    let status = try status(code, in: 200...999, version, &line)
    entry?.response = Cassette.Response(
      head: HTTPResponse(status: status), version: version, source: sender == nil ? .origin : .proxy,
      after: try line.seconds("after") ?? .zero)
  }

  private func status(
    _ code: Int64, in range: ClosedRange<Int64>, _ version: ProtocolVersion?, _ line: inout CassetteLine
  ) throws(Fault) -> HTTPResponse.Status {
    guard range.contains(code) else {
      throw line.fault("the status is not between \(range.lowerBound) and \(range.upperBound)")
    }
    let reason = try line.string("reason") ?? StandardReason.phrase(Int(code), in: version)
    let status = HTTPResponse.Status(code: Int(code), reasonPhrase: reason)
    guard status.reasonPhrase == reason else { throw line.fault("the reason phrase contains a control character") }
    return status
  }

  private mutating func readChunks(_ line: inout CassetteLine) throws(Fault) {
    try move(to: .chunks, from: .response, line)
    hasChunks = true
    let pairs = try line.array("chunks") { (cursor) throws(Fault) in
      var chunk = Cassette.Chunk(after: .zero, count: 0)
      var index = 0
      try cursor.array { (cursor) throws(Fault) in
        switch index {
        case 0: chunk.after = try cursor.seconds()
        case 1: chunk.count = Int(clamping: try cursor.count())
        default: break
        }
        index += 1
        if index > 2 { throw cursor.fault("a chunk has a time and a number of bytes") }
      }
      guard index == 2 else { throw cursor.fault("a chunk has a time and a number of bytes") }
      return chunk
    }
    entry?.response?.chunks = pairs ?? []
  }

  private mutating func readEnd(_ line: inout CassetteLine) throws(Fault) {
    try move(to: .end, from: .request, line)
    try checkChunks(line)
    let name = try CassetteLine.needed(line.string("end"), "end")
    entry?.duration = try line.seconds("after") ?? .zero
    entry?.isConnectionReused = try line.flag("reused")
    if let message = try line.string("message") {
      entry?.end = .failed(
        Cassette.Failure(
          kind: name, message: message, isUnprocessed: try line.flag("unprocessed"), fault: try line.string("fault")))
    } else if name == "stalled" {
      entry?.end = .stalled
    } else if name == "complete" {
      guard entry?.response != nil else { throw line.fault("the exchange ends completely, but has no response") }
      entry?.end = .complete(trailers: try line.fields("trailers"))
    } else {
      throw line.fault("an exchange that ends with an error needs a \"message\"")
    }
  }

  /// Compares the sum of the pieces with the length of the body; a missing line stands for one piece.
  private mutating func checkChunks(_ line: CassetteLine) throws(Fault) {
    guard let response = entry?.response else { return }
    guard hasChunks else {
      entry?.response?.chunks = response.soleChunk
      return
    }
    var sum: Int64 = 0
    for chunk in response.chunks {
      let (next, overflows) = sum.addingReportingOverflow(Int64(chunk.count))
      if overflows { throw line.fault("the chunks have more than 63 bits of bytes") }
      sum = next
    }
    guard sum == response.body.length else {
      throw line.fault("the chunks have \(sum) bytes, but the body has \(response.body.length)")
    }
  }
}
