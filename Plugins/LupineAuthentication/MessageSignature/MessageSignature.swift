import HTTPTypes
public import LupineCore
import LupineFoundation
public import LupineSession
import LupineSupport

/// Signs requests with HTTP Message Signatures (RFC 9421).
///
/// Install it as a plugin: each exchange, also one after a redirect, then gets a new signature with the session's current
/// date, in the fields `Signature-Input` and `Signature`, if its URL is in the scope. The signature is made after all other
/// layers, so it can cover the fields of the session, such as `Cookie` and `User-Agent`, and those of the transport
/// alone that a request determines, `Host` and `Content-Length`. The plugin hides the signature in what people read.
///
/// As an adapter it signs each attempt once, and a redirect within the origin keeps that signature. Add it as the last
/// adapter, because a later change of a covered part invalidates the signature.
public struct MessageSignature: RequestAdapter, Plugin, CustomStringConvertible {
  private let components: [SignatureComponent]
  private let digest: ContentDigest.Algorithm?
  private let label: String
  private let lifetime: Duration?
  private let parameters: SignatureParameters
  private let scope: CredentialScope
  private let key: @Sendable () async throws -> SignatureKey
  /// The reason why this signer can sign no request; `nil` if there is none.
  private let problem: String?

  /// The components that a signature covers by default: the method, the authority, the path and the query.
  public static let defaultComponents: [SignatureComponent] = [.method, .authority, .path, .query]

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - components: the covered parts. Default: `defaultComponents`.
  ///   - digest: the algorithm of the field `Content-Digest` (RFC 9530), which a request with a body gets and which the
  ///     signature then covers; the body is read once more to compute it. Default: SHA-256. `nil` covers no body.
  ///   - label: the name of the signature in its fields. Default: `sig1`.
  ///   - lifetime: the time after which the signature expires, rounded up to whole seconds; more than zero. Default:
  ///     none.
  ///   - parameters: the optional parameters. Default: none of them.
  ///   - scope: the servers that may receive signed requests. Default: the origin of the session's base URL.
  ///   - key: returns the key for every signature, so that keys can change. It is called in a task of the request, off the
  ///     caller's actor; calls for different requests may be concurrent. It may wait.
  public init(
    covering components: [SignatureComponent] = Self.defaultComponents, digest: ContentDigest.Algorithm? = .sha256,
    label: String = "sig1", lifetime: Duration? = nil, parameters: SignatureParameters = SignatureParameters(),
    to scope: CredentialScope = .baseURL, key: @escaping @Sendable () async throws -> SignatureKey
  ) {
    self.components = components
    self.digest = digest
    self.label = label
    self.lifetime = lifetime
    self.parameters = parameters
    self.scope = scope
    self.key = key
    problem = Self.problem(components, label, lifetime, parameters)
  }

  /// Creates a signer with a fixed key.
  public init(
    covering components: [SignatureComponent] = Self.defaultComponents, digest: ContentDigest.Algorithm? = .sha256,
    label: String = "sig1", lifetime: Duration? = nil, parameters: SignatureParameters = SignatureParameters(),
    to scope: CredentialScope = .baseURL, key: SignatureKey
  ) {
    self.init(
      covering: components, digest: digest, label: label, lifetime: lifetime, parameters: parameters, to: scope
    ) { key }
  }

  /// The servers that may receive signed requests.
  public var credentialScope: CredentialScope? { scope }

  /// The label of the signature.
  public var description: String { "MessageSignature(\(label))" }

  /// Adds the layer `messageSignature`, which is inside all other named ones, and marks the fields of the signature as
  /// secret.
  ///
  /// A label, a tag, a lifetime or a component that no request can have is an error of `build()`.
  public func install(in builder: inout Session.Builder) {
    builder = builder.adapter(SigningMark(scope: scope)).secretField(.signature).secretField(.signatureInput)
      .exchangeLayer(
        "messageSignature",
        inside: [.tracing, .cache, .hedging, .concurrencyLimit, .rateLimit, .circuitBreaker]
      ) { [self] in SigningLayer(signature: self) }
    if let problem { builder = builder.issue(ConfigurationIssue(part: "messageSignature", reason: problem)) }
  }

  /// The reason why no signature can have the label; `nil` if there is none.
  static func problem(ofLabel label: String) -> String? {
    guard StructuredDictionary("\(label)=1")?[label] == nil else { return nil }
    return "\"\(label)\" is no label of a signature; write lower-case letters and digits"
  }

  private static func problem(
    _ components: [SignatureComponent], _ label: String, _ lifetime: Duration?, _ parameters: SignatureParameters
  ) -> String? {
    if let problem = problem(ofLabel: label) { return problem }
    if let tag = parameters.tag, !tag.isPrintableASCII {
      return "the tag has other characters than visible ASCII and spaces"
    }
    if let lifetime, lifetime <= .zero { return "the lifetime must be more than zero" }
    if let component = components.first(where: \.isOfTrailers) {
      return "\(component) is a trailer, and a request has none"
    }
    return components.first { $0.isOfRequest || $0 == .status }.map { "\($0) is a component of responses only" }
  }

