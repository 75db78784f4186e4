import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

extension TransferQueue {
  /// The settings of a session as values, which the folder of a queue stores for a runner without the program.
  ///
  /// It has no secret: a transfer names its credential. `Session.Builder.init(_:transports:defaultTransport:pinning:)`
  /// makes a builder of it.
  ///
  /// ```swift
  /// var profile = TransferQueue.Profile()
  /// profile.headers["User-Agent"] = "Photos/2"
  /// profile.retries = 3
  /// try await queue.setProfile(profile, named: "photos")
  /// ```
  ///
  /// In JSON, the keys are the names of the properties, and each may be missing. A key that this build does not know is
  /// an error: the profile would mean something else.
  public struct Profile: Sendable, Hashable, Codable {
    /// The base URL of the session, for the parts that belong to its origin; `nil` for none.
    public var baseURL: String?
    /// The fields that are added to each request that does not have them; none of them is secret.
    public var headers: [String: String] = [:]
    /// The name of a transport of the runner, such as `native` or `curl`; `nil` for the runner's default.
    public var transport: String?
    /// The absolute path of a PEM file with the roots that replace those of the system.
    public var roots: String?
    /// The absolute path of a PEM file with further roots.
    public var additionalRoots: String?
    /// The pins of public keys, such as `sha256/…`, by host or `*.` and a domain.
    public var pins: [String: [String]] = [:]
    /// The timeout of a connection in seconds; `nil` for the default of `Timeouts`.
    public var connectTimeout: Double?
    /// The longest time without progress in seconds; `nil` for the default of `Timeouts`.
    public var idleTimeout: Double?
    /// The longest time of one request in seconds; `nil` for none.
    public var totalTimeout: Double?
    /// The longest time of one attempt in seconds; `nil` for none.
    public var attemptTimeout: Double?
    /// How often `RetryPolicy` repeats a request; `nil` for no retry beside those of the queue.
    public var retries: Int?
    /// Whether redirects are followed.
    ///
    /// Default: yes.
    public var followsRedirects = true
    /// The addresses that the session may connect to; `nil` for all of them.
    public var networkPolicy: AddressRules?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case baseURL, headers, transport, roots, additionalRoots, pins
      case connectTimeout, idleTimeout, totalTimeout, attemptTimeout, retries, followsRedirects, networkPolicy
    }

    /// A profile with the defaults.
    public init() {}

    /// Decodes a profile.
    ///
    /// - Throws: `DecodingError`, also if there is a key that this build does not know.
    public init(from decoder: any Decoder) throws {
      try AnyKey.requireKnown(CodingKeys.self, in: decoder)
      let values = try decoder.container(keyedBy: CodingKeys.self)
      baseURL = try values.decodeIfPresent(String.self, forKey: .baseURL)
      headers = try values.decodeIfPresent([String: String].self, forKey: .headers) ?? [:]
      transport = try values.decodeIfPresent(String.self, forKey: .transport)
      roots = try values.decodeIfPresent(String.self, forKey: .roots)
      additionalRoots = try values.decodeIfPresent(String.self, forKey: .additionalRoots)
      pins = try values.decodeIfPresent([String: [String]].self, forKey: .pins) ?? [:]
      connectTimeout = try values.decodeIfPresent(Double.self, forKey: .connectTimeout)
      idleTimeout = try values.decodeIfPresent(Double.self, forKey: .idleTimeout)
      totalTimeout = try values.decodeIfPresent(Double.self, forKey: .totalTimeout)
      attemptTimeout = try values.decodeIfPresent(Double.self, forKey: .attemptTimeout)
      retries = try values.decodeIfPresent(Int.self, forKey: .retries)
      followsRedirects = try values.decodeIfPresent(Bool.self, forKey: .followsRedirects) ?? true
      networkPolicy = try values.decodeIfPresent(AddressRules.self, forKey: .networkPolicy)
    }
  }
}

extension TransferQueue.Profile {
  /// The reasons why the profile cannot be stored faithfully, each with the name of its property.
  public var issues: [String] {
    var issues: [String] = []
    if let baseURL {
      if let url = try? HTTPURL(baseURL) {
        if SecretParameters.isInQuery(of: url) { issues.append("baseURL: its query has a secret") }
      } else {
        issues.append("baseURL: it is no absolute http or https URL without user information")
      }
    }
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      guard let field = HTTPField.Name(name), HTTPField.isValidValue(value) else {
        issues.append("headers: \(name.debugDescription) is no valid field")
        continue
      }
      if SecretFields.standard.contains(field) || SecretParameters.isSecret(name) {
        issues.append("headers: the field \(name) is secret; name a credential in its place")
      }
    }
    if transport?.isEmpty == true { issues.append("transport: the name is empty") }
    for (name, path) in [("roots", roots), ("additionalRoots", additionalRoots)] {
      guard let path, !path.hasPrefix("/") || path.utf8.contains(0) else { continue }
      issues.append("\(name): \(path.debugDescription) is no absolute path")
    }
    for (host, pins) in pins.sorted(by: { $0.key < $1.key }) where pins.isEmpty {
      issues.append("pins: there is none for \(host.debugDescription)")
    }
    let times = [
      ("connectTimeout", connectTimeout), ("idleTimeout", idleTimeout), ("totalTimeout", totalTimeout),
      ("attemptTimeout", attemptTimeout),
    ]
    for (name, seconds) in times {
      if let seconds, !Self.isTimeout(seconds) { issues.append("\(name): it must be between 0 and 10⁹ seconds") }
    }
    if let retries, retries < 0 { issues.append("retries: the number is negative") }
    issues += networkPolicy?.policy.issues.map { "networkPolicy: \($0)" } ?? []
    return issues
  }

  /// Whether a timeout can have this number of seconds.
  static func isTimeout(_ seconds: Double) -> Bool { seconds > 0 && seconds < 1e9 }
}
