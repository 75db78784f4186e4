public import LupineCore
public import LupineFoundation

/// Decodes a service's own error from the body of a response that was refused or could not be decoded.
struct ServiceErrorReader: FailureExplaining {
  private let read: @Sendable (Data) -> (any Error)?

  /// - Parameter input: the processing of a body before it is decoded.
  init<Failure: Error & Decodable & Sendable>(
    _ type: Failure.Type, decoder: any DataDecoder, input: SerializerInput
  ) {
    read = { body in
      guard let data = try? input.preprocess(body) else { return nil }
      return try? decoder.decodeGuarded(type, from: data)
    }
  }

  /// Returns the error with the service error added; unchanged if its body is missing or is no such error.
  func explained(_ error: LupineError) -> LupineError {
    error.body.flatMap(read).map { error.explained(by: $0) } ?? error
  }
}

/// Adds to the error of a request what its response says about it, such as a service's own error.
///
/// If a `ResponseSerializer` conforms to this protocol, the request calls `explained(_:)` with each of its errors: an
/// error of a validator, of the transfer, or of the serializer. The calls may be concurrent.
public protocol FailureExplaining: Sendable {
  /// Returns the error with details from `LupineError.body`, or the unchanged error if there are none.
  func explained(_ error: LupineError) -> LupineError
}

/// Returns the value of another serializer, or the service error if that serializer fails.
struct ServiceErrorSerializer<Base: ResponseSerializer>: ResponseSerializer, FailureExplaining {
  let base: Base
  let reader: ServiceErrorReader

  func serialize(_ response: ReceivedResponse) throws -> Base.Output { try base.serialize(response) }

  func explained(_ error: LupineError) -> LupineError { reader.explained(error) }
}

extension LupineError {
  /// Returns the error that a service describes in the body of a response, decoded into the program's type.
  ///
  /// If the request named this type, as with `serializingDecodable(_:error:)`, the error was decoded with the request's
  /// decoder. Otherwise it is decoded from `body` by this call.
  ///
  /// - Parameter decoder: what decodes the body in this call. Default: JSON.
  /// - Returns: `nil` if there is no body, or if the body is no such error, for example because `Limits.errorBody` cut
  ///   it.
  public func serviceError<Failure: Error & Decodable>(
    as type: Failure.Type = Failure.self, decoder: any DataDecoder = JSONDecoder()
  ) -> Failure? {
    if let decoded = decodedServiceError as? Failure { return decoded }
    return body.flatMap { try? decoder.decodeGuarded(type, from: $0) }
  }
}
