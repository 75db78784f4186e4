import LupineSQLiteConnection

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// One connection of the server, which only the thread of the server uses.
final class SocketClient {
  /// The number of bytes that may wait for a client that does not read.
  private static let mostOutput = 64 << 10
  /// The number of transfers whose progress may wait.
  private static let mostProgress = 1_000

  private let socket: Descriptor
  private var input = LineBuffer()
  private var output: ArraySlice<UInt8> = []
  private var isChanged = false
  private var progress: [Int64: RunnerLine.Progress] = [:]
  private(set) var isIntroduced = false
  private(set) var isWatcher = false
  private(set) var isOver = false

  init(_ socket: consuming Descriptor) { self.socket = socket }

  var number: Int32 { socket.number }
  var hasOutput: Bool { !output.isEmpty }

  /// Reads what has come, at most a few KiB in one turn.
  func read(_ handler: SocketServer.Handler) {
    var buffer = [UInt8](repeating: 0, count: RunnerLine.maximumLength)
    let count = recv(socket.number, &buffer, buffer.count, 0)
    guard count > 0 else {
      isOver = count == 0 || errno != EAGAIN && errno != EINTR
      return
    }
    guard let lines = input.lines(adding: buffer.prefix(count)) else { return refuse("The line is too long.") }
    for line in lines where !isOver { take(RunnerLine(line), handler) }
  }

  private func take(_ line: RunnerLine?, _ handler: SocketServer.Handler) {
    guard let line else { return refuse("The line is not one of this protocol.") }
    guard isIntroduced else {
      send(RunnerLine(version: QueueVersion.lines, tables: QueueVersion.tables, process: UnixSocket.thisProcess))
      isIntroduced = true
      if !line.hasSameVersions {
        refuse("This process has \(RunnerLine.hello.versions), and the client has \(line.versions).")
      }
      return
    }
    switch line.request {
    case .watch: isWatcher = true
    case .some(let request): if let answer = handler.answer(request) { send(answer) }
    case nil: refuse("The line has no request that this process knows.")
    }
  }

  /// Sends a reason, and closes the connection.
  func refuse(_ reason: String) {
    send(RunnerLine(error: reason))
    flush()
    isOver = true
  }

  /// Sends the change and the newest progress, and keeps only the newest values for a client that does not read.
  func write(isChanged: Bool, _ progress: [Int64: RunnerLine.Progress]) {
    guard isIntroduced, !isOver else { return }
    if isChanged { self.isChanged = true }
    if isWatcher { self.progress.merge(progress) { $1 } }
    // A client that reads nothing gets less.
    if self.progress.count > Self.mostProgress { self.progress = [:] }
    flush()
    guard output.isEmpty else { return }
    for progress in self.progress.values { send(RunnerLine(progress: progress)) }
    self.progress = [:]
    if self.isChanged { send(RunnerLine(isChanged: true)) }
    self.isChanged = false
    flush()
  }

  private func send(_ line: RunnerLine) {
    guard output.count < Self.mostOutput else {
      isOver = true
      return
    }
    output += line.bytes
  }

  private func flush() {
    guard !output.isEmpty else { return }
    guard let count = UnixSocket.send(output, to: socket.number) else {
      isOver = true
      return
    }
    output = output.dropFirst(count)
    if output.isEmpty { output = [] }
  }
}
