import LupineCore
import LupineSupport

/// The threads of a server's connections.
struct ConnectionThreads {
  var running: [Int: (socket: ConnectionSocket, thread: SystemThread)] = [:]
  /// The threads that have ended and wait for a join.
  var finished: [SystemThread] = []

  mutating func finish(_ number: Int) {
    if let entry = running.removeValue(forKey: number) { finished.append(entry.thread) }
  }

  mutating func takeFinished() -> [SystemThread] {
    defer { finished = [] }
    return finished
  }
}
