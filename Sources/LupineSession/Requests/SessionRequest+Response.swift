import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import Synchronization

extension SessionRequest {
  /// Decides at the head of the response whether its body is received.
  ///
  /// Called once for each attempt with a response, in a task of the request, off the caller's actor and off the
  /// transport's thread, before validation; not called for
  /// redirects that are followed or challenges that are answered. A stream's consumer receives nothing before the
  /// closure returns. A download that is cancelled here can be resumed.
  @discardableResult
  public func onHTTPResponse(_ decide: @escaping @Sendable (HTTPResponse) async -> ResponseDisposition) -> Self {
    setting { $0.responseDeciders.append(decide) }
  }

  /// Calls the handler with each interim (1xx) response, such as 103 Early Hints (RFC 8297).
  ///
  /// The calls come in order, off the transport's thread, and before the request ends. If the request is cancelled or
  /// times out, the handler's task is cancelled and the request does not wait for it. The content of an interim
  /// response comes from the server and is a hint; the final head is authoritative. An event stream calls the handler
  /// for each of its connections.
  @discardableResult
  public func onInterimResponse(_ handler: @escaping @Sendable (HTTPResponse) async -> Void) -> Self {
    let listener = InterimListener(executor: execution.session.configuration.executor, handler)
    return setting { $0.interimListeners.append(listener) }
  }

  /// The trailers of the last response; starts the request and waits until its body has ended.
  ///
  /// A stream's body ends when its consumer has received all of it. libcurl 7.88 reports no trailers over HTTP/2 if the
  /// head contains the body's length.
  public var trailers: HTTPFields? {
    get async { await execution.outcome().response?.trailers }
  }

  /// What transport layers and interceptors state about the last response, once its head has been accepted.
  ///
  /// Empty before, and if they state nothing. For a stream, read it after its `head`.
  public var responseAttributes: ResponseAttributes {
    execution.state.withLock { state in
      if case .finished(let outcome) = state.phase { outcome.attributes } else { state.last.attributes }
    }
  }

  /// The metrics of each exchange that has ended, in order, including redirects, challenges and retries.
  ///
  /// Only the newest 100 are kept, for example of a long event stream.
  public var allMetrics: [TransferMetrics] { execution.state.withLock { $0.allMetrics } }
}

extension SessionRequest {
  /// Refuses statuses outside 200..<300, and a `Content-Type` that the request's `Accept` does not allow.
  @discardableResult
  public func validate() -> Self {
    // Most requests have no other rules and share the array.
    setting {
      $0.validators = $0.validators.isEmpty ? ResponseValidator.standard : $0.validators + ResponseValidator.standard
    }
  }

  /// Refuses statuses that are not in the sequence.
  @discardableResult
  public func validate(statusCode acceptable: some Sequence<Int> & Sendable) -> Self {
    setting { $0.validators.append(.statusCodes(acceptable)) }
  }

  /// Refuses media types that none of these ranges, such as `text/*`, allows; an empty body is not refused.
  @discardableResult
  public func validate(contentType acceptable: some Sequence<String> & Sendable) -> Self {
    setting { $0.validators.append(.contentTypes(acceptable)) }
  }

  /// Refuses the responses that the closure throws for; `Validation` says where it is called.
  @discardableResult
  public func validate(_ validation: @escaping Validation) -> Self {
    setting { $0.validators.append(.custom(validation)) }
  }
}
