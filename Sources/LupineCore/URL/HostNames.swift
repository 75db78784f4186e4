import Synchronization

/// Converts host names between Unicode and ASCII (RFC 5890).
///
/// `IDNA` of the module `LupineIDN` is one. The methods may be called from any thread, concurrently, and must not block.
public protocol HostNameConverter: Sendable {
  /// Returns the ASCII form of a name, such as `xn--mller-kva.example` for `müller.example`.
  ///
  /// `HTTPURL` checks the result like any other host.
  ///
  /// - Throws: `HostNameFault` if there is none.
  func asciiName(of name: String) throws(HostNameFault) -> String

  /// Returns the form of an ASCII name that people read.
  ///
  /// A label that can be confused with another one keeps its ASCII form.
  func displayName(of name: String) -> String
}

/// The reason why a host name has no ASCII form.
public struct HostNameFault: Error, Sendable, Hashable {
  /// The reason, as the end of a sentence and without a full stop.
  public let reason: String

  /// Creates a fault with a reason.
  public init(_ reason: String) { self.reason = reason }
}

/// The converter of the host names that are not ASCII, for all URLs of the process.
///
/// `HTTPURL` converts a name when it parses a URL, once. Policies, cookies, pins, connections and the `Host` field
/// therefore all use the ASCII form. Without a converter, such a URL is an error.
public enum HostNames {
  private static let shared = Mutex<(any HostNameConverter)?>(nil)
  @TaskLocal private static var scoped: (any HostNameConverter)??

  /// Sets the converter for all URLs that are parsed from now on.
  ///
  /// Call it once, when the program starts. A later call replaces the converter.
  public static func use(_ converter: any HostNameConverter) { shared.withLock { $0 = converter } }

  /// Uses another converter, or none, for the URLs that are parsed in an operation and in its child tasks.
  ///
  /// Default: none. Use it in tests.
  public static func withConverter<Value, Failure: Error>(
    _ converter: (any HostNameConverter)?, _ operation: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await $scoped.withValue(.some(converter)) { () async -> Result<Value, Failure> in
      do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// The converter that applies to the current task.
  static var converter: (any HostNameConverter)? { scoped ?? shared.withLock { $0 } }
}

extension HTTPURL {
  /// The host as people read it: labels of one script in Unicode, as the converter decides, otherwise `host`.
  ///
  /// Without a converter (`HostNames.use(_:)`) it is `host`. Never compare it, and never connect to it.
  public var displayHost: String {
    guard hostKind == .name, host.hasPrefix("xn--") || host.contains(".xn--") else { return host }
    return HostNames.converter?.displayName(of: host) ?? host
  }
}
