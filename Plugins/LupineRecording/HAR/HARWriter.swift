import HTTPTypes
public import LupineCore
public import LupineFoundation
import LupineSupport

extension Cassette {
  /// Returns the cassette as an HTTP Archive (HAR 1.2), in JSON.
  ///
  /// HAR has no place for interim responses, the times of chunks, trailers, errors and content codings. They are in the
  /// members `_lupine`, so that `init(har:)` returns an equal cassette; other programs ignore these members. The contents
  /// of files beside the cassette are not part of the archive: see `har(withFilesBeside:)`.
  public func har() -> Data { archive(of: entries) }

  /// Returns the cassette as an HTTP Archive with the contents of the files beside it, of at most 16 MiB each; it blocks
  /// while the disk is read.
  ///
  /// `init(har:)` returns a cassette that has these contents in itself; `write(to:)` moves them to files again.
  ///
  /// - Parameter path: the path of the cassette.
  /// - Throws: `LupineError` of kind `invalidCassette` if a file is missing or was changed; of kind `fileFailed` if the
  ///   folder cannot be read.
  public func har(withFilesBeside path: String) throws(LupineError) -> Data {
    let folder = try CassetteFolder(of: path)
    var read = entries
    for index in read.indices {
      read[index].request.body = try folder.inlined(read[index].request.body)
      if let body = read[index].response?.body { read[index].response?.body = try folder.inlined(body) }
    }
    return archive(of: read)
  }

  private func archive(of entries: [Entry]) -> Data {
    var text = Array(#"{"log":{"version":"1.2","creator":{"name":"Lupine","version":"1"},"pages":[],"#.utf8)
    text += "\n\"_lupine\":".utf8
    HARText.write(lines: HARText.lines(CassetteWriter.text(of: header)), to: &text)
    text += ",\n\"entries\":[".utf8
    for (index, entry) in entries.enumerated() {
      text += (index == 0 ? "\n" : ",\n").utf8
      text += HAREntryWriter(entry, header).object
    }
    text += "\n]}}\n".utf8
    return Data(text)
  }
}

extension CassetteFolder {
  /// Returns a content with the bytes of its file, unless it is too long.
  fileprivate func inlined(_ content: Cassette.Content) throws(LupineError) -> Cassette.Content {
    guard case .file(let file) = content, file.length <= Int64(CassetteReader.maximumLineLength) else { return content }
    return .inline(try contents(of: file))
  }
}

/// Writes one exchange of an archive.
private struct HAREntryWriter {
  private let entry: Cassette.Entry
  private let header: Cassette.Header
  /// The lines of the exchange in its cassette.
  private let lines: [[UInt8]]

  init(_ entry: Cassette.Entry, _ header: Cassette.Header) {
    self.entry = entry
    self.header = header
    lines = HARText.lines(CassetteWriter.text(of: entry))
  }

  var object: [UInt8] {
    var object = LineBuilder()
    object.add("startedDateTime", RecordedDate.text(header.date.addingTimeInterval(Seconds.value(entry.begin))))
    object.add("time", json: HARText.milliseconds(entry.duration))
    object.add("request", json: request)
    object.add("response", json: response)
    object.add("cache", json: Array("{}".utf8))
    object.add("timings", json: timings)
    if let address = HARText.address(of: entry.request.url, in: header) { object.add("serverIPAddress", address) }
    object.add("_lupine", json: details)
    return object.object
  }

  private var version: String { entry.response?.version?.rawValue ?? "" }

  private var request: [UInt8] {
    var object = LineBuilder()
    object.add("method", entry.request.method.rawValue)
    object.add("url", entry.request.url)
    object.add("httpVersion", version)
    object.add("cookies", [])
    object.add("headers", json: HARText.headers(entry.request.fields))
    object.add("queryString", json: HARText.query(of: entry.request.url))
    if case .inline(let data) = entry.request.body, let text = ContentLine.text(Array(data)) {
      var post = LineBuilder()
      post.add("mimeType", entry.request.fields[.contentType] ?? "")
      post.add("text", text)
      object.add("postData", json: post.object)
    }
    object.add("headersSize", -1)
    object.add("bodySize", entry.request.body.length)
    return object.object
  }

