public import FoundationEssentials
public import LupineCore

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
