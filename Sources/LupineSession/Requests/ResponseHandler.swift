public import LupineCore
public import LupineFoundation

/// Decides where the body of a response goes, for a kind of request that does not store the body in memory.
///
/// `Session.makeExecution(handler:request:)` takes the handler of one request. `DownloadRequest` has a handler that
/// writes a file, `DataStreamRequest` one that hands pieces to a reader, and a program can have one of its own:
///
/// ```swift
/// func decide(
///   _ response: TransportResponse, to request: OutgoingRequest, in session: Session
/// ) async throws(LupineError) -> ResponseDecision {
///   let isSuccessful = response.head.status.kind == .successful
///   let stage = isSuccessful ? ChecksumStage() : nil
///   self.stage.withLock { $0 = stage }
///   // The first bytes of another response go to memory, for the error of a validator.
///   let sink = BodySink(.collect(limit: session.limits.errorBody), stages: stage.map { [$0] } ?? [])
///   return ResponseDecision(.receive(sink, offset: 0), acceptsLongBody: !isSuccessful)
/// }
/// ```
///
/// The session calls the methods one after another, in the task that runs the request, off the transport's thread and
/// outside its locks. A method may wait for a disk, with `BlockingWork`, or for code of the program; no transport waits
/// meanwhile. Several attempts of the request use the same handler.
///
/// A handler does not retry, validate, follow redirects or answer challenges: the session does. It must not retain the
/// execution, which retains the handler.
public protocol ResponseHandler: AnyObject, Sendable {
  /// Whether the handler keeps the part of a body that arrived before a failure, and can request the rest.
  ///
  /// A body that was cut is then never taken for a complete one, as `ResponseTolerances.missingCloseNotify` otherwise
  /// does, if its head shows that the rest can be requested. Default: `false`.
  var keepsPartialBody: Bool { get }

  /// Begins the request; called once, before the first attempt and its adapters.
  ///
  /// A cancellation of the request cancels the calling task. By default, it returns the request unchanged.
  ///
  /// - Returns: the request of every attempt.
  /// - Throws: `LupineError` if the request cannot begin; it then ends without an attempt.
  func begin(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest

  /// Returns the request of one attempt, for example one for the rest of a file; called after the adapters.
  ///
  /// The handler first resets what it decided in an earlier attempt. By default, it returns the request unchanged.
  func prepare(_ request: OutgoingRequest, in session: Session) async -> OutgoingRequest

  /// Decides about a response that is neither a followed redirect nor an answered challenge.
  ///
  /// Called for each such response, before validation, also for a status that a validator refuses later. The body may
  /// still be arriving; it has no destination before the decision. The method does not open the body.
  ///
  /// - Parameter request: the request without cookies and without answers to challenges.
  /// - Throws: `LupineError` if the response cannot be used. The attempt then fails, and the retriers decide.
  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in session: Session
  ) async throws(LupineError) -> ResponseDecision

  /// Drops the stored part of the last response, because a validator or the program has refused the response.
  ///
  /// By default, it drops nothing and returns `nil`.
  ///
  /// - Returns: the first bytes of the body, at most `limit`, for the error; `nil` if the sink has collected them.
  func dropResponse(keeping limit: Int64) async -> Data?

  /// Checks a response that has arrived completely and was validated; called before the serializers and `conclude(_:)`.
  ///
  /// A cancellation of the request cancels the calling task. By default, it accepts the response.
  ///
  /// - Throws: `LupineError` if the response cannot be used. The request then ends with it, without another attempt.
  func check(_ response: ReceivedResponse) async throws(LupineError)

  /// Returns the response with the content that serializers read, for example the bytes of a file.
  ///
  /// Called after `check(_:)`, if a serializer reads the response: before `conclude(_:)` if retriers decide about a
  /// failure of the serializer, otherwise after it. After `conclude(_:)` it may be called concurrently. By default, it
  /// returns the response unchanged.
  ///
  /// - Throws: `LupineError` if the content cannot be loaded; the serializer then fails with it.
  func load(_ response: ReceivedResponse, in session: Session) async throws(LupineError) -> ReceivedResponse

