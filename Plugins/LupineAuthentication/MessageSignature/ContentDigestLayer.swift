import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Checks the digests of responses while their bodies arrive.
struct ContentDigestLayer: ExchangeLayer {
  let isRequired: Bool

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    var response = try await next(request, in: context)
    guard response.source == .origin, request.method != .head, response.statusCode != 304, response.statusCode != 204
    else { return response }
    let expected = try expected(of: response.head)
    if isRequired || !expected.isEmpty { response.attributes[ContentVerification.self] = .atEnd }
    if expected.isEmpty, isRequired { response.body.process(through: MissingDigest()) }
    for (algorithm, digest) in expected {
      guard let checker = DigestChecker(algorithm, digest) else {
        throw LupineError(.digestMismatch, "OpenSSL cannot compute the digest \(algorithm.rawValue) of the response.")
      }
      response.body.process(through: checker)
    }
    return response
  }

  /// The digests that the response states with known algorithms.
  ///
  /// - Throws: `LupineError` of kind `digestMismatch` if the field, or a digest of a known algorithm, is malformed.
  private func expected(of head: HTTPResponse) throws(LupineError) -> [(ContentDigest.Algorithm, [UInt8])] {
    let values = head.headerFields[values: .contentDigest]
    guard !values.isEmpty else { return [] }
    let malformed = LupineError(.digestMismatch, "The Content-Digest of the response is malformed.")
    guard let dictionary = StructuredDictionary(values.joined(separator: ", ")) else { throw malformed }
    var expected: [(ContentDigest.Algorithm, [UInt8])] = []
    for algorithm in ContentDigest.Algorithm.allCases {
      guard let member = dictionary[algorithm.rawValue] else { continue }
      guard case .bytes(let digest) = member else { throw malformed }
      expected.append((algorithm, digest))
    }
    return expected
  }
}

/// Passes a body on unchanged, and throws at its end if it had content.
private final class MissingDigest: BodyTransformer {
  private let hasContent = Mutex(false)

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    if !input.isEmpty { hasContent.withLock { $0 = true } }
    try output(input)
  }

  func finish(into output: Output) throws(LupineError) {
    guard hasContent.withLock({ $0 }) else { return }
    throw LupineError(.digestMismatch, "The response has no Content-Digest that Lupine can check, which is required.")
  }
}

/// Passes a body on unchanged, and compares its digest at its end.
private final class DigestChecker: BodyTransformer {
  private let algorithm: ContentDigest.Algorithm
  private let expected: [UInt8]
  /// `nil` after the end.
  private let hash: Mutex<IncrementalHash?>

  /// Returns `nil` if OpenSSL lacks the hash function.
  init?(_ algorithm: ContentDigest.Algorithm, _ expected: [UInt8]) {
    guard let hash = IncrementalHash(algorithm.function) else { return nil }
    self.algorithm = algorithm
    self.expected = expected
    self.hash = Mutex(hash)
  }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    hash.withLock { $0?.update(input) }
    try output(input)
  }

  func finish(into output: Output) throws(LupineError) {
    let found = hash.withLock { $0.take() }?.finish()
    guard found != expected else { return }
    throw LupineError(
      .digestMismatch,
      "The content of the response does not have the digest \(algorithm.rawValue) of its Content-Digest; it was changed on its way."
    )
  }
}
