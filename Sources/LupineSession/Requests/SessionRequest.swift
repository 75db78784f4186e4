import HTTPTypes
public import LupineCore
import Synchronization

/// A request of a session, which can be suspended, cancelled, and changed until it starts.
///
/// It starts at its first handler or first `await`, or, if the session's `startsImmediately` is `false`, at `resume()`.
/// Copies refer to the same request.
///
/// A type of request adopts this protocol with the execution that `Session.makeExecution(handler:request:)` makes. All
/// that the protocol offers, such as `validate()`, `retrier(_:)` and `cancel()`, then works.
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
  public func adapter(_ adapter: some RequestAdapter) -> Self { setting { $0.adapters.append(adapter) } }

  /// Adds a retrier, which decides whether this request is retried, after the session's retriers.
  @discardableResult
  public func retrier(_ retrier: some Retrier) -> Self { setting { $0.retriers.append(retrier) } }

  /// Adds an interceptor around each attempt of this request, inside the session's interceptors.
  @discardableResult
  public func interceptor(_ interceptor: some Interceptor) -> Self { setting { $0.interceptors.append(interceptor) } }

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
    guard let request else { return "a request that could not be made" }
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
  /// adapters and redirects.
  public func cURLDescription() async -> String {
    await execution.answered()
    return debugDescription
  }
}
