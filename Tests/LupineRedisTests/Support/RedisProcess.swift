import Foundation
import LupineFixtures
import Testing

@testable import LupineRedis

/// A `redis-server` of one test on a Unix-domain socket, which can be stopped and started again.
final class RedisProcess {
  let server: RedisServer
  private let folder: TemporaryFolder
  private var process: Process?

  init() throws {
    // The path of a socket has at most 107 bytes.
    folder = try TemporaryFolder(in: "/tmp")
    server = RedisServer(.unix(path: folder.file("redis.sock")))
    try start()
  }

  deinit { stop() }

  /// Starts the server and returns when it accepts connections.
  func start() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    // The server ends after 120 seconds even if the tests crash.
    process.arguments = [
      "--signal=KILL", "120", "redis-server", "--port", "0", "--unixsocket", folder.file("redis.sock"), "--save", "",
      "--dir", folder.path,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    var text = ""
    while !text.contains("ready to accept connections") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self).lowercased()
    }
    try #require(text.contains("ready to accept connections"), "redis-server did not start: \(text)")
  }

  /// Kills the server and returns when it has ended.
  func stop() {
    guard let process else { return }
    // The process leads a process group, and may have inherited a mask that blocks every signal except SIGKILL.
    kill(-process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }
}
