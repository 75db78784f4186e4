import Foundation
import Glibc
import LupineFixtures

/// `TransferProbe` as a process of its own.
final class TransferProgram {
  private let process = Process()
  private let output = Pipe()
  private var text = ""
  /// The first number that it said.
  private(set) var firstFigure: Int?

  /// Starts it, or a shell's script that has its path as `$0`.
  init(_ arguments: [String], script: String? = nil, under wrapper: [String] = []) throws {
    let program = try Program.url("TransferProbe").path
    let command = wrapper + (script.map { ["/bin/sh", "-c", $0, program] } ?? [program]) + arguments
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  deinit { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

  /// Kills it once it says that there are so many bytes; false where it ended before.
  func kill(at count: Int) -> Bool {
    while let line = line() {
      guard let number = Int(line), number >= count else { continue }
      return killNow()
    }
    process.waitUntilExit()
    return false
  }

  /// Kills it once it says that all bytes are there; it was started to wait for that.
  func killWhenWhole() -> Bool {
    while let line = line() {
      if line == "whole" { return killNow() }
    }
    process.waitUntilExit()
    return false
  }

  private func killNow() -> Bool {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return true
  }

  /// What it prints to its end, but for the numbers.
  func finish() -> [String] {
    var lines: [String] = []
    while let line = line() {
      if Int(line) == nil { lines.append(line) }
    }
    process.waitUntilExit()
    return lines
  }

  private func line() -> String? {
    while true {
      if let end = text.firstIndex(of: "\n") {
        defer { text.removeSubrange(...end) }
        let line = String(text[..<end])
        if firstFigure == nil { firstFigure = Int(line) }
        return line
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { return nil }
      text += String(decoding: data, as: UTF8.self)
    }
  }
}
