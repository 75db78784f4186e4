public import HTTPTypes
public import LupineFoundation
import LupineSupport

/// An error of a request or of the configuration of a session.
///
/// A program acts on `kind`; `message` is for people and contains the problem and advice. An error contains no secret:
/// it shows the request as its method and its URL without query values, and secret response fields are redacted. Only
/// the mock's kind `unmatchedRequest` shows query values, except for parameters with names such as `api_key`, and the
/// differences of the body. `body` contains the server's data, which may be secret: descriptions and `dump` show only
/// its media type and length.
public struct LupineError: Error, Sendable {
  /// The category of the error.
  public var kind: Kind { details.values.kind }

  /// The problem and advice, in one or two sentences.
  public var message: String { details.values.message }

  /// Stored behind one reference, so that an error takes one word.
  private var details: Details

  /// Describes one failure.
  ///
  /// - Parameters:
  ///   - kind: the category.
  ///   - message: one or two sentences without a secret. Control bytes, which a server may have sent, are escaped.
  ///   - underlying: the cause of this error.
  public init(_ kind: Kind, _ message: String, underlying: (any Error)? = nil) {
    details = Details(
      Details.Values(kind: kind, message: message.escapingControls(indentation: ""), underlying: underlying))
  }
}

extension LupineError {
  /// Creates an error for a part of the session that cannot be used.
  ///
  /// A retry does not help, and the server is not the cause.
  public static func unusable(_ part: String, _ message: String) -> LupineError {
    LupineError(.configuration([ConfigurationIssue(part: part, reason: message)]), message)
  }

  /// The cause of this error.
  ///
  /// It is the error of the C library, of the decoder or of a program's closure, or a `FileFailure`. If a request ends
  /// before its retry is sent, or with a retrier's error, it is the failure of the previous attempt. Otherwise it is
  /// the service's error that `serviceError(as:)` returns, if there is one.
  public var underlying: (any Error)? { details.values.underlying ?? details.values.serviceError }

  /// The request that failed, without its secrets; `nil` if there was none yet.
  public var request: RequestSummary? { details.values.request }

  /// The head of the response, if one arrived, with secret fields redacted.
  public var response: HTTPResponse? { details.values.response }

  /// The metrics of the failed attempt, if the transport began it.
  public var metrics: TransferMetrics? { details.values.metrics }

  /// Whether the server has certainly not processed the request, so that any method can be sent again safely.
  ///
  /// A transport sets it only with proof, such as a stream that the server refused (RFC 9113 section 8.7) or a GOAWAY
  /// whose last stream is below the request's (section 6.8). The session has then already sent the request again, up to
  /// three times in each attempt, if its body allowed it. `false` means unknown.
  public var isUnprocessed: Bool { details.values.isUnprocessed }

  /// The data to continue an interrupted transfer, such as a download; `nil` if it cannot be continued.
  ///
  /// An opaque value that can be stored. It contains the URL of the transfer, so it is as secret as that URL.
  public var resumeData: Data? { details.values.resumeData }

  /// Returns the error with the data to continue its transfer; `nil` removes it.
  ///
  /// A kind of request that can be continued makes the data in a format of its own. Those of `LupineTransfers` are for
  /// `Session.download(resumingWith:)`, which refuses others.
  public func resumable(with data: Data?) -> LupineError { replacing { $0.resumeData = data } }

  /// Returns the error with its request, unless it already has one.
  ///
  /// The session adds the request to every error of an exchange; a plugin does it for the errors of its own work.
  public func about(_ request: RequestSummary) -> LupineError {
    details.values.request == nil ? replacing { $0.request = request } : self
  }

  /// Returns the error with the redacted head of the response, unless it already has one.
  ///
  /// A layer uses it for an error that it throws in the place of a response. Fields that only this session declares
  /// secret are redacted when the session passes the error on.
  public func about(_ response: HTTPResponse) -> LupineError {
    details.values.response == nil ? replacing { $0.response = response.redacted() } : self
  }

  /// Returns the error with the metrics of the failed attempt, unless it already has them.
  public func measured(_ metrics: TransferMetrics) -> LupineError {
    details.values.metrics == nil ? replacing { $0.metrics = metrics } : self
  }

  /// Returns the error marked as unprocessed by the server; see `isUnprocessed`.
  ///
  /// For transports. They mark an error only if the server said so or the request was never sent.
  public func unprocessed() -> LupineError { replacing { $0.isUnprocessed = true } }

