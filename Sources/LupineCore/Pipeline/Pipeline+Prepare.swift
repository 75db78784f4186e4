import HTTPTypes

extension Pipeline {
  /// Adds the session's default fields; one that the request has is the request's own to set.
  func prepared(_ request: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var described = task.consumer?.prepare(request) ?? request
    // What was meant for one server is no other's business.
    if described.url != request.url, described.url.origin != request.url.origin {
      described.headers = session.configuration.secretFields.strip(described.headers)
    }
    var request = described
    if let version = session.configuration.version, request.version == nil { request.options.version = version }
    if described.headers.isEmpty, let shared = session.configuration.sharedFields {
      request.take(shared)
      return request
    }
    for field in session.configuration.defaultFields where !described.headers.contains(field.field.name) {
      if let scope = field.scope {
        guard try scope.allows(request.url, baseURL: session.baseURL) else { continue }
      }
      request.headers.append(field.field)
    }
    request.lookAtFields()
    return request
  }
}
