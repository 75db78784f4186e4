import HTTPTypes
import LupineCore
import LupineFoundation

/// The state of one download.
struct DownloadState {
  /// The earlier download that this one resumes; `nil` once its partial file has been opened.
  var resume: ResumeState?
  var partial: PartialFile?
  /// The partial file of the earlier version, kept until the server's new version is accepted.
  var previous: Beginning?
  var validator: EntityValidator?
  var total: Int64?
  var place: DownloadDestination.Place?
  /// Why the partial file of an earlier download cannot be continued; `nil` if it can, or if there is none.
  var obstacle: String?
  /// Why the checkpoint is not continued, which belongs to another file; `nil` if it is continued, or if there is none.
  var otherCheckpoint: String?
  /// The URL of the request, before adapters, redirects and fresh URLs; credentials that the program supplies again are
  /// sent to it.
  var url: HTTPURL?
  var attempt = Attempt()
  var exchange = Exchange()
  /// Why the complete file could not be moved to the file system of its destination.
  var moveFailure: LupineError?

  /// The file at its destination, once the download is complete.
  var file: URL?

  var settings = Settings()
  /// Whether the checkpoint has been read.
  var hasReadCheckpoint = false
  /// Whether the checkpoint contains the current partial file.
  var isNoted = false
  /// The partial file in the checkpoint, as this download last read or wrote it.
  var notedPath: String?
  /// The URL that the program gave to replace an expired one.
  var freshURL: HTTPURL?

  /// The settings that the program has made.
  struct Settings {
    var policy = ResumePolicy.restart
    var checkpoint: Checkpoint?
    /// The name of the file in the checkpoint, whatever its URL; `nil` means the URL.
    var identity: String?
    var digest: ExpectedDigest?
    /// The maximum size of the whole file in bytes.
    var sizeLimit: Int64?
    var refresh: (@Sendable (HTTPResponse) async throws -> any URLConvertible)?
  }

  /// The state of one attempt, which may have several exchanges.
  struct Attempt {
    /// The offset in bytes from which the file is requested; `nil` if all of it is requested.
    var asked: Int64?
    /// Whether the partial file was moved because of a head; a closure may return another file system each time.
    var hasMoved = false
    /// Whether the program's closure has supplied a fresh URL in this attempt.
    var hasRefreshed = false
  }

  /// The decisions that the head of one exchange caused.
  struct Exchange {
    /// The expected length of the file at the end of the exchange; `nil` if it is unknown.
    var expected: Int64?
    /// Whether the body of this response is written to the file.
    var isInFile = false
    /// Whether a layer verifies the body when all of it has arrived, so that a part of it is not continued.
    var isVerifiedAtEnd = false
    /// Whether the file has bytes of a body that was not verified.
    var isUnverified: Bool { isInFile && isVerifiedAtEnd }
    /// `Limits.errorBody`.
    var errorBodyLimit: Int64 = 0
    /// The decisions, for the events.
    var decisions: [SessionEvent.Kind] = []
  }

  /// Uses the partial file of an earlier download, if it is still there.
  mutating func take(_ resume: ResumeState) {
    guard let found = resume.reopen() else {
      obstacle = "its partial file is missing, shorter than before, or locked by another download"
      return
    }
    (partial, validator, total) = (found.partial, found.validator, found.total)
    notedPath = resume.partialPath
    if url == nil { url = try? HTTPURL(resume.url) }
    place = resume.path.map { ($0, resume.options) }
  }

  /// Whether the partial file is on another file system than the place, so that a rename is not possible.
  func isElsewhere(_ place: DownloadDestination.Place) -> Bool {
    partial.map { !FileSystem.isShared($0.path, place.path) } ?? false
  }

  /// Returns the length of the file that the partial file belongs to, if a whole response has the same validator.
  func knownLength(of head: HTTPResponse) -> Int64? {
    attempt.asked != nil && validator != nil && EntityValidator(head) == validator ? total : nil
  }

  /// Whether the partial file can be resumed.
  var isResumable: Bool { partial != nil && validator != nil && url != nil }

  /// Returns the state that resumes the download; `nil` if it cannot be resumed.
  func resumeState(offset: Int64?) -> ResumeState? {
    guard let partial, let validator, let url else { return nil }
    return ResumeState(
      url: url.string, partialPath: partial.path, offset: offset, total: total, validator: validator,
      identity: settings.identity, path: place?.path, options: place?.options ?? [],
      superseded: previous.map { .init(path: $0.partial.path, validator: $0.validator, total: $0.total) })
  }
}

extension DownloadState {
  /// A partial file, and the validator that shows whether the server's file is still the same.
  struct Beginning {
    let partial: PartialFile
    let validator: EntityValidator
    let total: Int64?
  }

