/// Parameters of a request by name, as JSON values; used where the program declares no type for its parameters.
///
/// A literal that contains only literals may be nested and mixed:
/// `["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true]]`. Variables are given as
/// `Parameters(["query": query, "page": page])`, or are added one by one:
///
/// ```swift
/// var parameters: Parameters = ["sort": "name"]
/// parameters["query"] = query
/// parameters["tags"] = ["a", "b"]
/// parameters["page"] = page + 1
/// parameters["sort"] = nil  // removes it
/// ```
public struct Parameters: Sendable, Hashable {
  /// The values by name; the order of the parameters is not kept.
  public var values: [String: JSONValue]

  /// Makes parameters from values; by default there are none.
  public init(_ values: [String: JSONValue] = [:]) { self.values = values }

  // Disfavoured, so that an empty literal is not ambiguous.
  /// Makes parameters from values of variables, such as `Parameters(["query": query, "page": page])`.
  ///
  /// `nil` becomes `null`, whereas the subscript removes a parameter that is set to `nil`.
  @_disfavoredOverload
  public init(_ values: [String: any JSONValueConvertible]) { self.values = values.mapValues { $0.jsonValue } }

  /// Makes the compiler report a variable in a nested literal.
  @available(
    *, unavailable,
    message:
      "In nested literals of `Parameters` write `.jsonValue` behind each variable, such as `[\"id\": id.jsonValue]`."
  )
  @_disfavoredOverload
  public init(_ values: [String: Any]) { self.init() }

  /// The value of the parameter with that name, or `nil` if there is none.
  ///
  /// Setting `nil` removes the parameter; `.null` sets it to `null`.
  public subscript(name: String) -> JSONValue? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// The value of the parameter with that name as a Swift type; `nil` if there is none, or if it has another type.
  ///
  /// Setting `nil` removes the parameter.
  public subscript<Value: JSONValueConvertible>(name: String) -> Value? {
    get { values[name].flatMap { Value(jsonValue: $0) } }
    set { values[name] = newValue?.jsonValue }
  }
}

extension Parameters: ExpressibleByDictionaryLiteral {
  /// Makes parameters; if a name occurs twice, the last value is kept.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    values = Dictionary(elements) { _, last in last }
  }
}

extension Parameters: JSONValueConvertible {
  /// Makes parameters from a JSON object; `nil` for any other JSON value.
  public init?(jsonValue: JSONValue) {
    guard let values = jsonValue.object else { return nil }
    self.init(values)
  }

  /// The parameters as a JSON object.
  public var jsonValue: JSONValue { .object(values) }
}

extension Parameters: Sequence {
  /// Whether there are no parameters.
  public var isEmpty: Bool { values.isEmpty }

  /// The number of parameters.
  public var count: Int { values.count }

  /// Iterates over the names and values, in no particular order.
  public func makeIterator() -> Dictionary<String, JSONValue>.Iterator { values.makeIterator() }

  /// Adds other parameters, which replace those with the same name.
  public mutating func merge(_ other: Parameters) { values.merge(other.values) { _, new in new } }
}

extension Parameters: Encodable {
  /// Encodes the values as a dictionary; a key encoding strategy does not change the names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(values)
  }
}
