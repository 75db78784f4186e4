public import HTTPTypes
public import LupineCore
import LupineSession

extension DataStreamRequest {
  /// What a stream's handler is called with: the next value, or the end.
  public struct Stream<Value: Sendable>: Sendable {
    /// What happened.
    public let event: Event
    let task: RequestExecution

    /// The next value; `nil` at the end.
    public var value: Value? {
      if case .stream(let value) = event { value } else { nil }
    }

    /// The end; `nil` before it.
    public var completion: Completion? {
      if case .complete(let completion) = event { completion } else { nil }
    }

    /// Why the request failed; `nil` before the end, and where it ended well.
    public var error: LupineError? { completion?.error }

    /// Cancels the request: the handler is called with its end, and with no value before that.
    public func cancel() { task.cancel() }

    func map<Other: Sendable>(_ transform: (Value) -> Other) -> Stream<Other> {
      switch event {
      case .stream(let value): Stream<Other>(event: .stream(transform(value)), task: task)
      case .complete(let completion): Stream<Other>(event: .complete(completion), task: task)
      }
    }

    /// What happened to a stream.
    public enum Event: Sendable {
      /// The next value.
      case stream(Value)
      /// The end. Nothing comes after it.
      case complete(Completion)
    }
  }

  /// How a stream's request ended.
  public struct Completion: Sendable {
    /// The request as it was sent last; `nil` where it could not be made.
    public let request: OutgoingRequest?
    /// The head of the response, where one arrived.
    public let response: HTTPResponse?
    /// The trailers, where the body came to its end and had some.
    public let trailers: HTTPFields?
    /// What the last exchange cost, where a transport got to work.
    public let metrics: TransferMetrics?
    /// Why the request failed; `nil` where it ended well.
    public let error: LupineError?

    init(_ outcome: Outcome, error: LupineError?) {
      let cause = error ?? outcome.error
      request = outcome.request
      response = outcome.head ?? cause?.response
      trailers = outcome.response?.trailers
      metrics = outcome.metrics ?? cause?.metrics
      self.error = cause
    }
  }
}

extension DataStreamRequest.Stream: CustomStringConvertible {
  /// The value, or how the request ended.
  public var description: String { event.description }
}

extension DataStreamRequest.Stream.Event: CustomStringConvertible {
  /// The value, or how the request ended.
  public var description: String {
    switch self {
    case .stream(let value): "\(value)"
    case .complete(let completion): completion.description
    }
  }
}

extension DataStreamRequest.Completion: HidesSecrets {
  /// The request, the status and the error, on one line, without secrets.
  public var description: String {
    let head = [request?.summary.description, response.map { "(\($0.status.code))" }].compactMap { $0 }
    return "\(head.joined(separator: " ")): \(error?.message ?? "complete")"
  }
}