  private var response: [UInt8] {
    let head = entry.response?.head
    var object = LineBuilder()
    object.add("status", head?.status.code ?? 0)
    object.add("statusText", head?.status.reasonPhrase ?? "")
    object.add("httpVersion", version)
    object.add("cookies", [])
    object.add("headers", json: HARText.headers(head?.headerFields ?? HTTPFields()))
    object.add("content", json: content)
    object.add("redirectURL", head?.headerFields[.location] ?? "")
    object.add("headersSize", -1)
    object.add("bodySize", -1)
    if case .failed(let failure) = entry.end { object.add("_error", failure.message) }
    return object.object
  }

  private var content: [UInt8] {
    let body = entry.response?.body ?? .none
    var object = LineBuilder()
    object.add("size", body.length)
    object.add("mimeType", entry.response?.head.headerFields[.contentType] ?? "")
    if case .inline(let data) = body {
      if let text = ContentLine.text(Array(data)) {
        object.add("text", text)
      } else {
        object.add("text", data.base64EncodedString())
        object.add("encoding", "base64")
      }
    }
    return object.object
  }

  private var timings: [UInt8] {
    let wait = entry.response?.after ?? entry.duration
    var object = LineBuilder()
    object.add("send", 0)
    object.add("wait", json: HARText.milliseconds(wait))
    object.add("receive", json: HARText.milliseconds(max(.zero, entry.duration - wait)))
    return object.object
  }

  /// The time of the first sending, and the lines that an archive has no place for.
  private var details: [UInt8] {
    let kinds = lines.map(HARText.kind)
    let answer = kinds.firstIndex { ["interim", "response", "end"].contains($0) } ?? lines.count
    var object = LineBuilder()
    object.add("at", entry.begin)
    object.add("cut", flag: entry.request.isCut)
    let kept = lines.indices.filter { index in
      index < answer
        ? ["file", "digest", "base64"].contains(kinds[index])
        : !["fields", "json", "text", "base64"].contains(kinds[index])
    }
    var text: [UInt8] = []
    HARText.write(lines: kept.map { lines[$0] }, to: &text)
    object.add("lines", json: text)
    return object.object
  }
}

/// Parts of an archive.
enum HARText {
  /// Cuts the text of a block into its lines, each with its continuation lines.
  static func lines(_ block: [UInt8]) -> [[UInt8]] {
    block.split(separator: 0x0A).reduce(into: []) { lines, line in
      if line.first == .space, let last = lines.indices.last {
        lines[last] += line
      } else {
        lines.append(Array(line))
      }
    }
  }

  /// The name of the first member of a line that `CassetteWriter` has written.
  static func kind(of line: [UInt8]) -> String {
    String(decoding: line.dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }

  static func write(lines: [[UInt8]], to text: inout [UInt8]) {
    text.append(.openBracket)
    text += lines.joined(separator: [UInt8(ascii: ",")])
    text.append(.closeBracket)
  }

  static func milliseconds(_ duration: Duration) -> [UInt8] {
    Array("\((Seconds.value(duration) * 1_000_000).rounded() / 1_000)".utf8)
  }

  /// Fields by name and value; a value that is not UTF-8 is read as ISO 8859-1, and kept in base64.
  static func headers(_ fields: HTTPFields) -> [UInt8] {
    list(fields) { field in
      let bytes = field.withUnsafeBytesOfValue { Array($0) }
      var object = LineBuilder()
      object.add("name", field.name.rawName)
      if let value = String(validating: bytes, as: UTF8.self) {
        object.add("value", value)
      } else {
        object.add("value", String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
        object.add("_lupine", Data(bytes).base64EncodedString())
      }
      return object.object
    }
  }

  /// The parameters of a URL's query, decoded.
  static func query(of url: String) -> [UInt8] {
    let items = URLComponents(string: url)?.queryItems ?? []
    return list(items) { item in
      var object = LineBuilder()
      object.add("name", item.name)
      object.add("value", item.value ?? "")
      return object.object
    }
  }

  private static func list<Element>(_ elements: some Sequence<Element>, _ write: (Element) -> [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    self.write(lines: elements.map(write), to: &text)
    return text
  }

  /// The IP address of a URL's server without its port.
  static func address(of url: String, in header: Cassette.Header) -> String? {
    guard let origin = try? HTTPURL(url).origin, let address = header.origins[origin.description]?.address,
      let colon = address.lastIndex(of: ":")
    else { return nil }
    return address[..<colon].filter { $0 != "[" && $0 != "]" }
  }
}
