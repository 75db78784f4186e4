public import HTTPTypes

/// The parts of a request that decide which entry of a recording answers it.
///
/// An array names them all, as in `[.method, .url, .query, .body]`; the default is `[.method, .url, .query]`. Secrets are
/// replaced in a request before it is compared: where the recording has a placeholder, any secret matches, or the
/// placeholder that an answer of the recording contained.
public struct CassetteMatching: Sendable, Hashable {
  /// The parts.
  public var parts: [Part]

  /// The parts that are compared.
  public init(_ parts: [Part] = [.method, .url, .query]) { self.parts = parts }

  /// The method, the URL and the query.
  public static let standard = CassetteMatching()

  /// Whether the body of a request must be read before an entry is chosen.
  public var readsBody: Bool { parts.contains(.body) }
}

extension CassetteMatching: ExpressibleByArrayLiteral {
  /// Compares exactly these parts.
  public init(arrayLiteral parts: Part...) { self.init(parts) }
}

extension CassetteMatching {
  /// One part of a request.
  public struct Part: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case method
      case url
      case path
      case query
      case body
      case field(HTTPField.Name)
    }

    let kind: Kind

    /// The method.
    public static let method = Part(kind: .method)
    /// The scheme, the host, the port and the path.
    public static let url = Part(kind: .url)
    /// The path alone, as for servers of tests, whose ports differ.
    public static let path = Part(kind: .path)
    /// The items of the query, in any order.
    public static let query = Part(kind: .query)
    /// The body: JSON by value, a form by its items in any order, a multipart body without its boundary, any other body
    /// by its bytes.
    public static let body = Part(kind: .body)

    /// The values of a field, or its absence.
    public static func field(_ name: HTTPField.Name) -> Part { Part(kind: .field(name)) }
  }
}
