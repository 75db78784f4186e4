import HTTPTypes
import LupineCore
import LupineSupport

/// The content codings that a session can undo, by name.
struct ContentCodings: Sendable {
  private let codings: [any ContentCoding]

  init(_ codings: [any ContentCoding]) { self.codings = codings }

  var isEmpty: Bool { codings.isEmpty }

  /// The value of `Accept-Encoding`; `nil` where nothing can be decoded.
  var acceptEncoding: String? {
    codings.isEmpty ? nil : DefaultFields.ranked(codings.map(\.name))
  }

  /// The decoders of a response, the last coding applied first.
  ///
  /// A coding that nobody here knows is left to the caller, and with it those beneath; so is a part of coded content (RFC
  /// 9110 section 14), of which no coding can be undone.
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
    return decoders.count > 1 ? [StackedDecoder(decoders, limits: caps)] : decoders
  }
}
