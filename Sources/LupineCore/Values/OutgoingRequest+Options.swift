public import HTTPTypes
import LupineSupport

extension OutgoingRequest {
  /// The options of one request that differ from those of its session.
  public struct Options: Sendable {
    /// The timeouts of this request; `nil` means the session's.
    ///
    /// They replace all of the session's timeouts: `nil` here means no timeout.
    /// `SessionRequest.timeouts(_:)` changes single ones.
    ///
    /// Timeouts that an adapter or an interceptor sets apply from then on. If the attempt had no timeout before, it
    /// starts at that moment.
    public var timeouts: Timeouts? {
      get { rare?.value.timeouts }
      set {
        if newValue != nil || rare != nil { rare.change(from: Rare()) { $0.timeouts = newValue } }
      }
    }
    /// The version of HTTP; `nil` lets the session or the transport choose.
    ///
    /// The libcurl transport chooses HTTP/1.1.
    public var version: ProtocolVersion?
    /// The priority of the request in the queue for connections.
    ///
    /// Default: in the order of arrival.
    public var priority = Priority.normal
    /// Whether to send `Expect: 100-continue` and wait for the server's interim response before the body (RFC 9110
    /// section 10.1.1).
    ///
    /// Default: no.
    public var expectsContinue = false
    /// Whether a GET request may have a body.
    ///
    /// Without it, a body with GET is an error of kind `invalidRequest`: RFC 9110 section 9.3.1 defines no meaning for
    /// such a body, and servers, proxies and caches refuse or remove it. A HEAD or TRACE request never has one.
    ///
    /// Default: no.
    public var allowsBodyWithGET = false
    /// Whether the request is idempotent, if the method does not decide it (RFC 9110 section 9.2.2).
    public var isIdempotent: Bool?

    /// Stored indirectly: few requests have such options.
    private var rare: CopyOnWrite<Rare>?

    private struct Rare {
      var timeouts: Timeouts?
      var values = KeyedValues()
      /// The values that a redirect to another origin removes.
      var valuesOfOrigin = KeyedValues()
    }

    /// Creates options that equal the session's.
    public init() {}

    /// The value of a plugin's option; its default if it is not set.
    ///
    /// Adapters, interceptors and transport layers read it from the request that they receive. It is never sent.
    public subscript<Key: RequestOptionKey>(key: Key.Type) -> Key.Value {
      get {
        guard let rare else { return Key.defaultValue }
        let values = Key.isKeptAcrossOrigins ? rare.value.values : rare.value.valuesOfOrigin
        return values[key, as: Key.Value.self] ?? Key.defaultValue
      }
      set {
        rare.change(from: Rare()) { rare in
          if Key.isKeptAcrossOrigins {
            rare.values[key, as: Key.Value.self] = newValue
          } else {
            rare.valuesOfOrigin[key, as: Key.Value.self] = newValue
          }
        }
      }
    }

    fileprivate var hasValuesOfOrigin: Bool { rare.map { !$0.value.valuesOfOrigin.isEmpty } ?? false }

    fileprivate mutating func dropValuesOfOrigin() {
      rare.change(from: Rare()) { $0.valuesOfOrigin = KeyedValues() }
    }
  }

  /// Removes the options that belong to the origin of the request.
  // For the session, if a redirector changes the origin; `moved(to:secrets:)` does it for everyone else.
  package mutating func dropOptionsOfOrigin() {
    if options.hasValuesOfOrigin { options.dropValuesOfOrigin() }
  }

  /// The idempotent methods (RFC 9110 section 9.2.2).
  public static let idempotentMethods: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace]

  /// Whether sending the request twice has the same effect as sending it once.
  ///
  /// The options decide, otherwise the method (RFC 9110 section 9.2.2) or an `Idempotency-Key` field.
  public var isIdempotent: Bool {
    options.isIdempotent ?? (Self.idempotentMethods.contains(method) || headers.contains(.idempotencyKey))
  }
}

extension OutgoingRequest {
  /// The priority of a request in the queue for connections.
  ///
  /// It affects waiting requests only; it does not delay a running request.
  public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// After all others, for a prefetch.
    case low
    /// In the order of arrival.
    case normal
    /// Before all others, for a request that a user waits for.
    case high

    /// Compares priorities.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }
}
