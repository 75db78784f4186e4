import Foundation
import LupineCore
import LupineFixtures
import Testing

@testable import LupineRedis

/// A `redis-server` of one test on a Unix-domain socket, which can be stopped and started again.
final class RedisProcess {
  let server: RedisServer
  private let folder: TemporaryFolder
  /// The process of `timeout`, which is the parent of the server's process.
  private var process: Process?
  /// The identifier of the server's process; `nil` until the server is ready.
  private var serverIdentifier: pid_t?

  init() throws {
    // The path of a socket has at most 107 bytes.
    folder = try TemporaryFolder(in: "/tmp")
    server = RedisServer(.unix(path: folder.file("redis.sock")))
    try start()
  }

  deinit { if let process { Self.end(process, serverIdentifier) } }

  /// Starts the server and returns when it accepts connections.
  func start() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    // The server ends after 120 seconds even if the tests crash.
    process.arguments = [
      "--signal=KILL", "120", "redis-server", "--port", "0", "--unixsocket", folder.file("redis.sock"), "--save", "",
      "--dir", folder.path, "--pidfile", folder.file("redis.pid"),
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    (self.process, serverIdentifier) = (process, nil)
    var text = ""
    while !text.contains("ready to accept connections") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self).lowercased()
    }
    try #require(text.contains("ready to accept connections"), "redis-server did not start: \(text)")
    // The server writes the file before it is ready.
    let line = try folder.text("redis.pid").trimmingCharacters(in: .whitespacesAndNewlines)
    let identifier = try #require(pid_t(line), "The process of redis-server is unknown: \(line)")
    serverIdentifier = identifier
  }

  /// Kills the server and returns when it has ended, with all its connections closed.
  func stop() async {
    guard let process else { return }
    self.process = nil
    await BlockingWork.run { [serverIdentifier] in Self.end(process, serverIdentifier) }
  }

  /// Kills the server and blocks the calling thread until it has ended.
  ///
  /// The system closes the sockets of a killed process in no particular order, so the end of one connection does not
  /// show that the others have ended. `timeout` ends after it has waited for the server, whose sockets are closed then.
  private static func end(_ process: Process, _ serverIdentifier: pid_t?) {
    // `timeout` leads a process group, which is killed if the server's identifier is unknown. The processes may have
    // inherited a mask that blocks every signal except SIGKILL.
    kill(serverIdentifier ?? -process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
