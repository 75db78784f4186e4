public import HTTPTypes
public import LupineCore

extension RetryPolicy {
  /// The methods that are harmless to repeat (RFC 9110 section 9.2.2).
  public static let defaultMethods: Set<HTTPRequest.Method> = OutgoingRequest.idempotentMethods

  /// The statuses that are retried, validated or not: Alamofire's, 425 (RFC 8470) and 429 (RFC 6585).
  public static let defaultStatusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

  /// The errors that are retried: what Alamofire's list of network errors comes to here.
  ///
  /// A total timeout is not among them, since no time is left; nor is a certificate that was refused, nor a response that
  /// breaks the rules of HTTP, which would come again.
  public static let defaultErrors: Set<LupineError.Kind> = [
    .hostNotFound, .connectionRefused, .networkUnreachable, .connectionFailed, .connectionLost, .tlsFailed,
    .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt), .contentDecodingFailed,
  ]
}

extension Retrier where Self == RetryPolicy {
  /// Retries idempotent requests up to `limit` times, waiting about twice as long each time.
  public static func backoff(limit: Int = 2) -> RetryPolicy { RetryPolicy(limit: limit) }
}
