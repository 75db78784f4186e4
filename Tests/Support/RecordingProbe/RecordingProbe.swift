import CFaultyDisk
import FoundationEssentials
import Glibc
import HTTPTypes
import LupineCore
import LupineMock
import LupineNative
import LupineRecording
import LupineSession
import LupineStreams

/// Records exchanges with a mock while the disk fails, or until it is killed.
///
/// - `RecordingProbe FOLDER kill|tear CALL` records five exchanges until the system call with that number ends the process.
///   It prints the number of exchanges after each that is in the journal, and at the end `done`.
/// - `RecordingProbe FOLDER secret CALL` does so with a body that has a token, for which the recording fails.
/// - `RecordingProbe FOLDER named` records five exchanges on a file system whose files all have names.
/// - `RecordingProbe FOLDER full` records five exchanges once for each system call, from which on the disk is full.
/// - `RecordingProbe FOLDER hold` records an exchange, prints `held`, and waits until its input ends.
/// - `RecordingProbe FOLDER large BYTES URL` records and plays a response with a body of this size, and prints the highest
///   use of memory in bytes.
///
/// It prints `wrong: …` for each violation, and at the end `done`.
@main
struct RecordingProbe {
  static let count = 5
  let folder: String

  var cassette: String { folder + "/users.cassette" }

  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else {
      print("usage: RecordingProbe FOLDER kill|tear|secret CALL | named | full | hold | large BYTES URL")
      exit(64)
    }
    let probe = RecordingProbe(folder: arguments[0])
    let number = arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1
    switch arguments[1] {
    case "kill": try await probe.end(FAULT_KILL, at: number)
    case "tear": try await probe.end(FAULT_TEAR, at: number)
    case "secret": try await probe.endBeforeSearch(at: number)
    case "named":
      faulty_disk_refuse_unnamed(EOPNOTSUPP)
      try await probe.record(probe.recorder())
    case "full": try await probe.fill()
    case "hold": try await probe.hold()
    default: try await probe.measure(number, arguments.last ?? "")
    }
    Self.say("done")
  }

  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// - Parameter text: stands at the end of the second body, which is in a file.
  private func recorder(text: String = "") -> RecordingTransport {
    let mock = MockTransport()
    mock.stub(.get, "/2", .data(Data(repeating: 0xFF, count: 5_000) + Data(text.utf8)))
    mock.stub(.get, "/{any...}", .text("hello"))
    return RecordingTransport(around: mock, to: cassette)
  }

  private func session(_ transport: any Transport) throws -> Session {
    try Session.Builder().transport(transport).clock(ImmediateClock()).baseURL("https://example.com").build()
  }

  private func end(_ fault: faulty_disk_fault, at call: Int) async throws {
    let recorder = recorder()
    faulty_disk_arm(fault, Int32(call), 0, false, false)
    try await record(recorder)
  }

  private func endBeforeSearch(at call: Int) async throws {
    let recorder = recorder(text: " ghp_" + String(repeating: "a1B2", count: 9))
    faulty_disk_arm(FAULT_KILL, Int32(call), 0, false, false)
    do {
      try await record(recorder)
      Self.say("wrong: The token is recorded.")
    } catch let error as LupineError where error.kind == .secretInRecording {}
  }

  private func record(_ recorder: RecordingTransport) async throws {
    let session = try session(recorder)
    for number in 1...Self.count {
      _ = try await session.request("\(number)").serializingData().value
      try await recorder.recording.flush()
      Self.say("\(number)")
    }
    try await recorder.recording.finish()
  }

  private func fill() async throws {
    var call: Int32 = 0
    var hasFailed = true
    while hasFailed {
      call += 1
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      hasFailed = try await fail(call)
    }
  }

  /// Returns whether there was a call with this number.
  private func fail(_ call: Int32) async throws -> Bool {
    let recorder = recorder()
    let session = try session(recorder)
    faulty_disk_arm(FAULT_ERROR, call, ENOSPC, false, true)
    for number in 1...Self.count {
      let response = await session.request("\(number)").serializingData().response
      if let error = response.error { Self.say("wrong: call \(call) fails exchange \(number): \(error)") }
    }
    var failure: LupineError?
    do throws(LupineError) { try await recorder.recording.finish() } catch { failure = error }
    let hasFailed = faulty_disk_disarm()
    if hasFailed, let failure, failure.file?.kind != .noSpace { Self.say("wrong: call \(call): \(failure)") }
    if !hasFailed, let failure { Self.say("wrong: \(failure)") }
    let entries = (try? Cassette(contentsOf: cassette))?.entries.count
    if failure == nil, entries != Self.count { Self.say("wrong: call \(call) leaves \(entries ?? 0) entries") }
    if failure != nil, entries != nil, entries != Self.count { Self.say("wrong: call \(call) leaves a part") }
    return hasFailed
  }

  private func hold() async throws {
    let recorder = recorder()
    let session = try session(recorder)
    _ = try await session.request("1").serializingData().value
    try await recorder.recording.flush()
    Self.say("held")
    _ = readLine()
    try await recorder.recording.finish()
  }
}

extension RecordingProbe {
  private func measure(_ bytes: Int, _ url: String) async throws {
    let recorder = RecordingTransport(around: NativeTransport(), to: cassette)
    let recorded = try await read(url, over: recorder)
    try await recorder.recording.finish()
    var options = ReplayOptions()
    options.pace = 0
    let played = try await read(url, over: try await ReplayTransport(contentsOf: cassette, options: options))
    if recorded != bytes || played != bytes { Self.say("wrong: \(recorded) bytes recorded, \(played) played") }
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    let kibibytes = peak.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    Self.say("\(kibibytes << 10)")
  }

  private func read(_ url: String, over transport: any Transport) async throws -> Int {
    var count = 0
    let session = try Session.Builder().transport(transport).build()
    for try await piece in session.streamRequest(url).serializingBytes() { count += piece.count }
    return count
  }
}
