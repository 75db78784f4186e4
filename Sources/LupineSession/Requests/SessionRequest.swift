import HTTPTypes
public import LupineCore
import Synchronization

/// A request of a session: an execution, which can be held back, changed until it starts, and cancelled.
///
/// It is lazy: it starts when its first handler is attached or it is first awaited, and not before `resume()` where the
/// session's `startsImmediately` is off. Copies are the same request.
public protocol SessionRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The execution that the copies share.
  var handle: RequestHandle { get }
}

extension SessionRequest {
  package var task: RequestExecution { handle.task }

  /// The request's number in its session.
  public var id: RequestID { task.id }

  /// The request as it was sent last, or as it was described; `nil` where it could not be made.
  public var request: OutgoingRequest? { task.state.withLock { $0.sent } ?? task.described }

  /// Starts the request where it waits to be started, and lets it go on where it was suspended.
  @discardableResult
  public func resume() -> Self {
    task.resume()
    return self
  }

  /// Holds the request back: one that has not started does not, and one that receives reads no more of its response.
  ///
  /// The idle timeout rests meanwhile, the total one does not.
  @discardableResult
  public func suspend() -> Self {
    task.suspend()
    return self
  }

  /// Ends the request with kind `cancelled`, unless it has ended; its handlers are called with that error.
  @discardableResult
  public func cancel() -> Self {
    task.cancel()
    return self
  }

  /// Adds what changes this request on every attempt, after the session's adapters.
  @discardableResult
  public func adapter(_ adapter: some RequestAdapter) -> Self { setting { $0.adapters.append(adapter) } }

  /// Adds what decides whether this request is sent again, after the session's retriers.
  @discardableResult
  public func retrier(_ retrier: some Retrier) -> Self { setting { $0.retriers.append(retrier) } }

  /// Adds what stands around each attempt of this request, inside the session's interceptors.
  @discardableResult
  public func interceptor(_ interceptor: some Interceptor) -> Self { setting { $0.interceptors.append(interceptor) } }

  /// Sets what happens at this request's redirects.
  @discardableResult
  public func redirector(_ redirector: Redirector) -> Self { setting { $0.redirector = redirector } }

  /// Answers challenges of the server with a name and a password, once.
  @discardableResult
  public func authenticate(username: String, password: String) -> Self {
    authenticate(with: Credential(username: username, password: password))
  }

  /// Answers challenges of the server with a credential, once: a wrong one ends with the 401.
  @discardableResult
  public func authenticate(with credential: Credential) -> Self { setting { $0.credential = credential } }

  /// Asks the closure for a credential when the server challenges and no other credential is left to try.
  ///
  /// It is asked again where its credential is refused, up to five times an attempt; `nil`, or a credential that was
  /// refused already, ends with the 401. A challenge of another origin, after a redirect, is not put to it.
  @discardableResult
  public func onChallenge(_ provide: @escaping CredentialProvider) -> Self {
    setting { $0.credentialProvider = provide }
  }

  func setting(_ change: (inout RequestSettings) -> Void) -> Self {
    task.state.withLock { change(&$0.settings) }
    return self
  }

  /// The method, the URL without its query's values, and the status once there is one.
  public var description: String {
    guard let request else { return "a request that could not be made" }
    let status = task.state.withLock { $0.status }.map { " (\($0))" } ?? ""
    return "\(request.summary)\(status)"
  }

  /// The command that makes the same request with curl, secrets redacted.
  public var debugDescription: String {
    guard let request else { return description }
    return CurlCommand(request, secrets: task.session.configuration.secretFields).description
  }

  /// The command that makes the same request with curl, secrets redacted; starts the request and waits for its end, or for
  /// the head of a stream, so that what adapters and redirects changed stands in it.
  public func cURLDescription() async -> String {
    await task.answered()
    return debugDescription
  }
}
