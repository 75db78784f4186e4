public import HTTPTypes
import LupineCore
import LupineSupport

/// Field lines in the order of the wire, repeated ones included; a literal such as `["Content-Type": "text/plain"]`
/// makes them.
public struct RawFields: Sendable, Hashable {
  var lines: [RawField]

  /// Makes fields out of lines, in their order.
  public init(_ lines: [RawField] = []) {
    self.lines = lines
  }

  /// Makes fields out of swift-http-types' fields, in their order.
  public init(_ fields: HTTPFields) {
    lines = fields.map { RawField(name: $0.name.rawName, value: $0.value) }
  }

  /// Every value of a field, in order; case does not matter in `name`.
  public func values(of name: String) -> [String] {
    lines.filter { $0.isNamed(name) }.map(\.value)
  }

  /// The first value of a field, `nil` when there is none; case does not matter in `name`.
  public subscript(name: String) -> String? {
    lines.first { $0.isNamed(name) }?.value
  }

  /// Adds a line at the end.
  public mutating func append(_ name: String, _ value: String) {
    lines.append(RawField(name: name, value: value))
  }

  /// The same as swift-http-types' fields; a line whose name is no token is left out.
  public var httpFields: HTTPFields {
    var fields = HTTPFields()
    for line in lines {
      guard let name = HTTPField.Name(line.name) else { continue }
      fields.append(HTTPField(name: name, value: line.value))
    }
    return fields
  }

  /// Whether a comma-separated list field holds a token, in any case (RFC 9110, section 5.6.1).
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
  /// Makes fields out of a literal; the order is kept and a name may stand in it twice.
  public init(dictionaryLiteral elements: (String, String)...) {
    lines = elements.map { RawField(name: $0.0, value: $0.1) }
  }
}
