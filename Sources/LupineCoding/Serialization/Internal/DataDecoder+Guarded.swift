public import LupineCore
public import LupineFoundation
import LupineSupport

extension DataDecoder {
  /// Decodes the data after checking its nesting and its JSON syntax, and names the cause of a failure.
  ///
  /// The checks keep Foundation's decoders from overflowing the stack. The built-in serializers decode with this
  /// method; a serializer or a stream of a program's own does so for data that a server sent.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed`, or `limitExceeded(.nesting)` if the data are nested too
  ///   deeply.
  public func decodeGuarded<Value: Decodable>(_ type: Value.Type, from data: Data) throws(LupineError) -> Value {
    let data = self is PropertyListDecoder ? try PropertyListGuard.check(data) : data
    do {
      return try decode(type, from: isStrictJSON ? JSONGuard.check(data) : data)
    } catch let error as LupineError {
      throw error
    } catch {
      // JSONDecoder has its own limit, but reports it with the same error as invalid JSON.
      if self is JSONDecoder, NestingDepth.json(data) > NestingDepth.limit { throw NestingDepth.exceeded }
      let reason = isStrictJSON && Self.isUnplaced(error) ? Self.misfit : Self.reason(error)
      throw LupineError(
        .serializationFailed, "The body does not decode as `\(type)`: \(reason)", underlying: error)
    }
  }

  /// Whether the decoder expects JSON as in RFC 8259; JSON5 has other rules.
  private var isStrictJSON: Bool { (self as? JSONDecoder).map { !$0.allowsJSON5 } ?? false }

  /// The message for a number that does not fit its type.
  ///
  /// Foundation reports such a number as invalid JSON, without a coding path. Here the JSON is already known to be
  /// valid.
  private static var misfit: String {
    "a number is out of its type's range, or has a fraction and its type has none (the decoder names no path)."
  }

  private static func isUnplaced(_ error: any Error) -> Bool {
    guard case DecodingError.dataCorrupted(let context) = error else { return false }
    return context.codingPath.isEmpty && context.debugDescription == "The given data was not valid JSON."
  }

  private static func reason(_ error: any Error) -> String {
    let text =
      switch error {
      case DecodingError.keyNotFound(let key, let context): "no value for `\(key.stringValue)`\(place(context))."
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        "\(context.debugDescription)\(place(context))"
      default: "\(error)"
      }
    return text.escapingControls(limit: 1_000)
  }

  private static func place(_ context: DecodingError.Context) -> String {
    if context.codingPath.isEmpty { return "" }
    let path = context.codingPath.prefix(20).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return " at `\(path.joined(separator: "."))`"
  }
}
