import HTTPTypes

public import LupineCore
import LupineFoundation

/// Puts parameters into the query or, as `application/x-www-form-urlencoded`, into the body.
///
/// An existing query of the URL is kept and comes first.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
  /// Where the parameters go.
  public enum Destination: Sendable, Hashable {
    /// Into the query of GET, HEAD and DELETE, and into the body of the others.
    case methodDependent
    /// Into the query.
    case queryString
    /// Into the body.
    case httpBody

    func isQuery(for method: HTTPRequest.Method) -> Bool {
      switch self {
      case .methodDependent: [.get, .head, .delete].contains(method)
      case .queryString: true
      case .httpBody: false
      }
    }
  }

  /// The encoder that writes the pairs.
  public var encoder: URLEncodedFormEncoder
  /// The destination of the parameters.
  public var destination: Destination

  /// Creates an encoder with options and a destination.
  public init(
    encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent
  ) {
    self.encoder = encoder
    self.destination = destination
  }

  /// Returns the request with the parameters in its query or its body.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` if the parameters cannot be encoded, or of kind
  ///   `invalidRequest` for a body with HEAD or TRACE, or with GET without the option `allowsBodyWithGET`.
  public func encode(
    _ parameters: some Encodable & Sendable, into request: OutgoingRequest
  ) throws -> OutgoingRequest {
    var request = request
    let isQuery = destination.isQuery(for: request.method)
    if !isQuery { try RequestRules.checkBodyAllowed(in: request) }
    let pairs: String = try LupineError.encodingParameters { try encoder.encode(parameters) }
    if isQuery {
      request.url = try request.url.appending(queryItems: pairs)
    } else {
      request.setBody(Data(pairs.utf8), contentType: "application/x-www-form-urlencoded; charset=utf-8")
    }
    return request
  }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
  /// Into the query of GET, HEAD and DELETE, and as a form into the body of the others.
  public static var urlEncodedForm: Self { URLEncodedFormParameterEncoder() }

  /// A URL-encoded form with options and a destination.
  public static func urlEncodedForm(
    encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Self.Destination = .methodDependent
  ) -> Self {
    URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
  }
}
