public import HTTPTypes
import LupineCore
import LupineSupport

/// One field line exactly as sent: the case of the name is kept, and nothing is validated.
public struct RawField: Sendable, Hashable, CustomStringConvertible {
  /// The name, in the case in which it was sent.
  public var name: String
  /// The value, without the white space around it.
  public var value: String

  /// Creates a field line from a name and a value, which are not validated.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The line without its line ending, such as `Accept: */*`.
  public var description: String { "\(name): \(value)" }

  func isNamed(_ other: String) -> Bool {
    name.lowercased() == other.lowercased()
  }
}

/// Field lines in the order in which they are sent, including repeated ones.
///
/// A dictionary literal such as `["Content-Type": "text/plain"]` creates them.
public struct RawFields: Sendable, Hashable {
  var lines: [RawField]

  /// Creates fields from lines, in their order.
  public init(_ lines: [RawField] = []) {
    self.lines = lines
  }

  /// Creates fields from swift-http-types' fields, in their order.
  public init(_ fields: HTTPFields) {
    lines = fields.map { RawField(name: $0.name.rawName, value: $0.value) }
  }

  /// Returns every value of a field, in order; the comparison of names ignores case.
  public func values(of name: String) -> [String] {
    lines.filter { $0.isNamed(name) }.map(\.value)
  }

  /// The first value of a field, or `nil` if there is none; the comparison of names ignores case.
  public subscript(name: String) -> String? {
    lines.first { $0.isNamed(name) }?.value
  }

  /// Appends a line.
  public mutating func append(_ name: String, _ value: String) {
    lines.append(RawField(name: name, value: value))
  }

  /// The fields as swift-http-types' fields, without the lines whose name is not a token.
  public var httpFields: HTTPFields {
    var fields = HTTPFields()
    for line in lines {
      guard let name = HTTPField.Name(line.name) else { continue }
      fields.append(HTTPField(name: name, value: line.value))
    }
    return fields
  }

  /// Whether a comma-separated list field contains a token; the comparison ignores case (RFC 9110 section 5.6.1).
  func contains(token: String, in name: String) -> Bool {
    values(of: name).contains { value in
      value.split(separator: ",").contains { $0.trimmingBlanks().lowercased() == token }
    }
  }
}

extension RawFields: RandomAccessCollection {
  /// The position of the first line: 0.
  public var startIndex: Int { lines.startIndex }
  /// The number of lines.
  public var endIndex: Int { lines.endIndex }
  /// The line at a position, counted from 0.
  public subscript(position: Int) -> RawField { lines[position] }
}

extension RawFields: ExpressibleByDictionaryLiteral {
  /// Creates fields from a literal, which keeps the order and may repeat a name.
  public init(dictionaryLiteral elements: (String, String)...) {
    lines = elements.map { RawField(name: $0.0, value: $0.1) }
  }
}
