import HTTPTypes
public import LupineCore
import LupineFoundation
public import LupineSession
import LupineSupport

/// Verifies the signatures of responses (RFC 9421).
///
/// Each final response of a server, also a redirect and a refusal, must have a valid signature. A response without one is
/// an error of kind `serverNotAuthenticated`. A signature covers the content by its field `Content-Digest`: if the components
/// that must be covered contain `content-digest`, the plugin also requires the field and checks the content (see
/// `ContentDigest`); otherwise the content is not checked. A response without content, such as one to HEAD or with status
/// 204 or 304, needs no digest.
public struct ResponseSignature: Plugin {
  /// Returns the key with an identifier, for a response to a request of this URL; `nil` if the key is unknown.
  ///
  /// It is called at most once for each response, after the other checks, in the request's task; calls may be concurrent.
  /// It must not block.
  public typealias Keys = @Sendable (_ id: String?, _ url: HTTPURL) -> SignatureKey?

  private let components: [SignatureComponent]
  private let label: String?
  private let maximumAge: Duration
  private let keys: Keys

  /// Creates the plugin.
  ///
  /// - Parameters:
  ///   - components: the components that a signature must cover; it may cover others. Default: the status and the digest
  ///     of the content. Add `SignatureComponent.method.ofRequest` and the like to bind a response to its request.
  ///   - label: the label of the signature. Default: `nil`, which takes the response's only one.
  ///   - maximumAge: the maximum time since the creation of a signature, at least 1 second; a fraction of a second does not
  ///     count. A signature without `created`,
  ///     or one that was created more than a minute after now, is invalid. Default: 5 minutes.
  ///   - keys: finds the key; see `Keys`.
  ///
  /// `build()` throws if there is no component, if one of them cannot be covered, or if the label is not one.
  public init(
    covering components: [SignatureComponent] = [.status, .contentDigest], label: String? = nil,
    maximumAge: Duration = .seconds(300), keys: @escaping Keys
  ) {
    self.components = components
    self.label = label
    self.maximumAge = maximumAge
    self.keys = keys
  }

  /// Adds the layer `responseSignature`, which is inside a cache, and the check of digests.
  public func install(in builder: inout Session.Builder) {
    if components.contains(.contentDigest) {
      builder = builder.install(ContentDigest(nil, responses: .required))
    }
    builder = builder.exchangeLayer("responseSignature", inside: [.tracing, .cache]) { [self] in
      ResponseSignatureLayer(check: self)
    }
    if let problem { builder = builder.issue(ConfigurationIssue(part: "responseSignature", reason: problem)) }
  }

  /// The reason why no signature would count, or why one would prove nothing; `nil` if there is none.
  private var problem: String? {
    if components.isEmpty { return "a signature must cover at least one component" }
    if let label, let problem = MessageSignature.problem(ofLabel: label) { return problem }
    if maximumAge < .seconds(1) { return "the maximum age must be at least one second" }
    let stray = components.first { component in
      component.isOfRequest ? component == .status.ofRequest : component.isDerived && component != .status
    }
    return stray.map { "\($0) is no component of a response; write .ofRequest after a component of its request" }
  }

  /// Whether a response has no content that a digest would be of.
  private static func lacksContent(_ response: HTTPResponse, to request: OutgoingRequest) -> Bool {
    request.method == .head || response.status.code == 204 || response.status.code == 304
  }

  /// Checks the head of a response.
  ///
  /// - Throws: `SignatureBase.Fault` with the reason why the signature does not count.
  func check(_ response: HTTPResponse, to request: OutgoingRequest, now: Date) throws(SignatureBase.Fault) {
    let (input, signature) = try signature(of: response)
    guard let covered = input.components else { throw Fault(reason: "it covers a component that Lupine does not know") }
    let lacksContent = Self.lacksContent(response, to: request)
    for component in components where !covered.contains(component) {
      if lacksContent, component == .contentDigest { continue }
      throw Fault(reason: "it does not cover \(component)")
    }
    try checkTimes(input, now: now)
    guard let key = keys(input.keyID, request.url) else { throw Fault(reason: "its key is unknown") }
    guard input.algorithm == nil || input.algorithm == key.algorithm.rawValue else {
      throw Fault(reason: "its algorithm is not that of the key")
    }
    // The signature does not state the kind of a structured field.
    let known = covered.map { component in component.taking(kindOf: components.first { $0 == component }) }
    let base = try SignatureBase(known, parameters: input.text, of: request, response: response)
    guard key.isValid(signature, of: Array(base.text.utf8)) else { throw Fault(reason: "it is not valid") }
  }

  private typealias Fault = SignatureBase.Fault

  private func signature(of response: HTTPResponse) throws(SignatureBase.Fault) -> (SignatureInput, [UInt8]) {
    let inputs = response.headerFields[values: .signatureInput].joined(separator: ", ")
    let signatures = response.headerFields[values: .signature].joined(separator: ", ")
    guard let members = SignatureInput.members(of: inputs), let values = StructuredDictionary(signatures) else {
      throw Fault(reason: "there is none, or its fields are malformed")
    }
    guard let label = label ?? (members.count == 1 ? members.first?.key : nil), let input = members[label],
      case .bytes(let bytes) = values[label]
    else { throw Fault(reason: "there is none with the label, or there are several") }
    return (input, bytes)
  }

  private func checkTimes(_ input: SignatureInput, now: Date) throws(SignatureBase.Fault) {
    let now = now.signatureSeconds
    guard let created = input.created, created <= now + 60 else {
      throw Fault(reason: "it does not state when it was created, or it states a later time")
    }
    guard now - created <= max(0, maximumAge.boundedSeconds) else { throw Fault(reason: "it is too old") }
    if let expires = input.expires, expires <= now { throw Fault(reason: "it has expired") }
  }
}

extension SignatureComponent {
  /// Returns the component with the kind of the structured field that the program states.
  fileprivate func taking(kindOf stated: SignatureComponent?) -> SignatureComponent {
    var component = self
    if let stated { component.form = stated.form }
    return component
  }
}

/// Verifies the signature of each response when its head arrives.
private struct ResponseSignatureLayer: ExchangeLayer {
  let check: ResponseSignature

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let response = try await next(request, in: context)
    guard response.source == .origin else { return response }
    do throws(SignatureBase.Fault) {
      try check.check(response.head, to: request, now: context.now())
    } catch {
      throw LupineError(
        .serverNotAuthenticated, "The signature of the response does not count: \(error.reason).")
    }
    return response
  }
}
