#if Terminal
  import HTTPTypes
  import LupineCore
  import LupineFoundation
  import LupineObservability
  import LupineSession
  import LupineTransfers
  import Synchronization

  /// Downloads files into a folder, several at a time.
  struct DownloadRun: Sendable {
    let session: Session
    let folder: String
    let credential: ProgramCredential
    /// The attempts that bring nothing new before a download fails; 0 stands for the default.
    let retries: Int
    let replacesFiles: Bool
    /// `nil` shows errors alone.
    let bar: SharedProgressBar?
    private let names = ClaimedNames()

    private static let defaultRetries = 3

    init(
      session: Session, folder: String, credential: ProgramCredential, retries: Int, replacesFiles: Bool,
      bar: SharedProgressBar?
    ) {
      self.session = session
      self.folder = folder
      self.credential = credential
      self.retries = retries
      self.replacesFiles = replacesFiles
      self.bar = bar
    }

    /// A download that failed.
    struct Failure {
      let status: ExitStatus
      /// Whether a later run continues it.
      let isResumable: Bool
    }

    /// Downloads the files, and returns the failures, in the order of the entries.
    func download(_ entries: [DownloadEntry], jobs: Int) async -> [Failure] {
      await withTaskGroup(of: (Int, Failure?).self) { group in
        var failures: [Int: Failure] = [:]
        for (index, entry) in entries.enumerated() {
          if index >= jobs, let (ended, failure) = await group.next() { failures[ended] = failure }
          group.addTask { (index, await download(entry)) }
        }
        for await (ended, failure) in group { failures[ended] = failure }
        return failures.sorted { $0.key < $1.key }.map(\.value)
      }
    }

    private func download(_ entry: DownloadEntry) async -> Failure? {
      let transfer = bar?.add(entry.url.redacted)
      var last: LastExchange?
      do {
        let request = try request(entry, transfer)
        last = LastExchange(of: request)
        let line = try await line(entry, request, transfer)
        bar?.write(line)
        transfer?.finish()
        return nil
      } catch {
        let failure = error as? LupineError
        let status = failure.map { ExitStatus($0) } ?? (error as? CommandFailure)?.status ?? .failure
        let message = failure?.programMessage(after: last, besides: entry.url) ?? "\(error)"
        if let transfer {
          transfer.finish(CommandFailure(message, status))
        } else {
          Message.fail("\(entry.url.redacted): \(message)")
        }
        return Failure(status: status, isResumable: failure?.resumeData != nil)
      }
    }

    /// Downloads a file, and returns the line that reports it.
    private func line(
      _ entry: DownloadEntry, _ request: DownloadRequest, _ transfer: SharedProgressBar.Transfer?
    ) async throws -> String {
      let clock = ContinuousClock()
      let start = clock.now
      do {
        let file = try await request.serializingFile().value
        return "\(file.path)  \(Self.size(try Self.byteCount(file.path))) in \(Self.seconds(clock.now - start))"
      } catch let error as LupineError {
        guard let file = error.underlying as? ExistingFile else { throw error }
        let count = try Self.byteCount(file.path)
        transfer?.show(TransferProgress(completed: count, total: count, resumedBytes: count))
        return try await line(file, entry)
      }
    }

    private static func byteCount(_ path: String) throws -> Int64 {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? any BinaryInteger
      return size.map { Int64(clamping: $0) } ?? 0
    }

    /// Returns the line for a file that was there before.
    private func line(_ file: ExistingFile, _ entry: DownloadEntry) async throws -> String {
      guard let digest = entry.digest else { return "\(file.path) is there already" }
      guard try await digest.matches(fileAt: file.path) else {
        throw CommandFailure(
          "\(file.path) is there already, and has another digest. Remove it, or use --overwrite.", .digestMismatch)
      }
      return "\(file.path) is there already, with the expected digest"
    }

    private func request(_ entry: DownloadEntry, _ transfer: SharedProgressBar.Transfer?) throws -> DownloadRequest {
      var description = OutgoingRequest(url: entry.url)
      description.headers[.userAgent] = "lupine/0.1"
      for field in try credential.headers.fields { description.headers[field.name] = field.value }
      let request = session.download(description, to: .custom { head in try place(entry, head) })
        .checkpoint("\(folder)/\(entry.checkpointName)")
        .resumesAutomatically(limit: retries == 0 ? Self.defaultRetries : retries, delay: .milliseconds(500))
      if let transfer { request.downloadProgress(interval: .milliseconds(100)) { transfer.show($0) } }
      if let digest = entry.digest { request.expecting(digest) }
      credential.add(to: request)
      return request
    }

    /// Returns the path of a file in the folder.
    ///
    /// - Throws: `LupineError` if the file exists and must stay, or if another download has the same name.
    private func place(_ entry: DownloadEntry, _ head: HTTPResponse) throws -> DownloadDestination.Place {
      let path = "\(folder)/\(DownloadDestination.suggestedName(for: head, of: entry.url))"
      guard names.claim(path, for: entry.url) else {
        throw LupineError(
          .fileFailed, "\(path) is the name of another download too. Download them into different folders.")
      }
      if !replacesFiles, FileManager.default.fileExists(atPath: path) {
        throw LupineError(.fileFailed, "\(path) is there already.", underlying: ExistingFile(path: path))
      }
      return (
        path, replacesFiles ? [.createIntermediateDirectories, .removePreviousFile] : .createIntermediateDirectories
      )
    }

    private static func seconds(_ time: Duration) -> String {
      let tenths = Int((time / .milliseconds(100)).rounded())
      return "\(tenths / 10).\(tenths % 10) s"
    }

    private static func size(_ bytes: Int64) -> String {
      var (value, unit) = (Double(bytes), 0)
      while value >= 1_000, unit < 4 { (value, unit) = (value / 1_000, unit + 1) }
      let tenths = Int((value * 10).rounded())
      let name = ["B", "kB", "MB", "GB", "TB"][unit]
      return unit == 0 ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
  }

  /// A file that was there before the download.
  private struct ExistingFile: Error {
    let path: String
  }

  /// The paths of the files of a run, each with the URL that it belongs to.
  private final class ClaimedNames: Sendable {
    private let owners = Mutex<[String: HTTPURL]>([:])

    /// Takes a path for a URL; `false` if another URL has it.
    func claim(_ path: String, for url: HTTPURL) -> Bool {
      owners.withLock { owners in
        let owner = owners[path] ?? url
        owners[path] = owner
        return owner == url
      }
    }
  }
#endif
