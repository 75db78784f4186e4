import HTTPTypes
public import LupineCore
import LupineFoundation
public import LupineSession
import LupineSupport

/// The keys of an account at Amazon Web Services, or at a service with the same signatures.
///
/// The description omits the secret key and the session token.
public struct AmazonCredential: Sendable, Hashable, HidesSecrets {
  /// The public key identifier, such as `AKIDEXAMPLE`.
  public let accessKeyID: String
  /// The secret key, which is never sent.
  public let secretAccessKey: String
  /// The session token of temporary keys, which is sent with each request.
  public let sessionToken: String?

  /// Creates a credential from its keys.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }

  /// The public key identifier only.
  public var description: String { "AmazonCredential(\(accessKeyID))" }
}

/// Signs requests with Signature Version 4 of Amazon Web Services.
///
/// Each attempt of a request gets a new signature with the session's current date. The signature covers every field of
/// the request, except those that the session may still change, such as `Cookie` and `User-Agent`. A redirect to
/// another origin removes the signature. Install it as a plugin or add it as the last adapter, because a later change
/// of the request invalidates the signature.
public struct AmazonSignature: RequestAdapter, Plugin, CustomStringConvertible {
  /// The part of a body that the signature covers.
  public enum Payload: Sendable, Hashable {
    /// The whole body, which is read once more to compute its hash.
    case signed
    /// No part of the body; S3 accepts that over https, for a body that can be read only once.
    case unsigned
  }

  private let region: String
  private let service: String
  private let payload: Payload
  private let scope: CredentialScope
  private let credential: @Sendable () async throws -> AmazonCredential

  /// Creates a signer for a service in a region.
  ///
  /// - Parameters:
  ///   - service: the service's name in signatures, such as `s3` or `execute-api`.
  ///   - region: the region, such as `eu-central-1`.
  ///   - payload: the part of a body that the signature covers. Default: all of it.
  ///   - scope: the servers that may receive signed requests. Default: the origin of the session's base URL.
  ///   - credential: returns the keys on every attempt, so that temporary keys can change. It is called in a task of
  ///     the request, off the caller's actor; calls for different requests may be concurrent. It may wait.
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

  /// Creates a signer for a service in a region with fixed keys.
  public init(
    service: String, region: String, payload: Payload = .signed, to scope: CredentialScope = .baseURL,
    credential: AmazonCredential
  ) {
    self.init(service: service, region: region, payload: payload, to: scope) { credential }
  }

  /// The servers that may receive signed requests.
  public var credentialScope: CredentialScope? { scope }

  /// The service and the region.
  public var description: String { "AmazonSignature(\(service), \(region))" }

  /// Adds the adapter to the builder.
  public func install(in builder: inout Session.Builder) { builder = builder.adapter(self) }

  /// Signs the request if its URL is in the scope.
  ///
  /// - Throws: `LupineError` of kind `adaptationFailed` if a key is invalid in a field, if the body cannot be read
  ///   twice, or if the scope is the base URL's origin and there is no base URL.
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
    let scopePath = "\(date.day)/\(region)/\(service)/aws4_request"
    guard let hash = HashFunction.sha256.hexadecimal(canonical.text) else { throw Self.hashingFailed }
    var key: [UInt8]? = Array("AWS4\(keys.secretAccessKey)".utf8)
    for input in [date.day, region, service, "aws4_request", "AWS4-HMAC-SHA256\n\(date.time)\n\(scopePath)\n\(hash)"] {
      key = key.flatMap { MessageAuthenticationCode.sha256(input, key: $0) }
    }
    guard let key else { throw Self.hashingFailed }
    return "AWS4-HMAC-SHA256 Credential=\(keys.accessKeyID)/\(scopePath), SignedHeaders=\(canonical.signedFields), "
      + "Signature=\(Hexadecimal.text(key))"
  }

  private func payloadHash(_ request: OutgoingRequest) async throws -> String {
    guard payload == .signed else {
      guard isStorage, request.url.scheme == .https else {
        throw LupineError(.adaptationFailed, "Only S3, and only over https, accepts a body that is not signed.")
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
    let isPrintable = { (text: String) in !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    guard isPrintable(keys.accessKeyID), isPrintable(keys.secretAccessKey), isPrintable(keys.sessionToken ?? "none")
    else {
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

/// A date in the format of a signature, in UTC: the time `20150830T123600Z` and the day `20150830`.
struct AmazonDate: Sendable, Hashable {
  let time: String
  var day: String { String(time.prefix(8)) }

  init(_ date: Date) {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
    // The years 1 to 9999, which the format can express.
    let seconds = date.timeIntervalSince1970
    let bounded = seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
    time = style.format(Date(timeIntervalSince1970: bounded))
  }
}
