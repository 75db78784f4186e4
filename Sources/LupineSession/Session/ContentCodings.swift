import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// The content codings that a session can decode, by name.
struct ContentCodings: Sendable {
  /// The codings, in the order in which the builder received them.
  let codings: [any ContentCoding]

  init(_ codings: [any ContentCoding]) { self.codings = codings }

  /// Ranks the names in their order, each 0.1 below the name before: `br;q=1.0, gzip;q=0.9`.
  static func ranked(_ names: some Collection<String>) -> String {
    names.enumerated().map { place, name in
      "\(name);q=\(place == 0 ? "1.0" : "0.\(max(10 - place, 1))")"
    }.joined(separator: ", ")
  }

  var isEmpty: Bool { codings.isEmpty }

  /// The value of `Accept-Encoding`; `nil` if the session has no content coding.
  var acceptEncoding: String? {
    codings.isEmpty ? nil : Self.ranked(codings.map(\.name))
  }

  /// The decoders of a response, in decoding order: the coding that was applied last comes first.
  ///
  /// Decoding stops at the first unknown coding; the caller receives the content with that coding and those applied
  /// before it. A part of coded content (RFC 9110 section 14) is not decoded.
  func decoders(for head: HTTPResponse, limits: Limits) -> [any BodyTransformer] {
    guard !codings.isEmpty, let field = head.headerFields[.contentEncoding], !head.isPart else { return [] }
    let names = field.split(separator: ",").map { $0.trimmingBlanks().lowercased() }.filter {
      !$0.isEmpty && $0 != "identity"
    }
    guard names.count <= limits.contentCodings else {
      return [
        FailingTransformer(
          LupineError(
            .limitExceeded(.contentCodings),
            "The response has \(names.count) content codings; the limit contentCodings is \(limits.contentCodings)."))
      ]
    }
    let caps = DecodingLimits(maximumSize: .max, maximumRatio: limits.decodingRatio)
    var decoders: [any BodyTransformer] = []
    for name in names.reversed() {
      guard let coding = codings.first(where: { $0.name == name || $0.aliases.contains(name) }) else { break }
      do throws(LupineError) {
        decoders.append(try coding.makeDecoder(limits: caps))
      } catch {
        return [FailingTransformer(error)]
      }
    }
    return decoders.count > 1 ? ChainMeter(limits: caps).measuring(decoders) : decoders
  }
}

/// Applies the ratio limit to a whole chain of decoders.
///
/// Without it, two codings with a ratio of 1000 each could expand one byte to a megabyte.
final class ChainMeter: Sendable {
  private let meter: Mutex<DecodingMeter>

  init(limits: DecodingLimits) { meter = Mutex(DecodingMeter(limits: limits)) }

  /// Returns the decoders between a stage that counts the coded bytes and one that counts the decoded bytes.
  func measuring(_ decoders: [any BodyTransformer]) -> [any BodyTransformer] {
    [Counter { [self] (bytes) throws(LupineError) in try count(coded: bytes, decoded: 0) }] + decoders
      + [Counter { [self] (bytes) throws(LupineError) in try count(coded: 0, decoded: bytes) }]
  }

  private func count(coded: Int, decoded: Int) throws(LupineError) {
    try meter.withLock { (meter) throws(LupineError) in
      try meter.count(coded: coded, decoded: decoded, doing: "codings decode together")
    }
  }

  /// Counts bytes and passes them on unchanged.
  private final class Counter: BodyTransformer {
    private let count: @Sendable (Int) throws(LupineError) -> Void

    init(_ count: @escaping @Sendable (Int) throws(LupineError) -> Void) { self.count = count }

    func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
      try count(input.count)
      try output(input)
    }

    func finish(into output: Output) throws(LupineError) {}
  }
}

/// Fails a body at its first byte with an error that was found in the response head.
final class FailingTransformer: BodyTransformer {
  private let error: LupineError

  init(_ error: LupineError) { self.error = error }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) { throw error }

  func finish(into output: Output) throws(LupineError) { throw error }
}
