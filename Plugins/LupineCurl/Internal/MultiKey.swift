import LupineCore

/// What exchanges must have in common to share libcurl's pool of connections.
///
/// libcurl does not compare the version of HTTP that was asked for, so it stands here as well.
struct MultiKey: Equatable {
  let identity: SecurityIdentity
  let version: ProtocolVersion?

  init(_ submission: Submission) {
    identity = submission.identity
    version = submission.options.version
  }
}
