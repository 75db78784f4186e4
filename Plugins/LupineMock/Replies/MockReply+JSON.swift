public import HTTPTypes
public import LupineCoding
public import LupineFoundation

extension MockReply {
  /// A value as JSON, with its names sorted.
  ///
  /// - Parameter encoder: what encodes the value. Default: a `JSONEncoder` with sorted names.
  public static func json(
    _ value: some Encodable & Sendable, status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    do {
      let data = try (encoder ?? sortedEncoder()).encode(value)
      return .data(data, contentType: "application/json", status: status)
    } catch {
      var part = Part(status: status)
      part.problem = Problem(reason: "its value of type \(type(of: value)) does not encode as JSON.", underlying: error)
      return MockReply(part)
    }
  }

  /// A literal as JSON, which may nest and mix: `["id": 1, "tags": ["a", nil]]`; see `json(_:status:encoder:)` of a
  /// value.
  ///
  /// A literal with variables has an overload of its own: `["users": [["id": 1, "name": name]], "total": count]`.
  public static func json(
    _ value: JSONValue, status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    encoded(value, status, encoder)
  }

  /// An object as JSON whose members have different types: `["id": id, "user": User(name: "ada")]`.
  public static func json(
    _ members: [String: any Encodable & Sendable], status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    encoded(members.mapValues(Element.init), status, encoder)
  }

  /// An array as JSON whose elements have different types: `[id, User(name: "ada")]`.
  public static func json(
    _ elements: [any Encodable & Sendable], status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    encoded(elements.map(Element.init), status, encoder)
  }

  /// An array of objects as JSON whose members have different types: `[["id": id, "name": name]]`.
  @_disfavoredOverload
  public static func json(
    _ elements: [[String: any Encodable & Sendable]], status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    encoded(elements.map { $0.mapValues(Element.init) }, status, encoder)
  }

  /// An object of objects as JSON whose members have different types: `["user": ["id": id, "name": name]]`.
  @_disfavoredOverload
  public static func json(
    _ members: [String: [String: any Encodable & Sendable]], status: HTTPResponse.Status = .ok,
    encoder: JSONEncoder? = nil
  ) -> MockReply {
    encoded(members.mapValues { $0.mapValues(Element.init) }, status, encoder)
  }

  /// An object as JSON whose literal nests and contains variables: `["items": [["id": id, "name": name]], "total": 1]`;
  /// see `ParameterValue`.
  @_disfavoredOverload
  public static func json(
    _ members: [String: (any ParameterValue)?], status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    encoded(NestedElement(value: members), status, encoder)
  }

  /// An array as JSON whose literal nests and contains variables: `[["id": id, "user": ["name": name, "age": 1]]]`;
  /// see `ParameterValue`.
  @_disfavoredOverload
  public static func json(
    _ elements: [(any ParameterValue)?], status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    encoded(elements.map { NestedElement(value: $0 ?? JSONValue.null) }, status, encoder)
  }

  /// Makes the compiler report a value that cannot stand in a literal; see `ParameterValue`.
  @available(
    *, unavailable,
    message: """
      A nested literal takes literals and ParameterValues. Write `.parameterValue` behind an array or a dictionary in a \
      variable, and `extension T: ParameterValue {}` for an Encodable type of yours.
      """
  )
  @_disfavoredOverload
  public static func json(
    _ members: [String: Any], status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    .json(nil, status: status, encoder: encoder)
  }

  /// Makes the compiler report a value that cannot stand in a literal; see `ParameterValue`.
  @available(
    *, unavailable,
    message: """
      A nested literal takes literals and ParameterValues. Write `.parameterValue` behind an array or a dictionary in a \
      variable, and `extension T: ParameterValue {}` for an Encodable type of yours.
      """
  )
  @_disfavoredOverload
  public static func json(
    _ elements: [Any], status: HTTPResponse.Status = .ok, encoder: JSONEncoder? = nil
  ) -> MockReply {
    .json(nil, status: status, encoder: encoder)
  }

  private static func encoded(
    _ value: some Encodable & Sendable, _ status: HTTPResponse.Status, _ encoder: JSONEncoder?
  ) -> MockReply {
    .json(value, status: status, encoder: encoder)
  }

  private static func sortedEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  private struct NestedElement: Encodable, Sendable {
    let value: any ParameterValue

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try value.encodeParameter(into: &container)
    }
  }

  private struct Element: Encodable, Sendable {
    let value: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws {
      // Not `value.encode(to:)`, which would bypass the encoder's strategies for dates and data.
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}
