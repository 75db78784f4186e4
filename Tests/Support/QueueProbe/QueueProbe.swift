import CFaultyDisk
import Foundation
import Glibc

/// Runs a queue of transfers over a mock on a disk that fails, for tests that kill it.
///
/// - `QueueProbe FOLDER run COUNT add|go SEED mock|URL [kill|tear CALL]` adds the transfers if the queue is empty and may be
///   filled, and runs them until all have ended, or until the system call with that number ends the process. `KilledRun`
///   lists what it prints. The URL is a folder of a server that stores what is uploaded.
/// - `QueueProbe FOLDER runner [kill CALL]` is a runner without a program, prints `ready`, and ends when its input ends.
/// - `QueueProbe FOLDER program COUNT add|go [kill CALL]` is a program beside it: it adds transfers of the group `g` with
///   the hook `FOLDER/hook`, and prints and acknowledges events until all transfers are gone; it takes over if there is no
///   runner.
/// - `QueueProbe FOLDER fill COUNT` adds the same transfers, and ends.
/// - `QueueProbe FOLDER hear GROUP` prints and acknowledges the events that are stored, as a program that a hook starts.
/// - `QueueProbe FOLDER error NUMBER once|lasting change|open` runs `FaultyScript` once for each system call, which
///   fails with the error number, and prints `failed FUNCTION COUNT`.
/// - `QueueProbe FOLDER full` fills the disk while transfers run, and then makes room.
/// - `QueueProbe FOLDER hold` runs the queue, prints `runner`, and waits until its input ends.
/// - `QueueProbe FOLDER lock` holds the lock of the database until its input ends.
/// - `QueueProbe FOLDER add COUNT` adds transfers as a second process, and prints their numbers.
/// - `QueueProbe FOLDER flushes` prints the number of flushes of each of five additions.
/// - `QueueProbe FOLDER print` opens the queue, and prints the error's message.
/// - `QueueProbe FOLDER unlocked` does the same in a file system without locks.
///
/// It prints `wrong: …` for each violation.
@main
struct QueueProbe {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else {
      print("usage: QueueProbe FOLDER run|runner|program|fill|hear|error|full|hold|lock|add|flushes|print|unlocked …")
      exit(64)
    }
    let script = QueueScript(folder: arguments[0])
    switch arguments[1] {
    case "run":
      do { try await run(arguments) } catch { return QueueScript.say("wrong: \(error)") }
    case "runner", "program":
      do { try await runRunner(arguments, script) } catch { return QueueScript.say("wrong: \(error)") }
    case "fill": try await RunnerScript(script: script).fill(Int(arguments[2]) ?? 1)
    case "hear": try await RunnerScript(script: script).hear(of: arguments[2])
    case "error":
      let code = Int32(arguments[2]) ?? EIO
      try await fail(script, code, lasting: arguments[3] == "lasting", opens: arguments[4] == "open")
    case "full": try await script.fill()
    case "hold": try await script.hold()
    case "lock": try script.lock()
    case "flushes": try await script.countFlushes { faulty_disk_flushes() }
    case "print": await script.printError()
    case "add": try await script.add(count: Int(arguments[2]) ?? 1)
    default:
      faulty_disk_refuse_locks(ENOLCK)
      await script.printError()
    }
    QueueScript.say("done")
  }

  /// Runs a queue, and kills this process at one of its system calls.
  private static func run(_ arguments: [String]) async throws {
    var run = try KilledRun(
      folder: arguments[0], count: Int(arguments[2]) ?? 1, seed: UInt64(arguments[4]) ?? 0,
      server: arguments[5] == "mock" ? nil : arguments[5])
    try await run.prepare()
    if arguments.count == 8 {
      faulty_disk_arm(arguments[6] == "kill" ? FAULT_KILL : FAULT_TEAR, Int32(arguments[7]) ?? 1, 0, false, false)
    }
    try await run.run(mayAdd: arguments[3] == "add")
  }

  /// Runs a runner or a program beside it, and kills this process at one of its system calls.
  private static func runRunner(_ arguments: [String], _ script: QueueScript) async throws {
    if let place = arguments.firstIndex(of: "kill"), place + 1 < arguments.count {
      faulty_disk_arm(FAULT_KILL, Int32(arguments[place + 1]) ?? 1, 0, false, false)
    }
    let runner = RunnerScript(script: script)
    if arguments[1] == "runner" { return try await runner.run() }
    try await runner.beside(Int(arguments[2]) ?? 1, mayAdd: arguments[3] == "add")
  }

  /// Runs the script once for each system call, which fails, and prints how often each function has failed.
  private static func fail(_ script: QueueScript, _ code: Int32, lasting: Bool, opens: Bool) async throws {
    var call: Int32 = 0
    var failures: [String: Int] = [:]
    var hasFailed = true
    while hasFailed {
      call += 1
      if CommandLine.arguments.last == "verbose" { QueueScript.say("call \(call)") }
      script.empty()
      var program = try FaultyScript(script)
      faulty_disk_arm(FAULT_ERROR, call, code, opens, lasting)
      hasFailed = await program.survive(lasting: lasting) {
        faulty_disk_failed_function() != nil
      } _: {
        faulty_disk_disarm()
      }
      if let function = faulty_disk_failed_function() { failures[String(cString: function), default: 0] += 1 }
    }
    for (function, count) in failures.sorted(by: { $0.key < $1.key }) {
      QueueScript.say("failed \(function) \(count)")
    }
  }
}
