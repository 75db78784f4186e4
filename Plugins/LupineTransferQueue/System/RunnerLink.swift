import LupineCore
import LupineSQLiteConnection
import LupineSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection to the process that listens at a socket in the folder of a queue.
final class RunnerLink: Sendable {
  /// The number of the process at the other end.
  let process: Int32
  private let socket: Descriptor
  private let path: String
  private let isOver = Atomic<Bool>(false)
  private let isHeard = Atomic<Bool>(false)

  /// Whether the connection has not ended, as far as this process knows.
  var isOpen: Bool { !isOver.load(ordering: .acquiring) }

  /// Connects and introduces this process.
  ///
  /// - Parameter patience: the maximum time for each step; the calling thread waits meanwhile.
  /// - Returns: `nil` if no process listens, or if it ends meanwhile.
  /// - Throws: `LupineError` of kind `fileFailed` if the other process does not answer or is of another build.
  static func open(_ place: UnixSocket, patience: Duration) throws(LupineError) -> RunnerLink? {
    guard let socket = try place.connection(patience: patience) else { return nil }
    let process = UnixSocket.peer(of: socket.number)?.process ?? 0
    let link = RunnerLink(socket, process, place.path)
    guard link.send(.hello), let answer = try link.next() else { return nil }
    if let error = answer.error {
      throw LupineError(.fileFailed, "Process \(process), which runs the transfers of \(place.folder.path): \(error)")
    }
    guard answer.hasSameVersions else {
      throw LupineError(
        .fileFailed,
        "Process \(process), which runs the transfers of \(place.folder.path), is of another build of this library: it "
          + "has \(answer.versions), and this process has \(RunnerLine.hello.versions). End that process, for example "
          + "with `lupine queue stop` of its build, and start it again with this build.")
    }
    return link
  }

  private init(_ socket: consuming Descriptor, _ process: Int32, _ path: String) {
    self.socket = socket
    self.process = process
    self.path = path
  }

  /// Sends a line; returns false if the connection has ended.
  @discardableResult
  func send(_ line: RunnerLine) -> Bool {
    let bytes = line.bytes[...]
    // A line is much shorter than the buffer of a socket: a part of it is sent only to a peer that does not read.
    guard !isOver.load(ordering: .acquiring), UnixSocket.send(bytes, to: socket.number) == bytes.count else {
      close()
      return false
    }
    return true
  }

  /// Waits for the next line, for as long as the patience of the connection.
  ///
  /// Not to be called beside `listen`. Reads byte by byte, so that it takes nothing of the lines that follow.
  ///
  /// - Returns: `nil` if the connection has ended.
  func next() throws(LupineError) -> RunnerLine? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count <= RunnerLine.maximumLength {
      let count = recv(socket.number, &byte, 1, 0)
      if count == 0 || count < 0 && errno == ECONNRESET { return nil }
      if count < 0 && errno == EINTR { continue }
      guard count == 1 else {
        throw LupineError.file(path, code: errno, message: "Process \(process) does not answer at \(path).")
      }
      guard byte == UInt8(ascii: "\n") else {
        bytes.append(byte)
        continue
      }
      return RunnerLine(bytes) ?? RunnerLine(error: "The answer is no line of this protocol.")
    }
    return RunnerLine(error: "The answer is too long.")
  }

  /// Calls the closure with each line, and with `nil` at the end, on a thread of its own, until `close()`.
  ///
  /// A second call does nothing.
  ///
  /// - Returns: whether this is the first call.
  func listen(_ receive: @escaping @Sendable (RunnerLine?) -> Void) throws(LupineError) -> Bool {
    guard !isHeard.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    // From now on, a read waits until something comes.
    var noLimit = timeval()
    setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &noLimit, socklen_t(MemoryLayout<timeval>.size))
    do throws(SystemThread.Failure) {
      // Room for the decoder of JSON, which calls itself for each level of a line.
      try SystemThread("lupine-link", stackSize: 1 << 20) { [self] in
        readLines(receive)
        close()
        receive(nil)
      }.detach()
      return true
    } catch {
      throw LupineError(.other, "The system cannot start a thread for the queue of transfers (\(error.code)).")
    }
  }

  private func readLines(_ receive: (RunnerLine) -> Void) {
    var input = LineBuffer()
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !isOver.load(ordering: .acquiring) {
      let count = recv(socket.number, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0, let lines = input.lines(adding: buffer.prefix(count)) else { return }
      for line in lines {
        guard let line = RunnerLine(line) else { return }
        receive(line)
      }
    }
  }

  /// Waits until the other process closes the connection.
  ///
  /// - Returns: false if it has not done so after this time.
  func waitForEnd(_ time: Duration) -> Bool {
    let end = ContinuousClock.now + time
    while true {
      let left = end - .now
      guard left > .zero else { return false }
      var waiting = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
      let count = poll(&waiting, 1, Int32(left / .milliseconds(1)) + 1)
      guard count > 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let read = recv(socket.number, &buffer, buffer.count, 0)
      if read == 0 || read < 0 && errno != EAGAIN && errno != EINTR { return true }
    }
  }

  /// Ends the connection and its thread.
  func close() {
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
    shutdown(socket.number, Int32(SHUT_RDWR))
  }
}
