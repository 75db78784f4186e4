/// The threads of a server's connections.
struct ConnectionThreads {
  var running: [Int: (socket: ConnectionSocket, thread: PosixThread)] = [:]
  /// Threads that have nothing left to do but to be joined.
  var finished: [PosixThread] = []

  mutating func finish(_ number: Int) {
    if let entry = running.removeValue(forKey: number) { finished.append(entry.thread) }
  }

  mutating func takeFinished() -> [PosixThread] {
    defer { finished = [] }
    return finished
  }
}
