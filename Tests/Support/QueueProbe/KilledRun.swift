import Foundation
import HTTPTypes
import LupineCoding
import LupineCore
import LupineFixtures
import LupineMock
import LupineMultipart
import LupineNative
import LupineSession
import LupineTransferQueue

/// One run of a program with a queue of downloads and uploads, which is killed at any moment.
///
/// It pauses, resumes, moves, cancels and removes some of them, as a seed decides. It prints these lines:
///
/// | | |
/// |---|---|
/// | `added` | all transfers are in the queue |
/// | `transfer ID NUMBER STATE` | a transfer that is listed at the beginning |
/// | `calling NAME ID`, `called NAME ID` | before and after a call |
/// | `request NUMBER` | the mock has received a request |
/// | `event NUMBER ID KIND`, `acknowledged NUMBER` | |
/// | `file NUMBER STATE`, `upload NUMBER STATE`, `stray NAME` | what is left at the end |
struct KilledRun {
  /// The kinds of transfer, which take turns.
  private enum Kind: Int, CaseIterable { case download, secondDownload, upload, form, resumableUpload }

  private let folder: String
  private let count: Int
  private let base: String
  private let peer: QueuePeer
  private let session: Session
  private let queue: TransferQueue
  private var generator: SplitMix
  /// The transfers that have not ended, as far as this process knows.
  private var live: Set<TransferID> = []
  private var paused: Set<TransferID> = []

  /// - Parameter server: the URL of a folder of a real server that stores uploads; `nil` for the mock.
  init(folder: String, count: Int, seed: UInt64, server: String?) throws {
    self.folder = folder
    self.count = count
    base = server ?? QueuePeer.base
    peer = QueuePeer(bodies: ReceivedBodies(in: folder + "/server"), tells: true)
    generator = SplitMix(seed: seed)
    let builder = Session.Builder()
    session =
      try server == nil
      ? builder.transport(peer.transport()).clock(ImmediateClock()).build() : builder.transport(.native).build()
    queue = try TransferQueue(
      at: folder + "/queue", session: session, configuration: QueueScript(folder: folder).configuration)
  }

