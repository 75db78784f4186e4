/// The key of an attribute that a plugin adds to responses.
///
/// A layer or an interceptor sets the attribute on the `TransportResponse` that it returns; serializers
/// and the program read it. A type can be the key of its own values:
///
///     enum CacheStatus: ResponseAttributeKey { case hit, miss, stale }
///
///     response.attributes[CacheStatus.self] = .hit  // the layer
///     response.attributes[CacheStatus.self]         // the program: CacheStatus?
public protocol ResponseAttributeKey {
  /// The type of the attribute's value.
  ///
  /// Default: the key's own type.
  associatedtype Value: Sendable = Self
}

/// The moment at which a layer verifies the content of a response, as with a digest.
public enum ContentVerification: ResponseAttributeKey, Sendable {
  /// After all of it has arrived; an incomplete body is not verified.
  ///
  /// A download keeps no part of such a body, because a later response verifies the rest alone.
  case atEnd
}

/// The values that layers and interceptors add to a response, each under its own key.
///
/// A response of a server has no attributes. Their description shows no values, which may be secret.
public struct ResponseAttributes: Sendable, HidesSecrets {
  @usableFromInline var values = KeyedValues()

  /// Creates an empty set of attributes.
  public init() {}

  /// Whether there is no attribute.
  public var isEmpty: Bool { values.isEmpty }

  // Inlinable, because generic code would look up the optional type at each call.

  /// The value of an attribute; `nil` if it is not set.
  ///
  /// Setting it to `nil` removes it.
  @inlinable
  public subscript<Key: ResponseAttributeKey>(key: Key.Type) -> Key.Value? {
    get { values.value(of: key, as: Key.Value.self) }
    set { values.set(newValue.map { $0 as any Sendable }, for: key) }
  }

  /// The number of attributes.
  public var description: String { values.description }
}
