import HTTPTypes
import LupineCore
import LupineFoundation
public import LupineSession
import LupineSupport

/// Adds `Content-Digest` (RFC 9530) to requests with a body, and checks that of responses.
///
/// The digest covers the content as it is sent, including its content coding. Install the plugin after an adapter that
/// changes bodies. A response is checked while it arrives; if its content has another digest, the body ends with an error
/// of kind `digestMismatch`, in place of its end. A stream has then delivered its bytes.
public struct ContentDigest: Plugin {
  /// A hash function for digests.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-256.
    case sha256 = "sha-256"
    /// SHA-512.
    case sha512 = "sha-512"
  }

  /// The treatment of responses.
  public enum ResponseCheck: Sendable, Hashable {
    /// The digest of a response that has one is checked.
    case ifPresent
    /// A response with content must have a digest with one of the algorithms; otherwise its body ends with an error of
    /// kind `digestMismatch`.
    ///
    /// A response without content needs no digest. Neither does a redirect that is followed, nor a challenge that is
    /// answered, because their content is discarded.
    case required
    /// No digest is checked.
    case off
  }

  private let algorithm: Algorithm?
  private let responses: ResponseCheck

  /// Creates the plugin.
  ///
  /// - Parameters:
  ///   - algorithm: the algorithm for requests, whose bodies are read once more to compute the digest; `nil` adds none.
  ///     Default: SHA-256.
  ///   - responses: the treatment of responses. Default: those with a digest are checked.
  public init(_ algorithm: Algorithm? = .sha256, responses: ResponseCheck = .ifPresent) {
    self.algorithm = algorithm
    self.responses = responses
  }

  /// Adds an adapter and the layer `contentDigest`, which is inside a cache.
  public func install(in builder: inout Session.Builder) {
    if let algorithm { builder = builder.adapter(DigestAdapter(algorithm: algorithm)) }
    guard responses != .off else { return }
    let isRequired = responses == .required
    builder = builder.exchangeLayer("contentDigest", inside: [.tracing, .cache]) {
      ContentDigestLayer(isRequired: isRequired)
    }
  }
}

extension Plugin where Self == ContentDigest {
  /// Digests of requests and responses; see `ContentDigest`.
  public static func contentDigest(
    _ algorithm: ContentDigest.Algorithm? = .sha256, responses: ContentDigest.ResponseCheck = .ifPresent
  ) -> ContentDigest {
    ContentDigest(algorithm, responses: responses)
  }
}

extension ContentDigest.Algorithm {
  var function: HashFunction {
    switch self {
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  /// Returns the request with the digest of its body, unless it has a `Content-Digest`.
  ///
  /// - Throws: `LupineError` of kind `adaptationFailed` if the body can be read only once.
  func added(to request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    guard !request.headers.contains(.contentDigest) else { return request }
    guard request.body.isReplayable else {
      throw LupineError(
        .adaptationFailed,
        "The body can be read only once, so its digest cannot be sent before it; use one that can be sent again.")
    }
    guard let hash = try await BodyHash.bytes(request.body, function) else {
      throw LupineError(.adaptationFailed, "OpenSSL could not compute the digest \(rawValue).")
    }
    var request = request
    request.headers[.contentDigest] = "\(rawValue)=:\(Data(hash).base64EncodedString()):"
    return request
  }
}

/// Adds the digest of the body to requests.
private struct DigestAdapter: RequestAdapter {
  let algorithm: ContentDigest.Algorithm

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    request.hasBody ? try await algorithm.added(to: request) : request
  }
}
