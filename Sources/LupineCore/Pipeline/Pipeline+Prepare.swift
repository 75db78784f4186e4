import HTTPTypes

extension Pipeline {
  /// Adds the session's default fields; one that the request has is the request's own to set.
  func prepared(_ request: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var request = request
    if let consumer = task.consumer {
      request = consumer.prepare(request, secrets: session.configuration.secretFields)
    }
    if let version = session.configuration.version, request.version == nil { request.options.version = version }
    if !request.hasFields, let shared = session.configuration.sharedFields { return request.taking(shared) }
    let described = request
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
