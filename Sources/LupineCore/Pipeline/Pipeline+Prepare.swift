import HTTPTypes

extension Pipeline {
  /// What the consumer makes of the request.
  private func reprepared(_ request: OutgoingRequest, by consumer: any ResponseConsumer) -> OutgoingRequest {
    var prepared = consumer.prepare(request)
    // What was meant for one server is no other's business.
    if prepared.url != request.url, prepared.url.origin != request.url.origin {
      prepared.headers = session.configuration.secretFields.strip(prepared.headers)
    }
    return prepared
  }

  /// Adds the session's default fields; one that the request has is the request's own to set.
  func prepared(_ request: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var request = request
    if let consumer = task.consumer { request = reprepared(request, by: consumer) }
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
