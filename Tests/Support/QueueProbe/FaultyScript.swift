import Foundation
import LupineCore
import LupineMultipart
import LupineSession
import LupineTransferQueue

/// The calls of a program whose disk fails, and the check of what they leave.
struct FaultyScript {
  private enum Kind { case download, file, form, resumableUpload }
  private enum Fate { case ends, cancelled, removed }

  /// The transfers by their numbers; the mock cuts the first download in its middle.
  private static let transfers: [(kind: Kind, fate: Fate)] = [
    (.download, .ends), (.download, .ends), (.file, .ends), (.form, .ends), (.resumableUpload, .ends),
    (.download, .cancelled), (.form, .removed),
  ]

  private let script: QueueScript
  private let peer = QueuePeer()
  private var ids: [Int: TransferID] = [:]
  private var cancelled: Set<TransferID> = []
  private var removed: Set<TransferID> = []

  init(_ script: QueueScript) throws {
    self.script = script
    for (number, transfer) in Self.transfers.enumerated() where [.file, .resumableUpload].contains(transfer.kind) {
      try QueuePeer.content(number).write(to: URL(filePath: source(number)))
    }
  }

  private func source(_ number: Int) -> String { "\(script.folder)/source\(number)" }

  private func open() throws -> TransferQueue { try script.open(peer, clock: QuickClock()) }

  private func transfer(_ number: Int) throws -> QueuedTransfer {
    switch Self.transfers[number].kind {
    case .download: return try script.transfer(number)
    case .file: return .upload(file: source(number), to: "\(QueuePeer.base)/u/\(number)", method: .put)
    case .resumableUpload: return .upload(file: source(number), to: "\(QueuePeer.base)/r/\(number)", method: .put)
    case .form:
      var form = MultipartFormData()
      form.append(QueuePeer.content(number), name: "file", fileName: "\(number)")
      return .upload(try OutgoingRequest("\(QueuePeer.base)/f/\(number)", method: .put).encoding(multipart: form))
    }
  }

  /// Calls the queue while a system call fails, and then runs what was added to its end.
  ///
  /// A lasting fault ends when it has happened and these calls have returned, or when all transfers have ended without it.
  ///
  /// - Parameters:
  ///   - hasHappened: whether the fault has happened.
  ///   - disarm: ends the fault, and returns whether it has happened.
  mutating func survive(lasting: Bool, _ hasHappened: () -> Bool, _ disarm: () -> Bool) async -> Bool {
    var hasFailed = false
    do {
      // The call that fails may be one of the session's.
      let queue = try (try? open()) ?? open()
      for number in Self.transfers.indices { ids[number] = try? await queue.add(transfer(number)) }
      await rearrange(queue)
      if lasting {
        while !hasHappened(), await !haveAllEnded(queue) { await Task.yield() }
        hasFailed = disarm()
      }
      try await script.finish(queue, ids.values.filter { !removed.contains($0) }, mayBeCancelled: cancelled)
      if !lasting { hasFailed = disarm() }
      await queue.close()
      try await checkFolder()
      check()
    } catch {
      hasFailed = disarm() || hasFailed
      QueueScript.say("wrong: \(error)")
    }
    return hasFailed
  }

  private func haveAllEnded(_ queue: TransferQueue) async -> Bool {
    (try? await queue.transfers)?.allSatisfy { $0.state.isEnded } == true
  }

  /// Pauses, resumes, moves, cancels and removes transfers.
  private mutating func rearrange(_ queue: TransferQueue) async {
    if let id = ids[0] {
      try? await queue.pause(id)
      _ = try? await queue.transfers
      try? await queue.resume(id)
    }
    if let id = ids[4] { await move(id, to: .front(of: .high), with: .high, queue) }
    if let id = ids[3] { await move(id, to: .back(of: .low), with: .low, queue) }
    if let id = ids[1], let other = ids[3] { try? await queue.move(id, to: .before(other)) }
    for (number, transfer) in Self.transfers.enumerated() {
      guard let id = ids[number] else { continue }
      switch transfer.fate {
      case .ends: continue
      case .cancelled: if (try? await queue.cancel(id)) != nil { cancelled.insert(id) }
      case .removed: if (try? await queue.remove(id)) != nil { removed.insert(id) }
      }
    }
  }

  /// Moves a transfer, and checks its priority afterwards.
  private func move(
    _ id: TransferID, to place: TransferPlace, with priority: TransferPriority, _ queue: TransferQueue
  ) async {
    guard (try? await queue.move(id, to: place)) != nil,
      let moved = try? await queue.transfer(id), moved.priority != priority
    else { return }
    QueueScript.say("wrong: \(id) has the priority \(moved.priority)")
  }

  /// Checks that a later process finds neither a transfer nor a form in the folder of the queue.
  private func checkFolder() async throws {
    let queue = try open()
    let forms = script.queue + "/forms"
    while try await !queue.transfers.isEmpty || !FileManager.default.contentsOfDirectory(atPath: forms).isEmpty {
      await Task.yield()
    }
    for event in try await queue.unacknowledgedEvents { QueueScript.say("wrong: \(event) is left") }
    await queue.close()
  }

  /// Checks the bytes of each transfer; one that was cancelled or removed may have ended before.
  private func check() {
    var downloads: Set<Int> = []
    for (number, transfer) in Self.transfers.enumerated() {
      let id = ids[number]
      let mayBeMissing = id.map { cancelled.contains($0) || removed.contains($0) } ?? true
      let content = QueuePeer.content(number)
      if transfer.kind == .download {
        let isThere = FileManager.default.fileExists(atPath: "\(script.files)/\(number)")
        if !mayBeMissing || id != nil && isThere { downloads.insert(number) }
        continue
      }
      guard let body = peer.bodies.read("\(number)") else {
        if !mayBeMissing { QueueScript.say("wrong: upload \(number) is missing") }
        continue
      }
      if transfer.kind == .form ? !QueuePeer.isForm(body, of: content) : body != content {
        QueueScript.say("wrong: the bytes of upload \(number)")
      }
    }
    script.check(downloads)
  }
}
