public import LupineCore
public import LupineFoundation
import LupineSupport

extension DataDecoder {
  /// Decodes the data after checking its nesting and its JSON syntax, and names the cause of a failure.
  ///
  /// The checks keep Foundation's decoders from overflowing the stack. The built-in serializers decode with this
  /// method; a serializer or a stream of a program's own does so for data that a server sent. The error of a text that
  /// is not JSON names the first byte that violates RFC 8259, and the type and the length of the text. It quotes the
  /// text only if the bytes are outside every JSON value and do not look like a secret.
  ///
  /// - Parameters:
  ///   - contentType: the `Content-Type` field of the response, for the message of an error; an empty text if the
  ///     response has none, and `nil` if there is no response.
  ///   - requiresUTF8: whether JSON must be valid UTF-8 as a whole (RFC 8259 section 8.1), and not only in the values
  ///     that the type has. Default: `false`.
  /// - Throws: `LupineError` of kind `serializationFailed`, or `limitExceeded(.nesting)` if the data are nested too
  ///   deeply.
  public func decodeGuarded<Value: Decodable>(
    _ type: Value.Type, from data: Data, contentType: @autoclosure () -> String? = nil, requiresUTF8: Bool = false
  ) throws(LupineError) -> Value {
    do {
      if requiresUTF8, self is JSONDecoder { try JSONGuard.checkUTF8(data) }
      let checked = self is PropertyListDecoder ? try PropertyListGuard.check(data) : data
      return try decode(type, from: isStrictJSON ? JSONGuard.check(checked) : checked)
    } catch {
      throw failure(error, type, UnexpectedBody(data, contentType: contentType()), data)
    }
  }

  private func failure(_ error: any Error, _ type: Any.Type, _ body: UnexpectedBody, _ data: Data) -> LupineError {
    if isStrictJSON, let failure = syntaxFailure(error, type, data, body) { return failure }
    // JSONDecoder has its own limit, but reports it with the same error as invalid JSON.
    if self is JSONDecoder, NestingDepth.json(data) > NestingDepth.limit { return NestingDepth.exceeded }
    let hint = body.descriptionOfHTML.map { " \($0)" } ?? ""
    if let error = error as? LupineError { return hint.isEmpty ? error : error.appending(hint) }
    return LupineError(
      .serializationFailed, "The body does not decode as `\(type)`: \(Self.reason(error))\(hint)", underlying: error)
  }

  /// Returns the error of a text that is not JSON, is nested too deeply, or has a number that does not fit; `nil` for
  /// another failure.
  private func syntaxFailure(
    _ error: any Error, _ type: Any.Type, _ data: Data, _ body: UnexpectedBody
  ) -> LupineError? {
    guard Self.isUnplaced(error) || error is TrailingComma else { return nil }
    let cause = (error as? TrailingComma)?.error ?? error
    guard let fault = JSONGuard.fault(in: data) else {
      return LupineError(
        .serializationFailed, "The body does not decode as `\(type)`: \(Self.misfit)", underlying: cause)
    }
    if fault.isTooDeep { return NestingDepth.exceeded }
    let reason =
      error is TrailingComma && fault.isTrailingComma ? Self.reason(cause) : body.description(of: fault)
    return LupineError(
      .serializationFailed, "The body is not JSON and does not decode as `\(type)`. \(reason)", underlying: cause)
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
    return context.codingPath.isEmpty && context.debugDescription == JSONGuard.invalid
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
