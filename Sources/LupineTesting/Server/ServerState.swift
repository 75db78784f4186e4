import LupineCore
import LupineSupport
import Synchronization

/// The state that a server's threads share.
///
/// It outlives the server only while they run.
final class ServerState: Sendable {
  let configuration: ServerConfiguration
  let port: Int
  /// The listening socket, until the server has stopped.
  private let listener: Mutex<LoopbackSocket?>
  private let listening: Int32
  let record = Watched(ServerRecord())
  private let threads = Mutex(ConnectionThreads())
  private let threadName: String

  init(_ configuration: ServerConfiguration, address: ScriptedServer.Address) throws(SocketFailure) {
    self.configuration = configuration
    let socket = try LoopbackSocket(address.local)
    try socket.beginListening(backlog: 1024)
    port = socket.port
    listening = socket.descriptor
    threadName = "lupine-\(socket.port)"
    listener = Mutex(socket)
  }

  func startAccepting() throws(SocketFailure) -> SystemThread {
    do throws(SystemThread.Failure) { return try SystemThread(threadName) { [self] in acceptAll() } } catch {
      throw SocketFailure("pthread_create", code: error.code)
    }
  }

  /// Ends the accept thread.
  func stopAccepting() {
    LoopbackSocket.shutDown(listening)
  }

  /// Closes all connections and joins their threads; call it after the accept thread has ended.
  func endConnections() {
    listener.withLock { $0 = nil }
    for entry in threads.withLock({ $0.running }).values { entry.socket.interrupt() }
    while let entry = threads.withLock({ $0.running.popFirst() })?.value { entry.thread.join() }
    joinFinished()
    record.update { $0.isStopped = true }
  }

  /// Accepts connections until the listening socket is shut down.
  private func acceptAll() {
    while true {
      switch LoopbackSocket.acceptConnection(on: listening) {
      case .connection(let socket): start(socket)
      case .shutDown: return
      case .failed: break
      }
      joinFinished()
    }
  }

  private func start(_ socket: ConnectionSocket) {
    let number = record.update { record in
      record.accepted += 1
      record.open += 1
      return record.accepted - 1
    }
    let isStarted = threads.withLock { threads in
      // The thread's last action takes this lock, so it cannot end before it is in the table.
      guard let thread = try? SystemThread(threadName, { [self] in serve(number, socket) }) else {
        return false
      }
      threads.running[number] = (socket, thread)
      return true
    }
    if !isStarted { connectionEnded(number, socket) }
  }

  private func serve(_ number: Int, _ socket: ConnectionSocket) {
    ConnectionLoop(number: number, socket: socket, server: self).run()
    connectionEnded(number, socket)
    threads.withLock { $0.finish(number) }
  }

  private func connectionEnded(_ number: Int, _ socket: ConnectionSocket) {
    socket.close()
    record.update { $0.open -= 1 }
  }

  private func joinFinished() {
    for thread in threads.withLock({ $0.takeFinished() }) { thread.join() }
  }
}

/// The records of connections.
extension ServerState {
  /// Records a request; returns its number.
  func record(_ request: ReceivedHTTPRequest) -> Int {
    record.update { record in
      var request = request
      request.number = record.requests.count
      record.requests.append(request)
      return request.number
    }
  }

  /// Replaces a recorded request after more of its body was read.
  func update(_ request: ReceivedHTTPRequest) {
    record.update { $0.requests[request.number] = request }
  }

  func report(_ problem: ScriptedServer.Problem) {
    record.update { $0.problems.append(problem) }
  }
}

/// The settings of a server.
struct ServerConfiguration: Sendable {
  let readsBody: Bool
  let answersContinue: Bool
  let keptBodyLength: Int
  let handler: @Sendable (ReceivedHTTPRequest) -> ScriptedReply
  /// The bytes to send after a client's first bytes, instead of HTTP/1.1.
  var greeting: [UInt8]?
  /// The frames that answer the first request of each HTTP/2 connection, instead of HTTP/1.1.
  var frames: [UInt8]?
}

/// The events of a server so far.
struct ServerRecord: Sendable {
  var requests: [ReceivedHTTPRequest] = []
  var problems: [ScriptedServer.Problem] = []
  var accepted = 0
  var open = 0
  var isStopped = false
}

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