  /// Makes the files that are uploaded, and those that a real server has for downloads.
  func prepare() async throws {
    let manager = FileManager.default
    guard !manager.fileExists(atPath: folder + "/prepared") else { return }
    for name in ["files", "server", "sources"] {
      try manager.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    for number in 0..<count {
      let content = QueuePeer.content(number)
      switch kind(number) {
      case .download, .secondDownload:
        guard base != QueuePeer.base else { continue }
        let upload = session.upload(.bytes(content), to: url(number), method: .put).validate()
        let anyData = DataResponseSerializer(emptyResponseCodes: [201, 204])
        _ = try await upload.serializingResponse(using: anyData).value
      case .form: continue
      case .upload, .resumableUpload: try content.write(to: URL(filePath: source(number)))
      }
    }
    try Data().write(to: URL(filePath: folder + "/prepared"))
  }

  private func kind(_ number: Int) -> Kind { Kind.allCases[number % Kind.allCases.count] }

  private func source(_ number: Int) -> String { "\(folder)/sources/\(number)" }

  private func url(_ number: Int) -> String {
    switch kind(number) {
    case .download, .secondDownload: "\(base)/d/\(number)"
    case .upload: "\(base)/u/\(number)"
    case .form: "\(base)/f/\(number)"
    case .resumableUpload: "\(base)/r/\(number)"
    }
  }

  private func transfer(_ number: Int) throws -> QueuedTransfer {
    var transfer: QueuedTransfer
    switch kind(number) {
    case .download, .secondDownload: transfer = .download(url(number), to: .file("\(folder)/files/\(number)"))
    case .upload, .resumableUpload: transfer = .upload(file: source(number), to: url(number), method: .put)
    case .form:
      var form = MultipartFormData()
      form.append(QueuePeer.content(number), name: "file", fileName: "\(number)")
      transfer = .upload(try OutgoingRequest(url(number), method: .put).encoding(multipart: form))
    }
    transfer.data = try JSONEncoder().encode(number)
    return transfer
  }

  /// Adds the transfers, and runs them to their ends.
  mutating func run(mayAdd: Bool) async throws {
    if mayAdd, try await queue.transfers.isEmpty { try await queue.add((0..<count).map { try transfer($0) }) }
    QueueScript.say("added")
    for transfer in try await queue.transfers {
      QueueScript.say("transfer \(transfer.id) \(try transfer.value(of: Int.self)) \(transfer.state)")
      if !transfer.state.isEnded { live.insert(transfer.id) }
      if transfer.state == .paused { paused.insert(transfer.id) }
    }
    for _ in 0..<4 { try await act() }
    try await resumeIfNothingRuns()
    var end: Task<Void, Never>?
    if live.isEmpty { end = closeWhenEmpty() }
    for await event in queue.events {
      QueueScript.say("event \(event.number) \(event.transfer) \(Self.name(event.kind))")
      try await queue.acknowledge(event)
      QueueScript.say("acknowledged \(event.number)")
      live.remove(event.transfer)
      if generator.next().isMultiple(of: 4) { try await act() }
      try await resumeIfNothingRuns()
      if live.isEmpty, end == nil { end = closeWhenEmpty() }
    }
    await end?.value
    await queue.close()
    try await tellResults()
  }

  /// Closes the queue when the files of the last transfers are removed; no event tells that.
  private func closeWhenEmpty() -> Task<Void, Never> {
    Task { [queue] in
      while (try? await queue.transfers.isEmpty) == false { await Task.yield() }
      await queue.close()
    }
  }

  /// Calls the queue once.
  private mutating func act() async throws {
    let names = ["pause", "pause", "pause", "resume", "move", "cancel", "remove"]
    let name = names[Int.random(in: names.indices, using: &generator)]
    let choice = name == "resume" ? paused : live
    if let id = choice.intersection(live).sorted().randomElement(using: &generator) { try await call(name, id) }
  }

  private mutating func resumeIfNothingRuns() async throws {
    guard live.isSubset(of: paused) else { return }
    for id in live.sorted() { try await call("resume", id) }
  }

  private mutating func call(_ name: String, _ id: TransferID) async throws {
    QueueScript.say("calling \(name) \(id)")
    switch name {
    case "pause":
      try await queue.pause(id)
      paused.insert(id)
    case "resume":
      try await queue.resume(id)
      paused.remove(id)
    case "move": try await queue.move(id, to: live.min().map { .before($0) } ?? .front(of: .normal))
    case "cancel": try await queue.cancel(id)
    default:
      try await queue.remove(id)
      live.remove(id)
    }
    QueueScript.say("called \(name) \(id)")
  }

  private static func name(_ kind: TransferEvent.Kind) -> String {
    switch kind {
    case .finished: "finished"
    case .failed(let failure): "failed: \(failure)"
    case .cancelled: "cancelled"
    case .needsCredential: "needsCredential"
    }
  }

  /// Prints what is left of each transfer, and what else there is.
  private func tellResults() async throws {
    var names = Set(try FileManager.default.contentsOfDirectory(atPath: folder + "/files"))
    for number in 0..<count {
      let content = QueuePeer.content(number)
      switch kind(number) {
      case .download, .secondDownload:
        names.remove("\(number)")
        let found = FileManager.default.contents(atPath: "\(folder)/files/\(number)")
        QueueScript.say("file \(number) \(Self.word(found) { $0 == content })")
      case .upload, .resumableUpload:
        QueueScript.say("upload \(number) \(Self.word(try await received(number)) { $0 == content })")
      case .form:
        let found = try await received(number)
        QueueScript.say("upload \(number) \(Self.word(found) { QueuePeer.isForm($0, of: content) })")
      }
    }
    for name in names { QueueScript.say("stray \(name)") }
  }

  private static func word(_ found: Data?, _ isRight: (Data) -> Bool) -> String {
    found.map { isRight($0) ? "right" : "wrong" } ?? "missing"
  }

  /// The bytes of an upload at the server.
  private func received(_ number: Int) async throws -> Data? {
    guard base != QueuePeer.base else { return peer.bodies.read("\(number)") }
    let response = await session.request(url(number)).serializingData().response
    return response.response?.status == .ok ? response.value : nil
  }
}
