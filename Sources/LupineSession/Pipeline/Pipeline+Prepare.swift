import HTTPTypes
import LupineCore
import Synchronization

extension Pipeline {
  /// Adds the session's default fields; one that the request has is the request's own to set.
  ///
  /// A range is one of the content as it is: no coding is asked for with it, since a part of a coded body is of no use, and
  /// many servers would send the whole.
  func prepared(_ request: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var request = request
    if let consumer = task.consumer {
      let first = request.url
      request = consumer.prepare(request, secrets: session.configuration.secretFields)
      // A fresh URL of an earlier attempt is no more the credential's origin than it was then.
      let url = request.url
      if url != first, url.origin != first.origin { task.state.withLock { $0.exchange.follow(from: first, to: url) } }
    }
    if let version = session.configuration.version, request.version == nil { request.options.version = version }
    if !request.hasFields, let shared = session.configuration.sharedFields { return request.taking(shared) }
    let described = request
    for field in session.configuration.defaultFields where !described.headers.contains(field.field.name) {
      if let scope = field.scope {
        guard try scope.allows(request.url, baseURL: session.baseURL) else { continue }
      }
      let isForPart = described.headers.contains(.range) && isOwnCodings(field.field)
      request.headers.append(isForPart ? HTTPField(name: .acceptEncoding, value: "identity") : field.field)
    }
    request.lookAtFields()
    return request
  }

  /// Whether the field is the one that tells of the session's codings, which do not decode parts.
  private func isOwnCodings(_ field: HTTPField) -> Bool {
    field.name == .acceptEncoding && field.value == session.configuration.contentCodings.acceptEncoding
  }
}
