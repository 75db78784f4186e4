public import HTTPTypes

/// A part of a message that a signature covers (RFC 9421 section 2): a field, or a derived component.
///
/// A text such as `"content-type"` is the field with this name.
public struct SignatureComponent: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name in lower case, with `@` before that of a derived component.
  let name: String
  /// The parameter of the query for `@query-param`, percent-encoded.
  private(set) var parameter: String?
  /// Whether the component is one of the request, in the signature of a response.
  private(set) var isOfRequest = false

  init(name: String, parameter: String? = nil) {
    self.name = name
    self.parameter = parameter
  }

  /// A field.
  public init(stringLiteral name: String) { self.init(name: name.lowercased()) }

  /// A field; the values of all fields with this name, joined with commas.
  public static func field(_ name: HTTPField.Name) -> Self { Self(name: name.canonicalName) }

  /// The method, such as `POST`.
  public static let method = Self(name: "@method")
  /// The URL without its fragment.
  public static let targetURI = Self(name: "@target-uri")
  /// The host and the port, as in `Host`.
  public static let authority = Self(name: "@authority")
  /// The scheme, `http` or `https`.
  public static let scheme = Self(name: "@scheme")
  /// The path with the query, as the request line has it.
  public static let requestTarget = Self(name: "@request-target")
  /// The path.
  public static let path = Self(name: "@path")
  /// The query with its `?`; `?` alone if there is none.
  public static let query = Self(name: "@query")
  /// The status of a response; a request cannot be signed with it.
  public static let status = Self(name: "@status")

  /// The value of one parameter of the query, whose name occurs once.
  public static func queryParameter(_ name: String) -> Self {
    Self(name: "@query-param", parameter: QueryParameters.encoded(Array(name.utf8)))
  }

  /// The component of the request that a response answers, for the signature of the response.
  ///
  /// The signature of a request cannot cover it (RFC 9421 section 2.4).
  public var ofRequest: Self {
    var component = self
    component.isOfRequest = true
    return component
  }

  /// The identifier in signatures, such as `"@query-param";name="Pet"`.
  public var description: String {
    "\"\(name)\"" + (parameter.map { ";name=\"\($0)\"" } ?? "") + (isOfRequest ? ";req" : "")
  }
}