  /// Signs the request if its URL is in the scope.
  ///
  /// - Throws: `LupineError` of kind `adaptationFailed` if a covered part is missing, if a body with a digest can be read
  ///   only once, if the request has a signature with this label, or for the reasons that `build()` reports for the
  ///   installed plugin.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    try await signed(request, for: SigningSession(session), at: session.currentDate)
  }

  fileprivate func signed(
    _ request: OutgoingRequest, for session: SigningSession, at date: Date
  ) async throws(LupineError) -> OutgoingRequest {
    guard try scope.allows(request.url, baseURL: session.baseURL) else { return request }
    if let problem { throw LupineError(.adaptationFailed, "The request cannot be signed: \(problem).") }
    let key = try await currentKey()
    var (request, components) = (request, components)
    if let digest, request.hasBody {
      request = try await digest.added(to: request)
      if !components.contains("content-digest") { components.append("content-digest") }
    }
    try checkLabel(request)
    let input = input(components, key, date, session.random)
    let base: SignatureBase
    do throws(SignatureBase.Fault) {
      base = try SignatureBase(components, parameters: input, of: request)
    } catch {
      throw LupineError(.adaptationFailed, "The request cannot be signed: \(error.reason).")
    }
    let signature = Data(try key.signature(of: Array(base.text.utf8))).base64EncodedString()
    request.headers.append(HTTPField(name: .signatureInput, value: "\(label)=\(input)"))
    request.headers.append(HTTPField(name: .signature, value: "\(label)=:\(signature):"))
    return request
  }

  private func currentKey() async throws(LupineError) -> SignatureKey {
    do { return try await key() } catch {
      throw error as? LupineError
        ?? LupineError(.adaptationFailed, "There is no key to sign the request with: \(error)", underlying: error)
    }
  }

  private func checkLabel(_ request: OutgoingRequest) throws(LupineError) {
    guard let other = request.headers[.signatureInput] else { return }
    guard let labels = StructuredDictionary(other), labels[label] == nil else {
      throw LupineError(.adaptationFailed, "The request has a signature \(label) already; choose another label.")
    }
  }

  /// The value of `@signature-params`.
  private func input(
    _ components: [SignatureComponent], _ key: SignatureKey, _ date: Date, _ random: () -> UInt64
  ) -> String {
    let created = date.signatureSeconds
    var text = "(" + components.map(\.description).joined(separator: " ") + ");created=\(created)"
    if let id = key.id { text += ";keyid=\(id.quotedString)" }
    if parameters.namesAlgorithm { text += ";alg=\"\(key.algorithm.rawValue)\"" }
    if let lifetime {
      let seconds = lifetime.bounded.components
      let expires = created + seconds.seconds + (seconds.attoseconds > 0 ? 1 : 0)
      text += ";expires=\(expires.inStructuredField)"
    }
    if parameters.hasNonce {
      text +=
        ";nonce=\"" + Hexadecimal.text(random(), digits: 16) + Hexadecimal.text(random(), digits: 16)
        + "\""
    }
    if let tag = parameters.tag { text += ";tag=\(tag.quotedString)" }
    return text
  }
}

/// The parts of a session that its signatures need.
private struct SigningSession: Sendable {
  let baseURL: HTTPURL?
  let random: @Sendable () -> UInt64

  init(_ session: Session) {
    baseURL = session.baseURL
    random = session.random
  }
}

/// Gives the layer the parts of the session, because a layer does not know its session.
private struct SigningMark: RequestAdapter {
  enum Key: RequestOptionKey {
    static var defaultValue: SigningSession? { nil }
  }

  let scope: CredentialScope

  var credentialScope: CredentialScope? { scope }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    var request = request
    request.options[Key.self] = SigningSession(session)
    return request
  }
}

/// Signs each exchange as it is sent.
private struct SigningLayer: ExchangeLayer {
  let signature: MessageSignature

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    guard let session = request.options[SigningMark.Key.self] else { return try await next(request, in: context) }
    return try await next(signature.signed(request, for: session, at: context.now()), in: context)
  }
}

/// The optional parameters of a signature (RFC 9421 section 2.3).
public struct SignatureParameters: Sendable, Hashable {
  /// The name of the application, as `tag`.
  ///
  /// Default: none.
  public var tag: String?
  /// Whether each signature has a random `nonce` of 128 bits.
  ///
  /// Default: no.
  public var hasNonce = false
  /// Whether the signature names its algorithm, as `alg`.
  ///
  /// Default: no, because the server knows the algorithm of a key.
  public var namesAlgorithm = false

  /// Creates the default parameters.
  public init() {}
}

extension HTTPField.Name {
  static let signature = HTTPField.Name(constant: "Signature")
  static let signatureInput = HTTPField.Name(constant: "Signature-Input")
  static let contentDigest = HTTPField.Name(constant: "Content-Digest")
}
