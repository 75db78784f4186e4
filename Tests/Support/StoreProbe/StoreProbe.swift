import CFaultyDisk
import Foundation
import Glibc
import LupineCore
import LupineSQLite

/// Runs the calls of a store on a disk that fails, and checks what a later store finds.
///
/// - `StoreProbe FOLDER kill|tear CALL [FACT...]` checks the folder that an earlier run has left, with the facts that it
///   printed. Then it empties the folder, and runs the script until the system call with that number ends the process.
/// - `StoreProbe FOLDER error NUMBER once|lasting change|open` runs the script once for each system call, which fails
///   with the error number.
/// - `StoreProbe FOLDER full` stores responses until the disk is full, and then removes them.
/// - `StoreProbe FOLDER crowd` fills a store, and then the disk beside it.
/// - `StoreProbe FOLDER share SEED` uses the folder at random, beside other processes.
///
/// It prints `wrong: …` for each violation, and at the end `done` with the number of runs.
@main
struct StoreProbe {
  let folder: String

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 3 || ["full", "crowd"].contains(arguments.last) else {
      print(
        "usage: StoreProbe FOLDER kill|tear CALL [FACT...]\n       StoreProbe FOLDER error NUMBER once|lasting change|open\n"
          + "       StoreProbe FOLDER full|crowd\n       StoreProbe FOLDER share SEED"
      )
      exit(64)
    }
    let probe = StoreProbe(folder: arguments[0])
    switch arguments[1] {
    case "kill": await probe.end(FAULT_KILL, at: arguments[2], Array(arguments[3...]))
    case "tear": await probe.end(FAULT_TEAR, at: arguments[2], Array(arguments[3...]))
    case "full": await StoreScript.fill(probe.folder)
    case "crowd": await StoreScript.crowd(probe.folder)
    case "share": await StoreScript.share(probe.folder, seed: UInt64(arguments[2]) ?? 0)
    default:
      await probe.fail(Int32(arguments[2]) ?? EIO, lasting: arguments[3] == "lasting", opens: arguments[4] == "open")
    }
  }

  private func end(_ fault: faulty_disk_fault, at call: String, _ facts: [String]) async {
    if FileManager.default.fileExists(atPath: folder) { await StoreScript.check(folder, facts) }
    empty()
    faulty_disk_arm(fault, Int32(call) ?? 1, 0, false, false)
    await StoreScript.run(folder) { fact in
      print(fact)
      fflush(nil)
    }
    _ = faulty_disk_disarm()
    print("done")
  }

  private func fail(_ code: Int32, lasting: Bool, opens: Bool) async {
    var call: Int32 = 0
    var hasFailed = true
    while hasFailed {
      call += 1
      empty()
      faulty_disk_arm(FAULT_ERROR, call, code, opens, lasting)
      let writers = await StoreScript.run(folder) { _ in }
      hasFailed = faulty_disk_disarm()
      // The writers, which other tasks may still read, do not keep their files.
      await StoreScript.check(folder, [])
      extendLifetime(writers)
    }
    print("done \(call)")
  }

  private func empty() { try? FileManager.default.removeItem(atPath: folder) }
}
