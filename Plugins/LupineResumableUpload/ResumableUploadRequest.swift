import HTTPTypes
public import LupineCore
public import LupineSession
public import LupineTransfers

/// An upload that continues after a failure from what the server already has.
///
/// `UploadRequest.resumable(_:_:secretsFor:)` makes it. If an attempt fails, the next one asks the server for the offset
/// and sends the rest; a retrier requests the next attempt, such as that of `resumesAutomatically(limit:delay:)`. The
/// response of the last append is the response of the request. If only that response was lost, the request's response
/// is the server's answer to HEAD, which has no content.
///
/// If the server loses bytes that it had acknowledged, states impossible offsets, or claims that an incomplete upload is
/// complete, the request ends with kind `resumeFailed`, and the upload is deleted at the server. Challenges, cookies, the
/// network policy and pins apply to each request of the upload. Redirects of the location are followed if their status is
/// 307 or 308, and others end the request with kind `resumeFailed`.
///
/// `uploadProgress` counts what the server has stated to have. Until it has named the location of the upload, it counts
/// what is sent.
public struct ResumableUploadRequest: ValueRequest {
  /// The execution, which all copies share.
  public let execution: RequestExecution
  let upload: ResumableUpload
}

extension UploadRequest {
  /// Makes the upload resumable.
  ///
  /// The body must be readable from an offset: a file, data, a form, or a stream that a closure makes. Any other body
  /// ends the request with kind `invalidRequest`, before anything is sent. A body in a content coding is encoded
  /// again for each part that is sent, and must be the same each time. If a file changes while it is uploaded, the
  /// request ends with kind `resumeFailed`.
  ///
  /// The limits of the server (`Upload-Limit`) are kept: an upload that is too large fails with kind
  /// `uploadSizeRefused`, and is sent in several appends if the server accepts only smaller ones.
  ///
  /// - Parameters:
  ///   - dialect: the protocol. Default: version 8 of the draft of the IETF.
  ///   - creation: whether the first request carries the content. Default: it does. Has no effect with tus.
  ///   - scope: the origins besides the request's own where the upload may be. They receive the secrets of the request.
  ///     A location at any other origin is not used: the upload cannot be resumed then, or fails if it is to begin
  ///     without content. Default: none.
  public func resumable(
    _ dialect: UploadDialect = .draft(8), _ creation: UploadCreation = .optimistic,
    secretsFor scope: CredentialScope? = nil
  ) -> ResumableUploadRequest {
    let admits: @Sendable (HTTPURL) -> Bool = { [baseURL = execution.session.baseURL] url in
      (try? scope?.allows(url, baseURL: baseURL)) == true
    }
    let upload = ResumableUpload(ResumableUpload.Settings(dialect: dialect, creation: creation, admits: admits))
    interceptor(ResumableUploadInterceptor(upload: upload))
    return ResumableUploadRequest(execution: execution, upload: upload)
  }
}

extension ResumableUploadRequest {
  /// Keeps the location of the upload in a file, so that a later process can continue it with the same call.
  ///
  /// The file is written when the server has named the location, and removed when the upload has ended. It has the
  /// mode 0600, because the location may be secret. It names the method and the URL of the request, the protocol, and
  /// the version of the content: size, modification time and number of a file, or SHA-256 of data. A body of another
  /// kind ends the request with kind `invalidRequest`: its bytes may differ in another process.
  ///
  /// - Parameters:
  ///   - path: the file; its folder must exist.
  ///   - policy: the treatment of an upload that cannot be continued, because the file has changed, the server has lost
  ///     the upload, or the file at the path belongs to another request or is no checkpoint. `restart` uploads everything
  ///     again, and never overwrites a file that is no checkpoint. `fail` ends the request with kind `resumeFailed`.
  ///     Default: restart.
  @discardableResult
  public func checkpoint(_ path: String, otherwise policy: ResumePolicy = .restart) -> Self {
    keep(UploadCheckpoint(path: path), policy)
  }

  /// Keeps the location of the upload under a name in a store; see `checkpoint(_:otherwise:)`.
  @discardableResult
  public func checkpoint(
    _ name: String, in store: any CheckpointStore, otherwise policy: ResumePolicy = .restart
  ) -> Self {
    keep(UploadCheckpoint(name, in: store), policy)
  }

  private func keep(_ checkpoint: UploadCheckpoint, _ policy: ResumePolicy) -> Self {
    upload.change { settings in
      settings.checkpoint = checkpoint
      if policy == .fail { settings.policy = .fail }
    }
    return self
  }

  /// Sends the SHA-256 digest of the content, which the server can compare.
  ///
  /// `Repr-Digest` (RFC 9530) states the digest of the whole upload; the body is read once more for it before the upload
  /// begins. With tus, `Upload-Checksum` states the digest of each append: the request asks the server with
  /// OPTIONS what it supports, and uses SHA-256 or else SHA-1. If the server checks neither, the request ends with kind
  /// `resumeFailed`.
  @discardableResult
  public func sendingDigest() -> Self {
    upload.change { $0.sendsDigest = true }
    return self
  }

  /// Resumes the upload automatically after a failure of the connection or a status 500, 502, 503 or 504.
  ///
  /// An upload without a location is only repeated if its method is idempotent, or if it was to be created without
  /// content. A retry takes from the session's retry budget.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of consecutive attempts after which the server has nothing new. Default: 3.
  ///   - delay: the wait before the first of them, on the session's clock; it doubles each time, up to one minute.
  ///     Default: one second.
  ///   - policy: the treatment of an upload that the server has lost. Default: restart.
  @discardableResult
  public func resumesAutomatically(
    limit: Int = 3, delay: Duration = .seconds(1), otherwise policy: ResumePolicy = .restart
  ) -> Self {
    if policy == .fail { upload.change { $0.policy = .fail } }
    return retrier(UploadRetrier(upload: upload, limit: limit, delay: delay))
  }
}

extension Session {
  /// Gives up an upload whose process has ended: deletes it at the server, and then its checkpoint.
  ///
  /// Does nothing if there is no such checkpoint, or if the file is something else.
  ///
  /// - Parameter path: the path that was passed to `ResumableUploadRequest.checkpoint(_:otherwise:)`.
  /// - Throws: the error of the request; the checkpoint then stays. A server that refuses the deletion is no error.
  public func discardUpload(checkpoint path: String) async throws(LupineError) {
    try await discard(UploadCheckpoint(path: path))
  }

  /// Gives up an upload whose checkpoint is in a store; see `discardUpload(checkpoint:)`.
  public func discardUpload(checkpoint name: String, in store: any CheckpointStore) async throws(LupineError) {
    try await discard(UploadCheckpoint(name, in: store))
  }

  private func discard(_ checkpoint: UploadCheckpoint) async throws(LupineError) {
    guard case .upload(let stored) = await checkpoint.read() else { return }
    if let location = try? HTTPURL(stored.location) {
      var request = OutgoingRequest(url: location, method: .delete)
      request.options[PermittedRedirects.self] = UploadRequests.permits
      if let field = UploadDialect(name: stored.dialect)?.versionField { request.headers[field.name] = field.value }
      if let error = await self.request(request).serializingData().response.error, error.response == nil { throw error }
    }
    await checkpoint.remove()
  }
}
