import HTTPTypes

/// What a download knows of itself.
struct DownloadState {
  var partial: PartialFile?
  var validator: EntityValidator?
  var total: Int64?
  var place: DownloadDestination.Place?
  /// The URL that was described, before adapters, redirects and fresh URLs: a credential that is given again goes there.
  var url: HTTPURL?
  /// The byte from which on the current exchange asked for the file; `nil` where it asked for all of it.
  var asked: Int64?
  /// How long the file must be once the current exchange has ended; `nil` where nobody said.
  var expected: Int64?
  /// Whether the response's body goes to the file, and not what an exchange that was given up brought of it.
  var isInFile = false
  /// Whether the current exchange brought another file, so that the whole is to be asked for.
  var mustRestart = false
  /// What was decided at the last head, for the events.
  var decision: SessionEvent.Kind?

  var digest: ExpectedDigest?
  /// The most bytes that the whole file may have.
  var sizeLimit: Int64?
  var checkpoint: Checkpoint?
  var refresh: (@Sendable (HTTPResponse) async throws -> any URLConvertible)?
  /// The URL that the program gave in the place of an expired one.
  var freshURL: HTTPURL?
  var hasRefreshed = false

  /// Takes up what an earlier download left, where it is still there.
  mutating func take(_ resume: ResumeState) {
    guard let partial = PartialFile.reopen(resume.partialPath, length: resume.offset) else { return }
    self.partial = partial
    url = try? HTTPURL(resume.url)
    place = resume.path.map { ($0, resume.options) }
    validator = resume.validator
    total = resume.total
  }

  /// What goes on with the download; `nil` where nothing can.
  func resumeState(offset: Int64?) -> ResumeState? {
    guard let partial, let validator, let url else { return nil }
    return ResumeState(
      url: url.string, partialPath: partial.path, offset: offset, total: total, validator: validator,
      path: place?.path, options: place?.options ?? [])
  }
}
