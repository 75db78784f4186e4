import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The text that a signature is computed over (RFC 9421 section 2.5).
struct SignatureBase {
  /// The reason why a component has no value in a message.
  struct Fault: Error {
    let reason: String
  }

  let text: String

  /// - Parameters:
  ///   - components: the components, in their order.
  ///   - parameters: the value of `@signature-params`.
  ///   - response: the response that is signed; `nil` for a request.
  ///   - trailers: the trailers of the response; `nil` before its end.
  init(
    _ components: [SignatureComponent], parameters: String, of request: OutgoingRequest, response: HTTPResponse? = nil,
    trailers: HTTPFields? = nil
  ) throws(Fault) {
    var lines: [String] = []
    var covered: Set<SignatureComponent> = []
    for component in components {
      guard covered.insert(component).inserted else { throw Fault(reason: "\(component) occurs twice") }
      let value =
        if let response, !component.isOfRequest {
          try Self.value(of: component, in: response, trailers)
        } else {
          try Self.value(of: component, in: request)
        }
      guard value.isPrintableASCII else {
        throw Fault(reason: "the value of \(component) has other characters than visible ASCII and spaces")
      }
      lines.append("\(component): \(value)")
    }
    lines.append("\"@signature-params\": \(parameters)")
    text = lines.joined(separator: "\n")
  }

  private static func value(
    of component: SignatureComponent, in response: HTTPResponse, _ trailers: HTTPFields?
  ) throws(Fault) -> String {
    if component == .status { return "\(response.status.code)" }
    guard component.isField else { throw Fault(reason: "\(component) is no component of a response") }
    guard component.isOfTrailers else {
      if let value = try value(of: component, in: response.headerFields) { return value }
      throw Fault(reason: "the response has no field \(component.name)")
    }
    guard let trailers else { throw Fault(reason: "\(component) is a trailer, which comes after the check") }
    if let value = try value(of: component, in: trailers) { return value }
    throw Fault(reason: "the response has no trailer \(component.name)")
  }

  private static func value(of component: SignatureComponent, in request: OutgoingRequest) throws(Fault) -> String {
    guard !component.isField else { return try fieldValue(of: component, in: request) }
    let url = request.url
    if component.form == .combined, !component.isOfTrailers {
      switch component.name {
      case "@query-param": return try QueryParameters.value(of: component.parameter, in: url)
      case "@method": return request.method.rawValue
      case "@target-uri": return url.absoluteTarget
      case "@authority": return url.authority
      case "@scheme": return url.scheme.rawValue
      case "@request-target": return url.requestTarget
      case "@path": return url.path
      case "@query": return "?" + (url.query ?? "")
      default: break
      }
    }
    throw Fault(reason: "\(component) is no component of a request")
  }

  private static func fieldValue(
    of component: SignatureComponent, in request: OutgoingRequest
  ) throws(Fault) -> String {
    guard !component.isOfTrailers else { throw Fault(reason: "\(component) is a trailer, and a request has none") }
    if let value = try value(of: component, in: request.headers) { return value }
    // The transport adds these fields.
    switch component.name {
    case "host": return try value(of: component, [Array(request.url.authority.utf8)])
    case "content-length":
      if request.hasBody, let length = request.body.length {
        return try value(of: component, [Array("\(length)".utf8)])
      }
    default: break
    }
    throw Fault(reason: "the request has no field \(component.name)")
  }

  /// Returns the value of a field in the form that the component has; `nil` if the field is missing.
  private static func value(of component: SignatureComponent, in fields: HTTPFields) throws(Fault) -> String? {
    let values = fields.filter { $0.name.canonicalName == component.name }.map { field in
      field.withUnsafeBytesOfValue { Array($0) }.trimmingBlanks()
    }
    return values.isEmpty ? nil : try value(of: component, values)
  }

  private static func value(of component: SignatureComponent, _ values: [[UInt8]]) throws(Fault) -> String {
    let combined = String(decoding: Array(values.joined(separator: Array(", ".utf8))), as: UTF8.self)
    switch component.form {
    case .combined: return combined
    case .bytes: return values.map { ":\(Data($0).base64EncodedString()):" }.joined(separator: ", ")
    case .structured:
      guard let kind = component.kind else {
        throw Fault(reason: "the kind of the structured field \(component.name) is unknown; state it")
      }
      if let text = kind.serialized(combined) { return text }
      throw Fault(reason: "the field \(component.name) is no structured field of its kind, \(kind)")
    case .member(let key):
      guard let members = StructuredDictionary(combined) else {
        throw Fault(reason: "the field \(component.name) is no dictionary")
      }
      if let member = members.item(key) { return member.serialized }
      throw Fault(reason: "the field \(component.name) has no member \(key)")
    }
  }
}

extension SignatureComponent {
  /// Whether the component is a field: a derived component has `@` before its name.
  var isField: Bool { !name.hasPrefix("@") && parameter == nil }
}

extension [UInt8] {
  /// The bytes without the spaces and tabs at both ends.
  fileprivate func trimmingBlanks() -> [UInt8] {
    guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank }) else {
      return []
    }
    return Array(self[first...last])
  }
}

extension String {
  /// Whether the text has only visible ASCII characters and spaces, as a string of a structured field (RFC 9651).
  var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

extension Date {
  /// The whole seconds since 1970 as an integer of a structured field, which has 15 digits at most (RFC 9651).
  var signatureSeconds: Int64 { Int64(saturating: timeIntervalSince1970).inStructuredField }
}

extension Int64 {
  /// The nearest integer of at most 15 digits.
  var inStructuredField: Int64 { Swift.min(Swift.max(self, -999_999_999_999_999), 999_999_999_999_999) }
}

/// The parameters of a query as signatures need them (RFC 9421 section 2.2.8).
enum QueryParameters {
  /// Percent-encodes all bytes but letters, digits, `*`, `-`, `.` and `_`.
  static func encoded(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    for byte in bytes {
      if byte.isLetter || byte.isDigit || "*-._".utf8.contains(byte) {
        output.append(byte)
      } else {
        PercentCoding.append(byte, to: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The value of the parameter with this encoded name.
  static func value(of name: String?, in url: HTTPURL) throws(SignatureBase.Fault) -> String {
    var values: [String] = []
    for item in (url.query ?? "").split(separator: "&") {
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard reencoded(halves[0]) == name else { continue }
      values.append(halves.count > 1 ? reencoded(halves[1]) : "")
    }
    guard values.count == 1 else {
      throw SignatureBase.Fault(reason: "the query has the parameter \(name ?? "") \(values.count) times, not once")
    }
    return values[0]
  }

  private static func reencoded(_ text: Substring) -> String {
    encoded(PercentCoding.decoded(text, plusIsSpace: true).bytes)
  }
}
