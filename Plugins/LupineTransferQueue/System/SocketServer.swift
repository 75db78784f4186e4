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

/// Serves the clients of a socket in the folder of a queue, on a thread of its own that sleeps until something happens.
///
/// It trusts no client. A process of another user is closed at once. A line that is too long or no line of the protocol
/// closes its connection. There are at most 64 connections; a further one replaces the oldest that has not introduced
/// itself, or is refused. The bytes that a client has not read are bounded.
final class SocketServer: Sendable {
  /// The parts of the owner of the socket, which are called on the server's thread and must not wait.
  struct Handler: Sendable {
    /// Answers a request; `nil` for none.
    ///
    /// A client for which there is no room counts as one with a notice.
    var answer: @Sendable (RunnerLine.Request) -> RunnerLine?
    /// A client was refused, for this reason.
    var refuse: @Sendable (String) -> Void = { _ in }
  }

  private struct News {
    var isOver = false
    var isChanged = false
    var progress: [Int64: RunnerLine.Progress] = [:]
    var hasWatchers = false

    var isEmpty: Bool { !isOver && !isChanged && progress.isEmpty }
  }

  static let mostClients = 64

  private let listener: Descriptor
  private let path: String
  /// A byte that is written to the other end of this pipe wakes the thread.
  private let wakeReader: Descriptor
  private let wakeWriter: Descriptor
  private let news = Mutex(News())

  /// Listens; call it only while this process holds the lock that belongs to the name.
  init(_ socket: UnixSocket) throws(LupineError) {
    path = socket.path
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, let reader = Descriptor(ends[0]), let writer = Descriptor(ends[1]) else {
      throw LupineError.file("cannot be listened at", path, code: errno)
    }
    for number in ends {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      _ = fcntl(number, F_SETFL, O_NONBLOCK)
    }
    wakeReader = reader
    wakeWriter = writer
    listener = try socket.listener()
  }

  /// Starts the thread.
  func start(_ handler: Handler) throws(LupineError) {
    do throws(SystemThread.Failure) {
      // Room for the decoder of JSON, which calls itself for each level of a line.
      try SystemThread("lupine-runner", stackSize: 1 << 20) { [self] in serve(handler) }.detach()
    } catch {
      throw LupineError(.other, "The system cannot start a thread for the queue of transfers (\(error.code)).")
    }
  }

  /// Tells the clients that the database has changed.
  func tellChange() { tell { $0.isChanged = true } }

  /// Tells the clients that want it the progress of a transfer; only the newest value is kept.
  func tell(_ progress: RunnerLine.Progress) {
    tell { news in if news.hasWatchers { news.progress[progress.transfer] = progress } }
  }

  /// Ends the thread and closes all connections; the name is free then.
  func close() {
    unlink(path)
    shutdown(listener.number, Int32(SHUT_RDWR))
    tell { $0.isOver = true }
  }

  private func tell(_ change: (inout News) -> Void) {
    let mustWake = news.withLock { news in
      let wasEmpty = news.isEmpty
      change(&news)
      return wasEmpty && !news.isEmpty
    }
    guard mustWake else { return }
    var byte: UInt8 = 1
    // A full pipe has woken the thread already.
    _ = write(wakeWriter.number, &byte, 1)
  }

  private func takeNews(hasWatchers: Bool) -> News {
    news.withLock { news in
      defer { news = News(isOver: news.isOver, hasWatchers: hasWatchers) }
      return news
    }
  }

  private func serve(_ handler: Handler) {
    var clients: [SocketClient] = []
    // Not polled for a moment after the system had no descriptor for a connection.
    var isListening = true
    while true {
      var polls = [pollfd(fd: wakeReader.number, events: Int16(POLLIN), revents: 0)]
      polls.append(pollfd(fd: isListening ? listener.number : -1, events: Int16(POLLIN), revents: 0))
      polls += clients.map {
        pollfd(fd: $0.number, events: Int16($0.hasOutput ? POLLIN | POLLOUT : POLLIN), revents: 0)
      }
      if poll(&polls, nfds_t(polls.count), isListening ? -1 : 100) < 0, errno != EINTR {
        // The system has no room to wait for so many.
        clients = []
        isListening = false
        UnixSocket.waitForOwner()
      }
      if polls[0].revents != 0 { drainWakes() }
      let told = takeNews(hasWatchers: clients.contains(where: \.isWatcher))
      if told.isOver { return }
      for (client, poll) in zip(clients, polls.dropFirst(2)) where poll.revents != 0 { client.read(handler) }
      for client in clients { client.write(isChanged: told.isChanged, told.progress) }
      clients.removeAll(where: \.isOver)
      isListening = polls[1].revents == 0 || accept(&clients, handler)
      news.withLock { $0.hasWatchers = clients.contains(where: \.isWatcher) }
    }
  }

  private func drainWakes() {
    var buffer = [UInt8](repeating: 0, count: 64)
    while read(wakeReader.number, &buffer, buffer.count) == buffer.count {}
  }

  /// Takes the connections that wait; returns false if the system has no room for one.
  private func accept(_ clients: inout [SocketClient], _ handler: Handler) -> Bool {
    for _ in 0..<16 {
      guard let socket = UnixSocket.accepted(by: listener.number) else {
        return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM
      }
      guard let peer = UnixSocket.peer(of: socket.number), peer.isOwn else {
        handler.refuse("a process of another user")
        continue
      }
      let client = SocketClient(socket)
      if clients.count >= Self.mostClients {
        guard let oldest = clients.firstIndex(where: { !$0.isIntroduced }) else {
          _ = handler.answer(.notice)
          client.refuse("There are \(Self.mostClients) connections already.")
          handler.refuse("process \(peer.process), because there are too many connections")
          continue
        }
        clients.remove(at: oldest)
      }
      clients.append(client)
    }
    return true
  }
}
