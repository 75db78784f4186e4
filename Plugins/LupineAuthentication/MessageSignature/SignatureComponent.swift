public import HTTPTypes
import LupineSupport

/// A part of a message that a signature covers (RFC 9421 section 2): a field, or a derived component.
///
/// A text such as `"content-type"` is the field with this name.
public struct SignatureComponent: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The form in which the value of a field is covered.
  enum Form: Sendable, Hashable {
    /// The values of all fields with the name, joined with commas.
    case combined
    /// The strict serialization of the structured field, whose kind is `nil` if a table has it.
    case structured(StructuredFieldKind?)
    /// One member of the dictionary, in its strict serialization.
    case member(String)
    /// The value of each field with the name, in base64.
    case bytes
  }

  /// The name in lower case, with `@` before that of a derived component.
  let name: String
  /// The parameter of the query for `@query-param`, percent-encoded.
  var parameter: String?
  var form = Form.combined
  /// Whether the field is one of the trailers.
  var isOfTrailers = false
  /// Whether the component is one of the request, in the signature of a response.
  var isOfRequest = false
  /// The identifier as a signature of a response spells it; `nil` for the usual order of the parameters.
  var spelling: String?

  init(name: String, parameter: String? = nil) {
    self.name = name
    self.parameter = parameter
  }

  /// A field.
  public init(stringLiteral name: String) { self.init(name: name.lowercased()) }

  /// A field; the values of all fields with this name, joined with commas.
  public static func field(_ name: HTTPField.Name) -> Self { Self(name: name.canonicalName) }

  /// The field `Content-Digest`, the digest of the content; see `ContentDigest`.
  public static let contentDigest = Self(name: "content-digest")

  /// Whether the component is derived from the message, and no field.
  var isDerived: Bool { name.hasPrefix("@") }

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
  public var description: String { spelling ?? usualSpelling }

  private var usualSpelling: String {
    let form =
      switch form {
      case .combined: ""
      case .structured: ";sf"
      case .member(let key): ";key=\(key.quotedString)"
      case .bytes: ";bs"
      }
    return "\"\(name)\"" + (parameter.map { ";name=\"\($0)\"" } ?? "") + form + (isOfTrailers ? ";tr" : "")
      + (isOfRequest ? ";req" : "")
  }
}

/// The parameters of fields (RFC 9421 section 2.1).
extension SignatureComponent {
  /// The field in the strict serialization of structured fields (parameter `sf`), which survives another spelling of the
  /// same value.
  ///
  /// - Parameter kind: the kind that the definition of the field states. Default: `nil`, that of a field whose kind
  ///   Lupine knows, such as `Content-Digest`, `Priority` or `Cache-Status`.
  public func structured(as kind: StructuredFieldKind? = nil) -> Self { with(.structured(kind)) }

  /// The member of a dictionary with this key, in the strict serialization (parameter `key`).
  public func member(_ key: String) -> Self { with(.member(key)) }

  /// The value of each field with the name by itself, in base64 (parameter `bs`).
  ///
  /// It is for fields whose values must not be joined with commas, such as `Set-Cookie`.
  public var inBytes: Self { with(.bytes) }

  /// The field of this name among the trailers (parameter `tr`).
  ///
  /// Neither the signature of a request nor that of a response that `ResponseSignature` verifies can cover it, because
  /// both are made or checked before the content.
  public var ofTrailers: Self {
    var component = self
    component.isOfTrailers = true
    return component
  }

  private func with(_ form: Form) -> Self {
    var component = self
    component.form = form
    return component
  }

  /// The kind of the structured field; `nil` if it is unknown.
  var kind: StructuredFieldKind? {
    if case .structured(let kind?) = form { return kind }
    switch name {
    case "accept-query", "cache-status", "client-cert-chain", "proxy-status": return .list
    case "client-cert": return .item
    case "cdn-cache-control", "content-digest", "no-vary-search", "priority", "repr-digest", "signature",
      "signature-input", "want-content-digest", "want-repr-digest":
      return .dictionary
    default: return nil
    }
  }
}

/// Two components are the same whatever the order of their parameters, and whoever knows the kind of the field.
extension SignatureComponent: Hashable {
  private var identity: Identity {
    let form = if case .structured = form { Form.structured(nil) } else { form }
    return Identity(name: name, parameter: parameter, form: form, isOfTrailers: isOfTrailers, isOfRequest: isOfRequest)
  }

  private struct Identity: Hashable {
    let name: String
    let parameter: String?
    let form: Form
    let isOfTrailers: Bool
    let isOfRequest: Bool
  }

  /// Whether both identify the same part of a message.
  public static func == (left: SignatureComponent, right: SignatureComponent) -> Bool {
    left.identity == right.identity
  }

  /// Hashes what identifies the part of a message.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
