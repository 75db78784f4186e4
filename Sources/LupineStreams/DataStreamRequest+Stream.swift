public import HTTPTypes
public import LupineCore
import LupineSession

extension DataStreamRequest {
  /// The argument of a stream's handler: the next value, or the end.
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

    /// The reason why the request failed; `nil` before the end, and if the request succeeded.
    public var error: LupineError? { completion?.error }

    /// Cancels the request: the handler receives only the end, and no further value.
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
    /// The request as it was last sent; `nil` if it could not be made.
    public let request: OutgoingRequest?
    /// The head of the response, if one arrived.
    public let response: HTTPResponse?
    /// The trailers, if the body is complete and has trailers.
    public let trailers: HTTPFields?
    /// The metrics of the last exchange; `nil` if no transport was used.
    public let metrics: TransferMetrics?
    /// Why the request failed; `nil` if it succeeded.
    public let error: LupineError?

    /// - Parameter outcome: `nil` if another reader has the response.
    init(_ outcome: RequestOutcome?, error: LupineError?) {
      let cause = error ?? outcome?.error
      request = outcome?.request
      response = outcome?.head ?? cause?.response
      trailers = outcome?.response?.trailers
      metrics = outcome?.metrics ?? cause?.metrics
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
