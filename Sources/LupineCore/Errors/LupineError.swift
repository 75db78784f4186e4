public import FoundationEssentials
public import HTTPTypes
import LupineSupport

/// What went wrong with a request or with the assembly of a session.
///
/// `kind` is what a program acts on; `message` is for people and says what happened and what to do. Nothing in an error
/// is secret: the request stands in it as its method and its URL without query values, and secret response fields are
/// redacted. Only kind `unmatchedRequest`, a mock's own, shows what was asked: the query's values, but for those of
/// parameters with names such as `api_key`, and of a body what differs. `body` holds what the server sent, which may be
/// secret: no description and no `dump` of the error shows more of it than its media type and its length.
public struct LupineError: Error, Sendable {
  /// What happened, as a program tells it apart.
  public var kind: Kind { details.values.kind }

  /// What happened and what to do about it, in one or two sentences.
  public var message: String { details.values.message }

  /// All of it behind one pointer, which is thrown in a register and takes a word where there may be an error.
  private var details: Details

  /// Describes one failure.
  ///
  /// - Parameters:
  ///   - kind: what a program acts on.
  ///   - message: one or two sentences; no secret may stand in it. Control bytes, as a server may have sent them, are
  ///     escaped.
  ///   - underlying: the error that led to this one.
  public init(_ kind: Kind, _ message: String, underlying: (any Error)? = nil) {
    details = Details(
      Details.Values(kind: kind, message: message.escapingControls(indentation: ""), underlying: underlying))
  }
}

extension LupineError {
  /// Says that a part of the session cannot be used as it is, which no repetition mends and no server is to blame for.
  public static func unusable(_ part: String, _ message: String) -> LupineError {
    LupineError(.configuration([ConfigurationIssue(part: part, reason: message)]), message)
  }

  /// The error that led to this one.
  ///
  /// It is the C library's, the decoder's, what a program's own closure threw, or a `FileFailure`. If a request ends
  /// before its retry is sent, or by a retrier's error, it is the failure of the previous attempt. Otherwise it is the
  /// service's error that `serviceError(as:)` returns, if there is one.
  public var underlying: (any Error)? { details.values.underlying ?? details.values.serviceError }

  /// The request that failed, without its secrets; `nil` when there was none yet.
  public var request: RequestSummary? { details.values.request }

  /// The head of the response, when one had arrived, with secret fields redacted.
  public var response: HTTPResponse? { details.values.response }

  /// What the failed attempt cost, when a transport got to work.
  public var metrics: TransferMetrics? { details.values.metrics }

  /// Whether it is certain that the server has not acted on the request, so that sending it again is safe whatever its
  /// method.
  ///
  /// A transport says so with proof alone, such as a stream that the server refused (RFC 9113 section 8.7) or a GOAWAY
  /// whose last stream is below the request's (section 6.8). The session has then sent the request again already, up to
  /// three times in each attempt, where its body could be. `false` means that it is not known.
  public var isUnprocessed: Bool { details.values.isUnprocessed }

  /// What continues an interrupted download; `nil` where nothing can be continued.
  ///
  /// An opaque value that can be stored. It holds the download's URL, so it is as secret as that.
  public var resumeData: Data? { details.values.resumeData }

  /// Returns the error with what continues the download.
  package func resumable(with data: Data?) -> LupineError { replacing { $0.resumeData = data } }

  /// Returns the error with the request it belongs to; the first one told stays.
  package func about(_ request: RequestSummary) -> LupineError {
    details.values.request == nil ? replacing { $0.request = request } : self
  }

  /// Returns the error with the head of the response, secrets redacted; the first one told stays.
  package func about(_ response: HTTPResponse) -> LupineError {
    details.values.response == nil ? replacing { $0.response = response.redacted() } : self
  }

  /// Returns the error with the measurements of the attempt that failed.
  public func measured(_ metrics: TransferMetrics) -> LupineError {
    details.values.metrics == nil ? replacing { $0.metrics = metrics } : self
  }

  /// Returns the error with the proof that the server has not acted on the request; see `isUnprocessed`.
  ///
  /// For transports, which mark an error only where the server said so, or the request never left.
  public func unprocessed() -> LupineError { replacing { $0.isUnprocessed = true } }