  /// Puts the partial file aside, because the server's new response may be refused and may be no file.
  ///
  /// The partial file is removed if it cannot be continued or was not accepted itself.
  mutating func putAside() {
    guard let partial else { return }
    if previous == nil, partial.length > 0, let validator {
      previous = Beginning(partial: partial, validator: validator, total: total)
    } else {
      partial.remove()
    }
    self.partial = nil
    validator = nil
    total = nil
  }

  /// Restores the file that was put aside in place of the new one; returns false if there is none.
  @discardableResult
  mutating func takeUpPrevious() -> Bool {
    guard let previous else { return false }
    partial?.remove()
    (partial, validator, total) = (previous.partial, previous.validator, previous.total)
    self.previous = nil
    isNoted = false
    // If the checkpoint cannot be written, it names a removed file, and the next download restarts.
    try? note()
    return true
  }

  /// Removes what a refused response has written.
  ///
  /// An earlier partial file is restored, or truncated to its earlier length. A file that the response began is
  /// removed, so that no later exchange continues it.
  mutating func takeBack() {
    if takeUpPrevious() { return }
    if let partial, let asked = attempt.asked, (try? partial.truncate(to: asked)) != nil { return }
    partial?.remove()
    (partial, validator, total) = (nil, nil, nil)
    removeCheckpoint()
  }

  /// Removes what a response has written whose body was not verified, because it ended too early.
  mutating func takeBackUnverified() {
    guard exchange.isUnverified else { return }
    exchange.isInFile = false
    takeBack()
  }

  /// Removes the complete file, including what an earlier download wrote of it, because a serializer of it failed.
  ///
  /// The file that was put aside stays, because no later response may be accepted.
  mutating func discard() {
    partial?.remove()
    (partial, validator, total) = (nil, nil, nil)
    (moveFailure, isNoted) = (nil, false)
    exchange = Exchange()
    if previous == nil { removeCheckpoint() }
  }

  /// Removes the file that was put aside, because the new one replaces it.
  mutating func dropPrevious() {
    previous?.partial.remove()
    previous = nil
  }
}

extension DownloadState {
  /// Uses the earlier download that is resumed, or else the state in the checkpoint, once; ignores the state of another
  /// file.
  mutating func takeCheckpoint() {
    if let resume = resume.take() { take(resume) }
    guard let checkpoint = settings.checkpoint, !hasReadCheckpoint else { return }
    hasReadCheckpoint = true
    guard partial == nil else { return }
    switch checkpoint.read() {
    case .nothing: break
    case .empty: obstacle = checkpoint.refusal()
    case .unusable(let error): obstacle = checkpoint.refusal(error)
    case .state(let resume):
      guard resume.isOf(url, settings.identity) else {
        otherCheckpoint = "\(checkpoint.path) is the checkpoint of another URL" + hint(about: resume)
        return
      }
      take(resume)
      isNoted = partial?.path == resume.partialPath
    }
  }

  /// The advice for a checkpoint whose URL differs only in its query, as signed URLs do.
  private func hint(about resume: ResumeState) -> String {
    guard let url, let other = try? HTTPURL(resume.url), other.origin == url.origin, other.path == url.path else {
      return ""
    }
    return ", whose query differs; if it is the same file, give it a name with `checkpoint(_:as:)`"
  }

  /// Writes the resume state to the checkpoint, unless the checkpoint already has it.
  ///
  /// The checkpoint of another download is not overwritten. This download then has no checkpoint, and a warning event
  /// reports it.
  mutating func note() throws(LupineError) {
    guard let checkpoint = settings.checkpoint, !isNoted else { return }
    if let foreign = foreignContent {
      exchange.decisions.append(.warning("\(foreign), so this download has no checkpoint; give each download its own"))
      return
    }
    if isResumable {
      try partial?.keep()
      try previous?.partial.keep()
    }
    if let resume = resumeState(offset: exchange.isVerifiedAtEnd ? attempt.asked : nil) {
      try checkpoint.write(resume)
      notedPath = resume.partialPath
    } else if previous == nil {
      removeCheckpoint()
    }
    isNoted = true
  }

  /// Removes the checkpoint if it belongs to this download.
  func removeCheckpoint() {
    if foreignContent == nil { settings.checkpoint?.remove() }
  }

  /// A message about the content of the checkpoint that this download must neither overwrite nor remove.
  ///
  /// `nil` if there is no content, if this download wrote or used it, or if no download can continue from it.
  private var foreignContent: String? {
    guard let checkpoint = settings.checkpoint else { return nil }
    switch checkpoint.read() {
    case .nothing, .empty: return nil
    case .unusable(let error): return checkpoint.refusal(error)
    case .state(let resume):
      guard resume.partialPath != notedPath, resume.isOfUse else { return nil }
      return "another download uses the checkpoint \(checkpoint.path)"
    }
  }
}
