import Foundation
import Glibc
import LupineFixtures
import TransportSupport

/// Runs `TransferProbe` in a process of its own.
final class TransferProgram {
  private let process = Process()
  private let output = Pipe()
  private var text = ""
  /// The first number that the process printed.
  private(set) var firstFigure: Int?

  /// Starts the program, or a shell script whose `$0` is the path of the program.
  init(_ arguments: [String], script: String? = nil, under wrapper: [String] = []) throws {
    let program = try Program.url("TransferProbe").path
    let command = wrapper + (script.map { ["/bin/sh", "-c", $0, program] } ?? [program]) + arguments
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    if TestTransport.isNative {
      process.environment = ProcessInfo.processInfo.environment.merging(["LUPINE_TRANSPORT": "native"]) { $1 }
    }
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  deinit { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

  /// Kills the process when it reports at least `count` bytes; returns false if the process ends earlier.
  func kill(at count: Int) -> Bool {
    while let line = line() {
      guard let number = Int(line), number >= count else { continue }
      return killNow()
    }
    process.waitUntilExit()
    return false
  }

  /// Kills a process in the mode `hold` when it reports that all bytes have arrived.
  ///
  /// Returns false if the process ends earlier.
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

  /// Waits for the end of the process, and returns the lines that it printed, without the numbers.
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