  /// Returns the error with the values of these fields redacted in its response, besides the standard ones.
  package func hiding(_ secrets: SecretFields) -> LupineError {
    guard let response = details.values.response, response.headerFields.contains(where: { secrets.contains($0.name) })
    else {
      return self
    }
    return replacing { $0.response = response.redacted(secrets) }
  }

  /// Returns the error with a sentence more.
  package func noting(_ note: String) -> LupineError {
    let text = message + separator + note
    return replacing { $0.message = text.escapingControls(indentation: "") }
  }

  /// Returns the error with the failure that came before it as the underlying one; one of its own stays.
  package func following(_ failure: LupineError?) -> LupineError {
    guard let failure, underlying == nil, failure.details !== details else { return self }
    return replacing { $0.underlying = failure }
  }

  /// What stands before a further word; the last line of a message that has several may be one to copy.
  private var separator: String { message.contains("\n") ? "\n" : " " }

  /// The first bytes of the response's body, content codings undone; `nil` if there was no body, or no validator or
  /// serializer failed.
  ///
  /// Every error that a validator or a serializer makes has them, of data requests, uploads, downloads and streams alike; a
  /// line of a stream that does not decode is the body of its error. `Limits.errorBody` bounds them. Of a stream that is
  /// refused at its head they are read before it fails: see the guide Streams.
  public var body: Data? { details.values.body }

  /// The service's own error that was decoded from `body`; see `serviceError(as:)`.
  package var decodedServiceError: (any Error)? { details.values.serviceError }

  /// Returns the error with the first bytes of the response's body; the first one told stays.
  ///
  /// - Parameter limit: how many bytes are kept. A copy is made where the body is longer, which is not held for them.
  package func carrying(_ body: Data, limit: Int64) -> LupineError {
    guard details.values.body == nil, !body.isEmpty, limit > 0 else { return self }
    let count = Int(clamping: limit)
    let kept = body.count <= count ? body : body.prefix(count).withUnsafeBytes { Data($0) }
    return replacing { $0.body = kept }
  }

  /// Returns the error with the service's own, which its body is.
  package func explained(by serviceError: any Error) -> LupineError { replacing { $0.serviceError = serviceError } }

  private func replacing(_ change: (inout Details.Values) -> Void) -> LupineError {
    var copy = self
    var values = details.values
    change(&values)
    copy.details = Details(values)
    return copy
  }
}

extension LupineError {
  private final class Details: Sendable {
    struct Values: Sendable {
      var kind: Kind
      var message: String
      var underlying: (any Error)?
      var request: RequestSummary?
      var response: HTTPResponse?
      var metrics: TransferMetrics?
      var resumeData: Data?
      var isUnprocessed = false
      var body: Data?
      var serviceError: (any Error)?
    }

    let values: Values

    init(_ values: Values) { self.values = values }
  }
}

extension LupineError: CustomStringConvertible {
  /// The message, the request and status it belongs to, and the media type and length of `body`.
  public var description: String {
    var text = message
    let separator = message.contains("\n") ? "\n" : " "
    if let request { text += "\(separator)[\(request)]" }
    if let response { text += " [status \(response.status.code)]" }
    if let shape = bodyShape { text += " [body: \(shape)]" }
    return text
  }

  /// What is shown of `body`, such as `application/json, 35 bytes`.
  private var bodyShape: String? {
    guard let body else { return nil }
    let field = response?.headerFields[.contentType]
    let type = field.flatMap { MediaType($0)?.essence }?.escapingControls(limit: 200) ?? "unknown type"
    return "\(type), \(body.count) bytes"
  }
}

extension LupineError: LocalizedError {
  /// The message, which `localizedDescription` returns as well.
  public var errorDescription: String? { message }
}

extension LupineError: CustomReflectable {
  /// The parts, of `body` the media type and the length alone.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "kind": kind, "message": message, "request": request as Any, "response": response as Any,
        "metrics": metrics as Any, "body": bodyShape as Any, "underlying": underlying as Any,
      ])
  }
}
