public import Dispatch
public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
import LupineSupport

/// A request that stores its response in memory and serializes it to values.
///
/// Any number of handlers can be added. They are called in order, after the response has arrived and been validated.
/// The same response can also be awaited any number of times.
///
/// If a serializer fails, the retriers decide whether the request is sent again. This applies to the handlers and the
/// awaited values that were added before the response arrived, up to the first that fails; their serializers run within
/// the request and its total timeout. A retry drops the values that were made of the earlier response, and the handlers
/// are called once, for the last attempt. A handler or an awaited value that is added later uses the same response, and
/// no retrier decides about it.
public protocol ValueRequest: SessionRequest {}

/// A request that stores its response in memory and serializes it to values.
///
/// Any number of handlers can be added. They are called in order, after the response has arrived and been validated.
/// The same response can also be awaited any number of times.
public struct DataRequest: ValueRequest {
  /// The execution, which all copies share.
  public let execution: RequestExecution

  init(_ execution: RequestExecution) { self.execution = execution }
}

/// A request with its own body, which stores its response in memory and serializes it to values.
public struct UploadRequest: ValueRequest {
  /// The execution, which all copies share.
  public let execution: RequestExecution

  init(_ execution: RequestExecution) { self.execution = execution }
}

extension ValueRequest {
  /// Returns a task for the result of a serializer.
  public func serializingResponse<Serializer: ResponseSerializer>(
    using serializer: Serializer
  ) -> DataTask<Serializer.Output> {
    DataTask(execution, SessionBoundSerializer(serializer, defaults))
  }

  // Swift 6.3.1 refuses a closure in `.closure { … }` if the parameter's type is generic.
  /// Returns a task for the result of a closure.
  public func serializingResponse<Output>(using serializer: ClosureResponseSerializer<Output>) -> DataTask<Output> {
    DataTask(execution, SessionBoundSerializer(serializer, defaults))
  }

  private func serializing<Serializer: ResponseSerializer>(
    _ serializer: (DecodingDefaults) -> Serializer
  ) -> DataTask<Serializer.Output> {
    // Read once, because each access through the protocol copies.
    let execution = execution
    return DataTask(execution, serializer(execution.session.decodingDefaults))
  }

  /// Returns a task for the body.
  public func serializingData() -> DataTask<Data> { serializing { $0.dataSerializer } }

  /// Returns a task for the body as text.
  ///
  /// - Parameter encoding: the body's encoding; `nil` uses the response's, as `StringResponseSerializer` determines it.
  public func serializingString(encoding: TextEncoding? = nil) -> DataTask<String> {
    serializing { $0.stringSerializer(encoding: encoding) }
  }

  /// Returns a task for the body as JSON of any shape.
  public func serializingJSON() -> DataTask<JSONValue> { serializing { $0.jsonSerializer } }

  /// Returns a task for the body as a property list of any shape.
  public func serializingPropertyList() -> DataTask<PropertyListValue> {
    serializing { $0.propertyListSerializer }
  }

  /// Returns a task for the body decoded into a type.
  ///
  /// - Parameters:
  ///   - decoder: decodes the body; `nil` uses the session's decoder, by default JSON.
  ///   - emptyResponseCodes: the statuses that may have no body, which gives an `EmptyResponse` such as an optional;
  ///     `nil` uses the session's, by default 204 and 205.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` uses the session's, by default HEAD.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DataTask<Value> {
    serializing {
      $0.decodableSerializer(
        of: type, decoder: decoder, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
    }
  }

  /// Returns a task for the decoded body, or for the service's error from the body of a refused response.
  ///
  /// If a validator refuses the response, or the body cannot be decoded as `Value`, the body is decoded as `Failure`
  /// with the same decoder. The task throws the refusal as a `LupineError`. Its `serviceError(as:)` returns the
  /// service's error; so does its `underlying`, if it has no other. If the body cannot be decoded as `Failure`, or was
  /// cut at `Limits.errorBody`, the refusal is unchanged. Without a validator no status is refused; see `validate()`.
  public func serializingDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DataTask<Value> {
    serializing {
      $0.decodableSerializer(
        of: type, error: error, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods)
    }
  }
}

