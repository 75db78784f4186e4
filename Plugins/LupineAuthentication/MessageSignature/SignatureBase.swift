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
  init(
    _ components: [SignatureComponent], parameters: String, of request: OutgoingRequest, response: HTTPResponse? = nil
  ) throws(Fault) {
    var lines: [String] = []
    var names: Set<String> = []
    for component in components {
      guard names.insert(component.description).inserted else { throw Fault(reason: "\(component) occurs twice") }
      let value =
        if let response, !component.isOfRequest {
          try Self.value(of: component, in: response)
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

  private static func value(of component: SignatureComponent, in response: HTTPResponse) throws(Fault) -> String {
    if component == .status { return "\(response.status.code)" }
    guard !component.name.hasPrefix("@") else { throw Fault(reason: "\(component) is no component of a response") }
    guard let value = combined(component.name, in: response.headerFields) else {
      throw Fault(reason: "the response has no field \(component.name)")
    }
    return value
  }

  private static func value(of component: SignatureComponent, in request: OutgoingRequest) throws(Fault) -> String {
    let url = request.url
    if component.name == "@query-param" { return try QueryParameters.value(of: component.parameter, in: url) }
    switch component.name {
    case "@method": return request.method.rawValue
    case "@target-uri": return url.absoluteTarget
    case "@authority": return url.authority
    case "@scheme": return url.scheme.rawValue
    case "@request-target": return url.requestTarget
    case "@path": return url.path
    case "@query": return "?" + (url.query ?? "")
    default: break
    }
    guard !component.name.hasPrefix("@") else { throw Fault(reason: "\(component) is no component of a request") }
    if let value = combined(component.name, in: request.headers) { return value }
    // The transport adds these fields.
    switch component.name {
    case "host": return url.authority
    case "content-length":
      if request.hasBody, let length = request.body.length { return "\(length)" }
    default: break
    }
    throw Fault(reason: "the request has no field \(component.name)")
  }

  /// The values of the fields with a name, without the blanks at their ends, joined with commas.
  private static func combined(_ name: String, in fields: HTTPFields) -> String? {
    let values = fields.filter { $0.name.canonicalName == name }.map { String($0.value.trimmingBlanks()) }
    return values.isEmpty ? nil : values.joined(separator: ", ")
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
