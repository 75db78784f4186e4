import Dispatch
import Glibc
import Synchronization

/// A flag that one thread raises and another awaits, with relaxed atomics: it does not order the two threads.
final class Flag: Sendable {
  private let isRaised = Atomic(false)

  func raise() {
    isRaised.store(true, ordering: .relaxed)
  }

  func spin() {
    while !isRaised.load(ordering: .relaxed) { sched_yield() }
  }
}

final class Shared: Sendable {
  let locked = Mutex<[Int]>([])
  let atomic = Atomic(0)
}

/// A program for which the correct report of the thread sanitizer is known, for the script `check`.
///
/// With the argument `race`, the program has one data race; without the argument it has none.
@main
enum Orders {
  nonisolated(unsafe) static var handedOver = 0
  nonisolated(unsafe) static var counter = 0

  static func main() async {
    await contendMutex()
    await resumeBeforeAwait()
    if CommandLine.arguments.contains("race") { race() }
  }

  static func contendMutex() async {
    let shared = Shared()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for number in 0..<20_000 {
            shared.locked.withLock { $0 = [number, $0.count] }
            _ = shared.locked.withLockIfAvailable { $0.append(number) }
            shared.atomic.add(1, ordering: .relaxed)
          }
        }
      }
    }
  }

  static func resumeBeforeAwait() async {
    await withUnsafeContinuation { continuation in
      let flag = Flag()
      DispatchQueue(label: "resumer").async {
        handedOver += 1
        continuation.resume()
        flag.raise()
      }
      flag.spin()
    }
    handedOver += 1
  }

  /// Increments `counter` on two threads without order: each thread releases the lock before its increment.
  static func race() {
    let shared = Shared()
    let (first, second) = (Flag(), Flag())
    DispatchQueue(label: "second").async {
      first.spin()
      shared.locked.withLock { $0 = [2] }
      counter += 1
      second.raise()
    }
    shared.locked.withLock { $0 = [1] }
    counter += 1
    first.raise()
    second.spin()
  }
}
