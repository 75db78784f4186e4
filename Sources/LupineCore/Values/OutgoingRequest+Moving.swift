import HTTPTypes

extension OutgoingRequest {
  /// The request for another URL; what was meant for one server alone, its secrets and its name, goes to no other origin.
  ///
  /// So what another origin refuses is no token that was refused.
  package func moved(to url: HTTPURL, secrets: SecretFields) -> OutgoingRequest {
    var moved = self
    moved.url = url
    guard url.origin != self.url.origin else { return moved }
    moved.headers = secrets.strip(headers)
    moved.headers[.host] = nil
    if !moved.options.refreshMarks.isEmpty { moved.options.refreshMarks = [:] }
    return moved
  }
}
