import HTTPTypes

/// The content codings that a session can undo, by name.
struct ContentCodings: Sendable {
  private let codings: [any ContentCoding]

  init(_ codings: [any ContentCoding]) { self.codings = codings }

  /// The value of `Accept-Encoding`; `nil` where nothing can be decoded.
  var acceptEncoding: String? {
    codings.isEmpty ? nil : codings.map(\.name).joined(separator: ", ")
  }

  /// The decoders of a response, the last coding applied first.
  ///
  /// A coding that nobody here knows is left to the caller,
  /// and with it those beneath.
  func decoders(for head: HTTPResponse, limits: Limits) -> [any BodyTransformer] {
    guard !codings.isEmpty, let field = head.headerFields[.contentEncoding] else { return [] }
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
    return decoders
  }
}

/// Fails a body at its first byte, for a reason that was known at the head.
final class FailingTransformer: BodyTransformer {
  private let error: LupineError

  init(_ error: LupineError) { self.error = error }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) { throw error }

  func finish(into output: Output) throws(LupineError) { throw error }
}

extension StringProtocol {
  /// The text without spaces and tabs at its ends (RFC 9110 section 5.6.3).
  package func trimmingBlanks() -> SubSequence {
    var text = self[startIndex..<endIndex]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}
