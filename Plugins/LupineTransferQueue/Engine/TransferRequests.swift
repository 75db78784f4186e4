import LupineCore
import LupineFoundation
import LupineSession
import LupineTransfers

/// Makes and sends the request of one transfer.
struct TransferRequests {
  let row: TransferRow
  let checkpoints: QueueCheckpoints
  let settings: QueueSettings
  let session: Session
  let progress: ProgressHub

  func download(
    _ request: OutgoingRequest, to staged: String, _ options: DownloadDestination.Options, _ digest: ExpectedDigest?,
    _ limit: Int64?
  ) -> DownloadRequest {
    let download = session.download(request, to: .file(staged, options.subtracting(.removePreviousFile)))
    if let digest { download.expecting(digest) }
    if let limit { download.sizeLimit(limit) }
    download.checkpoint(QueueCheckpoints.name(of: row.id), in: checkpoints, as: row.record.url)
      .resumesAutomatically(limit: settings.retries.limit, delay: settings.retries.delay).validate()
    if let refresh = refresher { download.refreshingURL { _ in try await refresh() } }
    prepare(download)
    download.downloadProgress(interval: .milliseconds(100)) { [progress, row] in progress.report($0, of: row.id) }
    return download
  }

  func upload(_ request: OutgoingRequest, _ path: String) -> any ValueRequest {
    var request = request
    request.body = .file(path)
    let plain = session.upload(request).validate()
    let name = QueueCheckpoints.name(of: row.id)
    let upload = settings.prepareUpload?(plain, name, checkpoints) ?? plain
    prepare(upload)
    upload.uploadProgress(interval: .milliseconds(100)) { [progress, row] in progress.report($0, of: row.id) }
    return upload
  }

  /// Sends an upload; a server need not answer it with a body.
  static func result(of upload: any ValueRequest) async -> Result<TransferResult, LupineError> {
    let anyData = DataResponseSerializer(emptyResponseCodes: Set(200..<300))
    let response = await upload.serializingResponse(using: anyData).response
    if let error = response.error { return .failure(error) }
    let data = Data((response.value ?? Data()).prefix(64 << 10))
    return .success(TransferResult(status: response.response?.status.code, response: data))
  }

  /// Adds what all transfers have in common.
  private func prepare(_ request: any SessionRequest) {
    if let credential = row.record.credential { request.option(CredentialName.self, credential) }
    if let refresh = refresher { request.adapter(URLAdapter(refresh: refresh)) }
  }

  /// Asks the program for the URL of the transfer.
  private var refresher: (@Sendable () async throws -> any URLConvertible)? {
    guard row.record.asksForURL, let refresh = settings.refreshURL else { return nil }
    let snapshot = row.snapshot(nil)
    return { try await refresh(snapshot) }
  }
}

/// Sets the URL that the program returns at each attempt.
private struct URLAdapter: RequestAdapter {
  let refresh: @Sendable () async throws -> any URLConvertible

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    request.moved(to: try await refresh().asURL(relativeTo: session.baseURL), secrets: session.secretFields)
  }
}