  /// Discards all that is stored of a response that passed its check, because a serializer failed and a retrier sends
  /// the request again.
  ///
  /// The next attempt requests the whole content. By default, it calls `dropResponse(keeping:)` with 0.
  func discardResponse() async

  /// Ends the request; called once, also if the request was cancelled before it began.
  ///
  /// A cancellation does not end this method. By default, it returns the outcome unchanged.
  ///
  /// - Returns: the outcome of the request, for every task that awaits it.
  func conclude(_ outcome: RequestOutcome) async -> RequestOutcome
}

extension ResponseHandler {
  /// `false`.
  public var keepsPartialBody: Bool { false }

  /// Returns the request unchanged.
  public func begin(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest { request }

  /// Returns the request unchanged.
  public func prepare(_ request: OutgoingRequest, in session: Session) async -> OutgoingRequest { request }

  /// Returns `nil`.
  public func dropResponse(keeping limit: Int64) async -> Data? { nil }

  /// Accepts the response.
  public func check(_ response: ReceivedResponse) async throws(LupineError) {}

  /// Returns the response unchanged.
  public func load(_ response: ReceivedResponse, in session: Session) async throws(LupineError) -> ReceivedResponse {
    response
  }

  /// Calls `dropResponse(keeping:)` with 0.
  public func discardResponse() async { _ = await dropResponse(keeping: 0) }

  /// Returns the outcome unchanged.
  public func conclude(_ outcome: RequestOutcome) async -> RequestOutcome { outcome }
}

/// Hands over the body of a response to a reader while it arrives.
///
/// Validators and retriers decide at the head. After a response has been handed over, no retrier decides any more, and
/// the request ends when the reader has taken the last byte.
public protocol StreamedResponseHandler: ResponseHandler {
  /// Hands over a response that was validated, before any of its body has been read; it must not wait.
  ///
  /// `decide(_:to:in:)` has chosen the destination `stream(window:)`. The reader takes the pieces with
  /// `ResponseBody.next()`, or drops the body with `ResponseBody.abandon()`.
  func handOver(_ response: TransportResponse)

  /// Decides whether the request continues after an attempt that no retrier repeats.
  ///
  /// Not called if the request was cancelled. A cancellation of the request cancels the calling task. By default, the
  /// request ends.
  func followUp(after outcome: RequestOutcome) async -> FollowUp
}

extension StreamedResponseHandler {
  /// Ends the request.
  public func followUp(after outcome: RequestOutcome) async -> FollowUp { .end() }
}

/// The next step after an attempt whose response was handed over, such as another connection of a stream of events.
public enum FollowUp: Sendable {
  /// The request ends.
  ///
  /// - error: the error of the request; `nil` means that of the attempt, if it failed.
  /// - reason: why there is no further attempt, for monitors.
  case end(LupineError? = nil, reason: String? = nil)
  /// The request ends because it was cancelled before the handler decided.
  case interrupted
  /// Another attempt follows, whose response is handed over as well.
  case next(OutgoingRequest, after: Duration, reason: String)
}

/// The decision of a `ResponseHandler` about a response, made at its head.
public struct ResponseDecision: Sendable {
  /// The next step after the head.
  public enum Step: Sendable {
    /// The body is received.
    ///
    /// The session decodes its content codings before the stages of the sink.
    ///
    /// - offset: the number of bytes that an earlier response brought; the progress of the download starts there.
    case receive(BodySink, offset: Int64)
    /// The body is discarded, and the request that the closure returns is sent once it has ended.
    ///
    /// A cancellation of the request cancels the closure's task.
    case send(@Sendable () async throws(LupineError) -> OutgoingRequest)
  }

  /// The next step after the head.
  public var step: Step
  /// The reasons, for the session's monitors.
  public var events: [SessionEvent.Kind]
  /// Whether the response is accepted without a body that exceeds a limit, such as an unread error page.
  public var acceptsLongBody: Bool

  /// Makes a decision.
  public init(_ step: Step, events: [SessionEvent.Kind] = [], acceptsLongBody: Bool = false) {
    self.step = step
    self.events = events
    self.acceptsLongBody = acceptsLongBody
  }
}