/// Each handler is called on its `queue`, or off the caller's thread if the queue is `nil`.
extension ValueRequest {
  /// Calls the handler with the unserialized response, including its body.
  ///
  /// - Parameter queue: the queue of the call; `nil` calls the handler off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void
  ) -> Self {
    handle(queue, UnserializedResponse(), completionHandler)
  }

  /// Calls the handler with the result of a serializer, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func response<Serializer: ResponseSerializer>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
  ) -> Self {
    handle(queue, SessionBoundSerializer(responseSerializer, defaults), completionHandler)
  }

  /// Calls the handler with the result of a closure, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func response<Output>(
    queue: DispatchQueue? = nil, responseSerializer: ClosureResponseSerializer<Output>,
    completionHandler: @escaping @Sendable (DataResponse<Output>) -> Void
  ) -> Self {
    handle(queue, SessionBoundSerializer(responseSerializer, defaults), completionHandler)
  }

  private func handle<Serializer: ResponseSerializer>(
    _ queue: DispatchQueue?, _ serializer: Serializer,
    _ handler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
  ) -> Self {
    let kept = execution.addRetriableSerializer(serializer)
    execution.addCompletionHandler { execution, outcome in
      let response = await Serialization.response(from: outcome, with: serializer, of: execution, kept)
      await Queueing.call(on: queue) { handler(response) }
    }
    return self
  }

  /// Calls the handler with the body, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responseData(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
  ) -> Self {
    handle(queue, defaults.dataSerializer, completionHandler)
  }

  /// Calls the handler with the body as text, where `response(queue:completionHandler:)` does.
  ///
  /// - Parameter encoding: the body's encoding; `nil` uses the response's, as `StringResponseSerializer` determines it.
  @discardableResult
  public func responseString(
    queue: DispatchQueue? = nil, encoding: TextEncoding? = nil,
    completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
  ) -> Self {
    handle(queue, defaults.stringSerializer(encoding: encoding), completionHandler)
  }

  /// Calls the handler with the body as JSON of any shape, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responseJSON(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<JSONValue>) -> Void
  ) -> Self {
    handle(queue, defaults.jsonSerializer, completionHandler)
  }

  /// Calls the handler with the body as a property list of any shape, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responsePropertyList(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<PropertyListValue>) -> Void
  ) -> Self {
    handle(queue, defaults.propertyListSerializer, completionHandler)
  }

  /// Calls the handler with the body decoded into a type, where `response(queue:completionHandler:)` does.
  ///
  /// - Parameters:
  ///   - decoder: decodes the body; `nil` uses the session's decoder, by default JSON.
  ///   - emptyResponseCodes: the statuses that may have no body, which gives an `EmptyResponse` such as an optional;
  ///     `nil` uses the session's, by default 204 and 205.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` uses the session's, by default HEAD.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
  ) -> Self {
    let serializer = defaults.decodableSerializer(
      of: type, decoder: decoder, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
    return handle(queue, serializer, completionHandler)
  }

  /// Calls the handler with the decoded body, or with the service's error from the body of a refused response.
  ///
  /// See `serializingDecodable(_:error:)`. The handler is called where `response(queue:completionHandler:)` calls it.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, queue: DispatchQueue? = nil,
    decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int>? = nil,
    emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
  ) -> Self {
    let serializer = defaults.decodableSerializer(
      of: type, error: error, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
      emptyRequestMethods: emptyRequestMethods)
    return handle(queue, serializer, completionHandler)
  }

  var defaults: DecodingDefaults { execution.session.decodingDefaults }
}

/// Makes a program's serializer use the session's decoder, unless the serializer names a decoder itself.
struct SessionBoundSerializer<Base: ResponseSerializer>: ResponseSerializer, FailureExplaining {
  private let base: Base
  private let defaults: DecodingDefaults

  init(_ base: Base, _ defaults: DecodingDefaults) {
    self.base = base
    self.defaults = defaults
  }

  func serialize(_ response: ReceivedResponse) throws -> Base.Output {
    var response = response
    response.decodingDefaults = defaults
    return try base.serialize(response)
  }

  func explained(_ error: LupineError) -> LupineError { (base as? any FailureExplaining)?.explained(error) ?? error }
}

/// Returns the unchanged body; `nil` if there was none.
struct UnserializedResponse: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Data? { response.data.isEmpty ? nil : response.data }
}

/// A request and the serializer of its response; await `value`, `result` or `response` for the result.
///
/// The request starts at the first `await` and runs in the awaiting task. Cancelling that task cancels the request.
public struct DataTask<Value: Sendable>: Sendable {
  private let execution: RequestExecution
  private let serializer: any ResponseSerializer<Value>

  init(_ execution: RequestExecution, _ serializer: any ResponseSerializer<Value>) {
    self.execution = execution
    self.serializer = serializer
  }

  /// The serialized value.
  ///
  /// - Throws: `LupineError` if the request, a validator or the serializer fails.
  public var value: Value {
    get async throws(LupineError) {
      if execution.handler != nil || execution.mayRetrySerialization { return try await valueOfResponse() }
      do {
        return try await execution.withOutcome { try Serialization.value(from: $0, with: serializer, of: execution) }
      } catch {
        throw Serialization.wrapped(error)
      }
    }
  }

  /// The value of a request with a handler, or whose serializer the retriers decide about.
  @inline(never)  // Keeps the metadata lookup of `DataResponse` out of `value`.
  private func valueOfResponse() async throws(LupineError) -> Value { try await response.result.get() }

  /// The serialized value or the error.
  public var result: Result<Value, LupineError> {
    get async { await response.result }
  }

  /// The response with its metadata and the serialized result.
  public var response: DataResponse<Value> {
    get async {
      let kept = execution.addRetriableSerializer(serializer)
      return await Serialization.response(from: await execution.outcome(), with: serializer, of: execution, kept)
    }
  }

  /// Cancels the request.
  public func cancel() { execution.cancel() }
}
