public import HTTPTypes
public import LupineCore
import LupineFoundation
import Synchronization

/// A request of a session, which can be suspended, cancelled, and changed until it starts.
///
/// It starts at its first handler or first `await`, or, if `startsImmediately` is `false`, at `resume()`.
/// Copies refer to the same request.
///
/// A type of request adopts this protocol with the execution that `Session.makeExecution(handler:request:)` makes. The
/// type then has every method of the protocol, such as `validate()`, `retrier(_:)` and `cancel()`.
public protocol SessionRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The execution, which all copies share.
  var execution: RequestExecution { get }
}

extension SessionRequest {
  /// The request's number in its session.
  public var id: RequestID { execution.id }

  /// The request as it was last sent, or as it was described; `nil` if it could not be created.
  public var request: OutgoingRequest? { execution.state.withLock { $0.sent } ?? execution.described }

  /// Starts a request that has not started, and continues one that is suspended.
  @discardableResult
  public func resume() -> Self {
    execution.resume()
    return self
  }

  /// Sets whether this request starts at its first handler or `await`; if `false`, it starts at `resume()`.
  ///
  /// The call has no effect on a request that has started or is suspended. With `true`, a request that is already
  /// awaited starts. Default: the session's setting, see
  /// `Session.Builder.startsImmediately(_:)`.
  ///
  /// ```swift
  /// let prepared = session.request("report").startsImmediately(false)
  ///   .responseString { response in print(response.result) }
  /// // Nothing is sent before this call.
  /// prepared.resume()
  /// ```
  @discardableResult
  public func startsImmediately(_ startsImmediately: Bool) -> Self {
    execution.setHeld(!startsImmediately)
    return self
  }

  /// Suspends the request: it does not start, or reads no more of its response.
  ///
  /// The idle timeout pauses meanwhile; the total timeout does not.
  @discardableResult
  public func suspend() -> Self {
    execution.suspend()
    return self
  }

  /// Ends the request with kind `cancelled`, unless it has ended; its handlers are called with that error.
  @discardableResult
  public func cancel() -> Self {
    execution.cancel()
    return self
  }

  /// Adds an adapter, which changes this request on every attempt, after the session's adapters.
  @discardableResult
  public func adapter(_ adapter: any RequestAdapter) -> Self { setting { $0.adapters.append(adapter) } }

  /// Adds a retrier, which decides whether this request is retried, after the session's retriers.
  @discardableResult
  public func retrier(_ retrier: any Retrier) -> Self {
    execution.add(retrier)
    return self
  }

  /// Adds an interceptor around each attempt of this request, inside the session's interceptors.
  @discardableResult
  public func interceptor(_ interceptor: any Interceptor) -> Self { setting { $0.interceptors.append(interceptor) } }

  /// Adds a monitor, which receives the events of this request alone, after the session's monitors.
  ///
  /// It receives every event from now on, those of the transport included. `EventMonitor` says where it is called.
  ///
  /// ```swift
  /// let watched = try await session.request("report")
  ///   .monitor(.custom { event in print(event) })
  ///   .serializingString().value
  /// ```
  @discardableResult
  public func monitor(_ monitor: any EventMonitor) -> Self {
    execution.add(monitor)
    return self
  }

  /// Sets how this request's redirects are handled.
  @discardableResult
  public func redirector(_ redirector: Redirector) -> Self { setting { $0.redirector = redirector } }

  /// Answers challenges of the server with a username and a password, once.
  @discardableResult
  public func authenticate(username: String, password: String) -> Self {
    authenticate(with: Credential(username: username, password: password))
  }

  /// Answers challenges of the server with a credential, once; a wrong credential ends with the 401.
  @discardableResult
  public func authenticate(with credential: Credential) -> Self { setting { $0.credential = credential } }

  /// Calls the closure for a credential when the server challenges and no other credential is left to try.
  ///
  /// If its credential is refused, the closure is called again, up to five times per attempt. `nil`, or a credential
  /// that was already refused, ends with the 401. The closure is not called for a challenge of another origin after a
  /// redirect. `CredentialProvider` says where it is called.
  @discardableResult
  public func onChallenge(_ provide: @escaping CredentialProvider) -> Self {
    setting { $0.credentialProvider = provide }
  }

  func setting(_ change: (inout RequestSettings) -> Void) -> Self {
    execution.state.withLock { change(&$0.settings) }
    return self
  }

  /// The method, the URL without the values of its query, and the status once there is one.
  public var description: String {
    guard let request else { return "a request that could not be created" }
    let status = execution.state.withLock { $0.status }.map { " (\($0))" } ?? ""
    return "\(request.summary)\(status)"
  }

  /// The curl command that repeats the request, with secrets redacted.
  public var debugDescription: String {
    guard let request else { return description }
    return CurlCommand(request, secrets: execution.session.configuration.secretFields).description
  }

  /// The curl command that repeats the request, with secrets redacted.
  ///
  /// Starts the request and waits for its end, or for the head of a stream, so that the command includes the changes of
  /// adapters and redirects. Cancelling the caller's task cancels the request.
  public func cURLDescription() async -> String {
    await execution.answered()
    return debugDescription
  }
}

extension SessionRequest {
  /// Decides at the head of the response whether its body is received.
  ///
  /// Called once for each attempt with a response, in a task of the request, off the caller's actor and off the
  /// transport's thread, before validation; not called for redirects that are followed or challenges that are answered.
  /// A stream's consumer receives nothing before the closure returns. A download that is cancelled here can be resumed.
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

  /// The attributes that layers and interceptors have set for the last response, after its head has been accepted.
  ///
  /// Empty before that, and if nothing is stated. For a stream, read it after its `head`.
  public var responseAttributes: ResponseAttributes {
    execution.state.withLock { state in
      if case .finished(let outcome) = state.phase { outcome.attributes } else { state.history.last.attributes }
    }
  }

  /// The metrics of each exchange that has ended, in order, including redirects, challenges and retries.
  ///
  /// Only the newest 100 are kept, for example of a long event stream.
  public var allMetrics: [TransferMetrics] { execution.state.withLock { $0.history.allMetrics } }
}
