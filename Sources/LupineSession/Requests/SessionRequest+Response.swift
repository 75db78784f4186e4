import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import Synchronization

extension SessionRequest {
  /// Decides at the head of the response whether its body is wanted.
  ///
  /// Called once for each attempt that is answered, off the transport's thread, with a head that no redirect or challenge
  /// goes on from, before validation. Nothing is handed to a stream's consumer before it returns. A download that is
  /// cancelled here can be resumed as any other.
  @discardableResult
  public func onHTTPResponse(_ decide: @escaping @Sendable (HTTPResponse) async -> ResponseDisposition) -> Self {
    setting { $0.responseDeciders.append(decide) }
  }

  /// Calls the handler with each interim (1xx) response, such as 103 Early Hints (RFC 8297).
  ///
  /// The calls come in order, off the transport's thread, and all of them before the request ends, unless it is cancelled
  /// or its time is over: that cancels the handler's task and does not wait for it. What is hinted at comes from the
  /// server, like any response; the final head says what counts. A stream of events has them called for each of its
  /// connections.
  @discardableResult
  public func onInterimResponse(_ handler: @escaping @Sendable (HTTPResponse) async -> Void) -> Self {
    let listener = InterimListener(executor: task.session.configuration.executor, handler)
    return setting { $0.interimListeners.append(listener) }
  }

  /// The trailers of the last response; waits until its body has ended, and starts the request for it.
  ///
  /// A stream's body ends when its consumer has taken all of it. libcurl 7.88 brings none over HTTP/2 where the
  /// head tells the body's length.
  public var trailers: HTTPFields? {
    get async { await task.outcome().response?.trailers }
  }

  /// What each exchange cost that has ended, in their order: redirects, challenges and retries included.
  ///
  /// Of more than 100, such as the connections of a long stream of events, the newest 100 are kept.
  public var allMetrics: [TransferMetrics] { task.state.withLock { $0.allMetrics } }
}

extension SessionRequest {
  /// Refuses statuses outside 200..<300, and a `Content-Type` that the request's `Accept` does not allow.
  @discardableResult
  public func validate() -> Self {
    // Most requests have no other rules, and share the array.
    setting {
      $0.validators = $0.validators.isEmpty ? ResponseValidator.standard : $0.validators + ResponseValidator.standard
    }
  }

  /// Refuses statuses that are not among these.
  @discardableResult
  public func validate(statusCode acceptable: some Sequence<Int> & Sendable) -> Self {
    setting { $0.validators.append(.statusCodes(acceptable)) }
  }

  /// Refuses media types that none of these ranges, such as `text/*`, allows; an empty body has no type to refuse.
  @discardableResult
  public func validate(contentType acceptable: some Sequence<String> & Sendable) -> Self {
    setting { $0.validators.append(.contentTypes(acceptable)) }
  }

  /// Refuses the responses that the closure throws for.
  @discardableResult
  public func validate(_ validation: @escaping Validation) -> Self {
    setting { $0.validators.append(.custom(validation)) }
  }
}
