import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// One exchange of an archive.
struct HAREntry {
  typealias Fault = JSONCursor.Fault

  /// The capabilities of a transport that can have had the exchanges of an archive of another program.
  static let capabilities: TransportCapabilities = [
    .networking, .tls, .http2, .streamedUploads, .connectionReuse, .proxies, .trailers, .informationalResponses,
    .framingChecks, .strictFraming, .streamEndChecks, .responseTolerances,
  ]

  private var start = ""
  private var milliseconds = 0.0
  private var wait: Double?
  private var address: String?
  private var request = HARMessage()
  private var response = HARMessage()
  /// The exchange with the members of ours.
  private var detailed: Cassette.Entry?

  /// The time of the request.
  var date: Date? { HARDate.date(start) }

  init(_ cursor: inout JSONCursor) throws(Fault) {
    _ = cursor.peek()
    let place = cursor.position
    var details: JSONCursor?
    try cursor.object { (name, cursor) throws(Fault) in
      switch name {
      case "startedDateTime": start = try cursor.stringIfAny() ?? ""
      case "time": milliseconds = try cursor.numberIfAny() ?? 0
      case "serverIPAddress": address = try cursor.stringIfAny()
      case "request": try request.read(&cursor)
      case "response": try response.read(&cursor)
      case "timings":
        try cursor.objectIfAny { (name, cursor) throws(Fault) in
          if name == "wait" { wait = try cursor.numberIfAny() } else { try cursor.skip() }
        }
      case "_lupine":
        details = cursor
        try cursor.skip()
      default: try cursor.skip()
      }
    }
    guard let method = request.method, HTTPRequest.Method(method) != nil, let url = request.url, !url.isEmpty else {
      throw cursor.fault("an exchange has no request with a method and a URL", at: place)
    }
    guard response.status <= 999 else { throw cursor.fault("the status of a response is above 999", at: place) }
    if var details { detailed = try entry(with: &details, method, url) }
  }

  /// Reads the lines that an archive has no place for, and those that it has between them.
  private func entry(
    with details: inout JSONCursor, _ method: String, _ url: String
  ) throws(Fault) -> Cassette.Entry {
    let place = details.position
    var parser = BlockParser()
    var at = Array("0".utf8)
    var isCut = false
    var hasBody = false
    var isAnswered = false
    try details.object { (name, cursor) throws(Fault) in
      switch name {
      case "lines": break
      case "cut": return isCut = try cursor.bool()
      default: return at = Array(cursor.bytes[try cursor.skipValue()])
      }
      var line = LineBuilder()
      line.add("request", "\(method) \(url)")
      line.add("at", json: at)
      line.add("cut", flag: isCut)
      try parser.add(line.object, at: place)
      try parser.add(fields: request.fields, at: place)
      try cursor.array { (cursor) throws(Fault) in
        var copy = cursor
        let kind = HARText.kind(of: Array(cursor.bytes[try copy.skipValue()]))
        if !isAnswered, ["interim", "response", "end"].contains(kind) {
          isAnswered = true
          if !hasBody { try parser.add(content: request.content, at: place) }
          hasBody = false
        }
        if ContentLine.kinds.contains(kind) { hasBody = true }
        if isAnswered, !hasBody, response.status > 0, kind == "chunks" || kind == "end" {
          try parser.add(content: response.content, at: place)
          hasBody = true
        }
        try parser.add(from: &cursor)
        if kind == "response" { try parser.add(fields: response.fields, at: place) }
      }
    }
    guard case .entry(let entry) = try parser.content() else {
      throw details.fault("the lines of an exchange are missing", at: place)
    }
    return entry
  }

  /// The origin of the server and its address, if the archive has it.
  var server: (origin: String, address: String)? {
    guard let address, !address.isEmpty, let url = try? HTTPURL(request.url ?? "") else { return nil }
    let isV6 = address.contains(":") && !address.hasPrefix("[")
    return (url.origin.description, (isV6 ? "[\(address)]" : address) + ":\(url.effectivePort)")
  }

  /// Returns the exchange of a cassette that begins at this date.
  func entry(since date: Date) -> Cassette.Entry {
    if let detailed { return detailed }
    let method = request.method.flatMap { HTTPRequest.Method($0) } ?? .get
    let total = Self.duration(milliseconds)
    var entry = Cassette.Entry(
      request: Cassette.Request(
        method: method, url: request.url ?? "", fields: request.fields.withoutFraming, body: request.content),
      begin: Self.duration((self.date ?? date).timeIntervalSince(date) * 1_000), duration: total)
    guard response.status >= 200 else {
      let message = response.error ?? "The archive has no response to the request."
      entry.end = .failed(Cassette.Failure(kind: "connectionFailed", message: message))
      return entry
    }
    var head = HTTPResponse(status: HTTPResponse.Status(code: response.status, reasonPhrase: response.reason))
    head.headerFields = response.fields.withoutFraming
    let content = response.content
    entry.response = Cassette.Response(
      head: head, version: response.version, after: min(total, wait.map(Self.duration) ?? total), body: content,
      codings: content.length == 0 ? [] : response.codings,
      chunks: content.length == 0 ? [] : [Cassette.Chunk(after: total, count: Int(content.length))])
    return entry
  }

  private static func duration(_ milliseconds: Double) -> Duration {
    milliseconds > 0 ? .microseconds(Int64(min(milliseconds, 1e12) * 1_000)) : .zero
  }
}

extension BlockParser {
  fileprivate mutating func add(_ line: [UInt8], at place: Int) throws(Fault) {
    do throws(Fault) {
      try add(line)
    } catch {
      throw Fault(position: place, reason: error.reason)
    }
  }

  fileprivate mutating func add(fields: HTTPFields, at place: Int) throws(Fault) {
    guard !fields.isEmpty else { return }
    var line = LineBuilder()
    line.add("fields", fields)
    try add(line.object, at: place)
  }

  fileprivate mutating func add(content: Cassette.Content, at place: Int) throws(Fault) {
    if let line = ContentLine.line(content) { try add(line, at: place) }
  }
}

extension HTTPFields {
  /// The fields without those that a transport adds to a message, and without those of the connection.
  fileprivate var withoutFraming: HTTPFields {
    let names: Set<String> = ["host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te"]
    var fields = HTTPFields()
    for field in self where !names.contains(field.name.canonicalName) { fields.append(field) }
    return fields
  }
}
