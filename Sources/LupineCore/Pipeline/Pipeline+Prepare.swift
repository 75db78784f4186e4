import HTTPTypes

extension Pipeline {
  /// Adds the session's default fields; one that the request has is the request's own to set.
  func prepared(_ request: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var described = task.consumer.prepare(request)
    // What was meant for one server is no other's business.
    if described.url != request.url, described.url.origin != request.url.origin {
      described.headers = session.configuration.secretFields.strip(described.headers)
    }
    var request = described
    if let version = session.configuration.version, request.options.version == nil { request.options.version = version }
    let shared = described.headers.isEmpty ? session.configuration.sharedFields : nil
    if let shared { request.headers = shared }
    let missing = shared == nil ? session.configuration.defaultFields : []
    for field in missing where !described.headers.contains(field.field.name) {
      if let scope = field.scope {
        guard try scope.allows(request.url, baseURL: session.baseURL) else { continue }
      }
      request.headers.append(field.field)
    }
    return request
  }
}
