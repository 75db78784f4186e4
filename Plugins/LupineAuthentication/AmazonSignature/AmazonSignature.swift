public import LupineCore
import HTTPTypes
public import LupineSession
import LupineSupport

/// Signs requests with Signature Version 4 of Amazon Web Services.
///
/// A request is signed anew on every attempt, with the session's date. Every field of its own is part of the signature,
/// except those that the session may still change, such as `Cookie` and `User-Agent`. A redirect to another origin loses
/// the signature. Add it as the last adapter, or install it, since what changes the request later breaks the signature.
public struct AmazonSignature: RequestAdapter, Plugin, CustomStringConvertible {
  /// What is signed of a body.
  public enum Payload: Sendable, Hashable {
    /// The body, which is read once more to be hashed.
    case signed
    /// Nothing; S3 takes it over https, for bodies that can be read only once.
    case unsigned
  }

  private let region: String
  private let service: String
  private let payload: Payload
  private let scope: CredentialScope
  private let credential: @Sendable () async throws -> AmazonCredential

  /// Signs for a service in a region.
  ///
  /// - Parameters:
  ///   - service: the service's name in signatures, such as `s3` or `execute-api`.
  ///   - region: the region, such as `eu-central-1`.
  ///   - payload: what is signed of a body. Default: all of it.
  ///   - scope: where signed requests may go. Default: the origin of the session's base URL.
  ///   - credential: gives the keys, on every attempt; temporary ones may change.
  public init(
    service: String, region: String, payload: Payload = .signed, to scope: CredentialScope = .baseURL,
    credential: @escaping @Sendable () async throws -> AmazonCredential
  ) {
    self.region = region
    self.service = service
    self.payload = payload
    self.scope = scope
    self.credential = credential
  }

  /// Signs for a service in a region, with keys that stay the same.
  public init(
    service: String, region: String, payload: Payload = .signed, to scope: CredentialScope = .baseURL,
    credential: AmazonCredential
  ) {
    self.init(service: service, region: region, payload: payload, to: scope) { credential }
  }

  /// Where signed requests may go.
  public var credentialScope: CredentialScope? { scope }

  /// The service and the region.
  public var description: String { "AmazonSignature(\(service), \(region))" }

  /// Adds the adapter to the builder.
  public func install(in builder: inout Session.Builder) { builder = builder.adapter(self) }

  /// Signs the request where the scope allows it.
  ///
  /// - Throws: `LupineError` of kind `adaptationFailed` where a key cannot stand in a field, where the body cannot be read
  ///   twice, or where the scope is the base URL's origin and there is no base URL.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard try scope.allows(request.url, baseURL: session.baseURL) else { return request }
    let keys = try await credential()
    try check(keys)
    let date = AmazonDate(session.currentDate)
    let hash = try await payloadHash(request)
    var request = request
    request.headers[.amazonDate] = date.time
    request.headers[.amazonSecurityToken] = keys.sessionToken
    if isStorage { request.headers[.amazonContentHash] = hash }
    let canonical = CanonicalRequest(request, encodesPathTwice: !isStorage, payloadHash: hash)
    request.headers[.authorization] = try authorization(canonical, date, keys)
    return request
  }

  private var isStorage: Bool { service == "s3" }

  private func authorization(
    _ canonical: CanonicalRequest, _ date: AmazonDate, _ keys: AmazonCredential
  ) throws -> String {
    let place = "\(date.day)/\(region)/\(service)/aws4_request"
    guard let hash = HashFunction.sha256.hexadecimal(canonical.text) else { throw Self.hashingFailed }
    var key: [UInt8]? = Array("AWS4\(keys.secretAccessKey)".utf8)
    for ingredient in [date.day, region, service, "aws4_request", "AWS4-HMAC-SHA256\n\(date.time)\n\(place)\n\(hash)"] {
      key = key.flatMap { MessageCode.sha256(ingredient, key: $0) }
    }
    guard let key else { throw Self.hashingFailed }
    return "AWS4-HMAC-SHA256 Credential=\(keys.accessKeyID)/\(place), SignedHeaders=\(canonical.signedFields), "
      + "Signature=\(Hexadecimal.text(key))"
  }

  private func payloadHash(_ request: OutgoingRequest) async throws -> String {
    guard payload == .signed else {
      guard isStorage, request.url.scheme == .https else {
        throw LupineError(.adaptationFailed, "Only S3, and only over https, takes a body that is not signed.")
      }
      return "UNSIGNED-PAYLOAD"
    }
    guard request.body.isReplayable else {
      throw LupineError(
        .adaptationFailed, "The body can be read only once, so it cannot be signed; use one that can be sent again.")
    }
    guard let hash = try await BodyHash.hexadecimal(request.body, .sha256) else { throw Self.hashingFailed }
    return hash
  }

  private func check(_ keys: AmazonCredential) throws(LupineError) {
    let isClean = { (text: String) in !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    guard isClean(keys.accessKeyID), isClean(keys.secretAccessKey), isClean(keys.sessionToken ?? "none") else {
      throw LupineError(.adaptationFailed, "A key is empty or has a space, a control or a non-ASCII byte.")
    }
  }

  private static let hashingFailed = LupineError(.adaptationFailed, "OpenSSL could not compute a SHA-256 hash.")
}

extension HTTPField.Name {
  static let amazonDate = HTTPField.Name(constant: "X-Amz-Date")
  static let amazonSecurityToken = HTTPField.Name(constant: "X-Amz-Security-Token")
  static let amazonContentHash = HTTPField.Name(constant: "X-Amz-Content-Sha256")
}
