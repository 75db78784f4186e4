import Foundation
import Glibc
import LupineCore
import LupineFixtures
import Testing

@testable import LupineTransferQueue

/// The socket of a runner, and processes of another user.
@Suite(.timeLimit(.minutes(1)), .enabled("only root can become another user") { geteuid() == 0 })
struct OtherUserTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  private func socket() throws -> UnixSocket {
    UnixSocket(folder: try QueueFolder(at: stage.queueFolder), name: QueueRole.socketName)
  }

  /// Runs a script of Python as another user, in the folder of the queue: the folders above it may be closed to others.
  ///
  /// - Parameter work: gets the output of the script, whose input ends after this.
  private func asOther(_ script: String, _ work: (FileHandle) throws -> Void) throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments = ["--reuid=65534", "--clear-groups", "/usr/bin/python3", "-c", script]
    process.currentDirectoryURL = URL(filePath: stage.queueFolder)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try work(output.fileHandleForReading)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  @Test func `a process of another user is closed`() async throws {
    let runner = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await runner.isRunner)
    // As if the modes of the folder did not hold others back.
    chmod(stage.queueFolder, 0o755)
    chmod(stage.queueFolder + "/socket", 0o666)
    let script = """
      import socket
      s = socket.socket(socket.AF_UNIX); s.connect("socket")
      try: s.sendall(b'{"protocol":1,"tables":1}\\n'); print("got", len(s.recv(100)))
      except (BrokenPipeError, ConnectionResetError): print("closed")
      """
    try asOther(script) { output in
      let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
      // The connection ends without a byte, or before the line is sent.
      #expect(["got 0\n", "closed\n"].contains(text), "\(text)")
    }
    #expect(try RunnerLink.open(socket(), patience: .seconds(5)) != nil)
    await runner.close()
  }

  @Test func `a socket of another user is refused`() async throws {
    let socket = try socket()
    // As if another user could write into the folder.
    chmod(stage.queueFolder, 0o777)
    let script = """
      import os, socket, sys
      s = socket.socket(socket.AF_UNIX); s.bind("socket"); os.chmod("socket", 0o666); s.listen()
      print("listens", flush=True); sys.stdin.read()
      """
    try asOther(script) { output in
      // Its line may come in two parts.
      #expect(output.availableData.starts(with: Data("listens".utf8)))
      let error = #expect(throws: LupineError.self) { try RunnerLink.open(socket, patience: .seconds(5)) }
      #expect(error?.message.contains("A process of another user listens at \(socket.path)") == true)
    }
  }
}
