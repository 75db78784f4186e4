import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// A request or a response of an archive.
struct HARMessage {
  typealias Fault = JSONCursor.Fault

  private(set) var method: String?
  private(set) var url: String?
  private(set) var status = 0
  private(set) var reason = ""
  private(set) var fields = HTTPFields()
  /// The reason why there is no response, as some browsers write it.
  private(set) var error: String?
  private var versionName = ""
  private var text = ""
  private var isBase64 = false
  /// The number of bytes of the body, as far as the archive says.
  private var size: Double?
  /// The names and values of a form, if an archive has no text of it.
  private var form: [(name: String, value: String)] = []

  mutating func read(_ cursor: inout JSONCursor) throws(Fault) {
    try cursor.objectIfAny { (name, cursor) throws(Fault) in
      switch name {
      case "method": method = try cursor.stringIfAny()
      case "url": url = try cursor.stringIfAny()
      case "status": status = Int(min(max(try cursor.numberIfAny() ?? 0, 0), 1_000))
      case "statusText": reason = try cursor.stringIfAny() ?? ""
      case "httpVersion": versionName = try cursor.stringIfAny() ?? ""
      case "headers": try cursor.arrayIfAny { (cursor) throws(Fault) in try readField(&cursor) }
      case "postData", "content": try readContent(&cursor)
      case "bodySize" where method != nil: size = try cursor.numberIfAny()
      case "_error": error = try cursor.stringIfAny()
      default: try cursor.skip()
      }
    }
  }

  private mutating func readField(_ cursor: inout JSONCursor) throws(Fault) {
    _ = cursor.peek()
    let place = cursor.position
    var name = ""
    var value: [UInt8] = []
    var exact: Data?
    try cursor.object { (member, cursor) throws(Fault) in
      switch member {
      case "name": name = try cursor.string()
      case "value": value = Array((try cursor.stringIfAny() ?? "").utf8)
      case "_lupine": exact = try cursor.base64()
      default: try cursor.skip()
      }
    }
    // Browsers list the pseudo-fields of HTTP/2, such as `:path`.
    if name.utf8.first == .colon { return }
    guard let name = HTTPField.Name(name) else { throw cursor.fault("the name of a field is invalid", at: place) }
    // Several programs join the values of a repeated field with line feeds.
    for line in (exact.map { Array($0) } ?? value).split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard !line.contains(0), !line.contains(0x0D) else {
        throw cursor.fault("the value of a field contains a carriage return or a zero byte", at: place)
      }
      try fields.append(HTTPField(name: name, lenientValue: line), bounded: cursor)
    }
  }

  private mutating func readContent(_ cursor: inout JSONCursor) throws(Fault) {
    try cursor.objectIfAny { (name, cursor) throws(Fault) in
      switch name {
      case "text": text = try cursor.stringIfAny() ?? ""
      case "size": size = try cursor.numberIfAny()
      case "encoding": isBase64 = try cursor.stringIfAny() == "base64"
      case "params":
        try cursor.arrayIfAny { (cursor) throws(Fault) in
          var pair = (name: "", value: "")
          try cursor.objectIfAny { (name, cursor) throws(Fault) in
            switch name {
            case "name": pair.name = try cursor.stringIfAny() ?? ""
            case "value": pair.value = try cursor.stringIfAny() ?? ""
            default: try cursor.skip()
            }
          }
          form.append(pair)
        }
      default: try cursor.skip()
      }
    }
    if isBase64, Data(base64Encoded: text) == nil { throw cursor.fault("the content is not base64") }
  }

  /// The version of HTTP; `nil` if the archive names none that is known.
  var version: ProtocolVersion? {
    switch versionName.lowercased() {
    case "http/1.0": .http1_0
    case "http/1.1": .http1_1
    case "http/2", "http/2.0", "h2": .http2
    case "http/3", "http/3.0", "h3": .http3
    default: nil
    }
  }

  /// The codings of the content, which are removed in an archive.
  var codings: [String] { CodingNames.names(in: fields[.contentEncoding]) }

  /// The decoded content.
  var content: Cassette.Content {
    let data: Data
    if isBase64 {
      data = Data(base64Encoded: text) ?? Data()
    } else if text.isEmpty, !form.isEmpty {
      data = Data(form.map { "\($0.name)=\($0.value)" }.joined(separator: "&").utf8)
    } else if isLatin {
      data = Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    } else {
      data = Data(text.utf8)
    }
    return data.isEmpty ? .none : .inline(data)
  }

  /// Whether the bytes of the text were ISO 8859-1, as the field or the length says.
  ///
  /// mitmproxy writes some bodies that are not text in this way.
  private var isLatin: Bool {
    guard text.unicodeScalars.allSatisfy({ $0.value <= 0xFF }) else { return false }
    let type = fields[.contentType]?.lowercased() ?? ""
    let isNamed = ["charset=iso-8859-1", "charset=\"iso-8859-1\"", "charset=latin1"].contains { type.contains($0) }
    return isNamed || codings.isEmpty && size == Double(text.unicodeScalars.count)
  }
}

/// The dates of archives (ISO 8601), such as `2026-11-28T22:00:00.123+01:00`.
enum HARDate {
  static func date(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, let whole = RecordedDate.date(String(decoding: bytes[..<19], as: UTF8.self) + ".000Z")
    else { return nil }
    var rest = bytes[19...]
    var fraction = 0.0
    if rest.first == .dot {
      let digits = rest.dropFirst().prefix(while: \.isDigit)
      fraction = Double("0." + String(decoding: digits, as: UTF8.self) + "0") ?? 0
      rest = rest.dropFirst(1 + digits.count)
    }
    guard let offset = offset(String(decoding: rest, as: UTF8.self)) else { return nil }
    return whole.addingTimeInterval(fraction - Double(offset))
  }

  /// The seconds east of Greenwich.
  private static func offset(_ text: String) -> Int? {
    if text == "Z" || text == "z" { return 0 }
    let digits = text.utf8.dropFirst().filter { $0 != .colon }
    guard let sign = text.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4,
      digits.allSatisfy(\.isDigit), let number = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let seconds = number / 100 * 3_600 + number % 100 * 60
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }
}
