import FoundationEssentials
import LupineCore
import LupineCurl
import LupineNative
import LupineResumableUpload
import LupineSession
import Synchronization

/// Uploads to the server of swift-nio-extras, which ends connections, and checks what it has received.
@main struct UploadsToNIO {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let content = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })

  static func main() async throws {
    let server = try await CuttingNIOServer()
    var seeds = SplitMix()
    for transport in ["native", "curl"] {
      let builder = Session.Builder()
      let session = try (transport == "native" ? builder.transport(.native) : builder.transport(.curl)).build()
      var cutCount = 0
      for (name, creation) in [("optimistic", UploadCreation.optimistic), ("careful", .careful)] {
        for round in 0..<10 {
          let cuts = (0..<3).map { _ in Int.random(in: 0..<content.count / 3, using: &seeds) }
          let path = "\(transport)-\(name)-\(round)"
          try await upload(to: server, session, path, .draft(6), creation, cuts)
          cutCount += cuts.count - server.shared.state.withLock { $0.cuts.count }
        }
      }
      guard cutCount >= 30 else { throw Failure(description: "Only \(cutCount) connections were cut.") }
      print("\(transport): 20 uploads, cut \(cutCount) times, arrived once and whole")
      // Without a version the server has no resumable upload, and the request is a normal one.
      try await upload(to: server, session, "\(transport)-final", .final, .optimistic, [])
      print("\(transport): a normal upload for the final form, which the server does not know")
      await session.shutdown()
    }
    try await server.stop()
  }

  static func upload(
    to server: CuttingNIOServer, _ session: Session, _ path: String, _ dialect: UploadDialect,
    _ creation: UploadCreation, _ cuts: [Int]
  ) async throws {
    server.cut(after: cuts)
    if creation == .careful { server.locate() }
    let progress = Mutex<[Int64]>([])
    let text = try await session.upload(.bytes(content), to: server.url + path, method: .post).validate()
      .monitor(.custom { event in if case .informational = event.kind { server.locate() } })
      .resumable(dialect, creation).resumesAutomatically(delay: .zero)
      .uploadProgress { value in progress.withLock { $0.append(value.completed) } }
      .serializingString().value
    let (file, count) = server.shared.state.withLock { state in
      (state.files["/\(path)"], state.complete.count { $0 == "/\(path)" })
    }
    let values = progress.withLock { $0 }
    guard text == "complete", file.map({ Data($0) }) == content, count == 1 else {
      throw Failure(description: "\(path) with cuts at \(cuts): \(text), \(file?.count ?? -1) bytes, \(count) times")
    }
    guard values.last == Int64(content.count), zip(values, values.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw Failure(description: "\(path) with cuts at \(cuts): the progress is \(values)")
    }
  }
}

/// The generator SplitMix64, with the same numbers each time.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64 = 0

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var number = state
    number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
    number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
    return number ^ (number >> 31)
  }
}
