public import FoundationEssentials
public import LupineCore

/// Makes a service's own error of the body of a response that was refused, or did not decode.
package struct ServiceErrorReader: Sendable {
  private let read: @Sendable (Data) -> (any Error)?

  /// - Parameter input: what is done with a body before it is decoded.
  init<Failure: Error & Decodable & Sendable>(
    _ type: Failure.Type, decoder: any DataDecoder, input: SerializerInput
  ) {
    read = { body in
      guard let data = try? input.preprocess(body) else { return nil }
      return try? decoder.decodeGuarded(type, from: data)
    }
  }

  /// The error with the service's own; as it is where it has no body, or one that is no such error.
  package func explained(_ error: LupineError) -> LupineError {
    error.body.flatMap(read).map { error.explained(by: $0) } ?? error
  }
}

/// A serializer that is asked about failures as well.
package protocol FailureExplaining: Sendable {
  /// Says what the response of a failed request means.
  func explained(_ error: LupineError) -> LupineError
}

/// What another serializer makes, and a service's own error where that makes nothing.
package struct ServiceErrorSerializer<Base: ResponseSerializer>: ResponseSerializer, FailureExplaining {
  let base: Base
  let reader: ServiceErrorReader

  package func serialize(_ response: ReceivedResponse) throws -> Base.Output { try base.serialize(response) }

  package func explained(_ error: LupineError) -> LupineError { reader.explained(error) }
}

extension LupineError {
  /// The error that a service describes in the body of a response, as a type of the program's own.
  ///
  /// Where the request named this type, as with `serializingDecodable(_:error:)`, it has been decoded with the request's
  /// decoder; elsewhere it is decoded from `body` now.
  ///
  /// - Parameter decoder: what decodes it now. Default: JSON.
  /// - Returns: `nil` where there is no body, or the body is no such error, as where `Limits.errorBody` has cut it.
  public func serviceError<Failure: Error & Decodable>(
    as type: Failure.Type = Failure.self, decoder: any DataDecoder = JSONDecoder()
  ) -> Failure? {
    if let decoded = decodedServiceError as? Failure { return decoded }
    return body.flatMap { try? decoder.decodeGuarded(type, from: $0) }
  }
}