  /// Returns the error with the values of these fields redacted in its response, in addition to the standard ones.
  public func redacted(_ secrets: SecretFields) -> LupineError {
    guard let response = details.values.response, response.headerFields.contains(where: { secrets.contains($0.name) })
    else {
      return self
    }
    return replacing { $0.response = response.redacted(secrets) }
  }

  /// Returns the error with an additional sentence at the end of its message.
  ///
  /// - Parameter sentence: text without a secret. Control bytes are escaped.
  public func appending(_ sentence: String) -> LupineError {
    let text = message + separator + sentence
    return replacing { $0.message = text.escapingControls(indentation: "") }
  }

  /// Returns the error with this failure as `underlying`, unless it already has an underlying error.
  ///
  /// For code that ends a request with an error of its own after a failure.
  public func wrapping(_ failure: LupineError?) -> LupineError {
    guard let failure, underlying == nil, failure.details !== details else { return self }
    return replacing { $0.underlying = failure }
  }

  /// The separator before an additional sentence: a newline if the message has several lines, because the last one may
  /// be a line to copy.
  private var separator: String { message.contains("\n") ? "\n" : " " }

  /// The first bytes of the response's body, decoded; `nil` without a body, or if no validator or serializer failed.
  ///
  /// Every error of a validator or a serializer has them, for data requests, uploads, downloads and streams. If a line
  /// of a stream cannot be decoded, it is the body of the error. `Limits.errorBody` is the maximum size. If a stream is
  /// refused at its head, its body is read before it fails: see the guide Streams.
  public var body: Data? { details.values.body }

  /// The service's error that was decoded from `body`; see `serviceError(as:)`.
  // For `LupineCoding`, whose serializers decode it and whose `serviceError(as:)` returns it.
  package var decodedServiceError: (any Error)? { details.values.serviceError }

  /// Returns the error with the first bytes of the response's body, unless it already has a body.
  ///
  /// A layer or an interceptor uses it for an error that it throws in the place of a response.
  ///
  /// - Parameter limit: the number of bytes to keep. They are copied if the body is longer, so that the whole body is
  ///   not retained.
  public func carrying(_ body: Data, limit: Int64) -> LupineError {
    guard details.values.body == nil, !body.isEmpty, limit > 0 else { return self }
    let count = Int(clamping: limit)
    let kept = body.count <= count ? body : body.prefix(count).withUnsafeBytes { Data($0) }
    return replacing { $0.body = kept }
  }

  /// Returns the error with the service's error that was decoded from its body.
  // For `LupineCoding`; see `decodedServiceError`.
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
  /// The message, the request and its status, and the media type and length of `body`.
  public var description: String {
    var text = message
    let separator = message.contains("\n") ? "\n" : " "
    if let request { text += "\(separator)[\(request)]" }
    if let response { text += " [status \(response.status.code)]" }
    if let shape = bodyShape { text += " [body: \(shape)]" }
    return text
  }

  /// The description of `body`, such as `application/json, 35 bytes`.
  private var bodyShape: String? {
    guard let body else { return nil }
    let field = response?.headerFields.singleton(.contentType)
    let type = field.flatMap { MediaType($0)?.essence }?.escapingControls(limit: 200) ?? "unknown type"
    return "\(type), \(body.count) bytes"
  }
}

extension LupineError: LocalizedError {
  /// The message.
  ///
  /// `localizedDescription` returns it as well.
  public var errorDescription: String? { message }
}

extension LupineError: CustomReflectable {
  /// The parts of the error; of `body` only the media type and the length.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "kind": kind, "message": message, "request": request as Any, "response": response as Any,
        "metrics": metrics as Any, "body": bodyShape as Any, "underlying": underlying as Any,
      ])
  }
}

extension LupineError {
  /// Whether a body exceeded a limit on its size.
  var isTooLong: Bool {
    switch kind {
    case .limitExceeded(.responseBody), .limitExceeded(.decodedBodySize), .limitExceeded(.decodingRatio): true
    default: false
    }
  }

  /// The error of a body that exceeds a limit.
  static func exceeds(_ limit: Int64, _ name: Limits.Name) -> LupineError {
    LupineError(
      .limitExceeded(name),
      "The response's body is larger than \(limit) bytes, the limit \(name.rawValue); raise it on the builder if such bodies are expected."
    )
  }
}
