import FoundationEssentials
import HTTPTypes
import LupineCore

/// What a download knows of itself.
struct DownloadState {
  var partial: PartialFile?
  /// What there was of the file when the server sent another one, until that one is accepted.
  var previous: Beginning?
  var validator: EntityValidator?
  var total: Int64?
  var place: DownloadDestination.Place?
  var policy = ResumePolicy.restart
  /// Why what an earlier download left cannot be taken up, where it left something.
  var obstacle: String?
  /// The URL that was described, before adapters, redirects and fresh URLs: a credential that is given again goes there.
  var url: HTTPURL?
  var attempt = Attempt()
  var exchange = Exchange()
  /// Why the whole file could not be brought to the file system of its place.
  var moveFailure: LupineError?

  var digest: ExpectedDigest?
  /// The most bytes that the whole file may have.
  var sizeLimit: Int64?
  var checkpoint: Checkpoint?
  /// Whether the checkpoint says where the file is.
  var isNoted = false
  /// The partial file that the checkpoint tells of since this download took it up, or wrote it last.
  var notedPath: String?
  var refresh: (@Sendable (HTTPResponse) async throws -> any URLConvertible)?
  /// The URL that the program gave in the place of an expired one.
  var freshURL: HTTPURL?

  /// What holds for one attempt, also where a response leads it on.
  struct Attempt {
    /// The byte from which on it asks for the file; `nil` where it asks for all of it.
    var asked: Int64?
    /// Whether the server has another file, so that the whole is to be asked for.
    var mustRestart = false
    /// Whether a head had what there is of the file moved; a closure may name another file system each time.
    var hasMoved = false
    /// Whether the program was asked for a fresh URL.
    var hasRefreshed = false
  }

  /// What the head of one exchange has decided.
  struct Exchange {
    /// How long the file must be once the exchange has ended; `nil` where nobody said.
    var expected: Int64?
    /// Whether the response's body goes to the file, and not what an exchange that was given up brought of it.
    var isInFile = false
    /// Where what there is of the file is to be moved before the rest is asked for again.
    var move: DownloadDestination.Place?
    /// The first bytes of a page that was too long to be gathered.
    var page: Data?
    /// `Limits.errorBody`.
    var errorBodyLimit: Int64 = 0
    /// What was decided, for the events.
    var decisions: [SessionEvent.Kind] = []
  }

  /// Takes up what an earlier download left, where it is still there.
  mutating func take(_ resume: ResumeState) {
    guard let found = resume.reopen() else {
      obstacle = "its partial file is gone, shorter than it was, or in the hands of another download"
      return
    }
    (partial, validator, total) = (found.partial, found.validator, found.total)
    notedPath = resume.partialPath
    url = try? HTTPURL(resume.url)
    place = resume.path.map { ($0, resume.options) }
  }

  /// Whether the partial file lies on another file system than a place, so that it cannot be renamed to it.
  func isElsewhere(_ place: DownloadDestination.Place) -> Bool {
    partial.map { !FileSystem.isShared($0.path, place.path) } ?? false
  }

  /// What goes on with the download; `nil` where nothing can.
  func resumeState(offset: Int64?) -> ResumeState? {
    guard let partial, let validator, let url else { return nil }
    return ResumeState(
      url: url.string, partialPath: partial.path, offset: offset, total: total, validator: validator,
      path: place?.path, options: place?.options ?? [],
      superseded: previous.map { .init(path: $0.partial.path, validator: $0.validator, total: $0.total) })
  }
}

extension DownloadState {
  /// What there is of a file, and what tells whether it is still the same.
  struct Beginning {
    let partial: PartialFile
    let validator: EntityValidator
    let total: Int64?
  }

  /// Puts aside what there is of the file, for what the server sends in its place may be no file but a page that is refused.
  ///
  /// What nothing goes on with, and what has not been accepted itself, is removed.
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

  /// Takes it up again in the place of what has come since; false where nothing was put aside.
  @discardableResult
  mutating func takeUpPrevious() -> Bool {
    guard let previous else { return false }
    partial?.remove()
    (partial, validator, total) = (previous.partial, previous.validator, previous.total)
    self.previous = nil
    isNoted = false
    // A checkpoint that cannot be written tells of a file that is gone, and leads to a new beginning.
    try? note()
    return true
  }

  /// Takes back what a refused response has brought: what there was before it is there again, and a file that it began is
  /// gone, so that no later exchange takes it for a beginning.
  mutating func takeBack() {
    if takeUpPrevious() { return }
    if let partial, let asked = attempt.asked, (try? partial.truncate(to: asked)) != nil { return }
    partial?.remove()
    (partial, validator, total) = (nil, nil, nil)
    removeCheckpoint()
  }

  /// Lets go of it, since what has come since takes its place.
  mutating func dropPrevious() {
    previous?.partial.remove()
    previous = nil
  }
}

extension DownloadState {
  /// Takes up what a checkpoint says of this URL; one of another URL says nothing.
  mutating func take(_ checkpoint: Checkpoint, of url: String?) {
    self.checkpoint = checkpoint
    guard partial == nil else { return }
    switch checkpoint.read() {
    case .nothing: break
    case .empty, .unusable: obstacle = checkpoint.refusal
    case .state(let resume):
      guard resume.url == url else { return }
      take(resume)
      isNoted = partial?.path == resume.partialPath
    }
  }

  /// Keeps in the checkpoint what goes on with the file, where that is not known there.
  ///
  /// What is not this download's stays, and this one has no checkpoint, as a warning says.
  mutating func note() throws(LupineError) {
    guard let checkpoint, !isNoted else { return }
    if let foreign = foreignContent {
      exchange.decisions.append(.warning("\(foreign), so this download has no checkpoint; give each its own"))
      return
    }
    if let resume = resumeState(offset: nil) {
      try checkpoint.write(resume)
      notedPath = resume.partialPath
    } else if previous == nil {
      removeCheckpoint()
    }
    isNoted = true
  }

  /// Removes the checkpoint, where it is this download's to remove.
  func removeCheckpoint() {
    if foreignContent == nil { checkpoint?.remove() }
  }

  /// What is at the checkpoint's path that this download neither overwrites nor removes, in words; `nil` where there is
  /// nothing, what this download wrote or took up, or what nobody can use.
  private var foreignContent: String? {
    guard let checkpoint else { return nil }
    switch checkpoint.read() {
    case .nothing, .empty: return nil
    case .unusable: return checkpoint.refusal
    case .state(let resume):
      guard resume.partialPath != notedPath, resume.isOfUse else { return nil }
      return "another download keeps the checkpoint \(checkpoint.path)"
    }
  }
}
